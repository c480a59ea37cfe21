# run-refused.sh - targets that are no drive, or not to be written: nothing is made, nothing is opened
# for writing, and the exit status says why.
. tests/cli/lib.sh
need_tool /usr/bin/python3

list() {
	find "$T" -path "$T/out" -o -path "$T/err" -o -path "$T/before" -o -path "$T/after" -o -print |
		sort
}
refused() { # STATUS-RE TEXT-RE NAME ARGS...: fails in this way, and makes nothing
	r_status=$1 r_text=$2 r_name=$3
	shift 3
	list >"$T/before"
	ssdqual run "$@" --runtime 100ms --no-store --quiet
	list >"$T/after"
	if echo "$status" | grep -qxE "$r_status" && grep -qiE -e "$r_text" "$T/err" &&
		cmp -s "$T/before" "$T/after"; then
		ok "$r_name"
	else
		not_ok "$r_name" "$(lib_seen; diff "$T/before" "$T/after")"
	fi
	expect_no_out "$r_name: nothing on standard output"
}

refused 2 'which target' "no target is a usage error"
refused 2 'absent' "an absent path is an error, never made" "$T/absent"
mkfifo "$T/fifo"
refused '2|3' 'fifo' "a FIFO is an error, not waited for" "$T/fifo"
refused '2|3' 'character|device' "a character device is refused" /dev/null
refused '2|3' '/dev' "an absent name under /dev is an error" /dev/ssdqual-no-such-device
refused 2 'nope' "an unknown battery is a usage error" "$T" --battery nope
expect_err 'ceph, etcd' "and the known ones are named"
refused 2 'nope' "an unknown row is a usage error" "$T" --battery etcd --row nope
expect_err 'etcd-2300' "and the known ones are named"
echo precious >"$T/file"
refused 3 'destroy-data' "an existing file is refused without consent" "$T/file"
refused 3 'confirm' "and without its path as the confirmation" "$T/file" --destroy-data
check "the file is as it was" grep -q precious "$T/file"

# JSON on failure, too.
ssdqual run "$T/absent" --json --quiet
expect_status 2
expect_json error.exit_status 2 "with --json the error is the document"
expect_json error.code usage

# Memory is no drive.
shm=/dev/shm
if [ "$(stat -f -c %T "$shm" 2>/dev/null)" = tmpfs ]; then
	refused '3|4' 'tmpfs|below /dev' "/dev/shm is refused" "$shm"
else
	skip "/dev/shm (no tmpfs there)"
fi

if [ "$(id -u)" = 0 ] && command -v unshare >/dev/null && unshare -m true 2>/dev/null; then
	# A namespace of our own: what is mounted in it goes away with it.
	in_ns() { # NAME STATUS-RE TEXT-RE SETUP TARGET ARGS...
		n_name=$1 n_status=$2 n_text=$3 n_setup=$4
		shift 4
		run_cmd unshare -m sh -c "set -e; $n_setup; shift 0; exec \"\$0\" run \"\$@\" \
--runtime 100ms --no-store --quiet" "$SSDQUAL" "$@"
		if echo "$status" | grep -qxE "$n_status" && { [ -z "$n_text" ] ||
			grep -qiE -e "$n_text" "$T/err"; }; then
			ok "$n_name"
		elif grep -q '^mount' "$T/err"; then
			skip "$n_name (cannot mount that here)"
		else
			not_ok "$n_name" "$(lib_seen)"
		fi
	}
	mkdir "$T/mnt" "$T/ovl" "$T/ovl/l" "$T/ovl/u" "$T/ovl/w"
	in_ns "a tmpfs folder is refused" '3|4' 'tmpfs' "mount -t tmpfs none '$T/mnt'" "$T/mnt"
	in_ns "an overlay is refused, and its upper folder named" '3|4' "$T/ovl/u" \
		"mount -t overlay none -o lowerdir='$T/ovl/l',upperdir='$T/ovl/u',workdir='$T/ovl/w' \
'$T/mnt'" "$T/mnt"
	in_ns "a read-only folder is an error that says so" '3|4' 'read-only' \
		"mount --bind '$T/mnt' '$T/mnt'; mount -o remount,ro,bind '$T/mnt'" "$T/mnt"
	check "nothing is left in the folder" test -z "$(ls -A "$T/mnt")"

	# A small file system that is full, or becomes full.
	if losetup -f >/dev/null 2>&1 && command -v mkfs.ext4 >/dev/null; then
		truncate -s 64M "$T/fs"
		mkfs.ext4 -q -m 0 "$T/fs" 2>/dev/null
		in_ns "a folder without the space is refused with both numbers" 4 'needs? [0-9]+ bytes' \
			"mount -o loop '$T/fs' '$T/mnt'" "$T/mnt" --battery etcd
		in_ns "a scratch file that fits runs" 0 '' "mount -o loop '$T/fs' '$T/mnt'" \
			"$T/mnt" --battery pwl --row write-4k --size 8M
	else
		skip "full file systems (needs a loop device and mkfs.ext4)"
	fi
else
	skip "tmpfs, overlay, read-only and full folders (needs root and unshare)"
fi

# Read-only device.
if [ "$(id -u)" = 0 ] && losetup -f >/dev/null 2>&1; then
	truncate -s 16M "$T/ro"
	dev=$(losetup -r -f --show "$T/ro") && {
		at_exit "losetup -d $dev"
		refused 3 'read-only' "a read-only device is refused" "$dev" --destroy-data \
			--confirm "$dev" --row journal-sync
	}
	# In use: mounted, and by a file system inside.
	if command -v mkfs.ext4 >/dev/null; then
		truncate -s 32M "$T/used"
		mkfs.ext4 -q "$T/used" 2>/dev/null
		dev=$(losetup -f --show "$T/used") && {
			mkdir "$T/used.mnt"
			if mount "$dev" "$T/used.mnt" 2>/dev/null; then
				refused 3 'mounted' "a mounted device is refused, whatever is said" \
					"$dev" --destroy-data --confirm "$dev" --wipe-signatures \
					--row journal-sync
				refused 3 '.' "so is the file behind it" "$T/used" --destroy-data \
					--confirm "$T/used" --row journal-sync
				umount "$T/used.mnt"
			fi
			losetup -d "$dev"
		}
	fi
else
	skip "read-only and mounted devices (needs root and loop devices)"
fi

# Under --sysroot the command ends after the decision, and opens nothing of this machine.
root=$T/root
mkdir -p "$root/proc/self" "$root/sys/dev/block" "$root/sys/devices/virtual/block/sdk/queue" \
	"$root/sys/block" "$root/sys/class/block" "$root/dev"
printf '20 1 8:1 / / rw - ext4 /dev/sda1 rw\n' >"$root/proc/self/mountinfo"
: >"$root/proc/swaps"
block=$root/sys/devices/virtual/block/sdk
echo 8:160 >"$block/dev"
echo 937703088 >"$block/size"
echo 1 >"$block/ro"
echo 512 >"$block/queue/logical_block_size"
echo 4096 >"$block/queue/physical_block_size"
ln -s ../devices/virtual/block/sdk "$root/sys/block/sdk"
ln -s ../../devices/virtual/block/sdk "$root/sys/class/block/sdk"
ln -s ../../devices/virtual/block/sdk "$root/sys/dev/block/8:160"
: >"$root/dev/sdk"
ssdqual --sysroot "$root" run /dev/sdk --destroy-data --confirm /dev/sdk
expect_status 3 "a read-only device of a captured tree is refused"
expect_err 'read-only'
