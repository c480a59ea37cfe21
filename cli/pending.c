/* pending.c - reads the state journal and names the command that puts a drive back. */
#include "cli/pending.h"

#include "cli/seams.h"
#include "cli/term.h"
#include "probes/journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/sysfs.h"

static void report_damage(struct cli *cli, const struct journal_entry *e)
{
	const char *slash = strrchr(e->path, '/');

	term_warn(cli,
		"state journal: %s; a write cache may have been left changed, look at it with "
		"'ssdqual cache DEV'; 'ssdqual cache --forget %s' drops the entry",
		e->damage.msg, slash ? slash + 1 : e->path);
}

static void report_entry(struct cli *cli, const struct journal_entry *e)
{
	const struct sysroot here = { .prefix = "" };
	const char *was = wc_drive_word(e->before.drive);
	const char *sudo = geteuid() == 0 ? "" : "sudo ";
	char name[256], disk[SYSFS_NAME_MAX];
	struct err why = ERR_INIT;
	int r;

	if (journal_is_locked(e))
		return; /* that process puts it back */
	r = journal_find(&here, e, disk, sizeof(disk), &why);
	(void)journal_name(e->drive, name, sizeof(name));
	if (r == 0)
		term_warn(cli,
			"%s: its write cache was %s before %s changed it at %s, and was not put "
			"back; run: %sssdqual cache /dev/%s restore",
			name, was ? was : "unknown", e->by, e->written_at, sudo, disk);
	else
		term_warn(cli, "write cache pending since %s: %s", e->written_at, why.msg);
}

static void report_folder(struct cli *cli, const char *folder)
{
	struct journal_list l;

	if (journal_read(folder, &l, NULL) < 0)
		return;
	for (size_t i = 0; i < l.count; i++) {
		if (l.entry[i].damage.code)
			report_damage(cli, &l.entry[i]);
		else if (l.entry[i].kind == JOURNAL_CHANGE)
			report_entry(cli, &l.entry[i]);
	}
	journal_list_done(&l);
}

void pending_report(struct cli *cli)
{
	char *own = NULL;

	if (seams_captured(cli))
		return;
	report_folder(cli, PENDING_ROOT_FOLDER);
	if (geteuid() != 0 && journal_folder(&own, NULL) == 0)
		report_folder(cli, own);
	free(own);
}
