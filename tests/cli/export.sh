# ssdqual export: every format read back by somebody else's reader.
. tests/cli/lib.sh

dir=tests/fixtures/results
docs="$dir/measured.json $dir/r4-micron-5200.json $dir/imported.json"

# python NAME CODE: ok NAME when CODE, which reads what was exported, ends with 0.
python() {
	cat >"$T/python.py" <<PY
import csv, io, json, os, re, sys, zipfile
T = os.environ["T"]
def table(name):
    with open(T + "/" + name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))
$2
PY
	check "$1" /usr/bin/python3 "$T/python.py"
}

# The advice needs no drive: everything is stated.
ssdqual advise --json --workload etcd --backend write=1.4ms,read=0.4ms,meta=0.4ms \
	--drive sync=60us
expect_status 0
cp "$T/out" "$T/advice.json"

for format in xlsx csv md html prom; do
	# shellcheck disable=SC2086 # the list is words by design
	ssdqual export -o "$T/all.$format" $docs "$T/advice.json"
	expect_status 0 ".$format is written"
	expect_no_err ".$format is written without a complaint"
done

# -- the workbook ---------------------------------------------------------------------------------

if /usr/bin/python3 -c 'import openpyxl' 2>/dev/null; then
	python "the workbook has its sheets, with names that Excel takes" '
import openpyxl
b = openpyxl.load_workbook(T + "/all.xlsx")
wanted = ["Summary", "A-B", "Percentiles", "Timeline", "SMART & WA", "Advice"]
assert b.sheetnames[:6] == wanted and "Provenance" in b.sheetnames, b.sheetnames
assert all(len(n) <= 31 and not set(n) & set("[]:*?/\\") for n in b.sheetnames)
assert len({n.lower() for n in b.sheetnames}) == len(b.sheetnames)
'
	python "heads are frozen and filtered, every column has a width" '
import openpyxl
for s in openpyxl.load_workbook(T + "/all.xlsx"):
    assert s.freeze_panes == "B2", s.title
    assert s.auto_filter.ref and s.auto_filter.ref.startswith("A1:"), s.title
    heads = [c.value for c in s[1]]
    assert len(set(heads)) == len(heads), heads
    for c in s[1]:
        assert 5 < s.column_dimensions[c.column_letter].width < 110
'
	python "a wide sheet is printed on several pages, each with its first column" '
import openpyxl
for s in openpyxl.load_workbook(T + "/all.xlsx"):
    width = sum(d.width for d in s.column_dimensions.values())
    pages = s.page_setup.fitToWidth
    pages = 1 if pages is None else pages
    assert s.sheet_properties.pageSetUpPr.fitToPage and width / pages < 210, (s.title, width, pages)
    assert s.page_setup.fitToHeight == 0 and s.page_setup.orientation == "landscape"
    titles = s.print_title_rows, s.print_title_cols # both at once Gnumeric does not take
    assert titles in ((None, "$A:$A"), ("$1:$1", None) if pages == 1 else ()), (s.title, titles)
'
	python "a head with a unit stands over its figures, also where there are none yet" '
import openpyxl
s = openpyxl.load_workbook(T + "/all.xlsx")["A-B"]
align = {c.value: c.alignment.horizontal for c in s[1]}
assert align["Spread (%)"] == align["Cache on (IOPS)"] == "right" != align["Row"], align
'
	python "numbers are numbers, texts are texts, unknown is empty" '
