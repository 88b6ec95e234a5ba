#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Levels, latencies, TLB and snoop results in reports of PEBS and IBS recordings equal the sums of
# perf script's output, in total and for each object.
set -u
. "$(dirname "$0")/judge.sh"

export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
needs python3
available() { [ -r "$SHARED_DATA/$1" ] || { skip "$1 is absent"; return 1; }; }

compare() { # name, file, pid
    if output=$("$here/compare_levels.py" "$MISSTOP" "$2" "$3"); then
        pass "$1, process $3: misstop and perf agree on $output"
    elif [ $? = 2 ]; then
        skip "$1, process $3: perf cannot read the file or has no sample of the process"
    else
        fail "$1, process $3: misstop and perf differ: $output"
    fi
}

# Several miss events: levels computed from their counts.
for kind in cache retired; do
    if output=$("$here/miss_recording.py" $kind "$MISSTOP" "$work/$kind"); then
        pass "levels computed from $kind misses: $output"
    else
        fail "levels computed from $kind misses: $output"
    fi
done

command -v perf >/dev/null || { skip "comparison with perf script: perf is not installed"; finish; }
i9=pebs-i9-9980HK-loads-stores.perf.data
if available $i9; then
    compare $i9 "$SHARED_DATA/$i9" 2782698
    # The comparison itself must detect a wrong level.
    printf '#!/bin/sh\n"%s" "$@" | sed "s/\\"LFB\\"/\\"L2\\"/"\n' "$MISSTOP" >"$work/falsified"
    chmod +x "$work/falsified"
    if "$here/compare_levels.py" "$work/falsified" "$SHARED_DATA/$i9" 2782698 >/dev/null; then
        fail "compare_levels.py does not detect a wrong level"
    else
        pass "compare_levels.py detects a wrong level"
    fi
fi
xeon=pebs-xeon-8173M-weight-struct.perf.data
if available $xeon; then
    for pid in 17575 17564 17654 17662; do compare $xeon "$SHARED_DATA/$xeon" $pid; done
fi
if available ibs-op-samples.csv; then
    if pid=$("$here/ibs_recording.py" "$SHARED_DATA/ibs-op-samples.csv" "$work/ibs"); then
        compare ibs-op-samples.csv "$work/ibs" "$pid"
    else
        fail "ibs_recording.py cannot convert ibs-op-samples.csv"
    fi
fi
finish
