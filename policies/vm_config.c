/* vm_config.c - cache modes in a Proxmox configuration and in nova.conf, and what they do. */
#include "policies/vm_config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const cache_words[] = { "unknown", "none", "writeback", "writethrough",
	"directsync", "unsafe" };

const char *qemu_cache_word(enum qemu_cache c)
{
	return cache_words[c];
}

enum qemu_cache qemu_cache_of(const char *word)
{
	for (int i = QEMU_CACHE_NONE; i <= QEMU_CACHE_UNSAFE; i++)
		if (strcmp(word, cache_words[i]) == 0)
			return (enum qemu_cache)i;
	/* nova's and QEMU's older word. */
	return strcmp(word, "off") == 0 ? QEMU_CACHE_NONE : QEMU_CACHE_UNKNOWN;
}

struct qemu_effect qemu_cache_effect(enum qemu_cache c)
{
	struct qemu_effect e = { .rbd_cache = ANSWER_UNKNOWN };

	if (c == QEMU_CACHE_NONE || c == QEMU_CACHE_DIRECTSYNC)
		e.rbd_cache = ANSWER_NO;
	else if (c != QEMU_CACHE_UNKNOWN)
		e.rbd_cache = ANSWER_YES;
	e.max_dirty_zero = c == QEMU_CACHE_WRITETHROUGH;
	e.flushes_ignored = c == QEMU_CACHE_UNSAFE;
	return e;
}

const char *vm_format_word(enum vm_format f)
{
	static const char *const word[] = { "Proxmox", "libvirt", "nova.conf", "QEMU" };

	return word[f];
}

static void copy(char *buf, size_t size, const char *s, size_t len)
{
	snprintf(buf, size, "%.*s", (int)(len < size ? len : size - 1), len > 0 ? s : "");
}

void vm_config_add(struct vm_config *c, const char *name, size_t name_len, const char *image,
	size_t image_len, const char *cache, size_t cache_len, enum qemu_cache otherwise)
{
	char word[24];
	struct vm_disk *d;

	if (c->disks == VM_DISKS_MAX)
		return;
	d = &c->disk[c->disks++];
	*d = (struct vm_disk){ .cache = otherwise };
	copy(d->name, sizeof(d->name), name, name_len);
	copy(d->image, sizeof(d->image), image, image_len);
	copy(word, sizeof(word), cache, cache_len);
	d->stated = cache_len > 0 && strcmp(word, "default") != 0;
	if (d->stated)
		d->cache = qemu_cache_of(word);
}

/* -- Proxmox: "scsi0: storage:vm-100-disk-0,cache=none,size=32G" ------------------------------- */

/* The value of "key=" among comma-separated members; NULL when it is not there. */
static const char *member(const char *s, size_t len, const char *key, size_t *ret_len)
{
	const char *end = s + len;

	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t n = (size_t)((comma != NULL ? comma : end) - s), k = strlen(key);

		if (n > k && memcmp(s, key, k) == 0 && s[k] == '=') {
			*ret_len = n - k - 1;
			return s + k + 1;
		}
		s += n + 1;
	}
	return NULL;
}

static bool is_disk_name(const char *s, size_t len)
{
	static const char *const buses[] = { "scsi", "virtio", "sata", "ide" };

	for (size_t i = 0; i < sizeof(buses) / sizeof(buses[0]); i++) {
		size_t n = strlen(buses[i]);

		if (len > n && len <= n + 2 && memcmp(s, buses[i], n) == 0 &&
		    isdigit((unsigned char)s[n]) && isdigit((unsigned char)s[len - 1]))
			return true;
	}
	return false;
}

static void proxmox_line(const char *line, size_t len, struct vm_config *ret)
{
	static const char prefix[] = "proxmox ";
	const char *colon, *value, *cache, *media, *comma;
	size_t n, cache_len = 0, media_len = 0;

	/* Notes of operators put the program's name in front. */
	if (len > sizeof(prefix) - 1 && memcmp(line, prefix, sizeof(prefix) - 1) == 0) {
		line += sizeof(prefix) - 1;
		len -= sizeof(prefix) - 1;
	}
	colon = memchr(line, ':', len);
	if (colon == NULL || !is_disk_name(line, (size_t)(colon - line)))
		return;
	value = colon + 1;
	n = len - (size_t)(value - line);
	while (n > 0 && (*value == ' ' || *value == '\t')) {
		value++;
		n--;
	}
	media = member(value, n, "media", &media_len);
	/* CD-ROMs and files are no images; "none" is an empty drive. */
	if (n == 0 || *value == '/' || (n >= 4 && memcmp(value, "none", 4) == 0) ||
	    (media != NULL && media_len == 5 && memcmp(media, "cdrom", 5) == 0))
		return;
	cache = member(value, n, "cache", &cache_len);
	comma = memchr(value, ',', n);
	vm_config_add(ret, line, (size_t)(colon - line), value,
		comma != NULL ? (size_t)(comma - value) : n, cache, cache_len, QEMU_CACHE_NONE);
}

