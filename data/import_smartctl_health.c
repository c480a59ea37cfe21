/* import_smartctl_health.c - health out of smartctl's JSON: ATA, NVMe, SCSI. */
#include "data/import_health.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data/smart_table.h"
#include "data/units.h"

static const char source_statistics[] = "device statistics (ATA log 04h)";
static const char source_log_02[] = "NVMe SMART / Health log 02h";

static double number(const struct json *obj, const char *dotted)
{
	double v = NAN;

	(void)json_f64(json_path(obj, dotted), &v);
	return v;
}

/* -- ATA --------------------------------------------------------------------------------------- */

static uint8_t byte_of(const struct json *obj, const char *key)
{
	uint64_t v = 0;

	(void)json_u64(json_get(obj, key), &v);
	return (uint8_t)(v > 255 ? 255 : v);
}

static void add_attributes(const struct json *doc, struct smart_health *h)
{
	const struct json *row = json_first(json_path(doc, "ata_smart_attributes.table"));

	for (; row && h->attribute_count < SMART_ATTRIBUTES; row = json_next(row)) {
		struct smart_attribute *a = &h->attribute[h->attribute_count];
		const char *name = json_str(json_get(row, "name"));
		const char *failed = json_str(json_get(row, "when_failed"));
		uint64_t threshold, id;

		if (!json_u64(json_get(row, "id"), &id) || id == 0 || id > 254)
			continue;
		*a = (struct smart_attribute){ .id = (uint8_t)id, .value = byte_of(row, "value"),
			.worst = byte_of(row, "worst"), .threshold = -1 };
		if (json_u64(json_get(row, "thresh"), &threshold) && threshold <= 255)
			a->threshold = (int)threshold;
		a->failing = failed && strcmp(failed, "now") == 0;
		(void)json_u64(json_path(row, "raw.value"), &a->raw); /* 48 bits: exact */
		(void)snprintf(a->name, sizeof(a->name), "%.39s", name ? name : "");
		h->attribute_count++;
	}
}

static void take_statistic(uint64_t page, uint64_t offset, const struct json *row,
	struct smart_health *h)
{
	double v = number(row, "value");

	if (page == 1 && offset == 24)
		import_bytes(row, "value", 512, source_statistics, &h->host_writes);
	else if (page == 1 && offset == 40)
		import_bytes(row, "value", 512, source_statistics, &h->host_reads);
	else if (page == 1 && offset == 16)
		import_count(row, "value", &h->power_on_hours);
	else if (page == 1 && offset == 8)
		import_count(row, "value", &h->power_cycles);
	else if (page == 5 && offset == 8)
		smart_set_temperature(&h->temperature_c, v);
	else if (page == 7 && offset == 8)
		smart_set_used(h, v, source_statistics);
}

/* ACS-4 A.5: offsets within the pages; a value counts only with its valid bit. */
static void add_statistics(const struct json *doc, struct smart_health *h)
{
	const struct json *page = json_first(json_path(doc, "ata_device_statistics.pages"));

	for (; page; page = json_next(page)) {
		const struct json *row = json_first(json_get(page, "table"));
		uint64_t n, offset;

		if (!json_u64(json_get(page, "number"), &n))
			continue;
		for (; row; row = json_next(row)) {
			bool valid = false;

			(void)json_bool(json_path(row, "flags.valid"), &valid);
			if (valid && json_u64(json_get(row, "offset"), &offset))
				take_statistic(n, offset, row, h);
		}
	}
}

/* -- NVMe -------------------------------------------------------------------------------------- */

static void add_nvme(const struct json *log, struct smart_health *h)
{
	const struct json *sensor = json_first(json_get(log, "temperature_sensors"));
	uint64_t bits;

	import_bytes(log, "data_units_written", 512000, source_log_02, &h->host_writes);
	import_bytes(log, "data_units_read", 512000, source_log_02, &h->host_reads);
	smart_set_used(h, number(log, "percentage_used"), source_log_02);
	h->spare_percent = number(log, "available_spare");
	h->spare_threshold_percent = number(log, "available_spare_threshold");
	smart_set_temperature(&h->temperature_c, number(log, "temperature"));
	import_count(log, "power_on_hours", &h->power_on_hours);
	import_count(log, "power_cycles", &h->power_cycles);
	import_count(log, "unsafe_shutdowns", &h->unsafe_shutdowns);
	import_count(log, "media_errors", &h->media_errors);
	import_count(log, "num_err_log_entries", &h->error_log_entries);
	if (json_u64(json_get(log, "critical_warning"), &bits) && bits <= 255)
		h->critical_warning = (int)bits;
	for (size_t i = 0; sensor && i < SMART_SENSORS; i++, sensor = json_next(sensor)) {
		double v;

		if (json_f64(sensor, &v))
			smart_set_temperature(&h->sensor_c[i], v);
	}
}

