# import-fio.sh - fio of this machine runs each row of the ceph and etcd batteries; what is imported
# is what fio printed.
. tests/cli/lib.sh

need_tool fio
live() { # NAME PROBE OPTIONS...
	live_name=$1
	live_probe=$2
	shift 2
	run_cmd fio --name=live --filename="$T/live" --size=8m --runtime=200ms --time_based \
		--output-format=json+ --output="$T/fio.json" "$@"
	if [ "$status" != 0 ]; then
		skip "$live_name: fio cannot run it here: $(head -n 1 "$T/err")"
		return
	fi
	ssdqual import --json --no-store "$T/fio.json"
	expect_status 0 "$live_name: imported"
	[ -z "$live_probe" ] || expect_json 'measurements[0].probe' "$live_probe"
	if text=$(python3 - "$T/out" "$T/fio.json" <<'PY'
import json, sys
doc, src = (json.load(open(p)) for p in sys.argv[1:3])
m, job = doc["measurements"][0], src["jobs"][0]
side = job["write"] if job["write"]["total_ios"] else job["read"]
assert m["ios"] == side["total_ios"], "ios"
assert m["bytes"] == side["io_bytes"], "bytes"
assert m["iops"] == side["iops"] and m["bw_bytes"] == side["bw_bytes"], "rates"
assert m["runtime_ns"] == side["runtime"] * 1000000, "runtime"
keys = {"p50": "50.000000", "p90": "90.000000", "p99": "99.000000", "p999": "99.900000",
        "p9999": "99.990000"}

def same(ours, theirs, what):
    assert ours["count"] == theirs["N"], what
    for k in ("min", "mean", "max"):
        assert abs(ours[k] - theirs[k]) <= 1e-9 * theirs[k], (what, k)
    for k, v in keys.items():
        assert ours[k] in (None, theirs.get("percentile", {}).get(v)), (what, k)

lat_of = m["import"]["lat_of"]
io = m["write_lat_ns"] or m["lat_ns"]
same(io, side[m["import"]["io_of"] + "_ns"], "io")
if m["sync_lat_ns"]:
    same(m["sync_lat_ns"], job["sync"]["lat_ns"], "sync")
    assert m["sync_lat_ns"]["p99"] == job["sync"]["lat_ns"]["percentile"]["99.000000"]
if lat_of == "sync":
    same(m["lat_ns"], job["sync"]["lat_ns"], "whole")
PY
	); then ok "$live_name: the same figures as fio prints"; else
		not_ok "$live_name: the same figures as fio prints" "$text"; fi
}
direct=1
dd if=/dev/zero of="$T/live" bs=1M count=8 2>/dev/null
dd if="$T/live" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null || direct=0
if [ "$direct" = 1 ]; then
	live journal-sync journal-sync --ioengine=libaio --direct=1 --rw=write --bs=4k --sync=1
	live journal-fsync journal-fsync --ioengine=libaio --direct=1 --rw=write --bs=4k --fsync=1
	live parallel-sync parallel-sync --ioengine=libaio --direct=1 --rw=randwrite --bs=4k \
		--iodepth=32 --sync=1
	live parallel-fsync parallel-fsync --ioengine=libaio --direct=1 --rw=randwrite --bs=4k \
		--iodepth=32 --fsync=1
	live random-nosync random-nosync --ioengine=libaio --direct=1 --rw=randwrite --bs=4k \
		--iodepth=128
	live linear-write linear-write --ioengine=libaio --direct=1 --rw=write --bs=4M --iodepth=32
	live randread-1 randread-1 --ioengine=libaio --direct=1 --rw=randread --bs=4k
	live randread-32 randread-32 --ioengine=libaio --direct=1 --rw=randread --bs=4k --iodepth=32
	live t1q1-fsync t1q1-fsync --ioengine=libaio --direct=1 --rw=randwrite --bs=4k --fsync=1
	live psync-fsync journal-fsync --ioengine=psync --direct=1 --rw=write --bs=4k --fsync=1
	live io_uring-fsync journal-fsync --ioengine=io_uring --direct=1 --rw=write --bs=4k --fsync=1
else
	skip "the rows of the ceph battery: no O_DIRECT in $T"
fi
live etcd-2300 etcd-2300 --ioengine=sync --rw=write --bs=2300 --fdatasync=1
live etcd-8000 etcd-8000 --ioengine=sync --rw=write --bs=8000 --fdatasync=1
live numjobs '' --ioengine=sync --rw=write --bs=4k --fdatasync=1 --numjobs=2 --group_reporting
live lat_percentiles '' --ioengine=psync --rw=write --bs=4k --fsync=1 --lat_percentiles=1 \
	--clat_percentiles=1
