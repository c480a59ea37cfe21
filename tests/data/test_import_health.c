/* test_import_health.c - smartctl's and nvme-cli's JSON: what is taken, what is refused, and that no
 * damage to it is more than an error. */
#include "data/import.h"
#include "data/import_twin.h"
#include "data/smart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char nvme_of_smartctl[] =
	"{\"json_format_version\":[1,0],\"smartctl\":{\"version\":[7,4],\"exit_status\":0,"
	"\"messages\":[{\"string\":\"odd thing\",\"severity\":\"warning\"}]},"
	"\"local_time\":{\"time_t\":1700000000},\"device\":{\"name\":\"/dev/nvme0\",\"type\":\"nvme\","
	"\"protocol\":\"NVMe\"},\"model_name\":\"ACME N1\",\"serial_number\":\"S9\","
	"\"nvme_total_capacity\":960197124096,\"nvme_smart_health_information_log\":{"
	"\"critical_warning\":4,\"temperature\":41,\"available_spare\":100,"
	"\"available_spare_threshold\":10,\"percentage_used\":7,\"data_units_read\":5,"
	"\"data_units_written\":18446744073709551615,"
	"\"data_units_written_s\":\"18446744073709551621\",\"power_cycles\":3,"
	"\"power_on_hours\":99,\"unsafe_shutdowns\":2,\"media_errors\":1,"
	"\"temperature_sensors\":[43,0]}}";
static const char sas_of_smartctl[] =
	"{\"smartctl\":{\"version\":[7,4],\"exit_status\":4},\"device\":{\"name\":\"/dev/sdb\","
	"\"type\":\"scsi\",\"protocol\":\"SCSI\"},\"scsi_vendor\":\"ACME\",\"scsi_product\":\"S1\","
	"\"scsi_revision\":\"A1\",\"serial_number\":\" \",\"rotation_rate\":10500,"
	"\"user_capacity\":{\"bytes\":800166076416},\"logical_block_size\":512,"
	"\"scsi_transport_protocol\":{\"name\":\"SAS (SPL-4)\"},\"scsi_grown_defect_list\":3,"
	"\"wwn\":{\"naa\":5,\"oui\":3152,\"id\":123456789},"
	"\"scsi_error_counter_log\":{\"write\":{\"gigabytes_processed\":\"1234.567\","
	"\"total_uncorrected_errors\":2}},\"endurance_used\":{\"current_percent\":6}}";
static const char log_of_nvme_cli[] =
	"{\"critical_warning\":{\"value\":1,\"available_spare\":1},\"temperature\":268,"
	"\"avail_spare\":5,\"spare_thresh\":10,\"percent_used\":3,"
	"\"data_units_written\":\"1,000,000\",\"power_on_hours\":7,\"temperature_sensor_2\":355}";
static const char ocp_of_nvme_cli[] =
	"{\"Physical media units written\":{\"hi\":1,\"lo\":5},\"Capacitor health\":100,"
	"\"Log page GUID\":\"0xafd514c97c6f4f9ca4f2bfea2810afc5\"}";

static int import(const char *text, struct result **ret, struct err *e)
{
	struct import_list l;
	int rc = import_text(text, strlen(text), "t.json", NULL, &l, e);

	if (rc < 0)
		return rc;
	assert_int_equal(l.count, 1);
	*ret = l.result[0];
	l.result[0] = NULL;
	import_list_done(&l);
	return 0;
}

static struct result *imported(const char *text, struct smart_health *h)
{
	struct err e = ERR_INIT;
	struct result *r = NULL;

	if (import(text, &r, &e) < 0)
		fail_msg("%s", e.msg);
	smart_from_json(json_path(r->doc, "smart.after"), h);
	return r;
}

static bool noted(const struct result *r, const char *code)
{
	for (const struct json *n = json_first(json_path(r->doc, "import.notes")); n;
		n = json_next(n))
		if (strcmp(json_str(json_get(n, "code")), code) == 0)
			return true;
	return false;
}

