/* ceph_asok.h - ask a Ceph daemon of this host through its admin socket, as `ceph daemon` does.
 *
 * Protocol (Ceph, src/common/admin_socket.cc): the request is a JSON object and a NUL byte, the
 * answer four bytes of length, big-endian, and that many bytes. Needs no Ceph library.
 */
#ifndef SSDQUAL_PROBES_CEPH_ASOK_H
#define SSDQUAL_PROBES_CEPH_ASOK_H

#include "data/err.h"
#include "data/json.h"

#include <sys/types.h>

#define CEPH_ASOK_ANSWER_MAX ((size_t)16 << 20)

/* ceph_asok_find - the socket of osd.@id below @run ("/run/ceph"): ceph-osd.ID.asok, or that of one
 * cluster's folder (cephadm). Caller frees. ERR_INPUT: -ENOENT none, -ENOTUNIQ several; the remedy
 * (--admin-socket) is named. */
int ceph_asok_find(const char *run, unsigned id, char **ret, struct err *reterr);

/* ceph_asok_ask - send @request (JSON text), parse the answer. @ret_pid: of the daemon; may be
 * NULL. Gives up after 30 s without a byte. ERR_DEVICE: no daemon, no answer; -EBADMSG: the answer
 * is no JSON (an old daemon says so of a command that it does not know). */
int ceph_asok_ask(const char *path, const char *request, struct json **ret, pid_t *ret_pid,
	struct err *reterr);

#endif
