# The dashboard in a real terminal (tmux), with real keys: panes, sizes, locales, a run, signals.
# Every look at the screen polls until the words are there.
. tests/cli/lib.sh

if [ "$(id -u)" = 0 ]; then
	# Root's results are the machine's: the dashboard is that of a user.
	need_tool setpriv
	cp "$SSDQUAL" "$T/ssdqual"
	chmod 755 "$T"
	chown -R 65534:65534 "$HOME"
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	SSDQUAL=$T/ssdqual
else
	as=
fi
work=$T/work
mkdir -p "$work/dir" "$work/runs" "$work/results"
[ -z "$as" ] || chown -R 65534:65534 "$work"
. tests/cli/lib/terminal.sh

start() { # VARIABLES...
	line "$* $SSDQUAL tui --runs $work/runs; echo status=\$?"
}

screen_is_small() {
	[ "$(screen | tr -d '\n' | wc -c)" -le 1 ]
}

# -- sizes and locales ------------------------------------------------------------------------------

for locale in C C.UTF-8; do
	open_shell 24 80
	start "LC_ALL=$locale"
	see "$locale: it comes up" 'Drives\]' 'q quit'
	for size in '24 80' '60 200' '10 40' '1 1' '24 80'; do
		# shellcheck disable=SC2086 # two words
		size $size
		case $size in
		'1 1') wait_for screen_is_small ;;
		*)
			saw 'q quit' # keys of a smaller terminal are passed over
			keys 1
			see "$locale, $size: the panes and the keys" 'Drives\]' 'q quit'
			keys 3
			see "$locale, $size: the browser" 'STARTED' 'No results yet'
			keys '?'
			see "$locale, $size: the help" 'what the keys do'
			keys Escape
			keys 4
			see "$locale, $size: advice" 'Workload  etcd'
			;;
		esac
		if [ "$locale" = C ] && screen | LC_ALL=C grep -q '[^ -~]'; then
			not_ok "$locale, $size: only ASCII" "$(screen)"
		else
			ok "$locale, $size: the characters of the locale"
		fi
	done
	keys Enter
	see "$locale: advice is worked out" '^Recommendation: '
	keys n
	keys n
	see "$locale: and gone through by section" '^(Instead|Predicted, best first)'
	keys w
	see "$locale: for another load it is asked anew" 'Workload  kafka' 'Enter works the advice out'
	size 1 1
	wait_for screen_is_small
	keys q
	size 24 80
	see "$locale: q ends it, at any size" 'status=0'
	check "$locale: the shell is sane" is_sane
done

# -- terminals that will not do ----------------------------------------------------------------------

open_shell 24 80
for how in 'env -u TERM' 'env TERM=dumb' 'env TERM=xterm-nosuch' 'env TERM='; do
	line 'clear'
	start "$how"
	see "$how: status 2 and the reason" 'status=2' 'TERM'
done

# -- a run -------------------------------------------------------------------------------------------

open_shell 24 80
start "LC_ALL=C"
saw 'Drives\]'
keys d
see "a folder is asked for" 'Folder or file to test:'
line "$work/dir"
see "the plan is shown" "plan for $work/dir" 'Enter starts it'
keys tttt
see "the time can be chosen" 'time of each row: 30s' 'etcd-2300 .* 30 s'
keys Enter
see "the run is shown" '\[2 Run\]' 'row 1/[0-9]+ etcd-2300' 'IOPS +[0-9]' 'p99 +[0-9]' 'running'
size 10 40
see "resized in mid-run: smaller" 'q quit' 'IOPS +[0-9]'
size 1 1
size 60 200
see "resized in mid-run: larger" 'row [0-9]/[0-9]+' 'temperature'
keys s
see "stopping asks" 'Stop the run\?'
keys n
see "and can be thought over" 'the run goes on'
keys q
see "quitting asks" 'A run goes on'
keys l
see "it can be left" 'goes on; `ssdqual tui` shows it again' 'status=0'
line clear
start "LC_ALL=C"
see "and is found again" '\[2 Run\]' 'running' 'row [0-9]/[0-9]+'
keys s
keys y
see "it is stopped" 'signal' 'saved:'
keys 3
see "what was measured is in the browser" '1 of 1 results' 'etcd'
keys g
see "which can be read again" 'read again: 1 of 1 results'
keys Enter
see "and can be looked at" 'Esc' 'etcd-2300|etcd log'
keys Escape
keys q
see "it ends" 'status=0'

# -- signals -----------------------------------------------------------------------------------------

# dashboard - its process.
dashboard() {
	pgrep -f "^$SSDQUAL tui --runs $work/runs\$"
}
begin_run() {
	open_shell 24 80
	start "LC_ALL=C"
	saw 'Drives\]'
	keys d
	line "$work/dir"
	saw 'Enter starts it'
	keys Enter
	saw 'IOPS +[0-9]'
}
no_run_left() {
	! pgrep -f "ssdqual run .*$work/dir"
}

if command -v pgrep >/dev/null; then
	for sig in TERM:143 INT:130 HUP:129; do
		begin_run
		kill -s "${sig%:*}" "$(dashboard)"
		see "SIG${sig%:*}: ends with ${sig#*:}, after the run" 'the run has ended' \
			"status=${sig#*:}"
		check "SIG${sig%:*}: no run is left" no_run_left
		check "SIG${sig%:*}: the shell is sane" is_sane
	done
	begin_run
	kill -s ABRT "$(dashboard)"
	see "SIGABRT: it dies of it" 'status=134'
	check "SIGABRT: the shell is sane" is_sane
	line clear
	start "LC_ALL=C"
	see "SIGABRT: the run is found again" 'running'
	kill -s KILL "$(dashboard)"
	saw 'ready>|status=137'
	keys C-j # nothing makes a newline of Enter yet
	keys -l 'stty sane; tput rmcup; clear; echo mended'
	keys C-j
	saw '^mended' # only then Enter ends a line
	check "SIGKILL: the shell is sane after the documented line" is_mended
	start "LC_ALL=C"
	see "SIGKILL: the run is found again" 'running'
	keys q
	keys s
	see "q, then s: stops the run and ends" 'the run has ended' 'status=0'
	check "no run is left" no_run_left
else
	skip "needs pgrep"
fi
