# safety-capture.sh - what is decided over a capture never touches this machine, also where a device of
# the same name is here: its bytes stay as they are.
. tests/cli/lib.sh
need_loop
need_tool sha256sum

dd if=/dev/urandom of="$T/image" bs=1M count=8 status=none
dev=$(losetup -f --show "$T/image") || skip_all "no loop device can be set up"
at_exit "losetup -d $dev"
name=${dev#/dev/}
number=$(cat "/sys/block/$name/dev")

sum() {
	blockdev --flushbufs "$dev" 2>/dev/null
	sha256sum <"$T/image"
}
before=$(sum)

# A capture in which the device is free, with all that could be consented to.
tree=$T/tree
mkdir -p "$tree/proc/self" "$tree/sys/block/$name/queue" "$tree/$name"
echo '1 1 8:99 / / rw - ext4 /dev/x rw' >"$tree/proc/self/mountinfo"
echo "$number" >"$tree/sys/block/$name/dev"
echo 16384 >"$tree/sys/block/$name/size"
echo 0 >"$tree/sys/block/$name/ro"
for seams in "--sysroot $tree" "--replay $tree" "--sysroot $tree --replay $tree"; do
	ssdqual run $seams --json --destroy-data --wipe-signatures --shared-lun --confirm "$dev" "$dev"
	expect_status 0 "a free device of a capture would run ($seams)"
	expect_json 'targets[0].decision' "would run"
done
echo "62 6c 75 65 73 74 6f 72 65 20 62 6c 6f 63 6b 20 64 65 76 69 63 65 0a" >"$tree/$name/head.hex"
ssdqual run --replay "$tree" --json --destroy-data --confirm "$dev" "$dev"
expect_status 3 "a signature of the capture refuses"
check "what it says is of the capture" grep -q 'ceph_bluestore signature' "$T/out"
check "nothing was written to the device of that name" test "$(sum)" = "$before"

# What the drive says of itself is what `list` shows, and what is to be typed.
names=$T/names
mkdir -p "$names/proc/self" "$names/sys/block/sda/device" "$names/sda"
cp "$tree/proc/self/mountinfo" "$names/proc/self"
echo 8:0 >"$names/sys/block/sda/dev"
echo 16384 >"$names/sys/block/sda/size"
echo 0 >"$names/sys/block/sda/ro"
echo OLD >"$names/sys/block/sda/device/serial"
echo "00 80 00 03 4e 45 57" >"$names/sda/vpd-80.hex"
ssdqual list --replay "$names" --json
expect_json 'drives[0].serial' NEW "the drive's own serial number is shown"
ssdqual run --replay "$names" --json --destroy-data --confirm NEW /dev/sda
expect_status 0 "and confirms"
ssdqual run --replay "$names" --json --destroy-data --confirm OLD /dev/sda
expect_status 3 "the one that the kernel remembers does not"
check "and the right one is named" grep -q "'NEW' does" "$T/out"

# The field cases, their disk named as the device that is here.
for case in tests/cases/D*/; do
	id=$(basename "$case")
	disk=$(ls "$case/root/sys/block" 2>/dev/null | grep -m 1 '^sd')
	[ -n "$disk" ] || continue
	rm -rf "$T/root"
	cp -r "$case/root" "$T/root"
	for f in blkid.txt zpool.txt; do
		[ ! -f "$case/$f" ] || sed "s/$disk/$name/g" "$case/$f" >"$T/root/$f"
	done
	mv "$T/root/sys/block/$disk" "$T/root/sys/block/$name"
	for part in "$T/root/sys/block/$name/$disk"*; do
		[ ! -d "$part" ] || mv "$part" "$T/root/sys/block/$name/${name}p${part##*"$disk"}"
	done
	[ ! -f "$T/root/proc/swaps" ] || sed -i "s|/dev/$disk|/dev/${name}p|" "$T/root/proc/swaps"
	mkdir -p "$T/root/$name"
	[ ! -f "$case/head.hex" ] || cp "$case/head.hex" "$T/root/$name"
	ssdqual run --sysroot "$T/root" --replay "$T/root" --json --destroy-data \
		--confirm "$dev" "$dev"
	expect_status 3 "$id on $name is refused"
	check "$id: nothing was written to $dev" test "$(sum)" = "$before"
done

# Two targets: who uses the second is looked at again when its turn comes.
if command -v mkfs.ext4 >/dev/null && command -v python3 >/dev/null; then
	truncate -s 16M "$T/second"
	mkfs.ext4 -q -F "$T/second"
	two=$(losetup -f --show "$T/second") && at_exit "losetup -d $two"
	mkdir "$T/mnt" "$T/folder"
	start_cmd "$SSDQUAL" run --json --no-store --battery quick --row t1q1-fsync --runtime 4s \
		--size 4M --destroy-data --wipe-signatures --confirm "$dev" --confirm "$two" "$dev" "$two"
	if wait_for sh -c "ls -l /proc/$pid/fd 2>/dev/null | grep -q '$dev\$'" &&
		mount -r "$two" "$T/mnt" 2>/dev/null; then
		at_exit "umount '$T/mnt' 2>/dev/null"
		finish_cmd
		expect_status 3 "a target that was mounted meanwhile is refused"
		expect_err "mounted on $T/mnt" "and its user named"
		check "its file system is as it was" sh -c "blkid -p '$two' | grep -q ext4"
	else
		finish_cmd
		skip "a target that is mounted meanwhile (cannot mount, or the run was over)"
	fi
else
	skip "a target that is mounted meanwhile (needs mkfs.ext4)"
fi
