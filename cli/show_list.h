/* show_list.h - the list of stored results: from their names alone, no file is opened. */
#ifndef SSDQUAL_CLI_SHOW_LIST_H
#define SSDQUAL_CLI_SHOW_LIST_H

#include "cli/command.h"

enum show_list_sort { SHOW_BY_TIME, SHOW_BY_BATTERY, SHOW_BY_TARGET };

struct show_list_cfg {
	int sort; /* enum show_list_sort; equal ones newest first */
	bool reverse;
	const char *match;   /* part of model and serial number, in either case; NULL: all */
	const char *battery; /* NULL: all */
};

int show_list(struct cli *cli, const struct show_list_cfg *cfg, struct err *reterr);

#endif
