# What advise asks of a real cluster: options, status and features of an image through rbd, the steps
# that it names, and the counters of a client that runs.
. tests/ceph/lib.sh
need_tool rbd python3
need_cluster
new_image advise 64M

ssdqual advise --image rbd/advise --json
expect_status 0
expect_json image.options_source "rbd config image list" "CEPH_CONF names a cluster: the image is asked"
expect_json image.options.rbd_cache_size.source config
expect_json image.options.rbd_cache_size.parsed 33554432
expect_json image.watchers 0
expect_json image.persistent_cache.state "none active"
expect_json image.info.exclusive_lock true
expect_json image.info.refresh_reads 5
expect_json image.pwl_effective off
timeout 60 rbd config image set rbd/advise rbd_cache_size 67108864
timeout 60 rbd snap create --no-progress rbd/advise@s 2>"$T/snap.err"
at_exit "timeout 60 rbd snap purge --no-progress rbd/advise >/dev/null 2>&1"
ssdqual advise --image rbd/advise --json
expect_json image.options.rbd_cache_size.source image "an option of the image is known as such"
expect_json image.options.rbd_cache_size.parsed 67108864
expect_json image.info.refresh_reads 6 "a snapshot is one read more"
ssdqual advise --image rbd/no-such --ceph-conf "$CEPH_CONF"
expect_status 4 "an image that is not there"
expect_err 'No such file'

# The steps of an advice, done and undone.
timeout 60 rbd config image set rbd/advise rbd_cache false
timeout 60 rbd config image list rbd/advise >"$T/before"
ssdqual advise -w vm-general --backend write=20ms:60ms --image rbd/advise --qemu-cache none --json
expect_json recommendation.candidate writearound
cat >"$T/steps.py" <<'EOF'
import json, sys
for step in json.load(open(sys.argv[1]))["recommendation"][sys.argv[2]]:
    if step["command"].startswith("rbd config image "):
        print(step["command"])
EOF
/usr/bin/python3 "$T/steps.py" "$T/out" apply >"$T/apply"
/usr/bin/python3 "$T/steps.py" "$T/out" undo >"$T/undo"
check "the steps can be done" timeout 60 sh -e "$T/apply"
ssdqual advise --image rbd/advise --json
expect_json image.effective.mode writearound "they bring what was advised"
check "they can be undone" timeout 60 sh -e "$T/undo"
timeout 60 rbd config image list rbd/advise >"$T/after"
check "and leave the options as they were, each at its level" cmp "$T/before" "$T/after"

# A client that runs, asked through its admin socket.
cluster_slow 10
# its output is not what the facts below are about
start_cmd sh -c "exec rbd bench --io-type write --io-size 4K --io-threads 1 --io-total 1G \
	--io-pattern rand rbd/advise --rbd-cache=false --admin-socket='$T/asok' >'$T/bench' 2>&1"
wait_for test -S "$T/asok"
wait_for sh -c "timeout 60 rbd status rbd/advise | grep -q watcher="
ssdqual advise --image rbd/advise --json
expect_json image.watchers 1 "the client is seen"
# asked until it has written: opening an image takes its time on a busy machine
has_written() {
	ssdqual advise --perf-dump "$T/asok" --image rbd/advise --seconds 1 --json
	[ "$status" = 0 ] && [ "$(json_get perf.writes)" -gt 10 ] 2>/dev/null
}
wait_for has_written
expect_json verdict "backend slow" "10 ms more in the OSD: the backend is slow"
expect_json perf.since "first dump"
expect_json perf.persistent_log false
kill "$pid"
finish_cmd
