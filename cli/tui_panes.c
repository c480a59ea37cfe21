/* tui_panes.c - all panes, in the order of enum TUI_PANE_*. */
#include "cli/tui.h"

extern const struct tui_pane tui_pane_drives;
extern const struct tui_pane tui_pane_live;
extern const struct tui_pane tui_pane_results;
extern const struct tui_pane tui_pane_advice;

const struct tui_pane *const tui_panes[] = {
	&tui_pane_drives,
	&tui_pane_live,
	&tui_pane_results,
	&tui_pane_advice,
	NULL,
};
