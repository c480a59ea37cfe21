/* rated.h - the endurance that a maker promises for a model: terabytes written, drive writes a day.
 *
 * In data/drives/NAME.json (found by refdrive.h) or data/attributes/NAME.json (by smart_table.h):
 *	"rated": [{"model": pattern, "capacity_gb": 240, "tbw_tb": 140}, {"dwpd": 3, "years": 5}, ...],
 *	"rated_source": "..."
 * "model" (shell pattern, may be absent: any of the file) and "capacity_gb" (absent: any) choose
 * the row: the first that fits. What a file does not state for this capacity is unknown, not
 * scaled.
 */
#ifndef SSDQUAL_DATA_RATED_H
#define SSDQUAL_DATA_RATED_H

#include "data/err.h"

#include <stdint.h>

struct rated {
	double tbw_bytes; /* NAN: unknown; from dwpd, years and the capacity where only those are stated */
	double dwpd;      /* NAN: unknown; over @years */
	double years;     /* of the warranty; NAN */
	char source[200]; /* "": nothing is known */
};

/* rated_find - of @model (NULL: none) and @capacity_bytes (0: unknown: only rows without a
 * capacity). 0, also where nothing is known; an unreadable file of the user is an error
 * (ERR_INPUT). */
int rated_find(const char *model, uint64_t capacity_bytes, struct rated *ret, struct err *reterr);

#endif
