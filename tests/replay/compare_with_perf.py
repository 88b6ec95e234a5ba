#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the output of print_records and perf script for a recording, line by line and in order.

  compare_with_perf.py PRINT_RECORDS FILE FIELD,FIELD...

FIELDs are those of perf script -F that the recording has: period addr data_src weight ip. Process,
thread, time and event of samples, mappings, names, forks and exits are always compared. Prints the
number of lines if they agree, or the first difference with status 1; status 2 if perf cannot read
the recording.
"""
import re
import subprocess
import sys

SAMPLE = re.compile(r"^\s*(-?\d+)/(-?\d+)\s+(\d+)\.(\d{9}):\s+(.*)$")
OTHER = re.compile(r"^\s*(?:-?\d+/-?\d+)?\s*(\d+)\.(\d{9}): PERF_RECORD_(\w+)(.*)$")
MAPPING = re.compile(
    r"^ (-?\d+)/(-?\d+): \[(?:0x)?([0-9a-f]+)\((?:0x)?([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+)"
    r"([^\]]*)\]: (\S+) (.*)$")
COMM = re.compile(r"^( exec)?: (.*):(-?\d+)/(-?\d+)$")
TASK = re.compile(r"^\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)$")
LOST = re.compile(r"^ lost (\d+)$")


def nanoseconds(seconds, rest):
    return int(seconds) * 1000000000 + int(rest)


def mapping(kind, time, text):
    pid, tid, start, length, offset, identity, protection, path = MAPPING.match(text).groups()
    line = {"kind": "mmap", "pid": pid, "tid": tid, "time": time, "start": int(start, 16),
            "length": int(length, 16), "offset": int(offset, 16), "path": path}
    if kind == "MMAP":
        line["exec"] = "1" if protection == "x" else "0"
    else:
        line["prot"] = protection[:3]
        words = identity.split()
        if len(words) == 1:
            line["build_id"] = words[0].strip("<>")
    return line


def other(match):
    seconds, rest, kind, text = match.groups()
    time = nanoseconds(seconds, rest)
    if kind in ("MMAP", "MMAP2"):
        return mapping(kind, time, text)
    if kind == "COMM":
        exec_, name, pid, tid = COMM.match(text).groups()
        return {"kind": "comm", "pid": pid, "tid": tid, "time": time, "name": name,
                "exec": "1" if exec_ else "0"}
    if kind in ("FORK", "EXIT"):
        pid, tid, ppid, ptid = TASK.match(text).groups()
        return {"kind": kind.lower(), "pid": pid, "tid": tid, "time": time, "ppid": ppid,
                "ptid": ptid}
    if kind == "LOST":
        return {"kind": "lost", "time": time, "count": LOST.match(text).group(1)}
    return None


def sample(match, fields):
    pid, tid, seconds, rest, text = match.groups()
    line = {"kind": "sample", "pid": pid, "tid": tid, "time": nanoseconds(seconds, rest)}
    # In perf's order: period event: addr data_src |words| weight ip
    if "period" in fields:
        line["period"], text = text.split(None, 1)
    line["event"], text = re.match(r"(.*?):(?:\s+|$)(.*)$", text).groups()
    text = re.sub(r"\|OP .*\|BLK +\S+", " ", text)
    words = text.split()
    for field in ("addr", "data_src", "weight", "ip"):
        if field in fields:
            line[field] = words.pop(0) if words else "missing"
    return line


def perf_lines(path, fields):
    command = ["perf", "script", "-i", path, "--ns", "--show-mmap-events", "--show-task-events",
               "--show-lost-events", "--no-itrace", "-G", "-F", ",".join(["pid", "tid", "time", "event"] + fields)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        print("perf script: " + done.stderr.strip())
        sys.exit(2)
    lines = []
    for text in done.stdout.splitlines():
        match = OTHER.match(text)
        found = other(match) if match else None
        match = None if match else SAMPLE.match(text)
        found = sample(match, fields) if match else found
        if found:
            lines.append(found)
    return lines


def our_lines(print_records, path):
    done = subprocess.run([print_records, path], capture_output=True, text=True, errors="replace",
                          check=False)
    if done.returncode:
        print("print_records: " + done.stderr.strip())
        sys.exit(1)
    lines = []
    for text in done.stdout.splitlines():
        kind, rest = text.split(" ", 1)
        tail = {}
        for last in (" path=", " name="):
            if last in rest:
                rest, value = rest.split(last, 1)
                tail[last.strip(" =")] = value
        line = dict(word.split("=", 1) for word in rest.split(" "))
        if kind == "sample":
            # Event names can contain blanks and equals signs.
            line["event"] = re.search(r" event=(.*) period=", rest).group(1)
        lines.append({"kind": kind, **line, **tail})
    return lines


def differ(theirs, ours):
    for key, value in theirs.items():
        mine = ours.get(key)
        # perf shows records without a time at 0; misstop passes them on at the previous time.
        if key == "time" and (value == 0 or str(value) == mine):
            continue
        if key in ("start", "length", "offset"):
            mine = int(mine, 16) if mine else None
        if mine != value:
            return key
    return None


def main():
    print_records, path = sys.argv[1:3]
    fields = sys.argv[3].split(",") if len(sys.argv) > 3 and sys.argv[3] else []
    theirs = perf_lines(path, fields)
    ours = our_lines(print_records, path)
    for number, (their, our) in enumerate(zip(theirs, ours)):
        key = differ(their, our)
        if key:
            print(f"{path}: line {number} differs in {key}\n  expected (perf): {their}\n  got (misstop):   {our}")
            sys.exit(1)
    if len(theirs) != len(ours):
        print(f"{path}: expected {len(theirs)} lines (perf), got {len(ours)}")
        sys.exit(1)
    samples = sum(line["kind"] == "sample" for line in theirs)
    if not samples:
        print(f"{path}: no samples to compare")
        sys.exit(1)
    print(f"{len(theirs)} lines agree, {samples} of them samples")


if __name__ == "__main__":
    main()
