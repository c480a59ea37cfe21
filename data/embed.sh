#!/bin/sh
# embed.sh FILE... - print C source with the JSON files of data/ as byte arrays (data/resource.h).
# A file's kind is its folder, its name the base name without .json.
set -eu
export LC_ALL=C
printf '/* Made by data/embed.sh; do not edit. */\n#include "data/resource.h"\n\n'
i=0
rows=
for f in "$@"; do
	kind=$(basename "$(dirname "$f")")
	name=$(basename "$f" .json)
	printf 'static const char text_%d[] = {\n' "$i"
	od -An -v -to1 "$f" | sed "s/ \([0-7][0-7]*\)/'\\\\\1',/g"
	printf '};\n'
	rows="$rows	{ \"$kind\", \"$name\", text_$i, sizeof(text_$i) },
"
	i=$((i + 1))
done
printf '\nconst struct resource resource_builtin[] = {\n%s	{ NULL, NULL, NULL, 0 },\n};\n' "$rows"
