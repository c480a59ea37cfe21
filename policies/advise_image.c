/* advise_image.c - what is found about an image itself: who caches what, who has it open. */
#include "policies/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "policies/threshold.h"

static const char source_qemu[] = "ceph doc/rbd/qemu-rbd.rst";
static const char source_options[] = "ceph doc/rbd/rbd-config-ref.rst";

double advise_clients(const struct advise_input *in)
{
	double watchers = in->status != NULL ? (double)in->status->watchers : 0;

	return fmax(1, fmax(in->clients, watchers));
}

struct cache_settings advise_settings(const struct advise_input *in)
{
	struct image_config config = in->config;
	struct qemu_effect q = qemu_cache_effect(in->qemu);
	struct cache_settings s;
	struct pwl_effect e;

	if (in->krbd)
		return (struct cache_settings){ .mode = CACHE_NONE, .under = CACHE_NONE };
	if (q.rbd_cache != ANSWER_UNKNOWN)
		snprintf(config.opt[OPTION_CACHE].value, sizeof(config.opt[0].value), "%s",
			q.rbd_cache == ANSWER_YES ? "true" : "false");
	if (q.max_dirty_zero)
		snprintf(config.opt[OPTION_MAX_DIRTY].value, sizeof(config.opt[0].value), "0");
	s = image_config_effective(&config);
	advise_pwl_effect(in, &e);
	if (e.use != PWL_ON)
		s.mode = s.under;
	return s;
}

void advise_settings_text(const struct advise_input *in, char *buf, size_t len)
{
	static const char *const word[CACHE_MODE_COUNT] = { [CACHE_NONE] = "no cache",
		[CACHE_WRITETHROUGH] = "writethrough", [CACHE_WRITEBACK] = "writeback",
		[CACHE_WRITEAROUND] = "writearound", [CACHE_PWL_SSD] = "pwl-ssd",
		[CACHE_PWL_RWL] = "pwl-rwl" };
	struct cache_settings s = advise_settings(in);
	bool until = s.until_flush && (s.under == CACHE_WRITEBACK || s.under == CACHE_WRITEAROUND);

	if (in->krbd)
		snprintf(buf, len, "no cache of librbd (mapped by the kernel)");
	else if (s.mode >= CACHE_PWL_SSD)
		snprintf(buf, len, "%s above %s", word[s.mode], word[s.under]);
	else if (until && in->guest_flushes == ANSWER_NO)
		snprintf(buf, len, "writethrough until flush, which this guest never sends");
	else
		snprintf(buf, len, "%s%s", word[s.mode], until ? ", writethrough until flush" : "");
}

/* Disks whose flushes QEMU drops, by name. */
static void unsafe_disks(const struct advise_input *in, char *buf, size_t len)
{
	buf[0] = '\0';
	for (size_t i = 0; in->vm != NULL && i < in->vm->disks; i++) {
		const struct vm_disk *d = &in->vm->disk[i];
		size_t at = strlen(buf);

		if (d->cache == QEMU_CACHE_UNSAFE && at + VM_NAME_MAX + 2 < len)
			snprintf(buf + at, len - at, "%s%s", at > 0 ? ", " : "", d->name);
	}
	if (buf[0] == '\0' && in->qemu == QEMU_CACHE_UNSAFE)
		snprintf(buf, len, "this disk");
}

static void unsafe_findings(const struct advise_input *in, struct notes *n)
{
	char disks[160];

	unsafe_disks(in, disks, sizeof(disks));
	if (disks[0] != '\0')
		notes_add_as(n, SEVERITY_CRITICAL, "qemu-unsafe", source_qemu, "QEMU's cache=unsafe "
			"(%s): flushes are ignored, so whatever the guest has synced can be lost with "
			"the host; set cache=writeback or none", disks);
}

static void qemu_findings(const struct advise_input *in, struct notes *n)
{
	struct qemu_effect q = qemu_cache_effect(in->qemu);
	bool on = image_option_is_true(&in->config.opt[OPTION_CACHE]);
	const char *word = qemu_cache_word(in->qemu);

	if (in->krbd || q.rbd_cache == ANSWER_UNKNOWN)
		return;
	if (q.rbd_cache == ANSWER_NO && on)
		notes_add(n, "qemu-overrides", source_qemu, "QEMU's cache=%s turns rbd_cache off, "
			"whatever the options say (since QEMU 2.4)", word);
	else if (q.rbd_cache == ANSWER_YES && !on)
		notes_add(n, "qemu-overrides", source_qemu, "QEMU's cache=%s turns rbd_cache on, "
			"though the options say false (since QEMU 2.4)", word);
	else if (q.max_dirty_zero)
		notes_add_as(n, SEVERITY_INFO, "qemu-overrides", source_qemu, "QEMU's "
			"cache=writethrough sets rbd_cache_max_dirty to 0: each write waits for the "
			"cluster");
}

/* The options that are set below the defaults of the cluster, by name. */
static void set_on_image(const struct image_config *c, char *buf, size_t len)
{
	buf[0] = '\0';
	for (int k = 0; k < OPTION_COUNT; k++) {
		size_t at = strlen(buf);

		if (c->opt[k].stated && c->opt[k].level >= LEVEL_POOL && at + 48 < len)
			snprintf(buf + at, len - at, "%s%s", at > 0 ? ", " : "", option_name[k]);
	}
}

