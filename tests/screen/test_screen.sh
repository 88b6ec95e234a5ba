#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The screen in a real terminal (tmux), with synthetic snapshots: sizes, keys, mouse, signals.
# The contents of screens are tested without a terminal, in tests/unit/view/test_screens.c.
set -u
. "${srcdir:-.}/tests/screen/tui.sh"
command -v tmux >/dev/null || { echo "SKIP: tmux is not installed"; exit 77; }
show=${BUILD:-.}/tests/screen/show_fixture
failures=0
check() { "$@" || failures=$((failures + 1)); }
trap tui_end EXIT
# Wait, so that a new server does not find the old one on the same socket.
end() { tui_end; sleep 0.3; }

pid_of_show() { # the program, not the shell around it
    pgrep -t "$(tui display -p '#{s|/dev/||:pane_tty}')" -x show_fixture
}

# Prints the selected line, identified by its background (with 256 colours).
selected_line() {
    tui capture-pane -e -p | grep -a -m1 '48;5;238' | sed 's/\x1b\[[0-9;]*m//g'
}

click() { # column, row, from 1: an SGR mouse press and release
    tui send-keys -l "$(printf '\033[<0;%d;%dM\033[<0;%d;%dm' "$1" "$2" "$1" "$2")"
}

row_of() { # pattern: prints the number of its row, from 1
    tui_screen | grep -nE -m1 -- "$1" | cut -d: -f1
}

# --- 120x36: pages by keys
# TERM is xterm, because its mouse reports are the SGR ones that click() sends.
tui_start 120 36 "TERM=xterm-256color $show usual still"
check tui_wait 'LIVE'
check tui_wait 'SHARE.*NAME.*HOT FIELD'
tui_keys Down Enter
check tui_wait 'Fields'
check tui_wait 'Objects › '
tui_keys Escape
check tui_wait '94% attributed'
for page in '2:MOSTLY ON' '3:by function and object' '4:known by agent' '5:more than chance' '6:Settled' '7:same bytes' '8:Phases' '9:No known problem' 'i:taken' 'F2:Colours' '?:Keys'; do
    tui_keys "${page%%:*}"
    check tui_wait "${page#*:}"
done
tui_keys 1 Space
check tui_wait FROZEN
tui_keys Space
check tui_gone FROZEN
tui_keys F6
check tui_wait 'LIVE'
# a typed word, with a correction
tui_keys 1 '\' grix BSpace d
check tui_wait 'Filter: grid'
check tui_gone particles
tui_keys Escape
check tui_wait particles

# --- mouse: select, open, tabs, key bar
tui_keys 1 Home
check tui_wait 'demo arena'
row=$(row_of 'demo arena')
click 60 "$row"
arena_is_selected() { selected_line | grep -q 'demo arena'; }
tui_until arena_is_selected ||
    { echo "FAIL: a click does not select 'demo arena'; selected: $(selected_line)"; failures=$((failures + 1)); }
click 60 "$row"
check tui_wait 'Fields'
click 14 3
check tui_wait 'MOSTLY ON'

# --- resize live
tui_keys 1
tui resize-window -x 40 -y 10
check tui_wait '^ SHARE.*± NAME  *KIND'
[ "$(tui_screen | wc -l)" -le 10 ] || { echo "FAIL: the screen has $(tui_screen | wc -l) rows in a terminal of 10"; failures=$((failures + 1)); }
check tui_wait 'Help q Quit'
tui resize-window -x 20 -y 5
check tui_wait 'too small'
tui resize-window -x 200 -y 50
check tui_wait 'TREND'
check tui_wait 'W Write'

# --- leave: the terminal is restored
tui_keys q
check tui_wait 'status=0'
check tui_wait ' echo |speed'
end

# --- suspend and resume, under a shell with job control
tui -f /dev/null new-session -d -x 100 -y 30 'env LC_ALL=C.UTF-8 PS1="ready> " bash --norc --noprofile -i'
check tui_wait 'ready>'
tui_keys 'stty -g >before.$$; mv before.$$ '"${TMPDIR:-/tmp}/$TUI_SOCKET.before" Enter
tui_keys "$show usual still" Enter
check tui_wait 'LIVE'
tui_keys C-z
check tui_wait 'Stopped'
tui_keys 'stty -g | cmp - '"${TMPDIR:-/tmp}/$TUI_SOCKET.before"' && echo same-"modes"' Enter
check tui_wait 'same-modes'
tui_keys 'fg' Enter
check tui_wait 'LIVE'
tui_keys 2
check tui_wait 'MOSTLY ON'
# --- a crash: modes, cursor and main screen are restored
kill -SEGV "$(pgrep -t "$(tui display -p '#{s|/dev/||:pane_tty}')" -x show_fixture)"
check tui_wait 'egmentation'
tui_keys 'stty -g | cmp - '"${TMPDIR:-/tmp}/$TUI_SOCKET.before"' && echo "after"-crash' Enter
check tui_wait '^after-crash'
[ "$(tui display -p '#{cursor_flag}#{alternate_on}#{mouse_any_flag}')" = 100 ] ||
    { echo "FAIL: cursor, alternate screen and mouse after a crash: expected 100, got $(tui display -p '#{cursor_flag}#{alternate_on}#{mouse_any_flag}')"; failures=$((failures + 1)); }
rm -f "${TMPDIR:-/tmp}/$TUI_SOCKET.before"
end

# --- limited terminals: no colours, no UTF-8, unknown
tui_start 80 24 "TERM=vt100 LC_ALL=C $show usual still"
check tui_wait 'vSHARE   \+- NAME'
if tui_screen | LC_ALL=C grep -q '[^ -~]'; then
    echo "FAIL: the screen has non-ASCII characters in the C locale"
    failures=$((failures + 1))
fi
tui_keys q
check tui_wait 'status=0'
end
# --- with debug information: Enter leads from the process to the source line, Escape back
tui_start 120 36 "$show typed still"
check tui_wait 'Enter Fields and code'
tui_keys Enter
check tui_wait 'struct particle \[524288\]'
check tui_wait 'Enter Layout'
tui_keys Enter
check tui_wait '── line 1  22.0%  12 of 16 bytes used, 4 cold'
check tui_wait 'Enter Code'
tui_keys o
check tui_wait '\+ vel'
tui_keys o Enter
check tui_wait '75  75.0%.*energy \+= mass'
check tui_wait 'Instructions 2'
tui_keys End
check tui_wait 'MOSTLY ON'
tui_keys Up
check tui_wait 'no text of clamp.h; looked for: /build/demo/include/clamp.h of the process'
tui_keys Escape
check tui_wait 'Enter Code'
tui_keys Escape Escape
check tui_wait 'Enter Fields and code'
# directly to the layout, and to another type of the same object
tui_keys Home Down Down Enter Enter
check tui_wait 'struct node 70%'
tui_keys Right
check tui_wait 'struct edge  16 bytes'
tui resize-window -x 40 -y 10
check tui_wait 'Enter Code Esc Back'
tui_keys q
check tui_wait 'status=0'
end

tui_start 80 24 "TERM=no-such-terminal $show usual still"
check tui_wait 'TERM=no-such-terminal is not known'
check tui_wait 'status=1'
end
tui_start 80 24 "$show usual still </dev/null"
check tui_wait 'needs a terminal'
end

# --- picker
tui_start 80 24 "$show picker"
check tui_wait 'which process'
tui_keys '\' redis Enter
check tui_gone misstop-demo
tui_keys Enter
check tui_wait 'request|attaching'
tui_keys q
check tui_wait 'status=0'
end

echo "$failures failures"
[ "$failures" = 0 ]
