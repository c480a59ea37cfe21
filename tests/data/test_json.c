/* test_json.c - data/json.h: what is refused and where, numbers, locale, building, printing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/json.h"
#include "tests/data/comma_locale.h"

#define LIT(s) (s), sizeof(s) - 1

static struct json *parse_ok(const char *text)
{
	struct json *j = NULL;
	struct err e = ERR_INIT;

	if (json_parse(text, strlen(text), "t", &j, &e) != 0)
		fail_msg("%s: %s", text, e.msg);
	return j;
}

static void names_the_place_of_every_mistake(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *says;
	} rows[] = {
		{ LIT(""), "t:1:1: no JSON in it" },
		{ LIT(" \n\t"), "t:2:2: no JSON in it" },
		{ LIT("\xef\xbb\xbf"), "t:1:1: no JSON in it" },
		{ LIT("{"), "t:1:2: the text ends inside an object" },
		{ LIT("[1,"), "t:1:4: the text ends where a value is expected" },
		{ LIT("[1"), "t:1:3: the text ends inside an array" },
		{ LIT("[1,]"), "t:1:4: a value is expected here" },
		{ LIT("{\"a\":1,}"), "t:1:8: a key in double quotes is expected here" },
		{ LIT("{'a':1}"), "t:1:2: a key in double quotes is expected here" },
		{ LIT("{\"a\" 1}"), "t:1:6: a colon is expected here" },
		{ LIT("{\"a\":1 \"b\":2}"), "t:1:8: a comma or } is expected here" },
		{ LIT("[1 2]"), "t:1:4: a comma or ] is expected here" },
		{ LIT("{}\n\nx"), "t:3:1: text after the end of the document" },
		{ LIT("{} {}"), "t:1:4: text after the end of the document" },
		{ LIT("nul"), "t:1:1: a value is expected here" },
		{ LIT("True"), "t:1:1: a value is expected here" },
		{ LIT("01"), "t:1:1: a number may not start with 0" },
		{ LIT("-"), "t:1:2: a digit is missing in a number" },
		{ LIT("+1"), "t:1:1: a value is expected here" },
		{ LIT("1."), "t:1:3: a digit is missing after the decimal point" },
		{ LIT("1e"), "t:1:3: a digit is missing in an exponent" },
		{ LIT("[0, 1e999]"), "t:1:5: a number outside the range of a double" },
		{ LIT("NaN"), "t:1:1: a value is expected here" },
		{ LIT("1234567890123456789012345678901234567890123456789012345678901234"),
			"t:1:1: a number of more than 63 characters" },
		{ LIT("\"a\nb\""), "t:1:3: control character in a string; escape it" },
		{ LIT("\"abc"), "t:1:1: this string has no end" },
		{ LIT("\"a\\x\""), "t:1:3: unknown escape sequence in a string" },
		{ LIT("\"\\u12g4\""), "t:1:2: \\u needs four hexadecimal digits" },
		{ LIT("\"\\u0000\""), "t:1:2: NUL (\\u0000) in a string" },
		{ LIT("\"\\ud800\""), "t:1:2: half of a surrogate pair in a string" },
		{ LIT("\"\\udc00\""), "t:1:2: half of a surrogate pair in a string" },
		{ LIT("\"\\ud800\\u0041\""), "t:1:2: half of a surrogate pair in a string" },
		{ LIT("\"a\0b\""), "t:1:3: NUL byte" },
		{ LIT("{}\0"), "t:1:3: NUL byte" },
		{ LIT("\0"), "t:1:1: NUL byte" },
		{ LIT("[\"\xc3\xa9\", \"\xc3\"]"), "t:1:8: broken UTF-8" },
		{ LIT("\"\xc0\x80\""), "t:1:2: broken UTF-8" },
		{ LIT("\"\xe0\x80\x80\""), "t:1:2: broken UTF-8" },
		{ LIT("\"\xed\xa0\x80\""), "t:1:2: broken UTF-8" },
		{ LIT("\"\xf4\x90\x80\x80\""), "t:1:2: broken UTF-8" },
		{ LIT("\"\xf5\x80\x80\x80\""), "t:1:2: broken UTF-8" },
		{ LIT("\xff\xfe{"), "t:1:1: broken UTF-8" },
		{ LIT("{\"a\":1,\n \"a\":2}"), "t:2:2: the key \"a\" stands twice" },
		{ LIT("{\"b\":1,\"x\":{\"q\":1,\"\\u0071\":2},\"b\":2}"),
			"t:1:19: the key \"q\" stands twice" },
		{ LIT("[{\"k\":{\"c\":0}},{\"k\":1,\"j\":[{}],\"k\":2}]"),
			"t:1:32: the key \"k\" stands twice" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json *j = (struct json *)&rows;
		struct err e = ERR_INIT;

		if (json_parse(rows[i].text, rows[i].len, "t", &j, &e) != -EBADMSG)
			fail_msg("row %zu was accepted: %s", i, rows[i].text);
		assert_string_equal(e.msg, rows[i].says);
		assert_int_equal(e.kind, ERR_INPUT);
		assert_ptr_equal(j, &rows);
	}
}

static void reads_what_is_json(void **state)
{
	struct json *j = parse_ok("\xef\xbb\xbf {\"s\": \"\\u00e9\\ud83d\\ude00\xc3\xa9\", \"n\": -1.5e2,"
				  " \"t\": true, \"z\": null, \"a\": [1, 2, [3]], \"o\": {\"p\": {\"q\": 7}}}\r\n");
	uint64_t u = 0;
	double d = 0;
	bool b = false;

	(void)state;
	assert_int_equal(json_type(j), JSON_OBJECT);
	assert_int_equal(json_len(j), 6);
	assert_string_equal(json_str(json_get(j, "s")), "\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9");
	assert_true(json_f64(json_get(j, "n"), &d) && d == -150.0);
	assert_true(json_bool(json_get(j, "t"), &b) && b);
	assert_true(json_is_null(json_get(j, "z")));
	assert_true(json_is_null(json_get(j, "absent")));
	assert_null(json_get(j, "S")); /* case matters */
	assert_true(json_u64(json_path(j, "o.p.q"), &u) && u == 7);
	assert_null(json_path(j, "o.x.q"));
	assert_null(json_path(j, "s.x"));
	assert_true(json_u64(json_at(json_get(j, "a"), 1), &u) && u == 2);
	assert_null(json_at(json_get(j, "a"), 3));
	assert_string_equal(json_key(json_first(j)), "s");
	assert_null(json_key(json_first(json_get(j, "a"))));
	assert_null(json_next(json_at(json_get(j, "a"), 2)));
	assert_null(json_get(json_get(j, "a"), "x"));
	assert_false(json_u64(json_get(j, "n"), &u));
	json_free(j);
}

