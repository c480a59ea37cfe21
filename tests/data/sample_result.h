/* sample_result.h - a made-up result document, the same every time, for tests and fixtures.
 * tests/fixtures/results is written by `test_result --write-fixtures tests/fixtures/results`. */
#ifndef SSDQUAL_TESTS_DATA_SAMPLE_RESULT_H
#define SSDQUAL_TESTS_DATA_SAMPLE_RESULT_H

#include "data/result.h"

/* Latencies around @base_ns, every hundredth 20 times as long; few values, for small files. */
static void sample_latencies(uint64_t *ns, size_t count, unsigned seed, uint64_t base_ns)
{
	for (size_t i = 0; i < count; i++) {
		ns[i] = base_ns * 8 / 10 + (uint64_t)rand_r(&seed) % 5 * base_ns / 10;
		if (i % 100 == 99)
			ns[i] *= 20;
	}
}

/* A row of 2 s with @ios writes of 4 KiB; @sync_ns 0: it does not sync. */
static struct measurement *sample_measurement(const char *probe, const char *label,
	enum write_cache_state cache, uint64_t ios, uint64_t write_ns, uint64_t sync_ns)
{
	struct measurement *m = measurement_new("ceph", probe, label);
	struct hist *both = hist_new(), *writes = hist_new(), *syncs = hist_new();
	uint64_t *w = calloc(ios, sizeof(*w)), *s = calloc(ios, sizeof(*s));

	assert_true(m && both && writes && syncs && w && s);
	sample_latencies(w, ios, 1, write_ns);
	if (sync_ns)
		sample_latencies(s, ios, 2, sync_ns);
	for (size_t i = 0; i < ios; i++) {
		hist_record(both, w[i] + s[i]);
		hist_record(writes, w[i]);
		if (sync_ns)
			hist_record(syncs, s[i]);
	}
	free(w);
	free(s);
	latency_from_hist(&m->lat, both);
	if (sync_ns) {
		latency_from_hist(&m->write_lat, writes);
		latency_from_hist(&m->sync_lat, syncs);
	} else {
		hist_free(writes);
		hist_free(syncs);
	}
	m->write_cache = cache;
	m->ios = ios;
	m->bytes = ios * 4096;
	m->runtime_ns = 2000000000;
	m->iops = (double)ios / 2;
	m->bw_bytes = m->iops * 4096;
	m->stop = strdup("runtime");
	assert_int_equal(json_set_str(m->params, "rw", "write"), 0);
	assert_int_equal(json_set_u64(m->params, "bs", 4096), 0);
	m->timeline = calloc(2, sizeof(*m->timeline));
	assert_non_null(m->timeline);
	m->timeline_count = 2;
	m->timeline[0] = (struct timeline_second){ 1.0, (double)ios, (double)ios * 4096, 1e5, 2e5, 3e6 };
	m->timeline[1] = (struct timeline_second){ 2.0, 0, 0, NAN, NAN, NAN };
	return m;
}

static void sample_target(struct json *t)
{
	struct json *cache = json_new_object(), *rotational = json_new_object();
	int bad = 0;

	bad |= json_set_str(t, "kind", "block");
	bad |= json_set_str(t, "path", "/dev/sdx");
	bad |= json_set_str(t, "by_id", "/dev/disk/by-id/ata-SAMPLE_SSD_960_S0001");
	bad |= json_set_str(t, "model", "SAMPLE SSD 960");
	bad |= json_set_str(t, "serial", "S0001");
	bad |= json_set_str(t, "firmware", "FW01");
	bad |= json_set_null(t, "wwn");
	bad |= json_set_str(t, "transport", "sata");
	bad |= json_set_u64(t, "capacity_bytes", UINT64_C(960197124096));
	bad |= json_set_u64(t, "logical_block_bytes", 512);
	bad |= json_set_u64(t, "physical_block_bytes", 4096);
	bad |= json_set_bool(rotational, "claimed", false);
	bad |= json_set_bool(rotational, "reported", false);
	bad |= json_set_null(rotational, "measured");
	bad |= json_set_str(rotational, "verdict", "ssd");
	bad |= json_set(t, "rotational", rotational);
	bad |= json_set_str(cache, "drive", "on");
	bad |= json_set_str(cache, "kernel", "write back");
	bad |= json_set_str(cache, "queue", "write back");
	bad |= json_set_bool(cache, "fua", false);
	bad |= json_set(t, "write_cache", cache);
	assert_int_equal(bad, 0);
}

