# tui.sh - a run begun in the dashboard, which is then ended: the drive's write cache comes back.
# limit: 300 s
. ./lib.sh
remember_caches
mkdir -p /dev/pts
grep -q ' /dev/pts ' /proc/mounts || mount -t devpts devpts /dev/pts

state() {
	echo "$(drive_cache "$d") $(kernel_cache "$d")"
}
changed() {
	[ "$(drive_cache "$d")" != "${before%% *}" ]
}
# Curses writes what is new on the screen: Ctrl-L has all of it written, words in one piece.
shown() {
	printf '\014' >&9
	sleep 0.3
	tail -c 4000 "$T/seen" | grep -qF -e "$1"
}
no_run() {
	! cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\000' ' ' | grep -q '[s]sdqual run --progress-fd'
}

# saw TEXT - waits for it on the screen, which is shown where it does not come.
saw() {
	tries=60
	until shown "$1"; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] && continue
		echo "never on the screen: $1"
		tail -c 2500 "$T/seen" | tr -d '\033\000'
		echo
		return 1
	done
}

# dashboard - on a terminal that `script` makes: keys come from descriptor 9, $T/seen is its screen.
dashboard() {
	rm -f "$T/keys" "$T/seen"
	mkfifo "$T/keys"
	: >"$T/seen"
	TERM=vt100 /usr/bin/script -q -e -f -c \
		"stty rows 24 cols 80; echo \$\$ >$T/pid; exec /usr/bin/ssdqual tui --runs $T/runs" \
		"$T/seen" <"$T/keys" >/dev/null 2>&1 &
	terminal=$!
	exec 9>"$T/keys"
	saw '1 Drives'
}

# begin NAME SERIAL - the run, with the serial typed, until the cache is not as it was: a fact.
begin() {
	dashboard
	printf 'd%s\rt' "$dev" >&9
	saw '2 s  up to' # two legs of 1 s, no other plan
	printf '\r' >&9
	saw 'to go on:'
	printf '%s\r' "$2" >&9
	if wait_for changed; then ok "$1"; else not_ok "$1" "$(tail -c 2000 "$T/seen" | tr -d '\033')"; fi
}

ended() {
	wait "$terminal"
	status=$?
	exec 9>&-
}

if claim ZOO_SSD; then
	before=$(state)
	begin "a run is begun, and has changed the cache" SSD-1
	kill -TERM "$(cat "$T/pid")"
	ended
	same "SIGTERM of the dashboard: it ends with 143" 143 "$status"
	same "SIGTERM of the dashboard: the cache is as before" "$before" "$(state)"
	check "SIGTERM of the dashboard: no run is left" no_run

	begin "another run is begun" SSD-1
	kill -KILL "$(cat "$T/pid")"
	ended
	if no_run; then
		not_ok "SIGKILL of the dashboard: the run goes on" "$(state)"
	else
		ok "SIGKILL of the dashboard: the run goes on"
	fi
	dashboard
	saw 'running'
	printf qs >&9
	ended
	same "the next dashboard finds and stops it" 0 "$status"
	same "and the cache is as before" "$before" "$(state)"
	check "and no run is left" no_run
fi
same_caches "the dashboard"
