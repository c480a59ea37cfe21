#!/usr/bin/python3
"""results.py INPUT FOLDER - the neutral drives or figures of a field case as result documents.

INPUT is a list of objects; each becomes FOLDER/N.json. Known keys: dev, model, serial, temp_c
(a drive), waf (write amplification of its life, by its own count), p99_ms (of a commit of etcd),
and iops, seconds, host_delta, nand_delta: a run of that many seconds, during which the drive's
counters of host and flash writes, in GB, grew by so much.
"""
import json
import sys


def latency(p99_ms):
    keys = ("min", "mean", "stddev", "max", "p50", "p90", "p99", "p999", "p9999", "histogram")
    figures = dict.fromkeys(keys)
    figures.update(count=1000, p99=round(p99_ms * 1e6))
    return figures


def measurement(d):
    seconds, iops = d.get("seconds"), d.get("iops")
    ios = 0 if iops == 0 or seconds == 0 else 1000
    return {
        "battery": "etcd", "probe": "etcd-8000", "label": d.get("name", "etcd log, 8000 B"),
        "write_cache": "on", "source": {"kind": "imported"},
        "params": {"rw": "write", "bs": 8000, "fdatasync": 1},
        "ios": ios, "bytes": 8000 * ios, "runtime_ns": 0 if seconds == 0 else 10**9, "errors": 0,
        "iops": None if seconds == 0 else iops, "bw_bytes": None, "lat_ns": None,
        "write_lat_ns": None,
        "sync_lat_ns": latency(d["p99_ms"]) if "p99_ms" in d else None,
        "stop": None, "timeline": [],
    }


def health(d, moment):
    h = {"temperature_c": d.get("temp_c"), "write_amplification": d.get("waf")}
    for key in ("host", "nand"):
        if key + "_delta" in d:
            grown = d[key + "_delta"] if moment == "after" else 0
            h[key + "_writes"] = {"bytes": (7 + grown) * 10**9, "at_least": False,
                                  "step_bytes": 10**9, "source": "counter"}
    return h


def document(d):
    return {
        "format_version": [1, 0], "tool": {"name": "results.py", "version": "1"}, "host": {},
        "target": {"kind": "block", "path": d.get("dev"), "by_id": d.get("dev"),
                   "model": d.get("model"), "serial": d.get("serial")},
        "settings": {"precondition": "none", "started_at": "2026-11-30T12:00:00Z"},
        "measurements": [measurement(d)] if "p99_ms" in d or "iops" in d else [],
        "smart": {"before": health(d, "before"), "after": health(d, "after")},
        "findings": [], "verdicts": [],
    }


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        drives = json.load(f)
    for i, d in enumerate(drives):
        with open(f"{sys.argv[2]}/{i}.json", "w", encoding="utf-8") as f:
            json.dump(document(d), f)


main()
