/* persist.h - lines that make a setting of a drive last over reboots and reconnects.
 *
 * Drives are matched by model or by their by-id name, never by sdX, which another drive may have
 * after the next boot. Used by `cache` and by the verdicts, so that both say the same.
 * Sources: kernel Documentation/ABI/testing/sysfs-class-scsi_disk (cache_type: sets the drive and
 * the kernel's view), drivers/ata/libata-scsi.c (INQUIRY of a SATA drive: vendor "ATA", 16 bytes of
 * model), udev(7) (trailing spaces of attributes are not compared).
 */
#ifndef SSDQUAL_POLICIES_PERSIST_H
#define SSDQUAL_POLICIES_PERSIST_H

#include <stdbool.h>
#include <stddef.h>

#define PERSIST_TEXT_MAX 2048
#define PERSIST_SCSI_MODEL 16 /* characters of a model that scsi_disk's device shows */

struct persist_drive {
	const char *transport; /* "sata", "sas", "nvme", ...; NULL: unknown */
	const char *model;     /* as the drive says; NULL: unknown */
	const char *by_id;     /* path or name in /dev/disk/by-id; NULL: none */
	bool saved;            /* SCSI: the saved mode page holds the wanted value, read back */
};

/* persist_cache - what keeps the write cache @on or off: comment lines (#) and udev rules, one a
 * line. NULL in @buf never: where nothing lasts, a comment says so. Returns @buf. */
char *persist_cache(const struct persist_drive *d, bool on, char *buf, size_t len);

/* What became of a setting: the state that was wanted against the one that was read just now. */
enum persist_status {
	PERSIST_KEPT,
	PERSIST_DRIFTED, /* it reads other than wanted */
	PERSIST_UNREAD,  /* it was not read since an event that resets it: nothing may be shown */
};

/* persist_status - @wanted, @current: "on" or "off"; @current NULL: not read since. @event: what
 * happened in between ("resume", "uevent"); NULL: nothing known. @buf (may be NULL): the sentence
 * for people, which never gives the wanted state as the present one. */
enum persist_status persist_status(const char *wanted, const char *current, const char *event,
	char *buf, size_t len);

/* persist_rotational - the rule that corrects queue/rotational of this one drive; "" without a
 * by-id name. Returns @buf. */
char *persist_rotational(const struct persist_drive *d, bool rotational, char *buf, size_t len);

#endif
