# cache.sh - ssdqual cache over captures, on devices without a cache, and its journal.
. tests/cli/lib.sh
need_tool /usr/bin/python3

# hex FILE BYTES...: a captured answer.
hex() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "$2" >"$1"
}
zeros() { # COUNT [BYTE]
	awk -v n="$1" -v b="${2:-00}" 'BEGIN { for (i = 0; i < n; i++) printf "%s ", b }'
}
# page WCE [PS]: MODE SENSE(10) answer with the caching page.
page() {
	echo "00 22 00 10 00 00 00 08 00 00 00 00 00 00 00 00 ${2:-0}8 12 0$1 00" "$(zeros 16)"
}
wce_on=4
wce_off=0

# -- a controller that refuses the change
r=$T/refuses
hex "$r/sda/mode-08.1.hex" "$(page $wce_on)"
hex "$r/sda/sense.1.hex" "70 00 05 00 00 00 00 0a 00 00 00 00 26 00 00 00 00 00"
ssdqual cache /dev/sda off --replay "$r" --json
expect_status 4 "a controller that refuses MODE SELECT ends with status 4"
expect_json write_cache.drive on "and the drive reads on"
expect_json changed false "and nothing was changed"
expect_json error.code unsupported "and it is said to be not supported"
expect_err 'invalid field in parameter list.*storcli' "and why, and whose tool to use"

# -- a drive that accepts the change and does nothing
r=$T/ignores
hex "$r/sda/mode-08.1.hex" "$(page $wce_on 8)"
hex "$r/sda/mode-08.2.hex" "$(page $wce_on 8)"
ssdqual cache sda off --replay "$r"
expect_status 4 "a change that reads back unchanged is a failure"
expect_err 'accepted the command but reads on' "and is told as such"
if grep -qi 'write cache off, read back' "$T/out"; then
	not_ok "no success is claimed" "$(lib_seen)"
else
	ok "no success is claimed"
fi

# -- one that follows
r=$T/follows
hex "$r/sda/mode-08.1.hex" "$(page $wce_on 8)"
hex "$r/sda/mode-08.2.hex" "$(page $wce_off 8)"
ssdqual cache sda off --replay "$r" --json
expect_status 0 "a change that reads back is a success"
expect_json write_cache.drive off
expect_json changed true
expect_json pending null "and nothing of a capture is pending"
ssdqual cache sda on --replay "$r" --json
expect_json changed false "what is so already needs no change"
expect_json "warnings[0].code" plp-unproven "turning on warns of writes that are not yet flushed"

# -- NVMe without a volatile cache, and one that lies
r=$T/none
mkdir -p "$r/nvme0n1" "$T/lies/nvme0n1"
echo '{"vwc": 0, "get_feature_06": {"sct": 0, "sc": 2}, "set_feature_06": {"sct": 0, "sc": 2}}' \
	>"$r/nvme0n1/nvme.json"
ssdqual cache nvme0n1 --replay "$r" --json
expect_status 0 "no volatile cache is no error"
expect_json write_cache.drive none
ssdqual cache nvme0n1 off --replay "$r"
expect_status 0 "off is so already"
expect_no_err "and no I/O error of the query is shown"
ssdqual cache nvme0n1 on --replay "$r"
expect_status 4 "on is unsupported"
echo '{"vwc": 1, "get_feature_06": {"result": 0}, "set_feature_06": {"sct": 0, "sc": 0}}' \
	>"$T/lies/nvme0n1/nvme.json"
ssdqual cache nvme0n1 on --replay "$T/lies" --json
expect_status 4 "NVMe success that reads back as before is a failure"
expect_err 'asked on.*reads off'

