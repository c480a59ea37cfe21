/* show.h - a result document as text for people, at most as wide as the screen (80 elsewhere).
 *
 * Used by `show`, and by whatever has just made a result.
 */
#ifndef SSDQUAL_CLI_SHOW_H
#define SSDQUAL_CLI_SHOW_H

#include "cli/command.h"
#include "data/result.h"

/* show_result - target, state of the write cache, conditions, rows, findings, verdicts, on
 * cli->out. 0 or -errno. */
int show_result(struct cli *cli, const struct result *r, struct err *reterr);

/* show_rows - only the table of measurements: durable latency (submit to durable), below it the
 * sync alone where the row syncs, "as reported" where the figures come from elsewhere. */
int show_rows(struct cli *cli, const struct result *r, struct err *reterr);

/* show_import - what the rows of an imported document are equivalent to, and the notes of the import;
 * nothing for other documents. */
void show_import(struct cli *cli, const struct result *r);

/* show_side_by_side - the rows of several results as columns: IOPS, then p99 until durable; the best
 * of a row has a '+', the worst a '-', where they differ by more than THRESHOLD_CACHE_SAME. */
int show_side_by_side(struct cli *cli, const struct result *const *results, size_t n,
	struct err *reterr);

/* show_paragraph - text from a document, wrapped, its further lines from column @left on: nothing
 * in it may drive the terminal. show_item - "  - text (source)"; @source may be NULL. Errors of out
 * are told at the end, by cli_main. */
void show_paragraph(struct cli *cli, const char *text, int left);
void show_item(struct cli *cli, const char *text, const char *source);

#endif
