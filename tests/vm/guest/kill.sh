# kill.sh - a run that changes the cache, ended by each signal at many points; then restored.
# limit: 600 s
. ./lib.sh
remember_caches

run_args="run --json --no-store --destroy-data --size 1M --write-cache both --row journal-fsync
	--runtime 200ms"
state() {
	echo "$(drive_cache "$d") $(kernel_cache "$d")"
}

# shoot SIGNAL POINT COMMAND... - send it in that call. How often a run looks at its surroundings
# differs from run to run by a tenth and more: one that ended before the point is repeated, and shot
# at the same share of the calls that it made. No run that reaches it: 1.
shoot() {
	signal=$1
	at=$2
	shift 2
	for _ in 1 2 3 4; do
		run_cmd cachewatch -k "$signal:$at" "$d" "$T/report" "$@"
		[ "$(reported sent)" = 1 ] && return 0
		made=$(reported traced)
		[ "${made:-0}" -ge 12 ] || return 1
		at=$((at * made / calls))
	done
	return 1
}

# caught SIGNAL POINT STATUS - after a signal that can be caught: saved, restored, said so.
caught() {
	# shellcheck disable=SC2086 # words are wanted
	if ! shoot "$2" "$3" /usr/bin/ssdqual $run_args --confirm "$token" "$dev"; then
		not_ok "$model: $1 in call $3 of $calls reached the run" "$(lib_seen)"
		return
	fi
	if [ "$status" = "$4" ] && [ "$(state)" = "$before" ] && [ "$(reported unsafe)" = 0 ]; then
		ok "$model: $1 in call $3 of $calls: status $4, the cache is as before"
	else
		not_ok "$model: $1 in call $3 of $calls: status $4, the cache is as before" \
			"before: $before; now: $(state); unsafe $(reported unsafe)
$(lib_seen)"
	fi
}

# killed WHAT POINT COMMAND... - after SIGKILL: never unsafe, and brought back by cache restore.
killed() {
	what=$1
	point=$2
	shift 2
	name="$model: SIGKILL of $what in call $point of $calls"
	shoot 9 "$point" "$@" || {
		not_ok "$name reached it" "$(lib_seen)"
		return
	}
	after=$(state)
	ssdqual cache "$dev" restore
	restored=$status
	now=$(state)
	if [ "$after" != "$before" ]; then
		interrupted=$((interrupted + 1))
	fi
	if [ "$restored" = 0 ] && [ "$now" = "$before" ] && [ "$(reported unsafe)" = 0 ]; then
		ok "$name: cache restore brings it back"
	else
		not_ok "$name: cache restore brings it back" \
			"before: $before; left: $after; now: $now; unsafe $(reported unsafe)
$(lib_seen)"
	fi
}

# count COMMAND... - its calls of interest, from a run to the end.
count() {
	run_cmd cachewatch -k 9:1000000 "$d" "$T/report" "$@"
	calls=$(reported traced)
	if [ "$status" -gt 5 ] || [ "$status" = 2 ] || [ "$status" = 4 ] || [ "${calls:-0}" -lt 12 ]; then
		not_ok "$model: '$*' runs to its end" "$(cat "$T/report")
$(lib_seen)"
		return 1
	fi
	same "$model: after it the cache is as before" "$before" "$(state)"
}

interrupted=0
for drive in ZOO_SSD=SSD-1=6 NVME-1=NVME-1=3 ZOO_SCSI=SCSI-1=3; do
	model=${drive%%=*}
	points=${drive##*=}
	token=${drive#*=}
	token=${token%=*}
	claim "$model" || continue
	before=$(state)
	# shellcheck disable=SC2086 # words are wanted
	count /usr/bin/ssdqual $run_args --confirm "$token" "$dev" || continue
	i=0
	while [ "$i" -lt "$points" ]; do
		# In the middle of each of so many equal parts.
		# shellcheck disable=SC2086 # words are wanted
		killed "run" $(((2 * i + 1) * calls / (2 * points))) /usr/bin/ssdqual $run_args \
			--confirm "$token" "$dev"
		i=$((i + 1))
	done
	case $model in
	ZOO_SSD)
		caught SIGINT 2 $((calls / 2)) 130
		caught SIGTERM 15 $((calls * 3 / 4)) 143
		caught SIGHUP 1 $((calls * 5 / 8)) 129
		;;
	NVME-1) caught SIGINT 2 $((calls * 5 / 8)) 130 ;;
	ZOO_SCSI) caught SIGTERM 15 $((calls / 2)) 143 ;;
	esac
done

# What a killed run left is said by the next command, whatever that is.
if claim ZOO_SSD; then
	model=ZOO_SSD
	before=$(state)
	rm -f "$T/doc"
	# shellcheck disable=SC2086 # words are wanted
	ssdqual_run="/usr/bin/ssdqual $run_args --runtime 10s --confirm SSD-1 $dev"
	$ssdqual_run >/dev/null 2>&1 </dev/null &
	pid=$!
	is_off() {
		[ "$(drive_cache "$d")" = off ] || ! kill -0 "$pid" 2>/dev/null
	}
	wait_for is_off
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	if [ "$(state)" != "$before" ]; then
		ssdqual workload list
		expect_err "restore" "the next command says that a cache is to be restored"
		ssdqual workload list --json
		check "also with --json, whose document stays whole" jsonget "$T/out" ""
		ssdqual cache "$dev" restore
		expect_status 0 "cache restore ends it"
		ssdqual workload list
		same "and then nothing is said" "" "$(cat "$T/err")"
		same "the cache is as before" "$before" "$(state)"
	else
		not_ok "a run killed in its second state leaves the cache off" "$(state)"
	fi
fi

# The cache command itself: at eighths of its calls.
for model in ZOO_SSD NVME-1; do
	claim "$model" || continue
	before=$(state)
	run_cmd cachewatch -k 9:1000000 "$d" "$T/report" /usr/bin/ssdqual cache "$dev" off
	calls=$(reported traced)
	ssdqual cache "$dev" restore
	same "$model: restored after cache off" "$before" "$(state)"
	[ "${calls:-0}" -ge 6 ] || {
		not_ok "$model: cache off makes changes" "$(cat "$T/report")"
		continue
	}
	for i in 3 5 6 7; do
		killed "cache off" $((i * calls / 8)) /usr/bin/ssdqual cache "$dev" off
	done
done
if [ "$interrupted" -gt 0 ]; then
	ok "some of the kills left a changed cache behind, so restoring was put to the test"
else
	not_ok "some of the kills left a changed cache behind, so restoring was put to the test"
fi

# A drive that refuses to go back: said, kept pending, and done when it yields.
if modprobe scsi_debug dev_size_mb=32 delay=0 && wait_for drive scsi_debug && claim scsi_debug; then
	model=scsi_debug
	before=$(state)
	ssdqual cache "$dev" off
	echo offline >"/sys/block/$d/device/state"
	ssdqual cache "$dev" restore
	echo running >"/sys/block/$d/device/state"
	expect_status 4 "scsi_debug: a drive that refuses to go back is a device error"
	ssdqual cache "$dev" restore
	expect_status 0 "scsi_debug: and is restored when it yields"
	same "scsi_debug: it is as before" "$before" "$(state)"
	echo 1 >"/sys/block/$d/device/delete"
	rmmod scsi_debug
else
	not_ok "scsi_debug makes a drive" "$(dmesg | tail -n 5)"
fi
same_caches "all kills"
