#!/usr/bin/python3
"""fio-compare.py - the load generator side by side with fio: same options, same target.

Every round runs three things on the same target in a changing order: fio (F), loadgen (L) and fio
again (C). L/F is the figure, C/F the control: what two runs of the same program differ by here.
Shown are medians of the paired ratios with their order-statistic interval. See README.md.
"""
import argparse
import atexit
import itertools
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

MIB = 1 << 20
NOISE = 0.25  # a control spread above it: nothing can be said about a bound of 10 %
COMMON = {"direct": "1", "norandommap": "1"}
LIBAIO = {"ioengine": "libaio"}


class Row:
    """One comparison. kind: 'service' where the device's service time dominates (IOPS, p50 and p99
    are judged), 'load' where the tool's share counts (no lower bound on latency), 'zram' (IOPS),
    'cpu' (user CPU an I/O)."""

    def __init__(self, name, target, kind, options, bound=None, fio=None, lap=None):
        self.name, self.target, self.kind, self.options = name, target, kind, options
        self.bound, self.fio, self.lap = bound, fio or {}, lap


def ceph(name, kind, **options):
    return Row(name, "loop", kind, {**COMMON, **LIBAIO, "time_based": "1", **options})


def etcd(name, bs, lap):
    options = {"ioengine": "sync", "rw": "write", "bs": bs, "fdatasync": "1", "size": 100 * MIB}
    if lap == "overwrite":
        options["time_based"] = "1"
    return Row(name, "file", "service", options, lap=lap)


ZRAM = {**COMMON, "rw": "randwrite", "bs": "4k", "zero_buffers": "1", "time_based": "1"}
ROWS = [
    ceph("journal-sync", "service", rw="write", bs="4k", iodepth="1", sync="sync"),
    ceph("journal-fsync", "service", rw="write", bs="4k", iodepth="1", fsync="1"),
    ceph("parallel-sync", "service", rw="randwrite", bs="4k", iodepth="32", sync="sync"),
    ceph("parallel-fsync", "service", rw="randwrite", bs="4k", iodepth="32", fsync="1"),
    ceph("random-nosync", "load", rw="randwrite", bs="4k", iodepth="128"),
    ceph("linear-write", "load", rw="write", bs="4m", iodepth="32"),
    ceph("randread-1", "load", rw="randread", bs="4k", iodepth="1"),
    ceph("randread-32", "load", rw="randread", bs="4k", iodepth="32"),
    ceph("t1q1-fsync", "service", rw="randwrite", bs="4k", iodepth="1", fsync="1"),
    etcd("fio-2300-first-lap", "2300", "first"),
    etcd("fio-2300-overwrite", "2300", "overwrite"),
    etcd("fio-8000-first-lap", "8000", "first"),
    etcd("fio-8000-overwrite", "8000", "overwrite"),
    Row("zram-32", "zram", "zram", {**ZRAM, **LIBAIO, "iodepth": "32",
        "iodepth_batch_submit": "8", "iodepth_batch_complete_max": "8"}, bound=1.05),
    Row("cpu-psync", "zram", "cpu", {**ZRAM, "ioengine": "sync"}, bound=0.75,
        fio={"ioengine": "psync"}),
    Row("cpu-libaio", "zram", "cpu", {**ZRAM, **LIBAIO, "iodepth": "1"}, bound=0.50),
]


class Skip(Exception):
    pass




def sh(*argv):
    r = subprocess.run(argv, capture_output=True, text=True, check=False)
    if r.returncode:
        raise Skip("%s: %s" % (" ".join(argv), (r.stderr or r.stdout).strip()))
    return r.stdout.strip()


