#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the agent's unwinder with libgcc's in real programs (distribution libraries without frame
# pointers, hand-written assembler, C++), and its cached paths with fresh ones. At most one in 200 may
# differ.
set -u
build=${BUILD:-.}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
tried=0

compare() { # name, command...
    name=$1
    shift
    command -v "$1" >/dev/null || { echo "skipped: $name is not installed"; return; }
    rm -f "$folder/out"
    CHECK_UNWIND=$folder/out LD_PRELOAD=$build/tests/agent/check_unwind.so "$@" \
        >/dev/null 2>"$folder/err" </dev/null
    if ! read -r compared different shorter depth <"$folder/out"; then
        echo "FAIL: $name: check_unwind.so compared no paths"
        sed -n 1,5p "$folder/err"
        status=1
        return
    fi
    echo "$name: $compared paths, mean depth $depth, $different differ, $shorter are shorter than libgcc's"
    tried=$((tried + 1))
    if [ $((different * 200)) -gt "$compared" ] || [ $((shorter * 200)) -gt "$compared" ]; then
        echo "FAIL: $name: more than 0.5 % of the paths differ or are shorter"
        status=1
    fi
    if ! "$build/tests/agent/try_agent" "$@" >"$folder/tried" 2>"$folder/err" </dev/null; then
        echo "FAIL: $name: not recorded, or more than 0.5 % of the cached paths wrong"
        sed -n 1,5p "$folder/err"
        status=1
    fi
    LC_ALL=C grep -ao '[0-9]* allocations, .*' "$folder/tried" | sed 's/^/    /'
}

i=0
while [ $i -lt 300 ]; do
    echo "int f$i(int a, int *b) { for (int i = 0; i < a; i++) b[i] += b[i / 2] * $i; return b[a / 3]; }"
    i=$((i + 1))
done >"$folder/many.c"
compare victim "$build/tests/agent/victim" longjmp
cc1=$(${CC:-cc} -print-prog-name=cc1 2>/dev/null)
compare cc1 "$cc1" -quiet -O2 "$folder/many.c" -o "$folder/many.s"
# Use the interpreter itself, because python3 may be a wrapper script.
python=$(python3 -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null || echo python3)
compare python3 "$python" -c 'import json, re, decimal; json.loads(json.dumps([{"a": list(range(50))}] * 500)); re.compile("(a|b)*c[d-f]+").findall("abc" * 999)'
compare sqlite3 sqlite3 :memory: 'create table t(a, b); with recursive r(i) as (select 1 union all select i+1 from r where i < 20000) insert into t select i, hex(i) from r; create index u on t(b); select count(*), max(b) from t group by a % 100;'
compare xz xz -c "$folder/many.c"
[ $tried -gt 0 ] || status=1
exit $status
