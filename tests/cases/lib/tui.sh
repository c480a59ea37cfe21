# tui.sh - sourced by the checks of the dashboard: `. ../lib/tui.sh`, in the case's folder.
#	fact TEXT                      this one does not hold: ends the check
#	dashboard ROWS COLS STEP...    the dashboard, by lib/terminal.py; $T/out has its word on the end,
#	                               $T/stream all that it wrote; 1 where a step failed
#	ended STATUS TEXT              it ended so, and left the terminal as it was
# $vars: for env, before the program. As root it is nobody's dashboard: root's results are the
# machine's.
fact() {
	echo "fact: $1"
	cat "$T/out"
	exit 1
}
[ -x /usr/bin/python3 ] || { echo "skip: needs python3"; exit 77; }
as=
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || { echo "skip: needs setpriv"; exit 77; }
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	cp "$SSDQUAL" "$T/ssdqual"
	SSDQUAL=$T/ssdqual
	chmod 755 "$T" "$T/.."
	chown -R 65534:65534 "$HOME"
fi
mkdir -p "$HOME/runs" "$HOME/dir"
[ -z "$as" ] || chown 65534:65534 "$HOME/runs" "$HOME/dir"
vars="TERM=xterm-256color"
dashboard() {
	[ -c /dev/ptmx ] || { echo "skip: needs pseudo-terminals"; exit 77; }
	d_rows=$1
	d_cols=$2
	shift 2
	# shellcheck disable=SC2086 # words by design
	/usr/bin/python3 ../lib/terminal.py "$d_rows" "$d_cols" "$T/stream" "$@" -- \
		$as env $vars "$SSDQUAL" tui --runs "$HOME/runs" >"$T/out" 2>&1
}
ended() {
	grep -qx "status $1" "$T/out" && grep -qx sane "$T/out" && grep -qx left "$T/out" || fact "$2"
}
