# ssdqual capture: what it writes gives the same identity as what it was made of, without real names on
# request, and is never written over something.
. tests/cli/lib.sh

# A made-up machine: a SATA drive with serial number and world wide name in every place that has them,
# an NVMe drive, and an LVM volume of both, mounted at a personal place.
/usr/bin/python3 - "$T" <<'PY'
import os, sys
T = sys.argv[1]

def put(path, text=""):
    path = f"{T}/m/{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w" if isinstance(text, str) else "wb").write(text)

def link(path, to):
    path = f"{T}/m/{path}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(to, path)

def put_hex(path, data, columns=16):
    put(path, "".join(data[i:i + columns].hex(" ") + "\n" for i in range(0, len(data), columns)))

def swapped(text, size):
    raw = text.ljust(size).encode()
    return bytes(raw[i ^ 1] for i in range(size))

SERIAL, WWN, NSERIAL = "SECRETSN42", "5000c5aabbccdd01", "NVMESECRET77"
NGUID = bytes.fromhex("00112233445566770025385b71b0aabb")
identify = bytearray(512)
identify[0:2] = b"\x40\x00"
identify[20:40] = swapped(SERIAL.rjust(20), 20)
identify[46:54] = swapped("FW01", 8)
identify[54:94] = swapped("ACME DC SATA 480 WITH A LONG NAME", 40)
for word, value in ((82, 0x7021), (83, 0x7400), (84, 0x4120), (85, 0x7021), (86, 0x3400),
                    (87, 0x4120), (76, 0x000e), (77, 0x0006), (217, 1)):
    identify[2 * word:2 * word + 2] = value.to_bytes(2, "little")
wwn = bytes.fromhex(WWN)
identify[216:224] = bytes(wwn[i ^ 1] for i in range(8))
identify[510] = 0xa5
identify[511] = -sum(identify[:511]) % 256
put_hex("sda/identify.hex", bytes(identify))
put_hex("sda/inquiry.hex", b"\0\0\x05\x02\x5b\0\0\0" + b"ATA     " + b"ACME DC SATA 480" + b"1   ")
page80 = b"\0\x80\0\x14" + SERIAL.rjust(20).encode()
page83 = b"\0\x83\0\x0c\x01\x03\0\x08" + wwn
put_hex("sda/vpd-80.hex", page80)
put_hex("sda/vpd-83.hex", page83)
put_hex("sda/mode-08.1.hex", bytes([0, 26, 0, 0, 0, 0, 0, 0, 8, 18, 4] + [0] * 17))

ctrl = bytearray(4096)
ctrl[4:24] = NSERIAL.ljust(20).encode()
ctrl[24:64] = b"ACME NVMe 960G".ljust(40)
ctrl[64:72] = b"GDC5302Q"
ctrl[525] = 1
ctrl[520] = 0x10
ctrl[768:768 + 40] = b"nqn.2014.08.org.example:uuid:NVMESECRET7"
put_hex("nvme0n1/identify.hex", bytes(ctrl))
ns = bytearray(4096)
ns[0:8] = (1 << 20).to_bytes(8, "little")
ns[8:16] = ns[0:8]
ns[104:120] = NGUID
ns[130] = 9
put_hex("nvme0n1/identify-ns.hex", bytes(ns))
put("nvme0n1/nvme.json", '{"vwc": 1, "get_feature_06": {"result": 1}, "get_feature_06_saved": {"result": 0}}')

A = "sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda"
link("sys/block/sda", "../devices/" + A[12:])
for base, dev, size in ((A, "8:0", 937703088), ("sys/block/nvme0n1", "259:0", 1 << 20),
                        ("sys/block/dm-0", "253:0", 4096)):
    put(f"{base}/dev", dev + "\n")
    put(f"{base}/size", f"{size}\n")
    put(f"{base}/ro", "0\n")
    for name, value in (("rotational", 0), ("logical_block_size", 512),
                        ("physical_block_size", 4096), ("write_cache", "write back"), ("fua", 0)):
        put(f"{base}/queue/{name}", f"{value}\n")
