/* settings.c - reading image options and what they amount to. */
#include "policies/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/units.h"
#include "policies/rbd_input.h"

const char *const option_name[OPTION_COUNT] = {
	[OPTION_CACHE] = "rbd_cache",
	[OPTION_POLICY] = "rbd_cache_policy",
	[OPTION_SIZE] = "rbd_cache_size",
	[OPTION_MAX_DIRTY] = "rbd_cache_max_dirty",
	[OPTION_TARGET_DIRTY] = "rbd_cache_target_dirty",
	[OPTION_AGE] = "rbd_cache_max_dirty_age",
	[OPTION_UNTIL_FLUSH] = "rbd_cache_writethrough_until_flush",
	[OPTION_PLUGINS] = "rbd_plugins",
	[OPTION_PWL_MODE] = "rbd_persistent_cache_mode",
	[OPTION_PWL_SIZE] = "rbd_persistent_cache_size",
	[OPTION_PWL_PATH] = "rbd_persistent_cache_path",
};

static const char *const default_value[OPTION_COUNT] = {
	[OPTION_CACHE] = "true",
	[OPTION_POLICY] = "writearound",
	[OPTION_SIZE] = "33554432",
	[OPTION_MAX_DIRTY] = "25165824",
	[OPTION_TARGET_DIRTY] = "16777216",
	[OPTION_AGE] = "1.0",
	[OPTION_UNTIL_FLUSH] = "true",
	[OPTION_PLUGINS] = "",
	[OPTION_PWL_MODE] = "disabled",
	[OPTION_PWL_SIZE] = "1073741824",
	[OPTION_PWL_PATH] = "/tmp",
};

static const char *const policy_words[] = { "writethrough", "writeback", "writearound", NULL };
static const char *const pwl_words[] = { "disabled", "rwl", "ssd", NULL };
static const char *const bool_words[] = { "true", "false", "1", "0", "yes", "no", "on", "off",
	NULL };

const char *option_level_word(enum option_level l)
{
	static const char *const word[] = { "default", "config", "pool", "image", "unknown" };

	return word[l];
}

int release_parse(const char *s, struct release *ret, struct err *reterr)
{
	struct release r = { 0, 0, 0 };
	int used = 0;

	if (s[0] < '0' || s[0] > '9' ||
	    /* four digits cannot overflow: NOLINTNEXTLINE(cert-err34-c) */
	    sscanf(s, "%4u.%4u.%4u%n", &r.major, &r.minor, &r.patch, &used) != 3 ||
	    (s[used] >= '0' && s[used] <= '9') || s[used] == '.')
		return err_set(reterr, ERR_USAGE, -EINVAL, "--release: '%s' is no release of Ceph; "
			"write three numbers as `ceph --version` prints them, as 17.2.6", s);
	*ret = r;
	return 0;
}

/* Where the number begins: behind "version", else at the first digit that follows no word or dot
 * and has two dots behind it. An epoch ("2:16.2.15") is no part of it. */
static const char *release_at(const char *text)
{
	const char *from = strstr(text, "version ");

	for (const char *p = from != NULL ? from + 8 : text; *p != '\0'; p++) {
		size_t digits = strspn(p, "0123456789"), more;

		if (digits == 0)
			continue;
		more = p[digits] == '.' ? strspn(p + digits + 1, "0123456789") : 0;
		if (more > 0 && p[digits + 1 + more] == '.')
			return p;
		p += digits - 1;
	}
	return NULL;
}

int release_find(const char *text, struct release *ret, struct err *reterr)
{
	const char *at = release_at(text);
	char number[24];

	if (at != NULL) {
		snprintf(number, sizeof(number), "%.*s", (int)strspn(at, "0123456789."), at);
		if (release_parse(number, ret, NULL) == 0)
			return 0;
	}
	return err_set(reterr, ERR_USAGE, -EINVAL, "'%.80s' names no release of Ceph; write it as "
		"`ceph --version` prints it", text);
}

bool release_before(struct release r, unsigned major, unsigned minor, unsigned patch)
{
	if (r.major != major)
		return r.major < major;
	if (r.minor != minor)
		return r.minor < minor;
	return r.patch < patch;
}

