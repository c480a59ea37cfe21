/* identity.c - is this the same drive as that one? */
#include "data/identity.h"

#include <stdio.h>
#include <string.h>

static const char *word(const struct json *target, const char *key)
{
	const char *s = json_str(json_get(target, key));

	return s && *s ? s : NULL;
}

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

enum identity_match identity_compare(const struct json *a, const struct json *b, char *hint)
{
	const char *sa = word(a, "serial"), *sb = word(b, "serial");
	const char *ma = word(a, "model"), *mb = word(b, "model");
	uint64_t ca = 0, cb = 0;

	if (hint)
		*hint = '\0';
	if (!sa || !sb)
		return IDENTITY_DIFFERENT;
	if (ma && mb && strcmp(sa, sb) == 0 && strcmp(ma, mb) == 0)
		return IDENTITY_SAME;
	if (strlen(sa) < IDENTITY_SERIAL_LEAST || strlen(sb) < IDENTITY_SERIAL_LEAST ||
		(!begins(sa, sb) && !begins(sb, sa)) ||
		!json_u64(json_get(a, "capacity_bytes"), &ca) ||
		!json_u64(json_get(b, "capacity_bytes"), &cb) || ca != cb)
		return IDENTITY_DIFFERENT;
	if (hint)
		(void)snprintf(hint, IDENTITY_HINT_MAX,
			"%.60s (serial %.60s) and %.60s (serial %.60s) are treated as different "
			"drives; possibly the same: %s, and the capacity is equal",
			ma ? ma : "unknown model", sa, mb ? mb : "unknown model", sb,
			strcmp(sa, sb) == 0 ? "the serial number is equal" :
			"one serial number is the beginning of the other (serial prefix)");
	return IDENTITY_HINT;
}
