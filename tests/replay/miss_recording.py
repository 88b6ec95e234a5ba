#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a perf.data file with several miss events of one program and checks misstop's levels.

  miss_recording.py cache|retired MISSTOP OUT

`cache`: perf's generic events of the L1 and the last level. `retired`: Intel's events of each level.
An access that missed one level but not the next was found in the next. Status 1 and misstop's
figures if they differ.
"""
import json
import subprocess
import sys

import recording

PID, START, LENGTH = 4321, 0x10000000, 0x10000
HW_CACHE, RAW = 3, 4
# A load, and the rest "not available": precise_datala_hsw() of arch/x86/events/intel/ds.c.
NOT_AVAILABLE = 0x5080022
# Samples and period of each event, in the order of EVENTS; the field is the same for all.
EVENTS = {
    "cache": [(HW_CACHE, 0x10002, "LLC-load-misses:P", 40, 1000),
              (HW_CACHE, 0x10000, "L1-dcache-load-misses:P", 50, 5000)],
    "retired": [(RAW, 0x20d1, "mem_load_retired.l3_miss:ppu", 30, 1000),
                (RAW, 0x10d1, "MEM_LOAD_RETIRED.L2_MISS", 20, 4000),
                (RAW, 0x08d1, "mem_load_retired.l1_miss:pp", 40, 7000)],
}
# Computed by hand from EVENTS.
EXPECTED = {
    "cache": {"cache": 50 * 5000 - 40 * 1000, "memory": 40 * 1000},
    "retired": {"L2": 40 * 7000 - 20 * 4000, "L3": 20 * 4000 - 30 * 1000, "memory": 30 * 1000},
}


def main():
    which, misstop, out = sys.argv[1:]
    events = EVENTS[which]
    data = recording.process(PID, 1, START, LENGTH)
    time = 1000
    for number in range(max(event[3] for event in events)):
        for i, event in enumerate(events):
            time += 1000
            if number < event[3]:
                data += recording.sample(i, PID, PID, time, 0, 0x401000, START + 64, event[4],
                                         (NOT_AVAILABLE,))
    recording.write(out, [event[:3] for event in events], recording.DATA_SRC, data)
    done = subprocess.run([misstop, "-i", out, "-j", "-n", "1", "-H", "0"], capture_output=True,
                          text=True, check=False)
    report = json.loads(done.stdout.splitlines()[-1])
    first = report["objects"][0]
    for name, part in (("everything", report), (first["name"], first),
                       (first["fields"][0]["name"], first["fields"][0])):
        levels = part["levels"] or {}
        got = (levels.get("from"), levels.get("found"), part["latency"])
        expected = ("counted", EXPECTED[which], None)
        if got != expected:
            print(f"{name}: expected {expected}, got {got}")
            return 1
    print(EXPECTED[which])
    return 0


if __name__ == "__main__":
    sys.exit(main())
