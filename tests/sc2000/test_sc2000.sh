#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The experiment in short, on two programs: the ten-way search must be right within 0.3 points,
# an even period must resonate with tomcatv as published (14.6 points off there), a prime one not.
set -u
out=$("$BUILD/tests/sc2000/sc2000" -s 0.3 tomcatv mgrid) || exit 1
printf '%s\n' "$out"
printf '%s\n' "$out" | awk '
    /^[a-z]+[0-9a-z]*$/ { program = $1 }
    /largest error/ {
        gsub(/[,;(]/, "")
        even = $6; prime = $10; found = $16; objects = $17
        programs++
        if (found > 0.3 || objects < 3) { print program ": the search is off by " found; bad = 1 }
        if (program == "tomcatv" && (even < 5 || prime > 1.5)) {
            print "tomcatv: even period " even ", prime " prime; 5 or more and 1.5 or less expected"
            bad = 1
        }
    }
    END { exit bad || programs != 2 }'
