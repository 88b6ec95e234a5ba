#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The model calls no functions except its own and those that compilers generate calls to, because the
# Valgrind tool has no libc. It includes no headers of a libc either.
set -u
library=${BUILD:-.}/src/libsim.a
source=${srcdir:-.}
bad=$(grep -nE '#[[:space:]]*include' "$source"/src/sim/model/*.[ch] |
    grep -vE '<(stdint|stddef|stdbool)\.h>|"sim/model/|"new_layout\.h"')
[ -z "$bad" ] || { echo "FAIL: included by the model: $bad"; exit 1; }
nm "$library" | grep -qE ' U __(asan|ubsan|sanitizer)' && { echo "SKIP: built with sanitizers"; exit 77; }
defined=$(nm --defined-only "$library" | sed -n 's/.* [A-Z] //p' | sort -u)
called=$(nm -u "$library" | sed -n 's/^ *U //p' | sort -u)
[ -n "$defined" ] && [ -n "$called" ] || { echo "FAIL: nothing in $library"; exit 1; }
for symbol in $called; do
    case $symbol in memcpy | memset | memmove | memcmp | _GLOBAL_OFFSET_TABLE_) continue ;; esac
    printf '%s\n' "$defined" | grep -qxF -- "$symbol" || { echo "FAIL: the model calls $symbol"; exit 1; }
done
echo "the model stands alone: $(printf '%s\n' $called | wc -l) symbols called"
