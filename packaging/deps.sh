#!/bin/sh
# deps.sh SET... - install the Debian 12 packages of the named sets that are missing.
# Sets: build, test, vm, ceph, check, bench. Says nothing and asks nobody when all are there.
# Exit 0: all there now; 1: something is missing and could not be installed (named).
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

build="gcc libc6-dev libaio-dev libcjson-dev libblkid-dev libnvme-dev libatasmart-dev
	libxlsxwriter-dev libncurses-dev"
# Tests: cmocka runs the unit tests; python3 and jsonschema are an independent reader of our JSON;
# the rest makes, partitions and mounts scratch devices, reads the manual, has a decimal comma.
test="libcmocka-dev python3 python3-jsonschema util-linux mount fdisk e2fsprogs procps man-db mandoc
	strace python3-openpyxl tidy locales tmux"
# The VM: an emulator, what its guest is made of, and the tools that our answers are held against. The
# guest's kernel is downloaded, not installed (tests/vm/host/fetch.sh).
vm="qemu-system-x86 busybox-static cpio kmod coreutils util-linux hdparm nvme-cli smartmontools
	dmsetup sg3-utils"
# A one-node Ceph (tests/ceph), and fio with its rbd engine as its client.
ceph="ceph-mon ceph-osd ceph-common librbd1 fio python3 util-linux mount"
# Checks: static analysis, and a second compiler's opinion.
check="cppcheck clang clang-tidy"
# Bench: what we compare with.
bench="python3 fio etcd-server e2fsprogs mount util-linux"

want=
for set in "$@"; do
	case $set in
	build) want="$want $build" ;;
	test) want="$want $test" ;;
	vm) want="$want $vm" ;;
	ceph) want="$want $ceph" ;;
	check) want="$want $check" ;;
	bench) want="$want $bench" ;;
	*)
		echo "deps.sh: unknown set '$set'; known: build test vm ceph check bench" >&2
		exit 1
		;;
	esac
done

if ! command -v dpkg-query >/dev/null 2>&1; then
	# Another distribution: nothing can be installed by name, and the build says what it lacks.
	echo "deps.sh: not Debian; install the equivalents of:$want" >&2
	exit 0
fi

missing=
for pkg in $want; do
	case " $missing " in *" $pkg "*) continue ;; esac
	status=$(dpkg-query -W -f '${db:Status-Status}' "$pkg" 2>/dev/null) || status=
	[ "$status" = installed ] || missing="$missing $pkg"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
	sudo=
elif command -v sudo >/dev/null 2>&1; then
	sudo="sudo --preserve-env=DEBIAN_FRONTEND"
else
	echo "deps.sh: missing:$missing; run as root: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi

echo "Installing:$missing"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # the lists are words by design
if $sudo apt-get update >"$log" 2>&1 &&
	$sudo apt-get install -y --no-install-recommends $missing >>"$log" 2>&1; then
	exit 0
fi
tail -n 20 "$log" >&2
echo "deps.sh: apt-get failed (last lines above); missing:$missing" >&2
exit 1
