#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# On every bad input, misstop prints one clear line with cause and remedy and exits with the documented status.
set -u
work=$(mktemp -d) || exit 99
failures=0
checks=0
children=
trap 'kill $children 2>/dev/null; rm -rf "$work"' EXIT

# On a busy machine, a short run may not get enough samples: repeats the test with longer runs until it
# passes.
expect_within() { # FUNCTION that takes a number of seconds, message
    for seconds in 1 4 16 60; do
        "$1" $seconds && return
    done
    echo "FAIL: $2"
    sed 's/^/  | /' "$work/err" "$work/out"
    failures=$((failures + 1))
}

# Waits until a process has executed a file or has ended.
until_executed() { # pid, path
    while kill -0 "$1" 2>/dev/null && [ "$(readlink "/proc/$1/exe")" != "$2" ]; do sleep 0.05; done
}

# expect STATUS PATTERN ARGUMENT...: checks the status and the only line of standard error
expect() {
    local status=$1 pattern=$2 got lines
    shift 2
    timeout 60 "$MISSTOP" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    lines=$(wc -l <"$work/err")
    checks=$((checks + 1))
    if [ "$got" != "$status" ] || ! grep -qiE "^misstop: .*($pattern)" "$work/err" || [ "$lines" != 1 ]; then
        printf 'FAIL: misstop %s\n  expected status %s and one line with /%s/, got status %s and %s lines:\n' \
            "$*" "$status" "$pattern" "$got" "$lines"
        sed 's/^/  | /' "$work/err"
        failures=$((failures + 1))
    fi
}

# usage errors: status 2
expect 2 'one of -p PID' -p 1 ls
expect 2 'whole number' -p abc
expect 2 'idle task' -p 0
expect 2 'whole number' -r 0 -p 1
expect 2 'not an option|try misstop --help' --nonsense
expect 2 'lacks its value|try misstop' -p
expect 2 'one of auto' -s pmu -p 1
expect 2 'seconds' -d 0 -p 1
unset DEBUGINFOD_URLS
expect 2 'set DEBUGINFOD_URLS' --debuginfod -p 1
expect 2 'level|cache' -b -p $$ -C L9
expect 2 'line|cache|ways' -b -p $$ -C L1=32K,0,64
expect 2 'range is empty' -b -p $$ --search 20-10
expect 2 'did you mean|nearest|perhaps' -b -p $$ -s counter -e cache-misess
expect 1 'terminal|-b' -p $$

# processes: status 1
sleep 60 & gone=$!
kill -9 $gone; wait $gone 2>/dev/null
expect 1 'no process|does not exist|gone|no such' -b -n 1 -p $gone
expect 1 'kernel thread' -b -n 1 -p 2
python3 -c 'import os,time
if os.fork() == 0: os._exit(0)
time.sleep(60)' & parent=$!
children="$children $parent"
zombie=
for _ in $(seq 100); do
    zombie=$(pgrep -P $parent | head -n 1)
    [ -n "$zombie" ] && grep -q '^State:.*Z' "/proc/$zombie/status" && break
    sleep 0.1
done
expect 1 'zombie|has ended' -b -n 1 -p "$zombie"

# a 32-bit program, made by hand: an ELF32 file that loops forever, without system calls
python3 - "$work/elf32" <<'PY'
import struct, sys, os
code = b"\xeb\xfe"
base = 0x8048000
head = b"\x7fELF\x01\x01\x01" + b"\0" * 9
head += struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, base + 84, 52, 0, 0, 52, 32, 1, 0, 0, 0)
head += struct.pack("<IIIIIIII", 1, 0, base, base, 84 + len(code), 84 + len(code), 5, 4096)
open(sys.argv[1], "wb").write(head + code)
os.chmod(sys.argv[1], 0o755)
PY
"$work/elf32" 2>/dev/null & elf32=$!
until_executed $elf32 "$work/elf32"
if kill -0 $elf32 2>/dev/null; then
    children="$children $elf32"
    expect 1 '32-bit' -b -n 1 -p $elf32
else
    echo "skipped: 32-bit program (this kernel runs none)"
fi

