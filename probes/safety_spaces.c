/* safety_spaces.c - the mount tables of all namespaces, and who has block devices open to write.
 *
 * A namespace is read through any task that lives in it. Threads count: one may have a namespace of
 * its own, and the leader of a process may be gone. The table is kept once for each namespace and
 * root folder, since the kernel shows a task only what lies below its root.
 * A namespace that is kept by a bind mount or a descriptor alone has no task and cannot be read;
 * the exclusive open of the device is what refuses then (target_open()).
 */
#include "probes/safety_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TASK_DIR_MAX 64 /* "/proc/N/task/N" */

/* What tells one view of the mounts from another. */
struct view {
	char ns[64]; /* "mnt:[4026531841]" */
	uint64_t mnt_id, ino;
};

struct walk {
	struct safety_facts *f;
	struct view *seen;
	size_t seen_count;
	unsigned denied; /* tasks that may not be looked at */
	int code;        /* why */
	int own_pid;
};

static bool is_number(const char *s)
{
	return s[0] != '\0' && s[strspn(s, "0123456789")] == '\0';
}

/* A task that ended meanwhile took its view with it: another task or nobody holds it. */
static bool is_gone(int code)
{
	return code == -ENOENT || code == -ESRCH || code == -EINVAL || code == -ENOTDIR;
}

static void task_name(const struct safety_facts *f, const char *dir, const char *pid, char *buf,
	size_t len)
{
	char comm[32];

	if (sysfs_read(&f->root, comm, sizeof(comm), "%s/comm", dir) <= 0)
		(void)snprintf(buf, len, "process %s", pid); /* cut is still a hint */
	else
		(void)snprintf(buf, len, "process %s (%s)", pid, comm);
}

static int add_space(struct safety_facts *f, struct mountinfo *table, const char *who)
{
	struct mount_space *grown;

	grown = realloc(f->spaces, (f->space_count + 1) * sizeof(*grown));
	if (!grown) {
		mountinfo_done(table);
		return -ENOMEM;
	}
	f->spaces = grown;
	grown[f->space_count].table = *table;
	(void)snprintf(grown[f->space_count].who, sizeof(grown->who), "%s", who);
	f->space_count++;
	return 0;
}

static int note_unreadable(struct safety_facts *f, const char *name, const char *why)
{
	return safety_use_add(&f->unseen, &f->unseen_count, "unreadable", name,
		"cannot be read (%s) and could hide a user", why);
}

/* The view of the task at @dir; -errno when it cannot be told. */
static int look(const struct sysroot *root, const char *dir, struct view *ret)
{
	char path[TASK_DIR_MAX + 16];
	struct statx sx;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = sysfs_readlink(root, ret->ns, sizeof(ret->ns), "%s/ns/mnt", dir);
	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "%.*s/root", TASK_DIR_MAX, dir); /* fits */
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_INO | STATX_MNT_ID, &sx) < 0)
		return -errno;
	ret->ino = sx.stx_ino;
	ret->mnt_id = sx.stx_mask & STATX_MNT_ID ? sx.stx_mnt_id : sx.stx_dev_minor;
	return 0;
}

