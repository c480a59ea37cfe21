/* manpage.c - ssdqual-COMMAND(8) from the command's table, in mdoc. */
#include "cli/completion.h"

#include <string.h>

#include "cli/help.h"

/* A sentence a line, as mdoc wants it. */
static bool ends_sentence(const char *s, size_t len)
{
	return len > 2 && strchr(".?!", s[0]) && strchr(" \n", s[1]);
}

/* @len bytes as running text: a control character of roff stands nowhere at a line's start, and a
 * backslash is one. */
static void put_text(FILE *f, const char *s, size_t len)
{
	bool start = true;

	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (start && (c == ' ' || c == '\n'))
			continue;
		if (start && (c == '.' || c == '\''))
			fputs("\\&", f);
		start = false;
		if (c == '\\')
			fputs("\\e", f);
		else
			fputc(c == '\n' ? ' ' : c, f);
		if (ends_sentence(s + i, len - i)) {
			fputc('\n', f);
			start = true;
		}
	}
	if (!start)
		fputc('\n', f);
}

/* Words of a macro's line: quoted, so that none of them is a macro itself. */
static void put_words(FILE *f, const char *s)
{
	fputs("\\&", f);
	for (; *s; s++) {
		if (*s == '\\')
			fputs("\\e", f);
		else if (*s == '"')
			fputs("\\(dq", f);
		else
			fputc(*s, f);
	}
}

static void put_option(FILE *f, const struct opt *o, const void *defaults)
{
	char text[1024];

	fputs(".It ", f);
	if (o->short_name)
		fprintf(f, "Fl %c , ", o->short_name);
	fprintf(f, "Fl -%s", o->name);
	if (o->arg) {
		fputs(" Ar \"", f);
		put_words(f, o->arg);
		fputc('"', f);
	}
	fputc('\n', f);
	help_explanation(o, defaults, text, sizeof(text));
	put_text(f, text, strlen(text));
}

static void put_options(FILE *f, const struct opt *opts, const void *defaults)
{
	bool any = false;

	for (const struct opt *o = opts; o && o->name; o++) {
		if (o->hidden)
			continue;
		if (!any)
			fputs(".Bl -tag -width Ds\n", f);
		any = true;
		put_option(f, o, defaults);
	}
	if (any)
		fputs(".El\n", f);
}

/* Paragraphs as print_details() of help.c has them: a line with a dash begins anew, one with a
 * blank is kept as it is. */
static void put_details(FILE *f, const char *s)
{
	while (*s) {
		size_t len = strcspn(s, "\n");

		if (*s == '\n') {
			s++;
			continue;
		}
		if (*s == ' ') {
			fputs(".Dl \"", f);
			for (size_t i = strspn(s, " "); i < len; i++)
				fputs(s[i] == '\\' ? "\\e" : s[i] == '"' ? "\\(dq" :
					(char[2]){ s[i], '\0' }, f);
			fputs("\"\n", f);
		} else {
			while (s[len] && !strchr("\n -", s[len + 1]))
				len += 1 + strcspn(s + len + 1, "\n");
			fputs(".Pp\n", f);
			put_text(f, s, len);
		}
		s += len + (s[len] == '\n');
	}
}

static void put_examples(FILE *f, const char *s)
{
	fputs(".Sh EXAMPLES\n.Bd -literal\n", f);
	for (; *s; s++) {
		if (*s == '\\')
			fputs("\\e", f);
		else
			fputc(*s, f);
	}
	fputs("\n.Ed\n", f);
}

void manpage_print(FILE *f, const struct command *c)
{
	char summary[128];

	(void)snprintf(summary, sizeof(summary), "%s.", c->summary); /* a line of the list: fits */
	fprintf(f, ".\\\" Made from the program's tables by `ssdqual manpage %s`.\n"
		   ".Dd $Mdocdate$\n.Dt SSDQUAL-", c->name);
	for (const char *s = c->name; *s; s++)
		fputc(*s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s, f);
	fprintf(f, " 8\n.Os\n.Sh NAME\n.Nm ssdqual-%s\n.Nd %c%s\n.Sh SYNOPSIS\n.Nm ssdqual Cm %s\n"
		   ".Op Ar options\n", c->name, c->summary[0] | 0x20, c->summary + 1, c->name);
	if (c->operands && *c->operands) {
		fputs(".Ar \"", f);
		put_words(f, c->operands);
		fputs("\"\n", f);
	}
	fprintf(f, ".Sh DESCRIPTION\n");
	put_text(f, summary, strlen(summary));
	fputs(".Xr ssdqual 8\nexplains it with the others, the exit status and the files.\n", f);
	if (c->details)
		put_details(f, c->details);
	fputs(".Sh OPTIONS\n", f);
	put_options(f, c->opts, c->cfg_defaults);
	fputs(".Ss Options of every command\n", f);
	put_options(f, common_opts, NULL);
	if (c->examples)
		put_examples(f, c->examples);
	fputs(".Sh SEE ALSO\n.Xr ssdqual 8\n", f);
}
