/* capture_part.h - the parts of capture_write(); of probes/capture*.c only. */
#ifndef SSDQUAL_PROBES_CAPTURE_PART_H
#define SSDQUAL_PROBES_CAPTURE_PART_H

#include "probes/capture.h"
#include "probes/sysfs.h"

enum capture_kind {
	CAPTURE_TEXT,
	CAPTURE_NUMBER, /* text in which nothing can identify: never scrubbed */
	CAPTURE_RAW,    /* bytes as they are: binary attributes */
	CAPTURE_HEX,    /* written as hex text */
	CAPTURE_LINK,   /* a symbolic link to the text */
};

struct capture_file {
	char *path; /* below the folder, without a leading slash */
	enum capture_kind kind;
	uint8_t *bytes;
	size_t len;
};

struct scrub;
struct capture {
	const struct sysroot *root;
	const struct capture_options *options;
	struct sysfs_names disks; /* whole devices */
	struct capture_file *files;
	size_t count;
	struct scrub *scrub;    /* of all identifiers seen, also when they are not replaced */
	struct json *not_asked; /* [{name, why}] */
};

/* capture_add - a file; a path that is there already is kept. @len bytes are copied. 0, -ENOMEM. */
int capture_add(struct capture *c, enum capture_kind kind, const void *bytes, size_t len,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
int capture_add_text(struct capture *c, enum capture_kind kind, const char *text,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* capture_tree.c: which devices, and their sysfs; capture_proc.c: /proc and /dev;
 * capture_answers.c: what @io of the disk @name says. */
int capture_related(struct capture *c, const char *sysname, struct err *reterr);
int capture_sysfs(struct capture *c, const char *disk);
int capture_proc(struct capture *c);
int capture_by_id(struct capture *c);
/* capture_hide_points - mount points and bind folders of the mount table @f become pseudonyms of
 * @points, a table of their own: "data" is no identifier anywhere else. 0, -ENOMEM. */
int capture_hide_points(struct scrub *points, struct capture_file *f);
int capture_answers(struct capture *c, const char *name, struct devio *io);

#endif
