#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# misstop --sim --what-if on whatif_planted: compares the misses per access predicted for another layout
# with those of a program that really has this layout. Asks one question unless WHATIF_FULL=1.
set -u
program=$BUILD/tests/live/whatif_planted
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
cd "$work" || exit 1

skip() { echo "skipped: $1"; exit 77; }
[ -x "$BUILD/src/valgrind/misstop-amd64-linux" ] || skip "misstop was built without --sim (no valgrind)"
command -v valgrind.bin >/dev/null || command -v valgrind >/dev/null || skip "valgrind is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"

check() { # description, command that succeeds
    local description=$1
    shift
    if "$@" >why 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $description"
    fi
    cat why
}

# Counting begins after the program's preparations; small caches settle soon.
sim() { # file, function, options; -- and a command
    local out=$1 from=$2
    shift 2
    timeout 300 "$MISSTOP" --sim=L1=16K,8,64:L2=128K,8,64:nocauses --sim-from "$from" -j -H 0 -d 0.4 \
        "$@" >"$out" 2>"$out.err" || cat "$out.err"
}
evaluate() { # Python expression: r is the last report of `asked`, w its answer, t the last report of `changed`
    python3 - "$1" <<'END'
import json, sys
def last(name):
    lines = [l for l in open(name, errors='replace') if l.startswith('{"version"')]
    return json.loads(lines[-1]) if lines else {}
def rates(r):
    return [(l['load_misses'] + l['store_misses']) / r['simulation']['accesses'] for l in r['simulation']['levels']]
r = last('asked')
w = r.get('what_if', {})
try:
    t = last('changed')
except OSError:
    t = {}
def near(part, level):
    got = w['levels'][level]['misses_then'] / w['accesses']
    truth = rates(t)[level]
    print('%s on %s: L%d misses per 1,000 accesses: %.2f unchanged, %.2f predicted, %.2f in the changed program (%+.2f %%)' % (
        w['question'], w['object'], level + 1, 1e3 * w['levels'][level]['misses'] / w['accesses'],
        1e3 * got, 1e3 * truth, 100 * (got / truth - 1)))
    return abs(got / truth - 1) < part
ok = eval(sys.argv[1])
if not ok: print('the answer is', w)
sys.exit(not ok)
END
}
predicted() { evaluate "w.get('state') == 'counts' and w['settled'] and near(0.01, 0) and near(0.01, 1)"; }

compare() { # question, function and argument of the program with this layout, rounds
    sim changed "$2" -- "$program" array "$3" "$4"
    sim asked as_it_is --what-if "particle.original:$1" -- "$program" array "$4"
    check "$1 predicts the misses of the $3 layout" predicted
}

compare hot=key split split 160
if [ -n "${WHATIF_FULL:-}" ]; then
    compare pad padded padded 60
    compare align padded aligned 60
    # Blocks that are freed and allocated again: every one is followed.
    sim asked nodes --what-if renew:hot=key -- "$program" nodes 40
    check "freed and reallocated blocks are followed" evaluate "w['blocks'] == 12000 and not w['blocks_left_out'] and w['levels'][1]['change'] < -0.2"
    sim asked as_it_is --what-if of_program:never -- "$program" global 40
    check "never: the variable's misses disappear" evaluate "w['object_accesses'] and w['levels'][1]['misses_then'] < 0.01 * w['levels'][1]['misses']"
fi

# ---- refusals ----
"$MISSTOP" --sim --what-if fresh:nothing -- true 2>message
check "an invalid question is refused with the syntax" grep -q 'split=FIELD' message
"$MISSTOP" --what-if fresh:never -p $$ 2>message
check "--what-if without --sim is refused" grep -q -- '--sim' message
echo "test_whatif: $passed passed, $failed failed"
[ $failed = 0 ]
