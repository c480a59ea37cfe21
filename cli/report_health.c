/* report_health.c - the sheet SMART & WA: the drive's counters around a run, and how much more was
 * written inside the drive, or in all layers of an OSD, than was asked for. */
#include "cli/report.h"

#include <math.h>
#include <string.h>

#define GB 1e9

static const struct report_column columns[] = {
	{ .head = "Model", .width = 28, .label = "model" },
	{ .head = "Serial", .width = 16, .label = "serial" },
	{ .head = "Precondition", .width = 13, .label = "precondition" },
	{ .head = "Temperature before", .unit = "C", .width = 13 },
	{ .head = "Temperature after", .unit = "C", .width = 13,
		.metric = "ssdqual_temperature_celsius", .help = "After the run." },
	{ .head = "Endurance used", .unit = "%", .width = 11,
		.metric = "ssdqual_endurance_used_ratio", .scale = 0.01,
		.help = "Share of the rated endurance, by the drive's own count." },
	{ .head = "Spare left", .unit = "%", .width = 10, .metric = "ssdqual_spare_ratio",
		.scale = 0.01, .help = "Spare blocks left, by the drive's own count." },
	{ .head = "Host writes", .unit = "GB", .width = 12, .decimals = 1,
		.metric = "ssdqual_host_written_bytes", .scale = GB,
		.help = "Written to the drive in its life." },
	{ .head = "NAND writes", .unit = "GB", .width = 12, .decimals = 1,
		.metric = "ssdqual_nand_written_bytes", .scale = GB,
		.help = "Written by the drive to its flash in its life." },
	{ .head = "Write amplification, life", .unit = "x", .width = 14, .decimals = 2,
		.metric = "ssdqual_write_amplification_ratio",
		.help = "Flash writes for each host write in the drive's life." },
	{ .head = "Host writes, run", .unit = "GB", .width = 12, .decimals = 3 },
	{ .head = "NAND writes, run", .unit = "GB", .width = 12, .decimals = 3 },
	{ .head = "Write amplification, run", .unit = "x", .width = 14, .decimals = 2,
		.metric = "ssdqual_run_write_amplification_ratio",
		.help = "Flash writes for each host write during the run." },
	{ .head = "Power on", .unit = "h", .width = 10 },
	{ .head = "Unsafe shutdowns", .width = 11 },
	{ .head = "Media errors", .width = 10 },
	{ .head = "Reallocated", .width = 12 },
	{ .head = "CRC errors", .width = 10 },
	{ .head = "Capacitor", .width = 10 },
	{ .head = "Passed", .width = 8 },
	{ .head = "Chain", .width = 20, .label = "chain" },
	{ .head = "Client", .unit = "GB", .width = 11, .decimals = 3 },
	{ .head = "Store", .unit = "GB", .width = 11, .decimals = 3 },
	{ .head = "Block device", .unit = "GB", .width = 11, .decimals = 3 },
	{ .head = "Disk", .unit = "GB", .width = 11, .decimals = 3 },
	{ .head = "Drive, from host", .unit = "GB", .width = 11, .decimals = 3 },
	{ .head = "Drive, to NAND", .unit = "GB", .width = 11, .decimals = 3 },
	{ .head = "Write amplification, chain", .unit = "x", .width = 14, .decimals = 2,
		.metric = "ssdqual_chain_write_amplification_ratio",
		.help = "Bytes at the last level of the chain for each byte at its first." },
	{ .head = "at least", .unit = "x", .width = 9, .decimals = 2 },
	{ .head = "at most", .unit = "x", .width = 9, .decimals = 2 },
	{ .head = "Document", .width = 34 },
};
enum { CHAIN_COLUMN = 20, CHAIN_COLUMNS = 10 };

static const struct report_rule rules[] = {
	{ .column = 5, .above = true, .limit = 90, .mark = MARK_BAD },
	{ .column = 15, .above = true, .limit = 0, .mark = MARK_POOR },
	{ .column = 16, .above = true, .limit = 0, .mark = MARK_POOR },
	{ .column = 18, .text = "failed", .mark = MARK_BAD },
	{ .column = 19, .text = "no", .mark = MARK_BAD },
};

