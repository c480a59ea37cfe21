# The manual page and the program say the same: commands, options, batteries, exit statuses.
. tests/cli/lib.sh

page=docs/ssdqual.8

if command -v mandoc >/dev/null; then
	check "mandoc finds nothing worth a warning" mandoc -Tlint -Wwarning "$page"
else
	skip "mandoc is not installed"
fi

cat >"$T/compare.py" <<'EOT'
# compare.py PAGE TABLES - "ok NAME" or "not_ok NAME" for each command, in both directions.
import json, re, sys

page = open(sys.argv[1], encoding="utf-8").read().splitlines()
tables = json.load(open(sys.argv[2], encoding="utf-8"))

# Options by section, from the .It lines: {"run": {"--fill", "-n", ...}}
documented, order, section, chapter = {}, [], None, None
for line in page:
    if line.startswith(".Sh "):
        chapter, section = line[4:], None
    elif line.startswith(".Ss "):
        title = line[4:]
        section = title.split()[0] if chapter == "COMMANDS" else title
        documented[section] = set()
        if chapter == "COMMANDS":
            order.append(section)
    elif line.startswith(".It ") and section:
        documented[section] |= {"-" + flag for flag in re.findall(r"\bFl (\S+)", line)}

def names(options):
    shown = [o for o in options if not o["hidden"]]
    return {"--" + o["name"] for o in shown} | {"-" + o["short"] for o in shown if o["short"]}

def compare(what, section, options):
    if section not in documented:
        print(f"not_ok the manual has {what}")
        return
    wanted, found = names(options), documented[section]
    if wanted == found:
        print(f"ok the manual has the options of {what}")
    else:
        print(f"not_ok the manual has the options of {what}")
        print(f"    missing {sorted(wanted - found)}, not in the program {sorted(found - wanted)}")

compare("every command", "Options of every command", tables["common_options"])
shown = [c for c in tables["commands"] if not c["hidden"]]
for command in shown:
    compare(command["name"], command["name"], command["options"])
in_order = order == [c["name"] for c in shown]
print("ok" if in_order else "not_ok", "the manual has the commands in the order of the program")
extra = set(order) - {c["name"] for c in tables["commands"]}
print("not_ok" if extra else "ok", "the manual has no command that the program has not")
print(f"    {sorted(extra)}")

# The examples of the page, by the same tables.
by_name = {c["name"]: c for c in shown}
for line in page:
    m = re.match(r"\.Dl [#$] ssdqual (\S+)(.*)", line)
    if not m:
        continue
    if m.group(1) not in by_name:
        print(f"not_ok the example '{line[6:]}' uses what exists")
        continue
    known = names(by_name[m.group(1)]["options"]) | names(tables["common_options"])
    ours = re.split(r" -- |\|", m.group(2))[0]
    used = {w.split("=")[0] for w in ours.split() if w.startswith("-")}
    word = "ok" if used <= known else "not_ok"
    print(f"{word} the example '{line[6:]}' uses what exists")
EOT
ssdqual help --json
/usr/bin/python3 "$T/compare.py" "$page" "$T/out" >"$T/compared"
expect_status 0
while read -r word name; do
	case $word in
	ok) ok "$name" ;;
	not_ok) not_ok "$name" "$(grep -A 1 -F "$name" "$T/compared" | sed -n 's/^    //p')" ;;
	esac
done <"$T/compared"
check "the comparison has run" grep -q 'options of every command' "$T/compared"

batteries=$(sed -n 's/^[[:space:]]*\.name = "\([a-z][a-z0-9-]*\)",$/\1/p' probes/battery_*.c)
check "the batteries are found" test -n "$batteries"
for battery in $batteries; do
	check "the manual has the battery $battery" grep -q "^\.It Cm $battery$" "$page"
done
for code in $(sed -n 's/^[[:space:]]*EXIT_[A-Z]* = \([0-9]*\),.*/\1/p' cli/command.h); do
	check "the manual has the exit status $code" \
		grep -qE "^\.It ([0-9]+ , )*$code( , [0-9]+)*$" "$page"
done
