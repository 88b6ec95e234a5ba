/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The views of a snapshot: batch text, JSON, and the screen. All print the same snapshot and share
 * one table of columns (columns.h). A view keeps a snapshot only as long as it shows it, and asks
 * for anything else through requests. Single-threaded.
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
    enum view_color color; /* the view evaluates NO_COLOR */
    bool ascii;            /* no Unicode bars */
    bool full;      /* batch: all tables; otherwise only the answer, the findings and the objects */
    unsigned width; /* batch: columns of text; 0: 100, or the terminal's width */
};

/* For batch: prints one refresh. Returns 0 or a negative errno (EPIPE: the pipe was closed). */
int text_print(FILE *out, const struct snapshot *snapshot, const struct view_options *options);

/* Prints one JSON object on one line and flushes. Returns as text_print(). */
int json_print(FILE *out, const struct snapshot *snapshot);

/* ---- the screen (curses) ---- */
struct display;

/* Data for screens that is not in a snapshot; each function can be NULL. */
struct view_sources {
    void *context;
    /* Formats the instruction at ip; false: not known. */
    bool (*instruction)(void *context, uint64_t ip, char *out, size_t size);
    /* Reads a line of a source file, printable; false: cannot be read. */
    bool (*source)(void *context, const char *file, uint32_t line, char *out, size_t out_size);
    /* Returns where the file was read from or searched for; NULL: not known. */
    const char *(*source_note)(void *context, const char *file);
};

/* Takes over the terminal. Returns -ENOTTY without a terminal, -EINVAL if TERM is unknown. On
 * failure the terminal is unchanged. */
int display_open(struct display **display, const struct view_options *options,
                 const struct view_sources *sources, struct error *error);

void display_close(struct display *display);

/* Only restores the terminal: async-signal-safe, for fatal signals (SIGSEGV, SIGABRT, ...). Can be
 * called when no screen is open. */
void display_emergency_restore(void);

/* Shows a new snapshot. The screen keeps it until it has a newer one (or thaws), then frees it with
 * `release`. Draws. */
void display_show(struct display *display, const struct snapshot *snapshot,
                  void (*release)(const struct snapshot *));

/* Reads all pending input (after descriptor 0 was readable, or SIGWINCH arrived), handles it and
 * draws. Call until it returns REQUEST_NONE. */
struct request display_input(struct display *display);

/* Shows a message in the status line for a few seconds. */
void display_message(struct display *display, const char *text);

/* Ctrl-Z: suspend restores the terminal, resume takes it over again after SIGCONT. */
void display_suspend(struct display *display);
void display_resume(struct display *display);

/* Returns the displayed snapshot (frozen or not), for `W`; NULL before the first. */
const struct snapshot *display_snapshot(const struct display *display);

/* The position of a replay. */
struct view_play {
    double position_s;
    double length_s; /* NAN: not known */
    double goal_s;   /* it is read up to this position; INFINITY: the end; NAN: not seeking */
    double pace;     /* speed, 1: real time; INFINITY: as fast as possible */
    bool paused;
    bool ended; /* at the end of the recording */
};
/* Shows the position, at once. */
void display_play(struct display *display, const struct view_play *play);

/* ---- process list, when misstop is started without a target ---- */
struct picker_row {
    uint64_t samples; /* only for a recording, like `share` and `span_s` */
    double share;
    double span_s; /* time from its first to its last sample; NAN: no timestamps */
    uint32_t pid;
    uint32_t threads;
    double cpu_percent; /* NAN: not known yet */
    uint64_t resident_bytes;
    char state;
    const char *user;
    const char *command;
};

/* Shows a list of processes; display_input() then returns REQUEST_PICK, _QUIT or _NONE. */
void picker_show(struct display *display, const struct picker_row *rows, size_t count,
                 bool recorded);
/* Ends the list; a snapshot follows, of another process if one was picked. */
void picker_end(struct display *display, bool picked);

#endif
