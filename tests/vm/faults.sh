# faults.sh - one boot of the zoo with the scripts that kill runs, occupy drives and take them away.
exec sh tests/vm/zoo kill safety faults
