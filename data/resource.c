/* resource.c - workloads, drives and schemas: the user's first, the host's second, ours last. */
#include "data/resource.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RESOURCE_MAX ((size_t)8 << 20)
#define SYSTEM_FOLDER "/etc/ssdqual"

static bool is_name(const char *s)
{
	if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9')))
		return false;
	for (; *s; s++) {
		if (!((*s >= 'a' && *s <= 'z') || (*s >= '0' && *s <= '9') || strchr("._-", *s)))
			return false;
	}
	return true;
}

/* The user's configuration folder, or NULL when there is none. A relative path is to be ignored
 * (XDG Base Directory Specification 0.8). *ret is the caller's to free. */
static int user_folder(char **ret)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	*ret = NULL;
	if (xdg && xdg[0] == '/')
		return asprintf(ret, "%s/ssdqual", xdg) < 0 ? -ENOMEM : 0;
	if (home && home[0] == '/')
		return asprintf(ret, "%s/.config/ssdqual", home) < 0 ? -ENOMEM : 0;
	return 0;
}

/* 1: loaded; 0: no such file there. A file whose folder may not be searched is not there for us:
 * HOME can be left over from another user. */
static int load_from(const char *folder, const char *kind, const char *name, struct json **ret,
	char **ret_origin, struct err *reterr)
{
	struct stat st;
	char *path;
	int r;

	if (asprintf(&path, "%s/%s/%s.json", folder, kind, name) < 0)
		return err_nomem(reterr);
	if (stat(path, &st) < 0) {
		free(path);
		return 0;
	}
	r = json_load(path, RESOURCE_MAX, ret, reterr);
	if (r < 0 || !ret_origin)
		free(path);
	else
		*ret_origin = path;
	return r < 0 ? r : 1;
}

static int load_builtin(const char *kind, const char *name, struct json **ret, char **ret_origin,
	struct err *reterr)
{
	for (const struct resource *p = resource_builtin; p->kind; p++) {
		char *origin = NULL;
		int r;

		if (strcmp(p->kind, kind) != 0 || strcmp(p->name, name) != 0)
			continue;
		if (ret_origin) {
			origin = strdup("built in");
			if (!origin)
				return err_nomem(reterr);
		}
		r = json_parse(p->text, p->len, name, ret, reterr);
		if (r < 0) {
			free(origin);
			return r;
		}
		if (ret_origin)
			*ret_origin = origin;
		return 1;
	}
	return 0;
}

static int report_unknown(const char *kind, const char *name, struct err *reterr)
{
	char list[512] = "none";
	char **names = NULL;
	size_t used = 0;
	int r = resource_names(kind, &names, reterr);

	if (r < 0 || !names)
		return r;
	for (size_t i = 0; names[i]; i++) {
		int n = snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", names[i]);

		if (n < 0 || (size_t)n >= sizeof(list) - used)
			break; /* a cut list still shows what names look like */
		used += (size_t)n;
	}
	resource_names_free(names);
	return err_set(reterr, ERR_USAGE, -ENOENT, "%s: no such name in %s; known are: %s", name,
		kind, list);
}

int resource_load(const char *kind, const char *name, struct json **ret, char **ret_origin,
	struct err *reterr)
{
	char *user;
	int r = 0;

	if (!is_name(name))
		return report_unknown(kind, name, reterr);
	if (user_folder(&user) < 0)
		return err_nomem(reterr);
	if (user)
		r = load_from(user, kind, name, ret, ret_origin, reterr);
	free(user);
	if (r == 0)
		r = load_from(SYSTEM_FOLDER, kind, name, ret, ret_origin, reterr);
	if (r == 0)
		r = load_builtin(kind, name, ret, ret_origin, reterr);
	if (r == 0)
		return report_unknown(kind, name, reterr);
	return r < 0 ? r : 0;
}

/* -- names ---------------------------------------------------------------------------------- */

struct name_list {
	char **item; /* NULL-terminated once sorted */
	size_t count, room;
};

static int add_name(struct name_list *l, const char *name, size_t len)
{
	if (l->count + 1 >= l->room) {
		size_t room = l->room ? 2 * l->room : 32;
		char **item = realloc(l->item, room * sizeof(*item));

		if (!item)
			return -ENOMEM;
		l->item = item;
		l->room = room;
	}
	l->item[l->count] = strndup(name, len);
	if (!l->item[l->count])
		return -ENOMEM;
	l->item[++l->count] = NULL;
	return 0;
}

static int add_folder(struct name_list *l, const char *folder, const char *kind)
{
	struct dirent *entry;
	char *path;
	DIR *dir;
	int r = 0;

	if (asprintf(&path, "%s/%s", folder, kind) < 0)
		return -ENOMEM;
	dir = opendir(path);
	free(path);
	if (!dir)
		return 0; /* most hosts have none */
	while (r == 0 && (entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);
		char stem[256];

		if (n <= 5 || strcmp(entry->d_name + n - 5, ".json") != 0)
			continue;
		(void)snprintf(stem, sizeof(stem), "%.*s", (int)(n - 5), entry->d_name); /* <= 250 */
		if (is_name(stem))
			r = add_name(l, stem, strlen(stem));
	}
	(void)closedir(dir); /* read only */
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct name_list *l)
{
	size_t kept = 0;

	qsort(l->item, l->count, sizeof(*l->item), compare_names);
	for (size_t i = 0; i < l->count; i++) {
		if (kept && strcmp(l->item[kept - 1], l->item[i]) == 0)
			free(l->item[i]);
		else
			l->item[kept++] = l->item[i];
	}
	l->item[kept] = NULL;
	l->count = kept;
}

int resource_names(const char *kind, char ***ret, struct err *reterr)
{
	struct name_list l = { .room = 32 };
	char *user = NULL;
	int r = 0;

	l.item = calloc(l.room, sizeof(*l.item));
	if (!l.item || user_folder(&user) < 0) {
		free(l.item);
		return err_nomem(reterr);
	}
	for (const struct resource *p = resource_builtin; p->kind && r == 0; p++) {
		if (strcmp(p->kind, kind) == 0)
			r = add_name(&l, p->name, strlen(p->name));
	}
	if (r == 0 && user)
		r = add_folder(&l, user, kind);
	if (r == 0)
		r = add_folder(&l, SYSTEM_FOLDER, kind);
	free(user);
	if (r < 0) {
		resource_names_free(l.item);
		return err_nomem(reterr);
	}
	sort_once(&l);
	*ret = l.item;
	return 0;
}

void resource_names_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}
