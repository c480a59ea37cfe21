/* test_ata.c - IDENTIFY DEVICE, ATA registers and pass-through, on hand-made and case bytes. */
#include "probes/ata.h"

#include "probes/devstr.h"
#include "tests/probes/cases.h"
#include "tests/probes/fuzz.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void set_word(uint8_t *buf, unsigned n, uint16_t v)
{
	buf[n * 2] = (uint8_t)v;
	buf[n * 2 + 1] = (uint8_t)(v >> 8);
}

/* Make word 255 right again after a change. */
static void seal(uint8_t *buf)
{
	uint8_t sum = 0;

	buf[510] = 0xa5;
	buf[511] = 0;
	for (size_t i = 0; i < 512; i++)
		sum = (uint8_t)(sum + buf[i]);
	buf[511] = (uint8_t)-sum;
}

static void identify_follows_case_a01(void **state)
{
	struct ata_identity id;

	(void)state;
	assert_int_equal(ata_identify_decode(A01_identify, 512, &id, NULL), 0);
	assert_string_equal(id.model, "ACME SSD 480");
	assert_string_equal(id.serial, "SN0001");
	assert_string_equal(id.firmware, "FW01");
	assert_int_equal(id.checksum, ATA_CHECKSUM_GOOD);
	assert_int_equal(id.sectors, 937703088);
	assert_true(id.lba48);
	assert_int_equal(id.wc_supported, FACT_YES);
	assert_int_equal(id.wc_enabled, FACT_NO);
	assert_int_equal(id.flush_ext, FACT_YES);
	assert_int_equal(id.fua, FACT_NO);
	assert_int_equal(id.rotational, FACT_NO);
	assert_false(id.has_wwn);
	assert_false(id.sector_sizes_stated); /* word 106 is zero in this capture */
}

static void identify_follows_cases_a11_and_b01(void **state)
{
	struct ata_identity id;

	(void)state;
	assert_int_equal(ata_identify_decode(A11_identify, 512, &id, NULL), 0);
	assert_string_equal(id.model, "ACME USB SSD");
	assert_string_equal(id.serial, "U123");
	assert_int_equal(id.rotational, FACT_NO);
	assert_int_equal(id.wc_enabled, FACT_YES);
	assert_int_equal(ata_identify_decode(B01_identify, 512, &id, NULL), 0);
	assert_int_equal(id.rotation_raw, 1);
	assert_int_equal(id.rotational, FACT_NO);
}

static void unsupported_cache_is_neither_on_nor_off_case_a18(void **state)
{
	struct ata_identity id;

	(void)state;
	assert_int_equal(ata_identify_decode(A18_identify, 512, &id, NULL), 0);
	assert_int_equal(id.wc_supported, FACT_NO);
	assert_int_equal(id.wc_enabled, FACT_UNKNOWN);
}

static void undeclared_words_are_unknown(void **state)
{
	static const uint16_t undeclared[] = { 0x0000, 0xffff, 0x8000 };
	struct ata_identity id;
	uint8_t buf[512];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		memcpy(buf, B01_identify, 512);
		set_word(buf, 87, undeclared[i]);
		seal(buf);
		assert_int_equal(ata_identify_decode(buf, 512, &id, NULL), 0);
		assert_int_equal(id.wc_supported, FACT_YES);
		assert_int_equal(id.wc_enabled, FACT_UNKNOWN);
		set_word(buf, 83, undeclared[i]);
		set_word(buf, 84, undeclared[i]);
		seal(buf);
		assert_int_equal(ata_identify_decode(buf, 512, &id, NULL), 0);
		assert_int_equal(id.wc_supported, FACT_UNKNOWN);
		assert_int_equal(id.fua, FACT_UNKNOWN);
		assert_int_equal(id.smart_supported, FACT_UNKNOWN);
	}
}

static void sector_sizes_of_512n_512e_and_4kn(void **state)
{
	static const struct {
		uint16_t w106, w117;
		uint32_t logical, physical;
		bool stated;
	} cases[] = {
		{ 0x4000, 0, 512, 512, true },     { 0x6003, 0, 512, 4096, true },
		{ 0x5000, 2048, 4096, 4096, true }, { 0x7000, 2048, 4096, 4096, true },
		{ 0x0000, 0, 512, 512, false },    { 0xffff, 2048, 512, 512, false },
		{ 0x5000, 3, 512, 512, false },
	};
	struct ata_identity id;
	uint8_t buf[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(buf, B01_identify, 512);
		set_word(buf, 106, cases[i].w106);
		set_word(buf, 117, cases[i].w117);
		seal(buf);
		assert_int_equal(ata_identify_decode(buf, 512, &id, NULL), 0);
		assert_int_equal(id.logical_bytes, cases[i].logical);
		assert_int_equal(id.physical_bytes, cases[i].physical);
		assert_int_equal(id.sector_sizes_stated, cases[i].stated);
	}
}

