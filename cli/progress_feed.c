/* progress_feed.c - lines of JSON about a run that goes on. */
#include "cli/progress_feed.h"

#include "cli/health.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_read(const struct progress_feed *f)
{
	return f->fd >= 0 || f->sink.line;
}

/* Takes @line. A line that cannot be written whole would spoil the next: then the feed ends. */
static void send_line(struct progress_feed *f, struct json *line)
{
	char *text = line && is_read(f) ? json_print(line, false) : NULL;
	size_t len = text ? strlen(text) : 0, done = 0;

	json_free(line);
	if (!text)
		return; /* no memory: the reader misses one line */
	if (f->sink.line)
		f->sink.line(f->sink.ctx, text, len);
	text[len++] = '\n'; /* in the place of the NUL */
	while (f->fd >= 0 && done < len) {
		ssize_t n = write(f->fd, text + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			f->fd = -1;
		else
			done += (size_t)n;
	}
	free(text);
}

static struct json *event(const char *name)
{
	struct json *line = json_new_object();

	(void)json_set_str(line, "event", name); /* no memory: NULL all along, and not sent */
	return line;
}

static void send_health(struct progress_feed *f)
{
	struct smart_health h;
	struct json *line;

	if (!is_read(f) || health_read(f->cli, f->rt->target->identity, &h, NULL) < 0)
		return;
	line = event("health");
	(void)json_set_f64(line, "temperature_c", h.temperature_c);
	(void)json_set_f64(line, "used_percent", h.percent_used);
	send_line(f, line);
}

static void fill_begin(void *ctx, const char *what, uint64_t bytes)
{
	struct progress_feed *f = ctx;
	struct json *line = event("fill");

	f->inner.fill_begin(f->inner.ctx, what, bytes);
	(void)json_set_str(line, "what", what);
	(void)json_set_u64(line, "bytes", bytes);
	send_line(f, line);
}

static void row_begin(void *ctx, const struct plan_row *row, const char *cache, size_t number,
	size_t of)
{
	struct progress_feed *f = ctx;
	struct json *line = event("row");

	f->inner.row_begin(f->inner.ctx, row, cache, number, of);
	(void)json_set_str(line, "key", row->row->key);
	(void)json_set_str(line, "label", row->row->label);
	(void)json_set_str(line, "cache", cache);
	(void)json_set_u64(line, "number", number);
	(void)json_set_u64(line, "of", of);
	(void)json_set_f64(line, "seconds", f->progress->row_s);
	send_line(f, line);
}

/* Octaves: as many as a screen has room for. */
static struct json *octaves(const struct hist *h)
{
	struct json *list = json_new_array();
	uint64_t edge = 1, count = 0;

	for (uint32_t i = 0; h && i < HIST_BUCKETS; i++) {
		uint64_t low, high;

		hist_edges(i, &low, &high);
		while (low > edge) {
			struct json *pair = count ? json_new_array() : NULL;

			if (pair) {
				(void)json_append(pair, json_new_u64(edge));
				(void)json_append(pair, json_new_u64(count));
				(void)json_append(list, pair);
			}
			count = 0;
			edge = edge * 2 + 1;
		}
		count += h->bucket[i];
	}
	return list;
}

static void tick(void *ctx, const struct load_tick *t)
{
	struct progress_feed *f = ctx;
	struct json *line = event("tick");
	double left = f->progress->row_s - t->elapsed_s;

	f->inner.tick(f->inner.ctx, t);
	(void)json_set_f64(line, "elapsed_s", t->elapsed_s);
	if (!f->progress->fill_bytes)
		(void)json_set_f64(line, "left_s",
			f->progress->left_after_s + (left > 0 ? left : 0));
	(void)json_set_u64(line, "bytes", t->bytes);
	(void)json_set_f64(line, "iops", t->last.iops);
	(void)json_set_f64(line, "bw_bytes", t->last.bw_bytes);
	(void)json_set_f64(line, "p50_ns", t->last.p50_ns);
	(void)json_set_f64(line, "p99_ns", t->last.p99_ns);
	(void)json_set_f64(line, "max_ns", t->last.max_ns);
	if (!f->progress->fill_bytes)
		(void)json_set(line, "histogram", octaves(t->lat));
	send_line(f, line);
}

static void row_end(void *ctx, const struct measurement *m)
{
	struct progress_feed *f = ctx;
	struct json *line = event("row_end");

	f->inner.row_end(f->inner.ctx, m);
	(void)json_set_f64(line, "iops", m->iops);
	(void)json_set_f64(line, "p50_ns", m->lat.pct_ns[LAT_P50]);
	(void)json_set_f64(line, "p99_ns", m->lat.pct_ns[LAT_P99]);
	(void)json_set_str(line, "error", m->error);
	(void)json_set(line, "histogram", octaves(m->lat.hist));
	send_line(f, line);
	send_health(f);
}

void progress_feed_init(struct progress_feed *f, const struct cli *cli, uint64_t fd,
	struct progress_sink sink, const struct progress *p, const struct run_target *rt,
	struct session_watch *watch)
{
	struct json *line;

	*f = (struct progress_feed){ .cli = cli, .progress = p, .rt = rt, .inner = *watch,
		.fd = fd ? (int)fd : -1, .sink = sink };
	/* Not for the programs that we start: whoever waits for the end of the feed waits for us. */
	if (f->fd >= 0 && fcntl(f->fd, F_SETFD, FD_CLOEXEC) < 0)
		f->fd = -1;
	if (!is_read(f))
		return;
	*watch = (struct session_watch){ .fill_begin = fill_begin, .row_begin = row_begin,
		.tick = tick, .row_end = row_end, .ctx = f, .stop = watch->stop };
	line = event("begin");
	(void)json_set_u64(line, "pid", (uint64_t)getpid());
	(void)json_set_str(line, "target", rt->target->given);
	(void)json_set_str(line, "battery", rt->plan.battery->name);
	(void)json_set_u64(line, "legs", rt->plan.legs);
	(void)json_set_f64(line, "seconds", rt->plan.seconds);
	(void)json_set_u64(line, "write_bytes", rt->plan.write_bytes);
	(void)json_set_f64(line, "endurance_share", rt->plan.endurance_share);
	send_line(f, line);
	send_health(f);
}

void progress_feed_end(struct progress_feed *f, const struct result *res)
{
	struct json *line = event("end");

	(void)json_set_str(line, "ended", json_str(json_path(res->doc, "settings.ended")));
	send_line(f, line);
}
