#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that reports do not contradict themselves: reports of recordings from real machines, of a running
# program, and of reports with a planted contradiction, which must be found.
set -u
misstop=${MISSTOP:-src/misstop}
here=$(cd "$(dirname "$0")" && pwd)
check=$here/../judged/consistent.py
data=$here/../../../shared/data
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
folder=$(mktemp -d) || exit 1
program=
trap 'kill $program 2>/dev/null; rm -rf "$folder"' EXIT
failed=0

for recording in "$data"/pebs-*.perf.data "$data"/cycles-*.perf.data; do
    [ -f "$recording" ] || continue
    echo "$(basename "$recording"):"
    python3 "$check" "$misstop" -i "$recording" || failed=1
done
"${BUILD:-.}/tests/live/one_row_planted" &
program=$!
sleep 1
cp /proc/$program/maps "$folder/before"
if "$misstop" -s clock -b -j -n 2 -d 2 -H 0 -o "$folder/recording" -p $program >"$folder/live"; then
    maps=$folder/before,/proc/$program/maps
    "$misstop" -i "$folder/recording" -b --full -H 0 --width 300 >"$folder/text"
    echo "a running program, with its maps and its text report:"
    python3 "$check" --maps "$maps" --text "$folder/text" "$folder/live" || failed=1
    python3 "$check" --maps "$maps" --text "$folder/text" --plant "$folder/live" || failed=1
else
    echo "skipped: running program (no event source works)"
fi
exit $failed
