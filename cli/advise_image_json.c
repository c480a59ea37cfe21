/* advise_image_json.c - the image section of the advice: what is set, where, and what of it acts. */
#include "cli/advise.h"

#include <math.h>
#include <stdio.h>

#include "data/units.h"

static void set_text(struct json *o, const char *key, const char *s)
{
	if (s != NULL && s[0] != '\0')
		(void)json_set_str(o, key, s);
	else
		(void)json_set_null(o, key);
}

static void set_answer(struct json *o, const char *key, enum answer a)
{
	if (a == ANSWER_UNKNOWN)
		(void)json_set_null(o, key);
	else
		(void)json_set_bool(o, key, a == ANSWER_YES);
}

/* -- options ----------------------------------------------------------------------------------- */

/* Why the option at hand does nothing; "" it acts. */
static const char *without_effect(const struct advise_input *in, int k)
{
	bool memory = k <= OPTION_UNTIL_FLUSH;
	struct qemu_effect q = qemu_cache_effect(in->qemu);
	struct cache_settings s = advise_settings(in);

	if (in->krbd)
		return "krbd: no option of librbd applies";
	if (k == OPTION_CACHE && q.rbd_cache != ANSWER_UNKNOWN &&
	    (q.rbd_cache == ANSWER_YES) != image_option_is_true(&in->config.opt[k]))
		return "QEMU's cache mode overrides it";
	if (k == OPTION_MAX_DIRTY && q.max_dirty_zero)
		return "QEMU's cache=writethrough sets it to 0";
	if (memory && k != OPTION_CACHE && s.under == CACHE_NONE)
		return "rbd_cache is off";
	if ((k == OPTION_SIZE || k == OPTION_TARGET_DIRTY || k == OPTION_AGE) &&
	    s.under == CACHE_WRITEAROUND)
		return "writearound keeps no data: only max_dirty counts";
	if ((k == OPTION_PWL_SIZE || k == OPTION_PWL_PATH) && s.mode < CACHE_PWL_SSD)
		return "PWL is not in use";
	return "";
}

static void set_parsed(struct json *o, int k, const struct image_option *opt)
{
	double d = image_option_bytes(opt);

	if (k == OPTION_CACHE || k == OPTION_UNTIL_FLUSH)
		(void)json_set_bool(o, "parsed", image_option_is_true(opt));
	else if (k == OPTION_SIZE || k == OPTION_MAX_DIRTY || k == OPTION_TARGET_DIRTY ||
		 k == OPTION_PWL_SIZE)
		(void)json_set_f64(o, "parsed", d);
	else if (k == OPTION_AGE && units_parse_f64(opt->value, &d) == 0)
		(void)json_set_f64(o, "parsed", d);
	else
		(void)json_set_str(o, "parsed", opt->value);
}

static struct json *options_json(const struct advise_input *in)
{
	struct json *all = json_new_object();

	for (int k = 0; k < OPTION_COUNT; k++) {
		const struct image_option *opt = &in->config.opt[k];
		struct json *o = json_new_object();
		const char *why = without_effect(in, k);

		(void)json_set_str(o, "value", opt->value);
		set_parsed(o, k, opt);
		(void)json_set_str(o, "source", opt->source[0] != '\0' ? opt->source :
			option_level_word(opt->level));
		(void)json_set_bool(o, "stated", opt->stated);
		(void)json_set_bool(o, "applies", why[0] == '\0');
		set_text(o, "why_not", why);
		(void)json_set(all, option_name[k], o);
	}
	return all;
}

static struct json *effective_json(const struct advise_input *in)
{
	static const char *const word[CACHE_MODE_COUNT] = { [CACHE_NONE] = "none",
		[CACHE_WRITETHROUGH] = "writethrough", [CACHE_WRITEBACK] = "writeback",
		[CACHE_WRITEAROUND] = "writearound", [CACHE_PWL_SSD] = "pwl-ssd",
		[CACHE_PWL_RWL] = "pwl-rwl" };
	struct cache_settings s = advise_settings(in);
	struct json *o = json_new_object();
	char text[128];

