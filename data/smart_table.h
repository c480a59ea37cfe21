/* smart_table.h - what a vendor's SMART attributes mean, by the model of the drive.
 *
 * data/attributes/NAME.json: {"name", "match": [patterns], "source", "attributes": [{"id", "means",
 * "field", "unit_bytes"}, ...]}. A pattern is a shell pattern against the whole model, letters of
 * either case; the longest one that fits wins, in all files. The file "generic" holds what all
 * drives share and comes after the vendor's. Of several attributes with one meaning the first one
 * wins.
 *
 *	means: host-writes host-reads nand-writes (raw * unit_bytes); host-pages, background-pages (raw);
 *	  percent-used percent-remaining spare-percent (of field); temperature power-on-hours (packed
 *	  raw values are taken apart); power-cycles unsafe-shutdowns reallocated pending uncorrectable
 *	  crc-errors program-failures erase-failures erase-cycles (raw); capacitor (field: at or below
 *	  failed_at it has failed, at unsure_at the test says nothing)
 *	field: "raw" (48 bits, the default), "raw-byte" (its lowest), "value" (normalised)
 *
 * A drive that no file names has its meanings of "generic" only: an attribute's number says nothing
 * about its unit. To add a vendor's attribute: its row in data/attributes, a case in
 * tests/data/test_smart_table.c.
 */
#ifndef SSDQUAL_DATA_SMART_TABLE_H
#define SSDQUAL_DATA_SMART_TABLE_H

#include "data/smart.h"

/* smart_table_apply - fill @h from its attributes. What is known already (device statistics) stays;
 * where an attribute of the same meaning counts in another unit than its name says, a note tells
 * which one fits.
 * @model: "" or NULL: unknown vendor    @capacity_bytes: 0: unknown
 * @hints: names of attributes are of smartctl's database, which knows the model: a unit in a name
 *   ("Host_Writes_32MiB", "NAND_Writes_1GiB") comes before the table.
 * 0; an unreadable file of the user is an error (ERR_INPUT). */
int smart_table_apply(struct smart_health *h, const char *model, uint64_t capacity_bytes,
	bool hints, struct err *reterr);

/* smart_table_find - the file whose pattern fits @model best; *ret NULL: none. Caller frees. */
int smart_table_find(const char *model, struct json **ret, struct err *reterr);

/* smart_table_match - how well @model fits @pattern: 0 not, else its length + 1. */
size_t smart_table_match(const char *pattern, const char *model);

#endif