void image_config_defaults(struct image_config *c, struct release r)
{
	*c = (struct image_config){ .obsolete = "" };
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		snprintf(c->opt[i].value, sizeof(c->opt[i].value), "%s", default_value[i]);
	}
	if (release_before(r, 15, 0, 0))
		snprintf(c->opt[OPTION_POLICY].value, sizeof(c->opt[OPTION_POLICY].value),
			"writeback");
}

static bool is_word(const char *const *words, const char *s)
{
	for (size_t i = 0; words[i] != NULL; i++)
		if (strcmp(words[i], s) == 0)
			return true;
	return false;
}

bool image_option_is_true(const struct image_option *o)
{
	const char *s = o->value;

	return strcmp(s, "true") == 0 || strcmp(s, "1") == 0 || strcmp(s, "yes") == 0 ||
		strcmp(s, "on") == 0;
}

static const char *value_fault(enum option_key k, const char *value)
{
	uint64_t bytes;
	double age;

	switch (k) {
	case OPTION_CACHE:
	case OPTION_UNTIL_FLUSH:
		return is_word(bool_words, value) ? NULL : "it is true or false";
	case OPTION_POLICY:
		return is_word(policy_words, value) ? NULL :
			"it is writethrough, writeback or writearound";
	case OPTION_PWL_MODE:
		return is_word(pwl_words, value) ? NULL : "it is disabled, rwl or ssd";
	case OPTION_SIZE:
	case OPTION_MAX_DIRTY:
	case OPTION_TARGET_DIRTY:
	case OPTION_PWL_SIZE:
		return units_parse_bytes(value, &bytes) == 0 ? NULL : "it is a size in bytes";
	case OPTION_AGE:
		return units_parse_f64(value, &age) == 0 && age >= 0 ? NULL : "it is seconds";
	default:
		return NULL;
	}
}

int image_config_set(struct image_config *c, const char *name, const char *value,
	enum option_level level, struct err *reterr)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const char *fault;

		if (strcmp(option_name[i], name) != 0)
			continue;
		if (strlen(value) >= OPTION_VALUE_MAX)
			return err_set(reterr, ERR_USAGE, -EINVAL, "%s: the value is too long", name);
		fault = value_fault((enum option_key)i, value);
		if (fault != NULL)
			return err_set(reterr, ERR_USAGE, -EINVAL, "%s: '%s' cannot be: %s", name,
				value, fault);
		snprintf(c->opt[i].value, sizeof(c->opt[i].value), "%s", value);
		c->opt[i].level = level;
		c->opt[i].stated = true;
		return 0;
	}
	if (strncmp(name, "rbd_rwl_", 8) == 0)
		return err_set(reterr, ERR_USAGE, -EINVAL, "%s: an obsolete name, which librbd "
			"ignores since Pacific; use rbd_persistent_cache_*", name);
	if (strncmp(name, "rbd_", 4) == 0)
		return 0;
	return err_set(reterr, ERR_USAGE, -EINVAL, "%s: no option of an RBD image; they begin "
		"with rbd_", name);
}

static enum option_level level_from(const char *source)
{
	if (source != NULL && strcmp(source, "image") == 0)
		return LEVEL_IMAGE;
	if (source != NULL && strcmp(source, "pool") == 0)
		return LEVEL_POOL;
	return source == NULL || strcmp(source, "config") == 0 ? LEVEL_CONFIG : LEVEL_UNKNOWN;
}

/* Every value is a text; a number or a boolean of another tool's JSON is written as rbd does. */
static const char *value_text(const struct json *v, char *buf, size_t len)
{
	uint64_t u;
	double d;
	bool b;

	if (json_str(v) != NULL)
		return json_str(v);
	if (json_bool(v, &b))
		return b ? "true" : "false";
	if (json_u64(v, &u))
		snprintf(buf, len, "%llu", (unsigned long long)u);
	else if (json_f64(v, &d))
		snprintf(buf, len, "%f", d);
	else
		return NULL;
	return buf;
}

