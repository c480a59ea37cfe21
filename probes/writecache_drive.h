/* writecache_drive.h - the steps that reading, setting and restoring are made of. */
#ifndef SSDQUAL_PROBES_WRITECACHE_DRIVE_H
#define SSDQUAL_PROBES_WRITECACHE_DRIVE_H

#include "probes/writecache.h"

/* wc_read_drive, wc_read_kernel - fill their part of @s; what cannot be read is unknown. */
int wc_read_drive(const struct wc_dev *d, struct wc_state *s, struct err *reterr);
void wc_read_kernel(const struct wc_dev *d, struct wc_state *s);

/* wc_command - the device command for @on, by s->method. @save: keep it over a power cycle where
 * the drive can. No safety of its own: wc_set() and wc_restore() see to the order. */
int wc_command(const struct wc_dev *d, const struct wc_state *s, bool on, bool save,
	struct err *reterr);

#endif
