#!/bin/sh
# cluster.sh - a one-node Ceph on loopback, for tests: one mon, one BlueStore OSD, no mgr, no cephx.
#
#	cluster.sh start FOLDER [OPTIONS]   about 15 s; FOLDER is made and is all that is written
#	cluster.sh stop FOLDER              ends what FOLDER's pid files name, detaches its loop devices
#	cluster.sh alive FOLDER             0 when both daemons of FOLDER run
#	cluster.sh slow FOLDER MS           each operation of the OSD takes MS longer; 0: as before
#
#	--size SIZE     of the OSD's data (8G, sparse)
#	--loop          the OSD's data is on a loop device of its own (root), not on a plain file
#	--db SIZE, --wal SIZE   DB and WAL on loop devices of their own as well
#	--slow MS       as `slow`, at once
#	--owner PID     stop, and remove FOLDER, as soon as that process has ended, however it did
#
# Afterwards FOLDER/ceph.conf is for CEPH_CONF; FOLDER/run/osd.0.asok is the OSD's admin socket and
# FOLDER/devices names its devices, a line each: data, db, wal (none for a plain file). There is a
# pool `rbd`. Any number of clusters run side by side: each has a mon port of its own.
#
# Exit: 0; 1 it did not start (why: on standard error, and FOLDER/*.log); 2 usage; 77 cannot be had
# here, with its reason on standard output.
set -u
export LC_ALL=C
unset CEPH_ARGS CEPH_CONF

die() {
	echo "cluster.sh: $*" >&2
	exit 1
}

usage() {
	echo "cluster.sh: $*; see the head of the file" >&2
	exit 2
}

# pid_of NAME: the pid of FOLDER's daemon while it runs. A pid file may have outlived its process
# and name a stranger by now: the command line tells.
pid_of() {
	pid=$(cat "$dir/run/$1.pid" 2>/dev/null) || return 1
	[ -n "$pid" ] && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null |
		grep -qF -e "-c $dir/ceph.conf " || return 1
	echo "$pid"
}

# asked COMMAND...: a command of Ceph that must not hang the tests when no daemon answers.
asked() {
	CEPH_CONF=$dir/ceph.conf timeout -k 5 "$patience" "$@" >>"$dir/commands.log" 2>&1
}

poll() {
	poll_left=$((patience * 5))
	until "$@"; do
		poll_left=$((poll_left - 1))
		[ "$poll_left" -gt 0 ] || return 1
		sleep 0.2
	done
}

gone() {
	! pid_of "$1" >/dev/null
}

end_daemon() {
	pid=$(pid_of "$1") || return 0
	kill "$pid" 2>/dev/null
	(patience=20; poll gone "$1") || kill -9 "$pid" 2>/dev/null
	poll gone "$1" || echo "cluster.sh: $1 (pid $pid) does not end" >&2
}

stop() {
	[ -d "$dir" ] || return 0
	end_daemon osd.0
	end_daemon mon.a
	[ -f "$dir/devices" ] || return 0
	while read -r role dev; do
		case $(losetup -n -O BACK-FILE "$dev" 2>/dev/null) in
		"$dir/$role.img"*) losetup -d "$dev" ;;
		esac
	done <"$dir/devices"
	rm -f "$dir/devices"
}

# Of a running process: one that is dead and not waited for has ended.
started_at() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'
}

# The owner may be killed before it can stop us. Its start time tells it from a later process.
watch_owner() {
	since=$(started_at "$1")
	while [ -d "$dir" ] && [ "$(started_at "$1")" = "$since" ]; do
		sleep 2
	done
	[ -d "$dir" ] || return 0
	stop
	rm -rf "$dir"
}

# backing ROLE SIZE: a sparse file, on a loop device where that is asked for.
backing() {
	truncate -s "$2" "$dir/$1.img" || die "no file of $2 in $dir"
	[ "$loop" = yes ] || return 0
	dev=$(losetup -f --show "$dir/$1.img") || {
		stop
		die "no loop device; the OSD can do without (leave --loop, --db and --wal away)"
	}
	echo "$1 $dev" >>"$dir/devices"
}

# A port that nobody listens on, outside of the range of outgoing connections. Another cluster may
# take it before our mon does: then the mon fails, and start_mon takes another.
free_port() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
		grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$port") " /proc/net/tcp || return 0
	done
}

write_conf() {
	path_of() {
		[ "$loop" = yes ] && sed -n "s/^$1 //p" "$dir/devices" || echo "$dir/$1.img"
	}
	cat >"$dir/ceph.conf" <<-EOC
		[global]
		fsid = $fsid
		osd crush chooseleaf type = 0
		mon host = v2:127.0.0.1:$port/0
		public addr = 127.0.0.1
		auth cluster required = none
		auth service required = none
		auth client required = none
		run dir = $dir/run
		pid file = $dir/run/\$name.pid
		log file = $dir/\$name.log
		[client]
		admin socket = $dir/run/\$name.\$pid.\$cctid.asok
		log file = $dir/client.log
		[mon]
		mon data = $dir/mon
		admin socket = $dir/run/\$name.asok
		mon allow pool size one = true
		mon allow pool delete = true
		mon data avail warn = 0
		mon data avail crit = 0
		osd pool default size = 1
		osd pool default min size = 1
		osd pool default pg autoscale mode = off
		[osd]
		osd data = $dir/osd
		admin socket = $dir/run/\$name.asok
		osd memory target = 1073741824
		# Loop devices say "rotational" of whatever disk is below: no test depends on that.
		bluestore debug enforce settings = ssd
		bluestore block path = $(path_of data)
	EOC
	[ -z "$db" ] || echo "bluestore block db path = $(path_of db)" >>"$dir/ceph.conf"
	[ -z "$wal" ] || echo "bluestore block wal path = $(path_of wal)" >>"$dir/ceph.conf"
}

