"""bbolt's commits without etcd: the disturbance that etcd's WAL has from its own second file.

Every 100 ms etcd (--backend-batch-interval) commits its key store, member/snap/db, and each commit
is, as strace shows it: new pages at the end of the file and a page or two inside it, fdatasync, one
page at the start of the file, fdatasync. A WAL sync that falls into it waits for the file system's
journal and for the drive's flushes. This makes the same commits, in a process of its own.
"""
import os
import signal
import time

from etcd_server import die_with_parent

INTERVAL_S = 0.1
PAGE = 4096


def _commits(folder, new_bytes):
    data = os.urandom(-(-new_bytes // PAGE) * PAGE)
    fd = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    os.pwrite(fd, data[:PAGE] * 16, 0)
    os.fsync(fd)
    end, turn = 16 * PAGE, 0
    while True:
        time.sleep(INTERVAL_S)
        os.pwrite(fd, data[:PAGE], (2 + turn % 14) * PAGE)
        os.pwrite(fd, data, end)
        os.fdatasync(fd)
        os.pwrite(fd, data[:PAGE], (turn % 2) * PAGE)
        os.fdatasync(fd)
        end, turn = end + len(data), turn + 1


class Commits:
    """Context: the commits go on beside what is done inside."""

    def __init__(self, folder, new_bytes):
        self.folder, self.new_bytes, self.pid = folder, int(new_bytes), None

    def __enter__(self):
        self.pid = os.fork()
        if self.pid == 0:
            try:
                for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                    signal.signal(s, signal.SIG_DFL)
                die_with_parent()
                _commits(self.folder, self.new_bytes)
            finally:
                os._exit(1)
        return self

    def __exit__(self, *_):
        died = os.waitpid(self.pid, os.WNOHANG)[0] != 0
        if not died:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        if died:
            raise OSError("the writer of bbolt's commits ended early (no space?)")
