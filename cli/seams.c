/* seams.c - this machine, or a capture of another one. */
#include "cli/seams.h"

#include "probes/drive.h"
#include "probes/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool seams_captured(const struct cli *cli)
{
	return cli->sysroot || cli->replay;
}

int seams_root(const struct cli *cli, struct sysroot *ret, struct err *reterr)
{
	const char *answers = cli->replay ? cli->replay : "";
	const char *dir = cli->sysroot ? cli->sysroot : answers;

	if (strlen(dir) >= sizeof(ret->prefix) || strlen(answers) >= sizeof(ret->replay))
		return err_set(reterr, ERR_INPUT, -ENAMETOOLONG, "%s: path too long",
			strlen(dir) >= sizeof(ret->prefix) && cli->sysroot ? "--sysroot" :
									     "--replay");
	strcpy(ret->prefix, dir);
	strcpy(ret->replay, answers);
	return 0;
}

/* SCSI disks and NVMe namespaces; others answer neither SG_IO nor NVMe commands. */
static bool can_be_asked(const char *disk)
{
	return strncmp(disk, "sd", 2) == 0 || strncmp(disk, "nvme", 4) == 0;
}

int seams_open_drive(const struct cli *cli, const char *sysname, struct devio *ret,
	struct err *reterr)
{
	char disk[SYSFS_NAME_MAX], path[SYSFS_NAME_MAX + 8];
	struct sysroot root;
	int r;

	memset(ret, 0, sizeof(*ret));
	r = seams_root(cli, &root, reterr);
	if (r < 0)
		return r;
	if (sysfs_block_parent(&root, sysname, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", sysname); /* longer: no such device */
	if (!can_be_asked(disk))
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"%s: answers no drive commands", disk);
	if (cli->replay) {
		r = devio_open_replay(cli->replay, disk, ret, reterr);
		return r == -ENOENT ? err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"%s: not asked: no answers of it in %s", disk, cli->replay) : r;
	}
	if (cli->sysroot)
		return err_set(reterr, ERR_UNSUPPORTED, -ENODATA,
			"%s: not asked: --sysroot without --replay has no drive's answers", disk);
	(void)snprintf(path, sizeof(path), "/dev/%s", disk); /* fits */
	return devio_open(path, ret, reterr);
}

bool seams_kernel_name(const struct json *identity, char *buf)
{
	const char *name = json_str(json_path(identity, "file_system.device"));
	const char *path = json_str(json_get(identity, "path"));

	if (json_type(json_get(identity, "file_system")) != JSON_OBJECT)
		name = path && strncmp(path, "/dev/", 5) == 0 ? path + 5 : NULL;
	if (!name || strlen(name) >= SYSFS_NAME_MAX)
		return false;
	strcpy(buf, name);
	sysfs_node_to_name(buf);
	return true;
}

static int ask_one(const struct cli *cli, const struct sysroot *root,
	const struct controller_file *controllers, struct json *identity, struct err *reterr)
{
	char name[SYSFS_NAME_MAX], disk[SYSFS_NAME_MAX];
	struct err why = ERR_INIT;
	struct devio io;
	int r;

	if (!seams_kernel_name(identity, name))
		return 0;
	if (sysfs_block_parent(root, name, disk, sizeof(disk)) < 0)
		(void)snprintf(disk, sizeof(disk), "%s", name); /* the same size */
	r = seams_open_drive(cli, disk, &io, &why);
	if (r == -ENOMEM)
		return err_nomem(reterr);
	if (r == -EACCES || r == -EPERM)
		(void)err_set(&why, ERR_DEVICE, r, "drive not asked: needs root");
	if (r == 0) {
		r = drive_ask(root, disk, &io, identity, reterr);
		devio_close(&io);
	} else {
		r = json_set_str(identity, "not_asked", why.msg) < 0 ? err_nomem(reterr) : 0;
	}
	if (r == 0 && controllers && controller_apply(controllers, identity) < 0)
		r = err_nomem(reterr);
	return r;
}

/* The drives below, asked one by one: what they are is what the device on top is made of. */
static int ask_below(const struct cli *cli, const struct sysroot *root,
	const struct controller_file *controllers, struct json *identity, struct err *reterr)
{
	const struct json *below = json_get(identity, "below");
	struct json *asked = json_new_array();
	int r = 0;

	for (const struct json *j = json_first(below); j && r == 0; j = json_next(j)) {
		struct json *drive = json_copy(j);

		r = drive ? ask_one(cli, root, controllers, drive, reterr) : err_nomem(reterr);
		if (r == 0 && json_append(asked, drive) < 0)
			r = err_nomem(reterr);
		else if (r < 0)
			json_free(drive);
	}
	if (r < 0) {
		json_free(asked);
		return r;
	}
	if (json_set(identity, "below", asked) < 0)
		return err_nomem(reterr);
	drive_judge_rotation(identity);
	return 0;
}

int seams_ask(const struct cli *cli, const struct controller_file *controllers,
	struct json *identity, struct err *reterr)
{
	const char *layer = json_str(json_get(identity, "layer"));
	struct sysroot root;
	int r = seams_root(cli, &root, reterr);

	if (r == 0 && json_len(json_get(identity, "below")) > 0)
		r = ask_below(cli, &root, controllers, identity, reterr);
	/* A partition is its disk; what is made of several drives has no one to ask. */
	if (r == 0 && layer)
		r = ask_one(cli, &root, controllers, identity, reterr);
	return r;
}
