#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# misstop's screens on its demo program: README's tour, key by key.
set -u
. "${srcdir:-.}/tests/screen/tui.sh"
command -v tmux >/dev/null || { echo "SKIP: tmux is not installed"; exit 77; }
"$MISSTOP" -b -n 1 -d 0.1 -p $$ >/dev/null 2>&1 || { echo "SKIP: no event source works (misstop doctor says why)"; exit 77; }
failures=0
check() { "$@" || failures=$((failures + 1)); }
work=$(mktemp -d) || exit 99
tour=
trap 'tui_end; kill $demo $tour 2>/dev/null; rm -rf "$work"' EXIT
"$DEMO" & demo=$!
tui_start 120 36 "$MISSTOP" -p $demo
check tui_wait 'misstop.*misstop-demo'
check tui_wait 'particles|grid|demo arena'
check tui_wait 'heap'
# from the process to one offset
tui_keys Home Enter
check tui_wait 'Fields:? [0-9]'
tui_keys Escape
check tui_wait 'SHARE|Share|share'
# every screen by its number
tui_keys 5
check tui_wait 'L1d'
tui_keys b
check tui_wait '[Rr]ecur'
tui_keys 2
check tui_wait 'visit_particles|walk_grid_column|visit_arena_page|walk_list'
# code by data, and from a cell to its code
tui_keys 3
check tui_wait 'by function and object'
check tui_wait '[a-z_]+ on [a-z]+'
tui_keys Enter
check tui_wait 'Instructions|Objects it accesses'
tui_keys Escape
check tui_wait 'by function and object'
tui_keys 6 S
check tui_wait '[Ss]earching|[Ss]ettled'
tui_keys 4
check tui_wait 'known by'
check tui_wait 'Allocated '
tui_keys M
check tui_wait 'GROWTH|growth'
tui_keys 7
check tui_wait '[Ff]reeze'
tui_keys 1
# freeze: the data does not change, sorting still works
tui_keys Space
check tui_wait 'FROZEN'
tui_keys '>' I
check tui_wait 'FROZEN'
tui_keys Space
check tui_gone 'FROZEN'
# filter
tui_keys '\' 'walk'
check tui_wait 'Filter: walk'
tui_keys Enter Escape
# resize while it runs
tui resize-window -x 40 -y 10
check tui_wait 'misstop'
tui resize-window -x 20 -y 5
check tui_wait 'too small|small'
tui resize-window -x 200 -y 50
check tui_wait 'misstop-demo'
# leave: the terminal is restored
tui_keys q
check tui_wait 'status=0'
check tui_wait 'echo|speed'
tui_end

# the list of processes; with a unique name, because other tests may run the demo
cp "$DEMO" "$work/tour$$"
"$work/tour$$" & tour=$!
tui_start 100 30 "$MISSTOP"
# [r]: so that the list does not show the grep itself
check tui_wait "tou[r]$$"
tui_keys '\' "tour$$" Enter
check tui_gone 'misstop-demo'
tui_keys Enter
check tui_wait "misstop.*tou[r]$$ "
tui_keys q
check tui_wait 'status=0'
tui_end

# the target ends: the last screen stays until q
tui_start 100 30 "$MISSTOP" -- "$DEMO" 2
check tui_wait 'particles'
check tui_wait 'ended'
tui_keys q
check tui_wait 'status=0'
tui_end

# killed by a signal, crashed: the terminal is usable
for signal in TERM SEGV; do
    tui_start 100 30 "$MISSTOP" -p $demo
    check tui_wait 'misstop-demo'
    pkill -$signal -f "^$MISSTOP -p $demo\$"
    check tui_wait 'status='
    check tui_wait ' echo |icanon|intr'
    tui_end
done

# a launched program: the last screen shows how it ended
tui_start 80 24 "$MISSTOP" -d 0.3 -- sh -c "'kill -ABRT \$\$'"
check tui_wait 'has ended by signal 6'
tui_end
echo "$failures failures"
[ $failures = 0 ]
