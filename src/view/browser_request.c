/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What keys ask of the engine, and what those say that do nothing here; declared in browser.h. */
#include "view/browser.h"

/* Nothing is changed of screens that are not in sight. */
static bool works_in_help(enum action action)
{
    return action == ACTION_QUIT || action == ACTION_SUSPEND || action == ACTION_REFRESH ||
           action == ACTION_NONE;
}

enum request_kind browser_request(struct browser *browser, enum action action)
{
    const struct snapshot *snapshot = browser->snapshot;
    if (browser->page == PAGE_HELP && !works_in_help(action)) {
        browser_message(browser, "not in the help: Esc goes back to the screen it is of");
        return REQUEST_NONE;
    }
    switch (action) {
    case ACTION_QUIT:
        return REQUEST_QUIT;
    case ACTION_BASIS:
        return REQUEST_BASIS;
    case ACTION_ALL_OBJECTS:
        return REQUEST_ALL_OBJECTS;
    case ACTION_ZERO:
        return REQUEST_ZERO;
    case ACTION_FASTER:
        return REQUEST_FASTER;
    case ACTION_SLOWER:
        return REQUEST_SLOWER;
    case ACTION_SEARCH_ALL:
        browser_go(browser, PAGE_SEARCH);
        return REQUEST_SEARCH_ALL;
    case ACTION_SEARCH_STOP:
        return REQUEST_SEARCH_STOP;
    case ACTION_WRITE:
        return REQUEST_WRITE;
    case ACTION_MARK:
        return REQUEST_HEAP_MARK;
    case ACTION_RENAME:
    case ACTION_TAG:
    case ACTION_COMBINE:
    case ACTION_UNDO:
        browser_message(browser, "bins of the heap are named and combined on screen 7, Heap;"
                                 " functions and objects on m, Matrix");
        return REQUEST_NONE;
    case ACTION_COUNTING:
        return REQUEST_COUNTING;
    case ACTION_MEASURE:
        browser_message(browser,
                        "what is counted is chosen on m, Matrix, and 0, Phases; e changes the "
                        "event");
        return REQUEST_NONE;
    case ACTION_REFRESH:
        return REQUEST_REFRESH;
    case ACTION_SUSPEND:
        return REQUEST_SUSPEND;
    case ACTION_NEXT_EVENT:
        if (snapshot && snapshot->source.event_count > 1)
            return REQUEST_NEXT_EVENT;
        browser_message(browser, "one event is sampled; -e l2-miss,stall would sample two");
        return REQUEST_NONE;
    case ACTION_FOLD:
        browser_message(browser, "members of nested structs are folded on screen 8, Layout");
        return REQUEST_NONE;
    case ACTION_SPAN:
        browser_message(browser, "a stretch of the run is marked on screen 0, Phases");
        return REQUEST_NONE;
    case ACTION_STACK:
        browser_message(browser, "by objects, functions or threads: on screen 0, Phases, and on y, "
                                 "Causes");
        return REQUEST_NONE;
    case ACTION_VOLATILITY:
        browser_message(browser, "the volatility of the run is on screen 0, Phases");
        return REQUEST_NONE;
    case ACTION_SEARCH_HERE:
        browser_message(browser, "nothing here to search in: select an object or a region");
        return REQUEST_NONE;
    default:
        return REQUEST_NONE;
    }
}
