/* test_devio_ioctl.c - what reaches the kernel and what is made of its answer, by an ioctl() of ours.
 *
 * An ioctl() defined in the program is also called from inside libnvme.so (--wrap would not be).
 */
#include "probes/devio.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <cmocka.h>

static struct {
	int error;     /* errno of the call; 0: it succeeds */
	int status;    /* NVMe status */
	uint32_t result;
	struct nvme_passthru_cmd seen;
	struct sg_io_hdr answer; /* SG_IO: status, host_status, resid, sb_len_wr */
	unsigned long request;
} fake;

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	(void)fd;
	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == NVME_IOCTL_ID)
		return 7;
	fake.request = request;
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	if (request == SG_IO) {
		struct sg_io_hdr *h = arg;

		memset(h->dxferp, 0x5a, h->dxfer_len);
		h->status = fake.answer.status;
		h->host_status = fake.answer.host_status;
		h->resid = fake.answer.resid;
		h->sb_len_wr = fake.answer.sb_len_wr;
		return 0;
	}
	fake.seen = *(struct nvme_passthru_cmd *)arg;
	((struct nvme_passthru_cmd *)arg)->result = fake.result;
	return fake.status;
}

static char path[] = "/tmp/ssdqual-ioctl-XXXXXX";

static int setup(void **state)
{
	(void)state;
	return close(mkstemp(path));
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void nvme_results_and_namespace_arrive(void **state)
{
	const unsigned long admin = NVME_IOCTL_ADMIN_CMD;
	struct devio io;
	uint32_t v = 0;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.result = 1;
	assert_int_equal(dev_nvme_open(path, &io, NULL), 0);
	assert_int_equal(io.nsid, 7);
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, NULL), 0);
	assert_int_equal(v, 1);
	assert_true(fake.request == admin);
	assert_int_equal(fake.seen.opcode, 0x0a);
	assert_int_equal(devio_nvme_set_feature(&io, 6, 1, false, NULL), 0);
	assert_int_equal(fake.seen.opcode, 0x09);
	assert_int_equal(fake.seen.cdw10, 6);
	assert_int_equal(fake.seen.cdw11, 1);
	devio_close(&io);
}

static void nvme_status_and_errno_are_told_apart(void **state)
{
	struct devio io;
	struct err e = ERR_INIT;
	uint32_t v = 9;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.status = 0x4002;
	assert_int_equal(dev_nvme_open(path, &io, NULL), 0);
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, &e), -EOPNOTSUPP);
	assert_non_null(strstr(e.msg, "0h/02h"));
	fake.error = EPERM;
	assert_int_equal(devio_nvme_get_feature(&io, 6, DEVIO_SEL_CURRENT, &v, &e), -EPERM);
	assert_non_null(strstr(e.msg, "root"));
	assert_int_equal(v, 9);
	devio_close(&io);
}

static void sg_counts_what_arrived_and_translates_errors(void **state)
{
	struct devio io;
	struct err e = ERR_INIT;
	uint8_t buf[64];
	size_t len = 0;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.answer.resid = 60;
	assert_int_equal(dev_sg_open(path, &io, NULL), 0);
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), 0);
	assert_int_equal(len, 4);
	fake.answer.resid = 1000; /* nonsense of a driver: nothing arrived */
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), 0);
	assert_int_equal(len, 0);
	fake.answer.host_status = 0x01;
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), -ENODEV);
	fake.answer.host_status = 0;
	fake.answer.status = SCSI_CHECK_CONDITION; /* and no sense */
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), -EIO);
	fake.error = ENOTTY;
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), -EOPNOTSUPP);
	fake.error = EPERM;
	assert_int_equal(devio_vpd(&io, 0xb1, buf, sizeof(buf), &len, &e), -EPERM);
	devio_close(&io);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_results_and_namespace_arrive),
		cmocka_unit_test(nvme_status_and_errno_are_told_apart),
		cmocka_unit_test(sg_counts_what_arrived_and_translates_errors),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
