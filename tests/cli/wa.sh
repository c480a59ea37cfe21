# ssdqual wa: counters before and after a command, on made-up trees and on a loop device.
. tests/cli/lib.sh
need_tool /usr/bin/python3

# -- figures from a file ---------------------------------------------------------------------------

# Two rows of a field report: 64 KiB writes, 1000 GiB, counters in flash pages of 4 KiB.
cat >"$T/report.json" <<'J'
{"chains": [
 {"name": "newstore", "levels": {"client": {"count": 1000, "unit_bytes": 1073741824, "step_bytes": 0},
  "host": {"count": 923896266, "unit_bytes": 4096}, "nand": {"count": 1465339040, "unit_bytes": 4096}}},
 {"name": "filestore", "levels": {"client": {"count": 1000, "unit_bytes": 1073741824, "step_bytes": 0},
  "host": {"count": 643611346, "unit_bytes": 4096}, "nand": {"count": 1157304512, "unit_bytes": 4096}}}
]}
J
ssdqual wa --from "$T/report.json"
expect_status 0
expect_out '^  host +3\.44 TiB +3\.52 +3\.52 ' "newstore: 3.52 bytes to the drive for each of the client"
expect_out '^  nand +5\.46 TiB +1\.59 +5\.59 ' "and 5.59 to the flash"
expect_out '^  host +2\.4 TiB +2\.46 +2\.46 ' "filestore: 2.46"
expect_out '^  nand +4\.31 TiB +1\.80 +4\.41 ' "and 4.41"
expect_no_err
ssdqual wa --json --from "$T/report.json"
expect_status 0
expect_json chains[0].factor.over client
expect_json chains[0].factor.to nand
cp "$T/out" "$T/again.json"
ssdqual wa --from "$T/again.json"
expect_out '^  nand +4\.31 TiB +1\.80 +4\.41 ' "a document of --json gives the same once more"

for bad in '{}' '{"chains": []}' '{"chains": [{"name": "x"}]}' '[1]' '{' \
	'{"chains": [{"name": "x", "levels": {"hots": {"count": 1}}}]}' \
	'{"chains": [{"name": "x", "levels": {"host": {"count": -1}}}]}' \
	'{"chains": [{"name": "x", "levels": {"host": {"count": 1.5}}}]}' \
	'{"chains": [{"name": "x", "levels": {"host": {"count": "18446744073709551616"}}}]}'; do
	printf '%s' "$bad" >"$T/bad.json"
	ssdqual wa --from "$T/bad.json"
	expect_status 6 "$bad is refused"
done
expect_err 'bad.json' "and the file is named"

# -- a made-up machine, whose counters the command moves -----------------------------------------

tree=$T/tree
put_stat() { # DEVICE SECTORS
	mkdir -p "$tree/sys/block/$1"
	echo "1 0 16 0 9 0 $2 0 0 0 0 2 0 8 0 3 0" >"$tree/sys/block/$1/stat"
}
mkdir -p "$tree/proc/self" "$tree/dev" "$tree/sys/block/sda/device"
echo "1 1 8:99 / / rw - ext4 /dev/x rw" >"$tree/proc/self/mountinfo"
for dev in sda sdb; do
	put_stat $dev 1000
	echo 2097152 >"$tree/sys/block/$dev/size"
	echo 0 >"$tree/sys/block/$dev/ro"
	mkdir -p "$tree/sys/block/$dev/device"
	echo "SERIAL-$dev" >"$tree/sys/block/$dev/device/serial"
	: >"$tree/dev/$dev"
done
echo 8:0 >"$tree/sys/block/sda/dev"
echo 8:16 >"$tree/sys/block/sdb/dev"
cat >"$T/move.sh" <<'J'
echo "1 0 16 0 9 0 $2 0 0 0 0 2 0 8 0 3 0" >"$1"
J
stat=$tree/sys/block/sda/stat

ssdqual wa --sysroot "$tree" --client-bytes 512000 /dev/sda -- sh "$T/move.sh" "$stat" 3000
expect_status 0
expect_out '^  block +1000 KiB +2\.00 +2\.00 ' "2000 sectors over 512000 bytes are 2.00"
expect_out '^  host +unknown ' "what the drive counts is unknown"
expect_out 'no host and no nand counter' "and that is said"

put_stat sda 1000
ssdqual wa --json --sysroot "$tree" /dev/sda /dev/sdb --client-bytes 512000 -- \
	sh "$T/move.sh" "$stat" 3000
expect_json chains.# 3 "two devices and their sum"
expect_json chains[2].levels.block.over_client.value 2
expect_json chains[1].levels.block.state zero "a device that did not move gives no factor"
expect_json chains[1].levels.block.over_client.value null
expect_json chains[0].discard_bytes 0
cp "$T/out" "$T/doc.json"
if python3 -c 'import jsonschema' 2>/dev/null; then
	check "the document follows its schema" python3 -c '
