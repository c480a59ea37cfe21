# ssdqual show RESULT...: one result for people, documents for programs.
. tests/cli/lib.sh

dir=tests/fixtures/results

fits_80_columns() {
	/usr/bin/python3 - "$T/out" <<'PY'
import sys
wide = [line for line in open(sys.argv[1], encoding="utf-8") if len(line.rstrip("\n")) > 80]
print(*wide)
sys.exit(bool(wide))
PY
}

ssdqual show $dir/measured.json
expect_status 0
expect_no_err
expect_out '^SAMPLE SSD 960$' "the model is the title"
expect_out 'serial +S0001, firmware FW01'
expect_out 'by-id +/dev/disk/by-id/ata-SAMPLE_SSD_960_S0001'
expect_out 'size +960 GB, logical block 512 B, physical block 4 KiB'
expect_out 'write cache +drive: on, kernel: write back'
expect_out 'precondition +none: ' "the precondition is shown"
expect_out 'ROW +CACHE +IOPS +MiB/s +MEAN +P50 +P99 +P99.9$' \
	"rows with other cache states have a column for it"
expect_out 'Journal IOPS \(fsync=1\) +on +500 '
expect_out 'Journal IOPS \(fsync=1\) +off +1500 '
expect_out '^    of it the sync ' "the sync's part has a line of its own"
expect_out '^  - journal-fsync: others wrote' "findings are shown"
expect_out 'osd-data +provisional +random-nosync$' "verdicts are shown"
expect_out 'osd-data would change: a run with --fill'
check "it fits 80 columns" fits_80_columns

ssdqual show $dir/imported.json
expect_status 0
expect_out 'as reported \(imported\)' "figures of other tools are marked"
expect_out 'precondition +unknown' "unknown is said"
expect_out 'fio job randwrite +600 .* -$' "a percentile nobody gave is a dash"
check "no unknown is shown as a number" sh -c '! grep -qi "nan" "$1"' - "$T/out"

ssdqual show $dir/measured.json $dir/imported.json
expect_out '^SAMPLE SSD 960$'
expect_out '^unknown target$' "several results come one after the other"
ssdqual show $dir/measured.json $dir/r4-micron-5200.json
expect_out '^  \[2\] Micron_5200_MTFDDAK3T8TDC, serial 0000000000R4, precondition unknown$' \
	"then side by side, each with its precondition"
expect_out '^  journal-fsync +on +500 - +16.9k \+$' "the best and the worst have a sign each"
expect_out '^  journal-sync +off +- +32.3k +$' "a row that only one has is marked in none"
ssdqual show $dir/measured.json $dir/measured.json
check "side by side fits 80 columns" fits_80_columns
expect_out '^  journal-fsync +on +500 +500 +$' "what is alike is not marked"
set --
for i in 1 2 3 4 5 6 7 8 9; do set -- "$@" $dir/measured.json; done
ssdqual show "$@"
check "nine results fit 80 columns, too" fits_80_columns
expect_out '^  ROW +CACHE +\[9\] +$' "the rest stands below"

ssdqual show --json $dir/measured.json
expect_json target.model '"SAMPLE SSD 960"' "--json gives the document"
expect_json measurements.# 3
cp "$T/out" "$T/again.json"
ssdqual validate "$T/again.json"
expect_status 0 "what --json prints is a valid document"
check "it is the stored document, byte by byte" cmp "$T/again.json" $dir/measured.json
ssdqual show --json $dir/newer-minor.json
check "keys and version of a newer minor version are kept" cmp "$T/out" $dir/newer-minor.json
ssdqual show --json $dir/measured.json $dir/imported.json
expect_json results.# 2
expect_json 'results[1].measurements[0].source.kind' imported

run_input=$dir/measured.json
ssdqual show -
run_input=/dev/null
expect_status 0 "- is standard input"

# -- what is not shown ----------------------------------------------------------------------------

ssdqual show $dir/newer-major.json
expect_status 6
expect_err 'newer-major.json: /format_version: made by a newer ssdqual \(format 2.0.*update ssdqual'
ssdqual show $dir/measured.json "$T/absent.json"
expect_status 6 "one unreadable result is an error"
expect_no_out "and nothing is shown in part"
ssdqual show "$T"
expect_status 6
expect_err 'is a directory'
sed 's/"p99": [0-9]*/"p99": 7/' $dir/measured.json >"$T/edited.json"
ssdqual show "$T/edited.json"
expect_status 6 "an edited figure is noticed"
expect_err '/measurements/0/lat_ns/p99: '
head -c 3000 $dir/measured.json >"$T/cut.json"
ssdqual show --json "$T/cut.json"
expect_status 6 "a cut file is noticed"
expect_json error.code input
ssdqual show --list $dir/measured.json
expect_status 2 "--list takes no operand"

# -- hostile text -----------------------------------------------------------------------------------

/usr/bin/python3 - $dir/measured.json "$T/hostile.json" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
doc["target"]["model"] = "\x1b[31mRED\x07\n" + "M" * 300
doc["target"]["serial"] = "\u202e\U0001f600" * 40
doc["measurements"][0]["label"] = "\x1b]0;title\x07" + "L" * 200
doc["findings"][0]["text"] = "F" * 500
doc["verdicts"][0]["subject"] = "V\x1b" * 60
json.dump(doc, open(sys.argv[2], "w"))
PY
ssdqual show "$T/hostile.json"
expect_status 0
check "a device's strings cannot drive the terminal" \
	sh -c '! LC_ALL=C grep -q "$(printf "[\001-\010\013-\037\177]")" "$1"' - "$T/out"
run_cmd env COLUMNS=40 "$SSDQUAL" show $dir/measured.json
expect_status 0 "a narrow screen is no error"
run_cmd env LC_ALL=C "$SSDQUAL" show "$T/hostile.json"
check "a plain locale gets plain text" sh -c '! LC_ALL=C grep -q "[^ -~]" "$1"' - "$T/out"
