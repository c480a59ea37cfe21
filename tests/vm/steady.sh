# steady.sh - one boot of the zoo with the scripts that leave every drive as it was.
exec sh tests/vm/zoo list capture cache run
