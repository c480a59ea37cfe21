# How failures are told: one line, a hint, a status, and with --json one document.
. tests/cli/lib.sh

one_document() {
	/usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$T/out"
}

ssdqual lsit
expect_status 2 "an unknown command is a usage error"
expect_no_out
expect_err "^ssdqual: unknown command 'lsit'"
expect_err "^try 'ssdqual --help'$"
ssdqual hepl
expect_err "did you mean 'help'\?"
ssdqual
expect_status 2 "no command is a usage error"
ssdqual --nonsense
expect_status 2

ssdqual help --nonsense
expect_status 2
expect_no_out
check "usage errors are two lines: what, and where to read more" \
	sh -c '[ "$(wc -l <"$1")" = 2 ]' - "$T/err"
expect_err "^ssdqual: help: unknown option '--nonsense'$"
expect_err "^try 'ssdqual help --help'$"

for args in "lsit --json" "--json lsit" "--json" "help --json --nonsense" "help --nonsense --json" \
	"help lsit --json" "help --json --color" "help --json one two"; do
	ssdqual $args
	expect_status 2
	check "'ssdqual $args' prints one document" one_document
	expect_json error.code usage
	expect_json error.exit_status 2
	expect_json_has error.message
done
ssdqual help --sysroot "$T/none" --json
expect_json error.code input
expect_json error.exit_status 6
ssdqual help -- --json
expect_no_out "after -- --json is an operand"

ssdqual help --json
for command in $(/usr/bin/python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["commands"]: print(c["name"])' "$T/out"); do
	ssdqual "$command" --json --no-such-option
	expect_status 2
	expect_json error.code usage
done

run_cmd "$SSDQUAL" help "$(printf 'a\033[31mb\nc')"
expect_err "'a\?\[31mb\?c'" "arguments cannot drive the terminal"

# Output that does not arrive.
"$SSDQUAL" help >/dev/full 2>"$T/err"
status=$?
last_cmd="ssdqual help >/dev/full"
: >"$T/out"
expect_status 4
expect_err "^ssdqual: standard output: No space left on device$"
"$SSDQUAL" help --json >/dev/full 2>"$T/err"
status=$?
expect_status 4 "a document that cannot be written is an I/O error"
"$SSDQUAL" help >&- 2>"$T/err"
status=$?
last_cmd="ssdqual help >&-"
expect_status 4
expect_err "^ssdqual: standard output: Bad file descriptor$"
cat >"$T/pipe.py" <<'EOT'
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
p = subprocess.run(sys.argv[1:], stdout=w, stderr=subprocess.PIPE)
print(p.returncode, p.stderr.decode())
EOT
run_cmd /usr/bin/python3 "$T/pipe.py" "$SSDQUAL" help
expect_out '^4 $' "a closed pipe is noticed, quietly"
run_cmd /usr/bin/python3 "$T/pipe.py" "$SSDQUAL" help --json
expect_out '^4 $' "so it is with more output than one buffer holds"
"$SSDQUAL" lsit 2>/dev/full
status=$?
last_cmd="ssdqual lsit 2>/dev/full"
expect_status 2 "a message that cannot be written changes no status"
"$SSDQUAL" help 0<&- >"$T/out" 2>"$T/err"
status=$?
expect_status 0 "a closed standard input is no matter"
