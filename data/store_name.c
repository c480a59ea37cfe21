/* store_name.c - a result's facts in its file name, and back. */
#include "data/store_name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/units.h"

#define TARGET_MAX 120 /* characters; with the rest well below NAME_MAX */
#define BATTERY_MAX 40
#define UTC_LEN 16 /* "20261130T125752Z" */

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '-';
}

/* Appends @s to @buf, other characters as single dashes, none at the ends. */
static void append_plain(char *buf, size_t size, const char *s)
{
	size_t used = strlen(buf);

	for (; *s && used + 1 < size; s++) {
		char c = is_plain(*s) ? *s : '-';

		if ((c == '-' || c == '.') && (used == 0 || buf[used - 1] == '-'))
			continue;
		buf[used++] = c;
	}
	while (used > 0 && buf[used - 1] == '-')
		used--;
	buf[used] = '\0';
}

char *store_name_stem(const struct json *target, time_t when, const char *battery)
{
	static const char *const parts[] = { "model", "serial" };
	char name[TARGET_MAX + 1] = "", kind[BATTERY_MAX + 1] = "", utc[UTC_LEN + 1], *stem;
	struct tm tm;
	size_t used;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *s = json_str(json_get(target, parts[i]));

		if (!s)
			continue;
		used = strlen(name);
		if (used > 0 && used + 2 < sizeof(name))
			memcpy(name + used, "-", 2);
		append_plain(name, sizeof(name), s);
	}
	if (!name[0] && json_str(json_get(target, "path")))
		append_plain(name, sizeof(name), json_str(json_get(target, "path")));
	if (!name[0])
		append_plain(name, sizeof(name), "target");
	append_plain(kind, sizeof(kind), battery ? battery : "");
	if (!gmtime_r(&when, &tm) || strftime(utc, sizeof(utc), "%Y%m%dT%H%M%SZ", &tm) != UTC_LEN)
		(void)snprintf(utc, sizeof(utc), "00000000T000000Z"); /* no year of four digits */
	if (asprintf(&stem, "%s_%s_%s", name, utc, kind[0] ? kind : "run") < 0)
		return NULL;
	return stem;
}

char *store_name_path(const char *folder, const char *stem, unsigned number)
{
	char *path;
	int n = number < 2 ? asprintf(&path, "%s/%s.json", folder, stem)
			   : asprintf(&path, "%s/%s.%u.json", folder, stem, number);

	return n < 0 ? NULL : path;
}

static bool is_utc(const char *s, size_t len)
{
	static const char shape[] = "00000000T000000Z";

	if (len != UTC_LEN)
		return false;
	for (size_t i = 0; i < UTC_LEN; i++) {
		bool digit = s[i] >= '0' && s[i] <= '9';

		if (shape[i] == '0' ? !digit : s[i] != shape[i])
			return false;
	}
	return true;
}

int store_name_read(const char *name, struct store_entry *ret)
{
	size_t len = strlen(name);
	char stem[256], *battery, *utc, *dot;
	uint64_t number = 1;

	if (name[0] == '.' || len <= 5 || len >= sizeof(stem) ||
		strcmp(name + len - 5, ".json") != 0)
		return 0;
	memcpy(stem, name, len - 5);
	stem[len - 5] = '\0';
	battery = strrchr(stem, '_');
	if (!battery || battery == stem)
		return 0;
	*battery++ = '\0';
	utc = strrchr(stem, '_');
	if (!utc || utc == stem)
		return 0;
	*utc++ = '\0';
	if (!is_utc(utc, strlen(utc)))
		return 0;
	dot = strrchr(battery, '.');
	if (dot && units_parse_u64(dot + 1, &number) == 0 && number >= 2 &&
		number <= STORE_NUMBER_MAX)
		*dot = '\0';
	else
		number = 1;
	if (!battery[0])
		return 0;
	*ret = (struct store_entry){ .target = strdup(stem), .battery = strdup(battery),
		.number = (unsigned)number };
	memcpy(ret->utc, utc, UTC_LEN + 1);
	if (!ret->target || !ret->battery) {
		free(ret->target);
		free(ret->battery);
		return -ENOMEM;
	}
	return 1;
}
