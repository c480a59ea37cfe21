/* vm_config_qemu.c - RBD disks on a command line of QEMU: -drive and -blockdev.
 *
 *	-drive file=rbd:pool/image:id=admin,format=raw,if=none,id=drive-scsi0,cache=none
 *	-drive file.driver=rbd,file.pool=p,file.image=i,cache=writeback
 *	-blockdev {"driver":"rbd","pool":"p","image":"i","cache":{"direct":true,"no-flush":false}}
 *	-blockdev driver=rbd,pool=p,image=i,cache.direct=on
 * Source: qemu qapi/block-core.json (BlockdevOptionsRbd, BlockdevCacheOptions).
 */
#include "policies/vm_config.h"

#include <stdio.h>
#include <string.h>

#include "data/json.h"

struct found {
	char id[VM_NAME_MAX], image[2 * VM_NAME_MAX], pool[VM_NAME_MAX], name[VM_NAME_MAX];
	char cache[24];
	bool rbd, direct, no_flush, cache_given;
};

static void take_url(struct found *f, const char *url)
{
	size_t n;

	if (strncmp(url, "rbd:", 4) != 0)
		return;
	f->rbd = true;
	n = strcspn(url + 4, ":@");
	snprintf(f->image, sizeof(f->image), "%.*s", (int)(n < sizeof(f->image) ? n :
		sizeof(f->image) - 1), url + 4);
}

static bool is_on(const char *value)
{
	return strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "yes") == 0;
}

static void take_pair(struct found *f, const char *key, const char *value)
{
	/* "file." goes before the keys of the lower node. */
	if (strncmp(key, "file.", 5) == 0)
		key += 5;
	if (strcmp(key, "file") == 0 || strcmp(key, "filename") == 0)
		take_url(f, value);
	else if (strcmp(key, "driver") == 0 && strcmp(value, "rbd") == 0)
		f->rbd = true;
	else if (strcmp(key, "pool") == 0)
		snprintf(f->pool, sizeof(f->pool), "%s", value);
	else if (strcmp(key, "image") == 0)
		snprintf(f->name, sizeof(f->name), "%s", value);
	else if (strcmp(key, "id") == 0 || strcmp(key, "node-name") == 0)
		snprintf(f->id, sizeof(f->id), "%s", value);
	else if (strcmp(key, "cache") == 0)
		snprintf(f->cache, sizeof(f->cache), "%s", value);
	else if (strcmp(key, "cache.direct") == 0)
		f->cache_given = f->direct = is_on(value);
	else if (strcmp(key, "cache.no-flush") == 0)
		f->no_flush = is_on(value);
}

/* One "key=value" up to the next comma; two commas are one in the value. */
static const char *next_pair(const char *s, char *buf, size_t size)
{
	size_t n = 0;

	for (; *s != '\0'; s++) {
		if (*s == ',') {
			if (s[1] != ',') {
				s++;
				break;
			}
			s++;
		}
		if (n + 1 < size)
			buf[n++] = *s;
	}
	buf[n] = '\0';
	return s;
}

static void take_options(struct found *f, const char *value)
{
	while (*value != '\0') {
		char pair[256], *eq;

		value = next_pair(value, pair, sizeof(pair));
		eq = strchr(pair, '=');
		if (eq == NULL)
			continue;
		*eq = '\0';
		take_pair(f, pair, eq + 1);
	}
}

static void take_node(struct found *f, const struct json *node)
{
	const char *driver = json_str(json_get(node, "driver"));
	const struct json *cache = json_get(node, "cache");

	/* The cache modes of a node below go with it, and the lowest is librbd's. */
	if (json_type(json_get(node, "file")) == JSON_OBJECT)
		take_node(f, json_get(node, "file"));
	if (f->id[0] == '\0' && json_str(json_get(node, "node-name")) != NULL)
		take_pair(f, "id", json_str(json_get(node, "node-name")));
	if (driver == NULL || strcmp(driver, "rbd") != 0)
		return;
	f->rbd = true;
	if (json_str(json_get(node, "pool")) != NULL)
		take_pair(f, "pool", json_str(json_get(node, "pool")));
	if (json_str(json_get(node, "image")) != NULL)
		take_pair(f, "image", json_str(json_get(node, "image")));
	f->cache_given = json_type(cache) == JSON_OBJECT;
	(void)json_bool(json_get(cache, "direct"), &f->direct);     /* absent: false, the default */
	(void)json_bool(json_get(cache, "no-flush"), &f->no_flush); /* the same */
}

static const char *cache_word(const struct found *f)
{
	if (f->cache[0] != '\0')
		return f->cache;
	if (f->no_flush)
		return "unsafe";
	if (f->direct)
		return "none";
	return f->cache_given ? "writeback" : "";
}

static void take_argument(const char *value, struct vm_config *ret)
{
	struct found f = { .id = "" };

	if (value[0] == '{') {
		struct json *doc = NULL;

		if (json_parse(value, strlen(value), "-blockdev", &doc, NULL) < 0)
			return;
		take_node(&f, doc);
		json_free(doc);
	} else {
		take_options(&f, value);
	}
	if (!f.rbd)
		return;
	if (f.image[0] == '\0' && f.name[0] != '\0')
		snprintf(f.image, sizeof(f.image), "%s/%s", f.pool, f.name);
	vm_config_add(ret, f.id, strlen(f.id), f.image, strlen(f.image), cache_word(&f),
		strlen(cache_word(&f)), QEMU_CACHE_WRITEBACK);
}

/* Arguments are parted by NUL as in /proc/PID/cmdline; else by blanks and newlines, with single
 * quotes and backslash-newline as people paste them. */
static size_t next_argument(const char *s, size_t len, bool nul, char *buf, size_t size)
{
	size_t i = 0, n = 0;
	bool quoted = false;

	while (!nul && i < len && strchr(" \t\r\n\\", s[i]) != NULL && s[i] != '\0')
		i++;
	for (; i < len; i++) {
		if (s[i] == '\0' || (!nul && !quoted && strchr(" \t\r\n", s[i]) != NULL))
			break;
		if (!nul && s[i] == '\'') {
			quoted = !quoted;
			continue;
		}
		if (n + 1 < size)
			buf[n++] = s[i];
	}
	buf[n] = '\0';
	return i < len ? i + 1 : len;
}

void vm_config_qemu(const char *text, size_t len, struct vm_config *ret)
{
	bool nul = memchr(text, '\0', len) != NULL, take = false;

	while (len > 0) {
		char argument[4096];
		size_t used = next_argument(text, len, nul, argument, sizeof(argument));

		if (take)
			take_argument(argument, ret);
		take = strcmp(argument, "-drive") == 0 || strcmp(argument, "-blockdev") == 0 ||
			strcmp(argument, "--blockdev") == 0;
		text += used;
		len -= used;
	}
}
