# lib.sh - sourced by the guest's scripts: `. ./lib.sh`, in /zoo of the guest (busybox sh).
#
#	$T                                   a scratch folder
#	ok NAME | not_ok NAME [DETAIL] | skip REASON      one fact each
#	same NAME WANT GOT                   ok when equal
#	check NAME COMMAND...                ok when COMMAND returns 0
#	ssdqual ARGS... | run_cmd COMMAND... $T/out, $T/err, $status
#	expect_status N [NAME], expect_out RE [NAME], expect_err RE [NAME]
#	get KEY [FILE]                       a value of $T/out by jsonget; "(absent)"
#	look FILE                            its first line, trimmed, in $seen
#	drive MODEL                          its name (sda) by model or, NVMe and virtio, by serial;
#	                                     nothing and 1 where the zoo has lost it
#	claim MODEL                          $d and $dev (/dev/sda) of it, or not_ok and 1
#	drive_cache NAME [PC]                "on", "off" or "unknown" by hdparm, nvme or sg_modes
#	                                     (PC 0: current, 2: default, 3: saved)
#	kernel_cache NAME                    queue/write_cache
#	watched NAME COMMAND...              run_cmd of it under cachewatch; $T/report
#	reported WORD                        a number of that report
#	bench DEV TOKEN ARGS...              a short `ssdqual run --json`; the document is in $T/doc
#	nullb NAME ATTRIBUTE=VALUE...        makes a null_blk device of 64 MiB, /dev/NAME
#	remember_caches, same_caches WHAT    one fact per drive: as it was, read as above
#	wait_for COMMAND...                  polls until COMMAND returns 0; 1 after a minute
#
# The script's exit status is made from the facts, as in tests/cli/lib.sh.
set -u
facts_ok=0
facts_bad=0
facts_skipped=0
last_cmd=
status=0
T=$(mktemp -d /tmp/zoo.XXXXXX) || exit 1

lib_exit() {
	lib_status=$?
	trap - EXIT
	rm -rf "$T"
	if [ "$facts_bad" != 0 ]; then
		lib_status=1
	elif [ "$lib_status" = 0 ] && [ "$facts_ok" = 0 ] && [ "$facts_skipped" != 0 ]; then
		lib_status=77
	fi
	echo "$lib_status" >/run/status
	exit "$lib_status"
}
trap lib_exit EXIT

ok() {
	facts_ok=$((facts_ok + 1))
	echo "ok $1"
}

not_ok() {
	facts_bad=$((facts_bad + 1))
	echo "not_ok $1"
	[ $# -lt 2 ] || echo "$2" | sed 's/^/    /'
}

skip() {
	facts_skipped=$((facts_skipped + 1))
	echo "skip $1"
}

same() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "wanted '$2', got '$3'"; fi
}

check() {
	lib_name=$1
	shift
	if lib_text=$("$@" 2>&1); then ok "$lib_name"; else not_ok "$lib_name" "$* failed
$lib_text"; fi
}

run_cmd() {
	last_cmd=$*
	"$@" >"$T/out" 2>"$T/err" </dev/null
	status=$?
}

ssdqual() {
	run_cmd /usr/bin/ssdqual "$@"
	last_cmd="ssdqual $*"
}

lib_seen() {
	echo "\$ $last_cmd"
	echo "status $status"
	head -c 1500 "$T/out" | sed 's/^/out: /'
	head -c 1500 "$T/err" | sed 's/^/err: /'
}

expect_status() {
	lib_name=${2:-"'$last_cmd' ends with status $1"}
	if [ "$status" = "$1" ]; then ok "$lib_name"; else not_ok "$lib_name" "$(lib_seen)"; fi
}

expect_out() {
	lib_name=${2:-"'$last_cmd' prints $1"}
	if grep -qE -e "$1" "$T/out"; then ok "$lib_name"; else not_ok "$lib_name" "$(lib_seen)"; fi
}

expect_err() {
	lib_name=${2:-"'$last_cmd' says $1"}
	if grep -qE -e "$1" "$T/err"; then ok "$lib_name"; else not_ok "$lib_name" "$(lib_seen)"; fi
}

# The value, "(absent)" without one.
get() {
	jsonget "${2:-$T/out}" "$1" 2>/dev/null
}

