# ssdqual validate, and our schema checker held against python3-jsonschema.
. tests/cli/lib.sh

good=tests/fixtures/results/measured.json

ssdqual validate $good tests/fixtures/results/imported.json tests/fixtures/results/newer-minor.json
expect_status 0 "good documents are valid"
expect_out "^$good: is valid$"
expect_no_err

ssdqual validate $good tests/fixtures/results/newer-major.json
expect_status 6 "one bad file makes the status 6"
expect_out "newer-major.json: /format_version: made by a newer ssdqual"
expect_out "^$good: is valid$" "the good file is still told"

ssdqual validate
expect_status 2 "a file must be named"
ssdqual validate --json "$T/absent.json" tests/cli
expect_status 6
expect_json files.# 2
expect_json "files[0].valid" false
expect_json "files[0].errors[0]" "No such file or directory"
expect_json "files[1].valid" false

run_input=$good
ssdqual validate --json -
run_input=/dev/null
expect_status 0 "- is standard input"
expect_json "files[0].valid" true
expect_json "files[0].errors" "[]"

printf '{"a": 1,\n "a": 2}' >"$T/twice.json"
ssdqual validate "$T/twice.json"
expect_status 6
expect_out "twice.json: 2:2: the key \"a\" stands twice" "the place in the text is named"

ssdqual validate --json data/schema/result.json
expect_json "files[0].errors.#" 9 "every missing section is listed"
ssdqual validate "$(printf 'x\033[31m.json')"
check "a file name cannot drive the terminal" sh -c '! grep -q "$(printf "\033")" "$1"' - "$T/out"

# -- against jsonschema ---------------------------------------------------------------------------

if ! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
	skip "no python3-jsonschema to compare with"
	exit
fi

cat >"$T/compare.py" <<'PY'
import copy, json, pathlib, subprocess, sys
import jsonschema

program, good_path, folder = sys.argv[1:4]
schema = json.load(open("data/schema/result.json"))
jsonschema.Draft202012Validator.check_schema(schema)
checker = jsonschema.Draft202012Validator(schema)
good = json.load(open(good_path))
good["measurements"] = good["measurements"][:1]
DROP = object()


def at(doc, path):
    for part in path:
        doc = doc[part]
    return doc


def changed(path, value):
    doc = copy.deepcopy(good)
    if not path:
        return value
    if value is DROP:
        del at(doc, path[:-1])[path[-1]]
    else:
        at(doc, path[:-1])[path[-1]] = value
    return doc


def paths(value, path=()):
    yield path
    if path[-1:] == ("buckets",):
        yield path + (0,)
        yield path + (0, 0)
        yield path + (0, 1)
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from paths(v, path + (k,))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from paths(v, path + (i,))


M = ("measurements", 0)
refused = [  # by the schema, hence by both
    ((), []), ((), None), ((), 5),
    (("format_version",), [1]), (("format_version",), [2, 0]), (("format_version",), [1, 0, 0]),
    (("format_version",), [1, -1]), (("format_version",), "1.0"), (("tool", "name"), ""),
    (("tool", "argv"), "ssdqual run"), (("settings", "precondition"), "full"),
    (("settings", "started_at"), "yesterday"), (("settings", "ended"), "well"),
    (("target", "capacity_bytes"), -1), (("target", "capacity_bytes"), 0.5),
    (("target", "capacity_bytes"), "0x10"), (("target", "capacity_bytes"), "007"),
    (("target", "write_cache", "drive"), "enabled"), (("target", "write_cache", "kernel"), "on"),
    (("target", "rotational", "claimed"), 0), (("target", "rotational", "measured"), False),
    (("target", "in_use"), [{"kind": "mount"}]), (M + ("iops",), -0.1), (M + ("iops",), "500"),
    (M + ("ios",), None), (M + ("ios",), 1.5), (M + ("ios",), 2.0**54),
    (M + ("battery",), ""), (M + ("probe",), "Journal"), (M + ("write_cache",), None),
    (M + ("source",), "measured"), (M + ("source", "kind"), "guessed"), (M + ("stop",), "done"),
    (M + ("params",), None), (M + ("noise",), []), (M + ("timeline",), None),
    (M + ("timeline", 0, "t_s"), 0), (M + ("timeline", 0, "p99_ns"), -1),
    (M + ("lat_ns", "histogram"), None), (M + ("sync_lat_ns", "histogram"), None),
    (M + ("lat_ns", "p50"), True), (M + ("lat_ns", "count"), -1),
    (M + ("lat_ns", "histogram", "bits"), 8), (M + ("lat_ns", "histogram", "scheme"), "linear"),
    (M + ("lat_ns", "histogram", "buckets", 0), [5]),
    (M + ("lat_ns", "histogram", "buckets", 0), [5, 1, 1]),
    (M + ("lat_ns", "histogram", "buckets", 0, 0), 4608),
    (M + ("lat_ns", "histogram", "buckets", 0, 0), 0),
    (("findings", 0, "code"), "Other IO"), (("findings", 0, "text"), ""),
    (("verdicts", 0, "grade"), "good"), (("verdicts", 0, "grade"), "AB"),
    (("verdicts", 0, "threshold"), {}), (("smart", "before"), []),
]
required = [()] + [("tool",), ("smart",), ("findings", 0), ("verdicts", 0), M, M + ("source",),
                   M + ("lat_ns",), M + ("lat_ns", "histogram"), M + ("timeline", 0)]
