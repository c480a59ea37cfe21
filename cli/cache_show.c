/* cache_show.c - one drive's write cache: the facts apart, what they mean together, what is
 * pending. */
#include "cli/cache.h"

#include "cli/table.h"
#include "cli/text.h"

#include "probes/sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source_plp[] =
	"no power-loss protection is proven here ('ssdqual run' gathers the evidence): with the "
	"cache on, writes that were acknowledged and not yet flushed are lost with the power; "
	"what applications sync stays safe as long as the kernel sends flushes";

/* -- the journal's side --------------------------------------------------------------------- */

struct recorded {
	struct journal_list list;
	const struct journal_entry *pending, *previous; /* of the list; NULL: none */
};

static int recorded_read(const struct cache_report *r, struct recorded *ret, struct err *reterr)
{
	char *folder = NULL;
	int rc;

	*ret = (struct recorded){ .pending = NULL };
	if (r->captured)
		return 0;
	rc = journal_folder(&folder, reterr);
	if (rc == 0)
		rc = journal_read(folder, &ret->list, reterr);
	free(folder);
	if (rc < 0)
		return rc;
	ret->pending = journal_lookup(&ret->list, JOURNAL_CHANGE, cacheguard_drive(r->guard));
	ret->previous = journal_lookup(&ret->list, JOURNAL_PREVIOUS, cacheguard_drive(r->guard));
	return 0;
}

static struct json *entry_json(const struct journal_entry *e, const char *disk)
{
	struct json *o;
	char command[SYSFS_NAME_MAX + 40];

	if (!e)
		return json_new_null();
	o = json_new_object();
	(void)snprintf(command, sizeof(command), "ssdqual cache /dev/%s restore", disk); /* fits */
	(void)json_set_str(o, "recorded", wc_drive_word(e->before.drive));
	(void)json_set_str(o, "written_at", e->written_at);
	(void)json_set_str(o, "by", e->by);
	if (json_set_str(o, "command", command) < 0) {
		json_free(o);
		return NULL;
	}
	return o;
}

/* -- JSON ----------------------------------------------------------------------------------- */

static struct json *mismatch_json(const struct wc_state *s)
{
	bool dangerous;
	const char *text = wc_mismatch(s, &dangerous);
	struct json *o;

	if (!text)
		return json_new_null();
	o = json_new_object();
	(void)json_set_str(o, "severity", dangerous ? "critical" : "warning");
	(void)json_set_bool(o, "dangerous", dangerous);
	if (json_set_str(o, "text", text) < 0) {
		json_free(o);
		return NULL;
	}
	return o;
}

static struct json *warnings_json(const struct cache_report *r)
{
	struct json *all = json_new_array(), *w;

	if (!r->word || strcmp(r->word, "on") != 0 || r->failed)
		return all;
	w = json_new_object();
	(void)json_set_str(w, "code", "plp-unproven");
	(void)json_set_str(w, "text", source_plp);
	(void)json_set_str(w, "source", "ssdqual(8), cache");
	(void)json_append(all, w);
	return all;
}

static struct json *error_json(const struct err *e)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "code", err_kind_word(e->kind));
	(void)json_set_str(o, "message", e->msg);
	(void)json_set_u64(o, "exit_status", (uint64_t)exit_from_err(e));
	return o;
}

struct json *cache_report_json(const struct cache_report *r, struct err *reterr)
{
	static const char *const keys[] = { "path", "by_id", "model", "serial", "wwn", "transport",
		NULL };
	const struct json *drive = cacheguard_drive(r->guard);
	struct json *o = json_new_object();
	struct recorded rec;
	int bad;

	if (recorded_read(r, &rec, reterr) < 0) {
		json_free(o);
		return NULL;
	}
	for (size_t i = 0; keys[i]; i++) {
		const struct json *v = json_get(drive, keys[i]);

		(void)json_set(o, keys[i], v ? json_copy(v) : json_new_null());
	}
	bad = json_set(o, "write_cache", wc_state_json(cacheguard_state(r->guard)));
	bad |= json_set(o, "mismatch", mismatch_json(cacheguard_state(r->guard)));
	bad |= json_set(o, "pending", entry_json(rec.pending, r->disk));
	bad |= json_set(o, "previous", entry_json(rec.previous, r->disk));
	bad |= json_set_bool(o, "changed", r->changed);
	bad |= json_set(o, "persist", cache_persist(r->guard));
	bad |= json_set(o, "warnings", warnings_json(r));
	if (r->failed)
		bad |= json_set(o, "error", error_json(r->failed));
	journal_list_done(&rec.list);
	if (bad) {
		json_free(o);
		(void)err_nomem(reterr);
		return NULL;
	}
	return o;
}

/* -- text ----------------------------------------------------------------------------------- */

static const char *on_off(enum fact f)
{
	return f == FACT_YES ? "on" : f == FACT_NO ? "off" : "unknown";
}

static void add_row(struct table *t, const char *name, const char *value, const char *note)
{
	table_add(t, name);
	table_add(t, value);
	table_add(t, note);
}

static const char *asked_by(enum wc_method m)
{
	static const char *const words[] = {
		[WC_BY_NOTHING] = "not asked", [WC_BY_ATA] = "ATA IDENTIFY DEVICE, words 82 and 85",
		[WC_BY_SCSI] = "SCSI caching mode page, WCE",
		[WC_BY_NVME] = "NVMe Identify, VWC, and feature 06h",
	};

	return words[m];
}

