/* test_smart.c - bytes of logs and attributes, decoded; a capture asked as a drive is. */
#include "probes/smart.h"

#include "data/hextext.h"
#include "probes/ata.h"
#include "tests/probes/cases.h"
#include "tests/probes/fuzz.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

/* -- NVMe -------------------------------------------------------------------------------------- */

static void put_le16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

/* 307 K, spare 100 of 10 %, 1 % used, 1000 hours. */
static void healthy_log(uint8_t *log)
{
	memset(log, 0, 512);
	put_le16(log + 1, 307);
	log[3] = 100;
	log[4] = 10;
	log[5] = 1;
	put_le16(log + 128, 1000);
}

static void log_02_of_case_e13_counts_past_64_bits(void **state)
{
	struct smart_health h;
	uint8_t log[512];
	char text[U128_BUF];

	(void)state;
	healthy_log(log);
	log[48] = 5;
	log[56] = 1;
	smart_init(&h);
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), 0);
	assert_string_equal(u128_format(text, h.host_writes.bytes), "9444732965739290429952000");
	assert_int_equal(h.host_writes.step_bytes, 512000);
	assert_true(h.temperature_c == 34 && h.percent_used == 1 && h.percent_remaining == 99);
	assert_true(h.spare_percent == 100 && h.spare_threshold_percent == 10);
	assert_true(h.power_on_hours.known && h.power_on_hours.value == 1000);
	assert_int_equal(h.critical_warning, 0);
}

static void every_byte_of_log_02_has_its_place(void **state)
{
	static const struct {
		size_t offset, member;
	} rows[] = {
		{ 112, offsetof(struct smart_health, power_cycles) },
		{ 128, offsetof(struct smart_health, power_on_hours) },
		{ 144, offsetof(struct smart_health, unsafe_shutdowns) },
		{ 160, offsetof(struct smart_health, media_errors) },
		{ 176, offsetof(struct smart_health, error_log_entries) },
	};
	struct smart_health h;
	uint8_t log[512];

	(void)state;
	healthy_log(log);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		log[rows[i].offset] = (uint8_t)(10 + i);
	log[128 + 1] = 0;
	log[32] = 7;
	smart_init(&h);
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct smart_count *c =
			(const struct smart_count *)((const char *)&h + rows[i].member);

		assert_true(c->known && c->value == 10 + i);
	}
	assert_true(h.host_reads.bytes == 7 * 512000);
}

static void temperatures_of_case_e14(void **state)
{
	struct smart_health h;
	uint8_t log[512];

	(void)state;
	healthy_log(log);
	put_le16(log + 1, 0);
	smart_init(&h);
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), 0);
	assert_true(isnan(h.temperature_c));
	put_le16(log + 1, 268);
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), 0);
	assert_true(h.temperature_c == -5);
	put_le16(log + 200, 355);
	put_le16(log + 202, 0xffff);
	smart_init(&h);
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), 0);
	assert_true(h.sensor_c[0] == 82);
	assert_true(isnan(h.sensor_c[1]) && isnan(h.sensor_c[2]));
}

static void a_log_that_holds_nothing_is_no_data(void **state)
{
	struct smart_health h, before;
	struct err e = ERR_INIT;
	uint8_t log[512];

	(void)state;
	smart_init(&h);
	before = h;
	memset(log, 0, sizeof(log));
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "no valid SMART data"));
	log[0] = 4; /* not all zero, and nothing in it all the same */
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), -ENODATA);
	memset(log, 0xff, sizeof(log));
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), -ENODATA);
	log[300] = 0;
	assert_int_equal(smart_decode_log_02(log, sizeof(log), &h, NULL), -ENODATA);
	assert_int_equal(smart_decode_log_02(log, 511, &h, NULL), -EBADMSG);
	assert_memory_equal(&h, &before, sizeof(h));
}

static void ocp_log(uint8_t *log)
{
	static const uint8_t guid[16] = { 0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4, 0x9c,
		0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf };

	memset(log, 0, 512);
	memcpy(log + 496, guid, sizeof(guid));
	log[2] = 0xbc; /* 1536000000000 */
	log[3] = 0xa0;
	log[4] = 0x65;
	log[5] = 0x01;
}

