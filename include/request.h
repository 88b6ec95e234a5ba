/* SPDX-License-Identifier: GPL-3.0-or-later */
/* view -> loop: user requests that a view cannot handle with the snapshot it holds. Freeze, sort,
 * filter, find and drill-in are handled by the view. */
#ifndef MISSTOP_REQUEST_H
#define MISSTOP_REQUEST_H

#include <stdint.h>

enum request_kind {
    REQUEST_NONE,
    REQUEST_QUIT,
    REQUEST_REFRESH,     /* take a snapshot now */
    REQUEST_ALL_OBJECTS, /* toggle listing of objects with small shares */
    REQUEST_BASIS,       /* toggle between the recent past (decayed) and the whole run */
    REQUEST_COUNTING,    /* toggle sampling */
    REQUEST_ZERO,        /* reset all counts */
    REQUEST_FASTER,      /* shorter refresh interval */
    REQUEST_SLOWER,
    REQUEST_NEXT_EVENT, /* rank by another event */
    REQUEST_SEARCH_ALL,
    REQUEST_SEARCH_RANGE, /* base, bound; name for the title */
    REQUEST_SEARCH_STOP,
    REQUEST_SEARCH_BACK, /* return to the search that another one replaced */
    REQUEST_INTERVAL,    /* interval_s: the refresh interval */
    REQUEST_WRITE,       /* name: write the displayed snapshot to NAME.txt and NAME.json */
    REQUEST_SUSPEND,     /* Ctrl-Z */
    REQUEST_PICK,        /* pid: watch this process */
    REQUEST_HEAP_MARK,   /* count growth from now on */
    REQUEST_BIN_RENAME,  /* bins[0]; name: the new name, "" for its own */
    REQUEST_BIN_COMBINE, /* merge bins[1..] into bins[0] */
    REQUEST_BIN_UNDO,    /* undo the last rename or merge */
    REQUEST_LEAVE,       /* leave the list of processes, back to the previous screen */
    REQUEST_PROCESSES,   /* show the list of processes of a recording */
    /* start_s, end_s: show this time range; name: of the phase, "": none. */
    REQUEST_TIME_RANGE,
    REQUEST_WHATIF,     /* object, type, name: "OBJECT:QUESTION" in the syntax of --what-if */
    REQUEST_WHATIF_END, /* whatif: end this question */
    REQUEST_NOW,        /* show the run up to now again */
    REQUEST_PLAY_PAUSE, /* pause or continue a replay; first of the REQUEST_PLAYs */
    REQUEST_PLAY_STEP,  /* direction; one refresh interval of recorded time */
    REQUEST_PLAY_GO     /* name: a time as typed by the user, "here" or "end" */
};

enum { REQUEST_BINS_MAX = 16 };

struct request {
    enum request_kind kind;
    uint64_t base;
    uint64_t bound;
    uint32_t pid;
    int direction;
    double interval_s;
    double start_s; /* time from the start of the run */
    double end_s;
    uint32_t object; /* id */
    uint32_t type;   /* id; 0: the type with the most samples */
    uint32_t whatif; /* number of the question; WHATIF_MAX: all (snapshot_simulation.h) */
    uint32_t bins[REQUEST_BINS_MAX];
    uint32_t bin_count;
    char name[384];
};

#endif
