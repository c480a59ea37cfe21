/* nvme.h - what NVMe controllers answer, decoded. Pure: no I/O, no libnvme.
 *
 * Names begin with nvm_: nvme_ is libnvme's.
 * Decoders take a buffer and the bytes that arrived and never read beyond them; they return 0, or
 * -EBADMSG with ERR_DEVICE and the place in the message. Outputs are untouched on failure.
 * Sources: NVM Express Base 2.0c (Identify Controller fig. 275, features fig. 317, SMART log
 * fig. 207, reservation report fig. 444, status fig. 92 ff.), NVM Command Set 1.0c (Identify
 * Namespace fig. 97).
 */
#ifndef SSDQUAL_PROBES_NVME_H
#define SSDQUAL_PROBES_NVME_H

#include "data/err.h"
#include "probes/wire.h"

#include <stdbool.h>
#include <stddef.h>

#define NVM_IDENTIFY_BYTES 4096

struct nvm_ctrl {
	uint16_t vendor_id, controller_id;
	char serial[21], model[41], firmware[9]; /* cleaned */
	uint32_t version;       /* 0x00010400: 1.4; 0: before 1.2 */
	bool multi_port;        /* CMIC bit 0: more than one port */
	bool multi_controller;  /* CMIC bit 1: other controllers may write this drive */
	bool vwc;               /* a volatile write cache is present */
	bool saves_features;    /* ONCS bit 4: Save and Select of Get/Set Features */
	bool dsm, write_zeroes, reservations; /* ONCS bits 2, 3, 5 */
	uint32_t namespaces;    /* NN */
	uint64_t capacity_bytes; /* TNVMCAP; 0: not reported (or above 2^64) */
	uint16_t warning_temp_kelvin; /* WCTEMP; 0: not reported */
	uint8_t max_transfer_shift;   /* MDTS: 2^n minimum pages; 0: no limit */
	char subsystem[224];    /* SUBNQN, cleaned; "" before 1.2.1 */
};
int nvm_ctrl_decode(const uint8_t *buf, size_t len, struct nvm_ctrl *ret, struct err *reterr);

#define NVM_FORMATS_MAX 64
struct nvm_format {
	uint32_t data_bytes; /* 0: the slot is not available */
	uint16_t metadata_bytes;
	uint8_t performance; /* 0 best, 1 better, 2 good, 3 degraded */
};
struct nvm_ns {
	uint64_t size_blocks, capacity_blocks, used_blocks; /* NSZE, NCAP, NUSE */
	uint64_t size_bytes;   /* NSZE in the format in use */
	size_t format_count, format_in_use;
	struct nvm_format format[NVM_FORMATS_MAX];
	bool metadata_in_lba;  /* FLBAS bit 4: metadata is transferred with each block */
	bool protection;       /* DPS bits 2:0: end-to-end protection is on */
	bool shared;           /* NMIC bit 0: several controllers may attach it */
	uint8_t reservations;  /* RESCAP; 0: none */
	bool has_nguid, has_eui64;
	uint8_t nguid[16], eui64[8];
};
/* A namespace id that is not active answers with zeros: -ENODATA. */
int nvm_ns_decode(const uint8_t *buf, size_t len, struct nvm_ns *ret, struct err *reterr);
/* "eui.<nguid or eui64>" as the kernel's wwid, "" where the namespace has neither. @size >= 40. */
char *nvm_ns_wwn(char *buf, size_t size, const struct nvm_ns *ns);

/* Volatile write cache enable: bit 0 of feature 06h's value. */
static inline bool nvm_wce(uint32_t feature_06)
{
	return feature_06 & 1;
}

/* Critical warning byte of the SMART log; its bits in words: smart_critical_text(). */
enum { NVM_WARN_BACKUP_FAILED = 1 << 4, NVM_WARN_READ_ONLY = 1 << 3 };
/* Byte 0 of SMART log 02h. @len: 512 needed. */
int nvm_critical_decode(const uint8_t *buf, size_t len, uint8_t *ret, struct err *reterr);

#define NVM_REGISTRANTS_MAX 32
struct nvm_registrant {
	uint16_t controller_id; /* FFFFh: a dynamic controller */
	bool holder;
	uint64_t key;
	uint8_t host_id[16];
};
struct nvm_reservations {
	uint32_t generation;
	uint8_t type;       /* 0: none held; 1..6 as scsi.h's, other order */
	uint32_t total;     /* registered controllers, also those that did not fit */
	size_t count;
	struct nvm_registrant registrant[NVM_REGISTRANTS_MAX];
};
/* @extended: the 128-bit host id form (CDW11 bit 0 of the command). */
int nvm_reservations_decode(const uint8_t *buf, size_t len, bool extended,
	struct nvm_reservations *ret, struct err *reterr);
const char *nvm_reservation_text(uint8_t type);

/* Status of a completion: type and code, as the upper bits of DW3 or libnvme's positive return. */
struct nvm_status {
	uint8_t sct, sc;
	bool do_not_retry;
};
static inline struct nvm_status nvm_status_of(uint16_t status)
{
	struct nvm_status s = {
		.sc = (uint8_t)status,
		.sct = (uint8_t)(status >> 8 & 7),
		.do_not_retry = status >> 14 & 1,
	};

	return s;
}
/* "invalid field in command (0h/02h)" into @buf; returns it. */
char *nvm_status_text(char *buf, size_t size, struct nvm_status s);
/* The controller does not know the command, the field or the feature: asking again is no use. */
bool nvm_status_is_unsupported(struct nvm_status s);

#endif