import datetime, openpyxl
s = openpyxl.load_workbook(T + "/all.xlsx")["Summary"]
rows = [dict(zip([c.value for c in s[1]], r)) for r in s.iter_rows(min_row=2)]
on = [r for r in rows if r["Model"].value == "SAMPLE SSD 960" and r["Write cache"].value == "on"][0]
assert on["Journal (fsync=1) IOPS"].value == 500 and on["Journal (fsync=1) IOPS"].data_type == "n"
assert abs(on["Capacity (GB)"].value - 960.197124096) < 1e-9
assert on["Precondition"].value == "none" and on["Precondition"].data_type in "s"
assert on["Journal (sync=1) IOPS"].value is None
assert isinstance(on["Started (UTC)"].value, datetime.datetime)
assert on["Started (UTC)"].value == datetime.datetime(2026, 11, 30, 12, 57, 52)
for sheet in s.parent:
    for r in sheet.iter_rows():
        for c in r:
            assert c.data_type in "nsd", (sheet.title, c.coordinate, c.data_type)
'
	python "a line of the workbook holds the figures of the document" '
import openpyxl
s = openpyxl.load_workbook(T + "/all.xlsx")["Percentiles"]
rows = [dict(zip([c.value for c in s[1]], [c.value for c in r])) for r in s.iter_rows(min_row=2)]
m = json.load(open("tests/fixtures/results/measured.json"))["measurements"][0]
for part, key in (("durable", "lat_ns"), ("write", "write_lat_ns"), ("sync", "sync_lat_ns")):
    r = [r for r in rows if r["Serial"] == "S0001" and r["Row"] == m["probe"]
         and r["Write cache"] == m["write_cache"] and r["Latency of"] == part]
    assert len(r) == 1, r
    for head, figure in (("Mean", "mean"), ("p50", "p50"), ("p99.99", "p9999"), ("Max", "max")):
        assert abs(r[0][head + " (ms)"] * 1e6 - m[key][figure]) <= m[key][figure] * 1e-9
    assert r[0]["Precondition"] == "none" and r[0]["Samples (I/Os)"] == m[key]["count"]
'
	python "cache on and off stand side by side, with conditional colours" '
import openpyxl
s = openpyxl.load_workbook(T + "/all.xlsx")["A-B"]
rows = [dict(zip([c.value for c in s[1]], [c.value for c in r])) for r in s.iter_rows(min_row=2)]
r = [r for r in rows if r["Row"] == "Journal IOPS (fsync=1)" and r["Model"].startswith("Micron")][0]
assert (r["Cache on (IOPS)"], r["Cache off (IOPS)"]) == (16900, 32100)
assert abs(r["Off / on"] - 32100 / 16900) < 1e-12 and r["This row says"] == "turn off"
assert r["Recommendation"] == "turn off" and r["Spread (%)"] is None
assert len(s.conditional_formatting) >= 3
'
	python "the advice has its candidates and its steps" '
import openpyxl
a = json.load(open(T + "/advice.json"))
b = openpyxl.load_workbook(T + "/all.xlsx")
s = b["Advice"]
rows = [dict(zip([c.value for c in s[1]], [c.value for c in r])) for r in s.iter_rows(min_row=2)]
assert [r["Candidate"] for r in rows] == [c["name"] for c in a["candidates"]]
chosen = [r["Candidate"] for r in rows if r["Recommended"] == "yes"]
assert chosen == [a["recommendation"]["candidate"]]
kinds = [r[1].value for r in b["Advice steps"].iter_rows(min_row=2)]
assert kinds.count("warning") == len(a["warnings"]) and kinds.count("assumed") == len(a["assumed"])
'
else
	skip "python3-openpyxl is not installed: the workbook's cells"
fi
python "charts are native, and their figures are on the sheets" '
z = zipfile.ZipFile(T + "/all.xlsx")
charts = [z.read(n).decode() for n in z.namelist() if re.match(r"xl/charts/chart\d+.xml", n)]
kinds = [re.search(r"<c:(line|scatter)Chart>", c).group(1) for c in charts]
assert kinds.count("line") == 3 and kinds.count("scatter") == 2, kinds
for c in charts:
    refs = re.findall(r"<c:f>(.*?)</c:f>", c)
    assert refs and all(re.match(r"'"'"'?(Percentiles|Timeline)'"'"'?!\$[A-Z]+\$\d+", r) for r in refs), refs
