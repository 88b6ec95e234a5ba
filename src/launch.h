/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the program to watch, held before exec until sampling is set up, and reports how it ended.
 * With --sim it runs under misstop's Valgrind tool (simulation.c). Used by main only. */
#ifndef MISSTOP_LAUNCH_H
#define MISSTOP_LAUNCH_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "options.h"
#include "sample/simulated/sim_memory.h"

/* --sim: the simulated caches, the tool, and the command that launches it. */
struct simulation {
    struct sim_memory memory;
    char **command; /* the command, NULL-terminated */
    char memory_option[64];
    char first_level[64]; /* the cache shown on Sets, in -C syntax */
};

/* Parses `spec`: levels in -C syntax and the word "causes", joined by ':'. Without levels, or if
 * NULL: this machine's caches. Returns 0 or -EINVAL. */
int simulation_levels(const char *spec, struct sim_settings *settings, struct error *error);

/* `agent`: allocation agent that the program will load; NULL: none. Returns -ENOTSUP if built
 * without it, -ENOENT if valgrind or the command is missing; the error text has the remedy. */
int simulation_open(struct simulation *simulation, const struct options *options, const char *agent,
                    struct error *error);
void simulation_close(struct simulation *simulation);

/* For `misstop doctor`: prints whether the simulation is available, and how to enable it. */
void simulation_doctor(FILE *out);

/* Formats one line about a failure of the simulation; "" if there was none. */
void simulation_trouble(const struct simulation *simulation, char *out, size_t size);

struct feed;
struct signal_dispositions;

struct launch {
    pid_t pid;         /* 0: nothing launched */
    int gate;          /* a write lets the child proceed to exec */
    int exec_error_fd; /* the child's errno if exec failed */
    bool ended;
    int status;      /* status from wait(2), once ended */
    char output[64]; /* file with the program's terminal output; "": none */
};

/* Finds a file of misstop in the build directory, otherwise where installed. 0 or -ENOENT. */
int launch_find(char *path, size_t size, const char *built, const char *installed,
                struct error *error);

struct launch_options {
    char *const *command;
    /* The program's terminal output goes to launch->output, and it reads /dev/null. */
    bool is_redirected;
    /* Reports are printed: the program's standard output goes to standard error. */
    bool stdout_to_stderr;
    struct feed *feed; /* feed of the agent that the child loads; NULL: none */
    /* Signal dispositions for the program; NULL: misstop's own. */
    const struct signal_dispositions *signals;
};

/* Forks a child that waits at the gate. -ENOENT: no agent; or another negative errno. */
int launch_prepare(struct launch *launch, const struct launch_options *options,
                   struct error *error);

/* Opens the gate. Returns 0 after the exec, otherwise the error of exec. */
int launch_exec(struct launch *launch, const char *name, struct error *error);

/* Returns true if the child has ended, without waiting. */
bool launch_ended(struct launch *launch);

/* Describes how it ended: "with status 3", "by signal 11 (Segmentation fault)"; "" if it is still
 * running, or nothing was launched. */
void launch_end_text(struct launch *launch, char *out, size_t size);

/* Terminates a child that is still running (SIGTERM) and closes the descriptors. */
void launch_fini(struct launch *launch);

/* CMD as it is launched: with the allocation agent if that can be loaded, and under the simulated
 * cache with --sim. Opened by main before launch_prepare(). */
struct feed;

struct command {
    char *const *argv;            /* the command, NULL-terminated */
    struct feed *feed;            /* feed of the agent; NULL: none */
    struct error heap_note;       /* why there is no agent */
    struct simulation simulation; /* .memory.shared NULL: none */
};

/* Returns 0, or a negative errno with cause and remedy if the simulation is not available. A
 * program that cannot load the agent is watched without it; the Heap screen shows why. */
int command_open(struct command *command, const struct options *options, struct error *error);

/* Call after the program's end, or if it is to continue alone. Allowed for a zeroed struct. */
void command_close(struct command *command);

#endif
