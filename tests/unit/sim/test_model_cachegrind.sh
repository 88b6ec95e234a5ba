#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Feeds the accesses of a program, recorded by valgrind's lackey, to the model. Its counts must equal
# cachegrind's for the same caches if both saw the same accesses.
set -u
trace_model=${BUILD:-.}/tests/unit/model_trace
command -v valgrind >/dev/null || { echo "SKIP: valgrind is not installed"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
program=/bin/true

env -i valgrind --tool=lackey --trace-mem=yes --log-file="$work/trace" "$program" ||
    { echo "SKIP: valgrind's lackey fails"; exit 77; }

compare() { # I1 D1 LL
    env -i valgrind --tool=cachegrind --cache-sim=yes --I1="$1" --D1="$2" --LL="$3" \
        --cachegrind-out-file="$work/out" "$program" 2>/dev/null || return 1
    # The file's columns: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.
    theirs=$(sed -n 's/^summary: *//p' "$work/out" | sed 's/ *$//')
    ours=$("$trace_model" "$1" "$2" "$3" <"$work/trace") || return 1
    printf '%-14s %-14s %-14s\n  cachegrind %s\n  model      %s\n' "$1" "$2" "$3" "$theirs" "$ours"
    # The accesses of two runs may differ because the kernel passes different data (the auxiliary vector).
    # The counts may differ by as many accesses.
    printf '%s %s\n' "$theirs" "$ours" | awk '
        { for (i = 1; i <= 9; i++) d[i] = $i > $(i + 9) ? $i - $(i + 9) : $(i + 9) - $i
          for (i = 1; i <= 7; i += 3) {
              may = d[1] + d[4] + d[7]
              if (NF != 18 || d[i] > $i / 100 || d[i + 1] > may || d[i + 2] > may) exit 1
          } }'
}

status=0
compare 32768,8,64 32768,8,64 1048576,16,64 || status=1
compare 4096,2,32 4096,2,32 65536,4,64 || status=1
compare 1024,1,64 2048,4,64 16384,1,128 || status=1
[ $status = 0 ] || echo "FAIL: the model's counts differ from cachegrind's by more than the two runs differ"
exit $status
