/* pending.h - what an earlier ssdqual left to be put back, said at the start of every command. */
#ifndef SSDQUAL_CLI_PENDING_H
#define SSDQUAL_CLI_PENDING_H

#include "cli/command.h"

/* pending_report - one line on cli->err for each drive whose write cache was left changed, and for
 * each damaged entry of the state journal. Nothing where there is none (the usual case: one folder
 * is opened), for entries of a process that still runs, and for captures. Failures are not
 * reported: the command has work of its own to do. */
void pending_report(struct cli *cli);

/* The folder of root's entries, which every user is told of. */
#define PENDING_ROOT_FOLDER "/var/lib/ssdqual/state"

#endif
