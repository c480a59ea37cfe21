/* import_nvme.c - `nvme ... -o json`: smart-log, ocp smart-add-log, id-ctrl. */
#include "data/import_health.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char source_log_02[] = "NVMe SMART / Health log 02h";
static const char source_log_c0[] = "OCP SMART / Health extended log C0h";

/* nvme-cli's names of one field changed over the years: the first one that is there. */
static const char *first_of(const struct json *doc, const char *const *keys)
{
	for (; *keys; keys++)
		if (!json_is_null(json_get(doc, *keys)))
			return *keys;
	return NULL;
}

static const char *const used_keys[] = { "percent_used", "percentage_used", NULL };
static const char *const spare_keys[] = { "avail_spare", "available_spare", NULL };
static const char *const threshold_keys[] = { "spare_thresh", "available_spare_threshold", NULL };
static const char *const media_keys[] = { "Physical media units written",
	"physical_media_units_written", NULL };
static const char *const guid_keys[] = { "Log page GUID", "log_page_guid", NULL };
static const char *const capacitor_keys[] = { "Capacitor health", "capacitor_health", NULL };

/* What nvme-cli prints where a command failed: nothing but the error. */
static const char *failure_of(const struct json *doc)
{
	const struct json *e = json_get(doc, "error");

	if (json_is_null(e) || json_len(doc) != 1)
		return NULL;
	return json_str(e) ? json_str(e) : "no reason given";
}

static bool is_smart_log(const struct json *doc)
{
	return !json_is_null(json_get(doc, "critical_warning")) && first_of(doc, used_keys);
}

static bool is_ocp_log(const struct json *doc)
{
	return first_of(doc, media_keys) != NULL;
}

static bool is_id_ctrl(const struct json *doc)
{
	return json_str(json_get(doc, "mn")) && json_str(json_get(doc, "sn"));
}

static bool recognises(const struct json *doc)
{
	return failure_of(doc) || is_smart_log(doc) || is_ocp_log(doc) || is_id_ctrl(doc);
}

/* -- smart-log --------------------------------------------------------------------------------- */

static double number_of(const struct json *doc, const char *const *keys)
{
	const char *key = first_of(doc, keys);
	double v = NAN;

	if (key)
		(void)json_f64(json_get(doc, key), &v);
	return v;
}

/* A number, or since nvme-cli 2 an object: {"value": 4, "available_spare": 0, ...}. */
static int warning_of(const struct json *doc)
{
	const struct json *j = json_get(doc, "critical_warning");
	uint64_t bits;

	if (!json_u64(json_type(j) == JSON_OBJECT ? json_get(j, "value") : j, &bits) || bits > 255)
		return -1;
	return (int)bits;
}

/* Kelvin; 0: not reported. */
static void take_kelvin(const struct json *doc, const char *key, double *where)
{
	double k;

	if (json_f64(json_get(doc, key), &k) && k > 0)
		smart_set_temperature(where, k - 273);
}

static void read_smart_log(const struct json *doc, struct smart_health *h)
{
	char key[32];

	import_bytes(doc, "data_units_written", 512000, source_log_02, &h->host_writes);
	import_bytes(doc, "data_units_read", 512000, source_log_02, &h->host_reads);
	smart_set_used(h, number_of(doc, used_keys), source_log_02);
	h->spare_percent = number_of(doc, spare_keys);
	h->spare_threshold_percent = number_of(doc, threshold_keys);
	h->critical_warning = warning_of(doc);
	take_kelvin(doc, "temperature", &h->temperature_c);
	for (unsigned i = 0; i < SMART_SENSORS; i++) {
		(void)snprintf(key, sizeof(key), "temperature_sensor_%u", i + 1); /* fits */
		take_kelvin(doc, key, &h->sensor_c[i]);
	}
	import_count(doc, "power_on_hours", &h->power_on_hours);
	import_count(doc, "power_cycles", &h->power_cycles);
	import_count(doc, "unsafe_shutdowns", &h->unsafe_shutdowns);
	import_count(doc, "media_errors", &h->media_errors);
	import_count(doc, "num_err_log_entries", &h->error_log_entries);
}

/* A controller that fell off the bus is printed as zeros or as ones. */
static bool holds_nothing(const struct json *doc)
{
	double kelvin = NAN, hours = NAN, spare = number_of(doc, spare_keys);
	double used = number_of(doc, used_keys);

	(void)json_f64(json_get(doc, "temperature"), &kelvin);
	(void)json_f64(json_get(doc, "power_on_hours"), &hours);
	return (kelvin == 0 && hours == 0 && spare == 0) || (kelvin == 65535 && used == 255);
}

/* -- ocp smart-add-log ------------------------------------------------------------------------- */

/* The page number is any vendor's: only the GUID says whose this is. nvme-cli prints it as one hex
 * number, or as two 64-bit halves. */
