/* tui_job.c - children of the dashboard. */
#include "cli/tui_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

void tui_args_add(struct tui_args *a, const char *word)
{
	if (word && a->count < TUI_JOB_ARGS)
		a->word[a->count++] = word;
}

/* -- starting ----------------------------------------------------------------------------------- */

static bool is_set(const char *line, const char *name)
{
	size_t len = strlen(name);

	return strncmp(line, name, len) == 0 && line[len] == '=';
}

/* Ours, but a width and no colour. Freed by the caller: the array and its first member. */
static char **make_environment(int columns)
{
	size_t n = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 4, sizeof(*env));
	if (!env)
		return NULL;
	if (asprintf(&env[k++], "COLUMNS=%d", columns) < 0) {
		free(env);
		return NULL;
	}
	env[k++] = (char *)"NO_COLOR=1"; /* execve() does not write to it */
	for (size_t i = 0; i < n; i++)
		if (!is_set(environ[i], "COLUMNS") && !is_set(environ[i], "NO_COLOR") &&
			!is_set(environ[i], "CLICOLOR_FORCE"))
			env[k++] = environ[i];
	return env;
}

static int set_actions(posix_spawn_file_actions_t *a, const struct tui_spawn *s)
{
	int r = posix_spawn_file_actions_addopen(a, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	r |= s->out >= 0 ? posix_spawn_file_actions_adddup2(a, s->out, STDOUT_FILENO) :
		posix_spawn_file_actions_addopen(a, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	r |= s->err >= 0 ? posix_spawn_file_actions_adddup2(a, s->err, STDERR_FILENO) :
		posix_spawn_file_actions_addopen(a, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (s->feed >= 0)
		r |= posix_spawn_file_actions_adddup2(a, s->feed, 3);
	return r;
}

/* The dashboard's handlers go with exec; what it ignores would stay. */
static int set_attributes(posix_spawnattr_t *a, bool apart)
{
	sigset_t defaults;
	int r;

	(void)sigemptyset(&defaults);
	(void)sigaddset(&defaults, SIGINT);
	(void)sigaddset(&defaults, SIGTERM);
	(void)sigaddset(&defaults, SIGHUP);
	(void)sigaddset(&defaults, SIGPIPE);
	r = posix_spawnattr_setsigdefault(a, &defaults);
	r |= posix_spawnattr_setflags(a, (short)(POSIX_SPAWN_SETSIGDEF |
		(apart ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP)));
	return r;
}

static char **make_argv(const struct tui_spawn *s)
{
	char **argv = calloc(s->args->count + 6, sizeof(*argv));
	size_t k = 0;

	if (!argv)
		return NULL;
	/* exec does not write to them */
	argv[k++] = (char *)"ssdqual";
	if (s->cli->sysroot) {
		argv[k++] = (char *)"--sysroot";
		argv[k++] = (char *)s->cli->sysroot;
	}
	if (s->cli->replay) {
		argv[k++] = (char *)"--replay";
		argv[k++] = (char *)s->cli->replay;
	}
	for (size_t i = 0; i < s->args->count; i++)
		argv[k++] = (char *)s->args->word[i];
	return argv;
}

int tui_spawn(const struct tui_spawn *s, pid_t *ret, struct err *reterr)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **env = make_environment(s->columns), **argv = make_argv(s);
	int r = !s->cli->self ? ENOSYS : env && argv ? 0 : ENOMEM;

	if (r == 0) {
		(void)posix_spawn_file_actions_init(&actions); /* glibc: cannot fail */
		(void)posix_spawnattr_init(&attributes);
		r = set_actions(&actions, s) | set_attributes(&attributes, s->apart);
		if (r == 0)
			r = posix_spawn(ret, s->cli->self, &actions, &attributes, argv, env);
		(void)posix_spawnattr_destroy(&attributes);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	if (env)
		free(env[0]);
	free(env);
	free(argv);
	return r == 0 ? 0 : err_set(reterr, ERR_INTERNAL, -r, "%s: cannot be run: %s",
		s->args->word[0], strerror(r));
}

/* -- collecting --------------------------------------------------------------------------------- */

int tui_job_start(struct tui_job *j, const struct cli *cli, const struct tui_args *args, int columns,
	bool errors, struct err *reterr)
{
	struct tui_spawn s = { .cli = cli, .args = args, .columns = columns, .feed = -1 };
	int fds[2], r;

	tui_job_done(j);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(reterr, ERR_INTERNAL, -errno, "pipe: %s", strerror(errno));
	(void)fcntl(fds[0], F_SETFL, O_NONBLOCK); /* of a pipe: cannot fail */
	s.out = fds[1];
	s.err = errors ? fds[1] : -1;
	r = tui_spawn(&s, &j->pid, reterr);
	(void)close(fds[1]);
	if (r < 0) {
		j->pid = 0;
		(void)close(fds[0]);
		return r;
	}
	j->fd = fds[0];
	return 0;
}

/* Room for more, and for a NUL behind it. */
static bool make_room(struct tui_job *j)
{
	size_t room = j->room ? j->room * 2 : 65536;
	char *text;

	if (j->room - j->len > 1)
		return true;
	text = room <= TUI_JOB_MAX ? realloc(j->text, room) : NULL;
	if (!text)
		return false;
	j->text = text;
	j->room = room;
	return true;
}

static void finish(struct tui_job *j)
{
	int status = 0;

	(void)close(j->fd);
	j->fd = -1;
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	j->pid = 0;
	j->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (make_room(j))
		j->text[j->len] = '\0';
	else if (j->text)
		j->text[j->len ? j->len - 1 : 0] = '\0'; /* full: its last byte is given up */
	j->done = true;
}

bool tui_job_poll(struct tui_job *j)
{
	char waste[4096];
	ssize_t n;

	while (j->pid) {
		if (make_room(j)) {
			n = read(j->fd, j->text + j->len, j->room - j->len - 1);
			if (n > 0)
				j->len += (size_t)n;
		} else {
			n = read(j->fd, waste, sizeof(waste));
		}
		if (n > 0 || (n < 0 && errno == EINTR))
			continue;
		if (n < 0 && errno == EAGAIN)
			return false;
		finish(j);
		return true;
	}
	return false;
}

bool tui_job_runs(const struct tui_job *j)
{
	return j->pid != 0;
}

/* One that hangs in a device that does not answer cannot be ended, and is not waited for. */
static void give_up(struct tui_job *j)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	pid_t ended = 0;

	(void)kill(j->pid, SIGTERM);
	for (int i = 0; i < 40 && ended == 0; i++) {
		if (i == 20)
			(void)kill(j->pid, SIGKILL);
		ended = waitpid(j->pid, NULL, WNOHANG);
		if (ended == 0)
			(void)nanosleep(&nap, NULL);
	}
	(void)close(j->fd);
}

void tui_job_done(struct tui_job *j)
{
	if (j->pid)
		give_up(j);
	free(j->text);
	*j = (struct tui_job)TUI_JOB_INIT;
}
