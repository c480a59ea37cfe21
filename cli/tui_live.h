/* tui_live.h - a run that goes on, drawn: for the dashboard's pane and for `run --live`.
 *
 * Pure functions of what is known of the run and of a rectangle; nothing is drawn outside of it.
 */
#ifndef SSDQUAL_CLI_TUI_LIVE_H
#define SSDQUAL_CLI_TUI_LIVE_H

#include "cli/tui_feed.h"
#include "cli/tui_grid.h"

struct tui_live_view {
	const struct tui_feed *feed;
	bool alive, stopping;
};

/* tui_live_draw_head - the target, the row, how far it is. @r: becomes what is left below. */
void tui_live_draw_head(struct tui_grid *g, struct tui_rect *r, const struct tui_live_view *v);
/* tui_live_draw - the head, IOPS and latencies by the second, health. */
void tui_live_draw(struct tui_grid *g, const struct tui_rect *r, const struct tui_live_view *v);
/* tui_live_draw_rows - the histogram, and the rows that have ended, newest first. @high: all of the
 * histogram, else at least half of @r for it. */
void tui_live_draw_rows(struct tui_grid *g, const struct tui_rect *r,
	const struct tui_live_view *v, bool high);

#endif