static int remember(struct walk *w, const struct view *view, bool *ret_new)
{
	struct view *grown;

	*ret_new = false;
	for (size_t i = w->seen_count; i-- > 0;) {
		if (memcmp(&w->seen[i], view, sizeof(*view)) == 0)
			return 0;
	}
	grown = realloc(w->seen, (w->seen_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->seen = grown;
	grown[w->seen_count++] = *view;
	*ret_new = true;
	return 0;
}

static int read_space(struct walk *w, const char *dir, const char *pid)
{
	char path[TASK_DIR_MAX + 16], who[64];
	struct err why = ERR_INIT;
	struct mountinfo table;
	int r;

	(void)snprintf(path, sizeof(path), "%.*s/mountinfo", TASK_DIR_MAX, dir); /* fits */
	r = mountinfo_read(&w->f->root, path, &table, &why);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		w->seen_count--; /* the next task of this namespace is tried */
		return is_gone(r) ? 0 : note_unreadable(w->f, "mount table", why.msg);
	}
	task_name(w->f, dir, pid, who, sizeof(who));
	return add_space(w->f, &table, who);
}

static int visit_task(struct walk *w, const char *dir, const char *pid)
{
	struct view view;
	bool is_new;
	int r = look(&w->f->root, dir, &view);

	if (r < 0) {
		/* The kernel answers "denied" for a task that ended during the look-up, too. */
		if (!is_gone(r) && sysfs_exists(&w->f->root, "%s/comm", dir)) {
			w->denied++;
			w->code = r;
		}
		return 0;
	}
	r = remember(w, &view, &is_new);
	return r < 0 || !is_new ? r : read_space(w, dir, pid);
}

/* -- who has a device open ------------------------------------------------------------------ */

static bool opened_for_writing(const char *pid, const char *fd)
{
	char path[64 + 2 * 24], text[128], *flags;
	int in;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%.20s", pid, fd); /* sized to fit */
	in = open(path, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return false; /* closed meanwhile */
	n = read(in, text, sizeof(text) - 1);
	(void)close(in); /* opened for reading */
	if (n <= 0)
		return false;
	text[n] = '\0';
	flags = strstr(text, "flags:");
	if (!flags)
		return true;
	flags += strlen("flags:");
	flags += strspn(flags, " \t0");
	/* Octal, as open(2) has it: the last digit's lower two bits are the access mode. */
	flags += strspn(flags, "01234567");
	return flags[-1] >= '0' && flags[-1] <= '7' && ((flags[-1] - '0') & 3) != O_RDONLY;
}

int safety_opener_add(struct safety_facts *f, dev_t rdev, const char *who)
{
	struct opener *grown;

	for (size_t i = 0; i < f->opener_count; i++) {
		if (f->openers[i].rdev == rdev && strcmp(f->openers[i].who, who) == 0)
			return 0;
	}
	grown = realloc(f->openers, (f->opener_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	f->openers = grown;
	grown[f->opener_count].rdev = rdev;
	(void)snprintf(grown[f->opener_count].who, sizeof(grown->who), "%s", who);
	f->opener_count++;
	return 0;
}

static int visit_descriptors(struct walk *w, const char *pid)
{
	char dir[TASK_DIR_MAX], path[TASK_DIR_MAX], who[64];
	struct sysfs_names fds;
	int r = sysfs_list(&w->f->root, &fds, "/proc/%s/fd", pid);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return 0; /* gone; or denied, which its mount table was as well */
	(void)snprintf(dir, sizeof(dir), "/proc/%.20s", pid); /* fits */
	for (size_t i = 0; i < fds.count && r == 0; i++) {
		struct statx sx;

		(void)snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", pid, fds.name[i]);
		/* No sync: a descriptor on a network file system must not make us wait for it. */
		if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &sx) < 0 ||
			!S_ISBLK(sx.stx_mode) || !opened_for_writing(pid, fds.name[i]))
			continue;
		task_name(w->f, dir, pid, who, sizeof(who));
		r = safety_opener_add(w->f, makedev(sx.stx_rdev_major, sx.stx_rdev_minor), who);
	}
	sysfs_names_done(&fds);
	return r;
}

/* -- the walk ------------------------------------------------------------------------------- */

static int visit_process(struct walk *w, const char *pid)
{
	struct sysfs_names tasks;
	char dir[TASK_DIR_MAX];
	int r;

	r = sysfs_list(&w->f->root, &tasks, "/proc/%s/task", pid);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* gone */
	for (size_t i = 0; i < tasks.count && r == 0; i++) {
		(void)snprintf(dir, sizeof(dir), "/proc/%.20s/task/%.20s", pid, tasks.name[i]);
		r = visit_task(w, dir, pid);
	}
	sysfs_names_done(&tasks);
	if (r == 0 && strtol(pid, NULL, 10) != w->own_pid)
		r = visit_descriptors(w, pid);
	return r;
}

static int visit_all(struct walk *w)
{
	struct sysfs_names pids;
	int r = sysfs_list(&w->f->root, &pids, "/proc");

	if (r < 0)
		return r == -ENOMEM ? r : note_unreadable(w->f, "/proc", strerror(-r));
	for (size_t i = 0; i < pids.count && r == 0; i++) {
		if (is_number(pids.name[i]))
			r = visit_process(w, pids.name[i]);
	}
	sysfs_names_done(&pids);
	return r;
}

/* A capture holds the tables as files: /proc/self/mountinfo and /proc/N/mountinfo. */
static int gather_captured(struct safety_facts *f)
{
	struct sysfs_names pids;
	char path[SYSFS_PATH_MAX], who[64];
	struct mountinfo table;
	struct err why;
	int r = sysfs_list(&f->root, &pids, "/proc");

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	for (size_t i = 0; i < pids.count && r == 0; i++) {
		if (!is_number(pids.name[i]))
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/mountinfo", pids.name[i]); /* fits */
		r = mountinfo_read(&f->root, path, &table, &why);
		if (r == -ENOENT) {
			r = 0;
			continue;
		}
		(void)snprintf(who, sizeof(who), "process %.40s", pids.name[i]);
		if (r < 0)
			r = r == -ENOMEM ? r : note_unreadable(f, "mount table", why.msg);
		else
			r = add_space(f, &table, who);
	}
	sysfs_names_done(&pids);
	return r;
}

int safety_spaces_gather(struct safety_facts *f)
{
	struct walk w = { .f = f, .own_pid = (int)getpid() };
	struct err why = ERR_INIT;
	struct mountinfo table;
	struct view view;
	bool is_new;
	int r;

	r = mountinfo_read(&f->root, "/proc/self/mountinfo", &table, &why);
	if (r == 0)
		r = add_space(f, &table, "");
	else if (r != -ENOMEM)
		r = note_unreadable(f, "/proc/self/mountinfo", why.msg);
	if (r < 0)
		return r;
	if (!sysroot_is_machine(&f->root))
		return gather_captured(f);
	if (look(&f->root, "/proc/self", &view) == 0)
		r = remember(&w, &view, &is_new);
	if (r == 0)
		r = visit_all(&w);
	free(w.seen);
	if (r == 0 && w.denied > 0)
		r = safety_use_add(&f->unseen, &f->unseen_count, "unreadable", "mount tables",
			"of %u tasks cannot be read (%s) and could hide a user; %s", w.denied,
			strerror(-w.code), geteuid() == 0 ? "CAP_SYS_PTRACE is not enough or "
			"missing here" : "run as root");
	return r;
}