/* -- nova.conf: disk_cachemodes = "file=directsync,network=writeback" -------------------------- */

static const char nova_key[] = "disk_cachemodes";

static void nova_line(const char *line, size_t len, struct vm_config *ret)
{
	const char *eq = memchr(line, '=', len), *mode;
	size_t n, mode_len = 0;

	if (len < sizeof(nova_key) - 1 || memcmp(line, nova_key, sizeof(nova_key) - 1) != 0 ||
	    eq == NULL)
		return;
	eq++;
	n = len - (size_t)(eq - line);
	while (n > 0 && strchr(" \t\"'", *eq) != NULL) {
		eq++;
		n--;
	}
	while (n > 0 && strchr(" \t\"'", eq[n - 1]) != NULL)
		n--;
	/* Only network disks are RBD images; a later line overrides. Blanks after commas are rare
	 * and allowed. */
	mode = member(eq, n, "network", &mode_len);
	if (mode == NULL)
		mode = member(eq, n, " network", &mode_len);
	ret->disks = 0;
	vm_config_add(ret, "network", 7, "", 0, mode, mode_len, QEMU_CACHE_NONE);
}

static void each_line(const char *text, struct vm_config *ret,
	void (*take)(const char *line, size_t len, struct vm_config *ret))
{
	while (*text != '\0') {
		size_t len = strcspn(text, "\r\n"), skip = strspn(text, " \t");

		if (skip > len)
			skip = len;
		/* A snapshot section of Proxmox tells of the past. */
		if (take == proxmox_line && text[skip] == '[')
			return;
		if (text[skip] != '#')
			take(text + skip, len - skip, ret);
		text += len;
		text += strspn(text, "\r\n");
	}
}

/* -- all --------------------------------------------------------------------------------------- */

static void parse(const char *text, size_t len, struct vm_config *ret)
{
	if (strstr(text, "<disk") != NULL || strstr(text, "<domain") != NULL) {
		ret->format = VM_LIBVIRT;
		vm_config_xml(text, ret);
	} else if (strstr(text, "[libvirt]") != NULL || strstr(text, nova_key) != NULL) {
		ret->format = VM_NOVA;
		each_line(text, ret, nova_line);
		if (ret->disks == 0)
			vm_config_add(ret, "network", 7, "", 0, "", 0, QEMU_CACHE_NONE);
	} else if (memmem(text, len, "-drive", 6) != NULL ||
		   memmem(text, len, "-blockdev", 9) != NULL) {
		ret->format = VM_QEMU;
		vm_config_qemu(text, len, ret);
	} else {
		ret->format = VM_PROXMOX;
		each_line(text, ret, proxmox_line);
	}
}

int vm_config_parse(const char *text, size_t len, const char *file, struct vm_config *ret,
	struct err *reterr)
{
	char *copied = malloc(len + 1);

	*ret = (struct vm_config){ .disks = 0 };
	if (copied == NULL)
		return err_nomem(reterr);
	memcpy(copied, text, len);
	copied[len] = '\0';
	parse(copied, len, ret);
	free(copied);
	if (ret->disks == 0)
		return err_set(reterr, ERR_INPUT, -EBADMSG, "%s: no disk that can be an RBD image; "
			"give a VM configuration of Proxmox (qm config ID), libvirt's XML (virsh "
			"dumpxml VM), nova.conf, or the command line of QEMU", file);
	return 0;
}

/* "ceph-vm:vm-100-disk-0" is the image vm-100-disk-0 of the storage's pool. */
static bool is_image(const char *of_disk, const char *image)
{
	const char *a = strpbrk(of_disk, ":/"), *b = strchr(image, '/');

	if (strcmp(of_disk, image) == 0)
		return true;
	return a != NULL && b != NULL && *a == ':' && strcmp(a + 1, b + 1) == 0;
}

const struct vm_disk *vm_config_find(const struct vm_config *c, const char *image)
{
	const struct vm_disk *found = NULL;

	if (c->format == VM_NOVA || (image == NULL && c->disks == 1))
		return &c->disk[0];
	if (image == NULL)
		return NULL;
	for (size_t i = 0; i < c->disks; i++)
		if (is_image(c->disk[i].image, image))
			found = found == NULL ? &c->disk[i] : found;
	return found;
}
