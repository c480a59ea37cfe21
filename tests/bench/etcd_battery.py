"""The other side of the comparison: the same writes and syncs, without etcd.

Two ways to make them, each giving the latency of the sync alone, as etcd's own figure does (it
takes the time around fdatasync, not around the write before it):
  ssdqual    `ssdqual run DIR --battery etcd`, one row at the given size and pace: what is judged
  reference  this file: the load written out in a dozen lines of Python, a control that shares no
             code with ssdqual
"""
import json
import math
import os
import subprocess
import time

from etcd_server import die_with_parent

SEGMENT_BYTES = 64 * 1000 * 1000  # etcd 3.4: SegmentSizeBytes
BITS = 7  # data/hist.h: buckets a power of two, log2


class BatteryError(Exception):
    """The battery did not run; the text says why."""


class Samples:
    """Latencies in ns as {value: count}, with the exact sum."""

    def __init__(self):
        self.values, self.count, self.sum_ns = {}, 0, 0.0
        self.bytes, self.seconds = math.nan, 0.0  # of a write; of the phase

    def add(self, ns, count=1):
        self.values[ns] = self.values.get(ns, 0) + count

    def plus(self, o):
        both = Samples()
        for s in (self, o):
            for ns, count in s.values.items():
                both.add(ns, count)
            both.count += s.count
            both.sum_ns += s.sum_ns
            both.seconds += s.seconds
        both.bytes = o.bytes
        return both

    def mean_s(self):
        return self.sum_ns / self.count / 1e9 if self.count else math.nan

    def percentile_s(self, pct):
        rank, seen = math.ceil(pct / 100 * self.count), 0
        for ns in sorted(self.values):
            seen += self.values[ns]
            if seen >= rank:
                return ns / 1e9
        return math.nan


def bucket_high_ns(index):
    """Upper edge of a bucket of the stored histogram (data/hist.h)."""
    if index < 1 << BITS:
        return index
    shift = (index >> BITS) - 1
    return (((1 << BITS) + (index & ((1 << BITS) - 1)) + 1) << shift) - 1


class Reference:
    name = "reference"
    says = "reference writer in Python (not ssdqual): write + fdatasync in a fallocated file"

    def run(self, folder, size, rate, seconds):
        data = os.urandom(size)
        out = Samples()
        fd = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(fd, 0, SEGMENT_BYTES)
            os.fsync(fd)
            start = now = time.monotonic()
            while now < start + seconds and (out.count + 1) * size <= SEGMENT_BYTES:
                time.sleep(max(0.0, start + out.count / rate - now))
                os.write(fd, data)
                before = time.perf_counter_ns()
                os.fdatasync(fd)
                took = time.perf_counter_ns() - before
                now = time.monotonic()
                out.add(took)
                out.count += 1
                out.sum_ns += took
        finally:
            os.close(fd)
        out.bytes, out.seconds = size, now - start
        return out


class Ssdqual:
    name = "ssdqual"

    def __init__(self, program):
        self.program = program
        self.says = f"{program} run DIR --battery etcd --row etcd-2300 --bs N --rate-iops R"

    def command(self, folder, size, rate, seconds):
        return [self.program, "run", folder, "--battery=etcd", "--row=etcd-2300", f"--bs={size}",
                f"--rate-iops={rate}", f"--runtime={seconds:g}", "--no-store", "--json"]

    def run(self, folder, size, rate, seconds):
        argv = self.command(folder, size, rate, seconds)
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=seconds * 4 + 60, check=False,
                              preexec_fn=die_with_parent)
        try:
            return samples_of(json.loads(done.stdout))
        except (ValueError, KeyError, IndexError, TypeError) as e:
            raise BatteryError(f"{' '.join(argv)}: exit status {done.returncode}, "
                               f"no usable document ({e!r}): "
                               f"{(done.stderr or done.stdout)[-400:].decode(errors='replace')}"
                               ) from e


def samples_of(document):
    """The sync latencies of the first measurement of a result document."""
    if "results" in document:
        document = document["results"][0]
    m = document["measurements"][0]
    latency, out = m["sync_lat_ns"], Samples()
    histogram = latency["histogram"]
    for index, count in histogram["buckets"]:
        out.add(bucket_high_ns(index), count)
    out.count = sum(out.values.values())
    out.sum_ns = histogram["sum_ns"]
    out.bytes = m["params"]["bs"]
    out.seconds = out.count / m["iops"]
    return out


def choose(word, program):
    """@word: "auto", "ssdqual" or "reference"."""
    if word == "reference":
        return Reference()
    if os.access(program, os.X_OK):
        return Ssdqual(program)
    if word == "ssdqual":
        raise BatteryError(f"{program}: not there; run make, or give --program FILE")
    return Reference()