mon_answers() {
	(patience=5; asked ceph status)
}

try_mon() {
	free_port
	write_conf
	rm -rf "$dir/mon" "$dir/monmap"
	mkdir "$dir/mon" &&
		asked monmaptool --create --fsid "$fsid" --addv a "[v2:127.0.0.1:$port]" "$dir/monmap" &&
		asked ceph-mon -c "$dir/ceph.conf" --mkfs -i a --monmap "$dir/monmap" &&
		asked ceph-mon -c "$dir/ceph.conf" -i a || return 1
	# It binds its port after it went into the background: "address in use" ends it there.
	while pid_of mon.a >/dev/null; do
		! mon_answers || return 0
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.2
	done
	return 1
}

start_mon() {
	tries=100
	for _ in 1 2 3 4 5; do
		! try_mon || return 0
		end_daemon mon.a
		[ "$tries" -gt 0 ] || break
	done
	return 1
}

osd_up() {
	CEPH_CONF=$dir/ceph.conf timeout 10 ceph osd stat 2>/dev/null | grep -q '1 up' ||
		! pid_of osd.0 >/dev/null
}

start_osd() {
	uuid=$(cat /proc/sys/kernel/random/uuid)
	asked ceph osd new "$uuid" &&
		asked ceph-osd -c "$dir/ceph.conf" -i 0 --mkfs --osd-uuid "$uuid" &&
		asked ceph-osd -c "$dir/ceph.conf" -i 0 && poll osd_up && pid_of osd.0 >/dev/null
}

make_pool() {
	asked ceph osd pool create rbd 8 8 && asked rbd pool init rbd
}

slow() {
	[ "$1" = 0 ] && chance=0 || chance=1
	asked ceph --admin-daemon "$dir/run/osd.0.asok" config set \
		osd_debug_inject_dispatch_delay_duration "$(echo "$1" | awk '{ print $1 / 1000 }')" &&
		asked ceph --admin-daemon "$dir/run/osd.0.asok" config set \
			osd_debug_inject_dispatch_delay_probability $chance ||
		die "the OSD does not take the delay; see $dir/commands.log"
}

start() {
	size=8G loop=no db= wal= slow_ms= owner=
	while [ $# -gt 0 ]; do
		case $1 in
		--loop) loop=yes ;;
		--size | --db | --wal | --slow | --owner)
			[ $# -ge 2 ] || usage "$1 needs a value"
			case $1 in
			--size) size=$2 ;;
			--db) db=$2 loop=yes ;;
			--wal) wal=$2 loop=yes ;;
			--slow) slow_ms=$2 ;;
			--owner) owner=$2 ;;
			esac
			shift
			;;
		*) usage "unknown option '$1'" ;;
		esac
		shift
	done
	for tool in ceph ceph-mon ceph-osd monmaptool rbd; do
		command -v $tool >/dev/null || {
			echo "needs $tool (packaging/deps.sh ceph)"
			exit 77
		}
	done
	if [ "$loop" = yes ] && [ "$(id -u)" != 0 ]; then
		echo "needs root for a loop device"
		exit 77
	fi
	! alive || return 0
	stop
	rm -rf "$dir"
	mkdir -p "$dir/run" "$dir/osd" || die "cannot make $dir"
	# A UNIX socket's path has 107 characters at most.
	[ ${#dir} -le 80 ] || die "$dir: too long for the path of an admin socket; use a shorter one"
	[ -z "$owner" ] || setsid sh "$0" watch "$dir" "$owner" </dev/null >/dev/null 2>&1 &
	fsid=$(cat /proc/sys/kernel/random/uuid)
	backing data "$size"
	[ -z "$db" ] || backing db "$db"
	[ -z "$wal" ] || backing wal "$wal"
	for step in start_mon start_osd make_pool; do
		$step || {
			tail -n 5 "$dir/commands.log" "$dir"/mon.a.log "$dir"/osd.0.log >&2 2>/dev/null
			stop
			die "$step failed; logs in $dir"
		}
	done
	[ -z "$slow_ms" ] || slow "$slow_ms"
}

alive() {
	pid_of mon.a >/dev/null && pid_of osd.0 >/dev/null
}

[ $# -ge 2 ] || usage "a command and a folder"
command=$1
case $2 in /*) dir=$2 ;; *) dir=$PWD/$2 ;; esac
shift 2
patience=${SSDQUAL_CEPH_SECONDS:-120}
case $command in
start) start "$@" ;;
stop) stop ;;
alive) alive ;;
slow) slow "${1:?milliseconds}" ;;
watch) watch_owner "$1" ;;
*) usage "unknown command '$command'" ;;
esac
