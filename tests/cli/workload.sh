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