static void takes_nesting_of_200_and_refuses_201(void **state)
{
	char text[402];
	struct json *j;
	struct err e = ERR_INIT;

	(void)state;
	memset(text, '[', 200);
	memset(text + 200, ']', 200);
	assert_int_equal(json_parse(text, 400, "t", &j, &e), 0);
	json_free(j);
	memset(text, '[', 201);
	memset(text + 201, ']', 201);
	assert_int_equal(json_parse(text, 402, "t", &j, &e), -EBADMSG);
	assert_string_equal(e.msg, "t:1:201: nested more than 200 deep");
}

static void reads_whole_numbers_in_both_forms(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t value;
	} rows[] = {
		{ "0", true, 0 },
		{ "-0", true, 0 },
		{ "4503599627370495", true, (UINT64_C(1) << 52) - 1 },
		{ "9007199254740992", true, UINT64_C(1) << 53 },
		{ "9007199254740994", false, 0 },
		{ "1.5", false, 0 },
		{ "-1", false, 0 },
		{ "1e3", true, 1000 },
		{ "\"18446744073709551615\"", true, UINT64_MAX },
		{ "\"18446744073709551616\"", false, 0 },
		{ "\"99999999999999999999\"", false, 0 },
		{ "\"0\"", true, 0 },
		{ "\"007\"", false, 0 },
		{ "\"\"", false, 0 },
		{ "\"-1\"", false, 0 },
		{ "\"1.0\"", false, 0 },
		{ "\" 1\"", false, 0 },
		{ "true", false, 0 },
		{ "null", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json *j = parse_ok(rows[i].text);
		uint64_t u = 77;

		if (json_u64(j, &u) != rows[i].ok)
			fail_msg("%s", rows[i].text);
		assert_true(u == (rows[i].ok ? rows[i].value : 77));
		json_free(j);
	}
}

