/* tree.h - captured trees that a test makes on the spot, below a folder of their own.
 *
 * Include after <cmocka.h>.
 */
#ifndef SSDQUAL_TESTS_PROBES_TREE_H
#define SSDQUAL_TESTS_PROBES_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/target.h"

static inline void tree_put(const char *dir, const char *path, const char *text)
{
	char full[600], *slash;
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (slash = strchr(full + strlen(dir) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* A drive that is free but for what the test adds. */
static inline char *tree_new(struct sysroot *root)
{
	char *dir = strdup("/tmp/ssdqual-tree.XXXXXX");

	assert_non_null(mkdtemp(dir));
	memset(root, 0, sizeof(*root));
	(void)snprintf(root->prefix, sizeof(root->prefix), "%s", dir);
	tree_put(dir, "sys/block/sda/size", "2048\n");
	tree_put(dir, "sys/block/sda/dev", "8:0\n");
	tree_put(dir, "sys/block/sda/ro", "0\n");
	tree_put(dir, "proc/self/mountinfo", "1 1 8:99 / / rw - ext4 /dev/x rw\n");
	return dir;
}

static inline void tree_drop(char *dir)
{
	char command[700];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
	free(dir);
}

/* A symbolic link at @path. */
static inline void tree_link(const char *dir, const char *path, const char *to)
{
	char full[600];

	tree_put(dir, path, "");
	(void)snprintf(full, sizeof(full), "%s/%s", dir, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(to, full), 0);
}

/* A free disk @name of 1 MiB; @serial, @wwn may be NULL. */
static inline void tree_disk(const char *dir, const char *name, const char *number,
	const char *serial, const char *wwn)
{
	const struct {
		const char *attribute, *text;
	} rows[] = {
		{ "dev", number }, { "size", "2048" }, { "ro", "0" }, { "device/model", "ACME SSD" },
		{ "device/serial", serial }, { "device/wwid", wwn },
	};
	char path[300];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].text)
			continue;
		(void)snprintf(path, sizeof(path), "sys/block/%s/%s", name, rows[i].attribute);
		tree_put(dir, path, rows[i].text);
	}
}

#endif
