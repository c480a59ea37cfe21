/* hextext.c - hex text to bytes and back. */
#include "data/hextext.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the reader is, for messages. */
struct place {
	const char *name;
	size_t line, column;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Not isspace(): the locale must not decide what a capture means. */
static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static int bad_char(const struct place *at, char c, struct err *reterr)
{
	unsigned char u = (unsigned char)c;

	if (u > 0x20 && u < 0x7f)
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s:%zu:%zu: '%c' is no hex digit; write bytes as two hex digits, "
			"comments after #",
			at->name, at->line, at->column, c);
	return err_set(reterr, ERR_INPUT, -EBADMSG,
		"%s:%zu:%zu: byte 0x%02x is no hex digit; write bytes as two hex digits, "
		"comments after #",
		at->name, at->line, at->column, u);
}

int hextext_parse(const char *text, size_t len, const char *name, uint8_t **ret, size_t *ret_len,
	struct err *reterr)
{
	struct place at = { .name = name, .line = 1, .column = 1 };
	size_t n = 0, i;
	int high = -1; /* first digit of a pair */
	bool comment = false;
	uint8_t *out = malloc(len / 2 + 1);

	if (!out)
		return err_nomem(reterr);
	for (i = 0; i < len; i++, at.column++) {
		int digit = comment ? -1 : hex_digit(text[i]);

		if (digit >= 0 && high < 0) {
			high = digit;
		} else if (digit >= 0) {
			out[n++] = (uint8_t)(high << 4 | digit);
			high = -1;
		} else if (high >= 0) {
			free(out);
			return err_set(reterr, ERR_INPUT, -EBADMSG,
				"%s:%zu:%zu: half a byte; write bytes as two hex digits", name,
				at.line, at.column - 1);
		} else if (text[i] == '\n') {
			comment = false;
			at.line++;
			at.column = 0;
		} else if (text[i] == '#') {
			comment = true;
		} else if (!comment && !is_blank(text[i])) {
			free(out);
			return bad_char(&at, text[i], reterr);
		}
	}
	if (high >= 0) {
		free(out);
		return err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s:%zu:%zu: half a byte; write bytes as two hex digits", name, at.line,
			at.column - 1);
	}
	*ret = out;
	*ret_len = n;
	return 0;
}

/* Everything that @fd holds, at most HEXTEXT_FILE_MAX. */
static int read_all(int fd, const char *path, char **ret, size_t *ret_len, struct err *reterr)
{
	size_t used = 0, room = 8192;
	char *text = malloc(room);

	while (text) {
		ssize_t n = read(fd, text + used, room - used);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int code = -errno;

			free(text);
			return err_set(reterr, ERR_INPUT, code, "%s: %s", path, strerror(-code));
		}
		if (n == 0) {
			*ret = text;
			*ret_len = used;
			return 0;
		}
		used += (size_t)n;
		if (used > HEXTEXT_FILE_MAX) {
			free(text);
			return err_set(reterr, ERR_INPUT, -EFBIG,
				"%s: larger than %zu MiB; give one buffer a file", path,
				HEXTEXT_FILE_MAX >> 20);
		}
		if (used == room) {
			char *more = realloc(text, room * 2);

			if (!more)
				break;
			text = more;
			room *= 2;
		}
	}
	free(text);
	return err_nomem(reterr);
}

int hextext_load(const char *path, uint8_t **ret, size_t *ret_len, struct err *reterr)
{
	struct stat st;
	char *text = NULL;
	size_t len = 0;
	int rc, fd;

	/* O_NONBLOCK: a FIFO is refused below, not waited for. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = -errno;
		if (fd >= 0)
			(void)close(fd); /* only read from */
		return err_set(reterr, ERR_INPUT, rc, "%s: %s", path, strerror(-rc));
	}
	if (!S_ISREG(st.st_mode))
		rc = err_set(reterr, ERR_INPUT, -EINVAL,
			"%s: is no regular file; give a file of hex text", path);
	else
		rc = read_all(fd, path, &text, &len, reterr);
	(void)close(fd); /* only read from */
	if (rc < 0)
		return rc;
	rc = hextext_parse(text, len, path, ret, ret_len, reterr);
	free(text);
	return rc;
}

int hextext_write(FILE *f, const uint8_t *buf, size_t len, const char *comment)
{
	size_t i;

	if (comment)
		fprintf(f, "# %s\n", comment);
	for (i = 0; i < len; i++)
		fprintf(f, "%02x%c", buf[i], i % 16 == 15 || i + 1 == len ? '\n' : ' ');
	return ferror(f) ? -EIO : 0;
}
