#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts IBS op samples from text (shared/data) to a perf.data file.

  ibs_recording.py SAMPLES.csv OUT

The result is like that of `perf record -e ibs_op// -d -W` on that machine: one event, with addresses,
latencies and data sources as in perf_ibs_get_data_src() of arch/x86/events/amd/ibs.c. It has one
process with one mapping that spans all its addresses. Prints the pid.
"""
import sys

import recording

TSC, CPU, TID, PID, KERNEL, RIP, MAX_COUNT = range(7)
LOAD, STORE, L1_TLB_MISS, L2_TLB_MISS = range(19, 23)
DC_MISS, LOCKED, NO_MAB, LINEAR_VALID, LATENCY, LINEAR = 26, 30, 31, 32, 39, 41

PMU_TYPE = 11

# PERF_MEM_*: shift of each field
OP, LVL, LOCK, TLB = 0, 5, 24, 26
NA_OP, OP_LOAD, OP_STORE = 1, 2, 4
LVL_NA, LVL_HIT, LVL_L1, LVL_LFB = 1, 2, 8, 16
LOCK_NA, LOCK_LOCKED = 1, 2
TLB_NA, TLB_HIT, TLB_MISS, TLB_L1, TLB_L2 = 1, 2, 4, 8, 16


def data_src(row):
    if not row[LOAD] and not row[STORE]:
        return NA_OP << OP
    word = (OP_LOAD if row[LOAD] else OP_STORE) << OP
    if not row[DC_MISS]:
        word |= (LVL_L1 | LVL_HIT) << LVL
    else:
        word |= (LVL_LFB | LVL_HIT if row[NO_MAB] else LVL_NA) << LVL
    word |= (LOCK_LOCKED if row[LOCKED] else LOCK_NA) << LOCK
    if not row[LINEAR_VALID]:
        return word | TLB_NA << TLB
    if not row[L1_TLB_MISS]:
        return word | (TLB_L1 | TLB_HIT) << TLB
    return word | (TLB_L2 | (TLB_MISS if row[L2_TLB_MISS] else TLB_HIT)) << TLB


def number(cell):
    # Text columns, as "Reserved-6" of the north bridge, are not used.
    return int(cell, 0) if cell[:1].isdigit() else 0


def sample(row):
    access = row[LINEAR_VALID] and (row[LOAD] or row[STORE])
    return recording.sample(0, row[PID], row[TID], row[TSC], row[CPU], row[RIP],
                            row[LINEAR] if access else 0, row[MAX_COUNT] << 4,
                            (row[LATENCY], data_src(row)), row[KERNEL])


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        rows = [[number(cell) for cell in line.split(",")[:LINEAR + 1]]
                for line in file if line[:1].isdigit()]
    rows = sorted((row for row in rows if row[TSC]), key=lambda row: row[TSC])
    # The process with most accesses.
    pids = [row[PID] for row in rows if row[LINEAR_VALID]]
    first = next(row for row in rows if row[PID] == max(set(pids), key=pids.count))
    used = [row[LINEAR] for row in rows
            if row[LINEAR_VALID] and row[PID] == first[PID] and 0 < row[LINEAR] < 1 << 47]
    start = min(used) & ~0xfff
    data = recording.process(first[PID], first[TSC], start, (max(used) | 0xfff) + 1 - start)
    data += b"".join(sample(row) for row in rows)
    events = [(PMU_TYPE, 0, "ibs_op//")]
    recording.write(sys.argv[2], events, recording.WEIGHT | recording.DATA_SRC, data)
    print(first[PID])


if __name__ == "__main__":
    main()