static bool guid_is_ocp(const struct json *doc)
{
	const char *key = first_of(doc, guid_keys);
	const char *text = key ? json_str(json_get(doc, key)) : NULL;
	char digits[33];
	size_t n = 0;

	if (text && (strncmp(text, "0x", 2) == 0 || strncmp(text, "0X", 2) == 0))
		text += 2;
	for (; text && *text && n < 32; text++)
		if (*text != '-')
			digits[n++] = (char)(*text >= 'A' && *text <= 'F' ? *text + 32 : *text);
	digits[n] = '\0';
	return strcmp(digits, "afd514c97c6f4f9ca4f2bfea2810afc5") == 0;
}

static void read_ocp_log(const struct json *doc, struct smart_health *h)
{
	double capacitor = number_of(doc, capacitor_keys);

	import_bytes(doc, first_of(doc, media_keys), 1, source_log_c0, &h->nand_writes);
	if (isnan(capacitor) || capacitor == 0)
		return;
	h->capacitor = capacitor == 65535 ? SMART_CAPACITOR_NONE : SMART_CAPACITOR_OK;
	(void)snprintf(h->capacitor_source, sizeof(h->capacitor_source), "%s", source_log_c0);
}

/* -- documents --------------------------------------------------------------------------------- */

static const char *trimmed(const struct json *doc, const char *key, char *buf, size_t size)
{
	const char *s = json_str(json_get(doc, key));
	size_t n;

	if (!s)
		return NULL;
	s += strspn(s, " ");
	(void)snprintf(buf, size, "%s", s); /* may be cut */
	for (n = strlen(buf); n && buf[n - 1] == ' '; n--)
		buf[n - 1] = '\0';
	return buf[0] ? buf : NULL;
}

static struct json *target_of(const struct json *doc)
{
	struct json *t = json_new_object(), *cache;
	char text[128];
	uint64_t vwc;
	int bad = 0;

	bad |= json_set_str(t, "kind", "block");
	bad |= json_set_null(t, "path");
	bad |= json_set_str(t, "model", trimmed(doc, "mn", text, sizeof(text)));
	bad |= json_set_str(t, "serial", trimmed(doc, "sn", text, sizeof(text)));
	bad |= json_set_str(t, "firmware", trimmed(doc, "fr", text, sizeof(text)));
	bad |= json_set_str(t, "transport", "nvme");
	if (json_u64(json_get(doc, "vwc"), &vwc)) {
		cache = json_new_object();
		/* A volatile cache may be on or off: only its absence is known from here. */
		bad |= json_set_str(cache, "drive", vwc & 1 ? NULL : "none");
		bad |= json_set_null(cache, "kernel");
		bad |= json_set_null(cache, "queue");
		bad |= json_set_null(cache, "fua");
		bad |= json_set(t, "write_cache", cache);
	}
	if (bad) {
		json_free(t);
		return NULL;
	}
	return t;
}

static int refuse(const struct json *doc, const struct import_source *src, struct err *reterr)
{
	if (failure_of(doc))
		return err_set(reterr, ERR_INPUT, -ENODATA,
			"%s: nvme-cli's query failed: %.300s; there is nothing to import", src->name,
			failure_of(doc));
	if (is_smart_log(doc) && holds_nothing(doc))
		return err_set(reterr, ERR_INPUT, -ENODATA, "%s: no valid SMART data: the log is "
			"all zeros or all ones; has the drive fallen off the bus?", src->name);
	if (is_ocp_log(doc) && !guid_is_ocp(doc))
		return err_set(reterr, ERR_INPUT, -ENODATA, "%s: OCP log C0h not supported: its GUID "
			"is another's or absent; use the drive's smart-log alone", src->name);
	return 0;
}

extern const struct importer import_nvme;

static int convert(const struct json *doc, const struct import_source *src, struct result **ret,
	struct err *reterr)
{
	struct smart_health h;
	struct result *r;
	int rc = refuse(doc, src, reterr);

	if (rc < 0)
		return rc;
	smart_init(&h);
	h.kind = SMART_KIND_NVME;
	if (is_smart_log(doc))
		read_smart_log(doc, &h);
	if (is_ocp_log(doc))
		read_ocp_log(doc, &h);
	smart_finish(&h);
	r = import_result_new(&import_nvme, src, NULL);
	if (!r)
		return err_nomem(reterr);
	rc = import_attach(r, target_of(doc), &h, reterr);
	if (rc == 0 && is_id_ctrl(doc) && !is_smart_log(doc) && !is_ocp_log(doc))
		rc = json_set_null(result_section(r, "smart"), "after");
	if (rc == 0 && !is_id_ctrl(doc))
		rc = import_note(r, "no-identity", "nvme-cli's log does not say whose it is: model "
			"and serial number are unknown");
	if (rc < 0)
		result_free(r);
	else
		*ret = r;
	return rc < 0 ? rc : 0;
}

const struct importer import_nvme = {
	.name = "nvme",
	.summary = "nvme smart-log, ocp smart-add-log and id-ctrl, each with -o json",
	.recognises = recognises,
	.convert = convert,
};
