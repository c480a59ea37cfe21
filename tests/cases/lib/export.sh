# export.sh - sourced by the checks of exports: `. ../lib/export.sh`, in the case's folder.
#	fact TEXT        this one does not hold: ends the check
#	run STATUS ARGS  the program with them; output in $T/out, $T/err
#	documents FILE   the neutral input as documents $T/docs/N.json
#	python CODE      reads what was made; prints nothing and ends with 0 where the fact holds
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
documents() {
	mkdir -p "$T/docs"
	/usr/bin/python3 ../lib/results.py "$1" "$T/docs" || fact 'the input becomes documents'
}
python() {
	/usr/bin/python3 -c "import csv, glob, io, json, os, sys, zipfile
T = os.environ['T']
def rows(name):
    with open(T + '/' + name, newline='', encoding='utf-8') as f:
        return list(csv.DictReader(f))
$1"
}
