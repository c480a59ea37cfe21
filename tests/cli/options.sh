# Common options, the surroundings they depend on, and where they may stand.
. tests/cli/lib.sh

ssdqual help -q --no-progress --color=never
expect_status 0
ssdqual --json help help
expect_json name help "options may stand before the command"
ssdqual --color always help
expect_status 0 "so may those with a value"
ssdqual help help --json --no-json
expect_out '^Usage:' "--no-json takes --json back"
ssdqual help --json=yes
expect_status 2
expect_err "'--json' takes no value"
ssdqual help --js
expect_status 2 "abbreviations are refused"
expect_err "did you mean '--json'"
ssdqual help --color=sometimes
expect_status 2
expect_err "auto, always or never"

ssdqual help --sysroot "$T/none"
expect_status 6
expect_err "sysroot.*No such file"
ssdqual help --sysroot "$T/out"
expect_status 6
expect_err "not a folder"
ssdqual help --sysroot "$T"
expect_status 0
ssdqual help help
if grep -q sysroot "$T/out"; then
	not_ok "hidden options are not in the help"
else
	ok "hidden options are not in the help"
fi

# A locale with a decimal comma changes no number and no option.
export LOCPATH="${LOCPATH:-$T}"
if [ -d "$LOCPATH/de_DE.UTF-8" ] ||
	localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" >/dev/null 2>&1; then
	run_cmd env LC_ALL=de_DE.UTF-8 "$SSDQUAL" help --json
	expect_status 0 "works where the decimal point is a comma"
	cp "$T/out" "$T/german"
	ssdqual help --json
	check "a decimal comma changes nothing" cmp "$T/out" "$T/german"
else
	skip "no locale with a decimal comma can be made here (localedef, package locales)"
fi
run_cmd env LC_ALL=no_such_locale "$SSDQUAL" help
expect_status 0 "an unknown locale is no failure"
