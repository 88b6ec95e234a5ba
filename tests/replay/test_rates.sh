#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Miss rates and criticality in reports of recordings equal those computed from perf script's output;
# and the table shows an object that stalls more than it misses.
set -u
. "$(dirname "$0")/judge.sh"

export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
needs python3

if said=$("$here/rates_recording.py" events "$MISSTOP" "$work/events"); then
    pass "accesses, misses and cycles as events: $said"
else
    fail "accesses, misses and cycles as events: $said"
fi

compare() { # name, file, pid
    if said=$("$here/compare_rates.py" "$MISSTOP" "$2" "$3"); then
        pass "$1, process $3: $said agree"
    elif [ $? = 2 ]; then
        skip "$1, process $3: perf cannot read it, or has no such sample"
    else
        fail "$1, process $3: $said"
    fi
}

command -v perf >/dev/null || { skip "the rest: perf is not here"; finish; }
pid=$("$here/rates_recording.py" ops "$work/ops") && compare "hits and misses of ops" "$work/ops" "$pid"
# The comparison itself must detect a wrong rate.
printf '#!/bin/sh\n"%s" "$@" | sed "s/\\"L1\\":{\\"value\\":0\\./&1/g"\n' "$MISSTOP" >"$work/lies"
chmod +x "$work/lies"
said=$("$here/compare_rates.py" "$work/lies" "$work/ops" "$pid")
case "$?$said" in
1*"L1: misstop"*) pass "the comparison sees a wrong rate" ;;
*) fail "the comparison does not see a wrong rate: $said" ;;
esac
for recorded in "pebs-i9-9980HK-loads-stores.perf.data 2782698" \
                "pebs-xeon-8173M-weight-struct.perf.data 17575"; do
    set -- $recorded
    [ -r "$SHARED_DATA/$1" ] || { skip "$1 is not here"; continue; }
    compare "$1" "$SHARED_DATA/$1" "$2"
done
if [ -r "$SHARED_DATA/ibs-op-samples.csv" ]; then
    pid=$("$here/ibs_recording.py" "$SHARED_DATA/ibs-op-samples.csv" "$work/ibs") &&
        compare ibs-op-samples.csv "$work/ibs" "$pid"
else
    skip "ibs-op-samples.csv is not here"
fi
finish
