/* err.h - how a failure is carried up to the one place that prints it.
 *
 * A function that can fail returns 0 or a negative errno and, where a person needs the detail,
 * takes a `struct err *reterr` as its last argument. data/, probes/ and policies/ never print.
 * The kind decides the exit status (cli/exit.h) and is the "code" word of the JSON error object.
 */
#ifndef SSDQUAL_DATA_ERR_H
#define SSDQUAL_DATA_ERR_H

#include <stddef.h>

enum err_kind {
	ERR_DEVICE,      /* device or I/O error (exit 4); the default of a zeroed struct err */
	ERR_UNSUPPORTED, /* the device or the kernel cannot do it (exit 4) */
	ERR_USAGE,       /* the command line is wrong (exit 2) */
	ERR_REFUSED,     /* refused for safety (exit 3) */
	ERR_UNSURE,      /* not steady, unsure or unknown (exit 5) */
	ERR_INPUT,       /* an input cannot be read or trusted (exit 6) */
	ERR_STOPPED,     /* stopped by a signal (exit 130/143) */
	ERR_INTERNAL,    /* out of memory, or a bug of ours (exit 4) */
	ERR_KIND_COUNT
};

#define ERR_MSG_MAX 1024

struct err {
	int code; /* 0, or -errno */
	enum err_kind kind;
	char msg[ERR_MSG_MAX]; /* "what: detail; remedy", no newline, control characters replaced by '?' */
};

#define ERR_INIT { .code = 0 }

/* err_set - record a failure; the newest call wins.
 * @e: may be NULL    @code: -errno, < 0
 * Returns @code, so that `return err_set(...)` reads well. An over-long message is cut. */
int err_set(struct err *e, enum err_kind kind, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* err_prefix - put "text: " in front of the message that @e already carries (no-op without one).
 * Returns e->code, or 0 when @e is NULL or empty. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* err_nomem - the usual way to report a failed allocation. Returns -ENOMEM. */
int err_nomem(struct err *e);

/* err_kind_word - the word of the JSON error object: "device", "unsupported", "usage", ... */
const char *err_kind_word(enum err_kind kind);

#endif
