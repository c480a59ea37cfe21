#!/bin/sh
# verify-rbd.sh [RUNS [ROUNDS [SECONDS]]] - how near the predictions for the etcd profile come to a
# real cluster: `ssdqual verify` of none, writethrough, writeback and writearound, RUNS times (4), on
# the cluster of CEPH_CONF, else on a one-node cluster of its own. A run holds when each of the four
# predicted medians is within 30 % of the measured one. A bench, not a test: the figures of a
# machine that does other work are noise, and the spread of the rounds is printed beside them.
set -u
cd "$(dirname "$0")/../.." || exit 1
runs=${1:-4} rounds=${2:-3} seconds=${3:-5}
t=$(mktemp -d) || exit 1
trap 'sh tests/ceph/cluster.sh stop "$t/ceph" 2>/dev/null; rm -rf "$t"' EXIT
if [ -z "${CEPH_CONF:-}" ]; then
	sh tests/ceph/cluster.sh start "$t/ceph" || exit $?
	export CEPH_CONF="$t/ceph/ceph.conf"
fi
program=${SSDQUAL:-build/ssdqual}
n=0
while [ "$n" -lt "$runs" ]; do
	n=$((n + 1))
	"$program" verify rbd:rbd -w etcd --force --latency-stop 0 --rounds "$rounds" \
		--runtime "${seconds}s" --candidates none,writethrough,writeback,writearound --json \
		>"$t/run.$n" || { cat "$t/run.$n"; exit 1; }
done
python3 - "$t"/run.* <<'PY'
import json, sys

held = 0
print("run  setting        predicted  measured  rounds (ms)      ratio   p99 ratio  IOPS ratio")
for n, name in enumerate(sys.argv[1:], 1):
    ok = True
    for s in json.load(open(name))["settings"]:
        p50, p99 = (s["guest_sync_ns"][k] for k in ("p50", "p99"))
        good = p50["ratio"] is not None and 0.7 <= p50["ratio"] <= 1.3
        ok = ok and good
        print(f"{n:<4} {s['name']:<13} {p50['predicted'] / 1e6:9.2f} {p50['measured'] / 1e6:9.2f}"
              f"  {p50['low'] / 1e6:6.2f} - {p50['high'] / 1e6:6.2f} {p50['ratio']:9.2f}"
              f" {p99['ratio']:11.2f} {s['iops']['ratio']:11.2f}{'' if good else '  over 30 %'}")
    held += ok
print(f"{held} of {len(sys.argv) - 1} runs with all four medians within 30 %")
PY
