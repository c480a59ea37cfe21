# terminal.py ROWS COLS OUT STEP... -- COMMAND...: COMMAND on a terminal, its whole stream in OUT.
#   see:TEXT      wait until TEXT stands in what came since the last step but "see"
#   any           wait until anything came
#   keys:TEXT     type it (\r is Enter, \x1b Escape)
#   size:R,C      another size of the window
#   signal:NAME   send it
#   alive         it must not have ended
# After the last step its end is waited for. Prints "status N" (128 + signal), "sane" where the
# terminal's settings are as they were, and "left" where it is not on the alternate screen; or what
# went wrong, with status 1. Nothing is waited for longer than 20 s.
import fcntl, os, select, signal, struct, sys, termios, time

rows, cols, out = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
split = sys.argv.index("--")
steps, command = sys.argv[4:split], sys.argv[split + 1:]

def resize(fd, r, c):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", r, c, 0, 0))

master, slave = os.openpty()
resize(slave, rows, cols)
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.closerange(3, 64)
    os.execvp(command[0], command)
stream, mark, status = b"", 0, None

def pump(wait):
    global stream, status
    if select.select([master], [], [], wait)[0]:
        stream += os.read(master, 65536)
        return
    if status is None:
        done, code = os.waitpid(pid, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(code)

def give_up(why):
    if status is None:
        os.kill(pid, signal.SIGKILL)
    with open(out, "wb") as f:
        f.write(stream)
    print(why)
    sys.exit(1)

def until(what, holds):
    end = time.monotonic() + 20
    while not holds():
        if time.monotonic() > end or (status is not None and what != "its end"):
            give_up(f"waited for {what}, status {status}")
        pump(0.05)

for step in steps:
    word, _, text = step.partition(":")
    if word == "see":
        until(step, lambda: text.encode() in stream[mark:])
        continue
    if word == "any":
        until(step, lambda: len(stream) > mark)
    mark = len(stream)
    if word == "keys":
        os.write(master, text.encode().decode("unicode_escape").encode())
    elif word == "size":
        r, c = text.split(",")
        resize(master, int(r), int(c))
    elif word == "signal":
        os.kill(pid, getattr(signal, "SIG" + text))
    elif word == "alive":
        pump(0.3)
        if status is not None:
            give_up(f"it has ended with {status}")
until("its end", lambda: status is not None)
while select.select([master], [], [], 0)[0]:
    stream += os.read(master, 65536)
with open(out, "wb") as f:
    f.write(stream)
print("status", status if status >= 0 else 128 - status)
if termios.tcgetattr(slave) == before:
    print("sane")
if stream.rfind(b"\x1b[?1049l") >= stream.rfind(b"\x1b[?1049h"):
    print("left")
