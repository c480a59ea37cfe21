/* test_schema.c - data/schema.h: each keyword, both ways; tests/cli/validate.sh compares whole
 * documents with python3-jsonschema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "data/schema.h"

static struct json *parse(const char *text)
{
	struct json *j = NULL;
	struct err e = ERR_INIT;

	if (json_parse(text, strlen(text), "t", &j, &e) != 0)
		fail_msg("%s: %s", text, e.msg);
	return j;
}

struct row {
	const char *schema, *doc;
	const char *says; /* the one complaint; NULL: none */
};

static const struct row rows[] = {
	{ "true", "1", NULL },
	{ "false", "1", "the document: is not allowed here" },
	{ "{\"type\":\"integer\"}", "1", NULL },
	{ "{\"type\":\"integer\"}", "1.0", NULL },
	{ "{\"type\":\"integer\"}", "1.5", "the document: must be of type integer" },
	{ "{\"type\":\"integer\"}", "true", "the document: must be of type integer" },
	{ "{\"type\":\"number\"}", "1", NULL },
	{ "{\"type\":\"number\"}", "\"1\"", "the document: must be of type number" },
	{ "{\"type\":[\"string\",\"null\"]}", "null", NULL },
	{ "{\"type\":[\"string\",\"null\"]}", "0",
		"the document: must be of a type of [\"string\",\"null\"]" },
	{ "{\"enum\":[1,\"a\",null]}", "1.0", NULL },
	{ "{\"enum\":[1,\"a\",null]}", "true", "the document: must be one of [1,\"a\",null]" },
	{ "{\"const\":{\"a\":[1,2],\"b\":null}}", "{\"b\":null,\"a\":[1,2]}", NULL },
	{ "{\"const\":{\"a\":[1,2]}}", "{\"a\":[2,1]}", "the document: must be {\"a\":[1,2]}" },
	{ "{\"const\":{\"a\":1}}", "{\"b\":1}", "the document: must be {\"a\":1}" },
	{ "{\"const\":false}", "0", "the document: must be false" },
	{ "{\"minimum\":0}", "0", NULL },
	{ "{\"minimum\":0}", "-1", "the document: must not be below 0" },
	{ "{\"minimum\":0}", "\"x\"", NULL },
	{ "{\"maximum\":5}", "5", NULL },
	{ "{\"maximum\":5}", "5.1", "the document: must not be above 5" },
	{ "{\"exclusiveMinimum\":0}", "0", "the document: must be above 0" },
	{ "{\"exclusiveMinimum\":0}", "0.1", NULL },
	{ "{\"exclusiveMaximum\":5}", "5", "the document: must be below 5" },
	{ "{\"exclusiveMaximum\":5}", "4.9", NULL },
	{ "{\"minLength\":2}", "\"\xc3\xa9\"", "the document: must have at least this many characters: 2" },
	{ "{\"minLength\":2}", "\"\xc3\xa9x\"", NULL },
	{ "{\"minLength\":2}", "[]", NULL },
	{ "{\"pattern\":\"^[a-z]+$\"}", "\"abc\"", NULL },
	{ "{\"pattern\":\"^[a-z]+$\"}", "\"aBc\"", "the document: must match ^[a-z]+$" },
	{ "{\"pattern\":\"b\"}", "\"abc\"", NULL },
	{ "{\"pattern\":\"^[a-z]+$\"}", "5", NULL },
	{ "{\"required\":[\"a\"]}", "{\"a\":null}", NULL },
	{ "{\"required\":[\"a\"]}", "{\"A\":1}", "the document: lacks the key a" },
	{ "{\"required\":[\"a\"]}", "[]", NULL },
	{ "{\"properties\":{\"a\":{\"type\":\"null\"}}}", "{\"b\":1}", NULL },
	{ "{\"properties\":{\"a/b~\":{\"type\":\"null\"}}}", "{\"a/b~\":1}",
		"/a~1b~0: must be of type null" },
	{ "{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"a\":1}", NULL },
	{ "{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"a\":1,\"b\":2}",
		"/b: is not allowed here" },
	{ "{\"additionalProperties\":{\"type\":\"number\"}}", "{\"b\":\"2\"}",
		"/b: must be of type number" },
	{ "{\"items\":{\"minimum\":2}}", "[2,3]", NULL },
	{ "{\"items\":{\"minimum\":2}}", "[2,1]", "/1: must not be below 2" },
	{ "{\"items\":{\"minimum\":2}}", "{}", NULL },
	{ "{\"prefixItems\":[{\"const\":1},{\"const\":2}]}", "[1]", NULL },
	{ "{\"prefixItems\":[{\"const\":1},{\"const\":2}]}", "[1,3]", "/1: must be 2" },
	{ "{\"prefixItems\":[{\"const\":1}],\"items\":{\"const\":9}}", "[1,9,9]", NULL },
	{ "{\"prefixItems\":[{\"const\":1}],\"items\":{\"const\":9}}", "[1,9,1]", "/2: must be 9" },
	{ "{\"minItems\":2}", "[1]", "the document: has fewer elements than 2" },
	{ "{\"minItems\":2}", "[1,2]", NULL },
	{ "{\"minItems\":2}", "{}", NULL },
	{ "{\"maxItems\":1}", "[1,2]", "the document: has more elements than 1" },
	{ "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "4", NULL },
	{ "{\"anyOf\":[{\"type\":\"null\"},{\"minimum\":3}]}", "2",
		"the document: is none of the forms that are allowed here" },
	{ "{\"oneOf\":[{\"minimum\":1},{\"minimum\":3}]}", "2", NULL },
	{ "{\"oneOf\":[{\"minimum\":1},{\"minimum\":3}]}", "4",
		"the document: must be exactly one of the forms that are allowed here" },
	{ "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "2", NULL },
	{ "{\"allOf\":[{\"minimum\":1},{\"maximum\":3}]}", "4", "the document: must not be above 3" },
	{ "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":9},\"else\":{\"const\":0}}", "7", NULL },
	{ "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":9},\"else\":{\"const\":0}}", "10",
		"the document: must not be above 9" },
	{ "{\"if\":{\"minimum\":5},\"then\":{\"maximum\":9},\"else\":{\"const\":0}}", "1",
		"the document: must be 0" },
	{ "{\"if\":{\"minimum\":5}}", "1", NULL },
	{ "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"null\"}}}", "1",
		"the document: must be of type null" },
	{ "{\"properties\":{\"n\":{\"$ref\":\"#\"}},\"required\":[\"v\"]}", "{\"v\":1,\"n\":{\"v\":1}}",
		NULL },
	{ "{\"properties\":{\"n\":{\"$ref\":\"#\"}},\"required\":[\"v\"]}", "{\"v\":1,\"n\":{\"n\":1}}",
		"/n: lacks the key v" },
	{ "{\"$schema\":\"s\",\"$id\":\"i\",\"$comment\":\"c\",\"title\":\"t\",\"description\":\"d\"}",
		"[]", NULL },
};

