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
        if (found > 0.3 || objects < 7) { print "the search is off by " found ", finds " objects; bad = 1 }
        if (even < 5) { print "1 in 50,000 is off by " even " only"; bad = 1 }
        if (prime > 1.5) { print "1 in 50,111 is off by " prime; bad = 1 }
    }
    END { exit bad || lines != 1 }'
