/* verdict_rotation.c - does it rotate? The drive's word before the kernel's, a measurement beside
 * both. */
#include "policies/verdict_rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"
#include "policies/threshold.h"

static const char source_rule[] =
	"ACS-4 IDENTIFY DEVICE word 217 and SBC-4 VPD page B1h (medium rotation rate); medians of "
	"random reads over a growing span";

/* Sources: Ceph documentation, "OSD Config Reference" (mclock), "CRUSH Maps" (device classes),
 * "BlueStore Config Reference" (sizes fixed at mkfs); ceph src/os/bluestore/BlueStore.cc. */
const char *const rotation_osd_mend[] = {
	"see what it was taken for: ceph osd metadata ID | grep -e rotational -e device_class; "
	"ceph osd df tree",
	"make the rule above last, then restart the OSD: it reads the flag at its start, and with "
	"it the _ssd or _hdd defaults of shards, cache and deferred writes",
	"ceph osd crush rm-device-class osd.ID; ceph osd crush set-device-class ssd osd.ID -- "
	"rules that ask for a class MOVE ALL ITS DATA; set norebalance first, and do one host at a "
	"time",
	"ceph config rm osd.ID osd_mclock_max_capacity_iops_hdd; then take the capacity of an OSD "
	"bench (ceph tell osd.ID bench 12288000 4096 4194304 100 after ceph tell osd.ID cache "
	"drop), never of the raw drive, into osd_mclock_max_capacity_iops_ssd",
	"what was fixed when it was created (bluestore_min_alloc_size: 64 KiB on disks before "
	"Pacific) changes only with a new OSD: drain it, destroy it, create it again, which moves "
	"its data twice",
	NULL,
};

const char *medium_word(enum medium m)
{
	static const char *const words[] = { "unknown", "ssd", "hdd", "volume" };

	return words[m];
}

/* -- measured ---------------------------------------------------------------------------------- */

struct span {
	double bytes, p50_ns;
	const struct measurement *m;
};

static bool is_random_read(const struct measurement *m)
{
	const char *rw = json_str(json_get(m->params, "rw"));

	return rw && strcmp(rw, "randread") == 0 && verdict_row_depth(m) == 1 && m->lat.present &&
		m->lat.count && !isnan(m->lat.pct_ns[LAT_P50]) && m->source == SOURCE_MEASURED;
}

static void consider(const struct measurement *m, struct span *small, struct span *large)
{
	struct span s = { .p50_ns = m->lat.pct_ns[LAT_P50], .m = m };

	if (!json_f64(json_get(m->params, "size"), &s.bytes) || !(s.bytes > 0))
		return;
	if (!small->m || s.bytes < small->bytes)
		*small = s;
	if (!large->m || s.bytes > large->bytes)
		*large = s;
}

static void measured(const struct verdict_input *in, struct rotation_verdict *v)
{
	struct span small = { .m = NULL }, large = { .m = NULL };
	double growth;

	v->small_ns = v->large_ns = NAN;
	for (size_t i = 0; i < in->count; i++)
		for (size_t k = 0; k < in->results[i]->measurement_count; k++)
			if (is_random_read(in->results[i]->measurements[k]))
				consider(in->results[i]->measurements[k], &small, &large);
	if (!large.m)
		return;
	v->small_ns = small.p50_ns;
	v->large_ns = large.p50_ns;
	growth = large.p50_ns / small.p50_ns;
	(void)snprintf(v->rows, sizeof(v->rows), small.m == large.m ? "%s" : "%s, %s",
		small.m->probe, large.m->probe);
	v->measured_high = small.m != large.m &&
		large.bytes >= threshold(THRESHOLD_ROTATION_SPAN_BYTES);
	if (large.p50_ns <= threshold(THRESHOLD_ROTATION_FLAT_NS))
		v->measured = large.bytes >= threshold(THRESHOLD_ROTATION_SPAN_BYTES) ? MEDIUM_SSD :
			MEDIUM_UNKNOWN; /* a disk's own cache is as fast */
	else if (large.p50_ns >= threshold(THRESHOLD_ROTATION_SEEK_NS) && small.m != large.m &&
		growth >= threshold(THRESHOLD_ROTATION_GROWTH))
		v->measured = MEDIUM_HDD;
}

/* -- verdict ----------------------------------------------------------------------------------- */

static int flag(const struct json *t, const char *key)
{
	bool b;

	return json_bool(json_path(t, key), &b) ? b : -1;
}

static enum medium of_flag(int rotates)
{
	return rotates < 0 ? MEDIUM_UNKNOWN : rotates ? MEDIUM_HDD : MEDIUM_SSD;
}

/* What the controller's tool says is behind the virtual disk. */
static enum medium of_media(const char *word)
{
	return !word ? MEDIUM_UNKNOWN : strcmp(word, "ssd") == 0 ? MEDIUM_SSD :
		strcmp(word, "hdd") == 0 ? MEDIUM_HDD : MEDIUM_UNKNOWN;
}

