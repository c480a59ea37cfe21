# capture.sh - a capture of each drive says what the drive says, also without real names.
# limit: 600 s
. ./lib.sh

ssdqual list --json
cp "$T/out" "$T/live"
# What says the same live and from a capture; who uses it and its paths need not (the capture has the
# devices around one drive only).
keys="by_id vendor model serial firmware wwn transport link.speed link.max_speed link.width
	capacity_bytes logical_block_bytes physical_block_bytes sector_format layer controller.driver
	controller.kind nvme.nguid nvme.eui64 nvme.vwc nvme.namespaces nvme.format_in_use
	nvme.formats[0].data_bytes nvme.subsystem rotational.claimed rotational.reported
	rotational.reported_by rotational.rpm rotational.verdict rotational.why write_cache.drive
	write_cache.kernel write_cache.queue write_cache.fua write_cache.saved write_cache.default
	write_cache.saveable write_cache.method write_cache.why write_cache.mismatch
	write_cache.dangerous"
private=" by_id serial wwn nvme.nguid nvme.eui64 nvme.subsystem "

# values FILE DEV KEYS... - one line each, of the drive DEV
values() {
	file=$1
	node=$2
	shift 2
	all=
	for key in "$@"; do
		all="$all drives[path=$node].$key"
	done
	# shellcheck disable=SC2086 # one word a key
	jsonget "$file" $all
}

public=
for key in $keys; do
	case $private in *" $key "*) ;; *) public="$public $key" ;; esac
done

for model in ZOO_SSD NVME-1 ZOO_SCSI PERC_H730; do
	claim "$model" || continue
	ssdqual capture "$dev" -o "$T/real"
	expect_status 0 "$model: is captured"
	ssdqual capture "$dev" -o "$T/scrubbed" --anonymize
	expect_status 0 "$model: is captured without names"
	ssdqual list --json --sysroot "$T/real" --replay "$T/real"
	# shellcheck disable=SC2086 # one word a key
	{
		values "$T/live" "$dev" $keys >"$T/want"
		values "$T/out" "$dev" $keys >"$T/got"
	}
	check "$model: the capture gives the live identity" cmp "$T/want" "$T/got"
	ssdqual list --json --sysroot "$T/scrubbed" --replay "$T/scrubbed"
	# shellcheck disable=SC2086 # one word a key
	{
		values "$T/live" "$dev" $public >"$T/want"
		values "$T/out" "$dev" $public >"$T/got"
	}
	check "$model: so does one without names, but for the names" cmp "$T/want" "$T/got"
	serial=$(values "$T/live" "$dev" serial)
	case $serial in
	null | '') ;;
	*) check "$model: its serial number is not in it" sh -c "! grep -rqF '$serial' '$T/scrubbed'" ;;
	esac
	rm -rf "$T/real" "$T/scrubbed"
done
