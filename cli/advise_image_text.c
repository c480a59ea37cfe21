/* advise_image_text.c - the image for people: what acts, and what each option is. */
#include "cli/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"
#include "data/units.h"

void advise_hit_rate(const struct rbd_status *s, char *buf, size_t len)
{
	if (s->log != LOG_READ)
		snprintf(buf, len, "unknown");
	else if (!isnan(s->hits_full_pct))
		snprintf(buf, len, "%.0f %%", s->hits_full_pct);
	else if (s->hits_full == 0 && s->misses == 0)
		snprintf(buf, len, "n/a (no reads)");
	else
		snprintf(buf, len, "unknown");
}

static void print_log(struct cli *cli, const struct rbd_status *s)
{
	char text[1024], state[256], size[UNITS_BUF], dirty[UNITS_BUF], hits[32];

	rbd_status_text(s, state, sizeof(state));
	if (s->log != LOG_READ) {
		advise_print_field(cli, "Log", state);
		return;
	}
	advise_hit_rate(s, hits, sizeof(hits));
	snprintf(text, sizeof(text), "%s; host %s, mode %s, size %s, dirty %s, full hits %s; %s",
		state, s->host[0] != '\0' ? s->host : "unknown", s->mode[0] != '\0' ? s->mode :
		"unknown", units_format_bytes(size, sizeof(size), s->size_bytes),
		units_format_bytes(dirty, sizeof(dirty), s->dirty_bytes), hits, s->path);
	advise_print_field(cli, "Log", text);
}

static void print_options(struct cli *cli, const struct advise_inputs *i)
{
	static const struct table_column columns[] = {
		{ .head = "OPTION" }, { .head = "VALUE", .cut = TABLE_CUT_END }, { .head = "SOURCE" },
	};
	struct table *t = table_new(columns, 3);

	fputc('\n', cli->out);
	for (int k = 0; k < OPTION_COUNT; k++) {
		const struct image_option *o = &i->in.config.opt[k];

		table_add(t, option_name[k]);
		table_add(t, o->value[0] != '\0' ? o->value : "(empty)");
		table_add(t, o->source[0] != '\0' ? o->source : option_level_word(o->level));
	}
	(void)table_print(t, cli, NULL); /* out of memory: the fields above tell the same */
	table_free(t);
}

static bool any_stated(const struct image_config *c)
{
	for (int k = 0; k < OPTION_COUNT; k++)
		if (c->opt[k].stated)
			return true;
	return false;
}

static void print_vm(struct cli *cli, const struct advise_inputs *i)
{
	const struct vm_config *vm = i->in.vm;
	char text[256];

	for (size_t k = 0; vm != NULL && k < vm->disks; k++) {
		const struct vm_disk *d = &vm->disk[k];
		struct qemu_effect q = qemu_cache_effect(d->cache);

		snprintf(text, sizeof(text), "%s: cache=%s%s, so rbd_cache is %s%s%s", d->name,
			qemu_cache_word(d->cache), d->stated ? "" : " (the default)",
			q.rbd_cache == ANSWER_UNKNOWN ? "unknown" : q.rbd_cache == ANSWER_YES ?
			"true" : "false", q.max_dirty_zero ? " with max_dirty 0" : "",
			q.flushes_ignored ? "; CRITICAL: flushes are ignored" : "");
		advise_print_field(cli, k == 0 ? vm_format_word(vm->format) : "", text);
	}
}

void advise_image_print(struct cli *cli, const struct advise_inputs *i, bool explain)
{
	const struct advise_image *m = &i->image;
	struct step steps[4];
	struct pwl_effect e;
	char text[512], mode[128];

	advise_settings_text(&i->in, mode, sizeof(mode));
	snprintf(text, sizeof(text), "%s, through %s: %s", m->name[0] != '\0' ? m->name :
		"(not named)", i->in.krbd ? "the kernel (krbd)" : "librbd", mode);
	advise_print_field(cli, "Image", text);
	advise_pwl_effect(&i->in, &e);
	snprintf(text, sizeof(text), "%s: %s", pwl_use_word(e.use), e.reason);
	advise_print_field(cli, "PWL", text);
	if (m->has_status) {
		print_log(cli, &m->status);
		if (m->status.watchers_known) {
			snprintf(text, sizeof(text), "%zu", m->status.watchers);
			advise_print_field(cli, "Watchers", text);
		}
	}
	print_vm(cli, i);
	if (explain || (i->workload == NULL && (i->in.config_known || any_stated(&i->in.config))))
		print_options(cli, i);
	if (i->workload == NULL)
		advise_print_notes(cli, "Findings", &i->findings, explain);
	advise_print_steps(cli, "Only if the cache device is lost for good (this loses data)",
		steps, advise_lost_log(&i->in, steps, 4));
}
