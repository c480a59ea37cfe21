/* ask_command.c - fork, exec, read with a deadline. */
#include "probes/ask_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUT, ERR, FAILED, PIPES };

struct asked {
	pid_t pid;
	int fd[PIPES];
	char *out;
	size_t out_len, out_size;
	char err[512]; /* the end of standard error */
	int failed;    /* errno of execvp, 0 none */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void close_all(int (*pipes)[2])
{
	for (int i = 0; i < PIPES; i++)
		for (int k = 0; k < 2; k++)
			if (pipes[i][k] >= 0)
				(void)close(pipes[i][k]);
}

/* In the child: between fork and exec only calls that are safe there. */
static void become(const char *const argv[], int (*pipes)[2])
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), e;
	ssize_t n;

	(void)setpgid(0, 0);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(pipes[OUT][1], 1) >= 0 &&
	    dup2(pipes[ERR][1], 2) >= 0)
		execvp(argv[0], (char *const *)argv);
	e = errno;
	n = write(pipes[FAILED][1], &e, sizeof(e));
	_Exit(n == sizeof(e) ? 127 : 126);
}

static int start(const char *const argv[], struct asked *a, struct err *reterr)
{
	int pipes[PIPES][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };

	for (int i = 0; i < PIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0)
			goto failed;
	a->pid = fork();
	if (a->pid == 0)
		become(argv, pipes);
	if (a->pid < 0)
		goto failed;
	(void)setpgid(a->pid, a->pid); /* whoever comes first */
	for (int i = 0; i < PIPES; i++) {
		(void)close(pipes[i][1]); /* the child's end */
		a->fd[i] = pipes[i][0];
	}
	return 0;
failed:
	(void)err_set(reterr, ERR_DEVICE, -errno, "%s: %s", argv[0], strerror(errno));
	close_all(pipes);
	return reterr != NULL ? reterr->code : -EIO;
}

static int take_out(struct asked *a, const char *buf, size_t n)
{
	if (a->out_len + n > ASK_COMMAND_MAX)
		return -EFBIG;
	if (a->out_len + n + 1 > a->out_size) {
		size_t size = (a->out_len + n + 1) * 2;
		char *grown = realloc(a->out, size);

		if (grown == NULL)
			return -ENOMEM;
		a->out = grown;
		a->out_size = size;
	}
	memcpy(a->out + a->out_len, buf, n);
	a->out_len += n;
	a->out[a->out_len] = '\0';
	return 0;
}

static void take_err(struct asked *a, const char *buf, size_t n)
{
	size_t have = strlen(a->err), room = sizeof(a->err) - 1;

	if (n > room) {
		buf += n - room;
		n = room;
	}
	if (have + n > room) {
		memmove(a->err, a->err + have + n - room, room - n);
		have = room - n;
	}
	for (size_t i = 0; i < n; i++)
		a->err[have + i] = buf[i] != '\0' ? buf[i] : '?';
	a->err[have + n] = '\0';
}

/* One read of pipe @i; it is closed at its end. */
static int read_pipe(struct asked *a, int i)
{
	char buf[4096];
	ssize_t n = read(a->fd[i], buf, sizeof(buf));

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0) {
		(void)close(a->fd[i]);
		a->fd[i] = -1;
	} else if (i == OUT) {
		return take_out(a, buf, (size_t)n);
	} else if (i == ERR) {
		take_err(a, buf, (size_t)n);
	} else if (n == sizeof(int)) {
		memcpy(&a->failed, buf, sizeof(int));
	}
	return 0;
}

static int read_until(struct asked *a, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd p[PIPES];
		uint64_t now = now_ns();
		int open = 0, r;

		for (int i = 0; i < PIPES; i++) {
			p[i] = (struct pollfd){ .fd = a->fd[i], .events = POLLIN };
			open += a->fd[i] >= 0;
		}
		if (open == 0)
			return 0;
		if (now >= deadline_ns)
			return -ETIMEDOUT;
		r = poll(p, PIPES, (int)((deadline_ns - now) / 1000000 + 1));
		if (r < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; r > 0 && i < PIPES; i++) {
			int e = p[i].revents != 0 && a->fd[i] >= 0 ? read_pipe(a, i) : 0;

			if (e < 0)
				return e;
		}
	}
}

/* The status, waited for until the deadline; after it, or after a failure, the whole group ends. */
static int finish(struct asked *a, int r, uint64_t deadline_ns, int *ret_status)
{
	bool ended = false;

	while (r == 0 && !ended) {
		pid_t w = waitpid(a->pid, ret_status, WNOHANG);

		ended = w == a->pid || (w < 0 && errno != EINTR);
		if (!ended && now_ns() >= deadline_ns)
			r = -ETIMEDOUT;
		else if (!ended)
			(void)usleep(1000);
	}
	if (!ended) {
		(void)kill(-a->pid, SIGKILL);
		while (waitpid(a->pid, ret_status, 0) < 0 && errno == EINTR)
			;
	}
	for (int i = 0; i < PIPES; i++)
		if (a->fd[i] >= 0)
			(void)close(a->fd[i]);
	return r;
}

static const char *last_line(char *s)
{
	size_t n = strlen(s);
	char *eol;

	while (n > 0 && (s[n - 1] == '\n' || s[n - 1] == ' '))
		s[--n] = '\0';
	eol = strrchr(s, '\n');
	return eol != NULL ? eol + 1 : s;
}

int ask_command(const char *const argv[], uint64_t timeout_ns, char **ret, size_t *ret_len,
	struct err *reterr)
{
	struct asked a = { .fd = { -1, -1, -1 } };
	uint64_t deadline = now_ns() + timeout_ns;
	int status = 0, r;

	r = start(argv, &a, reterr);
	if (r < 0)
		return r;
	r = finish(&a, read_until(&a, deadline), deadline, &status);
	if (r == 0 && a.failed == ENOENT)
		r = err_set(reterr, ERR_UNSUPPORTED, -ENOENT, "%s: there is no such program in "
			"PATH", argv[0]);
	else if (r == 0 && a.failed != 0)
		r = err_set(reterr, ERR_DEVICE, -a.failed, "%s: %s", argv[0], strerror(a.failed));
	else if (r == -ETIMEDOUT)
		(void)err_set(reterr, ERR_DEVICE, r, "%s: no answer within %.3g s", argv[0],
			(double)timeout_ns / 1e9);
	else if (r < 0)
		(void)err_set(reterr, ERR_DEVICE, r, "%s: %s", argv[0], strerror(-r));
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		r = err_set(reterr, ERR_DEVICE, -EIO, "%s: %s", argv[0], a.err[0] != '\0' ?
			last_line(a.err) : "it failed and said nothing");
	if (r == 0)
		r = take_out(&a, "", 0); /* a buffer, also for no output */
	if (r < 0) {
		free(a.out);
		return r;
	}
	*ret = a.out;
	*ret_len = a.out_len;
	return 0;
}
