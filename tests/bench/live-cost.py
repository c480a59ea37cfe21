#!/usr/bin/python3
"""live-cost.py - what a live view of a run at depth 32 costs it, side by side with none.

Every round runs the row randread-32 four times on one device, in a changing order: without progress
(the base, and once more as the control), with --live on a terminal, and without progress but watched
by `ssdqual tui`. Shown are medians of the paired ratios of IOPS with their order-statistic interval.
Bound: a view keeps 0.97 of the IOPS. Status 1 where an interval lies below it, 5 where it only
reaches below it or the control is as far off, 77 where no device can be had. Last, how long
the dashboard takes to list 10,000 results.
"""
import argparse
import fcntl
import json
import math
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

BOUND = 0.97
KINDS = ("base", "control", "live", "dashboard")


class Terminal:
    """A program on a terminal of 24 x 80, whose output is read as it comes."""

    def __init__(self, argv, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(env, TERM="xterm")
            os.execv(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen = b""

    def pump(self, wait):
        """False at its end."""
        if not select.select([self.fd], [], [], wait)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def until(self, text):
        while text not in self.seen and self.pump(20):
            pass
        return text in self.seen

    def finish(self):
        while self.pump(20):
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.out = folder + "/result.json"

    def command(self, *more):
        return [self.args.program, "run", self.args.target, "--row", "randread-32", "--battery", "ceph",
                "--runtime", self.args.runtime, "--write-cache", "keep", "-o", self.out, *more]

    def iops(self):
        with open(self.out, encoding="utf-8") as f:
            return json.load(f)["measurements"][0]["iops"]

    def live(self):
        terminal = Terminal(self.command("--live"))
        terminal.finish()
        if b"ssdqual run --live" not in terminal.seen:
            raise SystemExit("live-cost: --live drew nothing: %r" % terminal.seen[-300:])

    def plain(self, **more):
        subprocess.run(self.command("--no-progress", *more.pop("words", ())), check=False,
                       stdout=subprocess.DEVNULL, **more)

    def dashboard(self):
        """As if it had been started by a dashboard: a locked feed, which another one finds."""
        runs = self.folder + "/runs"
        os.makedirs(runs, exist_ok=True)
        name = f"{runs}/run-{int(time.time())}-{os.getpid()}"
        feed = os.open(name + ".feed", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        fcntl.flock(feed, fcntl.LOCK_EX)
        with open(name + ".log", "w", encoding="utf-8"):
            pass
        run = subprocess.Popen(self.command("--no-progress", "--progress-fd", str(feed)),
                               stdout=subprocess.DEVNULL, pass_fds=(feed,))
        os.close(feed)
        view = Terminal([self.args.program, "tui", "--runs", runs])
        while run.poll() is None:
            view.pump(0.05)
        os.write(view.fd, b"q")
        view.finish()
        if b"randread-32" not in view.seen:
            raise SystemExit("live-cost: the dashboard did not show the run")
        os.unlink(name + ".feed")
        os.unlink(name + ".log")

    def once(self, kind):
        {"live": self.live, "dashboard": self.dashboard}.get(kind, self.plain)()
        return self.iops()


def interval(values):
    """Of the median, 95 % from 6 values on; below that all values."""
    v, n = sorted(values), len(values)
    k, tail = 0, 0.0
    while k < n // 2:
        tail += math.comb(n, k) / 2 ** n
        if 2 * tail > 0.05:
            break
        k += 1
    k = max(k - 1, 0)
    return v[k], v[n - 1 - k]


def judge(kind, ratios, noise):
    low, high = interval(ratios)
    middle = statistics.median(ratios)
    if kind == "control":
        verdict = ""
    elif high < BOUND:
        verdict = "FAIL" if middle < 1 - noise else "too noisy"
    else:
        verdict = "pass" if low >= BOUND else "pass (median)" if middle >= BOUND else "too noisy"
    print(f"{kind:10} {middle:8.3f}   [{low:.3f}, {high:.3f}]   {verdict}", flush=True)
    return verdict


def list_time(args, folder):
    results = folder + "/data/ssdqual/results"
    os.makedirs(results)
    for i in range(10000):
        name = f"MODEL-{i % 97:03}-SN{i:05}_202611{1 + i % 28:02}T{i % 24:02}0000Z_ceph.json"
        with open(f"{results}/{name}", "w", encoding="utf-8") as f:
            f.write("{}")
    if os.geteuid() == 0:  # root's results are elsewhere: those of a user are listed
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
    began = time.monotonic()
    words = [args.program, "tui", "--runs", folder + "/none"]
    if os.geteuid() == 0:
        words = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + words
    view = Terminal(words, XDG_DATA_HOME=folder + "/data", HOME=folder, XDG_STATE_HOME=folder)
    os.write(view.fd, b"3")
    shown = view.until(b"10000 of 10000")
    took = time.monotonic() - began
    os.write(view.fd, b"q")
    view.finish()
    print(f"10,000 results listed by the dashboard: {took:.3f} s" if shown else
          "the dashboard did not list 10,000 results")
    return shown and took < 1


def device(folder):
    """A loop device over a file in memory."""
    path = (folder if os.access("/dev/shm", os.W_OK) is False else
            tempfile.mkdtemp(dir="/dev/shm")) + "/disk"
    with open(path, "wb") as f:
        for _ in range(256):
            f.write(os.urandom(1 << 20))
    made = subprocess.run(["losetup", "-f", "--show", path], capture_output=True, text=True, check=False)
    return path, made.stdout.strip()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--program", default="build/ssdqual")
    p.add_argument("--target", help="only read; default: a loop device over a file in memory")
    p.add_argument("--rounds", type=int, default=8)
    p.add_argument("--runtime", default="3s")
    args = p.parse_args()
    args.program = os.path.abspath(args.program)
    path = None
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        if not args.target:
            path, args.target = device(folder)
        try:
            if not args.target:
                print("live-cost: no loop device; --target names another")
                return 77
            bench = Bench(args, folder)
            found = {kind: [] for kind in KINDS}
            for n in range(args.rounds):
                for kind in KINDS[n % 4:] + KINDS[:n % 4]:
                    found[kind].append(bench.once(kind))
            print(f"randread-32 on {args.target}, {args.runtime}, {args.rounds} rounds; base "
                  f"{statistics.median(found['base']):.0f} IOPS\n"
                  "VIEW         MEDIAN   INTERVAL         (IOPS against --no-progress; at least 0.97)")
            ratios = {k: [a / b for a, b in zip(found[k], found["base"])] for k in KINDS[1:]}
            noise = max(abs(1 - x) for x in interval(ratios["control"]))
            verdicts = [judge(k, ratios[k], noise) for k in KINDS[1:]]
            fast = list_time(args, folder)
        finally:
            if path:
                if args.target:
                    subprocess.run(["losetup", "-d", args.target], check=False)
                os.unlink(path)
                if path.startswith("/dev/shm/"):
                    os.rmdir(os.path.dirname(path))
    return 1 if "FAIL" in verdicts or not fast else 5 if "too noisy" in verdicts else 0


sys.exit(main())
