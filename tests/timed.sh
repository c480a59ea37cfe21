#!/bin/sh
# timed.sh NAME BUDGET_SECONDS COMMAND... - run COMMAND; on its last lines name the time it took.
# timed.sh reset - forget the times of the last run.
# A test runner must close with its own count, so the times of the steps before it are handed to it
# in build/times, which tests/run-tests prints just above its closing line. A budget is information:
# machines differ, so going over it is said, not failed.
set -u
times=build/times
if [ "$1" = reset ]; then
	mkdir -p build
	: >"$times"
	exit 0
fi
name=$1
budget=$2
shift 2
start=$(date +%s)
SSDQUAL_TIMES=$times SSDQUAL_STEP="$name $budget $start" "$@"
status=$?
took=$(($(date +%s) - start))
note=
[ "$took" -le "$budget" ] || note=" OVER"
printf 'time: %s %d s (budget %d s)%s\n' "$name" "$took" "$budget" "$note" >>"$times"
exit "$status"
