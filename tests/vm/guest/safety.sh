# safety.sh - what a real kernel can put on a drive, and each is refused before anything is written.
# limit: 600 s
. ./lib.sh
remember_caches
for module in ext4 loop dm-mod; do
	modprobe $module
done

# Of what a run would write first; all of it takes the emulator too long.
# Direct, because what was written through a dm device is not in the cache of the one below.
sum() {
	sync
	dd if="$1" iflag=direct bs=1M count=5 2>/dev/null | md5sum
}

# refused NAME DEV TOKEN RE - status 3, the reason matches RE, and the drive's bytes are the same.
refused() {
	bytes=$(sum "$2")
	bench "$2" "$3" --size 4M --wipe-signatures --row journal-fsync
	if [ "$status" = 3 ] && grep -qiE "$4" "$T/err" "$T/out"; then
		ok "$1: refused, with the reason"
	else
		not_ok "$1: refused, with the reason ($4)" "$(lib_seen)"
	fi
	same "$1: nothing was written" "$bytes" "$(sum "$2")"
}

# makes NAME COMMAND... - what a fact is about must be there: not_ok and 1 otherwise.
makes() {
	lib_what=$1
	shift
	lib_text=$("$@" 2>&1) && return 0
	not_ok "the guest can make $lib_what" "$*: $lib_text
$(dmesg | tail -n 5)"
	return 1
}

claim ZOO_HDD || exit 1
sectors=$(cat "/sys/block/$d/size")
refused "a wrong serial" "$dev" HDD-2 HDD-1
bench "$dev" HDD-1 --size 4M --row journal-fsync --dry-run
expect_status 0 "a free drive with its serial would run"

if makes "a dm device" dmsetup create held --table "0 $sectors linear $dev 0"; then
	dmsetup mknodes
	refused "a drive below dm" "$dev" HDD-1 "held|dm-"
	makes "a file system" mke2fs -q /dev/mapper/held &&
		makes "a mount" mount -r -t ext4 /dev/mapper/held /mnt &&
		refused "a drive below a mounted dm" "$dev" HDD-1 "held|dm-|/mnt"
	ssdqual run --json --dry-run --size 4M --destroy-data --row journal-fsync /dev/mapper/held
	expect_status 3 "a mounted dm device is refused"
	expect_out "/mnt" "and the message says where it is mounted"
	umount /mnt
	dmsetup remove held
fi

if makes "a volume of LVM" dmsetup create zoo-data --uuid \
	LVM-0123456789abcdefghijklmnopqrstuv0123456789abcdefghijklmnopqrstuv \
	--table "0 $sectors linear $dev 0"; then
	refused "a drive below a logical volume" "$dev" HDD-1 "zoo-data|lvm|dm-"
	dmsetup remove zoo-data
fi

if makes "swap" mkswap "$dev" && makes "active swap" swapon "$dev"; then
	refused "a drive in use as swap" "$dev" HDD-1 swap
	swapoff "$dev"
fi

if loop=$(/usr/bin/losetup -f --show "$dev"); then
	refused "a drive behind a loop device" "$dev" HDD-1 "loop"
	/usr/bin/losetup -d "$loop"
else
	not_ok "the guest can make a loop device"
fi
dd if=/dev/zero of="$dev" bs=1M count=8 2>/dev/null

if [ -x /usr/bin/mdadm ]; then
	modprobe raid1
	claim ZOO_BARE && bare=$dev
	claim ZOO_HDD
	if makes "an array" mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 \
		--assume-clean "$dev" "$bare"; then
		refused "a member of an md array" "$dev" HDD-1 "md"
		mdadm --stop /dev/md0 >/dev/null 2>&1
		# Stopped, it is a signature: refused too, but that can be overridden.
		ssdqual run --json --dry-run --size 4M --destroy-data --confirm HDD-1 \
			--row journal-fsync "$dev"
		expect_status 3 "a member of a stopped array is refused without --wipe-signatures"
		expect_out "raid|md" "and the message names the signature"
		mdadm --zero-superblock "$dev" "$bare" >/dev/null 2>&1
	fi
else
	skip "md: mdadm could not be downloaded"
fi

# Two paths, one drive: mounted on the other path.
paths=$(drives_of ZOO_TWIN)
first=/dev/${paths%%
*}
second=/dev/${paths##*
}
if [ "$first" != "$second" ]; then
	makes "a file system" mke2fs -q "$first" && makes "a mount" mount -r -t ext4 "$first" /mnt && {
		refused "the mounted path of a drive" "$first" TWIN-1 "/mnt"
		refused "the other path of a mounted drive" "$second" TWIN-1 "${first#/dev/}|/mnt"
		umount /mnt
	}
	dd if=/dev/zero of="$first" bs=1M count=8 2>/dev/null
else
	not_ok "the zoo has a drive on two paths" "$paths"
fi

# No serial number, no by-id name: its path must be typed, another word is refused.
if claim ZOO_BARE; then
	refused "a drive without a serial number, named wrongly" "$dev" ZOO_BARE "$dev"
	bench "$dev" "$dev" --size 4M --row journal-fsync --dry-run
	expect_status 0 "a drive without a serial number, named by its path, would run"
fi

# A target of the kernel's own with persistent reservations (QEMU's have none).
pr=/sys/kernel/config/target
if modprobe target_core_file 2>/dev/null && modprobe tcm_loop 2>/dev/null; then
	lib_wwn=naa.5001405000000001
	# Where it keeps registrations.
	mkdir -p /var/target/pr /etc/target
	truncate -s 32M "$T/pr.img"
	mkdir -p $pr/core/fileio_0/zoo
	echo "fd_dev_name=$T/pr.img,fd_dev_size=33554432" >$pr/core/fileio_0/zoo/control
	echo PR-1 >$pr/core/fileio_0/zoo/wwn/vpd_unit_serial
	echo 1 >$pr/core/fileio_0/zoo/enable
	mkdir -p $pr/loopback/$lib_wwn/tpgt_1
	echo naa.5001405000000002 >$pr/loopback/$lib_wwn/tpgt_1/nexus
	mkdir -p $pr/loopback/$lib_wwn/tpgt_1/lun/lun_0
	ln -s $pr/core/fileio_0/zoo $pr/loopback/$lib_wwn/tpgt_1/lun/lun_0/port
	if wait_for drive FILEIO && claim FILEIO; then
		ssdqual run --json --dry-run --size 4M --destroy-data --row journal-fsync "$dev"
		token=$(get 'plans[0].confirm')
		bench "$dev" "$token" --size 4M --row journal-fsync --dry-run
		expect_status 0 "a drive without a reservation would run"
		makes "a registration" sg_persist --out --register --param-sark=0xabc "$dev" &&
			refused "a drive with a registrant" "$dev" "$token" "reserv|regist"
		sg_persist --out --register --param-rk=0xabc --param-sark=0 "$dev" >/dev/null 2>&1
	else
		not_ok "the guest has a target with reservations" "$(dmesg | tail -n 5)"
	fi
else
	skip "persistent reservations: the kernel has no tcm_loop"
fi
same_caches "all refusals"
