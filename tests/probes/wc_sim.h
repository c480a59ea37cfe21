/* wc_sim.h - a drive and a kernel that hold a write cache between them, watched at every step.
 *
 * The drive speaks ATA, SCSI or NVMe; the kernel is sd as Linux 6.1 has it: cache_type without
 * "temporary" sends MODE SELECT and then asks the drive again (revalidation), with it only sd's view
 * changes, and every revalidation sets the queue's flag anew. After every step, also inside sd's
 * two-step change, `unsafe` is set if the kernel is in write-through over a cache that is on.
 * Three faults are the kernel's own; with them only the end must be safe.
 * A fault is injected at the Nth step (commands, attribute reads and writes count alike).
 */
#ifndef SSDQUAL_TESTS_PROBES_WC_SIM_H
#define SSDQUAL_TESTS_PROBES_WC_SIM_H

#include "probes/writecache.h"
#include "tests/probes/cases.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum sim_kind { SIM_ATA, SIM_SCSI, SIM_SCSI_NO_SAVE, SIM_NVME, SIM_NO_SD, SIM_KINDS };
enum sim_fault {
	FAULT_NONE,
	FAULT_REFUSED,    /* the step fails and does nothing */
	FAULT_AFTERWARDS, /* it takes effect, then reports failure */
	FAULT_IGNORED,    /* a change is reported as done and does nothing */
	FAULT_GONE,       /* from this step on the drive answers nothing */
	FAULT_DEAF,       /* from this step on all changes of the drive are ignored */
	FAULT_STUCK,      /* from this step on all attribute writes fail */
	FAULT_UNSUPPORTED, /* from this step on the drive refuses changes with 5/26/00 or status 2 */
	/* The kernel itself errs, so that it is write-through over a cache that is on for a moment;
	 * what counts is that it is mended at the end. */
	FAULT_STALE,      /* from this step on sd takes the state before its change for the present */
	FAULT_BELIEVING,  /* from this step on sd's changes do nothing and sd believes that they did */
	FAULT_STALE_STUCK, /* the former once, and all later attribute writes fail */
	FAULT_COUNT
};

struct sim {
	enum sim_kind kind;
	bool on, saved, initial, rcd; /* the drive */
	bool sd_back, queue_back, override; /* the kernel */
	enum sim_fault fault;
	unsigned fault_at, step, changes;
	bool unsafe;
	char log[4096]; /* steps, for the message of a failed test */
};

static inline void sim_look(struct sim *s, const char *what)
{
	size_t used = strlen(s->log);

	if (s->on && !s->queue_back)
		s->unsafe = true;
	(void)snprintf(s->log + used, sizeof(s->log) - used, "\n  %u %s: drive %s, queue %s", s->step,
		what, s->on ? "on" : "off", s->queue_back ? "back" : "through");
}

static inline bool sim_now(const struct sim *s, enum sim_fault f)
{
	return s->fault == f && s->step == s->fault_at;
}

static inline bool sim_since(const struct sim *s, enum sim_fault f)
{
	return s->fault == f && s->step >= s->fault_at;
}

/* The drive is told to change: false: it does nothing. */
static inline bool sim_obeys(const struct sim *s)
{
	return !sim_now(s, FAULT_IGNORED) && !sim_now(s, FAULT_REFUSED) &&
		!sim_since(s, FAULT_DEAF) && !sim_since(s, FAULT_GONE) &&
		!sim_since(s, FAULT_UNSUPPORTED);
}

static inline void sim_change(struct sim *s, bool on, bool save)
{
	s->changes++;
	if (!sim_obeys(s))
		return;
	s->on = on;
	if (save)
		s->saved = on;
}

/* -- the drive ------------------------------------------------------------------------------ */

static inline void sim_identify(const struct sim *s, uint8_t *buf)
{
	uint8_t sum = 0;

	memcpy(buf, A11_identify, 512);
	buf[170] = (uint8_t)(s->on ? buf[170] | 0x20 : buf[170] & ~0x20); /* word 85 bit 5 */
	buf[511] = 0;
	for (int i = 0; i < 512; i++)
		sum = (uint8_t)(sum + buf[i]);
	buf[511] = (uint8_t)-sum;
}

