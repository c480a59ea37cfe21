/* refdrive.h - drives that others have measured: figures with their sources, and our
 * classification.
 *
 * One file a model in data/drives/ (resource kind "drives"; files in the user's or the host's
 * configuration folder add to it or override by name):
 *   name, interface, class ("enterprise" "consumer"), plp ("yes" "no" "unknown"),
 *   classification_source, match[] (names and patterns, below), match_source,
 *   figures[] {model (as the source prints it), capacity_gb, write_cache, test, iops,
 *   bw_mb_s_as_printed, lat_avg_us, lat_p99_us, source}; null where the source says nothing.
 * Class and power-loss protection are drawn from how the maker positions the model: a hint.
 *
 * A device's model string is compared without case and punctuation. A match[] entry with a '*' is a
 * pattern over the whole string; another must be in it word for word, its maker's name aside, and
 * no word that makes it another model (EVO, PRO, PLUS, ...) may follow. A string of 15 or 16
 * characters may be one that SCSI cut: then a part is enough, if all that fit are of one class.
 */
#ifndef SSDQUAL_DATA_REFDRIVE_H
#define SSDQUAL_DATA_REFDRIVE_H

#include "data/err.h"
#include "data/json.h"

struct refdrive {
	const char *name, *interface, *class_word, *plp, *source; /* of doc; never NULL */
	bool ambiguous;              /* the string was cut: one of several models of this class */
	const struct json *figures;  /* of doc */
	struct json *doc;
};

/* refdrive_find - the reference drive that @model (NULL: none) names. 0, with *ret NULL where none
 * or no single one fits; an unreadable file of the user is an error (ERR_INPUT). */
int refdrive_find(const char *model, struct refdrive **ret, struct err *reterr);
void refdrive_free(struct refdrive *d);

/* refdrive_match - how well @model fits the entry @match: 0 not, 1 to 999 as a cut string, above
 * that as a whole one (the more characters agree the higher). */
unsigned refdrive_match(const char *match, const char *model);

#endif