# look FILE - its first line, trimmed, in $seen: without a process, which is slow in an emulator.
look() {
	seen=
	[ ! -e "$1" ] || read -r seen <"$1" 2>/dev/null
	# shellcheck disable=SC2086 # words are wanted
	[ -z "$seen" ] || set -- $seen
	[ -z "$seen" ] || seen=$*
}

sysfs() {
	look "$1"
	echo "$seen"
}

drives_of() {
	for lib_sys in /sys/block/sd* /sys/block/nvme* /sys/block/vd*; do
		for lib_file in device/model device/serial serial; do
			look "$lib_sys/$lib_file"
			[ "$seen" != "$1" ] || echo "${lib_sys##*/}"
		done
	done
}

drive() {
	lib_found=$(drives_of "$1")
	[ -n "$lib_found" ] || return 1
	# The first of several.
	echo "${lib_found%%
*}"
}

claim() {
	if ! d=$(drive "$1"); then
		not_ok "the zoo has $1" "$(ls -l /sys/block; dmesg | tail -n 20)"
		return 1
	fi
	dev=/dev/$d
}

drive_cache() {
	case $1 in
	nvme*)
		nvme get-feature "/dev/$1" -f 6 2>/dev/null | awk -F 'value:' '
			/value:/ { print $2 ~ /1$/ ? "on" : "off"; known = 1 }
			END { if (!known) print "unknown" }'
		;;
	sd*)
		look "/sys/block/$1/device/vendor"
		if [ "$seen" = ATA ]; then
			hdparm -W "/dev/$1" 2>/dev/null | awk '
				/write-caching = *[01] / { print /= *1 / ? "on" : "off"; known = 1 }
				END { if (!known) print "unknown" }'
		else
			# "00  08 12 04 ..." below the title: bit 2 of byte 2.
			sg_modes -p 8 -c "${2:-0}" "/dev/$1" 2>/dev/null | awk '
				/Caching/ { page = 1; next }
				page && $2 == "08" || $2 == "88" {
					print $4 ~ /[4-7c-f]$/ ? "on" : "off"
					known = 1
					exit
				}
				END { if (!known) print "unknown" }'
		fi
		;;
	*) echo unknown ;;
	esac
}

kernel_cache() {
	look "/sys/block/$1/queue/write_cache"
	echo "$seen"
}

watched() {
	lib_watched=$1
	shift
	run_cmd cachewatch "$lib_watched" "$T/report" "$@"
	last_cmd=$*
}

reported() {
	awk -v word="$1" '$1 == word { print $2 }' "$T/report"
}

bench() {
	lib_dev=$1
	lib_token=$2
	shift 2
	rm -f "$T/doc"
	ssdqual run --json --no-store -o "$T/doc" --destroy-data --confirm "$lib_token" \
		--runtime 1s "$@" "$lib_dev"
}

nullb() {
	lib_node=/sys/kernel/config/nullb/$1
	modprobe null_blk nr_devices=0 && mkdir "$lib_node" || return 1
	shift
	for lib_setting in size=64 memory_backed=1 "$@" power=1; do
		echo "${lib_setting#*=}" >"$lib_node/${lib_setting%%=*}" || return 1
	done
}

all_caches() {
	for lib_sys in /sys/block/sd* /sys/block/nvme*; do
		[ -e "$lib_sys" ] || continue
		lib_drive=${lib_sys##*/}
		echo "$lib_drive drive $(drive_cache "$lib_drive") kernel $(kernel_cache "$lib_drive")"
	done
}

# Once in a boot: each script leaves them so for the next.
remember_caches() {
	[ -e /run/caches ] || all_caches >/run/caches
}

# Drives that are gone since are no fact here.
same_caches() {
	all_caches >"$T/caches.after"
	while read -r lib_drive lib_line; do
		lib_was=$(sed -n "s/^$lib_drive //p" /run/caches)
		[ -n "$lib_was" ] || continue
		if [ "$lib_was" != "$lib_line" ]; then
			not_ok "after $1 the cache of each drive is as before" "$lib_drive: was $lib_was, is $lib_line"
			return
		fi
	done <"$T/caches.after"
	ok "after $1 the cache of each drive is as before, by hdparm, nvme and sg_modes"
}

wait_for() {
	lib_tries=600
	until "$@" >/dev/null 2>&1; do
		lib_tries=$((lib_tries - 1))
		[ "$lib_tries" -gt 0 ] || return 1
		sleep 0.1
	done
}
