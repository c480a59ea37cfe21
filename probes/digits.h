/* digits.h - numbers inside of kernel names ("nvme0c1n2", "target2:0:1", "8:16"). */
#ifndef SSDQUAL_PROBES_DIGITS_H
#define SSDQUAL_PROBES_DIGITS_H

#include <stddef.h>

/* digits_after - @s begins with @prefix and a decimal number of at most nine digits: into *ret.
 * Returns what follows it, or NULL (*ret untouched); @s NULL gives NULL, so that calls chain. */
static inline const char *digits_after(const char *s, const char *prefix, unsigned *ret)
{
	unsigned v = 0, n = 0;

	while (s && *prefix) {
		if (*s++ != *prefix++)
			return NULL;
	}
	for (; s && *s >= '0' && *s <= '9' && n < 9; s++, n++)
		v = v * 10 + (unsigned)(*s - '0');
	if (n == 0)
		return NULL;
	*ret = v;
	return s;
}

#endif
