#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Which event of a recording ranks: those of a hybrid CPU's kinds of cores are one, -e chooses or is
# refused with what there is, a dummy is none.
set -u
. "$(dirname "$0")/judge.sh"
needs python3

PYTHONPATH=$here python3 - "$work/hybrid" <<'PY' || { fail 'no recording was made'; finish; }
import sys
import recording
PID, START = 4321, 0x10000000
SOFTWARE, HARDWARE = 1, 0
events = [(HARDWARE, 10 << 32, "cpu_atom/cycles:u/"), (HARDWARE, 4 << 32, "cpu_core/cycles:u/"),
          (SOFTWARE, 9, "dummy:u"), (4, 0x2d0, "cpu_core/mem-stores/P")]
data = recording.process(PID, 1, START, 0x10000)
time = 1000
for i in range(1000):
    time += 1000
    event = 3 if i % 10 == 0 else 0 if i == 501 else 1
    data += recording.sample(event, PID, PID, time, 0, 0x401000, START + 64, 1000, (0x5080022,))
recording.write(sys.argv[1], events, recording.DATA_SRC, data)
PY

# What ranks: its name and how many samples it has.
ranks() { "$MISSTOP" -j -i "$work/hybrid" "$@" 2>"$work/said" | tail -1 | python3 -c '
import json, sys
source = json.load(sys.stdin)["source"]
print(source["event"], *[event["samples"] for event in source["events"] if event["name"] == source["event"]],
      "of", ", ".join(event["name"] for event in source["events"]))'; }

expect() { # what, wanted, said
    [ "$2" = "$3" ] && pass "$1: $3" || fail "$1: $3, wanted $2"
}
all='of cycles:u, cpu_core/mem-stores/P'
expect 'both kinds of cores are one event' "cycles:u 900 $all" "$(ranks)"
expect '-e takes another' "cpu_core/mem-stores/P 100 $all" "$(ranks -e mem-stores)"
expect '-e takes the first of several' "cpu_core/mem-stores/P 100 $all" "$(ranks -e cpu_core/mem-stores/P,cycles)"
expect '-e takes what an event counts' "cycles:u 900 $all" "$(ranks -e stall)"
for wrong in nonsense mem-stores,nonsense dummy:u '' ,; do
    "$MISSTOP" -b -i "$work/hybrid" -e "$wrong" >"$work/out" 2>"$work/said"
    status=$?
    [ $status = 2 ] && grep -q 'it has cycles:u, cpu_core/mem-stores/P$' "$work/said" &&
        pass "-e '$wrong' is refused with the list" || fail "-e '$wrong': status $status, $(cat "$work/said")"
done
finish
