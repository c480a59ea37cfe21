/* test_scsi.c - INQUIRY, VPD, caching page, sense and reservations, on hand-made and case bytes. */
#include "probes/scsi.h"

#include "tests/probes/cases.h"
#include "tests/probes/fuzz.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const uint8_t inquiry[36] = {
	0x00, 0x00, 0x06, 0x02, 31, 0, 0, 0, 'A', 'C', 'M', 'E', ' ', ' ', ' ', ' ', 'E', 'n', 't',
	' ', 0x1b, '[', '2', 'J', 'S', 'S', 'D', ' ', ' ', ' ', ' ', ' ', 'A', '0', '0', '1',
};

static void inquiry_gives_clean_strings(void **state)
{
	struct scsi_inquiry q;

	(void)state;
	assert_int_equal(scsi_inquiry_decode(inquiry, sizeof(inquiry), &q, NULL), 0);
	assert_string_equal(q.vendor, "ACME");
	assert_string_equal(q.product, "Ent ?[2JSSD");
	assert_string_equal(q.revision, "A001");
	assert_int_equal(q.device_type, 0);
	assert_int_equal(scsi_inquiry_decode(inquiry, 20, &q, NULL), 0);
	assert_string_equal(q.product, "");
	assert_int_equal(scsi_inquiry_decode(inquiry, 4, &q, NULL), -EBADMSG);
}

static void inquiry_of_an_empty_address_is_an_error(void **state)
{
	uint8_t none[36] = { 0x7f };
	struct scsi_inquiry q;

	(void)state;
	assert_int_equal(scsi_inquiry_decode(none, sizeof(none), &q, NULL), -EBADMSG);
}

static void vpd_b1_follows_case_b04(void **state)
{
	struct scsi_rotation r;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(scsi_rotation_decode(B04_a, sizeof(B04_a), &r, NULL), 0);
	assert_int_equal(r.rotational, FACT_NO);
	assert_int_equal(scsi_rotation_decode(B04_b, sizeof(B04_b), &r, NULL), 0);
	assert_int_equal(r.rotational, FACT_YES);
	assert_int_equal(r.rpm, 7200);
	assert_int_equal(scsi_rotation_decode(B04_c, sizeof(B04_c), &r, NULL), 0);
	assert_int_equal(r.rotational, FACT_UNKNOWN);
	assert_int_equal(r.raw, 5);
	r.raw = 99;
	assert_int_equal(scsi_rotation_decode(B04_d, sizeof(B04_d), &r, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "page 83h"));
	assert_int_equal(r.raw, 99);
}

