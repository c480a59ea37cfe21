#!/bin/sh
# export-speed.sh [RESULTS] - CPU seconds and memory of `ssdqual export` over RESULTS (1000) results of
# the ceph battery, each of about 125 kB: nine rows of 60 seconds, with histograms of the write, the
# sync and both. Prints a line a format. A bench, not a test: the aim is 5 s and 200 MiB for the
# workbook of 1000 results, on a machine that does nothing else.
set -u
cd "$(dirname "$0")/../.." || exit 1
count=${1:-1000}
program=${SSDQUAL:-build/ssdqual}
t=$(mktemp -d) || exit 1
trap 'rm -rf "$t"' EXIT

python3 - "$t" "$count" <<'PY' || exit 1
import json, math, random, sys

folder, count = sys.argv[1], int(sys.argv[2])
ROWS = [("journal-sync", 400e3, 1, 0), ("journal-fsync", 900e3, 1, 1),
        ("parallel-sync", 2e6, 32, 0), ("parallel-fsync", 3e6, 32, 1),
        ("random-nosync", 1.5e6, 128, 0), ("linear-write", 60e6, 32, 0),
        ("randread-1", 100e3, 1, 0), ("randread-32", 400e3, 32, 0), ("t1q1-fsync", 1e6, 1, 1)]
SECONDS = 60

def index(ns):
    shift = max(ns.bit_length() - 8, 0)
    return ns if ns < 128 else (shift << 7) + (ns >> shift)

def upper(i):
    shift = (i >> 7) - 1
    return i if i < 128 else ((128 + (i & 127) + 1) << shift) - 1

def latency(r, median, ios):
    # 4000 values a histogram, each standing for as many I/Os as it takes
    values = sorted(int(median * math.exp(r.gauss(0, 0.25))) for _ in range(4000))
    each, buckets = ios // 4000, {}
    for v in values:
        buckets[index(v)] = buckets.get(index(v), 0) + each
    n, total = each * 4000, float(each * sum(values))
    squares = float(each * sum(v * v for v in values))
    mean = total / n
    figures = {"count": n, "min": values[0], "mean": mean,
               "stddev": math.sqrt(max(squares / n - mean * mean, 0)), "max": values[-1]}
    for key, p in (("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p999", 99.9), ("p9999", 99.99)):
        rank, seen = math.ceil(p / 100.0 * n), 0
        for i in sorted(buckets):
            seen += buckets[i]
            if seen >= rank:
                figures[key] = min(upper(i), values[-1])
                break
    figures["histogram"] = {"scheme": "log-linear", "bits": 7, "count": n, "under": 0, "over": 0,
        "min_ns": values[0], "max_ns": values[-1], "sum_ns": total, "sumsq_ns": squares,
        "buckets": [[i, buckets[i]] for i in sorted(buckets)]}
    return figures

def row(r, name, median, depth, syncs):
    ios = int(SECONDS * 1e9 / median * depth) // 4000 * 4000
    iops, bs = ios / SECONDS, 4 << 20 if name == "linear-write" else 4096
    return {"battery": "ceph", "probe": name, "label": name, "write_cache": "on",
        "source": {"kind": "measured"},
        "params": {"rw": "read" if "read" in name else "write", "bs": bs, "iodepth": depth},
        "ios": ios, "bytes": ios * bs, "runtime_ns": SECONDS * 10**9, "errors": 0, "iops": iops,
        "bw_bytes": iops * bs, "lat_ns": latency(r, median, ios),
        "write_lat_ns": latency(r, median / 10, ios) if syncs else None,
        "sync_lat_ns": latency(r, median * 0.9, ios) if syncs else None,
        "uncorrected_lat_ns": None, "stop": "runtime", "error": None, "last_third_change": 0.01,
        "noise": None, "timeline": [{"t_s": s, "iops": iops * r.uniform(0.9, 1.1),
            "bw_bytes": iops * bs * r.uniform(0.9, 1.1), "p50_ns": int(median),
            "p99_ns": int(median * r.uniform(2, 3)), "max_ns": int(median * r.uniform(4, 9))}
            for s in range(1, SECONDS + 1)]}

# Twenty different drives, told apart by their serial numbers: making them costs more than reading.
drives = [json.dumps([row(random.Random(100 * d + i), *ROWS[i]) for i in range(len(ROWS))])
          for d in range(min(20, count))]
base = json.load(open("tests/fixtures/results/measured.json", encoding="utf-8"))
del base["measurements"]
for n in range(count):
    base["target"].update(serial=f"S{n:06}", by_id=f"/dev/disk/by-id/ata-SAMPLE_S{n:06}")
    with open(f"{folder}/{n:06}.json", "w", encoding="utf-8") as f:
        f.write(json.dumps(base)[:-1] + ', "measurements": ' + drives[n % len(drives)] + "}")
PY
printf '%s results, %s bytes each\n' "$count" "$(($(cat "$t"/*.json | wc -c) / count))"

printf 'format  CPU s  elapsed s  MiB\n'
for format in xlsx csv html; do
	python3 - "$format" "$program" export -o "$t/out.$format" "$t" <<'PY' || exit 1
import glob, resource, subprocess, sys, time

format, *command, folder = sys.argv[1:]
start = time.monotonic()
subprocess.run(command + sorted(glob.glob(folder + "/*.json")), check=True,
               stdout=subprocess.DEVNULL)
u = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{format:<6} {u.ru_utime + u.ru_stime:6.2f} {time.monotonic() - start:10.2f}"
      f" {u.ru_maxrss / 1024:4.0f}")
PY
done
