/* compare.h - what `compare` prints: rows, and the place among published figures. */
#ifndef SSDQUAL_CLI_COMPARE_H
#define SSDQUAL_CLI_COMPARE_H

#include "cli/command.h"
#include "policies/compare.h"

/* A row of the new result among the figures of data/drives that answer the same question. */
struct compare_place {
	const struct measurement *row;
	size_t rank, of;            /* 1 is the fastest of @of, the row itself counted */
	struct json *above, *below; /* the next faster and slower figure {model, capacity_gb, iops,
				       write_cache, source}; NULL: none */
};
#define COMPARE_PLACES 8
struct compare_places {
	struct compare_place place[COMPARE_PLACES];
	size_t count;
};

/* compare_places_find - look up every row of @now that has published figures. 0 or -errno. */
int compare_places_find(const struct result *now, struct compare_places *ret, struct err *reterr);
void compare_places_done(struct compare_places *p);

struct compare_view {
	const struct result *base, *now;
	const char *base_name, *now_name;
	double max_regress;
	enum compare_metric metric;
	const struct compare *rows;
	const struct compare_places *places;
};

int compare_print(struct cli *cli, const struct compare_view *v, struct err *reterr);
struct json *compare_to_json(const struct compare_view *v); /* NULL: no memory */

#endif
