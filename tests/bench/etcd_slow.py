"""A slowed target: ext4 on a loop device over a FUSE file whose every fsync takes DELAY.

The delay is served by this program (no libfuse): the kernel turns each cache flush of the loop
device into one FSYNC request on the file below it, and the answer waits. So the target behaves as
a drive with a slow, steady cache flush; writes and reads take what the page cache takes.

Nothing outlives the program, not even when it is killed by SIGKILL: the mounts live in a private
mount namespace, the loop device clears itself on the last umount, and the FUSE server (a child
outside that namespace) leaves when its mount is gone, removing the files.
"""
import ctypes
import errno
import mmap
import os
import shutil
import signal
import stat
import struct
import subprocess
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x00020000
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 1 << 18, 2

# Opcodes and layouts: linux/fuse.h, protocol 7.31.
(FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT, ACCESS,
 INTERRUPT, DESTROY, BATCH_FORGET) = (2, 3, 4, 14, 15, 16, 17, 18, 20, 25, 26, 34, 36, 38, 42)
MAX_WRITE = 128 * 1024


class SlowError(Exception):
    """The slowed target cannot be made here; the text says why."""


def _check(rc, what):
    if rc != 0:
        raise SlowError(f"{what}: {os.strerror(ctypes.get_errno())}")


def _mount(source, target, fstype, flags, data):
    _check(LIBC.mount(source.encode(), target.encode(), fstype.encode() if fstype else None,
                      ctypes.c_ulong(flags), data.encode() if data else None), f"mount {target}")


def _attr(size):
    attr = struct.pack("<6Q10I", 1, size, size // 512, 0, 0, 0, 0, 0, 0,
                       stat.S_IFREG | 0o600, 1, 0, 0, 0, 4096, 0)
    return struct.pack("<QII", 3600, 0, 0) + attr


def _answer(op, body, image, size, delay_ms):
    """Reply (errno, payload) to one request; None: the request wants no answer."""
    if op == INIT:
        major, minor = struct.unpack_from("<II", body)
        if major != 7 or minor < 31:
            return errno.EPROTO, b""
        return 0, struct.pack("<IIIIHHIIHHI7I", 7, 31, MAX_WRITE, 0, 16, 12, MAX_WRITE, 1,
                              0, 0, 0, *([0] * 7))
    if op in (GETATTR, SETATTR):
        return 0, _attr(size)
    if op == OPEN:
        return 0, struct.pack("<QIi", 1, 0, 0)
    if op == READ:
        _, offset, want = struct.unpack_from("<QQI", body)
        data = os.pread(image, want, offset)
        return 0, data
    if op == WRITE:
        _, offset, count = struct.unpack_from("<QQI", body)
        return 0, struct.pack("<II", os.pwrite(image, body[40:40 + count], offset), 0)
    if op == FSYNC:
        time.sleep(delay_ms() / 1e3)
        return 0, b""
    if op == STATFS:
        return 0, struct.pack("<5Q4I6I", size // 4096, 0, 0, 1, 0, 4096, 255, 4096, 0, *([0] * 6))
    if op in (RELEASE, FLUSH, ACCESS, DESTROY):
        return 0, b""
    if op in (FORGET, BATCH_FORGET, INTERRUPT):
        return None
    return errno.ENOSYS, b""


def _serve(fuse, image, size, delay_ms):
    while True:
        try:
            request = os.read(fuse, MAX_WRITE + 8192)
        except OSError as e:
            if e.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):
                continue
            if e.errno == errno.EPERM:  # not mounted yet
                time.sleep(0.01)
                continue
            return  # ENODEV: the mount is gone
        length, op, unique = struct.unpack_from("<IIQ", request)
        try:
            answer = _answer(op, request[40:length], image, size, delay_ms)
        except OSError as e:
            answer = (e.errno, b"")
        if answer is None:
            continue
        error, payload = answer
        try:
            os.write(fuse, struct.pack("<IiQ", 16 + len(payload), -error, unique) + payload)
        except OSError as e:
            if e.errno != errno.ENOENT:  # ENOENT: the request was interrupted
                return