static struct result *sample(void)
{
	struct result *r = result_new();
	struct json *s;

	assert_non_null(r);
	sample_target(result_section(r, "target"));
	s = result_section(r, "settings");
	assert_int_equal(json_set_str(s, "started_at", "2026-11-30T12:57:52Z"), 0);
	assert_int_equal(json_set_str(s, "battery", "ceph"), 0);
	assert_int_equal(json_set_str(s, "precondition", "none"), 0);
	assert_int_equal(json_set_u64(s, "randseed", UINT64_MAX), 0);
	assert_int_equal(result_take_measurement(r, sample_measurement("journal-fsync",
		"Journal IOPS (fsync=1)", WC_ON, 1000, 40000, 1900000)), 0);
	assert_int_equal(result_take_measurement(r, sample_measurement("journal-fsync",
		"Journal IOPS (fsync=1)", WC_OFF, 3000, 50000, 600000)), 0);
	assert_int_equal(result_take_measurement(r, sample_measurement("random-nosync",
		"Non-txn random", WC_ON, 3000, 100000, 0)), 0);
	assert_int_equal(result_add_finding(r, "other-io", "journal-fsync: others wrote 4096 bytes on "
		"the drive meanwhile, which is what a finding looks like", "sample"), 0);
	assert_int_equal(result_add_verdict(r, "osd-data", "provisional", "random-nosync", NULL,
		"sample", "a run with --fill"), 0);
	assert_int_equal(result_add_verdict(r, "wal-db", "pass", "journal-fsync", ">= 1000 IOPS",
		"sample", NULL), 0);
	return r;
}

static struct result *sample_imported(void)
{
	struct result *r = result_new();
	struct measurement *m = measurement_new("import", "fio", "fio job randwrite");

	assert_true(r && m);
	m->source = SOURCE_IMPORTED;
	m->ios = 600;
	m->bytes = 600 * 4096;
	m->runtime_ns = 1000000000;
	m->iops = 600;
	m->bw_bytes = 600 * 4096;
	m->lat = (struct latency){ .present = true, .count = 600, .min_ns = 10000,
		.mean_ns = 10100, .stddev_ns = NAN, .max_ns = 10200,
		.pct_ns = { 10050, 10300, 10300, NAN, NAN } }; /* middles of fio's buckets */
	assert_int_equal(json_set_null(result_section(r, "target"), "model"), 0);
	assert_int_equal(result_take_measurement(r, m), 0);
	return r;
}

static void sample_write_one(const char *folder, const char *name, struct result *r,
	const char *version)
{
	struct json *j = result_to_json(r), *v;
	char path[256], *text;
	struct err e = ERR_INIT;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	if (version) {
		assert_int_equal(json_parse(version, strlen(version), "version", &v, &e), 0);
		assert_int_equal(json_set(j, "format_version", v), 0);
		assert_int_equal(json_set_str(j, "new_section", "of a newer version"), 0);
	}
	text = json_print(j, true);
	f = fopen(path, "w");
	assert_true(text && f && fputs(text, f) >= 0 && fclose(f) == 0);
	free(text);
	json_free(j);
	result_free(r);
}

static void sample_write(const char *folder)
{
	sample_write_one(folder, "measured", sample(), NULL);
	sample_write_one(folder, "imported", sample_imported(), NULL);
	sample_write_one(folder, "newer-minor", sample(), "[1, 7]");
	sample_write_one(folder, "newer-major", sample(), "[2, 0]");
}

#endif
