/* controller_file.c - what a RAID controller's own tool reported, read from its JSON.
 *
 * storcli, storcli2 and perccli: Controllers[]."Response Data" with "/cN/vM": [{TYPE, Cache, ...}],
 * "PDs for VD M": [{Med, Intf, Model, "EID:Slt"}], "VDM Properties": {"Disk Cache Policy",
 * "SCSI NAA Id", "OS Drive Name"}, and "BBU_Info" or "Cachevault_Info": [{State}] of a controller.
 * ssacli: the labels of "show config detail" as keys: an object with "Unique Identifier" is a
 * logical drive, one with "Interface Type" a physical drive of the array around both, "Drive Write
 * Cache" and "Battery/Capacitor Status" are the controller's.
 */
#include "probes/controller.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "probes/drive.h"

struct volume {
	char id[64];   /* NAA digits in lower case; "" unknown */
	char path[64]; /* "/dev/sda"; "" unknown */
	struct json *facts;
};

struct controller_file {
	struct volume *volumes;
	size_t count;
};

/* -- reading words ---------------------------------------------------------------------------- */

static const char *text_of(const struct json *obj, const char *key)
{
	const char *s = json_str(json_get(obj, key));

	return s ? s : "";
}

static bool begins(const char *s, const char *prefix)
{
	return strncasecmp(s, prefix, strlen(prefix)) == 0;
}

/* Tools' texts are somebody's input as a device's strings are. */
static void set_clean(struct json *o, const char *key, const char *s)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "%s", s); /* may be cut */
	drive_clean_string(text);
	(void)json_set_str(o, key, text[0] ? text : NULL);
}

/* "0x6d09..." "6D09 4660 ..." -> "6d094660..." */
static void copy_id(char *out, size_t size, const char *s)
{
	size_t n = 0;

	if (begins(s, "0x") || begins(s, "naa."))
		s = strpbrk(s, "xX.") + 1;
	for (; *s && n + 1 < size; s++)
		if (isxdigit((unsigned char)*s))
			out[n++] = (char)tolower((unsigned char)*s);
	out[n] = '\0';
}

static const char *disk_cache_word(const char *s)
{
	if (strcasestr(s, "default") || begins(s, "Unchanged") || begins(s, "No Change"))
		return "default";
	if (begins(s, "Disable") || strcasecmp(s, "off") == 0)
		return "off";
	return begins(s, "Enable") || strcasecmp(s, "on") == 0 ? "on" : NULL;
}

static const char *battery_word(const char *s)
{
	static const char *const good[] = { "Optimal", "OK", "Opt", "Charged", NULL };
	static const char *const none[] = { "Not Present", "Absent", "None", "Missing",
		"Not Installed", NULL };

	for (size_t i = 0; good[i]; i++)
		if (strcasecmp(s, good[i]) == 0)
			return "ok";
	for (size_t i = 0; none[i]; i++)
		if (begins(s, none[i]))
			return "absent";
	return s[0] ? "failed" : NULL;
}

/* -- collecting ------------------------------------------------------------------------------- */

