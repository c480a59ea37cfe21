/* test_smart_table.c - attributes by model: units, packed values, what is not known. */
#include "data/smart_table.h"
#include "data/resource.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MIB32 ((u128)32 << 20)

struct given {
	uint8_t id, value;
	uint64_t raw;
	const char *name;
};

static void make(struct smart_health *h, const char *model, uint64_t capacity, bool hints,
	const struct given *given, size_t count)
{
	smart_init(h);
	h->kind = SMART_KIND_ATA;
	for (size_t i = 0; i < count; i++) {
		struct smart_attribute *a = &h->attribute[h->attribute_count++];

		*a = (struct smart_attribute){ .id = given[i].id, .value = given[i].value,
			.threshold = -1, .raw = given[i].raw };
		(void)snprintf(a->name, sizeof(a->name), "%s", given[i].name ? given[i].name : "");
	}
	assert_int_equal(smart_table_apply(h, model, capacity, hints, NULL), 0);
	smart_finish(h);
}
#define MAKE(h, model, capacity, hints, ...) do { \
		const struct given given_[] = { __VA_ARGS__ }; \
		make(h, model, capacity, hints, given_, sizeof(given_) / sizeof(given_[0])); \
	} while (0)

static bool noted(const struct smart_health *h, const char *code)
{
	for (size_t i = 0; i < h->note_count; i++)
		if (strcmp(h->note[i].code, code) == 0)
			return true;
	return false;
}

static void an_unknown_vendor_gives_unknown_not_a_guess(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "ACME SSD", 0, true, { 241, 100, 1000, "Total_LBAs_Written" }, { 231, 5, 5, "" },
		{ 233, 97, 0, "" }, { 194, 60, 41, "Temperature_Celsius" }, { 9, 100, 77, "" });
	assert_false(h.host_writes.known);
	assert_true(isnan(h.percent_used));
	assert_true(h.temperature_c == 41);
	assert_true(h.power_on_hours.value == 77);
	assert_true(noted(&h, "vendor-unknown"));
}

static void a_unit_in_smartctls_name_comes_before_the_table(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "ACME SSD", 0, true, { 241, 100, 10, "Host_Writes_GiB" },
		{ 249, 100, 30, "NAND_Writes_1GiB" }, { 233, 100, 5, "NAND_GB_Written_TLC" });
	assert_true(h.host_writes.bytes == (u128)10 << 30);
	assert_true(h.host_writes.step_bytes == (uint64_t)1 << 30);
	assert_true(h.write_amplification == 3);
	/* libatasmart names attributes by number alone: its names prove no unit */
	MAKE(&h, "ACME SSD", 0, false, { 241, 100, 10, "Host_Writes_GiB" });
	assert_false(h.host_writes.known);
}

static void units_are_the_vendors(void **state)
{
	static const struct {
		const char *model;
		uint8_t id;
		uint64_t unit;
	} rows[] = {
		{ "INTEL SSDSC2KB240G8", 241, 32 << 20 }, { "SSDSC2KB240G8L", 241, 32 << 20 },
		{ "Samsung SSD 850 EVO 500GB", 241, 512 }, { "SAMSUNG MZ7LM480HMHQ-00005", 241, 512 },
		{ "CT500MX500SSD1", 246, 512 }, { "Micron_5300_MTFDDAK960TDS", 246, 512 },
		{ "CT250BX100SSD1", 241, 32 << 20 }, { "TOSHIBA THNSN8480PCSE", 241, 32 << 20 },
		{ "KINGSTON SA400S37240G", 241, 1 << 30 }, { "KINGSTON SV300S37A120G", 241, 1 << 30 },
		{ "WDC WDS100T2B0A-00SM50", 241, 1 << 30 }, { "INTEL SSDSC2KB480G7R", 233, 512 },
	};
	struct smart_health h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		MAKE(&h, rows[i].model, 0, false, { rows[i].id, 100, 1000, NULL });
		assert_true(h.host_writes.known);
		assert_true(h.host_writes.bytes == (u128)1000 * rows[i].unit);
		assert_true(h.host_writes.step_bytes == rows[i].unit);
	}
}

