# lib.sh - sourced by every tests/ceph/NAME.sh: `. tests/ceph/lib.sh`, from the repository root.
#
# All of tests/cli/lib.sh, and:
#	need_cluster              a one-node Ceph, or skip_all: the one that tests/run-tests shares among
#	                          all scripts (each leaves it as it was), else one of the script's own
#	need_cluster OPTIONS      one of the script's own, with these options of cluster.sh start
#	$CLUSTER                  its folder (cluster.sh says what is in it); CEPH_CONF is exported
#	osd_device ROLE           the device of data, db or wal: a loop device, "" where it has none
#	osd_counter SECTION KEY   a counter of `perf dump` of osd.0
#	cluster_slow MS           every operation of the OSD takes MS longer, until the script ends
#	new_image NAME SIZE       rbd/NAME, removed at exit

. tests/cli/lib.sh

CLUSTER=
cluster_options=
need_cluster() {
	if [ $# -gt 0 ] || [ -z "${SSDQUAL_CEPH:-}" ]; then
		CLUSTER=$T/ceph
		set -- "$@" --owner $$
		at_exit "sh tests/ceph/cluster.sh stop '$CLUSTER'"
	else
		CLUSTER=$SSDQUAL_CEPH
		set -- --owner "$SSDQUAL_CEPH_OWNER"
	fi
	# Writes to a loop device are counted apart from everything else on the machine.
	if [ "$(id -u)" = 0 ] && losetup -f >/dev/null 2>&1; then
		set -- "$@" --loop
	fi
	cluster_text=$(sh tests/ceph/cluster.sh start "$CLUSTER" "$@" 2>"$T/cluster.err")
	case $? in
	0) ;;
	77) skip_all "$cluster_text" ;;
	*)
		not_ok "a one-node Ceph starts" "$(cat "$T/cluster.err")"
		exit 1
		;;
	esac
	export CEPH_CONF="$CLUSTER/ceph.conf"
}

osd_device() {
	sed -n "s/^$1 //p" "$CLUSTER/devices" 2>/dev/null
}

osd_counter() {
	timeout 60 ceph --admin-daemon "$CLUSTER/run/osd.0.asok" perf dump >"$T/perf" 2>"$T/perf.err" ||
		return 1
	json_get "$1.$2" "$T/perf"
}

cluster_slow() {
	at_exit "sh tests/ceph/cluster.sh slow '$CLUSTER' 0"
	sh tests/ceph/cluster.sh slow "$CLUSTER" "$1"
}

new_image() {
	# Of this cluster: by the end the script may be at another one, or that one be stopped.
	at_exit "CEPH_CONF='$CEPH_CONF' timeout 60 rbd rm --no-progress 'rbd/$1' >/dev/null 2>&1"
	timeout 60 rbd create "rbd/$1" --size "$2" || {
		not_ok "an image of $2 can be made"
		exit 1
	}
}
