/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts the program to watch, held before exec until sampling is set up, and reports how it ended.
 * Used by main only.
 */
#ifndef MISSTOP_LAUNCH_H
#define MISSTOP_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "options.h"
#include "simulation.h"

struct feed;
struct signals_before;

struct launch {
    pid_t pid;  /* 0: nothing launched */
    int gate;   /* closed: the child goes on to exec */
    int report; /* the child's errno if exec failed */
    bool ended;
    int status;      /* as wait(2) says, once ended */
    char output[64]; /* file that took the program's terminal output, "" if none */
};

struct launch_wanted {
    char *const *command;
    /* The screen owns the terminal: what the program would print there goes to launch->output, and
     * it reads /dev/null. */
    bool quiet;
    /* Reports are printed: the program's standard output goes to standard error. */
    bool apart;
    struct feed *feed;                    /* of the agent that the child loads; NULL: none */
    const struct signals_before *signals; /* that the program is started with; NULL: ours */
};

/* Forks a child that waits at the gate. -ENOENT, -EACCES when the command cannot be run. */
int launch_prepare(struct launch *launch, const struct launch_wanted *wanted, struct error *error);

/* Opens the gate; 0 once exec has happened, else what exec said. */
int launch_go(struct launch *launch, const char *name, struct error *error);

/* Looks whether the child has ended, without waiting. */
bool launch_ended(struct launch *launch);

/* How it ended: "with status 3", "by signal 11 (Segmentation fault)"; "" where it runs on, or
 * nothing was launched. */
void launch_how(struct launch *launch, char *out, size_t size);

/* Ends a child still running (SIGTERM; it was ours to start) and frees descriptors. */
void launch_fini(struct launch *launch);

/*
 * CMD as it is to be launched: with the allocation agent where that can be loaded, and under the
 * simulated cache where --sim asks for it. Opened by main before launch_prepare().
 */
struct feed;

struct command {
    char *const *words;           /* the command, NULL-ended */
    struct feed *feed;            /* of the agent; NULL: none */
    struct error heap_note;       /* why there is none */
    struct simulation simulation; /* .memory.shared NULL: none */
};

/* 0, or -errno with cause and remedy where the simulation cannot be had. A program that cannot load
 * the agent is watched without; the Heap screen says why. */
int command_open(struct command *command, const struct options *options, struct error *error);

/* After the program has ended, or is to go on alone. Also of what was never opened, if zeroed. */
void command_close(struct command *command);

#endif
