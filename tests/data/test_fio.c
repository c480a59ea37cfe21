/* test_fio.c - options, sections and figures of fio, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/fio_figures.h"
#include "data/fio_jobfile.h"
#include "data/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct json *parse(const char *text)
{
	struct json *j;

	assert_int_equal(json_parse_lenient(text, strlen(text), "test", 1, &j, NULL), 0);
	return j;
}

static void sizes_are_read_with_their_base(void **state)
{
	static const struct { const char *text, *base; uint64_t want; } cases[] = {
		{ "4k", NULL, 4096 }, { "4K", NULL, 4096 }, { "4kb", NULL, 4096 },
		{ "4ki", NULL, 4000 }, { "4KiB", NULL, 4000 }, { "4k", "1000", 4000 },
		{ "4ki", "1000", 4096 }, { "8000", NULL, 8000 }, { "1m", NULL, 1048576 },
		{ "1.5k", NULL, 1536 }, { "2g", NULL, 2147483648 }, { "4k,8k", NULL, 4096 },
		{ "4k-16k", NULL, 4096 }, { "22m", NULL, 23068672 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json *o = json_new_object();
		struct fio_options options = { .job = o };
		uint64_t got = 0;

		assert_int_equal(json_set_str(o, "bs", cases[i].text), 0);
		if (cases[i].base)
			assert_int_equal(json_set_str(o, "kb_base", cases[i].base), 0);
		assert_true(fio_option_bytes(&options, "bs", &got));
		assert_int_equal(got, cases[i].want);
		json_free(o);
	}
}

static void what_is_no_number_is_not_understood(void **state)
{
	static const char *const texts[] = { "", "k", "$pagesize", "10%", "4x", "99999999999999999999999k",
		"-4k", "1.2.3", "0x10" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct json *o = json_new_object();
		struct fio_options options = { .job = o };
		uint64_t got = 7;

		assert_int_equal(json_set_str(o, "bs", texts[i]), 0);
		assert_int_equal(json_set_str(o, "runtime", texts[i]), 0);
		assert_false(fio_option_bytes(&options, "bs", &got));
		assert_false(fio_option_ns(&options, "runtime", 1e9, &got));
		assert_int_equal(got, 7);
		json_free(o);
	}
}

static void options_of_the_job_come_before_global_ones(void **state)
{
	struct json *job = parse("{\"bs\": \"8k\", \"readwrite\": \"randwrite\", \"direct\": \"\"}");
	struct json *global = parse("{\"bs\": \"4k\", \"iodepth\": \"32\", \"ioengine\": \"psync\"}");
	struct fio_options o = { .job = job, .global = global };
	struct fio_plan p;

	(void)state;
	fio_plan_read(&o, &p);
	assert_int_equal(p.bs, 8192);
	assert_string_equal(p.rw, "randwrite");
	assert_true(p.direct && p.random && !p.mixed);
	assert_int_equal(p.depth_asked, 32);
	assert_int_equal(p.depth, 1); /* psync calls */
	json_free(job);
	json_free(global);
}

/* A job at depth 1 with a sync for each write: @engine, in microseconds. */
static struct json *durable(const char *engine, double slat, double write, double sync, double period)
{
	char text[1400];

