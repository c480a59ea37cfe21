/* rbd_lib.c - librbd and librados, loaded when they are first needed. */
#include "probes/rbd_lib.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static struct rbd_lib lib;
static struct err load_error;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int load_state; /* 0: not tried, 1: loaded, -errno */

#define REMEDY "install librbd1 and librados2 (the package of Ceph's client libraries)"

static void *load(const char *variable, const char *name, struct err *reterr)
{
	const char *path = getenv(variable);
	void *handle = dlopen(path && *path ? path : name, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		(void)err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"RBD images need %s, which cannot be loaded: %s; %s", name, dlerror(), REMEDY);
	return handle;
}

/* A pointer to a function from one to an object: POSIX has dlsym() return it so. */
static int find(void *handle, const char *name, void *ret, struct err *reterr)
{
	void *symbol = dlsym(handle, name);

	if (!symbol)
		return err_set(reterr, ERR_UNSUPPORTED, -EOPNOTSUPP,
			"the client library of Ceph has no %s(): it is older than 16.2; %s", name,
			REMEDY);
	*(void **)ret = symbol;
	return 0;
}

/* "16.2.15": not in the C interface, but the common library has it. */
static const char *ask_version(void *handle)
{
	const char *(*version)(void) = NULL;

	*(void **)&version = dlsym(handle, "_Z19ceph_version_to_strv");
	return version ? version() : NULL;
}

static int load_both(void)
{
	void *rados = load("SSDQUAL_LIBRADOS", "librados.so.2", &load_error), *rbd;
	int r = 0;

	rbd = rados ? load("SSDQUAL_LIBRBD", "librbd.so.1", &load_error) : NULL;
	if (!rbd) /* what was loaded stays: its threads may run */
		return -EOPNOTSUPP;
#define FIND(type, name, args) \
	if (r == 0) \
		r = find(HANDLE, #name, &lib.name, &load_error);
#define HANDLE rados
	RBD_LIB_RADOS(FIND)
#undef HANDLE
#define HANDLE rbd
	RBD_LIB_RBD(FIND)
#undef HANDLE
#undef FIND
	if (r == 0)
		lib.version = ask_version(rados);
	return r < 0 ? r : 1;
}

int rbd_lib_get(const struct rbd_lib **ret, struct err *reterr)
{
	int r;

	(void)pthread_mutex_lock(&lock); /* cannot fail: a plain mutex */
	if (load_state == 0)
		load_state = load_both();
	r = load_state;
	(void)pthread_mutex_unlock(&lock);
	if (r < 0) {
		if (reterr)
			*reterr = load_error;
		return r;
	}
	*ret = &lib;
	return 0;
}
