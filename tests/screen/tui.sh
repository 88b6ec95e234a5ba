# SPDX-License-Identifier: GPL-3.0-or-later
# Drives a program in tmux like a user; to be sourced by the screen tests.
#
# Each test has its own tmux server, so that the user's sessions are not affected.
TUI_SOCKET=none
TUI_COUNT=0
tui() { tmux -L "$TUI_SOCKET" "$@"; }

tui_start() { # columns, rows, command...
    local columns=$1 rows=$2
    shift 2
    # Use a new socket each time, because an old server may still be terminating.
    TUI_COUNT=$((TUI_COUNT + 1))
    TUI_SOCKET=misstop-test-$$-$TUI_COUNT
    tui -f /dev/null new-session -d -x "$columns" -y "$rows" "env -u NO_COLOR XDG_CONFIG_HOME=/dev/null LANG=C.UTF-8 LC_ALL=C.UTF-8 $*; echo status=\$?; stty -a | head -n 3; exec cat"
    tui set -g default-terminal tmux-256color >/dev/null
}

tui_keys() { tui send-keys "$@"; }
tui_screen() { tui capture-pane -p; }
tui_end() { tui kill-server 2>/dev/null || true; }

# Number of attempts, a tenth of a second apart. Generous for busy machines, and reduced after the first failure.
TUI_TRIES=600
tui_failed() { # description
    TUI_TRIES=50
    printf 'FAIL: %s\n' "$1"
    tui_screen | sed 's/^/  | /'
    return 1
}

# Waits until a command succeeds, for at most a minute.
tui_until() {
    local i
    for i in $(seq "$TUI_TRIES"); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}

tui_shows() { tui_screen | grep -qE -- "$1"; }
tui_lacks() { ! tui_shows "$1"; }

# Waits until the screen shows the pattern, or no longer shows it; otherwise prints the screen, status 1.
tui_wait() { tui_until tui_shows "$1" || tui_failed "expected on the screen: /$1/"; }
tui_gone() { tui_until tui_lacks "$1" || tui_failed "expected to disappear from the screen: /$1/"; }