assert not any(b"<f>" in z.read(n) for n in z.namelist() if "worksheets/sheet" in n)
'
python "every part of the workbook is well-formed" '
import xml.dom.minidom
z = zipfile.ZipFile(T + "/all.xlsx")
assert z.testzip() is None
for n in z.namelist():
    xml.dom.minidom.parseString(z.read(n))
'
cp "$T/all.xlsx" "$T/first.xlsx"
sleep 1.1 # another second, and every even one (zip counts in twos)
# shellcheck disable=SC2086
for format in xlsx csv md html prom; do
	cp "$T/all.$format" "$T/first.$format"
	ssdqual export -o "$T/all.$format" $docs "$T/advice.json"
	check "the same results give the same .$format, byte by byte" \
		cmp "$T/all.$format" "$T/first.$format"
done
if command -v ssconvert >/dev/null; then
	run_cmd ssconvert "$T/all.xlsx" "$T/gnumeric.csv"
	expect_status 0 "Gnumeric opens the workbook"
	expect_no_err "Gnumeric has no complaint"
	check "Gnumeric finds the drives" grep -q 'SAMPLE SSD 960' "$T/gnumeric.csv"
else
	skip "gnumeric is not installed: a second reader of the workbook"
fi

# -- CSV --------------------------------------------------------------------------------------------

python "CSV has one table, its lines end as RFC 4180 says" '
raw = open(T + "/all.csv", "rb").read()
assert raw.count(b"\r\n") == raw.count(b"\n") == 6, raw.count(b"\n")
rows = list(csv.reader(io.StringIO(raw.decode())))
assert len({len(r) for r in rows}) == 1
r = [r for r in table("all.csv") if r["Model"] == "SAMPLE SSD 960"][0]
assert r["Journal (fsync=1) IOPS"] == "500" and r["Journal (sync=1) IOPS"] == ""
'
python "a row names the result that it is from" '
import subprocess
for sheet in "percentiles", "timeline":
    out = subprocess.run([os.environ["SSDQUAL"], "export", "--format", "csv", "--sheet", sheet,
        "tests/fixtures/results/measured.json", "tests/fixtures/results/imported.json"],
        check=True, capture_output=True, text=True).stdout
    names = {r["Result"] for r in csv.DictReader(io.StringIO(out))}
    assert "measured.json" in names and len(names) == (2 if sheet == "percentiles" else 1), names
'
for sheet in summary a-b percentiles timeline smart advice advice-steps verdicts findings \
	provenance; do
	ssdqual export --format csv --sheet $sheet $dir/measured.json
	expect_status 0 "there is a table $sheet"
done
ssdqual export --format csv --sheet timeline $dir/measured.json
expect_out '^SAMPLE SSD 960,S0001,ceph,journal-fsync,on,1,none,1,' "a timeline has its seconds"
run_input=$dir/measured.json
ssdqual export --format csv -
run_input=/dev/null
expect_out '^SAMPLE SSD 960,960[.]19[0-9]*,FW01,' "- is standard input"
ssdqual show --json $dir/measured.json $dir/imported.json
cp "$T/out" "$T/several.json"
ssdqual export --json -o "$T/x.csv" "$T/several.json"
expect_json results 2 "what show --json prints of several is read"
expect_json format csv

cat >"$T/wa.json" <<'JSON'
{"format": "ssdqual-wa", "format_version": [1, 0], "chains": [{"name": "osd.0", "role": null,
	"levels": {"client": {"bytes": 1000000000}, "block": {"bytes": 2500000000},
		"host": {"bytes": null}, "nand": {"bytes": 5000000000}},
	"factor": {"over": "client", "to": "nand", "value": 5, "low": 4.9, "high": null}}]}
