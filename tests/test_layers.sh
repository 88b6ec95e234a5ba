#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# check-layers accepts the tree and reports each of several planted violations.
set -u
source=${srcdir:-.}
check=$source/tests/check-layers
copy=$(mktemp -d) || exit 99
trap 'rm -rf "$copy"' EXIT

"$check" "$source" || { echo "FAIL: the tree violates its layers"; exit 1; }

cp -rL "$source/src" "$source/include" "$copy/"
chmod -R u+w "$copy"
planted=0
plant() { # file, line to add
    printf '%s\n' "$2" >>"$copy/$1"
    printf '%s:[0-9]*: %s\n' "$1" "$(printf '%s' "$2" | sed 's/^ *//; s/[][*.\]/\\&/g')" >>"$copy/planted"
    planted=$((planted + 1))
}
plant src/base/text.c '#include "sample/sampler.h"'
plant src/sample/sampler.h '#include "decode/decoder.h"'
plant src/profile/profile.c '  #  include "view/view.h"'
plant src/view/export/text.c '#include "loop.h"'
plant src/profile/profile.c '#include <capstone/capstone.h>'
plant src/decode/decoder.c '#include <libelf.h>'
plant src/view/export/text.c '#include <ncurses.h>'
plant src/main.c '#include <perfmon/pfmlib.h>'
plant src/store/form.c "#include \"resolve/resolver.h\""
plant src/store/form.c "#include \"profile/profile.h\""
plant include/place.h '#include "resolve/resolver.h"'
plant src/sim/model/cache.c '#include "base/hash.h"'
plant src/sim/tool/access.c '#include "base/hash.h"'
plant src/sample/simulated/sim_session.c '#include "sim/tool/tool.h"'
plant src/resolve/source.c '    int fd = open(path, O_RDONLY);'
plant src/resolve/dwarf/program.c '    FILE *in = fopen(path, "r");'
plant src/decode/decoder.c '#include "loop.h"'
plant src/profile/profile.c '#include "engine/engine.h"'
plant src/agent/path.c '#include "base/hash.h"'
plant src/loop.c '#include "agent/path.h"'
if "$check" "$copy" >"$copy/found"; then
    echo "FAIL: check-layers accepts the planted violations"
    exit 1
fi
while IFS= read -r violation; do
    grep -q -- "$violation\$" "$copy/found" || { echo "FAIL: check-layers does not report: $violation"; exit 1; }
done <"$copy/planted"
[ "$(wc -l <"$copy/planted")" -eq "$planted" ] || { echo "FAIL: expected $planted planted violations, compared $(wc -l <"$copy/planted")"; exit 1; }
echo "layers hold; $planted planted violations detected"
