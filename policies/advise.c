/* advise.c - the order in which advice is made. */
#include "policies/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/threshold.h"

const char *confidence_word(enum confidence c)
{
	static const char *const word[] = { "high", "low", "unsure" };

	return word[c];
}

void advise_prepare(struct advise_input *in, struct release r)
{
	*in = (struct advise_input){ .memory_bytes = NAN, .image = "POOL/IMAGE", .release = r,
		.backend_source = "stated", .mclock_iops = NAN, .drive_parallel_iops = NAN };
	image_config_defaults(&in->config, r);
}

const struct candidate *advise_current(const struct advice *a)
{
	for (size_t i = 0; i < a->candidate_count; i++)
		if (strcmp(a->candidate[i].name, "current") == 0)
			return &a->candidate[i];
	return &a->candidate[0];
}

static double slo_value(const struct workload *w, struct dist d)
{
	return w->slo_pct == SLO_P50 ? d.p50_ns : w->slo_pct == SLO_P99 ? d.p99_ns : d.p999_ns;
}

/* The local drive without RBD, against the same limit: what is compared is one durable write. */
static void judge_drive(const struct advise_case *c, struct advice *a)
{
	a->drive_meets = -1;
	a->drive_sync_ns = NAN;
	if (!c->in->has_drive || c->load.slo_metric == SLO_IOPS)
		return;
	a->drive_sync_ns = slo_value(&c->load, c->drive.sync);
	if (!isnan(c->load.slo_limit_ns) && !c->in->drive.zero_buffers)
		a->drive_meets = a->drive_sync_ns <= c->load.slo_limit_ns;
}

static void note_assumptions(const struct advise_case *c, struct advice *a)
{
	const struct advise_input *in = c->in;

	if (in->backend_depth_only)
		notes_add(&a->assumed, "backend", in->backend_source, "backend: the file has deep "
			"runs only, which tell the concurrency (IOPS x the latency of one write); "
			"the latencies are the reference backend's");
	else if (in->backend_assumed)
		notes_add(&a->assumed, "backend", in->backend_source, "backend: not given, the "
			"reference backend is assumed; measure yours or state --backend");
	if (!in->has_drive)
		notes_add(&a->assumed, "drive", "", "drive: not given, so neither the local drive "
			"nor a persistent log on it can be judged");
	if (!in->config_known)
		notes_add(&a->assumed, "current", "ceph src/common/options/rbd.yaml.in",
			"present settings: the defaults of librbd %s are assumed where none is stated "
			"(--image-config FILE takes `rbd config image list --format json`)",
			release_before(in->release, 15, 0, 0) ? "before Octopus" :
			"since Octopus, 15.2");
	if (in->qemu == QEMU_CACHE_UNKNOWN && !in->krbd)
		notes_add(&a->assumed, "qemu-cache", "ceph doc/rbd/qemu-rbd.rst",
			"QEMU's cache mode: not given; QEMU sets rbd_cache from it (none: off), over "
			"every option below");
	if (!in->release_stated)
		notes_add(&a->assumed, "release", "", "release of librbd: not given, assumed %u.%u.%u",
			in->release.major, in->release.minor, in->release.patch);
	if (in->images == 0)
		notes_add(&a->assumed, "images", c->load.name != NULL ? c->load.name : "",
			"images on this host: not given, the profile's %.0f are assumed", c->images);
}

static int compare(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;

	/* Usable ones first, then by score; the order is total, so that the bytes are stable. */
	if ((a->blockers.count == 0) != (b->blockers.count == 0))
		return a->blockers.count == 0 ? -1 : 1;
	if (isnan(a->score) != isnan(b->score))
		return isnan(a->score) ? 1 : -1;
	if (!isnan(a->score) && a->score != b->score)
		return a->score < b->score ? -1 : 1;
	if (strcmp(a->name, "current") == 0 || strcmp(b->name, "current") == 0)
		return strcmp(a->name, "current") == 0 ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool out_of_memory(const struct advice *a)
{
	bool lost = a->reasons.no_memory || a->instead.no_memory || a->warnings.no_memory ||
		a->assumed.no_memory;

	for (size_t i = 0; i < a->candidate_count; i++)
		lost = lost || a->candidate[i].blockers.no_memory;
	return lost;
}

int advise(const struct advise_input *in, struct advice *ret, struct err *reterr)
{
	struct advise_case c = { .in = in, .load = *in->load };
	struct sim_table *tables = calloc(2 * SIM_SERVICE_COUNT, sizeof(*tables));
	struct advice *a = ret;

	*a = (struct advice){ .drive_meets = -1 };
	if (tables == NULL)
		return err_nomem(reterr);
	if (in->guest_flushes == ANSWER_NO)
		c.load.syncs_per_write = 0;
	c.images = in->images > 0 ? in->images : in->load->images;
	model_backend_resolve(&in->backend, in->load, &c.backend, &a->assumed);
	if (in->has_drive)
		model_drive_resolve(&in->drive, &c.drive, &a->assumed);
	advise_tables(&c, tables);
	c.service = tables;
	c.spare = tables + SIM_SERVICE_COUNT;
	note_assumptions(&c, a);
	judge_drive(&c, a);
	advise_make_candidates(&c, a);
	for (size_t i = 0; i < a->candidate_count; i++)
		advise_add_blockers(&c, &a->candidate[i]);
	qsort(a->candidate, a->candidate_count, sizeof(a->candidate[0]), compare);
	a->chosen = advise_choose(&c, a->candidate, a->candidate_count);
	advise_find_flips(&c, a);
	advise_find_image(in, &a->warnings);
	advise_add_warnings(&c, a);
	notes_sort(&a->warnings);
	advise_add_reasons(&c, a);
	advise_add_steps(&c, a);
	free(tables);
	if (out_of_memory(a)) {
		advice_done(a);
		return err_nomem(reterr);
	}
	return 0;
}

void advice_done(struct advice *a)
{
	for (size_t i = 0; i < a->candidate_count; i++)
		notes_done(&a->candidate[i].blockers);
	notes_done(&a->reasons);
	notes_done(&a->instead);
	notes_done(&a->warnings);
	notes_done(&a->assumed);
	a->candidate_count = 0;
}
