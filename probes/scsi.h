/* scsi.h - what SCSI devices answer, decoded; the commands that ask, built. Pure: no I/O.
 *
 * Decoders take a buffer and the number of bytes that really arrived and never read beyond it. They
 * return 0, or -EBADMSG with ERR_DEVICE and the place in the message ("VPD page b1h: 3 of 8").
 * Outputs are untouched on failure.
 * Sources: SPC-4 (INQUIRY 6.6, VPD 7.8, sense 4.5, mode parameters 7.5, PERSISTENT RESERVE 6.16),
 * SBC-3 (caching page 6.5.6, Block Device Characteristics 6.6.2).
 */
#ifndef SSDQUAL_PROBES_SCSI_H
#define SSDQUAL_PROBES_SCSI_H

#include "data/err.h"
#include "probes/wire.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	SCSI_GOOD = 0x00,
	SCSI_CHECK_CONDITION = 0x02,
	SCSI_RESERVATION_CONFLICT = 0x18,
	SCSI_CDB_MAX = 16,
	SCSI_SENSE_MAX = 96,
};

/* -- standard INQUIRY ----------------------------------------------------------------------- */

struct scsi_inquiry {
	uint8_t device_type; /* 0: disk */
	uint8_t qualifier;   /* 0: connected */
	uint8_t version;     /* 6: SPC-4 */
	bool removable;
	char vendor[9], product[17], revision[5]; /* cleaned; "" where the answer is too short */
};
int scsi_inquiry_decode(const uint8_t *buf, size_t len, struct scsi_inquiry *ret,
	struct err *reterr);

/* -- vital product data --------------------------------------------------------------------- */

struct scsi_vpd_pages {
	bool has[256];
};
int scsi_vpd_pages_decode(const uint8_t *buf, size_t len, struct scsi_vpd_pages *ret,
	struct err *reterr);

#define SCSI_SERIAL_MAX 256
/* @ret: SCSI_SERIAL_MAX bytes; "" where the device has none. */
int scsi_serial_decode(const uint8_t *buf, size_t len, char *ret, struct err *reterr);

enum scsi_id_kind { SCSI_ID_NONE, SCSI_ID_NAA, SCSI_ID_EUI64, SCSI_ID_NAME, SCSI_ID_T10 };

/* The designator that names the logical unit best: NAA (IEEE registered extended before others),
 * then EUI-64, then SCSI name string, then T10 vendor id. Those of ports and targets are passed
 * over: two drives of one enclosure share them. */
struct scsi_id {
	enum scsi_id_kind kind; /* NONE: the page has no designator of the unit */
	char text[300]; /* as sysfs' wwid: "naa.5000c500...", "eui.0025...", "t10.VENDOR..." */
};
int scsi_id_decode(const uint8_t *buf, size_t len, struct scsi_id *ret, struct err *reterr);

struct scsi_rotation {
	uint16_t raw;          /* MEDIUM ROTATION RATE */
	enum fact rotational;  /* unknown: not reported, or a reserved value */
	uint16_t rpm;          /* 0: not known, or it does not rotate */
	uint8_t form_factor;   /* 0: not reported; 3: 2.5 inch */
};
int scsi_rotation_decode(const uint8_t *buf, size_t len, struct scsi_rotation *ret,
	struct err *reterr);
/* The value rule that VPD B1h and ATA word 217 share: 0001h does not rotate, 0401h..FFFEh rpm. */
enum fact scsi_rotation_fact(uint16_t raw, uint16_t *ret_rpm);

/* -- caching mode page ---------------------------------------------------------------------- */

enum scsi_pc { SCSI_PC_CURRENT, SCSI_PC_CHANGEABLE, SCSI_PC_DEFAULT, SCSI_PC_SAVED };

