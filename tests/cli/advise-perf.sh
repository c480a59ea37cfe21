# ssdqual advise --perf-dump: files, one or two, and a socket that is asked twice.
. tests/cli/lib.sh

perf=tests/measured/perf
for row in 'think0:none of these:0.003' 'think3000:image refresh:1.975' \
	'think10000:image refresh:2.01'; do
	cell=${row%%:*}
	rest=${row#*:}
	ssdqual advise --perf-dump $perf/pwl-pair8000-"$cell".json --json
	expect_status 0
	expect_json verdict "${rest%:*}" "$cell: ${rest%:*}"
	expect_json perf.notify_per_write "${rest#*:}" "$cell: ${rest#*:} notifies a write"
	expect_json perf.since opened
done
ssdqual advise --perf-dump $perf/pwl-pair8000-think3000.json
expect_out '^Verdict +image refresh'
expect_out 'header notifies a write: 1.98'
ssdqual advise --perf-dump $perf/pwl-pair8000-think3000.json --strict
expect_status 1 "--strict: a cause that was found is status 1"
ssdqual advise --perf-dump $perf/pwl-pair8000-think0.json --strict
expect_status 0
ssdqual advise --perf-dump $perf/pwl-pair8000-think0.json $perf/pwl-pair8000-think0.json --strict
expect_status 5 "nothing happened in between: unsure"
ssdqual advise --perf-dump $perf/pwl-pair8000-think3000.json $perf/pwl-pair8000-think10000.json --json
expect_json perf.since opened "an image opened anew in between is judged since then"
expect_out '"counters-reset"'

# The counters go on: twice as much of everything, and the lock was handed over.
cat >"$T/later.py" <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
for name, counters in d.items():
    for key, value in counters.items():
        if isinstance(value, dict):
            value["avgcount"] *= 2
            value["sum"] *= 2
        elif key == "lock_acquired_time":
            counters[key] = value + 60
        elif key != "opened_time":
            counters[key] = value * 2
json.dump(d, open(sys.argv[2], "w"))
EOF
/usr/bin/python3 "$T/later.py" $perf/pwl-pair8000-think3000.json "$T/later.json"
ssdqual advise --perf-dump $perf/pwl-pair8000-think3000.json "$T/later.json" --json
expect_json perf.since "first dump"
expect_json perf.writes 402
expect_json verdict "image refresh"
expect_json perf.lock_changed true
expect_out '"lock-changed"' "a lock that was handed over is told"

# Mistakes.
ssdqual advise --perf-dump "$T/none.json"
expect_status 6
echo '{"osd": {}}' >"$T/osd.json"
ssdqual advise --perf-dump "$T/osd.json"
expect_status 6
expect_err 'ceph --admin-daemon SOCKET perf dump' "a dump of a daemon is refused with the command"
ssdqual advise --perf-dump $perf/pwl-pair8000-think0.json --image rbd/other
expect_status 6
expect_err 'rbd/other' "an image that is not in it is named"
ssdqual advise --perf-dump tests/cases/F01/rbd_config.json
expect_status 6
expect_err 'which --image-config takes'
ssdqual advise --perf-dump a b c
expect_status 2

# A socket: the protocol is four bytes of length and JSON; the second answer is the later one.
cat >"$T/serve.py" <<'EOF'
import socket, struct, sys
answers = [open(path, "rb").read() for path in sys.argv[2:]]
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(4)
for answer in answers:
    c, _ = s.accept()
    request = b""
    while not request.endswith(b"\0"):
        request += c.recv(100)
    assert b'"perf dump"' in request, request
    c.sendall(struct.pack(">I", len(answer)) + answer)
    c.close()
EOF
start_cmd /usr/bin/python3 "$T/serve.py" "$T/asok" $perf/pwl-pair8000-think3000.json "$T/later.json"
wait_for test -S "$T/asok"
ssdqual advise --perf-dump "$T/asok" --seconds 200ms --json
expect_status 0
finish_cmd
expect_json perf.since "first dump"
expect_json perf.writes 402 "the socket was asked twice"
expect_json_has perf.seconds
expect_json verdict "image refresh"
rm "$T/asok"
ssdqual advise --perf-dump "$T/asok" --json
expect_status 6 "a socket that is gone is a file that is not there"
start_cmd /usr/bin/python3 "$T/serve.py" "$T/asok" "$T/serve.py"
wait_for test -S "$T/asok"
ssdqual advise --perf-dump "$T/asok" --json
expect_status 4 "an answer that is no JSON"
finish_cmd
ssdqual advise --perf-dump "$T/asok" --json
expect_status 4 "a socket whose process is gone"
