/* tui_run.c - starts, finds and follows a run. */
#include "cli/tui_run.h"

#include "data/store.h"
#include "probes/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FEED_LINE_MAX = 65536, LOG_MAX = 1 << 20 };

/* In memory, so that a measured file system is not written to every second; else with the state. */
static char *runs_folder(const struct tui_run *r)
{
	const char *xdg = getenv("XDG_RUNTIME_DIR");
	char *path = NULL;

	if (r->folder)
		return strdup(r->folder);
	if (geteuid() == 0 && access("/run", W_OK) == 0)
		return strdup("/run/ssdqual");
	if (geteuid() != 0 && xdg && *xdg == '/')
		return asprintf(&path, "%s/ssdqual", xdg) < 0 ? NULL : path;
	return journal_folder(&path, NULL) < 0 ? NULL : path;
}

static bool is_feed(const char *name)
{
	size_t len = strlen(name);

	return strncmp(name, "run-", 4) == 0 && len > 9 && strcmp(name + len - 5, ".feed") == 0;
}

static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	(void)flock(fd, LOCK_UN);
	return false;
}

static char *log_of(const char *feed)
{
	char *path;

	return asprintf(&path, "%.*s.log", (int)(strlen(feed) - 5), feed) < 0 ? NULL : path;
}

void tui_run_done(struct tui_run *r)
{
	if (r->fd >= 0)
		(void)close(r->fd);
	free(r->feed_path);
	free(r->log_path);
	free(r->part);
	*r = (struct tui_run){ .fd = -1, .status = -1, .folder = r->folder };
	tui_feed_init(&r->feed);
}

static int follow(struct tui_run *r, char *feed)
{
	tui_run_done(r);
	r->feed_path = feed;
	r->log_path = log_of(feed);
	r->fd = open(feed, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (r->log_path && r->fd >= 0) {
		r->alive = is_locked(r->fd);
		return 0;
	}
	tui_run_done(r);
	return -ENOENT;
}

/* Those that have ended are not needed any more: their results are stored. */
static char *look_through(const char *folder, bool remove_ended)
{
	DIR *d = opendir(folder);
	char *newest = NULL;

	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		char *path, *log;
		bool locked;
		int fd;

		if (!is_feed(e->d_name) || asprintf(&path, "%s/%s", folder, e->d_name) < 0)
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		locked = fd >= 0 && is_locked(fd);
		if (fd >= 0)
			(void)close(fd);
		log = locked || !remove_ended ? NULL : log_of(path);
		if (log) {
			(void)unlink(path);
			(void)unlink(log);
			free(log);
		}
		if (locked && (!newest || strcmp(path, newest) > 0)) {
			free(newest);
			newest = path;
		} else {
			free(path);
		}
	}
	if (d)
		(void)closedir(d);
	return newest;
}

bool tui_run_find(struct tui_run *r)
{
	char *folder = runs_folder(r), *found = folder ? look_through(folder, false) : NULL;

	free(folder);
	if (!found || follow(r, found) < 0)
		return false;
	(void)tui_run_poll(r);
	return true;
}

/* -- starting ----------------------------------------------------------------------------------- */

static int make_files(const struct tui_run *run, char **ret_feed, int *ret_fd, int *ret_log,
	struct err *reterr)
{
	char *folder = runs_folder(run), *path = NULL, *log = NULL;
	struct timespec now;
	int r = folder ? store_make_folders(folder) : -ENOENT, fd = -1, log_fd = -1;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (r == 0) {
		free(look_through(folder, true));
		if (asprintf(&path, "%s/run-%lld-%d.feed", folder, (long long)now.tv_sec,
				(int)getpid()) < 0)
			path = NULL;
		log = path ? log_of(path) : NULL;
		r = log ? 0 : -ENOMEM;
	}
	if (r == 0) {
		(void)unlink(path); /* ours: the process number is in its name */
		(void)unlink(log);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		log_fd = open(log, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (fd < 0 || log_fd < 0 || flock(fd, LOCK_EX) < 0)
			r = -errno;
	}
	if (r < 0) {
		(void)err_set(reterr, ERR_DEVICE, r, "%s: %s; the run's progress cannot be kept",
			path ? path : folder ? folder : "no folder for runs", strerror(-r));
		if (fd >= 0)
			(void)close(fd);
		if (log_fd >= 0)
			(void)close(log_fd);
		free(path);
	} else {
		*ret_feed = path;
		*ret_fd = fd;
		*ret_log = log_fd;
	}
	free(log);
	free(folder);
	return r;
}

int tui_run_start(struct tui_run *r, const struct cli *cli, const struct tui_args *args,
	struct err *reterr)
{
	struct tui_args with = { .count = 0 };
	struct tui_spawn s = { .cli = cli, .args = &with, .columns = 80, .apart = true };
	char *feed = NULL;
	int rc;

