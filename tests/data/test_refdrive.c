/* test_refdrive.c - the reference drives hold every fact of the table they were made from, and a
 * model is found by what the device calls itself. */
#include "data/refdrive.h"
#include "data/resource.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TABLE "tests/fixtures/reference-drives.csv"
#define COLUMNS 12
#define LINE 1024

enum { MODEL, CAPACITY, INTERFACE, CLASS, PLP, CACHE, TEST, IOPS, BW, AVG, P99, SOURCE };

/* One line of RFC 4180, in place; fields hold no newline. */
static size_t split_csv(char *line, char **field)
{
	size_t n = 0;
	char *in = line, *out = line;
	bool quoted = false;

	field[n++] = out;
	for (; *in && (quoted || (*in != '\n' && *in != '\r')); in++) {
		if (*in == '"' && quoted && in[1] == '"') {
			*out++ = *in++;
		} else if (*in == '"') {
			quoted = !quoted;
		} else if (*in == ',' && !quoted) {
			*out++ = '\0';
			if (n < COLUMNS)
				field[n++] = out;
		} else {
			*out++ = *in;
		}
	}
	*out = '\0';
	return n;
}

static bool same_number(const struct json *j, const char *text)
{
	double v;

	if (!*text)
		return json_is_null(j);
	return json_f64(j, &v) && v == strtod(text, NULL);
}

static bool same_text(const struct json *j, const char *text)
{
	return json_str(j) && strcmp(json_str(j), text) == 0;
}

static bool holds(const struct json *doc, char **f)
{
	const struct json *row = json_first(json_get(doc, "figures"));

	if (!same_text(json_get(doc, "interface"), f[INTERFACE]) ||
		!same_text(json_get(doc, "class"), f[CLASS]) ||
		!same_text(json_get(doc, "plp"), f[PLP]))
		return false;
	for (; row; row = json_next(row))
		if (same_text(json_get(row, "model"), f[MODEL]) &&
			same_number(json_get(row, "capacity_gb"), f[CAPACITY]) &&
			same_text(json_get(row, "write_cache"), f[CACHE]) &&
			same_text(json_get(row, "test"), f[TEST]) &&
			same_number(json_get(row, "iops"), f[IOPS]) &&
			same_number(json_get(row, "bw_mb_s_as_printed"), f[BW]) &&
			same_number(json_get(row, "lat_avg_us"), f[AVG]) &&
			same_number(json_get(row, "lat_p99_us"), f[P99]) &&
			same_text(json_get(row, "source"), f[SOURCE]))
			return true;
	return false;
}

static void every_fact_of_the_table_is_in_a_file(void **state)
{
	static struct json *doc[256];
	char line[LINE], *field[COLUMNS], **names;
	size_t count = 0, rows = 0, figures = 0, found;
	FILE *f = fopen(TABLE, "r");

	(void)state;
	assert_non_null(f);
	assert_int_equal(resource_names("drives", &names, NULL), 0);
	for (; names[count]; count++) {
		assert_true(count < 256);
		assert_int_equal(resource_load("drives", names[count], &doc[count], NULL, NULL), 0);
		figures += json_len(json_get(doc[count], "figures"));
	}
	assert_non_null(fgets(line, sizeof(line), f)); /* the heads */
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(split_csv(line, field), COLUMNS);
		rows++;
		found = 0;
		for (size_t i = 0; i < count; i++)
			found += holds(doc[i], field);
		if (!found)
			fail_msg("no file holds row %zu: %s, %s", rows, field[MODEL], field[TEST]);
	}
	(void)fclose(f);
	assert_int_equal(rows, 203);
	assert_int_equal(figures, rows); /* nothing was added, either */
	for (size_t i = 0; i < count; i++)
		json_free(doc[i]);
	resource_names_free(names);
}

/* "": not found; a '?' in front: ambiguous. */
static void expect(const char *model, const char *name)
{
	struct refdrive *d;
	char got[128] = "";

	assert_int_equal(refdrive_find(model, &d, NULL), 0);
	if (d)
		(void)snprintf(got, sizeof(got), "%s%s", d->ambiguous ? "?" : "", d->name);
	if (strcmp(got, name) != 0)
		fail_msg("'%s' is taken for '%s', not '%s'", model, got, name);
	refdrive_free(d);
}

static void a_model_is_found_by_what_the_device_says(void **state)
{
	(void)state;
	expect("Samsung SSD 850 EVO 250GB", "Samsung 850 EVO");
	expect("Samsung SSD 970 EVO Plus 500GB", "Samsung 970 EVO Plus");
	expect("Samsung SSD 970 EVO 1TB", "Samsung 970 EVO");
	expect("INTEL SSDSC2BA400G3", "Intel DC S3700");
	expect("SAMSUNG MZ7LH7T6HMLA-00005", "Samsung PM883");
	expect("SAMSUNG_MZ7LH7T6HMLA-00005", "Samsung PM883");
	expect("KINGSTON SKC3000S1024G", "Kingston KC3000");
	expect("WDC WDS100T2B0A-00SM50", "WD Blue WDS100T2B0A");
	expect("CT250MX200SSD1", "Crucial MX200");
	expect("Apacer AS340 480GB", "Apacer AS340");
}

static void another_model_is_not_taken_for_one(void **state)
{
	(void)state;
	expect("Samsung SSD 870 EVO 1TB", "");
	expect("Samsung SSD 980 PRO 2TB", "Samsung 980 PRO");
	expect("Samsung SSD 860 QVO 1TB", "");
	expect("ACME 750 GB", "");    /* the Intel 750 is Intel's */
	expect("ST4000NM0035-1V4107", "");
	expect("QEMU HARDDISK", "");
	expect("", "");
	expect(NULL, "");
	expect("2x Kingston DC600M RAID1", ""); /* sets are no models */
}

static void a_cut_string_gives_what_all_that_fit_share(void **state)
{
	(void)state;
	expect("Samsung SSD 850", "?Samsung 850 EVO");  /* or PRO: both are client drives */
	expect("INTEL SSDSC2BA40", "?Intel DC S3700");  /* or S3710 */
	expect("SAMSUNG MZ7LH7T6", "Samsung PM883");
	expect("INTEL SSDSC2B", "");                    /* 13 characters: not cut */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_fact_of_the_table_is_in_a_file),
		cmocka_unit_test(a_model_is_found_by_what_the_device_says),
		cmocka_unit_test(another_model_is_not_taken_for_one),
		cmocka_unit_test(a_cut_string_gives_what_all_that_fit_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
