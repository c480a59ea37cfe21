# ssdqual advise: what it reads of an image, from `rbd`, from the host, from a capture of one.
. tests/cli/lib.sh
unset CEPH_CONF CEPH_ARGS

cases=$PWD/tests/cases
config=$cases/F20/rbd_config.json

# A stand-in for rbd that notes its arguments.
mkdir "$T/bin"
cat >"$T/bin/rbd" <<'EOF'
#!/bin/sh
echo "$*" >>"$FAKE/asked"
case " $* " in
*" config image list "*) cat "$FAKE/config.json" ;;
*" status "*) cat "$FAKE/status.json" ;;
*" info "*) cat "$FAKE/info.json" ;;
esac
[ ! -e "$FAKE/broken" ] || { echo "rbd: couldn't connect to the cluster!" >&2; exit 1; }
EOF
chmod +x "$T/bin/rbd"
FAKE=$T/fake
export FAKE
mkdir "$FAKE"
cp "$cases/F20/rbd_config.json" "$FAKE/config.json"
cp "$cases/F07/rbd_status.json" "$FAKE/status.json"
cp "$cases/F20/rbd_info.json" "$FAKE/info.json"
system_path=$PATH
PATH=$T/bin:$PATH
export PATH

ssdqual advise --image rbd/vm-1 --ceph-conf "$T/ceph.conf" --id advisor --json
expect_status 0 "the image is asked of rbd"
expect_json image.options_source "rbd config image list"
expect_json image.effective.mode pwl-ssd
expect_json image.watchers 1
expect_json image.persistent_cache.dirty_bytes 354418688
expect_json image.info.exclusive_lock true
check "rbd is given the configuration, the user, the image, and asked for JSON" \
	grep -qxF -e "--conf $T/ceph.conf --id advisor status rbd/vm-1 --format json" "$FAKE/asked"
rm "$FAKE/asked"
ssdqual advise -w etcd --image rbd/vm-1 --no-live --ceph-conf "$T/ceph.conf" --json
expect_status 0
check "--no-live takes the name as a name" test ! -e "$FAKE/asked"
ssdqual advise -w etcd --image rbd/vm-1 --image-config "$config" --ceph-conf "$T/ceph.conf" --json
check "files are taken before rbd is asked" test ! -e "$FAKE/asked"

touch "$FAKE/broken"
ssdqual advise --image rbd/vm-1 --ceph-conf "$T/ceph.conf" --json
expect_status 4 "a cluster that was named and does not answer is a failure"
expect_err "connect to the cluster" "with what rbd said"
CEPH_CONF=$T/ceph.conf
export CEPH_CONF
ssdqual advise -w etcd --image rbd/vm-1 --json
expect_status 0 "where nobody named a cluster the name is a name"
expect_out '"image-not-asked"' "and it is told that nothing is known"
expect_json recommendation.candidate current
unset CEPH_CONF
PATH=/nonexistent
ssdqual advise --image rbd/vm-1 --ceph-conf "$T/ceph.conf"
PATH=$system_path
expect_status 4
expect_err 'rbd: there is no such program in PATH' "rbd that is not installed is named"

# Documents under the wrong option, tables for people.
ssdqual advise --image-status "$config"
expect_status 6
expect_err 'which --image-config takes' "the options given as the status are told"
ssdqual advise --image-info "$cases/F07/rbd_status.json"
expect_status 6
expect_err 'which --image-status takes'
printf 'Watchers:\n\twatcher=127.0.0.1:0/1 client.5 cookie=1\n' >"$T/status.txt"
ssdqual advise --image-status "$T/status.txt"
expect_status 6
expect_err 'rbd status POOL/IMAGE --format json' "a status for people is told with the command"
printf "rbd image 'p':\n\tsize 2 GiB in 512 objects\n" >"$T/info.txt"
ssdqual advise --image-info "$T/info.txt"
expect_status 6
expect_err 'rbd info POOL/IMAGE --format json'
printf '{"watchers": [' >"$T/cut.json"
ssdqual advise --image-status "$T/cut.json"
expect_status 6
ssdqual advise --image-status "$T/none.json"
expect_status 6
ssdqual advise --qemu "$T/info.txt"
expect_status 6
expect_err 'virsh dumpxml'
ssdqual advise --ceph-version pacific --current rbd_cache=true
expect_status 2
expect_err 'ceph --version'