static void rotation_values_at_the_edges(void **state)
{
	static const struct {
		uint16_t raw;
		enum fact fact;
		uint16_t rpm;
	} cases[] = {
		{ 0x0000, FACT_UNKNOWN, 0 }, { 0x0001, FACT_NO, 0 },
		{ 0x0002, FACT_UNKNOWN, 0 }, { 0x0400, FACT_UNKNOWN, 0 },
		{ 0x0401, FACT_YES, 1025 },  { 0xfffe, FACT_YES, 65534 },
		{ 0xffff, FACT_UNKNOWN, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint16_t rpm = 1;

		assert_int_equal(scsi_rotation_fact(cases[i].raw, &rpm), cases[i].fact);
		assert_int_equal(rpm, cases[i].rpm);
	}
}

static void vpd_b1_needs_its_length(void **state)
{
	const uint8_t no_payload[] = { 0, 0xb1, 0, 0, 0, 1 }, cut[] = { 0, 0xb1, 0, 0x3c, 0, 1 };
	struct scsi_rotation r;

	(void)state;
	assert_int_equal(scsi_rotation_decode(no_payload, sizeof(no_payload), &r, NULL), -EBADMSG);
	assert_int_equal(scsi_rotation_decode(cut, sizeof(cut), &r, NULL), -EBADMSG);
}

static void vpd_pages_and_serial(void **state)
{
	const uint8_t pages[] = { 0, 0, 0, 4, 0x00, 0x80, 0x83, 0xb1 };
	const uint8_t serial[] = { 0, 0x80, 0, 10, ' ', ' ', 'S', '1', 0x9b, '3', ' ', ' ', 0, 0 };
	struct scsi_vpd_pages p;
	char text[SCSI_SERIAL_MAX];

	(void)state;
	assert_int_equal(scsi_vpd_pages_decode(pages, sizeof(pages), &p, NULL), 0);
	assert_true(p.has[0x83] && p.has[0xb1] && !p.has[0x89]);
	assert_int_equal(scsi_serial_decode(serial, sizeof(serial), text, NULL), 0);
	assert_string_equal(text, "S1?3");
	assert_int_equal(scsi_serial_decode(serial, 9, text, NULL), -EBADMSG);
}

/* A SAS drive: NAA of the unit, then target port (association 1) and target device (2). */
static const uint8_t vpd_83[] = {
	0, 0x83, 0, 44,
	0x02, 0x01, 0, 12, 'A', 'C', 'M', 'E', ' ', ' ', ' ', ' ', 'S', '1', '2', '3',
	0x61, 0x93, 0, 8, 0x50, 0, 0xc5, 0, 1, 2, 3, 0x05,
	0x01, 0x03, 0, 8, 0x50, 0, 0xc5, 0, 1, 2, 3, 0x04,
	0x01, 0x14, 0, 0,
};

static void vpd_83_picks_the_unit_not_the_port(void **state)
{
	struct scsi_id id;

	(void)state;
	assert_int_equal(scsi_id_decode(vpd_83, sizeof(vpd_83), &id, NULL), 0);
	assert_int_equal(id.kind, SCSI_ID_NAA);
	assert_string_equal(id.text, "naa.5000c50001020304");
}

static void vpd_83_falls_back_to_eui_and_t10(void **state)
{
	const uint8_t t10[] = { 0, 0x83, 0, 12, 2, 1, 0, 8, 'A', 'C', 'M', 'E', 7, 'x', ' ', ' ' };
	const uint8_t eui[] = { 0, 0x83, 0, 12, 1, 2, 0, 8, 0, 0x25, 0x38, 1, 2, 3, 4, 5 };
	const uint8_t port_only[] = { 0, 0x83, 0, 12, 1, 0x13, 0, 8, 0x50, 1, 2, 3, 4, 5, 6, 7 };
	struct scsi_id id;

	(void)state;
	assert_int_equal(scsi_id_decode(t10, sizeof(t10), &id, NULL), 0);
	assert_string_equal(id.text, "t10.ACME?x");
	assert_int_equal(scsi_id_decode(eui, sizeof(eui), &id, NULL), 0);
	assert_string_equal(id.text, "eui.0025380102030405");
	assert_int_equal(scsi_id_decode(port_only, sizeof(port_only), &id, NULL), 0);
	assert_int_equal(id.kind, SCSI_ID_NONE);
}

static void vpd_83_refuses_a_designator_beyond_the_page(void **state)
{
	const uint8_t bad[] = { 0, 0x83, 0, 8, 1, 3, 0, 8, 0x50, 1, 2, 3 };
	struct scsi_id id;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(scsi_id_decode(bad, sizeof(bad), &id, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "byte 4"));
}

static void caching_page_follows_case_a19(void **state)
{
	struct scsi_caching p;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(scsi_caching_decode(A19_bd0, sizeof(A19_bd0), true, &p, NULL), 0);
	assert_true(p.wce && !p.rcd && p.offset == 8);
	assert_int_equal(scsi_caching_decode(A19_bd8, sizeof(A19_bd8), true, &p, NULL), 0);
	assert_true(!p.wce && !p.rcd && p.offset == 16 && p.saveable);
	assert_int_equal(scsi_caching_decode(A19_bd16, sizeof(A19_bd16), true, &p, NULL), 0);
	assert_true(p.wce && p.rcd && p.offset == 24);
	assert_int_equal(scsi_caching_decode(A19_short, sizeof(A19_short), true, &p, &e), -EBADMSG);
	assert_non_null(strstr(e.msg, "36 bytes"));
}

static void every_truncation_of_the_caching_page_is_an_error(void **state)
{
	struct scsi_caching p;
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(A19_bd8); n++) {
		uint8_t *copy = malloc(n ? n : 1);

		memcpy(copy, A19_bd8, n);
		assert_int_equal(scsi_caching_decode(copy, n, true, &p, NULL), -EBADMSG);
		free(copy);
	}
}

