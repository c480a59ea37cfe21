/* accuracy_guest.c - the guest's fdatasync: guest/guest.csv against the simulated stacks.
 *
 * Columns: filesystem, setting, lap, think_us, syncs, mean_us, p50_us, p90_us, p99_us, ... A row is
 * a VM whose application wrote 8000 B and called fdatasync: first lap (the journal commits) or
 * overwrite. b comes from the pairs without cache on the host at the row's pause; nothing of a guest
 * row is used but the time that the emulated guest itself takes (SIM_GUEST_REQUEST_NS), and how long
 * its earlier rows without a pause lasted (note_before()).
 * Held: p50 within 40 %, and the order of the settings of one load: which is slower than no cache.
 */
#include "tests/bench/accuracy.h"

#include "policies/sim_constants.h"
#include "policies/sim_guest.h"
#include "policies/sim_inputs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 200
#define SEEDS    5
#define BYTES    8000
#define BOUND    0.4
/* Two settings of a load are told apart when they differ by more than the rows' own spread. */
#define TOLD_APART 1.2

struct row {
	char fs[16], setting[32], lap[16];
	double think_us, syncs, mean_us, p50_us, p99_us; /* measured */
	double before_s;                     /* the guest's earlier rows without a pause */
	double got_p50_us, got_p99_us;       /* predicted; NAN: not */
};

enum column { FS, SETTING, LAP, THINK, SYNCS, MEAN, P50, P90, P99, COLUMNS };

static bool number(const char *text, double *ret)
{
	char *end;

	*ret = strtod(text, &end);
	return end != text;
}

static bool parse_row(char *line, struct row *r)
{
	char *field[COLUMNS], *save = NULL;

	for (unsigned i = 0; i < COLUMNS; i++) {
		field[i] = strtok_r(i ? NULL : line, ",", &save);
		if (!field[i])
			return false;
	}
	snprintf(r->fs, sizeof(r->fs), "%s", field[FS]);
	snprintf(r->setting, sizeof(r->setting), "%s", field[SETTING]);
	snprintf(r->lap, sizeof(r->lap), "%s", field[LAP]);
	return number(field[THINK], &r->think_us) && number(field[SYNCS], &r->syncs) &&
		number(field[MEAN], &r->mean_us) && number(field[P50], &r->p50_us) &&
		number(field[P99], &r->p99_us);
}

static enum cache_mode mode_of(const char *setting)
{
	if (strncmp(setting, "pwl-ssd", 7) == 0)
		return CACHE_PWL_SSD; /* a cache below it never sees the first user flush */
	if (strcmp(setting, "writearound") == 0)
		return CACHE_WRITEAROUND;
	return strcmp(setting, "writeback") == 0 ? CACHE_WRITEBACK :
		strcmp(setting, "writethrough") == 0 ? CACHE_WRITETHROUGH : CACHE_NONE;
}

static double own_s(const struct row *r)
{
	return r->syncs * (r->mean_us + r->think_us) / 1e6;
}

/* note_before - rows of one guest and setting are one session, in the order of the file: that of
 * syncs x mean, which is 15 s without a pause and then 7 to 8 s with it for each. A write log keeps
 * what the first part has left in it. */
static void note_before(struct row *row, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < i && row[i].think_us > 0; k++)
			if (row[k].think_us == 0 && strcmp(row[k].fs, row[i].fs) == 0 &&
				strcmp(row[k].setting, row[i].setting) == 0)
				row[i].before_s += own_s(&row[k]);
}

static void set_load(const struct row *r, struct sim_client *x)
{
	bool first = strcmp(r->lap, "first") == 0;

	*x = (struct sim_client){ .depth = 1, .pattern = SIM_SEQUENTIAL, .span_bytes = 24 << 20,
		.journal_bytes = SIM_GUEST_JOURNAL_BYTES,
		.submit_ns = (uint64_t)SIM_GUEST_REQUEST_NS };
	x->steps = sim_guest_steps(first ? STACK_FS_APPEND : STACK_FS_OVERWRITE,
		strcmp(r->fs, "xfs") == 0 ? SIM_GUEST_XFS : SIM_GUEST_EXT4, BYTES, 1, x->step);
	if (r->think_us > 0)
		x->step[x->steps++] = (struct sim_step){ .kind = SIM_STEP_THINK,
			.think_ns = (uint64_t)(r->think_us * 1e3 + SIM_SLEEP_LATE_NS) };
}

/* next_write - what comes right behind another write: the pairs without a pause. */
static int next_write(const struct set *s, const struct cell *c, struct sim_inputs *in)
{
	struct cell hasty = *c;
	struct sim_inputs *other;

	if (c->think_ns == 0)
		return 0;
	other = calloc(1, sizeof(*other));
	if (!other)
		return -1;
	hasty.think_ns = 0;
	if (cell_inputs(s, &hasty, other))
		in->next = other->write;
	free(other);
	return 0;
}

