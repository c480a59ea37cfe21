/* scratch.h - files without a name: nothing is left behind whatever ends the program.
 *
 * A scratch file is made with O_TMPFILE. Where the file system has no such thing (NFS, FUSE, old
 * ones), it is made with O_CREAT | O_EXCL under a name of ours and unlinked at once; only a kill
 * between these two calls can leave an empty file.
 */
#ifndef SSDQUAL_PROBES_SCRATCH_H
#define SSDQUAL_PROBES_SCRATCH_H

#include "data/err.h"

#include <stdint.h>

/* scratch_open - a new empty file in folder @dir, open for reading and writing, close-on-exec.
 * -EACCES, -EROFS, -ENOSPC, ...: ERR_DEVICE with the folder named. Nothing is left on failure. */
int scratch_open(const char *dir, int *ret_fd, struct err *reterr);

/* scratch_allocate - make @fd @bytes long with blocks behind it, unwritten (fallocate, mode 0).
 * -ENOSPC: the message says how many bytes were asked for in @dir. Where the file system cannot
 * allocate (-EOPNOTSUPP) the size is set only: fio's fallocate=native goes on there as well. */
int scratch_allocate(int fd, const char *dir, uint64_t bytes, struct err *reterr);

/* scratch_reopen - another descriptor of what @fd is, with open flags of its own (O_DIRECT,
 * O_DSYNC: fcntl cannot set the latter). Needs /proc. @what is for messages. Works for devices
 * as well, and cannot get another one than @fd. */
int scratch_reopen(int fd, const char *what, int flags, int *ret_fd, struct err *reterr);

/* scratch_dio_align - smallest size and offset that O_DIRECT takes on @fd; @fallback where the
 * kernel does not tell (before 6.1, or a file system that does not say). 0: no direct I/O at
 * all. */
uint32_t scratch_dio_align(int fd, uint32_t fallback);

#endif
