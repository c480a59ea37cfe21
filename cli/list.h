/* list.h - the table of drives, for `list` and the dashboard. */
#ifndef SSDQUAL_CLI_LIST_H
#define SSDQUAL_CLI_LIST_H

#include "cli/command.h"

/* list_print_drives - a line of heads and one a drive of `list --json`'s drives[], in its order;
 * "no drives; ..." without any. 0 or -errno. */
int list_print_drives(struct cli *cli, const struct json *drives, struct err *reterr);

#endif
