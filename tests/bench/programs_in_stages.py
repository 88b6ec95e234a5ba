#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the stages of a program together with the time ranges that misstop found, for programs-in-stages.

    programs_in_stages.py REPORTS STAGES

REPORTS: the output of misstop -j, one report per line. STAGES: one line per stage with the time of its
end (CLOCK_MONOTONIC) and its name. The time ranges come from the last report, with the time when each was
reported.
"""
import json
import sys


def reports(path):
    for line in open(path):
        try:
            phases = json.loads(line)["phases"]
        except (ValueError, KeyError, TypeError):
            continue
        if phases and phases["segments"]:
            yield phases


def main():
    last = None
    for last in reports(sys.argv[1]):
        pass
    if not last:
        sys.exit("no report has phases")
    zero = last["start_monotonic"] - last["start"]
    stages = []
    for line in open(sys.argv[2]):
        end, name = line.rstrip("\n").split(" ", 1)
        stages.append((float(end) - zero, name))
    segments = last["segments"]
    rows = [(segment["start"], segment) for segment in segments]
    print("%8s %8s  %-5s %7s  %-28s %s" % ("BEGAN", "REPORTED", "PHASE", "CHANGED", "LEADS", "STAGE"))
    events = [(start, 1, segment) for start, segment in rows] + [(end, 0, name) for end, name in stages]
    for at, kind, what in sorted(events, key=lambda event: event[:2]):
        if not kind:
            print("%8.1f %8s  %-5s %7s  %-28s ended: %s" % (at, "", "", "", "", what))
            continue
        reported = what["told"]
        print("%8.1f %8s  %-5s %7s  %-28.28s" % (
            at, "" if reported is None else "%.1f" % reported, what["name"] or "?",
            "" if what["changed"] is None else "%.0f %%" % (what["changed"] * 100), what["leader"] or ""))
    letters = {segment["name"] for segment in segments if segment["name"]}
    shorts = sum(segment["end"] - segment["start"] < 1.25 for segment in segments[1:-1])
    print("%d stages; %d time ranges with %d letters, %d of them shorter than 1.25 s" % (
        len(stages), len(segments), len(letters), shorts))


main()
