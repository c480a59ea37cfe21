/* smart_json.c - health to the document and back. */
#include "data/smart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Keys and members of the plain counts; one table for both directions. */
#define COUNT(key, member) { key, offsetof(struct smart_health, member) }
static const struct {
	const char *key;
	size_t off;
} counts[] = {
	COUNT("power_on_hours", power_on_hours),
	COUNT("power_cycles", power_cycles),
	COUNT("unsafe_shutdowns", unsafe_shutdowns),
	COUNT("media_errors", media_errors),
	COUNT("error_log_entries", error_log_entries),
	COUNT("reallocated", reallocated),
	COUNT("pending", pending),
	COUNT("uncorrectable", uncorrectable),
	COUNT("crc_errors", crc_errors),
	COUNT("grown_defects", grown_defects),
	COUNT("non_medium_errors", non_medium_errors),
	COUNT("program_failures", program_failures),
	COUNT("erase_failures", erase_failures),
	COUNT("erase_cycles", erase_cycles),
	COUNT("host_pages", host_pages),
	COUNT("nand_pages", nand_pages),
};

#define NUMBER(key, member) { key, offsetof(struct smart_health, member) }
static const struct {
	const char *key;
	size_t off;
} numbers[] = {
	NUMBER("percent_used", percent_used),
	NUMBER("percent_remaining", percent_remaining),
	NUMBER("spare_percent", spare_percent),
	NUMBER("spare_threshold_percent", spare_threshold_percent),
	NUMBER("temperature_c", temperature_c),
	NUMBER("temperature_min_c", temperature_min_c),
	NUMBER("temperature_max_c", temperature_max_c),
	NUMBER("write_amplification", write_amplification),
};

