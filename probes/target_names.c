/* target_names.c - whose a block device is, and the word that names it and no other.
 *
 * A serial number is printed on the drive, so a person can check it. But some drives have none,
 * some share one ("0123456789AB" of cheap bridges), and a partition has its disk's: what is typed
 * to destroy data must not fit a sibling.
 */
#include "probes/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/drive.h"

void target_look(const struct sysroot *root, const char *sysname, struct drive_names *ret)
{
	char disk[SYSFS_NAME_MAX];

	memset(ret, 0, sizeof(*ret));
	if (sysfs_block_parent(root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* a kernel name: fits */
	(void)drive_serial(root, disk, ret->serial, sizeof(ret->serial));
	(void)drive_wwn(root, disk, ret->wwn, sizeof(ret->wwn));
}

/* Another disk with the same serial number, that is not the same drive; its name in @buf. With
 * @ask, drives of which sysfs does not tell enough are asked themselves. */
static bool find_namesake(const struct sysroot *root, const char *disk, const char *serial,
	const char *wwn, bool ask, char *buf, size_t len)
{
	struct drive_names other;
	struct sysfs_names disks;
	bool found = false;

	if (sysfs_list(root, &disks, "/sys/block") < 0)
		return false;
	for (size_t i = 0; i < disks.count && !found; i++) {
		if (strcmp(disks.name[i], disk) == 0)
			continue;
		if (ask)
			names_of_disk(root, disks.name[i], &other);
		else
			target_look(root, disks.name[i], &other);
		if (strcmp(other.serial, serial) != 0)
			continue;
		/* Another path to it is the same drive. */
		found = !names_tell_wwn(wwn) || strcmp(wwn, other.wwn) != 0;
		(void)snprintf(buf, len, "%s", disks.name[i]); /* a kernel name: fits */
	}
	sysfs_names_done(&disks);
	return found;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int target_make_token(const struct sysroot *root, struct target *t, struct err *reterr)
{
	const char *serial = json_str(json_get(t->identity, "serial"));
	const char *by_id = json_str(json_get(t->identity, "by_id"));
	const char *wwn = json_str(json_get(t->identity, "wwn"));
	char disk[SYSFS_NAME_MAX], namesake[SYSFS_NAME_MAX] = "";
	uint64_t number;
	bool partition;
	int r = 0;

	partition = sysfs_block_parent(root, t->sysname, disk, sizeof(disk)) == 0;
	if (!partition)
		(void)snprintf(disk, sizeof(disk), "%s", t->sysname); /* a kernel name: fits */
	free(t->token);
	t->token = NULL;
	t->token_why[0] = '\0';
	if (serial && serial[0] && find_namesake(root, disk, serial, wwn ? wwn : "", t->asked,
			namesake, sizeof(namesake)))
		(void)snprintf(t->token_why, sizeof(t->token_why),
			"%.60s has the same serial number", namesake);
	else if (!serial || !serial[0])
		(void)snprintf(t->token_why, sizeof(t->token_why), "it has no serial number");
	if (!t->token_why[0] && !partition)
		t->token = strdup(serial);
	else if (!t->token_why[0] && json_u64(json_get(t->identity, "partition"), &number))
		r = asprintf(&t->token, "%s-part%llu", serial, (unsigned long long)number);
	else if (by_id && by_id[0])
		t->token = strdup(base_name(by_id));
	else
		t->token = strdup(t->path);
	if (r < 0)
		t->token = NULL; /* asprintf() leaves it undefined */
	return t->token ? 0 : err_nomem(reterr);
}

int target_ask(const struct sysroot *root, struct target *t, struct err *reterr)
{
	const char *serial, *wwn;
	struct devio io;

	if (t->kind != TARGET_BLOCK || answers_open(root, t->sysname, &io, NULL) < 0)
		return 0;
	t->asked = answers_names(&io, &t->told, NULL) == 0;
	devio_close(&io);
	if (!t->asked)
		return 0;
	serial = json_str(json_get(t->identity, "serial"));
	wwn = json_str(json_get(t->identity, "wwn"));
	if ((!serial || !serial[0]) && t->told.serial[0])
		(void)json_set_str(t->identity, "serial", t->told.serial);
	if ((!wwn || !wwn[0]) && t->told.wwn[0])
		(void)json_set_str(t->identity, "wwn", t->told.wwn);
	return target_make_token(root, t, reterr);
}