static void log_c0_counts_only_with_its_guid(void **state)
{
	struct smart_health h;
	struct err e = ERR_INIT;
	uint8_t log[512];

	(void)state;
	smart_init(&h);
	ocp_log(log);
	assert_int_equal(smart_decode_log_c0(log, sizeof(log), &h, NULL), 0);
	assert_true(h.nand_writes.bytes == (u128)1536000000000);
	assert_int_equal(h.capacitor, SMART_CAPACITOR_UNKNOWN);
	put_le16(log + 128, 100);
	assert_int_equal(smart_decode_log_c0(log, sizeof(log), &h, NULL), 0);
	assert_int_equal(h.capacitor, SMART_CAPACITOR_OK);
	put_le16(log + 128, 0xffff);
	assert_int_equal(smart_decode_log_c0(log, sizeof(log), &h, NULL), 0);
	assert_int_equal(h.capacitor, SMART_CAPACITOR_NONE);
	smart_init(&h);
	log[511] ^= 1;
	assert_int_equal(smart_decode_log_c0(log, sizeof(log), &h, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "GUID mismatch"));
	assert_false(h.nand_writes.known);
}

/* -- ATA --------------------------------------------------------------------------------------- */

static void seal(uint8_t *block)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < 511; i++)
		sum = (uint8_t)(sum + block[i]);
	block[511] = (uint8_t)-sum;
}

static void put_attribute(uint8_t *data, unsigned slot, uint8_t id, bool prefail, uint8_t value,
	uint64_t raw)
{
	uint8_t *a = data + 2 + 12 * (size_t)slot;

	a[0] = id;
	a[1] = prefail;
	a[3] = value;
	a[4] = value;
	for (int i = 0; i < 6; i++)
		a[5 + i] = (uint8_t)(raw >> 8 * i);
}

/* IDENTIFY of case A01 with another model, and SMART supported and on. */
static void make_identify(uint8_t *id, const char *model)
{
	memcpy(id, A01_identify, 512);
	memset(id + 54, ' ', 40);
	for (size_t i = 0; model[i]; i++)
		id[54 + (i ^ 1)] = (uint8_t)model[i];
	id[164] |= 1; /* words 82 and 85 bit 0 */
	id[170] |= 1;
	id[168] |= 0x20; /* word 84 bit 5: general purpose logs */
	id[169] = 0x40;
	seal(id);
}

static void attributes_come_through_libatasmart(void **state)
{
	uint8_t id[512], data[512] = { 0x10 }, thresholds[512] = { 0x10 };
	struct smart_health h;

	(void)state;
	make_identify(id, "INTEL SSDSC2KB240G8");
	put_attribute(data, 0, 241, false, 100, 281474976710655);
	put_attribute(data, 1, 5, true, 3, 7);
	put_attribute(data, 2, 175, true, 100, 0x0280);
	thresholds[2] = 5;
	thresholds[3] = 10;
	seal(data);
	seal(thresholds);
	smart_init(&h);
	assert_int_equal(smart_decode_attributes(id, data, thresholds, &h, NULL), 0);
	assert_int_equal(h.attribute_count, 3);
	assert_int_equal(h.attribute[0].id, 241);
	assert_true(h.attribute[0].raw == 281474976710655);
	assert_int_equal(h.attribute[0].threshold, -1);
	assert_true(h.attribute[1].failing);
	assert_int_equal(h.attribute[1].threshold, 10);
	assert_false(h.attribute[2].failing);
}

static void a_wrong_checksum_is_not_trusted(void **state)
{
	uint8_t id[512], data[512] = { 0x10 }, thresholds[512] = { 0x10 };
	struct smart_health h;
	struct err e = ERR_INIT;

	(void)state;
	make_identify(id, "ACME");
	put_attribute(data, 0, 9, false, 100, 5);
	smart_init(&h);
	assert_int_equal(smart_decode_attributes(id, data, NULL, &h, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "checksum"));
	assert_int_equal(h.attribute_count, 0);
	seal(data);
	thresholds[3] = 1; /* not sealed: the data stand, the thresholds do not */
	assert_int_equal(smart_decode_attributes(id, data, thresholds, &h, NULL), 0);
	assert_int_equal(h.attribute_count, 1);
	assert_string_equal(h.note[0].code, "thresholds-checksum");
}

