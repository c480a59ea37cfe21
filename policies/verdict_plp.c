/* verdict_plp.c - is acknowledged data safe without power? Evidence, weighed. */
#include "policies/verdict_plp.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"
#include "policies/threshold.h"

#define SCORE_ANSWER 3
#define SCORE_HIGH 4
#define CRITICAL_BACKUP 0x10 /* NVMe base specification, SMART log, critical warning bit 4 */

static const char source_vwc[] = "NVMe base specification, Identify Controller: VWC bit 0";
static const char source_warning[] = "NVMe base specification, SMART / Health log: critical "
	"warning bit 4";
static const char source_floor[] = "inferred: the time that a flash program or a command takes at "
	"least";

const char *plp_answer_word(enum plp_answer a)
{
	static const char *const words[] = { "unknown", "yes", "no" };

	return words[a];
}

static void add(struct plp_verdict *v, const char *kind, int weight, const char *source,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
static void add(struct plp_verdict *v, const char *kind, int weight, const char *source,
	const char *fmt, ...)
{
	struct plp_evidence *e = &v->item[v->count];
	va_list ap;

	if (v->count == PLP_EVIDENCE_MAX)
		return;
	*e = (struct plp_evidence){ .kind = kind, .weight = weight, .source = source };
	va_start(ap, fmt);
	(void)vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	v->count++;
	v->score += weight;
}

/* -- what the drive says ----------------------------------------------------------------------- */

static const struct json *health(const struct verdict_input *in, const char *key)
{
	const struct json *smart = json_get(in->results[0]->doc, "smart");
	const struct json *after = json_get(json_get(smart, "after"), key);

	return json_is_null(after) ? json_get(json_get(smart, "before"), key) : after;
}

/* Bits of the warning byte: of the SMART section, else of the words that the identity lists. */
static bool critical_bits(const struct verdict_input *in, uint64_t *ret)
{
	const struct json *list = json_path(verdict_target(in), "nvme.critical_warnings");
	const struct json *word = json_first(list);

	if (json_u64(health(in, "critical_warning"), ret))
		return true;
	if (json_is_null(list))
		return false;
	*ret = 0;
	for (; word; word = json_next(word))
		if (json_str(word) && strstr(json_str(word), "memory backup failed"))
			*ret |= CRITICAL_BACKUP;
	return true;
}

static void add_critical(const struct verdict_input *in, struct plp_verdict *v, struct notes *n)
{
	uint64_t bits;

	if (!critical_bits(in, &bits))
		return;
	if (!(bits & CRITICAL_BACKUP)) {
		add(v, "critical-warning", 0, source_warning, "bit 4 is clear: no backup has "
			"failed");
		return;
	}
	v->failed = true;
	add(v, "critical-warning", 0, source_warning,
		"bit 4 is set: volatile memory backup failed; it overrides everything else");
	if (n)
		notes_add(n, "plp-backup-failed", source_warning,
			"critical: volatile memory backup failed (critical warning bit 4): what "
			"the drive acknowledges is no longer safe without power; take it out of "
			"journals and OSDs");
}

/* "capacitor": {"state": "ok" | "failed"} of the smart section, where a probe read an attribute. */
static void add_capacitor(const struct verdict_input *in, struct plp_verdict *v, struct notes *n)
{
	const char *state = json_str(json_get(health(in, "capacitor"), "state"));

	if (!state)
		return;
	if (strcmp(state, "ok") == 0)
		add(v, "capacitor", 3, "SMART attribute of the drive", "its capacitors test well");
	if (strcmp(state, "failed") != 0)
		return;
	v->failed = true;
	add(v, "capacitor", 0, "SMART attribute of the drive",
		"its capacitors have failed; it overrides everything else");
	if (n)
		notes_add(n, "plp-backup-failed", "SMART attribute of the drive",
			"critical: the capacitors that protect its cache have failed");
}

static void add_stated(const struct verdict_input *in, struct plp_verdict *v)
{
	const char *cache = verdict_target_word(in, "write_cache.drive");
	const char *transport = verdict_target_word(in, "transport");

	if (cache && strcmp(cache, "none") == 0)
		add(v, "vwc", 3, source_vwc, "it says that it has no volatile write cache");
	else if (cache && strcmp(cache, "on") == 0 && transport && strcmp(transport, "nvme") == 0)
		add(v, "vwc", 0, source_vwc,
			"it says that it has a volatile write cache, as protected drives may, too");
	if (in->ref && strcmp(in->ref->plp, "unknown") != 0)
		add(v, "reference", strcmp(in->ref->plp, "yes") == 0 ? 1 : -1, in->ref->source,
			"%s%s: classified as %s", in->ref->ambiguous ? "a drive like " : "",
			in->ref->name,
			strcmp(in->ref->plp, "yes") == 0 ? "protected" : "not protected");
}

/* Where a RAID controller's tool was asked: its cache with a battery, the drives' own off. */
static void add_controller(const struct verdict_input *in, struct plp_verdict *v, struct notes *n)
{
	const char *policy = verdict_target_word(in, "controller.cache_policy");
	const char *battery = verdict_target_word(in, "controller.battery");
	const char *disk = verdict_target_word(in, "controller.disk_cache");
	static const char source[] = "the controller's tool, as given with --controller";
	bool back;

	if (!policy || !battery || !disk)
		return;
	back = strstr(policy, "write back") != NULL;
	v->not_the_drives = false;
	add(v, "controller", strcmp(disk, "off") == 0 && (!back || strcmp(battery, "ok") == 0) ? 3 :
		strcmp(disk, "on") == 0 || back ? -3 : 0, source,
		"controller cache %s, battery %s, cache of its drives %s", policy, battery, disk);
	if (n && strcmp(policy, "always write back") == 0 && strcmp(battery, "ok") != 0)
		notes_add(n, "controller-unsafe", source,
			"the controller caches writes although its battery is %s: they are lost "
			"without power", battery);
}

/* -- what was measured ------------------------------------------------------------------------- */

/* A durable write beside an unsynced one, both with the drive's cache on and FLUSH sent: medians
 * where they are known, since a stall says nothing of what a sync costs. */
struct cost {
	bool known;
	double durable_ns, plain_ns, sync_ns;
	const char *rows;
};

/* The kernel sends no FLUSH where it takes the drive for write-through. */
static bool flush_is_sent(const struct verdict_input *in)
{
	const char *queue = verdict_target_word(in, "write_cache.queue");

	if (!queue)
		queue = verdict_target_word(in, "write_cache.kernel");
	return queue && strcmp(queue, "write back") == 0;
}

/* On where the drive tells, else what is not known to be off: virtual disks do not tell. */
static bool row_on(const struct verdict_input *in, const char *probe, struct row_figures *ret)
{
	return verdict_row(in, probe, WC_ON, ret) || verdict_row(in, probe, WC_UNKNOWN, ret);
}

static double usual(const struct row_figures *f)
{
	return isnan(f->p50_ns) ? f->commit_ns : f->p50_ns;
}

static double usual_of(const struct latency *l)
{
	return isnan(l->pct_ns[LAT_P50]) ? l->mean_ns : l->pct_ns[LAT_P50];
}

static struct cost cost_of_sync(const struct verdict_input *in)
{
	struct cost c = { .known = false };
	struct row_figures durable, plain;

	if (!row_on(in, "journal-fsync", &durable) && !row_on(in, "t1q1-fsync", &durable))
		return c;
	c.durable_ns = usual(&durable);
	if (durable.first->write_lat.present && usual_of(&durable.first->write_lat) > 0) {
		c.plain_ns = usual_of(&durable.first->write_lat);
		c.rows = "the row's own write and sync";
	} else if (strcmp(durable.first->probe, "journal-fsync") == 0 &&
		row_on(in, "write-4k", &plain)) {
		c.plain_ns = usual(&plain);
		c.rows = "journal-fsync beside write-4k";
	} else {
		return c;
	}
	c.sync_ns = durable.first->sync_lat.present ? usual_of(&durable.first->sync_lat) :
		c.durable_ns - c.plain_ns;
	c.known = true;
	return c;
}

static bool proven_otherwise(const struct plp_verdict *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->item[i].weight > 0)
			return true;
	return false;
}

