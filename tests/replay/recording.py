# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds perf.data files from synthetic samples, for the *_recording.py programs and test_events.sh."""
import struct

ATTR_SIZE = 128
IDENTIFIER, IP, TID, TIME, ADDR, CPU, PERIOD, WEIGHT, DATA_SRC = (
    1 << 16, 1, 2, 4, 8, 1 << 7, 1 << 8, 1 << 14, 1 << 15)
SAMPLE_TYPE = IDENTIFIER | IP | TID | TIME | ADDR | CPU | PERIOD
SAMPLE_ID_ALL = 1 << 18
PRECISE = 2 << 15
HOSTNAME, EVENT_DESC = 3, 12
RECORD_COMM, RECORD_SAMPLE, RECORD_MMAP2 = 3, 9, 10
MISC_KERNEL, MISC_USER = 1, 2
FIRST_ID = 7


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, len(body) + 8) + body


def padded(text):
    raw = text.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 8)


def sample(event, pid, tid, time, cpu, ip, address, period, rest=(), kernel=False):
    """`rest`: weight and data source, if all events have them."""
    body = struct.pack("<QQIIQQIIQ", FIRST_ID + event, ip, pid, tid, time, address, cpu, 0, period)
    body += b"".join(struct.pack("<Q", word) for word in rest)
    return record(RECORD_SAMPLE, MISC_KERNEL if kernel else MISC_USER, body)


def process(pid, time, start, length):
    """The name of a process, and its memory as one anonymous mapping."""
    identity = struct.pack("<IIQIIQ", pid, pid, time, 0, 0, FIRST_ID)
    name = struct.pack("<II", pid, pid) + padded("recorded")
    mapping = struct.pack("<IIQQQIIQQII", pid, pid, start, length, 0, 0, 0, 0, 0, 3, 2)
    return (record(RECORD_COMM, 0, name + identity) +
            record(RECORD_MMAP2, MISC_USER, mapping + padded("//anon") + identity))


def code(pid, time, start, length, offset, inode, path):
    """The code mapping of a program, without a build-id."""
    mapping = struct.pack("<IIQQQIIQQII", pid, pid, start, length, offset, 0, 0, inode, 0, 5, 2)
    identity = struct.pack("<IIQIIQ", pid, pid, time, 0, 0, FIRST_ID)
    return record(RECORD_MMAP2, MISC_USER, mapping + padded(path) + identity)


def attribute(kind, config, more):
    raw = struct.pack("<IIQQQQQ", kind, ATTR_SIZE, config, 0x4000, SAMPLE_TYPE | more, 0,
                      SAMPLE_ID_ALL | PRECISE)
    return raw + b"\0" * (ATTR_SIZE - len(raw))


def write(path, events, more, data, host=None):
    """`events`: type, config and name of each; `more`: sample_type in addition to SAMPLE_TYPE."""
    head = 104
    ids_at = head
    attrs_at = ids_at + 8 * len(events)
    data_at = attrs_at + (ATTR_SIZE + 16) * len(events)
    ids = attrs = b""
    desc = struct.pack("<II", len(events), ATTR_SIZE)
    for i, (kind, config, name) in enumerate(events):
        attr = attribute(kind, config, more)
        ids += struct.pack("<Q", FIRST_ID + i)
        attrs += attr + struct.pack("<QQ", ids_at + 8 * i, 8)
        text = padded(name)
        desc += attr + struct.pack("<II", 1, len(text)) + text + struct.pack("<Q", FIRST_ID + i)
    header = b"PERFILE2" + struct.pack("<QQQQQQQQ", head, ATTR_SIZE + 16, attrs_at, len(attrs),
                                       data_at, len(data), 0, 0)
    features = {EVENT_DESC: desc}
    if host:
        features[HOSTNAME] = struct.pack("<I", len(padded(host))) + padded(host)
    header += struct.pack("<QQQQ", sum(1 << bit for bit in features), 0, 0, 0)
    at = data_at + len(data) + 16 * len(features)
    sections = b""
    for bit in sorted(features):
        sections += struct.pack("<QQ", at, len(features[bit]))
        at += len(features[bit])
    with open(path, "wb") as out:
        out.write(header + ids + attrs + data + sections)
        out.write(b"".join(features[bit] for bit in sorted(features)))
