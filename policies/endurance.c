/* endurance.c - how worn a drive is, how long it lasts, and what a test cost it. */
#include "policies/endurance.h"

#include <math.h>
#include <string.h>

#include "data/units.h"
#include "data/workload.h"

#define DAYS_A_YEAR 365.25
#define HOURS_A_DAY 24

static const char source_counters[] = "the drive's own totals before and after the run";

/* -- how worn ---------------------------------------------------------------------------------- */

static double years(double bytes_left, double per_day)
{
	if (isnan(bytes_left) || !(per_day > 0))
		return NAN;
	return bytes_left > 0 ? bytes_left / per_day / DAYS_A_YEAR : 0;
}

static double smaller(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a < b ? a : b;
}

void endurance_judge(const struct smart_health *h, const struct endurance_stated *s,
	struct endurance *ret)
{
	struct endurance e = { .percent_used = h->percent_used,
		.percent_remaining = h->percent_remaining, .written_bytes = NAN,
		.rated_bytes = s->rated_bytes, .bytes_per_percent = NAN,
		.mean_per_day_bytes = NAN };

	if (h->host_writes.known && !h->host_writes.at_least)
		e.written_bytes = u128_f64(h->host_writes.bytes);
	e.rated_share = e.written_bytes / e.rated_bytes;
	/* One percent is the drive's resolution: below that, nothing can be drawn from it. */
	if (e.percent_used >= 1)
		e.bytes_per_percent = e.written_bytes / e.percent_used;
	if (h->power_on_hours.known && h->power_on_hours.value >= HOURS_A_DAY)
		e.mean_per_day_bytes = e.written_bytes / u128_f64(h->power_on_hours.value) *
			HOURS_A_DAY;
	e.years_by_rating = years(e.rated_bytes - e.written_bytes, s->writes_per_day_bytes);
	e.years_by_wear = e.percent_remaining == 0 && s->writes_per_day_bytes > 0 ? 0 :
		years(e.bytes_per_percent * e.percent_remaining, s->writes_per_day_bytes);
	e.years_left = smaller(e.years_by_rating, e.years_by_wear);
	*ret = e;
}

double endurance_per_day(const struct workload *w)
{
	double bytes = workload_sync_bytes(w), pause = w->think_ns;

	if (w->burst_bytes > 0) {
		bytes = w->burst_bytes;
		pause = w->burst_gap_ns;
	}
	if (!(pause > 0))
		return NAN;
	return bytes * w->images * (86400e9 / pause) * (1 - w->read_fraction);
}

/* -- what a run cost --------------------------------------------------------------------------- */

void endurance_delta(const struct smart_bytes *before, const struct smart_bytes *after,
	struct endurance_delta *ret)
{
	struct endurance_delta d = { .bytes = NAN, .error_bytes = NAN };

	if (!before->known || !after->known)
		d.why = "the drive does not count it, or not in a way that is known here";
	else if (before->at_least || after->at_least)
		d.why = "the total is not known exactly";
	else if (before->step_bytes != after->step_bytes)
		d.why = "the two readings count in different units";
	else if (after->bytes < before->bytes)
		d.why = "the total went back: it was reset, or is another drive's";
	if (!d.why) {
		d.known = true;
		d.bytes = u128_f64(after->bytes - before->bytes);
		d.error_bytes = (double)before->step_bytes;
	}
	*ret = d;
}

static bool swapped(const struct smart_health *a, const struct smart_health *b)
{
	return a->serial[0] && b->serial[0] && strcmp(a->serial, b->serial) != 0;
}

static bool went_back(const struct smart_bytes *before, const struct smart_bytes *after)
{
	return before->known && after->known && after->bytes < before->bytes;
}

static bool hours_went_back(const struct smart_health *a, const struct smart_health *b)
{
	return a->power_on_hours.known && b->power_on_hours.known &&
		b->power_on_hours.value < a->power_on_hours.value;
}

/* Nothing is drawn from totals of two drives, or of one that began anew. */
static bool find_breaks(const struct smart_health *before, const struct smart_health *after,
	struct endurance_cost *c, struct notes *n)
{
	if (swapped(before, after)) {
		c->host.why = c->nand.why = "another drive answered the second time";
		if (n)
			notes_add(n, "smart-swapped", source_counters,
				"before the run drive %.63s answered, after it %.63s: they were "
				"swapped, and nothing is drawn from their totals", before->serial,
				after->serial);
		return true;
	}
	if (went_back(&before->host_writes, &after->host_writes) ||
		went_back(&before->nand_writes, &after->nand_writes) ||
		hours_went_back(before, after)) {
		c->host.why = c->nand.why = "a total went back: it was reset";
		if (n)
			notes_add(n, "smart-reset", source_counters,
				"a total of the drive is smaller after the run than before it: it "
				"was reset (new firmware?), and nothing is drawn from it");
		return true;
	}
	return false;
}

static void find_coarse(const struct endurance_cost *c, const struct smart_health *after,
	double written, struct notes *n)
{
	char step[UNITS_BUF], wrote[UNITS_BUF];

	if (!n || !c->host.known || !(written > 0))
		return;
	(void)units_format_bytes(step, sizeof(step), c->host.error_bytes);
	(void)units_format_bytes(wrote, sizeof(wrote), written);
	if (c->host.bytes == 0 && written >= ENDURANCE_STEPS_LEAST * c->host.error_bytes)
		notes_add(n, "smart-still", source_counters,
			"%s were written and the drive's total of host writes did not move, though "
			"its step is %s: it is brought up to date later, or counts something else "
			"(%.80s)", wrote, step, after->host_writes.source);
	else if (written < ENDURANCE_STEPS_LEAST * c->host.error_bytes)
		notes_add(n, "smart-step", source_counters,
			"%s were written, fewer than ten steps of the drive's counter (%s): what it "
			"says of this run is coarse", wrote, step);
}

void endurance_cost(const struct smart_health *before, const struct smart_health *after,
	double written_bytes, double rated_bytes, struct endurance_cost *ret,
	struct notes *findings)
{
	struct endurance_cost c = { .write_amplification = NAN, .rated_share = NAN,
		.wear_percent = NAN };

	c.host.bytes = c.host.error_bytes = c.nand.bytes = c.nand.error_bytes = NAN;
	if (find_breaks(before, after, &c, findings)) {
		*ret = c;
		return;
	}
	endurance_delta(&before->host_writes, &after->host_writes, &c.host);
	endurance_delta(&before->nand_writes, &after->nand_writes, &c.nand);
	c.rated_share = c.host.bytes / rated_bytes;
	c.wear_percent = after->percent_used - before->percent_used;
	if (c.host.known && c.nand.known &&
		c.host.bytes >= ENDURANCE_STEPS_LEAST * c.host.error_bytes &&
		c.nand.bytes >= ENDURANCE_STEPS_LEAST * c.nand.error_bytes)
		c.write_amplification = c.nand.bytes / c.host.bytes;
	find_coarse(&c, after, written_bytes, findings);
	*ret = c;
}