import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open("data/schema/wa.json")))' \
		"$T/doc.json"
else
	skip "needs python3-jsonschema"
fi

put_stat sda 5000
ssdqual wa --json --sysroot "$tree" --client-bytes 512000 /dev/sda -- sh "$T/move.sh" "$stat" 10
expect_json chains[0].levels.block.state reset "a counter that went down was reset"
expect_json chains[0].levels.block.over_client.value null "and gives no factor"
expect_status 5 "nothing is known then: status 5"

put_stat sda 1000
ssdqual wa --json --sysroot "$tree" --client-bytes 512000 /dev/sda -- \
	sh -c 'echo SERIAL-other >"$3"; sh "$1" "$2" 9000' - \
	"$T/move.sh" "$stat" "$tree/sys/block/sda/device/serial"
expect_json chains[0].levels.block.state swapped "another drive of the same name is noticed"
expect_json chains[0].levels.block.over_client.value null "and gives no factor"
expect_json warnings[0].code swapped

put_stat sda 1000
ssdqual wa --json --sysroot "$tree" --client-bytes 512000 /dev/sda -- rm "$stat"
expect_json chains[0].levels.block.state unknown "a drive that left is unknown"
put_stat sda 1000

# -- what the command printed --------------------------------------------------------------------

cat >"$T/fio.out" <<'J'
fio: some warning
{
  "jobs" : [ { "jobname" : "w", "write" : { "io_bytes" : 256000, "io_kbytes" : 250 } } ]
}
J
cat >"$T/print.sh" <<'J'
cat "$1"
echo on-stderr >&2
sh "$2" "$3" "$4"
J
ssdqual wa --sysroot "$tree" /dev/sda -- sh "$T/print.sh" "$T/fio.out" "$T/move.sh" "$stat" 3000
expect_out '^fio: some warning$' "what the command prints is passed on"
expect_out '^  block +1000 KiB +4\.00 +4\.00 ' "and its bytes are the client's"
expect_err '^on-stderr$' "so are its errors"

put_stat sda 1000
ssdqual wa --json --sysroot "$tree" /dev/sda -- \
	sh "$T/print.sh" "$T/fio.out" "$T/move.sh" "$stat" 3000
expect_json client.after_bytes 256000 "with --json the document is alone on standard output"
expect_err '^fio: some warning$' "and the command prints on standard error"

put_stat sda 1000
ssdqual wa --json --sysroot "$tree" /dev/sda --client-from "$T/late.out" -- \
	sh -c 'cp "$1" "$2"; sh "$3" "$4" 3000' - "$T/fio.out" "$T/late.out" "$T/move.sh" "$stat"
expect_json chains[0].levels.block.over_client.value 4 "--client-from reads a file of the command's"

put_stat sda 1000
ssdqual wa --json --no-capture --sysroot "$tree" /dev/sda -- \
	sh "$T/print.sh" "$T/fio.out" "$T/move.sh" "$stat" 3000
expect_json chains[0].levels.client.state unknown "--no-capture: nobody tells the client's bytes"
expect_json chains[0].levels.block.bytes 1024000 "the device's are known all the same"

run_input=$T/fio.out
ssdqual wa --sysroot "$tree" --client-bytes 1k /dev/sda -- cat
expect_out '^fio: some warning$' "the command reads our standard input"
run_input=/dev/null

# -- its status, signals -------------------------------------------------------------------------

ssdqual wa --json --sysroot "$tree" --client-bytes 1k /dev/sda -- sh -c 'exit 7'
expect_status 7 "the command's status is ours"
expect_json command.exit_status 7
ssdqual wa --json --sysroot "$tree" --client-bytes 1k /dev/sda -- sh -c 'kill -TERM $$'
expect_status 143 "a signal that ended it, too"
expect_json command.signal 15
ssdqual wa --sysroot "$tree" --client-bytes 1k /dev/sda -- "$T/absent"
expect_status 2 "a command that is not there is an error"
expect_err 'absent: cannot be run' "that names it"

for row in 'INT 130' 'TERM 143'; do
	put_stat sda 1000
	rm -f "$T/ready"
	start_cmd "$SSDQUAL" wa --json --sysroot "$tree" --client-bytes 512000 /dev/sda -- \
		sh -c 'trap "sh \"$1\" \"$2\" 3000; exit 3" INT TERM; : >"$3"
			while :; do sleep 0.1; done' - "$T/move.sh" "$stat" "$T/ready"
	wait_for test -e "$T/ready"
	kill -"${row% *}" "$pid"
	finish_cmd
	expect_status "${row#* }" "SIG${row% *} is passed on, waited for, and gives ${row#* }"
	expect_json command.exit_status 3 "the command could end in its way"
	expect_json chains[0].levels.block.over_client.value 2 "the second reading is made all the same"
	expect_json stopped_by "SIG${row% *}"
