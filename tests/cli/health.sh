# Health: asked of drives and captures, imported around a run, and the endurance that follows.
. tests/cli/lib.sh
need_tool python3

# -- a captured SATA drive and a captured NVMe drive ------------------------------------------------

mkdir -p "$T/root/sys/block/sda/device" "$T/root/sys/block/sda/queue" \
	"$T/root/sys/block/nvme0n1/device" "$T/root/sys/block/nvme0n1/queue" "$T/replay"
for dev in sda nvme0n1; do
	echo 1000215216 >"$T/root/sys/block/$dev/size"
	echo 0 >"$T/root/sys/block/$dev/queue/rotational"
	echo 512 >"$T/root/sys/block/$dev/queue/logical_block_size"
done
cat >"$T/make.py" <<'EOT'
# make.py FOLDER - answers of a worn Intel SSD and of an NVMe drive, as hex text.
import os, sys

def write(dev, name, data):
    os.makedirs(f"{sys.argv[1]}/{dev}", exist_ok=True)
    with open(f"{sys.argv[1]}/{dev}/{name}", "w") as f:
        f.write(data.hex(" ", 1) + "\n")

def seal(b):
    b[511] = -sum(b[:511]) & 255
    return b

def text(b, at, width, s):
    s = s.ljust(width).encode()
    for i in range(width):
        b[at + (i ^ 1)] = s[i]

def words(b, pairs):
    for n, v in pairs.items():
        b[2 * n:2 * n + 2] = v.to_bytes(2, "little")

identify = bytearray(512)
text(identify, 20, 20, "PHYF1234")
text(identify, 46, 8, "XCV1")
text(identify, 54, 40, "INTEL SSDSC2BB240G4")
words(identify, {60: 0xffff, 61: 0x0fff, 82: 0x0021, 83: 0x7400, 84: 0x4020, 85: 0x0021, 87: 0x4000,
                 100: 0x4ab0, 101: 0x1bf2, 217: 1, 255: 0xa5})
write("sda", "identify.hex", seal(identify))
smart = bytearray(512)
smart[0] = 16
for slot, (number, value, raw) in enumerate([(241, 100, 2000000), (243, 100, 5000000), (233, 12, 0),
                                             (175, 1, 600), (194, 60, 0x002f000e0029),
                                             (9, 100, 30000)]):
    at = 2 + 12 * slot
    smart[at] = number
    smart[at + 3] = smart[at + 4] = value
    smart[at + 5:at + 11] = raw.to_bytes(6, "little")
write("sda", "smart.hex", seal(smart))
log = bytearray(512)
log[1:3] = (313).to_bytes(2, "little")
log[3:6] = bytes([5, 10, 3])
log[0] = 1
log[48:64] = (1000000).to_bytes(16, "little")
log[128:144] = (5000).to_bytes(16, "little")
write("nvme0n1", "log-02.hex", log)
EOT
python3 "$T/make.py" "$T/replay"

ssdqual list --health --json --sysroot "$T/root" --replay "$T/replay"
expect_status 0 "the drives of a capture are asked for their health"
expect_json 'drives.#' 2
python3 - "$T/out" >"$T/facts" 2>&1 <<'EOT'
import json, sys

drives = {d["path"]: d["health"] for d in json.load(open(sys.argv[1]))["drives"]}
sda, nvme = drives["/dev/sda"], drives["/dev/nvme0n1"]
for name, holds in {
    "ATA: host bytes in units of 32 MiB": sda["host_writes"]["bytes"] == 2000000 << 25,
    "ATA: the step of the counter": sda["host_writes"]["step_bytes"] == 32 << 20,
    "ATA: amplification from NAND bytes": sda["write_amplification"] == 2.5,
    "ATA: wear": sda["percent_used"] == 88 and sda["percent_remaining"] == 12,
    "ATA: failed capacitors": sda["capacitor"]["state"] == "failed",
    "ATA: packed temperature": [sda["temperature_c"], sda["temperature_min_c"],
                                sda["temperature_max_c"]] == [41, 14, 47],
    "ATA: hours, serial, model": (sda["power_on_hours"], sda["serial"], sda["model"]) ==
        (30000, "PHYF1234", "INTEL SSDSC2BB240G4"),
    "ATA: attributes as they are": sda["attributes"][0]["raw"] == 2000000,
    "NVMe: host bytes": nvme["host_writes"]["bytes"] == 512000000000,
    "NVMe: spare and its warning": nvme["spare_percent"] == 5 and nvme["critical_warnings"] ==
        ["available spare below the threshold"],
    "NVMe: no OCP log, no NAND bytes": nvme["nand_writes"] is None,
}.items():
    print("ok" if holds else "not_ok", name)
EOT
while read -r verdict name; do
	case $verdict in
	ok) ok "$name" ;;
	not_ok) not_ok "$name" ;;
	*) not_ok "the document has the keys" "$(cat "$T/facts")" ;;
	esac