class SlowTarget:
    """Made under @parent, removed by close(), a context too. @path: the slowed folder."""

    def __init__(self, parent, delay_ms, size_bytes=1536 << 20):
        self.dir = os.path.join(parent, "slow")
        self.path = os.path.join(self.dir, "mnt")
        self.loop, self.mounted, self.server = None, [], None
        self.delay_ms = delay_ms
        self.delay = mmap.mmap(-1, 8)  # shared with the server: off while the file system is made
        self._set_delay(0.0)
        if os.geteuid() != 0:
            raise SlowError("needs root (mount, loop device)")
        if not os.path.exists("/dev/fuse"):
            raise SlowError("needs /dev/fuse")
        try:
            self._make(size_bytes)
        except (OSError, subprocess.CalledProcessError) as e:
            self.close()
            raise SlowError(str(e)) from e
        except BaseException:
            self.close()
            raise
        self._set_delay(delay_ms)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _set_delay(self, ms):
        self.delay[:8] = struct.pack("<d", ms)

    def _make(self, size):
        os.mkdir(self.dir, 0o700)
        os.mkdir(self.path)
        file = os.path.join(self.dir, "file")
        with open(file, "wb"):
            pass
        image = os.open(os.path.join(self.dir, "image"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC,
                        0o600)
        os.ftruncate(image, size)
        fuse = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        parent = os.getpid()
        self.server = os.fork()
        if self.server == 0:
            for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(s, signal.SIG_IGN)  # it has to outlive the mounts
            try:
                _serve(fuse, image, size, lambda: struct.unpack("<d", self.delay[:8])[0])
                if os.getppid() != parent:  # killed: nobody else removes the files
                    shutil.rmtree(os.path.dirname(self.dir), ignore_errors=True)
            finally:
                os._exit(0)
        os.close(image)
        _check(LIBC.unshare(CLONE_NEWNS), "unshare(CLONE_NEWNS)")
        _mount("none", "/", None, MS_REC | MS_PRIVATE, None)
        _mount("slow", file, "fuse", 0, f"fd={fuse},rootmode=100000,user_id=0,group_id=0")
        os.close(fuse)  # the server's copy is the only one: its end aborts every request
        self.mounted.append(file)
        run = lambda *a: subprocess.run(a, check=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, timeout=60)
        self.loop = run("losetup", "-f", "--show", file).stdout.strip()
        run("mkfs.ext4", "-q", "-F", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0",
            self.loop)
        _mount(self.loop, self.path, "ext4", 0, None)
        self.mounted.append(self.path)
        run("losetup", "-d", self.loop)  # in use: the device clears itself after the umount

    def close(self):
        self._set_delay(0.0)
        for path in reversed(self.mounted):
            for _ in range(50):
                if LIBC.umount2(path.encode(), 0) == 0:
                    break
                time.sleep(0.1)
            else:
                LIBC.umount2(path.encode(), MNT_DETACH)
            if path == self.path:
                self._wait_loop_gone()
        if self.loop and self.path not in self.mounted:
            subprocess.run(["losetup", "-d", self.loop], stderr=subprocess.DEVNULL, timeout=30)
        self.mounted = []
        if self.server:
            self._reap_server()
        shutil.rmtree(self.dir, ignore_errors=True)

    def _wait_loop_gone(self):
        backing = f"/sys/block/{os.path.basename(self.loop)}/loop/backing_file"
        for _ in range(50):
            if not os.path.exists(backing):
                return
            time.sleep(0.1)

    def _reap_server(self):
        for _ in range(50):
            if os.waitpid(self.server, os.WNOHANG)[0] == self.server:
                self.server = None
                return
            time.sleep(0.1)
        os.kill(self.server, signal.SIGKILL)
        os.waitpid(self.server, 0)
        self.server = None
