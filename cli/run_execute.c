/* run_execute.c - open the target, prove that it is the one decided on, measure. */
#include "cli/run.h"

#include "cli/health.h"
#include "cli/run_live.h"
#include "cli/stop.h"
#include "cli/term.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int run_tool_section(const struct cli *cli, struct result *res, struct err *reterr)
{
	struct json *tool = result_section(res, "tool"), *argv = json_new_array();
	int r = 0;

	for (int i = 0; i < cli->argc && argv; i++)
		r |= json_append(argv, json_new_str(cli->argv[i]));
	r |= json_set_str(tool, "name", "ssdqual");
	r |= json_set_str(tool, "version", SSDQUAL_VERSION);
	r |= json_set(tool, "argv", argv);
	return r ? err_nomem(reterr) : 0;
}

/* Held open, exclusively where it is a device, from the last check to the end of the run. */
static int open_target(const struct run_cfg *cfg, struct run_target *rt, int *ret_fd,
	struct err *reterr)
{
	int fd = -1, r;

	if (rt->target->kind == TARGET_DIR) {
		*ret_fd = -1;
		return 0;
	}
	if (run_reads_only(cfg, rt->target)) {
		if (rt->plan.write_bytes)
			return err_set(reterr, ERR_INTERNAL, -EPERM,
				"%s: a row would write without consent", rt->target->given);
		return target_open(rt->target, O_RDONLY, ret_fd, reterr);
	}
	r = run_recheck(cfg, rt, reterr);
	if (r == 0)
		r = target_open(rt->target, O_RDWR, &fd, reterr);
	if (r == 0 && cfg->wipe_signatures && rt->safety.signature_count)
		r = safety_wipe_signatures(rt->target, fd, reterr);
	if (r < 0) {
		if (fd >= 0)
			(void)close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

/* The drive's health is read around the rows: what it was charged for them is the difference. */
static int measure(const struct cli *cli, const struct run_cfg *cfg, struct run_target *rt, int fd,
	const struct session_watch *watch, struct result *res, struct err *reterr)
{
	const struct json *identity = rt->target->identity;
	struct err later = ERR_INIT;
	int r = health_note(cli, identity, res, "before", reterr), noted;

	if (r == 0 && cfg->rated_tbw && json_set_u64(result_section(res, "settings"),
			"rated_tbw_bytes", cfg->rated_tbw) < 0)
		r = err_nomem(reterr);
	if (r < 0)
		return r;
	r = session_run(rt->target, &rt->plan, fd, rt->guard, watch, res, reterr);
	noted = health_note(cli, identity, res, "after", r < 0 ? &later : reterr);
	return r < 0 ? r : noted;
}

/* What is measured, and who is shown how it goes on. */
static int watched(struct cli *cli, const struct run_cfg *cfg, struct run_target *rt, int fd,
	struct result *res, struct err *reterr)
{
	struct cli silent = *cli;
	struct session_watch watch;
	struct progress progress;
	struct progress_sink sink = { .line = NULL };
	struct progress_feed feed;
	struct run_live *live = NULL;
	int r = cfg->live ? run_live_begin(cli, &live, &sink, reterr) : 0;

	if (r < 0)
		return r;
	if (live) /* no lines into its screen */
		silent.progress = false;
	progress_init(&progress, &silent, &rt->plan, &watch);
	watch.stop = stop_flag();
	progress_feed_init(&feed, cli, cfg->progress_fd, sink, &progress, rt, &watch);
	r = run_tool_section(cli, res, reterr);
	if (r == 0)
		r = measure(cli, cfg, rt, fd, &watch, res, reterr);
	progress_feed_end(&feed, res);
	run_live_end(live);
	term_status_done(cli);
	return r;
}

int run_execute(struct cli *cli, const struct run_cfg *cfg, struct run_target *rt,
	struct result **ret_result, struct err *reterr)
{
	struct result *res;
	int fd, r;

	r = stop_begin(reterr);
	if (r < 0)
		return r;
	r = open_target(cfg, rt, &fd, reterr);
	if (r < 0)
		return r;
	res = result_new();
	if (!res) {
		r = err_nomem(reterr);
	} else {
		*ret_result = res;
		r = watched(cli, cfg, rt, fd, res, reterr);
	}
	if (fd >= 0)
		(void)close(fd);
	return r;
}
