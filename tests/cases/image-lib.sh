# image-lib.sh - sourced by the checks of cases about an image: `. ../image-lib.sh`.
#
#	run STATUS ARGS...      the program, its document in $T/out
#	is KEY VALUE FACT       KEY of the document is the JSON VALUE ("a.b[0].c")
#	holds CODE SEVERITY FACT    a finding of that code and severity is there
#	lacks CODE FACT         it is not
#	says TEXT FACT          the document holds TEXT
#	says_not RE FACT        neither it nor standard error matches RE
fact() {
	echo "fact: $1"
	cat "$T/out" "$T/err"
	exit 1
}
run() {
	want=$1
	shift
	"$SSDQUAL" "$@" >"$T/out" 2>"$T/err"
	got=$?
	[ "$got" = "$want" ] || fact "'ssdqual $*' ends with $want, not $got"
}
cat >"$T/look.py" <<'PY'
import json, re, sys
d = json.load(open(sys.argv[1]))
def at(d, path):
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        d = d[key] if key else d[int(index)]
    return d
if sys.argv[2] == "is":
    found = at(d, sys.argv[3])
    try:
        wanted = json.loads(sys.argv[4])
    except ValueError:
        wanted = sys.argv[4]
    if found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
        print(sys.argv[3], "is", json.dumps(found))
        sys.exit(1)
else:
    found = [f for f in d["findings"] if f["code"] == sys.argv[3]]
    good = [f for f in found if f["severity"] == sys.argv[4]]
    if bool(good if sys.argv[4] else found) != (sys.argv[2] == "holds"):
        print(sys.argv[3], json.dumps(found))
        sys.exit(1)
PY
is() {
	/usr/bin/python3 "$T/look.py" "$T/out" is "$1" "$2" || fact "$3"
}
holds() {
	/usr/bin/python3 "$T/look.py" "$T/out" holds "$1" "$2" || fact "$3"
}
lacks() {
	/usr/bin/python3 "$T/look.py" "$T/out" lacks "$1" "" || fact "$2"
}
says() {
	grep -qF -e "$1" "$T/out" || fact "$2"
}
says_not() {
	! grep -qE -e "$1" "$T/out" "$T/err" || fact "$2"
}
