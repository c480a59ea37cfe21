# ssdqual workload: the profiles, ours and one's own.
. tests/cli/lib.sh

ssdqual workload
expect_status 0
for name in etcd postgres mysql mongodb vm-general vm-fleet backup-stream logging; do
	expect_out "^$name " "$name is listed"
done
cp "$T/out" "$T/bare"
ssdqual workload list
check "list is what nothing does" cmp "$T/out" "$T/bare"
check "the list fits into 80 columns" /usr/bin/python3 -c \
	'import sys; sys.exit(any(len(l.rstrip("\n")) > 80 for l in open(sys.argv[1])))' "$T/out"
ssdqual workload list --json
expect_status 0
expect_json 'workloads[0].name' backup-stream
expect_json 'workloads[0].origin' "built in"

ssdqual workload show etcd
expect_status 0
expect_out 'limit 10.0 ms'
expect_out 'write_bytes +7.81 KiB'
ssdqual workload show etcd --json
expect_json slo.limit_ns 10000000
expect_json raft true
cp "$T/out" "$T/mine.json"

# One's own: a file, a name of one's own, and a name that overrides ours.
sed -i 's/"limit_ns":[[:space:]]*10000000/"limit_ns": 1000/' "$T/mine.json"
ssdqual workload show "$T/mine.json" --json
expect_json slo.limit_ns 1000 "a file is a profile"
ssdqual advise --workload "$T/mine.json" --backend write=1ms --json
expect_json slo.limit_ns 1000 "advise takes a file"
mkdir -p "$XDG_CONFIG_HOME/ssdqual/workloads"
cp "$T/mine.json" "$XDG_CONFIG_HOME/ssdqual/workloads/etcd.json"
ssdqual workload show etcd --json
expect_json slo.limit_ns 1000 "a file of the same name overrides the built-in profile"
ssdqual workload list --json
expect_out "$XDG_CONFIG_HOME/ssdqual/workloads/etcd.json" "the list says where it comes from"
rm -r "$XDG_CONFIG_HOME/ssdqual"

ssdqual workload show etdc
expect_status 2
expect_err 'etcd' "an unknown name shows the known ones"
ssdqual workload show "$T/none.json"
expect_status 6
echo '{"name": "x"' > "$T/broken.json"
ssdqual workload show "$T/broken.json"
expect_status 6
echo '{"name": "x"}' > "$T/poor.json"
ssdqual workload show "$T/poor.json" --json
expect_status 6
expect_json error.exit_status 6
expect_out 'read_fraction: missing' "the missing field is named"
ssdqual workload shwo etcd
expect_status 2
ssdqual workload show
expect_status 2
ssdqual workload list more
expect_status 2

# -- from-fio -----------------------------------------------------------------------------------------
cat >"$T/db.fio" <<'JOB'
; two jobs
[global]
ioengine=libaio
direct=1
size=2g
time_based

[db]
rw=randrw
rwmixread=70
bs=8k,16k
iodepth=8
numjobs=2
fdatasync=4
thinktime=5ms
[log]
rw=write
bs=8000
fdatasync=1
ioengine=sync
[paced]
rw=randwrite
rate_iops=100
iodepth=4
[bursts]
rw=randwrite
bs=4k
thinktime=2s
thinktime_blocks=4000
iodepth=16
latency_target=20ms
JOB
ssdqual workload from-fio "$T/db.fio"
expect_status 2
expect_err 'name one with --job: db, log, paced, bursts' "several jobs: one has to be named"
ssdqual workload from-fio "$T/db.fio" --job db
expect_status 0
expect_json read_fraction 0.7
expect_json write_bytes 16384 "the writing part of bs"
expect_json depth 16 "iodepth x numjobs"
expect_json syncs_per_write 0.25
expect_json think_ns 20000000 "a pause after each write adds up over the four of a sync"
expect_json working_set_bytes 2147483648 "options of [global] hold"
expect_json sources.depth "from $T/db.fio: iodepth=8, numjobs=2"
expect_json images 1
check "what a job cannot tell is assumed" grep -q '"images": "assumed' "$T/out"
ssdqual workload from-fio "$T/db.fio" --job log
expect_json depth 1 "an engine that calls has one I/O in flight"
expect_json syncs_per_write 1
expect_json guest_stack fs-append
expect_json slo.metric guest_sync_ns
expect_json slo.limit_ns null "fio tells no limit"
ssdqual workload from-fio "$T/db.fio" --job paced
expect_json rate_per_second 25 "a rate is shared by the streams"
expect_json syncs_per_write 0
ssdqual workload from-fio "$T/db.fio" --job bursts
expect_json burst_bytes 16384000
expect_json burst_gap_ns 2000000000
expect_json slo.limit_ns 20000000 "latency_target is the limit"
ssdqual workload from-fio "$T/db.fio" --job db -o "$T/db.json"
expect_status 0
ssdqual workload show "$T/db.json" --json
expect_status 0 "the profile is one that show reads"
ssdqual advise --workload "$T/db.json" --backend write=1ms --json
expect_status 0 "and advise"
# What a run did comes before what it was asked for.
ssdqual workload from-fio tests/measured/device/dev-etcd8000.json
expect_status 0
expect_json write_bytes 8000
expect_json syncs_per_write 1
expect_json sources.syncs_per_write \
	'from tests/measured/device/dev-etcd8000.json: its syncs over its writes'
ssdqual workload from-fio tests/measured/fio/rw4k-qd32-none.json
expect_json depth 32
expect_json guest_stack raw
run_input="$T/db.fio"
ssdqual workload from-fio - --job log
run_input=/dev/null
expect_status 0 "standard input is read"

printf 'rw=write\n' >"$T/nosection.fio"
ssdqual workload from-fio "$T/nosection.fio"
expect_status 6
expect_err 'nosection.fio:1: an option before' "no job file: the line is named"
printf '[a\nrw=write\n' >"$T/bracket.fio"
ssdqual workload from-fio "$T/bracket.fio"
expect_status 6
printf '{"a": 1}\n' >"$T/other.json"
ssdqual workload from-fio "$T/other.json"
expect_status 6
expect_err "this JSON is not fio's"
printf '[big]\nrw=write\nbs=1g\n' >"$T/big.fio"
ssdqual workload from-fio "$T/big.fio"
expect_status 6 "what a profile cannot say is refused"
ssdqual workload from-fio
expect_status 2
ssdqual workload list --job x
expect_status 2 "--job belongs to from-fio"
