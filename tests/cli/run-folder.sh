# run-folder.sh - a run in a folder: what is measured, what is written, what is left behind.
. tests/cli/lib.sh
need_tool /usr/bin/python3

# A drive's file system: the scratch folder may be in memory.
D=
for parent in "$T" /var/tmp "$PWD/build"; do
	case $(stat -f -c %T "$parent" 2>/dev/null) in
	'' | tmpfs | ramfs | overlayfs) ;;
	*) D=$(mktemp -d "$parent/ssdqual-folder.XXXXXX") && break ;;
	esac
done
[ -n "$D" ] || skip_all "needs a folder on a drive's file system"
at_exit "rm -rf '$D'"

# A run that measured: whether the drive of this machine is fast enough for etcd is its affair.
measured() {
	case $status in
	0 | 1 | 5) ok "$1" ;;
	*) not_ok "$1" "$(lib_seen)" ;;
	esac
}

left_empty() {
	check "$1" test -z "$(ls -A "$D")"
}

ssdqual run "$D" --runtime 300ms --no-store --json --no-progress -o "$T/doc.json"
measured "the default battery runs in a folder"
grade=$(json_get verdicts[0].grade)
case $grade/$status in
pass/0 | fail/1 | unknown/5) ok "the exit status is the verdict's" ;;
*) not_ok "the exit status is the verdict's" "grade $grade, status $status" ;;
esac
expect_json verdicts[0].subject etcd
expect_no_err "nothing but the document is printed with --json --no-progress"
expect_json settings.battery etcd "etcd is the default in a folder"
expect_json measurements.# 4 "each row of it is a measurement"
expect_json measurements[0].probe etcd-2300
expect_json measurements[0].params.bs 2300 "2300 bytes stay 2300 bytes"
expect_json measurements[0].params.direct false "etcd's log is buffered"
case $(json_get measurements[2].stop) in
size | runtime) ok "the first lap ends with its file, or with the time" ;;
*) not_ok "the first lap ends with its file, or with the time" "$(json_get measurements[2].stop)" ;;
esac
expect_json settings.ended complete
expect_json settings.precondition none
expect_json tool.name ssdqual
expect_json_has tool.argv
expect_json_has target.path
expect_json_has measurements[0].noise
expect_json_has measurements[0].sync_lat_ns.p99
left_empty "the folder is empty afterwards"
cp "$T/out" "$T/printed.json"
check "-o holds the document that was printed" cmp "$T/printed.json" "$T/doc.json"
check "every figure can be recomputed from its histogram" \
	tests/cli/run-recompute.py "$T/doc.json"
ssdqual validate "$T/doc.json"
expect_status 0 "the document passes validate"

ssdqual run "$D" --runtime 300ms --no-store --battery pwl --size 8M
expect_status 0 "pwl runs in a folder"
expect_out '^Log append, 4k  .* [0-9.]+ (us|ms)' "the table has a line for each row"
check "the table fits 80 columns" test "$(wc -L <"$T/out")" -le 80
expect_err 'plan for' "the plan is shown before the run"
expect_err 'layout' "and what is written before the first row"
left_empty "the folder is empty after pwl"

ssdqual run "$D" --runtime 300ms --no-store --battery pwl --row write-4k --row read-4k --size 8M \
	--json --quiet
expect_status 0 "rows can be picked"
expect_json measurements.# 2
expect_no_err "--quiet is quiet"
if [ "$(json_get measurements[1].ios)" -gt 0 ]; then
	ok "the read row read something"
else
	not_ok "the read row read something"
fi

ssdqual run "$D" --runtime 300ms --no-store --battery sync-size --row dsync-4k --row fdatasync-4k \
	--size 4M --zero-buffers --randseed 7 --json --quiet
expect_status 0
expect_json settings.zero_buffers true "a run with zeros is marked"
expect_json settings.randseed 7
expect_json verdicts [] "and yields no verdict"

ssdqual run "$D" --runtime 300ms --no-store --battery ceph --row t1q1-fsync --size 8M --fill \
	--slc-cache 0 --json --quiet