struct scsi_caching {
	bool wce, rcd;   /* write cache enabled; read cache disabled */
	bool saveable;   /* PS: the page can be kept over a power cycle */
	bool dpofua;     /* the unit honours DPO and FUA */
	bool protected;  /* the medium is write-protected */
	bool ten;        /* header form: MODE SENSE(10), else (6) */
	uint8_t medium_type;
	bool longlba;
	size_t offset;   /* of the page in the buffer */
	size_t page_len; /* whole page, with its two header bytes */
};
/* @ten: how the command was sent: the answer does not say. Block descriptors are skipped by the
 * header's length. A header or page that promises more than @len is an error (truncated). */
int scsi_caching_decode(const uint8_t *buf, size_t len, bool ten, struct scsi_caching *ret,
	struct err *reterr);

/* scsi_caching_select - the parameter list that sets WCE to @wce and leaves the rest as in @sense.
 * @sense: the answer that @page was decoded from (PC 0). No block descriptor is sent (it could
 * change the block size), mode data length, device-specific byte and PS are zero.
 * @out: @size bytes. Returns the length of the list, or -ENOSPC. */
int scsi_caching_select(const uint8_t *sense, const struct scsi_caching *page, bool wce,
	uint8_t *out, size_t size);

/* -- sense ---------------------------------------------------------------------------------- */

struct scsi_sense {
	bool deferred;   /* about an earlier command */
	bool descriptor; /* 72h/73h; else fixed, 70h/71h */
	uint8_t key, asc, ascq;
	bool has_info;
	uint64_t info;   /* INFORMATION: for media errors the first bad block */
};
/* -ENODATA: no sense at all (a bridge that sends none, or NO SENSE buffers of zero bytes). */
int scsi_sense_decode(const uint8_t *buf, size_t len, struct scsi_sense *ret, struct err *reterr);
const char *scsi_sense_key_text(uint8_t key);
const char *scsi_asc_text(uint8_t asc, uint8_t ascq); /* NULL: not among the common ones */
/* "illegal request, invalid field in parameter list (5/26/00)" into @buf; returns it. */
char *scsi_sense_text(char *buf, size_t size, const struct scsi_sense *s);
/* The device does not know the command, the page or the field: asking again is no use. */
bool scsi_sense_is_unsupported(const struct scsi_sense *s);
/* Descriptor of @type in descriptor-format sense: its first byte, its whole length in @ret_len. */
const uint8_t *scsi_sense_find(const uint8_t *buf, size_t len, uint8_t type, size_t *ret_len);

/* -- persistent reservations ---------------------------------------------------------------- */

#define SCSI_KEYS_MAX 32
struct scsi_keys {
	uint32_t generation;
	uint64_t total; /* registered, also those that did not fit the buffer */
	size_t count;   /* in key[] */
	uint64_t key[SCSI_KEYS_MAX];
};
int scsi_keys_decode(const uint8_t *buf, size_t len, struct scsi_keys *ret, struct err *reterr);

struct scsi_reservation {
	uint32_t generation;
	bool held;
	uint64_t key;
	uint8_t type; /* 1 write exclusive, 3 exclusive access, 5..8 registrants forms */
};
int scsi_reservation_decode(const uint8_t *buf, size_t len, struct scsi_reservation *ret,
	struct err *reterr);
const char *scsi_reservation_text(uint8_t type);

/* -- commands: @cdb is SCSI_CDB_MAX bytes, zeroed first; each returns the CDB's length -------- */

unsigned scsi_cdb_inquiry(uint8_t *cdb, uint16_t alloc);
unsigned scsi_cdb_vpd(uint8_t *cdb, uint8_t page, uint16_t alloc);
unsigned scsi_cdb_mode_sense(uint8_t *cdb, bool ten, enum scsi_pc pc, uint8_t page, uint8_t alloc);
unsigned scsi_cdb_mode_select(uint8_t *cdb, bool ten, bool save, uint8_t list_len);
/* Cumulative values of log page @page. */
unsigned scsi_cdb_log_sense(uint8_t *cdb, uint8_t page, uint16_t alloc);
unsigned scsi_cdb_read_keys(uint8_t *cdb, uint16_t alloc);
unsigned scsi_cdb_read_reservation(uint8_t *cdb, uint16_t alloc);

#endif