static void the_longest_pattern_names_the_file(void **state)
{
	struct json *doc;

	(void)state;
	assert_int_equal(smart_table_find("CT250BX100SSD1", &doc, NULL), 0);
	assert_string_equal(json_str(json_get(doc, "name")), "Silicon Motion driven SSDs");
	json_free(doc);
	assert_int_equal(smart_table_find("nobody's", &doc, NULL), 0);
	assert_null(doc);
	assert_true(smart_table_match("ct*ssd*", "CT500MX500SSD1") > 0);
	assert_true(smart_table_match("CT*SSD?", "XCT500MX500SSD1") == 0);
}

static void device_statistics_stay_and_show_the_unit_that_fits(void **state)
{
	struct smart_health h;
	const struct smart_attribute a = { .id = 241, .threshold = -1, .raw = 100000,
		.name = "Total_LBAs_Written" };

	(void)state;
	smart_init(&h);
	smart_set_bytes(&h.host_writes, 6553600000, 512, "device statistics");
	h.attribute[h.attribute_count++] = a;
	assert_int_equal(smart_table_apply(&h, "CT500MX500SSD1", 0, true, NULL), 0);
	assert_true(h.host_writes.bytes == 100000 * MIB32);
	assert_false(noted(&h, "unit-inferred")); /* Crucial has its total in 246 */
	h.attribute[0].id = 246;
	assert_int_equal(smart_table_apply(&h, "CT500MX500SSD1", 0, true, NULL), 0);
	assert_true(h.host_writes.bytes == 100000 * MIB32);
	assert_true(noted(&h, "unit-inferred"));
	assert_non_null(strstr(h.note[0].text, "32 MiB"));
}

static void wear_counts_up_or_down_as_the_vendor_has_it(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "CT500MX500SSD1", 0, true, { 202, 81, 19, "Percent_Lifetime_Remain" });
	assert_true(h.percent_used == 19 && h.percent_remaining == 81);
	MAKE(&h, "KINGSTON SA400S37240G", 0, false, { 231, 0, 0, NULL });
	assert_true(h.percent_remaining == 0 && h.percent_used == 100);
	MAKE(&h, "INTEL SSDSC2KB240G8", 0, false, { 233, 97, 0, NULL });
	assert_true(h.percent_remaining == 97);
}

static void the_amplification_by_cycles_is_marked_an_estimate(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "Samsung SSD 850 PRO 128GB", 128035676160, true, { 177, 2, 5887, NULL },
		{ 241, 99, 62578693422, NULL });
	assert_true(h.host_writes.bytes == (u128)32040291032064);
	assert_true(h.percent_remaining == 2);
	assert_true(h.write_amplification_estimated);
	assert_true(h.write_amplification > 23 && h.write_amplification < 26);
	MAKE(&h, "Samsung SSD 850 PRO 128GB", 0, true, { 177, 2, 5887, NULL },
		{ 241, 99, 62578693422, NULL });
	assert_true(isnan(h.write_amplification)); /* no capacity, no estimate */
}

static void pages_are_summed_once_both_kinds_are_known(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "Micron_5100_MTFDDAK960TCB", 0, true, { 247, 100, 1000000, NULL },
		{ 248, 100, 850000, NULL });
	assert_true(fabs(h.write_amplification - 1.85) < 1e-12);
	MAKE(&h, "Micron_5100_MTFDDAK960TCB", 0, true, { 248, 100, 850000, NULL });
	assert_true(isnan(h.write_amplification));
	assert_false(h.nand_pages.known);
}

static void temperatures_are_taken_out_of_packed_values(void **state)
{
	static const struct {
		uint64_t raw;
		double now, low, high;
	} rows[] = {
		{ 240518299684, 36, 2, 56 }, { 111669215238, 6, 1, 26 }, { 163210199071, 31, 22, 38 },
		{ 0xfb, -5, NAN, NAN }, { 41, 41, NAN, NAN }, { 0xaa0000000029, 41, NAN, NAN },
	};
	struct smart_health h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		MAKE(&h, "ACME", 0, true, { 194, 80, rows[i].raw, NULL });
		assert_true(h.temperature_c == rows[i].now);
		assert_true(isnan(rows[i].low) ? isnan(h.temperature_min_c) :
			h.temperature_min_c == rows[i].low && h.temperature_max_c == rows[i].high);
	}
	MAKE(&h, "ACME", 0, true, { 194, 80, 0x7f, NULL }); /* 127 C */
	assert_true(isnan(h.temperature_c));
}

