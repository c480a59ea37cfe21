/* advise_pwl.c - the persistent write log of an image: is it in use, what does it hold, what is
 * wrong with it.
 *
 * PWL is used when all of this holds: librbd (not krbd) opens the image; its mode is set; the
 * plugin is named and its file is there; the image has exclusive-lock, is of format 2, not being
 * migrated and not journaled. Sources: ceph doc/rbd/rbd-persistent-write-log-cache.rst;
 * src/librbd/cache/pwl/ImageCacheState.cc, create_image_cache_state; image/OpenRequest.cc.
 */
#include "policies/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char source_doc[] = "ceph doc/rbd/rbd-persistent-write-log-cache.rst";
static const char source_state[] = "ceph src/librbd/cache/pwl/ImageCacheState.cc";

const char *pwl_use_word(enum pwl_use u)
{
	static const char *const word[] = { "off", "on", "breaks", "undecided" };

	return word[u];
}

static bool has_mode(const struct advise_input *in)
{
	return strcmp(in->config.opt[OPTION_PWL_MODE].value, "disabled") != 0;
}

static bool has_plugin(const struct advise_input *in)
{
	return settings_has_plugin(in->config.opt[OPTION_PLUGINS].value, "pwl_cache");
}

static bool lacks_file(const struct advise_input *in)
{
	return in->plugin_file == ANSWER_NO ||
		(in->plugin_file == ANSWER_UNKNOWN && in->distribution == DISTRIBUTION_DEBIAN);
}

/* What the image itself forbids; "" nothing that is known. */
static const char *image_forbids(const struct rbd_info *i)
{
	if (i == NULL)
		return "";
	if (i->format == 1)
		return "the image is of format 1";
	if (rbd_info_feature(i, "exclusive-lock") == ANSWER_NO)
		return "exclusive-lock missing";
	if (rbd_info_feature(i, "journaling") == ANSWER_YES)
		return "the journaling feature is on";
	if (i->migration == ANSWER_YES)
		return "the image is being migrated";
	return "";
}

void advise_pwl_effect(const struct advise_input *in, struct pwl_effect *ret)
{
	const char *reason = "", *mode = in->config.opt[OPTION_PWL_MODE].value;
	enum pwl_use use = PWL_OFF;

	if (in->krbd)
		reason = "mapped by the kernel (krbd), which has no PWL";
	else if (in->config.obsolete[0] != '\0' && !in->config.opt[OPTION_PWL_MODE].stated) {
		use = PWL_UNDECIDED;
		reason = "cannot be decided from these options: obsolete names only";
	} else if (!in->config_known && !in->config.opt[OPTION_PWL_MODE].stated &&
		   !in->config.opt[OPTION_PLUGINS].stated) {
		use = PWL_UNDECIDED;
		reason = in->status != NULL && in->status->log == LOG_READ ? "its options are not "
			"given; the status shows a log" : "its options are not given";
	} else if (!has_mode(in))
		reason = "rbd_persistent_cache_mode is disabled";
	else if (!has_plugin(in))
		reason = "rbd_plugins lacks pwl_cache";
	else if (lacks_file(in)) {
		use = PWL_BREAKS;
		reason = "the plugin's file is missing: the image does not open at all";
	} else if (image_forbids(in->info)[0] != '\0')
		reason = image_forbids(in->info);
	else {
		use = PWL_ON;
		reason = mode;
	}
	*ret = (struct pwl_effect){ .use = use };
	snprintf(ret->reason, sizeof(ret->reason), "%s%s", use == PWL_ON ? "mode " : "", reason);
}

/* -- settings ---------------------------------------------------------------------------------- */

static void unused_pwl(const struct advise_input *in, struct notes *n)
{
	struct pwl_effect e;

	advise_pwl_effect(in, &e);
	if (e.use == PWL_UNDECIDED) {
		if (in->status != NULL && in->status->log == LOG_READ)
			notes_add(n, "pwl-by-status", source_doc, "the status shows a persistent log, "
				"while the options are not given: what is said of the present settings "
				"does not count it; give --image-config");
		return;
	}
	if (has_mode(in) && !has_plugin(in) && !in->krbd)
		notes_add(n, "pwl-not-used", source_doc, "PWL is not used: rbd_plugins lacks "
			"pwl_cache, while rbd_persistent_cache_mode is set; both are needed");
	if (!has_mode(in) && has_plugin(in) && !in->krbd)
		notes_add_as(n, SEVERITY_INFO, "pwl-plugin-alone", source_doc, "PWL is not used: "
			"pwl_cache is among rbd_plugins, but rbd_persistent_cache_mode is disabled");
	if (e.use == PWL_BREAKS)
		notes_add_as(n, SEVERITY_CRITICAL, "pwl-plugin-missing", "librbd1 of Debian 12, 13 "
			"and sid, opened; ceph src/librbd/image/OpenRequest.cc",
			"rbd_plugins names pwl_cache, but %s has no file "
			"libceph_librbd_pwl_cache.so: the image does not open at all; take pwl_cache "
			"out of rbd_plugins, or install upstream's librbd",
			in->plugin_file == ANSWER_NO ? "this host" : "Debian's librbd1");
	if (e.use != PWL_OFF || !has_mode(in) || !has_plugin(in) || in->krbd)
		return;
	if (strcmp(e.reason, "exclusive-lock missing") == 0)
		notes_add(n, "pwl-no-lock", source_doc, "PWL is not used: exclusive-lock missing; "
			"it loads with the lock only: rbd feature enable %s exclusive-lock",
			in->image);
	else
		notes_add(n, "pwl-refused", source_state, "PWL is not used: %s, which librbd "
			"refuses it for", e.reason);
}

