/* help.c - help texts, made from the tables. */
#include "cli/help.h"

#include "cli/opt_show.h"
#include "cli/text.h"

#include <string.h>

#define OPT_COLUMN 28 /* where the explanations begin */

static const char *heading_of(const struct command *c)
{
	const char *text = "Other";

	for (size_t i = 0; command_table[i]; i++) {
		for (size_t k = 0; command_headings[k].first; k++)
			if (command_headings[k].first == command_table[i])
				text = command_headings[k].text;
		if (command_table[i] == c)
			break;
	}
	return text;
}

const char *help_explanation(const struct opt *o, const void *defaults, char *buf, size_t len)
{
	char words[256];
	size_t used = (size_t)snprintf(buf, len, "%s", o->help);

	if (o->type == OPT_CHOICE && used < len && !strstr(o->help, o->choices[0]))
		used += (size_t)snprintf(buf + used, len - used, ": %s",
			opt_show_choices(o, words, sizeof(words)));
	if (used < len && !strstr(o->help, "default") &&
		opt_show_default(o, defaults, words, sizeof(words)))
		(void)snprintf(buf + used, len - used, " (default: %s)", words);
	return buf;
}

static void print_explanation(FILE *f, const struct opt *o, const void *defaults)
{
	char text[1024];

	text_wrap(f, help_explanation(o, defaults, text, sizeof(text)), OPT_COLUMN, OPT_COLUMN,
		HELP_WIDTH);
	fputc('\n', f);
}

static void print_option(FILE *f, const struct opt *o, const void *defaults)
{
	char left[128];
	int used;

	used = snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", o->short_name ? '-' : ' ',
		o->short_name ? o->short_name : ' ', o->short_name ? ',' : ' ', o->name,
		o->arg ? " " : "", o->arg ? o->arg : "");
	fputs(left, f);
	if (used > OPT_COLUMN - 2) {
		fputc('\n', f);
		used = 0;
	}
	fprintf(f, "%*s", OPT_COLUMN - used, "");
	print_explanation(f, o, defaults);
}

static void print_options(FILE *f, const char *title, const struct opt *opts, const void *defaults)
{
	bool any = false;

	for (const struct opt *o = opts; o && o->name; o++) {
		if (o->hidden)
			continue;
		if (!any)
			fprintf(f, "\n%s:\n", title);
		any = true;
		print_option(f, o, defaults);
	}
}

/* Where to break a command of @len bytes so that @columns are not passed: the last blank outside of
 * quotes. 0: nowhere. */
static size_t command_break(const char *s, size_t len, size_t columns)
{
	size_t found = 0;
	char quote = '\0';

	for (size_t i = 0; i < len && i < columns; i++) {
		if (quote)
			quote = s[i] == quote ? '\0' : quote;
		else if (s[i] == '\'' || s[i] == '"')
			quote = s[i];
		else if (s[i] == ' ' && i > strspn(s, " "))
			found = i;
	}
	return found;
}

/* One command, continued with backslashes where it is too long, so that it can be copied. */
static void print_example(FILE *f, const char *s, size_t len)
{
	size_t room = HELP_WIDTH - 2 - 2; /* indentation; blank and backslash */
	size_t at;

	fputs(len ? "  " : "", f);
	while (len > room && (at = command_break(s, len, room)) > 0) {
		fprintf(f, "%.*s \\\n      ", (int)at, s);
		s += at + 1;
		len -= at + 1;
		room = HELP_WIDTH - 6 - 2;
	}
	fprintf(f, "%.*s\n", (int)len, s);
}

/* Lines as they are, but all moved so that the first one stands two columns in. */
static void print_examples(FILE *f, const char *s)
{
	size_t indent = strspn(s, " ");

	fputs("\nExamples:\n", f);
	while (*s) {
		size_t len, left = strspn(s, " ");

		s += left < indent ? left : indent;
		len = strcspn(s, "\n");
		print_example(f, s, len);
		s += len + (s[len] == '\n');
	}
}

/* The first example under each heading. */
static void print_first_examples(FILE *f)
{
	const char *done = NULL;
	bool any = false;

	for (size_t i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];
		const char *heading = heading_of(c), *line;

		if (c->hidden || !c->examples || (done && strcmp(done, heading) == 0))
			continue;
		if (!any)
			fputs("\nExamples:\n", f);
		any = true;
		done = heading;
		line = c->examples + strspn(c->examples, " ");
		print_example(f, line, strcspn(line, "\n"));
	}
}

