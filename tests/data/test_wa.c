/* Byte counters and their JSON, and what loads print about the bytes they wrote. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/wa.h"
#include "data/wa_client.h"

static void expect_bytes(const char *text, uint64_t bytes, uint64_t step)
{
	struct wa_reading r;
	struct err e = ERR_INIT;

	if (wa_client_parse(text, strlen(text), &r, &e) < 0)
		fail_msg("%s: %s", text, e.msg);
	if (r.bytes != bytes || r.step != step)
		fail_msg("%s: %llu in steps of %llu", text, (unsigned long long)r.bytes,
			(unsigned long long)r.step);
}

static void expect_none(const char *text)
{
	struct wa_reading r;
	struct err e = ERR_INIT;

	assert_int_equal(wa_client_parse(text, strlen(text), &r, &e), -ENODATA);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_non_null(strstr(e.msg, "--client-bytes"));
}

static void fio_3_counts_bytes_and_fio_2_kibibytes(void **state)
{
	(void)state;
	expect_bytes("{\"jobs\": [{\"jobname\": \"a\", \"write\": {\"io_bytes\": 41472000, "
		"\"io_kbytes\": 40500}}]}", 41472000, 0);
	expect_bytes("{\"jobs\": [{\"jobname\": \"a\", \"write\": {\"io_bytes\": 40500}}]}",
		41472000, 1024);
}

static void fios_jobs_documents_and_clients_are_added_but_not_its_own_sum(void **state)
{
	(void)state;
	expect_bytes(
		"fio: a warning with {braces\n{\"jobs\": [\n"
		"{\"jobname\": \"a \\\" {\", \"write\": {\"io_bytes\": 1, \"io_kbytes\": 0}},\n"
		"{\"jobname\": \"b\", \"write\": {\"io_bytes\": 2, \"io_kbytes\": 0}}]}\n"
		"{\"jobs\": [{\"jobname\": \"c\", \"write\": {\"io_bytes\": 4, \"io_kbytes\": "
		"0}}]}\n"
		"text after it\n",
		7, 0);
	expect_bytes(
		"{\"client_stats\": [\n"
		"{\"jobname\": \"a\", \"write\": {\"io_bytes\": 5, \"io_kbytes\": 0}},\n"
		"{\"jobname\": \"All clients\", \"write\": {\"io_bytes\": 5, \"io_kbytes\": 0}}]}",
		5, 0);
}

static void fios_text_is_as_exact_as_it_is_printed(void **state)
{
	(void)state;
	expect_bytes("Run status group 0 (all jobs):\n"
		"   READ: bw=6589MiB/s (6909MB/s), 3274MiB/s-4972MiB/s, io=39.5MiB (41.5MB)\n"
		"  WRITE: bw=6745MiB/s (7072MB/s), 3393MiB/s-5028MiB/s, io=40.5MiB (42.4MB), "
		"run=4-6msec\n", 42467328, 104858);
	expect_bytes("  WRITE: bw=1MiB/s, io=4096KiB (4194kB), run=4-6msec\n"
		"  WRITE: bw=1MiB/s, io=2GiB (2147MB), run=4-6msec\n",
		4194304 + 2147483648u, 1024 + 1073741824);
}

static void rbd_bench_counts_operations_of_one_size(void **state)
{
	(void)state;
	expect_bytes("bench  type write io_size 4096 io_threads 1 bytes 409600 pattern random\n"
		"  SEC       OPS   OPS/SEC   BYTES/SEC\n"
		"elapsed: 0   ops: 100   ops/sec: 142.857   bytes/sec: 571 KiB/s\n", 409600, 0);
	expect_bytes("bench  type read io_size 4096 io_threads 1 bytes 409600 pattern random\n"
		"elapsed: 0   ops: 100   ops/sec: 142.857   bytes/sec: 571 KiB/s\n", 0, 0);
	expect_bytes("bench  type readwrite read:write=50:50 io_size 4096 io_threads 16 bytes 4 "
		"pattern random\n"
		"elapsed: 1   ops: 100   ops/sec: 100   bytes/sec: 1 MiB/s\n"
		"read_ops: 48   read_ops/sec: 48   read_bytes/sec: 1 KiB/s\n"
		"write_ops: 52   write_ops/sec: 52   write_bytes/sec: 1 KiB/s\n", 52 * 4096, 0);
	expect_bytes("Total time run:         1.0\nTotal writes made:      25\n"
		"Write size:             4194304\nObject size:            4194304\n", 104857600, 0);
}

static void whatever_else_is_printed_is_no_answer(void **state)
{
	(void)state;
	expect_none("");
	expect_none("8+0 records out\n8388608 bytes (8.4 MB) copied\n");
	expect_none("{\"jobs\": [{\"write\": {\"io_bytes\": 1, \"io_kbytes\": 0}");
	expect_none("{\"jobs\": [{\"write\": {\"io_bytes\": -5}}]}");
	expect_none("bench  type write io_size 4096 io_threads 1 bytes 409600 pattern random\n");
	expect_none("  WRITE: bw=, io=, run=\n  WRITE: io=xMiB\nTotal writes made: \n");
}

/* Each cut and each changed byte of a good output: an answer or none, never worse. */
static void damaged_output_is_survived(void **state)
{
	static const char good[] =
		"{\"jobs\": [{\"jobname\": \"a\", \"write\": {\"io_bytes\": 41472000, "
		"\"io_kbytes\": 40500}}]}\n  WRITE: bw=1MiB/s, io=40.96KiB (4194kB), run=4\n"
		"bench  type write io_size 4096 io_threads 1\nelapsed: 0   ops: 100   ops/sec: 1\n"
		"Total writes made: 25\nWrite size: 4194304\n";
	static const char bytes[] = { 0, '"', '{', '}', '9', '\n', '\\', (char)0xff };
	struct wa_reading r;

	(void)state;
	for (size_t i = 0; i < sizeof(good); i++) {
		char *copy = malloc(sizeof(good));

		assert_non_null(copy);
		(void)wa_client_parse(good, i, &r, NULL);
		for (size_t k = 0; k < sizeof(bytes); k++) {
			memcpy(copy, good, sizeof(good));
			copy[i] = bytes[k];
			(void)wa_client_parse(copy, sizeof(good) - 1, &r, NULL);
		}
		free(copy);
	}
}

