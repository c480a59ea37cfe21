/* health.h - a drive's health and endurance: asked, put into documents, shown.
 *
 * The document's smart.before and smart.after are readings (data/smart.h); its `endurance` object
 * is what follows from them and from what is stated, worked out anew with the verdicts.
 */
#ifndef SSDQUAL_CLI_HEALTH_H
#define SSDQUAL_CLI_HEALTH_H

#include "cli/command.h"
#include "data/rated.h"
#include "data/result.h"
#include "data/smart.h"
#include "policies/notes.h"

/* health_read - of the drive that @identity (a target's) is or, where it is made of one drive, lies
 * on. Errors as smart_read(); -EOPNOTSUPP, ERR_UNSUPPORTED also where it is made of several
 * drives. */
int health_read(const struct cli *cli, const struct json *identity, struct smart_health *ret,
	struct err *reterr);

/* health_note - read it into smart.@when ("before", "after") of @r. What cannot be read is null
 * there, and smart.unread says why: never a failure but for -ENOMEM. */
int health_note(const struct cli *cli, const struct json *identity, struct result *r,
	const char *when, struct err *reterr);

/* health_rated - the maker's rating for the drive of @identity. */
int health_rated(const struct json *identity, struct rated *ret, struct err *reterr);

/* health_judge - set @r's `endurance` from its readings; nothing where it has none. Rated bytes are
 * settings.rated_tbw_bytes before the maker's; writes a day are kept from the `endurance` that is
 * there, or are @per_day_bytes (0: not stated). What the two readings disagree about: @findings. */
int health_judge(struct result *r, uint64_t per_day_bytes, struct notes *findings,
	struct err *reterr);

/* health_print - sections "Health" and "Endurance"; nothing without a reading. */
void health_print(struct cli *cli, const struct result *r);

/* health_add_cells - one cell each for lists: written, wear, spare, temperature, hours, state. */
struct table;
void health_add_cells(struct table *t, const struct json *health);

#endif
