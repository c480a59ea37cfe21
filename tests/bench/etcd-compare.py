#!/usr/bin/env python3
"""etcd itself against the etcd battery, in the same folder: do they find the same drive?

    tests/bench/etcd-compare.py [--quick] [DIR]        fast and slowed target
    tests/bench/etcd-compare.py --self-test [DIR]      the comparison has to be able to fail

etcd's WAL fsync mean (its own histogram, _sum/_count over the load) has to be within 25 % of the
battery's mean sync at the write size and sync rate of that load (median of interleaved rounds), and
the 99th percentiles have to be in the same bucket of etcd's histogram where that tells anything.
README-etcd.md explains.
Exit status: 0 pass, 1 fail, 2 usage, 77 not judged: something is missing here, or the
machine was too busy with other work.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import etcd_battery
import etcd_commits
import etcd_judge
import etcd_server
import etcd_slow
import etcd_trace
from etcd_judge import FAIL, PASS, TOLERANCE, UNSURE, median, ms, say

FRAME_BYTES = 105       # what etcd 3.4 writes beside the value: key, frames, state record
LOADS = (2300, 8000)    # WAL write sizes aimed at; the true ones are read from the WAL
BUSY_SHARE = 0.35       # of the time in syncs that the load aims at, so that none has to queue
RATES = (10, 100)       # puts a second: least, most
NICE = -15              # of both sides, where permitted: less waiting for a CPU
SPACE_BYTES = 2 << 30
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Plan:
    def __init__(self, quick, trace=False):
        self.trace = trace
        self.loads = LOADS[:1] if quick else LOADS
        self.rounds = 8 if quick else 12
        self.patience_s = 30.0 if quick else 60.0  # in waiting for a quiet machine, in all
        self.seconds = 1.0  # of a phase; short, so that the sides see the same of the machine


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


def wait_quiet(plan):
    """Let other work on the machine end, as long as the plan's patience lasts."""
    while plan.patience_s > 0:
        with Busy() as busy:
            time.sleep(0.25)
        if busy.cpus <= etcd_judge.QUIET_CPUS / 2:
            return
        plan.patience_s -= 0.25


def measure(etcd, battery, etcd_dir, battery_dir, size, plan):
    """The rounds of one load; the order of their three phases goes round."""
    value = size - FRAME_BYTES
    rate = calibrate(etcd, value)
    if plan.trace:
        traced(etcd, value, rate, battery_dir)
    loads = [etcd.load(value, rate, plan.seconds)]
    rounds, sides = [], ["etcd", "alone", "beside"]
    while 2 * len(rounds) < 3 * plan.rounds and etcd_judge.quiet_count(rounds) < plan.rounds:
        wait_quiet(plan)
        r = etcd_judge.Round()
        for side in sides:
            # as etcd did so far; the median, for one stall makes a phase's own rate absurd
            same = (battery_dir, round(median(x.write_bytes for x in loads)),
                    round(median(x.rate for x in loads)), plan.seconds)
            with Busy() as busy:
                if side == "etcd":
                    r.load = etcd.load(value, rate, plan.seconds)
                    loads.append(r.load)
                elif side == "alone":
                    r.alone = battery.run(*same)
                else:
                    with etcd_commits.Commits(battery_dir, median(x.commit_bytes for x in loads)):
                        r.beside = battery.run(*same)
            r.busy = max(r.busy, busy.cpus)
        rounds.append(r)
        sides.append(sides.pop(0))
    return rounds


def worst(verdicts):
    return next((v for v in (FAIL, UNSURE) if v in verdicts), PASS)


def compare(name, battery, etcd_dir, battery_dir, plan):
    """All loads on one target. Returns the worst verdict."""
    say(f"\n{name}: etcd's data in {etcd_dir}, battery in {battery_dir}")
    etcd = etcd_server.Etcd(etcd_dir)
    verdicts, texts = [], []
    try:
        for size in plan.loads:
            say(f"  load: one put at a time, WAL writes of about {size} B, {plan.rounds} rounds of "
                f"3 x {plan.seconds:g} s")
            rounds = measure(etcd, battery, etcd_dir, battery_dir, size, plan)
            verdict, text = etcd_judge.report(rounds)
            verdicts.append(verdict)
            texts.append(f"{size} B: {text}")
    finally:
        etcd.stop()
    say(f"{name}: {worst(verdicts)} ({'; '.join(texts)}; allowed: "
        f"{1 - TOLERANCE:.2f} to {1 + TOLERANCE:.2f})")
    return worst(verdicts)


def self_test(battery, work, plan, delay_ms):
    """etcd on the slowed target, the battery on the fast one: must be found different."""
    plan.loads, plan.rounds = LOADS[:1], 6
    with etcd_slow.SlowTarget(work, delay_ms) as slow:
        verdict = compare("mixed targets", battery, slow.path, work, plan)
    seen = verdict == FAIL
    say(f"self-test: {'PASS, the difference is seen' if seen else 'FAIL, it went unseen'}")
    return 0 if seen else 1


def whole(battery, work, plan, targets, delay_ms):
    verdicts = []
    if "fast" in targets:
        verdicts.append(compare("target as it is", battery, work, work, plan))
    if "slow" in targets:
        with etcd_slow.SlowTarget(work, delay_ms) as slow:
            say(f"\nslowed target: ext4 on {slow.loop}, on a FUSE file whose every fsync takes "
                f"{delay_ms:g} ms more")
            verdicts.append(compare("slowed target", battery, slow.path, slow.path, plan))
    say(f"\nverdict: {worst(verdicts)}")
    return {PASS: 0, FAIL: 1, UNSURE: 77}[worst(verdicts)]


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("dir", nargs="?", default=".", help="folder under test (default: this one)")
    p.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    p.add_argument("--self-test", action="store_true", help="compare unlike targets: must fail")
    p.add_argument("--target", choices=("fast", "slow", "both"), default="both")
    p.add_argument("--delay-ms", type=float, default=4.0, help="of a flush on the slowed target")
    p.add_argument("--battery", choices=("auto", "ssdqual", "reference"), default="auto")
    p.add_argument("--program", default="build/ssdqual", metavar="FILE")
    p.add_argument("--trace", action="store_true", help="show etcd's calls too (strace)")
    return p.parse_args()


def stopped(number, _frame):
    for s in SIGNALS:
        signal.signal(s, lambda *_: None)  # once: the way out is not to be interrupted
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
        battery = etcd_battery.choose(args.battery, args.program)
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
