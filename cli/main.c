/* main.c - the process: locale, descriptors, signals; the rest is cli_main(). */
#include "cli/command.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

/* A caller may have closed 0, 1 or 2. Without this the next file opened, a drive perhaps, would
 * get that number, and messages would be written to it. O_PATH: reads and writes fail with EBADF,
 * as they would have. */
static void keep_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/", O_PATH) != fd)
			_Exit(EXIT_DEVICE);
}

/* Not SIG_IGN: that would be inherited by the commands that we start. */
static void on_sigpipe(int sig)
{
	(void)sig; /* the write returns EPIPE */
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_sigpipe, .sa_flags = SA_RESTART };
	struct cli cli;

	keep_standard_descriptors();
	(void)sigaction(SIGPIPE, &act, NULL); /* a valid signal and action: cannot fail */
	/* Characters only: numbers are written and read the same way everywhere. An unknown
	 * locale leaves "C". */
	(void)setlocale(LC_CTYPE, "");
	cli_init(&cli, argc, argv);
	cli.self = "/proc/self/exe"; /* here alone: in a unit program that would be the tests */
	return cli_main(&cli);
}