static void odd_size(const struct advise_input *in, struct notes *n)
{
	const struct image_option *o = &in->config.opt[OPTION_PWL_SIZE];
	double bytes = image_option_bytes(o), below = floor(bytes / 4096) * 4096;

	if (!o->stated || !has_mode(in))
		return;
	if (bytes < MODEL_PWL_MIN_BYTES)
		notes_add_as(n, SEVERITY_ERROR, "pwl-size", "ceph src/common/options/rbd.yaml.in: "
			"min 1 GiB", "rbd_persistent_cache_size %.0f is below the least, 1073741824 "
			"(1 GiB)", bytes);
	else if (below != bytes)
		notes_add_as(n, SEVERITY_ERROR, "pwl-size", "ceph PR 41968: EINVAL of the block "
			"device", "rbd_persistent_cache_size %.0f is not a multiple of 4096; nearest "
			"are %.0f and %.0f (better: whole MiB)", bytes, below, below + 4096);
}

static bool is_memory_fs(const char *fs)
{
	return fs != NULL && (strcmp(fs, "tmpfs") == 0 || strcmp(fs, "ramfs") == 0);
}

static void odd_path(const struct advise_input *in, struct notes *n)
{
	const char *path = in->config.opt[OPTION_PWL_PATH].value;

	if (!has_mode(in) || !has_plugin(in))
		return;
	if (is_memory_fs(in->log_fs))
		notes_add_as(n, SEVERITY_CRITICAL, "pwl-path-memory", "ceph src/librbd/cache/pwl",
			"the log's folder %s lies on %s, in memory: a reboot loses what the guest has "
			"synced; put it on the SSD's own file system", path, in->log_fs);
	else if (strcmp(path, "/tmp") == 0 || strncmp(path, "/tmp/", 5) == 0)
		notes_add(n, "pwl-path-tmp", "ceph src/common/options/rbd.yaml.in",
			"the log lies below /tmp, the default, which may be memory or be cleaned at "
			"boot; set rbd_persistent_cache_path to the SSD's own file system");
}

static void two_caches(const struct advise_input *in, struct notes *n)
{
	struct cache_settings s = advise_settings(in);

	if (s.mode < CACHE_PWL_SSD || s.under == CACHE_NONE)
		return;
	notes_add(n, "two-write-caches", "IBM Storage Ceph block device guide; ceph "
		"src/librbd/cache/pwl", "rbd_cache and PWL are both enabled: one write cache an "
		"image, since below PWL the in-memory one never sees the guest's flush, stays "
		"write-through and only costs memory; for sync-heavy workloads set rbd_cache=false "
		"(or rbd_cache_policy=writethrough) with PWL; their sizes do not add up");
}

static void old_release(const struct advise_input *in, struct notes *n)
{
	const struct release r = in->release;
	bool ssd = strcmp(in->config.opt[OPTION_PWL_MODE].value, "disabled") != 0;

	if (!in->release_stated || !ssd || in->krbd)
		return;
	if (release_before(r, 16, 2, 8))
		notes_add_as(n, SEVERITY_CRITICAL, "pwl-release", "ceph PR 41068 (tracker 50560), "
			"41490, 42883 (tracker 52341), 42046, 44103; backports 43772, 43918, 44199",
			"known PWL ssd-mode data-loss/hang bugs in this release, upgrade first: "
			"librbd %u.%u.%u hangs when the log is full, corrupts its root at depth 2, "
			"and keeps entries in 32 bits (no log above 4 GiB); fixed in 16.2.8", r.major,
			r.minor, r.patch);
	else if (release_before(r, 16, 2, 11) || (r.major == 17 && release_before(r, 17, 2, 6)))
		notes_add(n, "pwl-release", "ceph PR 47325, 48542; fixed in 16.2.11 and 17.2.6",
			"librbd %u.%u.%u has known PWL defects (a deadlock with snapshots, a wrong "
			"clean flag); 16.2.11, 17.2.6 or later first", r.major, r.minor, r.patch);
}

