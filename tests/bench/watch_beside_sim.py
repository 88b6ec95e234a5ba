#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the table of watch-beside-sim from its folder of reports: FOLDER NAME prints the rows of NAME,
from NAME.sim and NAME.watch; FOLDER alone prints the summary of all programs that were printed.

An object's distance is the size of the cache that would miss half of the accesses that are not first
uses: the size at which the curve of the simulator's reuse distances falls below the middle. Orders of
objects are compared within a program, by Spearman's rank correlation: objects that were hardly touched
again are last, and objects with a reuse too short to measure share the first place. Also printed: the
pairs of objects that watching distinguishes because their intervals do not overlap, and how many of
these are in the simulator's order (concordance of censored data; Oakes, Biometrics 69, 1982).
The use of lines is compared if an object has 1 % of the misses or more: the simulator measures it on
lines that leave the cache, and few lines of other objects do.
"""
import json
import math
import os
import sys

LEAST = 10  # watches; the minimum in src/profile/cache/reuse.h
CAUSES = ["first", "capacity", "conflict", "inclusion", "true-sharing", "false-sharing"]
# Maps each result of the simulator to the verdicts of watching that agree with it. Watching has no counts
# of misses and judges by the L2: an object that stays in L2 is cached, whether or not it misses L1.
ALIKE = {"first": ["streaming"], "capacity": ["capacity", "streaming"], "conflict": ["conflict"],
         "hits": ["cached"], "in L2": ["cached"], "sharing": ["conflict"]}


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
    """Returns the cache size in bytes that halves the misses that a cache can avoid; None: no curve.

    The smallest cache of the curve is still large enough for the other words of the line just used.
    """
    reuse = sim.get("reuse") or {}
    row = next((o for o in reuse.get("objects", []) if o["name"] == name), None)
    if not row or row["miss_ratio"][0] is None:
        return None
    if row["miss_ratio"][0] - row["first"] < 0.01:
        return math.inf  # hardly any line was used again
    half = row["first"] + (row["miss_ratio"][0] - row["first"]) / 2
    for bytes_, miss in zip(reuse["sizes"], row["miss_ratio"]):
        if miss is not None and miss <= half:
            return bytes_
    return reuse["sizes"][-1] * 2


def missing_in_l1(sim, row, curve):
    """Estimates the object's L1 miss ratio from its share of all misses and its share of all uses."""
    total = sim["simulation"]
    first = total["levels"][0]
    overall = (first["load_misses"] + first["store_misses"]) / max(total["accesses"], 1)
    return overall * row["share"] / curve["share"] if curve["share"] else None


def cause_of(sim, row, curve):
    """Returns the leading cause of its misses in L1; "hits" if it hardly misses, "in L2" if L2 contains it."""
    if not row:
        return "hits" if curve else None
    missing = missing_in_l1(sim, row, curve) if curve else None
    if missing is not None and missing < 0.02:
        return "hits"
    shares = {c: (row.get("causes") or {}).get(c) or 0 for c in CAUSES}
    leading = max(shares, key=shares.get)
    if "conflict" == leading or "sharing" in leading:
        return leading.split("-")[-1]
    at = (curve or {}).get("miss_ratio_at", {})
    if at.get("L2") is not None and at["L2"] < at["L1"] / 2:
        return "in L2"
    return leading


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


def by_unique_name(rows, *among):
    """Returns rows by name, without ambiguous names, which cannot be matched with those of the other side."""
    names = [[row["name"] for row in other] for other in (rows, *among)]
    return {row["name"]: row for row in rows if all(n.count(row["name"]) <= 1 for n in names)}


def time_between(row):
    """Returns the bounds of the time between two touches in seconds; the upper bound is infinite if most
    lines were not touched again."""
    low, high = row["reuse_between"]
    if row["verdict"] == "streaming":
        return max(low or 0, row["again_seconds"] or 0), math.inf
    return low, high


def time_of(row):
    if row["verdict"] == "streaming":
        return math.inf
    if row["reuse_seconds"] is None and row["reuse_between"][0] == 0:
        return 0
    return row["reuse_seconds"]


