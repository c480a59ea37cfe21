# run-device.sh - runs on block devices: loop and zram, whole batteries, several at once.
. tests/cli/lib.sh
need_tool /usr/bin/python3
need_loop

# In memory where possible: the devices of this test need no drive behind them.
parent=/var/tmp
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && parent=/dev/shm
D=$(mktemp -d "$parent/ssdqual-device.XXXXXX") || exit 1
at_exit "rm -rf '$D'"

new_loop() { # NAME SIZE [losetup options]: sets $loop
	loop_file=$D/$1
	truncate -s "$2" "$loop_file"
	shift 2
	loop=$(losetup "$@" -f --show "$loop_file") || skip_all "needs a free loop device"
	at_exit "losetup -d $loop"
}

new_loop one 192M
one=$loop
ssdqual run "$one" --runtime 300ms --no-store --json --quiet
expect_status 3 "a device is refused without consent"
expect_json error.exit_status 3
expect_err 'destroy-data' "and the message says what would allow it"
check "nothing was written" cmp -n 1048576 "$one" /dev/zero
ssdqual run "$one" --runtime 300ms --no-store --destroy-data --confirm wrong --quiet
expect_status 3 "a wrong confirmation is refused"
ssdqual run "$one" --runtime 300ms --no-store --destroy-data --quiet
expect_status 3 "no confirmation is refused where nobody can be asked"
check "nothing was written yet" cmp -n 1048576 "$one" /dev/zero

# Reading takes nothing away: no consent, and a device in use may be read.
mkfs.ext4 -q "$one"
mkdir "$T/mnt"
mount -o ro "$one" "$T/mnt" && at_exit "umount '$T/mnt' 2>/dev/null"
sync
sum=$(sha256sum <"$D/one")
ssdqual run "$one" --runtime 300ms --no-store --row randread-1 --json --quiet
check "rows that only read run on a mounted device" test "$status" = 0 -o "$status" = 5
expect_json measurements.# 1 "and are measured"
ssdqual run "$one" --runtime 300ms --no-store --battery rotation --json --quiet
expect_json_has measurements[0].iops "so is the battery rotation"
ssdqual run "$one" --runtime 300ms --no-store --row randread-1 --row journal-sync --quiet
expect_status 3 "one row that writes is refused with the rest"
ssdqual run "$one" --runtime 300ms --no-store --row randread-1 --fill --quiet
expect_status 3 "and so is filling before a read"
same_sum() { [ "$(sha256sum <"$D/one")" = "$sum" ]; }
check "reading left every byte as it was" same_sum
umount "$T/mnt"
wipefs -aq "$one"

ssdqual run "$one" --runtime 300ms --no-store --destroy-data --confirm "$one" --json --quiet \
	-o "$T/one.json"
expect_status 0 "the default battery runs on a loop device"
expect_json settings.battery ceph "ceph is the default on a device"
expect_json measurements.# 9
expect_json measurements[0].probe journal-sync
expect_json measurements[0].params.direct true
expect_json measurements[5].params.bs 4194304
expect_json measurements[0].params.sync sync "O_SYNC, as fio's sync=1"
expect_json settings.size 201326592 "the span is the whole device"
check "every figure can be recomputed from its histogram" tests/cli/run-recompute.py "$T/one.json"
ssdqual validate "$T/one.json"
expect_status 0 "the document passes validate"
if cmp -s -n 1048576 "$one" /dev/zero; then
	not_ok "the device was written"
else
	ok "the device was written"
fi

# Only the span is touched.
new_loop span 64M
ssdqual run "$loop" --offset 16M --size 16M --battery pwl --runtime 300ms --no-store --destroy-data \
	--confirm "$loop" --json --quiet --fill --slc-cache 8M
expect_status 0 "a span of a device is tested"
expect_json settings.fill_bytes 16777216
check "nothing before the span was written" cmp -n 16777216 "$loop" /dev/zero
check "nothing behind it was written" cmp -n 33554432 -i 33554432:0 "$loop" /dev/zero
if dd if="$loop" bs=1M skip=16 count=16 2>/dev/null | cmp -s -n 16777216 - /dev/zero; then
	not_ok "the span was filled"
else
	ok "the span was filled"
fi
packed=$(dd if="$loop" bs=1M skip=16 count=16 2>/dev/null | gzip -c | wc -c)
if [ "$packed" -gt 16700000 ]; then
	ok "what was written does not compress"
else
	not_ok "what was written does not compress" "$packed of 16777216 bytes"
fi

