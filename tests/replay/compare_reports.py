#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the last reports of two files of JSON lines.

    compare_reports.py LIVE REPLAY    prints the differences; status 1 if there are any

Members that depend on being live are excluded, each with its reason.
"""
import json
import math
import re
import sys

LIVE_ONLY = {
    "source.live": "true for the live run, false for the replay",
    "target.state": "'recorded' in a replay",
    "target.cpu": "CPU use at this moment",
    "target.cpus": "CPU use at this moment",
    "reading": "debugging information is read while watching, not while replaying",
    "recording": "only in a replay: where and how it was recorded",
    "binaries": "only in a replay: which programs were found",
    "status": "a message of that moment",
}


# Sums of decaying weights are computed group by group, and a replay has other groups than the live run: numbers can
# differ in their last bits, and in the last digit of a sentence.
LAST_BITS = 1e-12
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def nearly_equal(left, right):
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=LAST_BITS)
    if not isinstance(left, str) or not isinstance(right, str) or NUMBER.sub("#", left) != NUMBER.sub("#", right):
        return False
    numbers = zip(NUMBER.findall(left), NUMBER.findall(right))
    return all(abs(float(one) - float(other)) < 1.5 * 10 ** -len(one.partition(".")[2]) for one, other in numbers)


# A live report does not wait for source lines; the recording is written later and has them.
READ_LATE = ("file", "line")


def last_report(path):
    with open(path) as lines:
        return json.loads(lines.read().strip().split("\n")[-1])


def differences(left, right, path=""):
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(set(left) | set(right)):
            inner = f"{path}.{key}" if path else key
            if inner in LIVE_ONLY:
                continue
            if key in READ_LATE and left.get(key) is None:
                continue
            if key in left and key in right:
                yield from differences(left[key], right[key], inner)
            else:
                yield f"{inner}: only in the {'live' if key in left else 'replayed'} report"
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for i, (one, other) in enumerate(zip(left, right)):
            yield from differences(one, other, f"{path}[{i}]")
    elif left != right and nearly_equal(left, right):
        return
    elif left != right or isinstance(left, bool) != isinstance(right, bool):
        yield f"{path}: expected {str(left)[:60]}, got {str(right)[:60]}"


live, replay = last_report(sys.argv[1]), last_report(sys.argv[2])
found = list(differences(live, replay))
for line in found[:10]:
    print(line)
bins = live["heap"]["bins"]
print(f"{live['samples']['total']} samples, {len(live['objects'])} objects, "
      f"{sum(1 for o in live['objects'] for f in o['fields'] if not f['name'].startswith('+'))} fields, "
      f"{len(bins)} bins, heap by {live['heap']['feed']}, iteration {live['iteration']}: "
      f"{len(found)} differences")
sys.exit(bool(found) or not live["samples"]["total"])
