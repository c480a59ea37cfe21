/* test_writecache.c - the order of changes, faults at every step, restoring, and the field cases. */
#include "probes/writecache.h"

#include "data/json.h"
#include "tests/probes/wc_sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { STEPS_MAX = 200 };

/* All beginnings of a drive: every kind, on and off, saved value, kernel's view; not the unsafe one. */
static bool sim_begin(struct sim *s, unsigned n)
{
	unsigned kind = n / 16;
	const struct sim begin = {
		.kind = (enum sim_kind)(kind < SIM_KINDS ? kind : 0),
		.on = n & 1, .saved = n & 2, .queue_back = n & 4, .sd_back = n & 4, .rcd = n & 8,
		.initial = true,
	};

	*s = begin;
	return kind < SIM_KINDS;
}

static bool unsafe(const struct sim *s)
{
	return s->on && !s->queue_back;
}

static struct wc_dev dev_of(struct sim *s, struct devio *io)
{
	struct wc_dev d = { .io = io, .kernel = &sim_kernel_ops, .kernel_ctx = s };

	return d;
}

/* Never unsafe; where the kernel errs by itself, not at the end. */
static bool stayed_safe(const struct sim *s)
{
	if (s->fault == FAULT_STALE || s->fault == FAULT_BELIEVING || s->fault == FAULT_STALE_STUCK)
		return !unsafe(s);
	return !s->unsafe;
}

static void show_on_failure(bool ok, const struct sim *s, const char *what)
{
	if (!ok)
		fail_msg("%s: kind %d, fault %d at %u:%s", what, s->kind, s->fault, s->fault_at, s->log);
}

static void both_directions_work_without_faults(void **state)
{
	struct sim s;
	unsigned n;

	(void)state;
	for (n = 0; sim_begin(&s, n); n++) {
		struct devio io;
		struct wc_dev d;
		struct wc_state after;
		bool want;

		if (unsafe(&s))
			continue;
		for (want = false;; want = true) {
			bool changes;

			sim_begin(&s, n);
			io = sim_io(&s);
			d = dev_of(&s, &io);
			changes = s.on != want;
			show_on_failure(wc_set(&d, want, &after, NULL) >= 0, &s, "fails");
			show_on_failure(!s.unsafe, &s, "unsafe");
			show_on_failure(s.on == want, &s, "not as asked");
			assert_int_equal(after.drive, want ? WC_DRIVE_ON : WC_DRIVE_OFF);
			if (want || changes)
				assert_true(s.queue_back == want || s.kind == SIM_NVME ||
					s.kind == SIM_NO_SD);
			if (want)
				break;
		}
	}
}

/* Every fault at every step of both directions from every beginning. */
static void no_fault_at_any_step_makes_it_unsafe_or_a_false_success(void **state)
{
	unsigned long runs = 0;
	struct sim s;
	unsigned n, at;
	int fault, want;

	(void)state;
	for (n = 0; sim_begin(&s, n); n++)
		for (fault = FAULT_REFUSED; fault < FAULT_COUNT; fault++)
			for (want = 0; want < 2; want++)
				for (at = 1; at < STEPS_MAX; at++) {
					struct devio io;
					struct wc_dev d;
					struct wc_state after;
					int rc;

					sim_begin(&s, n);
					if (unsafe(&s))
						break;
					s.fault = (enum sim_fault)fault;
					s.fault_at = at;
					io = sim_io(&s);
					d = dev_of(&s, &io);
					rc = wc_set(&d, want, &after, NULL);
					runs++;
					show_on_failure(stayed_safe(&s), &s, "unsafe");
					show_on_failure(rc < 0 || s.on == want, &s, "false success");
					show_on_failure(rc != 0 || !want || s.queue_back, &s,
						"success over write-through");
					show_on_failure(s.changes <= 3, &s, "retry loop");
					if (s.step < at)
						break; /* the fault was not reached */
				}
	assert_true(runs > 3000);
}