void help_print_commands(FILE *f)
{
	const char *last = NULL;

	fputs("Usage: ssdqual COMMAND [OPTIONS]\n"
	      "       ssdqual --version\n"
	      "\n"
	      "Qualifies SSDs, and advises on caches for Ceph RBD.\n", f);
	for (size_t i = 0; command_table[i]; i++) {
		const struct command *c = command_table[i];
		const char *heading = heading_of(c);

		if (c->hidden)
			continue;
		if (!last || strcmp(last, heading) != 0)
			fprintf(f, "\n%s:\n", heading);
		last = heading;
		fprintf(f, "  %-10s ", c->name);
		text_wrap(f, c->summary, 13, 13, HELP_WIDTH);
		fputc('\n', f);
	}
	print_first_examples(f);
	fputs("\n'ssdqual COMMAND --help' explains a command; the manual is ssdqual(8).\n", f);
}

/* Bytes of the paragraph at @s: to an empty line, or one that stands for itself. */
static size_t paragraph_length(const char *s)
{
	size_t len = strcspn(s, "\n");

	while (s[len] && !strchr("\n -", s[len + 1]))
		len += 1 + strcspn(s + len + 1, "\n");
	return len;
}

/* Paragraphs are wrapped; lines that begin with a space are kept. */
static void print_details(FILE *f, const char *s)
{
	char paragraph[4096];

	while (*s) {
		size_t len;

		if (*s == ' ' || *s == '\n') {
			len = strcspn(s, "\n");
			fprintf(f, "%.*s\n", (int)len, s);
		} else {
			len = paragraph_length(s);
			(void)snprintf(paragraph, sizeof(paragraph), "%.*s", (int)len, s);
			text_wrap(f, paragraph, 0, *s == '-' ? 4 : 0, HELP_WIDTH);
			fputc('\n', f);
		}
		s += len + (s[len] == '\n');
	}
}

void help_print_command(FILE *f, const struct command *c)
{
	const char *operands = c->operands ? c->operands : "";

	fprintf(f, "Usage: ssdqual %s [OPTIONS]%s%s\n\n", c->name, *operands ? " " : "", operands);
	text_wrap(f, c->summary, 0, 0, HELP_WIDTH - 1);
	fputs(".\n", f);
	if (c->examples)
		print_examples(f, c->examples);
	print_options(f, "Options", c->opts, c->cfg_defaults);
	print_options(f, "Common options", common_opts, NULL);
	if (c->details) {
		fputc('\n', f);
		print_details(f, c->details);
	}
}

static const char *type_word(enum opt_type type)
{
	static const char *const words[] = {
		[OPT_FLAG] = "flag", [OPT_U64] = "number", [OPT_BYTES] = "size",
		[OPT_DURATION] = "duration", [OPT_RATIO] = "ratio", [OPT_STRING] = "string",
		[OPT_CHOICE] = "choice", [OPT_LIST] = "list",
	};

	return words[type];
}

static struct json *option_json(const struct opt *o)
{
	struct json *j = json_new_object(), *choices = NULL;
	char letter[2] = { o->short_name, '\0' };
	int rc;

	if (o->type == OPT_CHOICE) {
		choices = json_new_array();
		for (size_t i = 0; o->choices[i]; i++)
			if (json_append(choices, json_new_str(o->choices[i])) < 0) {
				json_free(choices);
				json_free(j);
				return NULL;
			}
	}
	rc = json_set_str(j, "name", o->name);
	rc |= json_set_str(j, "short", o->short_name ? letter : NULL);
	rc |= json_set_str(j, "type", type_word(o->type));
	rc |= json_set_str(j, "arg", o->arg);
	rc |= json_set_str(j, "help", o->help);
	rc |= json_set(j, "choices", choices ? choices : json_new_null());
	rc |= json_set_bool(j, "hidden", o->hidden);
	if (rc == 0)
		return j;
	json_free(j);
	return NULL;
}

static struct json *options_json(const struct opt *opts)
{
	struct json *list = json_new_array();

	for (const struct opt *o = opts; o && o->name; o++)
		if (json_append(list, option_json(o)) < 0) {
			json_free(list);
			return NULL;
		}
	return list;
}

struct json *help_command_json(const struct command *c)
{
	struct json *j = json_new_object();
	int rc;

	rc = json_set_str(j, "name", c->name);
	rc |= json_set_str(j, "summary", c->summary);
	rc |= json_set_str(j, "heading", heading_of(c));
	rc |= json_set_str(j, "operands", c->operands ? c->operands : "");
	rc |= json_set(j, "options", options_json(c->opts));
	rc |= json_set_bool(j, "hidden", c->hidden);
	if (rc == 0)
		return j;
	json_free(j);
	return NULL;
}

struct json *help_all_json(void)
{
	struct json *j = json_new_object(), *list = json_new_array();
	int rc = 0;

	for (size_t i = 0; command_table[i]; i++)
		rc |= json_append(list, help_command_json(command_table[i]));
	rc |= json_set_str(j, "version", SSDQUAL_VERSION);
	rc |= json_set(j, "common_options", options_json(common_opts));
	rc |= json_set(j, "commands", list);
	if (rc == 0)
		return j;
	json_free(j);
	return NULL;
}
