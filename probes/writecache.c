/* writecache.c - reads the drive's and the kernel's side, words and records them. */
#include "probes/writecache.h"

#include "data/json.h"
#include "probes/writecache_drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *wc_drive_word(enum wc_drive d)
{
	static const char *const words[] = {
		[WC_DRIVE_UNKNOWN] = NULL, [WC_DRIVE_ON] = "on", [WC_DRIVE_OFF] = "off",
		[WC_DRIVE_NONE] = "none", [WC_DRIVE_UNSUPPORTED] = "unsupported",
	};

	return (unsigned)d < sizeof(words) / sizeof(words[0]) ? words[d] : NULL;
}

const char *wc_kernel_word(enum wc_kernel k)
{
	return k == WC_KERNEL_BACK ? "write back" : k == WC_KERNEL_THROUGH ? "write through" : NULL;
}

/* sd prints "write through", "none" (no read cache either), "write back" and "write back, no read
 * (daft)"; whether flushes are sent is all that matters here. */
static enum wc_kernel kernel_of(const char *text)
{
	if (strncmp(text, "write back", 10) == 0)
		return WC_KERNEL_BACK;
	if (strcmp(text, "write through") == 0 || strcmp(text, "none") == 0)
		return WC_KERNEL_THROUGH;
	return WC_KERNEL_UNKNOWN;
}

void wc_read_kernel(const struct wc_dev *d, struct wc_state *s)
{
	char text[64];

	s->cache_type = s->queue = WC_KERNEL_UNKNOWN;
	s->fua = FACT_UNKNOWN;
	if (!d->kernel)
		return;
	if (d->kernel->read(d->kernel_ctx, WC_ATTR_CACHE_TYPE, text, sizeof(text)) == 0)
		s->cache_type = kernel_of(text);
	if (d->kernel->read(d->kernel_ctx, WC_ATTR_QUEUE, text, sizeof(text)) == 0)
		s->queue = kernel_of(text);
	if (d->kernel->read(d->kernel_ctx, WC_ATTR_FUA, text, sizeof(text)) == 0 &&
	    (strcmp(text, "0") == 0 || strcmp(text, "1") == 0))
		s->fua = fact_of(text[0] == '1');
}

int wc_read(const struct wc_dev *d, struct wc_state *ret, struct err *reterr)
{
	struct wc_state s = { .method = WC_BY_NOTHING };
	int rc = wc_read_drive(d, &s, reterr);

	if (rc < 0)
		return rc;
	wc_read_kernel(d, &s);
	*ret = s;
	return 0;
}

const char *wc_mismatch(const struct wc_state *s, bool *ret_dangerous)
{
	bool off = s->drive == WC_DRIVE_OFF || s->drive == WC_DRIVE_NONE;
	enum wc_kernel queue = s->queue ? s->queue : s->cache_type;

	*ret_dangerous = s->drive == WC_DRIVE_ON && queue == WC_KERNEL_THROUGH;
	if (*ret_dangerous)
		return "the drive's cache is on but the kernel sends no flush: acknowledged writes "
			"are lost with the power; write \"write back\" to queue/write_cache, or "
			"turn the cache off";
	if (s->drive == WC_DRIVE_ON && s->cache_type == WC_KERNEL_THROUGH)
		return "sd believes that the cache is off while it is on; flushes are still sent, "
			"but the next rescan may stop them; write \"write back\" to "
			"scsi_disk/*/cache_type";
	if (off && s->cache_type == WC_KERNEL_BACK)
		return "the drive's cache is off but every flush is still sent (safe, slower); "
			"write \"write through\" to scsi_disk/*/cache_type so that the kernel "
			"agrees";
	if (off && queue == WC_KERNEL_BACK)
		return s->method == WC_BY_NVME ?
			"the drive's cache is off but the kernel still sends flushes (safe; the "
			"drive ends them at once): Linux does not follow feature 06h, leave it so" :
			"the drive's cache is off but the kernel still sends flushes (safe, "
			"slower)";
	return NULL;
}

