/* smart.h - what a drive says of its health and wear, in whatever language it says it.
 *
 * One neutral struct for ATA (attributes, device statistics), NVMe (log 02h, OCP log C0h) and SCSI
 * (log pages), filled by probes (a drive) and by importers (smartctl, nvme-cli). What the drive
 * does not tell, or tells in a vendor's way that data/attributes does not know, is unknown: false,
 * NAN, SMART_UNKNOWN, never 0.
 *
 * Totals are of the drive's life. `step_bytes` is how far apart two values of the drive's own
 * counter are: a difference of two readings is right to within one step each way. Totals go up; one
 * that went down was reset, or is another drive's (policies/endurance.h looks).
 *
 * In documents: smart.before and smart.after (docs/ssdqual-result.5, "Health").
 */
#ifndef SSDQUAL_DATA_SMART_H
#define SSDQUAL_DATA_SMART_H

#include "data/json.h"
#include "data/u128.h"

#define SMART_TEXT_MAX 160
#define SMART_SENSORS 8
#define SMART_NOTES 16
#define SMART_ATTRIBUTES 64

enum smart_kind { SMART_KIND_NONE, SMART_KIND_ATA, SMART_KIND_NVME, SMART_KIND_SCSI };
enum smart_answer { SMART_UNKNOWN, SMART_NO, SMART_YES };
enum smart_capacitor { SMART_CAPACITOR_UNKNOWN, SMART_CAPACITOR_OK, SMART_CAPACITOR_FAILED,
	SMART_CAPACITOR_NONE };

/* A total of bytes. */
struct smart_bytes {
	bool known;
	bool at_least;       /* more than 128 bits hold, or rounded where it was printed */
	u128 bytes;
	uint64_t step_bytes; /* > 0 */
	char source[SMART_TEXT_MAX]; /* "attribute 241 Host_Writes_32MiB, 32 MiB units" */
};

struct smart_count {
	bool known;
	u128 value;
};

/* One ATA attribute as the drive gives it. */
struct smart_attribute {
	uint8_t id;
	uint8_t value, worst;
	int threshold;  /* -1: not known */
	uint64_t raw;   /* 48 bits */
	bool failing;   /* pre-failure, and its value is at or below its threshold */
	char name[40];  /* cleaned; "": none */
};

struct smart_note {
	char code[40];  /* "checksum-wrong", "unit-inferred", ... */
	char text[200];
};

struct smart_health {
	enum smart_kind kind;
	char model[64], serial[64];  /* whose it is, to notice swaps; "": not known */
	char taken_at[24];           /* RFC 3339, UTC; "": not known */
	enum smart_answer passed;    /* the drive's own overall verdict */
	struct smart_bytes host_writes, host_reads, nand_writes;
	/* Pages programmed for the host, and in all, where the drive counts them in pages whose size
	 * it does not tell: only their ratio is known. */
	struct smart_count host_pages, nand_pages;
	double write_amplification;  /* of its life; NAN */
	bool write_amplification_estimated;
	char write_amplification_source[SMART_TEXT_MAX];
	double percent_used;         /* of the rated endurance; above 100 where it goes on */
	double percent_remaining;    /* where the drive counts down; else 100 - used, at least 0 */
	char wear_source[SMART_TEXT_MAX];
	double spare_percent, spare_threshold_percent;
	double temperature_c, temperature_min_c, temperature_max_c;
	double sensor_c[SMART_SENSORS]; /* NVMe sensors 1 to 8 */
	struct smart_count power_on_hours, power_cycles, unsafe_shutdowns, media_errors,
		error_log_entries, reallocated, pending, uncorrectable, crc_errors, grown_defects,
		non_medium_errors, program_failures, erase_failures, erase_cycles;
	int critical_warning;        /* NVMe byte; -1: not known */
	enum smart_capacitor capacitor;
	char capacitor_source[SMART_TEXT_MAX];
	struct smart_attribute attribute[SMART_ATTRIBUTES];
	size_t attribute_count;
	struct smart_note note[SMART_NOTES];
	size_t note_count;
};

void smart_init(struct smart_health *h); /* everything unknown */

/* smart_set_bytes - total = @steps * @step_bytes; @fmt: the source. */
void smart_set_bytes(struct smart_bytes *b, u128 steps, uint64_t step_bytes, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void smart_set_count(struct smart_count *c, u128 value);
/* smart_set_used, smart_set_remaining - wear, told as either; the other one follows where it is not
 * known. @percent outside of 0..255 or NAN is ignored. */
void smart_set_used(struct smart_health *h, double percent, const char *source);
void smart_set_remaining(struct smart_health *h, double percent, const char *source);
/* smart_set_temperature - ignored outside of -60 to 150 C. */
void smart_set_temperature(double *where, double celsius);
/* smart_note - what a person should know about these figures; those beyond SMART_NOTES are lost. A
 * code may come more than once. */
void smart_note(struct smart_health *h, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* smart_finish - derive what follows from the rest (write_amplification from host and NAND bytes).
 * To be called once, last. */
void smart_finish(struct smart_health *h);

const char *smart_kind_word(enum smart_kind k);            /* "ata" "nvme" "scsi"; NULL */
const char *smart_capacitor_word(enum smart_capacitor c);  /* "ok" "failed" "none"; NULL */
/* NVMe critical warning byte, bit by bit (Base specification 2.0c, figure 207); NULL: reserved. */
const char *smart_critical_text(unsigned bit);

/* smart_to_json - the object of smart.before and smart.after. NULL: no memory.
 * smart_from_json - what is absent, or of another type, is unknown. @j NULL or null: all of it. */
struct json *smart_to_json(const struct smart_health *h);
void smart_from_json(const struct json *j, struct smart_health *ret);

#endif