static void smartctl_of_nvme(void **state)
{
	struct smart_health h;
	struct result *r = imported(nvme_of_smartctl, &h);
	char text[U128_BUF];

	(void)state;
	assert_string_equal(u128_format(text, h.host_writes.bytes), "9444732965739290429952000");
	assert_false(h.host_writes.at_least);
	assert_true(h.temperature_c == 41 && h.sensor_c[0] == 43);
	assert_true(h.percent_used == 7 && h.spare_percent == 100);
	assert_true(h.media_errors.value == 1 && h.unsafe_shutdowns.value == 2);
	assert_int_equal(h.critical_warning, 4);
	assert_string_equal(h.taken_at, "2023-11-14T22:13:20Z");
	assert_string_equal(json_str(json_path(r->doc, "target.transport")), "nvme");
	assert_string_equal(json_str(json_path(r->doc, "import.tool_version")), "smartctl-7.4");
	assert_true(noted(r, "message"));
	result_free(r);
}

static void smartctl_of_sas(void **state)
{
	struct smart_health h;
	struct result *r = imported(sas_of_smartctl, &h);
	bool rotates = false;

	(void)state;
	assert_int_equal(h.kind, SMART_KIND_SCSI);
	assert_true(h.host_writes.bytes == (u128)1234567000000);
	assert_true(h.percent_used == 6 && h.grown_defects.value == 3);
	assert_true(h.uncorrectable.value == 2);
	assert_string_equal(json_str(json_path(r->doc, "target.model")), "ACME S1");
	assert_true(json_is_null(json_path(r->doc, "target.serial")));
	assert_string_equal(json_str(json_path(r->doc, "target.transport")), "sas");
	assert_string_equal(json_str(json_path(r->doc, "target.wwn")), "naa.5000c500075bcd15");
	assert_true(json_bool(json_path(r->doc, "target.rotational.reported"), &rotates) && rotates);
	assert_true(noted(r, "exit-4") && noted(r, "no-serial"));
	result_free(r);
}

static void nvme_cli_in_its_forms(void **state)
{
	struct smart_health h;
	struct result *r = imported(log_of_nvme_cli, &h);

	(void)state;
	assert_int_equal(h.critical_warning, 1);
	assert_true(h.temperature_c == -5 && h.sensor_c[1] == 82 && isnan(h.sensor_c[0]));
	assert_true(h.host_writes.bytes == (u128)512000000000);
	assert_true(noted(r, "no-identity"));
	result_free(r);
	r = imported(ocp_of_nvme_cli, &h);
	assert_true(h.nand_writes.bytes == ((u128)1 << 64) + 5);
	assert_int_equal(h.capacitor, SMART_CAPACITOR_OK);
	result_free(r);
	r = imported("{\"mn\":\" ACME  \",\"sn\":\"S1 \",\"fr\":\"F\",\"vwc\":0}", &h);
	assert_string_equal(json_str(json_path(r->doc, "target.model")), "ACME");
	assert_string_equal(json_str(json_path(r->doc, "target.write_cache.drive")), "none");
	assert_true(json_is_null(json_path(r->doc, "smart.after")));
	result_free(r);
}

static void what_holds_nothing_is_refused_with_its_reason(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "{\"smartctl\":{\"version\":[7,2],\"exit_status\":2}}", "open failed" },
		{ "{\"smartctl\":{\"exit_status\":1}}", "command line" },
		{ "{\"smartctl\":{}}", "read nothing" },
		{ "{\"error\":\"no such page\"}", "no such page" },
		{ "{\"error\":{\"code\":1}}", "no reason given" },
		{ "{\"Physical media units written\":{\"hi\":0,\"lo\":0}}", "GUID" },
		{ "{\"critical_warning\":0,\"temperature\":0,\"avail_spare\":0,\"percent_used\":0,"
		  "\"power_on_hours\":0}", "no valid SMART data" },
		{ "{\"smartctl\":{\"exit_status\":0},\"model_name\":\"x\"", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;
		struct result *r = NULL;

		assert_true(import(rows[i].text, &r, &e) < 0);
		assert_int_equal(e.kind, ERR_INPUT);
		if (!strstr(e.msg, rows[i].says))
			fail_msg("'%s' lacks '%s'", e.msg, rows[i].says);
	}
}