# -- ATA without the feature set: word 85 means nothing
r=$T/ata
hex "$r/sda/identify.hex" "40 00 $(zeros 52) 43 41 45 4d $(zeros 36 20) $(zeros 70)
00 40 00 74 20 40 21 00 00 34 20 40 $(zeros 336)"
ssdqual cache sda --replay "$r" --json
expect_status 0
expect_json write_cache.drive unsupported "ATA word 82 bit 5 clear: not supported"
ssdqual cache sda off --replay "$r"
expect_status 4 "and a change is refused"

# -- drive and kernel apart: the drive is off, the kernel still flushes
tree() { # DIR CACHE_TYPE QUEUE
	t_disk=devices/pci0000:00/ata1/host2/block/sda
	mkdir -p "$1/sys/block" "$1/sys/$t_disk/device/scsi_disk/2:0:0:0" "$1/sys/$t_disk/queue"
	ln -s "../$t_disk" "$1/sys/block/sda"
	echo "$2" >"$1/sys/block/sda/device/scsi_disk/2:0:0:0/cache_type"
	echo "$3" >"$1/sys/block/sda/queue/write_cache"
	echo 0 >"$1/sys/block/sda/queue/fua"
	echo 2048 >"$1/sys/block/sda/size"
	echo "ACME SSD 480 long name" >"$1/sys/block/sda/device/model"
	echo "naa.5000000000000001" >"$1/sys/block/sda/device/wwid"
}
r=$T/off
hex "$r/sda/mode-08.1.hex" "$(page $wce_off)"
tree "$T/tree" "write back" "write back"
ssdqual cache sda --sysroot "$T/tree" --replay "$r" --json
expect_json write_cache.drive off
expect_json write_cache.kernel "write back"
expect_json write_cache.queue "write back"
expect_json write_cache.fua false
expect_json mismatch.severity warning "cache off under a kernel in write back is a warning"
expect_json mismatch.dangerous false
ssdqual cache sda --sysroot "$T/tree" --replay "$r"
expect_out 'mismatch: the drive' "it is said to people, too"
tree "$T/tree2" "write through" "write through"
hex "$T/on/sda/mode-08.1.hex" "$(page $wce_on)"
ssdqual cache sda --sysroot "$T/tree2" --replay "$T/on" --json
expect_json mismatch.severity critical "cache on under write through is critical"
expect_json mismatch.dangerous true

# -- lines that make it last name the drive, never sda
hex "$T/set/sda/mode-08.1.hex" "$(page $wce_on)"
hex "$T/set/sda/mode-08.2.hex" "$(page $wce_off)"
ssdqual cache sda off --sysroot "$T/tree" --replay "$T/set" --json
expect_status 0
json_get persist >"$T/persist"
check "a udev rule matches the first 16 characters of the model" \
	grep -q 'scsi_disk.*model}==.*"ACME SSD 480 lon\\"' "$T/persist"
if sed 's/udev[^,]*rules//' "$T/persist" | grep -q 'sda'; then
	not_ok "no line names sda" "$(cat "$T/persist")"
else
	ok "no line names sda"
fi
expect_json write_cache.kernel "write through" "the imagined kernel followed"
check "the captured tree is as it was" grep -qx "write back" \
	"$T/tree/sys/block/sda/device/scsi_disk/2:0:0:0/cache_type"
hex "$T/sas/sda/mode-08.1.hex" "$(page $wce_on 8)"
hex "$T/sas/sda/mode-08.2.hex" "$(page $wce_off 8)"
hex "$T/sas/sda/mode-08.saved.hex" "$(page $wce_off 8)"
ssdqual cache sda off --sysroot "$T/tree" --replay "$T/sas" --json
json_get "persist[0]" >"$T/persist"
check "a drive that saved it needs no rule" grep -q 'nothing is needed' "$T/persist"

# -- a captured tree alone
ssdqual cache sda --sysroot "$T/tree" --json
expect_status 0
expect_json write_cache.drive null "without answers the drive's state is unknown"
ssdqual cache sda off --sysroot "$T/tree"
expect_status 0
expect_out 'would run' "a change ends with the decision"

