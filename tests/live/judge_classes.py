# SPDX-License-Identifier: GPL-3.0-or-later
"""For test_java.sh:  judge_classes.py intact LIVE TRUTH, judge_classes.py damaged LIVE, judge_classes.py java LIVE
for test_go.sh:  judge_classes.py go|go-damaged LIVE TRUTH
and for test_classes.sh:  judge_classes.py python|node|php LIVE TRUTH, judge_classes.py enough LIVE: status 1 if it must run longer"""
import json, sys

failed = 0


def check(condition, description):
    global failed
    failed |= not condition
    print(("ok: " if condition else "FAILED: ") + description)


def judge_field(row, expected, least):
    fields = {f["name"]: f["share"] for f in row["fields"]}
    hottest = max(fields, key=fields.get) if fields else None
    check(hottest is not None and hottest.split(".")[-1] in expected and fields[hottest] >= least,
          "hottest field of %s: expected %s with at least %.2f, got %s with %.2f" %
          (row["name"], " or ".join(expected), least, hottest, fields.get(hottest, 0)))


report = json.loads(open(sys.argv[2]).read().strip().split("\n")[-1])
rows = {r["name"]: r for r in report["objects"]}
if sys.argv[1] == "intact":
    truth = {name: float(ns) for name, ns in (line.rsplit(" ", 1) for line in open(sys.argv[3]))}
    # The first samples precede the reading of the virtual machine's tables.
    seen = {name: rows.get(name, {"share": 0})["share"] for name in truth}
    check(sum(seen.values()) > 0.6, "more than 60 %% of the samples have their class: %.3f" % sum(seen.values()))
    for name, ns in truth.items():
        share = ns / sum(truth.values())
        value = seen[name] / max(sum(seen.values()), 1e-9)
        check(abs(value - share) <= 0.03, "share of %s: expected %.3f by the program's clock, got %.3f" % (name, share, value))
    order = rows.get("shop.cart.Order", {"name": "shop.cart.Order", "fields": [], "layout": None})
    judge_field(order, ["price"], 0.8)
    members = {m["name"]: (m["offset"], m["type"]) for m in (order["layout"] or {"rows": []})["rows"]}
    check(members.get("id") == (12, "int") and members.get("price") == (16, "long") and
          members.get("next", (24,))[0] == 24 and "COUNT" not in members,
          "members of Order, with the inherited one: expected id at 12, price at 16, next at 24, got %s" % members)
elif sys.argv[1] == "enough":
    sys.exit(sum(rows[name]["samples"] for name in ("Order", "Customer") if name in rows) < 2000)
elif sys.argv[1] in ("python", "node", "php"):
    truth = {name: float(seconds) for name, seconds in (line.split() for line in open(sys.argv[3]))}
    heads = {"python": {"ob_refcnt", "ob_type"}, "node": {"(map)", "(properties)", "(elements)"},
             "php": {"gc", "ce"}}[sys.argv[1]]
    none = {"samples": 0, "layout": None}
    seen = {name: rows.get(name, none)["samples"] for name in truth}
    share = truth["Order"] / sum(truth.values())
    value = seen["Order"] / max(sum(seen.values()), 1)
    check(abs(value - share) <= 0.05, "share of Order among Order and Customer: expected %.3f by the program's clock, got %.3f" % (share, value))
    for name, slots in (("Order", ["price", "next"]), ("Customer", ["name", "city", "next"])):
        members = {m["name"]: m["offset"] for m in (rows.get(name, none)["layout"] or {"rows": []})["rows"] if m["name"]}
        check(set(slots) | heads == set(members), "members of %s: expected %s, got %s" % (name, sorted(set(slots) | heads), members))
elif sys.argv[1] == "table":
    tables = [row for row in report["objects"] if row["kind"] == "heap" and row["blocks"] == 1 and
              32 << 20 < (row["size"] or 0) < 64 << 20]
    check(tables and tables[0]["share"] > 0.05, "the dictionary's table is one heap block with more than 5 %%; first row: %s" % list(rows)[:1])
elif sys.argv[1] == "heads":
    text = [one for one in rows.get("str", {"instances": []})["instances"] if one["size"] > 1 << 20]
    check(rows and not text, "numbers that resemble a string header are not reported as a large string: %s" % text[:1])
elif sys.argv[1] in ("go", "go-damaged"):
    truth = [line.rsplit(" ", 2) for line in open(sys.argv[3])]
    total = sum(float(ns) for _, _, ns in truth)
    samples = sum(row["samples"] for row in report["code"])
    code = {row["function"]: row["samples"] / samples for row in report["code"]}
    seen = sum(rows.get(name, {"share": 0})["share"] for name, _, _ in truth)
    seen_code = sum(code.get(function, 0) for _, function, _ in truth)
    check(seen_code > 0.8, "more than 80 %% of the samples are in the planted functions: %.3f" % seen_code)
    for name, function, ns in truth:
        own = float(ns) / total
        share = rows.get(name, {"share": 0})["share"] / max(seen, 1e-9)
        in_code = code.get(function, 0) / max(seen_code, 1e-9)
        check(sys.argv[1] != "go" or seen > 0.8 and abs(share - own) <= 0.05,
              "share of blocks %s: expected %.3f by the program's clock, got %.3f" % (name, own, share))
        check(abs(in_code - own) <= 0.05, "share of %s: expected %.3f by the program's clock, got %.3f" % (function, own, in_code))
    known = {name for name, _, _ in truth}
    check(not [name for name in rows if name.startswith("new(") and rows[name]["share"] > 0.01 and name not in known],
          "no other heap block has more than 1 %%; first rows: %s" % list(rows)[:5])
elif sys.argv[1] == "damaged":
    check(report["samples"]["attributed"] > 0.5 * report["samples"]["total"], "a damaged runtime: at least half of the samples are attributed")
    check("long[]" not in rows and "shop.cart.Order" in rows, "a damaged runtime: a class without a readable name is not named: %s" % list(rows)[:5])
    check(not rows["shop.cart.Order"]["layout"], "a damaged runtime: implausible fields are not shown")
    check(any(row["kind"] == "stack" for row in rows.values()) or "[Java heap]" in rows,
          "a damaged runtime: the stack or the Java heap is listed: %s" % list(rows)[:5])
else:
    order = rows.get("Orders$Order", {"share": 0, "name": "Orders$Order", "fields": []})
    check(order is not None and len(rows) > 0 and max(rows, key=lambda n: rows[n]["samples"]) == "Orders$Order",
          "Orders$Order has most samples; first rows: %s" % list(rows)[:4])
    judge_field(order, ["price", "next"], 0.5)
    check(report["code"][0]["function"] == "Orders.main", "the first function is Orders.main: %s" % report["code"][0]["function"])
sys.exit(failed)
