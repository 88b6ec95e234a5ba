#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A short form of the experiment with one program: the ten-way search must be accurate to 0.3 points
# on all seven arrays, an even period must resonate (published error: 14.6 points), a prime one not.
set -u
out=$("$BUILD/experiments/sc2000/sc2000" -s 0.3 tomcatv) || exit 1
printf '%s\n' "$out"
printf '%s\n' "$out" | awk '
    /largest error/ {
        gsub(/[,;(]/, "")
        even = $6; prime = $10; found = $16; objects = $17
        lines++
        if (found > 0.3) { print "FAIL: largest error of the search: expected at most 0.3 points, got " found; bad = 1 }
        if (objects < 7) { print "FAIL: arrays found by the search: expected 7, got " objects; bad = 1 }
        if (even < 5) { print "FAIL: largest error of 1 in 50,000: expected at least 5 points, got " even; bad = 1 }
        if (prime > 1.5) { print "FAIL: largest error of 1 in 50,111: expected at most 1.5 points, got " prime; bad = 1 }
    }
    END { exit bad || lines != 1 }'
