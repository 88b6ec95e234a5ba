#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every header compiles on its own; headers of the Valgrind tool are only checked if Valgrind is installed.
set -u
source=${srcdir:-.}
cc=${CC:-cc}
status=0
count=0
for header in $(cd "$source" && find include src -name '*.h'); do
    name=${header#include/}
    name=${name#src/}
    case $name in sim/tool/*) [ -n "${VALGRIND_CFLAGS-}" ] || continue ;; esac
    if ! printf '#include "%s"\ntypedef int not_empty;\n' "$name" |
        $cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$source/include" -I"$source/src" \
            -I"${BUILD:-.}/src" ${LIBRARY_CFLAGS:-} ${VALGRIND_CFLAGS:-} -fsyntax-only -x c -; then
        echo "FAIL: $header does not compile on its own"
        status=1
    fi
    count=$((count + 1))
done
echo "$count headers"
[ "$count" -gt 10 ] || { echo "FAIL: expected more than 10 headers, found $count"; status=1; }
exit $status