static void add_drive_rows(struct table *t, const struct wc_state *s)
{
	const char *word = wc_drive_word(s->drive);

	add_row(t, "drive", word ? word : "unknown", asked_by(s->method));
	if (s->saved != FACT_UNKNOWN)
		add_row(t, "after power-on", on_off(s->saved), "the value that the drive keeps");
	if (s->initial != FACT_UNKNOWN)
		add_row(t, "factory default", on_off(s->initial), "");
}

static void add_kernel_rows(struct table *t, const struct wc_state *s)
{
	const char *sd = wc_kernel_word(s->cache_type), *queue = wc_kernel_word(s->queue);

	if (sd)
		add_row(t, "kernel", sd, "what sd believes: scsi_disk/*/cache_type");
	add_row(t, "queue", queue ? queue : "unknown",
		s->queue == WC_KERNEL_BACK ? "queue/write_cache: flushes are sent" :
		s->queue == WC_KERNEL_THROUGH ? "queue/write_cache: no flush is sent" : "");
	add_row(t, "FUA",
		s->fua == FACT_UNKNOWN ? "unknown" :
		s->fua == FACT_YES     ? "used" :
					 "not used",
		"queue/fua");
}

static void paragraph(struct cli *cli, const char *head, const char *text)
{
	fputs(head, cli->out);
	text_wrap(cli->out, text, (int)strlen(head), 2, 80);
	fputc('\n', cli->out);
}

static void print_entry(struct cli *cli, const struct journal_entry *e, const char *disk)
{
	const char *word = wc_drive_word(e->before.drive);
	char text[640];

	(void)snprintf(text, sizeof(text),
		"%s before %s changed it at %s%s; 'ssdqual cache /dev/%s "
		"restore' puts that back",
		word ? word : "unknown", e->by, e->written_at,
		e->kind == JOURNAL_CHANGE && journal_is_locked(e) ? " (it still runs)" : "", disk);
	paragraph(
		cli, e->kind == JOURNAL_CHANGE ? "pending: " : "earlier: ", text); /* may be cut */
}

static void print_persist(struct cli *cli, const struct cache_report *r)
{
	struct json *lines;

	if (!r->word || strcmp(r->word, "restore") == 0 || r->failed ||
		!cacheguard_can_toggle(r->guard))
		return;
	lines = cache_persist(r->guard);
	fprintf(cli->out, "over a power cycle:\n");
	for (const struct json *l = json_first(lines); l; l = json_next(l))
		fprintf(cli->out, "  %s\n", json_str(l));
	json_free(lines);
}

static void print_done(struct cli *cli, const struct cache_report *r)
{
	const char *word = wc_drive_word(cacheguard_state(r->guard)->drive);

	if (!r->word || r->failed)
		return;
	if (r->nothing)
		fprintf(cli->out, "nothing is recorded for this drive, and nothing was changed\n");
	else if (strcmp(r->word, "restore") == 0)
		fprintf(cli->out, "restored to %s, read back%s\n", word ? word : "unknown",
			r->safer ? "; the kernel was left in write back, which is safer than what "
				   "was recorded" :
				   "");
	else if (cacheguard_state(r->guard)->drive == WC_DRIVE_NONE)
		fprintf(cli->out, "no change needed: no cache here is lost with the power\n");
	else if (!r->changed)
		fprintf(cli->out, "no change needed: the write cache is %s\n",
			word ? word : "unknown");
	else
		fprintf(cli->out, "write cache %s, read back\n", word ? word : "unknown");
}

static void print_head(struct cli *cli, const struct cache_report *r)
{
	static const char *const keys[] = { "model", "serial", "transport" };

	fprintf(cli->out, "/dev/%s", r->disk);
	for (size_t i = 0; i < 3; i++) {
		const char *s = json_str(json_get(cacheguard_drive(r->guard), keys[i]));

		if (!s)
			continue;
		fputs(i == 0 ? ": " : i == 1 ? ", serial " : ", ", cli->out);
		(void)text_print_cut(cli->out, s, 64, cli->utf8);
	}
	fputc('\n', cli->out);
}

int cache_report_print(struct cli *cli, const struct cache_report *r, struct err *reterr)
{
	static const struct table_column columns[] = { { .head = NULL }, { .head = NULL },
		{ .cut = TABLE_CUT_END } };
	const struct wc_state *s = cacheguard_state(r->guard);
	struct table *t = table_new(columns, 3);
	struct recorded rec;
	bool dangerous;
	const char *mismatch = wc_mismatch(s, &dangerous);
	int rc = recorded_read(r, &rec, reterr);

	if (rc == 0) {
		print_head(cli, r);
		table_indent(t, 2);
		add_drive_rows(t, s);
		add_kernel_rows(t, s);
		rc = table_print(t, cli, reterr);
	}
	table_free(t);
	if (rc < 0) {
		journal_list_done(&rec.list);
		return rc;
	}
	if (s->why[0])
		paragraph(cli, "drive: ", s->why);
	if (mismatch)
		paragraph(cli, dangerous ? "DANGER: " : "mismatch: ", mismatch);
	print_done(cli, r);
	if (rec.pending)
		print_entry(cli, rec.pending, r->disk);
	if (rec.previous)
		print_entry(cli, rec.previous, r->disk);
	print_persist(cli, r);
	if (r->word && strcmp(r->word, "on") == 0 && !r->failed)
		paragraph(cli, "warning: ", source_plp);
	journal_list_done(&rec.list);
	return 0;
}
