/* stop.h - SIGINT, SIGTERM and SIGHUP as a flag, for commands that must finish what they began.
 *
 * Without stop_begin() these signals end the program at once, which is right for commands that
 * change nothing. A command that does calls stop_begin() after its questions to the user and before
 * its first change, watches stop_flag(), and returns ERR_STOPPED once all is restored and saved.
 * The first signal raises the flag; a second SIGINT ends the program at once by its default action
 * (within 250 ms of the first it does not count: wrappers pass a terminal's Ctrl-C on once more).
 * Signals that were ignored when the program began (nohup, background jobs) stay ignored.
 * System calls are restarted; sleeping ones (nanosleep, poll, ppoll) return EINTR.
 */
#ifndef SSDQUAL_CLI_STOP_H
#define SSDQUAL_CLI_STOP_H

#include "data/err.h"

#include <stdatomic.h>

int stop_begin(struct err *reterr); /* 0 or -errno; calling it again is allowed */
void stop_end(void);                /* what the signals did before; the flag stays as it is */

const atomic_bool *stop_flag(void); /* for struct load_watch; never NULL */
int stop_signal(void);              /* the first signal that came, 0: none */
const char *stop_signal_word(void); /* "SIGINT" ..., "" where none came */
int stop_exit_status(void);         /* 128 + signal; 130 where none came */

#endif
