#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# misstop diff and --pprof on the command line: a program before and after a fix is watched, saved and
# compared; invalid arguments are refused with the right status; the sums of a profile are those of the
# report.
set -u
failures=0
checks=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

check() { # name, command...
    local name=$1
    shift
    checks=$((checks + 1))
    "$@" || { echo "FAIL: $name: status $? of: $*"; failures=$((failures + 1)); }
}

# expect_refused STATUS PATTERN ARGUMENT...: expects a one-line message and a status
expect_refused() {
    local status=$1 pattern=$2 got
    shift 2
    "$MISSTOP" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    checks=$((checks + 1))
    if [ "$got" != "$status" ] || ! grep -qE "^misstop: .*($pattern)" "$work/err" ||
        [ "$(wc -l <"$work/err")" != 1 ]; then
        echo "FAIL: misstop $*: expected status $status and one line with /$pattern/, got status $got and:"
        sed 's/^/  | /' "$work/err"
        failures=$((failures + 1))
    fi
}

echo '{"version":1,"objects":[],"code":[]}' >"$work/none.json"
echo '{"version":1,"objects":[' >"$work/cut.json"
echo 'hello' >"$work/text"
expect_refused 2 'two recordings' diff
expect_refused 2 'two recordings' diff "$work/none.json"
expect_refused 2 'two recordings' diff a b c
expect_refused 2 'not an option' diff --nonsense a b
expect_refused 2 'not an option' diff a b -p
expect_refused 2 'takes one PID' diff -p x a b
expect_refused 2 'whole number' diff --width 1 a b
expect_refused 2 'auto, always, never' diff --color red a b
expect_refused 2 'pipe' diff - "$work/none.json"
expect_refused 2 'name is missing' diff "$work/none.json," "$work/none.json"
expect_refused 1 'No such file' diff "$work/absent" "$work/none.json"
expect_refused 1 'not JSON' diff "$work/cut.json" "$work/none.json"
expect_refused 1 'perf.data' diff "$work/text" "$work/text"
expect_refused 1 'no sample' diff "$work/none.json" "$work/none.json"
expect_refused 1 'No such file' --pprof "$work/none/x.pb.gz" -b -n 1 -p $$
expect_refused 1 'another' --pprof /dev/null -b -n 1 -p $$
check 'diff --help prints the usage' sh -c '"$0" diff --help | grep -q "misstop diff"' "$MISSTOP"

finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" = 0 ] || exit 1
    exit 0
}

if ! "$MISSTOP" -b -n 1 -d 0.1 -p $$ >/dev/null 2>&1; then
    echo "skipped: watching a program; no event source works (misstop doctor says why)"
    finish
fi

# Half of the accesses are to particles or, once fixed, to charges; the others are to table.
cat >"$work/fix.c" <<'END'
#include <stdlib.h>
enum { COUNT = 1 << 19 };
struct particle { double rest[7]; unsigned long charge; };
volatile struct particle particles[FIXED ? 1 : COUNT];
volatile unsigned long charges[FIXED ? COUNT : 1];
volatile unsigned long table[1 << 21];
int main(int count, char **words)
{
    unsigned long at = (unsigned long)count;
    for (long i = atol(words[1]); i > 0; i--) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        at += FIXED ? charges[(at >> 33) % COUNT] : particles[(at >> 33) % COUNT].charge;
        at += table[(at >> 33) % (1 << 21)];
    }
    return at == 0;
}
END
for fixed in 0 1; do
    ${CC:-cc} -O1 -DFIXED=$fixed -o "$work/fix$fixed" "$work/fix.c" || { echo "cannot compile"; exit 99; }
    "$MISSTOP" -b -j -H 0 -d 0.05 -r 2000 --pprof "$work/fix$fixed.pb.gz" -- \
        "$work/fix$fixed" 5000000 >"$work/fix$fixed.json" 2>"$work/err" || cat "$work/err"
    check "--pprof writes a profile of fix$fixed" test -s "$work/fix$fixed.pb.gz"
done

"$MISSTOP" diff "$work/fix0.json" "$work/fix1.json" >"$work/out"
check 'diff with differences ends with status 0' test $? = 0
check 'diff shows the object particles as gone' grep -qE '^ *-[0-9.]+ .* particles .*gone' "$work/out"
check 'diff shows the object charges as new' grep -qE '^ *\+[0-9.]+ .* charges .*new' "$work/out"
check 'diff warns that the programs differ' grep -q 'B is a run of fix1, not of fix0' "$work/out"
"$MISSTOP" diff -j "$work/fix0.json" "$work/fix1.json" >"$work/out"
check 'diff -j prints one line' test "$(wc -l <"$work/out")" = 1
check 'diff -j shows the object particles as gone' grep -q '"name":"particles".*"reading":"gone"' "$work/out"
"$MISSTOP" diff "$work/fix0.json" "$work/fix0.json" >"$work/out"
check 'a run compared with itself has no significant change in three tables' test "$(grep -c 'no significant change' "$work/out")" = 3
"$MISSTOP" diff -j "$work/fix0.json" "$work/fix1.json" >"$work/diff.json"
expect_refused 1 'the output of misstop diff' diff "$work/diff.json" "$work/fix1.json"

if command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1 && command -v python3 >/dev/null; then
    go tool pprof -sample_index=samples -tags "$work/fix0.pb.gz" >"$work/tags" 2>&1
    go tool pprof -raw "$work/fix0.pb.gz" >"$work/raw" 2>&1
    check 'the profile has objects as labels' grep -q particles "$work/tags"
    check 'the sums of the profile equal those of the report' python3 - "$work/fix0.json" "$work/raw" <<'END'
import json, re, sys
report = json.loads(open(sys.argv[1]).read().splitlines()[-1])["samples"]
rows = re.findall(r"^ *(\d+) +(\d+): ", open(sys.argv[2]).read().split("Locations")[0], re.M)
samples, weight = sum(int(r[0]) for r in rows), sum(int(r[1]) for r in rows)
print(f"samples: expected {report['attributed']}, got {samples}; weight: expected {report['weight']}, got {weight}")
sys.exit(samples != report["attributed"] or abs(weight - report["weight"]) > 1)
END
else
    echo "skipped: reading the profile with go tool pprof (go or python3 is not installed)"
fi
finish