static void each_keyword_does_what_the_standard_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct json *schema = parse(rows[i].schema), *doc = parse(rows[i].doc);
		struct complaints c = COMPLAINTS_INIT;
		struct err e = ERR_INIT;

		if (schema_check(schema, doc, &c, &e) != 0)
			fail_msg("row %zu: %s", i, e.msg);
		if (!rows[i].says && c.count)
			fail_msg("row %zu: %s", i, c.line[0]);
		if (rows[i].says && c.count != 1)
			fail_msg("row %zu: %zu complaints", i, c.count);
		if (rows[i].says)
			assert_string_equal(c.line[0], rows[i].says);
		complaints_done(&c);
		json_free(schema);
		json_free(doc);
	}
}

static void a_schema_with_anything_else_is_refused(void **state)
{
	static const char *const schemas[] = {
		"{\"format\":\"date\"}",
		"{\"properties\":{\"x\":{\"minimun\":1}}}",
		"{\"$defs\":{\"unused\":{\"dependentRequired\":{}}}}",
		"{\"items\":[{\"type\":\"null\"}]}",
		"{\"anyOf\":[true,{\"not\":{}}]}",
		"{\"then\":{\"uniqueItems\":true}}",
		"{\"type\":\"object\",\"additionalProperties\":{\"x-ours\":1}}",
		"[]",
		"{\"$ref\":\"#/$defs/absent\"}",
		"{\"$ref\":\"other.json\"}",
		"{\"$ref\":\"#\"}",
		"{\"allOf\":[{\"$ref\":\"#\"}]}",
		"{\"pattern\":\"(\"}",
		"{\"minimum\":\"1\"}",
		"{\"minLength\":-1}",
		"{\"type\":\"text\"}",
		"{\"type\":[\"null\",1]}",
		"{\"$defs\":{\"unused\":{\"pattern\":\"(\"}}}",
		"{\"\":true}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		struct json *schema = parse(schemas[i]);
		struct json *doc = parse(strstr(schemas[i], "minimum") ? "1" : "\"text\"");
		struct complaints c = COMPLAINTS_INIT;
		struct err e = ERR_INIT;

		if (schema_check(schema, doc, &c, &e) != -EINVAL)
			fail_msg("%s was accepted", schemas[i]);
		assert_int_equal(e.kind, ERR_INTERNAL);
		complaints_done(&c);
		json_free(schema);
		json_free(doc);
	}
}

