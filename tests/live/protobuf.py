# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads protobuf messages without their schema, for tests of --pprof."""


def fields(data):
    """Yields (number, value) of each field: varints and byte strings, the only types in pprof."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