	advise_settings_text(in, text, sizeof(text));
	(void)json_set_str(o, "mode", word[s.mode]);
	(void)json_set_str(o, "memory_mode", word[s.under]);
	(void)json_set_str(o, "text", text);
	(void)json_set_bool(o, "rbd_cache", s.under != CACHE_NONE);
	(void)json_set_bool(o, "writethrough_until_flush", s.until_flush &&
		s.under >= CACHE_WRITEBACK);
	(void)json_set_f64(o, "size_bytes", s.under != CACHE_NONE ? s.size_bytes : NAN);
	(void)json_set_f64(o, "max_dirty_bytes", s.under == CACHE_WRITETHROUGH ? 0 :
		s.under != CACHE_NONE ? s.max_dirty_bytes : NAN);
	(void)json_set_f64(o, "target_dirty_bytes", s.under == CACHE_WRITEBACK ?
		s.target_dirty_bytes : NAN);
	(void)json_set_f64(o, "log_bytes", s.mode >= CACHE_PWL_SSD ? s.pwl_bytes : NAN);
	return o;
}

/* -- status, description ----------------------------------------------------------------------- */

static struct json *log_json(const struct rbd_status *s)
{
	struct json *o = json_new_object();
	/* Of an untrusted section nothing is passed on that could be computed with. */
	bool use = s->log == LOG_READ;
	char text[256];

	rbd_status_text(s, text, sizeof(text));
	(void)json_set_str(o, "state", text);
	set_text(o, "problem", s->problem);
	set_text(o, "generation", s->generation);
	set_text(o, "host", s->host);
	set_text(o, "path", s->path);
	set_text(o, "mode", s->mode);
	set_text(o, "stats_timestamp", s->timestamp);
	set_answer(o, "present", use ? s->present : ANSWER_UNKNOWN);
	set_answer(o, "empty", use ? s->empty : ANSWER_UNKNOWN);
	set_answer(o, "clean", use ? s->clean : ANSWER_UNKNOWN);
	set_answer(o, "dirty", rbd_status_dirty(s));
	(void)json_set_f64(o, "size_bytes", use ? s->size_bytes : NAN);
	(void)json_set_f64(o, "allocated_bytes", use ? s->allocated_bytes : NAN);
	(void)json_set_f64(o, "cached_bytes", use ? s->cached_bytes : NAN);
	(void)json_set_f64(o, "dirty_bytes", use ? s->dirty_bytes : NAN);
	(void)json_set_f64(o, "free_bytes", use ? s->free_bytes : NAN);
	(void)json_set_f64(o, "hits_full", use ? s->hits_full : NAN);
	(void)json_set_f64(o, "hits_partial", use ? s->hits_partial : NAN);
	(void)json_set_f64(o, "misses", use ? s->misses : NAN);
	(void)json_set_f64(o, "hits_full_percent", use ? s->hits_full_pct : NAN);
	(void)json_set_f64(o, "hits_partial_percent", use ? s->hits_partial_pct : NAN);
	advise_hit_rate(s, text, sizeof(text));
	(void)json_set_str(o, "hit_rate", text);
	return o;
}

static struct json *names_json(const char (*names)[RBD_INFO_TEXT], size_t n)
{
	struct json *list = json_new_array();

	for (size_t i = 0; i < n; i++)
		(void)json_append(list, json_new_str(names[i]));
	return list;
}

static struct json *info_json(const struct rbd_info *i)
{
	struct json *o = json_new_object();

	set_text(o, "name", i->name);
	(void)json_set_f64(o, "size_bytes", i->size_bytes);
	(void)json_set_f64(o, "object_bytes", i->object_bytes);
	(void)json_set(o, "features", i->features_known ? names_json(i->feature, i->features) :
		json_new_null());
	(void)json_set(o, "op_features", names_json(i->op_feature, i->op_features));
	set_answer(o, "exclusive_lock", rbd_info_feature(i, "exclusive-lock"));
	(void)json_set_f64(o, "snapshots", i->snapshots);
	set_text(o, "parent", i->parent);
	set_text(o, "data_pool", i->data_pool);
	set_text(o, "encryption_format", i->encryption);
	set_answer(o, "mirroring", i->mirroring);
	(void)json_set_u64(o, "refresh_reads", i->refresh_reads);
	return o;
}

/* -- QEMU, librbd ------------------------------------------------------------------------------ */

static void set_qemu_effect(struct json *o, enum qemu_cache c)
{
	struct qemu_effect q = qemu_cache_effect(c);
	char text[96];

	set_answer(o, "rbd_cache", q.rbd_cache);
	(void)json_set_f64(o, "max_dirty_bytes", q.max_dirty_zero ? 0 : NAN);
	(void)json_set_bool(o, "flushes_ignored", q.flushes_ignored);
	snprintf(text, sizeof(text), "rbd_cache effective %s%s%s", q.rbd_cache == ANSWER_UNKNOWN ?
		"unknown" : q.rbd_cache == ANSWER_YES ? "true" : "false", q.max_dirty_zero ?
		" with max_dirty 0" : "", q.flushes_ignored ? ", critical (flushes ignored)" : "");
	(void)json_set_str(o, "text", text);
}