static void put_statistic(uint8_t *page, size_t offset, uint8_t flags, uint64_t v)
{
	for (int i = 0; i < 7; i++)
		page[offset + (size_t)i] = (uint8_t)(v >> 8 * i);
	page[offset + 7] = flags;
}

static void statistics_count_with_their_valid_bit_only(void **state)
{
	uint8_t page[512] = { [2] = 1 };
	struct smart_health h;

	(void)state;
	smart_init(&h);
	put_statistic(page, 8, 0xc0, 77);
	put_statistic(page, 24, 0xc0, 6553600000);
	put_statistic(page, 40, 0x80, 99); /* supported, not valid */
	assert_int_equal(smart_decode_statistics(page, sizeof(page), &h, NULL), 0);
	assert_true(h.host_writes.bytes == (u128)3355443200000);
	assert_false(h.host_reads.known);
	assert_true(h.power_cycles.value == 77);
	memset(page, 0, sizeof(page));
	page[2] = 5;
	put_statistic(page, 8, 0xc0, 0xfb);
	assert_int_equal(smart_decode_statistics(page, sizeof(page), &h, NULL), 0);
	assert_true(h.temperature_c == -5);
	page[2] = 7;
	put_statistic(page, 8, 0xe0, 101);
	assert_int_equal(smart_decode_statistics(page, sizeof(page), &h, NULL), 0);
	assert_true(h.percent_used == 101 && h.percent_remaining == 0);
	page[2] = 4;
	assert_int_equal(smart_decode_statistics(page, sizeof(page), &h, NULL), -ENODATA);
	assert_int_equal(smart_decode_statistics(page, 100, &h, NULL), -EBADMSG);
}

/* -- SCSI -------------------------------------------------------------------------------------- */

