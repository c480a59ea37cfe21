/* rated.c - what a maker promises. */
#include "data/rated.h"

#include <math.h>
#include <stdio.h>

#include "data/refdrive.h"
#include "data/smart_table.h"

#define DAYS_A_YEAR 365.25
#define CAPACITY_SLACK 0.02 /* 480 GB drives have 480,103,981,056 bytes */

static double number(const struct json *row, const char *key)
{
	double v = NAN;

	(void)json_f64(json_get(row, key), &v);
	return v > 0 ? v : NAN;
}

static bool fits(const struct json *row, const char *model, uint64_t capacity_bytes)
{
	const char *pattern = json_str(json_get(row, "model"));
	double gb = number(row, "capacity_gb");

	if (pattern && !smart_table_match(pattern, model))
		return false;
	return isnan(gb) || fabs((double)capacity_bytes / 1e9 - gb) <= CAPACITY_SLACK * gb;
}

static bool take(const struct json *doc, const char *model, uint64_t capacity_bytes,
	struct rated *ret)
{
	const struct json *row = json_first(json_get(doc, "rated"));
	const char *source = json_str(json_get(doc, "rated_source"));
	double tb;

	while (row && !fits(row, model, capacity_bytes))
		row = json_next(row);
	if (!row)
		return false;
	tb = number(row, "tbw_tb");
	ret->dwpd = number(row, "dwpd");
	ret->years = number(row, "years");
	ret->tbw_bytes = tb * 1e12;
	if (isnan(tb) && capacity_bytes)
		ret->tbw_bytes = ret->dwpd * ret->years * DAYS_A_YEAR * (double)capacity_bytes;
	if (isnan(ret->dwpd) && capacity_bytes)
		ret->dwpd = ret->tbw_bytes / (ret->years * DAYS_A_YEAR * (double)capacity_bytes);
	(void)snprintf(ret->source, sizeof(ret->source), "%s", source ? source : "data/drives");
	return true;
}

int rated_find(const char *model, uint64_t capacity_bytes, struct rated *ret, struct err *reterr)
{
	struct refdrive *ref = NULL;
	struct json *doc = NULL;
	int r;

	*ret = (struct rated){ .tbw_bytes = NAN, .dwpd = NAN, .years = NAN };
	if (!model || !*model)
		return 0;
	r = refdrive_find(model, &ref, reterr);
	if (r < 0)
		return r;
	if (ref && !ref->ambiguous && take(ref->doc, model, capacity_bytes, ret)) {
		refdrive_free(ref);
		return 0;
	}
	refdrive_free(ref);
	r = smart_table_find(model, &doc, reterr);
	if (r == 0 && doc)
		(void)take(doc, model, capacity_bytes, ret);
	json_free(doc);
	return r;
}
