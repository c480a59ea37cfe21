# lib.sh - sourced by every tests/cli/NAME.sh: `. tests/cli/lib.sh`, from the repository root.
#
#	$SSDQUAL   the program, absolute      $T   a scratch folder, removed at exit
#	ok NAME | not_ok NAME [DETAIL]        one fact checked; NAME is a sentence
#	skip REASON                           one fact that cannot be checked here
#	skip_all REASON                       nothing (more) can be checked here: ends the script, 77
#	need_root | need_tool TOOL... | need_loop    skip_all unless it is there
#	at_exit COMMAND                       run at exit, last first: `at_exit "losetup -d $dev"`
#
#	run_cmd COMMAND...      runs it: $T/out, $T/err and $status; input is /dev/null ($run_input)
#	ssdqual ARGS...         run_cmd "$SSDQUAL" ARGS...
#	start_cmd COMMAND...    the same in the background, with the signals at their defaults: $pid
#	finish_cmd              waits for it: $status
#	wait_for COMMAND...     polls until COMMAND returns 0; 1 after a minute without
#
#	check NAME COMMAND...             ok when COMMAND returns 0
#	expect_status N [NAME]            of the last command
#	expect_out RE [NAME], expect_err RE [NAME], expect_no_out [NAME], expect_no_err [NAME]
#	expect_json KEY VALUE [NAME]      KEY: a.b[0].c, a.# is a's length, "" the document; VALUE: JSON,
#	                                  or a bare word for a string. The whole of $T/out must be one
#	                                  document.
#	expect_json_has KEY [NAME]        there, and not null
#	json_get KEY [FILE]               prints it (strings bare, the rest as JSON); 1 where absent
#
# The exit status is made from the facts: 1 when one is not ok or none was checked, 77 when all were
# skipped. No test may depend on absolute time.

set -u
ok_count=0
not_ok_count=0
skip_count=0
last_cmd=
status=0
pid=
run_input=/dev/null
exit_commands=

