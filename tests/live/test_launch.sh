#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that misstop starts behaves as it would without misstop. Runs the short form of
# tests/launch-matrix, and checks where reports go, the message for a program that cannot load the agent,
# and the cost of the agent after misstop has ended.
set -u
top=$(cd "${srcdir:-.}" && pwd)
[ -x "$top/tests/launch-matrix" ] || top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
cd "$work" || exit 1

skip() { echo "skipped: $1"; exit 77; }
command -v python3 >/dev/null || skip "python3 is not installed"
command -v cc >/dev/null || skip "no C compiler (cc)"
"$MISSTOP" -b -n 1 -d 0.1 -p $$ >/dev/null 2>&1 || skip "no source works here (misstop doctor says why)"

check() { # what, command that succeeds
    local what=$1
    shift
    if "$@" >why 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        cat why
    fi
}

# ---- the matrix; printed to show which programs were skipped ----
"$top/tests/launch-matrix" "$MISSTOP" --short >matrix
status=$?
cat matrix
check "programs are the same bare and under misstop" test $status = 0

# ---- where reports go ----
speak() { sh -c 'echo spoken; echo cried >&2; exit 3'; }
speak >alone 2>alone.err
"$MISSTOP" -b --output report -- sh -c 'echo spoken; echo cried >&2; exit 3' >out 2>err
check "the program's status" test $? = 3
check "its output" cmp alone out
check "its errors" cmp alone.err err
check "the report" grep -q '^misstop sh ' report
"$MISSTOP" -j -- sh -c 'echo spoken; echo cried >&2' >out 2>err
check "only JSON on standard output" python3 -c '
import json, sys
for line in open("out"):
    json.loads(line)'
check "what it says is on standard error" grep -qx spoken err
"$MISSTOP" -b --output /nowhere/file -- touch started >out 2>err
check "a file that cannot be written: status" test $? = 1
check "... and words" grep -q '^misstop: cannot write /nowhere/file: No such file' err
check "... and nothing was started" test ! -e started
"$MISSTOP" --output file -p $$ >out 2>err
check "without -b it is refused" test $? = 2

# ---- messages about the agent ----
said() { # pattern, command...
    local pattern=$1
    shift
    "$MISSTOP" -b -- "$@" >out 2>err
    grep -q "^misstop: no allocations are recorded: .*$pattern" err || { cat err; return 1; }
}
cat >program.c <<'END'
#include <stdlib.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* CPU time of a malloc and free pair in ns */
static double pair(void)
{
    enum { PAIRS = 2000000 };
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (int i = 0; i < PAIRS; i++) {
        void *volatile block = malloc(64);
        free(block);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) / PAIRS;
}

int main(int count, char **words)
{
    char name[64];
    if (count < 2)
        return 0;
    /* The test creates the file after it has ended misstop. */
    double during = pair();
    while (access(words[1], F_OK)) {
        during = pair();
        usleep(1000);
    }
    double after = pair();
    for (int i = 0; i < 4; i++) {
        double again = pair();
        after = again < after ? again : after;
    }
    snprintf(name, sizeof name, "%s.ns", words[1]);
    FILE *out = fopen(name, "w");
    fprintf(out, "%.1f %.1f\n", during, after);
    return fclose(out);
}
END
cc -O1 -o program program.c || skip "cc cannot compile"
if cc -O1 -static -o static program.c 2>/dev/null; then
    check "a static program" said "static.* is linked statically" ./static
    check "... by exec" said "the new program is linked statically" sh -c 'exec ./static'
else
    echo "no static libc: not tried"
fi
if gcc -fsanitize=address -o asan program.c 2>/dev/null && ./asan; then
    check "a program with a sanitizer" said "asan is built with a sanitizer" ./asan
    check "... by exec" said "the new program is built with a sanitizer" sh -c 'exec ./asan'
else
    echo "no AddressSanitizer: not tried"
fi

# ---- the agent stops recording within a few events, whether misstop ends or is killed ----
silent_after() { # signal
    rm -f gone gone.ns
    # The program ignores SIGTERM: otherwise misstop would end it.
    "$MISSTOP" -b -d 60 -- sh -c 'trap "" TERM; exec ./program gone' >out 2>err &
    watcher=$!
    sleep 1
    kill -"$1" $watcher
    wait $watcher 2>/dev/null
    : >gone
    for _ in $(seq 200); do [ -s gone.ns ] && break; sleep 0.1; done
    read -r during after <gone.ns || during=none after=none
    : >there; ./program there
    read -r _ bare <there.ns
    rm -f there there.ns
    echo "ns of a malloc and free pair: $during recorded, $after after $1, $bare bare"
    # The silent agent costs a load and a branch in each of two calls. The bound is wide because the
    # machine may be busy.
    python3 -c "import sys; sys.exit(not $after < $bare + 0.6 * max($during - $bare, 10))"
}
# Times vary, so retry: an agent that goes on recording is slow every time.
goes_silent() { # signal
    for _ in 1 2 3 4; do silent_after "$1" && return; done
    return 1
}
for end in TERM KILL; do
    check "silent after $end" goes_silent $end
done

echo "test_launch: $passed passed, $failed failed"
[ $failed = 0 ]
