#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Types and fields against programs that log their own times.

  tests/types/judge_types.py MISSTOP [PATTERN]     PATTERN of fnmatch for "PROGRAM COMPILER OPTIONS WAY"

Builds o_* with every compiler there is, watches each attached and launched, and prints which share
of the samples has a field that the program says it waits for ("right"), another one ("wrong"), or
none ("unknown"), and by how many points the largest of the right ones differs from the program's
clock. Exit status 1 if anything is wrong.
"""
import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 6
PLUS = ["-O0", "-O2", "-O3", "-O2 -gdwarf-4 -fdebug-types-section", "-O2 -flto"]
PROGRAMS = [
    ("o_templates.cc", "g++", PLUS, "{c} -g {o} {s}/o_templates.cc -o {p}"),
    ("o_templates.cc", "clang++", PLUS[:3], "{c} -g {o} {s}/o_templates.cc -o {p}"),
    ("o_twins.c", "gcc", PLUS, "{c} -g {o} {s}/o_twins.c {s}/o_twins_other.c -o {p}"),
    ("o_twins.c", "clang", PLUS[:3], "{c} -g {o} {s}/o_twins.c {s}/o_twins_other.c -o {p}"),
    ("o_twins.c, two libraries", "gcc", ["-O2"],
     "{c} -g {o} -fPIC -shared {s}/o_twins_other.c -o {p}.so && "
     "{c} -g {o} {s}/o_twins.c {p}.so -o {p}"),
    ("o_generics.rs", "rustc", ["-Copt-level=0", "-Copt-level=2", "-Copt-level=3"],
     "{c} -A dead_code -g {o} {s}/o_generics.rs -o {p}"),
]


def matches(name, patterns):
    return any(fnmatch.fnmatchcase(name, p.replace("[", "[[]")) for p in patterns)


def own_log(text):
    """[(share, [pattern...])]"""
    log = []
    for line in text.splitlines():
        words = line.split(" ", 2)
        if words[0] == "time":
            log.append((float(words[1]), words[2].split("|")))
    return log


def run(misstop, program, launched):
    """Returns the log of the program and the last report."""
    # The start of a launched program, in which it fills its data, must decay from the report.
    half_life = "0.5" if launched else "0"
    options = [misstop, "-j", "-s", "clock", "-r", "2000", "-H", half_life, "-d", "0.5"]
    if launched:
        done = subprocess.run(options + ["--", program, str(SECONDS)], capture_output=True, text=True)
        text = done.stdout + done.stderr  # that of the program
    else:
        target = subprocess.Popen([program, str(SECONDS)], stdout=subprocess.PIPE, text=True)
        ready = target.stdout.readline()
        done = subprocess.run(options + ["-p", str(target.pid)], capture_output=True, text=True)
        text = ready + target.stdout.read() + done.stdout
        target.wait()
    reports = [l for l in text.splitlines() if l.startswith("{")]
    return own_log(text), json.loads(reports[-1]) if reports else None


def judge(log, report, launched):
    right, wrong, unknown, seen, wrong_names = 0, 0, 0, {}, {}
    for row in report["objects"]:
        share = row["share"] or 0
        in_fields = 0
        for field in row["fields"]:
            part = share * (field["share"] or 0)
            name = field["name"]
            in_fields += part
            hit = next((i for i, (_, patterns) in enumerate(log) if matches(name, patterns)), None)
            if launched and name.startswith(("gate.", "thread.")):
                continue  # of the agent's library
            if name.startswith(("malloc_chunk.", "tcache_")):
                continue  # of glibc's allocator
            if hit is not None:
                right += part
                seen[hit] = seen.get(hit, 0) + part
            elif row["kind"] in ("global", "stack", "tls", "code"):
                unknown += part  # the program's own state
            elif "." in name and field["type"]:
                wrong += part
                wrong_names[name] = wrong_names.get(name, 0) + part
            else:
                unknown += part
        unknown += max(0, share - in_fields)
    return right, wrong, unknown, seen, wrong_names


def main():
    misstop = os.path.abspath(sys.argv[1])
    only = sys.argv[2] if len(sys.argv) > 2 else "*"
    failed = False
    print(f"{'program':60} {'right':>6} {'wrong':>6} {'unknown':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for source, compiler, every, command in PROGRAMS:
            for options in every:
                path = os.path.join(folder, "program")
                cases = [(w, f"{source} {compiler} {options} {w}") for w in ("attached", "launched")]
                cases = [c for c in cases if fnmatch.fnmatch(c[1], only)]
                if not cases or not shutil.which(compiler):
                    continue
                subprocess.run(command.format(c=compiler, o=options, s=HERE, p=path), shell=True,
                               check=True)
                for way, name in cases:
                    log, report = run(misstop, path, way == "launched")
                    right, wrong, unknown, seen, wrong_names = judge(log, report, way == "launched")
                    print(f"{name:60} {right:6.1%} {wrong:6.1%} {unknown:7.1%}", flush=True)
                    for each, share in sorted(wrong_names.items(), key=lambda s: -s[1])[:6]:
                        print(f"    wrong {share:.1%} {each}")
                    if os.environ.get("TYPES_SHOW"):
                        for i, (share, patterns) in enumerate(log):
                            print(f"    {share:.1%} logged, {seen.get(i, 0):.1%} reported: {patterns[0]}")
                    failed |= wrong > 0.001
    sys.exit(failed)


main()
