#!/usr/bin/python3
"""Recompute every figure of a result document from what it stores, independently of the program.

usage: run-recompute.py DOCUMENT...    prints what disagrees; exit status 1 then, or where a document
has no histogram at all.
"""
import json
import math
import sys

PERCENTILES = {"p50": 50, "p90": 90, "p99": 99, "p999": 99.9, "p9999": 99.99}
wrong = []
histograms = 0


def number(v):
    """Integers of 2^52 and up are decimal strings in these documents."""
    return int(v) if isinstance(v, str) else v


def edges(index, bits):
    """Lowest and highest value of a bucket of a log-linear histogram."""
    sub = 1 << bits
    if index < sub:
        return index, index
    shift = (index >> bits) - 1
    mantissa = sub + (index & (sub - 1))
    return mantissa << shift, ((mantissa + 1) << shift) - 1


def check(where, what, got, want, tolerance=0.0):
    if got is None or abs(got - want) > tolerance * max(1.0, abs(want)):
        wrong.append(f"{where}: {what} is {got}, recomputed {want}")


def check_latency(where, lat, ios):
    global histograms
    h = lat["histogram"]
    buckets = [(number(i), number(n)) for i, n in h["buckets"]]
    count = sum(n for _, n in buckets)
    histograms += 1
    check(where, "histogram.count", number(h["count"]), count)
    check(where, "count", number(lat["count"]), count)
    if ios is not None:
        check(where, "count with out-of-range values", ios,
              count + number(h["under"]) + number(h["over"]))
    if not count:
        return
    highest = number(h["max_ns"])
    for key, pct in PERCENTILES.items():
        # nearest rank; decimal fractions as exact ratios, so that 99.99 is not 99.98999...
        rank = -(-count * round(pct * 100) // 10000)
        seen = 0
        for index, n in sorted(buckets):
            seen += n
            if seen >= rank:
                check(where, key, lat[key], min(edges(index, h["bits"])[1], highest))
                break
    mean = number(h["sum_ns"]) / count
    check(where, "mean", lat["mean"], mean, 1e-9)
    variance = max(0.0, number(h["sumsq_ns"]) / count - mean * mean)
    check(where, "stddev", lat["stddev"], math.sqrt(variance), 1e-6)
    low = sum(edges(i, h["bits"])[0] * n for i, n in buckets) / count
    high = sum(edges(i, h["bits"])[1] * n for i, n in buckets) / count
    if not low <= mean <= high:
        wrong.append(f"{where}: mean {mean} is outside of what the buckets allow, {low} to {high}")
    check(where, "min", lat["min"], number(h["min_ns"]))
    check(where, "max", lat["max"], highest)


def check_measurement(m):
    where = m["probe"]
    ios, size, ns = number(m["ios"]), number(m["bytes"]), number(m["runtime_ns"])
    check(where, "iops", m["iops"], ios * 1e9 / ns, 1e-9)
    check(where, "bw_bytes", m["bw_bytes"], size * 1e9 / ns, 1e-9)
    check_latency(where + " lat_ns", m["lat_ns"], ios)
    for key in ("write_lat_ns", "sync_lat_ns"):
        if m.get(key):
            check_latency(f"{where} {key}", m[key], None)


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    for one in document.get("results", [document]):
        for measurement in one["measurements"]:
            check_measurement(measurement)
print("\n".join(wrong) if wrong else f"{histograms} histograms agree")
sys.exit(1 if wrong or not histograms else 0)