# A hypervisor that was captured: the running QEMU, its librbd, the package, krbd.
R=$T/root
put() {
	mkdir -p "$R/$(dirname "$1")"
	cat >"$R/$1"
}
echo hv01 | put proc/sys/kernel/hostname
printf 'qemu-system-x86_64\0-drive\0file=rbd:rbd/vm-1:id=admin,cache=none,id=drive-scsi0\0' |
	put proc/4711/cmdline
put proc/4711/maps <<'EOF'
55d0c0000000-55d0c0400000 r-xp 00000000 fe:00 1 /usr/bin/qemu-system-x86_64
7f0000000000-7f0000400000 r-xp 00000000 fe:00 2 /usr/lib/x86_64-linux-gnu/librbd.so.1.16.0
EOF
printf 'bash\0' | put proc/77/cmdline
put proc/self/mountinfo <<'EOF'
1 1 254:0 / / rw - ext4 /dev/vda rw
2 1 0:30 / /tmp rw - tmpfs tmpfs rw
EOF
: | put usr/lib/x86_64-linux-gnu/librbd.so.1
put var/lib/dpkg/status <<'EOF'
Package: librbd1
Status: install ok installed
Version: 16.2.15+ds-0+deb12u2
EOF
ssdqual advise --sysroot "$R" --image rbd/vm-1 --image-config "$config" --json
expect_status 0
expect_json image.qemu.cache none "the running QEMU's cache mode"
expect_json image.qemu.source /proc/4711/cmdline
expect_json image.effective.rbd_cache false "which acts over the options"
expect_json image.librbd.release 16.2.15 "the release of the librbd that it has loaded"
expect_json image.librbd.release_known true
expect_json image.librbd.loaded /usr/lib/x86_64-linux-gnu/librbd.so.1.16.0
expect_json image.librbd.distribution debian
expect_json image.librbd.pwl_plugin false "the plugin is not there"
expect_json image.pwl_effective breaks "so that image does not open"
expect_out '"pwl-plugin-missing"'
ssdqual advise --sysroot "$R" --image rbd/other --image-config "$config" --json
expect_json image.librbd.release_known false "another image may run on another librbd"
expect_json image.qemu.cache unknown

: | put usr/lib/x86_64-linux-gnu/ceph/librbd/libceph_librbd_pwl_cache.so.1.0.0
sed -i 's/1.16.0/1.16.0 (deleted)/' "$R/proc/4711/maps"
ssdqual advise --sysroot "$R" --image rbd/vm-1 --json --current rbd_plugins=pwl_cache \
	--current rbd_persistent_cache_mode=ssd
expect_json image.librbd.pwl_plugin true
expect_json image.pwl_effective on
expect_out '"librbd-replaced"' "an older librbd that still runs is told"
expect_json image.librbd.release_known false "its release is not that of the package"
expect_out '"pwl-path-memory"' "a log on tmpfs is told"
ssdqual advise --sysroot "$R" --image rbd/vm-1 --image-status "$cases/F06/rbd_status.json" --json
expect_out '"pwl-other-host"' "a dirty log on another host is told"

echo rbd | put sys/bus/rbd/devices/0/pool
echo vm-2 | put sys/bus/rbd/devices/0/name
ssdqual advise --sysroot "$R" --image rbd/vm-2 --current rbd_cache_policy=writeback --json
expect_json image.path krbd "an image that the kernel has mapped is found"
expect_json image.krbd '[{"device": "rbd0", "image": "rbd/vm-2"}]'
expect_json image.options.rbd_cache_policy.applies false "no option applies to it"
expect_out 'set and without effect: rbd_cache_policy'
ssdqual advise --sysroot "$R" --image rbd/vm-1 --json
expect_json image.path librbd
expect_out '"krbd-others"'

