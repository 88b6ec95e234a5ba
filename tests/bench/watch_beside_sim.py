#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of watch-beside-sim, from its folder of reports NAME.sim and NAME.watch.

An object's distance is the size of the cache that would miss half of what is not its first use: where
the curve of the simulator's reuse distances falls through the middle. Orders are compared by
Spearman's rank correlation; an object that was hardly touched again stands behind all others.
"""
import json
import math
import os
import sys

LEAST = 10  # watches, as src/profile/reuse_verdict.h wants them
CAUSES = ["first", "capacity", "conflict", "inclusion", "true-sharing", "false-sharing"]
# What the simulator finds to be so, and what watching may call it.
ALIKE = {"first": ["streaming"], "capacity": ["capacity", "streaming"], "conflict": ["conflict"],
         "hits": ["cached"], "sharing": ["conflict"]}


def report(path):
    return json.load(open(path)) if os.path.exists(path) and os.path.getsize(path) else None


def number(value, form="%.3g"):
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else form % value


def seconds(value):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if value is not None and value * scale >= 1:
            return "%.3g%s" % (value * scale, unit)
    return "" if value is None else "<1ns"


def size(value):
    if value == math.inf:
        return "never"
    for unit, scale in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if value is not None and value >= scale:
            return "%.3g%s" % (value / scale, unit)
    return ""


def reuse_of(row):
    if row["reuse_seconds"] is None and row["reuse_between"][0] == 0:
        return "<" + seconds(row["reuse_between"][1])
    return seconds(row["reuse_seconds"])


def distance_of(sim, name):
    """Bytes of cache that halve the misses that a cache can help; None: no curve.

    The smallest cache of the curve is still large enough for the other words of the line just used.
    """
    reuse = sim.get("reuse") or {}
    row = next((o for o in reuse.get("objects", []) if o["name"] == name), None)
    if not row or row["miss_ratio"][0] is None:
        return None
    if row["miss_ratio"][0] - row["first"] < 0.01:
        return math.inf  # of what left a line, hardly anything came back
    half = row["first"] + (row["miss_ratio"][0] - row["first"]) / 2
    for bytes_, miss in zip(reuse["sizes"], row["miss_ratio"]):
        if miss is not None and miss <= half:
            return bytes_
    return reuse["sizes"][-1] * 2


def cause_of(sim, row):
    """The leading cause of its misses in L1, or "hits" where it hardly misses."""
    causes = row.get("causes") or {}
    rates = (row.get("rates") or {}).get("miss_rates") or {}
    curve = next((o for o in (sim.get("reuse") or {}).get("objects", [])
                  if o["name"] == row["name"]), None)
    at = (curve or {}).get("miss_ratio_at", {}).get("L1", rates.get("L1"))
    shares = {c: causes.get(c) or 0 for c in CAUSES}
    leading = max(shares, key=shares.get)
    if at is not None and at < 0.02 and leading != "conflict":
        return "hits"
    return "sharing" if "sharing" in leading else leading


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    rank = [0.0] * len(values)
    for i in range(len(order)):
        same = [j for j in range(len(order)) if values[order[j]] == values[order[i]]]
        rank[order[i]] = sum(same) / len(same)
    return rank


def spearman(pairs):
    if len(pairs) < 3:
        return None
    left, right = ranks([p[0] for p in pairs]), ranks([p[1] for p in pairs])
    mean = (len(pairs) - 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(left, right))
    spread = math.sqrt(sum((a - mean) ** 2 for a in left) * sum((b - mean) ** 2 for b in right))
    return both / spread if spread else None


class Pairs:
    """What both sides tell, over one program or all of them."""

    def __init__(self):
        self.reuse, self.used, self.alike, self.judged = [], [], 0, 0

    def add(self, other):
        self.reuse += other.reuse
        self.used += other.used
        self.alike += other.alike
        self.judged += other.judged

    def say(self, name):
        off = [abs(a - b) for a, b in self.used]
        print("%s: rank correlation of reuse %s (%d objects), of use %s (%d; off by %s points on "
              "average); verdict and cause agree on %d of %d" %
              (name, number(spearman(self.reuse), "%.2f") or "-", len(self.reuse),
               number(spearman(self.used), "%.2f") or "-", len(self.used),
               number(100 * sum(off) / len(off) if off else None, "%.1f") or "-",
               self.alike, self.judged))


def again_after(row):
    """Seconds; behind all others where most lines were not touched again."""
    if row["verdict"] == "streaming":
        return math.inf
    return row["reuse_seconds"] or row["reuse_between"][1]


def compare(name, sim, watch):
    pairs = Pairs()
    simulated = {o["name"]: o for o in sim["objects"]}
    rows = [r for r in watch["watch"]["objects"] if r["watched"] >= LEAST]
    for row in rows[:12]:
        other = simulated.get(row["name"])
        distance = distance_of(sim, row["name"])
        cause = cause_of(sim, other) if other else None
        causes = (other or {}).get("causes") or {}
        print("%-8.8s %-24.24s %-10s %5d %5s %7s %6s | %7s %6s %7s %-9s %s" %
              (name, row["name"], row["verdict"], row["watched"],
               number(row["again"] and 100 * row["again"], "%.0f%%"), reuse_of(row),
               number(row["spatial_use"] and 100 * row["spatial_use"], "%.0f%%"), size(distance),
               number(other and other.get("spatial_use") and 100 * other["spatial_use"], "%.0f%%"),
               number(other and 100 * other["share"], "%.1f%%"), cause or "",
               " ".join("%s %.0f%%" % (c, 100 * causes[c]) for c in CAUSES
                        if causes.get(c, 0) >= 0.1)))
        if not other:
            continue
        if distance is not None and again_after(row) is not None:
            pairs.reuse.append((again_after(row), distance))
        if row["spatial_use"] is not None and other.get("spatial_use") is not None:
            pairs.used.append((row["spatial_use"], other["spatial_use"]))
        if row["verdict"] not in ("too-few", "reused"):
            pairs.judged += 1
            pairs.alike += row["verdict"] in ALIKE.get(cause, [])
    return pairs


def main(folder):
    names = sorted(n[:-6] for n in os.listdir(folder) if n.endswith(".watch"))
    everything = Pairs()
    said = []
    print("%-8s %-24s %-10s %5s %5s %7s %6s | %7s %6s %7s %s" %
          ("PROGRAM", "OBJECT", "WATCHED", "LINES", "AGAIN", "REUSE", "USED",
           "SIM FAR", "USED", "MISSES", "CAUSE IN L1"))
    for name in names:
        sim, watch = (report(os.path.join(folder, name + "." + end)) for end in ("sim", "watch"))
        if not sim or not watch:
            said.append((name, None))
            continue
        pairs = compare(name, sim, watch)
        said.append((name, pairs, watch["watch"]["overhead"]))
        everything.add(pairs)
    for name, pairs, *overhead in said:
        if pairs:
            pairs.say(name)
            print("    watching took %.2f%% of its time" % (100 * (overhead[0] or 0)))
        else:
            print("%s: not compared" % name)
    everything.say("all")


main(sys.argv[1])
