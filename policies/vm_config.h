/* vm_config.h - which cache mode the disks of a VM have, from how the VM is configured.
 *
 * QEMU sets rbd_cache of an image from the disk's cache mode, over ceph.conf (since QEMU 2.4;
 * before, an explicit setting there won):
 *   writeback     rbd_cache true                writethrough  true, with max_dirty 0
 *   none          false                         directsync    false
 *   unsafe        true, and the guest's flushes are not passed on
 * Source: ceph doc/rbd/qemu-rbd.rst; qemu block/rbd.c, qemu_rbd_open.
 *
 * Read are: a VM configuration of Proxmox, libvirt's domain XML, nova.conf (disk_cachemodes), a
 * command line of QEMU (arguments parted by NUL or by lines). What a disk does not state is the
 * default of that program: none for Proxmox and nova, writeback for QEMU and libvirt.
 * Pure; any bytes are allowed, what is not understood is passed over.
 */
#ifndef SSDQUAL_POLICIES_VM_CONFIG_H
#define SSDQUAL_POLICIES_VM_CONFIG_H

#include "data/err.h"
#include "policies/rbd_status.h"

enum qemu_cache { QEMU_CACHE_UNKNOWN, QEMU_CACHE_NONE, QEMU_CACHE_WRITEBACK,
	QEMU_CACHE_WRITETHROUGH, QEMU_CACHE_DIRECTSYNC, QEMU_CACHE_UNSAFE };
const char *qemu_cache_word(enum qemu_cache c); /* "unknown" "none" "writeback" ... */
/* qemu_cache_of - the mode of that name; QEMU_CACHE_UNKNOWN for another word. */
enum qemu_cache qemu_cache_of(const char *word);

struct qemu_effect {
	enum answer rbd_cache;    /* what QEMU sets it to; unknown with the mode */
	bool max_dirty_zero;      /* each write waits for the cluster */
	bool flushes_ignored;     /* the guest's syncs mean nothing */
};
struct qemu_effect qemu_cache_effect(enum qemu_cache c);

enum vm_format { VM_PROXMOX, VM_LIBVIRT, VM_NOVA, VM_QEMU };

#define VM_NAME_MAX 64
struct vm_disk {
	char name[VM_NAME_MAX];       /* "scsi0", "vda", "network" (nova: all of its RBD disks) */
	char image[2 * VM_NAME_MAX];  /* "pool/image" or "storage:volume"; "" not said */
	enum qemu_cache cache;        /* stated, or the default */
	bool stated;
};

#define VM_DISKS_MAX 32
struct vm_config {
	enum vm_format format;
	struct vm_disk disk[VM_DISKS_MAX]; /* those that are, or may be, RBD images */
	size_t disks;
};

/* vm_config_parse - @text of @len bytes; @file is for messages. -EBADMSG, ERR_INPUT when it is of
 * none of the kinds, or has no disk that can be an RBD image. */
int vm_config_parse(const char *text, size_t len, const char *file, struct vm_config *ret,
	struct err *reterr);
const char *vm_format_word(enum vm_format f); /* "Proxmox", "libvirt", "nova.conf", "QEMU" */

/* vm_config_find - the disk that is @image ("pool/image"); a volume matches by its own name. With
 * NULL, the only one that there is. NULL: none, or several. */
const struct vm_disk *vm_config_find(const struct vm_config *c, const char *image);

/* -- parts of it, one file for each kind ------------------------------------------------------- */

void vm_config_add(struct vm_config *c, const char *name, size_t name_len, const char *image,
	size_t image_len, const char *cache, size_t cache_len, enum qemu_cache otherwise);
void vm_config_xml(const char *text, struct vm_config *ret);                /* vm_config_xml.c */
void vm_config_qemu(const char *text, size_t len, struct vm_config *ret);   /* vm_config_qemu.c */

#endif
