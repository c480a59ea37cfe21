/* advise_perf.c - advise --perf-dump: what a running client waits for. */
#include "cli/advise.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "data/units.h"
#include "policies/perf_dump.h"
#include "probes/ceph_asok.h"

#define ASK_PERF_DUMP "{\"prefix\": \"perf dump\", \"format\": \"json\"}"

/* Two dumps, or one; and the time between them where we took both. */
struct dumps {
	struct perf_dump a, b;
	bool two;
	double seconds; /* NAN: files tell no time */
};

static bool is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static int read_dump(const char *path, const char *image, struct perf_dump *ret,
	struct err *reterr)
{
	struct json *doc = NULL;
	int r;

	if (is_socket(path))
		r = ceph_asok_ask(path, ASK_PERF_DUMP, &doc, NULL, reterr);
	else
		r = advise_rbd_json(path, RBD_INPUT_PERF, &doc, reterr);
	if (r == 0)
		r = perf_dump_parse(doc, image, path, ret, reterr);
	json_free(doc);
	return r;
}

static double now_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int take_dumps(const struct advise_cfg *cfg, const char *second, struct dumps *ret,
	struct err *reterr)
{
	double began;
	int r = read_dump(cfg->perf_dump, cfg->image, &ret->a, reterr);

	ret->seconds = NAN;
	if (r < 0)
		return r;
	if (second == NULL && !is_socket(cfg->perf_dump)) {
		ret->b = ret->a;
		return 0;
	}
	ret->two = true;
	if (second != NULL)
		return read_dump(second, cfg->image, &ret->b, reterr);
	began = now_s();
	while (now_s() - began < (double)cfg->seconds_ns / 1e9) {
		struct timespec pause = { .tv_nsec = 50000000 };

		(void)nanosleep(&pause, NULL); /* shorter is looked at again */
	}
	r = read_dump(cfg->perf_dump, cfg->image, &ret->b, reterr);
	ret->seconds = now_s() - began;
	return r;
}

static void set_ns(struct json *o, const char *key, double ns)
{
	(void)json_set_f64(o, key, round(ns));
}

static struct json *to_json(const struct dumps *d, const struct perf_diagnosis *g)
{
	struct json *o = json_new_object(), *p = json_new_object();

	(void)json_set_str(p, "client", d->b.name);
	(void)json_set_str(p, "since", g->since_open ? "opened" : "first dump");
	(void)json_set_f64(p, "seconds", round(d->seconds * 1000) / 1000);
	(void)json_set_bool(p, "persistent_log", g->has_pwl);
	(void)json_set_f64(p, "writes", g->writes);
	(void)json_set_f64(p, "flushes", g->flushes);
	(void)json_set_f64(p, "notifies", g->notifies);
	(void)json_set_f64(p, "notify_per_write", round(g->notify_per_write * 1000) / 1000);
	(void)json_set_f64(p, "osd_reads_per_write", round(g->reads_per_write * 1000) / 1000);
	(void)json_set_f64(p, "deferred_writes", g->deferred);
	(void)json_set_f64(p, "deferred_share", g->deferred_share);
	set_ns(p, "client_write_ns", g->client_write_ns);
	set_ns(p, "client_flush_ns", g->client_flush_ns);
	set_ns(p, "librbd_write_latency_ns", g->librbd_write_ns);
	set_ns(p, "librbd_flush_latency_ns", g->librbd_flush_ns);
	set_ns(p, "log_flush_ns", g->log_flush_ns);
	set_ns(p, "outside_log_write_ns", g->outside_write_ns);
	set_ns(p, "outside_log_flush_ns", g->outside_flush_ns);
	set_ns(p, "log_append_ns", g->append_ns);
	set_ns(p, "writeback_ns", g->writeback_ns);
	set_ns(p, "osd_request_ns", g->backend_ns);
	if (g->lock_changed == ANSWER_UNKNOWN)
		(void)json_set_null(p, "lock_changed");
	else
		(void)json_set_bool(p, "lock_changed", g->lock_changed == ANSWER_YES);
	(void)json_set_str(o, "verdict", perf_verdict_word(g->verdict));
	(void)json_set(o, "perf", p);
	(void)json_set(o, "reasons", advise_notes_json(&g->reasons));
	(void)json_set(o, "findings", advise_notes_json(&g->findings));
	return o;
}

static void print(struct cli *cli, const struct dumps *d, const struct perf_diagnosis *g,
	bool explain)
{
	char text[256], span[UNITS_BUF];

	snprintf(text, sizeof(text), "%.150s, %s%s", d->b.name, g->since_open ? "since it was opened" :
		"between two dumps", g->has_pwl ? ", with a persistent log" : "");
	advise_print_field(cli, "Client", text);
	if (!isnan(d->seconds))
		advise_print_field(cli, "Time", units_format_span(span, sizeof(span), d->seconds));
	advise_print_field(cli, "Verdict", perf_verdict_word(g->verdict));
	advise_print_notes(cli, NULL, &g->reasons, explain);
	advise_print_notes(cli, "Findings", &g->findings, explain);
}

int advise_perf(struct cli *cli, const struct advise_cfg *cfg, int argc, char **argv,
	struct err *reterr)
{
	struct perf_diagnosis g;
	struct dumps d;
	int r;

	if (argc > 1)
		return err_set(reterr, ERR_USAGE, -EINVAL, "--perf-dump A B: two dumps at most, '%s' is "
			"a third", argv[1]);
	r = take_dumps(cfg, argc > 0 ? argv[0] : NULL, &d, reterr);
	if (r == 0)
		r = perf_diagnose(d.two ? &d.a : NULL, &d.b, &g, reterr);
	if (r < 0)
		return r;
	if (cli->json)
		r = cli_emit_json(cli, to_json(&d, &g), reterr);
	else
		print(cli, &d, &g, cfg->explain);
	r = r < 0 ? r : cfg->strict && g.verdict != PERF_NONE ? EXIT_VERDICT :
		cfg->strict && g.idle ? EXIT_UNSURE : EXIT_DONE;
	perf_diagnosis_done(&g);
	return r;
}