static void sizes_links_wwn_and_trim(void **state)
{
	struct ata_identity id;
	uint8_t buf[512];

	(void)state;
	memcpy(buf, B01_identify, 512);
	set_word(buf, 60, 0xffff);
	set_word(buf, 61, 0x0fff);
	set_word(buf, 76, 0x000e);
	set_word(buf, 77, 0x0006);
	set_word(buf, 69, 0x4020);
	set_word(buf, 169, 1);
	set_word(buf, 84, 0x4140); /* WWN, FUA */
	set_word(buf, 108, 0x5002);
	set_word(buf, 109, 0x538e);
	set_word(buf, 110, 0x0001);
	set_word(buf, 111, 0x0203);
	set_word(buf, 217, 5400);
	seal(buf);
	assert_int_equal(ata_identify_decode(buf, 512, &id, NULL), 0);
	assert_int_equal(id.sectors, 937703088); /* the 48-bit size, not the 28-bit maximum */
	assert_int_equal(id.link_max_gen, 3);
	assert_int_equal(id.link_gen, 3);
	assert_string_equal(ata_link_text(id.link_gen), "6.0 Gb/s");
	assert_null(ata_link_text(0));
	assert_true(id.has_wwn);
	assert_int_equal(id.wwn, 0x5002538e00010203);
	assert_int_equal(id.fua, FACT_YES);
	assert_int_equal(id.trim, FACT_YES);
	assert_int_equal(id.trim_zeroes, FACT_YES);
	assert_int_equal(id.rotational, FACT_YES);
	assert_int_equal(id.rpm, 5400);
	set_word(buf, 83, 0x7000); /* no 48-bit commands: the 28-bit size counts */
	seal(buf);
	assert_int_equal(ata_identify_decode(buf, 512, &id, NULL), 0);
	assert_int_equal(id.sectors, 0x0fffffff);
}

static void damaged_and_foreign_answers_are_refused(void **state)
{
	struct ata_identity id = { .rpm = 77 };
	struct err e = ERR_INIT;
	uint8_t buf[512];

	(void)state;
	assert_int_equal(ata_identify_decode(A01_identify, 511, &id, &e), -EBADMSG);
	memcpy(buf, A01_identify, 512);
	buf[200] ^= 1;
	assert_int_equal(ata_identify_decode(buf, 512, &id, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "word 255"));
	memset(buf, 0, 512);
	assert_int_equal(ata_identify_decode(buf, 512, &id, &e), -EBADMSG);
	memset(buf, 0xff, 512);
	assert_int_equal(ata_identify_decode(buf, 512, &id, &e), -EBADMSG);
	memcpy(buf, A01_identify, 512);
	set_word(buf, 0, 0x8580); /* a DVD drive */
	seal(buf);
	assert_int_equal(ata_identify_decode(buf, 512, &id, &e), -EBADMSG);
	assert_int_equal(id.rpm, 77);
}

static void an_old_drive_without_checksum_is_read(void **state)
{
	struct ata_identity id;
	uint8_t buf[512];

	(void)state;
	memcpy(buf, A01_identify, 512);
	buf[510] = buf[511] = 0;
	assert_int_equal(ata_identify_decode(buf, 512, &id, NULL), 0);
	assert_int_equal(id.checksum, ATA_CHECKSUM_NOT_PROVIDED);
}