# a process of another user
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work"
    copy=$work/misstop
    cp "$MISSTOP" "$copy"
    checks=$((checks + 1))
    setpriv --reuid 65534 --regid 65534 --clear-groups "$copy" -b -n 1 -p $$ >/dev/null 2>"$work/err"
    if [ $? != 1 ] || ! grep -qiE '^misstop: .*(permission|belongs|not yours|owner|sudo)' "$work/err"; then
        echo "FAIL: another user's process: expected status 1 and the cause, got:"; sed 's/^/  | /' "$work/err"
        failures=$((failures + 1))
    fi
    # an unprivileged user can watch their own process
    checks=$((checks + 1))
    if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
        watched_unprivileged() {
            setpriv --reuid 65534 --regid 65534 --clear-groups "$copy" -b -n 1 -d "$1" -- \
                "$DEMO" $(($1 + 1)) >"$work/out" 2>"$work/err" && grep -q particles "$work/out"
        }
        expect_within watched_unprivileged "an unprivileged user cannot watch their own program"
    fi
fi

# commands
expect 1 'no such file|not found' -b -- "$work/nothing-here"
expect 1 'permission' -b -- "$work"
printf 'hello\n' >"$work/text"
expect 1 'not a perf.data|no perf.data' -b -i "$work/text"
expect 1 'no such file|not found|cannot open' -b -i "$work/absent"
: >"$work/empty"
expect 1 'empty|perf.data|short|truncated' -b -i "$work/empty"
head -c 50 /dev/zero >"$work/zero"
expect 1 'perf.data' -b -i "$work/zero"

# misstop passes on the exit status of the command, also after a signal
"$MISSTOP" -b -d 0.2 -- sh -c 'exit 7' >/dev/null 2>&1
status=$?
[ $status = 7 ] || { echo "FAIL: exit status of the command: expected 7, got $status"; failures=$((failures + 1)); }
"$MISSTOP" -b -d 0.2 -- sh -c 'kill -TERM $$' >/dev/null 2>&1
status=$?
[ $status = 143 ] || { echo "FAIL: status after a signal to the command: expected 143, got $status"; failures=$((failures + 1)); }

# the reader of the output exits: no message, no failure
"$DEMO" 100 & demo=$!
children="$children $demo"
timeout 60 "$MISSTOP" -b -d 0.1 -n 30 -p $demo 2>"$work/err" | head -n 3 >/dev/null
status=${PIPESTATUS[0]}
[ "$status" = 0 ] && [ ! -s "$work/err" ] || { echo "FAIL: output to a closed pipe (| head): expected status 0 and no message, got status $status:"; cat "$work/err"; failures=$((failures + 1)); }
timeout 60 "$MISSTOP" -b -n 1 -d 0.2 -p $demo >/dev/full 2>"$work/err"
[ $? = 1 ] && grep -q 'No space' "$work/err" || { echo "FAIL: output to /dev/full: expected status 1 and 'No space', got:"; cat "$work/err"; failures=$((failures + 1)); }

# the target ends during the interval: misstop prints the last report and exits with 0
to_the_end() {
    "$DEMO" "$1" & short=$!
    timeout 90 "$MISSTOP" -b -d 80 -p $short >"$work/out" 2>"$work/err" && grep -q particles "$work/out"
}
expect_within to_the_end "the last report after the end of the target lacks particles, or misstop failed"

# the target executes another program
through_exec() {
    sh -c 'sleep 0.7; exec "$0" $1' "$DEMO" $(($1 * 2)) & other=$!
    timeout 180 "$MISSTOP" -b -d 1 -p $other >"$work/out" 2>"$work/err"
    grep -q particles "$work/out"
}
expect_within through_exec "the report after an exec of the target lacks particles"

# a truncated ELF file replaces the executable of a running process
cp "$DEMO" "$work/cut"
"$work/cut" 100 & cut=$!
until_executed $cut "$work/cut"
mv "$work/cut" "$work/old"; head -c 3000 "$work/old" >"$work/cut"
timeout 60 "$MISSTOP" -b -n 1 -d 1 -p $cut >"$work/out" 2>"$work/err" || { echo "FAIL: the target's executable was replaced by a truncated file: misstop failed:"; cat "$work/err"; failures=$((failures + 1)); }
kill $cut
wait $cut

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
