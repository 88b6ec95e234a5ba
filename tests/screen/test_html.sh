#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --html: of a launched program, of a recording, and from the screen; refused arguments; the same shares
# as the report of the same recording; and the page in a browser, if chromium is installed.
set -u
. "${srcdir:-.}/tests/screen/tui.sh"
MISSTOP=$(realpath "${MISSTOP:-src/misstop}")
DEMO=$(realpath "${DEMO:-src/misstop-demo}")
SHARED_DATA=${SHARED_DATA:-/nowhere}
check_page=$(realpath "${srcdir:-.}/tests/screen/check-page")
work=$(mktemp -d) || exit 99
trap 'tui_end; rm -rf "$work"' EXIT
failures=0
checks=0
check() { # name, command...
    local name=$1
    shift
    checks=$((checks + 1))
    "$@" || { echo "FAIL: $name"; failures=$((failures + 1)); }
}
has() { grep -qE -- "$2" "$1"; }
well_formed() {
    command -v python3 >/dev/null || { echo "not tested here: well-formed (no python3)"; return 0; }
    python3 "$check_page" "$1"
}
refused() { # STATUS PATTERN ARGUMENT...
    local status=$1 pattern=$2
    shift 2
    "$MISSTOP" "$@" >"$work/out" 2>"$work/err" </dev/null
    [ "$?" = "$status" ] && grep -qE "^misstop: .*($pattern)" "$work/err"
}

# --- errors before the run
check 'no folder' refused 1 'No such file' --html "$work/none/x.html" -b -n 1 -p $$
check 'no file' refused 1 '/dev/null is not a regular file' --html /dev/null -b -n 1 -p $$
check 'no name' refused 2 'html' --html

# --- a launched program, with its exit status
if "$MISSTOP" -b -n 1 -d 0.1 -p $$ >/dev/null 2>&1; then
    "$MISSTOP" --html "$work/demo.html" -o "$work/demo.data" -b -H 0 -d 0.7 -- "$DEMO" \
        >"$work/text" 2>"$work/err" </dev/null &
    watcher=$!
    check 'particles are watched' tui_until grep -q particles "$work/text"
    kill $watcher
    wait $watcher
    check 'the page is there' [ -s "$work/demo.html" ]
    check 'only its owner reads it' [ "$(stat -c %a "$work/demo.html")" = 600 ]
    check 'well-formed' well_formed "$work/demo.html"
    check 'title' has "$work/demo.html" '<title>misstop: misstop-demo</title>'
    check 'live' has "$work/demo.html" 'Watched live'
    check 'the host' has "$work/demo.html" "$(uname -n)"
    check 'the objects' has "$work/demo.html" '>particles</a>'
    check 'nothing is left beside it' [ "$(find "$work" -name 'demo.html*' | wc -l)" = 1 ]
    "$MISSTOP" --html "$work/status.html" -b -d 0.1 -- sh -c 'exit 7' >/dev/null 2>&1 </dev/null
    check 'the status of the command' [ "$?" = 7 ]
    check 'a page of hardly any sample' well_formed "$work/status.html"
    # The same from its recording; the page says that it is one.
    "$MISSTOP" -j -i "$work/demo.data" --html "$work/again.html" >"$work/json" 2>/dev/null </dev/null
    check 'well-formed, of a recording' well_formed "$work/again.html"
    check 'says that it is recorded' has "$work/again.html" 'Made from a recording'
    if command -v tmux >/dev/null; then
        tui_start 100 30 "$MISSTOP --html $work/screen.html -d 0.3 -- $DEMO"
        check 'the screen' tui_wait 'particles'
        tui_keys q
        tui_until [ -s "$work/screen.html" ]
        check 'written on leaving the screen' well_formed "$work/screen.html"
        tui_end
    else
        echo "not tested here: from the screen (tmux is not installed)"
    fi
else
    echo "not tested here: live (nothing can be sampled)"
fi

# --- a recording of other hardware: the shares of each object as in the report
recording=$SHARED_DATA/pebs-i9-9980HK-loads-stores.perf.data
if [ -r "$recording" ] && command -v python3 >/dev/null; then
    "$MISSTOP" -j -i "$recording" --html "$work/pebs.html" >"$work/json" 2>/dev/null </dev/null
    check 'well-formed, of pebs' well_formed "$work/pebs.html"
    check 'what is missing is said' has "$work/pebs.html" 'programs or libraries that were not found'
    check 'the same shares as the report' python3 - "$work/json" "$work/pebs.html" <<'END'
import json, sys, xml.etree.ElementTree as tree
report = json.loads(open(sys.argv[1]).readlines()[-1])
space = "{http://www.w3.org/1999/xhtml}"
table = next(one for one in tree.parse(sys.argv[2]).iter(space + "section")
             if one.get("id") == "objects")
rows = [["".join(cell.itertext()) for cell in row] for row in table.iter(space + "tr")]
name, share = rows[0].index("NAME"), rows[0].index("SHARE")
page = [(row[name], float(row[share].replace("<0.1", "0.05").rstrip("%"))) for row in rows[1:]]
told = [(one["name"], one["share"] * 100) for one in report["objects"]]
print(len(page), "objects")
sys.exit(not page or len(page) != len(told) or
         any(a[0] != b[0] or abs(a[1] - b[1]) > 0.051 for a, b in zip(page, told)))
END
else
    echo "not tested here: a recording of other hardware (the file or python3 is absent)"
fi

# --- in a browser: the script runs and draws something
page=$work/demo.html
[ -s "$page" ] || page=$work/pebs.html
if [ -s "$page" ] && command -v chromium >/dev/null; then
    browser() {
        timeout 30 chromium --headless --no-sandbox --disable-gpu --no-first-run \
            --disable-background-networking --disable-component-update --disable-sync \
            --user-data-dir="$work/profile" --window-size=900,1200 "$@" "file://$page" \
            2>"$work/log"
    }
    browser --dump-dom >"$work/dom"
    check 'the script has run' has "$work/dom" 'class="sorts live"'
    check 'drawings are drawings' has "$work/dom" '<svg class="bar"'
    browser --screenshot="$work/page.png" >/dev/null
    check 'the picture of it' [ "$(stat -c %s "$work/page.png" 2>/dev/null || echo 0)" -gt 20000 ]
else
    echo "not tested here: in a browser (chromium is not installed)"
fi

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
