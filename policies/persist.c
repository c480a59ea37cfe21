/* persist.c - udev rules and what to say beside them. */
#include "policies/persist.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void add(char *buf, size_t len, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *buf, size_t len, const char *fmt, ...)
{
	size_t used = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(buf + used, len - used, fmt, ap); /* PERSIST_TEXT_MAX holds all of them */
	va_end(ap);
}

/* Characters that mean something to udev's patterns and quoting match any one character instead. */
static void quote(char *ret, size_t len, const char *s, size_t most)
{
	size_t n = 0;

	for (; *s && n + 1 < len && n < most; s++, n++)
		ret[n] = strchr("\"\\*?[]|$%", *s) || (unsigned char)*s < ' ' ? '?' : *s;
	while (n && ret[n - 1] == ' ')
		n--;
	ret[n] = '\0';
}

static const char *base(const char *by_id)
{
	const char *slash = by_id ? strrchr(by_id, '/') : NULL;

	return slash ? slash + 1 : by_id;
}

static void add_model_rule(const struct persist_drive *d, const char *type, char *buf, size_t len)
{
	bool cut = d->model && strlen(d->model) > PERSIST_SCSI_MODEL;
	char model[64];

	quote(model, sizeof(model), d->model, PERSIST_SCSI_MODEL);
	add(buf, len, "# /etc/udev/rules.d/99-ssdqual-cache.rules: every drive of this model%s\n",
		cut ? " (its first 16 characters: no more are shown there)" : "");
	add(buf, len, "ACTION==\"add|change\", SUBSYSTEM==\"scsi_disk\", ATTRS{model}==\"%s\", "
		"ATTR{cache_type}:=\"%s\"\n", model, type);
}

/* scsi_disk devices have no serial of their own: the rule waits for the disk's by-id name. */
static void add_by_id_rule(const struct persist_drive *d, const char *type, char *buf, size_t len)
{
	char name[256];

	quote(name, sizeof(name), base(d->by_id), sizeof(name));
	add(buf, len, "# /etc/udev/rules.d/99-ssdqual-cache.rules: this drive only\n");
	add(buf, len, "ACTION==\"add\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", "
		"SYMLINK==\"*disk/by-id/%s\", RUN+=\"/bin/sh -c 'echo %s | tee "
		"/sys%%p/device/scsi_disk/*/cache_type'\"\n", name, type);
}

static void nvme_note(const struct persist_drive *d, bool on, char *buf, size_t len)
{
	add(buf, len, "# NVMe: feature 06h goes back to its default at a reset unless the "
		"controller saves it; no udev\n# attribute sets it. Run at each start, before "
		"anything writes:\n");
	add(buf, len, "nvme set-feature /dev/disk/by-id/%s -f 6 -V %d\n",
		d->by_id ? base(d->by_id) : "NAME", on);
	add(buf, len, "# then `ssdqual cache /dev/disk/by-id/%s` shows what the drive and the "
		"kernel say\n", d->by_id ? base(d->by_id) : "NAME");
}

char *persist_cache(const struct persist_drive *d, bool on, char *buf, size_t len)
{
	const char *type = on ? "write back" : "write through";
	const char *t = d->transport ? d->transport : "";

	buf[0] = '\0';
	if (strncmp(t, "nvme", 4) == 0) {
		nvme_note(d, on, buf, len);
	} else if (d->saved) {
		add(buf, len, "# nothing is needed: the drive keeps the setting (saved mode page, "
			"read back)\n");
	} else if (strcmp(t, "sata") == 0 || strcmp(t, "ata") == 0 || strcmp(t, "sas") == 0 ||
		strcmp(t, "usb") == 0) {
		if (d->model && *d->model)
			add_model_rule(d, type, buf, len);
		if (d->by_id)
			add_by_id_rule(d, type, buf, len);
		if (!*buf)
			add(buf, len, "# no rule: neither its model nor a by-id name is known\n");
	} else {
		add(buf, len, "# no rule: how a drive on this transport is set at boot is not "
			"known\n");
	}
	return buf;
}

char *persist_rotational(const struct persist_drive *d, bool rotational, char *buf, size_t len)
{
	char name[256];

	buf[0] = '\0';
	if (!d->by_id)
		return buf;
	quote(name, sizeof(name), base(d->by_id), sizeof(name));
	add(buf, len, "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", "
		"SYMLINK==\"*disk/by-id/%s\", ATTR{queue/rotational}=\"%d\"\n", name, rotational);
	return buf;
}

enum persist_status persist_status(const char *wanted, const char *current, const char *event,
	char *buf, size_t len)
{
	if (buf && !current)
		(void)snprintf(buf, len, "write cache unknown: not read since it was set %s%s%s", wanted,
			event ? ", and since: " : "", event ? event : "");
	if (!current)
		return PERSIST_UNREAD;
	if (buf && strcmp(wanted, current) == 0)
		(void)snprintf(buf, len, "write cache %s, as wanted", current);
	if (strcmp(wanted, current) == 0)
		return PERSIST_KEPT;
	if (buf)
		(void)snprintf(buf, len, "write cache %s: drifted, %s was wanted (reset by the "
			"device%s%s); a udev rule sets it again each time", current, wanted, event ? " at " : "",
			event ? event : "");
	return PERSIST_DRIFTED;
}
