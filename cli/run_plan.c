/* run_plan.c - the plan of a run, for people and as JSON. */
#include "cli/run.h"

#include "cli/text.h"

#include "data/units.h"

#include <math.h>
#include <stdio.h>

static const char *kind_word(enum target_kind k)
{
	return k == TARGET_DIR ? "directory" : k == TARGET_FILE ? "file" : "block device";
}

static void print_row(FILE *f, const struct plan *p, const struct plan_row *r)
{
	char seconds[UNITS_BUF], bytes[UNITS_BUF];

	if (!r->applicable) {
		fprintf(f, "  %-19s not applicable: %s\n", r->row->key, r->why);
		return;
	}
	(void)units_format_span(
		seconds, sizeof(seconds), p->legs * (double)r->params.runtime_ns / 1e9);
	if (r->write_bytes)
		(void)units_format_bytes(bytes, sizeof(bytes), (double)r->write_bytes);
	fprintf(f, "  %-19s %-26s %10s  %s%s\n", r->row->key, r->row->label, seconds,
		r->write_bytes ? "up to " : "none", r->write_bytes ? bytes : "");
}

static void print_writes(FILE *f, const struct run_target *rt)
{
	const struct plan *p = &rt->plan;
	char all[UNITS_BUF], rate[UNITS_BUF], part[UNITS_BUF], slc[UNITS_BUF];

	if (p->layout_bytes)
		fprintf(f, "  layout:   %s written once into files before they are measured\n",
			units_format_bytes(part, sizeof(part), (double)p->layout_bytes));
	if (p->fill)
		fprintf(f, "  fill:     %s, twice the %s fast write cache of %s and at least the "
			"span\n",
			units_format_bytes(part, sizeof(part), (double)p->fill_bytes),
			p->slc_assumed ? "assumed" : "stated",
			units_format_bytes(slc, sizeof(slc), (double)p->slc_bytes));
	fprintf(f, "  writes:   at most %s (a drive's speed is not known beforehand; assumed\n"
		"            are at most %s, %s)\n",
		units_format_bytes(all, sizeof(all), (double)p->write_bytes),
		units_format_rate(rate, sizeof(rate), p->link_bytes_s), p->link_source);
	if (isnan(p->endurance_share))
		fprintf(f, "  endurance: share of the rated endurance unknown; --rated-tbw tells "
			"it\n");
	else
		fprintf(f, "  endurance: at most %.3g %% of the rated %s (%s)\n",
			p->endurance_share * 100,
			units_format_capacity(all, sizeof(all), rt->rated.tbw_bytes),
			rt->rated.source);
}

static void print_kept(FILE *f, const char *now, const char *why)
{
	char text[320];

	(void)snprintf(text, sizeof(text), "write cache (%s) left as it is%s%s", now,
		why[0] ? ": " : "", why); /* fits */
	fprintf(f, "  cache:    ");
	text_wrap(f, text, 12, 12, 80);
	fputc('\n', f);
}

static void print_cache(FILE *f, const struct run_target *rt)
{
	const struct plan *p = &rt->plan;
	const char *now = rt->guard ? wc_drive_word(cacheguard_state(rt->guard)->drive) : NULL;

	if (p->write_cache == PLAN_CACHE_BOTH)
		fprintf(f,
			"  cache:    write cache (now %s) on, off, off, on: %u legs a row, "
			"restored after\n",
			now ? now : "unknown", p->legs);
	else if (p->write_cache != PLAN_CACHE_KEEP)
		fprintf(f, "  cache:    write cache (now %s) %s for all rows, restored after\n",
			now ? now : "unknown", plan_cache_word(p->write_cache));
	else
		print_kept(f, now ? now : "unknown", rt->cache_why);
}

static void print_safety(FILE *f, const struct run_target *rt, const struct run_cfg *cfg)
{
	struct err why = ERR_INIT;

	if (run_would_refuse(cfg, rt, &why) < 0)
		fprintf(f, "  refused:  %s\n", why.msg);
	else if (run_decide(cfg, rt, NULL) < 0)
		fprintf(f, "  needs:    --destroy-data --confirm %s%s%s%s\n",
			safety_token(rt->target), rt->target->token_why[0] ? " (" : "",
			rt->target->token_why, rt->target->token_why[0] ? ")" : "");
	for (size_t i = 0; i < rt->safety.note_count; i++)
		fprintf(f, "  note:     %s %s\n", rt->safety.notes[i].name,
			rt->safety.notes[i].detail);
}

void run_print_plan(FILE *f, const struct run_target *rt, const struct run_cfg *cfg)
{
	const struct plan *p = &rt->plan;
	char size[UNITS_BUF], seconds[UNITS_BUF], most[UNITS_BUF], mem[UNITS_BUF];

	fprintf(f, "plan for %s (%s), battery %s\n", rt->target->given, kind_word(p->kind),
		p->battery->name);
	if (p->kind == TARGET_DIR)
		fprintf(f, "  target:   scratch files of %s in all, without a name, inside it; the "
			"file\n            system is measured along with the drive\n",
			units_format_bytes(size, sizeof(size), (double)p->space_bytes));
	else
		fprintf(f, "  target:   %s from byte %llu, %s\n",
			units_format_bytes(size, sizeof(size), (double)p->size),
			(unsigned long long)p->offset,
			run_reads_only(cfg, rt->target) ? "only read" : "overwritten");
	fprintf(f, "  %-19s %-26s %10s  %s\n", "ROW", "", "TIME", "WRITES");
	for (size_t i = 0; i < p->row_count; i++)
		print_row(f, p, &p->rows[i]);
	fprintf(f, "  time:     %s for the rows, at most %s with filling and layout\n",
		units_format_span(seconds, sizeof(seconds), p->seconds),
		units_format_span(most, sizeof(most), p->seconds_at_most));
	print_cache(f, rt);
	print_writes(f, rt);
	fprintf(f, "  memory:   %s of buffers\n",
		units_format_bytes(mem, sizeof(mem), (double)p->buffer_bytes));
	fprintf(f, "  before:   %s\n", p->fill ? "filled" :
		"not filled (--fill); judgement of OSD data is provisional without it");
	if (p->zero_buffers)
		fprintf(f, "  data:     zeros; yields no verdict\n");
	print_safety(f, rt, cfg);
}

struct json *run_plan_json(const struct run_target *rt, const struct run_cfg *cfg)
{
	struct json *j = json_new_object();
	struct err why = ERR_INIT;
	bool refused = run_would_refuse(cfg, rt, &why) < 0;
	bool needs = !refused && run_decide(cfg, rt, NULL) < 0;
	int r;

	if (!j)
		return NULL;
	r = json_set(j, "target", json_copy(rt->target->identity));
	r |= json_set_f64(j, "rated_bytes", rt->rated.tbw_bytes);
	r |= json_set_str(j, "rated_source", rt->rated.source[0] ? rt->rated.source : NULL);
	r |= json_set(j, "plan", plan_to_json(&rt->plan));
	r |= json_set(j, "refused", json_new_str(refused ? why.msg : NULL));
	r |= json_set(j, "confirm", json_new_str(needs ? safety_token(rt->target) : NULL));
	if (r) {
		json_free(j);
		return NULL;
	}
	return j;
}
