#!/bin/sh
# target-errors.sh - what `ssdqual run` says of targets that are none.
. tests/cli/lib.sh

tree=tests/fixtures/sysroot/server
PATH=$PATH:/sbin:/usr/sbin

# wrong STATUS CODE WORDS TARGET [OPTION...]
wrong() {
	lib_status_wanted=$1 lib_code=$2 lib_words=$3
	shift 3
	ssdqual run --json --no-store "$@"
	expect_status "$lib_status_wanted" "'$1' ends with status $lib_status_wanted"
	expect_json error.code "$lib_code" "'$1' is $lib_code"
	if json_get error.message | grep -qE -e "$lib_words"; then ok "'$1': $lib_words"; else
		not_ok "'$1': $lib_words" "$(lib_seen)"
	fi
}

wrong 2 usage "never created" "$T/absent"
wrong 2 usage "never created" "$T/absent" --destroy-data --confirm "$T/absent"
wrong 2 usage "never created" /dev/ssdqual-absent --destroy-data --confirm /dev/ssdqual-absent
check "nothing is created" test ! -e "$T/absent" -a ! -e /dev/ssdqual-absent
wrong 3 refused "is a directory, and below /dev" /dev
wrong 3 refused "is a character device, and below /dev" /dev/null
mkfifo "$T/fifo"
wrong 2 usage "is a FIFO" "$T/fifo"
ln -s nowhere "$T/dangling"
wrong 2 usage "never created" "$T/dangling"
check "nothing is created at the end of a link" test ! -e "$T/nowhere"
wrong 4 unsupported "kernel's, not a disk" /proc

# A mistyped name below /dev must not fill the memory that /dev is.
wrong 3 refused "is a regular file, and below /dev" /dev/nvme0n1p5 --sysroot $tree
wrong 2 usage "never created" /dev/none --sysroot $tree
wrong 4 unsupported "tmpfs, which is memory" /tmp/t --sysroot $tree
wrong 4 unsupported "upper directory /lv/up,per \(xfs on /dev/mapper/vg-root\)" /ov --sysroot $tree
wrong 4 unsupported "read-only" /readonly --sysroot $tree
wrong 3 refused "sda2 mounted on /" /dev/sda --sysroot $tree
wrong 3 refused "is read-only" /dev/sdk --sysroot $tree

ssdqual run --sysroot $tree /dev/sdd --destroy-data --confirm 'S1?[31mX?'
expect_status 3 "a SAS drive with a second port may be another host's"
ssdqual run --sysroot $tree /dev/sdd --destroy-data --confirm 'S1?[31mX?' --shared-lun
expect_status 0 "a free drive of a capture would be run"

if [ "$(id -u)" = 0 ]; then
	if [ -d /dev/shm ]; then
		shm=/dev/shm/ssdqual-test.$$
		: >"$shm" && at_exit "rm -f $shm"
		wrong 3 refused "is a regular file, and below /dev" $shm --destroy-data --confirm $shm
		check "and stays as it was" test ! -s $shm
	fi
	mkdir "$T/ram" "$T/full"
	if mount -t tmpfs -o size=4m tmpfs "$T/ram" 2>/dev/null; then
		at_exit "umount '$T/ram'"
		wrong 4 unsupported "tmpfs, which is memory" "$T/ram"
		: >"$T/ram/file"
		wrong 4 unsupported "tmpfs, which is memory" "$T/ram/file"
		mkdir "$T/ram/u" "$T/ram/w" "$T/ram/l" "$T/ov"
		if mount -t overlay -o "lowerdir=$T/ram/l,upperdir=$T/ram/u,workdir=$T/ram/w" \
			overlay "$T/ov" 2>/dev/null; then
			at_exit "umount '$T/ov'"
			wrong 4 unsupported "upper directory $T/ram/u \(tmpfs" "$T/ov"
		else
			skip "overlay cannot be mounted here"
		fi
	else
		skip "tmpfs cannot be mounted here"
	fi
	truncate -s 8M "$T/small.img"
	if mkfs.ext4 -q -F "$T/small.img" 2>/dev/null && mount -o loop "$T/small.img" "$T/full"; then
		at_exit "umount '$T/full'"
		wrong 4 device "[Tt]oo small|needed|free" "$T/full" --size 64M
		dd if=/dev/zero of="$T/full/fill" bs=64k 2>/dev/null
		wrong 4 device "full" "$T/full"
		mount -o remount,ro "$T/full"
		wrong 4 unsupported "read-only" "$T/full"
	else
		skip "a small file system cannot be mounted here"
	fi
	if command -v setpriv >/dev/null; then
		chmod 755 "$T"
		mkdir -m 755 "$T/locked"
		run_cmd setpriv --reuid=65534 --regid=65534 --clear-groups \
			"$SSDQUAL" run --json --no-store "$T/locked"
		expect_status 4 "a directory without permission"
		check "is said to be that" grep -q "no permission" "$T/out"
	else
		skip "needs setpriv: a directory without permission"
	fi
else
	skip "needs root: file systems that are memory, full or read-only"
fi