static void every_integer_survives_a_round_trip(void **state)
{
	uint64_t seed = 42;
	uint64_t edges[] = { 0, 1, (UINT64_C(1) << 52) - 1, UINT64_C(1) << 52, UINT64_C(4504476944824601),
		UINT64_C(1) << 53, UINT64_MAX };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		uint64_t v, back = 0;
		struct json *j, *k;
		char *text;

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		v = i < 7 ? edges[i] : seed >> (seed >> 58);
		j = json_new_u64(v);
		text = json_print(j, false);
		k = parse_ok(text);
		if (!json_u64(k, &back) || back != v)
			fail_msg("%llu became %s", (unsigned long long)v, text);
		free(text);
		json_free(j);
		json_free(k);
	}
}

static void every_double_survives_a_round_trip(void **state)
{
	uint64_t seed = 43;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct json *j, *k;
		double v, back = 0;
		char *text;

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		memcpy(&v, &seed, sizeof(v));
		if (!isfinite(v))
			continue;
		j = json_new_f64(v);
		text = json_print(j, false);
		k = parse_ok(text);
		if (!json_f64(k, &back) || back != v)
			fail_msg("%a became %s", v, text);
		free(text);
		json_free(j);
		json_free(k);
	}
}

static void pretty_text_keeps_lists_of_figures_on_one_line(void **state)
{
	struct json *j = parse_ok("{\"a\":[[1,2],[3,0.1]],\"o\":{\"x\":1,\"y\":null},\"e\":{},\"l\":[],"
				  "\"f\":[{\"s\":\"\\u007f\\\"\\n\"}],\"one\":{\"z\":-0}}");
	char *text = json_print(j, true);

	(void)state;
	assert_string_equal(text, "{\n\t\"a\": [[1, 2], [3, 0.1]],\n\t\"o\": {\"x\": 1, \"y\": null},\n"
				  "\t\"e\": {},\n\t\"l\": [],\n\t\"f\": [\n\t\t{\n\t\t\t\"s\": "
				  "\"\\u007f\\\"\\n\"\n\t\t}\n\t],\n\t\"one\": {\n\t\t\"z\": 0\n\t}\n}\n");
	free(text);
	json_free(j);
}

static void unknown_numbers_are_null(void **state)
{
	struct json *o = json_new_object();
	char *text;

	(void)state;
	assert_int_equal(json_set_f64(o, "a", NAN), 0);
	assert_int_equal(json_set_f64(o, "b", -INFINITY), 0);
	assert_int_equal(json_set_str(o, "c", NULL), 0);
	text = json_print(o, false);
	assert_string_equal(text, "{\"a\":null,\"b\":null,\"c\":null}");
	free(text);
	json_free(o);
}

static void setting_replaces_and_takes(void **state)
{
	struct json *o = json_new_object(), *a = json_new_array();
	char *text;

	(void)state;
	assert_int_equal(json_set_u64(o, "k", 1), 0);
	assert_int_equal(json_set_str(o, "K", "two"), 0);
	assert_int_equal(json_set_str(o, "k", "one"), 0);
	assert_int_equal(json_append(a, json_new_bool(true)), 0);
	assert_int_equal(json_append(a, NULL), -ENOMEM);
	assert_int_equal(json_set(o, "a", a), 0);
	assert_int_equal(json_set(NULL, "a", json_new_null()), -ENOMEM);
	assert_int_equal(json_set(o, "n", NULL), -ENOMEM);
	json_remove(o, "K");
	json_remove(o, "absent");
	text = json_print(o, false);
	assert_string_equal(text, "{\"k\":\"one\",\"a\":[true]}");
	free(text);
	json_free(o);
}

/* What json_free() has to tell apart: nodes of the tree's own memory, of another root's, and of
 * nobody's. What it misses or frees twice is seen by the address sanitizer. */
