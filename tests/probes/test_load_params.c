/* test_load_params.c - what a load may be asked for, and how the document says it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/load.h"

static struct load_params good(void)
{
	struct load_params p;

	load_params_init(&p);
	p.size = 1 << 20;
	p.runtime_ns = 1;
	return p;
}

static void refuses(const struct load_params *p, const char *word)
{
	struct err e = ERR_INIT;

	assert_int_equal(load_params_check(p, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	if (!strstr(e.msg, word))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, word);
}

static void defaults_need_a_size_only(void **state)
{
	struct load_params p;

	(void)state;
	load_params_init(&p);
	refuses(&p, "size");
	p = good();
	assert_int_equal(load_params_check(&p, NULL), 0);
}

#define REFUSE(word, ...)                    \
	do {                                 \
		struct load_params p = good(); \
		__VA_ARGS__;                 \
		refuses(&p, word);           \
	} while (0)

static void refuses_what_makes_no_sense(void **state)
{
	static const struct load_file_source files;

	(void)state;
	REFUSE("ioengine=io_uring", p.engine = "io_uring");
	REFUSE("ioengine", p.engine = NULL);
	REFUSE("iodepth", p.iodepth = 0);
	REFUSE("iodepth", p.iodepth = 1025);
	REFUSE("use libaio", p.engine = "sync"; p.iodepth = 2);
	REFUSE("numjobs", p.numjobs = 0);
	REFUSE("numjobs", p.numjobs = 65);
	REFUSE("iodepth_batch", p.iodepth = 4; p.batch_submit = 5);
	REFUSE("iodepth_batch", p.iodepth = 4; p.batch_complete_max = 5);
	REFUSE("time_based", p.time_based = true; p.runtime_ns = 0);
	REFUSE("files", p.files = &files; p.numjobs = 2);
	REFUSE("files", p.files = &files; p.rw = RW_RANDWRITE);
	REFUSE("bs", p.bs = 0);
	REFUSE("bs", p.bs = (64u << 20) + 1);
	REFUSE("2^63", p.offset = UINT64_MAX);
	REFUSE("2^63", p.size = UINT64_MAX; p.offset = 4096);
	REFUSE("less than one block", p.size = 4095);
	REFUSE("less than one block", p.size = 4096 * 3; p.numjobs = 4);
	REFUSE("power of two", p.buffer_align = 0);
	REFUSE("power of two", p.buffer_align = 3000);
	REFUSE("logical block, 4096", p.direct = true; p.bs = 512);
	REFUSE("logical block", p.direct = true; p.offset = 512);
	REFUSE("choose one", p.fsync = 1; p.fdatasync = 1);
	REFUSE("nothing to sync", p.fsync = 1; p.rw = RW_READ);
	REFUSE("buffer_compress_percentage", p.buffer_compress_percentage = 101);
	REFUSE("zero_buffers", p.zero_buffers = p.refill_buffers = true);
}

static void opens_as_the_parameters_say(void **state)
{
	struct load_params p = good();

	(void)state;
	assert_int_equal(load_open_flags(&p), O_CLOEXEC | O_RDWR);
	p.direct = true;
	p.sync = SYNC_DSYNC;
	assert_int_equal(load_open_flags(&p), O_CLOEXEC | O_RDWR | O_DIRECT | O_DSYNC);
	p.sync = SYNC_SYNC;
	assert_int_equal(load_open_flags(&p), O_CLOEXEC | O_RDWR | O_DIRECT | O_SYNC);
	p.rw = RW_RANDREAD;
	assert_int_equal(load_open_flags(&p), O_CLOEXEC | O_RDONLY | O_DIRECT);
}

static void says_what_its_buffers_take(void **state)
{
	struct load_params p = good();

	(void)state;
	p.iodepth = 128;
	assert_int_equal(load_buffer_bytes(&p), 512 * 1024);
	p.iodepth = 32;
	p.bs = 4 << 20;
	p.numjobs = 2;
	assert_int_equal(load_buffer_bytes(&p), 256 << 20);
}

static const char *text_of(const struct load_params *p, const char *key, char *buf, size_t len)
{
	struct json *j = json_new_object();
	char *text;

	assert_int_equal(load_params_to_json(p, j), 0);
	text = json_print(json_get(j, key), false);
	assert_non_null(text);
	assert_true(strlen(text) < len);
	memcpy(buf, text, strlen(text) + 1);
	free(text);
	json_free(j);
	return buf;
}

static void the_document_has_fios_names(void **state)
{
	struct load_params p = good();
	char buf[64];

	(void)state;
	p.rw = RW_RANDWRITE;
	p.sync = SYNC_DSYNC;
	p.fdatasync = 3;
	p.filename = "/dev/x";
	p.iodepth = p.batch_submit = 8;
	assert_string_equal(text_of(&p, "rw", buf, sizeof(buf)), "\"randwrite\"");
	assert_string_equal(text_of(&p, "sync", buf, sizeof(buf)), "\"dsync\"");
	assert_string_equal(text_of(&p, "bs", buf, sizeof(buf)), "4096");
	assert_string_equal(text_of(&p, "iodepth", buf, sizeof(buf)), "8");
	assert_string_equal(text_of(&p, "iodepth_batch_submit", buf, sizeof(buf)), "8");
	assert_string_equal(text_of(&p, "iodepth_batch_complete_max", buf, sizeof(buf)), "1");
	assert_string_equal(text_of(&p, "fdatasync", buf, sizeof(buf)), "3");
	assert_string_equal(text_of(&p, "filename", buf, sizeof(buf)), "\"/dev/x\"");
	assert_string_equal(text_of(&p, "zero_buffers", buf, sizeof(buf)), "false");
	assert_string_equal(text_of(&p, "runtime", buf, sizeof(buf)), "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_need_a_size_only),
		cmocka_unit_test(refuses_what_makes_no_sense),
		cmocka_unit_test(opens_as_the_parameters_say),
		cmocka_unit_test(says_what_its_buffers_take),
		cmocka_unit_test(the_document_has_fios_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
