/* controller.h - a RAID controller between the kernel and the drives, and what its tool says.
 *
 * Behind a RAID controller a disk is a virtual disk: its cache, its power-loss protection and its
 * medium are the controller's and cannot be read here. The controller's own tool knows; its JSON
 * can be given.
 * Sources of the detection: the drivers of Linux 6.1: megaraid_sas puts physical disks (JBOD) on
 * channels 0 and 1 and virtual disks above (MEGASAS_MAX_PD_CHANNELS), mpt3sas puts IR volumes on
 * channel 1 (RAID_CHANNEL), hpsa and smartpqi have the attribute raid_level ("N/A" of a bare disk),
 * aacraid puts containers on channel 0 (CONTAINER_CHANNEL); mpi3mr has neither, there vendor and
 * model decide.
 */
#ifndef SSDQUAL_PROBES_CONTROLLER_H
#define SSDQUAL_PROBES_CONTROLLER_H

#include "data/err.h"
#include "data/json.h"

struct sysroot;

/* controller_detect - {driver, kind, source} of the whole disk @disk. kind: "raid" (a virtual
 * disk), "jbod" (a bare disk handed through by a RAID controller), "hba" (a SAS adaptor). NULL: no
 * such controller is seen, or no memory. @driver null: known by vendor and model only. */
struct json *controller_detect(const struct sysroot *root, const char *disk);
bool controller_is_raid(const struct json *identity);

/* What a controller's tool reported: storcli, storcli2 and perccli ("/call/vall show all J",
 * "/call show all J"), ssacli ("ctrl all show config detail", as JSON). */
struct controller_file;

/* controller_load - @path "-" reads standard input. ERR_INPUT: unreadable, or of none of the known
 * forms. Free with controller_free(). */
int controller_load(const char *path, struct controller_file **ret, struct err *reterr);
void controller_free(struct controller_file *f);

/* controller_apply - what @f says of the virtual disk that @identity is (matched by NAA id, by
 * device name where the file has no id), merged into identity.controller: tool, volume, raid_level,
 * cache_policy "write back" "write through" "always write back", disk_cache "on" "off" "default",
 * battery "ok" "failed" "absent", drives[]{slot, model, media "ssd" "hdd", interface}, media "ssd"
 * "hdd" "mixed"; null where the file does not say. Sets rotational.verdict from the media.
 * Returns 1 when merged, 0 when this is no virtual disk or the file does not know it, -ENOMEM. */
int controller_apply(const struct controller_file *f, struct json *identity);

#endif