JSON
ssdqual export --format csv --sheet smart "$T/wa.json"
cp "$T/out" "$T/wa.csv"
python "a chain of write amplification has its levels; what is not known is empty" '
r = table("wa.csv")
assert len(r) == 1 and r[0]["Chain"] == "osd.0" and r[0]["Client (GB)"] == "1"
assert r[0]["Drive, from host (GB)"] == "" and r[0]["Drive, to NAND (GB)"] == "5"
assert r[0]["Write amplification, chain (x)"] == "5" and r[0]["at most (x)"] == ""
'
ssdqual export --format prom "$T/wa.json"
expect_out '^ssdqual_chain_write_amplification_ratio\{chain="osd.0"\} 5$'

/usr/bin/python3 - $dir/measured.json "$T/health.json" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
def total(bytes):
    return {"bytes": bytes, "at_least": False, "step_bytes": 1, "source": "a counter"}
def health(host, nand, celsius):
    return {"host_writes": total(host), "nand_writes": total(nand),
            "temperature_c": celsius, "percent_used": 7, "capacitor": {"state": "ok"}}
doc["smart"] = {"before": health(10**9, 3 * 10**9, 31), "after": health(3 * 10**9, 8 * 10**9, 45)}
json.dump(doc, open(sys.argv[2], "w"))
doc["smart"]["after"]["host_writes"]["bytes"] = 5
json.dump(doc, open(sys.argv[2] + ".reset", "w"))
PY
ssdqual export --format csv --sheet smart "$T/health.json"
cp "$T/out" "$T/health.csv"
ssdqual export --format csv --sheet smart "$T/health.json.reset"
cp "$T/out" "$T/reset.csv"
python "health has what the run wrote; a counter that went back says nothing" '
r = table("health.csv")[0]
assert r["Temperature before (C)"] == "31" and r["Temperature after (C)"] == "45"
assert r["Host writes, run (GB)"] == "2" and r["NAND writes, run (GB)"] == "5"
assert r["Write amplification, run (x)"] == "2.5" and r["Capacitor"] == "ok"
r = table("reset.csv")[0]
assert r["Host writes, run (GB)"] == "" and r["Write amplification, run (x)"] == ""
'

# -- the page ---------------------------------------------------------------------------------------

if command -v tidy >/dev/null; then
	run_cmd tidy -e -q "$T/all.html"
	expect_status 0 "an HTML checker has nothing to say"
	expect_no_err "an HTML checker says nothing"
else
	skip "tidy is not installed: a checker of HTML"
fi
python "the page asks for nothing, runs nothing, and has its charts" '
text = open(T + "/all.html", encoding="utf-8").read()
assert not re.search(r"(?i)<(script|link|img|iframe|object|embed|base|form)\b", text)
for tag in re.findall(r"<[^>]*>", text):
    assert not re.search(r"(?i)\s(src|href|action|srcset|on[a-z]+)\s*=", tag), tag
assert not re.search(r"(?i)@import|url\(", text)
assert text.count("<svg ") == 5 and "prefers-color-scheme:dark" in text
assert "SAMPLE SSD 960" in text
assert "></td>" not in text # what is not known is said so
assert "<th scope=\"col\" class=\"n\">" in text and "<td class=\"s\">" in text
'

# -- metrics ----------------------------------------------------------------------------------------

if command -v promtool >/dev/null; then
	run_input=$T/all.prom
	run_cmd promtool check metrics
	run_input=/dev/null
	expect_status 0 "promtool takes the metrics"
	expect_no_out "promtool says nothing"
	expect_no_err "promtool complains about nothing"
else
	skip "prometheus is not installed: promtool"
fi
python "each metric has a help, a type, and no sample twice" '
seen, typed, helped = set(), set(), set()
text = open(T + "/all.prom", encoding="utf-8").read()
assert text.endswith("# EOF\n")
for line in text.splitlines()[:-1]:
    m = re.match(r"# (HELP|TYPE) ([a-z0-9_]+) ", line)
    if m:
        (typed if m[1] == "TYPE" else helped).add(m[2])
        continue
    m = re.fullmatch(r"([a-z0-9_]+)(\{(?:[a-z_]+=\"(?:[^\"\\]|\\.)*\",?)*\}) (\S+)", line)
    assert m, line
    float(m[3])
    assert m[1] in typed and m[1] in helped
    assert (m[1], m[2]) not in seen, line
    seen.add((m[1], m[2]))
