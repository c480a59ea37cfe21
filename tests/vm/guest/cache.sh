# cache.sh - `ssdqual cache` on drives that can, refuse or have none; judged by hdparm, nvme, sg_modes.
# limit: 600 s
. ./lib.sh
remember_caches

# The watcher itself must be able to fail: the unsafe combination, made by hand, is seen.
claim NVME-1 || exit 1
watched "$d" sh -c "echo 'write through' >/sys/block/$d/queue/write_cache; sleep 0.3;
	echo 'write back' >/sys/block/$d/queue/write_cache"
if [ "$(reported unsafe)" -gt 0 ]; then
	ok "the watcher sees a kernel in write-through over a cache that is on"
else
	not_ok "the watcher sees a kernel in write-through over a cache that is on" "$(cat "$T/report")"
fi

# safe WHAT - what the watcher saw of the last command.
safe() {
	if [ "$(reported unsafe)" = 0 ] && [ "$(reported traced)" -gt 0 ] &&
		[ $(($(reported unreadable) * 10)) -lt "$(reported polled)" ]; then
		ok "$model: $1 never leaves the kernel in write-through over a cache that is on"
	else
		not_ok "$model: $1 never leaves the kernel in write-through over a cache that is on" \
			"$(cat "$T/report")"
	fi
}

# Off, on, off, restore: everything that changes a drive, from one that is on and one that is off.
for model in ZOO_SSD ZOO_SCSI NVME-1 ZOO_WT; do
	claim "$model" || continue
	before="$(drive_cache "$d") $(kernel_cache "$d")"
	ssdqual cache "$dev"
	expect_status 0 "$model: cache shows it"
	same "$model: showing changes nothing" "$before" "$(drive_cache "$d") $(kernel_cache "$d")"

	watched "$d" /usr/bin/ssdqual cache "$dev" off
	expect_status 0 "$model: cache off succeeds"
	same "$model: the drive's cache is off" off "$(drive_cache "$d")"
	[ "$model" = ZOO_WT ] || safe "turning off"
	case $d in
	sd*)
		same "$model: the kernel follows" "write through" "$(kernel_cache "$d")"
		;;
	nvme*)
		# Set Features is a passthrough command to the kernel: it does not look again.
		same "$model: the kernel's view stays" "write back" "$(kernel_cache "$d")"
		ssdqual cache "$dev"
		expect_out "flush" "$model: cache explains that flushes are still sent"
		ssdqual cache "$dev" --json
		case $(get write_cache) in
		*'"drive":"off"'*'"queue":"write back"'*)
			ok "$model: cache --json keeps drive and kernel apart"
			;;
		*) not_ok "$model: cache --json keeps drive and kernel apart" "$(lib_seen)" ;;
		esac
		;;
	esac

	watched "$d" /usr/bin/ssdqual cache "$dev" on
	expect_status 0 "$model: cache on succeeds"
	same "$model: the drive's cache is on" on "$(drive_cache "$d")"
	same "$model: the kernel sends flushes" "write back" "$(kernel_cache "$d")"
	safe "turning on"

	watched "$d" /usr/bin/ssdqual cache "$dev" restore
	expect_status 0 "$model: cache restore succeeds"
	same "$model: it is as before" "$before" "$(drive_cache "$d") $(kernel_cache "$d")"
	safe "restoring"
done

# scsi_debug keeps its page by MODE SELECT.
if modprobe scsi_debug dev_size_mb=32 delay=0 && wait_for drive scsi_debug; then
	model=scsi_debug
	claim "$model"
	before="$(drive_cache "$d") $(kernel_cache "$d")"
	same "$model: it begins with its cache on" "on write back" "$before"
	watched "$d" /usr/bin/ssdqual cache "$dev" off
	expect_status 0 "$model: cache off succeeds"
	same "$model: the drive's cache is off" off "$(drive_cache "$d")"
	safe "turning off"
	watched "$d" /usr/bin/ssdqual cache "$dev" restore
	expect_status 0 "$model: cache restore succeeds"
	same "$model: it is as before" "$before" "$(drive_cache "$d") $(kernel_cache "$d")"
	safe "restoring"

	# Offline, every command fails: nothing is known, so nothing may be called a success.
	echo offline >"/sys/block/$d/device/state"
	ssdqual cache "$dev" off
	echo running >"/sys/block/$d/device/state"
	expect_status 4 "$model: a drive that fails every command is a device error"
	same "$model: it is as before" "$before" "$(drive_cache "$d") $(kernel_cache "$d")"
	echo 1 >"/sys/block/$d/device/delete"
	rmmod scsi_debug
else
	not_ok "scsi_debug makes a drive" "$(dmesg | tail -n 5)"
fi

# Without a cache that could be asked: not supported is status 4, and says why.
modprobe loop
truncate -s 16M "$T/loop.img"
loop=$(/usr/bin/losetup -f --show "$T/loop.img")
nullb cached cache_size=16 || not_ok "null_blk makes a device"
nullb plain || not_ok "null_blk makes a device"
for name in vda cached plain "${loop#/dev/}"; do
	d=$name
	before=$(kernel_cache "$d")
	ssdqual cache "/dev/$d" off
	expect_status 4 "$name: cache off is not supported"
	expect_err "." "$name: it says why"
	same "$name: the kernel's view is not touched" "$before" "$(kernel_cache "$d")"
	ssdqual cache "/dev/$d"
	case $status in
	0 | 4) ok "$name: cache shows what is known" ;;
	*) not_ok "$name: cache shows what is known" "$(lib_seen)" ;;
	esac
done
/usr/bin/losetup -d "$loop"
rmdir /sys/kernel/config/nullb/cached /sys/kernel/config/nullb/plain
rmmod null_blk

# A volume: what the disks behind it do is the controller's business.
if claim PERC_H730; then
	before="$(drive_cache "$d") $(kernel_cache "$d")"
	ssdqual cache "$dev" off
	case $status in
	3 | 4) ok "PERC: cache refuses" ;;
	*) not_ok "PERC: cache refuses" "$(lib_seen)" ;;
	esac
	expect_err "perccli|storcli" "PERC: it names the controller's own command"
	same "PERC: it is as before" "$before" "$(drive_cache "$d") $(kernel_cache "$d")"
fi
same_caches "all changes"