static void a_schema_made_ready_examines_many_documents(void **state)
{
	struct json *source = parse("{\"properties\":{\"n\":{\"$ref\":\"#\"},\"a\":{\"minimum\":1}},"
				    "\"required\":[\"a\"]}");
	struct schema *s = NULL;
	static const struct {
		const char *doc, *says;
	} documents[] = {
		{ "{\"a\":1}", NULL },
		{ "{\"a\":0}", "/a: must not be below 1" },
		{ "{\"n\":{\"x\":1,\"a\":0},\"a\":2}", "/n/a: must not be below 1" }, /* in any order */
		{ "{\"b\":1}", "the document: lacks the key a" },
		{ "{\"a\":1,\"n\":{\"a\":1}}", NULL },
	};

	(void)state;
	assert_int_equal(schema_new(source, &s, NULL), 0);
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		struct json *doc = parse(documents[i].doc);
		struct complaints c = COMPLAINTS_INIT;

		assert_int_equal(schema_examine(s, doc, &c, NULL), 0);
		assert_int_equal(c.count, documents[i].says ? 1 : 0);
		if (documents[i].says)
			assert_string_equal(c.line[0], documents[i].says);
		complaints_done(&c);
		json_free(doc);
	}
	schema_free(s);
	schema_free(NULL);
	json_free(source);
}

static void complaints_are_kept_up_to_a_limit_and_counted_beyond(void **state)
{
	struct complaints c = COMPLAINTS_INIT;

	(void)state;
	for (int i = 0; i < COMPLAINTS_MAX + 5; i++)
		complaints_add(&c, "/a/%d: wrong", i);
	assert_int_equal(c.count, COMPLAINTS_MAX);
	assert_int_equal(c.uncounted, 5);
	assert_string_equal(c.line[1], "/a/1: wrong");
	assert_true(complaints_about(&c, "/a/1"));
	assert_true(complaints_about(&c, "/a"));
	assert_false(complaints_about(&c, "/a/9999"));
	assert_false(complaints_about(&c, "/"));
	complaints_done(&c);
	assert_int_equal(c.count, 0);
	complaints_done(&c);
}

static void a_long_path_is_cut_and_not_overrun(void **state)
{
	enum { DEPTH = 150 };
	char doc[DEPTH * 12 + 8] = "";
	struct json *schema = parse("{\"properties\":{\"~~~~~~\":{\"$ref\":\"#\"}},"
				    "\"type\":\"object\"}");
	struct json *j;
	struct complaints c = COMPLAINTS_INIT;
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		strcat(doc, "{\"~~~~~~\":");
	strcat(doc, "1");
	for (int i = 0; i < DEPTH; i++)
		strcat(doc, "}");
	j = parse(doc);
	assert_int_equal(schema_check(schema, j, &c, &e), 0);
	assert_int_equal(c.count, 1);
	assert_non_null(strstr(c.line[0], ": must be of type object"));
	complaints_done(&c);
	json_free(schema);
	json_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_keyword_does_what_the_standard_says),
		cmocka_unit_test(a_schema_with_anything_else_is_refused),
		cmocka_unit_test(a_schema_made_ready_examines_many_documents),
		cmocka_unit_test(complaints_are_kept_up_to_a_limit_and_counted_beyond),
		cmocka_unit_test(a_long_path_is_cut_and_not_overrun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
