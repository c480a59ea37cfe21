/* wa.h - readings of byte counters on the way from a client to the flash, before and after a load.
 *
 * A chain is the same bytes counted at several levels. Each counter is read twice; what a level
 * took is the difference (policies/wa.h). A counter has a step: how far apart two of its values
 * are. The true total lies less than one step beside a reading, on one side that the vendor does
 * not tell, so that a difference is right to within one step each way.
 */
#ifndef SSDQUAL_DATA_WA_H
#define SSDQUAL_DATA_WA_H

#include "data/json.h"

#define WA_NAME_MAX 64
#define WA_TEXT_MAX 200

enum wa_level {
	WA_CLIENT, /* what the load wrote */
	WA_STORE,  /* what the OSD's BlueStore and BlueFS say that they gave to this device */
	WA_BLOCK,  /* what the kernel wrote to the device that was named */
	WA_DISK,   /* what it wrote to the disks below a partition, volume or array; else unknown */
	WA_HOST,   /* what the drives counted as written by the host */
	WA_NAND,   /* what they programmed into their flash */
	WA_LEVELS
};
const char *wa_level_word(enum wa_level level); /* "client" "store" ...: JSON keys */

struct wa_reading {
	bool known;
	uint64_t bytes;
	uint64_t step;            /* bytes; 0: exact */
	char source[WA_TEXT_MAX]; /* what was read: "/sys/block/sda/stat" */
	char whose[WA_TEXT_MAX];  /* the drive or process that counts, to notice another one; "" */
	char why[WA_TEXT_MAX];    /* why it is not known; "": the level does not apply */
};

struct wa_counter {
	struct wa_reading before, after;
};

struct wa_chain {
	char name[WA_NAME_MAX]; /* "sda", "total", "newstore" */
	char role[8];           /* of an OSD's device: "data" "db" "wal"; "" */
	struct wa_counter level[WA_LEVELS];
	/* Of the named device between the readings, apart from the chain; NAN: not known. */
	double discard_bytes, flushes, read_bytes;
};

void wa_chain_init(struct wa_chain *c, const char *name); /* nothing known */

/* wa_reading_set, wa_reading_lack - known, or why not. @fmt: source, or why. */
void wa_reading_set(struct wa_reading *r, uint64_t bytes, uint64_t step, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void wa_reading_lack(struct wa_reading *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* wa_reading_add - @r += @part: known while all parts are; steps add up; sources are listed. @r
 * begins as zeros. */
void wa_reading_add(struct wa_reading *r, const struct wa_reading *part);

/* wa_counter_total - a difference that somebody stated: readings 0 and @bytes. */
void wa_counter_total(struct wa_counter *c, uint64_t bytes, uint64_t step, const char *source);

/* wa_counter_json - {before_bytes, after_bytes, step_bytes, source, why}. NULL: no memory. */
struct json *wa_counter_json(const struct wa_counter *c);

/* wa_chain_from_json - a chain of a document that follows data/schema/wa.json: its levels are
 * objects with `before_bytes` and `after_bytes`, or `before` and `after` or a `count`, of
 * `unit_bytes` each. ERR_INPUT, -EBADMSG with @name and the place: a level with neither, a count
 * that does not fit. */
int wa_chain_from_json(const struct json *j, const char *name, struct wa_chain *ret,
	struct err *reterr);

#endif
