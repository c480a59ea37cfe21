/* wa_child.c - run a command of the user's, pass its output on, and watch the clock beside it. */
#include "cli/wa.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/stop.h"
#include "data/wa_client.h"

extern char **environ;

/* A signal that comes between looking for it and going to sleep is seen this much later. */
enum { NAP_MS = 200 };

static double now_s(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail */
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int start(const struct wa_child *c, int out, pid_t *ret, struct err *reterr)
{
	posix_spawn_file_actions_t actions;
	int r = posix_spawn_file_actions_init(&actions);

	if (r == 0)
		r = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (r != 0)
		return err_nomem(reterr);
	r = posix_spawnp(ret, c->argv[0], &actions, NULL, c->argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return r == 0 ? 0 : err_set(reterr, ERR_USAGE, -r, "%s: cannot be run: %s", c->argv[0],
		strerror(r));
}

/* In front of a terminal that sends its Ctrl-C to the command as well? */
static bool terminal_tells(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (isatty(fd) && tcgetpgrp(fd) == getpgrp())
			return true;
	return false;
}

static void forward(pid_t pid)
{
	int sig = stop_signal();

	if (sig != SIGINT || !terminal_tells())
		(void)kill(pid, sig); /* it may have just ended */
}

static int keep(struct wa_child *c, const char *data, size_t len)
{
	if (len > WA_CLIENT_TEXT_MAX - c->len) {
		c->cut = true;
		len = WA_CLIENT_TEXT_MAX - c->len;
	}
	if (len > c->room - c->len) {
		size_t want = c->room ? c->room : 65536;
		char *grown;

		while (want < c->len + len)
			want *= 2;
		grown = realloc(c->text, want);
		if (!grown)
			return -ENOMEM;
		c->text = grown;
		c->room = want;
	}
	if (len > 0)
		memcpy(c->text + c->len, data, len);
	c->len += len;
	return 0;
}

/* Whoever reads our output may have gone: then the copy ends, not the command. */
static void copy(struct wa_child *c, const char *data, size_t len)
{
	while (len > 0 && c->out_fd >= 0) {
		ssize_t n = write(c->out_fd, data, len);

		if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
			struct pollfd p = { .fd = c->out_fd, .events = POLLOUT };

			(void)poll(&p, 1, NAP_MS); /* or try once more */
			continue;
		}
		if (n < 0) {
			c->out_fd = -1;
			return;
		}
		data += n;
		len -= (size_t)n;
	}
}

/* All that is in the pipe now. 1: its end; 0: more may come; -errno. */
static int drain(struct wa_child *c, int fd)
{
	static char buf[65536]; /* one command at a time */

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n <= 0)
			return n < 0 ? -errno : 1;
		copy(c, buf, (size_t)n);
		if (keep(c, buf, (size_t)n) < 0)
			return -ENOMEM;
	}
}

static int nap_until(double next)
{
	double left = (next - now_s()) * 1000;

	return left <= 0 ? 0 : left < NAP_MS ? (int)left + 1 : NAP_MS;
}

/* Until the command has ended. A process that it left behind may hold the pipe: not waited for. */
static int watch(struct wa_child *c, pid_t pid, int pidfd, int pipe_fd, struct err *reterr)
{
	double start = now_s(), every = (double)c->interval_ns / 1e9;
	double next = every > 0 ? start + every : INFINITY;
	struct pollfd p[2] = { { .fd = pidfd, .events = POLLIN },
		{ .fd = pipe_fd, .events = POLLIN } };
	bool told = false;
	int r = 0, r2;

	while (!(p[0].revents & POLLIN)) {
		p[0].revents = p[1].revents = 0;
		(void)poll(
			p, 2, isinf(next) ? NAP_MS : nap_until(next)); /* EINTR: the flag tells */
		if (stop_signal() && !told) {
			told = true;
			forward(pid);
		}
		if (p[1].revents) {
			r2 = drain(c, pipe_fd);
			if (r2 != 0)
				p[1].fd = -1;
			if (r2 < 0 && r == 0)
				r = err_set(reterr, ERR_INTERNAL, r2, "the command's output: %s",
					strerror(-r2));
		}
		if (now_s() >= next) {
			r2 = c->tick(c->ctx, now_s() - start, reterr);
			next = r2 < 0 ? INFINITY : next + every;
			r = r2 < 0 ? r2 : r;
		}
	}
	c->seconds = now_s() - start;
	while (waitpid(pid, &c->status, 0) < 0 && errno == EINTR)
		;
	if (p[1].fd >= 0)
		(void)drain(c, pipe_fd); /* what it printed last; out of memory cuts it */
	return r;
}

int wa_child_run(struct wa_child *c, struct err *reterr)
{
	int fds[2] = { -1, -1 }, pidfd, r;
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	pid_t pid;

	(void)signal(SIGCHLD, SIG_DFL); /* ignored, it would take the command's status away */
	if (c->capture && pipe2(fds, O_CLOEXEC) < 0)
		return err_set(reterr, ERR_INTERNAL, -errno, "pipe: %s", strerror(errno));
	r = start(c, c->capture ? fds[1] : c->out_fd, &pid, reterr);
	if (fds[1] >= 0)
		(void)close(fds[1]); /* the command has its own */
	if (r == 0) {
		(void)sigaction(SIGPIPE, &ignore, &old); /* valid */
		if (fds[0] >= 0)
			(void)fcntl(fds[0], F_SETFL, O_NONBLOCK); /* of a pipe: cannot fail */
		pidfd = pidfd_open(pid, 0);
		if (pidfd < 0) {
			r = err_set(reterr, ERR_UNSUPPORTED, -errno, "pidfd_open: %s; needs Linux "
				"5.3", strerror(errno));
			(void)kill(pid, SIGTERM); /* ours, not waited for yet */
			(void)waitpid(pid, &c->status, 0);
		} else {
			r = watch(c, pid, pidfd, fds[0], reterr);
			(void)close(pidfd);
		}
		(void)sigaction(SIGPIPE, &old, NULL);
	}
	if (fds[0] >= 0)
		(void)close(fds[0]);
	return r;
}

void wa_child_done(struct wa_child *c)
{
	free(c->text);
	c->text = NULL;
	c->len = c->room = 0;
}
