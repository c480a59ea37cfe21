#!/bin/sh
# demo.sh PROGRAM FOLDER - see ssdqual work: a scratch loop device and a folder are measured, and
# etcd gets its advice. Nothing outside of FOLDER is written; the loop device goes away whatever
# happens. `make demo` calls it.
set -u
program=$1
dir=$2
runtime=${DEMO_RUNTIME:-2s}
loop=
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo

cleanup() {
	status=$?
	trap - EXIT INT TERM HUP
	[ -z "$loop" ] || $sudo losetup -d "$loop"
	rm -f "$dir/disk.img"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say() {
	printf '\n\033[1m$ %s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi
}

# Statuses 1 and 5 are answers (a verdict fails, or is unsure), not failures of the demo.
run() {
	say "ssdqual $*"
	"$program" "$@"
	status=$?
	case $status in 0 | 1 | 5) return 0 ;; esac
	return "$status"
}

mkdir -p "$dir/folder" || exit 1
rm -f "$dir/disk.img" "$dir"/*.json

make_loop() {
	if [ -n "$sudo" ] && ! sudo -n true 2>/dev/null; then
		return 1
	fi
	truncate -s 512M "$dir/disk.img" || return 1
	loop=$($sudo losetup --find --show "$dir/disk.img" 2>"$dir/losetup.err") || {
		loop=
		return 1
	}
	[ -b "$loop" ]
}

if make_loop; then
	say "ssdqual run $loop --battery ceph --runtime $runtime --destroy-data --confirm $loop"
	$sudo "$program" run "$loop" --battery ceph --runtime "$runtime" --destroy-data \
		--confirm "$loop" -o "$dir/loop.json"
	status=$?
	case $status in 0 | 1 | 5) ;; *) exit "$status" ;; esac
else
	echo "demo: no loop device can be made here (root and loop devices are needed)," \
		"so the block device half is left out." >&2
fi

run run "$dir/folder" --battery etcd --runtime "$runtime" -o "$dir/folder.json" || exit
run advise --workload etcd --drive "$dir/folder.json" || exit
printf '\nResults: %s\n' "$(ls "$dir"/*.json | tr '\n' ' ')"