/* -- SCSI -------------------------------------------------------------------------------------- */

/* "gigabytes_processed" is text with three decimals, in units of 10^9. */
static void add_processed(const struct json *doc, const char *way, struct smart_bytes *b)
{
	char path[64];
	const char *text;
	double gb;

	(void)snprintf(path, sizeof(path), "scsi_error_counter_log.%s.gigabytes_processed", way);
	text = json_str(json_path(doc, path));
	if (!text || units_parse_f64(text, &gb) < 0 || !(gb >= 0) || gb > 1e15)
		return;
	smart_set_bytes(b, (u128)llround(gb * 1000), 1000000,
		"SCSI error counter log, bytes processed");
}

static void add_scsi(const struct json *doc, struct smart_health *h)
{
	static const char source[] = "SCSI solid state media log 11h";

	smart_set_used(h, number(doc, "scsi_percentage_used_endurance_indicator"), source);
	if (isnan(h->percent_used))
		smart_set_used(h, number(doc, "endurance_used.current_percent"), source);
	import_count(doc, "scsi_grown_defect_list", &h->grown_defects);
	import_count(json_get(doc, "scsi_start_stop_cycle_counter"), "accumulated_start_stop_cycles",
		&h->power_cycles);
	add_processed(doc, "write", &h->host_writes);
	add_processed(doc, "read", &h->host_reads);
	import_count(json_path(doc, "scsi_error_counter_log.write"), "total_uncorrected_errors",
		&h->uncorrectable);
}

/* -- all --------------------------------------------------------------------------------------- */

static void add_common(const struct json *doc, struct smart_health *h)
{
	bool passed;

	if (json_bool(json_path(doc, "smart_status.passed"), &passed))
		h->passed = passed ? SMART_YES : SMART_NO;
	import_count(json_get(doc, "power_on_time"), "hours", &h->power_on_hours);
	if (!h->power_cycles.known)
		import_count(doc, "power_cycle_count", &h->power_cycles);
	smart_set_temperature(&h->temperature_c, number(doc, "temperature.current"));
	if (isnan(h->spare_percent)) {
		h->spare_percent = number(doc, "spare_available.current_percent");
		h->spare_threshold_percent = number(doc, "spare_available.threshold_percent");
	}
}

static void add_time(const struct json *doc, struct smart_health *h)
{
	uint64_t t;
	time_t when;
	struct tm tm;

	if (!json_u64(json_path(doc, "local_time.time_t"), &t) || t > INT32_MAX * UINT64_C(100))
		return;
	when = (time_t)t;
	if (gmtime_r(&when, &tm))
		(void)strftime(h->taken_at, sizeof(h->taken_at), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

int smartctl_health(const struct json *doc, const char *model, uint64_t capacity_bytes,
	struct smart_health *h, struct err *reterr)
{
	const struct json *log = json_get(doc, "nvme_smart_health_information_log");
	const char *protocol = json_str(json_path(doc, "device.protocol"));
	int r = 0;

	smart_init(h);
	add_time(doc, h);
	add_attributes(doc, h);
	h->kind = log || (protocol && strcmp(protocol, "NVMe") == 0) ? SMART_KIND_NVME :
		h->attribute_count || (protocol && strcmp(protocol, "ATA") == 0) ? SMART_KIND_ATA :
		SMART_KIND_SCSI;
	add_statistics(doc, h);
	if (log)
		add_nvme(log, h);
	if (h->kind == SMART_KIND_SCSI)
		add_scsi(doc, h);
	add_common(doc, h);
	if (h->attribute_count)
		r = smart_table_apply(h, model, capacity_bytes, true, reterr);
	smart_finish(h);
	return r;
}
