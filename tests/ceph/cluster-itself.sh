# The one-node cluster that the other scripts rely on: what it promises, and that it leaves nothing.
. tests/ceph/lib.sh
need_cluster
sh tests/ceph/cluster.sh alive "$CLUSTER" && ok "both daemons run" || not_ok "both daemons run"
new_image itself 16M
run_cmd timeout 60 rbd bench --io-type write --io-size 4096 --io-threads 1 --io-total 256K rbd/itself
expect_status 0 "an image takes writes"
written=$(osd_counter osd op_w_in_bytes)
check "the OSD counts the bytes of its clients" test "${written:-0}" -ge 262144

check "starting it once more leaves it as it is" sh tests/ceph/cluster.sh start "$CLUSTER"
before=$(cat "$CLUSTER/run/osd.0.pid")

# A second one beside it, whose owner is killed, as a test run may be.
sleep 600 &
owner=$!
other=$T/other
at_exit "sh tests/ceph/cluster.sh stop '$other'; kill $owner 2>/dev/null"
check "a second cluster starts beside it" sh tests/ceph/cluster.sh start "$other" --owner $owner
check "it has a port of its own" \
	sh -c '! grep -qF "$(grep "mon host" "$1/ceph.conf")" "$2/ceph.conf"' - "$other" "$CLUSTER"
pids="$(cat "$other/run/mon.a.pid") $(cat "$other/run/osd.0.pid")"
kill -9 $owner
nothing_left() {
	[ ! -e "$other" ] || return 1
	for left in $pids; do
		! tr '\0' ' ' <"/proc/$left/cmdline" 2>/dev/null | grep -q "$other" || return 1
	done
}
check "it ends when its owner was killed, and leaves no file" wait_for nothing_left
check "the first one has not noticed" test "$(cat "$CLUSTER/run/osd.0.pid")" = "$before"
sh tests/ceph/cluster.sh alive "$CLUSTER" && ok "and still runs" || not_ok "and still runs"
