/* import.h - what other tools measured or read out, made into result documents.
 *
 * An importer knows one kind of JSON. The driver, import_file(), reads a file piece by piece, finds
 * the complete JSON objects in it among other lines (warnings before, text after), and hands each
 * to the importer that recognises it. So a file may hold several documents, also of several kinds.
 *
 * To add an importer: data/import_NAME.c with one const instance last; one extern and one row in
 * data/import_table.c; a row in tests/fuzz/parsers.c; cases in tests/cli/import.sh; the kind in
 * docs/ssdqual.8.
 *
 * What is imported is as trustworthy as the file: measurements have source.kind "imported" and no
 * histogram, percentiles are as given, an absent one is NAN, and none is interpolated. What the
 * file does not tell, or tells oddly, is a note of the document's `import` section:
 *   "import": {"kind", "tool_version", "file", "document", "documents",
 *              "notes": [{"code", "text"}, ...]}
 */
#ifndef SSDQUAL_DATA_IMPORT_H
#define SSDQUAL_DATA_IMPORT_H

#include "data/complaints.h"
#include "data/err.h"
#include "data/json.h"
#include "data/result.h"

/* Longest single JSON document, in bytes and in values. The file around it has no limit: only the
 * document at hand and the one before it are kept in memory. A value costs about 64 bytes. */
#define IMPORT_DOCUMENT_MAX ((size_t)64 << 20)
#define IMPORT_VALUES_MAX   ((size_t)4 << 20)

/* Where a document comes from. Borrowed while convert() runs. */
struct import_source {
	const char *name;     /* path as given, or "standard input" */
	size_t number;        /* which document of the file this is, from 1 */
	size_t documents;     /* complete documents that were read up to now */
	bool cut_off;         /* another one begins after the last, and has no end */
	const struct complaints *lines; /* text outside the documents, line by line */
};

struct importer {
	const char *name;    /* word of --kind and of import.kind: [a-z][a-z0-9-]*, never renamed */
	const char *summary; /* one line for help, no full stop */
	/* Is @doc (any JSON value) of this kind? By its keys alone, also where it is incomplete or
	 * reports a failure. Required. */
	bool (*recognises)(const struct json *doc);
	/* Is @later a newer state of the same run as @earlier, which it replaces? NULL: never, each
	 * document is converted. */
	bool (*continues)(const struct json *earlier, const struct json *later);
	/* A result document of @doc. 0 and *ret, the caller's; or ERR_INPUT with the reason, which
	 * names what is missing and what to do ("NAME: ..."), *ret untouched. Measurements that
	 * are worth keeping though the run failed are kept: m->stop "error", m->error the reason,
	 * and a finding "job-error" (import_failed()). Required. */
	int (*convert)(const struct json *doc, const struct import_source *src,
		struct result **ret, struct err *reterr);
};

extern const struct importer *const importer_table[]; /* NULL-terminated, in order of trial */
const struct importer *importer_find(const char *name);            /* NULL: no such kind */
const struct importer *importer_for(const struct json *doc);       /* NULL: no importer's */

/* -- for importers ---------------------------------------------------------------------------- */

/* import_result_new - a document with its `import` section and settings.battery "import". Notes of
 * the file (lines around the JSON, a document cut off) are in it. @tool_version: "fio-3.36"; NULL:
 * unknown. NULL: no memory. */
struct result *import_result_new(const struct importer *kind, const struct import_source *src,
	const char *tool_version);

/* import_note - append to import.notes. @code: [a-z0-9-]. 0 or -ENOMEM. */
int import_note(struct result *r, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* import_failed - the run that @r comes from failed: a finding "job-error", and import_is_failed()
 * is true of it, which makes the exit status 6. */
int import_failed(struct result *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool import_is_failed(const struct result *r);

/* -- for commands ----------------------------------------------------------------------------- */

struct import_list {
	struct result **result; /* in the order of the file; never empty after success */
	size_t count;
};

/* import_file - every document of the file @path ("-": standard input).
 * @kind: only this kind; NULL: whichever recognises it
 * 0; or ERR_INPUT, nothing in *ret, with file and place: cannot be read, is empty, holds no complete
 * JSON object, one that is no JSON, that no importer knows, or that its importer refuses. One bad
 * document refuses the file. */
int import_file(const char *path, const struct importer *kind, struct import_list *ret,
	struct err *reterr);
/* import_text - the same of @len bytes in memory. */
int import_text(const char *text, size_t len, const char *name, const struct importer *kind,
	struct import_list *ret, struct err *reterr);
void import_list_done(struct import_list *l); /* frees the results and zeroes @l */

/* import_document - a result of @doc alone, which is borrowed. -EBADMSG: no importer knows it. */
int import_document(const struct json *doc, const char *name, struct result **ret,
	struct err *reterr);

/* import_merge - all results of @l, which is emptied, as one: the first, with the measurements,
 * notes and findings of the others, and what they alone know of the target. Of several readings of
 * health the first file's is smart.before, the last file's smart.after. ERR_INPUT, @l untouched: they are of several targets (path or
 * serial known and different). */
int import_merge(struct import_list *l, struct result **ret, struct err *reterr);

#endif
