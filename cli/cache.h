/* cache.h - the parts of `ssdqual cache`: what is shown of a drive's write cache, and how a setting
 * is made to last. */
#ifndef SSDQUAL_CLI_CACHE_H
#define SSDQUAL_CLI_CACHE_H

#include "cli/command.h"
#include "probes/cacheguard.h"

/* What the command found out and did, for one drive. */
struct cache_report {
	const struct cacheguard *guard;
	const char *disk;         /* kernel name */
	const char *word;         /* "on", "off", "restore"; NULL: only shown */
	bool changed;
	bool nothing;             /* restore: nothing is recorded for this drive */
	bool safer;               /* restored, the kernel left safer than it was */
	bool captured; /* --sysroot or --replay: no journal of this machine's is looked at */
	const struct err *failed; /* NULL: it did not fail */
};

/* cache_report_json - {path, by_id, ..., write_cache, mismatch, pending, previous, changed,
 * persist[], warnings[]}, with "error" where it failed. */
struct json *cache_report_json(const struct cache_report *r, struct err *reterr);
int cache_report_print(struct cli *cli, const struct cache_report *r, struct err *reterr);

/* cache_persist - lines that make the present state last over a power cycle, comments (#) among
 * them, as an array of strings; empty where there is nothing to keep. */
struct json *cache_persist(const struct cacheguard *g);

#endif
