#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares misstop's miss rates and criticality with sums over the output of perf script.

  compare_rates.py MISSTOP FILE PID

For the ranking event, over all attributed samples and over each object in [address, size): if its
samples are hits as well as misses, the share that missed each level among samples with a known
level, and the bounds if none or all of the other samples missed; the share of all cycles waited, of
all L1 misses, and their ratio. Prints the number of samples and objects that agree, or the
differences with status 1; status 2 if perf cannot read the file or has no sample of the process in
user mode.
"""
import json
import math
import subprocess
import sys

import compare_levels

HIT = {"L1": ("L1", "LFB"), "L2": ("L1", "LFB", "L2"),
       "memory": ("L1", "LFB", "L2", "L3", "beyond-L1-cache")}
# A sample that is only known to have missed a level says nothing about the next one.
VAGUE = {"L1": ("unknown",), "L2": ("unknown", "beyond-L1"),
         "memory": ("unknown", "beyond-L1", "beyond-L2", "beyond-L3")}


def weight(samples, factor=None):
    return sum(one["period"] * (one[factor] if factor else 1) for one in samples)


def wilson(part, samples):
    """Wilson's interval of a share of weighted samples."""
    squares = sum(one["period"] ** 2 for one in samples)
    number = weight(samples) ** 2 / squares
    z2 = 1.959963984540054 ** 2
    middle = (part + z2 / 2 / number) / (1 + z2 / number)
    half = math.sqrt(z2) * math.sqrt(part * (1 - part) / number + z2 / 4 / number ** 2)
    half /= 1 + z2 / number
    return middle - half, middle + half


def missed(samples, level):
    return [one for one in samples if one["level"] not in HIT[level] + VAGUE[level]]


def rate(samples, level):
    vague = weight([one for one in samples if one["level"] in VAGUE[level]])
    known = weight(samples) - vague
    wrong = weight(missed(samples, level))
    if not known:
        return None
    return [wrong / known, max(0, wilson(wrong / weight(samples), samples)[0]),
            min(1, wilson((wrong + vague) / weight(samples), samples)[1])]


def expected(samples, everything, all_hits):
    out = {}
    if all_hits:
        out["accesses"] = weight(samples)
        for level in HIT:
            out[level] = rate(samples, level)
    if weight(everything, "cycles"):
        out["stall"] = weight(samples, "cycles") / weight(everything, "cycles")
        if weight(missed(everything, "L1")):
            out["missed"] = weight(missed(samples, "L1")) / weight(missed(everything, "L1"))
            few = len(missed(samples, "L1")) < 5
            out["critical"] = None if few else out["stall"] / out["missed"]
    return out


def reported(part, names):
    rates = part["rates"] or {}
    out = {"accesses": part["accesses"]}
    for level, ends in (rates.get("miss") or {}).items():
        out[level] = ends and [ends["value"], ends["low"], ends["high"]]
    for name in ("stall", "missed", "critical"):
        out[name] = rates[name]["value"] if rates.get(name) else None
    return {name: out.get(name) for name in names}


def near(left, right):
    if isinstance(left, list) and isinstance(right, list):
        return all(near(a, b) for a, b in zip(left, right))
    if left is None or right is None:
        return left is right
    return abs(left - right) <= 2e-6 * max(1, abs(right))


def differ(name, ours, theirs):
    # misstop reports no ratio for a few samples with uneven waits, whatever the sums.
    wrong = [key for key in theirs if not near(ours[key], theirs[key])
             and not (key == "critical" and ours[key] is None)]
    for key in wrong:
        print(f"{name}: {key}: misstop reports {ours[key]}, perf script gives {theirs[key]}")
    return bool(wrong)


def main():
    misstop, path, pid = sys.argv[1:]
    done = subprocess.run([misstop, "-i", path, "-p", pid, "-j", "-n", "1", "-H", "0"],
                          capture_output=True, text=True, check=False)
    report = json.loads(done.stdout.splitlines()[-1])
    source = report["source"]
    role = [event["role"] for event in source["events"] if event["name"] == source["event"]][0]
    everything = [one for one in compare_levels.samples(path, pid)
                  if one["event"] == source["event"]]
    if not everything:
        return 2
    wrong = ratios = objects = 0
    for one in [report] + report["objects"]:
        inside = everything
        if one is not report:
            start = int(one["address"], 16)
            inside = [sample for sample in everything
                      if start <= sample["addr"] < start + (one["size"] or 0)]
            # Objects can be nested: only compare those with the same number of samples.
            if len(inside) != one["samples"]:
                continue
            objects += 1
        theirs = expected(inside, everything, role == "access")
        ours = reported(one, theirs)
        wrong |= differ(one.get("name", "everything"), ours, theirs)
        ratios += ours.get("critical") is not None
    print(f"{len(everything)} samples, {objects} of {len(report['objects'])} objects, "
          f"{ratios} ratios")
    return 1 if wrong or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