# 4096-byte sectors: what is below them is said, not left out.
new_loop four 32M --sector-size 4096
if [ "$(blockdev --getss "$loop")" = 4096 ]; then
	ssdqual run "$loop" --battery sync-size --runtime 100ms --no-store --destroy-data \
		--confirm "$loop" --json --quiet
	expect_status 0 "sync-size runs on a device with 4096-byte sectors"
	expect_json measurements.# 12 "without the sizes below the sector"
	expect_json findings[0].code not-applicable "which are findings"
	expect_out '"dsync-512: not applicable' "and name the row"
else
	skip "4096-byte sectors (this kernel's loop driver has none)"
fi

# A signature stands in the way until it is to be wiped; then it is gone.
if command -v mkfs.ext4 >/dev/null; then
	new_loop signed 64M
	mkfs.ext4 -q "$loop" 2>/dev/null
	blockdev --flushbufs "$loop"
	set -- "$loop" --row journal-sync --runtime 100ms --no-store --destroy-data --confirm "$loop" \
		--quiet
	ssdqual run "$@"
	expect_status 3 "a file system's signature refuses the run"
	expect_err 'ext4' "and is named"
	check "the file system is intact" fsck.ext4 -fn "$loop"
	ssdqual run "$@" --wipe-signatures
	expect_status 0 "--wipe-signatures lets it run"
	if blkid -p "$loop" >/dev/null 2>&1; then
		not_ok "the signature is gone"
	else
		ok "the signature is gone"
	fi
else
	skip "signatures (needs mkfs.ext4)"
fi

# Several targets: one document each.
new_loop two 16M
two=$loop
new_loop three 16M
mkdir "$T/results"
ssdqual run "$two" "$loop" --row journal-fsync --runtime 100ms --no-store --destroy-data \
	--confirm "$two" --confirm "$loop" --json --quiet -o "$T/results/"
expect_status 0 "two devices, each with its own confirmation"
expect_json results.# 2
expect_json results[0].target.path "$two"
check "-o FOLDER holds both" test "$(ls "$T/results" | wc -l)" = 2
ssdqual run "$two" "$loop" --row journal-fsync --runtime 100ms --no-store --destroy-data \
	--confirm "$two" --quiet
expect_status 3 "one of two without its confirmation refuses both"

# Too small, and beyond the end.
ssdqual run "$two" --runtime 100ms --no-store --destroy-data --confirm "$two" --quiet
expect_status 2 "16 MiB are too small for the ceph battery"
expect_err '134217728' "and the minimum is named"
ssdqual run "$two" --size 32M --row journal-sync --no-store --destroy-data --confirm "$two" --quiet
expect_status 2 "a span beyond the end is refused"
ssdqual run "$two" --battery etcd --no-store --destroy-data --confirm "$two" --quiet
expect_status 2 "etcd needs a directory"

# Memory at depth 128: buffers are what the plan says, not more.
cat >"$T/peak.py" <<'PY'
import resource, subprocess, sys
r = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(r.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
PY
run_cmd /usr/bin/python3 "$T/peak.py" "$SSDQUAL" run "$one" --row random-nosync --runtime 300ms \
	--no-store --destroy-data --confirm "$one" --json --quiet
read -r rc kib <"$T/out"
if [ "$rc" = 0 ] && [ "$kib" -lt 65536 ]; then
	ok "depth 128 takes less than 64 MiB of memory"
elif nm "$SSDQUAL" 2>/dev/null | grep -q __asan_init; then
	skip "memory at depth 128 (built with the address sanitizer)"
else
	not_ok "depth 128 takes less than 64 MiB of memory" "status $rc, $kib KiB"
fi

# zram: a device without a drive behind it, faster than any.
Z=
if [ -r /sys/class/zram-control/hot_add ]; then
	Z=$(cat /sys/class/zram-control/hot_add 2>/dev/null) &&
		at_exit "echo $Z >/sys/class/zram-control/hot_remove"
elif [ "$(cat /sys/block/zram0/disksize 2>/dev/null)" = 0 ]; then
	Z=0
fi
if [ -n "$Z" ] && echo 192M >"/sys/block/zram$Z/disksize" 2>/dev/null; then
	at_exit "echo 1 >/sys/block/zram$Z/reset"
	ssdqual run "/dev/zram$Z" --runtime 200ms --no-store --destroy-data --confirm "/dev/zram$Z" \
		--json --quiet -o "$T/zram.json"
	expect_status 0 "the ceph battery runs on zram"
	check "its figures can be recomputed, too" tests/cli/run-recompute.py "$T/zram.json"
else
	skip "zram (no zram device is free)"
fi
