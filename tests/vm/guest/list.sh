# list.sh - `ssdqual list --json` against hdparm, nvme, smartctl, sg_modes and lsblk, field by field.
# limit: 600 s
. ./lib.sh

ssdqual list --json
expect_status 0
list=$T/list
cp "$T/out" "$list"

# What the others say of a drive, as KEY=VALUE lines with our keys in $T/theirs: one fact a drive and
# program, which must have printed at least $2 of them.
agrees() {
	keys=
	count=0
	while IFS='=' read -r key theirs; do
		keys="$keys drives[path=$dev].$key"
		count=$((count + 1))
	done <"$T/theirs"
	# shellcheck disable=SC2086 # one word a key
	jsonget "$list" $keys >"$T/ours"
	differ=
	while IFS='=' read -r key theirs && IFS= read -r ours <&3; do
		[ "$ours" = "$theirs" ] || differ="$differ$key: list says '$ours', $1 says '$theirs'
"
	done <"$T/theirs" 3<"$T/ours"
	if [ "$count" -lt "$2" ]; then
		not_ok "$model: $1 shows at least $2 fields" "$(cat "$T/theirs" "$T/raw")"
	elif [ -n "$differ" ]; then
		not_ok "$model: list agrees with $1 in $count fields" "$differ"
	else
		ok "$model: list agrees with $1 in $count fields"
	fi
}

# What the programs print as "Name: value" or "name : value", in our words.
cat >"$T/fields.awk" <<'END'
function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
{
	colon = index($0, ":")
	if (!colon)
		next
	name = trim(substr($0, 1, colon - 1))
	value = trim(substr($0, colon + 1))
	if (name == "Model Number" || name == "Device Model" || name == "Product" || name == "mn")
		print "model=" value
	else if (name == "Serial Number" || name == "Serial number" || name == "sn")
		print "serial=" value
	else if (name == "Firmware Revision" || name == "Firmware Version" || name == "fr" ||
	    (name == "Revision" && !firmware++))
		print "firmware=" value
	else if (name == "Nominal Media Rotation Rate" || name == "Rotation Rate")
		print "rotational.reported=" (value ~ /^Solid/ ? "false" : "true")
	else if (name == "User Capacity" || name == "Namespace 1 Size/Capacity") {
		sub(/ .*/, "", value)
		gsub(/,/, "", value)
		print "capacity_bytes=" value
	} else if ((name == "LU WWN Device Id" || name == "Logical Unit id") && value !~ /error/) {
		gsub(/ |^0x/, "", value)
		print "wwn=naa." value
	}
}
END

by_hdparm() {
	hdparm -I "$dev" >"$T/raw" 2>/dev/null
	awk -f "$T/fields.awk" "$T/raw" >"$T/theirs"
	echo "write_cache.drive=$(drive_cache "$d")" >>"$T/theirs"
	agrees hdparm 5
}

by_nvme() {
	nvme id-ctrl "$dev" >"$T/raw" 2>/dev/null
	awk -f "$T/fields.awk" "$T/raw" >"$T/theirs"
	echo "write_cache.drive=$(drive_cache "$d")" >>"$T/theirs"
	agrees nvme 4
}

by_sg_modes() {
	echo "write_cache.drive=$(drive_cache "$d")" >"$T/theirs"
	agrees sg_modes 1
}

by_smartctl() {
	smartctl -i ${1:-} "$dev" >"$T/raw" 2>&1
	awk -f "$T/fields.awk" "$T/raw" >"$T/theirs"
	agrees smartctl 3
}

# One call for all drives, compared drive by drive.
lsblk -dnbo NAME,ROTA,SIZE,LOG-SEC,PHY-SEC >"$T/lsblk"
by_lsblk() {
	awk -v name="$d" '$1 == name {
		print "rotational.claimed=" ($2 ? "true" : "false")
		print "capacity_bytes=" $3
		print "logical_block_bytes=" $4
		print "physical_block_bytes=" $5
	}' "$T/lsblk" >"$T/theirs"
	cp "$T/lsblk" "$T/raw"
	agrees lsblk 4
}

