/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/display/keys.h"

#include <stdio.h>
#include <string.h>

#include "view/display/screens.h"

#define CONTROL(letter) ((letter)&0x1f)

static const struct key_binding bindings[] = {
    {ACTION_NEXT_SCREEN,
     {KEYS_TAB},
     "Tab",
     "Tab",
     "Next",
     "next screen; Shift-Tab: previous screen"},
    {ACTION_LAST_SCREEN, {KEYS_BACK_TAB}, "Shift-Tab", "S-Tab", "Last", NULL},
    {ACTION_UP,
     {KEYS_UP, 'k'},
     "arrows, j k",
     "Up",
     "Up",
     "move; left and right change the pane, on Layout the type, on Phases the time"},
    {ACTION_DOWN, {KEYS_DOWN, 'j'}, "j", "j", "Down", NULL},
    {ACTION_LEFT, {KEYS_LEFT}, "Left", "Left", "Pane", NULL},
    {ACTION_RIGHT, {KEYS_RIGHT}, "Right", "Left/Right", "Pane", NULL},
    {ACTION_PAGE_UP, {KEYS_PAGE_UP, CONTROL('b')}, "PgUp, PgDn", "PgUp", "Up", "move by a page"},
    {ACTION_PAGE_DOWN, {KEYS_PAGE_DOWN, CONTROL('f')}, "PgDn", "PgDn", "Down", NULL},
    {ACTION_HOME, {KEYS_HOME, 'g'}, "Home, End, g G", "Home", "First", "first and last row"},
    {ACTION_END, {KEYS_END, 'G'}, "End", "End", "Last", NULL},
    {ACTION_ENTER, {KEYS_ENTER}, "Enter", "Enter", "Open", "open the selected row: drill down"},
    {ACTION_BACK,
     {KEYS_ESCAPE, KEYS_BACKSPACE},
     "Esc",
     "Esc",
     "Back",
     "back (also Backspace); clears a filter first; stops reading a recording"},
    {ACTION_FOLD,
     {KEYS_F5, 'o'},
     "F5, o",
     "F5",
     "Fold",
     "fold and unfold: members on Layout, callers on Detail and Function; Matrix: open the object; "
     "Phases: zoom in"},
    {ACTION_STACK,
     {'b'},
     "b",
     "b",
     "By",
     "Phases: by object, function, fields of an object, or threads; Causes: by object, function or "
     "thread"},
    {ACTION_FIND, {KEYS_F3, '/'}, "F3, /", "F3", "Find", "search for a word, as you type"},
    {ACTION_FIND_NEXT, {'n'}, "n", "n", "Next", "next match"},
    {ACTION_FILTER, {KEYS_F4, '\\'}, "F4, \\", "F4", "Filter", "show only rows with a word"},
    {ACTION_SORT_NEXT,
     {KEYS_F6, '>'},
     "F6, < >",
     "F6",
     "Sort",
     "sort by the next or previous column"},
    {ACTION_SORT_LAST, {'<'}, "<", "<", "Sort", NULL},
    {ACTION_MOVE_UP, {KEYS_F7}, "F7, F8", "F7", "Up", "Setup: move a column"},
    {ACTION_MOVE_DOWN, {KEYS_F8}, "F8", "F8", "Down", NULL},
    {ACTION_INVERT, {'I'}, "I", "I", "Invert", "invert the order"},
    {ACTION_FREEZE,
     {' '},
     "Space",
     "Space",
     "Freeze",
     "freeze and unfreeze the screen; sorting, filtering and drilling still work"},
    {ACTION_BASIS, {'c'}, "c", "c", "Recent/run", "the recent past (decayed), or the whole run"},
    {ACTION_ALL_OBJECTS,
     {'A'},
     "A",
     "A",
     "All",
     "Objects: also list objects below 0.1%, on and off"},
    {ACTION_ZERO, {'z'}, "z", "z", "Zero", "reset all counts"},
    {ACTION_COUNTING,
     {'T'},
     "T",
     "T",
     "Count",
     "live: stop and resume counting; the program keeps running"},
    {ACTION_FASTER, {'-'}, "+ -", "-", "Interval", "refresh less or more often"},
    {ACTION_SLOWER, {'+', '='}, "+", "+", "Slower", NULL},
    {ACTION_NEXT_EVENT, {'e'}, "e", "e", "Event", "rank by another of the sampled events"},
    {ACTION_SEARCH_HERE,
     {'s'},
     "s",
     "s",
     "Search in it",
     "n-way search inside the selected object or region"},
    {ACTION_SEARCH_ALL, {'S'}, "S", "S", "Search all", "n-way search of the whole address space"},
    {ACTION_SEARCH_STOP, {'X'}, "X", "X", "Stop", "stop the search"},
    {ACTION_WRITE, {'W'}, "W", "W", "Write", "write the tables to a file, as text and JSON"},
    {ACTION_MARK, {'M'}, "M", "M", "Mark", "Heap: measure growth from now"},
    {ACTION_RENAME, {'R'}, "R", "R", "Rename", "Heap, Matrix: rename; empty: the original name"},
    {ACTION_TAG, {'t'}, "t", "t", "Tag", "Heap, Matrix: tag, to combine with others"},
    {ACTION_COMBINE,
     {'C'},
     "C",
     "C",
     "Combine",
     "Heap, Matrix: combine the tagged rows into the selected one"},
    {ACTION_UNDO, {'U'}, "U", "U", "Undo", "Heap, Matrix: undo the last renaming or combining"},
    {ACTION_SPAN,
     {'v'},
     "v",
     "v",
     "Mark",
     "Phases: mark from here; Left and Right extend it, Enter shows only that time range"},
    {ACTION_NOW, {'N'}, "N", "N", "Now", "leave the time range: back to the present"},
    {ACTION_MEASURE,
     {'a'},
     "a",
     "a",
     "Amount",
     "Matrix: event weight, accesses, waiting, loads or stores; Phases: which amount is drawn"},
    {ACTION_PLAY_PAUSE, {'p'}, "p", "p", "Play", "recording: play from here, and pause"},
    {ACTION_PLAY_STEP,
     {'.'},
     ". ,",
     ".",
     "Step",
     "recording: one refresh interval forward, and back; pauses"},
    {ACTION_PLAY_STEP_BACK, {','}, ",", ",", "Step back", NULL},
    {ACTION_PLAY_FORWARD, {')'}, "( )", ")", "Forward", "recording: a tenth back, and forward"},
    {ACTION_PLAY_BACK, {'('}, "(", "(", "Back", NULL},
    {ACTION_PLAY_START, {'^'}, "^ $", "^", "Start", "recording: to the start, and to the end"},
    {ACTION_PLAY_END, {'$'}, "$", "$", "To the end", NULL},
    {ACTION_PLAY_GO, {'@'}, "@", "@", "Go to", "to a time: 80, 1m20s, 1:20, 50%, +10, -10"},
    {ACTION_PROCESSES, {'P'}, "P", "P", "Processes", "recording: list of processes"},
    {ACTION_REFRESH, {CONTROL('l')}, "Ctrl-L", "Ctrl-L", "Refresh", "refresh now"},
    {ACTION_SUSPEND, {CONTROL('z')}, "Ctrl-Z", "Ctrl-Z", "Suspend", "suspend; fg resumes"},
    {ACTION_THREADS, {'H'}, "H", "H", "Threads", "the threads, on Code"},
    {ACTION_USER,
     {'u'},
     "u",
     "u",
     "User",
     "list of processes: only those of the selected process's user"},
    {ACTION_NO_SIGNAL, {KEYS_F9}, "F9", "F9", "Nothing", "nothing: misstop sends no signals"},
    {SCREEN_ACTION(SETUP), {KEYS_F2}, "F2", "F2", "Setup", "colours, interval, source, columns"},
    {SCREEN_ACTION(HELP), {'?', 'h', KEYS_F1}, "F1, h, ?", "F1", "Help", "this help; again: back"},
    {ACTION_QUIT, {'q', KEYS_F10, CONTROL('c'), CONTROL('\\')}, "q, F10", "q", "Quit", "quit"},
};