static void restore_puts_back_what_was_recorded(void **state)
{
	struct sim s;
	unsigned n;

	(void)state;
	for (n = 0; sim_begin(&s, n); n++) {
		struct sim begin = s;
		struct devio io = sim_io(&s);
		struct wc_dev d = dev_of(&s, &io);
		struct wc_state before, after;
		int rc;

		if (unsafe(&s))
			continue;
		assert_int_equal(wc_read(&d, &before, NULL), 0);
		show_on_failure(wc_set(&d, !begin.on, NULL, NULL) >= 0, &s, "set fails");
		rc = wc_restore(&d, &before, &after, NULL);
		show_on_failure(rc >= 0 && !s.unsafe, &s, "restore");
		show_on_failure(s.on == begin.on, &s, "current value");
		if (s.kind == SIM_SCSI)
			show_on_failure(s.saved == begin.saved, &s, "saved value");
		if (rc == 0)
			show_on_failure(s.queue_back == begin.queue_back, &s, "kernel's view");
		else
			show_on_failure(s.queue_back && !sim_has_sd(&s), &s, "left safer");
	}
}

static void no_fault_makes_restoring_unsafe_or_a_false_success(void **state)
{
	struct sim s;
	unsigned n, at;
	int fault;

	(void)state;
	for (n = 0; sim_begin(&s, n); n++)
		for (fault = FAULT_REFUSED; fault < FAULT_COUNT; fault++)
			for (at = 1; at < STEPS_MAX; at++) {
				struct sim begin = s;
				struct devio io;
				struct wc_dev d;
				struct wc_state before;
				int rc;

				sim_begin(&s, n);
				if (unsafe(&s))
					break;
				begin = s;
				io = sim_io(&s);
				d = dev_of(&s, &io);
				assert_int_equal(wc_read(&d, &before, NULL), 0);
				assert_true(wc_set(&d, !begin.on, NULL, NULL) >= 0);
				s.fault = (enum sim_fault)fault;
				s.fault_at = at;
				s.step = 0;
				rc = wc_restore(&d, &before, NULL, NULL);
				show_on_failure(stayed_safe(&s), &s, "unsafe");
				show_on_failure(rc < 0 || s.on == begin.on, &s, "false success");
				show_on_failure(rc < 0 || s.kind != SIM_SCSI ||
					s.saved == begin.saved, &s, "false success: saved value");
				show_on_failure(rc != 0 || s.queue_back == begin.queue_back, &s,
					"false success: kernel");
				if (s.step < at)
					break;
			}
}

static void an_unsafe_beginning_is_mended_not_kept(void **state)
{
	struct sim s;
	unsigned n;
	int want;

	(void)state;
	for (n = 0; sim_begin(&s, n); n++)
		for (want = 0; want < 2; want++) {
			struct devio io;
			struct wc_dev d;
			struct wc_state before, after;
			bool dangerous;

			sim_begin(&s, n);
			if (!unsafe(&s))
				continue;
			io = sim_io(&s);
			d = dev_of(&s, &io);
			assert_int_equal(wc_read(&d, &before, NULL), 0);
			assert_non_null(wc_mismatch(&before, &dangerous));
			assert_true(dangerous);
			assert_int_equal(wc_set(&d, want, &after, NULL), 0);
			show_on_failure(!unsafe(&s) && s.on == want, &s, "still unsafe");
			/* Restoring never brings the recorded danger back. */
			assert_int_equal(wc_restore(&d, &before, NULL, NULL), 1);
			show_on_failure(!unsafe(&s) && s.on, &s, "restored to unsafe");
		}
}

/* -- field cases ---------------------------------------------------------------------------- */

static void drive_off_kernel_write_back_case_a01(void **state)
{
	struct sim s = { .kind = SIM_ATA, .on = false, .sd_back = true, .queue_back = true };
	struct devio io = sim_io(&s);
	struct wc_dev d = dev_of(&s, &io);
	struct wc_state st;
	bool dangerous = true;
	const char *text;

	(void)state;
	assert_int_equal(wc_read(&d, &st, NULL), 0);
	assert_int_equal(st.drive, WC_DRIVE_OFF);
	assert_int_equal(st.cache_type, WC_KERNEL_BACK);
	assert_int_equal(st.queue, WC_KERNEL_BACK);
	text = wc_mismatch(&st, &dangerous);
	assert_non_null(text);
	assert_non_null(strstr(text, "write \"write through\" to scsi_disk/*/cache_type"));
	assert_null(strstr(text, "queue/write_cache"));
	assert_false(dangerous);
	assert_int_equal(wc_set(&d, false, &st, NULL), 0);
	assert_null(wc_mismatch(&st, &dangerous));
}

