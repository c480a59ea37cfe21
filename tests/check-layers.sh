#!/bin/sh
# check-layers.sh - guard the floors: data below probes and policies, which do not know each other,
# below cli; and each third-party header in its one file. Prints every breach; exit 1 if any.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

complain() {
	echo "check-layers: $1" >&2
	bad=1
}

# includes LAYER ALLOWED... - files of LAYER may include "X/..." only for X in ALLOWED.
includes() {
	layer=$1
	shift
	for f in "$layer"/*.c "$layer"/*.h; do
		[ -e "$f" ] || continue
		for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$f"); do
			case $inc in
			*../*) complain "$f includes \"$inc\": from the repository root, please" ;;
			esac
			ok=
			for allowed in "$@"; do
				case $inc in "$allowed"/*) ok=1 ;; esac
			done
			[ -n "$ok" ] || complain "$f includes \"$inc\"; $layer may use: $*"
		done
	done
}
includes data data
includes probes probes data
includes policies policies data
includes cli cli policies probes data

# quarantine HEADER FILE - only FILE may include <HEADER>.
quarantine() {
	for f in $(grep -lE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$1[>\"]" \
		data/*.[ch] probes/*.[ch] policies/*.[ch] cli/*.[ch] 2>/dev/null); do
		[ "$f" = "$2" ] || complain "$f includes <$1>, which belongs to $2 alone"
	done
}
quarantine 'cjson/cJSON.h' data/json.c
quarantine 'libaio.h' probes/engine_aio.c
quarantine 'blkid/blkid.h' probes/sig.c
quarantine 'libnvme.h' probes/dev_nvme.c
quarantine 'atasmart.h' probes/smart_ata.c
quarantine 'xlsxwriter.h' cli/export_xlsx.c
quarantine '(ncursesw/)?(n?curses|term).h' cli/tui_screen.c

# Pure floors do no output of their own.
for f in data/*.c probes/*.c policies/*.c; do
	if grep -nE '(^|[^a-zA-Z_])(printf|puts|putchar|perror|exit|abort)[[:space:]]*\(' "$f" |
		grep -vE 'format\(printf' | grep -vE '^[0-9]+:[[:space:]]*(/?\*)' >/dev/null; then
		complain "$f prints, exits or aborts; only cli/ may"
	fi
done

[ "$bad" = 0 ] && echo "check-layers: the floors hold"
exit "$bad"
