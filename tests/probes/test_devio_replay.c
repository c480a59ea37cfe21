/* test_devio_replay.c - a folder of captured bytes answers like the device it was taken from. */
#include "probes/devio.h"

#include "data/hextext.h"
#include "probes/ata.h"
#include "tests/probes/cases.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char dir[] = "/tmp/ssdqual-replay-XXXXXX";

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

static FILE *create(const char *dev, const char *name)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, dev);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/%s/%s", dir, dev, name);
	f = fopen(path, "w");
	assert_non_null(f);
	return f;
}

static void put(const char *dev, const char *name, const uint8_t *buf, size_t len)
{
	FILE *f = create(dev, name);

	assert_int_equal(hextext_write(f, buf, len, name), 0);
	assert_int_equal(fclose(f), 0);
}

static void put_text(const char *dev, const char *name, const char *text)
{
	FILE *f = create(dev, name);

	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static struct devio replay(const char *dev)
{
	struct devio io = { 0 };

	assert_int_equal(devio_open_replay(dir, dev, &io, NULL), 0);
	return io;
}

static bool wce(struct devio *io)
{
	struct scsi_caching page;
	uint8_t buf[252];

	assert_int_equal(devio_caching(io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), 0);
	return page.wce;
}

static void ata_answers_come_from_identify_and_sense(void **state)
{
	struct devio io;
	uint8_t buf[512];

	(void)state;
	put("sda", "identify.hex", A01_identify, 512);
	put("sda", "sense.1.hex", A10_sense, sizeof(A10_sense));
	put("sda", "sense.2.hex", A03_sense, sizeof(A03_sense));
	put("sda", "vpd-b1.hex", B04_a, sizeof(B04_a));
	io = replay("sda");
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	assert_memory_equal(buf, A01_identify, 512);
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	assert_int_equal(devio_ata_write_cache(&io, false, NULL), -EOPNOTSUPP);
	/* no third file: what was refused stays refused */
	assert_int_equal(devio_ata_write_cache(&io, false, NULL), -EOPNOTSUPP);
	devio_close(&io);
}

static void a_failure_that_is_no_refusal_ends_with_its_file(void **state)
{
	/* fixed format, hardware error */
	static const uint8_t failure[18] = { 0x70, 0, 0x04, [7] = 10, [12] = 0x44 };
	struct devio io;

	(void)state;
	put("sdy", "identify.hex", A01_identify, 512);
	put("sdy", "sense.2.hex", failure, sizeof(failure));
	io = replay("sdy");
	assert_int_equal(devio_ata_write_cache(&io, false, NULL), -EIO);
	assert_int_equal(devio_ata_write_cache(&io, false, NULL), 0);
	devio_close(&io);
}

static void identify_of_a_bridge_without_sense_case_a11(void **state)
{
	struct devio io;
	uint8_t buf[512];

	(void)state;
	put("sdu", "identify.hex", A11_identify, 512);
	put_text("sdu", "sense.1.hex", "# empty\n");
	io = replay("sdu");
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	assert_memory_equal(buf, A11_identify, 512);
	devio_close(&io);
}

static void identify_may_follow_a_change(void **state)
{
	struct devio io;
	uint8_t buf[512];

	(void)state;
	put("sdv", "identify.hex", B01_identify, 512);
	put("sdv", "identify.2.hex", A01_identify, 512);
	io = replay("sdv");
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	assert_memory_equal(buf, B01_identify, 512);
	assert_int_equal(devio_ata_write_cache(&io, false, NULL), 0);
	assert_int_equal(devio_ata_identify(&io, buf, NULL), 0);
	assert_memory_equal(buf, A01_identify, 512);
	devio_close(&io);
}

/* Both numberings are read alike: 1, 2 (answers of MODE SENSE) and 1, 3 (commands). */
static void mode_pages_advance_with_changes(void **state)
{
	static const char *const after[] = { "mode-08.2.hex", "mode-08.3.hex" };
	struct scsi_caching page;
	uint8_t buf[252];
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		char dev[] = "sdm0";
		struct devio io;

		dev[3] = (char)('0' + i);
		put(dev, "mode-08.1.hex", A19_bd0, sizeof(A19_bd0));
		put(dev, after[i], A19_bd8, sizeof(A19_bd8));
		io = replay(dev);
		assert_true(wce(&io));
		assert_true(wce(&io));
		assert_int_equal(devio_caching(&io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), 0);
		assert_int_equal(devio_caching_select(&io, buf, &page, false, true, NULL), 0);
		assert_false(wce(&io));
		assert_false(wce(&io));
		assert_int_equal(devio_caching(&io, SCSI_PC_SAVED, buf, sizeof(buf), &page, NULL),
			-EOPNOTSUPP);
		devio_close(&io);
	}
}

