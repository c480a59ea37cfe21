/* rbd_input.c - telling the outputs of `rbd` apart. */
#include "policies/rbd_input.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *command, *option, *name;
} kinds[] = {
	[RBD_INPUT_CONFIG] = { "rbd config image list POOL/IMAGE --format json", "--image-config",
		"the options of an image" },
	[RBD_INPUT_STATUS] = { "rbd status POOL/IMAGE --format json", "--image-status",
		"the status of an image" },
	[RBD_INPUT_INFO] = { "rbd info POOL/IMAGE --format json", "--image-info",
		"the description of an image" },
	[RBD_INPUT_PERF] = { "ceph --admin-daemon SOCKET perf dump", "--perf-dump",
		"a perf dump" },
	[RBD_INPUT_OTHER] = { "", "", "something else" },
};

const char *rbd_input_command(enum rbd_input kind)
{
	return kinds[kind].command;
}

const char *rbd_input_option(enum rbd_input kind)
{
	return kinds[kind].option;
}

static bool has(const char *text, size_t len, const char *word)
{
	return memmem(text, len, word, strlen(word)) != NULL;
}

enum rbd_input rbd_input_of_text(const char *text, size_t len)
{
	while (len > 0 && strchr(" \t\r\n", *text) != NULL && *text != '\0') {
		text++;
		len--;
	}
	if (len == 0 || *text == '{' || *text == '[')
		return RBD_INPUT_OTHER;
	if ((has(text, len, "There are ") && has(text, len, " values:")) ||
	    (has(text, len, "Name") && has(text, len, "Value")) || has(text, len, "<config>") ||
	    (has(text, len, "<option>") && has(text, len, "<value>")))
		return RBD_INPUT_CONFIG;
	if (has(text, len, "Watchers:") || has(text, len, "watcher=") ||
	    has(text, len, "Persistent cache state:") || has(text, len, "Image cache state:") ||
	    has(text, len, "<status>"))
		return RBD_INPUT_STATUS;
	if (has(text, len, "rbd image '") || has(text, len, "block_name_prefix") ||
	    has(text, len, "<image>"))
		return RBD_INPUT_INFO;
	return RBD_INPUT_OTHER;
}

static bool is_perf_dump(const struct json *doc)
{
	if (json_type(doc) != JSON_OBJECT)
		return false;
	for (const struct json *m = json_first(doc); m != NULL; m = json_next(m))
		if (strncmp(json_key(m), "librbd-", 7) == 0 || strcmp(json_key(m), "objecter") == 0)
			return true;
	return false;
}

enum rbd_input rbd_input_of_json(const struct json *doc)
{
	const struct json *first = json_first(doc);

	if (json_type(doc) == JSON_ARRAY)
		return first != NULL && json_get(first, "name") != NULL &&
			json_get(first, "value") != NULL ? RBD_INPUT_CONFIG : RBD_INPUT_OTHER;
	if (json_get(doc, "watchers") != NULL || json_get(doc, "persistent_cache") != NULL ||
	    json_get(doc, "image_cache_state") != NULL)
		return RBD_INPUT_STATUS;
	if (json_get(doc, "features") != NULL || json_get(doc, "object_size") != NULL)
		return RBD_INPUT_INFO;
	return is_perf_dump(doc) ? RBD_INPUT_PERF : RBD_INPUT_OTHER;
}

int rbd_input_expect(const struct json *doc, enum rbd_input want, const char *file,
	struct err *reterr)
{
	enum rbd_input is = rbd_input_of_json(doc);

	if (is == want || is == RBD_INPUT_OTHER)
		return 0;
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: this is %s, which %s takes; %s needs the "
		"output of `%s`", file, kinds[is].name, kinds[is].option, kinds[want].option,
		kinds[want].command);
}

int rbd_input_refuse_text(const char *text, size_t len, enum rbd_input want, const char *file,
	struct err *reterr)
{
	enum rbd_input is = rbd_input_of_text(text, len);

	if (is == RBD_INPUT_OTHER)
		return 0;
	return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: %s as a text for people, not as JSON; "
		"nothing of it is used; make the file with `%s`", file, kinds[is].name,
		kinds[want].command);
}