static struct volume *add_volume(struct controller_file *f)
{
	struct volume *grown = realloc(f->volumes, (f->count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	f->volumes = grown;
	grown[f->count] = (struct volume){ .facts = json_new_object() };
	if (!grown[f->count].facts)
		return NULL;
	return &grown[f->count++];
}

static void add_drive(struct json *drives, const char *slot, const char *model, const char *media,
	const char *interface)
{
	struct json *o = json_new_object();

	set_clean(o, "slot", slot);
	set_clean(o, "model", model);
	(void)json_set_str(o, "media", media);
	set_clean(o, "interface", interface);
	(void)json_append(drives, o);
}

/* "ssd" or "hdd" when all drives are, "mixed", NULL where one is not known. */
static const char *media_of(const struct json *drives)
{
	bool ssd = false, hdd = false;

	for (const struct json *d = json_first(drives); d; d = json_next(d)) {
		const char *media = json_str(json_get(d, "media"));

		if (!media)
			return NULL;
		ssd |= strcmp(media, "ssd") == 0;
		hdd |= strcmp(media, "hdd") == 0;
	}
	return ssd && hdd ? "mixed" : ssd ? "ssd" : hdd ? "hdd" : NULL;
}

static void finish(struct volume *v, const char *tool, const char *name, const char *level,
	const char *cache, const char *disk_cache, const char *battery, struct json *drives)
{
	(void)json_set_str(v->facts, "tool", tool);
	set_clean(v->facts, "volume", name);
	set_clean(v->facts, "raid_level", level);
	(void)json_set_str(v->facts, "cache_policy", cache);
	(void)json_set_str(v->facts, "disk_cache", disk_cache);
	(void)json_set_str(v->facts, "battery", battery);
	(void)json_set_str(v->facts, "media", media_of(drives));
	(void)json_set(v->facts, "drives", drives); /* memory is checked when it is applied */
}

/* -- storcli, perccli ------------------------------------------------------------------------- */

/* The Cache column: R or NR, then WB, AWB (also without a battery) or WT, then D or C. */
static const char *storcli_cache(const char *s)
{
	if (strstr(s, "AWB"))
		return "always write back";
	return strstr(s, "WB") ? "write back" : strstr(s, "WT") ? "write through" : NULL;
}

static struct json *storcli_drives(const struct json *data, const char *vd)
{
	struct json *drives = json_new_array();
	char key[40];

	(void)snprintf(key, sizeof(key), "PDs for VD %.16s", vd); /* fits */
	for (const struct json *d = json_first(json_get(data, key)); d; d = json_next(d)) {
		const char *med = text_of(d, "Med");

		add_drive(drives, text_of(d, "EID:Slt"), text_of(d, "Model"),
			begins(med, "SSD") ? "ssd" : begins(med, "HDD") ? "hdd" : NULL,
			text_of(d, "Intf"));
	}
	return drives;
}

static int storcli_volume(struct controller_file *f, const struct json *data, const char *key,
	const char *battery)
{
	const struct json *row = json_first(json_get(data, key)), *props;
	const char *vd = strstr(key, "/v") + 2;
	struct volume *v = add_volume(f);
	char name[40];

	if (!v)
		return -ENOMEM;
	(void)snprintf(name, sizeof(name), "VD%.16s Properties", vd); /* fits */
	props = json_get(data, name);
	copy_id(v->id, sizeof(v->id), text_of(props, "SCSI NAA Id"));
	(void)snprintf(v->path, sizeof(v->path), "%.63s", text_of(props, "OS Drive Name"));
	finish(v, "storcli", key, text_of(row, "TYPE"), storcli_cache(text_of(row, "Cache")),
		disk_cache_word(text_of(props, "Disk Cache Policy")), battery,
		storcli_drives(data, vd));
	return 0;
}

static const char *storcli_battery(const struct json *data)
{
	static const char *const keys[] = { "BBU_Info", "Cachevault_Info", "Energy Pack Info",
		NULL };

	for (size_t i = 0; keys[i]; i++) {
		const struct json *list = json_get(data, keys[i]);

		if (json_len(list) > 0)
			return battery_word(text_of(json_first(list), "State"));
	}
	return NULL;
}

/* "/call show all" knows the battery, "/call/vall show all" the volumes: of one controller each,
 * so the battery is taken from wherever in the file the same controller number tells it. */
static const char *find_battery(const struct json *controllers, const struct json *number)
{
	uint64_t want, have;

	for (const struct json *c = json_first(controllers); c; c = json_next(c)) {
		const char *word = storcli_battery(json_get(c, "Response Data"));

		if (word && (json_len(controllers) == 1 || (json_u64(number, &want) &&
				json_u64(json_path(c, "Command Status.Controller"), &have) &&
				want == have)))
			return word;
	}
	return NULL;
}

static int read_storcli(struct controller_file *f, const struct json *controllers)
{
	int r = 0;

	for (const struct json *c = json_first(controllers); c && r == 0; c = json_next(c)) {
		const struct json *data = json_get(c, "Response Data");
		const char *battery = find_battery(controllers,
			json_path(c, "Command Status.Controller"));

		for (const struct json *j = json_first(data); j && r == 0; j = json_next(j))
			if (json_key(j) && strncmp(json_key(j), "/c", 2) == 0 &&
				strstr(json_key(j), "/v") && json_type(j) == JSON_ARRAY)
				r = storcli_volume(f, data, json_key(j), battery);
	}
	return r;
}

/* -- ssacli ----------------------------------------------------------------------------------- */

static void ssacli_drives(const struct json *j, struct json *drives)
{
	const char *type = text_of(j, "Interface Type");

	if (type[0])
		add_drive(drives, text_of(j, "Physical Drive"), text_of(j, "Model"),
			strcasestr(type, "solid state") ? "ssd" :
			strcasestr(type, "SATA") || strcasestr(type, "SAS") ? "hdd" : NULL, type);
	else
		for (const struct json *m = json_first(j); m; m = json_next(m))
			ssacli_drives(m, drives);
}

struct ssacli_around {
	const struct json *controller, *array;
};

static int walk_ssacli(struct controller_file *f, const struct json *j, struct ssacli_around a)
{
	struct volume *v;
	int r = 0;

	if (json_get(j, "Battery/Capacitor Status") || json_get(j, "Drive Write Cache") ||
		json_get(j, "Controller Status"))
		a.controller = j;
	if (json_get(j, "Logical Drives") || json_get(j, "Physical Drives"))
		a.array = j;
	if (json_type(j) == JSON_OBJECT && json_get(j, "Unique Identifier") &&
		json_get(j, "Fault Tolerance")) {
		struct json *drives = json_new_array();
		const char *caching = text_of(j, "Caching");

		v = add_volume(f);
		if (!v) {
			json_free(drives);
			return -ENOMEM;
		}
		copy_id(v->id, sizeof(v->id), text_of(j, "Unique Identifier"));
		(void)snprintf(v->path, sizeof(v->path), "%.63s", text_of(j, "Disk Name"));
		ssacli_drives(a.array, drives);
		finish(v, "ssacli", text_of(j, "Logical Drive"), text_of(j, "Fault Tolerance"),
			begins(caching, "Enable") ? "write back" :
			begins(caching, "Disable") ? "write through" : NULL,
			disk_cache_word(text_of(a.controller, "Drive Write Cache")),
			battery_word(text_of(a.controller, "Battery/Capacitor Status")), drives);
		return 0;
	}
	for (const struct json *m = json_first(j); m && r == 0; m = json_next(m))
		r = walk_ssacli(f, m, a);
	return r;
}

/* -- the file --------------------------------------------------------------------------------- */

int controller_load(const char *path, struct controller_file **ret, struct err *reterr)
{
	struct controller_file *f;
	const struct json *list;
	struct json *doc;
	int r = json_load(path, JSON_FILE_MAX, &doc, reterr);

	if (r < 0)
		return r;
	f = calloc(1, sizeof(*f));
	list = json_get(doc, "Controllers");
	if (!f)
		r = -ENOMEM;
	else if (json_get(json_first(list), "Response Data"))
		r = read_storcli(f, list);
	else
		r = walk_ssacli(f, doc, (struct ssacli_around){ .controller = NULL });
	json_free(doc);
	if (r == 0 && f->count == 0)
		r = err_set(reterr, ERR_INPUT, -EBADMSG,
			"%s: has no virtual disk in the form of storcli, perccli or ssacli; make "
			"it with 'storcli64 /call/vall show all J'", path);
	else if (r < 0)
		r = err_nomem(reterr);
	if (r < 0) {
		controller_free(f);
		return r;
	}
	*ret = f;
	return 0;
}

void controller_free(struct controller_file *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++)
		json_free(f->volumes[i].facts);
	free(f->volumes);
	free(f);
}

static const struct volume *find_volume(const struct controller_file *f,
	const struct json *identity)
{
	const char *wwn = json_str(json_get(identity, "wwn"));
	const char *path = json_str(json_get(identity, "path"));
	char id[64] = "";

	if (wwn && strncmp(wwn, "naa.", 4) == 0)
		copy_id(id, sizeof(id), wwn);
	for (size_t i = 0; i < f->count; i++)
		if (id[0] && strcmp(f->volumes[i].id, id) == 0)
			return &f->volumes[i];
	/* Names move between boots: only where there is no number to go by. */
	for (size_t i = 0; i < f->count; i++)
		if ((!id[0] || !f->volumes[i].id[0]) && path &&
			strcmp(f->volumes[i].path, path) == 0)
			return &f->volumes[i];
	return NULL;
}

int controller_apply(const struct controller_file *f, struct json *identity)
{
	struct json *to = json_get_mut(identity, "controller");
	const struct volume *v;

	if (!controller_is_raid(identity))
		return 0;
	v = find_volume(f, identity);
	if (!v)
		return 0;
	for (const struct json *j = json_first(v->facts); j; j = json_next(j))
		if (json_set(to, json_key(j), json_copy(j)) < 0)
			return -ENOMEM;
	drive_judge_rotation(identity);
	return 1;
}
