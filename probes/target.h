/* target.h - what the user pointed at: resolved, described, proven free, then opened.
 *
 * The order is fixed: target_resolve() opens nothing of the target, safety_decide()
 * (probes/safety.h) decides from what the kernel says, target_open() opens what was decided on and
 * proves that it is still the same thing.
 */
#ifndef SSDQUAL_PROBES_TARGET_H
#define SSDQUAL_PROBES_TARGET_H

#include "data/err.h"
#include "data/json.h"
#include "probes/answers.h"

#include <stdint.h>
#include <sys/types.h>

enum target_kind { TARGET_BLOCK, TARGET_DIR, TARGET_FILE };

/* Paths of the machine, or of a captured tree (`--sysroot`): "" is this machine. @replay: the
 * folder of captured device answers (`--replay`); "": of a capture, none are known. */
struct sysroot {
	char prefix[512];
	char replay[512];
};

struct target {
	enum target_kind kind;
	char *given;   /* as on the command line */
	char *path;    /* real path, symbolic links resolved */
	char *sysname; /* block: kernel name ("sda", "loop0", "nvme0n1p2"); else NULL */
	dev_t rdev;    /* block: its number; else 0 */
	dev_t fs_dev;  /* dir, file: st_dev */
	ino_t ino;     /* dir, file */
	char *fs_type; /* dir, file: from mountinfo ("ext4", "tmpfs", "overlay"); else NULL */
	char *fs_source; /* dir, file: mountinfo's source ("/dev/vda"), or NULL */
	uint64_t size_bytes; /* block: capacity; file: size; dir: bytes free to this user */
	uint32_t logical_block, physical_block; /* bytes; 512 where unknown for dir and file */
	bool read_only;
	struct json *identity; /* the document's "target" object: path, by_id, model, serial, ... */
	/* Of a block device; target_open() looks whether they still hold. */
	struct drive_names seen; /* what sysfs told of its disk when it was resolved */
	struct drive_names told; /* what the drive said of itself, where @asked */
	bool asked;
	char *token;             /* safety_token()'s answer; NULL: not made */
	char token_why[160];     /* why it is not the serial number; "" where it is */
};

/* target_resolve - describe @arg. Never creates or opens anything for writing.
 * ERR_INPUT-free; kinds: ERR_USAGE -ENOENT absent path ("is never created"), -EINVAL FIFO, socket,
 * character device; ERR_REFUSED a path under /dev that is no block device; ERR_UNSUPPORTED tmpfs,
 * ramfs, overlay (names the upper directory and its device), -EROFS read-only. */
int target_resolve(const struct sysroot *root, const char *arg, struct target **ret,
	struct err *reterr);
void target_free(struct target *t);

/* target_look - serial number and world wide name that sysfs has of @sysname's disk. */
void target_look(const struct sysroot *root, const char *sysname, struct drive_names *ret);

/* target_ask - let the drive below the block device @t say who it is (its node is opened read-only,
 * or a capture's answers are read). Serial number and world wide name that sysfs lacks are added to
 * the identity, and the token is made anew. 0 also where it cannot be asked: then it is known by
 * what sysfs says. */
int target_ask(const struct sysroot *root, struct target *t, struct err *reterr);

/* target_make_token - set @t->token from its identity: the serial number, unless another drive of
 * @root has the same; else the by-id name, else the path. -ENOMEM. */
int target_make_token(const struct sysroot *root, struct target *t, struct err *reterr);

/* target_require - is there room for @bytes? Directories: free space, files and block devices: size.
 * ERR_DEVICE, -ENOSPC with both figures; @bytes 0: only "not full". */
int target_require(const struct target *t, uint64_t bytes, struct err *reterr);

/* target_open - open a block device or file with @flags (O_EXCL is added for block devices opened
 * for writing: EBUSY is ERR_REFUSED "in use; the user is not visible from here") and check that
 * number, size, kind, serial number and world wide name are what target_resolve() and target_ask()
 * saw: the drive is asked again through the descriptor that was opened. */
int target_open(const struct target *t, int flags, int *ret_fd, struct err *reterr);

#endif
