#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Miss rates and criticality in reports of recordings equal those computed from perf script's output;
# and the table shows an object that stalls more than it misses.
set -u
. "$(dirname "$0")/judge.sh"

export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
needs python3

if output=$("$here/rates_recording.py" events "$MISSTOP" "$work/events"); then
    pass "rates from separate events for accesses, misses and cycles: $output"
else
    fail "rates from separate events for accesses, misses and cycles: $output"
fi

compare() { # name, file, pid
    if output=$("$here/compare_rates.py" "$MISSTOP" "$2" "$3"); then
        pass "$1, process $3: misstop and perf agree on $output"
    elif [ $? = 2 ]; then
        skip "$1, process $3: perf cannot read the file or has no sample of the process"
    else
        fail "$1, process $3: misstop and perf differ: $output"
    fi
}

command -v perf >/dev/null || { skip "comparison with perf script: perf is not installed"; finish; }
pid=$("$here/rates_recording.py" ops "$work/ops") && compare "hits and misses of IBS ops" "$work/ops" "$pid"
# The comparison itself must detect a wrong rate.
printf '#!/bin/sh\n"%s" "$@" | sed "s/\\"L1\\":{\\"value\\":0\\./&1/g"\n' "$MISSTOP" >"$work/falsified"
chmod +x "$work/falsified"
output=$("$here/compare_rates.py" "$work/falsified" "$work/ops" "$pid")
case "$?$output" in
1*"L1: misstop reports"*) pass "compare_rates.py detects a wrong rate" ;;
*) fail "compare_rates.py does not detect a wrong rate: $output" ;;
esac
for recorded in "pebs-i9-9980HK-loads-stores.perf.data 2782698" \
                "pebs-xeon-8173M-weight-struct.perf.data 17575"; do
    set -- $recorded
    [ -r "$SHARED_DATA/$1" ] || { skip "$1 is absent"; continue; }
    compare "$1" "$SHARED_DATA/$1" "$2"
done
if [ -r "$SHARED_DATA/ibs-op-samples.csv" ]; then
    pid=$("$here/ibs_recording.py" "$SHARED_DATA/ibs-op-samples.csv" "$work/ibs") &&
        compare ibs-op-samples.csv "$work/ibs" "$pid"
else
    skip "ibs-op-samples.csv is absent"
fi
finish
