/* seams.h - this machine, or a capture of another one, for every command in the same way.
 *
 * --sysroot DIR: /sys, /proc and /dev are read below DIR. --replay DIR: drive NAME answers what the
 * files in DIR/NAME say. With either of them nothing of this machine's /sys, /proc and /dev is
 * opened and no ioctl is issued: --replay alone also reads the tree below its DIR (as `capture`
 * writes both into one folder), and --sysroot alone leaves the drives' answers unknown.
 */
#ifndef SSDQUAL_CLI_SEAMS_H
#define SSDQUAL_CLI_SEAMS_H

#include "cli/command.h"
#include "probes/controller.h"
#include "probes/devio.h"
#include "probes/target.h"

/* seams_captured - a capture is looked at: nothing may be opened, changed or measured. */
bool seams_captured(const struct cli *cli);

/* seams_root - what sysfs, /proc and /dev paths are looked up below. ERR_INPUT: path too long. */
int seams_root(const struct cli *cli, struct sysroot *ret, struct err *reterr);

/* seams_open_drive - the drive behind the block device @sysname ("sda", "sda2", "nvme0n1"), to be
 * asked: the device itself, opened read-only, or its folder of answers. Close with devio_close().
 * Failures leave @ret zeroed and say in @reterr why the drive was not asked:
 * -EOPNOTSUPP, ERR_UNSUPPORTED: not a drive that can be asked (loop, virtio, dm, ...); -ENODATA,
 * ERR_UNSUPPORTED: a capture without answers of it; -EACCES, -EPERM, ERR_DEVICE: needs root; else
 * as devio_open() and devio_open_replay(). */
int seams_open_drive(const struct cli *cli, const char *sysname, struct devio *ret,
	struct err *reterr);

/* seams_ask - complete @identity, of drive_identity() (a target's is one), with what the drive says
 * of itself, or the drives below it, and with what @controllers (NULL: none) says of a virtual
 * disk. What could not be asked is said in identity.not_asked. 0, or -ENOMEM. */
int seams_ask(const struct cli *cli, const struct controller_file *controllers,
	struct json *identity, struct err *reterr);

/* seams_kernel_name - of the device that @identity describes; of a folder's or file's target that of
 * its file system. @buf has SYSFS_NAME_MAX bytes. false: it has none. */
bool seams_kernel_name(const struct json *identity, char *buf);

#endif