static void parsed_copied_and_built_values_mix_in_one_tree(void **state)
{
	struct json *j = parse_ok("{\"a\":{\"b\":[1,\"two\",{\"c\":null}]},\"d\":2,\"last\":3}");
	struct json *other = parse_ok("{\"x\":[true,{\"y\":\"z\"}]}"), *list = json_new_array();
	struct json *part, *copy;
	char *text;

	(void)state;
	assert_int_equal(json_set_str(json_get_mut(j, "a"), "built", "text"), 0);
	assert_int_equal(json_append(list, json_copy(json_path(j, "a.b"))), 0);
	assert_int_equal(json_append(list, json_new_str("s")), 0);
	assert_int_equal(json_set(json_get_mut(j, "a"), "list", list), 0);
	assert_int_equal(json_set(j, "d", other), 0); /* in the place of a parsed value */
	assert_int_equal(json_set_u64(json_get_mut(j, "d"), "x2", 9), 0); /* in the other's tree */
	part = json_get_mut(json_get_mut(j, "a"), "b");
	assert_int_equal(json_append(part, json_new_bool(false)), 0);
	json_remove(j, "last");
	assert_int_equal(json_set_u64(j, "new", 4), 0); /* at the end that was removed */
	assert_int_equal(json_len(j), 3);
	copy = json_copy(j);
	json_remove(json_get_mut(j, "a"), "list");
	json_free(j);
	text = json_print(copy, false);
	assert_string_equal(text, "{\"a\":{\"b\":[1,\"two\",{\"c\":null},false],\"built\":\"text\","
		"\"list\":[[1,\"two\",{\"c\":null}],\"s\"]},\"d\":{\"x\":[true,{\"y\":\"z\"}],"
		"\"x2\":9},\"new\":4}");
	free(text);
	json_remove(copy, "a");
	json_remove(copy, "new");
	json_remove(copy, "d");
	assert_int_equal(json_len(copy), 0);
	assert_null(json_first(copy));
	assert_int_equal(json_set_u64(copy, "again", 1), 0);
	json_free(copy);
}

static void values_go_only_into_what_holds_values(void **state)
{
	struct json *list = parse_ok("[1]"), *number = parse_ok("5");

	(void)state;
	assert_int_equal(json_set_u64(list, "k", 1), -EINVAL);
	assert_int_equal(json_append(number, json_new_null()), -EINVAL);
	assert_int_equal(json_set_u64(number, "k", 1), -EINVAL);
	assert_int_equal(json_len(number), 0);
	json_remove(list, "k");
	assert_int_equal(json_len(list), 1);
	json_free(list);
	json_free(number);
}

static void broken_text_becomes_replacement_characters(void **state)
{
	struct json *s = json_new_str("SSD\xff \xc3\xa9\xe2\x82\x01");
	char *text = json_print(s, false);

	(void)state;
	assert_string_equal(text,
		"\"SSD\xef\xbf\xbd \xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\\u0001\"");
	free(text);
	json_free(s);
}

static void the_locale_does_not_matter(void **state)
{
	struct json *j;
	double d = 0;
	char *text;

	(void)state;
	if (!comma_locale_enter())
		skip();
	j = parse_ok("[1.5, 2.25e3]");
	(void)json_f64(json_at(j, 0), &d);
	text = json_print(j, false);
	comma_locale_leave();
	assert_true(d == 1.5);
	assert_string_equal(text, "[1.5,2250]");
	free(text);
	json_free(j);
}

