/* package.c - dpkg's status file, and what a version tells. */
#include "policies/package.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *distribution_word(enum distribution d)
{
	static const char *const word[] = { "unknown", "debian", "ubuntu", "upstream" };

	return word[d];
}

/* The value of "Field: value" in the paragraph [@from, @end); NULL when it has none. */
static const char *field(const char *from, const char *end, const char *name, size_t *ret_len)
{
	size_t n = strlen(name);

	while (from < end) {
		const char *eol = memchr(from, '\n', (size_t)(end - from));
		size_t len = (size_t)((eol != NULL ? eol : end) - from);

		if (len > n + 1 && memcmp(from, name, n) == 0 && from[n] == ':') {
			from += n + 1;
			len -= n + 1;
			while (len > 0 && *from == ' ') {
				from++;
				len--;
			}
			*ret_len = len;
			return from;
		}
		from += len + 1;
	}
	return NULL;
}

void package_version(const char *status, const char *name, char *buf, size_t len)
{
	buf[0] = '\0';
	while (*status != '\0') {
		const char *gap = strstr(status, "\n\n");
		const char *end = gap != NULL ? gap : status + strlen(status), *v;
		size_t n = 0;

		v = field(status, end, "Package", &n);
		if (v != NULL && n == strlen(name) && memcmp(v, name, n) == 0) {
			v = field(status, end, "Status", &n);
			if (v != NULL && memmem(v, n, " installed", 10) != NULL) {
				v = field(status, end, "Version", &n);
				if (v != NULL)
					snprintf(buf, len, "%.*s", (int)n, v);
				return;
			}
		}
		status = gap != NULL ? gap + 2 : end;
	}
}

enum distribution package_distribution(const char *version)
{
	if (version[0] == '\0')
		return DISTRIBUTION_UNKNOWN;
	if (strstr(version, "ubuntu") != NULL)
		return DISTRIBUTION_UBUNTU;
	if (strstr(version, "+ds") != NULL || strstr(version, "+deb") != NULL)
		return DISTRIBUTION_DEBIAN;
	return DISTRIBUTION_UPSTREAM;
}
