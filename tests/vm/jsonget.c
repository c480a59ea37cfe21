/* jsonget.c - print values of a JSON document, one a line: the guest of tests/vm has no python.
 *
 *	jsonget FILE KEY...  KEY: drives[3].rotational.claimed; `#` is a length; `drives[path=/dev/sda]`
 *	                     the first element with that member; "" the whole document
 * Strings are printed bare, the rest as JSON, "(absent)" where there is no such key. Status 1: one
 * was absent; 2: no document ("(absent)" is printed for each key).
 */
#include "data/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct json *element(const struct json *arr, const char *which)
{
	char want[256];
	const char *equals = strchr(which, '=');

	if (!equals)
		return json_at(arr, strtoul(which, NULL, 10));
	(void)snprintf(want, sizeof(want), "%.*s", (int)(equals - which), which);
	for (const struct json *e = json_first(arr); e; e = json_next(e)) {
		const char *value = json_str(json_get(e, want));

		if (value && strcmp(value, equals + 1) == 0)
			return e;
	}
	return NULL;
}

/* One step of @key from @j: ".name", "name" or "[which]". *key moves behind it. */
static const struct json *step(const struct json *j, const char **key)
{
	char word[256];
	size_t len;

	if (**key == '[') {
		len = strcspn(*key, "]");
		(void)snprintf(word, sizeof(word), "%.*s", (int)(len - 1), *key + 1);
		*key += len + ((*key)[len] == ']');
		return json_type(j) == JSON_ARRAY ? element(j, word) : NULL;
	}
	*key += **key == '.';
	len = strcspn(*key, ".[");
	(void)snprintf(word, sizeof(word), "%.*s", (int)len, *key);
	*key += len;
	return json_get(j, word);
}

static void print_value(const struct json *j)
{
	const char *text = json_str(j);
	char *doc;

	if (text) {
		(void)puts(text);
		return;
	}
	doc = json_print(j, false);
	(void)puts(doc ? doc : "(no memory)");
	free(doc);
}

/* Returns whether there is such a key. */
static bool print_key(const struct json *doc, const char *key)
{
	const struct json *j = doc;

	while (*key && j) {
		if (strcmp(key, "#") == 0 || strcmp(key, ".#") == 0) {
			(void)printf("%zu\n", json_len(j));
			return true;
		}
		j = step(j, &key);
	}
	if (j)
		print_value(j);
	else
		(void)puts("(absent)");
	return j != NULL;
}

int main(int argc, char **argv)
{
	struct json *doc = NULL;
	struct err err = { 0 };
	int status = 0;

	if (argc < 3) {
		(void)fputs("usage: jsonget FILE KEY...\n", stderr);
		return 2;
	}
	if (json_load(argv[1], JSON_FILE_MAX, &doc, &err) < 0) {
		(void)fprintf(stderr, "jsonget: %s\n", err.msg);
		status = 2;
	}
	for (int i = 2; i < argc; i++)
		if (!print_key(doc, argv[i]) && status == 0)
			status = 1;
	json_free(doc);
	return status;
}