# -- a virtual disk of a RAID controller
tree "$T/raid" "write back" "write back"
echo HP >"$T/raid/sys/block/sda/device/vendor"
echo "LOGICAL VOLUME" >"$T/raid/sys/block/sda/device/model"
ssdqual cache sda off --sysroot "$T/raid" --replay "$T/set" --json
expect_status 4 "the cache of a virtual disk is not set"
expect_err 'virtual disk.*ssacli' "and the controller's tool is named"
expect_json write_cache.drive on "and nothing was changed"
ssdqual cache sda --sysroot "$T/raid" --replay "$T/set"
expect_status 0 "it is shown all the same"

# -- usage
ssdqual cache
expect_status 2
ssdqual cache sda maybe --replay "$T/on"
expect_status 2 "an unknown word is a usage error"
ssdqual cache "$T"
expect_status 2 "a directory has no write cache"
ssdqual cache /dev/ssdqual-no-such-drive
expect_status 2 "an absent device is a usage error"
ssdqual cache --all
expect_status 2
ssdqual cache --all restore --replay "$T/on"
expect_status 2 "a capture has no journal"
ssdqual cache --forget no-such-entry
expect_status 6

# -- the journal of another user: pending, damaged, forgotten. Root's is the machine's own.
if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
	skip "what is pending for another user: needs root and setpriv"
else
	state=$T/state/ssdqual
	mkdir -p "$state"
	cat >"$state/write-cache-ACME-1.change.json" <<-'EOT'
		{"journal_version": 1, "kind": "change", "written_at": "2026-11-30T12:00:00Z",
		 "by": "run", "boot_id": null,
		 "drive": {"path": "/dev/sdx", "model": "ACME S1", "serial": "NOSUCH1"},
		 "before": {"drive": "on", "cache_type": "write back", "queue": "write back",
		  "method": "ata"}}
	EOT
	echo '{' >"$state/write-cache-X.change.json"
	chmod -R go+rX "$T"
	chmod 1777 "$state"
	chown 65534:65534 "$state"/*
	as_nobody() {
		run_cmd setpriv --reuid=65534 --regid=65534 --clear-groups \
			/usr/bin/env XDG_STATE_HOME="$T/state" "$SSDQUAL" "$@"
		last_cmd="ssdqual $* (as nobody)"
	}
	if ! setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$SSDQUAL"; then
		skip "what is pending for another user: the program cannot be reached by it"
	else
		as_nobody help --json
		expect_status 0 "a pending restore does not keep a command from its work"
		expect_err 'ACME S1, serial NOSUCH1.*not present' "it is said on standard error"
		expect_err 'write-cache-X.*--forget write-cache-X.change.json' \
			"a damaged entry is said, too, and how to drop it"
		expect_json_has commands "standard output is one document all the same"
		as_nobody cache sda --replay "$T/on"
		expect_no_err "a capture is not mixed with this machine's journal"
		as_nobody cache --all restore
		expect_status 4 "a drive that is not there cannot be restored"
		check "and its entry stays" test -e "$state/write-cache-ACME-1.change.json"
		as_nobody cache --forget write-cache-ACME-1.change.json
		expect_status 0 "an entry can be dropped"
		as_nobody cache --forget write-cache-X.change.json --json
		expect_json forgotten write-cache-X.change.json
		as_nobody help
		expect_no_err "nothing is pending then"
	fi
fi

# -- devices without a cache of their own
need_loop
truncate -s 8M "$T/image"
dev=$(losetup -f --show "$T/image")
at_exit "losetup -d $dev"
ssdqual cache "$dev"
expect_status 4 "a loop device has no write cache of its own"
expect_err 'unsupported.*file behind it' "and it is said where to look"
ssdqual cache "$dev" off --json
expect_status 4
expect_json error.code unsupported
ssdqual cache "$dev" restore
expect_status 4
