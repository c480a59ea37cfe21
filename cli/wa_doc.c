/* wa_doc.c - what the client wrote, and the sections of the document that tell of the call. */
#include "cli/wa.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "data/wa_client.h"

/* -- what the client wrote ------------------------------------------------------------------ */

static int parse_file(const char *path, struct wa_reading *ret, struct err *reterr)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(WA_CLIENT_TEXT_MAX + 1);
	size_t len;
	int r;

	if (!f || !text) {
		r = text ? err_set(reterr, ERR_INPUT, -errno, "%s: %s", path, strerror(errno)) :
			   err_nomem(reterr);
	} else {
		len = fread(text, 1, WA_CLIENT_TEXT_MAX + 1, f);
		if (ferror(f))
			r = err_set(reterr, ERR_INPUT, -EIO, "%s: cannot be read", path);
		else if (len > WA_CLIENT_TEXT_MAX)
			r = err_set(reterr, ERR_INPUT, -EFBIG, "%s: more than %zu MiB", path,
				WA_CLIENT_TEXT_MAX >> 20);
		else
			r = wa_client_parse(text, len, ret, reterr);
	}
	if (f)
		(void)fclose(f); /* it was read only */
	free(text);
	return r;
}

int wa_client_find(const struct wa_client_say *say, const struct wa_child *child,
	struct wa_counter *ret, struct err *reterr)
{
	struct wa_reading read = { .known = false };
	struct err e = ERR_INIT;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	if (say->bytes != WA_NOT_SAID) {
		wa_counter_total(ret, say->bytes, 0, "--client-bytes");
		return 0;
	}
	if (say->file)
		r = parse_file(say->file, &read, &e);
	else if (!child->capture)
		r = err_set(&e, ERR_INPUT, -ENODATA,
			"the output was not read; say how many with --client-bytes");
	else if (child->cut)
		r = err_set(&e, ERR_INPUT, -EFBIG, "the output is longer than %zu MiB; say how "
			"many with --client-bytes", WA_CLIENT_TEXT_MAX >> 20);
	else
		r = wa_client_parse(child->text ? child->text : "", child->len, &read, &e);
	if (r == -ENOMEM)
		return err_nomem(reterr);
	if (r == 0)
		wa_counter_total(ret, read.bytes, read.step, read.source);
	else
		wa_reading_lack(&ret->after, "%s", e.msg);
	return 0;
}

/* -- the document --------------------------------------------------------------------------- */

struct json *wa_doc_new(const struct cli *cli)
{
	struct json *doc = json_new_object(), *version = json_new_array();
	struct json *tool = json_new_object(), *argv = json_new_array();
	int bad = 0;

	bad |= json_set_str(doc, "format", "ssdqual-wa");
	bad |= json_append(version, json_new_u64(1));
	bad |= json_append(version, json_new_u64(0));
	bad |= json_set(doc, "format_version", version);
	for (int i = 0; i < cli->argc; i++)
		bad |= json_append(argv, json_new_str(cli->argv[i]));
	bad |= json_set_str(tool, "name", "ssdqual");
	bad |= json_set_str(tool, "version", SSDQUAL_VERSION);
	bad |= json_set(tool, "argv", argv);
	bad |= json_set(doc, "tool", tool);
	if (bad) {
		json_free(doc);
		return NULL;
	}
	return doc;
}

int wa_doc_set_command(struct json *doc, const struct wa_child *c)
{
	struct json *o = json_new_object(), *argv = json_new_array();
	int bad = 0;

	for (char **a = c->argv; *a; a++)
		bad |= json_append(argv, json_new_str(*a));
	bad |= json_set(o, "argv", argv);
	bad |= json_set_null(o, "exit_status");
	bad |= json_set_null(o, "signal");
	if (WIFEXITED(c->status)) {
		bad |= json_set_u64(o, "exit_status", (uint64_t)WEXITSTATUS(c->status));
		if (WEXITSTATUS(c->status) != 0)
			bad |= wa_warn(doc, "command-failed", "%s ended with status %d", c->argv[0],
				WEXITSTATUS(c->status));
	} else {
		bad |= json_set_u64(o, "signal", (uint64_t)WTERMSIG(c->status));
		bad |= wa_warn(doc, "command-failed", "%s was ended by signal %d (%s)", c->argv[0],
			WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
	}
	bad |= json_set(doc, "command", o);
	return bad;
}

int wa_doc_set_spread(struct json *doc, const struct wa_spread *s)
{
	struct json *o;

	if (isnan(wa_spread_copies(s)))
		return json_set_null(doc, "spread");
	o = json_new_object();
	if (s->k > 0) {
		(void)json_set_u64(o, "k", s->k); /* no memory: the set below tells */
		(void)json_set_u64(o, "m", s->m);
	} else {
		(void)json_set_u64(o, "replicas", s->replicas);
	}
	return json_set(doc, "spread", o);
}
