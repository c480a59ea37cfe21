/* health_show.c - health and endurance for people. */
#include "cli/health.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show.h"
#include "cli/table.h"
#include "data/units.h"

#define TEXT_LEFT 22

static void put(struct cli *cli, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void put(struct cli *cli, const char *name, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a cut line still says the most */
	va_end(ap);
	(void)fprintf(cli->out, "  %-19s ", name); /* errors of out are told by cli_main */
	show_paragraph(cli, text, TEXT_LEFT);
}

static double number(const struct json *j, const char *dotted)
{
	double v = NAN;

	(void)json_f64(json_path(j, dotted), &v);
	return v;
}

/* -- health ------------------------------------------------------------------------------------ */

static void put_bytes(struct cli *cli, const char *name, const struct smart_bytes *b)
{
	char text[UNITS_BUF];

	if (b->known)
		put(cli, name, "%s%s (%s)", b->at_least ? "at least " : "",
			units_format_capacity(text, sizeof(text), u128_f64(b->bytes)), b->source);
	else
		put(cli, name, "unknown");
}

static void put_count(struct cli *cli, const char *name, const struct smart_count *c)
{
	char text[U128_BUF];

	if (c->known)
		put(cli, name, "%s", u128_format(text, c->value));
}

static void put_wear(struct cli *cli, const struct smart_health *h)
{
	if (isnan(h->percent_used))
		put(cli, "wear", "unknown");
	else
		put(cli, "wear", "%.0f %% used, %.0f %% left (%s)", h->percent_used,
			h->percent_remaining, h->wear_source);
	if (!isnan(h->spare_percent))
		put(cli, "spare", "%.0f %%%s", h->spare_percent,
			h->spare_percent < h->spare_threshold_percent ? ", below its threshold" : "");
	if (isnan(h->write_amplification))
		put(cli, "write amplification", "unknown");
	else
		put(cli, "write amplification", "%s%.2f over its life (%s)",
			h->write_amplification_estimated ? "about " : "", h->write_amplification,
			h->write_amplification_source);
}

static void put_temperature(struct cli *cli, const struct smart_health *h)
{
	char more[160] = "";
	size_t used = 0;

	if (!isnan(h->temperature_min_c))
		used = (size_t)snprintf(more, sizeof(more), " (min %.0f, max %.0f)",
			h->temperature_min_c, h->temperature_max_c);
	for (size_t i = 0; i < SMART_SENSORS && used < sizeof(more); i++)
		if (!isnan(h->sensor_c[i]))
			used += (size_t)snprintf(more + used, sizeof(more) - used,
				", sensor %zu: %.0f C", i + 1, h->sensor_c[i]);
	if (isnan(h->temperature_c))
		put(cli, "temperature", "not reported%s", more);
	else
		put(cli, "temperature", "%.0f C%s", h->temperature_c, more);
}

static void put_warnings(struct cli *cli, const struct smart_health *h)
{
	for (unsigned bit = 0; bit < 8; bit++)
		if (h->critical_warning > 0 && (h->critical_warning >> bit & 1))
			put(cli, "critical warning", "%s", smart_critical_text(bit) ?
				smart_critical_text(bit) : "reserved bit");
	if (h->passed != SMART_UNKNOWN)
		put(cli, "its own verdict", "%s",
			h->passed == SMART_YES ? "passed" : "failing");
	if (h->capacitor != SMART_CAPACITOR_UNKNOWN)
		put(cli, "capacitors", "%s (%s)", smart_capacitor_word(h->capacitor),
			h->capacitor_source);
}

static void print_reading(struct cli *cli, const struct smart_health *h, const char *when)
{
	(void)fprintf(cli->out, "\nHealth%s\n", when);
	put_bytes(cli, "host writes", &h->host_writes);
	put_bytes(cli, "NAND writes", &h->nand_writes);
	put_wear(cli, h);
	put_temperature(cli, h);
	put_warnings(cli, h);
	put_count(cli, "power-on hours", &h->power_on_hours);
	put_count(cli, "power cycles", &h->power_cycles);
	put_count(cli, "unsafe shutdowns", &h->unsafe_shutdowns);
	put_count(cli, "media errors", &h->media_errors);
	put_count(cli, "reallocated", &h->reallocated);
	put_count(cli, "pending", &h->pending);
	put_count(cli, "uncorrectable", &h->uncorrectable);
	put_count(cli, "grown defects", &h->grown_defects);
	put_count(cli, "link CRC errors", &h->crc_errors);
	for (size_t i = 0; i < h->note_count; i++)
		show_item(cli, h->note[i].text, NULL);
}

/* -- endurance --------------------------------------------------------------------------------- */

static void put_amount(struct cli *cli, const char *name, double bytes, const char *more)
{
	char text[UNITS_BUF];

	put(cli, name, "%s%s", units_format_capacity(text, sizeof(text), bytes), more);
}

static void put_delta(struct cli *cli, const char *name, const struct json *d)
{
	const char *why = json_str(json_get(d, "why"));
	char bytes[UNITS_BUF], error[UNITS_BUF];

	if (json_is_null(json_get(d, "bytes")))
		put(cli, name, "unknown: %s", why ? why : "not read");
	else
		put(cli, name, "%s, +- %s (one step of the counter)",
			units_format_capacity(bytes, sizeof(bytes), number(d, "bytes")),
			units_format_capacity(error, sizeof(error), number(d, "error_bytes")));
}

static void put_years(struct cli *cli, const struct json *e)
{
	double day = number(e, "writes_per_day_bytes");
	char text[UNITS_BUF];

	if (isnan(day))
		return;
	(void)units_format_capacity(text, sizeof(text), day);
	if (isnan(number(e, "years_left")))
		put(cli, "years left", "unknown at %s a day: neither a rating nor a wear of 1 %% "
			"or more to draw it from", text);
	else
		put(cli, "years left", "%.1f at %s a day (by the rating: %.1f, by the wear so far: "
			"%.1f)", number(e, "years_left"), text, number(e, "years_by_rating"),
			number(e, "years_by_wear"));
}

static void print_endurance(struct cli *cli, const struct json *e)
{
	const struct json *run = json_get(e, "run");
	const char *source = json_str(json_get(e, "rated_source"));
	char more[320] = "";

	(void)fputs("\nEndurance\n", cli->out);
	if (!isnan(number(e, "rated_dwpd")) && !isnan(number(e, "rated_years")))
		(void)snprintf(more, sizeof(more), ", %.3g drive writes a day over %.0f years",
			number(e, "rated_dwpd"), number(e, "rated_years")); /* fits */
	if (source)
		(void)snprintf(more + strlen(more), sizeof(more) - strlen(more), " (%.200s)",
			source); /* fits */
	put_amount(cli, "rated", number(e, "rated_bytes"), more);
	if (!isnan(number(e, "rated_share")))
		put(cli, "of it written", "%.1f %%", number(e, "rated_share") * 100);
	if (!isnan(number(e, "mean_per_day_bytes")))
		put_amount(cli, "mean a day so far", number(e, "mean_per_day_bytes"),
			", over its power-on time");
	put_years(cli, e);
	if (json_is_null(run))
		return;
	put_amount(cli, "the run wrote", number(run, "written_bytes"), ", by its own count");
	put_delta(cli, "host writes of it", json_get(run, "host"));
	put_delta(cli, "NAND writes of it", json_get(run, "nand"));
	if (!isnan(number(run, "write_amplification")))
		put(cli, "amplified by", "%.2f", number(run, "write_amplification"));
	if (!isnan(number(run, "rated_share")))
		put(cli, "share of the rated", "%.3g %%", number(run, "rated_share") * 100);
}

void health_print(struct cli *cli, const struct result *r)
{
	const struct json *smart = json_get(r->doc, "smart"), *after = json_get(smart, "after");
	const struct json *e = json_get(r->doc, "endurance");
	const char *unread = json_str(json_get(smart, "unread"));
	struct smart_health h;

	if (json_type(after) == JSON_OBJECT || json_type(json_get(smart, "before")) == JSON_OBJECT) {
		bool run = !json_is_null(json_get(smart, "before"));

		smart_from_json(json_type(after) == JSON_OBJECT ? after :
			json_get(smart, "before"), &h);
		print_reading(cli, &h, !run ? "" : json_type(after) == JSON_OBJECT ?
			" (after the run)" : " (before the run)");
	}
	if (json_type(e) == JSON_OBJECT)
		print_endurance(cli, e);
	if (unread) {
		(void)fputs("\nHealth that could not be read: ", cli->out);
		show_paragraph(cli, unread, 2);
	}
}

/* -- lists ------------------------------------------------------------------------------------- */

static void add_percent(struct table *t, double percent, bool bad)
{
	if (isnan(percent))
		table_add(t, "?");
	else
		table_addf(t, "%.0f %%", percent);
	if (bad)
		table_mark(t, TABLE_BAD);
}

static void add_state(struct table *t, const struct smart_health *h, bool known)
{
	if (!known) {
		table_add(t, "?");
	} else if (h->critical_warning > 0 || h->passed == SMART_NO ||
		h->capacitor == SMART_CAPACITOR_FAILED) {
		table_add(t, "failing");
		table_mark(t, TABLE_BAD);
	} else if (h->critical_warning == 0 || h->passed == SMART_YES) {
		table_add(t, "good");
		table_mark(t, TABLE_GOOD);
	} else {
		table_add(t, "?");
	}
}

void health_add_cells(struct table *t, const struct json *health)
{
	char text[UNITS_BUF], digits[U128_BUF];
	struct smart_health h;

	smart_from_json(health, &h);
	table_add(t, !h.host_writes.known ? "?" : units_format_capacity(text, sizeof(text),
		u128_f64(h.host_writes.bytes)));
	add_percent(t, h.percent_used, h.percent_used >= 95);
	add_percent(t, h.spare_percent, h.spare_percent < h.spare_threshold_percent);
	if (isnan(h.temperature_c))
		table_add(t, "?");
	else
		table_addf(t, "%.0f C", h.temperature_c);
	table_add(t, h.power_on_hours.known ? u128_format(digits, h.power_on_hours.value) : "?");
	add_state(t, &h, json_type(health) == JSON_OBJECT);
}
