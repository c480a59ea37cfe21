/* mountinfo.c - a mount table as the kernel prints it. */
#include "probes/mountinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "data/units.h"
#include "probes/sysfs.h"

/* A table of 100,000 mounts with overlay's long options stays below this. */
#define MOUNTINFO_MAX ((size_t)512 << 20)

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void mount_unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && is_octal(s[2]) && is_octal(s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Next field of a line, cut off at single spaces; NULL at its end. Fields may be empty: a mount
 * source of "" is printed as nothing between two spaces. */
static char *next_field(char **line)
{
	char *field = *line, *space;

	if (!field)
		return NULL;
	space = strchr(field, ' ');
	if (space)
		*space = '\0';
	*line = space ? space + 1 : NULL;
	return field;
}

static bool parse_number(char *field, dev_t *ret)
{
	char *colon = field ? strchr(field, ':') : NULL;
	uint64_t maj, min;

	if (!colon)
		return false;
	*colon = '\0';
	if (units_parse_u64(field, &maj) < 0 || units_parse_u64(colon + 1, &min) < 0 ||
		maj > UINT32_MAX || min > UINT32_MAX)
		return false;
	*ret = makedev((unsigned)maj, (unsigned)min);
	return true;
}

/* id parent major:minor root point options [optional...] - type source super-options */
static bool parse_line(char *line, struct mount *m)
{
	char *id = next_field(&line), *parent = next_field(&line), *number = next_field(&line);
	char *root = next_field(&line), *point = next_field(&line), *opts = next_field(&line);
	char *fs, *source, *super, *field;

	if (!opts || units_parse_u64(id, &m->id) < 0 || units_parse_u64(parent, &m->parent) < 0 ||
		!parse_number(number, &m->dev))
		return false;
	do
		field = next_field(&line);
	while (field && strcmp(field, "-") != 0);
	fs = next_field(&line);
	source = next_field(&line);
	super = line; /* the rest: a file system may print an unescaped space here */
	if (!field || !fs || !source || !super)
		return false;
	mount_unescape(root);
	mount_unescape(point);
	mount_unescape(opts);
	mount_unescape(fs);
	mount_unescape(source);
	m->root = root;
	m->point = point;
	m->opts = opts;
	m->fs = fs;
	m->source = source;
	m->super = super;
	return true;
}

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int mountinfo_parse(char *text, const char *name, struct mountinfo *ret, struct err *reterr)
{
	struct mountinfo m = { .text = text };
	char *line = text;
	size_t number = 0;

	m.mounts = calloc(count_lines(text), sizeof(*m.mounts));
	if (!m.mounts) {
		mountinfo_done(&m);
		return err_nomem(reterr);
	}
	while (line && *line) {
		char *newline = strchr(line, '\n');

		if (newline)
			*newline = '\0';
		number++;
		if (line[0] != '\0' && !parse_line(line, &m.mounts[m.count])) {
			mountinfo_done(&m);
			return err_set(reterr, ERR_DEVICE, -EBADMSG,
				"%s: line %zu is not a mount as the kernel prints it", name,
				number);
		}
		m.count += line[0] != '\0';
		line = newline ? newline + 1 : NULL;
	}
	*ret = m;
	return 0;
}

int mountinfo_read(const struct sysroot *root, const char *path, struct mountinfo *ret,
	struct err *reterr)
{
	char *text;
	size_t len;
	int r = sysroot_slurp(root, path, MOUNTINFO_MAX, &text, &len);

	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: %s", path, strerror(-r));
	if (strlen(text) != len) {
		free(text);
		return err_set(reterr, ERR_DEVICE, -EBADMSG, "%s: holds NUL bytes", path);
	}
	return mountinfo_parse(text, path, ret, reterr);
}

void mountinfo_done(struct mountinfo *m)
{
	if (!m)
		return;
	free(m->mounts);
	free(m->text);
	memset(m, 0, sizeof(*m));
}

bool mount_option(const char *options, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key);

	while (options && *options) {
		size_t word = strcspn(options, ",");

		if (word >= key_len && memcmp(options, key, key_len) == 0 &&
			(word == key_len || options[key_len] == '=')) {
			size_t skip = word == key_len ? word : key_len + 1, n = word - skip;

			if (buf && len > 0) {
				n = n < len ? n : len - 1;
				memcpy(buf, options + skip, n);
				buf[n] = '\0';
				mount_unescape(buf);
			}
			return true;
		}
		options += word + (options[word] == ',');
	}
	return false;
}

static bool is_below(const char *path, const char *point)
{
	size_t len = strlen(point);

	if (len == 1)
		return path[0] == '/';
	return strncmp(path, point, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

const struct mount *mountinfo_covering(const struct mountinfo *m, const char *path)
{
	const struct mount *best = NULL;

	for (size_t i = 0; i < m->count; i++) {
		const struct mount *this = &m->mounts[i];

		if (is_below(path, this->point) &&
			(!best || strlen(this->point) >= strlen(best->point)))
			best = this;
	}
	return best;
}

const struct mount *mountinfo_by_id(const struct mountinfo *m, uint64_t id)
{
	for (size_t i = 0; i < m->count; i++) {
		if (m->mounts[i].id == id)
			return &m->mounts[i];
	}
	return NULL;
}
