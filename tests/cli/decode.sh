#!/bin/sh
# decode.sh - `ssdqual decode`: the fields of raw answers, on field cases and malformed bytes.
. tests/cli/lib.sh

fixtures=tests/fixtures/device

# buffer NAME BYTES...: a hex file in the scratch folder
buffer() {
	buffer_name=$1
	shift
	echo "$*" > "$T/$buffer_name.hex"
}

decode() {
	ssdqual decode --json "$@"
}

decode identify $fixtures/identify-A01.hex
expect_status 0
expect_json model '"ACME SSD 480"' "identify: the model"
expect_json serial SN0001
expect_json rotational false "word 217 says that it does not rotate"
expect_json write_cache off "case A01: the drive's cache is off"
expect_json capacity_bytes 480103981056
expect_json wwn null "an absent WWN is null"

decode identify $fixtures/identify-A11.hex
expect_json model '"ACME USB SSD"' "case A11: the model"
expect_json serial U123
expect_json write_cache on "case A11: the cache is on"

decode identify $fixtures/identify-A18.hex
expect_json write_cache unsupported "case A18: not supported"
expect_json write_cache_enabled null "case A18: word 85 is not read"

sed 's/^b0/b1/; s/00 b0 36/00 b1 36/' $fixtures/identify-A01.hex > "$T/damaged.hex"
decode identify "$T/damaged.hex"
expect_status 6 "a wrong checksum is malformed input"
expect_json error.code input
expect_json error.exit_status 6

head -5 $fixtures/identify-A01.hex > "$T/cut.hex"
decode identify "$T/cut.hex"
expect_status 6 "a cut answer is malformed input"
expect_out '64 of 512 bytes' "the message says how much there is"

buffer a 00 b1 00 04 00 01 00 00
buffer b 00 b1 00 04 1c 20 00 00
buffer c 00 b1 00 04 00 05 00 00
buffer d 00 83 00 04 00 01
decode vpd-b1 "$T/a.hex"
expect_json rotational false "case B04 a: SSD"
decode vpd-b1 "$T/b.hex"
expect_json rotational true "case B04 b: HDD"
expect_json rpm 7200
decode vpd-b1 "$T/c.hex"
expect_status 0
expect_json rotational null "case B04 c: a reserved value is unknown"
decode vpd-b1 "$T/d.hex"
expect_status 6 "case B04 d: another page is refused"
expect_out 'page 83h'

page="12 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
buffer bd0 00 1a 00 10 00 00 00 00 88 "$page"
buffer bd8 00 22 00 10 00 00 00 08 00 00 00 00 00 00 00 00 88 12 00 "${page#12 04 }"
buffer bd16 00 2a 00 10 00 00 00 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
	88 12 05 "${page#12 04 }"
buffer short 00 22 00 10 00 00 00 08 00 00
buffer six 17 00 10 00 08 "$page"
decode mode-08 "$T/bd0.hex"
expect_json wce true "case A19: no block descriptor"
expect_json rcd false
decode mode-08 "$T/bd8.hex"
expect_json wce false "case A19: block descriptor of 8 bytes"
decode mode-08 "$T/bd16.hex"
expect_json wce true "case A19: block descriptors of 16 bytes"
expect_json rcd true
decode mode-08 "$T/short.hex"
expect_status 6 "case A19: a cut page is an error"
decode --six mode-08 "$T/six.hex"
expect_status 0
expect_json wce true "the four-byte header of MODE SENSE(6)"

buffer ata f0 00 01 00 50 00 01 0a 00 00 00 00 00 1d 00 00 00 00
decode sense "$T/ata.hex"
expect_json ata_status 80 "case A10: status 50h"
expect_json ata_error 0
expect_json result success "case A10: success"
echo "# nothing" > "$T/none.hex"
decode sense "$T/none.hex"
expect_status 0
expect_json present false "case A11: no sense is an answer, too"
buffer illegal 70 00 05 00 00 00 00 0a 00 00 00 00 26 00 00 00 00 00
decode sense "$T/illegal.hex"
expect_json unsupported true "case A03: invalid field in parameter list"

buffer model 00 00 06 02 1f 00 00 00 41 43 4d 45 20 20 20 20 1b 5b 33 31 6d ff fe 20 \
	20 20 20 20 20 20 20 20 41 30 30 31
decode inquiry "$T/model.hex"
expect_json model '"?[31m??"' "escape sequences and broken UTF-8 are cleaned"
ssdqual decode inquiry "$T/model.hex"
check "text output holds no escape" sh -c "! grep -q \"\$(printf '\\033')\" '$T/out'"

printf '00 b1\n00 0x\n' > "$T/bad.hex"
decode vpd-b1 "$T/bad.hex"
expect_status 6 "text that is no hex is malformed input"
expect_out 'bad.hex:2:' "the message names file and line"
decode vpd-b1 "$T/absent.hex"
expect_status 6 "an absent file is an input error"
decode shoe-size "$T/a.hex"
expect_status 2 "an unknown kind is a usage error"
expect_out 'vpd-b1' "the known kinds are named"
decode vpd-b1
expect_status 2 "a missing file is a usage error"

ssdqual help
check "decode is not in the list of commands" sh -c "! grep -qw decode '$T/out'"
