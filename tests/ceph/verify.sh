# ssdqual verify: settings are really applied, predictions stand beside what was measured.
. tests/ceph/lib.sh
need_cluster
need_tool rbd python3
new_image verify 64M
fast="--force --latency-stop 0 --size 16M --calibrate 200ms"

no_scratch() {
	! timeout 60 rbd ls rbd | grep -q '^ssdqual-scratch-'
}

ssdqual verify rbd:rbd/verify -w etcd
expect_status 3 "a cluster in HEALTH_WARN is refused"
ssdqual verify rbd:rbd/verify --force
expect_status 2 "a workload is needed"
ssdqual verify rbd:rbd/verify -w etcd --force --latency-stop 0 --size 16M --calibrate 200ms \
	--candidates none,fast
expect_status 2 "a setting that there is none of is a mistake"
expect_err "'fast' is none; there are current" "and the words are named"
check "and leaves no scratch image" no_scratch

ssdqual verify rbd:rbd/verify -w etcd $fast --rounds 2 --runtime 700ms --json \
	--candidates none,writethrough,writeback,writearound,pwl-ssd --pwl-path "$T"
[ "$status" = 2 ] && ssdqual verify rbd:rbd/verify -w etcd $fast --rounds 2 --runtime 700ms --json \
	--candidates none,writethrough,writeback,writearound,pwl-ssd --pwl-path /var/tmp
expect_status 0 "four settings and one that Debian's librbd has not"
check "no scratch image is left" no_scratch
expect_json settings.# 5
expect_json 'settings[4].verdict' 'not verified' "PWL is not verified without its plugin"
plugin=$(find /usr/lib -name 'libceph_librbd_pwl_cache.so*' 2>/dev/null)
if [ -z "$plugin" ]; then
	check "because there is none" grep -q 'no PWL plugin' "$T/out"
else
	skip "this librbd has the plugin: $plugin"
fi
check "the settings do what they are for, and the ratios are those of the figures" \
	python3 - "$T/out" <<'PY'
import json, sys

d = json.load(open(sys.argv[1]))
s = {x["name"]: x for x in d["settings"]}
for name in "none", "writethrough", "writeback", "writearound":
    x = s[name]
    assert x["rounds"] == 2 and x["writes"] > 0, x
    assert x["verdict"] in ("hit", "miss"), x["verdict"]
    for key in "write_ns", "flush_ns", "guest_sync_ns":
        c = x[key]["p50"]
        assert abs(c["ratio"] - c["predicted"] / c["measured"]) < 0.01, c
        assert c["low"] <= c["high"], c
    # a sync holds its parts
    assert x["guest_sync_ns"]["p50"]["measured"] > x["write_ns"]["p50"]["measured"]
# without a cache a write waits for the cluster; with one it does not, and the flush does
for cached in "writeback", "writearound":
    for direct in "none", "writethrough":
        a, b = s[cached], s[direct]
        assert 3 * a["write_ns"]["p50"]["measured"] < b["write_ns"]["p50"]["measured"], cached
        assert a["flush_ns"]["p50"]["measured"] > 3 * b["flush_ns"]["p50"]["measured"], cached
assert d["best_measured"] in s and d["stated_error"]["p50"] > 1
PY

# What the image itself is set to is the present setting.
timeout 60 rbd config image set rbd/verify rbd_cache_policy writeback
timeout 60 rbd config image set rbd/verify rbd_cache_max_dirty 8388608
ssdqual verify rbd:rbd/verify -w etcd $fast --rounds 1 --runtime 300ms --json --candidates current \
	--backend write=2ms:4ms,flush=50us
expect_json 'settings[0].settings.rbd_cache_policy' writeback "the image's own options are the present"
expect_json 'settings[0].settings.rbd_cache_max_dirty' '"8388608"'
check "and nothing of them was changed" sh -c \
	'timeout 60 rbd config image get rbd/verify rbd_cache_policy | grep -qx writeback'

ssdqual verify rbd:rbd/verify -w etcd $fast --rounds 1 --runtime 300ms --strict --candidates none \
	--backend write=500s:600s,flush=50us
expect_status 1 "--strict: a prediction that is far off is a failure"
expect_out 'none: a miss: median predicted' "and is called a miss"
expect_out 'MISS' "in the table, too"

start_cmd "$SSDQUAL" verify rbd:rbd/verify -w etcd --force --latency-stop 0 --size 16M --runtime 60s \
	--backend write=2ms:4ms --candidates none --json
running() {
	timeout 60 rbd ls rbd | grep -q '^ssdqual-scratch-'
}
check "it makes a scratch image" wait_for running
sleep 1
kill -TERM "$pid"
finish_cmd
expect_status 143 "SIGTERM ends it"
check "and leaves no scratch image" no_scratch
