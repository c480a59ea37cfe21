# image.sh - the guest's initramfs; sourced by tests/vm/zoo, which sets $base (fetch.sh), $work,
# $tools (folder of jsonget and cachewatch), $program and $here.

guest_modules="ahci sd_mod sg nvme megaraid_sas virtio_pci virtio_blk virtio_scsi configfs null_blk
	scsi_debug dm-mod dm-delay dm-flakey loop md-mod raid1 ext4 crc32c_generic crc32c_intel
	target_core_mod target_core_file tcm_loop"
# Loaded before the scripts start; null_blk, scsi_debug and the rest by the scripts that use them.
guest_boot_modules="ahci sd_mod sg nvme megaraid_sas virtio_pci virtio_blk virtio_scsi configfs"
# GNU env, because busybox's cannot give a background command its SIGINT back.
guest_programs="/usr/bin/env setpriv hdparm nvme smartctl lsblk losetup dmsetup sg_persist sg_modes
	sg_wr_mode sg_inq script"

# add_program PATH ROOT - with its shared libraries, at the paths where the loader looks for them.
add_program() {
	cp -L "$1" "$2/usr/bin/" || return 1
	ldd "$1" 2>/dev/null | grep -oE '/[^ ]+' | while read -r library; do
		[ ! -e "$2$library" ] || continue
		mkdir -p "$2${library%/*}"
		cp -L "$library" "$2$library"
	done
}

# add_modules ROOT - the named ones and what they depend on.
add_modules() {
	release=$(cat "$base/release")
	mkdir -p "$1/lib/modules/$release"
	cp "$base/lib/modules/$release"/modules.order "$base/lib/modules/$release"/modules.builtin \
		"$base/lib/modules/$release/modules.builtin.modinfo" \
		"$1/lib/modules/$release/"
	for module in $guest_modules; do
		modprobe -d "$base" -S "$release" --show-depends "$module" 2>/dev/null ||
			echo "zoo: the kernel has no module $module" >&2
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
		target=$1/lib/modules/${file#*/lib/modules/}
		mkdir -p "${target%/*}"
		cp "$file" "$target"
	done
	depmod -b "$1" "$release"
}

# make_image - $work/initramfs. Not compressed: unpacking costs the emulated processor more than
# reading.
make_image() {
	root=$work/root
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/sbin" "$root/usr/bin" "$root/usr/sbin" "$root/proc" "$root/sys" \
		"$root/dev" "$root/tmp" "$root/run" "$root/root" "$root/mnt" "$root/zoo" "$root/etc"
	cp "$(command -v busybox)" "$root/bin/busybox" || return 1
	for name in $guest_programs; do
		add_program "$(PATH=$PATH:/usr/sbin:/sbin command -v "$name")" "$root" || return 1
	done
	[ ! -x "$base/sbin/mdadm" ] || add_program "$base/sbin/mdadm" "$root"
	# What the dashboard's terminal there can do.
	mkdir -p "$root/lib/terminfo/v" && cp -L /lib/terminfo/v/vt100 "$root/lib/terminfo/v/" || return 1
	for name in jsonget cachewatch; do
		add_program "$tools/$name" "$root" || return 1
	done
	add_program "$program" "$root" && mv "$root/usr/bin/${program##*/}" "$root/usr/bin/ssdqual.tmp" &&
		mv "$root/usr/bin/ssdqual.tmp" "$root/usr/bin/ssdqual" || return 1
	add_modules "$root" || return 1
	echo "$guest_boot_modules" >"$root/zoo/modules"
	cp "$here"/guest/*.sh "$root/zoo/"
	cp "$here/guest/init" "$root/init"
	chmod +x "$root/init"
	(cd "$root" && find . | cpio --quiet -o -H newc) >"$work/initramfs"
	rm -rf "$root"
}