static void loads_files_and_refuses_what_is_none(void **state)
{
	char dir[] = "/tmp/ssdqual-json-XXXXXX", path[64], fifo[64];
	struct json *j = NULL;
	struct err e = ERR_INIT;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/a.json", dir);
	(void)snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(json_load(path, 100, &j, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_INPUT);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fputs("{\"a\": 1}", f);
	(void)fclose(f);
	assert_int_equal(json_load(path, 8, &j, &e), 0);
	json_free(j);
	assert_int_equal(json_load(path, 7, &j, &e), -EFBIG);
	assert_non_null(strstr(e.msg, "7 bytes"));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(json_load(fifo, 100, &j, &e), -EINVAL);
	assert_int_equal(json_load(dir, 100, &j, &e), -EINVAL);
	assert_int_equal(json_load("/dev/null", 100, &j, &e), -EINVAL);
	(void)unlink(path);
	(void)unlink(fifo);
	(void)rmdir(dir);
}

/* Seeded mutations of a document: error or success, and what succeeds prints and parses again. */
static void survives_mutated_text(void **state)
{
	static const char base[] = "{\"format_version\": [1, 0], \"a\": {\"b\": [1.5e3, -2, \"\\u00e9\\n\"],"
				   " \"c\": null}, \"d\": [[], {}, true, false, \"\xf0\x9f\x98\x80\"]}";
	const unsigned first = 1, count = 3000;

	(void)state;
	for (unsigned s = first; s < first + count; s++) {
		char text[sizeof(base)];
		size_t len = sizeof(base) - 1;
		unsigned seed = s;
		struct json *j = NULL, *k = NULL;
		struct err e = ERR_INIT;
		char *again;

		memcpy(text, base, sizeof(base));
		for (int n = rand_r(&seed) % 4; n >= 0; n--) {
			size_t at = (size_t)rand_r(&seed) % len;
			static const char bytes[] = "{}[]\",:\\u0e9\xff\xc3 ";

			if (rand_r(&seed) % 3 == 0)
				text[at] = (char)rand_r(&seed);
			else
				text[at] = bytes[(size_t)rand_r(&seed) % sizeof(bytes)];
		}
		if (rand_r(&seed) % 5 == 0)
			len = (size_t)rand_r(&seed) % len;
		if (json_parse(text, len, "t", &j, &e) != 0) {
			if (e.code != -EBADMSG || strncmp(e.msg, "t:", 2) != 0)
				fail_msg("seed %u: %d %s", s, e.code, e.msg);
			continue;
		}
		again = json_print(j, true);
		if (!again || json_parse(again, strlen(again), "t", &k, &e) != 0)
			fail_msg("seed %u: printed text is refused: %s", s, e.msg);
		free(again);
		json_free(j);
		json_free(k);
	}
}

/* Digits are read as strtod() reads them, to the last bit. */
static void numbers_are_read_exactly(void **state)
{
	static const char *const fixed[] = { "0", "-0", "0.1", "-0.3", "1e22", "1e23", "4.35",
		"999999999999999", "9007199254740993", "123456789012345678", "0.000000000000001",
		"2.2250738585072011e-308", "5e-324", "1.7976931348623157e308", "8.41e21", "0.30000000000000004" };
	unsigned seed = 7;

	(void)state;
	for (size_t i = 0; i < 20000; i++) {
		char text[64];
		struct json *j;
		double got = NAN, want;

		if (i < sizeof(fixed) / sizeof(fixed[0]))
			(void)snprintf(text, sizeof(text), "%s", fixed[i]);
		else if (i % 2)
			(void)snprintf(text, sizeof(text), "%s%d.%0*d", i % 3 ? "" : "-", rand_r(&seed),
				1 + rand_r(&seed) % 9, rand_r(&seed) % 10);
		else
			(void)snprintf(text, sizeof(text), "%.*g", 1 + rand_r(&seed) % 17,
				(rand_r(&seed) + 1.0) / (rand_r(&seed) + 1.0));
		want = strtod(text, NULL);
		assert_int_equal(json_parse(text, strlen(text), "t", &j, NULL), 0);
		assert_true(json_f64(j, &got));
		if (got != want || signbit(got) != signbit(want))
			fail_msg("%s: %.17g, not %.17g", text, got, want);
		json_free(j);
	}
}

static void escapes_are_read(void **state)
{
	static const char text[] = "{\"a\\u00e9\\n\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20AC\\ud83d\\ude00.\"}";
	struct json *j;

	(void)state;
	assert_int_equal(json_parse(text, strlen(text), "t", &j, NULL), 0);
	assert_string_equal(json_str(json_get(j, "a\xc3\xa9\n")),
		"\"\\/\b\f\n\r\t\xe2\x82\xac\xf0\x9f\x98\x80.");
	json_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_place_of_every_mistake),
		cmocka_unit_test(reads_what_is_json),
		cmocka_unit_test(takes_nesting_of_200_and_refuses_201),
		cmocka_unit_test(reads_whole_numbers_in_both_forms),
		cmocka_unit_test(every_integer_survives_a_round_trip),
		cmocka_unit_test(every_double_survives_a_round_trip),
		cmocka_unit_test(pretty_text_keeps_lists_of_figures_on_one_line),
		cmocka_unit_test(unknown_numbers_are_null),
		cmocka_unit_test(setting_replaces_and_takes),
		cmocka_unit_test(parsed_copied_and_built_values_mix_in_one_tree),
		cmocka_unit_test(values_go_only_into_what_holds_values),
		cmocka_unit_test(broken_text_becomes_replacement_characters),
		cmocka_unit_test(the_locale_does_not_matter),
		cmocka_unit_test(loads_files_and_refuses_what_is_none),
		cmocka_unit_test(survives_mutated_text),
		cmocka_unit_test(numbers_are_read_exactly),
		cmocka_unit_test(escapes_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