/* Where an emulator, a bridge or a lie is likelier than capacitors; NULL: nowhere. */
static const char *likelier(const struct verdict_input *in)
{
	const char *transport = verdict_target_word(in, "transport");
	bool guest = false;

	(void)json_bool(json_path(in->results[0]->doc, "host.virtual_machine"), &guest);
	if (verdict_where(verdict_target(in)) == WHERE_RAID)
		return "behind a RAID controller, whose cache answers";
	if (verdict_where(verdict_target(in)) == WHERE_VOLUME)
		return "on a volume (QEMU's cache=unsafe does this)";
	if (guest)
		return "in a virtual machine, which may emulate it (QEMU's cache=unsafe does this)";
	if (transport && strcmp(transport, "usb") == 0)
		return "behind a USB bridge";
	return in->ref && strcmp(in->ref->plp, "no") == 0 ? "unlike drives of its model" : NULL;
}

/* Speed that protection would explain, where nothing else speaks for protection: true takes the
 * weight off it. Without a likelier explanation it counts, and is told all the same. */
static bool is_suspect(const struct verdict_input *in, const struct cost *c,
	const struct plp_verdict *v, struct notes *n)
{
	bool cheap = c->durable_ns / c->plain_ns <= threshold(THRESHOLD_PLP_RATIO_YES);
	bool fast = c->durable_ns < threshold(THRESHOLD_SYNC_FLOOR_NS);
	bool ignored = c->sync_ns < threshold(THRESHOLD_FLUSH_FLOOR_NS) || (cheap && likelier(in));
	char a[UNITS_BUF], b[UNITS_BUF];

	if (proven_otherwise(v))
		return false;
	(void)units_format_ns(a, sizeof(a), c->durable_ns);
	(void)units_format_ns(b, sizeof(b), c->sync_ns);
	if (n && fast)
		notes_add(n, "flush-too-fast", source_floor,
			"a durable 4 KiB write takes %s: too fast to be true without a protected "
			"buffer, and nothing but speed speaks for one", a);
	if (n && ignored)
		notes_add(n, "flush-ignored", source_floor,
			"the sync takes %s of a durable write's %s: FLUSH seems to be ignored%s%s",
			b, a, likelier(in) ? ", " : "", likelier(in) ? likelier(in) : "");
	else if (n && cheap && !fast)
		notes_add(n, "flush-unproven", source_floor,
			"the sync takes %s of a durable write's %s: the cache is protected, or "
			"FLUSH is ignored; nothing but speed tells", b, a);
	return fast || ignored;
}

