/* advise_blockers.c - what forbids a candidate, and what an operator must be told in any case. */
#include "policies/advise.h"

#include <math.h>
#include <string.h>

#include "policies/threshold.h"

#define MIB 1048576.0

static bool is_pwl(const struct candidate *cand)
{
	return cand->set.mode >= CACHE_PWL_SSD;
}

/* What the image itself does not let through. Missing exclusive-lock is a step, no blocker. */
static void image_blockers(const struct advise_input *in, struct notes *n)
{
	const struct rbd_info *i = in->info;

	if (i == NULL)
		return;
	if (rbd_info_feature(i, "journaling") == ANSWER_YES)
		notes_add(n, "pwl-journaling", "ceph src/librbd/cache/pwl/ImageCacheState.cc",
			"the image has journaling, which PWL is refused for");
	if (i->migration == ANSWER_YES || i->format == 1)
		notes_add(n, "pwl-image", "ceph src/librbd/cache/pwl/ImageCacheState.cc",
			"PWL is refused for images %s", i->format == 1 ? "of format 1" :
			"that are being migrated");
	if (i->encryption[0] != '\0' && in->release_stated && release_before(in->release, 16, 2, 8))
		notes_add(n, "pwl-encryption", "ceph PR 43127 (tracker 49876, 52511)",
			"encryption with PWL in this release orders writes wrongly");
}

static void pwl_blockers(const struct advise_case *c, struct candidate *cand)
{
	const struct advise_input *in = c->in;
	struct notes *n = &cand->blockers;

	if (cand->set.mode == CACHE_PWL_RWL)
		notes_add(n, "pwl-rwl-gone", "Intel ended Optane in 2022; ceph PR 70618",
			"rwl needs persistent memory, which is no longer made, and Ceph is removing "
			"the mode");
	if (in->plp == PLP_NO)
		notes_add(n, "pwl-no-plp", "ceph src/librbd/cache/pwl: no fdatasync anywhere",
			"the drive has no power-loss protection: PWL never sends a cache flush, so a "
			"power cut loses data that the guest has synced");
	else if (in->plp == PLP_UNKNOWN)
		notes_add(n, "pwl-plp-unproven", "ceph src/librbd/cache/pwl: no fdatasync anywhere",
			"power-loss protection of the drive is not proven: PWL never sends a cache "
			"flush (--plp yes where the maker promises it)");
	if (in->plugin_file == ANSWER_NO ||
	    (in->plugin_file == ANSWER_UNKNOWN && in->distribution == DISTRIBUTION_DEBIAN))
		notes_add(n, "pwl-plugin-missing", "librbd1 of Debian 12, 13 and sid, opened",
			"%s has no PWL plugin: with rbd_plugins=pwl_cache the image does not open at "
			"all", in->plugin_file == ANSWER_NO ? "this host's librbd" :
			"Debian's librbd1");
	image_blockers(in, n);
	if (in->release_stated && release_before(in->release, 16, 2, 8))
		notes_add(n, "pwl-release", "ceph PR 41068, 41490, 42046, 44103",
			"known PWL ssd-mode data-loss/hang bugs in this release, upgrade first "
			"(librbd %u.%u.%u)", in->release.major, in->release.minor, in->release.patch);
	if (in->krbd)
		notes_add(n, "pwl-krbd", "ceph doc/rbd/rbd-persistent-write-log-cache.rst",
			"the image is mapped by the kernel (krbd), which has no PWL and cannot map an "
			"image that has one");
	if (c->load.loss == LOSS_NOTHING && !c->load.raft)
		notes_add(n, "pwl-loss", "ceph src/librbd/cache/pwl: the log is not replicated",
			"the load bears no loss of synced data, and a lost log device loses it "
			"(the image falls back to an older state)");
	if (!in->has_drive)
		notes_add(n, "pwl-drive-unknown", "", "the drive of the log is unknown: give "
			"--drive");
	if (cand->predicted.stall_seconds >= threshold(THRESHOLD_STALL_S) &&
	    c->load.slo_metric != SLO_IOPS)
		notes_add(n, "pwl-fills", "measured: 8 s of 13,000 to 30,000 IOPS, then a drain, in "
			"which none completed for 23 s", "the load outruns writeback: after about "
			"%.3g s the log is full and no faster than the cluster; a drain of it (snapshot, "
			"migration, lock hand-over) freezes the image for about %.3g s",
			cand->predicted.fill_seconds, cand->predicted.stall_seconds);
}

