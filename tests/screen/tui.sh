# SPDX-License-Identifier: GPL-3.0-or-later
# Drives a program in tmux as a user would; to be sourced by the screen tests.
#
# Each test has its own tmux server, so that nothing of the user's is touched.
TUI_SOCKET=none
TUI_COUNT=0
tui() { tmux -L "$TUI_SOCKET" "$@"; }

tui_start() { # columns, rows, command...
    local columns=$1 rows=$2
    shift 2
    # A server that is just ending must not be mistaken for the next one.
    TUI_COUNT=$((TUI_COUNT + 1))
    TUI_SOCKET=misstop-test-$$-$TUI_COUNT
    tui -f /dev/null new-session -d -x "$columns" -y "$rows" "env -u NO_COLOR LANG=C.UTF-8 LC_ALL=C.UTF-8 $*; echo status=\$?; stty -a | head -n 3; exec cat"
    tui set -g default-terminal tmux-256color >/dev/null
}

tui_keys() { tui send-keys "$@"; }
tui_screen() { tui capture-pane -p; }
tui_end() { tui kill-server 2>/dev/null || true; }

# Waits until the screen shows the pattern, 10 s at most; status 1 and the screen if not.
tui_wait() {
    local i
    for i in $(seq 1 100); do
        tui_screen | grep -qE -- "$1" && return 0
        sleep 0.1
    done
    printf 'FAIL: not on the screen: %s\n' "$1"
    tui_screen | sed 's/^/  | /'
    return 1
}

# No line may be wider than the window: tmux would have wrapped it into the next.
tui_gone() {
    local i
    for i in $(seq 1 100); do
        tui_screen | grep -qE -- "$1" || return 0
        sleep 0.1
    done
    printf 'FAIL: still on the screen: %s\n' "$1"
    return 1
}
