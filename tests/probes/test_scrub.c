/* test_scrub.c - identifiers become pseudonyms, everywhere the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <string.h>

#include "probes/scrub.h"

static struct scrub *table(void)
{
	struct scrub *s = scrub_new();

	assert_non_null(s);
	return s;
}

static void the_same_value_has_the_same_pseudonym(void **state)
{
	struct scrub *s = table();
	char a[] = "serial SN4711ABCD, again SN4711ABCD.", *first = a + 7, *second = a + 25;

	(void)state;
	assert_int_equal(scrub_add(s, "  SN4711ABCD \0", 14), 0);
	scrub_text(s, a, strlen(a));
	assert_null(strstr(a, "SN4711ABCD"));
	assert_memory_equal(first, second, 10);
	assert_memory_equal(a, "serial ", 7);
	for (int i = 0; i < 10; i++)
		assert_int_equal(!isdigit((unsigned char)first[i]),
			!isdigit((unsigned char)"SN4711ABCD"[i]));
	scrub_free(s);
}

static void two_tables_do_not_agree(void **state)
{
	char a[] = "SN4711ABCDEFGHIJ", b[] = "SN4711ABCDEFGHIJ";
	struct scrub *s = table(), *t = table();

	(void)state;
	assert_int_equal(scrub_add(s, a, 16), 0);
	assert_int_equal(scrub_add(t, b, 16), 0);
	scrub_text(s, a, 16);
	scrub_text(t, b, 16);
	assert_string_not_equal(a, b);
	scrub_free(s);
	scrub_free(t);
}

static void numbers_are_found_as_digits_and_as_bytes(void **state)
{
	static const uint8_t wwn[8] = { 0x50, 0x00, 0xc5, 0xaa, 0xbb, 0xcc, 0xdd, 0x01 };
	char text[] = "wwn-0x5000c5aabbccdd01 and 5000C5AABBCCDD01";
	uint8_t page[12] = { 0, 0x83, 0, 8 }, words[8];
	char digits[17];
	struct scrub *s = table();

	(void)state;
	memcpy(page + 4, wwn, 8);
	for (size_t i = 0; i < 8; i++)
		words[i] = wwn[i ^ 1];
	assert_int_equal(scrub_add_binary(s, wwn, 8), 0);
	scrub_text(s, text, strlen(text));
	scrub_bytes(s, page, sizeof(page));
	scrub_bytes(s, words, sizeof(words));
	assert_null(strstr(text, "c5aabbccdd01"));
	assert_int_equal(text[6], '5'); /* what kind of name it is */
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(tolower((unsigned char)text[27 + i]), text[6 + i]);
	for (size_t i = 0; i < 8; i++) {
		digits[2 * i] = "0123456789abcdef"[page[4 + i] >> 4];
		digits[2 * i + 1] = "0123456789abcdef"[page[4 + i] & 15];
		assert_int_equal(words[i], page[4 + (i ^ 1)]);
	}
	assert_memory_equal(digits, text + 6, 16);
	scrub_free(s);
}

static void ata_text_is_found_with_its_bytes_swapped(void **state)
{
	uint8_t field[12] = "S1NR2E34  X";
	char plain[] = "1SRNE243";
	struct scrub *s = table();

	(void)state;
	assert_int_equal(scrub_add(s, plain, 8), 0); /* "S1NR2E34", swapped */
	scrub_bytes(s, field, sizeof(field));
	scrub_text(s, plain, 8);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(field[i ^ 1], plain[i]);
	assert_int_equal(field[10], 'X');
	scrub_free(s);
}

static void short_names_are_replaced_as_whole_words_only(void **state)
{
	char text[] = "dataset data /data database";
	struct scrub *s = table();

	(void)state;
	assert_int_equal(scrub_add(s, "data", 4), 0);
	assert_int_equal(scrub_add(s, "se", 2), 0); /* no identifier */
	scrub_text(s, text, strlen(text));
	assert_memory_equal(text, "dataset ", 8);
	assert_memory_equal(text + 19, "database", 8);
	assert_true(memcmp(text + 8, "data", 4) != 0);
	assert_memory_equal(text + 8, text + 14, 4);
	scrub_free(s);
}

static void the_longest_identifier_wins(void **state)
{
	char text[] = "SN4711ABCD-SPARE0";
	struct scrub *s = table();

	(void)state;
	assert_int_equal(scrub_add(s, "SN4711ABCD", 10), 0);
	assert_int_equal(scrub_add(s, "SN4711ABCD-SPARE0", 17), 0);
	scrub_text(s, text, strlen(text));
	assert_null(strstr(text, "SPARE"));
	assert_int_equal(text[10], '-');
	scrub_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_value_has_the_same_pseudonym),
		cmocka_unit_test(two_tables_do_not_agree),
		cmocka_unit_test(numbers_are_found_as_digits_and_as_bytes),
		cmocka_unit_test(ata_text_is_found_with_its_bytes_swapped),
		cmocka_unit_test(short_names_are_replaced_as_whole_words_only),
		cmocka_unit_test(the_longest_identifier_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
