/* perf_dump.c - reading a client's counters. */
#include "policies/perf_dump.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/rbd_input.h"

static const char image_prefix[] = "librbd-", log_prefix[] = "librbd-pwl-";

static double number(const struct json *set, const char *key)
{
	const struct json *j = json_get(set, key);
	uint64_t u;
	double d;

	if (json_u64(j, &u))
		return (double)u;
	return json_f64(j, &d) && d >= 0 ? d : NAN;
}

static struct perf_time time_of(const struct json *set, const char *key)
{
	const struct json *j = json_get(set, key);

	return (struct perf_time){ number(j, "avgcount"), number(j, "sum") };
}

static bool is_log(const char *key)
{
	return strncmp(key, log_prefix, sizeof(log_prefix) - 1) == 0;
}

static bool is_image(const char *key)
{
	return strncmp(key, image_prefix, sizeof(image_prefix) - 1) == 0 && !is_log(key);
}

/* "librbd-ID-POOL-IMAGE" of "POOL/IMAGE"; pools and images may have dashes themselves. */
static bool is_set_of(const char *key, const char *image)
{
	size_t key_len = strlen(key), len = strlen(image);
	const char *tail = key + key_len - len;

	if (key_len <= len + 1 || tail[-1] != '-')
		return false;
	for (size_t i = 0; i < len; i++)
		if (tail[i] != image[i] && !(image[i] == '/' && tail[i] == '-'))
			return false;
	return true;
}

static double busy(const struct json *set)
{
	struct perf_time w = time_of(set, "wr_latency"), f = time_of(set, "flush_latency");

	return (isnan(w.count) ? 0 : w.count) + (isnan(f.count) ? 0 : f.count);
}

static const struct json *find_image(const struct json *doc, const char *image,
	struct perf_dump *d)
{
	const struct json *found = NULL;

	for (const struct json *set = json_first(doc); set != NULL; set = json_next(set)) {
		if (!is_image(json_key(set)) || json_type(set) != JSON_OBJECT)
			continue;
		d->images++;
		if (image != NULL ? is_set_of(json_key(set), image) :
		    found == NULL || busy(set) > busy(found))
			found = set;
	}
	return found;
}

static void read_log(struct perf_dump *d, const struct json *doc)
{
	char key[PERF_NAME_MAX + 8];
	const struct json *set;

	snprintf(key, sizeof(key), "%s%s", log_prefix, d->name + sizeof(image_prefix) - 1);
	set = json_get(doc, key);
	d->has_pwl = json_type(set) == JSON_OBJECT;
	d->pwl_wr = number(set, "wr");
	d->deferred = number(set, "wr_def");
	d->aio_flush = number(set, "aio_flush");
	d->aio_flush_lat = time_of(set, "aio_flush_lat");
	d->writeback_lat = time_of(set, "writeback_lat");
	d->append = time_of(set, "op_app_to_appc_t");
}

int perf_dump_parse(const struct json *doc, const char *image, const char *file,
	struct perf_dump *ret, struct err *reterr)
{
	const struct json *set, *objecter = json_get(doc, "objecter");
	int r = rbd_input_expect(doc, RBD_INPUT_PERF, file, reterr);

	*ret = (struct perf_dump){ .name = "" };
	if (r < 0)
		return r;
	set = json_type(doc) == JSON_OBJECT ? find_image(doc, image, ret) : NULL;
	if (set == NULL)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: no counters of %s in it (%zu images); "
			"ask the socket of the client that has it open: `%s`", file,
			image != NULL ? image : "an image", ret->images,
			rbd_input_command(RBD_INPUT_PERF));
	snprintf(ret->name, sizeof(ret->name), "%s", json_key(set));
	ret->wr = number(set, "wr");
	ret->flush = number(set, "flush");
	ret->notify = number(set, "notify");
	ret->opened_time = number(set, "opened_time");
	ret->lock_time = number(set, "lock_acquired_time");
	ret->wr_latency = time_of(set, "wr_latency");
	ret->flush_latency = time_of(set, "flush_latency");
	read_log(ret, doc);
	ret->op_r = number(objecter, "op_r");
	ret->op_w = number(objecter, "op_w");
	ret->op_latency = time_of(objecter, "op_latency");
	return 0;
}
