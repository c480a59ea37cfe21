# Help texts and the version: from the tables, within 80 columns, to standard output.
. tests/cli/lib.sh

ssdqual help
expect_status 0
expect_no_err
expect_out '^  help '
check "the list of commands stays within 80 columns" sh -c '! grep -E ".{81}" "$1"' - "$T/out"
cp "$T/out" "$T/help"

ssdqual --help
expect_status 0
check "'--help' and 'help' say the same" cmp "$T/out" "$T/help"

ssdqual --version
expect_status 0
expect_out '^ssdqual [0-9]+\.[0-9]+\.[0-9]+$'
ssdqual --version --json
expect_json version "$("$SSDQUAL" --version | sed 's/ssdqual //')"

ssdqual help --json
expect_status 0
commands=$(/usr/bin/python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["commands"]: print(c["name"])' "$T/out")
for command in $commands; do
	ssdqual help "$command"
	expect_status 0
	expect_out "^Usage: ssdqual $command "
	cp "$T/out" "$T/help-command"
	ssdqual "$command" --help
	check "'$command --help' and 'help $command' say the same" cmp "$T/out" "$T/help-command"
	check "the help of $command says what it does in a sentence with one full stop" \
		sh -c 'sed -n 3p "$1" | grep -qE "^[A-Z].*[a-z0-9)][.]$"' - "$T/out"
	check "the help of $command says no default twice" \
		sh -c '! tr "\n" " " <"$1" | grep -qE "[(]([^()]+)[)] +[(]default: +\1[)]"' - "$T/out"
	check "the help of $command stays within 80 columns" sh -c '! grep -E ".{81}" "$1"' - "$T/out"
	check "the help of $command has no space at line ends" sh -c '! grep " $" "$1"' - "$T/out"
	ssdqual "$command" --help --json
	expect_json name "$command"
	expect_json_has summary
done

ssdqual help help -h
expect_status 0 "-h is help, too"
ssdqual help -qh
expect_out '^Usage: ssdqual help' "so it is in a group of letters"
ssdqual help -- --help
expect_status 2 "after -- there is no option"
ssdqual help one two
expect_status 2
expect_err "'two' is extra"
