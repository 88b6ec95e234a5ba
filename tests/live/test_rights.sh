#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# If something is not permitted or not possible, misstop gives the true reason and a remedy. Tests setuid
# programs, a program that executes one, limits on open files, a full disk, and processes that root cannot
# watch either.
set -u
. "$(dirname "$0")/../replay/judge.sh"

[ "$(id -u)" = 0 ] || { skip "all checks: needs root, to run programs as another user"; finish; }
needs setpriv prlimit
user=65534
chmod 755 "$work"
cd "$work" || exit 99
cat >spin.c <<'C'
#include <time.h>
#include <unistd.h>
static long data[1 << 18];
volatile long sink;
/* Spins; given a program, executes it after a second of CPU time. */
int main(int count, char **names)
{
    while (count < 2 || clock() < CLOCKS_PER_SEC)
        for (unsigned i = 0; i < 100000; i++)
            sink += data[i * 4099ul % (1 << 18)];
    execv(names[1], names + 1);
    return 1;
}
C
${CC:-cc} -O1 -o spin spin.c 2>errors || { skip "all checks: no compiler: $(head -1 errors)"; finish; }
cp spin setuid && chmod 4755 setuid

as_user() { setpriv --reuid $user --regid $user --clear-groups "$@"; }
start() { # command...: its pid in $pid
    setpriv --reuid $user --regid $user --clear-groups "$@" &
    pid=$!
    targets="$targets $pid"
    sleep 0.3
}
watch_until() { # the expected message: reports in `out`
    timeout 90 "$MISSTOP" -s clock -b -d 0.3 -p $pid >out 2>&1 &
    watcher=$!
    while kill -0 $watcher 2>/dev/null && ! grep -q "$1" out; do sleep 0.1; done
    kill $watcher 2>/dev/null
    wait $watcher 2>/dev/null
}
expect() { # case, expected message, file
    grep -q "$2" "$3" && pass "$1: prints '$2'" || fail "$1: expected '$2', got: $(head -3 "$3")"
}
reject() { # case, message that must not be printed, file
    grep -q "$2" "$3" && fail "$1: unexpected '$2': $(grep "$2" "$3" | head -1)" || pass "$1: does not print '$2'"
}

start ./spin
"$MISSTOP" -s clock -b -d 0.3 -n 1 -p $pid >out 2>&1 || { skip "all checks: sampling fails: $(head -1 out)"; finish; }
for limit in 8 10 12 14; do
    prlimit --nofile=$limit:$limit "$MISSTOP" -s clock -b -d 0.3 -n 1 -p $pid >out 2>limited
    reject "at most $limit open files" 'is gone' limited
    [ -s limited ] || break
    expect "at most $limit open files" 'ulimit -n' limited
done
kill $pid

cp "$(command -v id)" id && chmod 4755 id
if [ "$(as_user ./id -u 2>/dev/null)" = 0 ]; then
    start ./setuid
    as_user "$MISSTOP" -b -d 0.3 -n 1 -p $pid >out 2>&1
    expect 'a setuid program of the same user' 'its program is setuid' out
    kill $pid
    start ./spin ./setuid
    watch_until 'the kernel stopped its sampling'
    expect 'a program that executes a setuid program' 'the kernel stopped its sampling' out
    kill $pid
    start ./spin ./spin
    watch_until 'another program was started'
    expect 'a program that executes another' 'another program was started' out
    reject 'a program that executes another' 'the kernel stopped its sampling' out
    kill $pid
else
    skip 'setuid programs: no effect in the temporary folder (nosuid, no new privileges)'
fi

"$MISSTOP" -b -d 0.3 -n 1 -p 1 >out 2>&1
reject 'root watching process 1' 'try sudo' out

mkdir full
if mount -t tmpfs -o size=64k none full 2>/dev/null; then
    dd if=/dev/zero of=full/fill bs=1k count=64 2>/dev/null
    start ./spin
    "$MISSTOP" -s clock -b -n 1 -o full/rec -p $pid >out 2>&1
    expect '-o on a full disk' 'free space .*another place with -o' out
    "$MISSTOP" -s clock -b -n 1 --html full/page -p $pid >out 2>&1
    expect '--html on a full disk' 'free space or name another place' out
    kill $pid
    umount full
else
    skip 'full disk: mount fails'
fi
finish
