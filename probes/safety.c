/* safety.c - may this target be written? */
#include "probes/safety.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/safety_facts.h"
#include "probes/sig.h"

void safety_report_done(struct safety_report *r)
{
	if (!r)
		return;
	free(r->uses);
	free(r->signatures);
	memset(r, 0, sizeof(*r));
}

static int add_signatures(struct safety_use **list, size_t *count, const char *name, int fd,
	uint64_t offset, uint64_t size, bool tables, struct err *reterr)
{
	struct sig *sigs = NULL;
	size_t n = 0;
	int r = sig_probe(fd, offset, size, &sigs, &n, reterr);

	for (size_t i = 0; i < n && r == 0; i++) {
		const char *label = sigs[i].label;

		if (sigs[i].table && !tables)
			continue;
		r = safety_use_add(list, count, "signature", name, "%s %s%s%s",
			sigs[i].type, sigs[i].table ? "partition table" : "signature",
			label[0] ? ", label " : "", label);
	}
	free(sigs);
	return r;
}

/* Where a partition lies on its disk, bytes. */
static int partition_span(const struct sysroot *root, const char *disk, const char *part,
	uint64_t *ret_offset, uint64_t *ret_size)
{
	uint64_t start, size;
	int r;

	r = sysfs_read_u64(root, &start, "/sys/block/%s/%s/start", disk, part);
	if (r == 0)
		r = sysfs_read_u64(root, &size, "/sys/block/%s/%s/size", disk, part);
	if (r < 0)
		return r;
	*ret_offset = start * 512;
	*ret_size = size * 512;
	return 0;
}

/* Opened for reading only, and checked to be the device that was resolved. */
static int open_node(const char *path, dev_t rdev, int flags)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | flags), r = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		r = -errno;
	else if (!S_ISBLK(st.st_mode) || st.st_rdev != rdev)
		r = -ESTALE;
	if (r < 0)
		(void)close(fd); /* nothing was read */
	return r < 0 ? r : fd;
}

static int inspect_spans(const struct sysroot *root, const struct target *t, int fd,
	struct safety_report *rep, struct err *reterr)
{
	struct sysfs_names parts;
	uint64_t offset, size;
	int r;

	r = add_signatures(&rep->signatures, &rep->signature_count, t->sysname, fd, 0,
		t->size_bytes, true, reterr);
	if (r == 0)
		r = sysfs_block_partitions(root, t->sysname, &parts);
	if (r < 0)
		return r;
	for (size_t i = 0; i < parts.count && r == 0; i++) {
		r = partition_span(root, t->sysname, parts.name[i], &offset, &size);
		if (r == 0 && size > 0)
			r = add_signatures(&rep->signatures, &rep->signature_count, parts.name[i],
				fd, offset, size, true, reterr);
	}
	sysfs_names_done(&parts);
	return r;
}

/* A disk with partitions may itself be a member of something (firmware RAID keeps its data at the
 * end): nothing that a test of one partition may override. */
static int inspect_parent(const struct sysroot *root, const struct target *t,
	struct safety_report *rep, struct err *reterr)
{
	char parent[SYSFS_NAME_MAX], path[SYSFS_NAME_MAX + 8];
	uint64_t sectors;
	dev_t number;
	int fd, r;

	if (sysfs_block_parent(root, t->sysname, parent, sizeof(parent)) < 0)
		return 0;
	r = sysfs_block_number(root, parent, &number);
	if (r == 0)
		r = sysfs_read_u64(root, &sectors, "/sys/block/%s/size", parent);
	if (r < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/dev/%s", parent); /* fits */
	sysfs_name_to_node(path);
	fd = open_node(path, number, 0);
	if (fd < 0)
		return fd;
	r = add_signatures(&rep->uses, &rep->use_count, parent, fd, 0, sectors * 512, false,
		reterr);
	(void)close(fd); /* opened for reading */
	return r;
}

static int inspect_signatures(const struct sysroot *root, const struct target *t,
	struct safety_report *rep)
{
	struct err why = ERR_INIT;
	int fd, r;

	fd = open_node(t->path, t->rdev, 0);
	r = fd < 0 ? fd : inspect_spans(root, t, fd, rep, &why);
	if (fd >= 0)
		(void)close(fd); /* opened for reading */
	if (r == 0)
		r = inspect_parent(root, t, rep, &why);
	if (r == 0 || r == -ENOMEM)
		return r;
	return safety_use_add(&rep->uses, &rep->use_count, "unreadable", t->sysname,
		"its signatures cannot be read (%s)%s", strerror(-r),
		(r == -EACCES || r == -EPERM) && geteuid() != 0 ? "; run as root" : "");
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
		if (r == 0 && sysroot_is_machine(&f->root))
			r = inspect_signatures(&f->root, t, &rep);
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
	fd = open_node(t->path, t->rdev, O_EXCL);
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
	const char *token = json_str(json_get(t->identity, "serial")), *slash;

	if (t->kind != TARGET_BLOCK)
		return t->path;
	if (token && token[0])
		return token;
	token = json_str(json_get(t->identity, "by_id"));
	if (!token || !token[0])
		return t->path;
	slash = strrchr(token, '/');
	return slash ? slash + 1 : token;
}

static bool is_confirmed(const struct target *t, const char *confirm)
{
	const char *token = safety_token(t);

	if (strcmp(confirm, token) == 0)
		return true;
	/* Where a path is asked for, the one that was typed as the target says the same. */
	return token == t->path && strcmp(confirm, t->given) == 0;
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
	if (!c->destroy_data)
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: its data would be overwritten; to allow that: --destroy-data --confirm "
			"'%s'", t->given, safety_token(t));
	if (!c->confirm)
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: not confirmed; repeat with --confirm '%s'", t->given,
			safety_token(t));
	if (!is_confirmed(t, c->confirm))
		return err_set(reterr, ERR_REFUSED, -EPERM,
			"%s: --confirm '%s' does not name it; its %s is '%s'", t->given, c->confirm,
			safety_token(t) == t->path ? "path" : "serial or by-id name",
			safety_token(t));
	return 0;
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
		r = partition_span(&machine, t->sysname, parts.name[i], &offset, &size);
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
