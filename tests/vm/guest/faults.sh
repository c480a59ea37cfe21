# faults.sh - drives that fail, vanish or turn read-only in mid-run: status 4, what was measured is
# kept with the place of the error, and the cache is restored.
# limit: 600 s
. ./lib.sh
remember_caches

state() {
	echo "$(drive_cache "$d") $(kernel_cache "$d")"
}

# failed NAME - a document of a run that ended early.
failed() {
	expect_status 4 "$1: the run ends with status 4"
	if [ ! -s "$T/doc" ]; then
		not_ok "$1: the document is kept" "$(lib_seen)"
		return 1
	fi
	run_cmd /usr/bin/ssdqual validate "$T/doc"
	expect_status 0 "$1: the document is kept and valid"
	[ "$(get settings.ended "$T/doc")" != complete ] ||
		not_ok "$1: the document does not say complete" "$(get settings "$T/doc")"
}

vanished() {
	case $(get settings.ended "$T/doc") in
	device-gone) ok "$1: the document says so" ;;
	*) not_ok "$1: the document says so" "$(jsonget "$T/doc" settings.ended \
		'measurements[0].error' 'measurements[0].stop' findings)
$(dmesg | tail -n 5)
$(cat "$T/err")" ;;
	esac
}

# begin NAME DEV TOKEN ARGS... - a run in the background, up to its first writes; NAME: in /sys/block.
begin() {
	counters=/sys/block/$1/stat
	begun=$2
	token=$3
	shift 3
	rm -f "$T/doc"
	written=$(awk '{ print $5 }' "$counters")
	last_cmd="ssdqual run on $begun"
	/usr/bin/env --default-signal=INT ssdqual run --json --no-store -o "$T/doc" --destroy-data \
		--confirm "$token" "$@" "$begun" >"$T/out" 2>"$T/err" </dev/null &
	pid=$!
	wait_for has_written || not_ok "the run on $begun writes" "$(lib_seen)"
}
has_written() {
	[ "$(awk '{ print $5 }' "$counters")" -gt $((written + 50)) ] || ! kill -0 "$pid" 2>/dev/null
}
finish() {
	wait_for has_ended || wait_for has_ended || wait_for has_ended || kill -9 "$pid"
	wait "$pid"
	status=$?
}
has_ended() {
	! kill -0 "$pid" 2>/dev/null
}

# Sector 8192 of ZOO_MEDIA, not writable, is 1 MiB into the span.
if claim ZOO_MEDIA; then
	before=$(state)
	bench "$dev" MEDIA-1 --offset 3M --size 2M --runtime 20s --write-cache both --row journal-fsync
	if failed "a media error"; then
		case $(cat "$T/doc" "$T/err") in
		*4194304* | *8192*) ok "a media error: its place is named" ;;
		*) not_ok "a media error: its place is named" "$(get measurements "$T/doc" | head -c 1500)
$(get findings "$T/doc")" ;;
		esac
	fi
	same "a media error: the cache is as before" "$before" "$(state)"
fi

if claim ZOO_SCSI2; then
	begin "$d" "$dev" SCSI-2 --size 8M --runtime 30s --write-cache both --row journal-fsync
	echo 1 >"/sys/block/$d/device/delete"
	finish
	failed "a SCSI drive that vanishes" && vanished "a SCSI drive that vanishes"
fi
if claim NVME-2; then
	begin "$d" "$dev" NVME-2 --size 8M --runtime 30s --write-cache both --row journal-fsync
	echo 1 >"/sys/block/$d/device/device/remove"
	finish
	failed "an NVMe drive that vanishes" && vanished "an NVMe drive that vanishes"
fi

if claim ZOO_HDD; then
	before=$(state)
	begin "$d" "$dev" HDD-1 --size 8M --runtime 30s --write-cache both --row journal-fsync
	blockdev --setro "$dev"
	finish
	failed "a drive that turns read-only"
	same "a drive that turns read-only: the cache is as before" "$before" "$(state)"
	bench "$dev" HDD-1 --size 4M --row journal-fsync
	case $status in
	3 | 4) ok "a read-only drive is not run on" ;;
	*) not_ok "a read-only drive is not run on" "$(lib_seen)" ;;
	esac
	expect_err "read-only" "and the message says why"
	blockdev --setrw "$dev"
fi

modprobe dm-flakey
if claim ZOO_SSD; then
	sectors=$(cat "/sys/block/$d/size")
	# Good while it is opened and measured first, then all writes fail for longer than any run.
	if dmsetup create flaky --table "0 $sectors linear $dev 0"; then
		dmsetup mknodes
		ssdqual run --json --dry-run --size 4M --row journal-fsync --destroy-data /dev/mapper/flaky
		token=$(get 'plans[0].confirm')
		dm=$(dmsetup info -c --noheadings -o blkdevname flaky)
		begin "$dm" /dev/mapper/flaky "$token" --size 4M --runtime 30s --row journal-fsync
		dmsetup suspend --noflush flaky
		dmsetup load flaky --table "0 $sectors flakey $dev 0 0 600 1 error_writes"
		dmsetup resume flaky
		finish
		failed "a dm device that begins to fail"
		dmsetup remove flaky
	else
		not_ok "the guest can make a dm device"
	fi
fi
same_caches "all faults"
ssdqual list --json
if grep -q "restore" "$T/err"; then
	not_ok "nothing of a present drive is left to be restored" "$(cat "$T/err")"
else
	ok "nothing of a present drive is left to be restored"
fi