	if (r->alive)
		return err_set(reterr, ERR_USAGE, -EBUSY, "a run goes on; stop it first");
	rc = make_files(r, &feed, &s.feed, &s.out, reterr);
	if (rc < 0)
		return rc;
	s.err = s.out;
	tui_args_add(&with, args->word[0]);
	tui_args_add(&with, "--progress-fd");
	tui_args_add(&with, "3");
	for (size_t i = 1; i < args->count; i++)
		tui_args_add(&with, args->word[i]);
	rc = follow(r, feed);
	if (rc == 0)
		rc = tui_spawn(&s, &r->child, reterr);
	else
		(void)err_set(reterr, ERR_DEVICE, rc, "the run's progress cannot be read");
	/* Whom to stop, should it be asked for before the run says so itself. */
	if (rc == 0 && dprintf(s.feed, "{\"event\":\"spawned\",\"pid\":%d}\n", (int)r->child) < 0)
		r->feed.pid = r->child;
	(void)close(s.feed); /* the child's copy holds the lock */
	(void)close(s.out);
	if (rc < 0) {
		r->child = 0;
		tui_run_done(r);
	}
	return rc;
}

/* -- following ---------------------------------------------------------------------------------- */

static void take(struct tui_run *r, const char *data, size_t len)
{
	char *grown = realloc(r->part, r->part_len + len + 1);
	char *line, *end;

	if (!grown)
		return; /* these lines are lost for the display only */
	r->part = grown;
	memcpy(grown + r->part_len, data, len);
	r->part_len += len;
	line = grown;
	while ((end = memchr(line, '\n', r->part_len - (size_t)(line - grown)))) {
		(void)tui_feed_line(&r->feed, line, (size_t)(end - line));
		line = end + 1;
	}
	r->part_len -= (size_t)(line - grown);
	memmove(grown, line, r->part_len);
	if (r->part_len > FEED_LINE_MAX)
		r->part_len = 0;
}

static void reap(struct tui_run *r)
{
	int status;

	if (!r->child || waitpid(r->child, &status, WNOHANG) != r->child)
		return;
	r->child = 0;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool tui_run_poll(struct tui_run *r)
{
	char buf[16384];
	bool news = false, was = r->alive;
	ssize_t n;

	if (r->fd < 0)
		return false;
	if (r->alive) /* before reading: what it wrote last is there then */
		r->alive = is_locked(r->fd);
	while ((n = read(r->fd, buf, sizeof(buf))) > 0) {
		take(r, buf, (size_t)n);
		news = true;
	}
	reap(r);
	return news || was != r->alive;
}

void tui_run_stop(struct tui_run *r)
{
	pid_t pid = r->child ? r->child : r->feed.pid;

	/* The lock says that it lives, so that the number cannot be another's by now. */
	if (r->fd < 0 || !is_locked(r->fd) || pid <= 1)
		return;
	(void)kill(pid, SIGTERM);
	r->stopping = true;
}

char *tui_run_log(const struct tui_run *r)
{
	int fd = r->log_path ? open(r->log_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	char *text;
	size_t len = 0;
	ssize_t n = 1;

	if (fd < 0)
		return NULL;
	text = malloc(LOG_MAX + 1);
	while (text && len < LOG_MAX && n > 0) {
		n = read(fd, text + len, LOG_MAX - len);
		len += n > 0 ? (size_t)n : 0;
	}
	(void)close(fd);
	if (text)
		text[len] = '\0';
	return text;
}
