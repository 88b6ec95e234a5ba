#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the callers of hot() and of the C library's memcpy() with the time that the program itself
# measures per caller: with and without frame pointers, by frame pointers alone, through qsort(), and below
# a deep recursion. The recording must show the same. With perf, also compares the callers in a recording
# with those that perf finds in the same recording.
set -u
export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
misstop=${MISSTOP:-src/misstop}
here=$(cd "$(dirname "$0")" && pwd)
cc=${CC:-cc}
command -v python3 >/dev/null || { echo "skipped: python3 is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

build() { # name, flags of hot(), flags of its callers
    # $cc may be a command with arguments.
    $cc -g $2 -DLEAF -c -o "$work/leaf.o" "$here/callers_planted.c" &&
        $cc -g $3 -fno-builtin -DCALLERS -c -o "$work/callers.o" "$here/callers_planted.c" &&
        $cc -o "$work/$1" "$work/leaf.o" "$work/callers.o"
}

judge() { # name
    for seconds in 3 8 20; do
        rm -f "$work/$1".rec* "$work/$1.live"
        if ! "$misstop" -s clock -j -d 1 -H 0 -o "$work/$1.rec" --pprof "$work/$1.pb.gz" --output "$work/$1.live" \
            -- "$work/$1" $seconds >"$work/$1.truth" 2>"$work/err"; then
            echo "skipped: sampling fails: $(head -n 1 "$work/err")"
            exit 77
        fi
        python3 "$here/judge_callers.py" enough "$work/$1.live" && break
        echo "$1: too few samples in $seconds s"
    done
    "$misstop" -j -H 0 -i "$work/$1.rec" >"$work/$1.played" || failed=1
    python3 "$here/judge_callers.py" "$1" "$work/$1.truth" "$work/$1.live" "$work/$1.played" \
        "$work/$1.pb.gz" || failed=1
}

build omitted "-O2 -fomit-frame-pointer" "-O2 -fomit-frame-pointer" && judge omitted
build kept "-O2 -fno-omit-frame-pointer" "-O1 -fno-omit-frame-pointer" && judge kept
# The callers have no unwind table: misstop has to follow their frame pointers.
build pointers "-O2" "-O1 -fno-omit-frame-pointer -fno-asynchronous-unwind-tables" && judge pointers

compare_with_perf() { # perf's --call-graph mode, command
    mode=$1
    shift
    perf record -q -e cpu-clock:u -F 400 --call-graph "$mode" -o "$work/perf.data" -- "$@" >"$work/out" 2>&1 || {
        echo "skipped: comparison with perf's stacks: perf record --call-graph $mode fails"
        return
    }
    "$misstop" -j -H 0 -i "$work/perf.data" >"$work/perf.json" || failed=1
    python3 "$here/judge_callers.py" perf "$work/perf.data" "$work/perf.json" || failed=1
}

if command -v perf >/dev/null; then
    compare_with_perf fp "$work/kept" 1
    compare_with_perf dwarf,8192 "$work/omitted" 1
    python=$(python3 -c 'import sys; print(sys.executable)') # python3 may be a wrapper script
    compare_with_perf dwarf,8192 "$python" -c 'for i in range(2000): sorted(str(k * 7919 % 10007) for k in range(5000))'
else
    echo "skipped: comparison with perf's stacks (perf is not installed)"
fi
exit $failed
