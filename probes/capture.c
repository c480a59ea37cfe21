/* capture.c - collects, scrubs and writes what a bug report needs. */
#include "probes/capture_part.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/hextext.h"
#include "probes/ata.h"
#include "probes/scrub.h"
#include "probes/target.h"

/* -- collecting ------------------------------------------------------------------------------- */

static int add_file(struct capture *c, enum capture_kind kind, const void *bytes, size_t len,
	char *path)
{
	struct capture_file *grown;

	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->files[i].path, path) == 0) {
			free(path);
			return 0;
		}
	grown = realloc(c->files, (c->count + 1) * sizeof(*grown));
	if (grown) {
		c->files = grown;
		grown[c->count] = (struct capture_file){ .path = path, .kind = kind, .len = len,
			.bytes = calloc(1, len + 1) };
	}
	if (!grown || !grown[c->count].bytes) {
		free(path);
		return -ENOMEM;
	}
	memcpy(grown[c->count++].bytes, bytes, len);
	return 0;
}

int capture_add(struct capture *c, enum capture_kind kind, const void *bytes, size_t len,
	const char *fmt, ...)
{
	char *path;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vasprintf(&path, fmt, ap);
	va_end(ap);
	return r < 0 ? -ENOMEM : add_file(c, kind, bytes, len, path);
}

int capture_add_text(struct capture *c, enum capture_kind kind, const char *text,
	const char *fmt, ...)
{
	char *path;
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = vasprintf(&path, fmt, ap);
	va_end(ap);
	return r < 0 ? -ENOMEM : add_file(c, kind, text, strlen(text), path);
}

static int note_not_asked(struct capture *c, const char *name, const char *why)
{
	struct json *o = json_new_object();

	(void)json_set_str(o, "name", name);
	(void)json_set_str(o, "why", why);
	return json_append(c->not_asked, o);
}

static int collect(struct capture *c, const char *sysname, struct err *reterr)
{
	int r = capture_related(c, sysname, reterr);

	if (r < 0)
		return r;
	for (size_t i = 0; i < c->disks.count && r == 0; i++) {
		const char *name = c->disks.name[i];
		struct err why = ERR_INIT;
		struct devio io = { .ops = NULL };

		r = capture_sysfs(c, name);
		if (r < 0)
			break;
		if (c->options->open_drive(c->options->ctx, name, &io, &why) < 0)
			r = note_not_asked(c, name, why.msg);
		if (r == 0)
			r = capture_answers(c, name, &io);
		devio_close(&io);
	}
	if (r == 0)
		r = capture_proc(c);
	return r < 0 ? err_nomem(reterr) : 0;
}

/* -- scrubbing -------------------------------------------------------------------------------- */

/* The sum of all 512 bytes is 0 where byte 510 is A5h (ACS-3, word 255). */
static void mend_checksum(struct capture_file *f)
{
	uint8_t sum = 0;

	if (f->len != ATA_IDENTIFY_BYTES || f->bytes[510] != 0xa5)
		return;
	for (size_t i = 0; i < 511; i++)
		sum = (uint8_t)(sum + f->bytes[i]);
	f->bytes[511] = (uint8_t)(0 - sum);
}

static int scrub_all(struct capture *c)
{
	struct scrub *points = scrub_new();
	int r = points ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->count && r == 0; i++) {
		struct capture_file *f = &c->files[i];
		const char *slash = strrchr(f->path, '/');

		switch (f->kind) {
		case CAPTURE_TEXT:
			scrub_text(c->scrub, f->bytes, f->len);
			if (slash && strcmp(slash, "/mountinfo") == 0)
				r = capture_hide_points(points, f);
			break;
		case CAPTURE_RAW:
		case CAPTURE_HEX:
			scrub_bytes(c->scrub, f->bytes, f->len);
			if (slash && strcmp(slash, "/identify.hex") == 0)
				mend_checksum(f);
			break;
		case CAPTURE_LINK: /* the names in /dev/disk/by-id; what they point to is kept */
			if (slash && strncmp(f->path, "dev/disk/", 9) == 0)
				scrub_text(c->scrub, f->path + (slash + 1 - f->path),
					strlen(slash + 1));
			break;
		case CAPTURE_NUMBER:
		default:
			break;
		}
	}
	scrub_free(points);
	return r;
}

/* -- writing ---------------------------------------------------------------------------------- */

static int cannot_write(const char *path, int code, struct err *reterr)
{
	return err_set(reterr, ERR_DEVICE, code, "%s: cannot be written: %s", path,
		strerror(-code));
}

static int make_folder(const char *dir, struct err *reterr)
{
	struct dirent *entry;
	bool empty = true;
	DIR *d;

	if (mkdir(dir, 0755) == 0)
		return 0;
	if (errno != EEXIST)
		return cannot_write(dir, -errno, reterr);
	d = opendir(dir);
	if (!d)
		return cannot_write(dir, -errno, reterr);
	while ((entry = readdir(d)))
		empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	(void)closedir(d); /* only read from */
	return empty ? 0 : err_set(reterr, ERR_USAGE, -ENOTEMPTY,
		"%s: has something in it; name a new or an empty folder", dir);
}

