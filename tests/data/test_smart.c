/* test_smart.c - health and 128-bit counters, to JSON and back. */
#include "data/smart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void counters_of_128_bits_print_and_parse(void **state)
{
	static const struct {
		const char *text;
		u128 value;
	} rows[] = {
		{ "0", 0 },
		{ "18446744073709551615", UINT64_MAX },
		{ "18446744073709551621", (u128)UINT64_MAX + 6 },
		{ "340282366920938463463374607431768211455", U128_MAX },
	};
	char buf[U128_BUF];
	u128 v;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_string_equal(u128_format(buf, rows[i].value), rows[i].text);
		assert_true(u128_parse(rows[i].text, &v));
		assert_true(v == rows[i].value);
	}
}

static void text_that_is_no_counter_is_refused(void **state)
{
	static const char *const bad[] = { "", "-1", "1.5", " 1", "1 ", "0x10", "1e3",
		"340282366920938463463374607431768211456", "9999999999999999999999999999999999999999" };
	u128 v = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(u128_parse(bad[i], &v));
	assert_true(v == 7);
}

static void a_product_that_does_not_fit_is_a_lower_bound(void **state)
{
	struct smart_bytes b;
	u128 v;

	(void)state;
	assert_true(u128_times(6, 7, &v));
	assert_true(v == 42);
	assert_false(u128_times(U128_MAX, 2, &v));
	assert_true(v == U128_MAX);
	smart_set_bytes(&b, U128_MAX, 512000, "log");
	assert_true(b.known && b.at_least);
	smart_set_bytes(&b, (u128)UINT64_MAX + 6, 512000, "log");
	assert_false(b.at_least);
}

static void sixteen_bytes_are_little_endian(void **state)
{
	const uint8_t bytes[16] = { 5, [8] = 1 };

	(void)state;
	assert_true(u128_le(bytes) == (u128)UINT64_MAX + 6);
}

static void nothing_known_stays_unknown_through_json(void **state)
{
	struct smart_health h, back;
	struct json *j;

	(void)state;
	smart_init(&h);
	smart_finish(&h);
	j = smart_to_json(&h);
	assert_non_null(j);
	assert_true(json_is_null(json_get(j, "host_writes")));
	assert_true(json_is_null(json_get(j, "percent_used")));
	assert_true(json_is_null(json_get(j, "temperature_c")));
	assert_true(json_is_null(json_get(j, "power_on_hours")));
	assert_true(json_is_null(json_get(j, "critical_warning")));
	assert_true(json_is_null(json_get(j, "capacitor")));
	smart_from_json(j, &back);
	assert_false(back.host_writes.known);
	assert_true(isnan(back.percent_used));
	assert_int_equal(back.critical_warning, -1);
	assert_int_equal(back.passed, SMART_UNKNOWN);
	json_free(j);
	smart_from_json(NULL, &back);
	assert_int_equal(back.kind, SMART_KIND_NONE);
}

static void fill(struct smart_health *h)
{
	smart_init(h);
	h->kind = SMART_KIND_NVME;
	strcpy(h->model, "ACME");
	strcpy(h->serial, "S1");
	strcpy(h->taken_at, "2026-11-30T12:00:00Z");
	h->passed = SMART_NO;
	smart_set_bytes(&h->host_writes, (u128)UINT64_MAX + 6, 512000, "log 02h");
	smart_set_bytes(&h->nand_writes, (u128)UINT64_MAX + 6, 1024000, "log C0h");
	smart_set_used(h, 103, "log 02h");
	smart_set_count(&h->media_errors, (u128)1 << 70);
	smart_set_temperature(&h->temperature_c, -5);
	smart_set_temperature(&h->sensor_c[0], 82);
	h->critical_warning = 0x11;
	h->capacitor = SMART_CAPACITOR_FAILED;
	h->attribute[h->attribute_count++] = (struct smart_attribute){ .id = 241, .value = 99,
		.worst = 98, .threshold = -1, .raw = 281474976710655, .name = "Total" };
	smart_note(h, "odd", "%d things", 2);
	smart_finish(h);
}

