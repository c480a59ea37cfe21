/* drive.c - what sysfs tells about one drive. */
#include "probes/drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/controller.h"
#include "probes/devstr.h"
#include "probes/drive_part.h"
#include "probes/stack.h"
#include "probes/target.h"

#define TEXT_MAX 512 /* the longest string cleaned here */

void drive_clean_string(char *s)
{
	uint8_t raw[TEXT_MAX];
	size_t len = strnlen(s, sizeof(raw));

	memcpy(raw, s, len);
	(void)devstr_clean(s, len + 1, raw, len);
}

/* First of the attributes @names (NULL-terminated) of @disk that says something. */
static bool read_first(const struct sysroot *root, const char *disk, const char *const *names,
	char *buf, size_t len)
{
	for (; *names; names++) {
		if (sysfs_read(root, buf, len, "/sys/block/%s/%s", disk, *names) > 0) {
			drive_clean_string(buf);
			return true;
		}
	}
	return false;
}

/* SCSI vital product data as sysfs keeps it: page code in byte 1, length in bytes 2 and 3.
 * Source: SPC-4, 7.8 (80h unit serial number), SBC-3, 6.6 (B1h block device characteristics). */
static bool read_vpd(const struct sysroot *root, const char *disk, unsigned page,
	unsigned char *buf, size_t len, size_t *ret_end)
{
	int n = sysfs_read_raw(root, buf, len, "/sys/block/%s/device/vpd_pg%02x", disk, page);
	size_t end;

	if (n < 4 || buf[1] != page)
		return false;
	end = 4 + ((size_t)buf[2] << 8 | buf[3]);
	*ret_end = end < (size_t)n ? end : (size_t)n;
	return true;
}

int drive_serial(const struct sysroot *root, const char *disk, char *buf, size_t len)
{
	static const char *const names[] = { "device/serial", "serial", NULL };
	unsigned char page[TEXT_MAX];
	size_t end;

	buf[0] = '\0';
	if (!read_first(root, disk, names, buf, len) &&
		read_vpd(root, disk, 0x80, page, sizeof(page), &end))
		(void)devstr_clean(buf, len, page + 4, end - 4);
	return (int)strlen(buf);
}

int drive_wwn(const struct sysroot *root, const char *disk, char *buf, size_t len)
{
	static const char *const names[] = { "wwid", "device/wwid", NULL };

	buf[0] = '\0';
	return read_first(root, disk, names, buf, len) ? (int)strlen(buf) : 0;
}

static void set_u64(struct json *o, const char *key, const struct sysroot *root, uint64_t unit,
	const char *path)
{
	uint64_t v;

	if (sysfs_read_u64(root, &v, "%s", path) == 0 && v <= UINT64_MAX / unit)
		(void)json_set_u64(o, key, v * unit);
	else
		(void)json_set_null(o, key);
}

static void set_numbers(struct json *o, const struct sysroot *root, const char *dir,
	const char *disk)
{
	static const struct {
		const char *key, *attribute;
		uint64_t unit;
		bool of_disk;
	} rows[] = {
		/* `size` counts 512-byte units whatever the logical block is. */
		{ "capacity_bytes", "size", 512, false },
		{ "logical_block_bytes", "queue/logical_block_size", 1, true },
		{ "physical_block_bytes", "queue/physical_block_size", 1, true },
		{ "nr_requests", "queue/nr_requests", 1, true },
		{ "partition", "partition", 1, false },
		{ "diskseq", "diskseq", 1, true },
	};
	char path[SYSFS_PATH_MAX + SYSFS_NAME_MAX];
	uint64_t ro;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].of_disk)
			(void)snprintf(path, sizeof(path), "/sys/block/%s/%s", disk,
				rows[i].attribute);
		else
			(void)snprintf(path, sizeof(path), "%s/%s", dir, rows[i].attribute);
		set_u64(o, rows[i].key, root, rows[i].unit, path);
	}
	if (sysfs_read_u64(root, &ro, "%s/ro", dir) == 0)
		(void)json_set_bool(o, "read_only", ro != 0);
	else
		(void)json_set_null(o, "read_only");
}

