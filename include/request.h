/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * view -> loop: what the user asked for that a view cannot do by itself on the
 * snapshot it holds. Freeze, sort, filter, find and drill-in are the view's own.
 */
#ifndef MISSTOP_REQUEST_H
#define MISSTOP_REQUEST_H

#include <stdint.h>

enum request_kind {
    REQUEST_NONE,
    REQUEST_QUIT,
    REQUEST_REFRESH,     /* a snapshot now */
    REQUEST_ALL_OBJECTS, /* list those of small shares too, or no more */
    REQUEST_BASIS,       /* window (decayed) or whole run: the other one */
    REQUEST_COUNTING,    /* sampling stops, or goes on */
    REQUEST_ZERO,        /* forget everything counted so far */
    REQUEST_FASTER,      /* shorter refresh interval */
    REQUEST_SLOWER,
    REQUEST_NEXT_EVENT, /* another event ranks */
    REQUEST_SEARCH_ALL,
    REQUEST_SEARCH_RANGE, /* base, bound; name for the title */
    REQUEST_SEARCH_STOP,
    REQUEST_SEARCH_BACK, /* to the search that another took the place of */
    REQUEST_INTERVAL,    /* interval_s: the refresh interval */
    REQUEST_WRITE,       /* name: write the snapshot shown to NAME.txt and NAME.json */
    REQUEST_SUSPEND,     /* Ctrl-Z */
    REQUEST_PICK,        /* pid: watch this process */
    REQUEST_HEAP_MARK,   /* growth counts from now */
    REQUEST_BIN_RENAME,  /* bins[0]; name: the new one, "" for its own */
    REQUEST_BIN_COMBINE, /* bins[1..] go into bins[0] */
    REQUEST_BIN_UNDO,    /* the last naming or combining is taken back */
    REQUEST_LEAVE,       /* the list of processes, for the picture before */
    REQUEST_PROCESSES,   /* the list of processes of a recording */
    REQUEST_TIME_RANGE,  /* start_s, end_s; name: of the phase, "" none: that one is shown */
    REQUEST_WHATIF,      /* object, type, name: "OBJECT:QUESTION" as --what-if has it */
    REQUEST_WHATIF_END,  /* whatif: that question is dropped */
    REQUEST_NOW,         /* the run up to now is shown again */
    REQUEST_PLAY_PAUSE,  /* pause or continue a replay; first of the REQUEST_PLAYs */
    REQUEST_PLAY_STEP,   /* direction; a refresh interval of recorded time */
    REQUEST_PLAY_GO      /* name: a time as the user writes it, "here" or "end" */
};

enum { REQUEST_BINS_MAX = 16 };

struct request {
    enum request_kind kind;
    uint64_t base;
    uint64_t bound;
    uint32_t pid;
    int direction;
    double interval_s;
    double start_s; /* from the start of the run */
    double end_s;
    uint32_t object; /* id */
    uint32_t type;   /* id; 0: the one with most samples */
    uint32_t whatif; /* number of the question; WHATIF_MAX: all (snapshot_simulation.h) */
    uint32_t bins[REQUEST_BINS_MAX];
    uint32_t bin_count;
    char name[384];
};

#endif
