# ssdqual completion, and the manual pages of the commands: what the shells and mandoc make of them.
. tests/cli/lib.sh

for shell in bash zsh fish; do
	ssdqual completion "$shell"
	expect_status 0 "a script for $shell"
	cp "$T/out" "$T/script.$shell"
	check "the $shell script is not empty" test -s "$T/script.$shell"
done
ssdqual completion bash --json
expect_json shell bash "as JSON, with the shell"
expect_json_has script "as JSON, with the script"
ssdqual completion tcsh
expect_status 2
expect_err "bash, zsh or fish" "an unknown shell is told the known ones"
ssdqual completion
expect_status 2

# -- bash, driven ---------------------------------------------------------------------------------

if command -v bash >/dev/null; then
	mkdir "$T/dir" "$T/dir/sub"
	: >"$T/dir/some result.json"
	# complete WORD...: the replies where the cursor stands in the last WORD, a line each.
	cat >"$T/drive.bash" <<'EOT'
source "$1" && shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
complete -p ssdqual | grep -q -- '-F _ssdqual' || exit 1
_ssdqual ssdqual "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
EOT
	# completes NAME "REPLIES" WORD...: exactly these, in order and joined by blanks.
	completes() {
		name=$1 want=$2
		shift 2
		got=$(cd "$T/dir" && bash "$T/drive.bash" "$T/script.bash" "$@" 2>&1 | paste -sd ' ' -)
		if [ "$got" = "$want" ]; then
			ok "$name"
		else
			not_ok "$name" "got '$got', not '$want'"
		fi
	}
	completes "bash completes a command" "export" ssdqual exp
	completes "bash completes an option of the command" "--format" ssdqual export --form
	completes "bash completes an option of every command" "--json" ssdqual export --js
	completes "bash knows no option of another command" "" ssdqual export --destroy-d
	completes "bash completes the words of a choice" "xlsx" ssdqual export --format xl
	completes "bash completes a choice behind an equals sign" "xlsx" ssdqual export --format = xl
	completes "bash lists a choice directly behind the equals sign" "auto all none" \
		ssdqual export --timeline =
	completes "bash completes a battery" "sync-size" ssdqual run --battery sync
	completes "bash completes a battery behind the letter" "etcd" ssdqual run -b et
	completes "bash completes a workload" "etcd" ssdqual advise --workload et
	completes "bash completes a file with a blank in its name" "some result.json" \
		ssdqual show some
	completes "bash completes a file for an option" "some result.json" ssdqual run -o some
	completes "bash completes folders alone where a folder is wanted" "sub" ssdqual capture -o s
	completes "bash completes words among the operands" "restore" ssdqual cache /dev/sdx res
	completes "bash completes the commands that help explains" "verify" ssdqual help ver
	completes "bash completes the shells" "fish" ssdqual completion f
	completes "bash offers nothing for a number" "" ssdqual run --randseed ""
	completes "bash finds the command behind an option with a value" "--format" \
		ssdqual --color never export --form
	check "bash is offered no hidden command" \
		sh -c "! bash '$T/drive.bash' '$T/script.bash' ssdqual '' | grep -qE 'decode|manpage'"
	# Nothing is left out: every option that is shown, of every command, completes to itself.
	ssdqual help --json
	cat >"$T/every.py" <<'EOT'
import json, sys
tables = json.load(open(sys.argv[1], encoding="utf-8"))
for c in tables["commands"]:
    for o in c["options"] + tables["common_options"]:
        if not c["hidden"] and not o["hidden"]:
            print(c["name"], "--" + o["name"])
EOT
	/usr/bin/python3 "$T/every.py" "$T/out" >"$T/every"
	cat >"$T/every.bash" <<'EOT'
source "$1"
while read -r command option; do
	COMP_WORDS=(ssdqual "$command" "$option") COMP_CWORD=2
	_ssdqual
	[[ " ${COMPREPLY[*]} " == *" $option "* ]] || echo "$command $option"
done
EOT
	bash "$T/every.bash" "$T/script.bash" <"$T/every" >"$T/missing" 2>&1
	check "there are options to complete" test -s "$T/every"
	check "bash completes every option of every command" test ! -s "$T/missing"
else
	skip "bash is not installed"
fi

# -- the others -----------------------------------------------------------------------------------

if command -v zsh >/dev/null; then
	check "zsh reads its script" zsh -n "$T/script.zsh"
	zsh -f -c 'autoload -U compinit && compinit -D && source "$1" && print $_comps[ssdqual]' \
		zsh "$T/script.zsh" >"$T/zsh" 2>&1
	check "zsh calls it for ssdqual" grep -qx _ssdqual "$T/zsh"
else
	skip "zsh is not installed"
fi
if command -v fish >/dev/null; then
	check "fish reads its script" fish --no-execute "$T/script.fish"
	# fish_completes NAME WORD LINE: WORD is offered at the end of LINE.
	fish_completes() {
		(cd "$T" && fish --no-config -c "source '$T/script.fish'; complete -C '$3'") \
			>"$T/fish" 2>&1
		check "$1" sh -c "cut -f 1 '$T/fish' | grep -qxe '$2'"
	}
	fish_completes "fish completes a command" export "ssdqual exp"
	fish_completes "fish completes an option" --format "ssdqual export --form"
	fish_completes "fish completes the words of a choice" xlsx "ssdqual export --format xl"
	fish_completes "fish completes a battery" sync-size "ssdqual run --battery sy"
	fish_completes "fish completes words among the operands" restore "ssdqual cache sdx res"
else
	skip "fish is not installed"
fi

# -- manual pages ---------------------------------------------------------------------------------

mkdir "$T/man"
ssdqual help --json
names=$(/usr/bin/python3 -c 'import json, sys
print(*[c["name"] for c in json.load(open(sys.argv[1]))["commands"] if not c["hidden"]])' "$T/out")
check "there are commands" test -n "$names"
for name in $names; do
	ssdqual manpage "$name"
	expect_status 0 "a page of $name"
	sed 's/^\.Dd .*/.Dd November 30, 2026/' "$T/out" >"$T/man/ssdqual-$name.8"
done
ssdqual manpage nonsense
expect_status 2
if command -v mandoc >/dev/null; then
	for page in "$T"/man/*.8; do
		check "mandoc finds nothing in ${page##*/}" mandoc -Tlint -Wwarning "$page"
	done
	check "the page shows an option with its value" \
		sh -c "mandoc -Tascii '$T/man/ssdqual-export.8' | col -b | grep -q -- '--format NAME'"
	check "the page shows the examples" \
		sh -c "mandoc -Tascii '$T/man/ssdqual-export.8' | col -b | grep -q 'export --format md'"
else
	skip "mandoc is not installed"
fi
if command -v groff >/dev/null; then
	for page in "$T"/man/*.8; do
		groff -ww -mandoc -Tutf8 "$page" >/dev/null 2>"$T/groff"
		check "groff does not warn about ${page##*/}" test ! -s "$T/groff"
	done
else
	skip "groff is not installed"
fi
