/* tui_text.h - lines that are looked through, and a list of which one is chosen. */
#ifndef SSDQUAL_CLI_TUI_TEXT_H
#define SSDQUAL_CLI_TUI_TEXT_H

#include "cli/tui_grid.h"

struct tui_text {
	char *text;   /* owned; cut into lines */
	char **line;
	size_t count;
	size_t top;   /* first line shown */
};

/* tui_text_take - show @text (taken; NULL: nothing) from its top. */
void tui_text_take(struct tui_text *t, char *text);
void tui_text_done(struct tui_text *t);
void tui_text_draw(struct tui_text *t, struct tui_grid *g, const struct tui_rect *r);
/* tui_text_key - keys that move; @page: lines on the screen. False: another key. */
bool tui_text_key(struct tui_text *t, int key, int page);

struct tui_list {
	size_t count, at, top; /* at < count where count > 0 */
};
bool tui_list_key(struct tui_list *l, int key, int page);
/* tui_list_fit - after @count or the number of @rows changed: at and top in range. */
void tui_list_fit(struct tui_list *l, size_t count, int rows);

#endif
