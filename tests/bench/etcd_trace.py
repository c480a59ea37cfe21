"""What etcd does to its files, seen by strace: checks the write size that was read from the WAL."""
import os
import re
import shutil
import signal
import subprocess
import time

from etcd_server import die_with_parent

CALL = re.compile(r"(write|pwrite64|fdatasync|fsync|fallocate|ftruncate)\(\d+<([^>]*)>(.*)")
SYNCS = ("fdatasync", "fsync")


def available():
    return shutil.which("strace") is not None


class Trace:
    """Calls of one load, from start() to stop(): {"wal" or "db": [(call, bytes)]}, in order."""

    def __init__(self, pid, path):
        self.path = path
        self.process = subprocess.Popen(
            ["strace", "-f", "-y", "-s", "0", "-o", path, "-e",
             "trace=write,pwrite64,fdatasync,fsync,fallocate,ftruncate", "-p", str(pid)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent)
        time.sleep(0.5)  # until it is attached

    def stop(self):
        self.process.send_signal(signal.SIGINT)  # detaches
        self.process.wait(10)
        calls = {"wal": [], "db": []}
        with open(self.path, encoding="utf-8", errors="replace") as f:
            for line in f:
                m = CALL.search(line)
                if not m:
                    continue
                kind = "wal" if m.group(2).endswith(".wal") else \
                    "db" if m.group(2).endswith("/snap/db") else None
                if kind:
                    # the length asked for: the last or last but one argument
                    size = re.match(r', ""?\.*, (\d+)', m.group(3))
                    calls[kind].append((m.group(1), int(size.group(1)) if size else 0))
        os.unlink(self.path)
        return calls


def summary(calls):
    """[(what, text)] and the mean bytes written to the WAL for each of its syncs."""
    def count(kind, names):
        return sum(name in names for name, _ in calls[kind])

    def sizes(kind):
        tally = {}
        for name, size in calls[kind]:
            if name in ("write", "pwrite64"):
                tally[size] = tally.get(size, 0) + 1
        return ", ".join(f"{n} x {size} B" for size, n in
                         sorted(tally.items(), key=lambda x: -x[1])[:6])

    syncs = count("wal", SYNCS)
    written = sum(size for name, size in calls["wal"] if name in ("write", "pwrite64"))
    texts = [f"WAL: {count('wal', ('write',))} write ({sizes('wal')}), "
             f"{count('wal', ('pwrite64',))} pwrite64, {count('wal', ('fdatasync',))} fdatasync, "
             f"{count('wal', ('fsync',))} fsync",
             f"db:  {count('db', ('pwrite64',))} pwrite64 ({sizes('db')}), "
             f"{count('db', ('fdatasync',))} fdatasync, {count('db', ('fsync',))} fsync"]
    return texts, (written / syncs if syncs else float("nan"))
