# import.sh - other tools' files become results: live against fio, and by what goes wrong.
. tests/cli/lib.sh

# -- how it is called ------------------------------------------------------------------------------
ssdqual import
expect_status 2
expect_err 'FILE is missing' "a file is asked for"
ssdqual import --kind nosuch x.json
expect_status 2
expect_err 'nosuch: not known' "an unknown kind is named"
ssdqual import "$T/absent.json"
expect_status 6
expect_err 'absent.json: No such file' "a file that is not there is named"

# pass.json of a log that syncs each write; its figures by hand.
fio_json() { # NAME IOENGINE SYNC_P99 [EXTRA_TOP]
	cat <<JSON
{"fio version": "fio-3.36", "timestamp": 1700000000, ${4:-}
 "jobs": [{"jobname": "$1", "groupid": 0, "error": 0, "eta": 0, "elapsed": 61,
  "job options": {"ioengine": "$2", "rw": "write", "bs": "4k", "fsync": "1", "direct": "1",
                  "filename": "/dev/sdx"},
  "read": {"io_bytes": 0, "total_ios": 0, "iops": 0.0, "runtime": 0},
  "write": {"io_bytes": 40960000, "io_kbytes": 40000, "bw_bytes": 4096000, "iops": 1000.0,
   "runtime": 10000, "total_ios": 10000,
   "slat_ns": {"min": 900, "max": 9000, "mean": 1000.0, "stddev": 10.0, "N": 10000},
   "clat_ns": {"min": 9000, "max": 900000, "mean": 99000.0, "stddev": 900.0, "N": 10000,
    "percentile": {"50.000000": 98000, "90.000000": 99000, "99.000000": 200000,
                   "99.900000": 300000, "99.990000": 400000}},
   "lat_ns": {"min": 9900, "max": 909000, "mean": 100000.0, "stddev": 910.0, "N": 10000}},
  "sync": {"total_ios": 0, "lat_ns": {"min": 500000, "max": 90000000, "mean": 850000.0,
   "stddev": 1000.0, "N": 10000, "percentile": {"50.000000": 840000, "90.000000": 900000,
    "99.000000": $3, "99.900000": 20000000, "99.990000": 80000000}}}}]}
JSON
}
fio_json one psync 2000000 >"$T/one.json"
ssdqual import --json --no-store "$T/one.json"
expect_status 0
expect_json import.kind fio
expect_json import.tool_version fio-3.36
expect_json target.path /dev/sdx
expect_json settings.started_at 2023-11-14T22:12:19Z "the run began before it ended"
expect_json 'measurements[0].source.kind' imported
expect_json 'measurements[0].battery' ceph
expect_json 'measurements[0].probe' journal-fsync "the same options are the same row"
expect_json 'measurements[0].params.bs' 4096
expect_json 'measurements[0].params.direct' true
expect_json 'measurements[0].iops' 1000
expect_json 'measurements[0].sync_lat_ns.p99' 2000000
expect_json 'measurements[0].sync_lat_ns.count' 10000 "N counts where total_ios stayed 0"
expect_json 'measurements[0].sync_lat_ns.histogram' null "percentiles are as reported"
expect_json 'measurements[0].write_lat_ns.p50' 98000
expect_json 'measurements[0].lat_ns.mean' 950000 "the mean until durable is that of both"
expect_json 'measurements[0].lat_ns.p99' null "a percentile of a sum is not made up"
expect_json 'measurements[0].import.lat_of' 'write + sync'
expect_json 'measurements[0].stop' null

# The document is a result like any other.
ssdqual import -o "$T/r.json" "$T/one.json"
expect_status 0
expect_out "saved: $T/r.json"
ssdqual validate "$T/r.json"
expect_status 0 "an imported document is valid"
ssdqual show "$T/r.json"
expect_status 0
expect_out 'as reported \(imported\)' "show marks it"
expect_out 'imported +fio \(fio-3.36\)' "show tells the tool"
expect_out 'equivalent to row journal-fsync of battery ceph'

