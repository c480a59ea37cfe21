#!/usr/bin/env python3
"""etcd itself against the etcd battery, in the same folder: do they find the same drive?

    tests/bench/etcd-compare.py [--quick] [DIR]        fast and slowed target
    tests/bench/etcd-compare.py --self-test [DIR]      the comparison has to be able to fail

etcd's WAL fsync mean (its own histogram, _sum/_count over the load) has to be within 25 % of the
battery's mean sync at the write size and sync rate of that load, and the 99th percentiles have to
be in the same bucket of etcd's histogram where that tells anything. README-etcd.md explains.
Exit status: 0 pass, 1 fail, 2 usage, 77 etcd (or, for the slowed target, a tool) is missing.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import etcd_battery
import etcd_commits
import etcd_server
import etcd_slow
import etcd_trace

TOLERANCE = 0.25        # of the ratio of means
MIN_SHARE_ABOVE = 0.05  # of etcd's samples above its first bucket, for a p99 to be judged
FRAME_BYTES = 105       # what etcd 3.4 writes beside the value of a put of ours: keys, frames, state
LOADS = (2300, 8000)    # WAL write sizes aimed at; the true ones are read from the WAL
BUSY_SHARE = 0.35       # of the time in syncs that the load aims at, so that none has to queue
RATES = (10, 100)       # puts a second: least, most
BOOTSTRAPS = 400
QUIET_CPUS = 0.6        # busy in the whole machine; etcd and its load take 0.1 to 0.3
MIN_QUIET = 5           # rounds
NICE = -15              # of both sides, where permitted: less waiting for a CPU
SPACE_BYTES = 2 << 30
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Plan:
    def __init__(self, quick, trace=False):
        self.trace = trace
        self.loads = LOADS[:1] if quick else LOADS
        self.rounds = 8 if quick else 12
        self.seconds = 1.0  # of a phase; short, so that the sides see the same of the machine


class Round:
    """A phase of etcd, one of the battery alone, one of it beside commits such as bbolt's."""

    def __init__(self):
        self.load = self.alone = self.beside = None
        self.busy = 0.0  # CPUs' worth of work in the whole machine, in the busiest phase

    def ratio(self):
        return self.load.fsync.mean_s() / self.alone.mean_s()


class Busy:
    """Context: how many CPUs' worth of work the machine did inside, ours included."""

    def __enter__(self):
        self.ticks, self.start = self._ticks(), time.monotonic()
        return self

    def __exit__(self, *_):
        self.cpus = (self._ticks() - self.ticks) / os.sysconf("SC_CLK_TCK") / (
            time.monotonic() - self.start)

    @staticmethod
    def _ticks():
        with open("/proc/stat", encoding="ascii") as f:
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(
                int, f.readline().split()[1:9])
        return user + nice + system + irq + softirq + steal


def say(text=""):
    print(text, flush=True)


def pooled(rounds):
    """(etcd's histogram, samples of the battery alone, and beside commits) over all rounds."""
    fsync, alone, beside = rounds[0].load.fsync, rounds[0].alone, rounds[0].beside
    for r in rounds[1:]:
        fsync, alone, beside = fsync.plus(r.load.fsync), alone.plus(r.alone), beside.plus(r.beside)
    return fsync, alone, beside


