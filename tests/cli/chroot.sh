# A chroot whose root is no mount point (debootstrap, many build farms): its /proc/self/mountinfo
# does not name the file system that holds it.
. tests/cli/lib.sh
need_root
need_tool chroot mount

root=$T/root
mkdir -p "$root/scratch"
cp "$SSDQUAL" "$root/ssdqual"
for d in usr lib lib64 bin proc dev sys; do
	[ -d "/$d" ] || continue
	mkdir "$root/$d"
	mount --bind "/$d" "$root/$d" || skip_all "no bind mounts here"
	at_exit "umount '$root/$d'"
done

run_cmd chroot "$root" /ssdqual list --json
expect_status 0 "the program runs inside"
fs=$(stat -f -c %T "$root/scratch")
case $fs in
tmpfs | ramfs | overlayfs) skip "the scratch folder is on $fs, which no run accepts" ;;
*)
	run_cmd chroot "$root" /ssdqual run /scratch --battery etcd --dry-run --json
	expect_status 0 "a folder is found to be on its file system"
	;;
esac
