/* comma_locale.h - a locale with a decimal comma, made on the spot (Debian's minimal images have
 * none), for the tests that numbers are read and written alike everywhere. */
#ifndef SSDQUAL_TESTS_DATA_COMMA_LOCALE_H
#define SSDQUAL_TESTS_DATA_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns false, with the reason printed, where localedef cannot make it. */
static bool comma_locale_enter(void)
{
	static const char script[] =
		"cd \"$LOCPATH\" && printf '%s\\n' 'escape_char /' LC_CTYPE 'copy \"POSIX\"' "
		"'END LC_CTYPE' LC_NUMERIC 'decimal_point \",\"' 'thousands_sep \".\"' "
		"'grouping 3;3' 'END LC_NUMERIC' >source && "
		"{ localedef -c -i ./source -f ANSI_X3.4-1968 ./comma >/dev/null 2>&1; "
		"test -f comma/LC_NUMERIC; }";
	static char folder[] = "/tmp/ssdqual-locale-XXXXXX";
	char text[8];

	if (!mkdtemp(folder) || setenv("LOCPATH", folder, 1) < 0 || system(script) != 0 ||
		!setlocale(LC_NUMERIC, "comma")) {
		printf("localedef cannot make a locale here\n");
		return false;
	}
	(void)snprintf(text, sizeof(text), "%.1f", 1.5);
	return strcmp(text, "1,5") == 0;
}

static void comma_locale_leave(void)
{
	(void)setlocale(LC_NUMERIC, "C");
	if (system("rm -rf \"$LOCPATH\"") != 0)
		printf("the locale's folder is left in %s\n", getenv("LOCPATH"));
	(void)unsetenv("LOCPATH");
}

#endif
