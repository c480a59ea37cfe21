/* Write amplification: differences, factors and bounds worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "policies/wa.h"

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("got %.12g, want %.12g", got, want);
}

static struct wa_counter counter(uint64_t before, uint64_t after, uint64_t step)
{
	struct wa_counter c = { 0 };

	wa_reading_set(&c.before, before, step, "test");
	wa_reading_set(&c.after, after, step, "test");
	return c;
}

static const struct wa_note *note_of(const struct wa_result *r, const char *code)
{
	for (size_t i = 0; i < r->note_count; i++)
		if (strcmp(r->note[i].code, code) == 0)
			return &r->note[i];
	return NULL;
}

/* Ceph list, April 2015: 1000 GiB of 64 KiB writes to one OSD; counters in flash pages of 4 KiB. */
static void the_field_reports_counters_give_its_factors(void **state)
{
	static const struct {
		uint64_t host, nand;
		double host_factor, nand_factor, chain;
	} rows[] = {
		{ 923896266, 1465339040, 3.52, 1.59, 5.59 }, /* newstore */
		{ 643611346, 1157304512, 2.46, 1.80, 4.41 }, /* filestore */
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct wa_chain c;
		struct wa_result r;

		wa_chain_init(&c, "osd");
		wa_counter_total(&c.level[WA_CLIENT], (uint64_t)1000 << 30, 0, "report");
		wa_counter_total(&c.level[WA_HOST], rows[i].host * 4096, 4096, "report");
		wa_counter_total(&c.level[WA_NAND], rows[i].nand * 4096, 4096, "report");
		wa_judge(&c, &r);
		assert_true(fabs(r.step[WA_HOST].value - rows[i].host_factor) < 0.005);
		assert_true(fabs(r.step[WA_NAND].value - rows[i].nand_factor) < 0.005);
		assert_true(fabs(r.over_client[WA_NAND].value - rows[i].chain) < 0.005);
		assert_int_equal(r.above[WA_HOST], WA_CLIENT);
		assert_int_equal(r.deepest, WA_NAND);
		assert_true(isnan(r.step[WA_BLOCK].value));
		assert_int_equal(r.note_count, 0);
	}
}

/* 1000 bytes in steps of 10 over 500 in steps of 100: 2, from 990 / 600 to 1010 / 400. */
static void bounds_come_from_the_steps_of_both_counters(void **state)
{
	struct wa_counter part = counter(5000, 6000, 10), whole = counter(100, 600, 100);
	struct wa_delta p = wa_delta_of(&part), w = wa_delta_of(&whole);
	struct wa_factor f = wa_factor_of(&p, &w);

	(void)state;
	near(p.low, 990);
	near(p.high, 1010);
	near(f.value, 2);
	near(f.low, 990.0 / 600);
	near(f.high, 1010.0 / 400);
}

static void a_divisor_of_one_step_bounds_nothing_above(void **state)
{
	struct wa_counter part = counter(0, 1000, 0), whole = counter(0, 100, 100);
	struct wa_delta p = wa_delta_of(&part), w = wa_delta_of(&whole);
	struct wa_factor f = wa_factor_of(&p, &w);

	(void)state;
	near(f.value, 10);
	near(f.low, 5);
	assert_true(isinf(f.high));
}

/* Every true pair of totals within a step of the readings gives a quotient within the bounds. */
static void no_truth_that_fits_the_readings_lies_outside_of_the_bounds(void **state)
{
	uint64_t x = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t v[4], step[2];
		struct wa_counter c[2];
		struct wa_delta d[2];
		struct wa_factor f;
		double truth;

		for (int k = 0; k < 4; k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			v[k] = x % 100000 + 1;
			if (k < 2)
				step[k] = 1 + (x >> 40) % 5000;
		}
		/* What the drive shows: whole steps, rounded down. */
		c[0] = counter(
			v[0] / step[0] * step[0], (v[0] + v[1]) / step[0] * step[0], step[0]);
		c[1] = counter(
			v[2] / step[1] * step[1], (v[2] + v[3]) / step[1] * step[1], step[1]);
		d[0] = wa_delta_of(&c[0]);
		d[1] = wa_delta_of(&c[1]);
		f = wa_factor_of(&d[0], &d[1]);
		truth = (double)v[1] / (double)v[3];
		if (!isnan(f.value) && (truth < f.low || truth > f.high))
			fail_msg("%g is outside of %g to %g", truth, f.low, f.high);
	}
}

static void a_window_of_fewer_than_ten_steps_warns_and_says_how_much_more(void **state)
{
	struct wa_chain c;
	struct wa_result r;

	(void)state;
	wa_chain_init(&c, "sda");
	c.level[WA_BLOCK] = counter(0, 120 << 20, 0);
	c.level[WA_HOST] = counter(0, 128 << 20, 32 << 20); /* four steps */
	wa_judge(&c, &r);
	assert_non_null(note_of(&r, "coarse"));
	assert_non_null(strstr(note_of(&r, "coarse")->text, "3 times as much"));
	c.level[WA_HOST] = counter(0, 320 << 20, 32 << 20);
	wa_judge(&c, &r);
	assert_null(note_of(&r, "coarse"));
}

