/* safety.c - may this target be written? */
#include "probes/safety.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/safety_facts.h"
#include "probes/sig.h"

void safety_report_done(struct safety_report *r)
{
	if (!r)
		return;
	free(r->uses);
	free(r->signatures);
	free(r->shared);
	free(r->notes);
	memset(r, 0, sizeof(*r));
}

static int append_all(struct safety_report *rep, const struct safety_use *from, size_t count)
{
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = safety_use_add(&rep->uses, &rep->use_count, from[i].kind, from[i].name, "%s",
			from[i].detail);
	return r;
}

int safety_inspect_with(const struct safety_facts *f, const struct target *t,
	struct safety_report *ret, struct err *reterr)
{
	struct safety_report rep = { .use_count = 0 };
	int r = 0;

	if (t->kind == TARGET_BLOCK) {
		r = safety_judge_block(f, t, &rep);
		if (r == 0)
			r = sysroot_is_machine(&f->root) ? safety_judge_signatures(f, t, &rep) :
							   safety_judge_captured(f, t, &rep);
		if (r == 0)
			r = safety_judge_drives(f, t, &rep);
	} else if (t->kind == TARGET_FILE) {
		r = safety_judge_file(f, t, &rep);
	}
	if (r == 0 && t->kind != TARGET_DIR)
		r = append_all(&rep, f->unreadable, f->unreadable_count);
	/* A user that is known makes one that might be there worth no mention. */
	if (r == 0 && t->kind == TARGET_BLOCK && rep.use_count == 0)
		r = append_all(&rep, f->unseen, f->unseen_count);
	if (r < 0) {
		safety_report_done(&rep);
		return r == -ENOMEM ? err_nomem(reterr) :
				      err_set(reterr, ERR_INTERNAL, r, "%s: %s", t->given,
					      strerror(-r));
	}
	*ret = rep;
	return 0;
}

/* Where mount tables could not be read, the kernel is asked: a mount, swap or holder anywhere claims
 * the device, so an exclusive open that succeeds says that there is none. It does not speak for
 * other paths to the same drive. Asked only then, since it keeps others out for its moment. */
static int prove_free(const struct safety_facts *f, const struct target *t,
	struct safety_report *rep, struct err *reterr)
{
	int fd;

	if (f->unseen_count == 0 || rep->use_count != f->unseen_count ||
		strcmp(rep->uses[0].name, f->unseen[0].name) != 0 || safety_has_twin(f, t))
		return 0; /* there are other reasons, or none */
	fd = safety_open_node(t->path, t->rdev, O_EXCL);
	if (fd < 0 && fd != -EBUSY)
		return 0;
	rep->use_count = 0;
	if (fd >= 0) {
		(void)close(fd); /* nothing was written */
		return 0;
	}
	if (safety_use_add(&rep->uses, &rep->use_count, "unreadable", t->sysname,
			"is in use; the user is not visible from here") < 0)
		return err_nomem(reterr);
	return 0;
}

int safety_inspect(const struct sysroot *root, const struct target *t, struct safety_report *ret,
	struct err *reterr)
{
	struct safety_facts *f;
	int r = safety_facts_new(root, &f, reterr);

	if (r < 0)
		return r;
	r = safety_inspect_with(f, t, ret, reterr);
	if (r == 0 && t->kind == TARGET_BLOCK && sysroot_is_machine(root))
		r = prove_free(f, t, ret, reterr);
	safety_facts_free(f);
	return r;
}

static void append_json(struct json *arr, const struct safety_use *uses, size_t count, int *r)
{
	for (size_t i = 0; i < count && *r == 0; i++) {
		struct json *o = json_new_object();

		(void)json_set_str(o, "kind", uses[i].kind);
		(void)json_set_str(o, "name", uses[i].name);
		(void)json_set_str(o, "detail", uses[i].detail);
		*r = json_append(arr, o);
	}
}

struct json *safety_to_json(const struct safety_report *r)
{
	struct json *arr = json_new_array();
	int failed = arr ? 0 : -ENOMEM;

