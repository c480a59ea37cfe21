/* writecache_set.c - changes the cache in the one safe order, and proves each step by reading.
 *
 * Safe states: kernel in write back, or drive proven off. Every function below starts and ends in
 * one of them; where a reading fails in between, the kernel is put back to write back.
 */
#include "probes/writecache.h"

#include "probes/writecache_drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int kernel_write(const struct wc_dev *d, enum wc_attr attr, const char *text)
{
	return d->kernel ? d->kernel->write(d->kernel_ctx, attr, text) : -ENOENT;
}

/* sd's words carry the read cache's state, too; it is left as the drive has it. */
static const char *cache_type_text(bool on, bool rcd)
{
	if (on)
		return rcd ? "write back, no read (daft)" : "write back";
	return rcd ? "none" : "write through";
}

static int write_temporary(const struct wc_dev *d, const struct wc_state *s, bool on)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "temporary %s", cache_type_text(on, s->rcd)); /* fits */
	return kernel_write(d, WC_ATTR_CACHE_TYPE, text);
}

static bool kernel_is(const struct wc_state *s, enum wc_kernel want)
{
	return s->queue == want && (s->cache_type == want || s->cache_type == WC_KERNEL_UNKNOWN);
}

/* The kernel sends flushes from here on, whatever the drive does: 0, or it refuses (-errno).
 * "temporary" changes sd's view without a word to the drive. */
static int kernel_to_back(const struct wc_dev *d, struct wc_state *s, struct err *reterr)
{
	if (!d->kernel)
		return 0; /* only answers are replayed: there is no kernel to protect */
	wc_read_kernel(d, s);
	if (s->cache_type != WC_KERNEL_UNKNOWN && !kernel_is(s, WC_KERNEL_BACK)) {
		(void)write_temporary(d, s, true); /* what counts is read below */
		wc_read_kernel(d, s);
	}
	if (s->queue != WC_KERNEL_BACK) {
		(void)kernel_write(d, WC_ATTR_QUEUE, "write back"); /* as above */
		wc_read_kernel(d, s);
	}
	if (s->queue == WC_KERNEL_BACK)
		return 0;
	return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
		"the kernel does not go to write back (queue/write_cache reads \"%s\"); the cache "
		"stays off: without flushes a power loss would lose acknowledged writes",
		wc_kernel_word(s->queue) ? wc_kernel_word(s->queue) : "unknown");
}

/* Make the kernel agree with a drive that was just read as off. Never through queue/write_cache.
 * A kernel that does not follow keeps sending flushes, which is safe. */
static void kernel_to_through(const struct wc_dev *d, struct wc_state *s)
{
	wc_read_kernel(d, s);
	if (s->drive != WC_DRIVE_OFF || s->cache_type == WC_KERNEL_UNKNOWN)
		return;
	if (!kernel_is(s, WC_KERNEL_THROUGH)) {
		(void)kernel_write(d, WC_ATTR_RESCAN, "1"); /* what counts is read below */
		wc_read_kernel(d, s);
	}
	if (!kernel_is(s, WC_KERNEL_THROUGH)) {
		(void)write_temporary(d, s, false); /* as above */
		wc_read_kernel(d, s);
	}
}

/* The way out of every failure: with a drive that is not proven off, the kernel must send flushes;
 * if it will not, the drive goes off. */
static void leave_safe(const struct wc_dev *d, struct wc_state *s)
{
	enum wc_method method = s->method;

	if (wc_read_drive(d, s, NULL) < 0)
		s->drive = WC_DRIVE_UNKNOWN;
	if (s->method == WC_BY_NOTHING)
		s->method = method; /* the drive does not answer now; how to speak to it is known */
	wc_read_kernel(d, s);
	if (s->drive == WC_DRIVE_OFF || s->queue == WC_KERNEL_BACK)
		return;
	if (kernel_to_back(d, s, NULL) == 0)
		return;
	(void)wc_command(d, s, false, false, NULL); /* the last resort: nothing is left to do */
	(void)wc_read_drive(d, s, NULL); /* for the report */
}

/* One attempt to bring the drive to @on: through sd where it has the attribute, which keeps its
 * view and the drive together, else (or where sd fails) by command. @s is read back. */
