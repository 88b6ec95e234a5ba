# SPDX-License-Identifier: GPL-3.0-or-later
# Common code of the shell tests in this folder: a temporary work folder, and counts of passed, failed
# and skipped checks. To be sourced; `targets` lists processes to kill at the end of the test.
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 99
targets=
trap 'kill $targets 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

pass() { passed=$((passed + 1)); printf 'ok: %s\n' "$*"; }
fail() { failed=$((failed + 1)); printf 'FAILED: %s\n' "$*"; }
skip() { skipped=$((skipped + 1)); printf 'skipped: %s\n' "$*"; }

# A test without any check is skipped, not passed.
finish() {
    printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
    [ $failed = 0 ] || exit 1
    [ $passed != 0 ] || exit 77
    exit 0
}

# needs COMMAND...: skips the test if one of the commands is missing.
needs() {
    for command in "$@"; do
        command -v "$command" >/dev/null || { skip "all checks: $command is not installed"; finish; }
    done
}
