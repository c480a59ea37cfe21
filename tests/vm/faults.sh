# faults.sh - one boot of the zoo with the scripts that kill runs and dashboards, occupy drives and take them away.
exec sh tests/vm/zoo kill tui safety faults
