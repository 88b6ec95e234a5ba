#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The ranking event of a recording: the events of a hybrid CPU's core types are one, -e selects an
# event or is refused with a list, a dummy event does not count. And the names of its code: from this
# machine's files only if it was recorded here, and none for unmapped code.
set -u
. "$(dirname "$0")/judge.sh"
needs python3

PYTHONPATH=$here python3 - "$work/hybrid" <<'PY' || { fail 'the recording of a hybrid CPU could not be written'; finish; }
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
ranking() { "$MISSTOP" -j -i "$work/hybrid" "$@" 2>"$work/messages" | tail -1 | python3 -c '
import json, sys
source = json.load(sys.stdin)["source"]
print(source["event"], *[event["samples"] for event in source["events"] if event["name"] == source["event"]],
      "of", ", ".join(event["name"] for event in source["events"]))'; }

expect() { # description, expected, got
    [ "$2" = "$3" ] && pass "$1: $3" || fail "$1: expected $2, got $3"
}
all='of cycles:u, cpu_core/mem-stores/P'
expect 'events of both core types are joined' "cycles:u 900 $all" "$(ranking)"
expect '-e selects an event by its plain name' "cpu_core/mem-stores/P 100 $all" "$(ranking -e mem-stores)"
expect '-e with several events selects the first' "cpu_core/mem-stores/P 100 $all" \
    "$(ranking -e cpu_core/mem-stores/P,cycles)"
expect '-e selects an event by its role' "cycles:u 900 $all" "$(ranking -e stall)"
for wrong in nonsense mem-stores,nonsense dummy:u '' ,; do
    "$MISSTOP" -b -i "$work/hybrid" -e "$wrong" >"$work/out" 2>"$work/messages"
    status=$?
    [ $status = 2 ] && grep -q 'it has cycles:u, cpu_core/mem-stores/P$' "$work/messages" &&
        pass "-e '$wrong' is refused with the list of events" ||
        fail "-e '$wrong': expected status 2 and the list of events, got status $status: $(cat "$work/messages")"
done

cat >"$work/known.c" <<'C'
long sink;
__attribute__((noinline)) void known(void) { sink++; }
int main(void) { known(); return 0; }
C
${CC:-cc} -O1 -static -no-pie -Wl,--build-id=none -o "$work/known" "$work/known.c" 2>/dev/null &&
    address=$(nm "$work/known" | sed -n 's/ T known$//p') && [ -n "$address" ] ||
    { skip 'names of code: no compiler, static C library or nm'; finish; }
write_recording() { # name, host, offset added to the inode
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
functions() { "$MISSTOP" -j -i "$work/$1" 2>"$work/messages" | tail -1 | python3 -c '
import json, sys
print(*["%s %.2f" % (code["function"], code["share"]) for code in json.load(sys.stdin)["code"]])'; }
write_recording here "$(uname -n)" 0 &&
    expect 'recorded on this machine: the function is named' 'known 0.05' "$(functions here)"
write_recording there another-machine 0 &&
    expect 'recorded on another machine: the function is not named' '[code of known] 0.05' "$(functions there)"
grep -q 'recorded on another machine' "$work/messages" &&
    pass 'recorded on another machine: a message says so' ||
    fail "recorded on another machine: expected a message, got: $(cat "$work/messages")"
write_recording somewhere '' 0 &&
    expect 'unknown machine, same inode: the function is named' 'known 0.05' "$(functions somewhere)"
write_recording somewhere '' 1 &&
    expect 'unknown machine, other inode: the function is not named' '[code of known] 0.05' "$(functions somewhere)"
"$MISSTOP" -b -i "$work/here" 2>&1 | grep -q '95.0% of the samples are in code outside all recorded mappings' &&
    pass 'samples outside all mappings are reported' ||
    fail 'samples outside all mappings: the text report lacks their share of 95.0%'
finish
