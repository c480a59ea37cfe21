/* advise_steps.c - the commands that make the change, and those that take it back. */
#include "policies/advise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANY_ADMIN "any host with an admin keyring of the cluster"
#define CLIENT    "the host that runs the VM"
#define ANY_TIME  "at any time; takes effect when the image is opened next"
/* An image with a dirty log and the mode disabled does not open any more. */
#define CLOSED    "while the image is closed and its log is clean"

static void step(struct step *list, size_t *count, const char *command, const char *where,
	const char *when, const char *check)
{
	struct step *s;

	if (*count == ADVICE_STEPS)
		return;
	s = &list[(*count)++];
	snprintf(s->command, sizeof(s->command), "%s", command);
	snprintf(s->where, sizeof(s->where), "%s", where);
	snprintf(s->when, sizeof(s->when), "%s", when);
	snprintf(s->check, sizeof(s->check), "%s", check);
}

static void set_step(struct step *list, size_t *count, const char *image, const char *key,
	const char *value, const char *when)
{
	char command[320], check[320];

	/* An empty value cannot be set; it is what removal leaves. */
	if (value == NULL || value[0] == '\0') {
		snprintf(command, sizeof(command), "rbd config image remove %s %s", image, key);
		snprintf(check, sizeof(check), "rbd config image list %s | grep %s: the source is "
			"not 'image'", image, key);
	} else {
		snprintf(command, sizeof(command), "rbd config image set %s %s %s", image, key,
			value);
		snprintf(check, sizeof(check), "rbd config image get %s %s: %s", image, key, value);
	}
	step(list, count, command, ANY_ADMIN, when, check);
}

static void open_anew(struct step *list, size_t *count, const struct advise_input *in, bool pwl)
{
	char check[320];

	if (pwl)
		snprintf(check, sizeof(check), "rbd status %s: persistent cache state present, mode "
			"ssd; ssdqual run DIR in the guest", in->image);
	else
		snprintf(check, sizeof(check), "rbd status %s: a new watcher; ssdqual run DIR in the "
			"guest", in->image);
	step(list, count, "stop the VM, then start it", CLIENT, "in a maintenance window; a reboot "
		"inside the guest does not open the image anew", check);
}

/* drain_steps - PWL can only be left with a clean log: else the image does not open any more. */
static void drain_steps(struct step *list, size_t *count, const char *image)
{
	char command[320], check[320];

	snprintf(check, sizeof(check), "rbd status %s: no watcher", image);
	step(list, count, "stop the VM (close the image)", CLIENT, "in a maintenance window", check);
	snprintf(command, sizeof(command), "rbd persistent-cache flush %s", image);
	snprintf(check, sizeof(check), "rbd status %s: clean true, dirty 0 B; go no further "
		"otherwise", image);
	step(list, count, command, CLIENT, "after the image is closed", check);
}

size_t advise_lost_log(const struct advise_input *in, struct step *steps, size_t max)
{
	const struct rbd_status *s = in->status;
	char command[320], check[320], where[96];
	size_t n = 0;

	if (s == NULL || s->log == LOG_NONE || max < 3)
		return 0;
	snprintf(command, sizeof(command), "rbd status %s", in->image);
	step(steps, &n, command, ANY_ADMIN, "only when the log's device, or its host, is lost for "
		"good; while either can come back, wait, or flush the log there",
		"no watcher has the image open");
	snprintf(command, sizeof(command), "rbd persistent-cache invalidate %s", in->image);
	snprintf(where, sizeof(where), "%.40s, or a host with the plugin and the options",
		s->host[0] != '\0' ? s->host : "the log's host");
	if (isnan(s->dirty_bytes))
		snprintf(check, sizeof(check), "DATA LOSS: all that the log had and the cluster has "
			"not is gone; the image falls back to an older state");
	else
		snprintf(check, sizeof(check), "DATA LOSS: the %.0f dirty bytes of the log are gone, "
			"synced data too; the image falls back to an older state", s->dirty_bytes);
	step(steps, &n, command, where, "after that", check);
	step(steps, &n, "check the file system and the application", CLIENT, "before any use",
		"a Raft member (etcd) is removed from its cluster and added anew, never restarted");
	return n;
}

static bool is_pwl(const struct candidate *c)
{
	return c->set.mode >= CACHE_PWL_SSD;
}

static bool differs(const struct advise_case *c, const struct candidate *to, int k)
{
	return to->relevant[k] &&
		strcmp(to->config.opt[k].value, c->in->config.opt[k].value) != 0;
}

