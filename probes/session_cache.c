/* session_cache.c - sets, notes and restores the write cache of the drive under a session. */
#include "probes/session_cache.h"

#include <stdio.h>
#include <string.h>

static const char source_drift[] = "the drive, asked before and after the row";
static const char source_restore[] = "the drive, read back after the run";

int session_cache_begin(const struct cacheguard *g, const struct plan *p, struct result *res,
	struct err *reterr)
{
	struct json *settings = result_section(res, "settings");
	int r = json_set_str(settings, "write_cache_mode", plan_cache_word(p->write_cache));

	r |= json_set(settings, "write_cache_before", g ? wc_state_json(cacheguard_state(g)) :
		json_new_null());
	r |= json_set_null(settings, "write_cache_restored");
	return r ? err_nomem(reterr) : 0;
}

/* On, off, off, on (plan.h). */
static bool leg_is_on(const struct plan *p, unsigned leg)
{
	if (p->write_cache == PLAN_CACHE_BOTH)
		return leg % PLAN_LEGS == 0 || leg % PLAN_LEGS == PLAN_LEGS - 1;
	return p->write_cache == PLAN_CACHE_ON;
}

int session_cache_set(struct cacheguard *g, const struct plan *p, unsigned leg,
	struct err *reterr)
{
	int r;

	if (!g || p->write_cache == PLAN_CACHE_KEEP)
		return 0;
	r = cacheguard_set(g, leg_is_on(p, leg), "run", reterr);
	return r < 0 ? r : 0;
}

static enum write_cache_state state_of_word(const char *word)
{
	static const enum write_cache_state states[] = { WC_ON, WC_OFF, WC_NONE };

	for (size_t i = 0; word && i < 3; i++)
		if (strcmp(word, write_cache_word(states[i])) == 0)
			return states[i];
	return WC_UNKNOWN;
}

enum write_cache_state session_cache_state(const struct cacheguard *g, const struct target *t)
{
	const char *word = g ? wc_drive_word(cacheguard_state(g)->drive) :
		json_str(json_path(t->identity, "write_cache.drive"));

	return state_of_word(word);
}

void session_cache_note(struct cacheguard *g, const struct target *t, const struct plan *p,
	unsigned leg, struct measurement *m, struct result *res)
{
	enum write_cache_state before = session_cache_state(g, t), after;
	char text[200];

	m->write_cache = before;
	if (p->legs > 1) {
		if (!m->extra)
			m->extra = json_new_object();
		(void)json_set_u64(m->extra, "leg", leg + 1); /* without memory the figures stand */
	}
	if (!g || before == WC_UNKNOWN || cacheguard_refresh(g, NULL) < 0)
		return;
	after = session_cache_state(g, t);
	/* A drive that does not answer any more is the row's own error. */
	if (after == before || after == WC_UNKNOWN)
		return;
	m->write_cache = WC_UNKNOWN;
	(void)snprintf(text, sizeof(text),
		"%s: the write cache was %s at the start of the row and %s at "
		"its end: the drive changed it by itself (a reset?), so the state of this row is "
		"unknown",
		m->probe, write_cache_word(before), write_cache_word(after));
	(void)result_add_finding(res, "write-cache-drifted", text, source_drift); /* as above */
}

int session_cache_restore(struct cacheguard *g, struct result *res, int code, struct err *reterr)
{
	struct json *settings = result_section(res, "settings");
	struct err failed = ERR_INIT;
	int r;

	if (!g || !cacheguard_before(g))
		return code;
	r = cacheguard_restore(g, &failed);
	(void)json_set_bool(
		settings, "write_cache_restored", r >= 0); /* memory: the key was there */
	if (r >= 0)
		return code;
	(void)result_add_finding(res, "write-cache-not-restored", failed.msg, source_restore);
	if (code == 0)
		return err_set(reterr, failed.kind, r, "%s", failed.msg);
	if (reterr) {
		const struct err first = *reterr;

		(void)err_set(reterr, first.kind, code, "%s; %s", first.msg, failed.msg);
	}
	return code;
}
