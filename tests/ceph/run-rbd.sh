# ssdqual run rbd:POOL/IMAGE against a real cluster: what is measured, what is refused, what is left.
. tests/ceph/lib.sh
need_cluster
need_tool rbd python3
new_image run-rbd 64M

scratch_images() {
	timeout 60 rbd ls rbd | grep '^ssdqual-scratch-'
}
no_scratch() {
	! scratch_images >/dev/null
}
# The test cluster has no manager, so it is never HEALTH_OK; other work on this machine makes its
# latency jump, which must not end the run here.
fast="--force --latency-stop 0 --runtime 150ms --size 16M --no-store"

# -- guard-rails ----------------------------------------------------------------------------------
ssdqual run rbd:rbd/run-rbd --no-store
expect_status 3 "a cluster in HEALTH_WARN is refused"
expect_err 'HEALTH_WARN \(.*POOL_NO_REDUNDANCY.*--force' "with what is wrong with it and the way out"
ssdqual run rbd:rbd/run-rbd --dry-run
expect_status 3 "a dry run says the same"
expect_out 'refused: +the cluster is HEALTH_WARN' "in its plan"
ssdqual run rbd:rbd/run-rbd --dry-run --force --json
expect_status 0 "a dry run with --force"
expect_json 'plans[0].plan.impact' low "has the lowest impact unless told otherwise"
expect_json 'plans[0].plan.iodepth' 8 "and so a shallow queue"
check "refusals and plans make no image" no_scratch

# -- the run --------------------------------------------------------------------------------------
ssdqual run rbd:rbd/run-rbd $fast -o "$T/run.json" --json
expect_status 0 "the battery runs"
check "the scratch image is gone" no_scratch
cp "$T/out" "$T/run"
expect_json settings.ended complete
expect_json target.kind rbd
expect_json target.rbd.scratch true
expect_json target.rbd.refresh_reads 5 "an image without snapshots refreshes in 5 reads"
expect_json target.rbd.cluster.health.status HEALTH_WARN
expect_json target.rbd.cluster.pool.size 1
expect_json target.rbd.cluster.pool.type replicated
expect_json_has target.rbd.cluster.releases.librbd
expect_json_has target.rbd.cluster.releases.daemons.osd
expect_json_has target.rbd.cluster.fsid_hash "the fsid is kept as a hash"
check "and not as it is" sh -c '! grep -q "$(ceph fsid)" "$1"' - "$T/out"
expect_json verdicts.# 0 "an image is no drive: no verdict"
check "the figures agree with each other" python3 - "$T/out" <<'PY'
import json, sys

d = json.load(open(sys.argv[1]))
rows = {m["probe"]: m for m in d["measurements"]}
wanted = ["write-4k", "read-4k", "pair-0us", "pair-200us", "pair-3ms", "pair-10ms", "flush", "meta",
          "meta-3ms", "meta-20ms", "image-meta", "refresh", "refresh-write", "refresh-plain",
          "metadata-set", "depth-2"]
missing = [w for w in wanted if w not in rows]
assert not missing, f"rows missing: {missing}"
for name, m in rows.items():
    assert m["battery"] == "rbd" and m["lat_ns"]["histogram"]["count"] > 0, name
    assert m["errors"] == 0, name
for name in wanted[2:6]:
    m = rows[name]
    assert m["sync_lat_ns"]["count"] == m["write_lat_ns"]["count"] == m["ios"], name
    # a pause lowers the rate to no more than one pair a pause
    pause = m["params"]["thinktime"]
    assert pause == 0 or m["iops"] <= 1e9 / pause, (name, m["iops"])
assert rows["refresh"]["ios"] == rows["refresh-plain"]["ios"] == rows["metadata-set"]["ios"]
PY
ssdqual validate "$T/run.json"
expect_status 0 "the document is valid"
ssdqual show "$T/run.json"
expect_out 'Refresh stall' "and can be shown"
expect_no_err "without a complaint"

ssdqual run rbd:rbd --force --latency-stop 0 --runtime 1s --size 16M --no-store --row refresh --json
check "the fastest write behind a refresh still shows the reads of it" python3 - "$T/out" <<'PY'
import json, sys

low = {m["probe"]: m["lat_ns"]["min"] for m in json.load(open(sys.argv[1]))["measurements"]}
assert low["refresh-write"] > low["refresh-plain"], low
PY

ssdqual run rbd:rbd/run-rbd $fast --row write-4k --json --record-fsid
expect_json target.rbd.cluster.fsid "$(ceph fsid)" "--record-fsid keeps the fsid"
expect_json measurements.# 1 "--row runs one row alone"

# -- k ---------------------------------------------------------------------------------------------
timeout 60 rbd snap create --no-progress rbd/run-rbd@one >/dev/null 2>&1
ssdqual run rbd:rbd --header-of rbd/run-rbd $fast --row refresh --row meta --json
expect_json target.rbd.refresh_reads 6 "a snapshot is one read more"
expect_json target.rbd.refresh_reads_measured 5 "which the scratch image has not"
expect_json target.rbd.header_of rbd/run-rbd

