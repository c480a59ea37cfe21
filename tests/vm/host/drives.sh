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

	set -- -device virtio-scsi-pci,id=vs -device megasas,id=mega
	set -- "$@" $(file ssd) -device ide-hd,drive=ssd,bus=ide.0,rotation_rate=1,model=ZOO_SSD,serial=SSD-1,wwn=0x5000c50000000001
	set -- "$@" $(file hdd) -device ide-hd,drive=hdd,bus=ide.1,rotation_rate=7200,model=ZOO_HDD,serial=HDD-1
	set -- "$@" $(file unsafe),cache=unsafe -device ide-hd,drive=unsafe,bus=ide.2,rotation_rate=1,model=ZOO_UNSAFE,serial=UNSAFE-1
	# The layer of raw gives blkdebug the events.
	set -- "$@" -blockdev "driver=raw,node-name=media,file.driver=blkdebug,file.config=$work/media.conf,file.image.driver=file,file.image.filename=$work/media.img"
	set -- "$@" -device ide-hd,drive=media,bus=ide.3,rotation_rate=1,model=ZOO_MEDIA,serial=MEDIA-1
	# QEMU's nvme has no model=: they are told apart by serial.
	set -- "$@" $(file nvme) -device nvme,drive=nvme,serial=NVME-1
	set -- "$@" $(file nvme2) -device nvme,drive=nvme2,serial=NVME-2
	set -- "$@" $(file perc) -device scsi-hd,drive=perc,bus=mega.0,vendor=DELL,product=PERC_H730,rotation_rate=0,serial=PERC-1
	set -- "$@" $(file scsi) -device scsi-hd,drive=scsi,bus=vs.0,scsi-id=1,vendor=ZOO,product=ZOO_SCSI,rotation_rate=1,serial=SCSI-1,wwn=0x5000c50000000011
	set -- "$@" $(file scsi2) -device scsi-hd,drive=scsi2,bus=vs.0,scsi-id=2,vendor=ZOO,product=ZOO_SCSI2,rotation_rate=1,serial=SCSI-2
	for path in 3 4; do
		set -- "$@" -drive "if=none,id=twin$path,file=$work/twin.img,format=raw,file.locking=off"
		set -- "$@" -device scsi-hd,drive=twin$path,bus=vs.0,scsi-id=$path,vendor=ZOO,product=ZOO_TWIN,rotation_rate=1,serial=TWIN-1,wwn=0x5000c500000000aa,share-rw=on
	done
	set -- "$@" $(file bare) -device scsi-hd,drive=bare,bus=vs.0,scsi-id=5,vendor=ZOO,product=ZOO_BARE,rotation_rate=1,device_id=
	set -- "$@" $(file wt) -device scsi-hd,drive=wt,bus=vs.0,scsi-id=6,vendor=ZOO,product=ZOO_WT,rotation_rate=1,serial=WT-1,write-cache=off
	set -- "$@" $(file virtio) -device virtio-blk-pci,drive=virtio,serial=VIRTIO-1
	zoo_qemu "$@"
}

file() {
	printf '%s' "-drive if=none,id=$1,file=$work/$1.img,format=raw"
}
