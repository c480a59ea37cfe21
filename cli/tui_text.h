/* tui_text.h - lines that are looked through, and a list of which one is chosen. */
#ifndef SSDQUAL_CLI_TUI_TEXT_H
#define SSDQUAL_CLI_TUI_TEXT_H

#include "cli/tui_grid.h"
#include "data/err.h"

struct tui_text_row {
	size_t line, at, len; /* bytes @at .. @at + @len of that line */
};

struct tui_text {
	char *text;   /* owned; cut into lines */
	char **line;
	size_t count; /* of lines */
	struct tui_text_row *row; /* as they stand on a screen @cols wide: long lines go on below */
	size_t rows;
	int cols;     /* 0: not yet laid out */
	size_t top;   /* first row shown */
	bool to_end;  /* the next drawing shows the last rows */
};

/* tui_text_take - show @text (taken; NULL: nothing) from its top. */
void tui_text_take(struct tui_text *t, char *text);
void tui_text_done(struct tui_text *t);
/* tui_text_draw - what of it is in @r. @ret_place, at least TUI_PLACE_MAX: "21-40 of 54", "" where
 * all is on the screen; may be NULL. */
#define TUI_PLACE_MAX 48
void tui_text_draw(struct tui_text *t, struct tui_grid *g, const struct tui_rect *r,
	char *ret_place);
/* tui_text_section - go to the next line behind the top that begins a section:
 * one without a blank in its first column, behind an empty line. False: there is none. */
bool tui_text_section(struct tui_text *t);
/* tui_text_key - keys that move; @page: lines on the screen. False: another key. */
bool tui_text_key(struct tui_text *t, int key, int page);
/* tui_text_save - write its lines, unwrapped, to the new file @path. 0 or -errno. */
int tui_text_save(const struct tui_text *t, const char *path, struct err *reterr);

struct tui_list {
	size_t count, at, top; /* at < count where count > 0 */
};
bool tui_list_key(struct tui_list *l, int key, int page);
/* tui_list_fit - after @count or the number of @rows changed: at and top in range. */
void tui_list_fit(struct tui_list *l, size_t count, int rows);

#endif
