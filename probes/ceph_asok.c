/* ceph_asok.c - the client's side of Ceph's admin socket. */
#include "probes/ceph_asok.h"

#include <endian.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_S = 30 };

int ceph_asok_find(const char *run, unsigned id, char **ret, struct err *reterr)
{
	char pattern[256];
	glob_t found;
	int r = 0;

	(void)snprintf(pattern, sizeof(pattern), "%s/ceph-osd.%u.asok", run, id);
	if (access(pattern, F_OK) == 0) {
		*ret = strdup(pattern);
		return *ret ? 0 : err_nomem(reterr);
	}
	(void)snprintf(pattern, sizeof(pattern), "%s/*/ceph-osd.%u.asok", run, id);
	if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0)
		r = err_set(reterr, ERR_INPUT, -ENOENT,
			"osd.%u: no admin socket %s/ceph-osd.%u.asok on this host, nor in a folder "
			"of it; name it with --admin-socket", id, run, id);
	else if (found.gl_pathc > 1)
		r = err_set(reterr, ERR_INPUT, -ENOTUNIQ,
			"osd.%u: admin sockets of several clusters, %s and %s; name one with "
			"--admin-socket", id, found.gl_pathv[0], found.gl_pathv[1]);
	else if (!(*ret = strdup(found.gl_pathv[0])))
		r = err_nomem(reterr);
	globfree(&found);
	return r;
}

static int connect_to(const char *path, pid_t *ret_pid, struct err *reterr)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = PATIENCE_S };
	struct ucred peer = { .pid = 0 };
	socklen_t len = sizeof(peer);
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		return err_set(reterr, ERR_INPUT, -ENAMETOOLONG,
			"%s: the path of a socket has at most %zu characters; use a link", path,
			sizeof(addr.sun_path) - 1);
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_set(reterr, ERR_DEVICE, -errno, "socket: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)); /* valid */
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		int e = errno;

		(void)close(fd); /* nothing was sent */
		return err_set(reterr, ERR_DEVICE, -e, "%s: %s; is the daemon running, and may you "
			"ask it?", path, strerror(e));
	}
	/* Of a daemon in a container it may be 0: then a restart is not noticed by it. */
	(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	*ret_pid = peer.pid;
	return fd;
}

static int send_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int receive_all(int fd, void *data, size_t len)
{
	char *at = data;

	while (len > 0) {
		ssize_t n = recv(fd, at, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ECONNRESET;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

static int receive_answer(int fd, char **ret, size_t *ret_len)
{
	uint32_t length;
	char *text;
	int r = receive_all(fd, &length, sizeof(length));

	if (r < 0)
		return r;
	length = be32toh(length);
	if (length > CEPH_ASOK_ANSWER_MAX)
		return -EFBIG;
	text = malloc(length + 1u);
	if (!text)
		return -ENOMEM;
	r = receive_all(fd, text, length);
	if (r < 0) {
		free(text);
		return r;
	}
	*ret = text;
	*ret_len = length;
	return 0;
}

int ceph_asok_ask(const char *path, const char *request, struct json **ret, pid_t *ret_pid,
	struct err *reterr)
{
	struct err ignored = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	pid_t pid = 0;
	int fd = connect_to(path, &pid, reterr), r;

	if (fd < 0)
		return fd;
	r = send_all(fd, request, strlen(request) + 1);
	if (r == 0)
		r = receive_answer(fd, &text, &len);
	(void)close(fd); /* all was received, or the error is told */
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: no answer to %s: %s", path, request,
			r == -EAGAIN ? "it takes too long" : strerror(-r));
	r = json_parse(text, len, path, ret, &ignored);
	if (r < 0)
		r = err_set(reterr, ERR_DEVICE, -EBADMSG, "%s: the answer to %s is no JSON: %.*s",
			path, request, (int)(len < 80 ? len : 80), text);
	else if (ret_pid)
		*ret_pid = pid;
	free(text);
	return r;
}
