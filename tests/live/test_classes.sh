#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Objects of Python, and of Node.js and PHP if they are installed, by class and field. Compares the share of each class
# with the program's own clock.
set -u
export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
misstop=${MISSTOP:-src/misstop}
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
python=$(python3 -c 'import sys; print(sys.executable)') # python3 may be a wrapper script

failed=0

judge() { # name, command
    name=$1
    shift
    for seconds in 8 25; do
        "$misstop" -s clock -j -d 1 -H 0 --heap none --output "$work/live" -- "$@" $seconds >"$work/truth" 2>"$work/err" || {
            echo "skipped: sampling fails: $(head -n 1 "$work/err")"
            exit 77
        }
        python3 "$here/judge_classes.py" enough "$work/live" && break
        echo "$name: too few samples in $seconds s"
    done
    python3 "$here/judge_classes.py" "$name" "$work/live" "$work/truth" || failed=1
}

judge python "$python" "$here/classes_planted.py"
# A large dictionary table is a malloc block, even if Python's arenas are in the same mapping. Prefers
# Debian's python3, which has no type information.
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
"$python" -c 'import random
d = {i: [i] for i in range(1000000)}
print(flush=True)
while True: d[random.randrange(1000000)]' >"$work/started" &
program=$!
while [ ! -s "$work/started" ]; do sleep 0.1; done
"$misstop" -s clock -j -d 2 -n 2 -H 0 -p $program >"$work/table" || failed=1
kill $program
python3 "$here/judge_classes.py" table "$work/table" || failed=1
# Numbers that look like the header of a string object must not be reported as a string.
"$python" -c 'import array
one = [3, id(str), 10000000, 0, 0, 0, 0, 0]
numbers = memoryview(array.array("q", one * 1000)).cast("B")
print(flush=True)
while True:
    for at in range(0, 64 * 999, 64): bytes(numbers[at:at + 250])' >"$work/started2" &
program=$!
while [ ! -s "$work/started2" ]; do sleep 0.1; done
"$misstop" -s clock -j -d 2 -n 2 -H 0 -p $program >"$work/heads" || failed=1
kill $program
python3 "$here/judge_classes.py" heads "$work/heads" || failed=1
# Another program may be installed as "node".
if node -e 'process.exit(process.versions.v8 ? 0 : 1)' 2>"$work/err"; then
    judge node node "$here/classes_planted.js"
else
    echo "skipped: Node.js (node is not installed)"
fi
if command -v php >"$work/err"; then
    judge php php "$here/classes_planted.php"
else
    echo "skipped: PHP (php is not installed)"
fi
exit $failed