static void caching_page_in_the_six_byte_form_after_another_page(void **state)
{
	const uint8_t six[] = { 27, 0, 0x90, 0, 0x01, 2, 0, 0, 0x88, 0x12, 0x04, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct scsi_caching p;

	(void)state;
	assert_int_equal(scsi_caching_decode(six, sizeof(six), false, &p, NULL), 0);
	assert_true(p.wce && p.saveable && p.dpofua && p.protected);
	assert_int_equal(p.offset, 8);
	assert_int_equal(p.page_len, 20);
}

static void mode_select_changes_one_bit_and_clears_what_it_must(void **state)
{
	uint8_t list[64];
	struct scsi_caching p;

	(void)state;
	assert_int_equal(scsi_caching_decode(A19_bd16, sizeof(A19_bd16), true, &p, NULL), 0);
	assert_int_equal(scsi_caching_select(A19_bd16, &p, false, list, sizeof(list)), 28);
	assert_int_equal(be16(list), 0);       /* mode data length */
	assert_int_equal(list[3], 0);          /* WP, DPOFUA */
	assert_int_equal(be16(list + 6), 0);   /* no block descriptor */
	assert_int_equal(list[8], 0x08);       /* PS cleared */
	assert_int_equal(list[9], 0x12);
	assert_int_equal(list[10], 0x01);      /* WCE cleared, RCD as it was */
	assert_int_equal(scsi_caching_select(A19_bd16, &p, true, list, sizeof(list)), 28);
	assert_int_equal(list[10], 0x05);
	assert_int_equal(scsi_caching_select(A19_bd16, &p, true, list, 27), -ENOSPC);
}

static void sense_of_both_formats(void **state)
{
	const uint8_t descriptor[] = { 0x72, 0x03, 0x11, 0x00, 0, 0, 0, 12, 0, 10, 0x80, 0, 0, 0, 0,
		0, 0, 0x12, 0x34, 0x56 };
	const uint8_t zero[18] = { 0 }, junk[18] = { 0x12 };
	struct scsi_sense s;
	char text[128];

	(void)state;
	assert_int_equal(scsi_sense_decode(A03_sense, sizeof(A03_sense), &s, NULL), 0);
	assert_int_equal(s.key, 5);
	assert_true(scsi_sense_is_unsupported(&s) && !s.deferred && !s.has_info);
	assert_string_equal(scsi_sense_text(text, sizeof(text), &s),
		"illegal request, invalid field in parameter list (5/26/00)");
	assert_int_equal(scsi_sense_decode(descriptor, sizeof(descriptor), &s, NULL), 0);
	assert_true(s.descriptor && s.has_info && s.info == 0x123456 && s.key == 3);
	assert_false(scsi_sense_is_unsupported(&s));
	assert_int_equal(scsi_sense_decode(zero, sizeof(zero), &s, NULL), -ENODATA);
	assert_int_equal(scsi_sense_decode(NULL, 0, &s, NULL), -ENODATA);
	assert_int_equal(scsi_sense_decode(junk, sizeof(junk), &s, NULL), -EBADMSG);
	assert_int_equal(scsi_sense_decode(A03_sense, 7, &s, NULL), -EBADMSG);
}

static void reservations_are_counted_beyond_the_buffer(void **state)
{
	const uint8_t keys[] = { 0, 0, 0, 7, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
		0, 2 };
	const uint8_t held[] = { 0, 0, 0, 7, 0, 0, 0, 16, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 5,
		0, 0 };
	const uint8_t none[] = { 0, 0, 0, 7, 0, 0, 0, 0 };
	struct scsi_keys k;
	struct scsi_reservation r;

	(void)state;
	assert_int_equal(scsi_keys_decode(keys, sizeof(keys), &k, NULL), 0);
	assert_true(k.total == 3 && k.count == 2 && k.key[1] == 2 && k.generation == 7);
	assert_int_equal(scsi_keys_decode(none, sizeof(none), &k, NULL), 0);
	assert_true(k.total == 0);
	assert_int_equal(scsi_reservation_decode(held, sizeof(held), &r, NULL), 0);
	assert_true(r.held && r.key == 0x0102030405060708 && r.type == 5);
	assert_int_equal(scsi_reservation_decode(held, 23, &r, NULL), -EBADMSG);
	assert_int_equal(scsi_reservation_decode(none, sizeof(none), &r, NULL), 0);
	assert_false(r.held);
}

static void cdbs_are_as_the_standard_has_them(void **state)
{
	const uint8_t vpd[] = { 0x12, 1, 0xb1, 0, 64, 0 };
	const uint8_t sense10[] = { 0x5a, 0, 0xc8, 0, 0, 0, 0, 0, 252, 0 };
	const uint8_t sense6[] = { 0x1a, 0, 0x08, 0, 192, 0 };
	const uint8_t select10[] = { 0x55, 0x11, 0, 0, 0, 0, 0, 0, 28, 0 };
	const uint8_t select6[] = { 0x15, 0x10, 0, 0, 24, 0 };
	const uint8_t log[] = { 0x4d, 0, 0x51, 0, 0, 0, 0, 4, 0, 0 };
	const uint8_t keys[] = { 0x5e, 0, 0, 0, 0, 0, 0, 1, 0, 0 };
	uint8_t cdb[SCSI_CDB_MAX];

	(void)state;
	assert_int_equal(scsi_cdb_vpd(cdb, 0xb1, 64), 6);
	assert_memory_equal(cdb, vpd, 6);
	assert_int_equal(scsi_cdb_mode_sense(cdb, true, SCSI_PC_SAVED, 8, 252), 10);
	assert_memory_equal(cdb, sense10, 10);
	assert_int_equal(scsi_cdb_mode_sense(cdb, false, SCSI_PC_CURRENT, 8, 192), 6);
	assert_memory_equal(cdb, sense6, 6);
	assert_int_equal(scsi_cdb_mode_select(cdb, true, true, 28), 10);
	assert_memory_equal(cdb, select10, 10);
	assert_int_equal(scsi_cdb_mode_select(cdb, false, false, 24), 6);
	assert_memory_equal(cdb, select6, 6);
	assert_int_equal(scsi_cdb_log_sense(cdb, 0x11, 1024), 10);
	assert_memory_equal(cdb, log, 10);
	assert_int_equal(scsi_cdb_read_keys(cdb, 256), 10);
	assert_memory_equal(cdb, keys, 10);
}

static void decode_everything(const uint8_t *buf, size_t len)
{
	union {
		struct scsi_inquiry inquiry;
		struct scsi_vpd_pages pages;
		struct scsi_id id;
		struct scsi_rotation rotation;
		struct scsi_sense sense;
		struct scsi_keys keys;
		struct scsi_reservation reservation;
		char serial[SCSI_SERIAL_MAX];
	} u;
	struct scsi_caching page;
	uint8_t list[300];
	int ten;

	(void)scsi_inquiry_decode(buf, len, &u.inquiry, NULL);
	(void)scsi_vpd_pages_decode(buf, len, &u.pages, NULL);
	(void)scsi_serial_decode(buf, len, u.serial, NULL);
	(void)scsi_id_decode(buf, len, &u.id, NULL);
	(void)scsi_rotation_decode(buf, len, &u.rotation, NULL);
	(void)scsi_sense_decode(buf, len, &u.sense, NULL);
	(void)scsi_keys_decode(buf, len, &u.keys, NULL);
	(void)scsi_reservation_decode(buf, len, &u.reservation, NULL);
	for (ten = 0; ten < 2; ten++)
		if (scsi_caching_decode(buf, len, ten, &page, NULL) == 0)
			(void)scsi_caching_select(buf, &page, true, list, sizeof(list));
}

static void survives_truncation_and_bit_flips(void **state)
{
	const uint8_t descriptor[] = { 0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 1, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0x50 };

	(void)state;
	fuzz(inquiry, sizeof(inquiry), 3000, decode_everything);
	fuzz(vpd_83, sizeof(vpd_83), 8000, decode_everything);
	fuzz(A19_bd16, sizeof(A19_bd16), 8000, decode_everything);
	fuzz(A05_mode, sizeof(A05_mode), 3000, decode_everything);
	fuzz(B04_a, sizeof(B04_a), 2000, decode_everything);
	fuzz(A03_sense, sizeof(A03_sense), 3000, decode_everything);
	fuzz(descriptor, sizeof(descriptor), 8000, decode_everything);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inquiry_gives_clean_strings),
		cmocka_unit_test(inquiry_of_an_empty_address_is_an_error),
		cmocka_unit_test(vpd_b1_follows_case_b04),
		cmocka_unit_test(rotation_values_at_the_edges),
		cmocka_unit_test(vpd_b1_needs_its_length),
		cmocka_unit_test(vpd_pages_and_serial),
		cmocka_unit_test(vpd_83_picks_the_unit_not_the_port),
		cmocka_unit_test(vpd_83_falls_back_to_eui_and_t10),
		cmocka_unit_test(vpd_83_refuses_a_designator_beyond_the_page),
		cmocka_unit_test(caching_page_follows_case_a19),
		cmocka_unit_test(every_truncation_of_the_caching_page_is_an_error),
		cmocka_unit_test(caching_page_in_the_six_byte_form_after_another_page),
		cmocka_unit_test(mode_select_changes_one_bit_and_clears_what_it_must),
		cmocka_unit_test(sense_of_both_formats),
		cmocka_unit_test(reservations_are_counted_beyond_the_buffer),
		cmocka_unit_test(cdbs_are_as_the_standard_has_them),
		cmocka_unit_test(survives_truncation_and_bit_flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