/* predict - all seeds together: a load that falls into one basin or the other is both. */
static int predict(struct row *r, const struct set *s, struct sim_table *t, struct err *reterr)
{
	struct cell c = { .kind = CELL_PAIR, .bytes = BYTES, .set = { .mode = mode_of(r->setting),
		.size_bytes = 32 << 20, .max_dirty_bytes = 24 << 20, .target_dirty_bytes = 16 << 20,
		.max_dirty_age_s = 1, .pwl_bytes = 1 << 30 },
		.think_ns = (uint64_t)(r->think_us * 1e3) };
	struct sim_image image = { .model = sim_model_of(c.set.mode), .set = c.set };
	struct sim_client load;
	double lasts_s = r->think_us > 0 ? r->before_s + own_s(r) : 10;
	struct sim_config cfg = { .duration_ns = (uint64_t)(lasts_s * 1e9), .service = t,
		.servers = 16, .stream_bps = SIM_STREAM_BPS, .image = &image, .images = 1,
		.client = &load, .clients = 1,
		.hot_gap_ns = SIM_HOT_GAP_NS, .chill = SIM_PWL_CHILL, .rest_ns = c.think_ns / 2 };
	struct sim_inputs *in = calloc(1, sizeof(*in));
	struct hist *sum = hist_new();
	uint64_t p50 = 0, p99 = 0;
	int ret = 0;

	r->got_p50_us = r->got_p99_us = NAN;
	if (!in || !sum || !image.model || !cell_inputs(s, &c, in) ||
		next_write(s, &c, in) < 0 || (c.set.mode == CACHE_PWL_SSD && !in->refresh.known))
		goto out;
	sim_inputs_tables(in, t);
	if (c.set.mode == CACHE_PWL_SSD) {
		cfg.pauses = sim_inputs_pauses(t);
		cfg.line_ns = isnan(in->meta_busy_ns) ? 0 : in->meta_busy_ns;
	}
	set_load(r, &load);
	load.hasty_ns = (uint64_t)(r->before_s * 1e9);
	for (cfg.seed = 1; cfg.seed <= SEEDS && ret == 0; cfg.seed++) {
		struct sim_result *one;

		ret = sim_run(&cfg, &one, reterr);
		if (ret == 0) {
			hist_merge(sum, &one->sync);
			sim_result_free(one);
		}
	}
	if (ret == 0 && hist_percentile(sum, 50, &p50) == 0 && hist_percentile(sum, 99, &p99) == 0) {
		/* The sync opens when its first request is out. */
		r->got_p50_us = ((double)p50 + SIM_GUEST_REQUEST_NS) / 1e3;
		r->got_p99_us = ((double)p99 + SIM_GUEST_REQUEST_NS) / 1e3;
	}
out:
	hist_free(sum);
	free(in);
	return ret;
}

static bool same_load(const struct row *a, const struct row *b)
{
	return strcmp(a->fs, b->fs) == 0 && strcmp(a->lap, b->lap) == 0 && a->think_us == b->think_us;
}

/* side - of a setting against none: -1 faster, 1 slower, 0 too close to call. */
static int side(double with, double without)
{
	return with > without * TOLD_APART ? 1 : with < without / TOLD_APART ? -1 : 0;
}

/* regimes - the settings of each load against no cache. A call is wrong where measured and
 * predicted are on opposite sides. */
static void regimes(const struct row *row, unsigned n, unsigned *right, unsigned *of)
{
	printf("\nguest: against no cache (faster, slower, equal)\n");
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++) {
			static const char *const word[] = { "faster", "equal", "slower" };
			int was, said;

			if (strcmp(row[k].setting, "none") != 0 || i == k ||
				!same_load(&row[i], &row[k]) || isnan(row[i].got_p50_us))
				continue;
			was = side(row[i].p50_us, row[k].p50_us);
			said = side(row[i].got_p50_us, row[k].got_p50_us);
			*right += was * said >= 0;
			*of += 1;
			printf("  %-5s %-22s %-9s think %5.0f us   predicted %-7s measured %-7s %s\n",
				row[i].fs, row[i].setting, row[i].lap, row[i].think_us, word[said + 1],
				word[was + 1], was * said >= 0 ? "right" : "WRONG");
		}
}

static unsigned read_rows(const char *dir, struct row *row)
{
	char path[600], line[300];
	unsigned n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/guest/guest.csv", dir);
	f = fopen(path, "r");
	while (f && n < ROWS_MAX && fgets(line, sizeof(line), f))
		if (parse_row(line, &row[n]))
			n++;
	if (f)
		fclose(f);
	return n;
}

int guest_report(const struct set *s, const char *dir, struct err *reterr)
{
	struct row *row = calloc(ROWS_MAX, sizeof(*row));
	struct sim_table *t = calloc(SIM_SERVICE_COUNT, sizeof(*t));
	unsigned n, inside = 0, of = 0, right = 0, calls = 0;
	int ret = 0;

	n = row && t ? read_rows(dir, row) : 0;
	note_before(row, n);
	if (n)
		printf("\nguest: fdatasync, p50 and p99 in ms (inside: p50 within 40 %%)\n");
	for (unsigned i = 0; i < n && ret >= 0; i++) {
		bool in;

		ret = predict(&row[i], s, t, reterr);
		if (ret < 0 || isnan(row[i].got_p50_us))
			continue;
		in = fabs(row[i].got_p50_us / row[i].p50_us - 1) <= BOUND;
		inside += in;
		of++;
		printf("  %-5s %-22s %-9s think %5.0f us   predicted %6.2f %6.2f  measured %6.2f %6.2f"
			"  ratio %.2f  %s\n", row[i].fs, row[i].setting, row[i].lap, row[i].think_us,
			row[i].got_p50_us / 1e3, row[i].got_p99_us / 1e3, row[i].p50_us / 1e3,
			row[i].p99_us / 1e3, row[i].got_p50_us / row[i].p50_us,
			in ? "inside" : "OUTSIDE");
	}
	if (ret >= 0 && of) {
		regimes(row, n, &right, &calls);
		printf("\n  guest medians within 40 %%: %u of %u; regimes right: %u of %u\n", inside, of,
			right, calls);
		ret = inside < of || right < calls;
	}
	free(row);
	free(t);
	return ret;
}
