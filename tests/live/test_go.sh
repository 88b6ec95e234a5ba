#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks and functions of stripped Go programs. Planted programs with the layouts of three Go versions, intact
# and damaged, measure the shares with their own clock. A real Go program is tested if go is installed.
set -u
export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
misstop=${MISSTOP:-src/misstop}
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

watch() { # judged as, command
    judged=$1
    shift
    "$misstop" -s clock -j -d 1 -H 0 --heap walk --output "$work/live" -- "$@" >"$work/truth" 2>"$work/err" || {
        echo "skipped: sampling fails: $(head -n 1 "$work/err")"
        exit 77
    }
    python3 "$here/judge_classes.py" "$judged" "$work/live" "$work/truth" || failed=1
}

# $cc may be a command with arguments.
$cc -O2 -no-pie -s -o "$work/fixed" "$here/go_planted.c" || exit 1
$cc -O2 -fPIE -pie -s -o "$work/anywhere" "$here/go_planted.c" || exit 1
watch go "$work/fixed" 2 2097152 13
watch go "$work/anywhere" 2 1179648 14
watch go "$work/anywhere" 2 0 13
watch go-damaged "$work/fixed" 2 0 13 damaged

if command -v go >/dev/null && GOCACHE="$work/cache" go build -ldflags "-s -w" -o "$work/stripped" "$here/go_planted.go" 2>"$work/err"; then
    watch go "$work/stripped" 4
else
    echo "skipped: real Go program (no Go compiler)"
fi
exit $failed
