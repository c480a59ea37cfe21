# ssdqual wa: what drives count, from captured answers that the command changes.
. tests/cli/lib.sh
need_tool /usr/bin/python3

tree=$T/tree
answers=$T/answers/nvme0n1
mkdir -p "$tree/proc/self" "$tree/dev" "$tree/sys/block/nvme0n1/device" "$answers"
echo "1 1 8:99 / / rw - ext4 /dev/x rw" >"$tree/proc/self/mountinfo"
echo 259:0 >"$tree/sys/block/nvme0n1/dev"
echo 2097152 >"$tree/sys/block/nvme0n1/size"
echo 0 >"$tree/sys/block/nvme0n1/ro"
: >"$tree/dev/nvme0n1"
cat >"$T/set.py" <<'PY'
# set.py TREE ANSWERS SECTORS UNITS NAND: the kernel's sectors, the log page's data units of 512,000
# bytes written (bytes 48 to 63 of log 02h), OCP's bytes of flash written (bytes 0 to 15 of log
# C0h).
import sys
tree, answers = sys.argv[1:3]
sectors, units, nand = map(int, sys.argv[3:6])
with open(f"{tree}/sys/block/nvme0n1/stat", "w") as f:
    f.write(f"1 0 16 0 9 0 {sectors} 0 0 0 0 2 0 8 0 3 0\n")
for name, at, value in (("log-02", 48, units), ("log-c0", 0, nand)):
    page = bytearray.fromhex(open(f"tests/cases/E21/good/nvme0n1/{name}.hex").read())
    page[at:at + 16] = value.to_bytes(16, "little")
    with open(f"{answers}/{name}.hex", "w") as f:
        f.write(page.hex(" ", 1) + "\n")
PY
set_to() {
	python3 "$T/set.py" "$tree" "$answers" "$@"
}
wa() { # SECTORS UNITS NAND: from 0, 2000000, 1536000000000
	set_to 0 2000000 1536000000000
	ssdqual wa --json --sysroot "$tree" --replay "$T/answers" --client-bytes "${client:-256000000}" \
		/dev/nvme0n1 -- python3 "$T/set.py" "$tree" "$answers" "$@"
}

# 256 MB by the client, 512 MB to the device, 1000 units of 512,000 bytes, 1.024 GB of flash.
wa 1000000 2001000 1537024000000
expect_status 0
expect_json chains[0].levels.block.over_client.value 2 "block: 2"
expect_json chains[0].levels.host.bytes 512000000 "host: 1000 data units"
expect_json chains[0].levels.host.factor.value 1 "as much as the kernel wrote"
expect_json chains[0].levels.nand.factor.value 2 "nand: twice that"
expect_json chains[0].levels.nand.over_client.value 4 "the whole chain: 4"
expect_json chains[0].factor.to nand
expect_json chains[0].levels.host.step_bytes 512000
check "the bounds are those of one data unit" python3 -c '
import json, sys
host = json.load(open(sys.argv[1]))["chains"][0]["levels"]["host"]["factor"]
assert abs(host["low"] - 999 / 1000) < 1e-9 and abs(host["high"] - 1001 / 1000) < 1e-9, host' "$T/out"
expect_json warnings [] "nothing to warn of"

client=2048000
wa 4000 2000004 1536002048000
expect_json warnings[0].code coarse "four data units are too few"
expect_json chains[0].levels.host.bytes 2048000 "and still a figure"
wa 4000 2000000 1536002048000
expect_json chains[0].levels.host.state zero "no data unit: no factor"
expect_json chains[0].levels.host.factor.value null
expect_json chains[0].levels.nand.factor.over block "the flash is then over the kernel's bytes"
wa 1000000 5 1537024000000
expect_json chains[0].levels.host.state reset "a counter that went down was reset"

# A drive that gives no log page of its flash.
set_to 0 2000000 1536000000000
rm "$answers/log-c0.hex"
ssdqual wa --sysroot "$tree" --replay "$T/answers" --client-bytes 256000000 /dev/nvme0n1 -- true
expect_out '^  nand +unknown ' "without OCP's page the flash is unknown"
expect_out 'no nand counter: nvme0n1: ' "and the reason is told"

# A SATA drive of Micron's counts host writes in sectors (246), and pages for the host (247) and for
# itself (248): 2,000,000 sectors, 60,000 pages and 30,000 more are 1.5 times as much flash.
mkdir -p "$tree/sys/block/sda/device" "$T/answers/sda"
echo 8:0 >"$tree/sys/block/sda/dev"
echo 2097152 >"$tree/sys/block/sda/size"
echo 0 >"$tree/sys/block/sda/ro"
: >"$tree/dev/sda"
cat >"$T/ata.py" <<'PY'
# ata.py TREE ANSWERS SECTORS_STAT LBAS HOST_PAGES OWN_PAGES [SERIAL]
import struct, sys
tree, answers = sys.argv[1:3]
stat, lbas, host, own = map(int, sys.argv[3:7])
serial = sys.argv[7] if len(sys.argv) > 7 else "SN1"
with open(f"{tree}/sys/block/sda/stat", "w") as f:
    f.write(f"1 0 16 0 9 0 {stat} 0 0 0 0 2 0 8 0 3 0\n")

def text(s, n):
    s = s.ljust(n).encode()
    return b"".join(s[i + 1:i + 2] + s[i:i + 1] for i in range(0, n, 2))

identify = bytearray(512)
identify[0:2] = struct.pack("<H", 0x0040)
identify[20:40] = text(serial, 20)
identify[46:54] = text("D1MU404", 8)
identify[54:94] = text("Micron_5200_MTFDDAK3T8TDC", 40)
for word in (82, 85):
    identify[2 * word:2 * word + 2] = struct.pack("<H", 1)
for word in (83, 84, 86, 87):
    identify[2 * word:2 * word + 2] = struct.pack("<H", 0x4000)
smart = bytearray(512)
smart[0:2] = struct.pack("<H", 16)
for n, (number, raw) in enumerate(((246, lbas), (247, host), (248, own))):
    smart[2 + 12 * n:14 + 12 * n] = struct.pack("<BHBB", number, 0x32, 100, 100) + \
        raw.to_bytes(6, "little") + b"\0"
smart[511] = -sum(smart[:511]) & 0xff
for name, page in (("identify", identify), ("smart", smart)):
    with open(f"{answers}/{name}.hex", "w") as f:
        f.write(page.hex(" ", 1) + "\n")
PY
ata() { # SECTORS LBAS HOST OWN [SERIAL], from 0 9000000 700000 100000
	python3 "$T/ata.py" "$tree" "$T/answers/sda" 0 9000000 700000 100000
	ssdqual wa --json --sysroot "$tree" --replay "$T/answers" --client-bytes 512000000 \
		/dev/sda -- python3 "$T/ata.py" "$tree" "$T/answers/sda" "$@"
}
ata 2000000 11000000 760000 130000
expect_status 0
expect_json chains[0].levels.host.bytes 1024000000 "host: attribute 246, in sectors"
expect_json chains[0].levels.nand.bytes 1536000000 "nand: 90,000 pages where 60,000 were the host's"
expect_json chains[0].levels.nand.over_client.value 3 "the whole chain: 3"
ata 2000000 11000000 760000 130000 SN2
expect_json chains[0].levels.host.state swapped "another serial number is another drive"
ata 2000000 11000000 100 130000
expect_json chains[0].levels.nand.state unknown "pages that went down give no figure"
