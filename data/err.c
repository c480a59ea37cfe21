/* err.c - carries a failure from where it happened to where it is printed. */
#include "data/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A message may quote a device's strings or a file name: nothing in it may drive a terminal. */
static void make_printable(char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			*s = '?';
	}
}

int err_set(struct err *e, enum err_kind kind, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	e->kind = kind;
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap); /* a cut message still says what failed */
	va_end(ap);
	make_printable(e->msg);
	return code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[ERR_MSG_MAX];
	va_list ap;
	size_t used;

	if (!e || e->code == 0)
		return 0;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap); /* cut like err_set */
	va_end(ap);
	used = strlen(e->msg);
	(void)snprintf(e->msg + used, sizeof(e->msg) - used, ": %s", old);
	make_printable(e->msg);
	return e->code;
}

int err_nomem(struct err *e)
{
	return err_set(e, ERR_INTERNAL, -ENOMEM, "out of memory");
}

const char *err_kind_word(enum err_kind kind)
{
	static const char *const words[ERR_KIND_COUNT] = {
		[ERR_DEVICE] = "device",   [ERR_UNSUPPORTED] = "unsupported",
		[ERR_USAGE] = "usage",     [ERR_REFUSED] = "refused",
		[ERR_UNSURE] = "unsure",   [ERR_INPUT] = "input",
		[ERR_STOPPED] = "stopped", [ERR_INTERNAL] = "internal",
	};

	return (unsigned)kind < ERR_KIND_COUNT ? words[kind] : "internal";
}
