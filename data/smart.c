/* smart.c - the neutral struct of health: set, derived. */
#include "data/smart.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void smart_init(struct smart_health *h)
{
	memset(h, 0, sizeof(*h));
	h->write_amplification = NAN;
	h->percent_used = h->percent_remaining = NAN;
	h->spare_percent = h->spare_threshold_percent = NAN;
	h->temperature_c = h->temperature_min_c = h->temperature_max_c = NAN;
	for (size_t i = 0; i < SMART_SENSORS; i++)
		h->sensor_c[i] = NAN;
	h->critical_warning = -1;
}

void smart_set_bytes(struct smart_bytes *b, u128 steps, uint64_t step_bytes, const char *fmt, ...)
{
	va_list ap;

	*b = (struct smart_bytes){ .known = true, .step_bytes = step_bytes };
	b->at_least = !u128_times(steps, step_bytes, &b->bytes);
	va_start(ap, fmt);
	(void)vsnprintf(b->source, sizeof(b->source), fmt, ap); /* may be cut */
	va_end(ap);
}

void smart_set_count(struct smart_count *c, u128 value)
{
	c->known = true;
	c->value = value;
}

static bool is_percent(double percent)
{
	return percent >= 0 && percent <= 255;
}

void smart_set_used(struct smart_health *h, double percent, const char *source)
{
	if (!is_percent(percent))
		return;
	h->percent_used = percent;
	h->percent_remaining = percent < 100 ? 100 - percent : 0;
	(void)snprintf(h->wear_source, sizeof(h->wear_source), "%s", source); /* may be cut */
}

void smart_set_remaining(struct smart_health *h, double percent, const char *source)
{
	if (!is_percent(percent) || percent > 100)
		return;
	h->percent_remaining = percent;
	h->percent_used = 100 - percent;
	(void)snprintf(h->wear_source, sizeof(h->wear_source), "%s", source); /* may be cut */
}

void smart_set_temperature(double *where, double celsius)
{
	if (celsius >= -60 && celsius <= 150)
		*where = celsius;
}

void smart_note(struct smart_health *h, const char *code, const char *fmt, ...)
{
	struct smart_note *n = &h->note[h->note_count];
	va_list ap;

	if (h->note_count == SMART_NOTES)
		return;
	(void)snprintf(n->code, sizeof(n->code), "%s", code); /* may be cut */
	va_start(ap, fmt);
	(void)vsnprintf(n->text, sizeof(n->text), fmt, ap);
	va_end(ap);
	h->note_count++;
}

void smart_finish(struct smart_health *h)
{
	if (!isnan(h->write_amplification))
		return;
	if (h->host_pages.known && h->nand_pages.known && h->host_pages.value) {
		h->write_amplification =
			u128_f64(h->nand_pages.value) / u128_f64(h->host_pages.value);
		(void)snprintf(h->write_amplification_source,
			sizeof(h->write_amplification_source),
			"pages programmed in all over pages programmed for the host");
	} else if (h->host_writes.known && h->nand_writes.known && h->host_writes.bytes &&
		!h->host_writes.at_least && !h->nand_writes.at_least) {
		h->write_amplification =
			u128_f64(h->nand_writes.bytes) / u128_f64(h->host_writes.bytes);
		(void)snprintf(h->write_amplification_source,
			sizeof(h->write_amplification_source),
			"NAND bytes over host bytes");
	}
}

const char *smart_kind_word(enum smart_kind k)
{
	static const char *const words[] = { NULL, "ata", "nvme", "scsi" };

	return words[k];
}

const char *smart_capacitor_word(enum smart_capacitor c)
{
	static const char *const words[] = { NULL, "ok", "failed", "none" };

	return words[c];
}

const char *smart_critical_text(unsigned bit)
{
	static const char *const text[] = {
		"available spare below the threshold", "temperature outside the threshold",
		"reliability degraded", "media are read-only",
		"volatile memory backup failed", "persistent memory region unreliable",
	};

	return bit < sizeof(text) / sizeof(text[0]) ? text[bit] : NULL;
}
