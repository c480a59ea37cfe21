/* seams.c - this machine, or a capture of another one. */
#include "cli/seams.h"

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
