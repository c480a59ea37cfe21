/* drive_rotation.c - does it rotate? The kernel's claim, the drive's report, what follows. */
#include "probes/drive_part.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probes/controller.h"
#include "probes/scsi.h"
#include "probes/stack.h"
#include "probes/target.h"

/* VPD B1h, where the kernel kept the page. */
static enum fact kept_page(const struct sysroot *root, const char *disk, uint16_t *ret_rpm)
{
	uint8_t page[64];
	struct scsi_rotation rotation;
	int n = sysfs_read_raw(root, page, sizeof(page), "/sys/block/%s/device/vpd_pgb1", disk);

	*ret_rpm = 0;
	if (n <= 0 || scsi_rotation_decode(page, (size_t)n, &rotation, NULL) < 0)
		return FACT_UNKNOWN;
	*ret_rpm = rotation.rpm;
	return rotation.rotational;
}

void drive_set_reported(struct json *rotational, enum fact fact, uint16_t rpm, const char *source)
{
	if (fact == FACT_UNKNOWN)
		(void)json_set_null(rotational, "reported");
	else
		(void)json_set_bool(rotational, "reported", fact == FACT_YES);
	(void)json_set_str(rotational, "reported_by", fact == FACT_UNKNOWN ? NULL : source);
	if (rpm)
		(void)json_set_u64(rotational, "rpm", rpm);
	else
		(void)json_set_null(rotational, "rpm");
}

struct json *drive_rotation_object(const struct sysroot *root, const char *sysname,
	const char *disk)
{
	struct json *o = json_new_object();
	uint64_t claimed;
	uint16_t rpm;
	enum fact fact = kept_page(root, disk, &rpm);

	if (sysfs_read_u64(root, &claimed, "/sys/block/%s/queue/rotational", sysname) == 0 ||
		sysfs_read_u64(root, &claimed, "/sys/block/%s/queue/rotational", disk) == 0)
		(void)json_set_bool(o, "claimed", claimed != 0);
	else
		(void)json_set_null(o, "claimed");
	drive_set_reported(o, fact, rpm, "VPD page B1h");
	(void)json_set_str(o, "measured", "unknown");
	return o;
}

/* All drives below must agree: a mirror of an SSD and a disk seeks like the disk. */
static const char *verdict_of_below(const struct json *identity, const char **why)
{
	const struct json *below = json_get(identity, "below");
	bool whole, unknown = false, hdd = false, volume = false;

	*why = "the drives below are not all known";
	if (json_len(below) == 0)
		return "volume";
	for (const struct json *d = json_first(below); d; d = json_next(d)) {
		const char *verdict = json_str(json_path(d, "rotational.verdict"));

		hdd |= verdict && strcmp(verdict, "hdd") == 0;
		volume |= verdict && strcmp(verdict, "volume") == 0;
		unknown |= !verdict || strcmp(verdict, "unknown") == 0;
	}
	if (hdd) {
		*why = "a drive below rotates";
		return "hdd";
	}
	if (volume) {
		*why = "it lies on a volume whose medium cannot be seen from here";
		return "volume";
	}
	if (unknown || !json_bool(json_get(identity, "below_complete"), &whole) || !whole)
		return "unknown";
	*why = "every drive below is an SSD; the device's own flag is not asked";
	return "ssd";
}

static const char *verdict_of_volume(const char *layer, const char **why)
{
	static const struct {
		const char *layer, *why;
	} reasons[] = {
		{ "nbd", "a network block device; its flag says nothing of the server's medium" },
		{ "rbd", "a network block device (RBD image); its flag says nothing of the OSDs" },
		{ "drbd", "a replicated device; its flag says nothing of the media" },
		{ "zvol", "a ZFS volume; writes go the way of the pool, whatever the flag says" },
		{ "virtual", "a hypervisor's disk; what it is made of cannot be seen from here" },
		{ "loop", "a file; it behaves as the file system and the disk below" },
		{ "zram", "memory" }, { "ram", "memory" }, { "ublk", "a program's device" },
	};

	*why = "no drive of its own";
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strcmp(reasons[i].layer, layer) == 0)
			*why = reasons[i].why;
	return "volume";
}

static const char *verdict_of_raid(const struct json *identity, const char **why)
{
	const char *media = json_str(json_path(identity, "controller.media"));

	if (media && strcmp(media, "mixed") != 0) {
		*why = "the controller's tool names the media of this virtual disk";
		return strcmp(media, "ssd") == 0 ? "ssd" : "hdd";
	}
	*why = media ? "the virtual disk is made of SSDs and rotating disks" :
		"a RAID controller's virtual disk: the flag is the controller's; its tool's JSON "
		"(--controller) knows the media";
	return "unknown";
}

static const char *verdict_of_disk(const struct json *identity, const char **why)
{
	const struct json *o = json_get(identity, "rotational");
	const char *transport = json_str(json_get(identity, "transport"));
	bool reported, claimed, claims = json_bool(json_get(o, "claimed"), &claimed);

	if (json_bool(json_get(o, "reported"), &reported)) {
		*why = !claims || claimed == reported ? "the drive says so" :
			"the drive says so; the kernel's flag disagrees";
		return reported ? "hdd" : "ssd";
	}
	if (transport && strcmp(transport, "nvme") == 0) {
		*why = "an NVMe drive";
		return "ssd";
	}
	if (claims && !claimed) {
		*why = "the kernel clears its flag only where the drive says that it does not "
			"rotate";
		return "ssd";
	}
	*why = claims ? "the drive does not say; a set flag is the kernel's default" :
		"neither the drive nor the kernel says";
	return transport && strcmp(transport, "virtio") == 0 ? "volume" : "unknown";
}

void drive_judge_rotation(struct json *identity)
{
	const char *layer = json_str(json_get(identity, "layer")), *why = NULL, *verdict;
	struct json *o = json_get_mut(identity, "rotational");

	if (!layer)
		layer = "disk";
	if (strcmp(layer, "partition") == 0) {
		const char *of_disk = json_str(json_path(json_first(json_get(identity, "below")),
			"rotational.verdict"));

		if (of_disk && strcmp(of_disk, "volume") == 0)
			layer = "virtual";
	}
	if (stack_is_volume(layer) && (strcmp(layer, "virtual") == 0 ||
			json_len(json_get(identity, "below")) == 0))
		verdict = verdict_of_volume(layer, &why);
	else if (strcmp(layer, "disk") != 0 && strcmp(layer, "partition") != 0)
		verdict = verdict_of_below(identity, &why);
	else if (controller_is_raid(identity))
		verdict = verdict_of_raid(identity, &why);
	else
		verdict = verdict_of_disk(identity, &why);
	(void)json_set_str(o, "verdict", verdict);
	(void)json_set_str(o, "why", why); /* memory: checked by who made the identity */
}
