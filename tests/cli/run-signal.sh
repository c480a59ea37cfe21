# run-signal.sh - signals: what was measured is saved, nothing is left behind.
. tests/cli/lib.sh
need_tool /usr/bin/python3

D=
for parent in "$T" /var/tmp "$PWD/build"; do
	case $(stat -f -c %T "$parent" 2>/dev/null) in
	'' | tmpfs | ramfs | overlayfs) ;;
	*) D=$(mktemp -d "$parent/ssdqual-signal.XXXXXX") && break ;;
	esac
done
[ -n "$D" ] || skip_all "needs a folder on a drive's file system"
at_exit "rm -rf '$D'"

# Start a run whose second row would take an hour, and wait until that row goes on.
start_long_run() {
	start_cmd "$SSDQUAL" run "$D" --battery etcd --row etcd-8000 --row fio-8000-overwrite \
		--runtime "$1" --no-store -o "$T/doc.json"
	wait_for "$2"
}
wait_for() { # TEXT on standard error; gives up when the program has ended
	until grep -qs "$1" "$T/err"; do
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.1
	done
}
end_with() {
	kill -"$1" "$pid"
	finish_cmd
}

rm -f "$T/doc.json"
start_long_run 1h 'row 1/2'
sleep 1.2
end_with INT
expect_status 130 "Ctrl-C ends with 130"
check "the document is there" test -s "$T/doc.json"
cp "$T/doc.json" "$T/out"
expect_json settings.ended signal "and says why it ended"
expect_json measurements[0].stop signal
expect_json measurements.# 1 "the row that was interrupted is in it"
check "its figures can be recomputed" tests/cli/run-recompute.py "$T/doc.json"
ssdqual validate "$T/doc.json"
expect_status 0 "and it passes validate"
check "no scratch file is left" test -z "$(ls -A "$D")"

rm -f "$T/doc.json"
start_long_run 1h 'row 1/2'
sleep 0.3
end_with TERM
expect_status 143 "SIGTERM ends with 143"
check "its document is there, too" test -s "$T/doc.json"
check "no scratch file is left after SIGTERM" test -z "$(ls -A "$D")"

echo old >"$T/doc.json"
start_long_run 1h 'row 1/2'
sleep 0.5
end_with KILL
expect_status 137 "SIGKILL ends at once"
check "no scratch file is left after SIGKILL" test -z "$(ls -A "$D")"
check "what stood at -o before is still there" grep -q old "$T/doc.json"

# Several targets: Ctrl-C in the first is the end of all.
mkdir "$D/a" "$D/b"
start_cmd "$SSDQUAL" run "$D/a" "$D/b" --row etcd-8000 --runtime 1h --no-store --json
wait_for 'row 1/1'
sleep 0.3
end_with INT
expect_status 130
expect_json results.# 1 "the second target is not begun"
expect_json results[0].settings.ended signal
rmdir "$D/a" "$D/b"

# During the layout nothing has been measured yet: the document says as much.
start_cmd "$SSDQUAL" run "$D" --battery pwl --size 4G --runtime 1s --no-store --json
if wait_for '^layout: '; then
	end_with INT
	case $status in
	130) ok "Ctrl-C during the layout ends with 130" ;;
	0) skip "Ctrl-C during the layout (this drive was too fast)" ;;
	*) not_ok "Ctrl-C during the layout ends with 130" "$(lib_seen)" ;;
	esac
else
	finish_cmd
	skip "Ctrl-C during the layout (needs 4 GiB of free space)"
fi
check "no scratch file is left after that" test -z "$(ls -A "$D")"