static void refused_select_of_case_a03(void **state)
{
	struct scsi_caching page;
	struct devio io;
	struct err e = ERR_INIT;
	uint8_t buf[252];

	(void)state;
	put("sdh", "mode-08.1.hex", A03_mode, sizeof(A03_mode));
	put("sdh", "sense.2.hex", A03_sense, sizeof(A03_sense));
	io = replay("sdh");
	assert_int_equal(devio_caching(&io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), 0);
	assert_int_equal(devio_caching_select(&io, buf, &page, false, false, &e), -EOPNOTSUPP);
	assert_true(wce(&io));
	devio_close(&io);
}

static void cut_mode_page_is_an_error_case_a19(void **state)
{
	struct scsi_caching page;
	struct devio io;
	uint8_t buf[252];

	(void)state;
	put("sdx", "mode-08.1.hex", A19_short, sizeof(A19_short));
	io = replay("sdx");
	assert_int_equal(devio_caching(&io, SCSI_PC_CURRENT, buf, sizeof(buf), &page, NULL), -EBADMSG);
	devio_close(&io);
}

static void nvme_answers_of_cases_a06_a07_and_a14(void **state)
{
	static uint8_t buf[4096];
	struct nvm_ctrl c;
	struct devio io;
	uint32_t v;

	(void)state;
	put_text("nvme0n1", "nvme.json",
		"{\"vwc\": 0, \"get_feature_06\": {\"sct\": 0, \"sc\": 2},"
		" \"set_feature_06\": {\"sct\": 0, \"sc\": 2}}");
	io = replay("nvme0n1");
	assert_int_equal(devio_nvme_identify(&io, DEVIO_CNS_CONTROLLER, buf, NULL), 0);
	assert_int_equal(nvm_ctrl_decode(buf, sizeof(buf), &c, NULL), 0);
	assert_false(c.vwc);
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, NULL), -EOPNOTSUPP);
	devio_close(&io);
	put_text("nvme7n1", "nvme.json",
		"{\"vwc\": 1, \"model\": \"ACME\", \"get_feature_06_before\": {\"result\": 0},"
		" \"set_feature_06\": {\"sct\": 0, \"sc\": 0, \"result\": 0},"
		" \"get_feature_06_after\": {\"result\": 1}}");
	io = replay("nvme7n1");
	assert_int_equal(devio_nvme_identify(&io, DEVIO_CNS_CONTROLLER, buf, NULL), 0);
	assert_int_equal(nvm_ctrl_decode(buf, sizeof(buf), &c, NULL), 0);
	assert_true(c.vwc);
	assert_string_equal(c.model, "ACME");
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, NULL), 0);
	assert_int_equal(v, 0);
	assert_int_equal(devio_nvme_set_feature(&io, 6, 1, false, NULL), 0);
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, NULL), 0);
	assert_int_equal(v, 1);
	devio_close(&io);
}

static void logs_come_from_files(void **state)
{
	uint8_t log[512] = { 0x10, 0x34 }, back[512], warnings;
	struct devio io;

	(void)state;
	put("nvme3n1", "log-02.hex", log, sizeof(log));
	io = replay("nvme3n1");
	assert_int_equal(devio_nvme_log(&io, 0x02, back, sizeof(back), NULL), 0);
	assert_int_equal(nvm_critical_decode(back, sizeof(back), &warnings, NULL), 0);
	assert_int_equal(warnings, NVM_WARN_BACKUP_FAILED);
	assert_int_equal(devio_nvme_log(&io, 0xc0, back, sizeof(back), NULL), -EOPNOTSUPP);
	devio_close(&io);
}

static void damaged_captures_are_input_errors(void **state)
{
	struct devio io = { 0 };
	struct err e = ERR_INIT;
	uint8_t buf[64];
	size_t len;

	(void)state;
	assert_int_equal(devio_open_replay(dir, "sdnone", &io, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_INPUT);
	put_text("sdbad", "identify.hex", "40 zz\n");
	assert_int_equal(devio_open_replay(dir, "sdbad", &io, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "identify.hex:1:4:"));
	put_text("sdbad2", "vpd-b1.hex", "00 b1 0\n");
	io = replay("sdbad2");
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), -EBADMSG);
	assert_int_equal(e.kind, ERR_INPUT);
	assert_int_equal(devio_vpd(&io, 0x80, buf, sizeof(buf), &len, &e), -EOPNOTSUPP);
	devio_close(&io);
	put_text("nvme9n1", "nvme.json", "{\"vwc\": }");
	assert_int_equal(devio_open_replay(dir, "nvme9n1", &io, &e) < 0, 1);
	assert_int_equal(e.kind, ERR_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ata_answers_come_from_identify_and_sense),
		cmocka_unit_test(a_failure_that_is_no_refusal_ends_with_its_file),
		cmocka_unit_test(identify_of_a_bridge_without_sense_case_a11),
		cmocka_unit_test(identify_may_follow_a_change),
		cmocka_unit_test(mode_pages_advance_with_changes),
		cmocka_unit_test(refused_select_of_case_a03),
		cmocka_unit_test(cut_mode_page_is_an_error_case_a19),
		cmocka_unit_test(nvme_answers_of_cases_a06_a07_and_a14),
		cmocka_unit_test(logs_come_from_files),
		cmocka_unit_test(damaged_captures_are_input_errors),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