done <"$T/facts"

ssdqual list --health --sysroot "$T/root" --replay "$T/replay"
expect_out 'DRIVE +MODEL +SIZE +WRITTEN +USED +SPARE +TEMP +HOURS +HEALTH' \
	"the table of health has its columns"
expect_out 'sda +INTEL.* 88 % +\? +41 C +30000 +failing' "failed capacitors are a failing drive"
expect_out 'nvme0n1 .* 3 % +5 % +40 C +5000 +failing' "a critical warning is a failing drive"

rm "$T/replay/sda/smart.hex"
ssdqual list --health --json --sysroot "$T/root" --replay "$T/replay"
check "a drive that cannot be read has null, and the reason" \
	grep -q '"health_unread": "sda: SMART READ DATA' "$T/out"
ssdqual list --health --json --sysroot "$T/root"
check "a capture without answers says so" grep -q '"health_unread": ".*has no' "$T/out"

# -- a run around which nothing can be read ---------------------------------------------------------

mkdir "$T/dir"
ssdqual run --battery etcd --row etcd-2300 --runtime 100ms --json --no-store "$T/dir"
case $status in
0 | 1 | 5)
	ok "a run does not end because health cannot be read"
	cp "$T/out" "$T/run.json"
	if [ "$(json_get smart.before)" = null ]; then
		expect_json_has smart.unread "what cannot be read is told, not failed"
	else
		expect_json_has smart.after "health was read before and after the rows"
	fi
	ssdqual validate "$T/run.json"
	expect_status 0 "the document is valid"
	;;
4) skip "no run in $T/dir: $(head -n 1 "$T/err")" ;;
*) not_ok "a run does not end because health cannot be read" "status $status" ;;
esac

# -- readings around somebody else's run ------------------------------------------------------------

reading() {
	cat <<EOT
{"json_format_version": [1, 0], "smartctl": {"version": [7, 4], "exit_status": 0},
 "local_time": {"time_t": $2}, "device": {"name": "/dev/sda", "type": "sat", "protocol": "ATA"},
 "model_name": "CT500MX500SSD1", "serial_number": "${3:-S1}",
 "user_capacity": {"bytes": 500107862016},
 "ata_smart_attributes": {"table": [
  {"id": 246, "name": "Total_LBAs_Written", "value": 100, "worst": 100, "thresh": 0,
   "raw": {"value": $1}},
  {"id": 202, "name": "Percent_Lifetime_Remain", "value": 80, "worst": 80, "thresh": 1,
   "raw": {"value": 20}}]}}
EOT
}
reading 70000000000 1700000000 >"$T/before.json"
reading 70002000000 1700003600 >"$T/after.json"
ssdqual import --merge --json --no-store "$T/before.json" "$T/after.json"
expect_status 0 "two readings of one drive merge"
expect_json smart.before.host_writes.bytes 35840000000000 "the first is before"
expect_json endurance.run.host.bytes 1024000000 "the difference is what was written between them"
expect_json endurance.run.host.error_bytes 512 "right to one step of the counter"
expect_json endurance.rated_bytes 180000000000000 "the maker's rating is known"
cp "$T/out" "$T/merged.json"
ssdqual validate "$T/merged.json"
expect_status 0 "a merged reading is valid"

ssdqual show --writes-per-day 100GB --json "$T/merged.json"
expect_json endurance.writes_per_day_bytes 100000000000
python3 - "$T/out" <<'EOT' && ok "years by rating and by wear, the smaller one counts" ||
import json, sys

e = json.load(open(sys.argv[1]))["endurance"]
rating = (180e12 - 35841024000000) / 100e9 / 365.25
wear = 35841024000000 / 20 * 80 / 100e9 / 365.25
sys.exit(abs(e["years_by_rating"] - rating) > 0.01 or abs(e["years_by_wear"] - wear) > 0.01 or
         e["years_left"] != min(e["years_by_rating"], e["years_by_wear"]))
EOT
	not_ok "years by rating and by wear, the smaller one counts" "$(grep -A20 '"endurance"' "$T/out")"
ssdqual show --workload etcd "$T/merged.json"
expect_out 'years left +[0-9.]+ at 69.1 GB a day' "a workload profile gives writes a day"
ssdqual show --workload etcd --writes-per-day 1GB "$T/merged.json"
expect_status 2 "two statements of what is written are refused"
ssdqual show --rated-tbw 36TB --json "$T/merged.json"
expect_json endurance.rated_bytes 36000000000000 "a stated rating comes before the maker's"

reading 1000 1700003600 >"$T/after.json"
ssdqual import --merge --json --no-store "$T/before.json" "$T/after.json"
check "a total that went back is a finding" grep -q '"code": "smart-reset"' "$T/out"
expect_json endurance.run.host.bytes null "nothing is drawn from it"
