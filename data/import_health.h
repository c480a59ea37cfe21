/* import_health.h - the parts of data/import_smartctl*.c and data/import_nvme.c. */
#ifndef SSDQUAL_DATA_IMPORT_HEALTH_H
#define SSDQUAL_DATA_IMPORT_HEALTH_H

#include "data/import.h"
#include "data/smart.h"

/* import_number - a counter under @key: "KEY_s" (smartctl's exact text) before "KEY", which may be
 * a number, a decimal string (with separators), or {"hi", "lo"} of 64 bits each. @ret_rounded: it
 * was printed as a number that JSON cannot hold exactly. */
bool import_number(const struct json *obj, const char *key, u128 *ret, bool *ret_rounded);
/* import_count - the same into a count; what is not there stays unknown. */
void import_count(const struct json *obj, const char *key, struct smart_count *c);
/* import_bytes - the same into a total, of @step_bytes each. */
void import_bytes(const struct json *obj, const char *key, uint64_t step_bytes, const char *source,
	struct smart_bytes *b);

/* smartctl_health - health of smartctl's document @doc, of a drive of @model and
 * @capacity_bytes. */
int smartctl_health(const struct json *doc, const char *model, uint64_t capacity_bytes,
	struct smart_health *h, struct err *reterr);

/* import_attach - @h as smart.after of @r, @target as its target (taken, also on failure). */
int import_attach(struct result *r, struct json *target, const struct smart_health *h,
	struct err *reterr);

#endif
