#!/bin/sh
# fetch.sh FOLDER - the guest's kernel and mdadm, unpacked below FOLDER and kept there.
#
# Downloaded with apt-get and unpacked, not installed: an installed kernel would build an initramfs
# and change the boot of this machine, an installed mdadm its start-up.
# Leaves FOLDER/vmlinuz, FOLDER/release (the kernel's name), FOLDER/lib/modules, FOLDER/sbin/mdadm.
# Exit 0: all there; 1: something is missing, the last line says what and why.
set -u
export LC_ALL=C
folder=$1
[ ! -e "$folder/complete" ] || exit 0

fail() {
	echo "$*"
	exit 1
}

command -v apt-get >/dev/null || fail "no apt-get to download the guest's kernel with"
command -v dpkg-deb >/dev/null || fail "no dpkg-deb to unpack the guest's kernel with"

# The metapackage names the kernel of the day.
kernel_package() {
	apt-cache depends linux-image-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*-amd64\)$/\1/p' | head -n 1
}
mkdir -p "$folder/deb" || fail "cannot make $folder/deb"
kernel=$(kernel_package)
if [ -z "$kernel" ] && [ "$(id -u)" = 0 ]; then
	apt-get update >"$folder/apt.log" 2>&1
	kernel=$(kernel_package)
fi
[ -n "$kernel" ] || fail "apt does not know linux-image-amd64; run apt-get update"

# download PACKAGE - once more with fresh lists, because a mirror drops the versions it replaced.
download() {
	for try in 1 2; do
		# shellcheck disable=SC2012 # package files have plain names
		if (cd "$folder/deb" && rm -f "$1"_*.deb && apt-get download "$1") >>"$folder/apt.log" 2>&1; then
			dpkg-deb -x "$folder/deb/$1"_*.deb "$folder/unpacked" && return 0
		fi
		[ "$try" = 1 ] && [ "$(id -u)" = 0 ] && apt-get update >>"$folder/apt.log" 2>&1
	done
	return 1
}
rm -rf "$folder/unpacked"
download "$kernel" || fail "$kernel cannot be downloaded: $(tail -n 1 "$folder/apt.log")"
# Without mdadm the facts about md are skipped, by name.
download mdadm || echo "mdadm cannot be downloaded: $(tail -n 1 "$folder/apt.log")"

release=${kernel#linux-image-}
rm -rf "$folder/lib" "$folder/sbin"
mkdir -p "$folder/lib/modules" "$folder/sbin"
mv "$folder/unpacked/boot/vmlinuz-$release" "$folder/vmlinuz" &&
	mv "$folder/unpacked/lib/modules/$release" "$folder/lib/modules/$release" &&
	depmod -b "$folder" "$release" || fail "$kernel does not have the expected files"
for file in "$folder/unpacked/sbin/mdadm" "$folder/unpacked/usr/sbin/mdadm"; do
	[ ! -x "$file" ] || mv "$file" "$folder/sbin/mdadm"
done
echo "$release" >"$folder/release"
rm -rf "$folder/unpacked" "$folder/deb"
: >"$folder/complete"
