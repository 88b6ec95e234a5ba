/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ways to look at a snapshot: batch text, JSON, and the screen. All print the same
 * snapshot and share one table of columns (columns.h). A view holds the snapshots it is
 * given only as long as it shows them, and asks by requests. One thread only.
 */
#ifndef MISSTOP_VIEW_VIEW_H
#define MISSTOP_VIEW_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "request.h"
#include "snapshot.h"

enum view_color { VIEW_COLOR_AUTO, VIEW_COLOR_ALWAYS, VIEW_COLOR_NEVER };

struct view_options {
    enum view_color color; /* NO_COLOR is looked at here */
    bool ascii;            /* no Unicode bars */
    bool full;             /* batch: all tables; else the answer, the findings, the objects */
    unsigned width;        /* batch: columns of text; 0: 100, or the terminal's */
};

/* Batch: tables for one refresh. 0, or a negative errno (EPIPE when the reader left). */
int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options);

/* One JSON object on one line, flushed. As above. */
int json_print(FILE *out, const struct snapshot *snapshot);

/* ---- the screen (curses) ---- */
struct display;

/* For screens that show what a snapshot cannot hold; each may be NULL. */
struct view_sources {
    void *context;
    /* instruction at ip as text; false: not known */
    bool (*instruction)(void *context, uint64_t ip, char *out, size_t size);
    /* a line of a source file, printable; false: cannot be read */
    bool (*source)(void *context, const char *file, uint32_t line, char *out, size_t out_size);
    /* where the file was read from, or was looked for; NULL: not known */
    const char *(*source_note)(void *context, const char *file);
};

/*
 * Takes the terminal. -ENOTTY without one, -EINVAL with an unknown TERM; the terminal is
 * left as it was on failure.
 */
int display_open(struct display **display, const struct view_options *options,
                 const struct view_sources *sources, struct error *error);

/* Gives the terminal back. */
void display_close(struct display *display);

/*
 * Terminal back to how it was, nothing else: async-signal-safe, for fatal signals
 * (SIGSEGV, SIGABRT, ...). Safe to call when no screen is open.
 */
void display_emergency_restore(void);

/*
 * A new snapshot. The screen keeps it until it has a newer one (or thaws), then frees it
 * through the function given. Draws.
 */
void display_show(struct display *display, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *));

/*
 * Reads all waiting input (descriptor 0 was readable, or SIGWINCH came), acts on it, draws.
 * Call until it returns REQUEST_NONE.
 */
struct request display_input(struct display *display);

/* A message in the status line for a few seconds. */
void display_message(struct display *display, const char *text);

/* Ctrl-Z: gives the terminal back and takes it again after SIGCONT. */
void display_suspend(struct display *display);
void display_resume(struct display *display);

/* The snapshot now shown (frozen or not), for `W`; NULL before the first. */
const struct snapshot *display_snapshot(const struct display *display);

/* The position of a replay. Draws. */
struct view_play {
    double position_s;
    double length_s; /* NAN: not known */
    double goal_s;   /* being read up to there; INFINITY: the end; NAN: not */
    double pace;     /* 1; INFINITY: as fast as possible */
    bool paused;
    bool ended; /* at the end of the recording */
};
void display_play(struct display *display, const struct view_play *play);

/* ---- process list, when misstop is started without a target ---- */
struct picker_row {
    uint64_t samples; /* this and the next two: of a recording */
    double share;
    double span_s; /* from its first to its last sample; NAN: without times */
    uint32_t pid;
    uint32_t threads;
    double cpu_percent; /* NAN: not known yet */
    uint64_t resident_bytes;
    char state;
    const char *user;
    const char *command;
};

/* Shows the rows, of a recording or of this machine; display_input() then gives REQUEST_PICK, _QUIT
 * or _NONE. */
void picker_show(struct display *display, const struct picker_row *rows, size_t count,
                 bool recorded);
/* The rows are not needed any more; a picture follows, of another process if one was picked. */
void picker_end(struct display *display, bool picked);

#endif
