/* model_input.c - filling the gaps of stated and measured latencies, and saying so. */
#include "policies/model.h"

#include <math.h>
#include <stdio.h>

static void note_percentiles(struct notes *assumed, const char *what, const char *key,
	const struct stat_input *s)
{
	char code[40];

	if (!s->known)
		return;
	if (s->median_is_mean) {
		snprintf(code, sizeof(code), "%s-%s-median", what, key);
		notes_add(assumed, code, "a mean lies above the median of a latency",
			"%s %s: no median was reported, its mean stands for it", what, key);
	}
	if (s->p99_assumed) {
		snprintf(code, sizeof(code), "%s-%s-p99", what, key);
		notes_add(assumed, code, "p99/p50 of plain RBD writes on a one-node Reef cluster, "
			"2-core VM: 2.6 to 3.1", "%s %s: p99 not given, assumed %.3g x the median",
			what, key, BACKEND_P99_RATIO);
	}
	if (s->p999_assumed) {
		snprintf(code, sizeof(code), "%s-%s-p999", what, key);
		notes_add(assumed, code, "lognormal through p50 and p99",
			"%s %s: p99.9 not given, assumed (p99/p50)^%.4g x the median", what, key,
			BACKEND_P999_POWER);
	}
}

static void resolve_write(const struct backend *b, const struct workload *w,
	struct model_backend *ret, struct notes *assumed)
{
	ret->write = b->in[BACKEND_WRITE].dist;
	ret->guest_sync = DIST_UNKNOWN;
	if (!b->at_guest)
		return;
	if (w->syncs_per_write > 0)
		ret->guest_sync = ret->write;
	if (w->stack != STACK_FS_APPEND)
		return;
	ret->write = dist_part(ret->write, MODEL_APPEND_WRITES);
	notes_add(assumed, "backend-guest-phases",
		"measured through QEMU: a first-lap fdatasync costs 2.5 (XFS) to 4 (ext4) writes",
		"backend write at=guest: taken as %.0f writes one after another, so one write of "
		"the image is %.3g ms at the median", MODEL_APPEND_WRITES,
		ret->write.p50_ns / 1e6);
}

/* Nearest by ratio; a tenth of a millisecond counts as none. */
const struct backend_pair *model_paced(const struct backend *b, const struct workload *w)
{
	const double none_ns = 1e5;
	double pause = w->burst_bytes > 0 ? 0 : w->think_ns, nearest = INFINITY;
	const struct backend_pair *found = NULL;

	if (b->at_guest || w->depth > 1)
		return NULL;
	for (size_t i = 0; i < b->pair_count; i++) {
		double away = fabs(log((b->pair[i].pause_ns + none_ns) / (pause + none_ns)));

		if (away < nearest) {
			nearest = away;
			found = &b->pair[i];
		}
	}
	return found;
}

void model_backend_resolve(const struct backend *b, const struct workload *w,
	struct model_backend *ret, struct notes *assumed)
{
	const struct stat_input *in = b->in;
	const struct backend_pair *pair = model_paced(b, w);

	for (int i = 0; i < BACKEND_KEY_COUNT; i++)
		note_percentiles(assumed, "backend", backend_key_name[i], &in[i]);
	resolve_write(b, w, ret, assumed);
	if (pair != NULL)
		ret->write = pair->write.dist;
	if (b->cache_unknown)
		notes_add(assumed, "backend-cache", "fio's output names neither",
			"backend: imported, so whether librbd's cache or write log was on is not told; "
			"assumed off (with one, this is its latency and not the cluster's)");
	ret->read = in[BACKEND_READ].dist;
	if (!in[BACKEND_READ].known) {
		ret->read = ret->write;
		notes_add(assumed, "backend-read", "none", "backend read: not given, assumed as "
			"slow as a write");
	}
	ret->flush = in[BACKEND_FLUSH].dist;
	ret->hop_ns = in[BACKEND_FLUSH].dist.p50_ns / 2; /* there and back */
	if (!in[BACKEND_FLUSH].known) {
		ret->flush = dist_const(MODEL_FLUSH_NS);
		ret->hop_ns = MODEL_HOP_NS;
		notes_add(assumed, "backend-flush",
			"an acknowledged write is durable, a flush with nothing to write only passes "
			"the client's threads; measured 50 to 130 us",
			"backend flush: not given, assumed %.0f us, and %.0f us a thread hop",
			MODEL_FLUSH_NS / 1e3, MODEL_HOP_NS / 1e3);
	}
	ret->refresh = DIST_UNKNOWN;
	if (in[BACKEND_REFRESH].known) {
		ret->refresh = in[BACKEND_REFRESH].dist;
	} else if (in[BACKEND_META].known) {
		ret->refresh = dist_scale(in[BACKEND_META].dist, MODEL_REFRESH_READS);
		notes_add(assumed, "backend-refresh",
			"ceph src/librbd/image/RefreshRequest.cc: five serial reads at least, one "
			"more with snapshots",
			"backend refresh: not given, assumed %.0f x meta", MODEL_REFRESH_READS);
	}
	ret->concurrency = b->concurrency;
	if (!b->concurrency_known) {
		ret->concurrency = MODEL_CONCURRENCY;
		notes_add(assumed, "backend-concurrency", "none", "backend concurrency: not given, "
			"assumed %.0f writes side by side", MODEL_CONCURRENCY);
	}
}

void model_drive_resolve(const struct drive_lat *d, struct model_drive *ret,
	struct notes *assumed)
{
	const struct stat_input *in = d->in;

	for (int i = 0; i < DRIVE_KEY_COUNT; i++) {
		note_percentiles(assumed, "drive", drive_key_name[i], &in[i]);
		if (!in[i].known) {
			char code[40];

			snprintf(code, sizeof(code), "drive-%s", drive_key_name[i]);
			notes_add(assumed, code, "PWL never syncs its drive, so this is at most as "
				"slow", "drive %s: not given, assumed equal to sync",
				drive_key_name[i]);
		}
	}
	ret->sync = in[DRIVE_SYNC].dist;
	ret->write4k = in[DRIVE_WRITE4K].known ? in[DRIVE_WRITE4K].dist : ret->sync;
	ret->write12k = in[DRIVE_WRITE12K].known ? in[DRIVE_WRITE12K].dist : ret->sync;
	ret->read4k = in[DRIVE_READ4K].known ? in[DRIVE_READ4K].dist : ret->sync;
}
