/* opt_show.h - values in the form in which options take them, for messages and help. */
#ifndef SSDQUAL_CLI_OPT_SHOW_H
#define SSDQUAL_CLI_OPT_SHOW_H

#include "cli/opt.h"

/* opt_show_number - @v of an OPT_U64, OPT_BYTES or OPT_DURATION in the largest unit that says it
 * exactly: "4KiB", "4097", "90s". Returns @buf. */
const char *opt_show_number(enum opt_type type, uint64_t v, char *buf, size_t len);

/* opt_show_default - what @cfg holds for @o. false where that says nothing: zero, no text, a flag
 * that is off, an empty list, or @cfg is NULL. */
bool opt_show_default(const struct opt *o, const void *cfg, char *buf, size_t len);

/* opt_show_choices - "auto, always or never". Returns @buf. */
const char *opt_show_choices(const struct opt *o, char *buf, size_t len);

#endif
