# The test runner counts what happened: fed with programs and scripts that pass, fail, crash, skip,
# hang and say nothing.
. tests/cli/lib.sh

# fake NAME TEXT - an executable script; unit ones print TAP as cmocka 1.1.5 does.
fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$T/$1"
	chmod +x "$T/$1"
}

# closes COUNTS NAME - the last line, alone on it.
closes() {
	lib_last=$(tail -n 1 "$T/out")
	if [ "$lib_last" = "$1" ]; then ok "$2"; else not_ok "$2" "$(lib_seen)"; fi
}

# The runners below need no locale of their own.
export LOCPATH="${LOCPATH:-$T}"

units() {
	run_cmd sh tests/run-tests --units "$1" --limit 30 unit
}

scripts() {
	run_cmd sh tests/run-tests --scripts "$1" --limit 30 cli
}

fake pass 'printf "1..2\nchatter\nok 1 - a\nok 2 - b\n"'
fake fail 'printf "1..2\nok 1 - a\nnot ok 2 - b\n# 0x1 != 0x2\n# not ok - group\n"; exit 1'
fake skip 'printf "1..2\nok 1 - a\nneeds the moon\nnot ok 2 # SKIP b\n"'
fake crash 'printf "1..3\nok 1 - a\n"; kill -SEGV $$'
fake quits 'printf "1..3\nok 1 - a\n"; exit 0'
fake leaks 'printf "1..1\nok 1 - a\n"; echo "leak detected" >&2; exit 23'
fake silent 'exit 0'
fake groups 'printf "1..1\nok 1 - a\n1..2\nok 1 - b\nnot ok 2 - c\n"; exit 1'

units "$T/pass"
expect_status 0
closes "2 passed, 0 failed, 0 skipped" "passing tests are counted one by one"
units "$T/fail"
expect_status 1
closes "1 passed, 1 failed, 0 skipped" "a failure is a failure"
expect_out '\| # 0x1 != 0x2' "the output of a failure is shown"
units "$T/skip"
expect_status 0
closes "1 passed, 0 failed, 1 skipped" "a skip is neither a pass nor a failure"
expect_out 'skip: b: needs the moon' "a skip is named with its reason"
units "$T/crash"
expect_status 1
closes "1 passed, 2 failed, 0 skipped" "what a crash left undone has failed"
expect_out 'ended by signal 11'
units "$T/quits"
expect_status 1
closes "1 passed, 2 failed, 0 skipped" "what was planned has to run"
units "$T/leaks"
expect_status 1
closes "1 passed, 1 failed, 0 skipped" "a failing status behind passing tests is a failure"
expect_out 'leak detected'
units "$T/silent"
expect_status 1
closes "0 passed, 1 failed, 0 skipped" "a program without a test is a failure"
units "$T/not-there"
expect_status 1
closes "0 passed, 1 failed, 0 skipped" "a program that was not built is a failure"
units "$T/groups $T/pass"
closes "4 passed, 1 failed, 0 skipped" "groups and programs add up"

fake pass.sh 'echo "ok one"; echo "ok two"'
fake fail.sh 'echo "ok one"; echo "not_ok two"; exit 1'
fake liar.sh 'echo "ok one"; echo "not_ok two"; exit 0'
fake status.sh 'echo "ok one"; exit 3'
fake silent.sh 'exit 0'
fake quiet-skip.sh 'echo "needs a tape drive"; exit 77'
fake skip.sh 'echo "ok one"; echo "skip needs a tape drive"; echo "skip needs two"; exit 77'
fake part.sh 'echo "ok one"; echo "skip needs a tape drive"'
fake kill.sh 'echo "ok one"; kill -KILL $$'

scripts "$T/pass.sh"
expect_status 0
closes "2 passed, 0 failed, 0 skipped" "each fact of a script counts"
scripts "$T/fail.sh"
expect_status 1
closes "1 passed, 1 failed, 0 skipped" "a fact that is not ok is a failure"
scripts "$T/liar.sh"
expect_status 1
closes "1 passed, 1 failed, 0 skipped" "so it is with status 0"
scripts "$T/status.sh"
expect_status 1
closes "1 passed, 1 failed, 0 skipped" "an unexpected status is a failure"
scripts "$T/silent.sh"
expect_status 1
closes "0 passed, 1 failed, 0 skipped" "a script that checks nothing is a failure"
scripts "$T/quiet-skip.sh"
expect_status 1 "nothing but skips is no success"
closes "0 passed, 0 failed, 1 skipped" "77 is a skip"
expect_out 'skip .*needs a tape drive' "its last line is the reason"
scripts "$T/skip.sh"
expect_status 0
closes "1 passed, 0 failed, 2 skipped" "skips are counted one by one"
scripts "$T/part.sh"
closes "1 passed, 0 failed, 1 skipped" "a script can skip in part"
scripts "$T/kill.sh"
expect_status 1
closes "1 passed, 1 failed, 0 skipped" "a killed script is a failure"

# What hangs is ended, with all that it started; and later tests still run.
fake hang.sh "sleep 1000 & echo \$! >\"$T/child\"; echo 'ok one'; sleep 1000"
run_cmd sh tests/run-tests --scripts "$T/hang.sh $T/pass.sh" --limit 1 cli
expect_status 1
closes "3 passed, 1 failed, 0 skipped" "a hanging script is a failure, and the next one runs"
expect_out 'killed after 1 s'
# Ended by a signal just sent, and reaped by init: both happen soon, not at once.
gone() {
	case $(sed 's/.*) //; s/ .*//' "/proc/$(cat "$T/child")/stat" 2>/dev/null) in
	"" | Z | X) return 0 ;;
	esac
	return 1
}
check "nothing of it is left running" wait_for gone

run_cmd env SSDQUAL_TIMES="$T/times" SSDQUAL_STEP="step 1000 $(date +%s)" \
	sh tests/run-tests --scripts "$T/pass.sh" cli
closes "2 passed, 0 failed, 0 skipped" "times stand above the closing line"
run_cmd sh tests/run-tests --frobnicate
expect_status 2

# lib.sh itself makes the status from the facts.
fake lib-none.sh '. tests/cli/lib.sh'
fake lib-bad.sh '. tests/cli/lib.sh
ssdqual help; expect_status 3; ok fine'
fake lib-skip.sh '. tests/cli/lib.sh
need_tool no-such-tool-anywhere; ok fine'
fake lib-clean.sh '. tests/cli/lib.sh
at_exit "echo first >>$1"; at_exit "echo second >>$1"; echo "$T" >$2; ok fine'
run_cmd sh "$T/lib-none.sh"
expect_status 1 "a script without a fact fails"
run_cmd sh "$T/lib-bad.sh"
expect_status 1 "a script with one fact that is not ok fails"
expect_out '^ok fine$' "the rest of it is checked all the same"
run_cmd sh "$T/lib-skip.sh"
expect_status 77 "a missing tool skips the script"
expect_out '^skip needs no-such-tool-anywhere$'
run_cmd sh "$T/lib-clean.sh" "$T/order" "$T/folder"
expect_status 0
check "commands for the exit run, last first" sh -c '[ "$(echo $(cat "$1"))" = "second first" ]' \
	- "$T/order"
check "the scratch folder is gone" sh -c '[ ! -e "$(cat "$1")" ]' - "$T/folder"
