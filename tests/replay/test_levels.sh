#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Levels, latencies, TLB and snoop results in reports of PEBS and IBS recordings equal the sums of
# perf script's output, in total and for each object.
set -u
. "$(dirname "$0")/judge.sh"

export PYTHONDONTWRITEBYTECODE=1 # sources may be read-only
needs python3
here_is() { [ -r "$SHARED_DATA/$1" ] || { skip "$1 is not here"; return 1; }; }

compare() { # name, file, pid
    if said=$("$here/compare_levels.py" "$MISSTOP" "$2" "$3"); then
        pass "$1, process $3: $said agree"
    elif [ $? = 2 ]; then
        skip "$1, process $3: perf cannot read it, or has no such sample"
    else
        fail "$1, process $3: $said"
    fi
}

# Several miss events: levels computed from their counts.
for kind in cache retired; do
    if said=$("$here/miss_recording.py" $kind "$MISSTOP" "$work/$kind"); then
        pass "worked out from $kind misses: $said"
    else
        fail "$kind misses: $said"
    fi
done

command -v perf >/dev/null || { skip "the rest: perf is not here"; finish; }
i9=pebs-i9-9980HK-loads-stores.perf.data
if here_is $i9; then
    compare $i9 "$SHARED_DATA/$i9" 2782698
    # The comparison itself must detect a wrong level.
    printf '#!/bin/sh\n"%s" "$@" | sed "s/\\"LFB\\"/\\"L2\\"/"\n' "$MISSTOP" >"$work/lies"
    chmod +x "$work/lies"
    if "$here/compare_levels.py" "$work/lies" "$SHARED_DATA/$i9" 2782698 >/dev/null; then
        fail "the comparison does not see a wrong level"
    else
        pass "the comparison sees a wrong level"
    fi
fi
xeon=pebs-xeon-8173M-weight-struct.perf.data
if here_is $xeon; then
    for pid in 17575 17564 17654 17662; do compare $xeon "$SHARED_DATA/$xeon" $pid; done
fi
if here_is ibs-op-samples.csv; then
    if pid=$("$here/ibs_recording.py" "$SHARED_DATA/ibs-op-samples.csv" "$work/ibs"); then
        compare ibs-op-samples.csv "$work/ibs" "$pid"
    else
        fail "ibs-op-samples.csv was not written as a recording"
    fi
fi
finish
