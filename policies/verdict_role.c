/* verdict_role.c - is the drive fit for OSD data, WAL/DB, or the log of a persistent RBD cache? */
#include "policies/verdict_role.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"
#include "policies/threshold.h"
#include "policies/verdict_plp.h"

static const enum threshold_id class_limit[] = { THRESHOLD_CLASS_S, THRESHOLD_CLASS_A,
	THRESHOLD_CLASS_B, THRESHOLD_CLASS_C, THRESHOLD_CLASS_D };
static const char *const class_word[] = { "S", "A", "B", "C", "D", "F" };

const char *verdict_class(double iops)
{
	size_t i = 0, limits = sizeof(class_limit) / sizeof(class_limit[0]);

	while (i < limits && iops < threshold(class_limit[i]))
		i++;
	return class_word[i];
}

static void say_classes(struct verdict *v)
{
	v->source = threshold_table[THRESHOLD_CLASS_A].source;
	(void)snprintf(v->threshold, sizeof(v->threshold),
		"durable 4 KiB writes a second, depth 1: S %.0f, A %.0f, B %.0f, C %.0f, D %.0f",
		threshold(THRESHOLD_CLASS_S), threshold(THRESHOLD_CLASS_A),
		threshold(THRESHOLD_CLASS_B), threshold(THRESHOLD_CLASS_C),
		threshold(THRESHOLD_CLASS_D));
}

/* Reasons add up in would_change. */
static void reason(struct verdict *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void reason(struct verdict *v, const char *fmt, ...)
{
	size_t used = strlen(v->would_change);
	va_list ap;

	if (used)
		used += (size_t)snprintf(v->would_change + used, sizeof(v->would_change) - used,
			"; ");
	if (used >= sizeof(v->would_change))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(v->would_change + used, sizeof(v->would_change) - used, fmt, ap);
	va_end(ap);
}

static bool too_few(const struct row_figures *f, struct verdict *v)
{
	if ((double)f->ios >= threshold(THRESHOLD_TAIL_SAMPLES))
		return false;
	v->grade = "unknown";
	(void)snprintf(v->bound_by, sizeof(v->bound_by), "%s: %llu writes only%s", f->first->probe,
		(unsigned long long)f->ios, verdict_source_suffix(f));
	reason(v, "a longer --runtime: %.0f writes are needed", threshold(THRESHOLD_TAIL_SAMPLES));
	return true;
}

/* What makes any figure of this target provisional. */
static bool is_provisional(const struct verdict_input *in, const struct row_figures *f,
	struct verdict *v)
{
	enum verdict_where where = verdict_where(verdict_target(in));

	if (where == WHERE_VOLUME)
		reason(v, "a drive of its own: this is a volume, its figures are what its host "
			"gives now");
	if (where == WHERE_RAID)
		reason(v, "JBOD or HBA mode: this is a RAID controller's virtual disk");
	if (f->source != SOURCE_MEASURED)
		reason(v, "a run of ssdqual: these figures are %s", source_word(f->source));
	return where != WHERE_DRIVE || f->source != SOURCE_MEASURED;
}

/* The other state of the cache, where it was measured and changes the class. */
static void compare_states(const struct verdict_input *in, const struct row_figures *f,
	struct verdict *v)
{
	enum write_cache_state other = f->first->write_cache == WC_ON ? WC_OFF : WC_ON;
	struct row_figures o;

	if ((f->first->write_cache != WC_ON && f->first->write_cache != WC_OFF) ||
		!verdict_row(in, f->first->probe, other, &o) ||
		strcmp(verdict_class(o.iops), verdict_class(f->iops)) == 0)
		return;
	reason(v, "the write cache %s: class %s", write_cache_word(other), verdict_class(o.iops));
}

static void say_row(const struct row_figures *f, struct verdict *v)
{
	char commit[UNITS_BUF], state[32] = "";

	if (f->first->write_cache == WC_ON || f->first->write_cache == WC_OFF)
		(void)snprintf(state, sizeof(state), ", write cache %s",
			write_cache_word(f->first->write_cache));
	(void)snprintf(v->bound_by, sizeof(v->bound_by), "class %s: %s %.0f IOPS, %s a commit%s%s",
		verdict_class(f->iops), f->first->probe, f->iops,
		units_format_ns(commit, sizeof(commit), f->commit_ns), state,
		verdict_source_suffix(f));
}

/* -- OSD data ---------------------------------------------------------------------------------- */

/* At rest, on a span that was written before: else it is the drive's fast cache that was measured.
 *  */
static bool is_steady(const struct verdict_input *in, const struct row_figures *f,
	struct verdict *v)
{
	const char *pre = json_str(json_path(in->results[0]->doc, "settings.precondition"));
	bool filled = pre && (strcmp(pre, "filled") == 0 || strcmp(pre, "steady") == 0);
	bool flat = f->drift <= threshold(THRESHOLD_FLAT); /* false for NAN */

	if (!filled)
		reason(v, "a run with --fill: without it a drive may write into its fast cache");
	if (isnan(f->drift))
		reason(v, "a longer --runtime: whether %s was at rest cannot be "
			"told", f->first->probe);
	else if (!flat)
		reason(v, "a longer --runtime: %s still changed by %.0f %% at its "
			"end", f->first->probe,
			f->drift * 100);
	return filled && flat;
}

static void note_mclock(const struct verdict_input *in, struct notes *n)
{
	struct row_figures f;

	if ((!verdict_row_now(in, "parallel-fsync", &f) &&
		!verdict_row_now(in, "parallel-sync", &f)) ||
		verdict_where(verdict_target(in)) != WHERE_DRIVE)
		return;
	notes_add(n, "mclock-bound", threshold_table[THRESHOLD_MCLOCK_HIGH].source,
		"an osd_mclock_max_capacity_iops_ssd above %.0f would exceed the raw drive; a "
		"value comes from an OSD bench only, and Ceph believes %.0f to %.0f",
		fmin(f.iops, threshold(THRESHOLD_MCLOCK_HIGH)), threshold(THRESHOLD_MCLOCK_LOW),
		threshold(THRESHOLD_MCLOCK_HIGH));
}

static int judge_osd(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	struct row_figures f;
	struct plp_verdict plp;
	bool provisional, steady;

	if (!verdict_row_now(in, "t1q1-fsync", &f))
		return 1;
	*ret = (struct verdict){ .grade = verdict_class(f.iops) };
	say_classes(ret);
	if (too_few(&f, ret))
		return 0;
	say_row(&f, ret);
	verdict_plp_judge(in, &plp, NULL);
	if (plp.failed) {
		ret->grade = "fail";
		(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "its power-loss protection "
			"failed");
		reason(ret, "another drive");
		return 0;
	}
	provisional = is_provisional(in, &f, ret);
	steady = is_steady(in, &f, ret);
	if (provisional || !steady)
		ret->grade = "provisional";
	compare_states(in, &f, ret);
	note_mclock(in, findings);
	return 0;
}

/* -- WAL/DB ------------------------------------------------------------------------------------ */

static bool slower_journal(const struct verdict_input *in, struct row_figures *ret)
{
	struct row_figures sync, fsync;
	bool a = verdict_row_now(in, "journal-sync", &sync);
	bool b = verdict_row_now(in, "journal-fsync", &fsync);

	if (a || b)
		*ret = !b || (a && sync.iops < fsync.iops) ? sync : fsync;
	return a || b;
}

static int judge_wal(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	struct plp_verdict plp;
	struct row_figures f;

	(void)findings;
	verdict_plp_judge(in, &plp, NULL);
	if (!slower_journal(in, &f)) {
		if (!plp.failed)
			return 1;
		f = (struct row_figures){ .first = NULL };
	}
	*ret = (struct verdict){ .grade = f.first ? verdict_class(f.iops) : "fail" };
	say_classes(ret);
	if (plp.failed) {
		ret->grade = "fail";
		ret->source = "NVMe critical warning bit 4, or capacitor attributes, override all "
			"figures";
		(void)snprintf(ret->bound_by, sizeof(ret->bound_by),
			"not qualified as a journal: its power-loss protection failed");
		reason(ret, "another drive");
		return 0;
	}
	if (too_few(&f, ret))
		return 0;
	say_row(&f, ret);
	if (is_provisional(in, &f, ret))
		ret->grade = "provisional";
	if (plp.answer == PLP_ANSWER_NO)
		reason(ret, "a drive with power-loss protection: each commit waits for this one's "
			"flash");
	compare_states(in, &f, ret);
	return 0;
}

/* -- the log of a persistent RBD cache --------------------------------------------------------- */

static const char source_pwl[] = "ceph src/librbd/cache/pwl: the ssd mode never sends a cache "
	"flush";

/* The slowest p99 of what the log does; its name in @f->first. */
static bool slowest_log_row(const struct verdict_input *in, struct row_figures *ret)
{
	static const char *const probes[] = { "write-4k", "overwrite-4k" };
	struct row_figures f;
	bool found = false;

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		if (!verdict_row_now(in, probes[i], &f) || isnan(f.p99_ns))
			continue;
		if (!found || f.p99_ns > ret->p99_ns)
			*ret = f;
		found = true;
	}
	return found;
}