void advise_add_blockers(const struct advise_case *c, struct candidate *cand)
{
	double need = cand->predicted.memory_bytes * c->images;

	if (is_pwl(cand))
		pwl_blockers(c, cand);
	else if (c->in->krbd && strcmp(cand->name, "current") != 0 &&
		 cand->set.under != CACHE_NONE)
		notes_add(&cand->blockers, "krbd", "ceph doc/rbd/rbd-config-ref.rst",
			"the image is mapped by the kernel (krbd): rbd_cache options do nothing "
			"there");
	if (advise_clients(c->in) >= 2 && cand->set.mode != CACHE_NONE) {
		notes_add(&cand->blockers, "shared-image", "ceph doc/rbd/rbd-config-ref.rst; ceph PR "
			"43038", "%.0f watchers have the image open: caches of several clients know "
			"nothing of each other", advise_clients(c->in));
		/* Not a matter of speed: what is read may be stale, what is written lost. */
		cand->untenable = strcmp(cand->name, "current") == 0;
	}
	if (need > c->in->memory_bytes)
		notes_add(&cand->blockers, "memory", "size + max_dirty (write-back), size "
			"(write-through), max_dirty (write-around) an image",
			"%.0f images need up to %.0f MiB, the budget is %.0f MiB", c->images,
			need / MIB, c->in->memory_bytes / MIB);
}

static void pwl_warnings(const struct advise_case *c, struct advice *a)
{
	const struct advise_input *in = c->in;
	struct notes *w = &a->warnings;

	if (c->load.raft)
		notes_add(w, "raft-pwl-loss", "ceph src/librbd/cache/pwl: the log is not replicated; "
			"the Raft paper, section 5.1: persistent state must survive",
			"after the loss of a PWL log, or `invalidate`, this member has lost entries "
			"that it had fsynced: remove it from the cluster and add it anew, never restart "
			"it, and never two members at once");
	if (in->release_stated && !release_before(in->release, 16, 2, 8) &&
	    (release_before(in->release, 16, 2, 11) ||
	     (in->release.major == 17 && release_before(in->release, 17, 2, 6))))
		notes_add(w, "pwl-release", "ceph PR 47325, 48542; fixed in 16.2.11 and 17.2.6",
			"librbd %u.%u.%u has known PWL defects (a deadlock with snapshots, a wrong "
			"clean flag); 16.2.11, 17.2.6 or later first", in->release.major,
			in->release.minor, in->release.patch);
	if (in->distribution == DISTRIBUTION_DEBIAN)
		notes_add(w, "pwl-debian", "librbd1 of Debian 12, 13 and sid, opened",
			"Debian's librbd1 has no PWL plugin; setting rbd_plugins=pwl_cache makes "
			"every open of the image fail");
}

/* What PWL would do to this load: the one thing nobody may be left to guess. */
static void pwl_effect(const struct advise_case *c, struct advice *a)
{
	const struct candidate *current = advise_current(a), *pwl = NULL;

	for (size_t i = 0; i < a->candidate_count; i++)
		if (strcmp(a->candidate[i].name, "pwl-ssd") == 0)
			pwl = &a->candidate[i];
	if (pwl == NULL || c->load.syncs_per_write == 0)
		return;
	if (pwl->predicted.certainty == CERTAINTY_UNSURE || isnan(pwl->score))
		notes_add(&a->warnings, "pwl-unsure", "ceph-users, June 2023: p99 of the sync "
			"1.42 ms without PWL, 5.21 ms with it; 4 x faster and 3 x slower measured "
			"on one cluster",
			"whether PWL helps this load cannot be promised and a fast drive does not "
			"decide it: a paced client waits for an image refresh (about five serial "
			"OSD reads) at each sync, so PWL can make it slower; %s",
			pwl->predicted.why);
	else if (!isnan(current->score) && pwl->score > current->score &&
		 c->load.slo_metric != SLO_IOPS)
		notes_add(&a->warnings, "pwl-slower", "ceph-users, June 2023: 1.42 ms without PWL, "
			"5.21 ms with it",
			"PWL would make this load slower: %.2f ms against %.2f ms (%s); %s",
			pwl->score / 1e6, current->score / 1e6,
			slo_percentile_word(c->load.slo_pct), pwl->predicted.why);
	else if (c->load.slo_metric == SLO_GUEST_SYNC && !is_pwl(current))
		notes_add(&a->warnings, "pwl-verify", "measured: a cell of 5 ms pauses was equal "
			"at the median and twice as slow at p99",
			"the simulation has PWL ahead for this load (%.2f ms against %.2f ms), which is "
			"no promise: a paced client waits for an image refresh at each sync, and PWL "
			"can make it slower; measure it on a scratch image (`ssdqual verify "
			"rbd:POOL/SCRATCH --workload %s`)", pwl->score / 1e6, current->score / 1e6,
			c->load.name != NULL ? c->load.name : "W");
	if (c->in->has_drive)
		notes_add(&a->warnings, "pwl-at-risk", "ceph src/librbd/cache/pwl: the log is not "
			"replicated", "with PWL, synced data at risk until flushed if the host is lost: it "
			"is on this host alone until it is written back (at most the log, %.0f GiB); "
			"with the host or the SSD it is gone, and the image falls back to an older "
			"state",
			pwl->set.pwl_bytes / 1073741824.0);
}

