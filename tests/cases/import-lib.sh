# import-lib.sh - sourced by the checks of imported files: `. ../import-lib.sh`.
#
#	fact TEXT              the fact does not hold: prints what was seen and ends
#	import STATUS FILE...  ssdqual import --no-store --json; its document is $T/out
#	shown FILE...          the same for people, in $T/text
#	is KEY VALUE FACT      the document has VALUE (JSON, or a bare word) at KEY: a.b[0].c
#	says RE FACT, says_not RE FACT      in $T/text or $T/err

fact() {
	echo "fact: $1"
	cat "$T/out" "$T/err" "$T/text" 2>/dev/null
	exit 1
}
import() {
	want=$1
	shift
	"$SSDQUAL" import --no-store --json "$@" >"$T/out" 2>"$T/err"
	got=$?
	[ "$got" = "$want" ] || fact "'ssdqual import $*' ends with $want, not $got"
}
shown() {
	COLUMNS=2000 "$SSDQUAL" import --no-store "$@" >"$T/text" 2>"$T/err"
}
is() {
	python3 - "$T/out" "$1" "$2" <<'PY' || fact "$3"
import json, re, sys

with open(sys.argv[1], encoding="utf-8") as f:
    found = json.load(f)
for part in re.findall(r"[^.\[\]]+", sys.argv[2]):
    if part == "#":
        found = len(found)
    elif isinstance(found, list):
        at = part.split("=")
        found = found[int(part)] if len(at) == 1 else \
            next(x for x in found if x[at[0]] == at[1])
    else:
        found = found[part]
try:
    wanted = json.loads(sys.argv[3])
except ValueError:
    wanted = sys.argv[3]
sys.exit(found != wanted)
PY
}
says() {
	grep -qE -e "$1" "$T/text" "$T/err" || fact "$2"
}
says_not() {
	! grep -qiE -e "$1" "$T/text" "$T/err" || fact "$2"
}