static void add_ratio(const struct verdict_input *in, struct plp_verdict *v, struct notes *n)
{
	struct cost c = cost_of_sync(in);
	double ratio = c.durable_ns / c.plain_ns;
	int weight = ratio <= threshold(THRESHOLD_PLP_RATIO_YES) ? 3 :
		ratio >= threshold(THRESHOLD_PLP_RATIO_NO) ? -3 : 0;
	char a[UNITS_BUF], b[UNITS_BUF];

	if (!c.known)
		return;
	if (!flush_is_sent(in)) {
		const char *queue = verdict_target_word(in, "write_cache.queue");

		add(v, "ratio", 0, threshold_table[THRESHOLD_PLP_RATIO_YES].source,
			queue ? "the kernel is in write-through and sends no FLUSH: nothing to "
				"compare" :
			"not known whether the kernel sent FLUSH: nothing to compare");
		return;
	}
	if (is_suspect(in, &c, v, n))
		weight = weight > 0 ? 0 : weight;
	add(v, "ratio", weight, threshold_table[weight < 0 ? THRESHOLD_PLP_RATIO_NO :
		THRESHOLD_PLP_RATIO_YES].source, "cache on: a durable write takes %.1f unsynced "
			"ones (%s and %s: %s)", ratio, units_format_ns(a, sizeof(a), c.durable_ns),
		units_format_ns(b, sizeof(b), c.plain_ns), c.rows);
}

/* libata has FUA off: there both rows are write and FLUSH, and the comparison says nothing. */
static void add_fua(const struct verdict_input *in, struct plp_verdict *v)
{
	struct row_figures fua, flush;
	bool used = false, suspect = false;
	double ratio;
	int weight;

	(void)json_bool(json_path(verdict_target(in), "write_cache.fua"), &used);
	if (!used || !flush_is_sent(in) || !verdict_row(in, "journal-sync", WC_ON, &fua) ||
		!verdict_row(in, "journal-fsync", WC_ON, &flush))
		return;
	ratio = usual(&flush) / usual(&fua);
	for (size_t i = 0; i < v->count; i++)
		suspect = suspect ||
			(strcmp(v->item[i].kind, "ratio") == 0 && v->item[i].weight == 0);
	weight = ratio >= threshold(THRESHOLD_FUA_RATIO_NO) ? -2 :
		ratio <= threshold(THRESHOLD_PLP_RATIO_YES) && !suspect ? 1 : 0;
	add(v, "fua", weight, threshold_table[THRESHOLD_FUA_RATIO_NO].source,
		"write and FLUSH take %.1f times a FUA write", ratio);
}

/* Without FLUSH a write is taken as durable at once: its own speed is what can be untrue. */
static void note_fast_write(const struct verdict_input *in, const struct plp_verdict *v,
	struct notes *n)
{
	const char *queue = verdict_target_word(in, "write_cache.queue");
	struct row_figures row;
	char shown[UNITS_BUF];

