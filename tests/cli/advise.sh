# ssdqual advise: the keys of its JSON, its statuses, its refusals.
. tests/cli/lib.sh

r1='write=1.2ms:1417216ns,at=guest'
r1_drive=sync=30us:44288ns

# The report of June 2023: 1.4 ms meets 10 ms; PWL is no promise.
ssdqual advise --workload etcd --backend "$r1" --drive "$r1_drive" --plp yes --release 17.2.6 --json
expect_status 0
expect_json workload etcd
expect_json slo.metric guest_sync_ns.p99
expect_json slo.limit_ns 10000000
expect_json_has slo.source
expect_json slo.verdict pass
expect_json recommendation.candidate current
expect_json recommendation.meets_slo true
expect_json recommendation.apply '[]'
expect_json recommendation.undo '[]'
expect_json_has 'recommendation.reasons[0].text'
expect_json_has 'recommendation.reasons[0].source'
expect_json recommendation.settings.rbd_cache_policy writearound
expect_json candidates.# 7
expect_out 'PWL can make it slower' "it is said that PWL can hurt"
cp "$T/out" "$T/first"
ssdqual advise --workload etcd --backend "$r1" --drive "$r1_drive" --plp yes --release 17.2.6 --json
check "the same question has the same bytes for an answer" cmp "$T/out" "$T/first"

keys=$(/usr/bin/python3 - "$T/out" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
def need(o, keys, where):
    for k in keys:
        if k not in o:
            print(where, "lacks", k)
need(d, "workload slo recommendation candidates warnings assumed".split(), "document")
need(d["slo"], "metric limit_ns source verdict".split(), "slo")
need(d["recommendation"], ("candidate meets_slo confidence settings apply undo reasons "
    "instead").split(), "recommendation")
if d["recommendation"]["confidence"] not in ("high", "low", "unsure"):
    print("confidence", d["recommendation"]["confidence"])
for c in d["candidates"]:
    need(c, "name settings predicted memory_bytes_per_image at_risk_bytes blockers".split(), c["name"])
    p = c["predicted"]
    need(p, "write_ns flush_ns pair_ns guest_sync_ns iops fill_seconds stall_seconds".split(), c["name"])
    for k in "write_ns flush_ns pair_ns guest_sync_ns".split():
        if list(p[k]) != ["p50", "p99", "p999"]:
            print(c["name"], k, list(p[k]))
        v = [x for x in p[k].values() if x is not None]
        if v != sorted(v):
            print(c["name"], k, "is not in order", v)
    if not all(isinstance(v, str) for v in c["settings"].values()):
        print(c["name"], "a setting is no string")
    for b in c["blockers"]:
        need(b, "code text source".split(), "blocker")
names = sorted(c["name"] for c in d["candidates"])
if names != sorted("current none writethrough writeback writearound pwl-ssd pwl-rwl".split()):
    print("candidates", names)
for w in d["warnings"]:
    need(w, "code text source".split(), "warning")
PY
)
if [ -z "$keys" ]; then ok "the JSON has every key that scripts rely on"; else
	not_ok "the JSON has every key that scripts rely on" "$keys"; fi

# Text for people: 80 columns but for commands, which are copied whole.
ssdqual advise --workload etcd --backend "$r1" --drive "$r1_drive" --plp yes --explain
expect_status 0
expect_out '^Recommendation: keep the present settings'
expect_out 'Assumed'
wide=$(grep -v 'rbd config' "$T/out" | awk 'length > 80')
if [ -z "$wide" ]; then ok "the text fits into 80 columns"; else
	not_ok "the text fits into 80 columns" "$wide"; fi

# Statuses of --strict.
ssdqual advise -w etcd --backend write=1ms:3ms,at=guest --strict
expect_status 0 "--strict ends with 0 where the limit is met"
ssdqual advise -w etcd --backend write=40ms:90ms,at=guest --strict
expect_status 1 "--strict ends with 1 where it is not"
ssdqual advise -w etcd --backend write=8ms:9.5ms,at=guest --strict
expect_status 5 "--strict ends with 5 where 30 % would turn the answer"
ssdqual advise -w etcd --backend write=40ms:90ms,at=guest --json
expect_status 0 "without it an answer is an answer"
expect_json recommendation.meets_slo false
expect_json slo.verdict unknown "without a drive its verdict is unknown"
ssdqual advise -w etcd --backend write=9ms:28ms,at=guest --drive sync=100us:300us --json
expect_out 'local drive without RBD meets it' "the local drive is offered"

