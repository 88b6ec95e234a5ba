#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes recordings of accesses, misses and stalls.

  rates_recording.py events MISSTOP OUT
  rates_recording.py ops OUT

`events`: three events; checks misstop's figures. They reproduce DTrack's result for 179.art (section
3.4): an array, here the mapping tds, has 2.1 % of the misses and 16.6 % of the stalls. Status 1 and
misstop's figures if they differ. `ops`: IBS samples, hits and misses, with uneven periods, for
compare_rates.py; prints the pid.
"""
import json
import random
import subprocess
import sys

import recording

PID, LENGTH = 4321, 0x10000
MAPPINGS = {"tds": 0x10000000, "rest": 0x20000000}
RAW, HARDWARE = 4, 0
# A load, and the rest "not available": precise_datala_hsw() of arch/x86/events/intel/ds.c.
NOT_AVAILABLE = 0x5080022
# Event, samples by mapping, and period.
EVENTS = [((RAW, 0x08d1, "mem_load_retired.l1_miss:pp"), {"tds": 42, "rest": 1958}, 1000),
          ((RAW, 0x81d0, "mem_inst_retired.all_loads:pp"), {"tds": 100, "rest": 900}, 20000),
          ((HARDWARE, 0, "cycles:pp"), {"tds": 332, "rest": 1668}, 50000)]


# PERF_MEM_LVL_* with HIT; how many of 20 accesses find their data there; their latency in cycles.
LOAD, LEVEL = 2, 5
FOUND = {"tds": ((0x0a, 14, 4), (0x22, 3, 15), (0x42, 2, 60), (0x82, 1, 900)),
         "rest": ((0x0a, 10, 4), (0x12, 2, 20), (0x22, 4, 15), (0x82, 4, 200))}


def write_ops(path):
    chance = random.Random(20261121)
    data = b"".join(recording.process(PID, 1, start, LENGTH) for start in MAPPINGS.values())
    for number in range(2000):
        name = "tds" if number % 4 == 0 else "rest"
        which, _, cycles = chance.choices(FOUND[name], [each[1] for each in FOUND[name]])[0]
        data += recording.sample(0, PID, PID, 1000 * (number + 2), 0, 0x401000,
                                 MAPPINGS[name] + chance.randrange(16) * 64,
                                 chance.randrange(20000, 60000),
                                 (cycles + chance.randrange(cycles), LOAD | which << LEVEL))
    recording.write(path, [(11, 1 << 19, "ibs_op/cnt_ctl/")],
                    recording.WEIGHT | recording.DATA_SRC, data)
    print(PID)


def samples():
    """The samples of all events and mappings in order of time."""
    out = []
    for number, (_, counts, period) in enumerate(EVENTS):
        for name, count in counts.items():
            out += [((k + 0.5) / count, number, MAPPINGS[name] + k % 16 * 64, period)
                    for k in range(count)]
    return sorted(out)


def write(path):
    data = b"".join(recording.process(PID, 1, start, LENGTH) for start in MAPPINGS.values())
    time = 1000
    for _, event, address, period in samples():
        time += 1000
        data += recording.sample(event, PID, PID, time, 0, 0x401000, address, period,
                                 (NOT_AVAILABLE,))
    recording.write(path, [event[0] for event in EVENTS], recording.DATA_SRC, data)


def misstop(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout


def expected(name):
    """The figures of a mapping, by hand: accesses, miss rate, shares of stalls and misses, their ratio."""
    miss, access, cycles = ({**counts, "all": sum(counts.values())} for _, counts, _ in EVENTS)
    stall = cycles[name] / cycles["all"]
    missed = miss[name] / miss["all"]
    return [access[name] * 20000, miss[name] * 1000 / (access[name] * 20000), stall, missed,
            stall / missed]


def reported(report, name):
    one = [each for each in report["objects"] if int(each["address"], 16) == MAPPINGS[name]][0]
    rates = one["rates"]
    figures = [one["accesses"], one["miss_rate"], rates["stall"]["value"],
               rates["missed"]["value"], rates["critical"]["value"]]
    ends = [rates["miss"]["L1"], rates["stall"], rates["missed"], rates["critical"]]
    ordered = all(each["low"] < each["value"] < each["high"] for each in ends)
    same = one["stall_share"] == rates["stall"]["value"] and one["miss_rate_of"] == "L1"
    return figures if ordered and same else None


def near(left, right):
    return left is not None and all(abs(a - b) <= 1e-5 * b for a, b in zip(left, right))


def main():
    if sys.argv[1] == "ops":
        write_ops(sys.argv[2])
        return 0
    program, out = sys.argv[2:]
    write(out)
    report = json.loads(misstop(program, "-i", out, "-j", "-n", "1", "-H", "0").splitlines()[-1])
    for name in MAPPINGS:
        if not near(reported(report, name), expected(name)):
            print(f"{name}: expected {expected(name)}, got {reported(report, name)}")
            return 1
    text = misstop(program, "-i", out, "-b", "--full", "-n", "1", "-H", "0", "--width", "200", "--ascii")
    lines = [line.split() for line in text.splitlines()]
    rows = [line for line in lines if len(line) > 4 and line[0].endswith("%") and "anon" in line]
    shown = [word for line in rows[:2] for word in line if word.endswith("x")]
    # 42 misses are too few for a single figure: misstop shows a range, which must contain the true ratio but not 1.
    low, high = (float(end) for end in shown[1].strip("x").split("-"))
    if shown[0] != "0.9x" or not 3 < low < 0.166 / 0.021 < high:
        print(f"expected 0.9x for rest and a range with {0.166 / 0.021:.1f}x for tds, got {shown}:\n{text}")
        return 1
    print(f"2.1 % of the misses and 16.6 % of the stalls are {shown[1]} in the table")
    return 0


if __name__ == "__main__":
    sys.exit(main())
