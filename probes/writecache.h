/* writecache.h - the volatile write cache of a drive, and what the kernel believes about it.
 *
 * Three separate facts: the drive's own state (ATA words 82/85, the SCSI caching page, NVMe VWC and
 * feature 06h), sd's view (scsi_disk cache_type), and the queue's (queue/write_cache), which alone
 * decides whether flushes are sent. One rule stands above all: at no instant is the kernel in
 * write-through over a volatile cache that is on, because then no flush is sent and acknowledged
 * writes are lost with the power. So turning off goes drive first, kernel second, and turning on
 * goes kernel to write back first, drive second; queue/write_cache is only ever written towards
 * "write back". Nothing is a success before it was read back.
 *
 * All changes go through `struct devio` and `struct wc_kernel_ops`: a test that simulates both sees
 * every step. Not thread-safe; one change a drive at a time.
 */
#ifndef SSDQUAL_PROBES_WRITECACHE_H
#define SSDQUAL_PROBES_WRITECACHE_H

#include "probes/devio.h"

struct json;
struct sysroot;

enum wc_attr {
	WC_ATTR_CACHE_TYPE, /* /sys/block/NAME/device/scsi_disk/H:C:T:L/cache_type */
	WC_ATTR_QUEUE,      /* /sys/block/NAME/queue/write_cache */
	WC_ATTR_FUA,        /* /sys/block/NAME/queue/fua */
	WC_ATTR_RESCAN,     /* /sys/block/NAME/device/rescan; written "1": sd asks again */
};

struct wc_kernel_ops {
	/* First line without the newline. 0; -ENOENT: there is no such attribute; -errno. */
	int (*read)(void *ctx, enum wc_attr attr, char *buf, size_t size);
	int (*write)(void *ctx, enum wc_attr attr, const char *text); /* 0 or -errno */
};

/* The kernel behind a sysroot. On this machine attributes are read and written; in a captured tree
 * they are read, writing is -EROFS. */
struct wc_sys {
	const struct sysroot *root; /* borrowed, as the name */
	const char *sysname;        /* whole disk: "sda" */
};
extern const struct wc_kernel_ops wc_kernel_sys; /* kernel_ctx: struct wc_sys */

/* The same tree with a kernel that is imagined: what is written is remembered here and answered
 * from then on, and sd's attribute sends its change to the replayed drive, as sd does. Zero it,
 * then set sys and io. Touches nothing. */
struct wc_replay {
	struct wc_sys sys;
	struct devio *io; /* the replayed drive; borrowed */
	const char *sd_text, *queue_text; /* NULL: as in the tree */
	bool override;
};
extern const struct wc_kernel_ops wc_kernel_replay; /* kernel_ctx: struct wc_replay */

enum wc_method { WC_BY_NOTHING, WC_BY_ATA, WC_BY_SCSI, WC_BY_NVME };
enum wc_drive {
	WC_DRIVE_UNKNOWN,
	WC_DRIVE_ON,
	WC_DRIVE_OFF,
	WC_DRIVE_NONE,        /* NVMe VWC bit 0 clear: nothing volatile, nothing to toggle */
	WC_DRIVE_UNSUPPORTED, /* ATA: the feature set is absent; word 85 means nothing */
};
enum wc_kernel { WC_KERNEL_UNKNOWN, WC_KERNEL_BACK, WC_KERNEL_THROUGH };

const char *wc_drive_word(enum wc_drive d);   /* "on" "off" "none" "unsupported"; NULL: unknown */
const char *wc_kernel_word(enum wc_kernel k); /* "write back" "write through"; NULL: unknown */

/* A drive to be asked or changed. The members are borrowed. */
struct wc_dev {
	struct devio *io; /* NULL: cannot be asked; the drive's facts stay unknown */
	const struct wc_kernel_ops *kernel; /* NULL: only device answers (replay, no tree) */
	void *kernel_ctx;
	bool try_ata; /* ask by ATA although INQUIRY does not say so: USB bridges */
};

/* Everything that can be recorded, to be put back later. */
struct wc_state {
	enum wc_method method;
	enum wc_drive drive;
	char why[224];        /* for unknown, none and unsupported; else "" */
	enum fact saved;      /* SCSI PC 3, NVMe saved value: after power-on; unknown: not kept */
	enum fact initial;    /* SCSI PC 2, NVMe default value */
	bool saveable;        /* SCSI: PS bit */
	bool rcd;             /* SCSI: read cache disabled; kept as it is */
	enum wc_kernel cache_type; /* unknown where there is no scsi_disk */
	enum wc_kernel queue;
	enum fact fua;        /* queue/fua */
};

/* wc_read - ask drive and kernel, now: nothing is remembered. Changes nothing.
 * 0 also where facts are unknown (drive.why says why); -errno only out of memory. */
int wc_read(const struct wc_dev *d, struct wc_state *ret, struct err *reterr);

/* wc_set - turn the cache on or off and prove it.
 * @ret_after: state read at the end, also after failures; may be NULL.
 * Returns 0: the drive reads as asked (the kernel may still send flushes over a cache that is off:
 * wc_mismatch()). 1: nothing to change (no volatile cache and off was asked, or already so).
 * ERR_UNSUPPORTED, -EOPNOTSUPP: the drive, its controller or the kernel refuses, or its state
 * cannot be read. ERR_DEVICE, -EIO: accepted but the value read back is another one, or a command
 * failed.
 * After a failure the kernel is in write back unless the drive reads off. */
int wc_set(const struct wc_dev *d, bool on, struct wc_state *ret_after, struct err *reterr);

/* wc_restore - put back what @before recorded: current and saved value, then the kernel's view.
 * Returns 0: all of it, read back. 1: the drive is as before, the kernel was left safer (recorded
 * write-through over a cache that is on, or a queue that may only be written towards write back).
 * Else as wc_set(). The caller proves that this is the recorded drive. */
int wc_restore(const struct wc_dev *d, const struct wc_state *before, struct wc_state *ret_after,
	struct err *reterr);

/* wc_mismatch - drive and kernel disagree: what it means and what mends it, one sentence.
 * @ret_dangerous: acknowledged writes can be lost (kernel write-through, cache on). NULL: agreed */
const char *wc_mismatch(const struct wc_state *s, bool *ret_dangerous);

/* wc_state_json - the document's "write_cache" object: drive, kernel, queue, fua, saved, default,
 * method, why; unknown is null. NULL: out of memory. wc_state_from_json reads it back
 * (-EBADMSG, ERR_INPUT: words of another program). For the state journal. */
struct json *wc_state_json(const struct wc_state *s);
int wc_state_from_json(const struct json *j, struct wc_state *ret, struct err *reterr);

#endif
