/* safety_file.c - is an existing file a loop device's backing or swap space?
 *
 * By device and inode; by name only where the kernel does not tell more.
 */
#include "probes/safety_facts.h"

#include <stdio.h>
#include <string.h>

static int add(struct safety_report *rep, const char *kind, const char *name, const char *detail)
{
	return safety_use_add(&rep->uses, &rep->use_count, kind, name, "%s", detail);
}

static bool is_path(const struct target *t, const char *text)
{
	size_t len = strlen(t->path);

	return strncmp(text, t->path, len) == 0 &&
		(text[len] == '\0' || strcmp(text + len, " (deleted)") == 0);
}

static int judge_swaps(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	int r = 0;

	for (size_t i = 0; i < f->swap_count && r == 0; i++) {
		const struct swap_area *swap = &f->swaps[i];

		if (!swap->is_file)
			continue;
		if ((swap->ino != 0 && swap->ino == t->ino && swap->dev == t->fs_dev) ||
			is_path(t, swap->path))
			r = add(rep, "swap", t->path, "in use as swap space");
		else if (swap->ino == 0 && sysroot_is_machine(&f->root))
			r = add(rep, "unreadable", swap->path,
				"is a swap file that cannot be found here, and could be this file");
	}
	return r;
}

static int judge_loops(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	char detail[SYSFS_NAME_MAX + 96];
	int r = 0;

	for (size_t i = 0; i < f->loop_count && r == 0; i++) {
		const struct loop_fact *loop = &f->loops[i];

		if (loop->identified ? loop->dev == t->fs_dev && loop->ino == t->ino :
				       is_path(t, loop->backing)) {
			(void)snprintf(detail, sizeof(detail), "backs %s", loop->name); /* fits */
			r = add(rep, "loop", t->path, detail);
		} else if (!loop->identified && sysroot_is_machine(&f->root)) {
			r = add(rep, "unreadable", loop->name,
				"cannot be asked for its backing file, which could be this file; "
				"run as root");
		}
	}
	return r;
}

int safety_judge_file(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep)
{
	int r = judge_swaps(f, t, rep);

	return r == 0 ? judge_loops(f, t, rep) : r;
}
