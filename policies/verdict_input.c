/* verdict_input.c - rows and targets as the rules look at them. */
#include "policies/verdict.h"

#include <math.h>
#include <string.h>
#include <strings.h>

const struct json *verdict_target(const struct verdict_input *in)
{
	return json_get(in->results[0]->doc, "target");
}

const char *verdict_target_word(const struct verdict_input *in, const char *dotted)
{
	return json_str(json_path(verdict_target(in), dotted));
}

/* -- what it is -------------------------------------------------------------------------------- */

static bool begins_with_one_of(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (strncasecmp(s, *list, strlen(*list)) == 0)
			return true;
	return false;
}

/* Drivers whose disks are volumes of the controller unless it passes drives through. */
static bool is_raid_driver(const char *s)
{
	static const char *const drivers[] = { "megaraid", "mpi3mr", "smartpqi", "hpsa", "aacraid",
		NULL };

	return begins_with_one_of(s, drivers);
}

static bool is_raid(const struct json *t)
{
	/* what controllers call their volumes in INQUIRY */
	static const char *const models[] = { "PERC ", "LOGICAL VOLUME", "MR9", "AVAGO ",
		"ServeRAID", "RAID ", "Virtual Disk RAID", NULL };
	const char *driver = json_str(json_path(t, "controller.driver"));
	const char *kind = json_str(json_path(t, "controller.kind"));
	const char *model = json_str(json_get(t, "model"));
	const char *transport = json_str(json_get(t, "transport"));

	if (kind)
		return strcmp(kind, "raid") == 0;
	if (driver && is_raid_driver(driver))
		return true;
	if (transport && (strcmp(transport, "raid") == 0 || strcmp(transport, "cciss") == 0))
		return true;
	return model && begins_with_one_of(model, models);
}

static bool is_volume(const struct json *t)
{
	static const char *const transports[] = { "virtio", "xen", "loop", "zram", "ram", "nbd",
		"rbd", "dm", "md", "bcache", "drbd", "zvol", "ublk", "iscsi", "fc", "nvme-",
		"hyperv",
		"dasd", NULL };
	static const char *const models[] = { "QEMU", "VBOX", "VMware", "Virtual", "Msft Virtual",
		"PersistentDisk", "Amazon Elastic Block Store", "BlockVolume", "scsi_debug", NULL };
	const char *transport = json_str(json_get(t, "transport"));
	const char *model = json_str(json_get(t, "model"));
	const char *verdict = json_str(json_path(t, "rotational.verdict"));

	if (verdict && strcmp(verdict, "volume") == 0)
		return true;
	return (transport && begins_with_one_of(transport, transports)) ||
		(model && begins_with_one_of(model, models));
}

enum verdict_where verdict_where(const struct json *target)
{
	if (is_raid(target))
		return WHERE_RAID;
	return is_volume(target) ? WHERE_VOLUME : WHERE_DRIVE;
}

/* -- rows -------------------------------------------------------------------------------------- */

/* A row that an error or a signal ended says nothing; figures of other tools do not say how they
 * ended. */
static bool usable(const struct measurement *m)
{
	if (!(m->iops > 0) || !isfinite(m->iops))
		return false;
	if (!m->stop)
		return m->source != SOURCE_MEASURED;
	return strcmp(m->stop, "error") != 0 && strcmp(m->stop, "device-gone") != 0 &&
		strcmp(m->stop, "signal") != 0;
}

bool verdict_row_syncs(const struct measurement *m)
{
	const char *sync = json_str(json_get(m->params, "sync"));
	double fsync = 0, fdatasync = 0, flag = 0;

	(void)json_f64(json_get(m->params, "fsync"), &fsync);
	(void)json_f64(json_get(m->params, "fdatasync"), &fdatasync);
	(void)json_f64(json_get(m->params, "sync"), &flag); /* fio's own 0 and 1 */
	if (m->sync_lat.present || fsync == 1 || fdatasync == 1 || flag == 1)
		return true;
	return sync && strcmp(sync, "none") != 0 && strcmp(sync, "0") != 0;
}