static void no_factor_comes_from_what_did_not_simply_go_up(void **state)
{
	static const struct {
		uint64_t before, after, step;
		enum wa_state want;
		const char *code;
	} rows[] = {
		{1000, 1000, 0, WA_ZERO, "zero"},
		{1000, 10, 0, WA_RESET, "reset"},
		{UINT64_C(4294967290) * 512, 100 * 512, 512, WA_WRAPPED, "wrapped"},
		{UINT64_C(2147483648) * 512, 100 * 512, 512, WA_RESET,
			"reset"}, /* from the middle */
		{UINT64_C(281474976710650) * 512, 512, 512, WA_WRAPPED, "wrapped"},
		{UINT64_C(4294967290) * 512, UINT64_C(4294967200) * 512, 512, WA_RESET, "reset"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wa_chain c;
		struct wa_result r;

		wa_chain_init(&c, "sda");
		c.level[WA_CLIENT] = counter(0, 1000, 0);
		c.level[WA_HOST] = counter(rows[i].before, rows[i].after, rows[i].step);
		c.level[WA_NAND] = counter(0, 4000, 0);
		wa_judge(&c, &r);
		assert_int_equal(r.delta[WA_HOST].state, rows[i].want);
		assert_true(isnan(r.step[WA_HOST].value) && isnan(r.over_client[WA_HOST].value));
		assert_non_null(note_of(&r, rows[i].code));
		/* The level below is then over the one above it. */
		assert_int_equal(r.above[WA_NAND], WA_CLIENT);
		near(r.step[WA_NAND].value, 4);
	}
}

static void another_drives_counter_is_noticed_even_where_it_is_higher(void **state)
{
	struct wa_chain c;
	struct wa_result r;

	(void)state;
	wa_chain_init(&c, "sda");
	c.level[WA_CLIENT] = counter(0, 1000, 0);
	c.level[WA_HOST] = counter(100, 5000, 0);
	strcpy(c.level[WA_HOST].before.whose, "serial A");
	strcpy(c.level[WA_HOST].after.whose, "serial B");
	wa_judge(&c, &r);
	assert_int_equal(r.delta[WA_HOST].state, WA_SWAPPED);
	assert_true(isnan(r.step[WA_HOST].value));
	assert_non_null(strstr(note_of(&r, "swapped")->text, "serial A"));
}

static void a_missing_counter_is_named_once_with_its_reason(void **state)
{
	struct wa_chain c;
	struct wa_result r;
	size_t missing = 0;

	(void)state;
	wa_chain_init(&c, "sda");
	c.level[WA_CLIENT] = counter(0, 1000, 0);
	c.level[WA_BLOCK] = counter(0, 1500, 0);
	wa_reading_lack(&c.level[WA_HOST].before, "SMART is off");
	wa_reading_lack(&c.level[WA_NAND].before, "SMART is off");
	wa_judge(&c, &r);
	near(r.over_client[WA_BLOCK].value, 1.5);
	for (size_t i = 0; i < r.note_count; i++)
		missing += strcmp(r.note[i].code, "missing") == 0;
	assert_int_equal(missing, 1);
	assert_non_null(strstr(note_of(&r, "missing")->text, "no host and no nand"));
	/* A level that does not apply is not missing. */
	assert_null(strstr(note_of(&r, "missing")->text, "disk"));
}

static void less_than_all_of_it_is_said(void **state)
{
	struct wa_chain c;
	struct wa_result r;

	(void)state;
	wa_chain_init(&c, "sda");
	c.level[WA_CLIENT] = counter(0, 1000, 0);
	c.level[WA_BLOCK] = counter(0, 900, 0);
	wa_judge(&c, &r);
	assert_non_null(note_of(&r, "less-than-one"));
	c.level[WA_BLOCK] = counter(0, 900, 200); /* it may be more, too */
	wa_judge(&c, &r);
	assert_null(note_of(&r, "less-than-one"));
}

/* 4+2: a byte becomes 1.5; of 400 client bytes at the primary 100 stay there, and 200 of peers. */
static void a_cluster_multiplies_what_one_osd_does(void **state)
{
	struct wa_spread three = { .replicas = 3 }, code = { .k = 4, .m = 2 }, none = { 0 };
	struct wa_factor osd = { 1.2, 1.1, 1.3 }, f;

	(void)state;
	near(wa_osd_in(&three, 400, 200), 600);
	near(wa_osd_in(&code, 400, 200), 300);
	f = wa_cluster(&three, &osd);
	near(f.value, 3.6);
	near(f.low, 3.3);
	near(f.high, 3.9);
	near(wa_cluster(&code, &osd).value, 1.8);
	assert_true(isnan(wa_cluster(&none, &osd).value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_field_reports_counters_give_its_factors),
		cmocka_unit_test(bounds_come_from_the_steps_of_both_counters),
		cmocka_unit_test(a_divisor_of_one_step_bounds_nothing_above),
		cmocka_unit_test(no_truth_that_fits_the_readings_lies_outside_of_the_bounds),
		cmocka_unit_test(a_window_of_fewer_than_ten_steps_warns_and_says_how_much_more),
		cmocka_unit_test(no_factor_comes_from_what_did_not_simply_go_up),
		cmocka_unit_test(another_drives_counter_is_noticed_even_where_it_is_higher),
		cmocka_unit_test(a_missing_counter_is_named_once_with_its_reason),
		cmocka_unit_test(less_than_all_of_it_is_said),
		cmocka_unit_test(a_cluster_multiplies_what_one_osd_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