# -- an existing image ----------------------------------------------------------------------------
ssdqual run rbd:rbd/run-rbd $fast --destroy-data --confirm rbd/run-rbd
expect_status 3 "an image with a snapshot is not overwritten"
expect_err 'has 1 snapshots' "because of it"
timeout 60 rbd snap rm --no-progress rbd/run-rbd@one >/dev/null 2>&1
ssdqual run rbd:rbd/run-rbd $fast --destroy-data
expect_status 3 "an image is not overwritten without its name"
ssdqual run rbd:rbd/run-rbd $fast --destroy-data --confirm rbd/other
expect_status 3 "nor with another's"
timeout 60 rbd bench --io-type write --io-size 4096 --io-threads 1 --io-total 512M rbd/run-rbd \
	>/dev/null 2>&1 &
bench=$!
at_exit "kill $bench 2>/dev/null"
in_use() {
	timeout 60 rbd status rbd/run-rbd | grep -q watcher=
}
check "another client opens the image" wait_for in_use
ssdqual run rbd:rbd/run-rbd $fast --destroy-data --confirm rbd/run-rbd
expect_status 3 "an image that another client has open is not overwritten"
expect_err 'is in use' "because of it"
kill $bench
wait $bench 2>/dev/null
not_in_use() {
	! in_use
}
# A client that was killed is a watcher until the cluster's patience is over.
check "the other client's watch ends" wait_for not_in_use
ssdqual run rbd:rbd/run-rbd $fast --destroy-data --confirm rbd/run-rbd --row write-4k --json
expect_status 0 "the image itself can be measured"
expect_json target.rbd.scratch false
expect_json target.rbd.scratch_image null
check "and is still there" timeout 60 rbd info rbd/run-rbd
check "no scratch image was needed" no_scratch

# -- options of the pool --------------------------------------------------------------------------
timeout 60 rbd config pool set rbd rbd_cache true
at_exit "timeout 60 rbd config pool rm rbd rbd_cache >/dev/null 2>&1"
ssdqual run rbd:rbd $fast --row pair-0us --json
expect_status 0 "a pool that turns the cache on is measured without it"
check "the write waits for the cluster, not the flush" python3 -c '
import json, sys
m = json.load(open(sys.argv[1]))["measurements"][0]
assert m["write_lat_ns"]["p50"] > 5 * m["sync_lat_ns"]["p50"], m["write_lat_ns"]' "$T/out"
timeout 60 rbd config pool rm rbd rbd_cache

# -- the cluster grows slow -----------------------------------------------------------------------
start_cmd "$SSDQUAL" run rbd:rbd --force --size 16M --runtime 90s --row write-4k --json --no-store
check "a run with the usual limit begins" wait_for scratch_images
row_runs() {
	grep -q IOPS "$T/err"
}
# The baseline is taken then: with the delay in it there would be no slower cluster to see.
check "and measures" wait_for row_runs
cluster_slow 50
finish_cmd
expect_status 5 "a cluster that has grown much slower ends the run"
expect_json settings.ended cluster-latency "which says why"
expect_json 'measurements[0].stop' cluster-latency "and keeps what was measured"
check "and removes its scratch image" no_scratch
cluster_slow 0

# -- ways out -------------------------------------------------------------------------------------
start_cmd "$SSDQUAL" run rbd:rbd --force --latency-stop 0 --size 16M --runtime 60s --row write-4k \
	--row read-4k --json --no-store
check "a run makes its scratch image" wait_for scratch_images
sleep 1
kill -INT "$pid"
finish_cmd
expect_status 130 "SIGINT ends a run"
check "and leaves no scratch image" no_scratch

sh -c 'timeout 60 ceph --admin-daemon "$1/run/osd.0.asok" config set osd_client_watch_timeout 3' - \
	"$CLUSTER" >/dev/null 2>&1
at_exit "timeout 60 ceph --admin-daemon '$CLUSTER/run/osd.0.asok' config set \
	osd_client_watch_timeout 30 >/dev/null 2>&1"
start_cmd "$SSDQUAL" run rbd:rbd --force --latency-stop 0 --size 16M --runtime 60s --row write-4k \
	--no-store
signed() {
	timeout 60 rbd image-meta list "rbd/$(scratch_images)" | grep -q ssdqual.owner
}
check "a scratch image says who made it" wait_for signed
ssdqual run rbd:rbd $fast --row flush
expect_out 'another run on this host uses it' "a run beside it leaves its scratch image alone"
check "which is still there" scratch_images
kill -KILL "$pid"
finish_cmd
check "a killed run leaves its scratch image" scratch_images
no_watcher() {
	! timeout 60 rbd status "rbd/$(scratch_images)" | grep -q watcher=
}
check "its watch ends" wait_for no_watcher
ssdqual run rbd:rbd $fast --row flush --json
expect_json 'findings[0].code' scratch-image-removed "the next run says that it removed it"
check "and has" no_scratch
