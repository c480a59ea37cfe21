/* model_pwl_ssd.c - the log path of PWL in ssd mode.
 *
 * After the first flush of the guest: a write is acknowledged from memory (2c), a flush appends
 * what was written since the last one, 4096 ceil(n / 32) + n roundup(S, 4096) bytes, then the
 * superblock of 4096: 3c + d(...) + d(4096). No cache flush is ever sent to the drive.
 * Without any flush: each write is such an append, with those that arrived with it.
 * Source: ceph src/librbd/cache/pwl/ssd/WriteLog.cc, 18.2.7 and 20.2.4.
 */
#include "policies/model_pwl.h"

#include <math.h>

#define BLOCK           4096.0
#define ENTRIES_A_SPAN  32.0
#define MAX_BATCH       256.0

static double blocks(double bytes)
{
	return ceil(bytes / BLOCK) * BLOCK;
}

/* device_write - d(x): between 4 and 12 KiB on the line through both; beyond, at the slope of
 * that line, but not faster than MODEL_STREAM_BPS. */
static struct dist device_write(const struct model_drive *d, double bytes)
{
	double f = (bytes - BLOCK) / (2 * BLOCK), rate;

	if (f <= 0)
		return d->write4k;
	if (f < 1)
		return (struct dist){
			d->write4k.p50_ns + f * (d->write12k.p50_ns - d->write4k.p50_ns),
			d->write4k.p99_ns + f * (d->write12k.p99_ns - d->write4k.p99_ns),
			d->write4k.p999_ns + f * (d->write12k.p999_ns - d->write4k.p999_ns),
		};
	rate = fmax((d->write12k.p50_ns - d->write4k.p50_ns) / (2 * BLOCK),
		1e9 / MODEL_STREAM_BPS);
	return dist_shift(d->write12k, (bytes - 3 * BLOCK) * rate);
}

static struct dist append(const struct model_input *in, double writes)
{
	double bytes = BLOCK * ceil(writes / ENTRIES_A_SPAN) +
		writes * blocks(in->load->write_bytes);

	return dist_shift(dist_sum(device_write(in->drive, bytes), in->drive->write4k),
		3 * in->backend->hop_ns);
}

static void evaluate(const struct model_input *in, struct prediction *ret)
{
	const struct workload *w = in->load;
	struct pwl_path p;
	double batch;

	if (in->drive == NULL) {
		model_unknown(ret, "the drive of the log is unknown");
		ret->at_risk_bytes = in->set->pwl_bytes;
		return;
	}
	batch = fmin(w->depth * (w->syncs_per_write > 0 ? workload_writes(w) : 1), MAX_BATCH);
	p.flush = append(in, batch);
	p.write = w->syncs_per_write > 0 ? model_ack(in, 2) : p.flush;
	p.ring_bytes = blocks(w->write_bytes) + BLOCK * ceil(batch / ENTRIES_A_SPAN) / batch;
	p.read_ns = dist_mean(in->drive->read4k);
	pwl_evaluate(in, &p, ret);
}

const struct model_ops model_pwl_ssd = {
	.name = "pwl-ssd",
	.summary = "persistent write log on a local SSD",
	.mode = CACHE_PWL_SSD,
	.evaluate = evaluate,
};
