/* store_name.h - names inside the folder of results (store.h describes them); for store*.c. */
#ifndef SSDQUAL_DATA_STORE_NAME_H
#define SSDQUAL_DATA_STORE_NAME_H

#include "data/store.h"

#define STORE_TEMP_PREFIX ".ssdqual-"
#define STORE_TEMP_SUFFIX ".tmp"
#define STORE_NUMBER_MAX 9999

/* store_name_stem - "MODEL-SERIAL_UTC_BATTERY" from the document's target section (model and
 * serial where there are some, else the path). Caller frees; NULL: no memory. */
char *store_name_stem(const struct json *target, time_t when, const char *battery);

/* store_name_path - FOLDER/STEM.json, or FOLDER/STEM.N.json from 2 on. Caller frees. */
char *store_name_path(const char *folder, const char *stem, unsigned number);

/* store_name_read - fill @ret (its path stays NULL) from a file's name.
 * 1: it is a result; 0: it is none; -ENOMEM. */
int store_name_read(const char *name, struct store_entry *ret);

/* store_remove_stale - remove temporary files in @folder that nobody has touched for an hour:
 * what a kill left behind. Never fails: what cannot be removed stays. */
void store_remove_stale(const char *folder);

#endif
