/* rbd_cfg.c - the options that every command on an RBD image has, and what they amount to. */
#include "cli/rbd_cfg.h"

#include "cli/stop.h"
#include "cli/term.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"

const char *const rbd_impact_words[] = { "low", "medium", "high", NULL };

int rbd_cfg_open(const struct rbd_cfg *cfg, const char *target, struct rbd_site *ret,
	struct err *reterr)
{
	struct rbd_login login = { .conf = cfg->ceph_conf, .id = cfg->id };
	struct rbd_spec spec, header;
	int r = rbd_spec_parse(target, &spec, reterr);

	if (r == 0 && cfg->header_of) {
		r = rbd_spec_parse(cfg->header_of, &header, reterr);
		if (r == 0 && !header.image[0])
			r = err_set(reterr, ERR_USAGE, -EINVAL, "--header-of %s: a pool, not an "
				"image; write POOL/IMAGE", cfg->header_of);
		if (r < 0)
			(void)err_prefix(reterr, "--header-of");
	}
	if (r < 0)
		return r;
	return rbd_site_open(&login, &spec, cfg->header_of ? &header : NULL, cfg->record_fsid,
		ret, reterr);
}

int rbd_cfg_consent(struct cli *cli, const struct rbd_site *site, const struct opt_list *tokens,
	struct err *reterr)
{
	char name[3 * RBD_WORD_MAX], line[3 * RBD_WORD_MAX + 2];

	rbd_spec_text(&site->spec, site->spec.image, name, sizeof(name));
	for (size_t i = 0; i < tokens->count; i++)
		if (!strcmp(tokens->item[i], name))
			return 0;
	if (tokens->count == 0 && cli->in_tty && cli->err_tty && !cli->json) {
		fprintf(cli->err, "The start of image %s will be overwritten.\nType %s to go on: ",
			name, name);
		(void)fflush(cli->err);
		if (!fgets(line, sizeof(line), stdin))
			line[0] = '\0';
		line[strcspn(line, "\r\n")] = '\0';
		if (!strcmp(line, name))
			return 0;
	}
	return err_set(reterr, ERR_REFUSED, -EPERM, "image %s would be overwritten: say so with "
		"--destroy-data --confirm %s; without --destroy-data a scratch image beside it is "
		"used", name, name);
}

/* -- the status line ------------------------------------------------------------------------ */

static void begin(void *ctx, const char *what, double seconds, double left_s)
{
	struct rbd_progress *p = ctx;
	char left[UNITS_BUF];

	(void)snprintf(p->what, sizeof(p->what), "%.63s", what);
	p->seconds = seconds;
	p->left_s = left_s;
	if (seconds > 0)
		term_status(p->cli, "%s, left %s", what,
			units_format_span(left, sizeof(left), seconds + left_s));
	else
		term_status(p->cli, "%s", what);
}

static void tick(void *ctx, const struct load_tick *t)
{
	struct rbd_progress *p = ctx;
	char iops[UNITS_BUF], p50[UNITS_BUF], p99[UNITS_BUF], left[UNITS_BUF];
	double rest = p->left_s + fmax(0, p->seconds - t->elapsed_s);

	term_status(p->cli, "%s, left %s: %s IOPS p50 %s p99 %s", p->what,
		units_format_span(left, sizeof(left), rest),
		units_format_count(iops, sizeof(iops),
			t->elapsed_s > 0 ? (double)t->ios / t->elapsed_s : NAN),
		units_format_ns(p50, sizeof(p50), t->last.p50_ns),
		units_format_ns(p99, sizeof(p99), t->last.p99_ns));
}

static void row_end(void *ctx, const struct measurement *m)
{
	struct rbd_progress *p = ctx;
	char iops[UNITS_BUF], p50[UNITS_BUF], p99[UNITS_BUF];

	term_note(p->cli, "%s: %s IOPS, p50 %s, p99 %s%s%s", m->label,
		units_format_count(iops, sizeof(iops), m->iops),
		units_format_ns(p50, sizeof(p50), m->lat.pct_ns[LAT_P50]),
		units_format_ns(p99, sizeof(p99), m->lat.pct_ns[LAT_P99]),
		m->error ? "; " : "", m->error ? m->error : "");
}

void rbd_cfg_progress(struct rbd_progress *p, struct cli *cli, struct rbd_watch *ret)
{
	*p = (struct rbd_progress){ .cli = cli };
	*ret = (struct rbd_watch){ .begin = begin, .tick = tick, .row_end = row_end, .ctx = p,
		.stop = stop_flag() };
}
