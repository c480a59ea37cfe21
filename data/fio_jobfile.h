/* fio_jobfile.h - fio's job files: sections in brackets, one option a line.
 *
 * A [global] section holds for the jobs after it, up to the next [global], which adds to it. A ';' or
 * '#' at the start of a line makes a comment. Includes are not followed; values with $ (environment,
 * fio's own arithmetic) are kept as they are, and understood by nobody.
 * Source: fio HOWTO, "Job file format".
 */
#ifndef SSDQUAL_DATA_FIO_JOBFILE_H
#define SSDQUAL_DATA_FIO_JOBFILE_H

#include "data/json.h"

#define FIO_JOBFILE_MAX ((size_t)1 << 20)

/* fio_jobfile_parse - @text as fio's JSON would show it:
 * {"jobs": [{"jobname": NAME, "job options": {OPTION: VALUE, ...}}, ...], "includes": N}, the options
 * of [global] merged in. A flag has the value "1"; the last of two values counts.
 * -EBADMSG, ERR_INPUT with "NAME:LINE:": no section, an option outside of one, NUL bytes, a name
 * without its bracket; -EFBIG: longer than FIO_JOBFILE_MAX, or more than 4096 jobs. */
int fio_jobfile_parse(const char *text, size_t len, const char *name, struct json **ret,
	struct err *reterr);

#endif
