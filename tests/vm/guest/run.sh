# run.sh - short runs on each kind of drive: a valid document, both cache states, verdicts, findings.
# limit: 600 s
. ./lib.sh
remember_caches

# valid NAME - the document stands on its own feet.
valid() {
	run_cmd /usr/bin/ssdqual validate "$T/doc"
	expect_status 0 "$1: the document is valid"
	if [ "$(get 'measurements.#' "$T/doc")" -gt 0 ] 2>/dev/null; then
		ok "$1: it has measurements"
	else
		not_ok "$1: it has measurements" "$(head -c 600 "$T/doc")"
	fi
	same "$1: it is complete" complete "$(get settings.ended "$T/doc")"
}

judged() {
	case $status in
	0 | 1 | 5) ok "$1: the run ends with a verdict's status" ;;
	*) not_ok "$1: the run ends with a verdict's status" "$(lib_seen)" ;;
	esac
}

for pair in ZOO_SSD=SSD-1 ZOO_SCSI=SCSI-1 NVME-1=NVME-1; do
	model=${pair%=*}
	claim "$model" || continue
	before="$(drive_cache "$d") $(kernel_cache "$d")"
	bench "$dev" "${pair#*=}" --size 8M --write-cache both --row journal-fsync
	judged "$model"
	valid "$model"
	states=$(jsonget "$T/doc" 'measurements[0].write_cache' 'measurements[1].write_cache' |
		sort | tr '\n' ' ')
	same "$model: the row was measured in both states" "off on " "$states"
	same "$model: its cache is as before" "$before" "$(drive_cache "$d") $(kernel_cache "$d")"
done
# The last one's document. QEMU's NVMe counts what is written to it, in units of 512,000 bytes.
wrote=$(get endurance.run.written_bytes "$T/doc")
host=$(get endurance.run.host.bytes "$T/doc")
if [ "$wrote" -gt 0 ] && [ $((host - wrote)) -le 1024000 ] && [ $((wrote - host)) -le 1024000 ]; then
	ok "NVMe: the drive's total grew by what the run wrote, to within a step each way"
else
	not_ok "NVMe: the drive's total grew by what the run wrote, to within a step each way" \
		"wrote $wrote, the drive counts $host: $(get endurance.run "$T/doc")"
fi
same "NVMe: health was read before the run" nvme "$(get smart.before.kind "$T/doc")"

# Off before the run: it must end off, although both states were measured.
if claim ZOO_WT; then
	before="$(drive_cache "$d") $(kernel_cache "$d")"
	bench "$dev" WT-1 --size 8M --write-cache both --row journal-fsync
	judged ZOO_WT
	same "ZOO_WT: a cache that was off is off again" "$before" \
		"$(drive_cache "$d") $(kernel_cache "$d")"
	bench "$dev" WT-1 --size 8M --write-cache keep --row journal-fsync
	judged ZOO_WT
	same "ZOO_WT: keep measures it as it is" off "$(get 'measurements[0].write_cache' "$T/doc")"
fi
if claim ZOO_HDD; then
	bench "$dev" HDD-1 --size 8M --write-cache off --row journal-fsync
	judged ZOO_HDD
	valid ZOO_HDD
	same "ZOO_HDD: off measures it off" off "$(get 'measurements[0].write_cache' "$T/doc")"
fi
if claim VIRTIO-1; then
	bench "$dev" VIRTIO-1 --size 8M --row journal-fsync
	judged virtio-blk
	valid virtio-blk
fi

# A volume of a RAID controller: flagged rotational, could be anything.
if claim PERC_H730; then
	bench "$dev" PERC-1 --size 8M --row journal-fsync
	judged PERC
	valid PERC
	same "PERC: claimed rotational" true "$(get target.rotational.claimed "$T/doc")"
	same "PERC: reported nothing" null "$(get target.rotational.reported "$T/doc")"
	case $(get target.rotational.verdict "$T/doc") in
	hdd | ssd) not_ok "PERC: what it is stays open" "$(get target.rotational "$T/doc")" ;;
	*) ok "PERC: what it is stays open" ;;
	esac
	case $(get verdicts "$T/doc") in
	*controller*) ok "PERC: a verdict says that it is the controller's" ;;
	*) not_ok "PERC: a verdict says that it is the controller's" "$(get verdicts "$T/doc")" ;;
	esac
fi

# Flushes that QEMU ignores cost nothing: too fast to be true, on a cache that is on.
if claim ZOO_UNSAFE; then
	bench "$dev" UNSAFE-1 --battery quick --write-cache on
	judged ZOO_UNSAFE
	valid ZOO_UNSAFE
	case $(get findings "$T/doc") in
	*'"code":"flush'*) ok "ZOO_UNSAFE: a finding about its flushes" ;;
	*) not_ok "ZOO_UNSAFE: a finding about its flushes" "$(get findings "$T/doc")" ;;
	esac
fi

# dm-delay adds 20 ms to each write: figures below that would be false.
modprobe dm-delay
if claim ZOO_HDD; then
	sectors=$(cat "/sys/block/$d/size")
	if dmsetup create slow --table "0 $sectors delay $dev 0 20"; then
		dmsetup mknodes
		ssdqual run --json --dry-run --size 4M --row journal-fsync --destroy-data /dev/mapper/slow
		token=$(get 'plans[0].confirm')
		bench /dev/mapper/slow "$token" --size 4M --row journal-fsync
		judged dm-delay
		mean=$(get 'measurements[0].lat_ns.mean' "$T/doc")
		if [ "${mean%%.*}" -ge 20000000 ] 2>/dev/null; then
			ok "dm-delay: no write is faster than the delay"
		else
			not_ok "dm-delay: no write is faster than the delay" "mean $mean ns; $(lib_seen)"
		fi
		dmsetup remove slow
	else
		not_ok "dm-delay maps a drive"
	fi
fi
same_caches "the runs"
