# Verdicts from figures: write cache on or off, power-loss protection, roles; shown and in JSON.
. tests/cli/lib.sh

dir=tests/fixtures/results

# verdict SUBJECT KEY: that key of that verdict of the document in $T/out
verdict() {
	/usr/bin/python3 - "$T/out" "$1" "$2" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1], encoding="utf-8"))
for v in doc["verdicts"]:
    if v["subject"] == sys.argv[2]:
        value = v.get(sys.argv[3])
        print(value if isinstance(value, str) else json.dumps(value))
        sys.exit(0)
sys.exit(1)
PY
}

expect_verdict() {
	got=$(verdict "$1" "$2")
	if [ "$got" = "$3" ]; then ok "$1: $2 is $3"; else not_ok "$1: $2 is $3" "it is '$got'"; fi
}

# Lines to be copied are never cut or wrapped; everything else keeps to the width.
fits_80_columns() {
	/usr/bin/python3 - "$T/out" <<'PY'
import sys
copied = ("  #", "  ACTION", "  nvme ")
wide = [l for l in open(sys.argv[1], encoding="utf-8")
        if len(l.rstrip("\n")) > 80 and not l.startswith(copied)]
print(*wide)
sys.exit(bool(wide))
PY
}

# -- a published table: a drive whose cache is better off ---------------------------------------------

ssdqual show --json --judge $dir/r4-micron-5200.json
expect_status 0
expect_verdict write-cache answer "turn off"
expect_verdict write-cache confidence low
expect_verdict write-cache grade provisional
expect_json findings[0].code write-cache-worth
rows=$(verdict write-cache rows | /usr/bin/python3 -c '
import json, sys
print(*(r["probe"] + "=" + r["answer"] for r in json.load(sys.stdin)), sep=",")')
want="journal-sync=turn off,journal-fsync=turn off,parallel-sync=no difference"
want="$want,parallel-fsync=no difference,random-nosync=no difference,linear-write=no difference"
check "two journal rows gain, the others do not differ" [ "$rows" = "$want" ]
cp "$T/out" "$T/judged.json"
ssdqual validate "$T/judged.json"
expect_status 0 "a judged document is valid"

ssdqual show $dir/r4-micron-5200.json
expect_status 0
expect_out 'ROW +ON +OFF +OFF/ON +SPREAD +SAVED +VERDICT$' "both states stand side by side"
expect_out 'Journal IOPS \(fsync=1\) +16.9k +32.1k +1.90 +- +28.0 us +turn off'
expect_out 'Linear write +126 +126 +1.00 +- +- +no difference'
expect_out 'saves 20 to 28 us a commit: 1.0 to 2.8 %' "and what it is worth in place"
expect_out 'SUBSYSTEM=="scsi_disk", ATTRS\{model\}=="Micron_5200_MTFD"' \
	"the rule matches the model as far as it is shown there"
expect_out 'by-id/ata-Micron_5200_MTFDDAK3T8TDC_0000000000R4' "or this drive by its by-id name"
check "no rule names sdX" sh -c '! grep -qE "/dev/sd|KERNEL" "$1"' - "$T/out"
check "it fits 80 columns" fits_80_columns

ssdqual show --json $dir/r4-micron-5200.json
check "programs get the document as it is" cmp "$T/out" $dir/r4-micron-5200.json

ssdqual show --json --judge $dir/r4-micron-5200-on.json $dir/r4-micron-5200-off.json
expect_json 'results[0].verdicts[0].answer' "turn off" "two runs of one drive are judged together"
expect_json 'results[1].verdicts[0].answer' "turn off"
ssdqual show --judge $dir/r4-micron-5200-on.json $dir/r4-micron-5200-off.json
expect_out 'Journal IOPS \(fsync=1\) +16.9k +32.1k +1.90' "and stand in one table"
ssdqual show --json --judge $dir/r4-micron-5200-on.json $dir/cache-q.json
expect_json 'results[0].verdicts[0].subject' plp "results of two drives are not"

# -- one drive gains tenfold, another loses tenfold ---------------------------------------------------

ssdqual show --json --judge $dir/cache-p.json
expect_verdict write-cache answer "turn off"
expect_out '900 IOPS \(p99 1.20 ms\) with the cache on, 21000 IOPS \(p99 60.0 us\)' \
	"the reason holds both measured values"
ssdqual show --json --judge $dir/cache-q.json
expect_verdict write-cache answer "keep on"
expect_out '1150 IOPS \(p99 900 us\) with the cache on, 80 IOPS \(p99 15.0 ms\)'

# -- power-loss protection that failed -------------------------------------------------------------

ssdqual show --json --judge $dir/plp-failed.json
expect_verdict plp grade fail
expect_verdict wal-db grade fail
expect_verdict wal-db bound_by "not qualified as a journal: its power-loss protection failed"
expect_json findings[0].code plp-backup-failed
ssdqual show $dir/plp-failed.json
expect_out 'critical: volatile memory backup failed'
expect_out '^ +\+3  it says that it has no volatile write cache' "the evidence is listed with weights"
check "it fits 80 columns, too" fits_80_columns

# -- what is stored stays ---------------------------------------------------------------------------

ssdqual show $dir/measured.json
expect_out 'osd-data +provisional +random-nosync$' "stored verdicts are shown, not replaced"
expect_out 'Journal IOPS \(fsync=1\) +500 +1500 +3.00' "the table stands beside them"
ssdqual show --json --judge $dir/measured.json
expect_verdict write-cache answer "turn off"
ssdqual show --judge
expect_status 0 "without a result it lists"

# -- a run --------------------------------------------------------------------------------------------

ssdqual run "$T" --battery ceph --row journal-fsync --row t1q1-fsync --size 4M --runtime 300ms \
	--no-store --json --quiet --zero-buffers
expect_status 0
expect_json verdicts [] "zeros yield no verdict"
