#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A perf recording of two processes in a real terminal: the list of processes, the whole recording,
# play, pause, step, go back, the other process, and a pipe.
set -u
. "${srcdir:-.}/tests/screen/tui.sh"
command -v tmux >/dev/null || { echo "SKIP: tmux is not installed"; exit 77; }
command -v perf >/dev/null || { echo "SKIP: perf is not installed"; exit 77; }
MISSTOP=$(realpath "${MISSTOP:-src/misstop}")
DEMO=$(realpath "${DEMO:-src/misstop-demo}")
work=$(mktemp -d)
trap 'tui_end; rm -rf "$work"' EXIT
failures=0
check() { "$@" || failures=$((failures + 1)); }
end() { tui_end; sleep 0.3; }
# Prints the position in the recording and its length, in seconds.
position() {
    tui_screen | sed -nE 's/.*Paused +([0-9][^ ]*) of +([0-9][^ ,]*).*/\1 \2/p' |
        awk 'function seconds(text, of) {
                if (text ~ /ms$/)
                    return text / 1000
                return split(text, of, "m") > 1 ? of[1] * 60 + of[2] : text + 0
            }
            { print seconds($1), seconds($2) }'
}
# Half has a tolerance of a tenth, because positions depend on samples; a step is a second, or to the end.
is_at_half() { position | awk '{ part = $2 > 0 ? $1 / $2 : 0 } END { exit !(part > 0.4 && part < 0.6) }'; }
is_behind() { tui_shows 'At the end' || [ "$(position)" != "$1" ]; }
expect() { # description, command to succeed in time
    local description=$1
    shift
    tui_until "$@" || tui_failed "$description; position and length: $(position)"
}

# The demo has more samples: it runs for a second of CPU time, however long that takes.
cat >"$work/both" <<END
ulimit -c 0
bash -c 'i=0; while [ \$((i += 1)) -lt 50000 ]; do :; done' &
(ulimit -S -t 1; exec '$DEMO' >/dev/null)
wait
END
registers=ax,bx,cx,dx,si,di,bp,sp,ip,r8,r9,r10,r11,r12,r13,r14,r15
perf record -q -e cpu-clock -F 1000 -d --user-regs=$registers -o "$work/data" -- \
    bash "$work/both" >"$work/log" 2>&1
[ -s "$work/data" ] || { echo "SKIP: perf cannot record here: $(head -n 1 "$work/log")"; exit 77; }

# --- batch: one table of the whole run, and a list of the other processes
"$MISSTOP" -b -i "$work/data" >"$work/batch" 2>&1 </dev/null
grep -q 'shares refer to this process, which has [0-9.]*% of the samples; those of perf report' "$work/batch" ||
    { echo "FAIL: the text report does not say what its shares refer to"; cat "$work/batch"; failures=$((failures + 1)); }
grep -q 'recorded processes; -p PID shows another: .*(bash)' "$work/batch" ||
    { echo "FAIL: the text report does not list the other processes"; cat "$work/batch"; failures=$((failures + 1)); }
[ "$(grep -c '^misstop ' "$work/batch")" = 1 ] ||
    { echo "FAIL: the text report has $(grep -c '^misstop ' "$work/batch") tables, expected 1"; failures=$((failures + 1)); }
"$MISSTOP" -j -i "$work/data" </dev/null | grep -q '"live":false.*"recording":{"position":' ||
    { echo "FAIL: the JSON report lacks live:false or the recording's position"; failures=$((failures + 1)); }

# --- the list, then the whole recording
tui_start 130 32 "$MISSTOP -i $work/data"
check tui_wait 'which process of the recording'
check tui_wait 'misstop-demo'
tui_keys Enter
check tui_wait 'At the end .*1 of [0-9]+ processes'
check tui_wait 'whole run'
check tui_wait 'particles|\[anon|\[heap'
check tui_wait 'RECORDED'
tui_screen | grep -qE 'LIVE|exec' && { echo "FAIL: the screen of a recording shows LIVE or exec"; failures=$((failures + 1)); }
tui_keys i
check tui_wait 'taken  '
all=$(tui_screen | sed -n 's/.*taken  *\([0-9.k]*\).*/\1/p')
tui_keys i

# --- back, step, to a time, and to the end: the same counts
tui_keys '^'
check tui_wait 'Paused  0\.0s of'
tui_keys '@' 5 0 % Enter
check expect 'expected a position of 40 to 60 % after @ 50%' is_at_half
half=$(position)
tui_keys .
check expect "expected a position after $half or the end after one step" is_behind "$half"
tui_keys '$'
check tui_wait 'At the end'
tui_keys i
check tui_wait "taken  *$all"
tui_keys i

# --- played
tui_keys p
check tui_wait 'Playing'
tui_keys p
check tui_wait 'Paused'
tui_keys Space
check tui_wait 'FROZEN'
tui_keys Space

# --- the other process, and leaving the list without a choice
tui_keys P
check tui_wait 'which process of the recording'
tui_keys Escape
check tui_wait 'Paused'
tui_keys P
check tui_wait 'which process of the recording'
tui_keys Down Enter
check tui_wait 'At the end'
check tui_gone 'misstop-demo'
tui_keys q
check tui_wait 'status=0'
end

# --- the recording from a pipe, the keys from the terminal
tui_start 100 24 "sh -c 'cat $work/data | $MISSTOP -i -'"
check tui_wait 'which process of the recording'
tui_keys Enter
check tui_wait 'At the end'
tui_keys '^'
check tui_wait 'Paused'
tui_keys q
check tui_wait 'status=0'
end

# --- played from the start
tui_start 100 24 "$MISSTOP -i $work/data -p $(sed -n 's/^misstop misstop-demo \([0-9]*\),.*/\1/p' "$work/batch") --play=2"
check tui_wait 'Playing .*2x'
check tui_wait 'At the end'
tui_keys q
check tui_wait 'status=0'
[ "$failures" = 0 ] && echo "ok: process list, whole recording, back, step, play, other process, pipe"
exit $((failures != 0))
