/* tui_feed.h - what is known of a run from the lines of its feed (cli/progress_feed.h).
 *
 * Lines go in, figures come out: no file and no clock. A line that is not understood is passed
 * over: it may be of a newer version.
 */
#ifndef SSDQUAL_CLI_TUI_FEED_H
#define SSDQUAL_CLI_TUI_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TUI_FEED_SECONDS 512 /* the newest are kept */
#define TUI_FEED_OCTAVES 48
#define TUI_FEED_ROWS 64

struct tui_feed_row {
	char key[32], cache[12];
	double iops, p50_ns, p99_ns; /* NAN: unknown */
	char error[120];             /* "": none */
};

struct tui_feed {
	bool begun;
	pid_t pid;                      /* of the run; 0: not known */
	char target[256], battery[32];
	double seconds, endurance_share, write_bytes;
	char what[48];                  /* "fill", "layout"; "": a row */
	double fill_bytes, done_bytes;
	char key[32], label[48], cache[12];
	unsigned number, of;
	double row_s, elapsed_s, left_s; /* NAN: unknown */
	double iops[TUI_FEED_SECONDS], p50_ns[TUI_FEED_SECONDS], p99_ns[TUI_FEED_SECONDS];
	size_t count;                   /* of the three: seconds of this row, oldest first */
	struct { double upper_ns, count; } octave[TUI_FEED_OCTAVES]; /* of the row that goes on or ended last */
	size_t octave_count;
	char octaves_of[64];
	struct tui_feed_row row[TUI_FEED_ROWS]; /* those that ended; the oldest give way */
	size_t row_count;
	double temperature_c, temperature_max_c, used_percent;
	char ended[24];                 /* "complete", "signal" ...; "": not yet */
};

void tui_feed_init(struct tui_feed *f); /* everything unknown */
/* tui_feed_line - one line without its newline. False: not understood. */
bool tui_feed_line(struct tui_feed *f, const char *text, size_t len);

#endif
