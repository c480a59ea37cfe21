# run-full.sh - a file system that runs full, or a drive that goes away, in the middle of a run.
. tests/cli/lib.sh
need_tool /usr/bin/python3 mkfs.ext4
need_loop

# In memory where possible: a segment of 64 MiB must become full, one durable append after the other.
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || skip_all "needs a tmpfs on /dev/shm"
D=$(mktemp -d /dev/shm/ssdqual-full.XXXXXX) || exit 1
at_exit "rm -rf '$D'"
mkdir "$T/mnt"
truncate -s 480M "$D/fs"
mkfs.ext4 -q -m 0 "$D/fs" 2>/dev/null || skip_all "needs an mkfs.ext4 that works on files"
mount -o loop "$D/fs" "$T/mnt" 2>/dev/null || skip_all "needs to mount a loop device"
at_exit "umount '$T/mnt'"

wait_for() { # TEXT on standard error; gives up when the program has ended
	until grep -qs "$1" "$T/err"; do
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.1
	done
}

# Somebody else takes all the space that the next segments need.
start_cmd "$SSDQUAL" run "$T/mnt" --row etcd-8000 --runtime 1h --no-store --json -o "$T/doc.json"
wait_for 'row 1/1'
cat /dev/zero >"$T/mnt/filler" 2>/dev/null
finish_cmd
expect_status 4 "a file system that runs full ends the run with 4"
expect_err 'full' "and says so"
expect_err '67108864 bytes' "and what did not fit"
expect_json settings.ended error "what was measured is in the document"
expect_json measurements[0].stop error
check "the document is at -o, too" cmp "$T/out" "$T/doc.json"
ssdqual validate "$T/doc.json"
expect_status 0 "and passes validate"
rm "$T/mnt/filler"
check "nothing else is left in the folder" test "$(ls -A "$T/mnt")" = lost+found