void report_health_init(struct report *r)
{
	struct report_sheet *s = &r->sheet[SHEET_SMART];

	report_sheet_init(s, "SMART & WA", "What the drive said of its health after the run, and "
		"what was written inside it. Figures of a run are differences of the drive's own "
		"counters; a chain is what `wa` saw, from the client down to the flash.",
		columns, sizeof(columns) / sizeof(columns[0]));
	s->rules = rules;
	s->rule_count = sizeof(rules) / sizeof(rules[0]);
}

/* Counters of 2^52 and more are decimal strings, which json_u64() reads; those of 128 bits are not
 * shown. */
static double number(const struct json *j, const char *dotted)
{
	const struct json *at = json_path(j, dotted);
	double v = NAN;
	uint64_t n;

	if (json_u64(at, &n))
		return (double)n;
	(void)json_f64(at, &v);
	return v;
}

/* A counter that went down was reset, or is another drive's: then nothing is known. */
static double grown(const struct json *before, const struct json *after, const char *key)
{
	double by = number(after, key) - number(before, key);

	return by >= 0 ? by : NAN;
}

static void add_counters(struct report *r, const struct json *before, const struct json *after)
{
	struct report_sheet *s = &r->sheet[SHEET_SMART];
	const struct json *now = json_is_null(after) ? before : after;
	double host = grown(before, after, "host_writes.bytes");
	double nand = grown(before, after, "nand_writes.bytes");

	report_number(r, s, number(before, "temperature_c"));
	report_number(r, s, number(after, "temperature_c"));
	report_number(r, s, number(now, "percent_used"));
	report_number(r, s, number(now, "spare_percent"));
	report_number(r, s, number(now, "host_writes.bytes") / GB);
	report_number(r, s, number(now, "nand_writes.bytes") / GB);
	report_number(r, s, number(now, "write_amplification"));
	report_number(r, s, host / GB);
	report_number(r, s, nand / GB);
	report_number(r, s, host > 0 ? nand / host : NAN);
	report_number(r, s, number(now, "power_on_hours"));
	report_number(r, s, number(now, "unsafe_shutdowns"));
	report_number(r, s, number(now, "media_errors"));
	report_number(r, s, number(now, "reallocated"));
	report_number(r, s, number(now, "crc_errors"));
}

void report_health_result(struct report *r, const char *name, const struct result *result)
{
	struct report_sheet *s = &r->sheet[SHEET_SMART];
	const struct json *target = json_get(result->doc, "target");
	const struct json *before = json_path(result->doc, "smart.before");
	const struct json *after = json_path(result->doc, "smart.after");
	const struct json *now = json_is_null(after) ? before : after;
	bool passed;

	if (json_is_null(now))
		return;
	report_text(r, s, report_target_name(target));
	report_text(r, s, json_str(json_get(target, "serial")));
	report_text(r, s, json_str(json_path(result->doc, "settings.precondition")));
	add_counters(r, before, after);
	report_text(r, s, json_str(json_path(now, "capacitor.state")));
	report_text(r, s, !json_bool(json_get(now, "passed"), &passed) ? NULL :
		passed ? "yes" : "no");
	for (int i = 0; i < CHAIN_COLUMNS; i++)
		report_text(r, s, NULL);
	report_text(r, s, name);
}

void report_take_wa(struct report *r, const char *name, const struct json *doc)
{
	static const char *const levels[] = { "levels.client.bytes", "levels.store.bytes",
		"levels.block.bytes", "levels.disk.bytes", "levels.host.bytes",
		"levels.nand.bytes", NULL };
	struct report_sheet *s = &r->sheet[SHEET_SMART];

	for (const struct json *c = json_first(json_get(doc, "chains")); c; c = json_next(c)) {
		for (int i = 0; i < CHAIN_COLUMN; i++)
			report_text(r, s, NULL);
		report_text(r, s, json_str(json_get(c, "name")));
		for (int i = 0; levels[i]; i++)
			report_number(r, s, number(c, levels[i]) / GB);
		report_number(r, s, number(c, "factor.value"));
		report_number(r, s, number(c, "factor.low"));
		report_number(r, s, number(c, "factor.high"));
		report_text(r, s, name);
	}
}