static void current_warnings(const struct advise_case *c, struct advice *a)
{
	const struct candidate *now = advise_current(a);
	const struct cache_settings *s = &now->set;
	struct notes *w = &a->warnings;

	if (c->load.syncs_per_write == 0 && s->until_flush && s->mode >= CACHE_WRITEBACK &&
	    !is_pwl(now))
		notes_add(w, "until-flush", "ceph doc/rbd/rbd-config-ref.rst",
			"a guest that never flushes: the effective mode is writethrough until "
			"flush, so for good; keep rbd_cache_writethrough_until_flush=true, it protects guests "
			"that cannot flush");
	if (now->predicted.memory_bytes * c->images > c->in->memory_bytes)
		notes_add(w, "memory", "", "the present settings may take %.0f MiB for %.0f images, "
			"over the budget of %.0f MiB",
			now->predicted.memory_bytes * c->images / MIB, c->images,
			c->in->memory_bytes / MIB);
	if (is_pwl(now))
		for (size_t i = 0; i < now->blockers.count; i++)
			notes_add(w, now->blockers.item[i].code, now->blockers.item[i].source,
				"the present settings: %s", now->blockers.item[i].text);
}

/* The models were held against one small cluster; beyond twice its range they are extrapolation. */
static void range_warnings(const struct advise_case *c, struct advice *a)
{
	const struct backend *b = &c->in->backend;
	double write_ms = c->backend.write.p50_ns / 1e6;

	if (write_ms < 0.5 || write_ms > 7)
		notes_add(&a->warnings, "range-backend", "docs/advice.md, validated range",
			"a backend write of %.3g ms is outside the range that the predictions were "
			"checked on (about 1 to 3.5 ms)", write_ms);
	if (c->load.depth * c->images > 64)
		notes_add(&a->warnings, "range-depth", "docs/advice.md, validated range",
			"%.0f writes in flight are more than the predictions were checked on (32)",
			c->load.depth * c->images);
	if (c->load.write_bytes > 65536)
		notes_add(&a->warnings, "range-size", "docs/advice.md, validated range",
			"writes of %.0f KiB are larger than the predictions were checked on (8 KiB)",
			c->load.write_bytes / 1024);
	if (b->at_guest)
		notes_add(&a->warnings, "at-guest", "docs/advice.md",
			"the backend was measured in the guest: the in-memory policies are not told "
			"apart, a sync is taken to cost what it cost there");
}

static void chosen_warnings(const struct advise_case *c, struct advice *a)
{
	const struct candidate *to = &a->candidate[a->chosen];
	double drain_s = to->set.pwl_bytes / model_drain_bps(&(struct model_input){
		.load = &c->load, .set = &to->set, .backend = &c->backend, .images = c->images });

	if (is_pwl(to))
		notes_add(&a->warnings, "pwl-drain", "ceph src/librbd/cache/pwl/AbstractWriteLog.cc: "
			"internal_flush", "a live migration and each snapshot wait until the log is "
			"written back, %.0f s or more for a full one; the VM is tied to this host "
			"until then", drain_s);
}

void advise_add_warnings(const struct advise_case *c, struct advice *a)
{
	chosen_warnings(c, a);
	pwl_effect(c, a);
	pwl_warnings(c, a);
	current_warnings(c, a);
	range_warnings(c, a);
}