enum { BINDINGS = sizeof bindings / sizeof *bindings };

enum action keys_action(uint32_t key)
{
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (key > 0 && key < 0x80 && strchr(screens[i].keys, (int)key))
            return (enum action)((int)ACTION_SHOW + i);
    for (size_t i = 0; i < BINDINGS; i++)
        for (size_t k = 0; k < 4 && bindings[i].keys[k]; k++)
            if (bindings[i].keys[k] == key)
                return bindings[i].action;
    return ACTION_NONE;
}

void keys_name(uint32_t key, char *out, size_t size)
{
    if (key >= KEYS_F1 && key <= KEYS_F12)
        snprintf(out, size, "F%u", (unsigned)(key - KEYS_F1 + 1));
    else if (key < 0x20)
        snprintf(out, size, "Ctrl-%c", (char)(key + '@'));
    else if (key < 0x7f)
        snprintf(out, size, "%c", (char)key);
    else
        snprintf(out, size, "this key");
}

const struct key_binding *keys_all(size_t *count)
{
    *count = BINDINGS;
    return bindings;
}

struct key_binding keys_binding(enum action action)
{
    for (size_t i = 0; i < BINDINGS; i++)
        if (bindings[i].action == action)
            return bindings[i];
    int id = (int)action - (int)ACTION_SHOW;
    if (id < 0 || id >= SCREEN_COUNT || !*screens[id].key)
        return (struct key_binding){.action = ACTION_NONE};
    return (struct key_binding){.action = action,
                                .keys = {(unsigned char)screens[id].key[0]},
                                .shown = screens[id].key,
                                .brief = screens[id].key,
                                .label = screens[id].screen->name,
                                .help = screens[id].screen->key_help};
}