def compare(name, sim, watch):
    """Prints the rows. Returns the figures of both sides, to be combined with those of other programs."""
    found = {"name": name, "reuse": [], "used": [], "alike": 0, "judged": 0,
             "overhead": watch["watch"]["overhead"]}
    simulated = by_unique_name(sim["objects"])
    curves = by_unique_name((sim.get("reuse") or {}).get("objects", []), sim["objects"])
    rows = by_unique_name([r for r in watch["watch"]["objects"] if r["watched"] >= LEAST],
                          watch["watch"]["objects"], watch["objects"], sim["objects"])
    for row in list(rows.values())[:12]:
        other = simulated.get(row["name"])
        distance = distance_of(sim, row["name"]) if row["name"] in curves else None
        cause = cause_of(sim, other, curves.get(row["name"]))
        causes = (other or {}).get("causes") or {}
        print("%-8.8s %-24.24s %-10s %5d %5s %7s %6s | %7s %6s %7s %-9s %s" %
              (name, row["name"], row["verdict"], row["watched"],
               number(row["again"] and 100 * row["again"], "%.0f%%"), reuse_of(row),
               number(row["spatial_use"] and 100 * row["spatial_use"], "%.0f%%"), size(distance),
               number(other and other.get("spatial_use") and 100 * other["spatial_use"], "%.0f%%"),
               number(other and 100 * other["share"], "%.1f%%"), cause or "",
               " ".join("%s %.0f%%" % (c, 100 * causes[c]) for c in CAUSES
                        if causes.get(c, 0) >= 0.1)))
        if distance is not None and time_of(row) is not None:
            found["reuse"].append((time_of(row), *time_between(row), distance))
        if row["spatial_use"] is not None and \
                (other or {}).get("spatial_use") is not None and other["share"] >= 0.01:
            found["used"].append((row["spatial_use"], other["spatial_use"]))
        if row["verdict"] not in ("too-few", "reused") and cause:
            found["judged"] += 1
            found["alike"] += row["verdict"] in ALIKE.get(cause, [])
    return found


def ordered_pairs(rows):
    """Returns how many pairs watching distinguishes, and how many of these are in the simulator's order."""
    ordered = right = 0
    for i, (_, low, high, distance) in enumerate(rows):
        for _, other_low, other_high, other in rows[:i]:
            before = high is not None and other_low is not None and high < other_low
            behind = low is not None and other_high is not None and low > other_high
            if distance != other and (before or behind):
                ordered += 1
                right += before == (distance < other)
    return ordered, right


def print_summary(name, programs):
    """Prints the summary of one or several programs. Only objects of one program are put in order, so the
    rank correlation is the mean over the programs that have one, weighted by their number of objects."""
    def order(pairs_of):
        ranked = [(spearman(pairs_of(p)), len(pairs_of(p))) for p in programs]
        ranked = [r for r in ranked if r[0] is not None]
        objects = sum(n for _, n in ranked)
        return number(sum(r * n for r, n in ranked) / objects if objects else None, "%.2f") or "-"
    pairs = [ordered_pairs(p["reuse"]) for p in programs]
    apart = [abs(a - b) for p in programs for a, b in p["used"]]
    print("%s: rank correlation of reuse %s (%d objects), %d of %d distinguished pairs in the same "
          "order; of use %s (%d; %s points apart on average); verdict and cause agree on %d of %d" %
          (name, order(lambda p: [(r[0], r[3]) for r in p["reuse"]]),
           sum(len(p["reuse"]) for p in programs), sum(r for _, r in pairs), sum(t for t, _ in pairs),
           order(lambda p: p["used"]), len(apart),
           number(100 * sum(apart) / len(apart) if apart else None, "%.1f") or "-",
           sum(p["alike"] for p in programs), sum(p["judged"] for p in programs)))


def main(folder, name=None):
    programs_path = os.path.join(folder, "programs")
    if not name:
        if os.path.exists(programs_path):
            with open(programs_path) as programs:
                print_summary("all", [json.loads(line) for line in programs])
        return
    sim, watch = (report(os.path.join(folder, name + "." + end)) for end in ("sim", "watch"))
    if not sim or not watch or not sim["objects"]:
        print("%s: not compared%s" % (name, ": the simulation reported no objects" if sim else ""))
        return
    if not os.path.exists(programs_path):
        print("%-8s %-24s %-10s %5s %5s %7s %6s | %7s %6s %7s %s" %
              ("PROGRAM", "OBJECT", "WATCHED", "LINES", "AGAIN", "REUSE", "USED",
               "SIM FAR", "USED", "MISSES", "CAUSE IN L1"))
    found = compare(name, sim, watch)
    print_summary(name, [found])
    print("    watching took %.2f%% of its time" % (100 * (found["overhead"] or 0)), flush=True)
    with open(programs_path, "a") as programs:
        programs.write(json.dumps(found) + "\n")


main(*sys.argv[1:])