static void log_pages_of_scsi(void **state)
{
	static const uint8_t endurance[] = { 0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 4 };
	static const uint8_t temperature[] = { 0x0d, 0, 0, 12, 0, 0, 3, 2, 0, 38,
		0, 1, 3, 2, 0, 70 };
	static const uint8_t written[] = { 0x02, 0, 0, 24, 0, 5, 2, 8, 0, 0, 1, 0, 0, 0, 0, 0,
		0, 6, 2, 8, 0, 0, 0, 0, 0, 0, 0, 3 };
	static const uint8_t cycles[] = { 0x0e, 0, 0, 8, 0, 4, 3, 4, 0, 0, 0, 9 };
	static const uint8_t hours[] = { 0x15, 0, 0, 8, 0, 0, 3, 4, 0, 0, 0x0e, 0x10 };
	static const uint8_t exceptions[] = { 0x2f, 0, 0, 8, 0, 0, 3, 4, 0x5d, 0x10, 38, 0 };
	static const uint8_t other[] = { 0x06, 0, 0, 6, 0, 0, 3, 2, 0, 12 };
	struct smart_health h;

	(void)state;
	smart_init(&h);
	assert_int_equal(smart_decode_scsi_page(endurance, sizeof(endurance), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(temperature, sizeof(temperature), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(written, sizeof(written), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(cycles, sizeof(cycles), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(hours, sizeof(hours), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(exceptions, sizeof(exceptions), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(other, sizeof(other), &h, NULL), 0);
	assert_true(h.percent_used == 4 && h.temperature_c == 38);
	assert_true(h.host_writes.bytes == (u128)1 << 40);
	assert_true(h.uncorrectable.value == 3 && h.power_cycles.value == 9);
	assert_true(h.power_on_hours.value == 60 && h.non_medium_errors.value == 12);
	assert_int_equal(h.passed, SMART_NO);
}

static void odd_scsi_pages_are_left_alone(void **state)
{
	static const uint8_t cut[] = { 0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0 };
	static const uint8_t unknown_temperature[] = { 0x0d, 0, 0, 6, 0, 0, 3, 2, 0, 0xff };
	static const uint8_t wide[] = { 0x02, 0, 0, 14, 0, 5, 2, 10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static const uint8_t foreign[] = { 0x30, 0, 0, 0 };
	struct smart_health h;

	(void)state;
	smart_init(&h);
	assert_int_equal(smart_decode_scsi_page(cut, sizeof(cut), &h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(unknown_temperature, sizeof(unknown_temperature),
		&h, NULL), 0);
	assert_int_equal(smart_decode_scsi_page(wide, sizeof(wide), &h, NULL), 0);
	assert_true(isnan(h.percent_used) && isnan(h.temperature_c) && !h.host_writes.known);
	assert_int_equal(smart_decode_scsi_page(foreign, sizeof(foreign), &h, NULL), -ENODATA);
	assert_int_equal(smart_decode_scsi_page(foreign, 3, &h, NULL), -EBADMSG);
}

/* -- captures ---------------------------------------------------------------------------------- */

static char dir[] = "/tmp/ssdqual-smart-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void put(const char *dev, const char *name, const uint8_t *buf, size_t len)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, dev);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/%s/%s", dir, dev, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(hextext_write(f, buf, len, name), 0);
	assert_int_equal(fclose(f), 0);
}

static int ask(const char *dev, struct smart_health *h, struct err *e)
{
	struct devio io;
	int rc;

	assert_int_equal(devio_open_replay(dir, dev, &io, NULL), 0);
	rc = smart_ask(&io, NULL, false, h, e);
	devio_close(&io);
	return rc;
}

static void a_captured_sata_drive_is_asked(void **state)
{
	/* descriptor sense with the registers of RETURN STATUS: LBA F4h/2Ch, threshold exceeded */
	static const uint8_t status[] = { 0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 0, 0, 0, 0, 0, 0, 0,
		0xf4, 0, 0x2c, 0, 0x50 };
	uint8_t id[512], data[512] = { 0x10 }, page[512] = { [2] = 1 };
	struct smart_health h;

	(void)state;
	make_identify(id, "INTEL SSDSC2KB240G8");
	put("sda", "identify.hex", id, sizeof(id));
	put_attribute(data, 0, 241, false, 100, 3200);
	put_attribute(data, 1, 243, false, 100, 8000);
	put_attribute(data, 2, 175, true, 100, 1);
	put_attribute(data, 3, 233, false, 97, 0);
	seal(data);
	put("sda", "smart.hex", data, sizeof(data));
	assert_int_equal(ask("sda", &h, NULL), 0);
	assert_int_equal(h.kind, SMART_KIND_ATA);
	assert_string_equal(h.model, "INTEL SSDSC2KB240G8");
	assert_string_equal(h.serial, "SN0001");
	assert_true(h.host_writes.bytes == (u128)107374182400);
	assert_true(h.write_amplification == 2.5 && h.percent_remaining == 97);
	assert_int_equal(h.capacitor, SMART_CAPACITOR_OK);
	assert_int_equal(h.passed, SMART_UNKNOWN);
	put_statistic(page, 24, 0xc0, 1000);
	put("sda", "devstat-01.hex", page, sizeof(page));
	put("sda", "smart-status.hex", status, sizeof(status));
	assert_int_equal(ask("sda", &h, NULL), 0);
	assert_true(h.host_writes.bytes == 512000);
	assert_int_equal(h.passed, SMART_NO);
}

static void smart_that_is_off_or_empty_says_so(void **state)
{
	uint8_t id[512], data[512] = { 0 };
	struct smart_health h;
	struct err e = ERR_INIT;

	(void)state;
	make_identify(id, "ACME");
	id[170] &= 0xfe;
	seal(id);
	put("sdb", "identify.hex", id, sizeof(id));
	put("sdb", "smart.hex", data, sizeof(data));
	assert_int_equal(ask("sdb", &h, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "smartctl -s on"));
	make_identify(id, "ACME");
	put("sdb", "identify.hex", id, sizeof(id));
	assert_int_equal(ask("sdb", &h, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "no valid SMART data"));
}

static void a_captured_nvme_drive_is_asked(void **state)
{
	struct smart_health h;
	uint8_t log[512];

	(void)state;
	healthy_log(log);
	put_le16(log + 48, 0x8480); /* 2000000 units */
	log[50] = 0x1e;
	put("nvme0n1", "log-02.hex", log, sizeof(log));
	ocp_log(log);
	put("nvme0n1", "log-c0.hex", log, sizeof(log));
	assert_int_equal(ask("nvme0n1", &h, NULL), 0);
	assert_true(h.host_writes.bytes == (u128)1024000000000);
	assert_true(h.write_amplification == 1.5);
	log[500] ^= 0xff;
	put("nvme0n1", "log-c0.hex", log, sizeof(log));
	assert_int_equal(ask("nvme0n1", &h, NULL), 0);
	assert_true(isnan(h.write_amplification));
	assert_string_equal(h.note[0].code, "ocp-log");
}

static void a_captured_sas_drive_is_asked(void **state)
{
	static const uint8_t inquiry[36] = { 0, 0, 6, 2, 31, [8] = 'A', 'C', 'M', 'E', ' ', ' ', ' ',
		' ', 'S', 'A', 'S', '8', '0', '0', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ',
		' ', ' ', ' ', ' ' };
	static const uint8_t list[] = { 0, 0, 0, 3, 0, 0x0d, 0x11 };
	static const uint8_t endurance[] = { 0x11, 0, 0, 8, 0, 1, 3, 4, 0, 0, 0, 4 };
	struct smart_health h;

	(void)state;
	put("sdc", "inquiry.hex", inquiry, sizeof(inquiry));
	put("sdc", "log-00.hex", list, sizeof(list));
	put("sdc", "log-11.hex", endurance, sizeof(endurance));
	assert_int_equal(ask("sdc", &h, NULL), 0);
	assert_int_equal(h.kind, SMART_KIND_SCSI);
	assert_true(h.percent_used == 4 && isnan(h.temperature_c));
	assert_string_equal(h.model, "SAS800");
}

/* -- damaged buffers --------------------------------------------------------------------------- */

static void decode_all(const uint8_t *buf, size_t len)
{
	struct smart_health h;

	smart_init(&h);
	(void)smart_decode_log_02(buf, len, &h, NULL); /* must only not crash */
	(void)smart_decode_log_c0(buf, len, &h, NULL);
	(void)smart_decode_statistics(buf, len, &h, NULL);
	(void)smart_decode_scsi_page(buf, len, &h, NULL);
	if (len == 512)
		(void)smart_decode_attributes(A01_identify, buf, buf, &h, NULL);
}

static void survives_truncation_and_bit_flips(void **state)
{
	static const uint8_t page[] = { 0x02, 0, 0, 24, 0, 5, 2, 8, 0, 0, 1, 0, 0, 0, 0, 0,
		0, 6, 2, 8, 0, 0, 0, 0, 0, 0, 0, 3 };
	uint8_t buf[512];

	(void)state;
	healthy_log(buf);
	fuzz(buf, sizeof(buf), 300, decode_all);
	ocp_log(buf);
	fuzz(buf, sizeof(buf), 300, decode_all);
	fuzz(page, sizeof(page), 2000, decode_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_02_of_case_e13_counts_past_64_bits),
		cmocka_unit_test(every_byte_of_log_02_has_its_place),
		cmocka_unit_test(temperatures_of_case_e14),
		cmocka_unit_test(a_log_that_holds_nothing_is_no_data),
		cmocka_unit_test(log_c0_counts_only_with_its_guid),
		cmocka_unit_test(attributes_come_through_libatasmart),
		cmocka_unit_test(a_wrong_checksum_is_not_trusted),
		cmocka_unit_test(statistics_count_with_their_valid_bit_only),
		cmocka_unit_test(log_pages_of_scsi),
		cmocka_unit_test(odd_scsi_pages_are_left_alone),
		cmocka_unit_test(a_captured_sata_drive_is_asked),
		cmocka_unit_test(smart_that_is_off_or_empty_says_so),
		cmocka_unit_test(a_captured_nvme_drive_is_asked),
		cmocka_unit_test(a_captured_sas_drive_is_asked),
		cmocka_unit_test(survives_truncation_and_bit_flips),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
