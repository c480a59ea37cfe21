/* smart_table.c - vendor attributes to the neutral struct. */
#include "data/smart_table.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/resource.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define MODEL_MAX 128
#define HOURS_PLAUSIBLE 10000000 /* 1141 years: above, the raw value holds more than hours */

/* What one row of a table says of one attribute. */
struct rule {
	const struct smart_attribute *a;
	const char *field;
	uint64_t unit_bytes;
	uint64_t failed_at, unsure_at; /* capacitor */
};

static uint64_t field_of(const struct rule *r)
{
	if (r->field && strcmp(r->field, "value") == 0)
		return r->a->value;
	if (r->field && strcmp(r->field, "raw-byte") == 0)
		return r->a->raw & 0xff;
	return r->a->raw;
}

static void describe(char *buf, size_t size, const struct rule *r, const char *what)
{
	(void)snprintf(buf, size, "attribute %u%s%s%s%s", r->a->id, r->a->name[0] ? " " : "",
		r->a->name, what ? ", " : "", what ? what : ""); /* may be cut */
}

static const char *unit_word(char *buf, size_t size, uint64_t unit)
{
	static const struct {
		uint64_t unit;
		const char *word;
	} known[] = { { 512, "512 B" }, { MIB, "MiB" }, { 32 * MIB, "32 MiB" }, { GIB, "GiB" },
		{ 1000000000, "GB" } };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].unit == unit)
			return known[i].word;
	(void)snprintf(buf, size, "%llu B", (unsigned long long)unit); /* fits */
	return buf;
}

/* -- meanings ---------------------------------------------------------------------------------- */

/* The unit in which @raw makes what the device statistics say; 0: none of those in use. */
static uint64_t unit_that_fits(uint64_t raw, u128 bytes)
{
	static const uint64_t units[] = { 512, 4096, 65536, MIB, 32 * MIB, 1000000000, GIB };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double told = (double)raw * (double)units[i], real = u128_f64(bytes);
		double slack = fmax(0.02 * real, (double)units[i]);

		if (fabs(told - real) <= slack)
			return units[i];
	}
	return 0;
}

/* Beside a total that the device statistics give: does the attribute agree? */
static void compare_unit(struct smart_health *h, const struct rule *r, const struct smart_bytes *b)
{
	uint64_t fits = unit_that_fits(r->a->raw, b->bytes);
	uint64_t says = strstr(r->a->name, "LBAs") ? 512 : r->unit_bytes;
	char name[80], now[32], stated[32];

	describe(name, sizeof(name), r, NULL);
	if (r->a->raw < 16 || fits == says)
		return; /* small figures fit several units */
	if (fits)
		smart_note(h, "unit-inferred", "%s counts units of %s, not of %s: so it agrees "
			"with the device statistics", name,
			unit_word(now, sizeof(now), fits),
			unit_word(stated, sizeof(stated), says));
	else
		smart_note(h, "unit-conflict", "%s agrees with the device statistics in no unit "
			"that is in use; the statistics are taken", name);
}

static void take_bytes(struct smart_health *h, const struct rule *r, struct smart_bytes *b)
{
	char source[SMART_TEXT_MAX], unit[32];

	if (!r->unit_bytes)
		return;
	if (b->known) {
		if (strstr(b->source, "device statistics"))
			compare_unit(h, r, b);
		return;
	}
	describe(source, sizeof(source), r, NULL);
	smart_set_bytes(b, r->a->raw, r->unit_bytes, "%s, units of %s", source,
		unit_word(unit, sizeof(unit), r->unit_bytes));
}

static void host_writes(struct smart_health *h, const struct rule *r)
{
	take_bytes(h, r, &h->host_writes);
}

static void host_reads(struct smart_health *h, const struct rule *r)
{
	take_bytes(h, r, &h->host_reads);
}

static void nand_writes(struct smart_health *h, const struct rule *r)
{
	take_bytes(h, r, &h->nand_writes);
}

static void take_count(const struct rule *r, struct smart_count *c)
{
	if (!c->known)
		smart_set_count(c, field_of(r));
}

static void host_pages(struct smart_health *h, const struct rule *r)
{
	take_count(r, &h->host_pages);
}

/* Pages that the drive wrote for itself: added to the host's once both are known. */
static void background_pages(struct smart_health *h, const struct rule *r)
{
	take_count(r, &h->nand_pages);
}

static void percent_used(struct smart_health *h, const struct rule *r)
{
	char source[SMART_TEXT_MAX];

	describe(source, sizeof(source), r, "counts up");
	if (isnan(h->percent_used))
		smart_set_used(h, (double)field_of(r), source);
}

static void percent_remaining(struct smart_health *h, const struct rule *r)
{
	char source[SMART_TEXT_MAX];

	describe(source, sizeof(source), r, "counts down");
	if (isnan(h->percent_used))
		smart_set_remaining(h, (double)field_of(r), source);
}

static void spare_percent(struct smart_health *h, const struct rule *r)
{
	if (!isnan(h->spare_percent) || field_of(r) > 100)
		return;
	h->spare_percent = (double)field_of(r);
	if (r->a->threshold > 0)
		h->spare_threshold_percent = r->a->threshold;
}