/* The folders above @path, which begins with an existing one of @skip characters. */
static int make_parents(char *path, size_t skip)
{
	for (char *s = strchr(path + skip + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST) {
			int code = -errno;

			*s = '/';
			return code;
		}
		*s = '/';
	}
	return 0;
}

static int write_stream(FILE *f, const struct capture_file *file)
{
	if (file->kind == CAPTURE_HEX)
		return hextext_write(f, file->bytes, file->len, NULL);
	return fwrite(file->bytes, 1, file->len, f) == file->len ? 0 : -EIO;
}

static int write_file(const char *dir, const struct capture_file *file, struct err *reterr)
{
	char path[PATH_MAX];
	FILE *f;
	int r;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, file->path) >= sizeof(path))
		return cannot_write(dir, -ENAMETOOLONG, reterr);
	r = make_parents(path, strlen(dir));
	if (r < 0)
		return cannot_write(path, r, reterr);
	if (file->kind == CAPTURE_LINK)
		return symlink((const char *)file->bytes, path) == 0 ? 0 :
			cannot_write(path, -errno, reterr);
	f = fopen(path, "wxe");
	if (!f)
		return cannot_write(path, -errno, reterr);
	r = write_stream(f, file);
	if (fclose(f) != 0 && r == 0)
		r = -errno;
	return r < 0 ? cannot_write(path, r, reterr) : 0;
}

static const char readme[] =
	"A capture of block devices, made by `ssdqual capture`. It is read by\n"
	"\n"
	"    ssdqual list --sysroot DIR --replay DIR\n"
	"\n"
	"sys, proc, dev   the pieces that ssdqual reads; of mount tables, swap and mdstat\n"
	"                 only the lines of these devices\n"
	"NAME/*.hex       raw answers of the drive: identify, inquiry, vpd-XX, mode-08\n"
	"                 (1: current), smart, log-XX, reservations; two hex digits a byte,\n"
	"                 # begins a comment\n"
	"NAME/head.hex    the first 64 KiB, only where --head asked for them: they can\n"
	"                 hold data\n"
	"NAME/nvme.json   feature 06h (write cache)\n"
	"\n"
	"There is no host name in it.\n";

static int add_readme(struct capture *c)
{
	const char *names = c->options->anonymize ?
		"Serial numbers, world wide names, UUIDs, names of volumes and mount points are\n"
		"pseudonyms; the same value has the same one everywhere in this capture.\n" :
		"Serial numbers and names are real; --anonymize replaces them.\n";
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int r;

	if (!f)
		return -ENOMEM;
	fprintf(f, "%s%s", readme, names);
	for (const struct json *j = json_first(c->not_asked); j; j = json_next(j))
		fprintf(f, "Not asked: %s\n", json_str(json_get(j, "why")));
	if (fclose(f) != 0) {
		free(text);
		return -ENOMEM;
	}
	r = capture_add(c, CAPTURE_NUMBER, text, len, "README");
	free(text);
	return r;
}

static int summary(struct capture *c, const char *dir, struct json **ret)
{
	struct json *o = json_new_object(), *names = json_new_array();

	for (size_t i = 0; i < c->disks.count; i++)
		(void)json_append(names, json_new_str(c->disks.name[i]));
	(void)json_set_str(o, "directory", dir);
	(void)json_set(o, "devices", names);
	(void)json_set_u64(o, "files", c->count);
	if (json_set(o, "not_asked", c->not_asked) < 0) {
		c->not_asked = NULL;
		json_free(o);
		return -ENOMEM;
	}
	c->not_asked = NULL; /* taken */
	*ret = o;
	return 0;
}

static void capture_done(struct capture *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->files[i].path);
		free(c->files[i].bytes);
	}
	free(c->files);
	sysfs_names_done(&c->disks);
	scrub_free(c->scrub);
	json_free(c->not_asked);
}

int capture_write(const struct sysroot *root, const char *sysname, const char *dir,
	const struct capture_options *o, struct json **ret, struct err *reterr)
{
	struct capture c = { .root = root, .options = o };
	int r;

	if (o->anonymize && o->head)
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"--head with --anonymize: the head can hold names that nobody can find; "
			"leave one of them out");
	c.scrub = scrub_new();
	c.not_asked = json_new_array();
	r = c.scrub && c.not_asked ? collect(&c, sysname, reterr) : err_nomem(reterr);
	if (r == 0 && add_readme(&c) < 0)
		r = err_nomem(reterr);
	if (r == 0 && o->anonymize && scrub_all(&c) < 0)
		r = err_nomem(reterr);
	if (r == 0)
		r = make_folder(dir, reterr);
	for (size_t i = 0; i < c.count && r == 0; i++)
		r = write_file(dir, &c.files[i], reterr);
	if (r == 0 && summary(&c, dir, ret) < 0)
		r = err_nomem(reterr);
	capture_done(&c);
	return r;
}