optional = {"label", "error", "uncorrected_lat_ns", "last_third_change", "noise"}
for path in required:
    for key in at(good, path):
        if not (path == M and key in optional - {"label"}):
            refused.append((path + (key,), DROP))

accepted = [  # by both: the document is still a good one
    (("new",), {"any": ["thing"]}), (("target", "serial"), None), (("target", "new"), 1),
    (("host", "kernel"), "6.1"), (("format_version",), [1, 99]), (("settings", "rows"), ["a", "b"]),
    (("target", "capacity_bytes"), "18446744073709551615"), (("target", "write_cache"), None),
    (("target", "rotational"), {}), (("target", "in_use"), []), (M + ("noise",), {"x": 1}),
    (M + ("error",), None), (M + ("uncorrected_lat_ns",), None), (M + ("iops",), None),
    (M + ("stop",), None), (M + ("new",), [1, {}]), (M + ("lat_ns", "new"), 1),
    (M + ("timeline",), []), (M + ("write_lat_ns",), None), (("verdicts", 0, "grade"), "C"),
    (("verdicts", 0, "threshold"), 5000), (("smart", "before"), {"x": 1}), (("measurements",), []),
    (("settings", "precondition"), None), (("tool", "argv"), ["ssdqual", "run"]),
]

cases = [("refused", p, changed(p, v)) for p, v in refused]
cases += [("accepted", p, changed(p, v)) for p, v in accepted]
# Every value in turn as every other kind: what jsonschema refuses must be refused here. (What it
# accepts may still be refused for figures that do not agree.)
for path in paths(good):
    for value in (None, True, -1, 0.5, "x", [], {}):
        if path:
            cases.append(("any", path, changed(path, value)))

files = []
for i, (_, _, doc) in enumerate(cases):
    file = pathlib.Path(folder) / f"{i}.json"
    file.write_text(json.dumps(doc))
    files.append(str(file))
answers = []
for i in range(0, len(files), 500):
    p = subprocess.run([program, "validate", "--json", *files[i:i + 500]], stdout=subprocess.PIPE)
    answers += json.loads(p.stdout)["files"]
counts = {"refused": 0, "accepted": 0, "any": 0}
wrong = 0
for (kind, path, doc), answer in zip(cases, answers):
    theirs, ours = checker.is_valid(doc), answer["valid"]
    place = "/" + "/".join(map(str, path))
    if kind == "refused" and (theirs or ours) or kind == "accepted" and not (theirs and ours) \
            or kind == "any" and ours and not theirs:
        wrong += 1
        print(f"{kind} {place}: jsonschema {theirs}, ssdqual {ours} {answer['errors'][:2]}: "
              f"{json.dumps(at(doc, path[:-1]) if path else doc)[:200]}")
    # Where the schema alone refuses, the first complaint must be about that place or above it.
    if kind == "any" and not theirs and not ours:
        e = next(iter(checker.iter_errors(doc)))
        about = "/" + "/".join(map(str, e.absolute_path)) if e.absolute_path else "the document"
        if not any(x.startswith(about + ":") or x.startswith(about + "/") or
                   about.startswith(x.split(":")[0]) for x in answer["errors"]):
            wrong += 1
            print(f"{place}: jsonschema complains about {about}, ssdqual says {answer['errors'][:3]}")
    counts[kind] += 1
print(f"{counts['refused']} refused, {counts['accepted']} accepted, {counts['any']} of any kind")
sys.exit(wrong > 0 or min(counts.values()) < 20)
PY
mkdir "$T/docs"
check "the schema is refused and accepted alike by python3-jsonschema" \
	/usr/bin/python3 "$T/compare.py" "$SSDQUAL" $good "$T/docs"
printf '%s\n' "$lib_text" | tail -n 1