static struct json *qemu_json(const struct advise_inputs *i)
{
	struct json *o = json_new_object(), *list = json_new_array();
	const struct vm_config *vm = i->in.vm;

	(void)json_set_str(o, "cache", qemu_cache_word(i->in.qemu));
	set_qemu_effect(o, i->in.qemu);
	set_text(o, "source", vm != NULL ? i->image.qemu_source : i->in.qemu !=
		QEMU_CACHE_UNKNOWN ? "stated" : "");
	for (size_t k = 0; vm != NULL && k < vm->disks; k++) {
		const struct vm_disk *d = &vm->disk[k];
		struct json *m = json_new_object();

		(void)json_set_str(m, "name", d->name);
		set_text(m, "image", d->image);
		(void)json_set_str(m, "cache", qemu_cache_word(d->cache));
		(void)json_set_bool(m, "default", !d->stated);
		set_qemu_effect(m, d->cache);
		(void)json_append(list, m);
	}
	(void)json_set(o, "disks", list);
	return o;
}

static struct json *librbd_json(const struct advise_inputs *i)
{
	const struct advise_image *m = &i->image;
	struct json *o = json_new_object();
	char release[48];

	snprintf(release, sizeof(release), "%u.%u.%u", i->in.release.major, i->in.release.minor,
		i->in.release.patch);
	(void)json_set_str(o, "release", release);
	(void)json_set_bool(o, "release_known", i->in.release_stated);
	set_text(o, "release_source", m->release_source);
	(void)json_set_str(o, "distribution", distribution_word(i->in.distribution));
	set_text(o, "package", m->package);
	set_text(o, "loaded", m->librbd);
	set_answer(o, "pwl_plugin", i->in.plugin_file);
	set_text(o, "pwl_plugin_file", m->host.plugin);
	return o;
}

static struct json *mappings_json(const struct rbd_host *h)
{
	struct json *list = json_new_array();

	for (size_t k = 0; k < h->mappings; k++) {
		struct json *o = json_new_object();

		(void)json_set_str(o, "device", h->mapping[k].device);
		(void)json_set_str(o, "image", h->mapping[k].image);
		(void)json_append(list, o);
	}
	return list;
}

static struct json *lost_json(const struct advise_inputs *i)
{
	struct step steps[4];
	size_t n = advise_lost_log(&i->in, steps, 4);
	struct json *o;

	if (n == 0)
		return json_new_null();
	o = json_new_object();
	(void)json_set_str(o, "loss", "all that the guest has synced and the log has not written "
		"back; the image falls back to an older state");
	(void)json_set(o, "steps", advise_steps_json(steps, n));
	return o;
}

struct json *advise_image_json(const struct advise_inputs *i)
{
	const struct advise_input *in = &i->in;
	const struct advise_image *m = &i->image;
	struct json *o = json_new_object(), *list = json_new_array();
	struct pwl_effect e;

	advise_pwl_effect(in, &e);
	set_text(o, "name", m->name);
	(void)json_set_str(o, "path", in->krbd ? "krbd" : "librbd");
	(void)json_set(o, "options", options_json(in));
	set_text(o, "options_source", m->config_source);
	set_text(o, "obsolete_options", in->config.obsolete);
	(void)json_set(o, "effective", effective_json(in));
	(void)json_set_str(o, "pwl_effective", pwl_use_word(e.use));
	(void)json_set_str(o, "pwl_reason", e.reason);
	(void)json_set(o, "persistent_cache", m->has_status ? log_json(&m->status) :
		json_new_null());
	if (m->has_status && m->status.watchers_known)
		(void)json_set_u64(o, "watchers", m->status.watchers);
	else
		(void)json_set_null(o, "watchers");
	for (size_t k = 0; k < m->status.watchers && k < RBD_STATUS_WATCHERS; k++)
		(void)json_append(list, json_new_str(m->status.watcher[k]));
	(void)json_set(o, "watcher_addresses", list);
	(void)json_set(o, "info", m->has_info ? info_json(&m->info) : json_new_null());
	(void)json_set(o, "qemu", qemu_json(i));
	(void)json_set(o, "librbd", librbd_json(i));
	(void)json_set(o, "krbd", m->has_host ? mappings_json(&m->host) : json_new_null());
	(void)json_set(o, "cache_device_lost", lost_json(i));
	(void)json_set(o, "findings", advise_notes_json(&i->findings));
	return o;
}
