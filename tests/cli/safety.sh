#!/bin/sh
# safety.sh - `ssdqual run` refuses what is in use, and writes nothing then (loop devices, root).
. tests/cli/lib.sh
need_loop
need_tool mkfs.ext4 sha256sum
PATH=$PATH:/sbin:/usr/sbin

# A loop device over a new image of 64 MiB: $dev; detached at exit.
new_loop() {
	dd if=/dev/urandom of="$T/$1" bs=1M count=64 status=none
	dev=$(losetup -f --show "$T/$1") || skip_all "no loop device can be set up"
	at_exit "losetup -d $dev 2>/dev/null"
}

# What the kernel still keeps of earlier writes must not come in between two sums.
settle() {
	blockdev --flushbufs "$dev" 2>/dev/null
	sync "$image"
}

sum_of() {
	sha256sum <"$1" | cut -d' ' -f1
}

try() {
	ssdqual run --battery quick --row t1q1-fsync --runtime 1s --no-store --json "$@"
}

# refused WHAT TARGET WORDS [OPTION...]: status 3 with WORDS, and no byte of $image changes. File
# systems are mounted read-only for that: ext4 writes by itself.
refused() {
	lib_what=$1 lib_target=$2 lib_words=$3
	shift 3
	settle
	before=$(sum_of "$image")
	try "$lib_target" --destroy-data --confirm "$lib_target" "$@"
	expect_status 3 "$lib_what is refused"
	if json_get error.message | grep -qE -e "$lib_words"; then ok "$lib_what: $lib_words"; else
		not_ok "$lib_what: $lib_words" "$(lib_seen)"
	fi
	check "$lib_what: nothing was written" test "$(sum_of "$image")" = "$before"
}

# allowed WHAT TARGET [OPTION...]: the run ends well, and the bytes of $image are others.
allowed() {
	lib_what=$1 lib_target=$2
	shift 2
	settle
	before=$(sum_of "$image")
	try "$lib_target" --destroy-data --confirm "$lib_target" "$@"
	if [ "$status" = 0 ] || [ "$status" = 1 ] || [ "$status" = 5 ]; then
		ok "$lib_what is run"
	else
		not_ok "$lib_what is run" "$(lib_seen)"
	fi
	check "$lib_what: it was written to" test "$(sum_of "$image")" != "$before"
}

mkdir "$T/mnt" "$T/sp ace"
new_loop plain
image=$T/plain

# -- consent -----------------------------------------------------------------------------------
before=$(sum_of "$image")
try "$dev"
expect_status 3 "a device is not written without --destroy-data"
try "$dev" --destroy-data
expect_status 3 "nor without --confirm"
for token in "" /dev/loop "${dev}0" loop "$T/plain"; do
	try "$dev" --destroy-data --confirm "$token"
	expect_status 3 "nor with --confirm '$token'"
done
check "without consent nothing was written" test "$(sum_of "$image")" = "$before"
allowed "a free loop device" "$dev"
ln -s "$dev" "$T/link"
allowed "a free loop device through a link" "$T/link"

# -- the backing file and other files ------------------------------------------------------------
refused "the backing file of a loop device" "$T/plain" "backs loop"
ln "$T/plain" "$T/hard"
refused "its other name" "$T/hard" "backs loop"
cp "$T/plain" "$T/file"
image=$T/file
try "$T/file"
expect_status 3 "a regular file is not written without consent"
try "$T/file" --destroy-data --confirm file
expect_status 3 "nor with another token"
allowed "a regular file" "$T/file"
exec 7<>"$T/file"
refused "a file that another process has open" "$T/file" "has it open"
exec 7>&-

# -- mounts --------------------------------------------------------------------------------------
image=$T/plain
mkfs.ext4 -q -F "$dev"
refused "a file system that is not mounted" "$dev" "ext4 signature.*--wipe-signatures"
mount "$dev" "$T/mnt" && at_exit "umount '$T/mnt' 2>/dev/null"
try "$dev" --destroy-data --wipe-signatures --confirm "$dev"
expect_status 3 "a device mounted read-write is refused"
umount "$T/mnt"
mount -r "$dev" "$T/mnt"
refused "a mounted device" "$dev" "mounted on $T/mnt"
refused "a mounted device, signatures permitted" "$dev" "mounted on" --wipe-signatures
refused "a mounted device through a link" "$T/link" "mounted on" --wipe-signatures
umount "$T/mnt"
mount -r "$dev" "$T/sp ace" && at_exit "umount '$T/sp ace' 2>/dev/null"
refused "a device mounted on a name with a space" "$dev" "mounted on .*/sp ace" --wipe-signatures
mount -o bind "$T/sp ace" "$T/mnt"
umount "$T/sp ace"
refused "a device mounted by a bind mount alone" "$dev" "mounted on" --wipe-signatures
umount "$T/mnt"

