/* drive.c - what sysfs tells about one drive. */
#include "probes/drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/devstr.h"
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

static bool read_serial(const struct sysroot *root, const char *disk, char *buf, size_t len)
{
	static const char *const names[] = { "device/serial", "serial", NULL };
	unsigned char page[TEXT_MAX];
	size_t end;

	if (read_first(root, disk, names, buf, len))
		return true;
	if (!read_vpd(root, disk, 0x80, page, sizeof(page), &end))
		return false;
	(void)devstr_clean(buf, len, page + 4, end - 4);
	return buf[0] != '\0';
}

int drive_wwn(const struct sysroot *root, const char *disk, char *buf, size_t len)
{
	static const char *const names[] = { "wwid", "device/wwid", NULL };

	return read_first(root, disk, names, buf, len) ? (int)strlen(buf) : 0;
}

/* true, false or null: what the drive itself reports, where the kernel kept the page. */
static struct json *reported_rotation(const struct sysroot *root, const char *disk)
{
	unsigned char page[64];
	unsigned rate;
	size_t end;

	if (!read_vpd(root, disk, 0xb1, page, sizeof(page), &end) || end < 6)
		return json_new_null();
	rate = (unsigned)page[4] << 8 | page[5];
	if (rate == 0x0001)
		return json_new_bool(false);
	if (rate >= 0x0401 && rate <= 0xfffe)
		return json_new_bool(true);
	return json_new_null();
}

static struct json *rotational_object(const struct sysroot *root, const char *disk,
	const char *transport)
{
	struct json *o = json_new_object(), *reported = reported_rotation(root, disk);
	const char *verdict = "unknown";
	uint64_t claimed;
	bool rotates;

	if (json_bool(reported, &rotates))
		verdict = rotates ? "hdd" : "ssd";
	else if (transport && strncmp(transport, "nvme", 4) == 0)
		verdict = strcmp(transport, "nvme") == 0 ? "ssd" : "unknown";
	if (sysfs_read_u64(root, &claimed, "/sys/block/%s/queue/rotational", disk) == 0)
		(void)json_set_bool(o, "claimed", claimed != 0);
	else
		(void)json_set_null(o, "claimed");
	(void)json_set(o, "reported", reported);
	(void)json_set_str(o, "measured", "unknown");
	(void)json_set_str(o, "verdict", verdict);
	return o;
}

/* The kernel prints "write back", "write through", "none" and "write back, no read (daft)"; only
 * whether it sends flushes matters here. */
static const char *cache_word(const char *text)
{
	if (strncmp(text, "write back", 10) == 0)
		return "write back";
	if (strcmp(text, "write through") == 0 || strcmp(text, "none") == 0)
		return "write through";
	return NULL;
}

static const char *scsi_cache_type(const struct sysroot *root, const char *disk)
{
	struct sysfs_names hosts;
	const char *word = NULL;
	char text[64];

	if (sysfs_list(root, &hosts, "/sys/block/%s/device/scsi_disk", disk) < 0)
		return NULL;
	if (hosts.count == 1 && sysfs_read(root, text, sizeof(text),
			"/sys/block/%s/device/scsi_disk/%s/cache_type", disk, hosts.name[0]) > 0)
		word = cache_word(text);
	sysfs_names_done(&hosts);
	return word;
}

static struct json *write_cache_object(const struct sysroot *root, const char *disk)
{
	struct json *o = json_new_object();
	const char *queue = NULL, *kernel;
	char text[64];
	uint64_t fua;

	if (sysfs_read(root, text, sizeof(text), "/sys/block/%s/queue/write_cache", disk) > 0)
		queue = cache_word(text);
	kernel = scsi_cache_type(root, disk);
	/* Only sd keeps a view of its own; elsewhere the queue's is the kernel's. */
	if (!kernel && !sysfs_exists(root, "/sys/block/%s/device/scsi_disk", disk))
		kernel = queue;
	(void)json_set_null(o, "drive"); /* only the drive can tell */
	(void)json_set_str(o, "kernel", kernel);
	(void)json_set_str(o, "queue", queue);
	if (sysfs_read_u64(root, &fua, "/sys/block/%s/queue/fua", disk) == 0)
		(void)json_set_bool(o, "fua", fua != 0);
	else
		(void)json_set_null(o, "fua");
	return o;
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
	(void)json_set_str(o, "serial", read_serial(root, disk, text, sizeof(text)) ? text : NULL);
	(void)json_set_str(o, "firmware",
		read_first(root, disk, firmware, text, sizeof(text)) ? text : NULL);
	(void)json_set_str(o, "wwn",
		drive_wwn(root, disk, text, sizeof(text)) > 0 ? text : NULL);
}

int drive_identity(const struct sysroot *root, const char *sysname, struct json **ret,
	struct err *reterr)
{
	char dir[SYSFS_PATH_MAX], disk[SYSFS_NAME_MAX], path[SYSFS_PATH_MAX], word[48];
	const char *transport;
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
	(void)json_set(o, "rotational", rotational_object(root, disk, transport));
	(void)json_set(o, "write_cache", write_cache_object(root, disk));
	set_scheduler(o, root, disk);
	if (json_set_null(o, "in_use") < 0) {
		json_free(o);
		return err_nomem(reterr);
	}
	*ret = o;
	return 0;
}