static bool plausible_celsius(int t)
{
	return t >= -40 && t <= 125;
}

/* Lowest byte: now; the two words above it, where they embrace it: the least and the most so
 * far. */
static void temperature(struct smart_health *h, const struct rule *r)
{
	int byte = (int)(r->a->raw & 0xff), now = byte < 128 ? byte : byte - 256;
	int low = (int16_t)(r->a->raw >> 16 & 0xffff), high = (int16_t)(r->a->raw >> 32 & 0xffff);

	if (!isnan(h->temperature_c) || !plausible_celsius(now))
		return;
	h->temperature_c = now;
	if (r->a->raw >> 16 && plausible_celsius(low) && plausible_celsius(high) && low <= now &&
		now <= high && isnan(h->temperature_min_c)) {
		h->temperature_min_c = low;
		h->temperature_max_c = high;
	}
}

static void power_on_hours(struct smart_health *h, const struct rule *r)
{
	uint64_t v = r->a->raw;

	if (h->power_on_hours.known)
		return;
	if (v > HOURS_PLAUSIBLE) {
		v &= 0xffffffff;
		smart_note(h, "hours-packed", "attribute %u holds more than hours: its low 32 bits "
			"are taken", r->a->id);
	}
	if (strstr(r->a->name, "Half_Min"))
		v /= 120;
	else if (strstr(r->a->name, "Minutes"))
		v /= 60;
	else if (strstr(r->a->name, "Seconds"))
		v /= 3600;
	if (v <= HOURS_PLAUSIBLE)
		smart_set_count(&h->power_on_hours, v);
}

static void capacitor(struct smart_health *h, const struct rule *r)
{
	uint64_t v = field_of(r);

	if (h->capacitor != SMART_CAPACITOR_UNKNOWN)
		return;
	describe(h->capacitor_source, sizeof(h->capacitor_source), r, NULL);
	if (v == r->unsure_at && r->unsure_at)
		smart_note(h, "capacitor-untested", "attribute %u: the last test of the capacitors "
			"took place outside of their temperatures and says nothing", r->a->id);
	else
		h->capacitor = v <= r->failed_at ? SMART_CAPACITOR_FAILED : SMART_CAPACITOR_OK;
}

#define COUNT_OF(name, member) \
	static void name(struct smart_health *h, const struct rule *r) \
	{ \
		take_count(r, &h->member); \
	}
COUNT_OF(power_cycles, power_cycles)
COUNT_OF(unsafe_shutdowns, unsafe_shutdowns)
COUNT_OF(reallocated, reallocated)
COUNT_OF(pending, pending)
COUNT_OF(uncorrectable, uncorrectable)
COUNT_OF(crc_errors, crc_errors)
COUNT_OF(program_failures, program_failures)
COUNT_OF(erase_failures, erase_failures)
COUNT_OF(erase_cycles, erase_cycles)

static const struct {
	const char *word;
	void (*take)(struct smart_health *h, const struct rule *r);
} meanings[] = {
	{ "host-writes", host_writes },
	{ "host-reads", host_reads },
	{ "nand-writes", nand_writes },
	{ "host-pages", host_pages },
	{ "background-pages", background_pages },
	{ "percent-used", percent_used },
	{ "percent-remaining", percent_remaining },
	{ "spare-percent", spare_percent },
	{ "temperature", temperature },
	{ "power-on-hours", power_on_hours },
	{ "power-cycles", power_cycles },
	{ "unsafe-shutdowns", unsafe_shutdowns },
	{ "reallocated", reallocated },
	{ "pending", pending },
	{ "uncorrectable", uncorrectable },
	{ "crc-errors", crc_errors },
	{ "program-failures", program_failures },
	{ "erase-failures", erase_failures },
	{ "erase-cycles", erase_cycles },
	{ "capacitor", capacitor },
};