static void note_obsolete(struct image_config *c, const char *name)
{
	size_t at = strlen(c->obsolete);

	snprintf(c->obsolete + at, sizeof(c->obsolete) - at, "%s%s", at > 0 ? " " : "", name);
}

static int set_from_list(struct image_config *c, const char *name, const char *value,
	const char *source, struct err *reterr)
{
	int r;

	if (strncmp(name, "rbd_rwl_", 8) == 0) {
		note_obsolete(c, name);
		return 0;
	}
	r = image_config_set(c, name, value, level_from(source), reterr);
	for (size_t i = 0; r == 0 && source != NULL && i < OPTION_COUNT; i++)
		if (strcmp(option_name[i], name) == 0)
			snprintf(c->opt[i].source, sizeof(c->opt[i].source), "%s", source);
	return r;
}

int image_config_from_json(struct image_config *c, const struct json *list, const char *file,
	struct err *reterr)
{
	int r = rbd_input_expect(list, RBD_INPUT_CONFIG, file, reterr);

	if (r < 0)
		return r;
	if (json_type(list) != JSON_ARRAY)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: not a list of image options; make "
			"it with `rbd config image list POOL/IMAGE --format json`", file);
	for (const struct json *m = json_first(list); m != NULL; m = json_next(m)) {
		const char *name = json_str(json_get(m, "name"));
		char number[40];
		const char *value = value_text(json_get(m, "value"), number, sizeof(number));

		if (name == NULL || value == NULL)
			return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: an option without name or "
				"value; make the file with `rbd config image list POOL/IMAGE "
				"--format json`", file);
		r = set_from_list(c, name, value, json_str(json_get(m, "source")), reterr);
		if (r < 0) {
			if (reterr != NULL)
				reterr->kind = ERR_INPUT;
			(void)err_prefix(reterr, "%s: ", file);
			return r;
		}
	}
	return 0;
}

bool settings_has_plugin(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list != '\0') {
		size_t n;

		list += strspn(list, ", ");
		n = strcspn(list, ", ");
		if (n == len && memcmp(list, name, len) == 0)
			return true;
		list += n;
	}
	return false;
}

double image_option_bytes(const struct image_option *o)
{
	uint64_t v;

	return units_parse_bytes(o->value, &v) == 0 ? (double)v : NAN;
}

struct cache_settings image_config_effective(const struct image_config *c)
{
	struct cache_settings s = { .mode = CACHE_NONE };
	const char *policy = c->opt[OPTION_POLICY].value, *pwl = c->opt[OPTION_PWL_MODE].value;

	s.size_bytes = image_option_bytes(&c->opt[OPTION_SIZE]);
	s.max_dirty_bytes = image_option_bytes(&c->opt[OPTION_MAX_DIRTY]);
	s.target_dirty_bytes = image_option_bytes(&c->opt[OPTION_TARGET_DIRTY]);
	s.pwl_bytes = image_option_bytes(&c->opt[OPTION_PWL_SIZE]);
	s.until_flush = image_option_is_true(&c->opt[OPTION_UNTIL_FLUSH]);
	(void)units_parse_f64(c->opt[OPTION_AGE].value, &s.max_dirty_age_s); /* checked when set */
	snprintf(s.pwl_path, sizeof(s.pwl_path), "%s", c->opt[OPTION_PWL_PATH].value);
	if (!image_option_is_true(&c->opt[OPTION_CACHE]))
		s.under = CACHE_NONE;
	else if (strcmp(policy, "writethrough") == 0 || s.max_dirty_bytes == 0)
		s.under = CACHE_WRITETHROUGH;
	else
		s.under = strcmp(policy, "writeback") == 0 ? CACHE_WRITEBACK : CACHE_WRITEAROUND;
	s.mode = s.under;
	/* PWL needs both: the mode without the plugin is silently not used. */
	if (settings_has_plugin(c->opt[OPTION_PLUGINS].value, "pwl_cache")) {
		if (strcmp(pwl, "ssd") == 0)
			s.mode = CACHE_PWL_SSD;
		else if (strcmp(pwl, "rwl") == 0)
			s.mode = CACHE_PWL_RWL;
	}
	return s;
}
