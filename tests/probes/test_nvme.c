/* test_nvme.c - Identify, reservation report, status words, on hand-made bytes. */
#include "probes/nvme.h"

#include "data/smart.h"

#include "tests/probes/fuzz.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static uint8_t ctrl[4096], ns[4096];

static int setup(void **state)
{
	(void)state;
	ctrl[0] = 0x4d;
	ctrl[1] = 0x14;
	memcpy(ctrl + 4, "S123                ", 20);
	memcpy(ctrl + 24, "ACME PLP \x1b[31m1.92T                     ", 40);
	memcpy(ctrl + 64, "FW1     ", 8);
	ctrl[76] = 0x02;
	ctrl[80] = 0x00;
	ctrl[81] = 0x04;
	ctrl[82] = 0x01;
	ctrl[266] = 0x57;
	ctrl[267] = 0x01;
	ctrl[282] = 0x10; /* 1 MiB */
	ctrl[516] = 1;
	ctrl[520] = 0x34;
	ctrl[525] = 0x07;
	memcpy(ctrl + 768, "nqn.2014.08.org:x\0garbage", 25);
	ns[0] = 0x00;
	ns[1] = 0x10; /* 4096 blocks */
	ns[25] = 2;   /* three formats */
	ns[26] = 0x01;
	ns[30] = 1;
	ns[31] = 0xff;
	ns[111] = 0x42;
	ns[127] = 0x43;
	memcpy(ns + 128, "\x00\x00\x09\x02" "\x00\x00\x0c\x00" "\x08\x00\x0c\x03", 12);
	return 0;
}

static void identify_controller_fields(void **state)
{
	struct nvm_ctrl c;

	(void)state;
	assert_int_equal(nvm_ctrl_decode(ctrl, 4096, &c, NULL), 0);
	assert_string_equal(c.serial, "S123");
	assert_string_equal(c.model, "ACME PLP ?[31m1.92T");
	assert_string_equal(c.firmware, "FW1");
	assert_string_equal(c.subsystem, "nqn.2014.08.org:x");
	assert_true(c.vwc && c.multi_controller && !c.multi_port);
	assert_true(c.saves_features && c.dsm && c.reservations && !c.write_zeroes);
	assert_int_equal(c.version, 0x10400);
	assert_int_equal(c.warning_temp_kelvin, 0x157);
	assert_int_equal(c.capacity_bytes, 1 << 20);
	assert_int_equal(c.vendor_id, 0x144d);
	ctrl[525] = 0x06; /* flush behaviour bits alone are no cache */
	assert_int_equal(nvm_ctrl_decode(ctrl, 4096, &c, NULL), 0);
	assert_false(c.vwc);
	ctrl[525] = 0x07;
}

static void identify_controller_refuses_cut_and_empty_answers(void **state)
{
	uint8_t empty[4096] = { 0 };
	struct nvm_ctrl c;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(nvm_ctrl_decode(ctrl, 4095, &c, &e), -EBADMSG);
	assert_int_equal(nvm_ctrl_decode(empty, 4096, &c, &e), -EBADMSG);
	memset(empty, 0xff, sizeof(empty));
	assert_int_equal(nvm_ctrl_decode(empty, 4096, &c, &e), -EBADMSG);
}

static void identify_namespace_fields(void **state)
{
	struct nvm_ns n;
	char wwn[40];

	(void)state;
	assert_int_equal(nvm_ns_decode(ns, 4096, &n, NULL), 0);
	assert_int_equal(n.format_count, 3);
	assert_int_equal(n.format_in_use, 1);
	assert_int_equal(n.format[0].data_bytes, 512);
	assert_int_equal(n.format[0].performance, 2);
	assert_int_equal(n.format[1].data_bytes, 4096);
	assert_int_equal(n.format[2].metadata_bytes, 8);
	assert_int_equal(n.size_bytes, 4096 * 4096);
	assert_true(n.shared && n.has_nguid && n.has_eui64 && n.reservations == 0xff);
	assert_string_equal(nvm_ns_wwn(wwn, sizeof(wwn), &n),
		"eui.00000000000000420000000000000000");
	n.has_nguid = false;
	assert_string_equal(nvm_ns_wwn(wwn, sizeof(wwn), &n), "eui.0000000000000043");
	n.has_eui64 = false;
	assert_string_equal(nvm_ns_wwn(wwn, sizeof(wwn), &n), "");
}

static void identify_namespace_refuses_what_cannot_be(void **state)
{
	uint8_t bad[4096] = { 0 };
	struct nvm_ns n;

	(void)state;
	assert_int_equal(nvm_ns_decode(bad, 4096, &n, NULL), -ENODATA);
	memcpy(bad, ns, 4096);
	bad[26] = 5; /* beyond the three formats */
	assert_int_equal(nvm_ns_decode(bad, 4096, &n, NULL), -EBADMSG);
	memcpy(bad, ns, 4096);
	memset(bad, 0xff, 8);
	assert_int_equal(nvm_ns_decode(bad, 4096, &n, NULL), -EBADMSG);
	memcpy(bad, ns, 4096);
	bad[25] = 64;
	assert_int_equal(nvm_ns_decode(bad, 4096, &n, NULL), -EBADMSG);
	memcpy(bad, ns, 4096);
	bad[134] = 8; /* 256-byte blocks */
	assert_int_equal(nvm_ns_decode(bad, 4096, &n, NULL), -EBADMSG);
}