static void take(struct smart_health *h, const char *means, const struct rule *r)
{
	for (size_t i = 0; means && i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (strcmp(meanings[i].word, means) == 0)
			meanings[i].take(h, r);
}

/* -- names that tell a unit -------------------------------------------------------------------- */

static uint64_t unit_in(const char *name)
{
	if (strstr(name, "32MiB"))
		return 32 * MIB;
	if (strstr(name, "GiB"))
		return GIB;
	return strstr(name, "MiB") ? MIB : 0; /* "GB" is told of both 10^9 and 2^30 */
}

/* One kind of flash among several makes no total. */
static bool is_of_a_part(const char *name)
{
	return strstr(name, "TLC") || strstr(name, "SLC");
}

static const char *meaning_in(const char *name)
{
	static const struct {
		const char *part, *means;
	} parts[] = {
		{ "NAND_Writes", "nand-writes" }, { "NAND_Prog", "nand-writes" },
		{ "NAND_Prg", "nand-writes" }, { "Flash_Writes", "nand-writes" },
		{ "Host_Writes", "host-writes" }, { "Lifetime_Writes", "host-writes" },
		{ "Total_Writes", "host-writes" }, { "Host_Reads", "host-reads" },
		{ "Lifetime_Reads", "host-reads" }, { "Total_Reads", "host-reads" },
	};

	for (size_t i = 0; !is_of_a_part(name) && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(name, parts[i].part))
			return parts[i].means;
	return NULL;
}

static void apply_hints(struct smart_health *h)
{
	for (size_t i = 0; i < h->attribute_count; i++) {
		struct rule r = { .a = &h->attribute[i], .unit_bytes =
			unit_in(h->attribute[i].name) };

		if (r.unit_bytes)
			take(h, meaning_in(r.a->name), &r);
	}
}

/* -- the files --------------------------------------------------------------------------------- */

static void upper(char *ret, size_t size, const char *s)
{
	size_t n = 0;

	for (; s[n] && n + 1 < size; n++)
		ret[n] = (char)toupper((unsigned char)s[n]);
	ret[n] = '\0';
}

size_t smart_table_match(const char *pattern, const char *model)
{
	char p[MODEL_MAX], m[MODEL_MAX];

	upper(p, sizeof(p), pattern);
	upper(m, sizeof(m), model);
	return fnmatch(p, m, 0) == 0 ? strlen(p) + 1 : 0;
}

static size_t score(const struct json *doc, const char *model)
{
	size_t best = 0;

	for (const struct json *m = json_first(json_get(doc, "match")); m; m = json_next(m)) {
		size_t n = json_str(m) ? smart_table_match(json_str(m), model) : 0;

		best = n > best ? n : best;
	}
	return best;
}

int smart_table_find(const char *model, struct json **ret, struct err *reterr)
{
	struct json *best = NULL;
	size_t most = 0;
	char **names;
	int r = resource_names("attributes", &names, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; names[i] && r == 0 && model && *model; i++) {
		struct json *doc = NULL;
		size_t n;

		if (strcmp(names[i], "generic") == 0)
			continue;
		r = resource_load("attributes", names[i], &doc, NULL, reterr);
		n = r == 0 ? score(doc, model) : 0;
		if (n > most) {
			json_free(best);
			best = doc;
			most = n;
		} else {
			json_free(doc);
		}
	}
	resource_names_free(names);
	if (r < 0)
		json_free(best);
	else
		*ret = best;
	return r;
}

static void apply_row(struct smart_health *h, const struct json *row)
{
	struct rule r = { .field = json_str(json_get(row, "field")) };
	uint64_t id;

	if (!json_u64(json_get(row, "id"), &id))
		return;
	(void)json_u64(json_get(row, "unit_bytes"), &r.unit_bytes); /* absent: 0, no bytes */
	(void)json_u64(json_get(row, "failed_at"), &r.failed_at);
	(void)json_u64(json_get(row, "unsure_at"), &r.unsure_at);
	for (size_t i = 0; i < h->attribute_count; i++) {
		if (h->attribute[i].id != id)
			continue;
		r.a = &h->attribute[i];
		take(h, json_str(json_get(row, "means")), &r);
	}
}

static void apply_doc(struct smart_health *h, const struct json *doc)
{
	for (const struct json *row = json_first(json_get(doc, "attributes")); row;
		row = json_next(row))
		apply_row(h, row);
}

/* Cycles of the whole flash, as large as what is sold: spare flash and its wear are not counted. */
static void estimate_amplification(struct smart_health *h, uint64_t capacity_bytes)
{
	if (!h->erase_cycles.known || !h->host_writes.known || h->nand_writes.known ||
		h->nand_pages.known || !h->host_writes.bytes || !capacity_bytes ||
		!h->erase_cycles.value)
		return;
	h->write_amplification = u128_f64(h->erase_cycles.value) * (double)capacity_bytes /
		u128_f64(h->host_writes.bytes);
	h->write_amplification_estimated = true;
	(void)snprintf(h->write_amplification_source, sizeof(h->write_amplification_source),
		"estimate: mean erase cycles times the capacity over host bytes");
}

int smart_table_apply(struct smart_health *h, const char *model, uint64_t capacity_bytes,
	bool hints, struct err *reterr)
{
	struct json *vendor = NULL, *generic = NULL;
	int r = smart_table_find(model, &vendor, reterr);

	if (r == 0)
		r = resource_load("attributes", "generic", &generic, NULL, reterr);
	if (r < 0) {
		json_free(vendor);
		return r;
	}
	if (hints)
		apply_hints(h);
	apply_doc(h, vendor);
	apply_doc(h, generic);
	if (!vendor && h->attribute_count)
		smart_note(h, "vendor-unknown", "what this vendor's attributes of wear and bytes "
			"written mean is not known here; data/attributes can be told");
	/* The table's row counted the drive's own pages: in all, they come on top of the host's. */
	if (h->nand_pages.known && h->host_pages.known)
		h->nand_pages.value += h->host_pages.value;
	else
		h->nand_pages.known = false;
	estimate_amplification(h, capacity_bytes);
	json_free(vendor);
	json_free(generic);
	return 0;
}