static void krbd_findings(const struct advise_input *in, struct notes *n)
{
	char set[256];

	if (!in->krbd)
		return;
	set_on_image(&in->config, set, sizeof(set));
	notes_add(n, "krbd", "ceph doc/rbd/rbd-config-ref.rst; linux drivers/block/rbd.c",
		"mapped by the kernel (krbd): rbd_cache, readahead, PWL and rbd_qos options do not "
		"apply to it%s%s; the page cache of the host serves buffered I/O alone (direct I/O "
		"passes it by), and a flush costs next to nothing",
		set[0] != '\0' ? "; set and without effect: " : "", set);
	if (in->info != NULL && rbd_info_feature(in->info, "dirty-cache") == ANSWER_YES)
		notes_add_as(n, SEVERITY_CRITICAL, "krbd-dirty-cache", "linux drivers/block/rbd.c: "
			"unsupported feature bits", "the image has a persistent cache (feature "
			"dirty-cache): the kernel cannot map it until the log is flushed and closed");
}

static void memory_findings(const struct advise_input *in, struct notes *n)
{
	struct cache_settings s = advise_settings(in);

	if (s.under == CACHE_WRITEBACK &&
	    !(s.target_dirty_bytes < s.max_dirty_bytes && s.max_dirty_bytes < s.size_bytes))
		notes_add(n, "dirty-order", source_options, "the present sizes break target_dirty < "
			"max_dirty < size (%.0f, %.0f, %.0f), which librbd does not check",
			s.target_dirty_bytes, s.max_dirty_bytes, s.size_bytes);
	if (in->guest_flushes == ANSWER_NO && s.until_flush && s.under >= CACHE_WRITEBACK &&
	    s.mode == s.under)
		notes_add(n, "until-flush", source_options, "a guest that never flushes: the "
			"effective mode is writethrough until flush, so for good; keep "
			"rbd_cache_writethrough_until_flush=true, it protects guests that cannot "
			"flush");
	else if (in->guest_flushes == ANSWER_NO && !s.until_flush && s.under >= CACHE_WRITEBACK)
		notes_add_as(n, SEVERITY_CRITICAL, "until-flush", source_options, "a guest that "
			"never flushes with rbd_cache_writethrough_until_flush=false: what it wrote "
			"is lost with the host without its ever being told; set it to true");
}

static void shared_findings(const struct advise_input *in, struct notes *n)
{
	double clients = advise_clients(in);
	bool no_lock = in->info != NULL &&
		rbd_info_feature(in->info, "exclusive-lock") == ANSWER_NO;

	if (clients < 2)
		return;
	notes_add_as(n, SEVERITY_ERROR, "shared-image", "ceph doc/rbd/rbd-config-ref.rst (GFS, "
		"OCFS); ceph PR 43038", "%.0f watchers have this image open: client caches know "
		"nothing of each other, so no client cache (rbd_cache=false, no PWL), or one client "
		"alone", clients);
	if (no_lock)
		notes_add_as(n, SEVERITY_INFO, "shared-slow", "measured on a Reef cluster, 4 KiB "
			"random writes", "many handles on one image without exclusive-lock: 8 of "
			"them reached 3,392 IOPS, 8 images of their own 3,621");
	else
		notes_add(n, "shared-slow", "measured on a Reef cluster, 4 KiB random writes",
			"many handles on one image pass its exclusive lock to and fro: 2 of them "
			"reached 330 IOPS and 8 reached 190, where one handle had 4,372 and 8 images "
			"of their own 3,621; the predictions are for one handle");
}

/* A raw drive bounds a capacity from above; what an OSD does with it only its own bench tells. */
static void mclock_findings(const struct advise_input *in, struct notes *n)
{
	double low = threshold(THRESHOLD_MCLOCK_LOW), high = threshold(THRESHOLD_MCLOCK_HIGH);

	if (isnan(in->mclock_iops))
		return;
	if (in->mclock_iops < low || in->mclock_iops > high)
		notes_add(n, "mclock-range", threshold_table[THRESHOLD_MCLOCK_HIGH].source,
			"osd_mclock_max_capacity_iops_ssd %.0f lies outside %.0f to %.0f, which Ceph "
			"itself does not believe; set it from `ceph tell osd.N bench` of an idle OSD",
			in->mclock_iops, low, high);
	else if (in->mclock_iops > in->drive_parallel_iops)
		notes_add(n, "mclock-drive", "a bound, not a capacity: an OSD writes more than it "
			"is given", "osd_mclock_max_capacity_iops_ssd %.0f exceeds what the raw drive "
			"does, %.0f IOPS at depth 32; a capacity comes from `ceph tell osd.N bench` "
			"alone", in->mclock_iops, in->drive_parallel_iops);
}

void advise_find_image(const struct advise_input *in, struct notes *findings)
{
	advise_find_pwl(in, findings);
	unsafe_findings(in, findings);
	qemu_findings(in, findings);
	krbd_findings(in, findings);
	shared_findings(in, findings);
	memory_findings(in, findings);
	mclock_findings(in, findings);
}