static void everything_survives_json(void **state)
{
	struct smart_health h, back;
	struct json *j, *again;
	char *a, *b;

	(void)state;
	fill(&h);
	j = smart_to_json(&h);
	assert_string_equal(json_str(json_path(j, "host_writes.bytes")),
		"9444732965739290429952000");
	assert_string_equal(json_str(json_path(j, "capacitor.state")), "failed");
	assert_int_equal(json_len(json_get(j, "critical_warnings")), 2);
	smart_from_json(j, &back);
	assert_true(back.host_writes.bytes == h.host_writes.bytes);
	assert_true(back.sensor_c[0] == 82 && isnan(back.sensor_c[1]));
	assert_true(back.write_amplification == 2.0);
	assert_true(back.percent_used == 103 && back.percent_remaining == 0);
	again = smart_to_json(&back);
	a = json_print(j, true);
	b = json_print(again, true);
	assert_string_equal(a, b);
	free(a);
	free(b);
	json_free(j);
	json_free(again);
}

static void values_out_of_range_are_not_taken(void **state)
{
	struct smart_health h;

	(void)state;
	smart_init(&h);
	smart_set_used(&h, 300, "x");
	smart_set_remaining(&h, 101, "x");
	smart_set_used(&h, NAN, "x");
	smart_set_temperature(&h.temperature_c, -273.15);
	assert_true(isnan(h.percent_used) && isnan(h.percent_remaining));
	assert_true(isnan(h.temperature_c));
	for (int i = 0; i < 3 * SMART_NOTES; i++)
		smart_note(&h, "n", "note");
	assert_int_equal(h.note_count, SMART_NOTES);
}

static void pages_give_the_amplification_without_their_size(void **state)
{
	struct smart_health h;

	(void)state;
	smart_init(&h);
	smart_set_count(&h.host_pages, 1000000);
	smart_set_count(&h.nand_pages, 1850000);
	smart_finish(&h);
	assert_true(h.write_amplification == 1.85);
	assert_false(h.nand_writes.known);
}

static void json_of_another_shape_is_unknown(void **state)
{
	static const char text[] = "{\"kind\": 7, \"host_writes\": 5, \"nand_writes\": {\"bytes\": "
		"-1}, \"sensors\": [{\"sensor\": 0, \"temperature_c\": 3}, 4], \"attributes\": "
		"[{\"id\": 999}, 5, {\"id\": 9, \"value\": 999}], \"notes\": [{}, 3], "
		"\"critical_warning\": 256, \"percent_used\": \"x\", \"power_cycles\": 1.5}";
	struct smart_health h;
	struct json *j;

	(void)state;
	assert_int_equal(json_parse(text, strlen(text), "t", &j, NULL), 0);
	smart_from_json(j, &h);
	assert_int_equal(h.kind, SMART_KIND_NONE);
	assert_false(h.host_writes.known || h.nand_writes.known || h.power_cycles.known);
	assert_int_equal(h.critical_warning, -1);
	assert_int_equal(h.attribute_count, 1);
	assert_int_equal(h.attribute[0].value, 255);
	assert_int_equal(h.note_count, 0);
	json_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_128_bits_print_and_parse),
		cmocka_unit_test(text_that_is_no_counter_is_refused),
		cmocka_unit_test(a_product_that_does_not_fit_is_a_lower_bound),
		cmocka_unit_test(sixteen_bytes_are_little_endian),
		cmocka_unit_test(nothing_known_stays_unknown_through_json),
		cmocka_unit_test(everything_survives_json),
		cmocka_unit_test(values_out_of_range_are_not_taken),
		cmocka_unit_test(pages_give_the_amplification_without_their_size),
		cmocka_unit_test(json_of_another_shape_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
