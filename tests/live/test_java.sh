#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Objects of a Java virtual machine by class and field. A planted one, intact and damaged, measures the shares
# with its own clock. A real Java program is tested if java and javac are installed.
set -u
export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
misstop=${MISSTOP:-src/misstop}
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# $cc may be a command with arguments.
$cc -O2 -fPIC -shared -DLIBRARY -o "$work/libjvm.so" "$here/java_planted.c" || exit 1
$cc -O2 -o "$work/planted" "$here/java_planted.c" -L"$work" -ljvm -Wl,-rpath,"$work" || exit 1

watch() { # name, command: writes misstop's reports of it
    name=$1
    shift
    "$misstop" -s clock -j -d 1 -H 0 --heap none --output "$work/$name.live" -- "$@" >"$work/$name.truth" 2>"$work/err" || {
        echo "skipped: sampling fails: $(head -n 1 "$work/err")"
        exit 77
    }
}

watch intact "$work/planted" 4
python3 "$here/judge_classes.py" intact "$work/intact.live" "$work/intact.truth" || failed=1
watch damaged "$work/planted" 3 damaged
python3 "$here/judge_classes.py" damaged "$work/damaged.live" || failed=1

if command -v java >/dev/null && command -v javac >/dev/null && javac -d "$work" "$here/Orders.java" 2>"$work/err"; then
    watch java java -cp "$work" Orders 6
    python3 "$here/judge_classes.py" java "$work/java.live" || failed=1
else
    echo "skipped: real Java program (no Java compiler)"
fi
exit $failed