static const struct {
	const char *key;
	size_t off;
} totals[] = {
	{ "host_writes", offsetof(struct smart_health, host_writes) },
	{ "host_reads", offsetof(struct smart_health, host_reads) },
	{ "nand_writes", offsetof(struct smart_health, nand_writes) },
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* -- writing ---------------------------------------------------------------------------------- */

static struct json *text_or_null(const char *s)
{
	return json_new_str(s && *s ? s : NULL);
}

static struct json *answer_json(enum smart_answer a)
{
	return a == SMART_UNKNOWN ? json_new_null() : json_new_bool(a == SMART_YES);
}

static struct json *bytes_json(const struct smart_bytes *b)
{
	struct json *j;
	int bad = 0;

	if (!b->known)
		return json_new_null();
	j = json_new_object();
	bad |= json_set(j, "bytes", json_new_u128(b->bytes));
	bad |= json_set_bool(j, "at_least", b->at_least);
	bad |= json_set_u64(j, "step_bytes", b->step_bytes);
	bad |= json_set(j, "source", text_or_null(b->source));
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

static struct json *sensors_json(const struct smart_health *h)
{
	struct json *list = json_new_array();
	int bad = 0;

	for (size_t i = 0; i < SMART_SENSORS && list; i++) {
		struct json *s;

		if (isnan(h->sensor_c[i]))
			continue;
		s = json_new_object();
		bad |= json_set_u64(s, "sensor", i + 1);
		bad |= json_set_f64(s, "temperature_c", h->sensor_c[i]);
		bad |= json_append(list, s);
	}
	if (bad) {
		json_free(list);
		return NULL;
	}
	return list;
}

static struct json *warnings_json(int bits)
{
	struct json *list;

	if (bits < 0)
		return json_new_null();
	list = json_new_array();
	for (unsigned bit = 0; bit < 8; bit++) {
		const char *text = smart_critical_text(bit);

		if (bits >> bit & 1)
			(void)json_append(list, json_new_str(text ? text : "reserved bit"));
	}
	return list;
}

static struct json *capacitor_json(const struct smart_health *h)
{
	struct json *j;

	if (h->capacitor == SMART_CAPACITOR_UNKNOWN)
		return json_new_null();
	j = json_new_object();
	if (json_set_str(j, "state", smart_capacitor_word(h->capacitor)) |
		json_set(j, "source", text_or_null(h->capacitor_source))) {
		json_free(j);
		return NULL;
	}
	return j;
}

static struct json *attributes_json(const struct smart_health *h)
{
	struct json *list = json_new_array();
	int bad = 0;

	for (size_t i = 0; i < h->attribute_count && list; i++) {
		const struct smart_attribute *a = &h->attribute[i];
		struct json *j = json_new_object();

		bad |= json_set_u64(j, "id", a->id);
		bad |= json_set(j, "name", text_or_null(a->name));
		bad |= json_set_u64(j, "value", a->value);
		bad |= json_set_u64(j, "worst", a->worst);
		bad |= json_set(j, "threshold", a->threshold < 0 ? json_new_null() :
			json_new_u64((uint64_t)a->threshold));
		bad |= json_set_u64(j, "raw", a->raw);
		bad |= json_set_bool(j, "failing", a->failing);
		bad |= json_append(list, j);
	}
	if (bad) {
		json_free(list);
		return NULL;
	}
	return list;
}

static struct json *notes_json(const struct smart_health *h)
{
	struct json *list = json_new_array();
	int bad = 0;

	for (size_t i = 0; i < h->note_count && list; i++) {
		struct json *j = json_new_object();

		bad |= json_set_str(j, "code", h->note[i].code);
		bad |= json_set_str(j, "text", h->note[i].text);
		bad |= json_append(list, j);
	}
	if (bad) {
		json_free(list);
		return NULL;
	}
	return list;
}

static int set_figures(struct json *j, const struct smart_health *h)
{
	const char *base = (const char *)h;
	int bad = 0;

	for (size_t i = 0; i < LEN(totals); i++)
		bad |= json_set(j, totals[i].key,
			bytes_json((const struct smart_bytes *)(base + totals[i].off)));
	for (size_t i = 0; i < LEN(numbers); i++) {
		const void *member = base + numbers[i].off;

		bad |= json_set_f64(j, numbers[i].key, *(const double *)member);
	}
	for (size_t i = 0; i < LEN(counts); i++) {
		const struct smart_count *c = (const struct smart_count *)(base + counts[i].off);

		bad |= json_set(j, counts[i].key,
			c->known ? json_new_u128(c->value) : json_new_null());
	}
	return bad;
}

struct json *smart_to_json(const struct smart_health *h)
{
	struct json *j = json_new_object();
	int bad = 0;

	bad |= json_set_str(j, "kind", smart_kind_word(h->kind));
	bad |= json_set(j, "model", text_or_null(h->model));
	bad |= json_set(j, "serial", text_or_null(h->serial));
	bad |= json_set(j, "taken_at", text_or_null(h->taken_at));
	bad |= json_set(j, "passed", answer_json(h->passed));
	bad |= set_figures(j, h);
	bad |= json_set(j, "wear_source", text_or_null(h->wear_source));
	bad |= json_set_bool(j, "write_amplification_estimated",
		h->write_amplification_estimated);
	bad |= json_set(j, "write_amplification_source",
		text_or_null(h->write_amplification_source));
	bad |= json_set(j, "sensors", sensors_json(h));
	bad |= json_set(j, "critical_warning", h->critical_warning < 0 ? json_new_null() :
		json_new_u64((uint64_t)h->critical_warning));
	bad |= json_set(j, "critical_warnings", warnings_json(h->critical_warning));
	bad |= json_set(j, "capacitor", capacitor_json(h));
	bad |= json_set(j, "attributes", attributes_json(h));
	bad |= json_set(j, "notes", notes_json(h));
	if (bad) {
		json_free(j);
		return NULL;
	}
	return j;
}

/* -- reading ---------------------------------------------------------------------------------- */

static void read_text(const struct json *j, const char *key, char *buf, size_t size)
{
	const char *s = json_str(json_get(j, key));

	(void)snprintf(buf, size, "%s", s ? s : ""); /* may be cut */
}

static void read_bytes(const struct json *j, struct smart_bytes *b)
{
	uint64_t step = 1;
	u128 v;

	if (!json_u128(json_get(j, "bytes"), &v))
		return;
	(void)json_u64(json_get(j, "step_bytes"), &step); /* absent: 1, as exact as can be */
	*b = (struct smart_bytes){ .known = true, .bytes = v, .step_bytes = step ? step : 1 };
	(void)json_bool(json_get(j, "at_least"), &b->at_least);
	read_text(j, "source", b->source, sizeof(b->source));
}

static void read_sensors(const struct json *list, struct smart_health *h)
{
	for (const struct json *s = json_first(list); s; s = json_next(s)) {
		uint64_t n;

		if (json_u64(json_get(s, "sensor"), &n) && n >= 1 && n <= SMART_SENSORS)
			(void)json_f64(json_get(s, "temperature_c"), &h->sensor_c[n - 1]);
	}
}

static void read_attributes(const struct json *list, struct smart_health *h)
{
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct smart_attribute *a = &h->attribute[h->attribute_count];
		uint64_t id, value = 0, worst = 0, threshold;

		if (h->attribute_count == SMART_ATTRIBUTES)
			return;
		if (!json_u64(json_get(j, "id"), &id) || id == 0 || id > 255)
			continue;
		*a = (struct smart_attribute){ .id = (uint8_t)id, .threshold = -1 };
		(void)json_u64(json_get(j, "value"), &value);
		(void)json_u64(json_get(j, "worst"), &worst);
		a->value = (uint8_t)(value > 255 ? 255 : value);
		a->worst = (uint8_t)(worst > 255 ? 255 : worst);
		if (json_u64(json_get(j, "threshold"), &threshold) && threshold <= 255)
			a->threshold = (int)threshold;
		(void)json_u64(json_get(j, "raw"), &a->raw);
		(void)json_bool(json_get(j, "failing"), &a->failing);
		read_text(j, "name", a->name, sizeof(a->name));
		h->attribute_count++;
	}
}

static void read_words(const struct json *j, struct smart_health *h)
{
	const char *kind = json_str(json_get(j, "kind"));
	const char *state = json_str(json_path(j, "capacitor.state"));
	bool passed;
	uint64_t bits;

	for (int k = SMART_KIND_ATA; kind && k <= SMART_KIND_SCSI; k++)
		if (strcmp(kind, smart_kind_word((enum smart_kind)k)) == 0)
			h->kind = (enum smart_kind)k;
	for (int c = SMART_CAPACITOR_OK; state && c <= SMART_CAPACITOR_NONE; c++)
		if (strcmp(state, smart_capacitor_word((enum smart_capacitor)c)) == 0)
			h->capacitor = (enum smart_capacitor)c;
	if (json_bool(json_get(j, "passed"), &passed))
		h->passed = passed ? SMART_YES : SMART_NO;
	if (json_u64(json_get(j, "critical_warning"), &bits) && bits <= 255)
		h->critical_warning = (int)bits;
}

void smart_from_json(const struct json *j, struct smart_health *ret)
{
	char *base = (char *)ret;

	smart_init(ret);
	if (json_type(j) != JSON_OBJECT)
		return;
	read_words(j, ret);
	read_text(j, "model", ret->model, sizeof(ret->model));
	read_text(j, "serial", ret->serial, sizeof(ret->serial));
	read_text(j, "taken_at", ret->taken_at, sizeof(ret->taken_at));
	read_text(j, "wear_source", ret->wear_source, sizeof(ret->wear_source));
	read_text(j, "write_amplification_source", ret->write_amplification_source,
		sizeof(ret->write_amplification_source));
	(void)json_bool(json_get(j, "write_amplification_estimated"),
		&ret->write_amplification_estimated);
	read_text(json_get(j, "capacitor"), "source", ret->capacitor_source,
		sizeof(ret->capacitor_source));
	for (size_t i = 0; i < LEN(totals); i++)
		read_bytes(json_get(j, totals[i].key),
			(struct smart_bytes *)(base + totals[i].off));
	for (size_t i = 0; i < LEN(numbers); i++) {
		void *member = base + numbers[i].off;

		(void)json_f64(json_get(j, numbers[i].key), member); /* absent: as it was */
	}
	for (size_t i = 0; i < LEN(counts); i++) {
		struct smart_count *c = (struct smart_count *)(base + counts[i].off);

		c->known = json_u128(json_get(j, counts[i].key), &c->value);
	}
	read_sensors(json_get(j, "sensors"), ret);
	read_attributes(json_get(j, "attributes"), ret);
	for (const struct json *n = json_first(json_get(j, "notes")); n; n = json_next(n)) {
		const char *code = json_str(json_get(n, "code"));
		const char *text = json_str(json_get(n, "text"));

		if (code && text)
			smart_note(ret, code, "%s", text);
	}
}