/* The scheduler in brackets of "none [mq-deadline] kyber"; the whole line where none is marked. */
static void set_scheduler(struct json *o, const struct sysroot *root, const char *disk)
{
	char text[TEXT_MAX], *open, *close;

	if (sysfs_read(root, text, sizeof(text), "/sys/block/%s/queue/scheduler", disk) <= 0) {
		(void)json_set_null(o, "scheduler");
		return;
	}
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		*close = '\0';
	(void)json_set_str(o, "scheduler", close ? open + 1 : text);
}

static void set_strings(struct json *o, const struct sysroot *root, const char *disk)
{
	static const char *const model[] = { "device/model", "device/name", NULL };
	static const char *const firmware[] = { "device/firmware_rev", "device/rev",
		"device/fwrev", NULL };
	char text[TEXT_MAX];

	(void)json_set_str(o, "model",
		read_first(root, disk, model, text, sizeof(text)) ? text : NULL);
	(void)json_set_str(o, "serial", drive_serial(root, disk, text, sizeof(text)) > 0 ? text : NULL);
	(void)json_set_str(o, "firmware",
		read_first(root, disk, firmware, text, sizeof(text)) ? text : NULL);
	(void)json_set_str(o, "wwn",
		drive_wwn(root, disk, text, sizeof(text)) > 0 ? text : NULL);
}

/* The controller in front, the link; null where there is none or it is not known. */
static void set_attachment(struct json *o, const struct sysroot *root, const char *disk)
{
	struct json *controller = controller_detect(root, disk);
	struct json *link = drive_link_object(root, disk);

	(void)json_set(o, "controller", controller ? controller : json_new_null());
	(void)json_set(o, "link", link ? link : json_new_null());
}

/* The trade's words for logical and physical sector sizes. */
static const char *sector_format(const struct json *o)
{
	uint64_t logical, physical;

	if (!json_u64(json_get(o, "logical_block_bytes"), &logical) ||
		!json_u64(json_get(o, "physical_block_bytes"), &physical))
		return NULL;
	if (logical == 4096)
		return "4Kn";
	return logical != 512 ? NULL : physical == 512 ? "512n" : physical == 4096 ? "512e" : NULL;
}

int drive_identity(const struct sysroot *root, const char *sysname, struct json **ret,
	struct err *reterr)
{
	char dir[SYSFS_PATH_MAX], disk[SYSFS_NAME_MAX], path[SYSFS_PATH_MAX], word[48];
	const char *transport, *layer;
	struct json *o;
	int r;

	r = sysfs_block_dir(root, sysname, dir, sizeof(dir));
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: sysfs does not know it: %s", sysname,
			strerror(-r));
	if (sysfs_block_parent(root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a checked name: it fits */
	o = json_new_object();
	(void)snprintf(path, sizeof(path), "/dev/%s", sysname);
	sysfs_name_to_node(path + strlen("/dev/"));
	(void)json_set_str(o, "path", path);
	r = drive_by_id(root, sysname, path, sizeof(path));
	(void)json_set_str(o, "by_id", r == 0 ? path : NULL);
	set_strings(o, root, disk);
	transport = drive_transport(root, disk, word, sizeof(word));
	(void)json_set_str(o, "transport", transport);
	set_numbers(o, root, dir, disk);
	(void)json_set(o, "rotational", drive_rotation_object(root, sysname, disk));
	set_scheduler(o, root, disk);
	set_attachment(o, root, disk);
	(void)json_set_str(o, "sector_format", sector_format(o));
	(void)json_set_str(o, "not_asked", "read from sysfs only");
	(void)json_set_null(o, "in_use");
	layer = stack_layer(root, sysname);
	(void)json_set_str(o, "layer", layer);
	r = drive_set_write_cache(root, disk, NULL, o, reterr);
	if (r == 0 && strcmp(layer, "disk") == 0)
		r = json_set_null(o, "below") < 0 ? err_nomem(reterr) : 0;
	else if (r == 0)
		r = drive_set_below(root, sysname, o, reterr);
	if (r < 0) {
		json_free(o);
		return r;
	}
	drive_judge_rotation(o);
	*ret = o;
	return 0;
}