by_sysfs() {
	look "/sys/block/$d/queue/write_cache"
	echo "write_cache.queue=$seen" >"$T/theirs"
	look "/sys/block/$d/queue/fua"
	case $seen in
	1) echo "write_cache.fua=true" >>"$T/theirs" ;;
	0) echo "write_cache.fua=false" >>"$T/theirs" ;;
	esac
	for file in "/sys/block/$d/device/scsi_disk"/*/cache_type; do
		look "$file"
		[ -z "$seen" ] || echo "write_cache.kernel=$seen" >>"$T/theirs"
	done
	agrees sysfs 2
}

for model in ZOO_SSD ZOO_HDD ZOO_UNSAFE ZOO_MEDIA; do
	claim $model || continue
	by_hdparm
	by_smartctl
	by_lsblk
	by_sysfs
done
for model in NVME-1 NVME-2; do
	claim $model || continue
	by_nvme
	by_smartctl
	by_lsblk
	by_sysfs
done
for model in ZOO_SCSI ZOO_TWIN ZOO_BARE ZOO_WT; do
	claim $model || continue
	by_sg_modes
	by_smartctl
	by_lsblk
	by_sysfs
done
model=PERC_H730
if claim $model; then
	# Without -d smartctl says that this is a RAID volume.
	by_smartctl "-d scsi"
	by_lsblk
	by_sysfs
	verdict=$(get "drives[path=$dev].rotational.verdict" "$list")
	case $verdict in
	volume | unknown) ok "a volume behind a RAID controller is not called a hard disk" ;;
	*) not_ok "a volume behind a RAID controller is not called a hard disk" "$verdict" ;;
	esac
fi
model=VIRTIO-1
if claim $model; then
	by_lsblk
	by_sysfs
	same "virtio-blk cannot be asked for its drive's cache" null \
		"$(get "drives[path=$dev].write_cache.drive" "$list")"
	same "virtio-blk is a volume, not a drive" volume \
		"$(get "drives[path=$dev].rotational.verdict" "$list")"
fi
twins=$(drives_of ZOO_TWIN | tr '\n' ' ')
# shellcheck disable=SC2086 # two words
set -- $twins
same "the zoo's twin has two paths" 2 $#
for name in $twins; do
	check "list names $name, a path of the twin" grep -q "$name" "$list"
done

# -- health, against smartctl and nvme-cli, which ask the same drives -------------------------------

ssdqual list --health --json
expect_status 0 "list --health succeeds"
cp "$T/out" "$T/health"
list=$T/health

# Rows of smartctl's table in the drive's order; raw values that it prints in words are left out.
health_by_smartctl() {
	smartctl -A -H "$dev" >"$T/raw" 2>&1
	awk '/overall-health/ { print "health.passed=" ($NF == "PASSED" ? "true" : "false") }
	$1 ~ /^[0-9]+$/ && $3 ~ /^0x/ {
		row = "health.attributes[" n++ "]."
		print row "id=" $1
		print row "value=" $4 + 0
		print row "worst=" $5 + 0
		if (NF == 10)
			print row "raw=" $10
	}' "$T/raw" >"$T/theirs"
	agrees smartctl 5
}

health_by_nvme() {
	nvme smart-log -o json "$dev" >"$T/raw" 2>&1
	: >"$T/theirs"
	for pair in avail_spare=spare_percent percent_used=percent_used power_cycles=power_cycles \
		power_on_hours=power_on_hours media_errors=media_errors \
		critical_warning=critical_warning; do
		echo "health.${pair#*=}=$(get "${pair%=*}" "$T/raw")" >>"$T/theirs"
	done
	echo "health.temperature_c=$(($(get temperature "$T/raw") - 273))" >>"$T/theirs"
	echo "health.host_writes.bytes=$(($(get data_units_written "$T/raw") * 512000))" \
		>>"$T/theirs"
	agrees nvme 8
}

model=ZOO_SSD
if claim $model; then
	health_by_smartctl
	smartctl --json -x "$dev" >"$T/file.json" 2>&1
	ssdqual import --no-store --json "$T/file.json"
	expect_status 0 "$model: smartctl's JSON imports"
	same "$model: smartctl's JSON has the serial number that list has" \
		"$(get "drives[path=$dev].serial" "$list")" "$(get target.serial)"
	same "$model: and the hours" "$(get "drives[path=$dev].health.power_on_hours" "$list")" \
		"$(get smart.after.power_on_hours)"
fi
model=NVME-1
if claim $model; then
	health_by_nvme
	ssdqual import --no-store --json "$T/raw"
	expect_status 0 "$model: nvme-cli's JSON imports"
	same "$model: nvme-cli's JSON has the bytes written that list has" \
		"$(get "drives[path=$dev].health.host_writes.bytes" "$list")" \
		"$(get smart.after.host_writes.bytes)"
fi
for model in PERC_H730 VIRTIO-1; do
	claim $model || continue
	same "$model: a volume has no health of its own" null \
		"$(get "drives[path=$dev].health" "$list")"
	check "$model: and it is said why" test -n \
		"$(get "drives[path=$dev].health_unread" "$list" | grep -v -e null -e absent)"
done

# A person without rights sees what sysfs shows and is told what is missing.
chmod 0600 /dev/sd* /dev/nvme* /dev/vd*
chmod 0755 "$T"
claim ZOO_SSD
run_cmd /usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/ssdqual list --json
expect_status 0 "list without rights succeeds"
same "list without rights knows the model" ZOO_SSD "$(get "drives[path=$dev].model")"
same "list without rights does not guess the drive's cache" null \
	"$(get "drives[path=$dev].write_cache.drive")"
if [ "$(get "lacking.#")" -gt 0 ] 2>/dev/null; then
	ok "list without rights says what it lacks"
else
	not_ok "list without rights says what it lacks" "$(get lacking)"
fi
