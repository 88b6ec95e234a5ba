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
    else fail "$1"; diff "$2" "$3" | head -5; fi
}

start_load() {
    "$load" 100000 &
    targets="$targets $!"
    sleep 0.2
}

# The format of record_samples: time pid/tid ip address period
as_told() {
    perf script --ns -i "$1" -F pid,tid,time,ip,addr,period 2>"$work/complaints" |
        awk '{ split($2, t, /[.:]/); print t[1] t[2] " " $1 " " $5 " " $4 " " $3 }'
}

# Every command reads the recording, prints something, and gives no warnings.
agreeable() { # name, file
    for command in 'script' 'report --stdio' 'mem report --stdio' 'annotate --stdio' \
        'report --header-only -I' 'evlist -v' 'buildid-list' \
        'script -F comm,pid,tid,time,event,addr,ip,sym,dso,data_src' \
        'script --show-mmap-events --show-task-events'; do
        perf $command -i "$2" >"$work/out" 2>"$work/complaints" </dev/null ||
            fail "$1: perf $command: status $?"
        if [ -s "$work/complaints" ] || ! [ -s "$work/out" ]; then
            fail "$1: perf $command says: $(head -3 "$work/complaints")"
        else
            pass "$1: perf $command"
        fi
    done
}

# perf's description of the machine before and after our recording, because a virtual machine's memory can change.
perf_of_machine() { perf record -q -o "$work/$1" -e cpu-clock "$load" 1 >/dev/null 2>&1; }
about() { # recording, what
    perf report --stdio -i "$work/$1" --header-only -I 2>/dev/null | grep "$2" | sed 's/free = .*//'
}
perf_of_machine before
start_load
if ! said=$("$record" "$work/live" $! 0.7 2>&1 >"$work/told"); then
    skip "live: nothing can be sampled here: $said"
else
    as_told "$work/live" >"$work/theirs"
    same "perf script says what was told" "$work/told" "$work/theirs"
    agreeable live "$work/live"
    if said=$("$here/compare_with_perf.py" "$print" "$work/live" period,addr,data_src,ip); then
        pass "misstop and perf read the same: $said"
    else
        fail "misstop and perf read differently: $said"
    fi
    perf script -i "$work/live" -F comm,ip,sym 2>/dev/null | grep -q 'load .* main' &&
        pass "names of process and function" || fail "names of process and function"
    perf report --stdio -i "$work/live" --header-only 2>/dev/null >"$work/header"
    for line in "hostname : $(uname -n)" "cmdline : .*record_samples" 'event : name = cpu-clock' \
        'cpu pmu\|pmu mappings' 'nrcpus online' 'cpudesc' 'clockid: monotonic' 'time of last'; do
        grep -q "$line" "$work/header" && pass "header: $line" || fail "header lacks: $line"
    done

    # Values that perf record does not have on this machine are skipped.
    perf_of_machine after
    for what in 'memory nodes' 'node0 meminfo' 'sibling threads' 'CPU 0: Core ID' 'L1 Data' \
        'total memory' 'cpuid :'; do
        about before "$what" >"$work/earlier"
        about after "$what" >"$work/there"
        about live "$what" >"$work/here"
        [ -s "$work/there" ] || { skip "perf record says nothing of $what"; continue; }
        cmp -s "$work/earlier" "$work/there" || { skip "$what: it changed meanwhile"; continue; }
        same "header, as perf record says: $what" "$work/there" "$work/here"
    done

    # Killed between two syncs: everything synced before is there, complete and described.
    start_load
    "$record" "$work/killed" $! 600 >"$work/told" & writer=$!
    for _ in $(seq 600); do
        [ "$(wc -l <"$work/told")" -ge 500 ] && break
        sleep 0.1
    done
    kill -9 $writer
    wait $writer 2>/dev/null
    as_told "$work/killed" >"$work/theirs"
    lines=$(grep -c '^[0-9]* [^ ]* [^ ]* [^ ]* [0-9]*$' "$work/told")
    head -n $((lines - 1)) "$work/told" >"$work/told.whole"
    head -n $((lines - 1)) "$work/theirs" >"$work/theirs.whole"
    same "after kill -9" "$work/told.whole" "$work/theirs.whole"
    agreeable killed "$work/killed"
fi

# A hardware recording is rewritten: perf shows the same for both.
real() { # file, fields
    [ -r "$SHARED_DATA/$1" ] || { skip "$1 is not here"; return; }
    "$record" -i "$SHARED_DATA/$1" "$work/again" >/dev/null || { fail "$1 was not written"; return; }
    perf script --ns -i "$SHARED_DATA/$1" -F "$2" 2>/dev/null | sort >"$work/there"
    perf script --ns -i "$work/again" -F "$2" 2>"$work/complaints" | sort >"$work/here"
    same "$1 written again" "$work/there" "$work/here"
    [ -s "$work/complaints" ] && fail "$1: $(head -3 "$work/complaints")"
}
real pebs-i9-9980HK-loads-stores.perf.data pid,tid,time,event,period,addr,ip,data_src,weight
real pebs-xeon-8173M-weight-struct.perf.data pid,tid,cpu,time,event,period,addr,ip,data_src
finish