def span(values):
    v = sorted(values)
    return v[len(v) // 20], v[-1 - len(v) // 20]


class Bootstrap:
    """Rounds drawn anew (fixed seed): 90 % intervals, and the buckets that etcd's p99 falls into
    in more than 5 % of the draws."""

    def __init__(self, rounds):
        rng = random.Random(1)
        ratios, buckets, alone99, beside99 = [], {}, [], []
        for _ in range(BOOTSTRAPS):
            fsync, alone, beside = pooled(rng.choices(rounds, k=len(rounds)))
            ratios.append(fsync.mean_s() / alone.mean_s())
            bucket = fsync.bucket_of_rank(99)
            buckets[bucket] = buckets.get(bucket, 0) + 1
            alone99.append(alone.percentile_s(99))
            beside99.append(beside.percentile_s(99))
        self.ratio, self.alone99, self.beside99 = span(ratios), span(alone99), span(beside99)
        self.buckets = [b for b in sorted(buckets) if buckets[b] > BOOTSTRAPS // 20]


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def ms(seconds):
    return f"{seconds * 1e3:.3g} ms"


def bucket_text(bucket):
    return f"({ms(bucket[0])}, {ms(bucket[1])}]"


def place(bucket, p99, buckets, interval):
    """Is @p99 in etcd's @bucket, or are the two apart by no more than the rounds' spread?"""
    if bucket[0] < p99 <= bucket[1]:
        return "same bucket"
    if any(low < interval[1] and interval[0] <= high for low, high in buckets):
        return "same within the spread"
    return "DIFFERENT"


def calibrate(etcd, value_bytes):
    """Closed loop puts: gets etcd's files going and says which pace this target bears."""
    load = etcd.load(value_bytes, 0, 5.0, most=60)
    rate = int(min(RATES[1], max(RATES[0], BUSY_SHARE / load.fsync.mean_s())))
    say(f"    pace: 60 puts one after the other: sync {ms(load.fsync.mean_s())}, put "
        f"{ms(load.put_s)}; load at {rate} puts/s")
    return rate


def traced(etcd, value_bytes, rate, work):
    """One second of load under strace, outside what is compared (tracing slows etcd down)."""
    trace = etcd_trace.Trace(etcd.process.pid, os.path.join(work, "strace"))
    try:
        load = etcd.load(value_bytes, rate, 1.0)
    finally:
        calls = trace.stop()
    texts, per_sync = etcd_trace.summary(calls)
    say(f"    strace, {load.puts} puts in {load.seconds:.1f} s: "
        f"{per_sync:.0f} B a sync (from the WAL's frames: {load.write_bytes:.0f} B)")
    for text in texts:
        say(f"      {text}")


def measure(etcd, battery, etcd_dir, battery_dir, size, plan):
    """The rounds of one load; the order of their three phases goes round."""
    value = size - FRAME_BYTES
    rate = calibrate(etcd, value)
    if plan.trace:
        traced(etcd, value, rate, battery_dir)
    last = etcd.load(value, rate, 1.0)
    rounds, sides = [], ["etcd", "alone", "beside"]
    while 2 * len(rounds) < 3 * plan.rounds and quiet_count(rounds) < plan.rounds:
        r = Round()
        for side in sides:
            same = battery_dir, round(last.write_bytes), round(last.rate), plan.seconds
            with Busy() as busy:
                if side == "etcd":
                    last = r.load = etcd.load(value, rate, plan.seconds)
                elif side == "alone":
                    r.alone = battery.run(*same)
                else:
                    with etcd_commits.Commits(battery_dir, last.commit_bytes):
                        r.beside = battery.run(*same)
            r.busy = max(r.busy, busy.cpus)
        rounds.append(r)
        sides.append(sides.pop(0))
    return rounds


def quiet_count(rounds):
    return sum(r.busy <= QUIET_CPUS for r in rounds)


def quiet_rounds(rounds):
    """Without the rounds in which the machine had other work to do: a sync's time is then how long
    the threads wait for a CPU. Chosen by the CPUs' load, never by a latency. All, where too few
    are left."""
    quiet = [r for r in rounds if r.busy <= QUIET_CPUS]
    if len(quiet) < MIN_QUIET:
        say(f"    BUSY MACHINE: {len(rounds) - len(quiet)} of {len(rounds)} rounds ran beside other "
            f"work (over {QUIET_CPUS:g} CPUs busy); all are used, repeat on a quiet machine")
        return rounds
    if len(quiet) < len(rounds):
        say(f"    {len(rounds) - len(quiet)} of {len(rounds)} rounds put aside: other work on the "
            f"machine (over {QUIET_CPUS:g} CPUs busy)")
    return quiet


def say_battery(what, samples):
    say(f"    {what + ':':24}{samples.count} syncs, {samples.count / samples.seconds:.1f}/s, "
        f"{samples.bytes:.0f} B a sync, mean {ms(samples.mean_s())}, "
        f"p99 {ms(samples.percentile_s(99))}")


def say_etcd(fsync, rounds):
    seconds = sum(r.load.seconds for r in rounds)
    commits = sum(r.load.commit.count for r in rounds)
    say(f"    {'etcd:':24}{fsync.count} syncs, {fsync.count / seconds:.1f}/s, "
        f"{median(r.load.write_bytes for r in rounds):.0f} B a sync, mean {ms(fsync.mean_s())}, "
        f"p99 in {bucket_text(fsync.bucket_of_rank(99))}, {fsync.share_above_first():.1%} above "
        f"{ms(fsync.edges[0])}")
    if commits:
        spent = sum(r.load.commit.sum_s for r in rounds)
        say(f"      its bbolt commits: {commits / seconds:.1f}/s, {ms(spent / commits)} each, "
            f"{spent / seconds:.0%} of the time")


def report(rounds):
    """Print the figures of one load. Returns (passed, text for the verdict)."""
    rounds = quiet_rounds(rounds)
    fsync, alone, beside = pooled(rounds)
    boot = Bootstrap(rounds)
    ratio, each = fsync.mean_s() / alone.mean_s(), sorted(r.ratio() for r in rounds)
    say_etcd(fsync, rounds)
    say_battery("battery alone", alone)
    say_battery("battery beside commits", beside)
    say(f"    mean: etcd / battery alone = {ratio:.3f} (rounds drawn anew, 90 %: "
        f"{boot.ratio[0]:.3f} to {boot.ratio[1]:.3f}; round by round: median {median(each):.3f}, "
        f"{each[0]:.3f} to {each[-1]:.3f}); etcd / battery beside commits = "
        f"{fsync.mean_s() / beside.mean_s():.3f}")
    bucket = fsync.bucket_of_rank(99)
    apart = place(bucket, alone.percentile_s(99), boot.buckets, boot.alone99)
    word = place(bucket, beside.percentile_s(99), boot.buckets, boot.beside99)
    say(f"    p99, rounds drawn anew: etcd in {', '.join(map(bucket_text, boot.buckets))}; battery "
        f"beside commits {ms(boot.beside99[0])} to {ms(boot.beside99[1])}: {word}; alone "
        f"{ms(boot.alone99[0])} to {ms(boot.alone99[1])}: {apart}")
    if fsync.share_above_first() < MIN_SHARE_ABOVE:
        word = f"not judged, fewer than {MIN_SHARE_ABOVE:.0%} above {ms(fsync.edges[0])}"
    good = abs(ratio - 1) <= TOLERANCE and word != "DIFFERENT"
    return good, f"ratio of means {ratio:.3f}, p99 {word}"


def compare(name, battery, etcd_dir, battery_dir, plan):
    """All loads on one target. Returns whether every one passed."""
    say(f"\n{name}: etcd's data in {etcd_dir}, battery in {battery_dir}")
    etcd = etcd_server.Etcd(etcd_dir)
    good, texts = True, []
    try:
        for size in plan.loads:
            say(f"  load: one put at a time, WAL writes of about {size} B, {plan.rounds} rounds of "
                f"3 x {plan.seconds:g} s")
            fine, text = report(measure(etcd, battery, etcd_dir, battery_dir, size, plan))
            good = good and fine
            texts.append(f"{size} B: {text}")
    finally:
        etcd.stop()
    say(f"{name}: {'PASS' if good else 'FAIL'} ({'; '.join(texts)}; allowed: "
        f"{1 - TOLERANCE:.2f} to {1 + TOLERANCE:.2f})")
    return good


def self_test(battery, work, plan, delay_ms):
    """etcd on the slowed target, the battery on the fast one: must be found different."""
    slow = etcd_slow.SlowTarget(work, delay_ms)
    try:
        plan.loads, plan.rounds = LOADS[:1], min(plan.rounds, 6)
        good = compare("mixed targets", battery, slow.path, work, plan)
    finally:
        slow.close()
    say(f"self-test: {'FAIL, a difference went unseen' if good else 'PASS, the difference is seen'}")
    return 1 if good else 0


def whole(battery, work, plan, targets, delay_ms):
    verdicts = []
    if "fast" in targets:
        verdicts.append(compare("target as it is", battery, work, work, plan))
    if "slow" in targets:
        try:
            slow = etcd_slow.SlowTarget(work, delay_ms)
        except etcd_slow.SlowError as e:
            say(f"\nslowed target: SKIP ({e})")
            return 1 if False in verdicts else 77
        try:
            say(f"\nslowed target: ext4 on {slow.loop}, on a FUSE file whose every fsync takes "
                f"{delay_ms:g} ms more")
            verdicts.append(compare("slowed target", battery, slow.path, slow.path, plan))
        finally:
            slow.close()
    return 0 if all(verdicts) else 1


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("dir", nargs="?", default=".", help="folder under test (default: this one)")
    p.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    p.add_argument("--self-test", action="store_true", help="compare unlike targets: must fail")
    p.add_argument("--target", choices=("fast", "slow", "both"), default="both")
    p.add_argument("--delay-ms", type=float, default=4.0, help="of a flush on the slowed target")
    p.add_argument("--battery", choices=("auto", "ssdqual", "reference"), default="auto")
    p.add_argument("--ssdqual", default="build/ssdqual", metavar="PROGRAM")
    p.add_argument("--trace", action="store_true", help="show etcd's calls too (strace)")
    return p.parse_args()


def stopped(number, _frame):
    for s in SIGNALS:
        signal.signal(s, signal.SIG_IGN)  # once: the way out is not to be interrupted
    raise SystemExit(128 + number)


def missing(args):
    """What keeps this from running here, or None."""
    if not shutil.which("etcd"):
        return "etcd is not installed (Debian: etcd-server)"
    if args.trace and not etcd_trace.available():
        return "strace is not installed (--trace)"
    space = os.statvfs(args.dir)
    if space.f_bavail * space.f_frsize < SPACE_BYTES:
        return f"{args.dir}: less than {SPACE_BYTES >> 30} GiB free"
    return None


def run(args, battery, work):
    plan = Plan(args.quick, args.trace)
    try:
        if args.self_test:
            return self_test(battery, work, plan, args.delay_ms)
        targets = ("fast", "slow") if args.target == "both" else (args.target,)
        return whole(battery, work, plan, targets, args.delay_ms)
    except etcd_slow.SlowError as e:
        say(f"SKIP: slowed target: {e}")
        return 77
    except (etcd_server.EtcdError, etcd_battery.BatteryError, OSError) as e:
        say(f"FAIL: {e}")
        return 1


def main():
    args = arguments()
    for s in SIGNALS:
        signal.signal(s, stopped)
    try:
        reason = missing(args)
        if reason:
            say(f"SKIP: {reason}")
            return 77
        battery = etcd_battery.choose(args.battery, args.ssdqual)
        work = tempfile.mkdtemp(prefix="ssdqual-etcd-", dir=os.path.abspath(args.dir))
    except (OSError, etcd_battery.BatteryError) as e:
        say(f"etcd-compare: {e}")
        return 2
    version = subprocess.run(["etcd", "--version"], stdout=subprocess.PIPE, text=True, check=False)
    say(version.stdout.splitlines()[0])
    say(f"battery: {battery.says}")
    start = time.monotonic()
    try:
        os.nice(NICE)
    except PermissionError:
        pass  # more noise, no other result
    try:
        return run(args, battery, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
        say(f"took {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