static void strings_are_cleaned(void **state)
{
	static const struct {
		const char *raw, *clean;
	} cases[] = {
		{ "  ab c ", "ab c" },           { "\x1b[31mred\x07", "?[31mred?" },
		{ "caf\xc3\xa9", "caf\xc3\xa9" }, { "x\xc3", "x?" },
		{ "x\xff\xfey", "x??y" },        { "a\xc2\x9b" "b", "a?b" }, /* C1 in UTF-8 */
		{ "a\xe2\x80\xae" "b", "a?b" },  { "\xed\xa0\x80", "???" },  /* reversal; surrogate */
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" }, { "", "" },
		{ "\xc0\x80z", "??z" },
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(devstr_clean(out, sizeof(out), (const uint8_t *)cases[i].raw,
					    strlen(cases[i].raw)), cases[i].clean);
	assert_string_equal(devstr_clean(out, 4, (const uint8_t *)"ab\xc3\xa9", 4), "ab");
	assert_string_equal(devstr_clean(out, sizeof(out), (const uint8_t *)"a\0b\0\0", 5), "a b");
}

static void registers_in_fixed_sense_case_a10(void **state)
{
	struct ata_registers r;

	(void)state;
	assert_int_equal(ata_sense_decode(A10_sense, sizeof(A10_sense), &r, NULL), 0);
	assert_int_equal(r.status, 0x50);
	assert_int_equal(r.error, 0x00);
	assert_int_equal(r.count, 1);
	assert_true(ata_registers_ok(&r));
}

static void registers_in_descriptor_sense(void **state)
{
	const uint8_t sense[] = { 0x72, 0x0b, 0, 0, 0, 0, 0, 14, 9, 12, 1, 0x04, 1, 2, 3, 4, 5, 6, 7,
		8, 0x40, 0x51 };
	struct ata_registers r;

	(void)state;
	assert_int_equal(ata_sense_decode(sense, sizeof(sense), &r, NULL), 0);
	assert_int_equal(r.error, 0x04);
	assert_int_equal(r.status, 0x51);
	assert_int_equal(r.count, 0x0102);
	assert_int_equal(r.lba, 0x070503080604);
	assert_int_equal(r.device, 0x40);
	assert_false(ata_registers_ok(&r));
}

static void sense_without_registers_says_so(void **state)
{
	struct ata_registers r = { .status = 9 };

	(void)state;
	assert_int_equal(ata_sense_decode(NULL, 0, &r, NULL), -ENODATA); /* case A11 */
	assert_int_equal(ata_sense_decode(A03_sense, sizeof(A03_sense), &r, NULL), -ENODATA);
	assert_int_equal(r.status, 9);
}

static void cdbs_are_as_sat_has_them(void **state)
{
	const uint8_t identify[16] = { 0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec };
	const uint8_t off[16] = { 0x85, 0x06, 0x20, 0, 0x82, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xef };
	const uint8_t data[16] = { 0x85, 0x08, 0x0e, 0, 0xd0, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0, 0xb0 };
	const uint8_t limits[16] = { 0x85, 0x08, 0x0e, 0, 0xd1, 0, 1, 0, 0, 0, 0x4f, 0, 0xc2, 0,
		0xb0 };
	const uint8_t status[16] = { 0x85, 0x06, 0x20, 0, 0xda, 0, 0, 0, 0, 0, 0x4f, 0, 0xc2, 0,
		0xb0 };
	/* READ LOG EXT of log 04h, page 7: LBA 7:0 and 15:8, 48-bit, PIO */
	const uint8_t page[16] = { 0x85, 0x09, 0x0e, 0, 0, 0, 1, 0, 4, 0, 7, 0, 0, 0, 0x2f };
	uint8_t cdb[16];

	(void)state;
	assert_int_equal(ata_cdb_identify(cdb), 16);
	assert_memory_equal(cdb, identify, 16);
	assert_int_equal(ata_cdb_set_features(cdb, ATA_WRITE_CACHE_OFF), 16);
	assert_memory_equal(cdb, off, 16);
	assert_int_equal(ata_cdb_smart_data(cdb), 16);
	assert_memory_equal(cdb, data, 16);
	assert_int_equal(ata_cdb_smart_thresholds(cdb), 16);
	assert_memory_equal(cdb, limits, 16);
	assert_int_equal(ata_cdb_smart_status(cdb), 16);
	assert_memory_equal(cdb, status, 16);
	assert_int_equal(ata_cdb_read_log(cdb, 4, 7), 16);
	assert_memory_equal(cdb, page, 16);
}

static void decode_everything(const uint8_t *buf, size_t len)
{
	struct ata_identity id;
	struct ata_registers r;

	if (ata_identify_decode(buf, len, &id, NULL) == 0)
		assert_true(id.sectors < UINT64_C(1) << 48);
	(void)ata_sense_decode(buf, len, &r, NULL);
}

static void decode_resealed(const uint8_t *buf, size_t len)
{
	uint8_t copy[512];

	if (len < 512)
		return;
	memcpy(copy, buf, 512);
	seal(copy);
	decode_everything(copy, 512);
}

static void survives_truncation_and_bit_flips(void **state)
{
	const uint8_t descriptor[] = { 0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 1, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0x50 };

	(void)state;
	fuzz(A01_identify, 512, 3000, decode_everything);
	fuzz(A01_identify, 512, 3000, decode_resealed);
	fuzz(A10_sense, sizeof(A10_sense), 5000, decode_everything);
	fuzz(descriptor, sizeof(descriptor), 8000, decode_everything);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identify_follows_case_a01),
		cmocka_unit_test(identify_follows_cases_a11_and_b01),
		cmocka_unit_test(unsupported_cache_is_neither_on_nor_off_case_a18),
		cmocka_unit_test(undeclared_words_are_unknown),
		cmocka_unit_test(sector_sizes_of_512n_512e_and_4kn),
		cmocka_unit_test(sizes_links_wwn_and_trim),
		cmocka_unit_test(damaged_and_foreign_answers_are_refused),
		cmocka_unit_test(an_old_drive_without_checksum_is_read),
		cmocka_unit_test(strings_are_cleaned),
		cmocka_unit_test(registers_in_fixed_sense_case_a10),
		cmocka_unit_test(registers_in_descriptor_sense),
		cmocka_unit_test(sense_without_registers_says_so),
		cmocka_unit_test(cdbs_are_as_sat_has_them),
		cmocka_unit_test(survives_truncation_and_bit_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