static inline void sim_sense(struct devio_scsi *c, uint8_t asc)
{
	memset(c->sense, 0, 18);
	c->sense[0] = 0x70;
	c->sense[2] = 5;
	c->sense[7] = 10;
	c->sense[12] = asc;
	c->sense_len = 18;
	c->status = SCSI_CHECK_CONDITION;
}

static inline void sim_mode_sense(struct sim *s, struct devio_scsi *c)
{
	uint8_t page[28] = { 0, 26, [8] = 0x08, 0x12 };
	unsigned pc = c->cdb[2] >> 6;
	bool wce = pc == SCSI_PC_SAVED ? s->saved : pc == SCSI_PC_DEFAULT ? s->initial : s->on;

	if (s->kind != SIM_SCSI && pc == SCSI_PC_SAVED) {
		sim_sense(c, 0x39);
		return;
	}
	page[8] |= s->kind == SIM_SCSI ? 0x80 : 0;
	page[10] = (uint8_t)((wce ? 0x04 : 0) | (s->rcd ? 0x01 : 0));
	memcpy(c->data, page, sizeof(page));
	c->received = sizeof(page);
}

static inline int sim_scsi(void *ctx, struct devio_scsi *c, struct err *reterr)
{
	struct sim *s = ctx;
	const char *what = "command";

	s->step++;
	if (sim_since(s, FAULT_GONE))
		return err_set(reterr, ERR_DEVICE, -ENODEV, "simulated: gone");
	if (sim_now(s, FAULT_REFUSED))
		return err_set(reterr, ERR_DEVICE, -EIO, "simulated: refused");
	switch (c->cdb[0]) {
	case 0x12:
		memcpy((uint8_t *)c->data + 8, s->kind == SIM_ATA ? "ATA     " : "ACME    ", 8);
		((uint8_t *)c->data)[4] = 31;
		c->received = 36;
		break;
	case 0x5a:
		sim_mode_sense(s, c);
		break;
	case 0x55:
		what = "MODE SELECT";
		if (sim_since(s, FAULT_UNSUPPORTED))
			sim_sense(c, 0x26);
		sim_change(s, ((const uint8_t *)c->data)[10] & 4, c->cdb[1] & 1);
		break;
	case 0x85:
		if (s->kind != SIM_ATA) {
			sim_sense(c, 0x20);
		} else if (c->cdb[14] == 0xec) {
			sim_identify(s, c->data);
			c->received = 512;
		} else {
			what = "SET FEATURES";
			if (sim_since(s, FAULT_UNSUPPORTED))
				sim_sense(c, 0x26);
			sim_change(s, c->cdb[4] == 0x02, false);
		}
		break;
	default:
		sim_sense(c, 0x20);
	}
	sim_look(s, what);
	if (sim_now(s, FAULT_AFTERWARDS))
		return err_set(reterr, ERR_DEVICE, -EIO, "simulated: lost answer");
	return 0;
}

static inline int sim_nvme(void *ctx, struct devio_nvme *c, struct err *reterr)
{
	struct sim *s = ctx;

	s->step++;
	if (sim_since(s, FAULT_GONE))
		return err_set(reterr, ERR_DEVICE, -ENODEV, "simulated: gone");
	if (sim_now(s, FAULT_REFUSED))
		return err_set(reterr, ERR_DEVICE, -EIO, "simulated: refused");
	if (c->opcode == 0x06) {
		memset(c->data, ' ', 72);
		((uint8_t *)c->data)[525] = 1;
	} else if (c->opcode == 0x0a) {
		c->result = s->on;
	} else {
		if (sim_since(s, FAULT_UNSUPPORTED))
			c->status = 0x4002;
		sim_change(s, c->cdw11 & 1, false);
	}
	sim_look(s, c->opcode == 0x09 ? "Set Features" : "command");
	if (sim_now(s, FAULT_AFTERWARDS))
		return err_set(reterr, ERR_DEVICE, -EIO, "simulated: lost answer");
	return 0;
}

static inline void sim_close(void *ctx)
{
	(void)ctx; /* the test's */
}

static const struct devio_ops sim_scsi_ops = {
	.name = "simulated SCSI", .scsi = sim_scsi, .close = sim_close,
};
static const struct devio_ops sim_nvme_ops = {
	.name = "simulated NVMe", .nvme_admin = sim_nvme, .close = sim_close,
};

