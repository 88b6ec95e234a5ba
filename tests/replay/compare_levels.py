#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares misstop's levels and latencies with sums over the output of perf script.

  compare_levels.py MISSTOP FILE PID

For the ranking event, over all attributed samples and over each object in [address, size): accesses
by level and by TLB and snoop result, cycles waited by level, latency classes, mean latency, and
shares of stall. Each sample counts as its period. Prints the number of samples and objects that
agree, or the differences with status 1; status 2 if perf cannot read the file or has no sample of the
process in user mode.
"""
import json
import re
import subprocess
import sys

LINE = re.compile(
    r"^\s*(\d+)\s+(\d+)\s+(.*?):\s+([0-9a-f]+)\s+[0-9a-f]+ \|OP (.*?)\|LVL (.*?)\|SNP (.*?)"
    r"\|TLB (.*?)\|LCK (.*?)\|BLK\s+N/A\s+(\d+)\s+([0-9a-f]+)")
LEVELS = {"L1": "L1", "LFB": "LFB", "LFB/MAB": "LFB", "L2": "L2", "L3": "L3",
          "Local RAM": "DRAM", "RAM": "DRAM"}
SNOOPS = {"None": "none", "Hit": "hit", "Miss": "miss", "HitM": "hitm", "N/A": "unknown"}
TLBS = {"L1 or L2 hit": "hit", "L1 hit": "hit-L1", "L2 hit": "hit-L2", "L2 miss": "miss",
        "N/A": "unknown"}
CLASSES = 16


def level(text):
    if text == "N/A":
        return "unknown"
    # "L1 or L1 hit": perf shows both the older and the newer field.
    names, found = text.rsplit(" ", 1)
    name = LEVELS[names.split(" or ")[0]]
    return name if found == "hit" else "beyond-" + name


def samples(path, pid):
    command = ["perf", "script", "-i", path, "-F", "pid,event,ip,addr,period,weight,data_src"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        return
    for text in done.stdout.splitlines():
        match = LINE.match(text)
        if not match:
            raise SystemExit("unexpected line of perf script: " + text)
        of, period, event, addr, _, lvl, snoop, tlb, lock, weight, ip = match.groups()
        # The samples that misstop attributes: in user mode, with a user-space address.
        if of == pid and int(ip, 16) < 1 << 63 and 0 < int(addr, 16) < 1 << 47:
            yield {"event": event, "addr": int(addr, 16), "period": int(period),
                   "cycles": int(weight), "level": level(lvl.strip()),
                   "snoop": SNOOPS[snoop.strip()], "tlb": TLBS[tlb.strip()], "lock": lock.strip()}


def count(chosen, key, factor="period"):
    out = {}
    for one in chosen:
        amount = one["period"] * (one["cycles"] if factor == "cycles" else 1)
        out[one[key]] = out.get(one[key], 0) + amount
    # If no value is known, misstop reports null.
    known = set(out) - {"unknown"} or key == "level"
    return {name: amount for name, amount in out.items() if amount} if known else None


def share(part, whole):
    return round(part / whole, 6) if whole else None


def sum_of(chosen):
    return sum(one["period"] for one in chosen)


def expected(chosen, all_cycles):
    locks = [one for one in chosen if one["lock"] != "N/A"]
    timed = [one for one in chosen if one["cycles"]]
    cycles = sum(one["period"] * one["cycles"] for one in timed)
    classes = [0] * CLASSES
    for one in timed:
        classes[min(one["cycles"].bit_length() - 1, CLASSES - 1)] += one["period"]
    return {"accesses": sum_of(chosen), "found": count(chosen, "level"), "tlb": count(chosen, "tlb"),
            "snoop": count(chosen, "snoop"),
            "waited": count(chosen, "level", "cycles") if timed else None,
            "latencies": classes if timed else None,
            "latency": round(cycles / sum_of(timed), 2) if timed else None,
            "locked": share(sum_of([one for one in locks if one["lock"] == "Yes"]), sum_of(locks)),
            "stall": share(cycles, all_cycles) if timed else None}


def reported(part, whole):
    levels = part["levels"]
    names = ("accesses", "found", "tlb", "snoop", "waited", "latencies", "locked")
    out = {name: levels[name] for name in names}
    out["latency"] = part["latency"]
    out["stall"] = 1.0 if whole else part["stall_share"]
    return out


def differ(name, ours, theirs):
    wrong = [key for key in theirs if ours[key] != theirs[key]]
    for key in wrong:
        print(f"{name}: {key}: misstop reports {ours[key]}, perf script gives {theirs[key]}")
    return bool(wrong)


def main():
    misstop, path, pid = sys.argv[1:]
    done = subprocess.run([misstop, "-i", path, "-p", pid, "-j", "-n", "1", "-H", "0"],
                          capture_output=True, text=True, check=False)
    report = json.loads(done.stdout.splitlines()[-1])
    all_of = [one for one in samples(path, pid) if one["event"] == report["source"]["event"]]
    if not all_of:
        return 2
    cycles = sum(one["period"] * one["cycles"] for one in all_of)
    wrong = differ("everything", reported(report, True), expected(all_of, cycles))
    objects = 0
    for one in report["objects"]:
        start = int(one["address"], 16)
        inside = [sample for sample in all_of
                  if start <= sample["addr"] < start + (one["size"] or 0)]
        # Objects can be nested: only compare those with the same number of samples.
        if len(inside) == one["samples"]:
            wrong |= differ(one["name"], reported(one, False), expected(inside, cycles))
            objects += 1
    print(f"{len(all_of)} samples, {objects} of {len(report['objects'])} objects")
    return 1 if wrong or not objects else 0


if __name__ == "__main__":
    sys.exit(main())
