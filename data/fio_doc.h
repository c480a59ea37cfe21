/* fio_doc.h - the figures of one fio JSON document, in nanoseconds and bytes.
 *
 * fio 2.x gives microseconds ("clat") and KiB, fio 3.x nanoseconds ("clat_ns") and bytes: the key
 * decides, never the version alone. What a section lacks, or tells against itself, is NAN.
 * Source: fio's stat.c of 2.16, 3.14, 3.33 and 3.39 as far as their output shows; measured in
 * docs/ssdqual.8, import.
 */
#ifndef SSDQUAL_DATA_FIO_DOC_H
#define SSDQUAL_DATA_FIO_DOC_H

#include "data/fio_option.h"
#include "data/result.h"

struct fio_lat {
	bool present;      /* the section is there, and has samples */
	bool section;      /* the section is there */
	uint64_t n;
	double min, mean, stddev, max;
	bool has_pct;
	double pct[LAT_PCT_COUNT]; /* of the percentiles that we keep; NAN: not listed */
	char keys[112];    /* all that are listed: "50, 99.9" */
	bool odd;          /* min above max, or no spread between unequal percentiles */
};

struct fio_side {
	uint64_t ios, bytes, runtime_ns;
	double iops, bw_bytes;
	struct fio_lat slat, clat, lat;
};

struct fio_job {
	const char *name;
	struct fio_options options;
	uint64_t groupid, error, total_err, eta_s, elapsed_s;
	size_t entries;      /* of the file, summed up into this one */
	bool beside_others;  /* jobs of another name ran at the same time */
	bool all_clients;    /* fio's own sum over its clients */
	struct fio_side read, write;
	bool has_sync_section, has_trims;
	struct fio_lat sync;
};

struct fio_run {
	const char *version;  /* "fio-3.36"; NULL: unknown */
	unsigned major;       /* 0: unknown */
	bool clients;         /* client_stats */
	uint64_t ended_at;    /* seconds since 1970; 0: unknown */
	struct fio_job *job;  /* entries without a group of their own are summed up */
	size_t count;
};

bool fio_recognise(const struct json *doc);
/* fio_run_read - @doc is borrowed while *ret lives. 0; -EBADMSG, ERR_INPUT: no job in it, or more
 * than FIO_JOBS_MAX; -ENOMEM. */
#define FIO_JOBS_MAX 4096
int fio_run_read(const struct json *doc, const char *name, struct fio_run *ret,
	struct err *reterr);
void fio_run_done(struct fio_run *r);

#endif
