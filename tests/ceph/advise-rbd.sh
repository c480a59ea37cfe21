# What was measured of a cluster is what `advise` goes by.
. tests/ceph/lib.sh
need_cluster
need_tool rbd python3
new_image advise-rbd 64M
fast="--force --latency-stop 0 --runtime 300ms --size 16M --no-store"

ssdqual run rbd:rbd/advise-rbd $fast -o "$T/rbd.json"
expect_status 0 "the cluster is measured"
ssdqual advise -w etcd --backend "$T/rbd.json" --drive sync=40us:80us --json
expect_status 0 "its result is a backend"
check "nothing of the backend is assumed" python3 - "$T/out" <<'PY'
import json, sys

codes = [a["code"] for a in json.load(open(sys.argv[1]))["assumed"]]
bad = [c for c in codes if c == "backend" or c.startswith("backend-") and not c.endswith("-p999")]
assert not bad, bad
PY
ssdqual advise -w etcd --drive "$T/rbd.json"
expect_status 6 "but no local drive"
expect_err 'RBD image.*--backend' "and is told where it belongs"

# On a cluster that is known to be slow each figure must hold the delay of its every operation,
# whatever else this machine does meanwhile.
cluster_slow 3
ssdqual run rbd:rbd/advise-rbd $fast -o "$T/slow.json"
expect_status 0 "a slower cluster is measured"
check "no figure is below the delays that it holds" python3 - "$T/slow.json" <<'PY'
import json, sys

low = {m["probe"]: m["lat_ns"]["min"] for m in json.load(open(sys.argv[1]))["measurements"]}
# a write behind a metadata change waits for the five reads of a refresh, then is one itself
for row, operations in (("write-4k", 1), ("read-4k", 1), ("meta", 1), ("pair-10ms", 1),
                        ("metadata-set", 1), ("refresh-plain", 1), ("refresh-write", 6)):
    assert low[row] >= operations * 3e6, (row, low[row])
PY
ssdqual advise -w etcd --backend "$T/slow.json" --json
check "and the sync predicted from them, of three writes, holds three" python3 -c '
import json, sys
a = json.load(open(sys.argv[1]))
none = next(c for c in a["candidates"] if c["name"] == "none")
assert none["predicted"]["guest_sync_ns"]["p50"] >= 9e6, none["predicted"]' "$T/out"
