#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Objects of a Python program by class and slot: the part of each class beside the program's own clock.
set -u
export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
misstop=${MISSTOP:-src/misstop}
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python=$(python3 -c 'import sys; print(sys.executable)') # it may be a script that starts it

for seconds in 8 25; do
    "$misstop" -s clock -j -d 1 -H 0 --heap none --output "$work/live" -- "$python" "$here/classes_planted.py" $seconds \
        >"$work/truth" 2>"$work/err" || {
        echo "skipped: nothing can be sampled here: $(head -n 1 "$work/err")"
        exit 77
    }
    python3 "$here/judge_classes.py" enough "$work/live" && break
    echo "too few samples in $seconds s"
done
exec python3 "$here/judge_classes.py" python "$work/live" "$work/truth"
