# The dashboard and a device: the safety dialogue, a run that is left, found again, killed beside,
# stopped. On loop devices, in a mount namespace of its own: root's results are the machine's.
. tests/cli/lib.sh
need_loop
need_tool unshare mkfs.ext4 pgrep
mkdir "$T/varlib" "$T/mounted"
unshare -m mount -t tmpfs none "$T/mounted" 2>/dev/null || skip_all "needs a mount namespace"
as="unshare -m"
. tests/cli/lib/terminal.sh

# On memory where there is some: nobody's disk makes the run long.
parent=/var/tmp
[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && parent=/dev/shm
D=$(mktemp -d "$parent/ssdqual-tui.XXXXXX") || exit 1
at_exit "rm -rf '$D'"
truncate -s 160M "$D/disk" "$D/used"
dev=$(losetup -f --show "$D/disk") || skip_all "needs a free loop device"
at_exit "losetup -d $dev"
used=$(losetup -f --show "$D/used") || skip_all "needs a second free loop device"
at_exit "losetup -d $used"
mkfs.ext4 -q "$used" || exit 1
mount "$used" "$T/mounted" || skip_all "cannot mount here"
at_exit "umount '$T/mounted'"

begin_shell() {
	open_shell 24 80
	line "mount --bind $T/varlib /var/lib"
}
start() {
	line "clear; TERM=xterm LC_ALL=C $SSDQUAL tui --runs $T/runs; echo status=\$?"
	saw 'Tab pane|q quit'
}
runs() {
	pgrep -f "^ssdqual run --progress-fd .* $dev\$"
}
ran_to_its_end() {
	! runs
}
no_dashboard() {
	! pgrep -f "^$SSDQUAL tui --runs $T/runs\$"
}
results() {
	ls "$T"/varlib/ssdqual/results/*.json 2>/dev/null
}
untouched() {
	cmp -n 167772160 "$dev" /dev/zero
}

# -- the list, the dialogue -----------------------------------------------------------------------------

begin_shell
start
see "the drives are listed" 'DRIVE +MODEL'
keys a
see "loop devices too, once asked for" "$dev "
keys Home
saw 'Path +/dev'
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	screen | grep -q "^Path *$used," && break
	keys Down
	sleep 0.1
done
see "the chosen one is described, with its use" "^Path +$used, loop" "^Use .* mounted on"
keys Enter
see "one that is mounted is refused, and why" 'Refused: .*mounted on'
keys Enter
see "Enter does not help" 'refused; nothing was started'
keys Escape
keys d
line "$dev"
see "the plan of the other one, and that a serial will be asked for" "plan for $dev" 'overwritten' \
	'Enter: the serial'
keys tttt
see "the time of a row is chosen" 'time of each row: 30s' 'journal-sync .* 30 s'
keys Enter
see "the serial (here: the name) is asked for" "Type $dev to go on:"
line "${dev}9"
see "a wrong one starts nothing" 'is not what was asked for; nothing was started'
check "and nothing was written" untouched
check "nor is there a run" ran_to_its_end
keys Enter
saw 'to go on:'
keys Escape
see "it can be cancelled" 'cancelled; nothing was started'
keys Enter
saw 'to go on:'
line "$dev"
see "the right one starts the run" "running: $dev, battery ceph" 'row 1/9 journal-sync' 'IOPS +[0-9]'

# -- left, killed, found again ---------------------------------------------------------------------------

keys q
keys l
see "it is left, and goes on" 'goes on; `ssdqual tui` shows it again' 'status=0'
start
see "it is found again" '\[2 Run\]' 'row [0-9]/9' 'running'
keys 1
keys d
line "$dev"
see "there is no second run beside it" 'a run goes on; stop it first'
kill -KILL "$(pgrep -f "^$SSDQUAL tui --runs $T/runs\$")"
wait_for no_dashboard
check "killed, the dashboard leaves the run alone" runs

# -- stopped ---------------------------------------------------------------------------------------------

begin_shell
start
see "the next one finds it" '\[2 Run\]' 'running'
keys s
keys y
see "a run is stopped from the dashboard" "stopped: $dev, battery ceph" 'saved: '
keys q
see "which then ends" 'status=0'
check "the shell is sane" is_sane
check "no run is left" ran_to_its_end
cp "$(results | head -n 1)" "$T/out"
expect_json settings.ended signal "what was measured until then is stored"
