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
    "$@" || { echo "FAIL: $name: status $? of: $*"; failures=$((failures + 1)); }
}
has() { grep -qE -- "$2" "$1"; }
well_formed() {
    command -v python3 >/dev/null || { echo "skipped: well-formed page (python3 is not installed)"; return 0; }
    python3 "$check_page" "$1"
}
refused() { # STATUS PATTERN ARGUMENT...
    local status=$1 pattern=$2 got
    shift 2
    "$MISSTOP" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    [ "$got" = "$status" ] && grep -qE "^misstop: .*($pattern)" "$work/err" && return
    echo "expected status $status and /$pattern/, got status $got: $(cat "$work/err")"
    return 1
}

# --- errors before the run
check '--html in a missing folder is refused' refused 1 'No such file' --html "$work/none/x.html" -b -n 1 -p $$
check '--html to a device is refused' refused 1 '/dev/null is not a regular file' --html /dev/null -b -n 1 -p $$
check '--html without a file name is refused' refused 2 'html' --html

# --- a launched program, with its exit status
if "$MISSTOP" -b -n 1 -d 0.1 -p $$ >/dev/null 2>&1; then
    "$MISSTOP" --html "$work/demo.html" -o "$work/demo.data" -b -H 0 -d 0.7 -- "$DEMO" \
        >"$work/text" 2>"$work/err" </dev/null &
    watcher=$!
    check 'the text report of the launched demo shows particles' tui_until grep -q particles "$work/text"
    kill $watcher
    wait $watcher
    check 'the page is written when misstop ends' [ -s "$work/demo.html" ]
    check 'the page has mode 600' [ "$(stat -c %a "$work/demo.html")" = 600 ]
    check 'the page of a launched program is well-formed' well_formed "$work/demo.html"
    check 'the title names the program' has "$work/demo.html" '<title>misstop: misstop-demo</title>'
    check 'the page says that it was watched live' has "$work/demo.html" 'Watched live'
    check 'the page names the host' has "$work/demo.html" "$(uname -n)"
    check 'the page links the object particles' has "$work/demo.html" '>particles</a>'
    check 'no temporary file remains' [ "$(find "$work" -name 'demo.html*' | wc -l)" = 1 ]
    "$MISSTOP" --html "$work/status.html" -b -d 0.1 -- sh -c 'exit 7' >/dev/null 2>&1 </dev/null
    check 'the exit status of the command is passed on' [ "$?" = 7 ]
    check 'a page with hardly any sample is well-formed' well_formed "$work/status.html"
    # The same from its recording; the page says that it is one.
    "$MISSTOP" -j -i "$work/demo.data" --html "$work/again.html" >"$work/json" 2>/dev/null </dev/null
    check 'the page of a recording is well-formed' well_formed "$work/again.html"
    check 'the page says that it was made from a recording' has "$work/again.html" 'Made from a recording'
    if command -v tmux >/dev/null; then
        tui_start 100 30 "$MISSTOP --html $work/screen.html -d 0.3 -- $DEMO"
        check 'the screen shows particles' tui_wait 'particles'
        tui_keys q
        tui_until [ -s "$work/screen.html" ]
        check 'the page written on leaving the screen is well-formed' well_formed "$work/screen.html"
        tui_end
    else
        echo "skipped: page written from the screen (tmux is not installed)"
    fi
else
    echo "skipped: launched program (no event source works)"
fi

# --- a recording of other hardware: the shares of each object as in the report
recording=$SHARED_DATA/pebs-i9-9980HK-loads-stores.perf.data
if [ -r "$recording" ] && command -v python3 >/dev/null; then
    "$MISSTOP" -j -i "$recording" --html "$work/pebs.html" >"$work/json" 2>/dev/null </dev/null
    check 'the page of a PEBS recording is well-formed' well_formed "$work/pebs.html"
    check 'the page reports missing binaries' has "$work/pebs.html" 'programs or libraries that were not found'
    check 'the page has the same shares as the JSON report' python3 - "$work/json" "$work/pebs.html" <<'END'
import json, sys, xml.etree.ElementTree as tree
report = json.loads(open(sys.argv[1]).readlines()[-1])
space = "{http://www.w3.org/1999/xhtml}"
table = next(one for one in tree.parse(sys.argv[2]).iter(space + "section")
             if one.get("id") == "objects")
rows = [["".join(cell.itertext()) for cell in row] for row in table.iter(space + "tr")]
name, share = rows[0].index("NAME"), rows[0].index("SHARE")
page = [(row[name], float(row[share].replace("<0.1", "0.05").rstrip("%"))) for row in rows[1:]]
expected = [(one["name"], one["share"] * 100) for one in report["objects"]]
wrong = [(a, b) for a, b in zip(expected, page) if a[0] != b[0] or abs(a[1] - b[1]) > 0.051]
print(f"{len(page)} objects, expected {len(expected)}; expected and got: {wrong[:5]}")
sys.exit(not page or len(page) != len(expected) or bool(wrong))
END
else
    echo "skipped: PEBS recording (the file is absent or python3 is not installed)"
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
    check 'the script of the page runs in a browser' has "$work/dom" 'class="sorts live"'
    check 'the page contains a bar as SVG in a browser' has "$work/dom" '<svg class="bar"'
    browser --screenshot="$work/page.png" >/dev/null
    check 'the screenshot of the page is larger than 20 kB' [ "$(stat -c %s "$work/page.png" 2>/dev/null || echo 0)" -gt 20000 ]
else
    echo "skipped: page in a browser (chromium is not installed)"
fi

echo "$checks checks, $failures failed"
[ "$failures" = 0 ]