static void upper_format_bits_count_only_above_sixteen_formats(void **state)
{
	uint8_t many[4096];
	struct nvm_ns n;

	(void)state;
	memcpy(many, ns, 4096);
	many[26] = 0x21; /* bits 6:5 = 1 */
	assert_int_equal(nvm_ns_decode(many, 4096, &n, NULL), 0);
	assert_int_equal(n.format_in_use, 1);
	many[25] = 19;
	many[128 + 17 * 4 + 2] = 12;
	assert_int_equal(nvm_ns_decode(many, 4096, &n, NULL), 0);
	assert_int_equal(n.format_in_use, 17);
}

/* Two registrants, the second holds write exclusive. */
static const uint8_t report[24 + 48] = {
	[0] = 9, [4] = 1, [5] = 2,
	[24] = 1, [24 + 8] = 0xaa, [24 + 16] = 0x11,
	[48] = 2, [50] = 1, [48 + 8] = 0xbb, [48 + 16] = 0x22,
};

static void reservation_report_names_registrants_and_holder(void **state)
{
	uint8_t extended[128] = { [4] = 3, [5] = 1, [64] = 7, [72] = 0x33, [80] = 0xcc };
	struct nvm_reservations r;

	(void)state;
	assert_int_equal(nvm_reservations_decode(report, sizeof(report), false, &r, NULL), 0);
	assert_true(r.total == 2 && r.count == 2 && r.type == 1 && r.generation == 9);
	assert_true(!r.registrant[0].holder && r.registrant[1].holder);
	assert_int_equal(r.registrant[1].key, 0x22);
	assert_int_equal(r.registrant[1].host_id[0], 0xbb);
	assert_int_equal(nvm_reservations_decode(report, 50, false, &r, NULL), 0);
	assert_true(r.total == 2 && r.count == 1);
	assert_int_equal(nvm_reservations_decode(report, 23, false, &r, NULL), -EBADMSG);
	assert_int_equal(nvm_reservations_decode(extended, sizeof(extended), true, &r, NULL), 0);
	assert_true(r.count == 1 && r.registrant[0].key == 0x33);
	assert_int_equal(r.registrant[0].host_id[0], 0xcc);
	assert_string_equal(nvm_reservation_text(r.type), "write exclusive, registrants only");
}

static void critical_warnings_of_case_a09(void **state)
{
	uint8_t log[512] = { 0x10 }, warnings = 0;

	(void)state;
	assert_int_equal(nvm_critical_decode(log, sizeof(log), &warnings, NULL), 0);
	assert_int_equal(warnings, NVM_WARN_BACKUP_FAILED);
	assert_string_equal(smart_critical_text(4), "volatile memory backup failed");
	assert_null(smart_critical_text(6));
	assert_int_equal(nvm_critical_decode(log, 511, &warnings, NULL), -EBADMSG);
}

static void status_words(void **state)
{
	char text[96];

	(void)state;
	assert_string_equal(nvm_status_text(text, sizeof(text), nvm_status_of(0x4002)),
		"invalid field in command (0h/02h)");
	assert_true(nvm_status_of(0x4002).do_not_retry);
	assert_true(nvm_status_is_unsupported(nvm_status_of(0x4002)));
	assert_false(nvm_status_is_unsupported(nvm_status_of(0x0006)));
	assert_string_equal(nvm_status_text(text, sizeof(text), nvm_status_of(0x07c1)),
		"vendor specific status (7h/c1h)");
	assert_string_equal(nvm_status_text(text, sizeof(text), nvm_status_of(0x0281)),
		"unrecovered read error (2h/81h)");
}

static void decode_everything(const uint8_t *buf, size_t len)
{
	struct nvm_ctrl c;
	struct nvm_ns n;
	struct nvm_reservations r;
	uint8_t w;
	char wwn[40];

	(void)nvm_ctrl_decode(buf, len, &c, NULL);
	if (nvm_ns_decode(buf, len, &n, NULL) == 0)
		(void)nvm_ns_wwn(wwn, sizeof(wwn), &n);
	(void)nvm_reservations_decode(buf, len, false, &r, NULL);
	(void)nvm_reservations_decode(buf, len, true, &r, NULL);
	(void)nvm_critical_decode(buf, len, &w, NULL);
}

static void survives_truncation_and_bit_flips(void **state)
{
	(void)state;
	fuzz(ctrl, sizeof(ctrl), 1500, decode_everything);
	fuzz(ns, sizeof(ns), 3000, decode_everything);
	fuzz(ns, 160, 1500, decode_everything);
	fuzz(report, sizeof(report), 5000, decode_everything);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identify_controller_fields),
		cmocka_unit_test(identify_controller_refuses_cut_and_empty_answers),
		cmocka_unit_test(identify_namespace_fields),
		cmocka_unit_test(identify_namespace_refuses_what_cannot_be),
		cmocka_unit_test(upper_format_bits_count_only_above_sixteen_formats),
		cmocka_unit_test(reservation_report_names_registrants_and_holder),
		cmocka_unit_test(critical_warnings_of_case_a09),
		cmocka_unit_test(status_words),
		cmocka_unit_test(survives_truncation_and_bit_flips),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