done

# A terminal sends its Ctrl-C to the command itself: it must not get a second one from us.
cat >"$T/terminal.py" <<'PY'
import os, pty, sys, time
ready, argv = sys.argv[1], sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(argv[0], argv)
for _ in range(600):
    if os.path.exists(ready):
        break
    time.sleep(0.1)
os.write(fd, b"\x03")
try:
    while os.read(fd, 65536):
        pass
except OSError:
    pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
put_stat sda 1000
rm -f "$T/ready"
run_cmd /usr/bin/python3 "$T/terminal.py" "$T/ready" "$SSDQUAL" wa --sysroot "$tree" --client-bytes 512000 \
	/dev/sda -- sh -c 'trap "echo INT >>\"$3\"" INT; sh "$1" "$2" 3000; : >"$4"
		while [ ! -s "$3" ]; do sleep 0.1; done; sleep 0.5' - \
	"$T/move.sh" "$stat" "$T/got" "$T/ready"
expect_status 130 "Ctrl-C on a terminal ends with 130"
check "and reached the command once" test "$(cat "$T/got")" = INT

# What the command left running does not keep us.
ssdqual wa --sysroot "$tree" --client-bytes 1k /dev/sda -- sh -c 'sleep 600 & echo $! >"$1"' - "$T/left"
kill "$(cat "$T/left")" && ok "a process that the command left behind is not waited for" ||
	not_ok "a process that the command left behind is not waited for"

put_stat sda 1000
ssdqual wa --json --interval 0.1 --sysroot "$tree" --client-bytes 1k /dev/sda -- \
	sh -c 'sh "$1" "$2" 2000; sleep 3; sh "$1" "$2" 3000; sleep 1' - "$T/move.sh" "$stat"
check "a timeline has both steps, in order" python3 -c '
import json, sys
points = [p["devices"][0]["block_bytes"] for p in json.load(open(sys.argv[1]))["timeline"]]
assert points == sorted(points) and 512000 in points and 1024000 in points, points' "$T/out"

# -- usage ---------------------------------------------------------------------------------------

usage() { # RE ARGS...
	re=$1
	shift
	ssdqual wa --sysroot "$tree" "$@"
	expect_status 2 "'wa $*' is a mistake"
	expect_err "$re" "and says: $re"
}
usage 'which command\?' /dev/sda
usage 'which command\?' /dev/sda --
usage 'which device\?' -- true
usage 'named twice' /dev/sda /dev/sda -- true
usage 'need --osd' --replicas 3 /dev/sda -- true
usage 'K\+M' --osd 0=/dev/sda --ec 4-2 -- true
usage 'one of them' --osd 0=/dev/sda --ec 4+2 --replicas 3 -- true
usage 'number of an OSD' --osd osd.3 -- true
usage 'takes DATA' --osd 3=,a -- true
usage 'takes DATA' --osd 3=a,b,c,d -- true
usage 'needs --osd' --admin-socket /x /dev/sda -- true
usage 'reads a file' --from "$T/report.json" /dev/sda
ssdqual wa "$T/report.json" -- true
expect_err 'block device|tmpfs|overlay' "a file is no device"
ssdqual wa --json /dev/absent -- true
expect_status 2 "a device that is not there"
expect_json_has error.message

# -- a real device -------------------------------------------------------------------------------

need_loop
truncate -s 32M "$T/disk"
dev=$(losetup -f --show "$T/disk") || skip_all "needs a free loop device"
at_exit "losetup -d $dev"
ssdqual wa --json --client-bytes 8M "$dev" -- \
	dd if=/dev/zero of="$dev" bs=64k count=128 oflag=direct status=none
expect_status 0
expect_json chains[0].levels.block.bytes 8388608 "8 MiB of direct writes are 8 MiB at the block layer"
expect_json chains[0].levels.block.over_client.value 1 "a factor of 1"
ssdqual wa "$dev" --client-bytes 4M -- \
	dd if=/dev/zero of="$dev" bs=1M count=4 conv=fsync status=none
expect_out '^  block +4 MiB +1\.00 ' "and so are buffered ones that end with a sync"
if command -v fio >/dev/null; then
	fio_job="fio --name=w --filename=$dev --rw=randwrite --bs=4k --direct=1 --size=4m"
	ssdqual wa --json "$dev" -- $fio_job --output-format=json
	expect_json chains[0].levels.block.over_client.value 1 "fio's own figure, as JSON, gives 1"
	ssdqual wa "$dev" -- $fio_job
	expect_out '^  block +4 MiB +1\.00 ' "and as text, whose rounding shows in the bounds"
else
	skip "needs fio"
fi
