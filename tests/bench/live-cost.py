#!/usr/bin/python3
"""live-cost.py - what a live view of a run at depth 32 costs it, side by side with none.

Every round runs the row randread-32 four times on one device, in a changing order: without progress
(the base, and once more as the control), with --live on a terminal, and without progress but watched
by `ssdqual tui`. Shown are medians of the paired ratios of IOPS with their order-statistic interval.
Beside it stands the CPU time that the view took while the row ran, as a share of one CPU: for --live
the time of run's watching thread beyond that of the base. That is hardly disturbed by other work on
the machine. Bounds: a view keeps 0.97 of the IOPS, and takes 0.03 of a CPU. Status 1 where the CPU
bound is missed or an interval of the ratios lies below its bound, 5 where the control or the interval
is too wide to tell (then only the CPU time is judged), 77 where no device can be had. Last, how long
the dashboard takes to list 10,000 results: under a second.
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

BOUND, CPU_BOUND = 0.97, 0.03
NOISE = 0.05  # of the control; above it the ratios say nothing about 3 %
KINDS = ("base", "control", "live", "dashboard")


class Cpu:
    """CPU time of a process's first thread, looked at while it lives."""

    def __init__(self, pid):
        self.path, self.ns = f"/proc/{pid}/task/{pid}/schedstat", 0

    def look(self):
        try:
            with open(self.path, encoding="ascii") as f:
                self.ns = int(f.read().split()[0])
        except (OSError, ValueError, IndexError):
            pass  # it has ended


class Terminal:
    """A program on a terminal of 24 x 80, whose output is read as it comes."""

    def __init__(self, argv, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(env, TERM="xterm")
            os.execv(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.seen, self.watch = b"", Cpu(self.pid)

    def pump(self, wait):
        """False at its end."""
        self.watch.look()
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
                "--runtime", f"{self.args.seconds}s", "--write-cache", "keep", "-o", self.out, *more]

    def iops(self):
        with open(self.out, encoding="utf-8") as f:
            return json.load(f)["measurements"][0]["iops"]

    def live(self):
        terminal = Terminal(self.command("--live"))
        while terminal.pump(0.05):
            pass
        terminal.finish()
        if b"ssdqual run --live" not in terminal.seen:
            raise SystemExit("live-cost: --live drew nothing: %r" % terminal.seen[-300:])
        return terminal.watch.ns

    def plain(self):
        run = subprocess.Popen(self.command("--no-progress"), stdout=subprocess.DEVNULL)
        cpu = Cpu(run.pid)
        while run.poll() is None:
            cpu.look()
            time.sleep(0.05)
        return cpu.ns

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
        view, begun = Terminal([self.args.program, "tui", "--runs", runs]), None
        while run.poll() is None:
            view.pump(0.05)
            if begun is None and b"randread-32" in view.seen:
                begun = view.watch.ns
        took = view.watch.ns - (begun or 0)
        os.write(view.fd, b"q")
        view.finish()
        if b"randread-32" not in view.seen:
            raise SystemExit("live-cost: the dashboard did not show the run")
        os.unlink(name + ".feed")
        os.unlink(name + ".log")
        return took

    def once(self, kind):
        """IOPS, and the CPU time of who watches, in seconds."""
        ns = {"live": self.live, "dashboard": self.dashboard}.get(kind, self.plain)()
        return self.iops(), ns / 1e9


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


def judge(kind, ratios, cpu, noise):
    low, high = interval(ratios)
    middle = statistics.median(ratios)
    if kind == "control":
        verdict = "too wide to tell 3 %" if noise > NOISE else ""
    elif cpu > CPU_BOUND or (high < BOUND and noise <= NOISE):
        verdict = "FAIL"
    elif noise > NOISE or middle < BOUND:
        verdict = "CPU pass, IOPS too noisy"
    else:
        verdict = "pass"
    print(f"{kind:10} {middle:8.3f}   [{low:.3f}, {high:.3f}]  {cpu * 100:7.2f} %   {verdict}",
          flush=True)
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
    p.add_argument("--seconds", type=int, default=3, help="of each run")
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
            base = found["base"]
            print(f"randread-32 on {args.target}, {args.seconds} s, {args.rounds} rounds; base "
                  f"{statistics.median(x[0] for x in base):.0f} IOPS\n"
                  "VIEW       OF IOPS   INTERVAL          OF A CPU")
            ratios = {k: [x[0] / b[0] for x, b in zip(found[k], base)] for k in KINDS[1:]}
            cpu = {k: statistics.median(
                (x[1] - (0 if k == "dashboard" else b[1])) / args.seconds
                for x, b in zip(found[k], base)) for k in KINDS[1:]}
            noise = max(abs(1 - x) for x in interval(ratios["control"]))
            verdicts = [judge(k, ratios[k], cpu[k], noise) for k in KINDS[1:]]
            fast = list_time(args, folder)
        finally:
            if path:
                if args.target:
                    subprocess.run(["losetup", "-d", args.target], check=False)
                os.unlink(path)
                if path.startswith("/dev/shm/"):
                    os.rmdir(os.path.dirname(path))
    return 1 if "FAIL" in verdicts or not fast else 5 if any("noisy" in v for v in verdicts) else 0


sys.exit(main())