put(f"{A}/device/model", "ACME DC SATA 480\n")
put(f"{A}/device/vendor", "ATA\n")
put(f"{A}/device/wwid", f"naa.{WWN}\n")
put(f"{A}/device/vpd_pg80", page80)
put(f"{A}/device/vpd_pg83", page83)
put(f"{A}/device/scsi_disk/0:0:0:0/cache_type", "write back\n")
put("sys/class/scsi_host/host0/proc_name", "ahci\n")
put(f"{A}/sda1/partition", "1\n")
put(f"{A}/sda1/dev", "8:1\n")
put(f"{A}/sda1/size", "4096\n")
put(f"{A}/sda1/holders/dm-0/.keep")
put("sys/block/nvme0n1/wwid", f"eui.{NGUID.hex()}\n")
put("sys/block/nvme0n1/device/serial", NSERIAL.ljust(20) + "\n")
put("sys/block/nvme0n1/device/model", "ACME NVMe 960G\n")
put("sys/block/nvme0n1/device/device/current_link_speed", "8.0 GT/s PCIe\n")
put("sys/block/nvme0n1/holders/dm-0/.keep")
put("sys/block/dm-0/dm/name", "vgsecret-home\n")
put("sys/block/dm-0/dm/uuid", "LVM-SecretUuidOfVolume0123\n")
put("sys/block/dm-0/slaves/sda1/.keep")
put("sys/block/dm-0/slaves/nvme0n1/.keep")
put("sys/block/sdq/size", "8\n")
for dev, to in (("253:0", "dm-0"), ("8:0", "sda"), ("8:1", "sda/sda1"), ("259:0", "nvme0n1")):
    link(f"sys/dev/block/{dev}", f"../../block/{to}")
for name, to in ((f"ata-ACME_DC_SATA_480_{SERIAL}", "sda"), (f"ata-ACME_DC_SATA_480_{SERIAL}-part1", "sda1"),
                 (f"wwn-0x{WWN}", "sda"), (f"nvme-eui.{NGUID.hex()}", "nvme0n1"),
                 (f"nvme-ACME_NVMe_960G_{NSERIAL}", "nvme0n1"), ("md-name-hostsecret:0", "sda"),
                 ("dm-name-vgsecret-home", "dm-0"), ("ata-OTHERSECRET", "sdq")):
    link(f"dev/disk/by-id/{name}", f"../../{to}")
put("proc/self/mountinfo",
    "22 1 8:99 / / rw - ext4 /dev/sdzsecret rw\n"
    "23 22 253:0 / /home/johnsecret rw - ext4 /dev/mapper/vgsecret-home rw\n")
put("proc/77/mountinfo", "90 1 259:0 / /chrootsecret rw - ext4 /dev/nvme0n1 rw\n")
put("proc/swaps", "Filename Type Size Used Priority\n/dev/sdqsecret partition 4 0 -2\n")
PY

# What the two captures say of the same drives must agree but for the names in @keys.
cat >"$T/same.py" <<'PY'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:3])
names = lambda doc: {d["path"]: d for d in doc["drives"] if d["path"] != "/dev/sdq"}
a, b = names(a), names(b)
assert a and list(a) == list(b), (list(a), list(b))
def scrub(x):
    if isinstance(x, dict):
        return {k: "*" if k in sys.argv[3:] and v else scrub(v) for k, v in x.items()}
    return [scrub(v) for v in x] if isinstance(x, list) else x
for path in a:
    for key in a[path]:
        if scrub({key: a[path][key]}) != scrub({key: b[path][key]}):
            sys.exit(f"{path} {key}: {a[path][key]} became {b[path][key]}")
PY

ssdqual list --all --json --sysroot "$T/m" --replay "$T/m"
cp "$T/out" "$T/before"
expect_status 0
check "the made-up drives answer" /usr/bin/python3 - "$T/before" <<'PY'
import json, sys
d = {x["path"]: x for x in json.load(open(sys.argv[1]))["drives"]}
sda, nvme, dm = d["/dev/sda"], d["/dev/nvme0n1"], d["/dev/dm-0"]
assert sda["model"] == "ACME DC SATA 480 WITH A LONG NAME", sda
assert sda["serial"] == "SECRETSN42" and sda["wwn"] == "naa.5000c5aabbccdd01", sda
assert sda["link"]["speed"] == "6.0 Gb/s" and sda["write_cache"]["drive"] == "on", sda
assert nvme["nvme"]["nguid"] == "00112233445566770025385b71b0aabb", nvme
assert nvme["write_cache"]["saved"] is False and nvme["write_cache"]["drive"] == "on", nvme
assert [x["path"] for x in dm["below"]] == ["/dev/nvme0n1", "/dev/sda"], dm
assert dm["rotational"]["verdict"] == "ssd" and dm["layer"] == "lvm", dm
PY

