# run-plan.sh - --dry-run says what would happen, and nothing happens.
. tests/cli/lib.sh
need_tool /usr/bin/python3

D=
for parent in "$T" /var/tmp "$PWD/build"; do
	case $(stat -f -c %T "$parent" 2>/dev/null) in
	'' | tmpfs | ramfs | overlayfs) ;;
	*) D=$(mktemp -d "$parent/ssdqual-plan.XXXXXX") && break ;;
	esac
done
[ -n "$D" ] || skip_all "needs a folder on a drive's file system"
at_exit "rm -rf '$D'"

ssdqual run --dry-run "$D"
expect_status 0 "a dry run in a folder needs no consent"
expect_no_err "the plan is the result, on standard output"
for row in etcd-2300 etcd-8000 fio-8000-first-lap fio-8000-overwrite; do
	expect_out "^  $row .* (1 min|60 s)" "the plan has $row and its time"
done
expect_out 'scratch files of [0-9.]+ MiB' "the plan says how much space it needs"
expect_out 'at most [0-9.]+ [GT]iB' "and how much is written at most"
expect_out 'unknown' "and that the share of the endurance is not known"
expect_out 'memory: ' "and what memory the buffers take"
check "the plan fits 80 columns" test "$(wc -L <"$T/out")" -le 80

ssdqual run --dry-run "$D" --battery quick --fill --slc-cache 2G --rated-tbw 100TB --runtime 10s
expect_status 0
expect_out 'fill: .*4 GiB' "a fill is twice the fast cache"
expect_out 'endurance: at most [0-9.]+ %' "a rated endurance gives a share"
expect_out 'before: .*filled'

ssdqual run --dry-run --json "$D" --battery sync-size --runtime 2s
expect_status 0
expect_json plans.# 1
expect_json plans[0].plan.battery sync-size
expect_json plans[0].plan.rows.# 18
expect_json plans[0].plan.seconds 36 "eighteen rows of two seconds"
expect_json plans[0].plan.endurance_share null "unknown is null"
expect_json plans[0].refused null
expect_json_has plans[0].plan.rows[0].fio

# A file: its plan says what it needs.
truncate -s 16M "$D/file"
ssdqual run --dry-run --json "$D/file" --row journal-sync
expect_status 0 "the plan for a file needs no consent"
expect_json plans[0].confirm "$D/file" "but says which confirmation the run will need"
expect_json plans[0].plan.size 16777216
check "the file is not touched" cmp -n 16777216 "$D/file" /dev/zero
ssdqual run "$D/file" --row journal-sync --runtime 100ms --no-store --quiet --destroy-data \
	--confirm "$D/file"
expect_status 0 "with it the file is overwritten"
check "and keeps its size" test "$(stat -c %s "$D/file")" = 16777216
if cmp -s -n 4096 "$D/file" /dev/zero; then
	not_ok "the file was written"
else
	ok "the file was written"
fi

# A device: what is refused is part of the plan.
if [ "$(id -u)" = 0 ] && losetup -f >/dev/null 2>&1 && command -v mkfs.ext4 >/dev/null; then
	truncate -s 64M "$D/signed"
	mkfs.ext4 -q "$D/signed" 2>/dev/null
	dev=$(losetup -f --show "$D/signed") || exit 1
	at_exit "losetup -d $dev"
	ssdqual run --dry-run "$dev" --row journal-sync
	expect_status 3 "the plan of a device with a signature ends with 3"
	expect_out 'refused: .*ext4' "and names what refuses it"
	ssdqual run --dry-run "$dev" --row journal-sync --wipe-signatures
	expect_status 0 "it would run with --wipe-signatures"
	expect_out 'needs: .*--confirm' "and its confirmation"
	check "a dry run wipes nothing" fsck.ext4 -fn "$dev"
else
	skip "plans for devices (needs root, a loop device and mkfs.ext4)"
fi
