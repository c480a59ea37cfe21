# `run --live`: the run on the whole terminal; the terminal is as it was, whatever ends it.
. tests/cli/lib.sh
as=
. tests/cli/lib/terminal.sh
D=$T/dir
mkdir "$D"

run_live() { # VARIABLES...
	line "clear; $* $SSDQUAL run --live --battery etcd --row etcd-2300 --runtime ${seconds:-300s} \
-o $T/result.json $D; echo status=\$?"
}
program() {
	pgrep -f "^$SSDQUAL run --live"
}

open_shell 24 80
seconds=3s
run_live LC_ALL=C
see "it ends with the table, on the terminal as it was" '^etcd log, 2300 B' 'saved: ' 'status=[015]'
check "the shell is sane" is_sane
seconds=
line 'clear'
for how in 'env TERM=dumb' 'env -u TERM'; do
	run_live "$how"
	see "$how: refused with the reason, before anything is measured" 'TERM' 'status=2'
done
line "clear; $SSDQUAL run --live --quiet $D; echo status=\$?"
see "quiet and live exclude each other" '--live' 'status=2'
ssdqual run --live "$D"
expect_status 2 "without a terminal it is refused"
expect_err 'terminal'

run_live LC_ALL=C
see "it is drawn" 'ssdqual run --live' "running: $D, battery etcd" 'row 1/1 etcd-2300' '\[' 'p99 +[0-9]' \
	'Latencies of etcd-2300' 'Ctrl-C stops'
for to in '60 200' '10 40' '1 1' '24 80'; do
	# shellcheck disable=SC2086 # two words
	size $to
	[ "$to" = '1 1' ] || see "$to: resized in mid-run" 'running' 'IOPS +[0-9]'
done
keys C-c
see "Ctrl-C: what was measured is kept" 'ended early' 'saved: ' 'status=130'
check "Ctrl-C: the shell is sane" is_sane

command -v pgrep >/dev/null || { skip "the signals need pgrep"; exit 0; }
for sig in TERM:143 HUP:129 ABRT:134; do
	run_live LC_ALL=C
	saw 'IOPS +[0-9]'
	kill -s "${sig%:*}" "$(program)"
	see "SIG${sig%:*}: status ${sig#*:}" "status=${sig#*:}"
	check "SIG${sig%:*}: the shell is sane" is_sane
done
