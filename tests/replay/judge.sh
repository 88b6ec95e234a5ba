# SPDX-License-Identifier: GPL-3.0-or-later
# For the shell tests beside it: a folder to work in, which is removed, and what passed, failed or
# was skipped. To be sourced; `targets` names processes to end with the test.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
targets=
trap 'kill $targets 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); printf 'ok: %s\n' "$*"; }
fail() { failed=$((failed + 1)); printf 'FAILED: %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf 'skipped: %s\n' "$*"; }

# Nothing that could be looked at is a skipped test, and no passed one.
finish() {
    printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
    [ $failed = 0 ] || exit 1
    [ $passed != 0 ] || exit 77
    exit 0
}

# needs COMMAND...: without one of them there is no test.
needs() {
    for command in "$@"; do
        command -v "$command" >/dev/null || { skip "all: $command is not here"; finish; }
    done
}
