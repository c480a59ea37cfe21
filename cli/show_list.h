/* show_list.h - the list of stored results: from their names alone, no file is opened. */
#ifndef SSDQUAL_CLI_SHOW_LIST_H
#define SSDQUAL_CLI_SHOW_LIST_H

#include "cli/command.h"
#include "data/store.h"

enum show_list_sort { SHOW_BY_TIME, SHOW_BY_BATTERY, SHOW_BY_TARGET };

struct show_list_cfg {
	int sort; /* enum show_list_sort; equal ones newest first */
	bool reverse;
	const char *match;   /* part of model and serial number, in either case; NULL: all */
	const char *battery; /* NULL: all */
	const char *name;    /* part of the file's name: drive, time or battery; NULL: all */
};

/* show_list_choose - put those that @cfg wants first, in its order; returns how many. All others
 * follow, so that another choice can be made later. */
size_t show_list_choose(struct store_list *l, const struct show_list_cfg *cfg);

int show_list(struct cli *cli, const struct show_list_cfg *cfg, struct err *reterr);

#endif