/* -- the record ----------------------------------------------------------------------------- */

static const char *const method_words[] = {
	[WC_BY_NOTHING] = NULL, [WC_BY_ATA] = "ata", [WC_BY_SCSI] = "scsi", [WC_BY_NVME] = "nvme",
};

static void set_fact(struct json *o, const char *key, enum fact f)
{
	if (f == FACT_UNKNOWN)
		(void)json_set_null(o, key); /* memory is checked once, by the caller */
	else
		(void)json_set_bool(o, key, f == FACT_YES);
}

struct json *wc_state_json(const struct wc_state *s)
{
	struct json *o = json_new_object();

	if (!o)
		return NULL;
	(void)json_set_str(o, "drive", wc_drive_word(s->drive));
	/* Where sd has a view of its own it is the kernel's; elsewhere the queue's is. */
	(void)json_set_str(o, "kernel", wc_kernel_word(s->cache_type ? s->cache_type : s->queue));
	(void)json_set_str(o, "queue", wc_kernel_word(s->queue));
	set_fact(o, "fua", s->fua);
	(void)json_set_str(o, "cache_type", wc_kernel_word(s->cache_type));
	set_fact(o, "saved", s->saved);
	set_fact(o, "default", s->initial);
	(void)json_set_bool(o, "saveable", s->saveable);
	(void)json_set_bool(o, "read_cache_disabled", s->rcd);
	(void)json_set_str(o, "method", method_words[s->method]);
	if (json_set_str(o, "why", s->why[0] ? s->why : NULL) < 0) {
		json_free(o);
		return NULL;
	}
	return o;
}

/* Index of the word at @key in @words; the index of NULL for null; -EBADMSG for other words. */
static int word_index(const struct json *j, const char *key, const char *const *words, int count)
{
	const struct json *v = json_get(j, key);
	int i;

	if (json_is_null(v))
		return 0;
	for (i = 1; i < count; i++)
		if (json_str(v) && strcmp(json_str(v), words[i]) == 0)
			return i;
	return -EBADMSG;
}

static enum fact get_fact(const struct json *j, const char *key)
{
	bool v;

	return json_bool(json_get(j, key), &v) ? fact_of(v) : FACT_UNKNOWN;
}

int wc_state_from_json(const struct json *j, struct wc_state *ret, struct err *reterr)
{
	static const char *const drives[] = { NULL, "on", "off", "none", "unsupported" };
	static const char *const kernels[] = { NULL, "write back", "write through" };
	int method = word_index(j, "method", method_words, 4);
	int drive = word_index(j, "drive", drives, 5);
	int cache_type = word_index(j, "cache_type", kernels, 3);
	int queue = word_index(j, "queue", kernels, 3);
	struct wc_state s = { .method = WC_BY_NOTHING };
	const char *why = json_str(json_get(j, "why"));

	if (json_type(j) != JSON_OBJECT || method < 0 || drive < 0 || cache_type < 0 || queue < 0)
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"write cache record: unknown word in \"%s\"; made by another version",
			method < 0 ? "method" : drive < 0 ? "drive" : queue < 0 ? "queue" :
			"cache_type");
	s.method = (enum wc_method)method;
	s.drive = (enum wc_drive)drive;
	s.cache_type = (enum wc_kernel)cache_type;
	s.queue = (enum wc_kernel)queue;
	s.fua = get_fact(j, "fua");
	s.saved = get_fact(j, "saved");
	s.initial = get_fact(j, "default");
	s.saveable = get_fact(j, "saveable") == FACT_YES;
	s.rcd = get_fact(j, "read_cache_disabled") == FACT_YES;
	(void)snprintf(s.why, sizeof(s.why), "%s", why ? why : ""); /* may be cut */
	*ret = s;
	return 0;
}
