# The folder of stored results, as `ssdqual show` lists it. Writing is tested in
# tests/data/test_store.c, where every system call fails and every step is killed.
. tests/cli/lib.sh

# Root's folder is the machine's: the tests list that of a user.
user() {
	if [ "$(id -u)" = 0 ]; then
		run_cmd setpriv --reuid=65534 --regid=65534 --clear-groups "$SSDQUAL" "$@"
	else
		run_cmd "$SSDQUAL" "$@"
	fi
	last_cmd="ssdqual $*"
}
if [ "$(id -u)" = 0 ]; then
	need_tool setpriv
	cp "$SSDQUAL" "$T/ssdqual" # the build folder need not be open to everybody
	SSDQUAL=$T/ssdqual
	chmod 755 "$T" "$HOME"
fi
results=$XDG_DATA_HOME/ssdqual/results

user show
expect_status 0 "no folder is an empty list"
expect_out "^no results in $results; "
user show --json
expect_json results "[]"

mkdir -p "$results"
for name in SSD-1_20260101T000000Z_ceph SSD-1_20260101T000000Z_ceph.2 SSD-2_20250101T000000Z_etcd \
	SSD-3_20261231T235959Z_sync-size; do
	cp tests/fixtures/results/measured.json "$results/$name.json"
done
echo junk >"$results/notes.txt"
echo junk >"$results/.ssdqual-1-1.tmp"
user show
expect_status 0
check "results are listed newest first, and nothing else" sh -c '
	[ "$(sed -n "2,$ s/.* //p" "$1" | tr "\n" " ")" = "RESULT SSD-3_20261231T235959Z_sync-size.json \
SSD-1_20260101T000000Z_ceph.2.json SSD-1_20260101T000000Z_ceph.json SSD-2_20250101T000000Z_etcd.json " ]
	' - "$T/out"
expect_out '^2026-12-31T23:59:59Z +sync-size +SSD-3_'
user show --list --json
expect_json results.# 4
expect_json 'results[0].path' "\"$results/SSD-3_20261231T235959Z_sync-size.json\""
expect_json 'results[0].target' SSD-3
expect_json 'results[0].battery' sync-size
expect_json 'results[0].started_at' '"2026-12-31T23:59:59Z"'

names() {
	[ "$(sed -n '3,$ s/.* //p' "$T/out" | sed 's/_.*//' | tr '\n' ' ')" = "$1" ]
}
user show --sort target
check "sorted by drive, equal ones newest first" names 'SSD-1 SSD-1 SSD-2 SSD-3 '
expect_out 'SSD-1_20260101T000000Z_ceph.2.json$'
user show --sort battery --reverse
check "sorted by battery, the other way round" names 'SSD-3 SSD-2 SSD-1 SSD-1 '
user show --reverse
check "oldest first" names 'SSD-2 SSD-1 SSD-1 SSD-3 '
user show --match ssd_3
check "only drives of this name, in either case" names 'SSD-3 '
user show --battery ceph --json
expect_json results.# 2 "only results of this battery"
user show --match nothing
expect_status 0
expect_out "^none of 4 results in $results$"
user show --match SSD SSD-2_20250101T000000Z_etcd.json
expect_status 2 "what chooses from the list does not choose results"

user show SSD-2_20250101T000000Z_etcd.json
expect_status 0 "a listed name is found without its folder"
expect_out 'SAMPLE SSD 960'
user show SSD-9_20250101T000000Z_etcd.json
expect_status 6

# Nothing is opened: files that cannot be read or parsed are listed all the same.
: >"$results/SSD-0_20200101T000000Z_ceph.json"
chmod 000 "$results/SSD-0_20200101T000000Z_ceph.json"
user show --json
expect_json results.# 5 "the list comes from the names alone"

# What is imported is stored, where nothing else is said.
rm -rf "$results"
run_input=tests/measured/fio/rw4k-qd1-none.json
[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$HOME"
user import -
expect_status 0
user show --list
expect_out '[0-9]Z +import ' "an imported result is stored by default"
run_input=/dev/null

rm -rf "$results"
mkdir -p "$results"
/usr/bin/python3 - "$results" <<'PY'
import sys
for i in range(10000):
    name = f"SSD-{i % 97}_2026{i % 12 + 1:02}{i % 28 + 1:02}T{i % 24:02}{i % 60:02}00Z_ceph.{i % 9000 + 2}.json"
    open(f"{sys.argv[1]}/{name}", "w").close()
PY
user show --json
expect_json results.# 10000 "ten thousand names are listed"
user show
check "and printed" sh -c '[ "$(wc -l <"$1")" = 10002 ]' - "$T/out"

chmod 000 "$results"
user show
expect_status 6 "a folder that cannot be read is an error, not an empty list"
expect_err "$results: Permission denied"
chmod 700 "$results"

env -i "$SSDQUAL" show --json >"$T/out" 2>"$T/err"
status=$?
last_cmd="ssdqual show without HOME"
if [ "$(id -u)" = 0 ]; then
	expect_status 0 "root needs no HOME"
else
	expect_status 2
	expect_json error.code usage
fi