expect_status 0 "ceph runs on a folder's scratch file"
expect_json settings.fill_bytes 8388608
precondition=$(json_get settings.precondition)
case $precondition in
filled | steady) ok "a filled span is said to be filled" ;;
*) not_ok "a filled span is said to be filled" "precondition is $precondition" ;;
esac

# -o: whole or not at all; a folder takes any number of documents.
mkdir "$T/results"
ssdqual run "$D" --runtime 300ms --no-store --row etcd-8000 --quiet -o "$T/results"
measured "-o may name a folder"
check "-o FOLDER makes one document in it" test "$(ls "$T/results" | wc -l)" = 1
ssdqual run "$D" --row etcd-8000 --runtime 300ms --no-store -o "$T/absent/doc.json"
expect_status 2 "an -o that cannot be written is refused before the run"
expect_no_out
ssdqual run "$D" --row etcd-8000 --runtime 300ms --no-store -o /dev/null
expect_status 2 "-o refuses a device"
mkdir "$D/a" "$D/b"
ssdqual run "$D/a" "$D/b" --row etcd-8000 --runtime 300ms --no-store -o "$T/one.json"
expect_status 2 "-o FILE is refused for several targets"
check "nothing is made of it" test ! -e "$T/one.json"
ssdqual run "$D/a" "$D/b" --row etcd-8000 --runtime 300ms --no-store --json --quiet
measured "several targets run one after the other"
expect_json results.# 2
expect_json results[1].measurements[0].probe etcd-8000
ssdqual run "$D/a" "$D/a/" --row etcd-8000 --runtime 300ms --no-store
expect_status 2 "one target named twice is a mistake"
rmdir "$D/a" "$D/b"

# The store of a person who is not root; a folder that others may enter, which $T is not.
if [ "$(id -u)" = 0 ] && command -v runuser >/dev/null &&
	U=$(mktemp -d /var/tmp/ssdqual-nobody.XXXXXX); then
	at_exit "rm -rf '$U'"
	chmod 755 "$U"
	mkdir "$U/home" "$U/run" "$U/other"
	chown nobody "$U/home" "$U/run"
	cp "$SSDQUAL" "$U/ssdqual"
	set -- runuser -u nobody -- env HOME="$U/home" XDG_DATA_HOME="$U/home/data" "$U/ssdqual" run
	run_cmd "$@" "$U/run" --row etcd-8000 --runtime 300ms --quiet
	measured "a run needs no root in a folder of one's own"
	expect_out "^saved: $U/home/data/ssdqual/results/" "and says where its document is"
	check "its document is in the user's store" \
		test "$(ls "$U/home/data/ssdqual/results" 2>/dev/null | wc -l)" = 1
	run_cmd "$@" "$U/other" --row etcd-8000 --runtime 300ms --no-store --quiet
	expect_status 4 "a folder that may not be written is an error"
	expect_err "$U/other.*[Pp]ermission" "and says which and why"
	run_cmd "$@" "$U/run" --row etcd-8000 --runtime 300ms --no-store --quiet -o "$U/other/doc.json"
	expect_status 2 "an -o that may not be written is refused before the run"
	chown root "$U/home"
	rm -rf "$U/home/data"
	run_cmd "$@" "$U/run" --row etcd-8000 --runtime 300ms --quiet
	expect_status 2 "so is a store that may not be written"
	expect_err '-o FILE' "and the way around it is named"
else
	skip "the store of a person who is not root (needs root and runuser)"
fi
left_empty "the folder is empty at the end"

# Hidden: sizes and rates that no battery has, for comparisons with other programs.
ssdqual run "$D" --battery etcd --row etcd-2300 --bs 2000 --rate-iops 50 --runtime 300ms --json \
	--no-store --quiet
expect_json "measurements[0].params.bs" 2000 "--bs sets the block size of the rows"
expect_json "measurements[0].params.size" 67108000 "and the span is a whole number of blocks"
expect_json "measurements[0].params.rate_iops" 50 "--rate-iops paces the rows"
ssdqual run "$D" --write-cache both --dry-run
expect_status 2 "the cache of a drive below a directory is not toggled"
expect_err 'others use the drive.*ssdqual cache' "and it is said how to"
