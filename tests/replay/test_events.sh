#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The ranking event of a recording: the events of a hybrid CPU's core types are one, -e selects an
# event or is refused with a list, a dummy event does not count. And the names of its code: from this
# machine's files only if it was recorded here, and none for unmapped code.
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

# Prints the ranking event and its number of samples.
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

cat >"$work/known.c" <<'C'
long sink;
__attribute__((noinline)) void known(void) { sink++; }
int main(void) { known(); return 0; }
C
${CC:-cc} -O1 -static -no-pie -Wl,--build-id=none -o "$work/known" "$work/known.c" 2>/dev/null &&
    address=$(nm "$work/known" | sed -n 's/ T known$//p') && [ -n "$address" ] ||
    { skip 'names: no compiler, no static libraries or no nm'; finish; }
made() { # name, host, offset added to the inode
    PYTHONPATH=$here python3 - "$work/$1" "$2" "$work/known" "$address" "$3" <<'PY'
import os, struct, sys
import recording
out, host, program, address, other = sys.argv[1:]
PID, START, address = 4321, 0x10000000, int(address, 16)
with open(program, 'rb') as elf:
    raw = elf.read()
at, = struct.unpack_from('<Q', raw, 32)
segments = [struct.unpack_from('<IIQQQQQQ', raw, at + 56 * i) for i in range(struct.unpack_from('<H', raw, 56)[0])]
text = next(s for s in segments if s[0] == 1 and s[1] & 1)
page = text[3] & -4096
data = recording.process(PID, 1, START, 0x10000)
data += recording.code(PID, 2, page, 0x100000, text[2] & -4096, os.stat(program).st_ino + int(other), program)
for i in range(100):
    ip = address if i % 20 == 0 else 0x7f0000000000 + 64 * i
    data += recording.sample(0, PID, PID, 1000 + i, 0, ip, START + 64, 1000, (0x5080022,))
recording.write(out, [(4, 0x1cd, 'cpu/mem-loads/P')], recording.DATA_SRC, data, host)
PY
}
functions() { "$MISSTOP" -j -i "$work/$1" 2>"$work/said" | tail -1 | python3 -c '
import json, sys
print(*["%s %.2f" % (code["function"], code["share"]) for code in json.load(sys.stdin)["code"]])'; }
made here "$(uname -n)" 0 && expect 'recorded here' 'known 0.05' "$(functions here)"
made there another-machine 0 &&
    expect 'recorded on another machine' '[code of known] 0.05' "$(functions there)"
grep -q 'recorded on another machine' "$work/said" && pass 'and says why' || fail "does not say why: $(cat "$work/said")"
made somewhere '' 0 && expect 'where is not known, the very file' 'known 0.05' "$(functions somewhere)"
made somewhere '' 1 && expect 'where is not known, a later file' '[code of known] 0.05' "$(functions somewhere)"
"$MISSTOP" -b -i "$work/here" 2>&1 | grep -q '95.0% of the samples are in code outside all recorded mappings' &&
    pass 'code outside of all mappings is told' || fail 'code outside of all mappings is not told'
finish