# -- lines around, several documents, several files ------------------------------------------------
{ echo 'fio: warning: a line'; cat "$T/one.json"; echo; echo 'Run status group 0'; } >"$T/lines"
ssdqual import --json --no-store - <"$T/lines"
run_input="$T/lines"
ssdqual import --json --no-store -
run_input=/dev/null
expect_status 0
expect_json import.file 'standard input'
expect_json 'import.notes.#' 2 "what stands before and after are notes"
expect_json 'import.notes[0].text' 'fio: warning: a line'
{ fio_json a psync 2000000; fio_json b psync 3000000; } >"$T/two.json"
ssdqual import --json --no-store "$T/two.json"
expect_status 0
expect_json 'results.#' 2 "two finished runs in a file are two results"
ssdqual import -o "$T/r2.json" "$T/two.json"
expect_status 2 "two results need a folder"
[ ! -e "$T/r2.json" ] && ok "and nothing is written" || not_ok "and nothing is written"
ssdqual import --json --no-store --merge "$T/two.json"
expect_json 'measurements.#' 2 "--merge makes one result of both"
sed 's|/dev/sdx|/dev/sdy|' "$T/one.json" >"$T/other.json"
ssdqual import --no-store --merge "$T/one.json" "$T/other.json"
expect_status 6
expect_err 'target.path differs' "runs on two targets do not become one"
ssdqual import --json --no-store "$T/absent.json" "$T/one.json"
expect_status 6 "one bad file of two: status 6"
expect_json 'results.#' 1 "and the other one is imported"
expect_json 'failed[0].file' "$T/absent.json"
ssdqual import --no-store "$T/absent.json" "$T/one.json"
expect_out 'equivalent to row journal-fsync' "people see the good one"
expect_err 'absent.json: No such file' "and the bad one's reason"

# -- what fio's figures are ------------------------------------------------------------------------
# libaio, depth 1: the sync section runs from the write's submission on. Period 1 ms.
fio_json x libaio 2000000 | sed 's/"mean": 850000.0/"mean": 998000.0/' >"$T/libaio.json"
ssdqual import --json --no-store "$T/libaio.json"
expect_json 'measurements[0].sync_lat_ns' null "libaio tells no sync alone"
expect_json 'measurements[0].lat_ns.p99' 2000000 "it tells the whole durable write"
expect_json 'measurements[0].import.lat_of' sync
expect_json_has 'measurements[0].import.sync'
# The same sums with psync cannot be: they overlap, and are not told apart.
sed 's/libaio/psync/' "$T/libaio.json" >"$T/overlap.json"
ssdqual import --json --no-store "$T/overlap.json"
expect_json 'measurements[0].sync_lat_ns' null "overlapping times give no sync latency"
expect_json 'measurements[0].lat_ns' null
# Depth 32: no journal, and the sync section is nothing.
sed 's/"fsync": "1"/"fsync": "1", "iodepth": "32"/; s/"rw": "write"/"rw": "randwrite"/' \
	"$T/libaio.json" >"$T/deep.json"
ssdqual import --json --no-store "$T/deep.json"
expect_json 'measurements[0].probe' parallel-fsync
expect_json 'measurements[0].sync_lat_ns' null
ssdqual import --no-store "$T/deep.json"
COLUMNS=400 ssdqual import --no-store "$T/deep.json"
expect_out 'no journal of depth 1' "depth 32 with fsync is no journal"
# iodepth has no effect with psync.
sed 's/"fsync": "1"/"fsync": "1", "iodepth": "32"/' "$T/one.json" >"$T/ignored.json"
ssdqual import --json --no-store "$T/ignored.json"
expect_json 'measurements[0].params.iodepth' 1 "psync is depth 1 whatever iodepth says"
expect_json 'measurements[0].probe' journal-fsync
# Buffered without syncs is the page cache.
sed 's/"fsync": "1", "direct": "1"/"fsync": "0"/; s/"sync":/"gone":/' "$T/one.json" >"$T/cached.json"
COLUMNS=400
export COLUMNS
ssdqual import --no-store "$T/cached.json"
expect_out 'page cache was measured' "a buffered job without syncs is equivalent to nothing"
# lat_percentiles=1 gives those of the whole.
sed 's/"lat_ns": {"min": 9900, "max": 909000/"lat_ns": {"percentile": {"99.000000": 210000}, "min": 9900, "max": 909000/
	s/"fsync": "1"/"fsync": "0"/; s/"sync":/"gone":/' "$T/one.json" >"$T/lat.json"
ssdqual import --json --no-store "$T/lat.json"
expect_json 'measurements[0].probe' write-4k
expect_json 'measurements[0].import.lat_of' lat
expect_json 'measurements[0].lat_ns.p99' 210000 "percentiles of lat come before those of clat"
expect_json 'measurements[0].lat_ns.p50' null "and those that it lacks are unknown"
unset COLUMNS

# numjobs without group_reporting: one measurement, summed up, no percentiles.
python3 - "$T/one.json" >"$T/clones.json" <<'PY'
import copy, json, sys
d = json.load(open(sys.argv[1]))
d["jobs"][0]["job options"]["numjobs"] = "4"
d["jobs"] = [copy.deepcopy(d["jobs"][0]) for _ in range(4)]
json.dump(d, sys.stdout)
PY
ssdqual import --json --no-store "$T/clones.json"
expect_json 'measurements.#' 1 "clones are one measurement"
expect_json 'measurements[0].iops' 4000 "their IOPS are summed up"
expect_json 'measurements[0].write_lat_ns.mean' 99000 "the mean is of all"
expect_json 'measurements[0].write_lat_ns.p99' null "percentiles cannot be summed up"
expect_json 'measurements[0].import.equivalent' false "four jobs are not one"

