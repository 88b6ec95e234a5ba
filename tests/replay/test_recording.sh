#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A replay of misstop's own recording shows exactly the tables of the live run: with the agent's heap,
# with a walked heap and with types; after a kill; and for each file of a rotation. Files that do not
# belong to a recording are rejected.
set -u
. "$(dirname "$0")/judge.sh"

needs python3

same() { # name, options common to both runs
    name=$1
    shift
    "$MISSTOP" -i "$work/$name" -j "$@" >"$work/$name.replay" 2>"$work/err"
    if output=$("$here/compare_reports.py" "$work/$name.live" "$work/$name.replay" 2>&1); then
        pass "$name: the replay equals the live report: $output"
    else
        fail "$name: the replay differs from the live report: $output $(cat "$work/err")"
    fi
}

# Checks that the live report r of a run contains the data to be compared.
contains() { # name, Python expression
    if python3 -c "import json; r = json.loads(open('$work/$1.live').read().strip().split('\n')[-1]); exit(not ($2))"; then
        pass "$1: the report contains $2"
    else
        skip "$1: the report lacks the data to be compared: $2"
    fi
}

record() { # name, options and command or process
    name=$1
    shift
    "$MISSTOP" -o "$work/$name" -j -d 0.3 "$@" >"$work/$name.live" 2>"$work/err" </dev/null || {
        skip "$name: cannot be watched: $(head -n 1 "$work/err")"
        return 1
    }
}

# Records the demo; repeats with more refreshes if a busy machine gave it too few samples.
record_demo() { # name, options
    name=$1
    shift
    for refreshes in 4 16 64; do
        record "$name" -n $refreshes "$@" -- "$DEMO" || return
        tail -n 1 "$work/$name.live" |
            python3 -c 'import json, sys; exit(json.load(sys.stdin)["samples"]["total"] < 100)' && return
    done
}

# Launched: heap blocks from the agent, fields from debugging information; with and without decay of
# weights.
record_demo agent -H 0 && same agent -H 0 && same agent -H 0 -n 1
record_demo decaying -H 0.5 -w 100 -C L2=512K,8,64 && same decaying -H 0.5 -w 100

# Attached: the heap is walked. The demo ends before misstop.
"$DEMO" >/dev/null & targets=$!
(until [ "$(wc -l 2>/dev/null <"$work/walk.live" || echo 0)" -ge 3 ]; do sleep 0.1; done; kill $targets) &
record walk -H 0 -p $targets && same walk -H 0

# With the simulated cache: its exact totals and the causes of misses.
if record simulated -H 0 --sim=L1=8K,2,64:L2=64K,4,64 -- "$BUILD/tests/live/sim_planted" walk 512; then
    same simulated -H 0
    contains simulated "r['simulation']['accesses'] > 100000 and any(o.get('causes') for o in r['objects'])"
    contains simulated "r['use']['lines'] > 1000 and any(o.get('spatial_use') for o in r['objects'])"
    contains simulated "r['reuse']['all']['uses'] > 1000 and len(r['reuse']['objects']) > 1 and r['reuse']['code']"
    contains simulated "any(i.get('used_by') for c in r['code'] for i in c['instructions'])"
    contains simulated "any(i.get('thrown_out_by') for c in r['code'] for i in c['instructions'])"
fi

# Watchpoints: their results and their cost. The program ends on its own, long after the test.
"$WATCH_PLANTED" all 200 >/dev/null & targets=$!
if record watched -n 5 -H 0 --watch=5 -p $targets; then
    same watched -H 0
    contains watched "r['watch']['touches'] and any(o['touched'] for o in r['watch']['objects'])"
fi
kill $targets

# FILE.misstop is sufficient, and so is a copy of it under another name.
mkdir "$work/elsewhere"
cp "$work/agent.misstop" "$work/elsewhere/renamed"
"$MISSTOP" -i "$work/elsewhere/renamed" -j -H 0 >"$work/alone" 2>&1
if "$here/compare_reports.py" "$work/agent.live" "$work/alone" >/dev/null; then
    pass "FILE.misstop alone, renamed, equals the live report"