static int judge_pwl(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	double limit = threshold(THRESHOLD_PWL_WRITE_NS);
	char p99[UNITS_BUF], shown[UNITS_BUF];
	struct plp_verdict plp;
	struct row_figures f;

	(void)findings;
	if (!slowest_log_row(in, &f))
		return 1;
	*ret = (struct verdict){ .source = source_pwl };
	(void)snprintf(ret->threshold, sizeof(ret->threshold),
		"proven power-loss protection, and p99 of 4 KiB writes below %s",
		units_format_ns(shown, sizeof(shown), limit));
	if (too_few(&f, ret))
		return 0;
	verdict_plp_judge(in, &plp, NULL);
	(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "%s: p99 %s%s; protection: %s",
		f.first->probe, units_format_ns(p99, sizeof(p99), f.p99_ns),
		verdict_source_suffix(&f), plp_answer_word(plp.answer));
	if ((f.p99_ns >= limit && verdict_where(verdict_target(in)) != WHERE_VOLUME) ||
		plp.answer == PLP_ANSWER_NO) {
		ret->grade = "fail";
		reason(ret, plp.answer == PLP_ANSWER_NO ? "a drive with power-loss protection" :
			"a faster drive: the log would be slower than the cluster");
	} else if (plp.answer == PLP_ANSWER_UNKNOWN) {
		ret->grade = "unknown";
		reason(ret, "proof of power-loss protection: without it acknowledged writes may be "
			"lost");
	} else {
		bool provisional = is_provisional(in, &f, ret) || !plp.high;

		ret->grade = provisional ? "provisional" : "pass";
		if (!plp.high)
			reason(ret, "more evidence of power-loss protection");
	}
	return 0;
}

extern const struct verdict_ops verdict_osd_data;
extern const struct verdict_ops verdict_wal_db;
extern const struct verdict_ops verdict_pwl;
const struct verdict_ops verdict_osd_data = {
	.subject = "osd-data",
	.judge = judge_osd,
	.role = true,
};
const struct verdict_ops verdict_wal_db = {
	.subject = "wal-db",
	.judge = judge_wal,
	.role = true,
};
const struct verdict_ops verdict_pwl = {
	.subject = "pwl",
	.judge = judge_pwl,
	.role = true,
};