if command -v unshare >/dev/null; then
	unshare -m sh -c "mount -r '$dev' '$T/mnt' && : >'$T/ready' && exec sleep 600" &
	sleeper=$!
	at_exit "kill $sleeper 2>/dev/null"
	while [ ! -e "$T/ready" ] && kill -0 "$sleeper" 2>/dev/null; do sleep 0.05; done
	check "it is not in our mount table" sh -c "! grep -q '$dev ' /proc/self/mountinfo"
	refused "a device mounted in another namespace" "$dev" \
		"in the mount namespace of process $sleeper" --wipe-signatures

	: >"$T/ns"
	mount --make-private --bind "$T" "$T" 2>/dev/null && at_exit "umount '$T' 2>/dev/null"
	if mount --bind "/proc/$sleeper/ns/mnt" "$T/ns" 2>/dev/null; then
		at_exit "umount '$T/ns' 2>/dev/null"
		kill "$sleeper"
		wait "$sleeper" 2>/dev/null
		refused "a device mounted in a namespace without processes" "$dev" \
			"not visible from here" --wipe-signatures
		umount "$T/ns"
	else
		kill "$sleeper"
		wait "$sleeper" 2>/dev/null
		skip "a mount namespace cannot be kept by a bind mount here"
	fi
	umount "$T" 2>/dev/null
	# The kernel takes the namespace apart in the background.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		/usr/bin/python3 -c "import os, sys; os.open(sys.argv[1], os.O_RDWR | os.O_EXCL)" \
			"$dev" 2>/dev/null && break
		sleep 0.1
	done
else
	skip "needs unshare: mounts in other namespaces"
fi
allowed "an unmounted file system, erased first" "$dev" --wipe-signatures
check "its signature is gone" sh -c "! blkid -p '$dev'"

# -- swap ----------------------------------------------------------------------------------------
mkswap "$dev" >/dev/null 2>&1
if swapon "$dev" 2>/dev/null; then
	at_exit "swapoff $dev 2>/dev/null"
	refused "a device in use as swap" "$dev" "swap ${dev#/dev/}" --wipe-signatures
	swapoff "$dev"
else
	skip "swapon does not work here"
fi
refused "a swap signature" "$dev" "swap signature"

# -- partitions ----------------------------------------------------------------------------------
# The kernel here may read no partition tables, so the partitions are told to it one by one.
new_loop parts
image=$T/parts
if command -v sfdisk >/dev/null && command -v addpart >/dev/null &&
	printf 'label: gpt\n,20M\n,20M\n' | sfdisk -q "$dev" >/dev/null 2>&1; then
	refused "a partition table" "$dev" "gpt partition table"
	[ -b "${dev}p1" ] || { addpart "$dev" 1 2048 40960; addpart "$dev" 2 43008 40960; }
	at_exit "delpart $dev 1 2>/dev/null; delpart $dev 2 2>/dev/null"
	mkfs.ext4 -q -F "${dev}p1"
	mount -r "${dev}p1" "$T/mnt" && at_exit "umount '$T/mnt' 2>/dev/null"
	refused "a disk with a mounted partition" "$dev" "p1 mounted on" --wipe-signatures
	refused "a mounted partition" "${dev}p1" "p1 mounted on" --wipe-signatures
	allowed "a partition beside a mounted one" "${dev}p2"
	umount "$T/mnt"
	refused "a file system inside a partition" "$dev" "p1: ext4 signature|gpt partition table"
	allowed "a disk whose partitions are free, erased first" "$dev" --wipe-signatures
	check "no signature is left on it" sh -c "! blkid -p '$dev'"
	check "nor in its partition" sh -c "! blkid -p '${dev}p1'"
	mkfs.ext4 -q -F "$dev"
	mount -r "$dev" "$T/mnt"
	refused "a partition of a disk that is mounted as a whole" "${dev}p2" "mounted on" \
		--wipe-signatures
	umount "$T/mnt"
	delpart "$dev" 1
	delpart "$dev" 2
else
	skip "needs sfdisk and addpart: partitions"
fi

# -- loop devices over devices ---------------------------------------------------------------------
new_loop lower
image=$T/lower
lower=$dev
upper=$(losetup -f --show "$lower") && at_exit "losetup -d $upper 2>/dev/null"
refused "a device below a loop device" "$lower" "backs ${upper#/dev/}"
mkfs.ext4 -q -F "$lower"
mount -r "$lower" "$T/mnt" && at_exit "umount '$T/mnt' 2>/dev/null"
refused "a loop device over a mounted device" "$upper" "mounted on" --wipe-signatures
umount "$T/mnt"
losetup -d "$upper"

# -- read-only ------------------------------------------------------------------------------------
blockdev --setro "$lower"
refused "a read-only device" "$lower" "is read-only" --wipe-signatures
blockdev --setrw "$lower"

# -- the machine's own disk --------------------------------------------------------------------------
own=$(/usr/bin/python3 - <<'PY'
import os
dev = os.stat("/").st_dev
path = f"/sys/dev/block/{os.major(dev)}:{os.minor(dev)}"
print("/dev/" + os.path.basename(os.readlink(path)) if os.path.exists(path) else "")
PY
)
if [ -b "$own" ]; then
	# Never with a token that fits: this is the one device that must not be written.
	try "$own" --destroy-data --wipe-signatures --confirm nothing
	expect_status 3 "the machine's own disk is refused"
	check "because it is mounted" sh -c "json=\$(cat '$T/out'); case \$json in
		*'mounted on /'*|*holder*) ;; *) exit 1 ;; esac"
else
	skip "the root file system is on no block device"
fi