static void encrypted(const struct advise_input *in, struct notes *n)
{
	const struct rbd_info *i = in->info;

	if (i == NULL || i->encryption[0] == '\0' || !has_mode(in))
		return;
	if (in->release_stated && release_before(in->release, 16, 2, 8))
		notes_add_as(n, SEVERITY_ERROR, "pwl-encryption", "ceph PR 43127 (tracker 49876, "
			"52511); 44199 in 16.2.8", "encryption with PWL in this release: librbd "
			"%u.%u.%u orders writes wrongly between PWL and %s; 16.2.8 or later first. "
			"Whether the log's file holds readable data is unknown: treat it as if it did",
			in->release.major, in->release.minor, in->release.patch, i->encryption);
	else
		notes_add(n, "pwl-encryption", "ceph PR 43127 (tracker 49876, 52511)",
			"the image is encrypted (%s) and has PWL: releases before 16.2.8 order "
			"writes wrongly between the two%s. Whether the log's file holds readable "
			"data is unknown: treat it as if it did", i->encryption,
			in->release_stated ? "" : "; state yours with --ceph-version");
}

/* -- what the log holds ------------------------------------------------------------------------ */

static void dirty_log(const struct advise_input *in, struct notes *n)
{
	const struct rbd_status *s = in->status;
	const char *host = s->host[0] != '\0' ? s->host : "its host";

	if (!has_mode(in) && in->config_known)
		notes_add_as(n, SEVERITY_CRITICAL, "pwl-dirty-disabled", source_state,
			"dirty cache while rbd_persistent_cache_mode=disabled (image will not open, "
			"EINVAL): set the mode back to %s, `rbd persistent-cache flush %s` on %s, see "
			"it clean, then disable it", s->mode[0] != '\0' ? s->mode : "ssd", in->image,
			host);
	else if (s->present == ANSWER_NO)
		notes_add_as(n, SEVERITY_CRITICAL, "pwl-dirty-gone", source_state,
			"the log of this image is gone and was not clean: data that the guest had "
			"synced may be missing from the image");
	if (in->client_host != NULL && s->host[0] != '\0' && strcmp(in->client_host, s->host) != 0)
		notes_add_as(n, SEVERITY_CRITICAL, "pwl-other-host", "ceph "
			"src/librbd/cache/WriteLogImageCache.cc: ENOENT", "the dirty cache remains on "
			"another host, %s: %s cannot open the image for writing; flush it there first "
			"(rbd persistent-cache flush %s)", s->host, in->client_host, in->image);
	if (isnan(s->dirty_bytes))
		notes_add(n, "pwl-dirty", source_doc, "the log is not clean: if %s or the log's "
			"device is lost, the image is stale; before a migration, a removal or a change "
			"of the settings run: rbd persistent-cache flush %s", host, in->image);
	else
		notes_add(n, "pwl-dirty", source_doc, "the log holds %.0f dirty bytes that the "
			"cluster has not: if %s or the log's device is lost, the image is stale; "
			"before a migration, a removal or a change of the settings run: rbd "
			"persistent-cache flush %s", s->dirty_bytes, host, in->image);
}

static void status_findings(const struct advise_input *in, struct notes *n)
{
	const struct rbd_status *s = in->status;
	struct pwl_effect e;

	if (s->log == LOG_UNTRUSTED) {
		notes_add_as(n, SEVERITY_ERROR, "pwl-state-untrusted", "ceph PR 41194 (tracker "
			"50613)", "the persistent cache's state is untrusted (%s): nothing of it is "
			"used; ask again with a newer rbd client than the first of Pacific",
			s->problem);
		return;
	}
	if (rbd_status_dirty(s) == ANSWER_YES)
		dirty_log(in, n);
	if (s->log == LOG_READ && s->problem[0] != '\0')
		notes_add(n, "pwl-state-odd", "ceph PR 41194 (tracker 50613)", "the persistent "
			"cache's state: %s", s->problem);
	advise_pwl_effect(in, &e);
	if (s->log == LOG_NONE && e.use == PWL_ON && in->config_known)
		notes_add_as(n, SEVERITY_INFO, "pwl-not-active", "ceph src/tools/rbd/action/"
			"Status.cc", "PWL is configured, but no persistent cache is active: the "
			"image is closed, was opened before the change, or nobody has its lock yet");
}

void advise_find_pwl(const struct advise_input *in, struct notes *findings)
{
	if (in->config.obsolete[0] != '\0')
		notes_add(findings, "obsolete-options", "ceph PR 38520", "obsolete option names (%s): "
			"librbd ignores them since Pacific; the names are rbd_persistent_cache_* and "
			"rbd_plugins now", in->config.obsolete);
	unused_pwl(in, findings);
	odd_size(in, findings);
	odd_path(in, findings);
	two_caches(in, findings);
	old_release(in, findings);
	encrypted(in, findings);
	if (in->status != NULL)
		status_findings(in, findings);
}
