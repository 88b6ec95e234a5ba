#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The contents of recordings match the output of perf script, line by line. They are the same through
# a pipe and in the other byte order, and a truncated recording is read as far as it goes.
set -u
. "$(dirname "$0")/judge.sh"
print=$BUILD/tests/replay/print_records
load=$BUILD/tests/replay/load

needs python3

same() { # name, file, file
    if cmp -s "$2" "$3"; then pass "$1"; else fail "$1: expected (<), got (>):"; diff "$2" "$3" | head -5; fi
}

# Passes if perf and misstop agree on a recording; skips if perf cannot read it.
compare() { # name, file, fields
    if output=$("$here/compare_with_perf.py" "$print" "$2" "$3"); then
        pass "$1: misstop and perf script agree: $output"
    elif [ $? = 2 ]; then
        skip "$1: perf cannot read the recording: $output"
    else
        fail "$1: misstop and perf script differ: $output"
    fi
}

samples_of() { "$print" "$1" 2>/dev/null | grep '^sample' | sed 's/event=[^ ]*//'; }

expect_note() { # file, pattern
    if "$print" -m "$1" 2>/dev/null | grep -q "$2"; then
        pass "${1##*/}: has $2"
    else
        fail "${1##*/}: expected $2, got $("$print" -m "$1" 2>/dev/null | grep '^note=')"
    fi
}

record() { # name, fields, options and command of perf record
    name=$1 fields=$2
    shift 2
    if ! output=$(perf record -q -o "$work/$name" "$@" 2>&1 >/dev/null) || [ ! -s "$work/$name" ]; then
        skip "$name: perf record fails: $output"
        return 1
    fi
    compare "$name" "$work/$name" "$fields"
}

perf_works() {
    command -v perf >/dev/null && perf record -q -o "$work/probe" -e cpu-clock "$load" 1 >/dev/null 2>&1
}

several="$load 20 & $load 40 & wait"

# Another thread can hold the lock of a sanitizer's allocator when a reader of debug information is forked; the
# reader then hangs and is given up. Such a run is repeated. (The C library's allocator is unlocked in the child.)
hung() { grep -q __asan_ "$BUILD/src/misstop" && grep -q '"gave-up": *[1-9]' "$1"; }