ssdqual capture /dev/sda -o "$T/c" --json --sysroot "$T/m" --replay "$T/m"
expect_status 0 "a capture of a capture"
expect_json devices.# 3 "what is above and below belongs to it"
ssdqual list --all --json --sysroot "$T/c" --replay "$T/c"
cp "$T/out" "$T/after"
check "a capture gives the identity of its drives" /usr/bin/python3 "$T/same.py" "$T/before" "$T/after"
check "the README is there" test -s "$T/c/README"
check "no array's host name is captured" sh -c "! find '$T/c' | grep -q hostsecret"
check "other devices' lines are left out" sh -c "! grep -rE 'sdzsecret|sdqsecret|OTHERSECRET' '$T/c'"

ssdqual capture /dev/sda -o "$T/a" --anonymize --sysroot "$T/m" --replay "$T/m"
expect_status 0
ssdqual list --all --json --sysroot "$T/a" --replay "$T/a"
cp "$T/out" "$T/after"
check "an anonymized capture differs in names only" /usr/bin/python3 "$T/same.py" "$T/before" \
	"$T/after" serial wwn by_id nguid subsystem name detail
check "no name is left in texts, file names or bytes" /usr/bin/python3 - "$T/a" <<'PY'
import os, sys
words = ["SECRETSN42", "5000c5aabbccdd01", "NVMESECRET77", "0025385b71b0aabb", "johnsecret",
         "vgsecret", "chrootsecret", "SecretUuidOfVolume0123", "hostsecret"]
swap = lambda b: bytes(b[i ^ 1] if i ^ 1 < len(b) else b[i] for i in range(len(b)))
bad = [w.encode() for w in words] + [bytes.fromhex(w) for w in (words[1], words[3])]
for base, folders, files in os.walk(sys.argv[1]):
    for name in folders + files:
        assert not any(w in name for w in words), name
    for name in files:
        path = os.path.join(base, name)
        data = os.readlink(path).encode() if os.path.islink(path) else open(path, "rb").read()
        forms = [data]
        if name.endswith(".hex"):
            raw = bytes.fromhex("".join(l.split("#")[0] for l in data.decode().splitlines()))
            forms = [raw, swap(raw)]
        for form in forms:
            for word in bad:
                assert word.lower() not in form.lower(), (path, word)
PY
check "the same value has the same pseudonym" /usr/bin/python3 - "$T/after" "$T/a" <<'PY'
import json, os, sys
d = {x["path"]: x for x in json.load(open(sys.argv[1]))["drives"]}["/dev/sda"]
assert d["serial"] in d["by_id"], (d["serial"], d["by_id"])
assert d["serial"].encode() in open(sys.argv[2] + "/sys/block/sda/device/vpd_pg80", "rb").read(), d["serial"]
assert f'wwn-0x{d["wwn"][4:]}' in os.listdir(sys.argv[2] + "/dev/disk/by-id")
PY
ssdqual decode identify "$T/a/sda/identify.hex" --json
expect_status 0 "the checksum of an anonymized IDENTIFY fits"

ssdqual capture /dev/sda -o "$T/a" --sysroot "$T/m" --replay "$T/m"
expect_status 2 "a folder with something in it is not written into"
ssdqual capture /dev/sda -o "$T/h" --anonymize --head --sysroot "$T/m"
expect_status 2 "the head cannot be anonymized"
check "and nothing was written" test ! -e "$T/h"
ssdqual capture "$T" -o "$T/x"
expect_status 2 "a folder is no device"
ssdqual capture /dev/sda
expect_status 2
expect_err '-o DIR'

if [ "$(id -u)" = 0 ] && truncate -s 4M "$T/image" && dev=$(losetup -f --show "$T/image" 2>/dev/null); then
	at_exit "losetup -d $dev"
	ssdqual capture "$dev" -o "$T/l" --head --json
	expect_status 0 "a loop device of this machine is captured"
	check "with its head, because that was asked for" test -s "$T/l/${dev#/dev/}/head.hex"
	ssdqual list --all --json
	cp "$T/out" "$T/live"
	ssdqual list --all --json --sysroot "$T/l" --replay "$T/l"
	check "the capture says what the machine says" /usr/bin/python3 - "$T/live" "$T/out" "$dev" <<'PY'
import json, sys
a, b = ({d["path"]: d for d in json.load(open(f))["drives"]}[sys.argv[3]] for f in sys.argv[1:3])
for key in a:
    assert key == "in_use" or a[key] == b[key], (key, a[key], b[key])
PY
else
	skip "no loop device to be had here: the capture of a machine's device"
fi
check "no capture holds this host's name" sh -c \
	"h=\$(uname -n); [ \${#h} -lt 4 ] || ! grep -rqF \"\$h\" '$T/c' '$T/l' 2>/dev/null"
