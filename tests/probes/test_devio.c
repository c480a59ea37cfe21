/* test_devio.c - commands through the seam: what is sent, how answers are judged, retries. */
#include "probes/devio.h"

#include "probes/ata.h"
#include "tests/probes/cases.h"
#include "tests/probes/devio_script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SCRIPT(steps) { .step = (steps), .count = sizeof(steps) / sizeof((steps)[0]) }
#define IDENTIFY_CDB { 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec }
#define SENSE10_CDB { 0x5a, 0, 0x08, 0, 0, 0, 0, 0, 252 }

static void identify_is_taken_with_fixed_sense_case_a10(void **state)
{
	const struct script_step steps[] = { {
		.cdb = IDENTIFY_CDB, .cdb_len = 16, .data = A11_identify, .data_len = 512,
		.sense = A10_sense, .sense_len = sizeof(A10_sense), .status = SCSI_CHECK_CONDITION,
	} };
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	uint8_t buf[512];

	(void)state;
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	assert_memory_equal(buf, A11_identify, 512);
	script_done(&s);
}

static void identify_is_taken_without_sense_case_a11(void **state)
{
	const struct script_step steps[] = { {
		.cdb = IDENTIFY_CDB, .cdb_len = 16, .data = A11_identify, .data_len = 512,
	} };
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	uint8_t buf[512];

	(void)state;
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	script_done(&s);
}

static void a_cut_identify_is_an_error(void **state)
{
	const struct script_step steps[] = { {
		.cdb = IDENTIFY_CDB, .cdb_len = 16, .data = A11_identify, .data_len = 36,
	} };
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	uint8_t buf[512];

	(void)state;
	assert_int_equal(devio_ata_identify(&io, buf, NULL), -EBADMSG);
	script_done(&s);
}

static void registers_with_abort_mean_not_supported(void **state)
{
	const uint8_t sense[] = { 0x72, 0x0b, 0, 0, 0, 0, 0, 14, 9, 12, 0, 0x04, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0x51 };
	const uint8_t fault[] = { 0x72, 0x04, 0, 0, 0, 0, 0, 14, 9, 12, 0, 0x00, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0x71 };
	const struct script_step steps[] = {
		{ .cdb = { 0x85, 0x06, 0x20, 0, 0x82, [14] = 0xef }, .cdb_len = 16, .sense = sense,
			.sense_len = sizeof(sense), .status = SCSI_CHECK_CONDITION },
		{ .cdb = { 0x85, 0x06, 0x20, 0, 0x02, [14] = 0xef }, .cdb_len = 16, .sense = fault,
			.sense_len = sizeof(fault), .status = SCSI_CHECK_CONDITION },
	};
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(devio_ata_write_cache(&io, false, &e), -EOPNOTSUPP);
	assert_int_equal(e.kind, ERR_UNSUPPORTED);
	assert_int_equal(devio_ata_write_cache(&io, true, &e), -EIO);
	assert_int_equal(e.kind, ERR_DEVICE);
	script_done(&s);
}

static void unit_attention_is_asked_again_but_not_for_ever(void **state)
{
	const uint8_t attention[18] = { 0x70, 0, 6, [7] = 10, [12] = 0x29 };
	const struct script_step again[] = {
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .sense = attention, .sense_len = 18,
			.status = SCSI_CHECK_CONDITION },
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .data = A19_bd8, .data_len = sizeof(A19_bd8) },
	};
	const struct script_step forever[] = {
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .sense = attention, .sense_len = 18, .status = 2 },
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .sense = attention, .sense_len = 18, .status = 2 },
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .sense = attention, .sense_len = 18, .status = 2 },
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .sense = attention, .sense_len = 18, .status = 2 },
	};
	struct script s = SCRIPT(again), f = SCRIPT(forever);
	struct devio io = script_open(&s, false);
	struct scsi_caching page;
	uint8_t buf[252];

	(void)state;
	assert_int_equal(devio_caching(&io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), 0);
	assert_false(page.wce);
	script_done(&s);
	io = script_open(&f, false);
	assert_int_equal(devio_caching(&io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), -EIO);
	script_done(&f);
}

static void old_devices_are_asked_by_the_six_byte_command(void **state)
{
	const uint8_t unknown[18] = { 0x70, 0, 5, [7] = 10, [12] = 0x20 };
	const uint8_t six[] = { 23, 0, 0, 0, 0x88, 0x12, 0x04, [23] = 0 };
	const struct script_step steps[] = {
		{ .cdb = SENSE10_CDB, .cdb_len = 10, .sense = unknown, .sense_len = 18, .status = 2 },
		{ .cdb = { 0x1a, 0, 0x08, 0, 192 }, .cdb_len = 6, .data = six,
			.data_len = sizeof(six) },
	};
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	struct scsi_caching page;
	uint8_t buf[252];

	(void)state;
	assert_int_equal(devio_caching(&io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), 0);
	assert_true(page.wce && !page.ten);
	script_done(&s);
}