/* QEMU sets rbd_cache from the disk's cache mode: a candidate needs the mode that goes with it. */
static bool wants_qemu_cache(const struct advise_case *c, const struct candidate *to)
{
	return c->in->qemu != QEMU_CACHE_WRITEBACK && to->set.under != CACHE_NONE && !is_pwl(to);
}

static bool wants_no_qemu_cache(const struct advise_case *c, const struct candidate *to)
{
	return c->in->qemu != QEMU_CACHE_NONE && to->set.under == CACHE_NONE;
}

/* undo_qemu - the mode that was recorded, where it was changed. */
static void undo_qemu(const struct advise_case *c, struct advice *a, const struct candidate *to)
{
	char command[320];

	if (!wants_qemu_cache(c, to) && !wants_no_qemu_cache(c, to))
		return;
	if (c->in->qemu == QEMU_CACHE_UNKNOWN)
		snprintf(command, sizeof(command), "set the cache mode of the VM's disk back to what "
			"it was");
	else
		snprintf(command, sizeof(command), "set cache=%s on the VM's disk (QEMU, libvirt or "
			"Proxmox), as it was", qemu_cache_word(c->in->qemu));
	step(a->undo, &a->undo_count, command, CLIENT, "before the VM starts", "the VM's configuration "
		"as it was saved before");
}

static void add_apply(const struct advise_case *c, struct advice *a, const struct candidate *now,
	const struct candidate *to)
{
	const char *image = c->in->image;
	char command[320];

	if (is_pwl(now))
		drain_steps(a->apply, &a->apply_count, image);
	if (is_pwl(to)) {
		snprintf(command, sizeof(command), "rbd info %s", image);
		step(a->apply, &a->apply_count, command, ANY_ADMIN, "first", "the features hold "
			"exclusive-lock and not journaling; else rbd feature enable IMAGE "
			"exclusive-lock, or no PWL");
		if (c->in->info != NULL &&
		    rbd_info_feature(c->in->info, "exclusive-lock") == ANSWER_NO) {
			snprintf(command, sizeof(command), "rbd feature enable %s exclusive-lock",
				image);
			step(a->apply, &a->apply_count, command, ANY_ADMIN, "while the image is "
				"closed", "rbd info: exclusive-lock is among the features");
		}
		snprintf(command, sizeof(command), "mkdir -p %s",
			to->config.opt[OPTION_PWL_PATH].value);
		step(a->apply, &a->apply_count, command, CLIENT, "first",
			"findmnt -T on it names the SSD's own file system, not tmpfs");
		step(a->apply, &a->apply_count,
			"ls /usr/lib/*/ceph/librbd/libceph_librbd_pwl_cache.so*", CLIENT,
			"before any option is set; the path is another on other systems",
			"the plugin is there; without it the image does not open");
	}
	for (int k = 0; k < OPTION_COUNT; k++)
		if (differs(c, to, k))
			set_step(a->apply, &a->apply_count, image, option_name[k],
				to->config.opt[k].value, is_pwl(now) ? CLOSED : ANY_TIME);
	if (a->apply_count == 0)
		return;
	if (wants_qemu_cache(c, to))
		step(a->apply, &a->apply_count, "set cache=writeback on the VM's disk (QEMU, libvirt "
			"or Proxmox)", CLIENT, "before the VM starts", "QEMU sets rbd_cache from it; "
			"with cache=none the options above do nothing");
	if (wants_no_qemu_cache(c, to))
		step(a->apply, &a->apply_count, "set cache=none on the VM's disk (QEMU, libvirt or "
			"Proxmox)", CLIENT, "before the VM starts", "with cache=writeback QEMU turns "
			"rbd_cache on again");
	open_anew(a->apply, &a->apply_count, c->in, is_pwl(to));
}

static void add_undo(const struct advise_case *c, struct advice *a, const struct candidate *now,
	const struct candidate *to)
{
	const char *image = c->in->image;

	if (a->apply_count == 0)
		return;
	if (is_pwl(to))
		drain_steps(a->undo, &a->undo_count, image);
	for (int k = OPTION_COUNT - 1; k >= 0; k--) {
		const struct image_option *was = &c->in->config.opt[k];

		if (!differs(c, to, k))
			continue;
		set_step(a->undo, &a->undo_count, image, option_name[k],
			was->level == LEVEL_IMAGE ? was->value : NULL,
			is_pwl(to) ? CLOSED : ANY_TIME);
	}
	undo_qemu(c, a, to);
	open_anew(a->undo, &a->undo_count, c->in, is_pwl(now));
}

void advise_add_steps(const struct advise_case *c, struct advice *a)
{
	const struct candidate *now = advise_current(a), *to = &a->candidate[a->chosen];

	if (to == now)
		return;
	add_apply(c, a, now, to);
	add_undo(c, a, now, to);
}
