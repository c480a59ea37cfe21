/* test_hextext.c - hex text: what is read, what is refused and with which place. */
#include "data/hextext.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void reads_pairs_comments_and_any_white_space(void **state)
{
	static const struct {
		const char *text;
		uint8_t bytes[8];
		size_t len;
	} cases[] = {
		{ "00 22 aF\n", { 0x00, 0x22, 0xaf }, 3 },
		{ "0022af", { 0x00, 0x22, 0xaf }, 3 },
		{ "# only words: zz\n", { 0 }, 0 },
		{ "", { 0 }, 0 },
		{ "01# note 99\r\n\t02 # end", { 1, 2 }, 2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t *buf = NULL;
		size_t len = 99;

		assert_int_equal(hextext_parse(cases[i].text, strlen(cases[i].text), "t", &buf, &len,
					 NULL), 0);
		assert_non_null(buf);
		assert_int_equal(len, cases[i].len);
		assert_memory_equal(buf, cases[i].bytes, len);
		free(buf);
	}
}

static void refuses_other_text_and_names_the_place(void **state)
{
	static const struct {
		const char *text, *place;
	} cases[] = {
		{ "00 2", "f:1:4:" },        { "00 2 3", "f:1:4:" },   { "00\n11 xz", "f:2:4:" },
		{ "0x00", "f:1:1:" },        { "00\n\n1", "f:3:1:" },  { "00000000: 11", "f:1:9:" },
		{ "00 \x1b[2J", "f:1:4:" },  { "1#2", "f:1:1:" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		uint8_t *buf = (uint8_t *)&e;
		size_t len = 7;

		assert_int_equal(hextext_parse(cases[i].text, strlen(cases[i].text), "f", &buf, &len,
					 &e), -EBADMSG);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_int_equal(strncmp(e.msg, cases[i].place, strlen(cases[i].place)), 0);
		assert_ptr_equal(buf, &e); /* untouched */
		assert_int_equal(len, 7);
	}
}

static void writes_what_it_reads(void **state)
{
	uint8_t bytes[37], *back;
	char *text;
	size_t text_len, len, i;
	FILE *f = open_memstream(&text, &text_len);

	(void)state;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	assert_int_equal(hextext_write(f, bytes, sizeof(bytes), "a comment"), 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(hextext_parse(text, text_len, "t", &back, &len, NULL), 0);
	assert_int_equal(len, sizeof(bytes));
	assert_memory_equal(back, bytes, len);
	free(back);
	free(text);
}

static void loads_files_and_refuses_what_is_none(void **state)
{
	char dir[] = "/tmp/ssdqual-hextext-XXXXXX", path[64];
	struct err e = ERR_INIT;
	uint8_t *buf;
	size_t len;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(hextext_load(dir, &buf, &len, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_INPUT);
	(void)snprintf(path, sizeof(path), "%s/a.hex", dir);
	assert_int_equal(hextext_load(path, &buf, &len, &e), -ENOENT);
	assert_non_null(strstr(e.msg, path));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(hextext_load(path, &buf, &len, &e), -EINVAL);
	assert_int_equal(unlink(path), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < 20000; i++)
		fputs("5a ", f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(hextext_load(path, &buf, &len, &e), 0);
	assert_int_equal(len, 20000);
	assert_int_equal(buf[19999], 0x5a);
	free(buf);
	assert_int_equal(truncate(path, (off_t)HEXTEXT_FILE_MAX + 1), 0);
	assert_int_equal(hextext_load(path, &buf, &len, &e), -EFBIG);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
}

static void survives_random_text(void **state)
{
	static const char alphabet[] = "0123456789abcdefABCDEF \n\t#xg:\x00\xff";
	unsigned seed = 11;
	char text[64];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = (size_t)rand_r(&seed) % sizeof(text), len;
		uint8_t *buf;

		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[(size_t)rand_r(&seed) % (sizeof(alphabet) - 1)];
		if (hextext_parse(text, n, "t", &buf, &len, NULL) == 0) {
			assert_true(len <= n / 2);
			free(buf);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_pairs_comments_and_any_white_space),
		cmocka_unit_test(refuses_other_text_and_names_the_place),
		cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(loads_files_and_refuses_what_is_none),
		cmocka_unit_test(survives_random_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
