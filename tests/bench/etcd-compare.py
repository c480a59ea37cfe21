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
import etcd_server
import etcd_slow

TOLERANCE = 0.25        # of the ratio of means
MIN_SHARE_ABOVE = 0.05  # of etcd's samples above its first bucket, for a p99 to be judged
FRAME_BYTES = 109       # what etcd 3.4 writes beside the value of a put of ours: keys, frames, state
LOADS = (2300, 8000)    # WAL write sizes aimed at; the true ones are read from the WAL
BUSY_SHARE = 0.35       # of the time in syncs that the load aims at, so that none has to queue
RATES = (10, 100)       # puts a second: least, most
BOOTSTRAPS = 400


class Plan:
    def __init__(self, quick):
        self.loads = LOADS[:1] if quick else LOADS
        self.rounds = 5 if quick else 8
        self.seconds = 2.0 if quick else 3.0


class Pair:
    """One round: a phase of etcd and the battery's phase beside it."""

    def __init__(self, load, samples):
        self.load, self.samples = load, samples

    def ratio(self):
        return self.load.fsync.mean_s() / self.samples.mean_s()


def say(text=""):
    print(text, flush=True)


def pooled(pairs):
    fsync, samples = pairs[0].load.fsync, pairs[0].samples
    for p in pairs[1:]:
        fsync, samples = fsync.plus(p.load.fsync), samples.plus(p.samples)
    return fsync, samples


def bootstrap(pairs):
    """Rounds drawn anew: (90 % interval of the ratio of means, etcd's p99 buckets that occur in
    more than 5 % of the draws, 90 % interval of the battery's p99). Fixed seed."""
    rng = random.Random(1)
    ratios, buckets, p99s = [], {}, []
    for _ in range(BOOTSTRAPS):
        fsync, samples = pooled(rng.choices(pairs, k=len(pairs)))
        ratios.append(fsync.mean_s() / samples.mean_s())
        bucket = fsync.bucket_of_rank(99)
        buckets[bucket] = buckets.get(bucket, 0) + 1
        p99s.append(samples.percentile_s(99))
    span = lambda v: (sorted(v)[len(v) // 20], sorted(v)[-1 - len(v) // 20])
    return (span(ratios), [b for b in sorted(buckets) if buckets[b] > BOOTSTRAPS // 20],
            span(p99s))


def median(values):
    v = sorted(values)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def ms(seconds):
    return f"{seconds * 1e3:.3g} ms"


def bucket_text(bucket):
    return f"({ms(bucket[0])}, {ms(bucket[1])}]"


def judge_p99(fsync, samples, buckets, interval):
    """("same" / "within the spread" / "DIFFERENT" / "not judged", a sentence)."""
    share = fsync.share_above_first()
    bucket, p99 = fsync.bucket_of_rank(99), samples.percentile_s(99)
    text = (f"p99: etcd in {bucket_text(bucket)}, battery {ms(p99)} "
            f"(rounds drawn anew: etcd in {', '.join(map(bucket_text, buckets))}; battery "
            f"{ms(interval[0])} to {ms(interval[1])})")
    if share < MIN_SHARE_ABOVE:
        return "not judged", (f"{text}; {share:.1%} of etcd's samples exceed its first bucket of "
                              f"{ms(fsync.edges[0])}, fewer than {MIN_SHARE_ABOVE:.0%}: not judged")
    if bucket[0] < p99 <= bucket[1]:
        return "same", f"{text}: same bucket"
    if any(low < interval[1] and interval[0] <= high for low, high in buckets):
        return "within the spread", f"{text}: at an edge, same bucket within the spread of rounds"
    return "DIFFERENT", f"{text}: different buckets"


def calibrate(etcd, value_bytes):
    """Closed loop puts: gets etcd's files going and says which pace this target bears."""
    load = etcd.load(value_bytes, 0, 5.0, most=60)
    rate = int(min(RATES[1], max(RATES[0], BUSY_SHARE / load.fsync.mean_s())))
    say(f"    pace: 60 puts one after the other: sync {ms(load.fsync.mean_s())}, put "
        f"{ms(load.put_s)}; load at {rate} puts/s")
    return rate


def measure(etcd, battery, etcd_dir, battery_dir, size, plan):
    """Rounds of etcd and battery, changing the order every round. Returns the pairs."""
    value = size - FRAME_BYTES
    rate = calibrate(etcd, value)
    last = etcd.load(value, rate, 1.0)
    pairs = []
    for i in range(plan.rounds):
        for side in ("etcd", "battery") if i % 2 == 0 else ("battery", "etcd"):
            if side == "etcd":
                last = load = etcd.load(value, rate, plan.seconds)
            else:
                samples = battery.run(battery_dir, round(last.write_bytes), round(last.rate),
                                      plan.seconds)
        pairs.append(Pair(load, samples))
    return pairs


def report(pairs):
    """Print the figures of one load and return whether it passes."""
    fsync, samples = pooled(pairs)
    ratio = fsync.mean_s() / samples.mean_s()
    spread, buckets, interval = bootstrap(pairs)
    each = sorted(p.ratio() for p in pairs)
    commits = sum(p.load.commit.count for p in pairs)
    seconds = sum(p.load.seconds for p in pairs)
    say(f"    etcd:    {fsync.count} syncs, {fsync.count / seconds:.1f}/s, "
        f"{median(p.load.write_bytes for p in pairs):.0f} B a sync (WAL frames), "
        f"mean {ms(fsync.mean_s())}; {commits / seconds:.1f} bbolt commits/s, "
        f"{ms(sum(p.load.commit.sum_s for p in pairs) / commits) if commits else '-'} each")
    say(f"    battery: {samples.count} syncs, {samples.count / samples.seconds:.1f}/s, "
        f"{median(p.samples.bytes for p in pairs):.0f} B a sync, mean {ms(samples.mean_s())}")
    say(f"    mean: etcd / battery = {ratio:.3f} (rounds drawn anew, 90 %: {spread[0]:.3f} to "
        f"{spread[1]:.3f}; round by round: median {median(each):.3f}, {each[0]:.3f} to "
        f"{each[-1]:.3f})")
    word, text = judge_p99(fsync, samples, buckets, interval)
    say(f"    {text}")
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
                f"{plan.seconds:g} s + {plan.seconds:g} s")
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
        plan.loads, plan.rounds = LOADS[:1], min(plan.rounds, 4)
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
    return p.parse_args()


def stopped(number, _frame):
    raise SystemExit(128 + number)


def main():
    args = arguments()
    for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(s, stopped)
    if not shutil.which("etcd"):
        say("SKIP: etcd is not installed (Debian: etcd-server)")
        return 77
    battery = etcd_battery.choose(args.battery, args.ssdqual)
    say(f"etcd: {subprocess.run(['etcd', '--version'], capture_output=True, text=True).stdout.splitlines()[0]}")
    say(f"battery: {battery.says}")
    work = tempfile.mkdtemp(prefix="ssdqual-etcd-", dir=os.path.abspath(args.dir))
    start = time.monotonic()
    try:
        if args.self_test:
            return self_test(battery, work, Plan(args.quick), args.delay_ms)
        targets = ("fast", "slow") if args.target == "both" else (args.target,)
        return whole(battery, work, Plan(args.quick), targets, args.delay_ms)
    except etcd_slow.SlowError as e:
        say(f"SKIP: slowed target: {e}")
        return 77
    except (etcd_server.EtcdError, etcd_battery.BatteryError) as e:
        say(f"FAIL: {e}")
        return 1
    finally:
        shutil.rmtree(work, ignore_errors=True)
        say(f"took {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