# The report does not depend on the number of threads of the replay, except for misstop's own memory.
same_with_threads() { # name, file
    for threads in 1 2 4; do
        for run in 1 2 3; do
            "$BUILD/src/misstop" --threads $threads -i "$2" -b -j -n 2 2>&1 </dev/null |
                sed 's/"resident_bytes": *[0-9]*//' >"$work/threads$threads"
            hung "$work/threads$threads" || break
        done
    done
    grep -q '"samples"' "$work/threads1" || fail "$1: misstop --threads 1 prints no report"
    same "$1: the report with two threads equals that with one" "$work/threads1" "$work/threads2"
    same "$1: the report with four threads equals that with one" "$work/threads1" "$work/threads4"
}
if perf_works; then
    record plain period,ip -e cpu-clock -F 5000 "$load" 50
    record events addr,data_src,ip -e cpu-clock,page-faults -c 100000 -d "$load" 20
    record every_fault addr,data_src,ip -e page-faults -c 1 -d "$load" 2
    record intr_regs period,ip -e cpu-clock --intr-regs=ax,si,di,sp,ip,r15 "$load" 50
    record user_regs period,ip -e cpu-clock --user-regs=ax,bx,si,di,sp,ip,r15 "$load" 50
    record compressed period,ip -e cpu-clock -F 20000 -z "$load" 50
    perf record -q -o "$work/many" -e page-faults -c 1 -d "$load" 200 >/dev/null 2>&1
    for name in many user_regs compressed; do same_with_threads "$name" "$work/$name"; done
    record stacks period,ip,addr -e cpu-clock --call-graph dwarf -F 2000 "$load" 20
    record group ip -e '{cpu-clock,page-faults}' -c 1000000 -d -g "$load" 20
    record leader period,ip,addr -e '{cpu-clock,page-faults}:S' -c 1000000 -d "$load" 20
    record leader_everywhere period,ip -a -e '{cpu-clock,page-faults,minor-faults}:S' -c 1000000 \
        -- sh -c "$load 20 & $load 40 & wait"
    record unlike_events period,ip -e cpu-clock/call-graph=fp/,page-faults/call-graph=no/ -F 2000 \
        "$load" 20
    record per_thread ip -e cpu-clock,page-faults --per-thread -c 1000000 "$load" 20
    record processes period,ip -e cpu-clock -F 5000 -- sh -c "$several"
    record whole_system period,ip -a -e cpu-clock -F 2000 -- sh -c "$several"
    perf record -q -e cpu-clock,page-faults -F 2000 -o - -- sh -c "$several" >"$work/piped" 2>/dev/null
    compare piped "$work/piped" period,ip
    perf record -q -z -e cpu-clock -F 20000 -o - -- sh -c "$several" >"$work/piped_z" 2>/dev/null
    compare piped_compressed "$work/piped_z" period,ip

    # A pipe gives the same as a file, whether it is played directly or spooled to list its processes.
    for name in piped piped_z processes; do
        "$print" "$work/$name" >"$work/file" 2>/dev/null
        cat "$work/$name" | "$print" - >"$work/pipe" 2>/dev/null
        # Records without a time get that of the first record, which is not known when a pipe is played directly.
        for side in file pipe; do
            sed '/^sample/!s/ time=[0-9]*//' "$work/$side" >"$work/$side.plain"
        done
        same "$name: records through a pipe equal those of the file" "$work/file.plain" "$work/pipe.plain"
        "$print" -p "$work/$name" >"$work/file" 2>/dev/null
        cat "$work/$name" | "$print" -p - >"$work/pipe" 2>/dev/null
        same "$name: processes through a pipe equal those of the file" "$work/file" "$work/pipe"
    done

    # Samples of each process as counted by perf script.
    perf script -i "$work/processes" -F pid 2>/dev/null | sort | uniq -c |
        awk '{print $2 " " $1}' | sort >"$work/theirs"
    "$print" -p "$work/processes" 2>/dev/null | sed 's/process pid=//; s/samples=//; s/ comm=.*//' |
        grep -v ' 0$' | sort >"$work/ours"
    same "processes: samples per process equal those of perf script" "$work/theirs" "$work/ours"
    busiest=$("$print" -p "$work/processes" 2>/dev/null | sed -n '1s/process pid=\([0-9]*\) .*/\1/p')
    "$print" "$work/processes" "$busiest" >"$work/named" 2>/dev/null
    "$print" "$work/processes" 0 >"$work/chosen" 2>/dev/null
    same "processes: the one with most samples is the default" "$work/named" "$work/chosen"

    # Killed: the size of the data was never written. Cut: the end is missing.
    cp "$work/plain" "$work/killed"
    printf '\0\0\0\0\0\0\0\0' | dd of="$work/killed" bs=1 seek=48 conv=notrunc 2>/dev/null
    half=$(($(wc -c <"$work/plain") / 2))
    head -c $half "$work/killed" >"$work/killed_cut"
    head -c $half "$work/plain" >"$work/cut"
    # The records of one CPU may be missing while later ones of another CPU are not: the samples read are
    # a subset of all samples, but not necessarily their beginning.
    samples_of "$work/plain" | sort >"$work/whole"
    for name in killed killed_cut cut; do
        samples_of "$work/$name" | sort >"$work/part"
        comm -23 "$work/part" "$work/whole" >"$work/extra"
        least=$(($(wc -l <"$work/whole") / 3))
        [ "$(wc -l <"$work/part")" -gt $least ] || fail "$name: expected more than $least samples, got $(wc -l <"$work/part")"
        same "$name: all samples read are in the whole recording ($(wc -l <"$work/part") of $(wc -l <"$work/whole"))" \
            /dev/null "$work/extra"
    done
    expect_note "$work/killed_cut" 'note=.*killed'
    expect_note "$work/cut" 'note=.*truncated'

    # The comparison itself must detect a changed address.
    printf '#!/bin/sh\n"%s" "$@" | sed "0,/^sample .* ip=./s/ ip=./ ip=z/"\n' "$print" >"$work/falsified"
    chmod +x "$work/falsified"
    if "$here/compare_with_perf.py" "$work/falsified" "$work/plain" period,ip >/dev/null; then
        fail "compare_with_perf.py does not detect a wrong address"
    else
        pass "compare_with_perf.py detects a wrong address"
    fi
else
    skip "own recordings: perf record fails"
fi

real() { # file, fields
    [ -r "$SHARED_DATA/$1" ] || { skip "$1 is absent"; return; }
    command -v perf >/dev/null && compare "$1" "$SHARED_DATA/$1" "$2"
    "$here/swap_recording.py" "$SHARED_DATA/$1" "$work/swapped" || { fail "$1: swap_recording.py failed"; return; }
    for option in -p -m ''; do
        "$print" $option "$SHARED_DATA/$1" >"$work/there" 2>/dev/null
        "$print" $option "$work/swapped" >"$work/here" 2>/dev/null
        same "$1 in the other byte order gives the same output ($(wc -l <"$work/there") lines) $option" "$work/there" "$work/here"
    done
}
real pebs-i9-9980HK-loads-stores.perf.data period,addr,data_src,weight,ip
real pebs-xeon-8173M-weight-struct.perf.data addr,data_src,weight,ip
real auxtrace-intel-pt.perf.data ip
finish