/* -- the kernel ----------------------------------------------------------------------------- */

static inline bool sim_has_sd(const struct sim *s)
{
	return s->kind != SIM_NVME && s->kind != SIM_NO_SD;
}

static inline int sim_read(void *ctx, enum wc_attr attr, char *buf, size_t size)
{
	struct sim *s = ctx;

	s->step++;
	if (sim_now(s, FAULT_REFUSED) || sim_now(s, FAULT_AFTERWARDS))
		return -EIO;
	switch (attr) {
	case WC_ATTR_CACHE_TYPE:
		if (!sim_has_sd(s))
			return -ENOENT;
		(void)snprintf(buf, size, "%s", s->sd_back ?
			(s->rcd ? "write back, no read (daft)" : "write back") :
			(s->rcd ? "none" : "write through"));
		return 0;
	case WC_ATTR_QUEUE:
		(void)snprintf(buf, size, "%s", s->queue_back ? "write back" : "write through");
		return 0;
	case WC_ATTR_FUA:
		(void)snprintf(buf, size, "0");
		return 0;
	case WC_ATTR_RESCAN:
	default:
		return -EACCES;
	}
}

/* sd asks the drive, unless its view is overridden or the drive is gone (it keeps its view). */
static inline void sim_revalidate(struct sim *s)
{
	if (!s->override && !sim_since(s, FAULT_GONE))
		s->sd_back = s->on;
	s->queue_back = s->sd_back;
}

static inline int sim_cache_type(struct sim *s, const char *text)
{
	bool temporary = strncmp(text, "temporary ", 10) == 0, was_on = s->on;
	bool back = strncmp(temporary ? text + 10 : text, "write back", 10) == 0;

	s->override = temporary;
	if (temporary) {
		s->sd_back = s->queue_back = back;
		return 0;
	}
	if (sim_since(s, FAULT_GONE) || sim_since(s, FAULT_UNSUPPORTED))
		return -EINVAL;
	if (!sim_since(s, FAULT_BELIEVING))
		sim_change(s, back, s->kind == SIM_SCSI);
	sim_look(s, "sd's MODE SELECT"); /* between the drive and the kernel */
	sim_revalidate(s);
	if (sim_since(s, FAULT_STALE) || sim_now(s, FAULT_STALE_STUCK))
		s->sd_back = s->queue_back = was_on;
	if (sim_since(s, FAULT_BELIEVING))
		s->sd_back = s->queue_back = back;
	return 0;
}

static inline int sim_write(void *ctx, enum wc_attr attr, const char *text)
{
	struct sim *s = ctx;
	char what[64];
	int rc = 0;

	s->step++;
	if (sim_now(s, FAULT_REFUSED) || sim_since(s, FAULT_STUCK) ||
	    (sim_since(s, FAULT_STALE_STUCK) && !sim_now(s, FAULT_STALE_STUCK)))
		return -EIO;
	/* sd's MODE SELECT may be ignored by the drive; sd then finds out (sim_change) */
	if (sim_now(s, FAULT_IGNORED) &&
	    (attr != WC_ATTR_CACHE_TYPE || strncmp(text, "temporary ", 10) == 0))
		return 0;
	if (attr == WC_ATTR_QUEUE)
		s->queue_back = strcmp(text, "write back") == 0;
	else if (!sim_has_sd(s))
		rc = -ENOENT;
	else if (attr == WC_ATTR_CACHE_TYPE)
		rc = sim_cache_type(s, text);
	else
		sim_revalidate(s);
	(void)snprintf(what, sizeof(what), "attribute %d = %.40s", attr, text);
	sim_look(s, what);
	return rc == 0 && sim_now(s, FAULT_AFTERWARDS) ? -EIO : rc;
}

static const struct wc_kernel_ops sim_kernel_ops = { .read = sim_read, .write = sim_write };

static inline struct devio sim_io(struct sim *s)
{
	struct devio io = {
		.ops = s->kind == SIM_NVME ? &sim_nvme_ops : &sim_scsi_ops,
		.ctx = s,
	};

	return io;
}

#endif
