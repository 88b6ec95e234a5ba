/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/help_screens.h"

static const struct {
    const char *shows;
    const char *next;
} screens[PAGE_COUNT] = {
    [PAGE_OBJECTS] =
        {"The data that the process waits for, hottest first: variables, heap blocks (by who "
         "allocated them, by type, or by size), stacks, mappings. Above the list, how many samples "
         "there are, how many could be put on an object, and why the others could not.",
         "Look at the first rows; the column beside the share says how sure it is by now. Enter "
         "opens one. f lists problems recognised, 0 says whether it was like this all the time."},
    [PAGE_DETAIL] =
        {"One object: which of its fields or offsets have the samples, the code that accesses it, "
         "and "
         "its blocks one by one. Left and Right go from one list to the next.",
         "Is it one field or all of them? Enter on a field shows how it lies in its cache lines, "
         "on a function the source line that waits."},
    [PAGE_SETS] =
        {"Each cell is a set of the cache and how many of the samples fell on it; below, the "
         "objects "
         "that fill the set under the cursor.",
         "Evenly grey is as it should be. A few hot sets are data at distances of a power of two, "
         "or a line that is read all the time; the verdict says which."},
    [PAGE_SEARCH] =
        {"The n-way search: the address space is split, the samples in each part are counted, and "
         "the best parts are split again, until each is one object or one cache line. Needs no "
         "names, so it works in arenas and mappings that a program manages itself.",
         "S begins with everything, s with the selected region or object. Enter opens the object "
         "that a region holds. Esc goes back to the search before. X stops it."},
    [PAGE_CODE] =
        {"Functions by what they wait for, with the object that each accesses most. Functions "
         "whose samples have no object are here too, and say why.",
         "Enter opens the source of one, with its heat; m shows the samples of each function on "
         "each object."},
    [PAGE_FUNCTION] =
        {"One function: its source lines with their heat, below them the instructions of the line "
         "that is selected and the data that each accesses, and the objects that the function "
         "accesses.",
         "Where there is no source a line says where it was looked for. Right goes to the "
         "instructions."},
    [PAGE_WINDOW] =
        {"The newest samples by cache line: how often lines come again, which do most, and which "
         "objects are accessed one after the other.",
         "Mostly seen once: the data is larger than the cache, or it is streamed through. Mostly "
         "again: a few lines have the samples; Sets and Sharing show what they have in common."},
    [PAGE_HEAP] =
        {"The heap by who allocated it: live bytes, how much is lost between blocks, how fast "
         "blocks come and go, and their part of the samples. Launched (misstop -- CMD) it knows "
         "the "
         "call paths; attached, sizes only.",
         "M sets a mark and GROWTH counts from there. What grows and is never touched may be a "
         "leak."},
    [PAGE_LAYOUT] =
        {"A struct as it lies in memory: members, holes, and where cache lines begin; the heat is "
         "the part of the object's samples that fell on each member.",
         "A line with one hot member and the rest cold is mostly fetched in vain: members that are "
         "hot together belong together. The sentence on top says what it would bring."},
    [PAGE_SHARING] =
        {"Cache lines that threads take from each other. Below, the selected one byte by byte: r "
         "what a thread reads, W what it writes.",
         "False: threads use bytes of their own, so give each its own line. True: they want the "
         "same bytes, so share less. No row: nobody waits for another's line."},
    [PAGE_TIMELINE] =
        {"The run from left to right: in each column, the parts that the leading objects have of "
         "the samples. Below it the number of samples and the phases: time ranges in which the "
         "samples are on the same data. One that comes back has its old letter.",
         "ROSE and FELL tell phases apart. Enter on one, and all screens show that phase alone; N "
         "is back to now. b stacks by function, fields or threads."},
    [PAGE_MATRIX] =
        {"Functions down, objects across: in each cell, the part of all samples that this function "
         "has on this object. Totals stand in the first row and column.",
         "The cursor is on the strongest cell and the lines below say what it is made of. Enter "
         "goes to the code, o to the data."},
    [PAGE_FINDINGS] =
        {"Problems that misstop recognises by itself, most gain first. Below, of the selected one: "
         "the evidence in numbers, what to try, what that may bring at most, and how sure it is.",
         "Enter opens the screen that shows it. Nothing listed means that no rule is met, not that "
         "nothing is wrong."},
    [PAGE_WATCH] =
        {"What hardware watchpoints saw (misstop --watch): whether the lines of an object are "
         "touched again after a sampled access, how soon, and how much of a line is used.",
         "Hardly touched again: it is streamed through. Again after long: work on less at a time."},
    [PAGE_CAUSES] =
        {"Why lines were not in the simulated caches (misstop --sim): first reference, too much "
         "data, too many lines for one set, or written by another thread; and what replaced "
         "them.",
         "Capacity: use less memory at a time. Conflict: change distances. Sharing: see 9."},
    [PAGE_EVICTIONS] = {"Which object replaces lines of which in the simulated caches: the object "
                        "that was replaced down, the one that replaced it across.",
                        "An object that throws itself out is too large or in its own way; one that "
                        "is thrown out by "
                        "another could be kept apart from it."},
    [PAGE_REUSE] =
        {"How much else was touched before data was touched again, in the simulation, and so what "
         "part "
         "of the accesses a cache of each size would serve.",
         "Where the curve falls steeply there is a size at which the data fits: a smaller working "
         "set, or a larger cache, would pay. A flat curve says that size does not matter."},
    [PAGE_WHATIF] = {"The simulation ran another layout beside the real one.",
                     "Choose a question about an object; the answer compares both."},
};

const char *help_screen_shows(enum page_id page)
{
    return page < PAGE_COUNT ? screens[page].shows : NULL;
}

const char *help_screen_next(enum page_id page)
{
    return page < PAGE_COUNT ? screens[page].next : NULL;
}
