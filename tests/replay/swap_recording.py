#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts a recording to the other byte order: swap_recording.py IN OUT.

Supports uncompressed files only, and samples without registers, stacks and the like, which the test
data does not need. Written from perf.data-file-format.txt and the uapi header, not from the reader.
"""
import struct
import sys

IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD, WEIGHT, DATA_SRC, STRUCT = (
    1 << 16, 1, 2, 4, 8, 64, 1 << 9, 128, 256, 1 << 14, 1 << 15, 1 << 24)


def numbers(data, layout):
    size = struct.calcsize("<" + layout)
    return struct.pack(">" + layout, *struct.unpack("<" + layout, data[:size])) + data[size:]


def attribute(data):
    layout, size = "", 0
    for code in "I I Q Q Q Q 8s I I Q Q Q Q I i Q I H H I I Q Q".split():
        if size + struct.calcsize("<" + code) > len(data):
            break
        layout += code
        size += struct.calcsize("<" + code)
    values = list(struct.unpack("<" + layout, data[:size]))
    values[6] = bytes(int(f"{byte:08b}"[::-1], 2) for byte in values[6])
    return struct.pack(">" + layout, *values) + data[size:]


def words(mask, order):
    return "".join("II" if field in (TID, CPU) else "Q" for field in order if mask & field)


def sample(body, mask):
    return numbers(body, words(mask, (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD,
                                      WEIGHT | STRUCT, DATA_SRC)))


def other(kind, misc, body, mask):
    layout = words(mask, (TID, TIME, ID, STREAM, CPU, IDENTIFIER))
    size = struct.calcsize("<" + layout)
    head, tail = body[:len(body) - size], body[len(body) - size:]
    if kind == 10 and misc & 1 << 14:
        head = numbers(head[:32], "IIQQQ") + head[32:56] + numbers(head[56:], "II")
    else:
        head = numbers(head, {1: "IIQQQ", 2: "QQ", 3: "II", 4: "IIIIQ", 5: "QQQ", 6: "QQQ",
                              7: "IIIIQ", 10: "IIQQQIIQQII", 13: "Q"}.get(kind, ""))
    return head + numbers(tail, layout)


def own(kind, body):
    return numbers(body, {70: "II", 71: "QQQIIII"}.get(kind, ""))


def string(data, at):
    length = struct.unpack_from("<I", data, at)[0]
    return struct.pack(">I", length) + data[at + 4:at + 4 + length], at + 4 + length


def feature(number, data):
    if number in (3, 4, 5, 6, 8, 9):
        return string(data, 0)[0]
    if number == 2:
        out, at = b"", 0
        while at < len(data):
            size = struct.unpack_from("<H", data, at + 6)[0]
            out += numbers(data[at:at + size], "IHHI")
            at += size
        return out
    if number == 7:
        return numbers(data, "II")
    if number in (10, 21):
        return numbers(data, "Q" * (len(data) // 8))
    if number == 12:
        count, size = struct.unpack_from("<II", data)
        out, at = struct.pack(">II", count, size), 8
        for _ in range(count):
            out += attribute(data[at:at + size])
            ids = struct.unpack_from("<I", data, at + size)[0]
            name, end = string(data, at + size + 4)
            out += struct.pack(">I", ids) + name + numbers(data[end:end + ids * 8], "Q" * ids)
            at = end + ids * 8
        return out
    if number == 11:
        out, at = numbers(data[:4], "I"), 4
        for _ in range(struct.unpack_from("<I", data)[0]):
            text, at = string(data, at)
            out += text
        return out
    if number == 20:
        out, at = numbers(data[:8], "II"), 8
        for _ in range(struct.unpack_from("<II", data)[1]):
            out += numbers(data[at:at + 16], "IIII")
            at += 16
            for _ in range(3):
                text, at = string(data, at)
                out += text
        return out
    return data


def main():
    data = bytearray(open(sys.argv[1], "rb").read())
    out = bytearray(data)
    head = struct.unpack_from("<8sQQQQQQQQ4Q", data)
    attr_size, attrs_at, attrs_size, data_at, data_size = head[2:7]
    features = sum(word << 64 * i for i, word in enumerate(head[9:13]))
    masks, events = {}, []
    out[:104] = b"2ELIFREP" + numbers(bytes(data[8:104]), "12Q")
    for at in range(attrs_at, attrs_at + attrs_size, attr_size):
        end = at + attr_size - 16
        mask = struct.unpack_from("<Q", data, at + 24)[0]
        events.append(mask)
        out[at:end] = attribute(bytes(data[at:end]))
        out[end:end + 16] = numbers(bytes(data[end:end + 16]), "QQ")
        ids_at, ids_size = struct.unpack_from("<QQ", data, end)
        for where in range(ids_at, ids_at + ids_size, 8):
            masks[struct.unpack_from("<Q", data, where)[0]] = mask
            out[where:where + 8] = numbers(bytes(data[where:where + 8]), "Q")
    at = data_at
    while at < data_at + data_size:
        kind, misc, size = struct.unpack_from("<IHH", data, at)
        body = bytes(data[at + 8:at + size])
        if kind >= 64:
            body = own(kind, body)
        elif kind == 9:
            body = sample(body, masks.get(struct.unpack_from("<Q", body)[0], events[0])
                          if events[0] & IDENTIFIER else events[0])
        else:
            last = struct.unpack_from("<Q", body, len(body) - 8)[0]
            body = other(kind, misc, body, masks.get(last, events[0]))
        out[at:at + 8] = struct.pack(">IHH", kind, misc, size)
        out[at + 8:at + size] = body
        at += size + (struct.unpack_from("<Q", data, at + 8)[0] if kind == 71 else 0)
    table = data_at + data_size
    for number in range(256):
        if features >> number & 1:
            offset, size = struct.unpack_from("<QQ", data, table)
            out[table:table + 16] = struct.pack(">QQ", offset, size)
            out[offset:offset + size] = feature(number, bytes(data[offset:offset + size]))
            table += 16
    open(sys.argv[2], "wb").write(out)


if __name__ == "__main__":
    main()
