/* store_io.h - the system calls that store.c can fail on, in a file of their own.
 *
 * tests/data/test_store.c defines the same functions and makes the Nth of them fail: the linker
 * takes its definitions before those of the archive.
 */
#ifndef SSDQUAL_DATA_STORE_IO_H
#define SSDQUAL_DATA_STORE_IO_H

#include <sys/types.h>

/* Each is the call of its name, with its return value and errno; interrupted calls are repeated. */
int store_io_open(const char *path, int flags, mode_t mode);
ssize_t store_io_write(int fd, const void *data, size_t len);
int store_io_fsync(int fd);
int store_io_close(int fd);
int store_io_rename(const char *from, const char *to);
/* Fails with EEXIST where @to exists, also on file systems without RENAME_NOREPLACE. */
int store_io_rename_new(const char *from, const char *to);
int store_io_unlink(const char *path);
int store_io_mkdir(const char *path, mode_t mode);

#endif
