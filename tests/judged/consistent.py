#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks statements that hold for every report, whatever the program: sums, bounds, listed names.

    consistent.py FILE...               JSON reports (misstop -b -j); - is standard input
    consistent.py MISSTOP -p PID        two reports of a process, 4 s each; with its maps, and as text
    consistent.py --maps MAPS,... --text TEXT --plant FILE   checks that changes to the last report of FILE are found
    consistent.py MISSTOP OPTION...     the same with other options (-i RECORDING, --sim -- CMD)
    consistent.py --maps MAPS,... --text TEXT FILE   with /proc/PID/maps, read once or several times, and
                                        `misstop -b --full --width 300`
Prints each contradiction; status 1 if there is one.
"""
import collections, json, os, re, shutil, subprocess, sys, tempfile

ROUNDING = 2e-6 # of shares
DIGITS = 0.011  # of weighted numbers of samples
TEXT = ("-b", "--full", "-H", "0", "--width", "300")


# Columns of text tables with the JSON keys of the same values, and the values of unit suffixes.
TABLES = {"KIND": ("objects", {"NAME": "name", "KIND": "kind", "MODULE": "module", "TYPE": "type", "SHARE": "share",
                               "SAMPLES": "samples", "SIZE": "size", "BLOCKS": "blocks", "THR": "threads"}),
          "FUNCTION": ("code", {"FUNCTION": "function", "MODULE": "module", "SHARE": "share", "ALL": "all_share",
                                "UNKNOWN": "unknown_share", "SAMPLES": "samples"}),
          "BIN": ("bins", {"BIN": "name", "SHARE": "share", "LIVE": "live_bytes", "BLOCKS": "live_blocks"})}
UNITS = {"": 1, "%": 0.01, "k": 1e3, "m": 1e6, "g": 1e9, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def number(text, counts=False):
    """A number in the text and its rounding error; None: not a number. Numbers of things have decimal units."""
    found = re.fullmatch(r"<?(\d+)(\.\d+)?([%kmgKMGT]?)", text)
    if not found:
        return None
    unit = UNITS[found[3].lower() if counts and found[3] == "M" else found[3]]
    digits = len(found[2]) - 1 if found[2] else 0
    return float(found[1] + (found[2] or "")) * unit, (10 ** -digits if text[0] == "<" or found[3] else 0.5) * unit


def tables_of(lines):
    """Tables of the text: titles, and rows by title. Words are aligned left with their title, numbers right."""
    left = {"NAME", "KIND", "TYPE", "MODULE", "FUNCTION", "FILE", "CACHED", "HOT FIELD", "MOSTLY ON", "BIN"}
    titles = None
    for line in lines:
        line = line.rstrip("\n")
        if re.match(r" +SHARE ", line):
            titles = list(re.finditer(r"MAY WAIT|HOT FIELD|OF IT|MOSTLY ON|\S+", line))
            rows = []
            yield [one[0] for one in titles], rows
        elif not line.strip() or line[0] == "(":
            titles = None
        elif titles:
            row, next_start = {}, len(line)
            for one in reversed(titles):
                if one[0] in left:
                    row[one[0]] = line[one.start():next_start].strip()
                    next_start = one.start()
                else:
                    value = re.search(r"\S*$", line[:one.end()])
                    row.setdefault(one[0], value[0])
                    next_start = value.start()
            rows.append(row)


class Report:
    def __init__(self, report, maps=(), text=()):
        self.report, self.maps, self.text, self.wrong, self.checked = report, maps, text, [], 0
        self.attributed = report["samples"]["attributed"]
        self.objects = report["objects"]
        # Decayed tables lose counts, so sums need not match.
        self.decays = report.get("half_life") not in (0, None)
        # Rows count the ranking event, totals all events.
        self.one_event = len(report["source"]["events"]) == 1

    def must(self, truth, where, words):
        self.checked += 1
        if not truth:
            self.wrong.append(f"{where}: {words}")

    def equal(self, a, b, where, words, slack=ROUNDING):
        if a is not None and b is not None:
            self.must(abs(a - b) <= slack, where, f"{words}: {a} and {b}")

    def at_most(self, a, b, where, words, slack=ROUNDING):
        if a is not None and b is not None:
            self.must(a <= b + slack, where, f"{words}: {a} of {b}")

    def names_once(self, rows, keys, where):
        seen = collections.Counter(tuple(row.get(key) for key in keys) for row in rows)
        for name, count in seen.items():
            self.must(count == 1, where, f"{count} rows are named {name}")

    # Members that all kinds of rows may have.
    def row(self, row, where):
        share, low, high = row.get("share"), row.get("share_low"), row.get("share_high")
        self.at_most(share, 1, where, "share")
        self.at_most(low, share, where, "share_low")
        self.at_most(share, high, where, "share, share_high")
        loads, stores, samples = row.get("loads"), row.get("stores"), row.get("samples")
        if None not in (loads, stores, samples):
            self.at_most(loads, samples, where, "loads", 0)
            self.at_most(stores, samples, where, "stores", 0)
            self.at_most(samples, loads + stores, where, "samples, loads and stores", DIGITS)
        waits = row.get("waits") or {}
        for level in ("L1", "L2", "L3"):
            bounds = waits.get(level)
            if bounds and None not in bounds.values():
                self.at_most(bounds["low"], bounds["high"], where, f"waits {level} low, high")
                self.at_most(bounds["high"], 1, where, f"waits {level} high")
        for part in ("low", "high"):
            bounds = [waits[level][part] for level in ("L1", "L2", "L3") if waits.get(level)]
            bounds = [bound for bound in bounds if bound is not None]
            self.must(bounds == sorted(bounds, reverse=True), where, f"waits {part} rise with the level: {bounds}")

    def parts(self, rows, whole, where, words, complete=False):
        """Samples of disjoint rows add up to those of the whole, or to at most these."""
        for row in rows:
            self.row(row, f"{where}: {words} {row.get('name') or row.get('function') or row.get('address')}")
        if any(row.get("samples") is None for row in rows) or whole is None:
            return
        total = sum(row["samples"] for row in rows)
        self.at_most(total, whole, where, f"samples of {words}", 0)
        self.at_most(sum(row.get("share") or 0 for row in rows), 1, where, f"shares of {words}",
                     ROUNDING * (len(rows) + 1))
        if complete:
            self.equal(total, whole, where, f"samples of {words}, and theirs", 0)

    def tree(self, callers, where):
        above = []
        for row in callers["tree"] if callers else ():
            self.row(row, f"{where}: caller {row['function']}")
            above = above[:row["depth"]]
            self.must(len(above) == row["depth"], where, f"caller {row['function']} without one above")
            if above:
                self.at_most(row["samples"], above[-1][0], where, f"samples of caller {row['function']}", DIGITS)
                above[-1][1] += row["samples"]
                self.at_most(above[-1][1], above[-1][0], where, f"callers down to {row['function']}",
                             DIGITS * len(callers["tree"]))
            above.append([row["samples"], 0])
        roots = [row for row in callers["tree"] if row["depth"] == 0] if callers else []
        self.at_most(sum(row["samples"] for row in roots), callers and callers["samples"], where, "callers",
                     DIGITS * len(roots))

    def place(self, address):
        """Kinds of the mappings at an address."""
        return {kind for begin, end, kind, _ in self.maps if begin <= address < end}

    def steady(self, address):
        """True if the mapping was the same in several reads of the maps: a single read does not show earlier mappings."""
        return any(begin <= address < end and self.maps.count((begin, end, *rest)) > 1 for begin, end, *rest in self.maps)

    def mapped(self, start, end):
        """Kinds of the mappings of [start, end); None: there is a gap."""
        kinds = set()
        for begin, stop, kind, *_ in self.maps:
            if begin <= start < stop:
                kinds.add(kind)
                start = stop
                if start >= end:
                    return kinds
        return None

    def places(self):
        """Compares addresses with /proc/PID/maps."""
        if not self.maps:
            return
        files = {os.path.basename(path.removesuffix(" (deleted)")) for *_, path in self.maps if path}
        for row in self.objects:
            where = f"object {row['name']} [{row['kind']}]"
            if row["module"]:
                self.must(row["module"] in files or row["module"].startswith("["), where, f"module {row['module']} is not mapped")
            kinds = self.mapped(int(row["address"], 16), int(row["address"], 16) + 1) if row["address"] else None
            if kinds and row["kind"] == "anon" and row["name"].startswith("[anon"):
                self.must(kinds == {"anonymous"}, where, f"{row['address']} is in {kinds}")
            size = re.fullmatch(r"\[anon of (.*)\]", row["name"])
            for one in row["instances"] if size else ():
                self.must(abs(number(size[1])[0] - one["size"]) <= number(size[1])[1], where, f"an instance of {one['size']}")

    def object(self, row):
        where = f"object {row['name']} [{row['kind']}]"
        self.row(row, where)
        self.parts(row["fields"], row["samples"], where, "fields")
        self.parts(row["code"], row["samples"], where, "code")
        self.parts(row["instances"], row["samples"], where, "instances")
        self.tree(row.get("callers"), where)
        # A mapping that grew had several addresses.
        mapping = row["kind"] == "anon" or row["name"][0] == "["
        # Rows of a call path count live blocks, but their instances were sampled at any time.
        counted = row.get("site") or row["name"] == "unknown call path"
        blocks = row.get("blocks") if not mapping and not counted else None
        if blocks is not None:
            self.at_most(len(row["instances"]), blocks, where, "instances, blocks", 0)
        self.names_once(row["fields"], ("name", "offset", "type", "size"), f"{where}: fields")
        self.names_once(row["instances"], ("address", "size", "tid"), f"{where}: instances")
        self.names_once(row["code"], ("function", "module", "file", "address"), f"{where}: code")
        for one in row["instances"] if blocks == 1 and row["kind"] == "heap" and not row["type"] else ():
            self.equal(row["size"], one["size"], where, "size, and its only block's", 0)
        for field in row["fields"]:
            own = field["name"][0] in "+[" # otherwise it may be of another type at the address
            if own and row["size"] and field["offset"] is not None and blocks == 1:
                self.at_most(field["offset"], row["size"], where, f"offset of {field['name']}", 0)
        live, count, usable, asked = (row.get(key) for key in
                                      ("live_bytes", "live_blocks", "usable_bytes", "requested_bytes"))
        self.at_most(asked, usable, where, "requested_bytes", 0)
        if live is not None and count is not None:
            self.must((live > 0) == (count > 0), where, f"{count} live blocks have {live} bytes")
        layout = row.get("layout")
        if layout:
            self.at_most(layout["samples"], row["samples"], where, "samples of layout", 0)
            leaves = [one for one in layout["rows"] if not one["hole"]]
            for one in leaves:
                self.row(one, f"{where}: member {one['name']}")
                self.at_most(one["samples"], layout["samples"], where, f"samples of member {one['name']}", 0)
                if layout["size"]:
                    self.at_most(one["offset"], layout["size"], where, f"member {one['name']} begins", 0)
            for line in layout["lines"]:
                self.equal(line["used"] + line["cold"], line["end"] - line["start"], where, "used and cold", 0)
            self.at_most(sum(line["share"] or 0 for line in layout["lines"]), 1, where, "lines of layout", 1e-4)
        types = row.get("layouts") or []
        self.at_most(sum(one["samples"] for one in types), row["samples"], where, "samples of layouts", 0)
        for field in row["fields"]:
            whole = [one["size"] for one in types if field["type"] and one["size"] and not one["inferred"]]
            whole = whole if len(whole) == len(types) == 1 and row["type"] == types[0]["type"] else [None]
            # A flexible array ends with its block.
            beyond = "[*]" in field["name"]
            # The code may access it as another type.
            beyond = beyond or not field["name"].startswith(re.sub(r"^(struct|union|class) ", "", row["type"] or " ") + ".")
            if None not in (whole[0], field["offset"]) and not beyond:
                self.at_most(field["offset"] + 1, whole[0], where, f"field {field['name']} begins", 0)
        for one in row["instances"]:
            kind = self.place(int(one["address"], 16))
            # Memory allocated and freed between two reads of the maps is not known.
            if one["size"] and row["kind"] in ("global", "tls", "code", "map") and self.steady(int(one["address"], 16)):
                self.must(self.place(int(one["address"], 16) + one["size"] - 1), where,
                          f"instance {one['address']} of {one['size']} ends in no mapping")
            allowed = {"heap": {"heap", "anonymous"}, "stack": {"stack", "anonymous"}, "global": {"file", "anonymous"},
                       "anon": {"anonymous"}, "map": {"file", "special"}, "code": {"file"}}.get(row["kind"])
            # Java maps objects from a file (classes.jsa).
            if row["kind"] == "heap" and not row["name"].startswith("malloc"):
                allowed = allowed | {"file"}
            if kind and allowed:
                self.must(kind & allowed, where, f"instance {one['address']} is in {kind}")

    def all_objects(self):
        self.parts(self.objects, self.attributed, "objects", "objects",
                   self.report.get("objects_left_out") == 0 and not self.decays and self.one_event)
        self.names_once([row for row in self.objects if not row["site"]], ("name", "kind", "module", "type"), "objects")
        for row in self.objects:
            self.object(row)
            self.share(row["samples"], row["share"], self.attributed, f"object {row['name']}")

    def share(self, samples, share, whole, where):
        """Without decay, and if all samples have the same weight, a share is a share of samples."""
        even = self.one_event and self.report["samples"]["effective"] == self.attributed
        if even and not self.decays and whole and None not in (samples, share):
            self.equal(share, samples / whole, where, "share, and samples of the whole", 1e-5)

    def functions(self):
        rows = self.report["code"]
        self.parts(rows, self.attributed, "code", "functions")
        self.names_once(rows, ("function", "module", "file", "address"), "code") # overloads have one name
        for row in rows:
            where = f"function {row['function']}"
            self.tree(row.get("callers"), where)
            self.at_most(sum(one["samples"] for one in row.get("instructions", ())),
                         row["samples"] + (row.get("unknown_samples") or 0), where, "samples of instructions", 0)
            self.names_once(row.get("instructions", ()), ("address", "inlined"), where)
            self.at_most(row["unknown_share"], row["all_share"], where, "unknown_share, all_share")
            self.share(row["samples"], row["share"], self.attributed, where)
        self.at_most(sum(row.get("unknown_samples") or 0 for row in rows),
                     self.report["samples"]["total"] - self.attributed, "code", "unknown samples", 0)

    def matrix(self):
        matrix = self.report.get("matrix")
        if not matrix:
            return
        listed = {(row["name"], row["module"]): row for row in self.objects
                  if sum(row["name"] == one["name"] and row["module"] == one["module"] for one in self.objects) == 1}
        slack = (matrix["forgotten"] or 0) + (matrix["estimated"] or 0) + 1e-5
        for column in matrix["columns"]:
            row = listed.get((column["object"], column["module"]))
            self.row(column, f"matrix {column['object']}")
            if row and column["members"] == 1:
                self.equal(column["share"], row["share"], f"matrix {column['object']}", "share, and the object's", slack)
        code = {(row["function"], row["module"]): row for row in self.report["code"]
                if sum(row["function"] == one["function"] for one in self.report["code"]) == 1}
        for line in matrix["rows"]:
            row = code.get((line["function"], line["module"]))
            self.row(line, f"matrix {line['function']}")
            if row and line["members"] == 1:
                self.equal(line["share"], row["share"], f"matrix {line['function']}", "share, and the function's", slack)
                # The matrix has weights, the list of functions counts.
                self.equal(line.get("unknown_samples"), row.get("unknown_samples"), f"matrix {line['function']}",
                           "unknown samples, and the function's", 1 + 0.5 * (row.get("unknown_samples") or 0))
        for index, lines, key in (("row", matrix["rows"], "function"), ("column", matrix["columns"], "object")):
            for i, line in enumerate(lines):
                cells = [cell for cell in matrix["cells"] if cell[index] == i]
                self.at_most(sum(cell["samples"] for cell in cells), line["samples"], f"matrix {line[key]}", "cells", 1)

    def heap(self):
        heap = self.report.get("heap") or {}
        bins = heap.get("bins") or []
        self.names_once(bins, ("id",), "bins")
        self.at_most(sum(one["share"] or 0 for one in bins), 1, "bins", "shares", 1e-5)
        self.at_most(sum(one["live_bytes"] or 0 for one in bins), heap.get("live_bytes"), "bins", "live bytes", 0)
        self.at_most(sum(one["live_blocks"] or 0 for one in bins), heap.get("live_blocks"), "bins", "live blocks", 0)
        sums = collections.Counter()
        for row in self.objects:
            sums[row["name"]] += row["samples"]
        for one in bins:
            where = f"bin {one['name']}"
            self.row(one, where)
            self.at_most(one.get("requested_bytes"), one.get("usable_bytes"), where, "requested_bytes", 0)
            self.at_most(one.get("frees"), one.get("allocations"), where, "frees", one.get("live_blocks") or 0)
            # Blocks of a bin may also be named after their types, and several bins may have call paths of the same name.
            if one["object"] == one["name"] and not heap.get("bins_left_out"):
                self.at_most(sums[one["object"]],
                             sum(other["samples"] or 0 for other in bins if other["name"] == one["name"]), where,
                             "samples of its object", 0)
        # Large blocks are in a bin but have separate rows.
        if self.report.get("objects_left_out") == 0:
            self.at_most(sum(one["samples"] or 0 for one in bins),
                         sum(row["samples"] for row in self.objects if row["kind"] == "heap"), "bins", "samples", 0)

    def rest(self):
        report = self.report
        samples = report["samples"]
        reasons = sum(value for value in samples["unattributed"].values() if value)
        self.equal(self.attributed + reasons, samples["total"], "samples", "attributed and reasons, and all", 0)
        if not self.decays:
            how = sum(value for value in samples["how"].values() if value)
            self.equal(how, self.attributed, "samples", "how, and attributed", 0)
        self.row(report, "process")
        sets = report.get("sets")
        if sets and sets.get("counts"):
            self.equal(len(sets["counts"]), sets["sets"], "sets", "counts", 0)
            if not self.decays and samples["effective"] == self.attributed:
                known = self.attributed - (samples["how"].get("object") or 0)
                self.equal(sum(sets["counts"]), known, "sets", "samples, and attributed", DIGITS * sets["sets"])
        window = report.get("window") or {}
        if window.get("addresses") is not None:
            self.equal(window["singletons"] + window["recurring"], window["addresses"], "window", "once and again", 0)
            self.at_most(sum(one["count"] for one in window["top"]), window["used"], "window", "counts of lines", 0)
        threads = report.get("threads") or {}
        rows = threads.get("list") or []
        listed = sum(row["samples"] for row in rows)
        self.at_most(listed, threads.get("recent"), "threads", "samples", 0.01 * len(rows) + 1e-4 * listed)
        names = {row["name"] for row in self.objects}
        functions = {row["function"] for row in report["code"]}
        for finding in report.get("findings") or ():
            if finding["object"] and report.get("objects_left_out") == 0:
                self.must(finding["object"] in names, f"finding {finding['kind']}", f"{finding['object']} is not listed")
            self.at_most(finding["gain_low"], finding["gain_high"], f"finding {finding['kind']}", "gain")
            self.at_most(finding["gain_high"], 1, f"finding {finding['kind']}", "gain")
        phases = report.get("phases") or {}
        for key in ("streams", "functions", "threads"):
            self.at_most(sum(one["share"] or 0 for one in phases.get(key) or ()), 1, "phases", key, 1e-4)
        for i, whole in enumerate(phases.get("all") or ()):
            for key in ("streams", "functions", "threads"):
                self.at_most(sum(one["weight"][i] or 0 for one in phases[key]), whole, f"period {i}", key,
                             1e-5 * abs(whole or 0) + 1)
        for segment in phases.get("segments") or ():
            shares = [one["share"] or 0 for one in segment["shares"] or ()]
            self.at_most(sum(shares), 1, f"phase {segment['name']}", "shares", 1e-4)
            self.at_most(segment["start"], segment["end"], f"phase {segment['name']}", "start")
        sharing = report.get("sharing") or {}
        groups = sharing.get("groups") or []
        self.parts(groups, self.attributed, "sharing", "groups")
        for line in sharing.get("lines") or ():
            self.must(0 <= line["group"] < len(groups), "sharing", f"line of group {line['group']}")
            self.parts(line["sides"], line["samples"], f"line {line['address']}", "sides")

    def text_rows(self):
        """Compares the text of the same report: the same rows in the same order, with the same numbers as shown."""
        report = {**self.report, "bins": (self.report.get("heap") or {}).get("bins") or []}
        for titles, rows in list(tables_of(self.text)):
            for sign, (key, columns) in TABLES.items():
                if sign not in titles:
                    continue
                self.at_most(len(rows), len(report[key]), f"text {key}", "rows", 0)
                shown = collections.Counter(tuple(row.get(one) for one in ("NAME", "KIND", "MODULE", "TYPE", "BIN"))
                                            for row in rows if key != "code")
                self.must(not shown or max(shown.values()) == 1, f"text {key}", f"rows alike: {shown.most_common(1)}")
                for row, one in zip(rows, report[key]):
                    where = f"text {key} {one.get('name') or one.get('function')}"
                    for title, name in columns.items():
                        value = one[name]
                        # SAMPLES of functions includes samples without an object.
                        if (title, key) == ("SAMPLES", "code"):
                            value += one["unknown_samples"] or 0
                        # Bins of the same function are distinguished by a caller or a number.
                        if title in ("NAME", "BIN") and one.get("site"):
                            value = (row.get(title) if row.get(title, "").startswith(value) else value)
                        if title == "TYPE" and value:
                            value = re.sub(r"\b(struct|union|class) ", "", value)
                        self.text_value(row.get(title), value, f"{where}: {title}")
                    self.text_waits(row, one, where)

    def text_value(self, shown, value, where):
        if shown is None: # no such column
            return
        if isinstance(value, str) or shown and not number(shown):
            self.must("..." in shown or "…" in shown or shown == (value or ""), where, f"{shown}, and {value}")
        elif shown and value is None:
            self.must(False, where, f"the text has {shown}, JSON has null")
        elif shown:
            shown, off = number(shown, where.endswith(("SAMPLES", "BLOCKS")))
            self.equal(shown, value, where, "text and JSON", off * 1.02)

    def text_waits(self, row, one, where):
        may = number(row.get("MAY WAIT") or "")
        waits = (one.get("waits") or {}).get("L1")
        if may:
            # For a function it refers to its share of all samples.
            share = one["share"] if row.get("ALL") is None else one["all_share"]
            self.at_most(may[0], share, where, "MAY WAIT, and share", may[1])
            if waits and waits["high"] is not None:
                self.equal(may[0], share * waits["high"], where, "MAY WAIT, and share by the bound", may[1])
        if waits and re.fullmatch(r"\d+-\d+%", row.get("WAITS") or ""):
            low, high = row["WAITS"][:-1].split("-")
            self.equal(int(low) / 100, waits["low"], where, "WAITS", 0.0051)
            self.equal(int(high) / 100, waits["high"], where, "WAITS", 0.0051)

    def all(self):
        self.all_objects()
        self.text_rows()
        self.places()
        self.functions()
        self.matrix()
        self.heap()
        self.rest()
        return self.wrong


def maps_of(*files):
    """Mappings of a process, sorted by address, from one or several reads of its maps."""
    out = []
    for line in (line for file in files for line in open(file, errors="replace")):
        words = line.split(None, 5)
        begin, end = (int(word, 16) for word in words[0].split("-"))
        path = words[5].strip() if len(words) > 5 else ""
        kind = ("heap" if path == "[heap]" else "stack" if path.startswith("[stack") else
                "anonymous" if not path or path.startswith("[anon") else "special" if path[0] == "[" else "file")
        out.append((begin, end, kind, path))
    return sorted(out)


def check(lines, maps=(), text=(), where=""):
    """Checks all reports; the maps and the text belong to the last one."""
    wrong = checked = 0
    lines = [line for line in lines if line.startswith("{")]
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        report = Report(json.loads(line), maps if last else (), text if last else ())
        for words in report.all():
            print(f"{where}report {number}: {words}")
        wrong += len(report.wrong)
        checked += report.checked
    return wrong, checked


def add(report, *path):
    *path, key, by = path
    for step in path:
        report = report[step]
    report[key] += by


def first(rows, **having):
    return next(row for row in rows if all(row[key] == value for key, value in having.items()))


def change_text(text, title, by):
    """Changes the first value in the column `title` of the first table that has it."""
    for at, line in enumerate(text):
        found = re.search(rf"(?<=\s){re.escape(title)}(?=\s)", line) if re.match(r" +SHARE ", line) else None
        rows = range(at + 1, len(text)) if found else ()
        for row in rows:
            value = re.search(r"\S+$", text[row][:found.end()])
            if value and number(value[0]):
                text[row] = text[row][:value.start()] + by.rjust(len(value[0])) + text[row][found.end():]
                return


# Each of these changes to a correct report must be detected.
PLANTED = {
    "an object's samples": lambda report, text: add(report, "objects", 0, "samples", 1),
    "an object's share": lambda report, text: add(report, "objects", 0, "share", 0.01),
    "loads": lambda report, text: add(report, "objects", 0, "loads", -report["objects"][0]["loads"] - 1),
    "code of an object": lambda report, text: add(report, "objects", 0, "code", 0, "samples", 1 << 30),
    "an instance": lambda report, text: add(report, "objects", 0, "instances", 0, "samples", 1 << 30),
    "instances of one block": lambda report, text: first(report["objects"], kind="global")["instances"].append(
        {**first(report["objects"], kind="global")["instances"][0], "address": "0x10", "samples": 0}),
    "an instance's size": lambda report, text: add(first(report["objects"], kind="global")["instances"][0], "size", 1 << 40),
    "an instance's place": lambda report, text: first(report["objects"], kind="global")["instances"][0].update(
        address=report["stack_of_plant"]),
    "a field": lambda report, text: first(report["objects"], kind="global")["fields"].append(
        {**first(report["objects"], kind="global")["fields"][0], "name": "+x", "offset": 1 << 40, "samples": 0}),
    "a module": lambda report, text: first(report["objects"], kind="global").update(module="no.so"),
    "two rows": lambda report, text: report["objects"].append({**report["objects"][-1], "samples": 0, "share": 0}),
    "a function's share": lambda report, text: add(report, "code", 0, "share", 0.01),
    "shares of functions": lambda report, text: [add(row, "samples", report["samples"]["total"]) for row in report["code"][:2]],
    "a column": lambda report, text: add(report, "matrix", "columns", 0, "share", 0.01),
    "a row": lambda report, text: add(report, "matrix", "rows", 0, "share", 0.01),
    "attributed": lambda report, text: add(report, "samples", "attributed", 1),
    "a wait": lambda report, text: add(report, "waits", "L1", "low", 2),
    "a set": lambda report, text: add(report, "sets", "counts", 0, 10),
    "a line of the window": lambda report, text: add(report, "window", "singletons", 1),
    "a thread": lambda report, text: add(report, "threads", "list", 0, "samples", 1),
    "the text's share": lambda report, text: change_text(text, "SHARE", "0.2%"),
    "the text's samples": lambda report, text: change_text(text, "SAMPLES", "7"),
    "the text's MAY WAIT": lambda report, text: change_text(text, "MAY WAIT", "99.9%"),
    "the text's size": lambda report, text: change_text(text, "SIZE", "3"),
    "a row of the text": lambda report, text: text.insert(
        next(i for i, line in enumerate(text) if re.match(r" +SHARE ", line)) + 1, " 12.0%  made up"),
}


def plant(line, maps, text):
    """Returns the number of changes that are not detected."""
    missed = 0
    stack = next((hex(begin) for begin, _, kind, _ in maps if kind == "stack"), "0x0")
    for what, change in PLANTED.items():
        report, changed = {**json.loads(line), "stack_of_plant": stack}, list(text)
        change(report, changed)
        found = Report(report, maps, changed).all()
        print(f"{'ok: detected' if found else 'FAILED: not detected'}: planted change of {what}")
        missed += not found
    return missed


def run(misstop, options):
    """Returns the reports of a run, the maps of its process, and the text of the same samples."""
    if options[0] != "-p":
        reports = subprocess.run([misstop, "-b", "-j", "-H", "0", *options], stdout=subprocess.PIPE, text=True).stdout
        text = []
        if options[0] == "-i":
            text = subprocess.run([misstop, *TEXT, *options], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return reports.splitlines(), (), text
    with tempfile.TemporaryDirectory() as folder:
        recording = f"{folder}/recording"
        now, before = f"/proc/{options[1]}/maps", f"{folder}/maps"
        shutil.copyfile(now, before)
        process = subprocess.Popen([misstop, "-j", "-s", "clock", "-n", "2", "-d", "4", "-H", "0", "-o", recording,
                                    *options], stdout=subprocess.PIPE, text=True)
        reports = process.stdout.readlines()
        maps = maps_of(before, now) if os.path.exists(now) else ()
        process.wait()
        # The text of the recording corresponds to its last report.
        text = subprocess.run([misstop, *TEXT, "-i", recording], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return reports, maps, text


def main():
    wrong = checked = 0
    arguments = sys.argv[1:]
    beside = {"--maps": (), "--text": ()}
    while arguments[0] in beside:
        beside[arguments[0]] = maps_of(*arguments[1].split(",")) if arguments[0] == "--maps" else open(arguments[1]).readlines()
        arguments = arguments[2:]
    if arguments[0] == "--plant":
        sys.exit(plant(open(arguments[1]).readlines()[-1], beside["--maps"], beside["--text"]) > 0)
    if arguments[0] != "-" and os.access(arguments[0], os.X_OK):
        wrong, checked = check(*run(arguments[0], arguments[1:]))
        arguments = ()
    for name in arguments:
        found = check(sys.stdin if name == "-" else open(name), beside["--maps"], beside["--text"], f"{name}: ")
        wrong, checked = wrong + found[0], checked + found[1]
    print(f"{checked} statements compared, {wrong} contradictions")
    sys.exit(wrong > 0 or not checked)


if __name__ == "__main__":
    main()
