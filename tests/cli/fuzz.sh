# fuzz.sh - damaged input for every parser: success or an error, never a crash, a hang, or a
# sanitizer's report. The inputs are the same in every run (tests/fuzz/mutate.c).
. tests/cli/lib.sh

mutate=$(dirname "$SSDQUAL")/tests/fuzz/mutate
[ -x "$mutate" ] || skip_all "no $mutate: make fuzz-programs builds it"
run_cmd "$mutate" --inputs 200 --out "$T"
while read -r word text; do
	case $word in
	ok) ok "$text" ;;
	not_ok) not_ok "$text" "$(tail -n 30 "$T/err")" ;;
	esac
done <"$T/out"
expect_status 0 "no input breaks a parser"
