/* wa.h - read the byte counters of devices, of the drives below them, and of an OSD.
 *
 * Block layer: field 7 of `stat` (sectors of 512 bytes whatever the device's are) and, apart from
 * it, the sectors discarded and the flushes (Linux, Documentation/block/stat.rst). A partition has
 * counters of its own; those of its disk count the others, too. Merged requests are counted once.
 * What is still in the page cache is not counted: it has not been written.
 */
#ifndef SSDQUAL_PROBES_WA_H
#define SSDQUAL_PROBES_WA_H

#include "data/err.h"
#include "data/wa.h"
#include "probes/sysfs.h"

/* -- devices -------------------------------------------------------------------------------- */

struct wa_watch; /* the devices whose counters are read */

/* wa_watch_new - @root must live as long. NULL: no memory. */
struct wa_watch *wa_watch_new(const struct sysroot *root);
void wa_watch_free(struct wa_watch *w);

/* wa_watch_add - one more device; @role "" or "data" "db" "wal".
 * ERR_USAGE, -EEXIST: it, or a device above or below it, is there already: its bytes would count
 * twice. ERR_DEVICE, -ENOENT: the kernel has no counters of it. */
int wa_watch_add(struct wa_watch *w, const char *sysname, const char *role, struct err *reterr);

/* wa_watch_chains - how many chains: one a device and, of several, one more for all of them, in
 * which a drive below two of them counts once. wa_watch_init() makes them: nothing read yet. */
size_t wa_watch_chains(const struct wa_watch *w);
void wa_watch_init(const struct wa_watch *w, struct wa_chain *chain);

/* wa_watch_read - take the readings of all devices into the chains' block, disk, host and nand
 * levels: `before` or, with @after, `after` (may be repeated; discards, flushes and reads are
 * differences since the last `before`). A device or counter that is not there is a reading with a
 * reason, no error. @drives false: block and disk only, which costs no command to a drive. -ENOMEM.
 */
int wa_watch_read(struct wa_watch *w, bool after, bool drives, struct wa_chain *chain);

/* wa_watch_notes - what a reader should know of how these devices are counted ("sda1 is a
 * partition:
 * ..."): an array of strings. NULL: no memory. */
struct json *wa_watch_notes(const struct wa_watch *w);

/* What a drive's later readings are compared with; of one drive, zeroed before the first. */
struct wa_drive_base {
	bool pages; /* it counts its flash in pages whose size it does not tell */
	uint64_t host_pages, nand_pages, host_bytes;
	char whose[WA_TEXT_MAX];
};

/* wa_drive_read - host and NAND writes of one drive (probes/smart.h); never fails. Without @after
 * @base is set. A drive that counts its flash in pages has a NAND reading of 0 before, and after,
 * what the host's writes since then times pages in all over pages for the host make. */
void wa_drive_read(const struct sysroot *root, const char *disk, bool after,
	struct wa_drive_base *base, struct wa_reading *ret_host, struct wa_reading *ret_nand);

/* wa_decode_stat - numbers of a `stat` line. 0, or -EBADMSG. The last six came with Linux 4.18
 * and 5.5: NAN where they are missing. */
struct wa_stat {
	uint64_t read_bytes, write_bytes;
	double discard_bytes, flushes;
};
int wa_decode_stat(const char *line, struct wa_stat *ret);

/* -- an OSD --------------------------------------------------------------------------------- */

struct wa_osd {
	bool db, wal;     /* it has these devices apart from its data's */
	char whose[WA_TEXT_MAX]; /* "osd.0, process 123" */
	uint64_t client_bytes; /* op_w_in_bytes + op_rw_in_bytes */
	uint64_t subop_bytes;  /* subop_w_in_bytes */
	struct json *counters; /* {name: bytes}: all that the sums below are made of; owned */
	/* What BlueStore and BlueFS wrote to each device; with a reason where a counter is missing.
	 * `data` lacks what went to the device directly, see wa_osd_pair(). */
	struct wa_reading data, db_dev, wal_dev;
	int64_t direct; /* objects' data, padded, less what was written as deferred instead */
};

/* wa_osd_read - the perf counters of osd.@id at the admin socket @path. @ret: db and wal are set by
 * the caller; the rest is replaced (counters of an earlier reading are freed). ERR_DEVICE as
 * ceph_asok_ask(); -ENODATA where it has no write counters. */
int wa_osd_read(const char *path, unsigned id, struct wa_osd *ret, struct err *reterr);
void wa_osd_done(struct wa_osd *o);

/* wa_osd_pair - add to @after's `data` what was written directly since @before. Deferred writes are
 * counted with the padding that was read for them, direct ones without: where all were deferred,
 * their difference is less than nothing, and nothing is what it means. (16.2.15: exact to the byte
 * in both cases; a mixture of unaligned deferred and direct writes comes out too small by that
 * padding.) */
void wa_osd_pair(const struct wa_osd *before, struct wa_osd *after);

/* wa_osd_decode - the same of a `perf dump`. */
int wa_osd_decode(const struct json *dump, const char *name, struct wa_osd *ret,
	struct err *reterr);

/* wa_osd_devices - the block devices of an OSD that runs here, from its `osd_data` folder: real
 * paths of data, db, wal; NULL where it has none. Caller frees each. ERR_INPUT, -ENOENT: the folder
 * or its `block` is not there (a container's path): the remedy (--osd ID=DATA,DB,WAL) is named. */
int wa_osd_devices(const char *path, unsigned id, char *ret[static 3], struct err *reterr);

#endif