static void refused_mode_select_is_unsupported_case_a03(void **state)
{
	const uint8_t list[28] = { [8] = 0x08, 0x12, 0x00 };
	const struct script_step steps[] = { {
		.cdb = { 0x55, 0x10, [8] = 28 }, .cdb_len = 10, .sent = list, .sent_len = 28,
		.sense = A03_sense, .sense_len = sizeof(A03_sense), .status = SCSI_CHECK_CONDITION,
	} };
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	struct scsi_caching page;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(scsi_caching_decode(A03_mode, sizeof(A03_mode), true, &page, NULL), 0);
	assert_int_equal(devio_caching_select(&io, A03_mode, &page, false, false, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "5/26/00"));
	script_done(&s);
}

static void reservation_conflicts_are_refusals(void **state)
{
	const struct script_step steps[] = { {
		.cdb = { 0x12, 0, 0, 0, 96 }, .cdb_len = 6, .status = SCSI_RESERVATION_CONFLICT,
	} };
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, false);
	struct scsi_inquiry q;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(devio_inquiry(&io, &q, &e), -EBUSY);
	assert_int_equal(e.kind, ERR_REFUSED);
	script_done(&s);
}

static void nvme_features_are_sent_and_judged(void **state)
{
	const struct script_step steps[] = {
		{ .nvme = true, .opcode = 0x0a, .cdw10 = 0x006, .result = 1 },
		{ .nvme = true, .opcode = 0x0a, .cdw10 = 0x206, .nvme_status = 0x4002 },
		{ .nvme = true, .opcode = 0x09, .cdw10 = 0x80000006, .cdw11 = 1 },
		{ .nvme = true, .opcode = 0x09, .cdw10 = 0x006, .nvme_status = 0x0006 },
		{ .nvme = true, .opcode = 0x09, .cdw10 = 0x006, .error = -ENODEV },
	};
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, true);
	struct err e = ERR_INIT;
	uint32_t v = 9;

	(void)state;
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, &e), 0);
	assert_int_equal(v, 1);
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_SAVED, &v, &e), -EOPNOTSUPP);
	assert_int_equal(v, 1);
	assert_int_equal(devio_nvme_set_feature(&io, 6, 1, true, &e), 0);
	assert_int_equal(devio_nvme_set_feature(&io, 6, 0, false, &e), -EIO);
	assert_int_equal(devio_nvme_set_feature(&io, 6, 0, false, &e), -ENODEV);
	script_done(&s);
}

static void reservation_report_falls_back_to_the_short_form(void **state)
{
	const uint8_t report[48] = { [4] = 1, [5] = 1, [24] = 3, [26] = 1, [40] = 0x11 };
	const struct script_step steps[] = {
		{ .nvme = true, .opcode = 0x0e, .cdw10 = 1023, .cdw11 = 1, .nvme_status = 0x0002 },
		{ .nvme = true, .opcode = 0x0e, .cdw10 = 1023, .data = report, .data_len = 48 },
	};
	struct script s = SCRIPT(steps);
	struct devio io = script_open(&s, true);
	struct nvm_reservations r;

	(void)state;
	assert_int_equal(devio_nvme_reservations(&io, &r, NULL), 0);
	assert_true(r.count == 1 && r.registrant[0].key == 0x11 && r.registrant[0].holder);
	script_done(&s);
}

static void drives_are_spoken_to_in_their_own_language_case_a14(void **state)
{
	struct script s = { .count = 0 };
	struct devio nvme = script_open(&s, true), sg = script_open(&s, false);
	struct err e = ERR_INIT;
	uint8_t buf[4096];

	(void)state;
	assert_int_equal(devio_ata_identify(&nvme, buf, &e), -ENOTTY);
	assert_int_equal(e.kind, ERR_INTERNAL);
	assert_int_equal(devio_nvme_identify(&sg, DEVIO_CNS_CONTROLLER, buf, &e), -ENOTTY);
	script_done(&s);
}

static void absent_devices_and_foreign_files_are_errors(void **state)
{
	char path[] = "/tmp/ssdqual-devio-XXXXXX";
	struct err e = ERR_INIT;
	struct devio io = { 0 };
	struct scsi_inquiry q;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(devio_open("/nonexistent/sda", &io, &e), -ENOENT);
	assert_int_equal(devio_open("/nonexistent/nvme0n1", &io, &e), -ENOENT);
	assert_int_equal(devio_open(path, &io, &e), 0); /* a regular file takes no SG_IO */
	assert_int_equal(devio_inquiry(&io, &q, &e), -EOPNOTSUPP);
	devio_close(&io);
	devio_close(&io);
	assert_int_equal(dev_nvme_open(path, &io, &e) < 0, 1);
	(void)unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identify_is_taken_with_fixed_sense_case_a10),
		cmocka_unit_test(identify_is_taken_without_sense_case_a11),
		cmocka_unit_test(a_cut_identify_is_an_error),
		cmocka_unit_test(registers_with_abort_mean_not_supported),
		cmocka_unit_test(unit_attention_is_asked_again_but_not_for_ever),
		cmocka_unit_test(old_devices_are_asked_by_the_six_byte_command),
		cmocka_unit_test(refused_mode_select_is_unsupported_case_a03),
		cmocka_unit_test(reservation_conflicts_are_refusals),
		cmocka_unit_test(nvme_features_are_sent_and_judged),
		cmocka_unit_test(reservation_report_falls_back_to_the_short_form),
		cmocka_unit_test(drives_are_spoken_to_in_their_own_language_case_a14),
		cmocka_unit_test(absent_devices_and_foreign_files_are_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