static int drive_to(const struct wc_dev *d, struct wc_state *s, bool on, struct err *reterr)
{
	enum wc_drive want = on ? WC_DRIVE_ON : WC_DRIVE_OFF;
	enum wc_method method = s->method;
	int by_sd = -ENOENT, rc = 0;

	if (s->cache_type != WC_KERNEL_UNKNOWN && method != WC_BY_NVME) {
		by_sd = kernel_write(d, WC_ATTR_CACHE_TYPE, cache_type_text(on, s->rcd));
		rc = wc_read_drive(d, s, reterr);
		if (rc < 0)
			return rc;
	}
	/* sd's MODE SELECT was accepted and did nothing: the same by hand would do no more, but ATA
	 * has a command of its own. */
	if (s->drive != want && (by_sd < 0 || method == WC_BY_ATA)) {
		s->method = method;
		if (on) {
			rc = kernel_to_back(d, s, reterr);
			if (rc < 0)
				return rc;
		}
		rc = wc_command(d, s, on, s->saveable, reterr);
		if (wc_read_drive(d, s, NULL) < 0)
			return err_nomem(reterr);
	}
	if (s->drive == want)
		return 0;
	if (rc < 0) {
		(void)err_prefix(reterr, "write cache %s: not changed", on ? "on" : "off");
		return rc; /* not err_prefix()'s 0 of a caller who wants no text */
	}
	if (s->drive == WC_DRIVE_UNKNOWN)
		return err_set(reterr, ERR_DEVICE, -EIO,
			"write cache %s: cannot be read back: %s", on ? "on" : "off", s->why);
	return err_set(reterr, ERR_DEVICE, -EIO,
		"write cache: asked %s, the device accepted the command but reads %s; failed",
		on ? "on" : "off", wc_drive_word(s->drive));
}

/* Reasons not to begin: 0 go on, 1 nothing to do, <0 refused. */
static int may_set(const struct wc_state *s, bool on, struct err *reterr)
{
	switch (s->drive) {
	case WC_DRIVE_NONE:
		if (!on)
			return 1;
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"write cache on: %s; unsupported by this drive", s->why);
	case WC_DRIVE_UNSUPPORTED:
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"write cache: not supported: %s", s->why);
	case WC_DRIVE_UNKNOWN:
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"write cache: state unknown, so a change could not be proven: %s", s->why);
	case WC_DRIVE_ON:
	case WC_DRIVE_OFF:
	default:
		return 0;
	}
}

static int set_off(const struct wc_dev *d, struct wc_state *s, struct err *reterr)
{
	bool was_off = s->drive == WC_DRIVE_OFF;
	int rc = 0;

	if (was_off && (s->cache_type == WC_KERNEL_UNKNOWN || kernel_is(s, WC_KERNEL_THROUGH)))
		return 1;
	if (was_off) /* sd's own way first: it makes the kernel agree for good */
		(void)kernel_write(d, WC_ATTR_CACHE_TYPE, cache_type_text(false, s->rcd));
	else
		rc = drive_to(d, s, false, reterr);
	if (rc == 0 && was_off) {
		rc = wc_read_drive(d, s, reterr);
		if (rc == 0 && s->drive != WC_DRIVE_OFF)
			rc = err_set(reterr, ERR_DEVICE, -EIO,
				"write cache off: the drive no longer reads off");
	}
	if (rc == 0)
		kernel_to_through(d, s);
	return rc;
}

static int set_on(const struct wc_dev *d, struct wc_state *s, struct err *reterr)
{
	bool was_through = s->cache_type == WC_KERNEL_THROUGH;
	int rc;

	if (s->drive == WC_DRIVE_ON && (kernel_is(s, WC_KERNEL_BACK) || !d->kernel))
		return 1;
	rc = kernel_to_back(d, s, reterr);
	if (rc == 0 && s->drive != WC_DRIVE_ON)
		rc = drive_to(d, s, true, reterr);
	if (rc == 0) {
		/* sd asked the drive again meanwhile: its answer must still be write back. */
		rc = kernel_to_back(d, s, reterr);
	} else if (was_through && wc_read_drive(d, s, NULL) == 0) {
		kernel_to_through(d, s); /* as it was; does nothing unless the drive reads off */
	}
	return rc;
}

