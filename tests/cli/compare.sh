# ssdqual compare BASE NEW: improved, same, worse or cannot tell, and the exit status that says it.
. tests/cli/lib.sh

dir=tests/fixtures/results

cat >"$T/make.py" <<'PY'
# make.py FILE [KEY=VALUE...]: a result with two rows, three repetitions each unless it says so.
import json, sys
given = dict(a.split("=", 1) for a in sys.argv[2:])
iops, p99 = float(given.get("iops", 1000)), float(given.get("p99", 2e6))
legs, spread = int(given.get("legs", 3)), float(given.get("spread", 0.01))
seconds = int(given.get("seconds", 0))

def latency(p99):
    keys = ("min", "mean", "stddev", "max", "p50", "p90", "p999", "p9999", "histogram")
    return dict.fromkeys(keys) | {"count": 1000, "p99": p99}

def row(probe, iops, p99, leg):
    factor = 1 + spread * (leg - (legs - 1) / 2)
    return {
        "battery": "ceph", "probe": probe, "label": probe,
        "write_cache": given.get("write_cache", "on"), "leg": leg + 1,
        "source": {"kind": "imported"},
        "params": {"rw": "write", "bs": int(given.get("bs", 4096)), "sync": "sync",
                   "filename": sys.argv[1]},
        "ios": 60000, "bytes": 60000 * 4096, "runtime_ns": 60 * 10**9,
        "errors": 0, "iops": iops * factor, "bw_bytes": None,
        "lat_ns": latency(p99 / factor), "write_lat_ns": None, "sync_lat_ns": None,
        "stop": given.get("stop", "runtime"),
        "timeline": [{"t_s": s + 1, "iops": iops * (1 + spread * (-1) ** s), "bw_bytes": None,
                      "p50_ns": None, "p99_ns": p99, "max_ns": None} for s in range(seconds)],
    }

doc = {
    "format_version": [1, 0], "tool": {"name": "make.py", "version": "1"}, "host": {},
    "target": {"model": given.get("model", "SAMPLE"), "serial": "S1", "capacity_bytes": 10**12},
    "settings": {"precondition": given.get("precondition", "steady")},
    "measurements": [row(probe, iops * k, p99, leg)
                     for probe, k in (("journal-sync", 1), ("randread-1", 5))
                     for leg in range(legs)],
    "smart": {"before": None, "after": None}, "findings": [], "verdicts": [],
}
json.dump(doc, open(sys.argv[1], "w"))
PY
make() {
	name=$1
	shift
	/usr/bin/python3 "$T/make.py" "$T/$name.json" "$@" || exit 1
}
fits_80_columns() {
	[ -z "$(awk 'length > 80' "$T/out")" ]
}

make base
make slow iops=800
make slower-tail p99=2.6e6
make little iops=960
make fast iops=1200 p99=1.6e6
make edge iops=900
make wild iops=950 spread=0.2

ssdqual compare "$T/base.json" "$T/slow.json"
expect_status 1 "a loss beyond the limit ends with 1"
expect_out '^ROW +IOPS +CHANGE +P99 +CHANGE +VERDICT$'
expect_out '^Write cache of the drive: on$'
expect_out '^journal-sync +1000 +-20% \+-2 .* ! worse$' "worse is marked by a sign, too"
expect_out '^worse \(permitted loss 10 %\)$'
expect_out '^2 worse, 0 cannot be told, 0 improved, 0 the same, 0 not comparable$'
check "it fits 80 columns" fits_80_columns
ssdqual compare "$T/base.json" "$T/slower-tail.json"
expect_status 1 "so does a p99 beyond it, with the same IOPS"
expect_out '^journal-sync +1000 +\+0.0% \+-2.[0-9] +2.00 ms +-30% \+-[0-9]+ +! worse$'
ssdqual compare --metric iops "$T/base.json" "$T/slower-tail.json"
expect_status 0 "--metric iops looks at nothing else"
ssdqual compare --metric p99 "$T/base.json" "$T/slow.json"
expect_status 0 "--metric p99 neither"
ssdqual compare "$T/base.json" "$T/base.json"
expect_status 0 "a result is the same as itself"
expect_out '= same$'
ssdqual compare "$T/base.json" "$T/little.json"
expect_status 0 "a loss within the limit is permitted"
ssdqual compare --max-regress 1% "$T/base.json" "$T/little.json"
expect_status 1 "a stricter limit does not permit it"
ssdqual compare --max-regress 30% "$T/base.json" "$T/slow.json"
expect_status 0 "a looser one permits more"
ssdqual compare "$T/base.json" "$T/fast.json"
expect_status 0
expect_out '\+ improved$'
ssdqual compare "$T/base.json" "$T/edge.json"
expect_status 5 "a loss that may be beyond the limit ends with 5"
expect_out '\? cannot tell$'
ssdqual compare "$T/base.json" "$T/wild.json"
expect_status 5 "so does a spread that hides it"