assert len(typed) > 8
'
expect='ssdqual_latency_p99_seconds{model="SAMPLE SSD 960",serial="S0001",battery="ceph",'
check "seconds are the unit of a latency" \
	grep -qF "$expect"'row="journal-fsync",write_cache="on",repetition="1",part="durable",source="measured",precondition="none"} 0.0' "$T/all.prom"
sed 's/"iops": 500,/"iops": 501,/; s/"ios": 1000,/"ios": 1002,/' $dir/measured.json >"$T/later.json"
ssdqual export --format prom $dir/measured.json "$T/later.json"
expect_out '^ssdqual_iops\{.*journal-fsync.*write_cache="on".*\} 501$' \
	"of two results of one row the last named stays"
check "and the other is gone" sh -c '! grep -q "journal-fsync.* 500$" "$1"' - "$T/out"

cp $dir/imported.json "$T/second.json"
ssdqual export --format prom $dir/imported.json "$T/second.json" $dir/measured.json
check "drives that nobody named are told apart by their results" \
	[ "$(grep -cE '^ssdqual_iops.*result="(imported|second)[.]json"' "$T/out")" = 2 ]
check "others are not: their series go on from run to run" \
	sh -c '! grep -q "model=.*result=" "$1"' - "$T/out"

# -- a ticket ---------------------------------------------------------------------------------------

python "every line of a Markdown table has as many cells as its head" '
cells = 0
for line in open(T + "/all.md", encoding="utf-8"):
    n = len(re.findall(r"(?<!\\)\|", line))
    assert not n or not cells or n == cells, line
    cells = n
'
check "Markdown has the summary" grep -q '^| Model | .*SAMPLE SSD 960' "$T/all.md"

# -- hostile text -------------------------------------------------------------------------------------

/usr/bin/python3 - $dir/measured.json "$T/hostile.json" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
evil = "=HYPERLINK(\"http://x\")<script>alert(1)</script>&'|`*_[a](b)\x1b[31m\ud800".replace("\ud800", "")
doc["target"]["model"] = evil
doc["target"]["serial"] = "@SUM(A1)\n\"},{\\"
doc["target"]["firmware"] = "\uff1d1+1"
doc["measurements"][0]["label"] = "+1" + "L" * 40000
doc["findings"][0]["text"] = "-->]]>\uffff\u0085" + "F" * 500
doc["verdicts"][0]["bound_by"] = "\t=2"
json.dump(doc, open(sys.argv[2], "w"))
PY
for format in xlsx csv md html prom; do
	ssdqual export -o "$T/h.$format" "$T/hostile.json"
	expect_status 0 "hostile text is exported to .$format"
	expect_no_err "hostile text is no complaint for .$format"
done
python "CSV: no cell begins as a formula" '
for r in csv.reader(open(T + "/h.csv", newline="", encoding="utf-8")):
    for c in r:
        assert not c or c[0] not in "=+@\t\r\uff1d" and (c[0] != "-" or float(c)), c
'
python "workbook: no formula, no link, well-formed, long text is cut, not lost" '
import xml.dom.minidom
z = zipfile.ZipFile(T + "/h.xlsx")
for n in z.namelist():
    xml.dom.minidom.parseString(z.read(n))
    assert b"<f>" not in z.read(n) and b"<hyperlink" not in z.read(n), n
text = b"".join(z.read(n) for n in z.namelist())
assert b"+1LLLL" in text
'
python "page: markup of a document is text" '
text = open(T + "/h.html", encoding="utf-8").read()
assert "<script" not in text and "&lt;script&gt;" in text
assert not any(ord(c) < 32 and c not in "\n\t" for c in text)
'
if command -v tidy >/dev/null; then
	run_cmd tidy -e -q "$T/h.html"
	expect_status 0 "the checker has nothing to say about hostile text either"