static void hours_are_taken_out_of_packed_values(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "ST4000DM000", 0, true, { 9, 75, 84490596668896, "Power_On_Hours" });
	assert_true(h.power_on_hours.value == 21984);
	MAKE(&h, "ACME", 0, true, { 9, 75, 600, "Power_On_Minutes" });
	assert_true(h.power_on_hours.value == 10);
}

static void capacitors_are_judged_by_their_test(void **state)
{
	struct smart_health h;

	(void)state;
	MAKE(&h, "INTEL SSDSC2BA400G3", 0, false, { 175, 100, 640, NULL });
	assert_int_equal(h.capacitor, SMART_CAPACITOR_OK);
	MAKE(&h, "INTEL SSDSC2BA400G3", 0, false, { 175, 1, 640, NULL });
	assert_int_equal(h.capacitor, SMART_CAPACITOR_FAILED);
	MAKE(&h, "INTEL SSDSC2BA400G3", 0, false, { 175, 11, 640, NULL });
	assert_int_equal(h.capacitor, SMART_CAPACITOR_UNKNOWN);
	assert_true(noted(&h, "capacitor-untested"));
	MAKE(&h, "ACME", 0, false, { 175, 1, 640, NULL });
	assert_int_equal(h.capacitor, SMART_CAPACITOR_UNKNOWN);
}

static const char *const known_means[] = { "host-writes", "host-reads", "nand-writes", "host-pages",
	"background-pages", "percent-used", "percent-remaining", "spare-percent", "temperature",
	"power-on-hours", "power-cycles", "unsafe-shutdowns", "reallocated", "pending",
	"uncorrectable", "crc-errors", "program-failures", "erase-failures", "erase-cycles",
	"capacitor" };

static void check_row(const struct json *row)
{
	const char *means = json_str(json_get(row, "means"));
	const char *field = json_str(json_get(row, "field"));
	bool bytes, known = false;
	uint64_t id;

	assert_true(json_u64(json_get(row, "id"), &id) && id >= 1 && id <= 254);
	assert_non_null(means);
	for (size_t i = 0; i < sizeof(known_means) / sizeof(known_means[0]); i++)
		known = known || strcmp(means, known_means[i]) == 0;
	assert_true(known);
	assert_true(!field || strcmp(field, "raw") == 0 || strcmp(field, "value") == 0 ||
		strcmp(field, "raw-byte") == 0);
	bytes = strstr(means, "-writes") || strstr(means, "-reads");
	assert_true(bytes == !json_is_null(json_get(row, "unit_bytes")));
}

static void every_file_is_complete_and_names_its_source(void **state)
{
	char **names;

	(void)state;
	assert_int_equal(resource_names("attributes", &names, NULL), 0);
	assert_non_null(names[0]);
	for (size_t i = 0; names[i]; i++) {
		struct json *doc;

		assert_int_equal(resource_load("attributes", names[i], &doc, NULL, NULL), 0);
		assert_non_null(json_str(json_get(doc, "name")));
		assert_non_null(json_str(json_get(doc, "source")));
		assert_true(json_len(json_get(doc, "match")) > 0 || strcmp(names[i], "generic") == 0);
		for (const struct json *row = json_first(json_get(doc, "attributes")); row;
			row = json_next(row))
			check_row(row);
		json_free(doc);
	}
	resource_names_free(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unknown_vendor_gives_unknown_not_a_guess),
		cmocka_unit_test(a_unit_in_smartctls_name_comes_before_the_table),
		cmocka_unit_test(units_are_the_vendors),
		cmocka_unit_test(the_longest_pattern_names_the_file),
		cmocka_unit_test(device_statistics_stay_and_show_the_unit_that_fits),
		cmocka_unit_test(wear_counts_up_or_down_as_the_vendor_has_it),
		cmocka_unit_test(the_amplification_by_cycles_is_marked_an_estimate),
		cmocka_unit_test(pages_are_summed_once_both_kinds_are_known),
		cmocka_unit_test(temperatures_are_taken_out_of_packed_values),
		cmocka_unit_test(hours_are_taken_out_of_packed_values),
		cmocka_unit_test(capacitors_are_judged_by_their_test),
		cmocka_unit_test(every_file_is_complete_and_names_its_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
