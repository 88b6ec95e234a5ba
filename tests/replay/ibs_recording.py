#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes IBS op samples that are at hand as text (shared/data) as a perf.data file.

  ibs_recording.py SAMPLES.csv OUT

As `perf record -e ibs_op// -d -W` would on that machine: one event, addresses, latencies and data
sources put together as arch/x86/events/amd/ibs.c, perf_ibs_get_data_src(). One process, whose
memory is one mapping as far as its addresses go. Prints its pid.
"""
import struct
import sys

TSC, CPU, TID, PID, KERNEL, RIP, MAX_COUNT = range(7)
LOAD, STORE, L1_TLB_MISS, L2_TLB_MISS = range(19, 23)
DC_MISS, LOCKED, NO_MAB, LINEAR_VALID, LATENCY, LINEAR = 26, 30, 31, 32, 39, 41

# perf_event_attr: sizes, sample_type IDENTIFIER|IP|TID|TIME|ADDR|CPU|PERIOD|WEIGHT|DATA_SRC
ATTR_SIZE = 128
IDENTIFIER, IP, TID_, TIME, ADDR, CPU_, PERIOD, WEIGHT, DATA_SRC = (
    1 << 16, 1, 2, 4, 8, 1 << 7, 1 << 8, 1 << 14, 1 << 15)
PMU_TYPE, EVENT_ID = 11, 7
EVENT_DESC = 12
RECORD_COMM, RECORD_SAMPLE, RECORD_MMAP2 = 3, 9, 10
MISC_KERNEL, MISC_USER = 1, 2

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
    # Columns that are words, "Reserved-6" of the north bridge, are not used here.
    return int(cell, 0) if cell[:1].isdigit() else 0


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, len(body) + 8) + body


def padded(text):
    raw = text.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 8)


def identity(row):
    return struct.pack("<IIQIIQ", row[PID], row[TID], row[TSC], row[CPU], 0, EVENT_ID)


def sample(row):
    access = row[LINEAR_VALID] and (row[LOAD] or row[STORE])
    body = struct.pack("<QQIIQQIIQQQ", EVENT_ID, row[RIP], row[PID], row[TID], row[TSC],
                       row[LINEAR] if access else 0, row[CPU], 0, row[MAX_COUNT] << 4,
                       row[LATENCY], data_src(row))
    return record(RECORD_SAMPLE, MISC_KERNEL if row[KERNEL] else MISC_USER, body)


def mapping(first, rows):
    used = [row[LINEAR] for row in rows
            if row[LINEAR_VALID] and row[PID] == first[PID] and 0 < row[LINEAR] < 1 << 47]
    start = min(used) & ~0xfff
    body = struct.pack("<IIQQQIIQQII", first[PID], first[PID], start,
                       (max(used) | 0xfff) + 1 - start, 0, 0, 0, 0, 0, 3, 2) + padded("//anon")
    return record(RECORD_MMAP2, MISC_USER, body + identity(first))


def attribute():
    sample_type = IDENTIFIER | IP | TID_ | TIME | ADDR | CPU_ | PERIOD | WEIGHT | DATA_SRC
    flags = 1 << 18  # sample_id_all
    raw = struct.pack("<IIQQQQQ", PMU_TYPE, ATTR_SIZE, 0, 0x4000, sample_type, 0, flags)
    return raw + b"\0" * (ATTR_SIZE - len(raw))


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        rows = [[number(cell) for cell in line.split(",")[:LINEAR + 1]]
                for line in file if line[:1].isdigit()]
    rows = sorted((row for row in rows if row[TSC]), key=lambda row: row[TSC])
    # The process whose accesses are most.
    pids = [row[PID] for row in rows if row[LINEAR_VALID]]
    first = next(row for row in rows if row[PID] == max(set(pids), key=pids.count))
    name = struct.pack("<II", first[PID], first[PID]) + padded("recorded")
    data = record(RECORD_COMM, 0, name + identity(first)) + mapping(first, rows)
    data += b"".join(sample(row) for row in rows)
    attr = attribute()
    head = 104
    ids_at = head
    attrs_at = ids_at + 8
    data_at = attrs_at + ATTR_SIZE + 16
    event = padded("ibs_op//")
    desc = struct.pack("<II", 1, ATTR_SIZE) + attr + struct.pack("<II", 1, len(event)) + event
    desc += struct.pack("<Q", EVENT_ID)
    header = b"PERFILE2" + struct.pack("<QQQQQQQQ", head, ATTR_SIZE + 16, attrs_at, ATTR_SIZE + 16,
                                       data_at, len(data), 0, 0)
    header += struct.pack("<QQQQ", 1 << EVENT_DESC, 0, 0, 0)
    with open(sys.argv[2], "wb") as out:
        out.write(header + struct.pack("<Q", EVENT_ID) + attr + struct.pack("<QQ", ids_at, 8))
        out.write(data + struct.pack("<QQ", data_at + len(data) + 16, len(desc)) + desc)
    print(first[PID])


if __name__ == "__main__":
    main()