class Targets:
    """Makes what the rows need, once, and takes it down again."""

    def __init__(self, folder, loop_mib):
        self.folder = tempfile.mkdtemp(prefix="ssdqual-bench-", dir=folder)
        self.loop_mib, self.made = loop_mib, {}
        atexit.register(self.close)

    def get(self, name):
        if name not in self.made:
            self.made[name] = getattr(self, "make_" + name)()
        return self.made[name]

    def write_file(self, path, mib):
        block = os.urandom(MIB)
        with open(path, "wb") as f:
            for _ in range(mib):
                f.write(block)
            f.flush()
            os.fsync(f.fileno())

    def make_loop(self):
        path = os.path.join(self.folder, "disk")
        self.write_file(path, self.loop_mib)
        # direct I/O below, too: without it the page cache under the loop device is the target
        return sh("losetup", "-f", "--show", "--direct-io=on", path)

    def make_file(self):
        return os.path.join(self.folder, "wal")

    def make_zram(self):
        try:
            with open("/sys/class/zram-control/hot_add", encoding="ascii") as f:
                number = f.read().strip()
            with open("/sys/block/zram%s/disksize" % number, "w", encoding="ascii") as f:
                f.write("1G")
        except OSError as e:
            raise Skip("no zram device: %s" % e) from e
        return "/dev/zram" + number

    def before_run(self, row):
        """The state in which each run finds its target."""
        path = self.get(row.target)
        if row.lap == "first":
            if os.path.exists(path):
                os.unlink(path)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            os.posix_fallocate(fd, 0, row.options["size"])
            os.fsync(fd)
            os.close(fd)
        elif row.lap == "overwrite" and self.made.get("lap") != row.name:
            self.write_file(path, row.options["size"] // MIB)
        self.made["lap"] = row.name
        return path

    def close(self):
        if self.made.get("loop"):
            subprocess.run(["losetup", "-d", self.made["loop"]], check=False)
        if self.made.get("zram"):
            number = self.made["zram"][len("/dev/zram"):]
            with open("/sys/block/zram%s/reset" % number, "w", encoding="ascii") as f:
                f.write("1")
            with open("/sys/class/zram-control/hot_remove", "w", encoding="ascii") as f:
                f.write(number)
        shutil.rmtree(self.folder, ignore_errors=True)


def arguments(options):
    return ["--%s=%s" % (k, v) for k, v in options.items()]


def pinned(row):
    if row.kind in ("zram", "cpu"):
        # one core, and as much of it as a busy machine gives
        return ["nice", "-n", "-20", "taskset", "-c", str(max(os.sched_getaffinity(0)))]
    return []


def run_program(argv):
    r = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    if r.returncode:
        raise SystemExit("%s\n%s" % (" ".join(argv), r.stderr or r.stdout))
    return json.loads(r.stdout[r.stdout.index("{"):])


def sync_figures(row, percentile):
    """fio's sync latency, by what it is. Engine sync: of the call. libaio at depth 1: from issue
    of the write before it (seen: the median is that of loadgen's pair, not of its sync), so it is
    compared with write + sync. libaio above depth 1: from some earlier use of the same io_u (maxima
    of half an hour were seen in a run of a second): of no use."""
    if not percentile or row.options.get("iodepth", "1") != "1":
        return {}
    kind = "pair" if row.options["ioengine"] == "libaio" else "sync"
    return {kind + " p50": percentile["50.000000"], kind + " p99": percentile["99.000000"]}


def run_fio(row, options):
    argv = pinned(row) + ["fio", "--name=compare", "--thread", "--output-format=json",
        "--lat_percentiles=1", "--clat_percentiles=0", "--fallocate=none",
        "--allow_file_create=0"]
    job = run_program(argv + arguments({**options, **row.fio}))["jobs"][0]
    if job["error"]:
        raise SystemExit("fio: error %d" % job["error"])
    io = job["read" if "read" in options["rw"] else "write"]
    p = io["lat_ns"]["percentile"]
    figures = {"iops": io["iops"], "p50": p["50.000000"], "p99": p["99.000000"],
        "user": job["usr_cpu"] / 100 * job["job_runtime"] * 1e6 / io["total_ios"]}
    figures.update(sync_figures(row, job.get("sync", {}).get("lat_ns", {}).get("percentile")))
    return figures


def run_loadgen(row, options, loadgen):
    doc = run_program(pinned(row) + [loadgen] + arguments(options))
    if doc["errors"]:
        raise SystemExit("loadgen: %s" % doc["error"])
    lat = doc.get("write_lat") or doc["lat"]
    figures = {"iops": doc["iops"], "p50": lat["p50"], "p99": lat["p99"],
        "user": doc["usr_ns"] / doc["ios"]}
    for kind, key in (("sync", "sync_lat"), ("pair", "lat")):
        if "sync_lat" in doc:
            figures.update({kind + " p50": doc[key]["p50"], kind + " p99": doc[key]["p99"]})
    return figures


def measure(row, args, targets):
    """[{'F': figures, 'L': ..., 'C': ...}] of every round."""
    rounds, orders = [], list(itertools.permutations("FLC"))
    for i in range(args.pairs):
        result = {}
        for who in orders[i % len(orders)]:
            path = targets.before_run(row)
            options = {"filename": path, **row.options, "runtime": "%dms" % args.milliseconds}
            if who == "L":
                result[who] = run_loadgen(row, options, args.loadgen)
            else:
                result[who] = run_fio(row, options)
        rounds.append(result)
    return rounds


def interval(values):
    """(low, high, level): order statistics around the median at 95 %, or all where too few."""
    v, n = sorted(values), len(values)

    def level(k):  # P(the median lies between the k-th lowest and the k-th highest)
        return 1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2 ** n

    k = max([k for k in range(1, n // 2 + 1) if level(k) >= 0.95], default=1)
    return v[k - 1], v[n - k], level(k)


def spread(ratios):
    """How far two runs of one program are apart here: the quartile farther from 1."""
    if len(ratios) < 2:
        return 0.0
    q = statistics.quantiles(ratios, n=4, method="inclusive")
    return max(abs(q[0] - 1), abs(q[2] - 1))


def bounds(row, figure):
    if row.kind == "cpu":
        return (0, row.bound) if figure == "user" else None
    if row.kind == "zram":
        return (row.bound, math.inf) if figure == "iops" else None
    if figure == "iops":
        return 0.97, math.inf
    if figure == "user":
        return None
    return (0.90, 1.10) if row.kind == "service" else (0, 1.10)


def verdict(row, figure, median, control):
    b = bounds(row, figure)
    if not b:
        return ""
    if row.kind in ("service", "load") and control > NOISE:
        return "too noisy"
    if b[0] <= median <= b[1]:
        return "pass"
    if row.kind in ("service", "load") and abs(median - 1) <= 2 * control:
        return "within control"
    return "MISS"


def report(row, rounds):
    words = set()
    for figure in rounds[0]["L"]:
        if figure not in rounds[0]["F"]:
            continue
        ratios = [r["L"][figure] / r["F"][figure] for r in rounds if r["F"][figure]]
        controls = [r["C"][figure] / r["F"][figure] for r in rounds if r["F"][figure]]
        if not ratios:
            continue
        low, high, _ = interval(ratios)
        median, wide = statistics.median(ratios), spread(controls)
        word = verdict(row, figure, median, wide)
        b = bounds(row, figure)
        limits = "" if not b else "%s-%s" % ("%.2f" % b[0] if b[0] else "",
            "" if b[1] == math.inf else "%.2f" % b[1])
        print("%-19s %-9s %11.0f %11.0f   %.3f [%.3f %.3f]  %.3f +-%.3f  %-10s %s" % (row.name,
            figure, statistics.median(r["L"][figure] for r in rounds),
            statistics.median(r["F"][figure] for r in rounds), median, low, high,
            statistics.median(controls), wide, limits, word), flush=True)
        words.add(word)
    return words


def parse_arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--loadgen", default="build/release/tests/bench/loadgen")
    p.add_argument("--pairs", type=int, default=10, help="rounds a row (default 10)")
    p.add_argument("--milliseconds", type=int, default=2000, help="of each run (default 2000)")
    p.add_argument("--quick", action="store_true", help="3 rounds of 800 ms: about 3 minutes")
    p.add_argument("--folder", default=".", help="where the scratch files are made")
    p.add_argument("--loop-mib", type=int, default=512, help="size of the loop device")
    p.add_argument("--list", action="store_true", help="list the rows")
    p.add_argument("row", nargs="*", help="rows to run (default: all)")
    args = p.parse_args()
    if args.quick:
        args.pairs, args.milliseconds = 3, 800
    unknown = set(args.row) - {r.name for r in ROWS}
    if unknown:
        p.error("no such row: %s" % ", ".join(sorted(unknown)))
    return args


def main():
    args = parse_arguments()
    if args.list:
        print("\n".join(r.name for r in ROWS))
        return 0
    for program in ("fio", "losetup", "taskset", args.loadgen):
        if not shutil.which(program):
            print("fio-compare: %s is not there; install it, or: make bench-programs" % program,
                file=sys.stderr)
            return 77
    rows = [r for r in ROWS if not args.row or r.name in args.row]
    targets = Targets(args.folder, args.loop_mib)
    start = time.monotonic()
    print("%s; %d rounds of fio, loadgen and fio again, %d ms each, order changing; about %.0f min"
        % (sh("fio", "--version"), args.pairs, args.milliseconds,
        len(rows) * args.pairs * 3 * (args.milliseconds / 1000 + 0.5) / 60))
    print("%-19s %-9s %11s %11s   %-21s %-15s %-10s" % ("row", "figure", "loadgen", "fio",
        "ratio [interval]", "fio/fio", "bounds"))
    missed, noisy, skipped = [], [], []
    for row in rows:
        try:
            targets.get(row.target)
        except Skip as e:
            print("%-19s skipped: %s" % (row.name, e))
            skipped.append(row.name)
            continue
        words = report(row, measure(row, args, targets))
        if "MISS" in words:
            missed.append(row.name)
        elif "too noisy" in words:
            noisy.append(row.name)
    print("%d rows, %.0f s" % (len(rows), time.monotonic() - start))
    for word, names in (("missed", missed), ("too noisy", noisy), ("skipped", skipped)):
        print("%s: %d %s" % (word, len(names), " ".join(names)))
    return 1 if missed else 5 if noisy else 0


if __name__ == "__main__":
    sys.exit(main())
