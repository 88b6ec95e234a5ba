# SPDX-License-Identifier: GPL-3.0-or-later
"""For test_callers.sh:  judge_callers.py NAME TRUTH LIVE PLAYED PPROF  or  judge_callers.py perf PERF.DATA REPORT
or  judge_callers.py enough LIVE: status 1 if it must run longer"""
import collections, gzip, json, re, subprocess, sys

from protobuf import fields

failed = 0


def check(condition, description):
    global failed
    failed |= not condition
    print(("ok: " if condition else "FAILED: ") + description)


def last(path):
    return json.loads(open(path).read().strip().split("\n")[-1])


def direct(row):
    """Returns the direct callers of a function."""
    return [c for c in row.get("callers", {"tree": []})["tree"] if c["depth"] == 0]


def numbers(data):
    """Returns the numbers of a packed field."""
    return [value for _, value in fields(b"".join(b"\x08" + part for part in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", data)))]


def pprof_stacks(path):
    """Yields (function names from the innermost outwards, samples) for each sample."""
    top = list(fields(gzip.open(path).read()))
    strings = [v.decode() for n, v in top if n == 6]
    functions = {d[1]: strings[d[2]] for d in (dict(fields(v)) for n, v in top if n == 5)}
    locations = {}
    for v in (v for n, v in top if n == 4):
        parts = list(fields(v))
        lines = [dict(fields(x)) for n, x in parts if n == 4]
        locations[dict(parts)[1]] = functions[lines[-1][1]]
    for v in (v for n, v in top if n == 2):
        sample = dict((n, x) for n, x in fields(v) if n < 3)
        yield [locations[i] for i in numbers(sample[1])], numbers(sample[2])[0]


def judge_pprof(name, path, report):
    stacks = list(pprof_stacks(path))
    total = sum(count for _, count in stacks)
    check(abs(total - report["samples"]["attributed"]) <= 1,
          "%s: pprof has all attributed samples: %d of %d" % (name, total, report["samples"]["attributed"]))
    whole = sum(count for names, count in stacks if "main" in names)
    check(whole >= 0.5 * total, "%s: at least half of the %d samples in pprof have a stack from main(): %d" % (name, total, whole))


def judge_times(name, truth, live, played, pprof):
    times = collections.defaultdict(dict)
    for line in open(truth):
        function, caller, ns = line.split()
        times[function][caller] = float(ns)
    report = last(live)
    for function, callers in times.items():
        # The C library has several variants of memcpy().
        rows = [r for r in report["code"] if r["function"] == function or
                (function == "memcpy" and "mem" in r["function"] and
                 any(c["function"] in callers for c in direct(r)))]
        check(bool(rows), "%s: %s is listed" % (name, function))
        for row in rows[:1]:
            of = {c["function"]: c for c in direct(row)}
            known = row["callers"]["samples"]
            check(known >= 20, "%s: %s has at least 20 samples with known callers: %.0f" % (name, function, known))
            for caller, ns in callers.items():
                share = ns / sum(callers.values())
                found = of.get(caller, {"share": 0, "share_low": 0, "share_high": 0})
                # Twice the interval: it contains the truth in 95 % of cases only, and this test must not
                # fail by chance.
                half = found["share_high"] - found["share_low"]
                check(abs(found["share"] - share) <= half + 0.02,
                      "%s: share of %s called by %s: expected %.3f by the program's clock, got %.3f" % (name, function, caller, share, found["share"]))
            # glibc's qsort() copies with memcpy() too.
            others = {c["function"]: c["share"] for c in of.values()
                      if c["function"] not in callers and not c["function"].startswith(("msort", "qsort"))}
            strangers = sum(others.values())
            # Two samples may come from memcpy() at the start of the program.
            check(strangers * known <= max(0.02 * known, 2.1),
                  "%s: share of %s with other callers is at most 2 %%: %.3f %s" % (name, function, strangers, others or ""))
    hot = next((r for r in report["code"] if r["function"] == "hot"), {})
    tree = hot.get("callers", {"tree": []})["tree"]
    chain = []
    above = {}
    for c in tree:
        above[c["depth"]] = c["function"]
        if c["depth"] and c["function"] == "sort_some":
            chain = [above[d] for d in range(c["depth"] + 1)]
    check(chain[:1] == ["compare"] and any("sort" in f for f in chain[1:-1]),
          "%s: the call chain passes through qsort(): %s" % (name, " < ".join(chain)))
    check(all(a["function"] != b["function"] or b["depth"] <= a["depth"] for a, b in zip(tree, tree[1:])),
          "%s: a recursive function is one row of the tree" % name)
    judge_pprof(name, pprof, report)
    again = last(played)
    for part, key in (("code", "function"), ("objects", "name")):
        a, b = ({r[key]: r["callers"] for r in x[part] if "callers" in r} for x in (report, again))
        check(a == b and a, "%s: the replay has the same callers of %d rows of %s" % (name, len(a), part))


def bare(name):
    return re.split("@", name)[0]


def perf_callers(data):
    """Counts the direct callers of each function in perf's stacks; recursion is folded."""
    found = collections.defaultdict(collections.Counter)
    text = subprocess.run(["perf", "script", "--no-inline", "-F", "ip,sym", "-i", data],
                          capture_output=True, text=True).stdout
    for stack in re.split(r"\n\s*\n", text):
        names = [bare(line.split()[1]) for line in stack.split("\n") if len(line.split()) > 1]
        names = [n for i, n in enumerate(names) if not i or n != names[i - 1]]
        if len(names) > 1 and "[unknown]" not in names[:2]:
            found[names[0]][names[1]] += 1
    return found


def judge_perf(data, report):
    theirs = perf_callers(data)
    compared = 0
    for row in last(report)["code"][:6]:
        of = theirs.get(bare(row["function"]))
        mine = {bare(c["function"]): c["samples"] for c in direct(row)}
        if not of or not mine or sum(of.values()) < 20:
            continue
        compared += 1
        first, count = of.most_common(1)[0]
        both = sum(min(mine.get(f, 0), n) for f, n in of.items())
        # perf also counts samples without a memory access.
        check(max(mine, key=mine.get) == first or mine.get(first, 0) >= 0.9 * max(mine.values()),
              "%s: the most frequent caller is %s, as in perf's stacks" % (row["function"], first))
        check(both >= 0.9 * sum(mine.values()),
              "%s: %.0f of %.0f samples have the callers of perf's stacks" % (row["function"], both, sum(mine.values())))
    check(compared >= 1, "at least one function is compared with perf: %d" % compared)


def has_enough(live):
    """True if hot() and the copies have enough samples to judge: on a busy machine misstop follows few stacks."""
    known = collections.Counter()
    for row in last(live)["code"]:
        copies = any(c["function"] in ("copy", "copy_more") for c in direct(row))
        known["copies" if copies else row["function"]] += row.get("callers", {"samples": 0})["samples"]
    return known["hot"] >= 200 and known["copies"] >= 40


if sys.argv[1] == "enough":
    sys.exit(not has_enough(sys.argv[2]))
if sys.argv[1] == "perf":
    judge_perf(*sys.argv[2:])
else:
    judge_times(*sys.argv[1:])
sys.exit(failed)