	(void)snprintf(text, sizeof(text), "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"j\","
		"\"job options\": {\"ioengine\": \"%s\", \"rw\": \"write\", \"bs\": \"4k\", \"fsync\": \"1\","
		"\"direct\": \"1\"}, \"write\": {\"io_bytes\": 4096000, \"io_kbytes\": 4000, \"total_ios\": 1000,"
		"\"iops\": %.3f, \"runtime\": 1000, \"slat_ns\": {\"min\": 1, \"mean\": %.1f, \"max\": 9e5, \"stddev\": 1,"
		"\"N\": 1000}, \"clat_ns\": {\"min\": 1, \"mean\": %.1f, \"max\": 9e8, \"stddev\": 1, \"N\": 1000,"
		"\"percentile\": {\"99.000000\": 800000}}, \"lat_ns\": {\"min\": 1, \"mean\": %.1f, \"max\": 9e8,"
		"\"stddev\": 1, \"N\": 1000}}, \"sync\": {\"total_ios\": 0, \"lat_ns\": {\"min\": 1, \"mean\": %.1f,"
		"\"max\": 9e8, \"stddev\": 1, \"N\": 1000, \"percentile\": {\"99.000000\": 900000}}}}]}",
		engine, 1e6 / period, slat * 1e3, (write - slat) * 1e3, write * 1e3, sync * 1e3);
	return parse(text);
}

static void figures_of(const struct json *doc, struct fio_figures *ret)
{
	struct fio_run run;
	struct fio_plan plan;

	assert_int_equal(fio_run_read(doc, "test", &run, NULL), 0);
	fio_plan_read(&run.job[0].options, &plan);
	fio_figures(&run, &run.job[0], &plan, true, ret);
	fio_run_done(&run);
}

