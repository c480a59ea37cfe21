# Images without a cluster: what is said where there is no librbd, no configuration, no such word.
. tests/cli/lib.sh
unset CEPH_CONF CEPH_ARGS

for command in "run rbd:vms/db1" "verify rbd:vms/db1 -w etcd"; do
	run_cmd env SSDQUAL_LIBRBD="$T/librbd.so.1" "$SSDQUAL" $command
	if grep -q 'need librados' "$T/err"; then
		skip "this machine has no librados, so librbd is not looked for"
	else
		expect_err 'librbd\.so\.1, which cannot be loaded.*install librbd1' \
			"$command: a missing library is named, with its package"
	fi
	expect_status 4 "$command: and is a lack of support"
	run_cmd env SSDQUAL_LIBRADOS="$T/librados.so.2" "$SSDQUAL" $command --json
	expect_status 4
	expect_json error.code unsupported "$command: in JSON, too"
done

# Some library without the functions: a much older one.
libm=$(ldd "$SSDQUAL" 2>/dev/null | sed -n 's/.*=> \(.*libm\.so\.6\) .*/\1/p')
if [ -n "$libm" ]; then
	run_cmd env SSDQUAL_LIBRADOS="$libm" SSDQUAL_LIBRBD="$libm" "$SSDQUAL" run rbd:vms
	expect_status 4
	expect_err 'no rados_create\(\): it is older' "a library without a function is too old"
else
	skip "no libm.so.6 to stand in for an old library"
fi

# -- names ----------------------------------------------------------------------------------------
for bad in rbd: rbd:/db1 rbd:vms/ rbd:a//b rbd:a/b/c/d rbd:vms/db1@snap; do
	ssdqual run "$bad"
	expect_status 2 "$bad is no image"
	expect_err 'write rbd:POOL/IMAGE' "$bad: and is told how one is written"
done
ssdqual run rbd:"$(printf 'x%.0s' $(seq 200))"
expect_status 2 "a name that is too long is no name"

# -- options --------------------------------------------------------------------------------------
ssdqual run rbd:vms/db1 "$T"
expect_status 2 "images and folders are not measured in one run"
for option in "--fill" "--offset 1M" "--write-cache off" "--battery ceph" "--zero-buffers" \
	"--controller x.json" "--wipe-signatures"; do
	ssdqual run rbd:vms/db1 $option
	expect_status 2 "run rbd: $option is not for images"
done
ssdqual run rbd:vms/db1 --row journal-sync
expect_status 2
expect_err '--row journal-sync: no row of the battery rbd' "an unknown row is named"
ssdqual run rbd:vms/db1 --row depth-32
expect_status 2
expect_err 'deeper than impact low allows \(8\)' "a row that is too deep for the impact is refused"
ssdqual run rbd:vms/db1 --size 1G
expect_status 2
expect_err 'more than impact low may write' "so is a span"
ssdqual run rbd:vms/db1 --impact huge
expect_status 2
ssdqual --sysroot "$T" run rbd:vms/db1
[ "$status" = 2 ] && ok "a captured tree has no image" ||
	{ ssdqual run --sysroot "$T" rbd:vms/db1; expect_status 2 "a captured tree has no image"; }

ssdqual verify
expect_status 2
ssdqual verify /dev/null -w etcd
expect_status 2 "verify is for images"
ssdqual verify rbd:vms/db1 -w nosuch
expect_status 2 "a workload that there is none of is said before the cluster is asked"

# -- no cluster -----------------------------------------------------------------------------------
run_cmd env SSDQUAL_LIBRBD= "$SSDQUAL" run rbd:vms/db1 --ceph-conf "$T/none.conf"
if [ "$status" = 4 ] && grep -q 'cannot be loaded' "$T/err"; then
	skip "this machine has no librbd"
else
	expect_status 2 "a configuration that is not there is a mistake"
	expect_err "$T/none.conf: No such file" "and is named"
fi

ssdqual run --help
expect_out '--impact HOW' "the help has the options of images"
ssdqual help verify
expect_status 0
expect_out '--candidates LIST' "verify has a help"
