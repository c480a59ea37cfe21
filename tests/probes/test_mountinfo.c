/* test_mountinfo.c - mount tables, as printed and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/mountinfo.h"
#include "probes/target.h"

static int parse(const char *text, struct mountinfo *m, struct err *e)
{
	return mountinfo_parse(strdup(text), "table", m, e);
}

static void one_line_gives(const char *line, const char *point, const char *fs, const char *source,
	const char *super, dev_t dev)
{
	struct err e = ERR_INIT;
	struct mountinfo m;

	if (parse(line, &m, &e) < 0)
		fail_msg("%s: %s", line, e.msg);
	assert_int_equal(m.count, 1);
	assert_string_equal(m.mounts[0].point, point);
	assert_string_equal(m.mounts[0].fs, fs);
	assert_string_equal(m.mounts[0].source, source);
	assert_string_equal(m.mounts[0].super, super);
	assert_true(m.mounts[0].dev == dev);
	mountinfo_done(&m);
}

static void reads_lines_as_the_kernel_prints_them(void **state)
{
	(void)state;
	one_line_gives("27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n", "/", "ext4",
		"/dev/vda", "rw,discard", makedev(254, 0));
	one_line_gives("36 35 98:0 /mnt1 /mnt2 rw shared:1 master:3 propagate_from:2 - ext3 "
		       "/dev/root rw,errors=continue\n", "/mnt2", "ext3", "/dev/root",
		"rw,errors=continue", makedev(98, 0));
	one_line_gives("1 1 0:5 / /a rw unbindable - tmpfs none rw", "/a", "tmpfs", "none", "rw",
		makedev(0, 5));
	one_line_gives("1 1 0:5 / /a rw -  tmpfs rw", "/a", "", "tmpfs", "rw", makedev(0, 5));
	one_line_gives("1 1 259:1048575 / /a rw - xfs /dev/x rw\n", "/a", "xfs", "/dev/x", "rw",
		makedev(259, 1048575));
	one_line_gives("1 1 0:5 / /a rw - cifs //srv/share rw,user=a b\n", "/a", "cifs",
		"//srv/share", "rw,user=a b", makedev(0, 5));
}

static void undoes_octal_escapes(void **state)
{
	(void)state;
	one_line_gives("1 1 8:1 / /my\\040disk\\011tab\\012line\\134back\\043hash rw - ext4 "
		       "/dev/a\\040b rw\n", "/my disk\ttab\nline\\back#hash", "ext4", "/dev/a b",
		"rw", makedev(8, 1));
	one_line_gives("1 1 8:1 / /not\\04x\\9\\777 rw - ext4 a rw\n", "/not\\04x\\9\\777", "ext4",
		"a", "rw", makedev(8, 1));
	one_line_gives("1 1 8:1 / /gone//deleted rw - ext4 a rw\n", "/gone//deleted", "ext4", "a",
		"rw", makedev(8, 1));
}

static void refuses_a_table_with_a_line_it_does_not_understand(void **state)
{
	static const char *const bad[] = {
		"27\n", "x 1 8:1 / / rw - ext4 a rw\n", "1 x 8:1 / / rw - ext4 a rw\n",
		"1 1 8 / / rw - ext4 a rw\n", "1 1 8: / / rw - ext4 a rw\n",
		"1 1 :1 / / rw - ext4 a rw\n", "1 1 -8:1 / / rw - ext4 a rw\n",
		"1 1 8:1 / / rw ext4 a rw\n", "1 1 8:1 / / rw -\n", "1 1 8:1 / / rw - ext4\n",
		"1 1 8:1 / / rw - ext4 a\n", "1 1 8:1 /\n", "1 1 99999999999:1 / / rw - e a rw\n",
		" 1 1 8:1 / / rw - ext4 a rw\n", "- - - - - -\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		struct mountinfo m;

		if (parse(bad[i], &m, &e) != -EBADMSG)
			fail_msg("accepted: %s", bad[i]);
		assert_non_null(strstr(e.msg, "table: line 1"));
	}
}

static void names_the_line_that_is_wrong(void **state)
{
	struct err e = ERR_INIT;
	struct mountinfo m;

	(void)state;
	assert_int_equal(parse("1 1 8:1 / / rw - ext4 a rw\n\n2 1 8:2 / /b rw ext4\n", &m, &e),
		-EBADMSG);
	assert_non_null(strstr(e.msg, "line 3"));
}

static void reads_an_empty_table(void **state)
{
	struct mountinfo m;

	(void)state;
	assert_int_equal(parse("", &m, NULL), 0);
	assert_int_equal(m.count, 0);
	assert_null(mountinfo_covering(&m, "/a"));
	mountinfo_done(&m);
}

static void reads_very_many_and_very_long_lines(void **state)
{
	enum { LINES = 20000, LONG = 100000 };
	char *text = malloc(LINES * 48 + LONG + 64), *to = text;
	struct mountinfo m;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < LINES; i++)
		to += sprintf(to, "%d 1 8:%d / /m/%d rw - ext4 a rw\n", i, i, i);
	to += sprintf(to, "7 1 0:9 / /ov rw - overlay overlay rw,lowerdir=");
	memset(to, 'l', LONG);
	strcpy(to + LONG, ",upperdir=/up\n");
	assert_int_equal(mountinfo_parse(text, "table", &m, NULL), 0);
	assert_int_equal(m.count, LINES + 1);
	assert_true(m.mounts[LINES - 1].dev == makedev(8, LINES - 1));
	assert_true(mount_option(m.mounts[LINES].super, "upperdir", NULL, 0));
	mountinfo_done(&m);
}

static void finds_options_by_whole_words(void **state)
{
	char value[16];

	(void)state;
	assert_true(mount_option("rw,relatime", "rw", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_true(mount_option("rw,ro=x,upperdir=/a\\054b,z", "upperdir", value, sizeof(value)));
	assert_string_equal(value, "/a,b");
	assert_true(mount_option("upperdir=0123456789abcdefgh", "upperdir", value, sizeof(value)));
	assert_string_equal(value, "0123456789abcde");
	assert_false(mount_option("rw,errors=remount-ro", "ro", NULL, 0));
	assert_false(mount_option("norw", "rw", NULL, 0));
	assert_false(mount_option("", "rw", NULL, 0));
	assert_false(mount_option("rw", "", NULL, 0));
}

static void the_longest_and_latest_mount_point_covers_a_path(void **state)
{
	struct mountinfo m;

	(void)state;
	assert_int_equal(parse("1 1 8:1 / / rw - ext4 a rw\n2 1 8:2 / /mnt rw - ext4 b rw\n"
			       "3 1 8:3 / /mnt rw - ext4 c rw\n4 1 8:4 / /mnt/x rw - ext4 d rw\n",
				 &m, NULL), 0);
	assert_int_equal(mountinfo_covering(&m, "/mnt")->id, 3);
	assert_int_equal(mountinfo_covering(&m, "/mnt/x/y")->id, 4);
	assert_int_equal(mountinfo_covering(&m, "/mnt/xy")->id, 3);
	assert_int_equal(mountinfo_covering(&m, "/mntx")->id, 1);
	assert_int_equal(mountinfo_by_id(&m, 2)->id, 2);
	assert_null(mountinfo_by_id(&m, 9));
	mountinfo_done(&m);
}

static void reads_the_table_of_this_machine(void **state)
{
	const struct sysroot here = { .prefix = "" };
	struct err e = ERR_INIT;
	struct mountinfo m;

	(void)state;
	if (mountinfo_read(&here, "/proc/self/mountinfo", &m, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(m.count > 0);
	assert_non_null(mountinfo_covering(&m, "/"));
	mountinfo_done(&m);
}

/* Whatever a byte turns into, the table is parsed or refused, within its memory. */
static void survives_damaged_tables(void **state)
{
	static const char good[] = "27 1 254:0 / /a\\040b rw shared:1 - ext4 /dev/vda rw,x=y\n"
				   "28 1 0:9 / /ov rw - overlay overlay rw,upperdir=/u\n";
	uint32_t seed = 12345;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[sizeof(good)];
		struct mountinfo m;

		memcpy(text, good, sizeof(good));
		for (int n = 0; n < 3; n++) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % (sizeof(good) - 1)] = (char)(seed >> 24);
		}
		if (parse(text, &m, NULL) == 0) {
			(void)mountinfo_covering(&m, "/a b/c");
			mountinfo_done(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_lines_as_the_kernel_prints_them),
		cmocka_unit_test(undoes_octal_escapes),
		cmocka_unit_test(refuses_a_table_with_a_line_it_does_not_understand),
		cmocka_unit_test(names_the_line_that_is_wrong),
		cmocka_unit_test(reads_an_empty_table),
		cmocka_unit_test(reads_very_many_and_very_long_lines),
		cmocka_unit_test(finds_options_by_whole_words),
		cmocka_unit_test(the_longest_and_latest_mount_point_covers_a_path),
		cmocka_unit_test(reads_the_table_of_this_machine),
		cmocka_unit_test(survives_damaged_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
