/* text.h - text measured in terminal columns.
 *
 * Input is UTF-8 and may come from a device or a file: control characters and broken sequences are
 * shown as '?', and where the locale shows ASCII only, so is every other character.
 */
#ifndef SSDQUAL_CLI_TEXT_H
#define SSDQUAL_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum text_cut { TEXT_CUT_END, TEXT_CUT_MIDDLE }; /* where the ellipsis stands */

size_t text_width(const char *s, bool utf8);

/* text_print_cut - print @s in at most @columns columns, cut at the end. Returns columns used. */
size_t text_print_cut(FILE *f, const char *s, size_t columns, bool utf8);
size_t text_print_cut_at(FILE *f, const char *s, size_t columns, enum text_cut cut, bool utf8);

/* text_wrap - print @s as a paragraph: words up to column @right (exclusive), following lines
 * begin with @left spaces. The cursor is at column @at when called; no newline at the end. */
void text_wrap(FILE *f, const char *s, int at, int left, int right);

#endif