static void one_drive_over_two_paths_is_joined(void **state)
{
	static const char a[] = "{\"smartctl\":{},\"device\":{\"name\":\"/dev/sdb\",\"type\":\"scsi\"},"
		"\"model_name\":\"M\",\"serial_number\":\"S\"}";
	static const char b[] = "{\"smartctl\":{},\"device\":{\"name\":\"/dev/bus/0\",\"type\":"
		"\"sat+megaraid,7\"},\"model_name\":\"M\",\"serial_number\":\"S\","
		"\"local_time\":{\"time_t\":1},\"power_on_time\":{\"hours\":5}}";
	struct smart_health h;
	struct result *x = imported(a, &h), *y = imported(b, &h);

	(void)state;
	assert_true(import_is_twin(x, y));
	assert_false(import_is_twin(x, x)); /* the same path: a history */
	assert_int_equal(import_join(x, y), 0);
	assert_int_equal(json_len(json_path(x->doc, "target.aliases")), 2);
	assert_string_equal(json_str(json_at(json_path(x->doc, "target.aliases"), 1)), "megaraid,7");
	smart_from_json(json_path(x->doc, "smart.after"), &h);
	assert_true(h.power_on_hours.value == 5); /* the newer reading */
	result_free(x);
	result_free(y);
}

/* -- damage ------------------------------------------------------------------------------------ */

static void mutate(char *text, size_t *len, unsigned *seed)
{
	static const char *const splices[] = { "999999999999999999999999999999999999999999", "-1",
		"1e400", "null", "{}", "[]", "\"\"", "\"x\"", "1.5", "true", "[[[[[[[[", "}" };
	unsigned kind = (unsigned)rand_r(seed) % 4;
	size_t at = (size_t)rand_r(seed) % *len;

	if (kind == 0) {
		text[at] = (char)rand_r(seed);
	} else if (kind == 1) {
		*len = at;
	} else {
		const char *s = splices[(size_t)rand_r(seed) % (sizeof(splices) / sizeof(*splices))];
		size_t n = strlen(s);

		/* over a value where one begins near */
		while (at < *len && text[at] != ':')
			at++;
		for (size_t k = 0; k < n && at + 1 + n < *len; k++)
			text[at + 1 + k] = s[k];
	}
}

/* What was made of a damaged file is a document that is read again. */
static void stands(const struct result *r)
{
	struct complaints wrong = COMPLAINTS_INIT;
	struct json *doc = result_to_json(r);

	assert_int_equal(result_validate(doc, &wrong, NULL), 0);
	if (wrong.count)
		fail_msg("%s", wrong.line[0]);
	complaints_done(&wrong);
	json_free(doc);
}

static void damaged_files_are_errors_or_results(void **state)
{
	static const char *const samples[] = { nvme_of_smartctl, sas_of_smartctl, log_of_nvme_cli,
		ocp_of_nvme_cli };
	unsigned seed = 20261130;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (int round = 0; round < 400; round++) {
			size_t len = strlen(samples[i]);
			char *text = strdup(samples[i]);
			struct import_list l;

			for (int n = round % 3; n >= 0 && len; n--)
				mutate(text, &len, &seed);
			if (import_text(text, len, "t", NULL, &l, NULL) == 0) {
				struct smart_health h;

				smart_from_json(json_path(l.result[0]->doc, "smart.after"), &h);
				stands(l.result[0]);
				import_list_done(&l);
			}
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smartctl_of_nvme),
		cmocka_unit_test(smartctl_of_sas),
		cmocka_unit_test(nvme_cli_in_its_forms),
		cmocka_unit_test(what_holds_nothing_is_refused_with_its_reason),
		cmocka_unit_test(one_drive_over_two_paths_is_joined),
		cmocka_unit_test(damaged_files_are_errors_or_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
