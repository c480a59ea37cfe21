/* run_save.c - where a run's document goes: into the store, or where -o says. */
#include "cli/run.h"

#include "data/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
	struct stat st;
	size_t len = strlen(path);

	return (len && path[len - 1] == '/') || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Can something be made at @path, or in the nearest folder above it that exists? A run may take
 * hours: what will not be writable then is better said now. Returns 0 or -errno. */
static int check_writable(const char *path)
{
	char *p = strdup(path), *slash;
	int r;

	if (!p)
		return -ENOMEM;
	while (access(p, W_OK) < 0) {
		r = -errno;
		slash = strrchr(p, '/');
		if (r != -ENOENT || !slash) {
			/* a plain name is made in the current folder */
			if (r == -ENOENT && !slash)
				r = access(".", W_OK) < 0 ? -errno : 0;
			free(p);
			return r;
		}
		slash[slash == p] = '\0'; /* "/x" leaves "/" */
	}
	free(p);
	return 0;
}

static int check_file(const char *path, struct err *reterr)
{
	char *folder = strdup(path), *slash;
	struct stat st;
	int r = 0;

	if (!folder)
		return err_nomem(reterr);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (slash && stat(folder, &st) < 0)
		r = err_set(reterr, ERR_USAGE, -errno, "-o %s: %s: %s; make the folder first", path,
			folder, strerror(errno));
	free(folder);
	if (r == 0 && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		r = err_set(reterr, ERR_USAGE, -EINVAL,
			"-o %s: not a regular file; name a file or a folder", path);
	return r;
}

int run_check_output(const struct run_cfg *cfg, size_t targets, struct err *reterr)
{
	char *store = NULL;
	int r = 0;

	if (cfg->output && targets > 1 && !is_folder(cfg->output))
		return err_set(reterr, ERR_USAGE, -EINVAL,
			"-o %s: %zu targets make as many documents; name a folder", cfg->output,
			targets);
	if (cfg->output && !is_folder(cfg->output))
		r = check_file(cfg->output, reterr);
	if (r == 0 && cfg->output) {
		r = check_writable(cfg->output);
		if (r < 0)
			return err_set(reterr, ERR_USAGE, r,
				"-o %s: %s; name a place that you may write", cfg->output,
				strerror(-r));
	}
	if (r < 0 || cfg->no_store || cfg->output)
		return r;
	r = store_folder(&store, reterr);
	if (r < 0)
		return r;
	r = check_writable(store);
	if (r < 0)
		(void)err_set(reterr, ERR_USAGE, r,
			"the store %s cannot be written: %s; use -o FILE", store,
			strerror(-r));
	free(store);
	return r;
}

int run_save(const struct run_cfg *cfg, const struct result *r, char **ret_path,
	struct err *reterr)
{
	const char *battery = json_str(json_path(r->doc, "settings.battery"));
	time_t now = time(NULL);
	char *path = NULL;
	int code = 0;

	if (cfg->output && is_folder(cfg->output)) {
		code = store_save(r, cfg->output, now, battery ? battery : "run", &path, reterr);
	} else if (cfg->output) {
		code = store_save_as(r, cfg->output, reterr);
		path = code == 0 ? strdup(cfg->output) : NULL;
	} else if (!cfg->no_store) {
		code = store_save(r, NULL, now, battery ? battery : "run", &path, reterr);
	}
	if (code == 0)
		*ret_path = path;
	else
		free(path);
	return code;
}