static void open_braces_do_not_cost_the_square_of_their_number(void **state)
{
	size_t len = 4 << 20;
	char *text = malloc(len);
	struct wa_reading r;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < len; i++)
		text[i] = i % 2 ? '\n' : '{';
	assert_int_equal(wa_client_parse(text, len, &r, NULL), -ENODATA);
	free(text);
}

static void parts_are_known_together_or_not_at_all(void **state)
{
	struct wa_reading sum = { 0 }, a = { 0 }, b = { 0 }, lacking = { 0 };

	(void)state;
	wa_reading_set(&a, 5, 2, "x");
	wa_reading_set(&b, 7, 3, "y");
	wa_reading_add(&sum, &a);
	wa_reading_add(&sum, &b);
	assert_true(sum.known);
	assert_int_equal(sum.bytes, 12);
	assert_int_equal(sum.step, 5);
	assert_string_equal(sum.source, "x, y");
	wa_reading_lack(&lacking, "asleep");
	wa_reading_add(&sum, &lacking);
	wa_reading_add(&sum, &a);
	assert_false(sum.known);
	assert_string_equal(sum.why, "asleep");
}

static void a_chain_is_read_from_counts_and_from_readings(void **state)
{
	static const char text[] = "{\"name\": \"x\", \"role\": \"db\", \"levels\": {"
		"\"client\": {\"before\": 2, \"after\": \"9007199254740993\", \"unit_bytes\": 512},"
		"\"block\": {\"before_bytes\": 1, \"after_bytes\": 3, \"step_bytes\": 4},"
		"\"host\": {\"count\": 10, \"unit_bytes\": 4096},"
		"\"nand\": {\"why\": \"asleep\"}}}";
	struct wa_chain c;
	struct json *j;

	(void)state;
	assert_int_equal(json_parse(text, strlen(text), "t", &j, NULL), 0);
	assert_int_equal(wa_chain_from_json(j, "t", &c, NULL), 0);
	assert_string_equal(c.role, "db");
	assert_int_equal(c.level[WA_CLIENT].before.bytes, 1024);
	assert_true(c.level[WA_CLIENT].after.bytes == 9007199254740993u * 512);
	assert_int_equal(c.level[WA_CLIENT].after.step, 512);
	assert_int_equal(c.level[WA_BLOCK].after.step, 4);
	assert_int_equal(c.level[WA_HOST].after.bytes, 40960);
	assert_false(c.level[WA_NAND].after.known);
	assert_string_equal(c.level[WA_NAND].after.why, "asleep");
	assert_false(c.level[WA_DISK].after.known);
	json_free(j);
}

static void a_count_beyond_64_bits_is_refused(void **state)
{
	static const char text[] = "{\"name\": \"x\", \"levels\": {\"host\": {\"count\": "
		"\"18446744073709551615\", \"unit_bytes\": 2}}}";
	struct err e = ERR_INIT;
	struct wa_chain c;
	struct json *j;

	(void)state;
	assert_int_equal(json_parse(text, strlen(text), "t", &j, NULL), 0);
	assert_int_equal(wa_chain_from_json(j, "file", &c, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "file: x, level host"));
	json_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fio_3_counts_bytes_and_fio_2_kibibytes),
		cmocka_unit_test(fios_jobs_documents_and_clients_are_added_but_not_its_own_sum),
		cmocka_unit_test(fios_text_is_as_exact_as_it_is_printed),
		cmocka_unit_test(rbd_bench_counts_operations_of_one_size),
		cmocka_unit_test(whatever_else_is_printed_is_no_answer),
		cmocka_unit_test(damaged_output_is_survived),
		cmocka_unit_test(open_braces_do_not_cost_the_square_of_their_number),
		cmocka_unit_test(parts_are_known_together_or_not_at_all),
		cmocka_unit_test(a_chain_is_read_from_counts_and_from_readings),
		cmocka_unit_test(a_count_beyond_64_bits_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
