"""One etcd on loopback with its data under test: start, load, read its own figures, stop."""
import base64
import ctypes
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
FSYNC = "etcd_disk_wal_fsync_duration_seconds"
COMMIT = "etcd_disk_backend_commit_duration_seconds"


class EtcdError(Exception):
    """etcd did not start or answer; the text has the end of its log."""


def die_with_parent():
    """For a child between fork and exec: no etcd is left behind, however this program ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def free_ports(count):
    socks = [socket.socket() for _ in range(count)]
    for s in socks:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in socks]
    for s in socks:
        s.close()
    return ports


class Histogram:
    """A Prometheus histogram as etcd keeps it: upper edges in seconds, cumulative counts."""

    def __init__(self, edges, cumulative, total_s, count):
        self.edges, self.cumulative = edges, cumulative
        self.sum_s, self.count = total_s, count

    @classmethod
    def parse(cls, text, name):
        rows = re.findall(rf'^{name}_bucket{{le="([^"]+)"}} (\S+)$', text, re.M)
        value = lambda what: float(re.search(rf"^{name}_{what} (\S+)$", text, re.M).group(1))
        return cls([float(e) for e, _ in rows], [int(float(c)) for _, c in rows], value("sum"),
                   int(value("count")))

    def minus(self, o):
        return Histogram(self.edges, [a - b for a, b in zip(self.cumulative, o.cumulative)],
                         self.sum_s - o.sum_s, self.count - o.count)

    def plus(self, o):
        return Histogram(self.edges, [a + b for a, b in zip(self.cumulative, o.cumulative)],
                         self.sum_s + o.sum_s, self.count + o.count)

    def mean_s(self):
        return self.sum_s / self.count if self.count else float("nan")

    def share_above_first(self):
        return 1 - self.cumulative[0] / self.count if self.count else 0.0

    def bucket_of_rank(self, pct):
        """(lower, upper] edges in seconds of the bucket that holds percentile @pct."""
        rank = pct / 100 * self.count
        for i, c in enumerate(self.cumulative):
            if c >= rank:
                return (self.edges[i - 1] if i else 0.0), self.edges[i]
        return self.edges[-2], self.edges[-1]


class Wal:
    """How many bytes etcd has put into its WAL, read from the segments' record frames.

    A frame is a little-endian int64 and the record: the lower 56 bits are its length, and where
    the sign bit is set, bits 56 to 58 are the padding behind it; 0 is the end (etcd
    server/wal/encoder.go, decodeFrameSize). So the size of a write needs no tracing.
    """

    def __init__(self, folder):
        self.folder, self.end = folder, {}

    def used(self):
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".wal"):
                with open(os.path.join(self.folder, name), "rb") as f:
                    self.end[name] = self._scan(f, self.end.get(name, 0))
        return sum(self.end.values())

    @staticmethod
    def _scan(f, at):
        while True:
            f.seek(at)
            head = f.read(8)
            if len(head) < 8:
                return at
            (word,) = struct.unpack("<q", head)
            if word == 0:
                return at
            at += 8 + (word & ((1 << 56) - 1)) + ((word >> 56) & 7 if word < 0 else 0)


class Load:
    """What one phase of puts did, by etcd's own account."""

    def __init__(self, fsync, commit, wal_bytes, db_bytes, seconds, puts, put_s):
        self.fsync, self.commit = fsync, commit
        self.commit_bytes = db_bytes / commit.count if commit.count else 0.0  # growth of db
        self.seconds, self.puts, self.put_s = seconds, puts, put_s
        self.write_bytes = wal_bytes / fsync.count if fsync.count else float("nan")
        self.rate = fsync.count / seconds


class Etcd:
    def __init__(self, parent, extra=()):
        self.dir = os.path.join(parent, "etcd")
        os.mkdir(self.dir, 0o700)
        self.port, peer = free_ports(2)
        me, other = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{peer}"
        self.log = open(os.path.join(parent, "etcd.log"), "wb")
        env = {k: v for k, v in os.environ.items() if not k.startswith("ETCD")}
        self.process = subprocess.Popen(
            ["etcd", "--name", "m", "--data-dir", os.path.join(self.dir, "data"),
             "--listen-client-urls", me, "--advertise-client-urls", me,
             "--listen-peer-urls", other, "--initial-advertise-peer-urls", other,
             "--initial-cluster", f"m={other}", "--initial-cluster-state", "new", *extra],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, env=env,
            preexec_fn=die_with_parent)
        self.sent = 0
        try:
            self._wait_healthy(20)
        except BaseException:
            self.stop()
            raise
        member = os.path.join(self.dir, "data", "member")
        self.wal, self.db = Wal(os.path.join(member, "wal")), os.path.join(member, "snap", "db")

    def _wait_healthy(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                if b'"true"' in self._get("/health"):
                    self.client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                    return
            except OSError:
                pass
            time.sleep(0.1)
        with open(self.log.name, "rb") as f:
            tail = f.read()[-600:].decode(errors="replace")
        raise EtcdError(f"etcd is not healthy after {seconds} s; its log ends:\n{tail}")

    def _get(self, path):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            c.request("GET", path)
            return c.getresponse().read()
        finally:
            c.close()

    def _figures(self):
        text = self._get("/metrics").decode()
        return Histogram.parse(text, FSYNC), Histogram.parse(text, COMMIT)

    def _put(self, value):
        self.sent += 1
        body = json.dumps({"key": base64.b64encode(b"key%08d" % self.sent).decode(),
                           "value": value})
        self.client.request("POST", "/v3/kv/put", body, {"Content-Type": "application/json"})
        answer = self.client.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise EtcdError(f"put: HTTP {answer.status}: {text[:200]!r}")

    def load(self, value_bytes, rate, seconds, most=100000):
        """Puts one at a time for @seconds, one every 1/@rate s (0: one after the other); a late
        one is not dropped. At most @most."""
        value = base64.b64encode(os.urandom(value_bytes)).decode()
        fsync, commit = self._figures()
        wal, db = self.wal.used(), os.stat(self.db).st_size
        start = now = time.monotonic()
        puts, put_s = 0, 0.0
        while now < start + seconds and puts < most:
            if rate:
                time.sleep(max(0.0, start + puts / rate - now))
            before = time.monotonic()
            self._put(value)
            now = time.monotonic()
            puts, put_s = puts + 1, put_s + now - before
        elapsed = now - start
        fsync2, commit2 = self._figures()
        return Load(fsync2.minus(fsync), commit2.minus(commit), self.wal.used() - wal,
                    os.stat(self.db).st_size - db, elapsed, puts, put_s / puts)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()
        shutil.rmtree(self.dir, ignore_errors=True)
