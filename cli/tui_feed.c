/* tui_feed.c - reads the lines of a run's feed. */
#include "cli/tui_feed.h"

#include "data/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tui_feed_init(struct tui_feed *f)
{
	*f = (struct tui_feed){ .seconds = NAN, .endurance_share = NAN, .write_bytes = NAN,
		.fill_bytes = NAN, .done_bytes = NAN, .row_s = NAN, .elapsed_s = NAN,
		.left_s = NAN, .temperature_c = NAN, .temperature_max_c = NAN,
		.used_percent = NAN };
}

static double number(const struct json *line, const char *key)
{
	double v = NAN;
	uint64_t u;

	if (json_u64(json_get(line, key), &u))
		return (double)u;
	(void)json_f64(json_get(line, key), &v); /* else it stays unknown */
	return v;
}

static unsigned whole(const struct json *line, const char *key)
{
	uint64_t u;

	return json_u64(json_get(line, key), &u) && u < 1000000000 ? (unsigned)u : 0;
}

static void text(char *buf, size_t size, const struct json *line, const char *key)
{
	const char *s = json_str(json_get(line, key));

	(void)snprintf(buf, size, "%s", s ? s : ""); /* cut: for show */
}

static void on_begin(struct tui_feed *f, const struct json *line)
{
	tui_feed_init(f);
	f->begun = true;
	f->pid = (pid_t)whole(line, "pid");
	text(f->target, sizeof(f->target), line, "target");
	text(f->battery, sizeof(f->battery), line, "battery");
	f->seconds = f->left_s = number(line, "seconds");
	f->endurance_share = number(line, "endurance_share");
	f->write_bytes = number(line, "write_bytes");
}

static void on_spawned(struct tui_feed *f, const struct json *line)
{
	f->pid = (pid_t)whole(line, "pid");
}

static void on_health(struct tui_feed *f, const struct json *line)
{
	f->temperature_c = number(line, "temperature_c");
	f->temperature_max_c = fmax(f->temperature_max_c, f->temperature_c);
	f->used_percent = number(line, "used_percent");
}

static void on_fill(struct tui_feed *f, const struct json *line)
{
	text(f->what, sizeof(f->what), line, "what");
	f->fill_bytes = number(line, "bytes");
	f->done_bytes = 0;
}

static void on_row(struct tui_feed *f, const struct json *line)
{
	f->what[0] = '\0';
	text(f->key, sizeof(f->key), line, "key");
	text(f->label, sizeof(f->label), line, "label");
	text(f->cache, sizeof(f->cache), line, "cache");
	f->number = whole(line, "number");
	f->of = whole(line, "of");
	f->row_s = number(line, "seconds");
	f->elapsed_s = 0;
	f->count = 0; /* another row has another scale */
	f->octave_count = 0;
}

static void take_octaves(struct tui_feed *f, const struct json *list)
{
	f->octave_count = 0;
	(void)snprintf(f->octaves_of, sizeof(f->octaves_of), "%s%s%s", f->key,
		f->cache[0] ? ", cache " : "", f->cache);
	for (const struct json *p = json_first(list); p && f->octave_count < TUI_FEED_OCTAVES;
		p = json_next(p)) {
		double upper, count;

		if (!json_f64(json_at(p, 0), &upper) || !json_f64(json_at(p, 1), &count))
			continue;
		f->octave[f->octave_count].upper_ns = upper;
		f->octave[f->octave_count++].count = count;
	}
}

static void on_tick(struct tui_feed *f, const struct json *line)
{
	f->elapsed_s = number(line, "elapsed_s");
	f->left_s = number(line, "left_s");
	f->done_bytes = number(line, "bytes");
	if (f->count == TUI_FEED_SECONDS) {
		f->count--;
		memmove(f->iops, f->iops + 1, f->count * sizeof(double));
		memmove(f->p50_ns, f->p50_ns + 1, f->count * sizeof(double));
		memmove(f->p99_ns, f->p99_ns + 1, f->count * sizeof(double));
	}
	f->iops[f->count] = number(line, "iops");
	f->p50_ns[f->count] = number(line, "p50_ns");
	f->p99_ns[f->count++] = number(line, "p99_ns");
	if (json_len(json_get(line, "histogram")))
		take_octaves(f, json_get(line, "histogram"));
}

static void on_row_end(struct tui_feed *f, const struct json *line)
{
	struct tui_feed_row *row;

	if (f->row_count == TUI_FEED_ROWS) {
		f->row_count--;
		memmove(f->row, f->row + 1, f->row_count * sizeof(*f->row));
	}
	row = &f->row[f->row_count++];
	*row = (struct tui_feed_row){ .iops = number(line, "iops"),
		.p50_ns = number(line, "p50_ns"), .p99_ns = number(line, "p99_ns") };
	(void)snprintf(row->key, sizeof(row->key), "%s", f->key);
	(void)snprintf(row->cache, sizeof(row->cache), "%s", f->cache);
	text(row->error, sizeof(row->error), line, "error");
	take_octaves(f, json_get(line, "histogram"));
}

static void on_end(struct tui_feed *f, const struct json *line)
{
	text(f->ended, sizeof(f->ended), line, "ended");
	if (!f->ended[0])
		(void)snprintf(f->ended, sizeof(f->ended), "ended");
	f->left_s = 0;
}

bool tui_feed_line(struct tui_feed *f, const char *bytes, size_t len)
{
	static const struct {
		const char *event;
		void (*take)(struct tui_feed *f, const struct json *line);
	} events[] = {
		{ "spawned", on_spawned }, { "begin", on_begin }, { "health", on_health }, { "fill", on_fill },
		{ "row", on_row }, { "tick", on_tick }, { "row_end", on_row_end },
		{ "end", on_end },
	};
	struct json *line = NULL;
	const char *name;
	bool known = false;

	if (json_parse(bytes, len, "feed", &line, NULL) < 0)
		return false;
	name = json_str(json_get(line, "event"));
	for (size_t i = 0; name && i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(events[i].event, name) != 0)
			continue;
		events[i].take(f, line);
		known = true;
	}
	json_free(line);
	return known;
}
