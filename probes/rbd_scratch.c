/* rbd_scratch.c - images of our own to measure on, and what is left of them after a crash. */
#include "probes/rbd_scratch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define OWNER_KEY "ssdqual.owner"
#define OWNER_MAX 128
#define REMOVE_TRIES 20 /* a watch that is being closed may take a moment */
#define REMOVE_NAP_US 100000

/* -- who made it ---------------------------------------------------------------------------- */

static void boot_id(char *buf, size_t len)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	(void)snprintf(buf, len, "unknown");
	if (f) {
		if (fgets(buf, (int)len, f))
			buf[strcspn(buf, "\n")] = '\0';
		(void)fclose(f); /* only read */
	}
}

/* When process @pid began, in ticks since boot (proc(5), field 22 of stat). 0: there is none. */
static unsigned long long start_time(long pid)
{
	char path[48], line[1024], *p;
	unsigned long long ticks = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f)) {
		p = strrchr(line, ')'); /* the name may hold anything */
		for (int field = 2; p && field < 22; field++)
			p = strchr(p + 1, ' ');
		if (p)
			ticks = strtoull(p, NULL, 10);
	}
	(void)fclose(f); /* only read */
	return ticks;
}

static void owner_here(char *buf, size_t len)
{
	char boot[64];

	boot_id(boot, sizeof(boot));
	(void)snprintf(buf, len, "%s %ld %llu", boot, (long)getpid(), start_time(getpid()));
}

enum maker { MAKER_UNKNOWN, MAKER_DEAD, MAKER_ALIVE };

static enum maker maker_of(const char *owner)
{
	char here[64], *end;
	unsigned long long began;
	size_t boot = strcspn(owner, " ");
	long pid;

	boot_id(here, sizeof(here));
	if (boot != strlen(here) || strncmp(owner, here, boot) != 0 || owner[boot] != ' ')
		return MAKER_UNKNOWN; /* another host, or before a reboot of this one */
	pid = strtol(owner + boot, &end, 10);
	began = strtoull(end, &end, 10);
	if (pid <= 0 || *end != '\0')
		return MAKER_UNKNOWN;
	return began && start_time(pid) == began ? MAKER_ALIVE : MAKER_DEAD;
}

/* -- making and removing -------------------------------------------------------------------- */

static int set_options(const struct rbd_lib *lib, void *opts, const struct rbd_facts *like)
{
	uint64_t features;
	int r = lib->rbd_image_options_set_uint64(opts, RBD_LIB_FORMAT, 2);

	if (!like)
		return r;
	features = like->features & (RBD_FEATURE_LAYERING | RBD_FEATURE_STRIPING |
		RBD_FEATURE_LOCK | RBD_FEATURE_MAP | RBD_FEATURE_DIFF | RBD_FEATURE_FLATTEN |
		RBD_FEATURE_DATA_POOL);
	r = r < 0 ? r : lib->rbd_image_options_set_uint64(opts, RBD_LIB_FEATURES, features);
	r = r < 0 ? r : lib->rbd_image_options_set_uint64(opts, RBD_LIB_ORDER, like->order);
	if (features & RBD_FEATURE_STRIPING) {
		r = r < 0 ? r : lib->rbd_image_options_set_uint64(opts, RBD_LIB_STRIPE_UNIT,
			like->stripe_unit);
		r = r < 0 ? r : lib->rbd_image_options_set_uint64(opts, RBD_LIB_STRIPE_COUNT,
			like->stripe_count);
	}
	if (like->data_pool[0])
		r = r < 0 ? r : lib->rbd_image_options_set_string(opts, RBD_LIB_DATA_POOL,
			like->data_pool);
	return r;
}

int rbd_scratch_create(const struct rbd_conn *c, const struct rbd_spec *s,
	const struct rbd_facts *like, uint64_t bytes, struct rbd_scratch *ret, struct err *reterr)
{
	struct rbd_scratch scratch = { .spec = *s };
	uint64_t random = 0;
	void *io = NULL, *opts = NULL;
	int r;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
	(void)snprintf(scratch.name, sizeof(scratch.name), RBD_SCRATCH_PREFIX "%016" PRIx64, random);
	r = rbd_conn_io(c, s, &io, reterr);
	if (r < 0)
		return r;
	c->lib->rbd_image_options_create(&opts);
	r = set_options(c->lib, opts, like);
	/* From here on it may exist, whatever comes back. */
	if (r == 0) {
		*ret = scratch;
		r = c->lib->rbd_create4(io, scratch.name, bytes, opts);
	}
	c->lib->rbd_image_options_destroy(opts);
	c->lib->rados_ioctx_destroy(io);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "scratch image in pool %s: %s%s", s->pool,
			strerror(-r), r == -EPERM || r == -EACCES ?
			"; the client needs the caps of profile rbd there" : "");
	return 0;
}

int rbd_scratch_sign(const struct rbd_image *i)
{
	char owner[OWNER_MAX];

	owner_here(owner, sizeof(owner));
	return rbd_image_lib(i)->rbd_metadata_set(rbd_image_handle(i), OWNER_KEY, owner);
}

