/* text.c - text measured in terminal columns. */
#include "cli/text.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

/* What one character looks like on the screen. */
struct glyph {
	const char *bytes;
	size_t len;
	size_t columns;
};

static const struct glyph question = { "?", 1, 1 };

/* Decodes one sequence of @s by hand: the program's own texts are UTF-8 whatever the locale is.
 * Returns bytes used, >= 1; *ret is WEOF for broken ones. */
static size_t decode(const char *s, wint_t *ret)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *b = (const unsigned char *)s;
	size_t len = b[0] < 0x80 ? 1 : b[0] < 0xc2 ? 0 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 :
		b[0] < 0xf5 ? 4 : 0;
	uint32_t cp = b[0];

	*ret = WEOF;
	if (len == 0)
		return 1;
	if (len > 1)
		cp &= 0x7fu >> len;
	for (size_t i = 1; i < len; i++) {
		if ((b[i] & 0xc0) != 0x80)
			return i;
		cp = cp << 6 | (b[i] & 0x3f);
	}
	if (cp >= smallest[len] && cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff))
		*ret = cp;
	return len;
}

static size_t next_glyph(const char *s, bool utf8, struct glyph *ret)
{
	wint_t cp;
	size_t used = decode(s, &cp);
	int columns = -1;

	if (cp != WEOF && cp >= 0x20 && cp != 0x7f)
		columns = cp < 0x7f ? 1 : utf8 ? wcwidth((wchar_t)cp) : -1;
	if (columns < 0)
		*ret = question;
	else
		*ret = (struct glyph){ s, used, (size_t)columns };
	return used;
}

size_t text_width(const char *s, bool utf8)
{
	size_t width = 0;

	while (*s) {
		struct glyph g;

		s += next_glyph(s, utf8, &g);
		width += g.columns;
	}
	return width;
}

/* Prints what fits into @columns, leaving out the first @skip columns. */
static size_t print_span(FILE *f, const char *s, size_t skip, size_t columns, bool utf8)
{
	size_t at = 0, used = 0;

	while (*s) {
		struct glyph g;

		s += next_glyph(s, utf8, &g);
		at += g.columns;
		if (at < skip + g.columns || (g.columns == 0 && at == skip && skip > 0))
			continue; /* begins left of the span, as do marks on its last character */
		if (at - skip > columns)
			break;
		(void)fwrite(g.bytes, 1, g.len, f); /* the stream keeps its error */
		used += g.columns;
	}
	return used;
}

size_t text_print_cut_at(FILE *f, const char *s, size_t columns, enum text_cut cut, bool utf8)
{
	size_t width = text_width(s, utf8);
	size_t dots = utf8 ? 1 : 3, head, tail;

	if (width <= columns)
		return print_span(f, s, 0, columns, utf8);
	if (columns <= dots)
		return print_span(f, s, 0, columns, utf8);
	tail = cut == TEXT_CUT_MIDDLE ? (columns - dots + 1) / 2 : 0;
	head = print_span(f, s, 0, columns - dots - tail, utf8);
	fputs(utf8 ? "\xe2\x80\xa6" : "...", f);
	if (tail)
		tail = print_span(f, s, width - tail, tail, utf8);
	return head + dots + tail;
}

size_t text_print_cut(FILE *f, const char *s, size_t columns, bool utf8)
{
	return text_print_cut_at(f, s, columns, TEXT_CUT_END, utf8);
}

/* As it is but for control characters and broken UTF-8: texts name files and devices. */
static void print_word(FILE *f, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		struct glyph g;

		s += next_glyph(s, true, &g);
		(void)fwrite(g.bytes, 1, g.len, f); /* the stream keeps its error */
	}
}

void text_wrap(FILE *f, const char *s, int at, int left, int right)
{
	bool first = true;

	for (;;) {
		size_t len;

		s += strspn(s, " \t\n");
		len = strcspn(s, " \t\n");
		if (len == 0)
			return;
		if (!first && at + 1 + (int)len > right) {
			fprintf(f, "\n%*s", left, "");
			at = left;
		} else if (!first) {
			fputc(' ', f);
			at++;
		}
		print_word(f, s, len);
		at += (int)len;
		s += len;
		first = false;
	}
}