else
    fail "FILE.misstop alone, renamed, differs from the live report: $(head -c 200 "$work/alone")"
fi

# The perf.data of one run with the .misstop of another.
cp "$work/agent" "$work/mixed"
cp "$work/walk.misstop" "$work/mixed.misstop"
if "$MISSTOP" -i "$work/mixed" -b 2>&1 | grep -q 'belongs to another recording'; then
    pass "the .misstop file of another recording is rejected"
else
    fail "the .misstop file of another recording is not rejected"
fi

# Killed: everything synced is in the file, and a missing end is only reported if it is missing. The
# demo outlives misstop: it ends on its own, long after the test.
: >"$work/killed.live"
"$MISSTOP" -o "$work/killed" -j -d 0.2 -- "$DEMO" 100 >"$work/killed.live" 2>/dev/null </dev/null &
recorder=$!
tries=0
until [ "$(wc -l <"$work/killed.live")" -ge 3 ] || [ $tries = 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
demo=$(pgrep -P $recorder -f "$DEMO 100" | head -1)
kill -9 $recorder
wait $recorder 2>/dev/null
[ -z "$demo" ] || kill "$demo"
"$MISSTOP" -i "$work/killed" -j >"$work/killed.replay" 2>&1
if python3 - "$work/killed.live" "$work/killed.replay" <<'EOF'
import json, sys
live = [json.loads(line) for line in open(sys.argv[1]) if line.endswith("\n")][-1]
replay = json.loads(open(sys.argv[2]).read().strip().split("\n")[-1])
sys.exit(not 0 <= live["samples"]["total"] <= replay["samples"]["total"])
EOF
then
    pass "killed: the file has all samples of the last live report"
else
    fail "killed: the file has fewer samples than the last live report: $(head -c 200 "$work/killed.replay")"
fi

# Truncated in the middle of a block.
head -c $(($(stat -c %s "$work/agent.misstop") - 7)) "$work/agent.misstop" >"$work/cut.misstop"
if "$MISSTOP" -i "$work/cut.misstop" -b | grep -q 'truncated or damaged.*shown up to there'; then
    pass "a truncated file is reported as truncated"
else
    fail "a truncated file is not reported as truncated"
fi

# Each file of a rotation is complete in itself.
"$MISSTOP" -o "$work/turns" --record-limit 1M,3 -b -r 20000 -d 0.3 -n 7 -- "$DEMO" >/dev/null 2>"$work/err" </dev/null
if [ -s "$work/turns.1.misstop" ] && [ -s "$work/turns.1" ]; then
    for turn in turns turns.1; do
        if "$MISSTOP" -i "$work/$turn" -j | python3 -c '
import json, sys
report = json.loads(sys.stdin.read().strip().split("\n")[-1])
names = {one["name"] for one in report["objects"]}
known = names & {"particles", "grid", "demo arena", "main demo.c:123"} or not report["samples"]["attributed"]
sys.exit("damaged" in (report["status"] or "") or not known)'; then
            pass "rotation: $turn has names of objects"
        else
            fail "rotation: $turn has no names of objects, or is damaged"
        fi
    done
    [ -e "$work/turns.3.misstop" ] && fail "rotation: expected at most 3 files, found a fourth"
else
    skip "rotation: too few samples for a second file: $(ls -s "$work" | tr '\n' ' ')"
fi

# A missing folder and a limit without a file are refused.
"$MISSTOP" -o "$work/none/here" -b -n 1 -- true >/dev/null 2>"$work/err"
if [ $? = 1 ] && grep -q 'none/here' "$work/err"; then pass "-o in a missing folder is refused"; else fail "-o in a missing folder: expected status 1 and the path, got: $(cat "$work/err")"; fi
"$MISSTOP" --record-limit 1M -b -n 1 -- true >/dev/null 2>"$work/err"
if [ $? = 2 ] && grep -q -- '-o FILE' "$work/err"; then pass "--record-limit without -o is refused"; else fail "--record-limit without -o: expected status 2 and '-o FILE', got: $(cat "$work/err")"; fi
finish
