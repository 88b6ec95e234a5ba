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
"$MISSTOP" -b -n 1 -d 0.1 -p $$ >/dev/null 2>&1 || skip "no event source works (misstop doctor says why)"

check() { # description, command that succeeds
    local description=$1
    shift
    if "$@" >why 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $description: status of '$*' is not 0"
        cat why
    fi
}

# ---- the matrix; printed to show which programs were skipped ----
"$top/tests/launch-matrix" "$MISSTOP" --short >matrix
status=$?
cat matrix
check "programs behave the same bare and launched by misstop" test $status = 0

# ---- where reports go ----
print_both() { sh -c 'echo output; echo errors >&2; exit 3'; }
print_both >alone 2>alone.err
"$MISSTOP" -b --output report -- sh -c 'echo output; echo errors >&2; exit 3' >out 2>err
check "--output: misstop ends with the program's status" test $? = 3
check "--output: standard output has the program's output only" cmp alone out
check "--output: standard error has the program's errors only" cmp alone.err err
check "--output: the report is in the file" grep -q '^misstop sh ' report
"$MISSTOP" -j -- sh -c 'echo output; echo errors >&2' >out 2>err
check "-j: standard output has JSON only" python3 -c '
import json, sys
for line in open("out"):
    json.loads(line)'
check "-j: the program's output goes to standard error" grep -qx output err
"$MISSTOP" -b --output /nowhere/file -- touch started >out 2>err
check "--output to a path that cannot be written: status 1" test $? = 1
check "--output to a path that cannot be written: the message names it" grep -q '^misstop: cannot write /nowhere/file: No such file' err
check "--output to a path that cannot be written: the program is not started" test ! -e started
"$MISSTOP" --output file -p $$ >out 2>err
check "--output without -b is refused" test $? = 2

# ---- messages about the agent ----
prints_reason() { # pattern, command...
    local pattern=$1
    shift
    "$MISSTOP" -b -- "$@" >out 2>err
    grep -q "^misstop: no allocations are recorded: .*$pattern" err && return
    echo "expected 'no allocations are recorded: ... $pattern', got:"
    cat err
    return 1
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
    check "a static program: the reason is printed" prints_reason "static.* is linked statically" ./static
    check "an exec of a static program: the reason is printed" prints_reason "the new program is linked statically" sh -c 'exec ./static'
else
    echo "skipped: static program (no static libc)"
fi
if gcc -fsanitize=address -o asan program.c 2>/dev/null && ./asan; then
    check "a program with a sanitizer: the reason is printed" prints_reason "asan is built with a sanitizer" ./asan
    check "an exec of a program with a sanitizer: the reason is printed" prints_reason "the new program is built with a sanitizer" sh -c 'exec ./asan'
else
    echo "skipped: program with a sanitizer (no AddressSanitizer)"
fi

# ---- the agent stops recording within a few events, whether misstop ends or is killed ----
agent_is_fast_after() { # signal
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
    echo "malloc and free pair: $during ns while recording, $after ns after $1, $bare ns without misstop"
    # The silent agent costs a load and a branch in each of two calls. The bound is wide because the
    # machine may be busy.
    python3 -c "import sys; sys.exit(not $after < $bare + 0.6 * max($during - $bare, 10))"
}
# Times vary, so retry: an agent that goes on recording is slow every time.
agent_stops_after() { # signal
    for _ in 1 2 3 4; do agent_is_fast_after "$1" && return; done
    return 1
}
for end in TERM KILL; do
    check "the agent stops recording after SIG$end to misstop" agent_stops_after $end
done

echo "test_launch: $passed passed, $failed failed"
[ $failed = 0 ]