[ -f tests/cli/lib.sh ] || { echo "lib.sh: run the tests from the repository root" >&2; exit 1; }
: "${SSDQUAL:=build/ssdqual}"
case $SSDQUAL in /*) ;; *) SSDQUAL=$PWD/$SSDQUAL ;; esac
[ -x "$SSDQUAL" ] || { echo "lib.sh: no program at $SSDQUAL; run make first" >&2; exit 1; }
export SSDQUAL

T=$(mktemp -d "${TMPDIR:-/tmp}/ssdqual-test.XXXXXX") || exit 1
export T
# Nothing of the person who runs the tests: settings, stored results, colours, widths.
export HOME="$T/home" XDG_CONFIG_HOME="$T/home/.config" XDG_DATA_HOME="$T/home/.local/share"
export XDG_STATE_HOME="$T/home/.local/state" XDG_CACHE_HOME="$T/home/.cache"
export LC_ALL=C.UTF-8
unset NO_COLOR CLICOLOR_FORCE COLUMNS
mkdir -p "$HOME"

lib_exit() {
	lib_status=$?
	trap - EXIT
	if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then
		wait "$pid"
	fi
	eval "$exit_commands"
	rm -rf "$T"
	[ "$not_ok_count" = 0 ] || exit 1
	[ "$lib_status" = 0 ] || exit "$lib_status"
	if [ "$ok_count" = 0 ]; then
		[ "$skip_count" = 0 ] || exit 77
		echo "no fact was checked"
		exit 1
	fi
	exit 0
}
trap lib_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

ok() {
	ok_count=$((ok_count + 1))
	printf 'ok %s\n' "$1"
}

not_ok() {
	not_ok_count=$((not_ok_count + 1))
	printf 'not_ok %s\n' "$1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/    /'
}

skip() {
	skip_count=$((skip_count + 1))
	printf 'skip %s\n' "$1"
}

skip_all() {
	skip "$1"
	exit 77
}

need_root() {
	[ "$(id -u)" = 0 ] || skip_all "needs root"
}

need_tool() {
	for lib_tool in "$@"; do
		command -v "$lib_tool" >/dev/null || skip_all "needs $lib_tool"
	done
}

need_loop() {
	need_root
	need_tool losetup
	losetup -f >/dev/null 2>&1 || skip_all "needs a free loop device"
}

at_exit() {
	exit_commands="$1
$exit_commands"
}

run_cmd() {
	last_cmd=$*
	"$@" <"$run_input" >"$T/out" 2>"$T/err"
	status=$?
}

ssdqual() {
	run_cmd "$SSDQUAL" "$@"
	last_cmd="ssdqual $*"
}

# A shell without job control starts background commands with SIGINT ignored.
start_cmd() {
	last_cmd=$*
	env --default-signal=INT,QUIT,PIPE,HUP "$@" <"$run_input" >"$T/out" 2>"$T/err" &
	pid=$!
}

finish_cmd() {
	wait "$pid"
	status=$?
	pid=
}

wait_for() {
	lib_tries=600
	until "$@" >/dev/null 2>&1; do
		lib_tries=$((lib_tries - 1))
		[ "$lib_tries" -gt 0 ] || return 1
		sleep 0.1
	done
}

lib_seen() {
	printf '$ %s\nstatus %s\n' "$last_cmd" "$status"
	head -c 3000 "$T/out" 2>/dev/null | sed 's/^/out: /'
	head -c 3000 "$T/err" 2>/dev/null | sed 's/^/err: /'
}

check() {
	lib_name=$1
	shift
	if lib_text=$("$@" 2>&1); then ok "$lib_name"; else not_ok "$lib_name" "$* failed
$lib_text"; fi
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

expect_no_out() {
	lib_name=${1:-"'$last_cmd' prints nothing"}
	if [ ! -s "$T/out" ]; then ok "$lib_name"; else not_ok "$lib_name" "$(lib_seen)"; fi
}

expect_no_err() {
	lib_name=${1:-"'$last_cmd' says nothing on standard error"}
	if [ ! -s "$T/err" ]; then ok "$lib_name"; else not_ok "$lib_name" "$(lib_seen)"; fi
}

# lib_json FILE KEY [VALUE]: prints the value, or compares it. 1 absent or other, 2 no document.
lib_json() {
	/usr/bin/python3 - "$@" <<'PY'
import json, re, sys

file, key = sys.argv[1:3]
try:
    with open(file, encoding="utf-8") as f:
        found = json.load(f)
except (OSError, ValueError) as e:
    print(f"{file} is not one JSON document: {e}")
    sys.exit(2)
try:
    for part in re.findall(r"[^.\[\]]+", key):
        if part == "#":
            found = len(found)
        elif isinstance(found, list):
            found = found[int(part)]
        else:
            found = found[part]
except (KeyError, IndexError, ValueError, TypeError):
    print(f"no key '{key}'")
    sys.exit(1)
if len(sys.argv) < 4:
    print(found if isinstance(found, str) else json.dumps(found))
    sys.exit(0)
try:
    wanted = json.loads(sys.argv[3])
except ValueError:
    wanted = sys.argv[3]
same = found == wanted and isinstance(found, bool) == isinstance(wanted, bool)
if not same:
    print(f"'{key}' is {json.dumps(found)}, not {json.dumps(wanted)}")
sys.exit(not same)
PY
}

json_get() {
	lib_json "${2:-$T/out}" "$1"
}

expect_json() {
	lib_name=${3:-"'$last_cmd' gives $1 = $2"}
	if lib_text=$(lib_json "$T/out" "$1" "$2"); then ok "$lib_name"; else
		not_ok "$lib_name" "$lib_text
$(lib_seen)"
	fi
}

expect_json_has() {
	lib_name=${2:-"'$last_cmd' gives $1"}
	if lib_text=$(lib_json "$T/out" "$1") && [ "$lib_text" != null ]; then ok "$lib_name"; else
		not_ok "$lib_name" "$lib_text
$(lib_seen)"
	fi
}
