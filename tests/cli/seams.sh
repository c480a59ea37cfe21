# --sysroot and --replay: nothing of this machine is opened, and no device of the same name is touched.
. tests/cli/lib.sh

case_dir=$PWD/tests/cases/A01
tree=$case_dir/root
answers=$case_dir/replay

ssdqual list --json --sysroot "$tree"
expect_status 0
expect_json drives[0].write_cache.drive null "--sysroot alone: the drive's answers are unknown"
expect_json drives[0].not_asked \
	'"sda: not asked: --sysroot without --replay has no drive'"'"'s answers"'
ssdqual list --json --replay "$answers"
expect_status 4 "--replay alone does not fall back to this machine's sysfs"
for option in --sysroot --replay; do
	ssdqual list "$option" "$T/absent"
	expect_status 6 "$option of an absent folder"
done

# What the program asked the kernel for. Allowed: files below the capture (openat2 with
# RESOLVE_IN_ROOT, which cannot lead out of it), and the terminal's size and kind of descriptors 0 to 2
# (isatty): those are the caller's, not devices that are looked at.
cat >"$T/judge.py" <<'PY'
import re, sys
machine = re.compile(r'^/(dev|sys|proc)(/|$)')
calls = bad = 0
for line in open(sys.argv[1], errors="replace"):
    m = re.match(r'(?:\d+\s+)?(\w+)\((.*)', line)
    if not m:
        continue
    name, rest = m.groups()
    if name == "ioctl":
        if not re.match(r'[012], (TCGETS|TIOCGWINSZ)\b', rest):
            bad += 1
            print(line, end="")
        continue
    calls += 1
    if name == "openat2" and "RESOLVE_IN_ROOT" in rest and not rest.startswith("AT_FDCWD"):
        continue
    for path in re.findall(r'"((?:[^"\\]|\\.)*)"', rest)[:1 if name != "symlinkat" else 0]:
        if machine.match(path) and name not in ("execve", "symlink"):
            bad += 1
            print(line, end="")
sys.exit(1 if bad or calls < 10 else 0)
PY
quiet() {
	name=$1
	shift
	rm -f "$T/trace"
	(cd "$T" && strace -f -e trace=%file,ioctl -o "$T/trace" "$SSDQUAL" "$@" \
		--sysroot "$tree" --replay "$answers" >"$T/out" 2>"$T/err" </dev/null)
	check "$name asks nothing of this machine" /usr/bin/python3 "$T/judge.py" "$T/trace"
}
if nm "$SSDQUAL" 2>/dev/null | grep -q __asan_init; then
	skip "which files are opened (built with the address sanitizer, which reads /proc/self)"
elif strace -o /dev/null true 2>/dev/null; then
	quiet list list --all --json
	quiet "list's table" list
	quiet cache cache /dev/sda
	quiet "cache off" cache /dev/sda off
	quiet run run --destroy-data --wipe-signatures --confirm SN0001 /dev/sda
	quiet "run of a folder" run /srv
	quiet capture capture /dev/sda -o "$T/captured"
	strace -f -e trace=%file,ioctl -o "$T/trace" "$SSDQUAL" list >/dev/null 2>&1 </dev/null
	if /usr/bin/python3 "$T/judge.py" "$T/trace" >/dev/null; then
		not_ok "the judge sees what a list of this machine opens"
	else
		ok "the judge sees what a list of this machine opens"
	fi
else
	skip "strace cannot be used here: which files are opened"
fi

# Every case again, in a /dev of its own in which each name that the cases know is a scratch device.
if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
	skip "no mount namespace to be had here: devices of the same names"
	exit 0
fi
head -c 4194304 /dev/urandom >"$T/image"
cp "$T/image" "$T/copy"
if ! loop=$(losetup -f --show "$T/image" 2>/dev/null); then
	skip "no loop device to be had here: devices of the same names"
	exit 0
fi
at_exit "losetup -d $loop"
numbers=$(cat "/sys/block/${loop#/dev/}/dev")
ls -d tests/cases/*/root/sys/block/* tests/cases/*/root/sys/block/*/*/partition 2>/dev/null |
	sed 's,/partition$,,; s,.*/,,' | sort -u >"$T/names"
cat >"$T/inside.sh" <<'SH'
set -e
mount -t tmpfs tmpfs /dev
mknod /dev/null c 1 3
mknod /dev/zero c 1 5
mknod /dev/urandom c 1 9
mkdir /dev/shm
while read -r name; do
	mknod "/dev/$name" b "${1%:*}" "${1#*:}"
done <"$2/names"
cmp -n 4194304 /dev/sda "$2/image" # the node is the scratch device
TMPDIR=$2 sh tests/run-cases >"$2/cases" 2>&1 || true
sync
SH
check "the cases run among devices of the same names" unshare -m sh "$T/inside.sh" "$numbers" "$T"
check "and come out the same: $(tail -n 1 "$T/cases")" sh -c \
	"! grep -E '^[A-Z0-9]+ fail' '$T/cases' && grep -q '^A01 pass' '$T/cases' && grep -q '^D01 pass' '$T/cases'"
check "not a byte of them was changed" cmp "$T/image" "$T/copy"
check "nor through the device" sh -c "head -c 4194304 '$loop' | cmp - '$T/copy'"