# -- one run: the seconds, or nothing -----------------------------------------------------------------

make run legs=1 seconds=20
make run-slow legs=1 seconds=20 iops=700
make run-little legs=1 seconds=20 iops=930
make no-spread legs=1
ssdqual compare "$T/run.json" "$T/run-slow.json"
expect_status 1 "seconds give a spread, too"
ssdqual compare "$T/run.json" "$T/run-little.json"
expect_status 5 "one run does not see how runs differ"
ssdqual compare --json "$T/no-spread.json" "$T/run-slow.json"
expect_status 5 "without a spread nothing can be told"
expect_json verdict '"cannot tell"'
expect_json rows[0].iops.change -0.3
expect_json rows[0].iops.spread null
expect_json rows[0].why '"no spread is known: neither repetitions nor seconds enough"'

# -- what cannot be compared ----------------------------------------------------------------------------

make other-bs bs=8192
ssdqual compare "$T/base.json" "$T/other-bs.json"
expect_status 5 "another block size is another question"
expect_out '2 rows: bs is 4096 in the base, 8192 in the new result'
expect_out 'not comparable$'
make filled precondition=filled iops=500
ssdqual compare "$T/base.json" "$T/filled.json"
expect_status 5 "another precondition, too"
expect_out 'precondition is steady in the base, filled in the new result'
make off write_cache=off
ssdqual compare --json "$T/base.json" "$T/off.json"
expect_status 5 "rows of the other state of the cache are other rows"
expect_json rows.# 4
expect_json rows[0].why '"only in the base result"'
expect_json rows[3].why '"only in the new result"'
make stopped stop=signal
ssdqual compare "$T/base.json" "$T/stopped.json"
expect_status 5 "a run that was stopped tells nothing"
expect_out '2 rows: the new one ended with: signal'

# -- published figures ------------------------------------------------------------------------------------

ssdqual compare $dir/r4-micron-5200.json $dir/r4-micron-5200.json
expect_out '^journal-sync, cache off: 32.3k IOPS, number [0-9]+ of [0-9]+$'
expect_out 'next faster: .* IOPS' "the neighbours are named"
check "it fits 80 columns" fits_80_columns
ssdqual compare --json $dir/r4-micron-5200.json $dir/r4-micron-5200.json
expect_json published[0].probe journal-sync
expect_json_has published[0].next_faster.source
expect_json counts.cannot_tell 12

# -- a real run ---------------------------------------------------------------------------------------------

mkdir "$T/folder"
for i in 1 2; do
	ssdqual run --battery etcd --row etcd-2300 --runtime 4s --size 256m -o "$T/run$i.json" \
		"$T/folder"
	check "a run of its own is there to compare" test -s "$T/run$i.json"
done
ssdqual compare --json "$T/run1.json" "$T/run2.json"
check "two runs of one folder are comparable" \
	sh -c 'case $1 in 0 | 1 | 5) exit 0 ;; esac; exit 1' - "$status"
expect_json counts.not_comparable 0
expect_json_has rows[0].iops.spread "the seconds of a run give a spread"

# -- what goes wrong ------------------------------------------------------------------------------------------

ssdqual compare "$T/base.json"
expect_status 2
expect_err 'two results are compared, BASE and NEW; 1 given'
ssdqual compare --json "$T/base.json" "$T/absent.json"
expect_status 6
expect_json error.code input
ssdqual compare --max-regress x "$T/base.json" "$T/base.json"
expect_status 2
/usr/bin/python3 - "$T/base.json" "$T/hostile.json" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
doc["target"]["model"] = "\x1b[31mRED\x07" + "M" * 300
doc["measurements"][0]["params"]["bs"] = "\x1b[0m" + "B" * 300
json.dump(doc, open(sys.argv[2], "w"))
PY
ssdqual compare "$T/base.json" "$T/hostile.json"
check "a document cannot drive the terminal" \
	sh -c '! LC_ALL=C grep -q "$(printf "[\001-\010\013-\037\177]")" "$1"' - "$T/out"
run_cmd env COLUMNS=40 "$SSDQUAL" compare "$T/base.json" "$T/slow.json"
expect_status 1 "a narrow screen changes nothing"