double verdict_row_depth(const struct measurement *m)
{
	double depth = 1, jobs = 1;

	(void)json_f64(json_get(m->params, "iodepth"), &depth);
	(void)json_f64(json_get(m->params, "numjobs"), &jobs);
	return depth >= 1 && jobs >= 1 ? depth * jobs : 1;
}

/* A percentile until durable. Other tools' `lat` of a row that calls fsync leaves the call out, but
 * where the importer says otherwise: of those the sync's own 99th percentile is the nearest. */
static double durable(const struct measurement *m, int pct)
{
	const char *lat_of = json_str(json_path(m->extra, "import.lat_of"));
	double fsync = 0, fdatasync = 0;

	(void)json_f64(json_get(m->params, "fsync"), &fsync);
	(void)json_f64(json_get(m->params, "fdatasync"), &fdatasync);
	if (m->source != SOURCE_MEASURED && !(lat_of && strcmp(lat_of, "sync") == 0) && (fsync > 0 || fdatasync > 0))
		return m->sync_lat.present && pct == LAT_P99 ? m->sync_lat.pct_ns[pct] : NAN;
	return m->lat.present && m->lat.count ? m->lat.pct_ns[pct] : NAN;
}

static void take(struct row_figures *f, const struct measurement *m)
{
	double p50 = durable(m, LAT_P50), p99 = durable(m, LAT_P99);

	if (f->legs == 0)
		*f = (struct row_figures){ .first = m, .iops_low = m->iops, .iops_high = m->iops,
			.p99_ns = p99, .ios = m->ios };
	f->p50_ns = (f->p50_ns * (double)f->legs + p50) / (double)(f->legs + 1);
	f->iops = (f->iops * (double)f->legs + m->iops) / (double)(f->legs + 1);
	f->legs++;
	f->iops_low = fmin(f->iops_low, m->iops);
	f->iops_high = fmax(f->iops_high, m->iops);
	f->p99_ns = fmax(f->p99_ns, p99); /* passes over NAN */
	/* one repetition that was too short to tell leaves it open */
	f->drift = f->legs == 1 || isnan(m->last_third_change) ? fabs(m->last_third_change) :
		isnan(f->drift) ? f->drift : fmax(f->drift, fabs(m->last_third_change));
	f->ios = m->ios < f->ios ? m->ios : f->ios;
	f->source = m->source > f->source ? m->source : f->source;
	f->commit_ns = verdict_row_depth(m) / f->iops * 1e9;
}

bool verdict_row(const struct verdict_input *in, const char *probe, enum write_cache_state state,
	struct row_figures *ret)
{
	struct row_figures f = { .legs = 0 };

	for (size_t i = 0; i < in->count; i++) {
		const struct result *r = in->results[i];

		for (size_t k = 0; k < r->measurement_count; k++) {
			const struct measurement *m = r->measurements[k];

			if (m->write_cache == state && strcmp(m->probe, probe) == 0 && usable(m))
				take(&f, m);
		}
	}
	if (f.legs)
		*ret = f;
	return f.legs > 0;
}

bool verdict_row_now(const struct verdict_input *in, const char *probe, struct row_figures *ret)
{
	const char *now = verdict_target_word(in, "write_cache.drive");

	if (now && strcmp(now, "off") == 0 && verdict_row(in, probe, WC_OFF, ret))
		return true;
	return verdict_row(in, probe, WC_ON, ret) || verdict_row(in, probe, WC_NONE, ret) ||
		verdict_row(in, probe, WC_UNKNOWN, ret) || verdict_row(in, probe, WC_OFF, ret);
}

const char *verdict_source_suffix(const struct row_figures *f)
{
	return f->source == SOURCE_IMPORTED ? " (as imported)" :
		f->source == SOURCE_STATED ? " (as stated)" : "";
}