static void controller_refuses_case_a03(void **state)
{
	struct sim s = { .kind = SIM_SCSI_NO_SAVE, .on = true, .sd_back = true, .queue_back = true,
		.fault = FAULT_UNSUPPORTED };
	struct devio io = sim_io(&s);
	struct wc_dev d = dev_of(&s, &io);
	struct wc_state st;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(wc_set(&d, false, &st, &e), -EOPNOTSUPP);
	assert_int_equal(e.kind, ERR_UNSUPPORTED);
	assert_non_null(strstr(e.msg, "5/26/00"));
	assert_int_equal(st.drive, WC_DRIVE_ON);
	assert_true(s.on && s.changes <= 2);
}

static void accepted_but_unchanged_case_a05(void **state)
{
	struct sim s = { .kind = SIM_SCSI, .on = true, .sd_back = true, .queue_back = true,
		.fault = FAULT_DEAF };
	struct devio io = sim_io(&s);
	struct wc_dev d = dev_of(&s, &io);
	struct wc_state st;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(wc_set(&d, false, &st, &e), -EIO);
	assert_non_null(strstr(e.msg, "accepted the command but reads on"));
	assert_int_equal(st.drive, WC_DRIVE_ON);
}

static int no_cache_nvme(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	int rc = sim_nvme(ctx, c, reterr);

	if (c->opcode == 0x06)
		((uint8_t *)c->data)[525] = 0;
	else
		fail_msg("feature 06h was asked of a drive without a cache");
	return rc;
}

static void nvme_without_a_cache_case_a06(void **state)
{
	static const struct devio_ops ops = { .name = "sim", .nvme_admin = no_cache_nvme,
		.close = sim_close };
	struct sim s = { .kind = SIM_NVME };
	struct devio io = { .ops = &ops, .ctx = &s };
	struct wc_dev d = dev_of(&s, &io);
	struct wc_state st;
	struct err e = ERR_INIT;
	bool dangerous;

	(void)state;
	assert_int_equal(wc_read(&d, &st, &e), 0);
	assert_int_equal(st.drive, WC_DRIVE_NONE);
	assert_string_equal(st.why, "no volatile write cache (nothing to toggle)");
	assert_int_equal(e.code, 0);
	assert_null(wc_mismatch(&st, &dangerous)); /* write through over no cache is right */
	assert_int_equal(wc_set(&d, false, NULL, &e), 1);
	assert_int_equal(e.code, 0);
	assert_int_equal(wc_set(&d, true, NULL, &e), -EOPNOTSUPP);
}

static void nvme_success_that_is_none_case_a07(void **state)
{
	struct sim s = { .kind = SIM_NVME, .queue_back = true, .fault = FAULT_DEAF };
	struct devio io = sim_io(&s);
	struct wc_dev d = { .io = &io }; /* the case has no kernel side */
	struct wc_state st;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(wc_set(&d, true, &st, &e), -EIO);
	assert_non_null(strstr(e.msg, "asked on"));
	assert_non_null(strstr(e.msg, "reads off"));
	assert_int_equal(st.drive, WC_DRIVE_OFF);
}

static int a18_scsi(void *ctx, struct devio_scsi *c, struct err *reterr)
{
	if (c->cdb[0] == 0x85 && c->cdb[14] == 0xec) {
		memcpy(c->data, A18_identify, 512);
		c->received = 512;
		return 0;
	}
	if (c->cdb[0] == 0x85 || c->cdb[0] == 0x55)
		fail_msg("a drive without the feature set was told to change");
	return sim_scsi(ctx, c, reterr);
}

static void feature_set_absent_case_a18(void **state)
{
	static const struct devio_ops ops = { .name = "sim", .scsi = a18_scsi, .close = sim_close };
	struct sim s = { .kind = SIM_ATA, .queue_back = true, .sd_back = true };
	struct devio io = { .ops = &ops, .ctx = &s };
	struct wc_dev d = dev_of(&s, &io);
	struct wc_state st;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(wc_read(&d, &st, NULL), 0);
	assert_int_equal(st.drive, WC_DRIVE_UNSUPPORTED);
	assert_string_equal(wc_drive_word(st.drive), "unsupported");
	assert_int_equal(wc_set(&d, false, NULL, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "not supported"));
	assert_int_equal(wc_set(&d, true, NULL, &e), -EOPNOTSUPP);
}

