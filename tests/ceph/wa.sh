# Write amplification of a real BlueStore OSD: 64 KiB random writes at depth 64 through fio's rbd
# engine, from the client to the loop device below the OSD.
. tests/ceph/lib.sh
need_root
need_tool fio python3
need_cluster
data=$(osd_device data)
[ -n "$data" ] || skip_all "needs a loop device below the OSD"
asok=$CLUSTER/run/osd.0.asok
new_image wa 128M

# load IMAGE BLOCKSIZE BYTES: the command whose writes are followed.
load() {
	echo fio --name=w --ioengine=rbd --clientname=admin --pool=rbd --rbdname="$1" --rw=randwrite \
		--bs="$2" --iodepth=64 --size=128m --io_size="$3" --output-format=json
}

# counts FILE: the OSD's own byte counters and the device's, read by other means than ssdqual's.
counts() {
	{
		timeout 60 ceph --admin-daemon "$asok" perf dump &&
			awk '{ printf "%.0f\n", $7 * 512 }' "/sys/block/${data#/dev/}/stat"
	} >"$1"
}

# The factors of $T/out against the two dumps around it. Other writers of an idle cluster are few
# (maps, statistics), and the dumps stand a little further apart than the readings: 2 %.
cat >"$T/judge.py" <<'PY'
import json, sys

def load(name):
    text = open(name).read()
    dump, end = json.JSONDecoder().raw_decode(text)
    return dump, int(text[end:])

(a, block_a), (b, block_b) = load(sys.argv[1]), load(sys.argv[2])
doc = json.load(open(sys.argv[3]))
wrote = int(sys.argv[4])
levels = doc["chains"][0]["levels"]
moved = lambda section, key: b[section][key] - a[section][key]

def near(name, got, want, share=0.02):
    good = got is not None and abs(got - want) <= share * want
    print(f"{'ok' if good else 'not_ok'} {name}")
    if not good:
        print(f"    got {got}, want {want} within {share:.0%}")

client = moved("osd", "op_w_in_bytes") + moved("osd", "subop_w_in_bytes")
store = moved("bluestore", "bluestore_write_big_bytes") + \
    moved("bluestore", "bluestore_write_small_bytes") + \
    moved("bluestore", "write_pad_bytes") - \
    moved("bluestore", "bluestore_write_deferred_bytes") + \
    moved("bluestore", "deferred_write_bytes") + \
    sum(moved("bluefs", k) for k in
        ("bytes_written_wal", "bytes_written_sst", "bytes_written_slow", "logged_bytes"))
near("the client level is what fio wrote", levels["client"]["bytes"], wrote)
near("and what op_w_in_bytes of the perf dump moved by", levels["client"]["bytes"], client)
near("the store level is what BlueStore's and BlueFS's counters moved by",
     levels["store"]["bytes"], store)
near("the block level is what the loop device took", levels["block"]["bytes"], block_b - block_a)
near("the chain's factor is the loop device's bytes over fio's",
     levels["block"]["over_client"]["value"], (block_b - block_a) / wrote)
near("what the OSD says that it wrote is what its device got",
     levels["block"]["factor"]["value"], 1)
factor = levels["block"]["over_client"]["value"]
print("ok" if 1 < factor < 2 else "not_ok", "64 KiB writes cost more than themselves, not twice")
near("three replicas cost three times that", doc["cluster"]["value"], 3 * factor, 1e-9)
near("fio's own figure stands in the document", doc["client"]["after_bytes"], wrote, 0)
PY
# judged NAME...: each line of judge.py is a fact.
judged() {
	python3 "$T/judge.py" "$@" >"$T/judged" 2>&1 || {
		not_ok "the document can be judged" "$(cat "$T/judged")"
		return
	}
	while IFS= read -r line; do
		case $line in
		ok\ *) ok "${line#ok }" ;;
		not_ok\ *) not_ok "${line#not_ok }" "$(cat "$T/judged")" ;;
		esac
	done <"$T/judged"
}

# The image's objects come into being first: their creation is no part of the factor.
run_cmd $(load wa 4m 128m)
expect_status 0 "fio fills the image"

counts "$T/a"
ssdqual wa --json --osd "0=$data" --admin-socket "$asok" --replicas 3 -- $(load wa 64k 96m)
expect_status 0 "wa follows fio"
cp "$T/out" "$T/doc"
counts "$T/b"
judged "$T/a" "$T/b" "$T/doc" 100663296
expect_json osd.data "$data"
expect_json chains[0].role data

ssdqual wa --osd 0 --admin-socket "$asok" --ec 4+2 --interval 0.2 -- $(load wa 64k 32m)
expect_status 0 "the OSD is asked for its devices"
expect_out "^${data#/dev/}, data" "the table names the device and its role"
expect_out "^  block .* 1\.[0-9][0-9]" "and has the factor"
expect_out "erasure code of 4\+2 writes 1\.50" "and what an erasure code makes of it"
expect_out "^ +[0-9.]+ s  ${data#/dev/} block " "and a timeline"

ssdqual wa --from "$T/doc"
expect_status 0 "a stored document is shown again"
expect_out "cluster: 3\.[0-9]+ bytes" "with its cluster's factor"

ssdqual wa --osd 0 --admin-socket "$CLUSTER/run/absent.asok" -- true
expect_status 4 "an admin socket that is not there is an error"
ssdqual wa --osd "0=$data" --admin-socket "$CLUSTER/run/mon.a.asok" -- true
expect_status 4 "a mon is no OSD"

# An OSD whose DB and WAL have devices of their own.
need_cluster --db 1G --wal 512M
asok=$CLUSTER/run/osd.0.asok
timeout 60 rbd create rbd/wa --size 128M
ssdqual wa --json --osd 0 --admin-socket "$asok" -- $(load wa 16k 48m)
expect_status 0 "wa follows three devices"
expect_json chains.# 4 "three devices and their sum"
for i in 0 1 2; do
	role=$(json_get "chains[$i].role")
	expect_json "chains[$i].name" "$(osd_device "$role" | sed 's|/dev/||')" "the $role device is found"
done
cat >"$T/roles.py" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
block = {c["role"]: c["levels"]["block"]["bytes"] or 0 for c in doc["chains"]}
store = {c["role"]: c["levels"]["store"]["bytes"] or 0 for c in doc["chains"]}
assert sum(v for k, v in block.items() if k) == block[None], block
assert block["wal"] > 0 and block["data"] >= 48 << 20, block
for role in ("data", "wal"):
    assert abs(block[role] - store[role]) <= 0.02 * block[role], (role, block, store)
PY
check "each device took what BlueStore or BlueFS say, and the sum is the sum" \
	python3 "$T/roles.py" "$T/out"