# What PWL is refused for.
sed 's/"layering"/"layering", "journaling"/' "$cases/F10/rbd_info.json" >"$T/journal.json"
ssdqual advise -w etcd --image-config "$config" --image-info "$T/journal.json" --drive sync=30us \
	--plp yes --json
expect_json image.pwl_effective off
expect_json image.pwl_reason 'the journaling feature is on'
expect_out '"pwl-journaling"' "journaling blocks PWL"
ssdqual advise --current rbd_cache=true --current rbd_cache_policy=writeback \
	--current rbd_cache_size=16M --json
expect_out '"dirty-order"' "sizes out of order are told"
ssdqual advise --current rbd_cache=true --osd-mclock 900000 --json
expect_out '"mclock-range"' "a capacity beyond belief is told"

ssdqual advise -w vm-general --backend write=20ms:60ms --current rbd_cache=false \
	--qemu-cache directsync --json
expect_out 'set cache=writeback on the VM' "a cache needs QEMU's cache mode"
expect_out 'set cache=directsync on the VM.*as it was' "undo sets the mode that was recorded"

# April 2012: VMs of 1 GiB, a budget; how big, and what do the three numbers mean?
cat >"$T/sizes.py" <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
budget, images = float(sys.argv[2]), int(sys.argv[3])
by = {c["name"]: c for c in d["candidates"]}
bad = []
for name in ("writeback", "writearound"):
    s = by[name]["settings"]
    size, most, target = (int(s["rbd_cache_" + k]) for k in ("size", "max_dirty", "target_dirty"))
    if not target < most < size:
        bad.append(f"{name}: {target} {most} {size}")
    if by[name]["memory_bytes_host"] != by[name]["memory_bytes_per_image"] * images:
        bad.append(f"{name}: memory together")
    if by[name]["memory_bytes_host"] > budget:
        bad.append(f"{name}: over the budget")
    if by[name]["predicted"]["write_ns"]["p99"] * 5 > by["none"]["predicted"]["write_ns"]["p99"]:
        bad.append(f"{name}: the gain is gone")
print("\n".join(bad))
sys.exit(bool(bad))
EOF
old="--current rbd_cache_policy=writeback --current rbd_cache_size=200M
	--current rbd_cache_max_dirty=100M --current rbd_cache_target_dirty=50M"
# shellcheck disable=SC2086
ssdqual advise -w vm-general --images 20 --memory 1G --backend write=3ms:9ms $old --json
expect_out '"memory"' "200 MiB on each of 20 VMs of 1 GiB are over a budget of 1 GiB"
check "target < max < size within the budget, and the gain is kept" \
	/usr/bin/python3 "$T/sizes.py" "$T/out" 1073741824 20
ssdqual advise -w vm-general --images 20 --memory 1G --backend write=3ms:9ms
expect_out 'Memory of 20 images together' "the text has the memory of the host"

# July 2014: 70 images, or one image for 70 clients; librbd or krbd.
ssdqual advise -w vm-fleet --images 70 --memory 8G --backend write=3ms:9ms,concurrency=64 --json
check "70 images: their caches fit, all together" \
	/usr/bin/python3 "$T/sizes.py" "$T/out" 8589934592 70
expect_json images 70
ssdqual advise -w vm-fleet --clients 70 --backend write=3ms:9ms,concurrency=64 --json
expect_json recommendation.candidate none "one image for 70 clients: no client cache"
expect_out '330 IOPS and 8 reached 190' "the shared image is slower, with figures"
ssdqual advise -w vm-fleet --images 70 --krbd --current rbd_cache_size=64M --json
expect_json recommendation.candidate current "krbd: no option of librbd changes anything"
expect_json recommendation.settings '{}'
expect_json image.options.rbd_cache_size.why_not 'krbd: no option of librbd applies'