/* Measured with fio 3.33 on a loop file; microseconds: slat, write, sync, period. */
static void the_sync_section_is_what_each_engine_makes_of_it(void **state)
{
	static const struct { const char *engine; double slat, write, sync, period; bool alone, whole; }
	cases[] = {
		{ "psync", 0.4, 54.1, 115.6, 172.3, true, true },
		{ "pvsync2", 0.3, 53.1, 119.3, 174.7, true, true },
		{ "mmap", 0.3, 10.2, 187.2, 200.2, true, true },
		{ "io_uring", 33.5, 70.6, 133.3, 233.2, true, true },
		{ "posixaio", 11.8, 73.9, 122.3, 225.8, true, true },
		{ "libaio", 26.3, 62.4, 169.1, 197.0, false, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json *doc = durable(cases[i].engine, cases[i].slat, cases[i].write,
			cases[i].sync, cases[i].period);
		struct fio_figures f;

		figures_of(doc, &f);
		assert_int_equal(f.sync_lat.present, cases[i].alone);
		assert_int_equal(f.sync_of == NULL, cases[i].alone);
		assert_int_equal(f.lat.present, cases[i].whole);
		/* the whole cannot take longer than there was time, nor much less */
		assert_true(f.lat.mean_ns < cases[i].period * 1e3 * 1.02);
		assert_true(f.lat.mean_ns > cases[i].period * 1e3 * 0.85);
		json_free(doc);
	}
}

static void libaio_with_pauses_cannot_be_told(void **state)
{
	struct json *doc = durable("libaio", 1, 60, 170, 10000);
	struct fio_figures f;

	(void)state;
	figures_of(doc, &f);
	assert_false(f.sync_lat.present);
	assert_false(f.lat.present);
	assert_non_null(f.sync_of);
	json_free(doc);
}

static void percentiles_of_clat_stand_only_where_submission_is_small(void **state)
{
	struct json *doc = durable("psync", 9, 100, 0.001, 110);
	struct fio_figures f;

	(void)state;
	figures_of(doc, &f);
	assert_string_equal(f.io_of, "clat");
	assert_true(f.write_lat.pct_ns[LAT_P99] == 800000);
	json_free(doc);
	doc = durable("psync", 11, 100, 0.001, 110);
	figures_of(doc, &f);
	assert_string_equal(f.io_of, "lat");
	assert_true(isnan(f.write_lat.pct_ns[LAT_P99]));
	assert_true(f.write_lat.mean_ns == 100000);
	json_free(doc);
}

static void contradictions_are_unknown(void **state)
{
	struct json *doc = parse("{\"fio version\": \"fio-3.36\", \"jobs\": [{\"jobname\": \"j\", \"write\":"
		"{\"total_ios\": 10, \"io_kbytes\": 40, \"io_bytes\": 40960, \"iops\": 1.0, \"clat_ns\": {"
		"\"min\": 300, \"max\": 0, \"mean\": 990.0, \"stddev\": 0.0, \"N\": 10, \"percentile\": {"
		"\"50.000000\": 900, \"90.00\": 800, \"99.900000\": 7000}}}}]}");
	struct fio_run run;
	const struct fio_lat *l;

	(void)state;
	assert_int_equal(fio_run_read(doc, "test", &run, NULL), 0);
	l = &run.job[0].write.clat;
	assert_true(l->odd);
	assert_true(isnan(l->max) && isnan(l->stddev));
	assert_true(isnan(l->pct[LAT_P90])); /* below p50 */
	assert_true(l->pct[LAT_P50] == 900 && l->pct[LAT_P999] == 7000 && isnan(l->pct[LAT_P99]));
	assert_string_equal(l->keys, "50, 90, 99.9");
	fio_run_done(&run);
	json_free(doc);
}

static void job_files_have_global_sections_comments_and_flags(void **state)
{
	static const char text[] = "; c\n# c\n[global]\nbs=4k\n\n[a]\nrw=write\ntime_based\n[global]\nbs=8k\n"
		"[b]\r\n rw = read \r\n";
	struct json *doc;

	(void)state;
	assert_int_equal(fio_jobfile_parse(text, sizeof(text) - 1, "t", &doc, NULL), 0);
	assert_int_equal(json_len(json_get(doc, "jobs")), 2);
	assert_string_equal(json_str(json_path(json_at(json_get(doc, "jobs"), 0), "job options.bs")), "4k");
	assert_string_equal(json_str(json_path(json_at(json_get(doc, "jobs"), 0),
		"job options.time_based")), "1");
	assert_string_equal(json_str(json_path(json_at(json_get(doc, "jobs"), 1), "job options.bs")), "8k");
	assert_string_equal(json_str(json_path(json_at(json_get(doc, "jobs"), 1), "job options.rw")), "read");
	json_free(doc);
}

static void documents_are_found_among_lines(void **state)
{
	static const char text[] = "warning\n{\"fio version\": \"fio-3.36\", \"jobs\": [{\"jobname\": \"j\","
		"\"write\": {\"total_ios\": 1, \"io_bytes\": 4096, \"io_kbytes\": 4}}]}\nafter {not json}\n";
	struct import_list l;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(import_text(text, sizeof(text) - 1, "t", NULL, &l, &e), 0);
	assert_int_equal(l.count, 1);
	assert_int_equal(json_len(json_path(l.result[0]->doc, "import.notes")) >= 2, true);
	import_list_done(&l);
	assert_int_equal(import_text("", 0, "t", NULL, &l, &e), -EBADMSG);
	assert_string_equal(e.msg, "t: is empty");
	assert_int_equal(import_text("no json\n", 8, "t", NULL, &l, &e), -EBADMSG);
}

static void kinds_have_unique_names(void **state)
{
	(void)state;
	for (size_t i = 0; importer_table[i]; i++) {
		assert_non_null(importer_table[i]->recognises);
		assert_non_null(importer_table[i]->convert);
		assert_ptr_equal(importer_find(importer_table[i]->name), importer_table[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read_with_their_base),
		cmocka_unit_test(what_is_no_number_is_not_understood),
		cmocka_unit_test(options_of_the_job_come_before_global_ones),
		cmocka_unit_test(the_sync_section_is_what_each_engine_makes_of_it),
		cmocka_unit_test(libaio_with_pauses_cannot_be_told),
		cmocka_unit_test(percentiles_of_clat_stand_only_where_submission_is_small),
		cmocka_unit_test(contradictions_are_unknown),
		cmocka_unit_test(job_files_have_global_sections_comments_and_flags),
		cmocka_unit_test(documents_are_found_among_lines),
		cmocka_unit_test(kinds_have_unique_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