int wc_set(const struct wc_dev *d, bool on, struct wc_state *ret_after, struct err *reterr)
{
	struct wc_state s;
	int rc = wc_read(d, &s, reterr);

	if (rc < 0)
		return rc;
	rc = may_set(&s, on, reterr);
	if (rc == 0) {
		rc = on ? set_on(d, &s, reterr) : set_off(d, &s, reterr);
		if (rc < 0)
			leave_safe(d, &s);
	}
	if (ret_after)
		*ret_after = s;
	return rc;
}

/* -- restoring ------------------------------------------------------------------------------ */

static enum fact wanted(enum wc_drive d)
{
	return fact_of(d == WC_DRIVE_ON);
}

/* MODE SELECT by hand: sd's attribute would save the current value as well. The saved value comes
 * first, because saving also sets the current one. */
static int restore_values(const struct wc_dev *d, struct wc_state *s,
	const struct wc_state *before, struct err *reterr)
{
	bool on = before->drive == WC_DRIVE_ON;
	bool saved_differs = before->saved != FACT_UNKNOWN && s->saved != before->saved;
	int rc = 0;

	if (before->saved == FACT_UNKNOWN || !before->saveable) {
		if (s->drive == before->drive)
			return 0;
		return drive_to(d, s, on, reterr);
	}
	if (saved_differs) {
		rc = wc_command(d, s, before->saved == FACT_YES, true, reterr);
		if (rc == 0)
			rc = wc_read_drive(d, s, reterr);
	}
	if (rc == 0 && s->drive != before->drive) {
		rc = wc_command(d, s, on, false, reterr);
		if (rc == 0)
			rc = wc_read_drive(d, s, reterr);
	}
	if (rc < 0)
		return rc;
	if (s->drive != before->drive || s->saved != before->saved)
		return err_set(reterr, ERR_DEVICE, -EIO,
			"write cache not restored: now %s (saved %s), recorded %s (saved %s)",
			wc_drive_word(s->drive) ? wc_drive_word(s->drive) : "unknown",
			s->saved == FACT_YES ? "on" : s->saved == FACT_NO ? "off" : "unknown",
			wc_drive_word(before->drive), before->saved == FACT_YES ? "on" : "off");
	return 0;
}

/* The kernel's view as recorded, as far as it is safe. Returns 0, or 1: left in write back. */
static int restore_kernel(const struct wc_dev *d, struct wc_state *s,
	const struct wc_state *before)
{
	wc_read_kernel(d, s);
	if (before->queue == WC_KERNEL_THROUGH && s->drive == WC_DRIVE_OFF)
		kernel_to_through(d, s);
	else if (before->queue == WC_KERNEL_BACK)
		(void)kernel_to_back(d, s, NULL); /* read below */
	return before->queue == s->queue ? 0 : 1;
}

int wc_restore(const struct wc_dev *d, const struct wc_state *before, struct wc_state *ret_after,
	struct err *reterr)
{
	struct wc_state s;
	bool touches_on;
	int rc = wc_read(d, &s, reterr);

	if (rc < 0)
		return rc;
	if (before->drive != WC_DRIVE_ON && before->drive != WC_DRIVE_OFF) {
		if (ret_after)
			*ret_after = s;
		return 0; /* nothing was changed: wc_set() refuses these */
	}
	rc = may_set(&s, before->drive == WC_DRIVE_ON, reterr);
	/* The drive is on at the end, or for a moment while its saved value is written. */
	touches_on = before->drive == WC_DRIVE_ON ||
		(before->saved == FACT_YES && s.saved != FACT_YES);
	if (rc == 0 && (touches_on || s.drive == WC_DRIVE_ON))
		rc = kernel_to_back(d, &s, reterr);
	if (rc == 0)
		rc = restore_values(d, &s, before, reterr);
	if (rc == 0 && wanted(s.drive) != wanted(before->drive))
		rc = err_set(reterr, ERR_DEVICE, -EIO, "write cache not restored: reads %s",
			wc_drive_word(s.drive) ? wc_drive_word(s.drive) : "unknown");
	if (rc < 0)
		leave_safe(d, &s);
	else
		rc = restore_kernel(d, &s, before);
	if (rc >= 0 && s.drive == WC_DRIVE_ON && d->kernel && s.queue != WC_KERNEL_BACK) {
		rc = err_set(reterr, ERR_DEVICE, -EIO,
			"write cache restored to on, but the kernel cannot be read in write back");
		leave_safe(d, &s);
	}
	if (ret_after)
		*ret_after = s;
	return rc;
}