# -- refusals ---------------------------------------------------------------------------------------
printf '{"a": 1}' >"$T/unknown.json"
ssdqual import "$T/unknown.json"
expect_status 6
expect_err 'JSON of an unknown kind; known are fio' "an unknown kind lists the known ones"
ssdqual import "$T/r.json"
expect_status 6
expect_err 'is a result document already' "a result is not imported again"
ssdqual import --kind smartctl "$T/one.json"
expect_status 6
expect_err 'not of the kind smartctl'
printf '{"fio version": "fio-3.36", "jobs": [{"jobname": "a" "error": 0}]}' >"$T/bad.json"
ssdqual import "$T/bad.json"
expect_status 6
expect_err 'bad.json:1:[0-9]+: ' "broken JSON has its line and column"
# A document beyond the limit is refused by its size, whatever the file's.
{ printf '{"fio version": "fio-3.36", "x": ['; yes '0,' | head -n 4300000 | tr -d '\n'; } >"$T/big.json"
ssdqual import "$T/big.json"
expect_status 6
expect_err 'more than 4194304 values begins here, which is the limit' "the limit is named"
rm "$T/big.json"
# Intervals of one run, in a file of 20 MB: only the last counts.
python3 - "$T/one.json" >"$T/many.json" <<'PY'
import sys
text = open(sys.argv[1]).read()
running = text.replace('"eta": 0', '"eta": 5') + "\n"
for _ in range(20000):
    sys.stdout.write(running)
sys.stdout.write(text)
PY
ssdqual import --json --no-store "$T/many.json"
expect_status 0
expect_json import.documents 20001 "a long file of intervals is read"
expect_json 'measurements.#' 1
rm "$T/many.json"

# -- the measured files: no warning that is not true, and a backend for advise -------------------------
for f in tests/measured/fio/rw4k-*.json tests/measured/fio/long-rw4k-qd32-none.json \
	tests/measured/device/dev-etcd8000.json; do
	name=$(basename "$f" .json)
	ssdqual import --json --no-store "$f"
	expect_status 0 "$name is imported"
	expect_json 'measurements[0].import.equivalent' true "$name is equivalent to a row"
	if notes=$(python3 - "$T/out" "$f" <<'PY'
import json, sys
doc, src = (json.load(open(p)) for p in sys.argv[1:3])
job, m = src["jobs"][0], doc["measurements"][0]
w = job["write"]
assert m["iops"] == w["iops"] and m["ios"] == w["total_ios"] and m["bytes"] == w["io_bytes"]
small = w["slat_ns"]["mean"] <= 0.1 * w["lat_ns"]["mean"]
io = m["write_lat_ns"] or m["lat_ns"]
assert io["mean"] == (w["clat_ns"] if small else w["lat_ns"])["mean"]
assert io["p99"] == (w["clat_ns"]["percentile"]["99.000000"] if small else None)
# the only thing to be said is that clat is not the whole, and only where it is not
codes = [n["code"] for n in doc["import"]["notes"]]
assert codes == ([] if small else ["clat-only"]), codes
PY
	); then ok "$name: figures as in the file, no untrue note"; else
		not_ok "$name: figures as in the file, no untrue note" "$notes"; fi
	case $name in
	dev-*) expect_json 'verdicts[0].subject' etcd ;;
	*) expect_json 'verdicts.#' 0 "$name: an image is no drive, and is not judged as one" ;;
	esac
	ssdqual advise --json --workload etcd --backend "$f"
	expect_status 0 "$name is a backend for advise"
	expect_json_has recommendation.candidate
done
ssdqual import --merge -o "$T/backend.json" tests/measured/fio/rw4k-qd1-none.json \
	tests/measured/fio/rw4k-qd32-none.json
expect_status 0 "a run at depth 1 and a deep one are merged"
ssdqual advise --json --workload etcd --backend "$T/backend.json"
expect_status 0
if grep -q '"backend-concurrency"' "$T/out"; then not_ok "the concurrency comes from the deep one"
else ok "the concurrency comes from the deep one"; fi
ssdqual advise --json --workload etcd --backend tests/measured/fio/rw4k-qd32-none.json
check "a deep run alone leaves the latencies to the reference" \
	grep -q 'the latencies are the reference backend' "$T/out"
ssdqual advise --json --workload etcd --drive tests/measured/device/dev-etcd8000.json
expect_status 0 "a run of etcd's recipe is a drive for advise"
