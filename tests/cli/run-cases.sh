# run-cases.sh - the runner of field cases: what passes, fails, hangs or cannot be tried is told apart,
# and counted. Any folder of cases will do.
. tests/cli/lib.sh

D=$T/cases
mkdir "$D"
case_of() { # ID SCRIPT
	mkdir -p "$D/$1"
	printf '%s\n' "$2" >"$D/$1/check"
}
run_cases() { # ARGS...
	run_cmd env SSDQUAL="$SSDQUAL" sh tests/run-cases "$@"
}
closes() { # LINE NAME
	if [ "$(tail -n 1 "$T/out")" = "$1" ]; then ok "$2"; else not_ok "$2" "$(lib_seen)"; fi
}

run_cases "$D"
expect_status 1 "a folder without a case is no success"
closes "0 passed, 0 failed, 0 skipped" "and none is counted"
run_cases "$D/not-there"
expect_status 2 "a folder that is not there is an error"
run_cases --frobnicate
expect_status 2 "an unknown option is an error"

case_of A1 'grep -q here input && [ -x "$SSDQUAL" ] && [ -d "$T" ] && : >"$T/scratch"'
echo here >"$D/A1/input"
run_cases "$D"
expect_status 0 "a case whose facts hold passes"
expect_out '^A1 pass$' "in its own folder, with the program and a scratch folder"
closes "1 passed, 0 failed, 0 skipped" "and is counted"

case_of B1 'echo "noise"; echo "fact: the drive is refused"; echo "fact: second"; exit 1'
case_of B2 'exit 4'
case_of B3 'echo "fact: told, and forgotten"; exit 0'
case_of C1 'echo "needs a tape drive"; exit 77'
case_of C2 'echo "skip: needs two tape drives"; exit 77'
case_of C3 'exit 77'
mkdir "$D/empty" "$D/D1" "$D/sp ace"
echo "it is refused" >"$D/D1/facts"
echo 'exit 0' >"$D/sp ace/check"
: >"$D/README"
run_cases "$D"
expect_status 1 "one case that fails fails the whole"
expect_out '^B1 fail: the drive is refused$' "the first fact that does not hold is named"
expect_err 'noise' "what the script printed is shown apart"
expect_out '^B2 fail: the check ended with status 4' "so is another status than 1"
expect_out '^B3 fail: told, and forgotten$' "a fact that does not hold counts, whatever the status"
expect_out '^C1 skip: needs a tape drive$' "77 is a skip, with its reason"
expect_out '^C2 skip: needs two tape drives$'
expect_out '^C3 skip: no reason given$'
expect_out '^D1 fail: there are facts and no check$' "facts without a check fail"
expect_out '^sp ace pass$' "a name may have a space"
closes "2 passed, 4 failed, 3 skipped" "all are counted, other folders are not"

# Each gets a scratch folder of its own, and none of the home of who runs them.
rm -rf "${D:?}"/*
case_of A1 ': >"$T/left"; : >"$HOME/left"; [ ! -e ../A2 ] || exit 0'
case_of A2 '[ ! -e "$T/left" ] && [ ! -e "$HOME/left" ]'
run_cases "$D"
expect_status 0 "what one case leaves another does not see"
check "nor does the home folder" test ! -e "$HOME/left"

# What hangs is ended, with all that it started; and later cases still run.
rm -rf "${D:?}"/*
case_of A1 "sleep 1000 & echo \$! >'$T/child'; sleep 1000"
case_of A2 'exit 0'
run_cases --limit 1 "$D"
expect_status 1
expect_out '^A1 fail: killed after 1 s' "a case that hangs fails"
closes "1 passed, 1 failed, 0 skipped" "and the next one runs"
gone() {
	case $(sed 's/.*) //; s/ .*//' "/proc/$(cat "$T/child")/stat" 2>/dev/null) in
	"" | Z | X) return 0 ;;
	esac
	return 1
}
check "nothing of it is left running" wait_for gone

rm -rf "${D:?}"/*
case_of A1 'echo "needs a tape drive"; exit 77'
run_cases "$D"
expect_status 1 "nothing but skips is no success"
run_cmd env SSDQUAL="$T/none" sh tests/run-cases "$D"
expect_status 2 "without the program nothing can be said"
