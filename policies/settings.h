/* settings.h - the cache options of an RBD image: where each is set, and what they amount to.
 *
 * An image_config holds every option that the advice reads or changes, with the level that wins
 * (`rbd config image list`): so that undoing a change restores what was there, and removes what
 * was not. cache_settings is what librbd makes of it.
 * Defaults and meanings: ceph src/common/options/rbd.yaml.in, 18.2.7 and 20.2.4; the policy's
 * default is write-around since Octopus (15.2), write-back before.
 */
#ifndef SSDQUAL_POLICIES_SETTINGS_H
#define SSDQUAL_POLICIES_SETTINGS_H

#include "data/err.h"
#include "data/json.h"

#include <stdbool.h>
#include <stdint.h>

enum option_key {
	OPTION_CACHE,         /* rbd_cache */
	OPTION_POLICY,        /* rbd_cache_policy */
	OPTION_SIZE,          /* rbd_cache_size */
	OPTION_MAX_DIRTY,     /* rbd_cache_max_dirty */
	OPTION_TARGET_DIRTY,  /* rbd_cache_target_dirty */
	OPTION_AGE,           /* rbd_cache_max_dirty_age */
	OPTION_UNTIL_FLUSH,   /* rbd_cache_writethrough_until_flush */
	OPTION_PLUGINS,       /* rbd_plugins */
	OPTION_PWL_MODE,      /* rbd_persistent_cache_mode */
	OPTION_PWL_SIZE,      /* rbd_persistent_cache_size */
	OPTION_PWL_PATH,      /* rbd_persistent_cache_path */
	OPTION_COUNT
};
extern const char *const option_name[OPTION_COUNT];

/* LEVEL_UNKNOWN: `rbd` named a level that it does not know itself ("unknown (7)"). */
enum option_level { LEVEL_DEFAULT, LEVEL_CONFIG, LEVEL_POOL, LEVEL_IMAGE, LEVEL_UNKNOWN };
const char *option_level_word(enum option_level l); /* "config", "image", ... */

#define OPTION_VALUE_MAX 128 /* characters, what is read; room for ",pwl_cache" beyond */
struct image_option {
	char value[OPTION_VALUE_MAX + 16];
	enum option_level level;
	bool stated; /* the operator named it: no assumption */
	char source[32]; /* the level's word as it was given; "" where none was */
};

struct image_config {
	struct image_option opt[OPTION_COUNT];
	/* Names of the time before the feature was released (rbd_rwl_enabled, ...), with blanks
	 * between: a list that has them says nothing of the present ones. */
	char obsolete[160];
};

struct release {
	unsigned major, minor, patch; /* 17.2.6 */
};

/* release_parse - "17.2.6" (a suffix as "-0ubuntu1" is passed over). -EINVAL, ERR_USAGE. */
int release_parse(const char *s, struct release *ret, struct err *reterr);
/* release_find - the release in a text as `ceph --version` or a package gives it: "ceph version
 * 16.2.4 (...) pacific (stable)", "16.2.15+ds-0+deb12u2". -EINVAL, ERR_USAGE when there is none. */
int release_find(const char *text, struct release *ret, struct err *reterr);
/* release_before - is @r older than major.minor.patch? */
bool release_before(struct release r, unsigned major, unsigned minor, unsigned patch);

void image_config_defaults(struct image_config *c, struct release r);
/* One option, checked. Names that the advice does not know are accepted where they are some
 * other rbd_* option (returns 0, nothing changed). -EINVAL, ERR_USAGE. */
int image_config_set(struct image_config *c, const char *name, const char *value,
	enum option_level level, struct err *reterr);
/* The array of `rbd config image list POOL/IMAGE --format json`: values are texts, numbers and
 * booleans included. Obsolete names are collected, others are passed over. -EBADMSG, ERR_INPUT. */
int image_config_from_json(struct image_config *c, const struct json *list, const char *file,
	struct err *reterr);

enum cache_mode { CACHE_NONE, CACHE_WRITETHROUGH, CACHE_WRITEBACK, CACHE_WRITEAROUND,
	CACHE_PWL_SSD, CACHE_PWL_RWL, CACHE_MODE_COUNT };

struct cache_settings {
	enum cache_mode mode;      /* the layer that answers the guest: PWL stands above the rest */
	enum cache_mode under;     /* the in-memory layer (below PWL, or the same as mode) */
	double size_bytes, max_dirty_bytes, target_dirty_bytes, max_dirty_age_s;
	bool until_flush;
	double pwl_bytes;
	char pwl_path[OPTION_VALUE_MAX + 16];
};

/* image_option_is_true - the boolean of an option whose value was checked. */
bool image_option_is_true(const struct image_option *o);
/* image_option_bytes - the size in an option; NAN when it is none. */
double image_option_bytes(const struct image_option *o);
/* image_config_effective - what librbd makes of @c. */
struct cache_settings image_config_effective(const struct image_config *c);
/* has_plugin - is @name a member of the comma- or space-separated list? */
bool settings_has_plugin(const char *list, const char *name);

#endif