void verdict_rotation_judge(const struct verdict_input *in, struct rotation_verdict *ret)
{
	const struct json *t = verdict_target(in);
	const char *transport = verdict_target_word(in, "transport");
	struct rotation_verdict v = { .claimed = flag(t, "rotational.claimed"),
		.reported = flag(t, "rotational.reported") };
	bool conflict;

	measured(in, &v);
	conflict = v.measured && v.reported >= 0 && v.measured != of_flag(v.reported);
	switch (verdict_where(t)) {
	case WHERE_VOLUME:
		v.medium = MEDIUM_VOLUME;
		v.high = true;
		break;
	case WHERE_RAID:
		v.medium = of_media(verdict_target_word(in, "controller.media"));
		v.doubtful = v.medium == MEDIUM_UNKNOWN;
		v.high = !v.doubtful;
		v.claim_wrong = v.medium && v.claimed >= 0 && of_flag(v.claimed) != v.medium;
		break;
	case WHERE_DRIVE:
		if (conflict)
			break; /* two facts that cannot both hold */
		v.medium = v.reported >= 0 ? of_flag(v.reported) : v.measured;
		v.high = v.reported >= 0 || v.measured_high;
		if (!v.medium && transport && strcmp(transport, "nvme") == 0 && v.claimed == 0) {
			v.medium = MEDIUM_SSD;
			v.high = true; /* disks with NVMe report their rotation; none is sold */
		}
		v.claim_wrong = v.medium && v.claimed >= 0 && of_flag(v.claimed) != v.medium;
		break;
	}
	*ret = v;
}

static const char *said(int rotates)
{
	return rotates < 0 ? "nothing" : rotates ? "rotates" : "does not rotate";
}

static void say_bound(const struct rotation_verdict *r, struct verdict *v)
{
	char small[UNITS_BUF], large[UNITS_BUF], seen[160] = "not measured";

	if (r->rows[0] && !strchr(r->rows, ','))
		(void)snprintf(seen, sizeof(seen), "median random read %s (%s): %s",
			units_format_ns(large, sizeof(large), r->large_ns), r->rows,
			medium_word(r->measured));
	else if (r->rows[0])
		(void)snprintf(seen, sizeof(seen), "median random read %s over the smallest span, "
			"%s over the largest (%s): %s",
			units_format_ns(small, sizeof(small), r->small_ns),
			units_format_ns(large, sizeof(large), r->large_ns), r->rows,
			medium_word(r->measured));
	(void)snprintf(v->bound_by, sizeof(v->bound_by),
		"%s%s: kernel: %s; drive: %s; measured: %s", v->answer,
		r->doubtful ? ", a RAID controller's virtual disk" :
		r->medium == MEDIUM_VOLUME ? ", not a drive" : "", said(r->claimed),
		said(r->reported), seen);
}

static void add_findings(const struct rotation_verdict *r, struct notes *n)
{
	if (r->claim_wrong) {
		notes_add(n, "rotational-wrong", source_rule,
			"the kernel says that it %s, but it is %s: schedulers, read-ahead and Ceph "
			"go by the kernel's flag; the rule in the verdict's lines corrects it",
			said(r->claimed), r->medium == MEDIUM_SSD ? "an SSD" : "a disk");
		notes_add(n, "rotational-osds", "Ceph documentation: OSD and BlueStore config "
			"references, "
			"CRUSH maps", "OSDs that were created under the wrong flag keep a wrong "
			"device class and mclock capacity; the verdict's lines say how to mend "
			"them, and which step moves data");
	}
	if (r->doubtful && r->claimed == 1)
		notes_add(n, "rotational-doubtful", "megaraid_sas, hpsa and the like: virtual "
			"disks are flagged rotational whatever is behind them",
			"flagged rotational by a RAID controller's virtual disk: what is behind it "
			"is not known here; the figures are the virtual disk's");
	if (!r->doubtful && r->medium == MEDIUM_UNKNOWN && r->measured && r->reported >= 0)
		notes_add(n, "rotational-conflict", source_rule,
			"the drive says that it %s, its random reads look like "
			"%s", said(r->reported),
			r->measured == MEDIUM_SSD ? "an SSD (or blocks that were never written)" :
			"a disk");
}

static const char *change(const struct rotation_verdict *r)
{
	if (r->doubtful)
		return "the controller's tool (--controller FILE), or JBOD/HBA mode, which OSDs "
			"want anyway";
	if (r->medium == MEDIUM_VOLUME)
		return "nothing here: whatever provides the volume knows its medium";
	if (!r->rows[0] && !r->high)
		return "run --battery rotation: do random reads get slower as their span grows?";
	if (r->medium == MEDIUM_UNKNOWN)
		return "random reads over all of a drive that was written before (--fill)";
	return "";
}

static int judge(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	const char *kind = verdict_target_word(in, "kind");
	struct rotation_verdict r;

	verdict_rotation_judge(in, &r);
	if (kind && strcmp(kind, "block") != 0)
		return 1; /* of the drive below a folder or file nothing was asked */
	if (!r.medium && !r.doubtful && !r.rows[0] && r.claimed < 0 && r.reported < 0)
		return 1;
	*ret = (struct verdict){ .answer = medium_word(r.medium), .source = source_rule };
	ret->confidence = r.medium ? r.high ? "high" : "low" : NULL;
	ret->grade = r.medium == MEDIUM_UNKNOWN || r.medium == MEDIUM_VOLUME ? "unknown" :
		r.claim_wrong ? "fail" : r.high ? "pass" : "provisional";
	(void)snprintf(ret->threshold, sizeof(ret->threshold),
		"disk: from %.0f ms and %.1f times the smallest span's; SSD: up to %.0f ms",
		threshold(THRESHOLD_ROTATION_SEEK_NS) / 1e6, threshold(THRESHOLD_ROTATION_GROWTH),
		threshold(THRESHOLD_ROTATION_FLAT_NS) / 1e6);
	say_bound(&r, ret);
	(void)snprintf(ret->would_change, sizeof(ret->would_change), "%s", change(&r));
	add_findings(&r, findings);
	return 0;
}

extern const struct verdict_ops verdict_rotational;
const struct verdict_ops verdict_rotational = {
	.subject = "rotational",
	.judge = judge,
};
