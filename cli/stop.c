/* stop.c - signals that ask for an end, as a flag. */
#include "cli/stop.h"

#include "cli/term.h"
#include "cli/tui_screen.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ECHO_NS 250000000LL

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };
#define STOP_COUNT (sizeof(stop_signals) / sizeof(*stop_signals))

static atomic_bool stop_raised;
static atomic_int first_signal;
static atomic_llong first_ns;
static struct sigaction old_action[STOP_COUNT];
static bool began;

/* A handler may use lock-free atomics and nothing else of stdatomic.h. */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2 &&
	ATOMIC_LLONG_LOCK_FREE == 2, "flags must be lock-free");

static long long now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail; async-signal-safe */
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void on_signal(int sig)
{
	int saved = errno, none = 0;

	if (atomic_compare_exchange_strong(&first_signal, &none, sig)) {
		atomic_store(&first_ns, now_ns());
		atomic_store(&stop_raised, true);
	} else if (sig == SIGINT && now_ns() - atomic_load(&first_ns) > ECHO_NS) {
		term_leave();
		tui_screen_leave();
		(void)signal(SIGINT, SIG_DFL);
		(void)kill(getpid(), SIGINT); /* delivered when this handler returns */
	}
	errno = saved;
}

int stop_begin(struct err *reterr)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	if (began)
		return 0;
	(void)sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < STOP_COUNT; i++) {
		if (sigaction(stop_signals[i], NULL, &old_action[i]) < 0)
			return err_set(reterr, ERR_INTERNAL, -errno, "signal %d: %s",
				stop_signals[i], strerror(errno));
		if (old_action[i].sa_handler != SIG_IGN)
			(void)sigaction(stop_signals[i], &act, NULL); /* as allowed as the above */
	}
	began = true;
	return 0;
}

void stop_end(void)
{
	if (!began)
		return;
	for (size_t i = 0; i < STOP_COUNT; i++)
		(void)sigaction(stop_signals[i], &old_action[i], NULL);
	began = false;
}

const atomic_bool *stop_flag(void)
{
	return &stop_raised;
}

int stop_signal(void)
{
	return atomic_load(&first_signal);
}

const char *stop_signal_word(void)
{
	switch (stop_signal()) {
	case SIGINT:
		return "SIGINT";
	case SIGTERM:
		return "SIGTERM";
	case SIGHUP:
		return "SIGHUP";
	}
	return "";
}

int stop_exit_status(void)
{
	int sig = stop_signal();

	return sig ? 128 + sig : EXIT_SIGINT;
}
