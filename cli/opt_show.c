/* opt_show.c - values in the form in which options take them. */
#include "cli/opt_show.h"

#include <inttypes.h>
#include <stdio.h>

struct unit {
	uint64_t size;
	const char *name;
};

/* Largest first; the last one is 1, which divides everything. */
static const struct unit byte_units[] = {
	{ 1ULL << 40, "TiB" }, { 1ULL << 30, "GiB" }, { 1ULL << 20, "MiB" }, { 1ULL << 10, "KiB" },
	{ 1, "" },
};
static const struct unit time_units[] = {
	{ 3600000000000ULL, "h" }, { 60000000000ULL, "m" }, { 1000000000ULL, "s" },
	{ 1000000ULL, "ms" }, { 1000ULL, "us" }, { 1, "ns" },
};

const char *opt_show_number(enum opt_type type, uint64_t v, char *buf, size_t len)
{
	const struct unit *unit = type == OPT_BYTES ? byte_units : time_units;

	if (type == OPT_U64 || v == 0) {
		(void)snprintf(buf, len, "%" PRIu64, v);
		return buf;
	}
	while (v % unit->size)
		unit++;
	(void)snprintf(buf, len, "%" PRIu64 "%s", v / unit->size, unit->name);
	return buf;
}

bool opt_show_default(const struct opt *o, const void *cfg, char *buf, size_t len)
{
	const void *at = cfg ? (const char *)cfg + o->off : NULL;

	if (!at)
		return false;
	switch (o->type) {
	case OPT_FLAG:
		(void)snprintf(buf, len, "on; --no-%s turns it off", o->name);
		return *(const bool *)at;
	case OPT_U64:
	case OPT_BYTES:
	case OPT_DURATION:
		opt_show_number(o->type, *(const uint64_t *)at, buf, len);
		return *(const uint64_t *)at != 0;
	case OPT_RATIO:
		(void)snprintf(buf, len, "%g%%", *(const double *)at * 100);
		return *(const double *)at != 0;
	case OPT_STRING:
		(void)snprintf(buf, len, "%s",
			*(const char *const *)at ? *(const char *const *)at : "");
		return buf[0] != '\0';
	case OPT_CHOICE:
		(void)snprintf(buf, len, "%s", o->choices[*(const int *)at]);
		return true;
	case OPT_LIST:
		break;
	}
	return false;
}

const char *opt_show_choices(const struct opt *o, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; o->choices[i] && used < len; i++) {
		const char *sep = i == 0 ? "" : o->choices[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(buf + used, len - used, "%s%s", sep, o->choices[i]);
	}
	return buf;
}
