#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# perf reads what misstop writes: every sample with the reported address, and no warning from any of
# perf's commands; also after a kill.
set -u
. "$(dirname "$0")/judge.sh"
print=$BUILD/tests/replay/print_records
record=$BUILD/tests/replay/record_samples
load=$BUILD/tests/replay/load

needs perf

same() { # name, file, file
    if [ -s "$2" ] && cmp -s "$2" "$3"; then pass "$1 ($(wc -l <"$2") lines)"
    else fail "$1: expected (<), got (>):"; diff "$2" "$3" | head -5; fi
}

start_load() {
    "$load" 100000 &
    targets="$targets $!"
    sleep 0.2
}

# Prints samples as perf script reports them, in the format of record_samples: time pid/tid ip address period
perf_samples() {
    perf script --ns -i "$1" -F pid,tid,time,ip,addr,period 2>"$work/complaints" |
        awk '{ split($2, t, /[.:]/); print t[1] t[2] " " $1 " " $5 " " $4 " " $3 }'
}

# Checks that every perf command reads the recording, prints something, and gives no warnings.
check_commands() { # name, file
    for command in 'script' 'report --stdio' 'mem report --stdio' 'annotate --stdio' \
        'report --header-only -I' 'evlist -v' 'buildid-list' \
        'script -F comm,pid,tid,time,event,addr,ip,sym,dso,data_src' \
        'script --show-mmap-events --show-task-events'; do
        perf $command -i "$2" >"$work/out" 2>"$work/complaints" </dev/null ||
            fail "$1: perf $command ended with status $?"
        if [ -s "$work/complaints" ] || ! [ -s "$work/out" ]; then
            fail "$1: perf $command printed nothing, or warned: $(head -3 "$work/complaints")"
        else
            pass "$1: perf $command reads it without a warning"
        fi
    done
}

# perf's description of the machine before and after our recording, because a virtual machine's memory can change.
record_with_perf() { perf record -q -o "$work/$1" -e cpu-clock "$load" 1 >/dev/null 2>&1; }
header_lines() { # recording, pattern
    perf report --stdio -i "$work/$1" --header-only -I 2>/dev/null | grep "$2" | sed 's/free = .*//'
}
record_with_perf before
start_load
if ! output=$("$record" "$work/live" $! 0.7 2>&1 >"$work/written"); then
    skip "live: sampling fails: $output"
else
    perf_samples "$work/live" >"$work/theirs"
    same "perf script prints the samples that were written" "$work/written" "$work/theirs"
    check_commands live "$work/live"
    if output=$("$here/compare_with_perf.py" "$print" "$work/live" period,addr,data_src,ip); then
        pass "live: misstop and perf script agree: $output"
    else
        fail "live: misstop and perf script differ: $output"
    fi
    perf script -i "$work/live" -F comm,ip,sym 2>/dev/null | grep -q 'load .* main' &&
        pass "live: perf script names process and function" ||
        fail "live: perf script does not print process 'load' and function 'main'"
    perf report --stdio -i "$work/live" --header-only 2>/dev/null >"$work/header"
    for line in "hostname : $(uname -n)" "cmdline : .*record_samples" 'event : name = cpu-clock' \
        'cpu pmu\|pmu mappings' 'nrcpus online' 'cpudesc' 'clockid: monotonic' 'time of last'; do
        grep -q "$line" "$work/header" && pass "live: perf report's header has: $line" || fail "live: perf report's header lacks: $line"
    done

    # Values that perf record does not have on this machine are skipped.
    record_with_perf after
    for what in 'memory nodes' 'node0 meminfo' 'sibling threads' 'CPU 0: Core ID' 'L1 Data' \
        'total memory' 'cpuid :'; do
        header_lines before "$what" >"$work/earlier"
        header_lines after "$what" >"$work/there"
        header_lines live "$what" >"$work/here"
        [ -s "$work/there" ] || { skip "header: perf record writes no $what"; continue; }
        cmp -s "$work/earlier" "$work/there" || { skip "header: $what changed meanwhile"; continue; }
        same "header: $what equals that of perf record" "$work/there" "$work/here"
    done

    # Killed between two syncs: everything synced before is there, complete and described.
    start_load
    "$record" "$work/killed" $! 600 >"$work/written" & writer=$!
    for _ in $(seq 600); do
        [ "$(wc -l <"$work/written")" -ge 500 ] && break
        sleep 0.1
    done
    kill -9 $writer
    wait $writer 2>/dev/null
    perf_samples "$work/killed" >"$work/theirs"
    lines=$(grep -c '^[0-9]* [^ ]* [^ ]* [^ ]* [0-9]*$' "$work/written")
    head -n $((lines - 1)) "$work/written" >"$work/written.whole"
    head -n $((lines - 1)) "$work/theirs" >"$work/theirs.whole"
    same "after kill -9 perf script prints all samples synced before" "$work/written.whole" "$work/theirs.whole"
    check_commands killed "$work/killed"
fi

# A hardware recording is rewritten: perf shows the same for both.
real() { # file, fields
    [ -r "$SHARED_DATA/$1" ] || { skip "$1 is absent"; return; }
    "$record" -i "$SHARED_DATA/$1" "$work/again" >/dev/null || { fail "$1: record_samples -i failed"; return; }
    perf script --ns -i "$SHARED_DATA/$1" -F "$2" 2>/dev/null | sort >"$work/there"
    perf script --ns -i "$work/again" -F "$2" 2>"$work/complaints" | sort >"$work/here"
    same "$1: perf script prints the same after rewriting" "$work/there" "$work/here"
    [ -s "$work/complaints" ] && fail "$1: perf script warns after rewriting: $(head -3 "$work/complaints")"
}
real pebs-i9-9980HK-loads-stores.perf.data pid,tid,time,event,period,addr,ip,data_src,weight
real pebs-xeon-8173M-weight-struct.perf.data pid,tid,cpu,time,event,period,addr,ip,data_src
finish
