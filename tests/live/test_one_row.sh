#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# An object has one row from its first sample on, at every refresh. Checks the recorded places and renames
# (one_row) and the rows of the report, and that a replay of the recording gives the same rows.
set -u
misstop=${MISSTOP:-src/misstop}
here=${BUILD:-.}/tests/live
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
folder=$(mktemp -d) || exit 1
failed=0
trap 'kill "$program" 2>/dev/null; rm -rf "$folder"' EXIT

"$here/one_row_planted" &
program=$!
sleep 1
if ! "$misstop" -s clock -j -n 4 -H 0 -o "$folder/rec" -p "$program" >"$folder/live.json"; then
    echo "skipped: no event source works"
    exit 77
fi
kill "$program"
"$misstop" -j -H 0 -i "$folder/rec" >"$folder/played.json" || failed=1
"$here/one_row" "$folder/rec.misstop" || failed=1
python3 - "$folder/live.json" "$folder/played.json" <<'PY' || failed=1
import json, sys
live, played = ([json.loads(line) for line in open(path)] for path in sys.argv[1:3])
failed = 0
def check(condition, description):
    global failed
    failed |= not condition
    print(("ok: " if condition else "FAILED: ") + description)
last = live[-1]["objects"]
names = [o["name"] for o in last]
arrays = [o for o in last if o["name"].startswith("malloc(32.0M)")]
check(names.count("struct particle []") == 1, "the array of particles is one row: %d" % names.count("struct particle []"))
check(len(arrays) == 2 and all(o["size"] < 40 << 20 and o["blocks"] == 1 for o in arrays),
      "two arrays of equal size are two rows with one block each: %s" % [(o["size"], o["blocks"]) for o in arrays])
check(len(set(names)) == len(names), "names of rows are unique: %s" % sorted(n for n in set(names) if names.count(n) > 1))
check(not any("malloc(3" in o["name"] and (o["type"] or "").startswith("struct") for o in last),
      "no row of unnamed blocks has the type of another row")
def samples(report, name):
    return sum(o["samples"] for o in report["objects"] if o["name"] == name)
for one, other in ("struct job", "struct link"), ("struct edge []", "struct edge"):
    check(samples(live[-1], one) > 20, "%s has a row with more than 20 samples: %.0f" % (one, samples(live[-1], one)))
    late = samples(live[-1], other) - samples(live[-3], other)
    check(late <= samples(live[-1], one) / 50, "%s has no second row: %.0f samples since its block is known" % (other, late))
stops = {f["name"]: f["share"] for o in last if o["name"] == "struct stop []" for f in o["fields"]}
check(stops.get("stop.way.cost", 0) > 0.2, "nested members of struct stop are fields of the stops: %s" % stops)
cells = [o for o in last if o["name"].startswith("struct cell")]
check(len(cells) == 1, "the cells of an arena are one row: %s" % [o["name"] for o in cells])
strings = [o["name"] for o in last if o["type"] == "char *" and o["type_votes"] >= 8]
check(strings in ([], ["char * []"]), "an array of pointers is named as an array: %s" % strings)
arena = [o for o in last if o["kind"] == "anon" and o["size"] >= 12 << 20]
check(len(arena) == 1 and arena[0]["type"] is None and not any("[" in f["name"] for f in arena[0]["fields"]),
      "the arena has no type and no array fields: %s" % [(o["name"], o["type"]) for o in arena])
parts = "struct link", "struct edge"  # a name for these blocks until misstop has seen more of them
for before, after in zip(live, live[1:]):
    now = {o[by] for o in after["objects"] if o["kind"] == "heap" for by in ("address", "name")}
    gone = [o["name"] for o in before["objects"] if o["kind"] == "heap" and o["share"] > 0.05 and
            o["name"] not in parts and not {o["address"], o["name"]} & now]
    check(not gone, "refresh %d: leading objects of the previous refresh are still listed, except %s" % (after["iteration"], gone))
for report, way in (live[-1], "live"), (played[-1], "played"):
    for o in (o for o in report["objects"] if o["name"] == "spills (spills)"):
        check([(f["offset"], f["name"]) for f in o["fields"]] == [(-280, "-280")],
              "%s: one stack slot at nine recursion depths is one field: %s" %
              (way, [(f["name"], f["share"]) for f in o["fields"]]))
    check("spills (spills)" in {o["name"] for o in report["objects"]}, "%s: the stack slot has a row" % way)
a = {o["name"]: o["samples"] for o in last}
b = {o["name"]: o["samples"] for o in played[-1]["objects"]}
check(a == b, "a replay of the recording reports the same rows and samples: %s" %
      {name: (a.get(name), b.get(name)) for name in set(a) | set(b) if a.get(name) != b.get(name)})
sys.exit(failed)
PY

# Nodes that are only accessed by code without types, and nodes of two lists with the same node size.
if g++ -O2 -g -o "$folder/nodes" "${srcdir:-.}/tests/types/d_nodes.cc" 2>/dev/null; then
    "$folder/nodes" on &
    program=$!
    "$misstop" -s clock -j -n 3 -H 0 -p "$program" >"$folder/nodes.json" || failed=1
    kill "$program"
    python3 - "$folder/nodes.json" <<'PY' || failed=1
import json, sys
last = [json.loads(line) for line in open(sys.argv[1])][-1]["objects"]
shares = {o["name"]: o["share"] for o in last}
failed = 0
for name in "map<long, order> node", "set<int> node", "list<order> node", "list<item> node":
    good = shares.get(name, 0) > 0.01
    failed |= not good
    print(("ok: " if good else "FAILED: ") + "%s has a row with more than 1 %%: %s" % (name, shares.get(name)))
rest = sum(share for name, share in shares.items() if name.startswith("malloc(") or name.endswith("list node"))
failed |= rest > 0.05
print(("ok: " if rest <= 0.05 else "FAILED: ") + "at most 5 %% of the samples are on nodes without a type: %.3f" % rest)
sys.exit(failed)
PY
    # Without debug information, return addresses count as saved registers too.
    strip -o "$folder/stripped" "$folder/nodes"
    "$folder/stripped" on &
    program=$!
    "$misstop" -s clock -j -n 3 -H 0 -p "$program" >"$folder/stripped.json" || failed=1
    kill "$program"
    python3 - "$folder/stripped.json" <<'PY' || failed=1
import json, sys
report = [json.loads(line) for line in open(sys.argv[1])][-1]
last = report["objects"]
returns = {o["name"] for o in last for f in o["fields"] if o["kind"] == "stack" and f["offset"] in range(-8, 0)}
good = returns and all(name.endswith("(saved registers)") for name in returns)
print(("ok: " if good else "FAILED: ") + "return addresses count as saved registers: %s" % returns)
bins = sum(b["samples"] or 0 for b in report["heap"]["bins"])
once = 0 < bins <= sum(o["samples"] for o in last if o["kind"] == "heap")
print(("ok: " if once else "FAILED: ") + "blocks without a type are counted once in their bin: %.0f samples" % bins)
sys.exit(not (good and once))
PY
else
    echo "skipped: nodes of the C++ library (no g++)"
fi
exit $failed
