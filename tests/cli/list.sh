#!/bin/sh
# list.sh - `ssdqual list`: the drives, what is known of them, why they are protected.
. tests/cli/lib.sh

tree=tests/fixtures/sysroot/server

ssdqual list --sysroot $tree --json
expect_status 0
expect_json "lacking.#" 0
keys='path by_id vendor model serial firmware wwn transport link capacity_bytes logical_block_bytes
	physical_block_bytes sector_format layer below controller nvme rotational write_cache not_asked
	paths in_use'
check "every drive has the documented keys and no others" /usr/bin/python3 - "$T/out" $keys <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
assert len(doc["drives"]) > 15, len(doc["drives"])
for drive in doc["drives"]:
    assert list(drive) == sys.argv[2:], list(drive)
    rotational = drive["rotational"]
    assert list(rotational) == ["claimed", "reported", "reported_by", "rpm", "measured", "verdict", "why"]
    assert rotational["why"], drive
    assert list(drive["write_cache"])[:4] == ["drive", "kernel", "queue", "fua"]
    for use in drive["in_use"]:
        assert list(use) == ["kind", "name", "detail"], use
PY
use_of() {
	/usr/bin/python3 - "$T/out" "$1" <<'PY'
import json, sys
for d in json.load(open(sys.argv[1]))["drives"]:
    if d["path"] == sys.argv[2]:
        print("; ".join(f'{u["kind"]}: {u["name"]} {u["detail"]}' for u in d["in_use"]) or "free")
PY
}
is_used() {
	if use_of "$1" | grep -qF -e "$2"; then ok "$1 is listed as '$2'"; else
		not_ok "$1 is listed as '$2'" "$(use_of "$1")"
	fi
}
is_used /dev/sda "mount: sda2 mounted on /"
is_used /dev/sdb "holder: sdb holder dm-0 (mpatha"
is_used /dev/sdd free
is_used /dev/sde "lvm: sde holder dm-5 (ceph--0a1b-osd--block--9f8e, a Ceph OSD's volume)"
is_used /dev/sdg "swap: sdg2 in use as swap space"
is_used /dev/sdj "holder: sdj in use by bcache"
is_used /dev/sdk "read-only: sdk is read-only"
is_used /dev/cciss/c0d0 "mount: cciss!c0d0p1 mounted on /cciss"
is_used /dev/nvme0n1 free
check "a drive with two paths is listed once" test "$(use_of /dev/sdc)$(use_of /dev/sdq)" = ""
check "device-mapper is not listed" test "$(use_of /dev/dm-0)" = ""

ssdqual list --all --sysroot $tree --json
is_used /dev/dm-0 free
is_used /dev/dm-3 "swap: dm-3 in use as swap space"

# A drive's own strings must not reach the terminal as they are.
ssdqual list --sysroot $tree
expect_status 0
expect_no_err
expect_out '^DRIVE +MODEL +LINK +SIZE +ROT +CACHE +WRITE +USE *$'
expect_out '^ata-A.*001 .* sata +480 GB +no +[?] +through +sda2 mounted'
check "no escape sequence is printed" sh -c "! grep -q '[[:cntrl:]]\[' '$T/out'"
check "the table fits 80 columns" /usr/bin/python3 -c \
	"import sys; sys.exit(any(len(l.rstrip()) > 80 for l in open(sys.argv[1])))" "$T/out"
COLUMNS=200 ssdqual list --sysroot $tree
expect_out 'ata-ACME_DC_SATA_480_ACME00000001 +ACME DC SATA 480 +sata'
LC_ALL=C ssdqual list --sysroot $tree
check "in the C locale only ASCII is printed" sh -c "! LC_ALL=C grep -q '[^ -~]' '$T/out'"

# A captured tree is judged without a look at this machine.
if command -v strace >/dev/null; then
	ssdqual_trace() {
		strace -f -o "$T/trace" -e trace=openat,open,openat2,stat,statx,newfstatat,ioctl \
			"$SSDQUAL" list --all --sysroot $tree --json >"$T/out" 2>"$T/err"
	}
	if ssdqual_trace; then
		check "under --sysroot nothing below /dev, /sys or /proc is opened" \
			sh -c "! grep -E '(open|openat|openat2|stat|statx|newfstatat)\((AT_FDCWD, )?\"/(dev|sys|proc)' '$T/trace'"
		check "under --sysroot no device is asked" \
			sh -c "! grep 'ioctl(' '$T/trace' | grep -v 'TCGETS\|TIOCGWINSZ'"
	else
		skip "strace does not work here"
	fi
else
	skip "needs strace: is nothing of the machine opened under --sysroot?"
fi

# This machine.
ssdqual list --json
expect_status 0
expect_json_has drives
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	run_cmd setpriv --reuid=65534 --regid=65534 --clear-groups "$SSDQUAL" list
	expect_status 0 "list works without privileges"
	expect_err 'mount tables of .* cannot be read' "and says what it could not look at"
	run_cmd setpriv --reuid=65534 --regid=65534 --clear-groups "$SSDQUAL" list --json
	check "without privileges no drive looks free" /usr/bin/python3 - "$T/out" <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
assert doc["lacking"], doc
assert all(d["in_use"] for d in doc["drives"]), doc
PY
else
	skip "needs root and setpriv: list without privileges"
fi

ssdqual list extra
expect_status 2
expect_err "takes no operand, 'extra'"
ssdqual list --sysroot "$T/absent" --json
expect_status 6
expect_json error.exit_status 6
mkdir "$T/empty"
ssdqual list --sysroot "$T/empty" --json
expect_status 4
expect_json error.code device