fi
if command -v promtool >/dev/null; then
	run_input=$T/h.prom
	run_cmd promtool check metrics
	run_input=/dev/null
	expect_status 0 "promtool takes hostile labels"
fi
python "Markdown: markup of a document is text" '
text = open(T + "/h.md", encoding="utf-8").read()
assert "<script" not in text and "](b)" not in text.replace("\\](b)", "")
'
check "a document drives no terminal" \
	sh -c '! LC_ALL=C grep -q "$(printf "[\001-\010\013-\014\016-\037\177]")" "$@"' - \
	"$T/h.csv" "$T/h.md" "$T/h.html" "$T/h.prom"

# -- many -------------------------------------------------------------------------------------------

mkdir "$T/many"
/usr/bin/python3 - $dir/measured.json "$T/many" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
for i in range(60):
    doc["target"]["serial"] = f"S{i:04d}"
    json.dump(doc, open(f"{sys.argv[2]}/{i:04d}.json", "w"))
PY
ssdqual export --json -o "$T/many.xlsx" "$T"/many/*.json
expect_status 0 "many results make one workbook"
expect_json results 60
expect_json sheets[0].rows 120 "each result and state has a line"
expect_json sheets[2].charts 24 "there are no more charts than anybody looks at"
expect_json sheets[3].rows 300 "the seconds are those of the first 50"
ssdqual export --json --timeline all -o "$T/many.xlsx" "$T"/many/*.json
expect_json sheets[3].rows 360 "--timeline all brings the rest"
ssdqual export --json --timeline none -o "$T/many.xlsx" "$T"/many/*.json
expect_json sheets[3].rows 0
ssdqual export --format csv --all
expect_status 0 "an empty store is an empty table"
mkdir -p "$XDG_DATA_HOME/ssdqual/results" # root's store is another place
if [ "$(id -u)" != 0 ]; then
	cp $dir/measured.json \
		"$XDG_DATA_HOME/ssdqual/results/SAMPLE-S0001_20261130T125752Z_ceph.json"
	ssdqual export --format csv --all
	expect_out '^SAMPLE SSD 960' "--all takes the store"
fi

# -- what goes wrong --------------------------------------------------------------------------------

echo old >"$T/keep.csv"
ssdqual export -o "$T/keep.csv" $dir/measured.json "$T/absent.json"
expect_status 6 "an input that is not there"
check "leaves the old file" grep -q old "$T/keep.csv"
ssdqual export -o "$T/keep.csv" $dir/newer-major.json
expect_status 6
ssdqual export -o "$T/no/such/folder.csv" $dir/measured.json
expect_status 4 "a folder that is not there"
ssdqual export $dir/measured.json
expect_status 2
expect_err 'name a file with -o FILE, or a format with --format NAME'
ssdqual export -o "$T/x.ods" $dir/measured.json
expect_status 2
expect_err 'the suffix is none of .xlsx, .csv, .md, .html, .prom'
ssdqual export -o - --format xlsx $dir/measured.json
expect_status 2 "a workbook is no text"
ssdqual export --json --format csv $dir/measured.json
expect_status 2 "two documents on standard output"
expect_json error.code usage
ssdqual export -o "$T/x.html" --sheet a-b $dir/measured.json
expect_status 2 "--sheet is for one table"
ssdqual export -o "$T/x.csv"
expect_status 2 "nothing to export"
run_cmd env TMPDIR="$T/absent" "$SSDQUAL" export -o "$T/x.xlsx" $dir/measured.json
expect_status 4 "no folder for temporary files"
expect_err 'set TMPDIR'
check "no temporary file is left" sh -c '[ -z "$(ls -A "$1" | grep "^.ssdqual")" ]' - "$T"