	if (!n || !queue || strcmp(queue, "write through") != 0 || proven_otherwise(v) ||
		(!verdict_row_now(in, "journal-fsync", &row) &&
			!verdict_row_now(in, "journal-sync", &row)) ||
		usual(&row) >= threshold(THRESHOLD_SYNC_FLOOR_NS))
		return;
	notes_add(n, "write-too-fast", source_floor,
		"the kernel takes every write as durable (write through, no FLUSH is sent), and "
		"one takes %s: too fast for flash without a protected buffer, so it is memory or "
		"an untrue claim",
		units_format_ns(shown, sizeof(shown), usual(&row)));
}

/* -- sum --------------------------------------------------------------------------------------- */

static bool contradicted(const struct plp_verdict *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->item[i].weight * v->score < 0)
			return true;
	return false;
}

void verdict_plp_judge(const struct verdict_input *in, struct plp_verdict *ret,
	struct notes *findings)
{
	struct plp_verdict v = { .not_the_drives =
		verdict_where(verdict_target(in)) != WHERE_DRIVE };

	add_critical(in, &v, findings);
	add_capacitor(in, &v, findings);
	add_stated(in, &v);
	add_controller(in, &v, findings);
	add_ratio(in, &v, findings);
	add_fua(in, &v);
	note_fast_write(in, &v, findings);
	if (v.failed)
		v.answer = PLP_ANSWER_NO;
	else if (!v.not_the_drives && v.score >= SCORE_ANSWER)
		v.answer = PLP_ANSWER_YES;
	else if (!v.not_the_drives && v.score <= -SCORE_ANSWER)
		v.answer = PLP_ANSWER_NO;
	v.high = v.failed || (v.answer && (v.score >= SCORE_HIGH || v.score <= -SCORE_HIGH) &&
		!contradicted(&v));
	*ret = v;
}

static const char *change(const struct verdict_input *in, const struct plp_verdict *p)
{
	struct row_figures row;

	switch (verdict_where(verdict_target(in))) {
	case WHERE_RAID:
		return "the controller's tool (--controller FILE): cache policy, battery, disk "
			"cache";
	case WHERE_VOLUME:
		return "nothing here: whatever provides the volume answers for it";
	default:
		break;
	}
	if (p->failed)
		return "another drive";
	if (!verdict_row(in, "journal-fsync", WC_ON, &row))
		return "journal-fsync with the drive's cache on: how much more than a plain write "
			"does it cost?";
	return "the maker's data sheet, SMART capacitor attributes, or pulling the plug under load";
}

/* What weighs most; where the protection failed, what says so. */
static const struct plp_evidence *binding(const struct plp_verdict *p)
{
	const struct plp_evidence *best = NULL;

	for (size_t i = 0; i < p->count; i++) {
		const struct plp_evidence *e = &p->item[i];
		bool overrides = e->weight == 0 && (strcmp(e->kind, "critical-warning") == 0 ||
			strcmp(e->kind, "capacitor") == 0);

		if (p->failed ? overrides : !best ||
			e->weight * e->weight > best->weight * best->weight)
			best = e;
	}
	return best;
}

static int judge(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	const char *kind = verdict_target_word(in, "kind");
	const struct plp_evidence *best;
	struct row_figures row;
	struct plp_verdict p;

	verdict_plp_judge(in, &p, findings);
	if (p.count == 0 && ((kind && strcmp(kind, "block") != 0) ||
		!verdict_row_now(in, "journal-fsync", &row)))
		return 1;
	best = binding(&p);
	*ret = (struct verdict){ .answer = plp_answer_word(p.answer),
		.confidence = p.answer ? p.high ? "high" : "low" : NULL,
		.source = "docs/verdicts.md, power-loss protection: weighed evidence" };
	ret->grade = p.answer == PLP_ANSWER_NO ? "fail" :
		p.answer == PLP_ANSWER_UNKNOWN ? "unknown" : p.high ? "pass" : "provisional";
	(void)snprintf(ret->bound_by, sizeof(ret->bound_by), "%s%s: %s", ret->answer,
		!p.not_the_drives ? "" :
		verdict_where(verdict_target(in)) == WHERE_RAID ? " (the controller's)" :
		" (the volume's)",
		best ? best->text : "no evidence");
	(void)snprintf(ret->threshold, sizeof(ret->threshold),
		"sum of weights %+d; yes from +%d, no from -%d; speed alone weighs nothing",
		p.score,
		SCORE_ANSWER, SCORE_ANSWER);
	(void)snprintf(ret->would_change, sizeof(ret->would_change), "%s", change(in, &p));
	return 0;
}

extern const struct verdict_ops verdict_plp;
const struct verdict_ops verdict_plp = {
	.subject = "plp",
	.judge = judge,
};
