#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings with registers but no addresses: they are decoded with the program, with the same result
# wherever it is found, and never with another build of it.
set -u
. "$(dirname "$0")/judge.sh"

needs python3 perf
mkdir "$work/home" "$work/bin"
# HOME of misstop and of perf record, which would otherwise store every program in the user's.
HOME=$work/home
export HOME
unset DEBUGINFOD_URLS

build() { # options
    ${CC:-cc} -O1 -g -Wl,--build-id "$@" -o "$work/bin/hot" "$here/hot.c" 2>"$work/errors"
}
build || { skip "all: no compiler: $(head -1 "$work/errors")"; finish; }

regs=ax,bx,cx,dx,si,di,bp,sp,ip,flags,r8,r9,r10,r11,r12,r13,r14,r15
record() { # name, options of perf record
    name=$1
    shift
    perf record -q -B -F 4000 -e cpu-clock:u -o "$work/$name" "$@" "$work/bin/hot" 120 \
        >/dev/null 2>"$work/errors" && [ -s "$work/$name" ] && return 0
    skip "$name: perf record refuses: $(head -1 "$work/errors")"
    return 1
}

# -B: perf records no build-ids at the end; --buildid-mmap: the kernel records them with each mapping.
record with_data -d --intr-regs=$regs --buildid-mmap || finish
record code_only --user-regs=$regs --buildid-mmap || finish
record without_ids --user-regs=$regs || finish

replay() { # name, options: the last report goes to "$work/last", messages to "$work/said"
    name=$1
    shift
    "$MISSTOP" -i "$work/$name" -j -H 0 -d 0.1 "$@" 2>"$work/said" | tail -1 >"$work/last"
}

# Prints the value of a Python expression on the report, `p`.
ask() { python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))
state = {b["path"].rsplit("/", 1)[-1]: b["state"] for b in p["binaries"]}
objects = {o["name"]: o for o in p["objects"]}
reasons = p["samples"]["unattributed"]
total = p["samples"]["total"]
print(eval(sys.argv[2]))' "$work/last" "$1"; }

expect() { # what, expression
    said=$(ask "$2" 2>&1)
    if [ "$said" = True ]; then pass "$1"; else fail "$1: $2 is $said"; head -3 "$work/said"; fi
}

# The tables of the report, without the locations of files.
tables() { ask '[p["objects"], p["code"], p["samples"]]'; }
same_as_before() { # what
    tables >"$work/after"
    if cmp -s "$work/before" "$work/after"; then pass "$1"; else fail "$1"; fi
}

for name in with_data code_only without_ids; do
    replay $name
    expect "$name: the table is known" 'objects["hot_table"]["share"] > 0.1'
    expect "$name: its hot field is known" '"visits" in objects["hot_table"]["fields"][0]["name"]'
    expect "$name: and the code" 'p["code"][0]["function"] == "visit_cells" and p["code"][0]["line"] > 0'
    expect "$name: and a variable of a stack" '"visit_cells.recent" in objects'
done
expect "without_ids: it is not verified" 'state["hot"] == "unverified"'
grep -q 'not verified.*bin/hot' "$work/said" && pass "and that is said" || fail "not verified: not said"

replay code_only
tables >"$work/before"
expect "it is found by its path" 'state["hot"] == "found"'
"$MISSTOP" -i "$work/code_only" -b -d 0.1 2>/dev/null | grep -q 'perf record -d' && pass "what -d would add is said" || fail "-d is not said"

# Moved into a folder: with its path, by build-id, flat.
id=$(perf buildid-list -i "$work/bin/hot" 2>/dev/null | cut -d' ' -f1)
rest=${id#??}
below=${id%$rest}/$rest
mkdir -p "$work/sym$work/bin" "$work/flat" "$work/ids/.build-id/${below%/*}"
cp "$work/bin/hot" "$work/flat/hot"
cp "$work/bin/hot" "$work/ids/.build-id/$below"
cp "$work/bin/hot" "$work/kept"
mv "$work/bin/hot" "$work/sym$work/bin/hot"
replay code_only
expect "gone: it is missing" 'state["hot"] == "missing"'
expect "gone: its samples have a reason" 'reasons["no-code"] > 0.5 * total and "hot_table" not in objects'
grep -q "build-id $id" "$work/said" && grep -q 'perf archive' "$work/said" &&
    pass "gone: what to look for and how is said" || fail "gone: no remedy"
for folder in sym flat ids; do
    replay code_only --symfs "$work/$folder"
    same_as_before "--symfs, $folder: the same tables"
done

# In perf's cache, added by perf.
if perf buildid-cache -a "$work/kept" >/dev/null 2>&1 && [ -d "$HOME/.debug/.build-id" ]; then
    replay code_only
    same_as_before "perf's cache: the same tables"
    rm -rf "$HOME/.debug"
else
    skip "perf's cache: perf buildid-cache does not work here"
fi

# Stripped, with separate debugging information.
if command -v objcopy >/dev/null && command -v strip >/dev/null; then
    mkdir -p "$work/stripped/usr/lib/debug/.build-id/${below%/*}"
    objcopy --only-keep-debug "$work/kept" "$work/stripped/usr/lib/debug/.build-id/$below.debug"
    strip -o "$work/stripped/hot" "$work/kept"
    replay code_only --symfs "$work/stripped"
    same_as_before "stripped, with its debug file: the same tables"
    rm -r "$work/stripped/usr"
    replay code_only --symfs "$work/stripped"
    expect "stripped: decoded all the same" 'p["samples"]["attributed"] > 0.5 * total'
    expect "stripped: without the names" '"hot_table" not in objects'
else
    skip "stripped: no binutils"
fi

# Rebuilt in its old place: other code at the same path.
build -O0 -DHOT
replay code_only
expect "rebuilt: it is another build" 'state["hot"] == "other-build"'
expect "rebuilt: nothing is decoded with it" 'reasons["no-code"] > 0.5 * total and "hot_table" not in objects'
grep -q "found another build: $work/bin/hot has build-id" "$work/said" &&
    pass "rebuilt: both builds are named" || fail "rebuilt: not said"
replay code_only --symfs "$work/flat"
same_as_before "rebuilt: the right one is found nevertheless"
finish
