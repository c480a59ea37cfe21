/* devio_script.h - a device that answers a list: the expected commands in order, with their answers.
 *
 * A command that is not the next one of the list fails the test at once, so do commands left over
 * when script_done() is called: unexpected, missing and reordered commands are all failures.
 */
#ifndef SSDQUAL_TESTS_PROBES_DEVIO_SCRIPT_H
#define SSDQUAL_TESTS_PROBES_DEVIO_SCRIPT_H

#include "probes/devio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct script_step {
	/* expected */
	uint8_t cdb[SCSI_CDB_MAX]; /* compared over cdb_len bytes; all of an NVMe step: nvme_* */
	unsigned cdb_len;
	bool nvme;
	uint8_t opcode;
	uint32_t cdw10, cdw11;
	const uint8_t *sent; /* TO_DEVICE: the bytes that must be sent; NULL: not compared */
	size_t sent_len;
	/* answer */
	const uint8_t *data;
	size_t data_len;
	const uint8_t *sense;
	size_t sense_len;
	uint8_t status;
	uint16_t nvme_status;
	uint32_t result;
	int error; /* -errno of the way there */
};

struct script {
	const struct script_step *step;
	size_t count, at;
};

static inline const struct script_step *script_next(struct script *s)
{
	if (s->at == s->count)
		fail_msg("command %zu was not expected", s->at + 1);
	return &s->step[s->at++];
}

static inline int script_scsi(void *ctx, struct devio_scsi *c, struct err *reterr)
{
	const struct script_step *s = script_next(ctx);

	assert_false(s->nvme);
	assert_int_equal(c->cdb_len, s->cdb_len);
	assert_memory_equal(c->cdb, s->cdb, s->cdb_len);
	if (s->sent) {
		assert_int_equal(c->len, s->sent_len);
		assert_memory_equal(c->data, s->sent, s->sent_len);
	}
	if (s->error)
		return err_set(reterr, ERR_DEVICE, s->error, "scripted");
	c->received = s->data_len < c->len ? s->data_len : c->len;
	if (c->dir == DEVIO_FROM_DEVICE && c->received)
		memcpy(c->data, s->data, c->received);
	c->sense_len = s->sense_len;
	if (s->sense_len)
		memcpy(c->sense, s->sense, s->sense_len);
	c->status = s->status;
	return 0;
}

static inline int script_nvme(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	const struct script_step *s = script_next(ctx);

	assert_true(s->nvme);
	assert_int_equal(c->opcode, s->opcode);
	assert_int_equal(c->cdw10, s->cdw10);
	assert_int_equal(c->cdw11, s->cdw11);
	if (s->error)
		return err_set(reterr, ERR_DEVICE, s->error, "scripted");
	if (s->data_len)
		memcpy(c->data, s->data, s->data_len < c->len ? s->data_len : c->len);
	c->status = s->nvme_status;
	c->result = s->result;
	return 0;
}

static inline void script_close(void *ctx)
{
	(void)ctx; /* the test's */
}

static const struct devio_ops script_scsi_ops = {
	.name = "script",
	.scsi = script_scsi,
	.close = script_close,
};

static const struct devio_ops script_nvme_ops = {
	.name = "script",
	.nvme_admin = script_nvme,
	.nvme_io = script_nvme,
	.close = script_close,
};

static inline struct devio script_open(struct script *s, bool nvme)
{
	struct devio io = {
		.ops = nvme ? &script_nvme_ops : &script_scsi_ops,
		.ctx = s,
		.nsid = nvme ? 1 : 0,
	};

	return io;
}

static inline void script_done(const struct script *s)
{
	assert_int_equal(s->at, s->count);
}

#endif