static int remove_named(const struct rbd_conn *c, const struct rbd_spec *s, const char *name)
{
	struct err ignored = ERR_INIT;
	void *io = NULL;
	int r = rbd_conn_io(c, s, &io, &ignored);

	if (r < 0)
		return r;
	for (int i = 0; i < REMOVE_TRIES; i++) {
		r = c->lib->rbd_remove(io, name);
		if (r != -EBUSY)
			break;
		(void)usleep(REMOVE_NAP_US); /* shortened by a signal: one try more */
	}
	c->lib->rados_ioctx_destroy(io);
	return r == -ENOENT ? 0 : r;
}

int rbd_scratch_remove(const struct rbd_conn *c, struct rbd_scratch *s, struct err *reterr)
{
	char text[3 * RBD_WORD_MAX];
	int r;

	if (!s->name[0])
		return 0;
	r = remove_named(c, &s->spec, s->name);
	if (r < 0)
		return err_set(reterr, ERR_DEVICE, r, "scratch image %s could not be removed: %s; "
			"remove it with: rbd rm %s", s->name, strerror(-r),
			rbd_spec_text(&s->spec, s->name, text, sizeof(text)));
	s->name[0] = '\0';
	return 0;
}

/* -- leftovers ------------------------------------------------------------------------------ */

/* Why the image is left alone; NULL: it may go. */
static const char *reason_to_keep(const struct rbd_conn *c, const struct rbd_image *i)
{
	char owner[OWNER_MAX] = "";
	size_t len = sizeof(owner) - 1;
	struct rbd_facts facts;
	struct timespec made = { .tv_sec = 0 };
	enum maker maker = MAKER_UNKNOWN;

	if (c->lib->rbd_metadata_get(rbd_image_handle(i), OWNER_KEY, owner, &len) >= 0)
		maker = maker_of(owner);
	if (maker == MAKER_ALIVE)
		return "another run on this host uses it";
	if (rbd_image_ask(c, i, &facts, NULL) < 0)
		return "its header cannot be read";
	if (facts.snapshots || facts.children)
		return "it has snapshots or clones, which no run of ours makes";
	if (facts.watchers)
		return maker == MAKER_DEAD ? "the run that made it was killed, but the cluster "
			"keeps its watch for about 30 s; the next run removes it" :
			"somebody has it open, perhaps a run on another host";
	if (maker == MAKER_DEAD)
		return NULL;
	if (c->lib->rbd_get_create_timestamp(rbd_image_handle(i), &made) < 0 ||
		time(NULL) - made.tv_sec < RBD_SCRATCH_OLD_S)
		return "it is younger than an hour, and its maker is not of this host";
	return NULL;
}

static int look_at(const struct rbd_conn *c, const struct rbd_spec *s, const char *name,
	struct json *list)
{
	struct rbd_image *i = NULL;
	struct json *item;
	const char *why = "it cannot be opened";
	bool gone = false;
	int r;

	r = rbd_image_open(c, s, name, true, &i, NULL);
	if (r == -ENOENT)
		return 0; /* its run ended meanwhile */
	if (r == 0) {
		why = reason_to_keep(c, i);
		(void)rbd_image_close(i); /* nobody else holds it */
	}
	if (!why) {
		gone = remove_named(c, s, name) == 0;
		why = gone ? "the run that made it is over, and nobody has it open" :
			     "it could not be removed";
	}
	item = json_new_object();
	r = json_set_str(item, "name", name);
	r |= json_set_bool(item, "removed", gone);
	r |= json_set_str(item, "why", why);
	r |= json_append(list, item);
	return r ? -ENOMEM : 0;
}

int rbd_scratch_leftovers(const struct rbd_conn *c, const struct rbd_spec *s, struct json **ret,
	struct err *reterr)
{
	struct rbd_lib_spec *images = NULL;
	struct json *list = json_new_array();
	size_t n = 0;
	void *io = NULL;
	int r = rbd_conn_io(c, s, &io, reterr);

	if (r < 0) {
		json_free(list);
		return r;
	}
	do {
		free(images);
		images = n ? calloc(n, sizeof(*images)) : NULL;
		r = n && !images ? -ENOMEM : c->lib->rbd_list2(io, images, &n);
	} while (r == -ERANGE);
	c->lib->rados_ioctx_destroy(io);
	for (size_t k = 0; k < n && r >= 0 && images; k++)
		if (strncmp(images[k].name, RBD_SCRATCH_PREFIX, strlen(RBD_SCRATCH_PREFIX)) == 0)
			r = look_at(c, s, images[k].name, list);
	if (images && n)
		c->lib->rbd_image_spec_list_cleanup(images, n);
	free(images);
	if (r < 0) {
		json_free(list);
		return r == -ENOMEM ? err_nomem(reterr) : err_set(reterr, ERR_DEVICE, r,
			"images of pool %s: %s", s->pool, strerror(-r));
	}
	*ret = list;
	return 0;
}