	append_json(arr, r->uses, r->use_count, &failed);
	append_json(arr, r->signatures, r->signature_count, &failed);
	if (failed < 0) {
		json_free(arr);
		return NULL;
	}
	return arr;
}

const char *safety_token(const struct target *t)
{
	return t->kind == TARGET_BLOCK && t->token ? t->token : t->path;
}

static bool is_confirmed(const struct target *t, const char *confirm)
{
	const char *token = safety_token(t);

	if (strcmp(confirm, token) == 0)
		return true;
	/* Where a path is asked for, the one that was typed as the target says the same. */
	return strcmp(token, t->path) == 0 && strcmp(confirm, t->given) == 0;
}

/* "sda2 mounted on /", "sde: holder dm-5 (...)", "swap sdg2 in use as swap space". */
static int refuse_use(const struct target *t, const struct safety_use *use, size_t more,
	const char *remedy, struct err *reterr)
{
	bool swap = strcmp(use->kind, "swap") == 0;
	bool noun = strcmp(use->kind, "signature") == 0 || strncmp(use->detail, "holder ", 7) == 0;
	char rest[64] = "";

	if (more > 0)
		(void)snprintf(rest, sizeof(rest), " (and %zu more reason%s)", more,
			more == 1 ? "" : "s"); /* fits */
	return err_set(reterr, ERR_REFUSED, -EPERM, "%s: %s%s%s %s%s%s", t->given,
		swap ? "swap " : "", use->name, noun ? ":" : "", use->detail, rest, remedy);
}

static int decide_consent(const struct target *t, const struct safety_consent *c,
	struct err *reterr)
{
	char why[sizeof(t->token_why) + 4] = "";

	if (t->token_why[0])
		(void)snprintf(why, sizeof(why), " (%s)", t->token_why); /* sized to fit */
	if (!c->destroy_data)
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: its data would be overwritten; to allow that: --destroy-data --confirm "
			"'%s'%s", t->given, safety_token(t), why);
	if (!c->confirm)
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: not confirmed; repeat with --confirm '%s'%s", t->given,
			safety_token(t), why);
	if (!is_confirmed(t, c->confirm))
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: --confirm '%s' does not name it; '%s' does%s", t->given, c->confirm,
			safety_token(t), why);
	return 0;
}

int safety_decide(const struct target *t, const struct safety_report *r,
	const struct safety_consent *c, struct err *reterr)
{
	if (t->kind == TARGET_DIR)
		return 0;
	if (r->use_count > 0)
		return refuse_use(t, &r->uses[0], r->use_count - 1, "", reterr);
	if (r->signature_count > 0 && !c->wipe_signatures)
		return refuse_use(t, &r->signatures[0], r->signature_count - 1,
			"; --wipe-signatures erases it", reterr);
	if (r->shared_count > 0 && !c->shared_lun)
		return refuse_use(t, &r->shared[0], r->shared_count - 1,
			"; when none of them uses it: --shared-lun", reterr);
	return decide_consent(t, c, reterr);
}

int safety_wipe_signatures(const struct target *t, int fd, struct err *reterr)
{
	static const struct sysroot machine = { .prefix = "" };
	struct sysfs_names parts;
	uint64_t offset, size;
	int r;

	if (t->kind != TARGET_BLOCK)
		return err_set(reterr, ERR_INTERNAL, -EINVAL,
			"%s: only block devices have signatures", t->given);
	r = sysfs_block_partitions(&machine, t->sysname, &parts);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "%s: cannot list its partitions: %s",
			t->given, strerror(-r));
	/* What lies in the partitions goes first, while it is still known where they are. */
	for (size_t i = 0; i < parts.count && r == 0; i++) {
		r = safety_partition_span(&machine, t->sysname, parts.name[i], &offset, &size);
		if (r < 0)
			r = err_set(reterr, ERR_DEVICE, r, "%s: cannot be located: %s",
				parts.name[i], strerror(-r));
		else if (size > 0)
			r = sig_wipe(fd, offset, size, reterr);
	}
	sysfs_names_done(&parts);
	if (r == 0)
		r = sig_wipe(fd, 0, t->size_bytes, reterr);
	if (r < 0)
		(void)err_prefix(reterr, "%s", t->given);
	return r;
}
