# drives.sh - QEMU's arguments for the zoo; sourced by tests/vm/zoo, which sets $work.
#
# Each drive has a model of its own (16 characters is what SCSI shows), by which the guest's scripts
# find it: names like sda depend on the order in which the controllers are found.
#
#	ZOO_SSD       SATA, rotation rate 1          ZOO_HDD       SATA, 7200
#	ZOO_UNSAFE    SATA SSD that ignores flushes  ZOO_MEDIA     SATA SSD, sector 8192 not writable
#	NVME-1        NVMe, found by its serial      NVME-2        NVMe, to be removed
#	VIRTIO-1      virtio-blk, by its serial      PERC_H730     rotation unknown, behind megaraid_sas
#	ZOO_SCSI      SSD behind virtio-scsi         ZOO_SCSI2     the same, to be removed
#	ZOO_TWIN      one drive on two paths         ZOO_BARE      no serial number, no WWN
#	ZOO_WT        SCSI SSD, write cache off at power-on

image() {
	rm -f "$work/$1.img"
	truncate -s "${2:-128M}" "$work/$1.img"
}

# QEMU's arguments, one word each: the folder's path must not have spaces (zoo sees to that).
zoo=
drive() {
	zoo="$zoo -drive if=none,id=$1,file=$work/$1.img,format=raw${2:-}"
}

# sata IMAGE PORT PROPERTIES; scsi IMAGE ID PRODUCT PROPERTIES
sata() {
	zoo="$zoo -device ide-hd,drive=$1,bus=ide.$2,$3"
}
scsi() {
	zoo="$zoo -device scsi-hd,drive=$1,bus=vs.0,scsi-id=$2,vendor=ZOO,product=$3,rotation_rate=1$4"
}

zoo_drives() {
	for name in ssd hdd unsafe media nvme nvme2 perc scsi scsi2 twin bare virtio wt; do
		image "$name"
	done
	# Reading goes well: a drive whose signatures cannot be read is refused before it is written.
	cat >"$work/media.conf" <<-'CONF'
	[inject-error]
	event = "write_aio"
	errno = "5"
	sector = "8192"
	CONF

	drive ssd
	sata ssd 0 rotation_rate=1,model=ZOO_SSD,serial=SSD-1,wwn=0x5000c50000000001
	drive hdd
	sata hdd 1 rotation_rate=7200,model=ZOO_HDD,serial=HDD-1
	drive unsafe ,cache=unsafe
	sata unsafe 2 rotation_rate=1,model=ZOO_UNSAFE,serial=UNSAFE-1
	# The layer of raw gives blkdebug its events.
	zoo="$zoo -blockdev driver=raw,node-name=media,file.driver=blkdebug"
	zoo="$zoo,file.config=$work/media.conf"
	zoo="$zoo,file.image.driver=file,file.image.filename=$work/media.img"
	sata media 3 rotation_rate=1,model=ZOO_MEDIA,serial=MEDIA-1

	# QEMU's nvme has no model=: they are told apart by serial.
	drive nvme
	zoo="$zoo -device nvme,drive=nvme,serial=NVME-1"
	drive nvme2
	zoo="$zoo -device nvme,drive=nvme2,serial=NVME-2"
	drive virtio
	zoo="$zoo -device virtio-blk-pci,drive=virtio,serial=VIRTIO-1"

	zoo="$zoo -device megasas,id=mega -device virtio-scsi-pci,id=vs"
	drive perc
	zoo="$zoo -device scsi-hd,drive=perc,bus=mega.0,vendor=DELL,product=PERC_H730,serial=PERC-1"
	drive scsi
	scsi scsi 1 ZOO_SCSI ,serial=SCSI-1,wwn=0x5000c50000000011
	drive scsi2
	scsi scsi2 2 ZOO_SCSI2 ,serial=SCSI-2
	for path in 3 4; do
		zoo="$zoo -drive if=none,id=twin$path,file=$work/twin.img,format=raw,file.locking=off"
		scsi twin$path $path ZOO_TWIN ,serial=TWIN-1,wwn=0x5000c500000000aa,share-rw=on
	done
	drive bare
	scsi bare 5 ZOO_BARE ,device_id=
	drive wt
	scsi wt 6 ZOO_WT ,serial=WT-1,write-cache=off
	# shellcheck disable=SC2086 # words are wanted
	zoo_qemu $zoo
}
