/* engine_sys.h - the system calls that engines make, as a table: the seam for scripted faults.
 *
 * All return what the kernel says with its errors as -errno, whatever the C library's habit is.
 * The aio calls carry the kernel's structures by name only (libaio.h, linux/aio_abi.h).
 */
#ifndef SSDQUAL_PROBES_ENGINE_SYS_H
#define SSDQUAL_PROBES_ENGINE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct iocb;
struct io_event;
struct io_context;

struct engine_sys {
	ssize_t (*write_at)(int fd, const void *buf, size_t len, uint64_t off, int rwf_flags);
	ssize_t (*read_at)(int fd, void *buf, size_t len, uint64_t off);
	int (*sync)(int fd, bool data_only);
	int (*aio_setup)(int events, struct io_context **ret);
	int (*aio_destroy)(struct io_context *ctx);
	int (*aio_submit)(struct io_context *ctx, long n, struct iocb **iocbs);
	int (*aio_getevents)(struct io_context *ctx, long min, long max, struct io_event *events,
		struct timespec *timeout);
};

extern const struct engine_sys engine_sys_kernel; /* the real ones */

#endif
