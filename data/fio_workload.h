/* fio_workload.h - what a fio job does, as a workload profile (data/workload.h).
 *
 * A job tells pattern, block size, depth, syncs, pauses and size, and where it ran also how often it
 * synced. It does not tell how many images there are, what may be lost, or what is fast enough: those
 * are in the profile with a source that begins "assumed".
 */
#ifndef SSDQUAL_DATA_FIO_WORKLOAD_H
#define SSDQUAL_DATA_FIO_WORKLOAD_H

#include "data/json.h"

/* fio_workload - the profile of one job.
 * @doc: fio's JSON, or what fio_jobfile_parse() made    @file: for messages and sources
 * @job: its name; NULL: the only one of the file
 * 0 and *ret, which workload_from_json() accepts. ERR_USAGE: several jobs and no name, or no job of
 * that name (the names are listed); ERR_INPUT: a figure is outside what a profile can say. */
int fio_workload(const struct json *doc, const char *file, const char *job, struct json **ret,
	struct err *reterr);

/* fio_workload_load - the same of the file @path ("-": standard input): fio's JSON, whose last
 * document counts, or a job file. */
int fio_workload_load(const char *path, const char *job, struct json **ret, struct err *reterr);

#endif