# A change comes with the commands, and with the way back.
ssdqual advise -w vm-general --backend write=20ms:60ms --current rbd_cache=false \
	--image pool/vm-1 --qemu-cache none --json
expect_json recommendation.candidate writearound
expect_json 'recommendation.apply[0].command' "rbd config image set pool/vm-1 rbd_cache true"
expect_out 'rbd config image set pool/vm-1 rbd_cache false' "undo restores what the image had"
for key in command where when check; do
	expect_json_has "recommendation.undo[0].$key"
done
cat > "$T/config.json" <<'JSON'
[{"name":"rbd_cache","value":"false","source":"pool"},
 {"name":"rbd_mtime_update_interval","value":"60","source":"config"}]
JSON
ssdqual advise -w vm-general --backend write=20ms:60ms --image-config "$T/config.json" --json
expect_out 'rbd config image remove POOL/IMAGE rbd_cache"' "undo removes what the image had not"
if grep -q invalidate "$T/out"; then
	not_ok "invalidate is never a step"
else
	ok "invalidate is never a step"
fi

# Result documents as inputs.
ssdqual advise -w etcd --drive tests/fixtures/results/advise-drive.json \
	--backend tests/fixtures/results/advise-backend.json --json
expect_status 0
expect_json slo.verdict pass
drive=$(json_get slo.drive_ns)
if [ "$drive" -gt 40000 ] && [ "$drive" -lt 48000 ]; then
	ok "the drive's p99 comes from the histogram of its log row"
else
	not_ok "the drive's p99 comes from the histogram of its log row" "$drive"
fi
cp tests/fixtures/results/advise-drive.json "$T/a=b"
ssdqual advise -w etcd --drive "$T/a=b" --json
expect_status 0 "a path with = in it is a file"
ssdqual advise -w etcd --drive "$T/none.json" --json
expect_status 6
expect_json error.exit_status 6
echo '{}' > "$T/empty.json"
ssdqual advise -w etcd --backend "$T/empty.json"
expect_status 6 "a file that is no result is refused"
ssdqual advise -w etcd --backend tests/fixtures/results/measured.json --json
case $status in 0|6) ok "a result without a backend's rows is used or refused, not trusted blindly" ;;
*) not_ok "a result without a backend's rows is used or refused, not trusted blindly" "$(lib_seen)" ;; esac

echo '{"fio version": "fio-3.36", "jobs": []}' > "$T/fio.json"
ssdqual advise -w etcd --backend "$T/fio.json"
expect_status 6
expect_err 'fio.s output lists no job' "the output of fio is named for what it is"

# Mistakes: status 2, the place, the keys.
ssdqual advise
expect_status 2
expect_err '--workload'
ssdqual advise -w etdc
expect_status 2
ssdqual advise -w etcd --backend write=1ms,latency=3ms
expect_status 2
expect_err 'character 11: unknown key .latency.; keys are write, read, meta'
ssdqual advise -w etcd --drive sync=fast
expect_status 2
expect_err 'character 6'
ssdqual advise -w etcd --release new
expect_status 2
ssdqual advise -w etcd --distribution gentoo
expect_status 2
ssdqual advise -w etcd --image 'pool/a;reboot'
expect_status 2 "a name that a shell would take apart is refused"
ssdqual advise -w etcd --pwl-path /tmp/pwl
expect_status 2
ssdqual advise -w etcd --current rbd_cache_policy=fast
expect_status 2
ssdqual advise -w etcd --images 0
expect_status 2
ssdqual advise -w etcd extra
expect_status 2
printf 'Name  Value  Section\n' > "$T/table.txt"
ssdqual advise -w etcd --image-config "$T/table.txt"
expect_status 6
expect_err 'format json' "the table for people is refused with the command that helps"

# Blockers.
ssdqual advise -w etcd --backend write=1ms,meta=200us --drive sync=30us --distribution debian \
	--release 16.2.6 --json
expect_out 'pwl-plugin-missing'
expect_out 'pwl-plp-unproven'
expect_out '"pwl-release"'
ssdqual advise -w vm-fleet --backend write=3ms --images 70 --memory 512M --json
expect_out '"memory"' "a budget that does not suffice is told"
