/* package.h - which librbd a package is, and who built it.
 *
 * Debian's and Ubuntu's own librbd1 differ from upstream's in what matters here: Debian leaves the
 * PWL plugin out though its librbd believes to have it. The version tells the builder:
 *   18.2.7+ds-1+deb13u1 Debian · 19.2.3-0ubuntu0.24.04.3 Ubuntu · 17.2.6-pve1+3, 17.2.6-1bookworm
 *   and 2:17.2.6-0.el9 upstream (Proxmox builds upstream's packaging).
 * Pure.
 */
#ifndef SSDQUAL_POLICIES_PACKAGE_H
#define SSDQUAL_POLICIES_PACKAGE_H

#include <stddef.h>

enum distribution { DISTRIBUTION_UNKNOWN, DISTRIBUTION_DEBIAN, DISTRIBUTION_UBUNTU,
	DISTRIBUTION_UPSTREAM };
const char *distribution_word(enum distribution d); /* "unknown" "debian" "ubuntu" "upstream" */

/* package_version - Version of the installed package @name in @status, a dpkg status file. @buf is
 * "" where it is not installed. */
void package_version(const char *status, const char *name, char *buf, size_t len);
enum distribution package_distribution(const char *version);

#endif
