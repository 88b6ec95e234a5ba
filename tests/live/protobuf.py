# SPDX-License-Identifier: GPL-3.0-or-later
"""Protobuf messages without their description, for tests of --pprof."""


def fields(data):
    """(number, value) of a message: varints and byte strings, which are all that pprof has."""
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
