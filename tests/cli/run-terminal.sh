# run-terminal.sh - on a terminal: the serial is asked for, progress is drawn in place.
. tests/cli/lib.sh
need_tool /usr/bin/python3
need_loop

# on_pty.py LINE OUT COMMAND...: COMMAND on a terminal of 80 columns; LINE is typed once it asks.
# Its standard output goes to OUT.
cat >"$T/on_pty.py" <<'PY'
import fcntl, os, pty, struct, sys, termios
line, out = sys.argv[1:3]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
    os.execv(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
seen, typed = b"", False
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if not typed and b"to go on: " in seen:
        os.write(fd, line.encode() + b"\n")
        typed = True
with open(out + ".tty", "wb") as f:
    f.write(seen)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print("asked" if typed else "not asked")
sys.exit(status)
PY
on_terminal() { # LINE ARGS...
	t_line=$1
	shift
	run_cmd /usr/bin/python3 "$T/on_pty.py" "$t_line" "$T/result" "$SSDQUAL" run "$@"
	cp "$T/result.tty" "$T/err"
}

parent=/var/tmp
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && parent=/dev/shm
D=$(mktemp -d "$parent/ssdqual-terminal.XXXXXX") || exit 1
at_exit "rm -rf '$D'"
truncate -s 32M "$D/disk"
dev=$(losetup -f --show "$D/disk") || skip_all "needs a free loop device"
at_exit "losetup -d $dev"

on_terminal nonsense "$dev" --row journal-sync --runtime 100ms --no-store --destroy-data
expect_status 3 "a wrong answer is refused"
expect_out '^asked$'
expect_err 'plan for' "the plan is shown before the question"
check "nothing was written" cmp -n 33554432 "$dev" /dev/zero

on_terminal "$dev" "$dev" --row journal-sync --runtime 100ms --no-store
expect_status 3 "without --destroy-data nobody is asked"
expect_out '^not asked$'

on_terminal "$dev" "$dev" --row journal-sync --row t1q1-fsync --runtime 1300ms --no-store \
	--destroy-data
expect_status 0 "the typed serial (here: the name) lets it run"
expect_out '^asked$'
expect_err '1/2 journal-sync' "progress names the row"
expect_err 't1q1-fsync .*IOPS' "and says what it does"
check "progress is drawn in place" grep -q "$(printf '\r')" "$T/result.tty"
check "the table is on standard output" grep -q '^Journal IOPS' "$T/result"
if grep -q "$(printf '[\033\r]')" "$T/result"; then
	not_ok "and has no control characters"
else
	ok "and has no control characters"
fi

on_terminal "$dev" "$dev" --row journal-sync --runtime 1300ms --no-store --destroy-data --confirm \
	"$dev" --no-progress
expect_status 0
expect_out '^not asked$' "--confirm needs no question"
if [ -s "$T/result.tty" ]; then
	not_ok "--no-progress is silent on a terminal" "$(cat "$T/result.tty")"
else
	ok "--no-progress is silent on a terminal"
fi
