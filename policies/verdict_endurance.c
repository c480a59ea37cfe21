/* verdict_endurance.c - is the drive worn out, or failing by its own word? */
#include "policies/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/smart.h"
#include "policies/threshold.h"

/* NVMe critical warning bits that speak of wear; bit 4 is power-loss protection's. */
enum { BIT_SPARE = 1 << 0, BIT_TEMPERATURE = 1 << 1, BIT_RELIABILITY = 1 << 2,
	BIT_READ_ONLY = 1 << 3 };

static const char source_log[] = "NVMe base specification, SMART / Health log: critical warning";
static const char source_drive[] = "the drive's own verdict (SMART RETURN STATUS, informational "
	"exceptions)";

/* The newest reading of the first document. */
static bool latest(const struct verdict_input *in, struct smart_health *h)
{
	const struct json *smart = json_get(in->results[0]->doc, "smart");
	const struct json *j = json_get(smart, "after");

	if (json_type(j) != JSON_OBJECT)
		j = json_get(smart, "before");
	smart_from_json(j, h);
	return json_type(j) == JSON_OBJECT;
}

static void fail(struct verdict *v, const char *answer, const char *source, const char *text)
{
	if (strcmp(v->grade, "fail") == 0)
		return; /* what was found first weighs most */
	*v = (struct verdict){ .grade = "fail", .answer = answer, .confidence = "high",
		.source = source };
	(void)snprintf(v->bound_by, sizeof(v->bound_by), "%s: %s", answer, text); /* may be cut */
	(void)snprintf(v->would_change, sizeof(v->would_change), "another drive"); /* fits */
}

static void judge_wear(const struct smart_health *h, struct verdict *v, struct notes *n)
{
	double left = h->percent_remaining;
	char text[200];

	if (isnan(left))
		return;
	(void)snprintf(text, sizeof(text), "%.0f %% used, %.0f %% left (%.100s)", h->percent_used,
		left, h->wear_source); /* fits */
	(void)snprintf(v->bound_by, sizeof(v->bound_by), "%s", text); /* fits */
	(void)snprintf(v->threshold, sizeof(v->threshold), "worn out at %.0f %% left or less, high "
		"wear at %.0f %%", threshold(THRESHOLD_WORN_OUT), threshold(THRESHOLD_WEAR_HIGH));
	v->grade = "pass";
	v->answer = "good";
	v->confidence = "high";
	if (left <= threshold(THRESHOLD_WORN_OUT)) {
		char limit[sizeof(v->threshold)];

		memcpy(limit, v->threshold, sizeof(limit));
		fail(v, "worn out", threshold_table[THRESHOLD_WORN_OUT].source, text);
		memcpy(v->threshold, limit, sizeof(limit));
		notes_add(n, "worn-out", threshold_table[THRESHOLD_WORN_OUT].source,
			"the drive is worn out: %s", text);
	} else if (left <= threshold(THRESHOLD_WEAR_HIGH)) {
		v->grade = "provisional";
		v->answer = "high wear";
		v->source = threshold_table[THRESHOLD_WEAR_HIGH].source;
		(void)snprintf(v->would_change, sizeof(v->would_change), "fewer writes: `ssdqual show "
			"--writes-per-day` tells the years that are left"); /* fits */
		notes_add(n, "wear-high", threshold_table[THRESHOLD_WEAR_HIGH].source,
			"much of the drive's life is used: %s", text);
	}
}

static void judge_spare(const struct smart_health *h, struct verdict *v, struct notes *n)
{
	bool low = h->spare_percent < h->spare_threshold_percent; /* false for NAN */
	char text[120];

	if (!low && !(h->critical_warning > 0 && (h->critical_warning & BIT_SPARE)))
		return;
	if (isnan(h->spare_percent))
		(void)snprintf(text, sizeof(text), "spare blocks are below their threshold");
	else
		(void)snprintf(text, sizeof(text), "%.0f %% of the spare blocks are left, the "
			"threshold is %.0f %%", h->spare_percent, h->spare_threshold_percent);
	fail(v, "spare low", source_log, text);
	notes_add(n, "spare-low", source_log, "the drive runs out of spare blocks: %s", text);
}

static void judge_word(const struct smart_health *h, struct verdict *v, struct notes *n)
{
	int bits = h->critical_warning > 0 ? h->critical_warning : 0;

	if (bits & BIT_READ_ONLY) {
		fail(v, "read-only", source_log, "its media have gone read-only");
		notes_add(n, "media-read-only", source_log,
			"critical: the drive's media are read-only (critical warning bit 3)");
	}
	if (bits & BIT_RELIABILITY) {
		fail(v, "failing", source_log, "its reliability is degraded");
		notes_add(n, "reliability-degraded", source_log,
			"critical: the drive says that its reliability is degraded (critical "
			"warning bit 2)");
	}
	if (bits & BIT_TEMPERATURE)
		notes_add(n, "temperature-critical", source_log,
			"the drive's temperature is beyond its threshold (critical warning bit 1): "
			"it slows down, and figures measured now are not its best");
	if (h->passed == SMART_NO && !bits) {
		fail(v, "failing", source_drive, "it predicts its own failure");
		notes_add(n, "smart-failing", source_drive,
			"critical: the drive predicts its own failure");
	}
}

static int judge(const struct verdict_input *in, struct verdict *ret, struct notes *findings)
{
	struct notes nowhere = { .count = 0 };
	struct smart_health h;
	struct verdict wear, v = { .grade = "unknown", .answer = "unknown",
		.source = "docs/verdicts.md, endurance" };

	if (!latest(in, &h))
		return 1;
	if (!findings)
		findings = &nowhere;
	wear = v;
	judge_wear(&h, &wear, findings);
	judge_word(&h, &v, findings);
	judge_spare(&h, &v, findings);
	if (strcmp(v.grade, "fail") != 0)
		v = wear;
	notes_done(&nowhere);
	if (strcmp(v.grade, "unknown") == 0 && h.critical_warning < 0 && h.passed == SMART_UNKNOWN &&
		h.kind == SMART_KIND_NONE)
		return 1;
	if (strcmp(v.grade, "unknown") == 0) {
		(void)snprintf(v.bound_by, sizeof(v.bound_by),
			"the drive tells no wear in a way that is known here"); /* fits */
		(void)snprintf(v.would_change, sizeof(v.would_change),
			"its attributes in data/attributes"); /* fits */
	}
	*ret = v;
	return 0;
}

extern const struct verdict_ops verdict_endurance;
const struct verdict_ops verdict_endurance = {
	.subject = "endurance",
	.judge = judge,
};
