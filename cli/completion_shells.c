/* completion_shells.c - the scripts of zsh and fish. */
#include "cli/completion.h"

#include <stdlib.h>
#include <string.h>

/* -- zsh --------------------------------------------------------------------------------------- */

/* @text inside of single quotes of an _arguments spec: a colon or bracket would end it. */
static void zsh_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", f);
		else if (strchr(":[]\\", *text))
			fprintf(f, "\\%c", *text);
		else
			fputc(*text, f);
	}
}

static void zsh_action(FILE *f, const struct complete_words *w)
{
	if (w->words[0] && w->files)
		fprintf(f, "{_alternative \"words:word:(%s)\" \"files:file:_files\"}", w->words);
	else if (w->words[0])
		fprintf(f, "(%s)", w->words);
	else if (w->files)
		fputs(w->files == FILES_DIR ? "_files -/" : "_files", f);
	else
		fputc(' ', f);
}

static int zsh_options(FILE *f, const struct opt *opts, struct err *reterr)
{
	for (const struct opt *o = opts; o && o->name; o++) {
		bool value = complete_takes_value(o), many = o->type == OPT_LIST;
		struct complete_words w;
		int r;

		if (o->hidden)
			continue;
		fputs(" \\\n\t\t\t", f);
		if (o->short_name && many)
			fprintf(f, "'*'{-%c,--%s%s}'[", o->short_name, o->name, value ? "=" : "");
		else if (o->short_name)
			fprintf(f, "'(-%c --%s)'{-%c,--%s%s}'[", o->short_name, o->name,
				o->short_name, o->name, value ? "=" : "");
		else
			fprintf(f, "'%s--%s%s[", many ? "*" : "", o->name, value ? "=" : "");
		zsh_text(f, o->help);
		fputc(']', f);
		if (value) {
			r = complete_option(o, &w, reterr);
			if (r < 0)
				return r;
			fputc(':', f);
			zsh_text(f, o->arg);
			fputc(':', f);
			zsh_action(f, &w);
			free(w.words);
		}
		fputc('\'', f);
	}
	return 0;
}

static int zsh_command(FILE *f, const struct command *c, struct err *reterr)
{
	struct complete_words w;
	int r = complete_operands(c, &w, reterr);

	if (r < 0)
		return r;
	fprintf(f, "\t\t%s)\n\t\t\t_arguments -s", c->name);
	r = zsh_options(f, common_opts, reterr);
	if (r == 0)
		r = zsh_options(f, c->opts, reterr);
	if (w.words[0] || w.files) {
		fputs(" \\\n\t\t\t'*:operand:", f);
		zsh_action(f, &w);
		fputc('\'', f);
	}
	fputs(" ;;\n", f);
	free(w.words);
	return r;
}

int completion_zsh(FILE *f, struct err *reterr)
{
	int r = 0;

	fputs("#compdef ssdqual\n"
	      "# zsh completion of ssdqual, made by `ssdqual completion zsh`.\n"
	      "_ssdqual() {\n"
	      "\tlocal curcontext=$curcontext state line\n"
	      "\tlocal -a commands=(\n", f);
	for (size_t i = 0; command_table[i]; i++) {
		if (command_table[i]->hidden)
			continue;
		fprintf(f, "\t\t'%s:", command_table[i]->name);
		zsh_text(f, command_table[i]->summary);
		fputs("'\n", f);
	}
	fputs("\t)\n\t_arguments -C '1: :->command' '*:: :->rest'\n"
	      "\tcase $state in\n"
	      "\tcommand) _describe command commands ;;\n"
	      "\trest)\n\t\tcase $words[1] in\n", f);
	for (size_t i = 0; command_table[i] && r == 0; i++)
		if (!command_table[i]->hidden)
			r = zsh_command(f, command_table[i], reterr);
	fputs("\t\tesac ;;\n\tesac\n}\n"
	      "if [[ $funcstack[1] = _ssdqual ]]; then\n\t_ssdqual \"$@\"\nelse\n"
	      "\tcompdef _ssdqual ssdqual\nfi\n", f);
	return r;
}

/* -- fish -------------------------------------------------------------------------------------- */

static void fish_text(FILE *f, const char *text)
{
	fputc('\'', f);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', f);
		fputc(*text, f);
	}
	fputc('\'', f);
}

static void fish_values(FILE *f, const struct complete_words *w)
{
	if (w->files == FILES_DIR)
		fputs(" -x -a '(__fish_complete_directories)'", f);
	else
		fputs(w->files ? " -r -F" : " -x", f);
	if (w->words[0])
		fprintf(f, " -a '%s'", w->words);
}

/* @condition: when they count; NULL: always. */
static int fish_options(FILE *f, const char *condition, const struct opt *opts, struct err *reterr)
{
	for (const struct opt *o = opts; o && o->name; o++) {
		struct complete_words w;
		int r;

		if (o->hidden)
			continue;
		fputs("complete -c ssdqual", f);
		if (condition)
			fprintf(f, " -n '__fish_seen_subcommand_from %s'", condition);
		if (o->short_name)
			fprintf(f, " -s %c", o->short_name);
		fprintf(f, " -l %s", o->name);
		if (complete_takes_value(o)) {
			r = complete_option(o, &w, reterr);
			if (r < 0)
				return r;
			fish_values(f, &w);
			free(w.words);
		}
		fputs(" -d ", f);
		fish_text(f, o->help);
		fputc('\n', f);
	}
	return 0;
}

static int fish_command(FILE *f, const struct command *c, struct err *reterr)
{
	struct complete_words w;
	int r = complete_operands(c, &w, reterr);

	if (r < 0)
		return r;
	fprintf(f, "complete -c ssdqual -n __fish_use_subcommand -a %s -d ", c->name);
	fish_text(f, c->summary);
	fputc('\n', f);
	if (w.words[0] || w.files) {
		fprintf(f, "complete -c ssdqual -n '__fish_seen_subcommand_from %s'", c->name);
		fputs(w.files ? " -F" : "", f);
		if (w.words[0])
			fprintf(f, " -a '%s'", w.words);
		fputc('\n', f);
	}
	free(w.words);
	return fish_options(f, c->name, c->opts, reterr);
}

int completion_fish(FILE *f, struct err *reterr)
{
	int r;

	fputs("# fish completion of ssdqual, made by `ssdqual completion fish`.\n"
	      "complete -c ssdqual -f\n", f);
	r = fish_options(f, NULL, common_opts, reterr);
	for (size_t i = 0; command_table[i] && r == 0; i++)
		if (!command_table[i]->hidden)
			r = fish_command(f, command_table[i], reterr);
	return r;
}