static void nvme_is_asked_by_feature_06_only_case_a14(void **state)
{
	struct sim s = { .kind = SIM_NVME, .on = true, .queue_back = true };
	struct devio io = sim_io(&s);
	struct wc_dev d = dev_of(&s, &io);
	struct wc_state st;

	(void)state;
	assert_int_equal(wc_read(&d, &st, NULL), 0);
	assert_int_equal(st.method, WC_BY_NVME);
	assert_int_equal(st.drive, WC_DRIVE_ON);
}

static void a_drive_that_cannot_be_asked_is_left_alone(void **state)
{
	struct sim s = { .kind = SIM_SCSI, .on = true, .queue_back = true, .fault = FAULT_GONE };
	struct devio io = sim_io(&s);
	struct wc_dev d = dev_of(&s, &io), nobody = { .io = NULL };
	struct wc_state st;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(wc_read(&d, &st, NULL), 0);
	assert_int_equal(st.drive, WC_DRIVE_UNKNOWN);
	assert_non_null(strstr(st.why, "gone"));
	assert_null(wc_drive_word(st.drive));
	assert_int_equal(wc_set(&d, false, NULL, &e), -EOPNOTSUPP);
	assert_int_equal(s.changes, 0);
	assert_int_equal(wc_read(&nobody, &st, NULL), 0);
	assert_non_null(strstr(st.why, "root"));
}

static void the_record_survives_json(void **state)
{
	const struct wc_state states[] = {
		{ .method = WC_BY_SCSI, .drive = WC_DRIVE_ON, .saved = FACT_NO, .initial = FACT_YES,
			.saveable = true, .rcd = true, .cache_type = WC_KERNEL_BACK,
			.queue = WC_KERNEL_BACK, .fua = FACT_NO },
		{ .method = WC_BY_NVME, .drive = WC_DRIVE_NONE, .why = "none here",
			.queue = WC_KERNEL_THROUGH },
		{ .method = WC_BY_NOTHING },
	};
	struct wc_state back;
	struct json *j;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		j = wc_state_json(&states[i]);
		assert_non_null(j);
		memset(&back, 0x55, sizeof(back));
		assert_int_equal(wc_state_from_json(j, &back, NULL), 0);
		assert_int_equal(back.method, states[i].method);
		assert_int_equal(back.drive, states[i].drive);
		assert_int_equal(back.saved, states[i].saved);
		assert_int_equal(back.initial, states[i].initial);
		assert_int_equal(back.saveable, states[i].saveable);
		assert_int_equal(back.rcd, states[i].rcd);
		assert_int_equal(back.cache_type, states[i].cache_type);
		assert_int_equal(back.queue, states[i].queue);
		assert_int_equal(back.fua, states[i].fua);
		assert_string_equal(back.why, states[i].why);
		if (i == 2) {
			assert_true(json_is_null(json_get(j, "drive")));
			assert_int_equal(json_set_str(j, "drive", "sideways"), 0);
			assert_int_equal(wc_state_from_json(j, &back, NULL), -EBADMSG);
		}
		json_free(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_directions_work_without_faults),
		cmocka_unit_test(no_fault_at_any_step_makes_it_unsafe_or_a_false_success),
		cmocka_unit_test(restore_puts_back_what_was_recorded),
		cmocka_unit_test(no_fault_makes_restoring_unsafe_or_a_false_success),
		cmocka_unit_test(an_unsafe_beginning_is_mended_not_kept),
		cmocka_unit_test(drive_off_kernel_write_back_case_a01),
		cmocka_unit_test(controller_refuses_case_a03),
		cmocka_unit_test(accepted_but_unchanged_case_a05),
		cmocka_unit_test(nvme_without_a_cache_case_a06),
		cmocka_unit_test(nvme_success_that_is_none_case_a07),
		cmocka_unit_test(feature_set_absent_case_a18),
		cmocka_unit_test(nvme_is_asked_by_feature_06_only_case_a14),
		cmocka_unit_test(a_drive_that_cannot_be_asked_is_left_alone),
		cmocka_unit_test(the_record_survives_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
