/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts the program to watch, held before exec until sampling is set up, and tells how it
 * ended. Used by main only.
 */
#ifndef MISSTOP_LAUNCH_H
#define MISSTOP_LAUNCH_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct feed;

struct launch {
    pid_t pid;  /* 0: nothing launched */
    int gate;   /* closed: the child goes on to exec */
    int report; /* the child's errno if exec failed */
    bool ended;
    int status;      /* as wait(2) says, once ended */
    char output[64]; /* file that took the program's terminal output, "" if none */
};

/*
 * Forks a child that waits at the gate. `quiet`: the screen owns the terminal, so what the
 * program would print there goes to launch->output, and it reads /dev/null.
 * With a feed, the child loads the allocation agent, which tells that feed.
 * -ENOENT, -EACCES when the command cannot be run.
 */
int launch_prepare(struct launch *launch, char *const *command, bool quiet, struct feed *feed,
                   struct error *error);

/* Path of the allocation agent; -ENOENT: it is not where it was built or installed. */
int launch_agent(char *path, size_t size, struct error *error);

/* Opens the gate; 0 once exec has happened, else what exec said. */
int launch_go(struct launch *launch, const char *name, struct error *error);

/* Looks whether the child has ended, without waiting. */
bool launch_ended(struct launch *launch);

/* How it ended: "with status 3", "by signal 11 (Segmentation fault)"; "" where it runs on, or
 * nothing was launched. */
void launch_how(struct launch *launch, char *out, size_t size);

/* Ends a child still running (SIGTERM; it was ours to start) and frees descriptors. */
void launch_fini(struct launch *launch);

#endif
