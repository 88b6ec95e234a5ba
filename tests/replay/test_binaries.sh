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
build || { skip "all checks: no compiler: $(head -1 "$work/errors")"; finish; }

regs=ax,bx,cx,dx,si,di,bp,sp,ip,flags,r8,r9,r10,r11,r12,r13,r14,r15
record() { # name, options of perf record
    name=$1
    shift
    perf record -q -B -F 4000 -e cpu-clock:u -o "$work/$name" "$@" "$work/bin/hot" 120 \
        >/dev/null 2>"$work/errors" && [ -s "$work/$name" ] && return 0
    skip "$name: perf record fails: $(head -1 "$work/errors")"
    return 1
}

# -B: perf records no build-ids at the end; --buildid-mmap: the kernel records them with each mapping.
record with_data -d --intr-regs=$regs --buildid-mmap || finish
record code_only --user-regs=$regs --buildid-mmap || finish
record without_ids --user-regs=$regs || finish

replay() { # name, options: writes the last report to "$work/last", messages to "$work/messages"
    name=$1
    shift
    "$MISSTOP" -i "$work/$name" -j -H 0 -d 0.1 "$@" 2>"$work/messages" | tail -1 >"$work/last"
}

# Prints the value of a Python expression on the report, `p`.
evaluate() { python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))
state = {b["path"].rsplit("/", 1)[-1]: b["state"] for b in p["binaries"]}
objects = {o["name"]: o for o in p["objects"]}
reasons = p["samples"]["unattributed"]
total = p["samples"]["total"]
print(eval(sys.argv[2]))' "$work/last" "$1"; }

expect() { # description, expression that must be true
    value=$(evaluate "$2" 2>&1 | tail -1)
    if [ "$value" = True ]; then
        pass "$1"
    else
        fail "$1: expected $2, got $value (states $(evaluate state 2>&1 | tail -1))"
        head -3 "$work/messages"
    fi
}
expect_message() { # description, pattern
    if grep -q "$2" "$work/messages"; then
        pass "$1"
    else
        fail "$1: expected /$2/, got: $(head -3 "$work/messages")"
    fi
}

# The tables of the report, without the locations of files.
tables() { evaluate '[p["objects"], p["code"], p["samples"]]'; }
expect_same_tables() { # description
    tables >"$work/after"
    if [ -s "$work/before" ] && cmp -s "$work/before" "$work/after"; then
        pass "$1"
    else
        fail "$1: the tables differ from those of the binary in its place: $(cmp "$work/before" "$work/after" 2>&1)"
    fi
}

for name in with_data code_only without_ids; do
    replay $name
    expect "$name: the global variable is found" 'objects["hot_table"]["share"] > 0.1'
    expect "$name: its hot field is found" '"visits" in objects["hot_table"]["fields"][0]["name"]'
    expect "$name: the function has its source line" \
        'p["code"][0]["function"] == "visit_cells" and p["code"][0]["line"] > 0'
    expect "$name: the stack variable is found" '"visit_cells.recent" in objects'
done
expect "without_ids: the binary is unverified" 'state["hot"] == "unverified"'
expect_message "without_ids: a message says that the binary is not verified" 'not verified.*bin/hot'

replay code_only
tables >"$work/before"
expect "code_only: the binary is found by its path" 'state["hot"] == "found"'
"$MISSTOP" -i "$work/code_only" -b -d 0.1 2>/dev/null | grep -q 'perf record -d' &&
    pass "code_only: the text report advises perf record -d" ||
    fail "code_only: the text report lacks the advice 'perf record -d'"

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
expect "moved: the binary is missing" 'state["hot"] == "missing"'
expect "moved: its samples have the reason no-code" \
    'reasons["no-code"] > 0.5 * total and "hot_table" not in objects'
expect_message "moved: a message names the missing build-id" "build-id $id"
expect_message "moved: a message advises perf archive" 'perf archive'
for folder in sym flat ids; do
    replay code_only --symfs "$work/$folder"
    expect_same_tables "--symfs $folder gives the same tables"
done

# In perf's cache, added by perf.
if perf buildid-cache -a "$work/kept" >/dev/null 2>&1 && [ -d "$HOME/.debug/.build-id" ]; then
    replay code_only
    expect_same_tables "perf's build-id cache gives the same tables"
    rm -rf "$HOME/.debug"
else
    skip "perf's build-id cache: perf buildid-cache fails"
fi

# Stripped, with separate debugging information.
if command -v objcopy >/dev/null && command -v strip >/dev/null; then
    mkdir -p "$work/stripped/usr/lib/debug/.build-id/${below%/*}"
    objcopy --only-keep-debug "$work/kept" "$work/stripped/usr/lib/debug/.build-id/$below.debug"
    strip -o "$work/stripped/hot" "$work/kept"
    replay code_only --symfs "$work/stripped"
    expect_same_tables "a stripped binary with its debug file gives the same tables"
    rm -r "$work/stripped/usr"
    replay code_only --symfs "$work/stripped"
    expect "stripped without debug file: samples are still decoded" 'p["samples"]["attributed"] > 0.5 * total'
    expect "stripped without debug file: variables have no names" '"hot_table" not in objects'
else
    skip "stripped: objcopy or strip is not installed"
fi

# Rebuilt in its old place: other code at the same path.
build -O0 -DHOT
replay code_only
expect "rebuilt: the binary is another build" 'state["hot"] == "other-build"'
expect "rebuilt: no sample is decoded with the wrong build" \
    'reasons["no-code"] > 0.5 * total and "hot_table" not in objects'
expect_message "rebuilt: a message names both builds" "found another build: $work/bin/hot has build-id"
replay code_only --symfs "$work/flat"
expect_same_tables "rebuilt: --symfs still finds the recorded build"
finish
