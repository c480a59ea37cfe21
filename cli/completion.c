/* completion.c - what may stand where, and bash's script. */
#include "cli/completion.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/resource.h"
#include "probes/battery.h"

bool complete_takes_value(const struct opt *o)
{
	return o->type != OPT_FLAG;
}

static int workload_words(FILE *f, struct err *reterr)
{
	char **names = NULL;
	int r = resource_names("workloads", &names, reterr);

	for (size_t i = 0; r == 0 && names[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", names[i]);
	resource_names_free(names);
	return r;
}

static void battery_words(FILE *f)
{
	for (size_t i = 0; battery_table[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", battery_table[i]->name);
}

static void choice_words(FILE *f, const struct opt *o)
{
	for (size_t i = 0; o->choices[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", o->choices[i]);
}

static enum complete_files files_of(const char *arg)
{
	if (!arg)
		return FILES_NONE;
	if (strcmp(arg, "DIR") == 0)
		return FILES_DIR;
	return strstr(arg, "FILE") || strstr(arg, "PATH") || strstr(arg, "SOCKET") ? FILES_ANY :
		FILES_NONE;
}

int complete_option(const struct opt *o, struct complete_words *ret, struct err *reterr)
{
	size_t len;
	FILE *f = open_memstream(&ret->words, &len);
	int r = 0;

	if (!f)
		return err_nomem(reterr);
	ret->files = files_of(o->arg);
	if (o->type == OPT_CHOICE)
		choice_words(f, o);
	else if (strcmp(o->name, "workload") == 0)
		r = workload_words(f, reterr);
	else if (strcmp(o->name, "battery") == 0)
		battery_words(f);
	if (fclose(f) != 0 && r == 0)
		r = err_nomem(reterr);
	if (r < 0)
		free(ret->words);
	return r;
}

static void command_words(FILE *f)
{
	const char *gap = "";

	for (size_t i = 0; command_table[i]; i++) {
		if (command_table[i]->hidden)
			continue;
		fprintf(f, "%s%s", gap, command_table[i]->name);
		gap = " ";
	}
}

/* One word of the operands: "list" stands for itself, FILE for a file, COMMAND for a command. */
static void operand_word(FILE *f, const char *word, size_t len, struct complete_words *ret)
{
	static const char *const files[] = { "FILE", "RESULT", "DEV", "TARGET", "DUMP", "BASE", "NEW",
		"CMD" };

	if (len == 7 && strncmp(word, "COMMAND", len) == 0)
		command_words(f);
	if (islower((unsigned char)word[0]) && word[len] != ':')
		fprintf(f, "%s%.*s", ftell(f) ? " " : "", (int)len, word);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strlen(files[i]) == len && strncmp(word, files[i], len) == 0)
			ret->files = FILES_ANY;
}

int complete_operands(const struct command *c, struct complete_words *ret, struct err *reterr)
{
	size_t len, n;
	FILE *f = open_memstream(&ret->words, &len);

	if (!f)
		return err_nomem(reterr);
	ret->files = FILES_NONE;
	for (const char *s = c->operands ? c->operands : ""; *s; s += n ? n : 1) {
		for (n = 0; isalpha((unsigned char)s[n]) || (n && s[n] == '-'); n++)
			;
		if (n)
			operand_word(f, s, n, ret);
	}
	return fclose(f) == 0 ? 0 : err_nomem(reterr);
}

/* -- bash -------------------------------------------------------------------------------------- */

static void bash_reply(FILE *f, const char *words, enum complete_files files)
{
	if (words[0])
		fprintf(f, "\t\tCOMPREPLY+=($(compgen -W '%s' -- \"$cur\"))\n", words);
	if (files)
		fprintf(f, "\t\tcompopt -o filenames 2>/dev/null\n"
			   "\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < "
			   "<(compgen -%c -- \"$cur\")\n", files == FILES_DIR ? 'd' : 'f');
	fputs("\t\treturn ;;\n", f);
}

/* @command: "*" for the common options. */
static int bash_values(FILE *f, const char *command, const struct opt *opts, struct err *reterr)
{
	for (const struct opt *o = opts; o && o->name; o++) {
		struct complete_words w;
		int r;

		if (!complete_takes_value(o) || o->hidden)
			continue;
		r = complete_option(o, &w, reterr);
		if (r < 0)
			return r;
		fprintf(f, "\t%s' --%s'", command, o->name);
		if (o->short_name)
			fprintf(f, "|%s' -%c'", command, o->short_name);
		fputs(")\n", f);
		bash_reply(f, w.words, w.files);
		free(w.words);
	}
	return 0;
}

static void bash_names(FILE *f, const struct opt *opts)
{
	for (const struct opt *o = opts; o && o->name; o++) {
		if (o->hidden)
			continue;
		if (o->short_name)
			fprintf(f, " -%c", o->short_name);
		fprintf(f, " --%s", o->name);
	}
}

static int bash_command(FILE *f, const struct command *c, struct err *reterr)
{
	struct complete_words w;
	int r = complete_operands(c, &w, reterr);

	if (r < 0)
		return r;
	fprintf(f, "\t%s' -'*)\n\t\tCOMPREPLY+=($(compgen -W '", c->name);
	bash_names(f, common_opts);
	bash_names(f, c->opts);
	fprintf(f, "' -- \"$cur\"))\n\t\treturn ;;\n\t%s' '*)\n", c->name);
	bash_reply(f, w.words, w.files);
	free(w.words);
	return 0;
}

static int bash_cases(FILE *f, struct err *reterr)
{
	int r;

	fputs("\tcase \"$cmd $prev\" in\n", f);
	r = bash_values(f, "*", common_opts, reterr);
	for (size_t i = 0; command_table[i] && r == 0; i++)
		if (!command_table[i]->hidden)
			r = bash_values(f, command_table[i]->name, command_table[i]->opts, reterr);
	fputs("\tesac\n\tcase \"$cmd $cur\" in\n", f);
	for (size_t i = 0; command_table[i] && r == 0; i++)
		if (!command_table[i]->hidden)
			r = bash_command(f, command_table[i], reterr);
	fputs("\tesac\n", f);
	return r;
}

int completion_bash(FILE *f, struct err *reterr)
{
	int r;

	fputs("# bash completion of ssdqual, made by `ssdqual completion bash`.\n"
	      "# shellcheck shell=bash disable=SC2207\n"
	      "_ssdqual() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd= i\n"
	      "\tCOMPREPLY=()\n"
	      "\t# bash parts --option=value at the equals sign\n"
	      "\tif [[ $cur == = ]]; then\n"
	      "\t\tcur=\n"
	      "\telif [[ $prev == = ]]; then\n"
	      "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tfi\n"
	      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n"
	      "\t\t--color|--sysroot|--replay) ((i++)) ;;\n"
	      "\t\t-*|=) ;;\n"
	      "\t\t*) cmd=${COMP_WORDS[i]}; break ;;\n"
	      "\t\tesac\n"
	      "\tdone\n", f);
	r = bash_cases(f, reterr);
	fputs("\t[[ -n $cmd ]] && return\n\tCOMPREPLY=($(compgen -W '", f);
	command_words(f);
	bash_names(f, common_opts);
	fputs(" --version' -- \"$cur\"))\n}\ncomplete -F _ssdqual ssdqual\n", f);
	return r;
}
