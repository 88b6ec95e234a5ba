/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts the program to watch, held before exec until sampling is set up, and reports how it ended;
 * with --sim under misstop's Valgrind tool (simulation.c). Used by main only.
 */
#ifndef MISSTOP_LAUNCH_H
#define MISSTOP_LAUNCH_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "options.h"
#include "sample/simulated/sim_memory.h"

/*
 * --sim: which caches are simulated, the tool found, and the command put together that launches it.
 */
struct simulation {
    struct sim_memory memory;
    char **command; /* the command; NULL-ended */
    char memory_option[64];
    char first_level[64]; /* as -C takes it: the cache shown on Sets */
};

/* `spec`: levels as of -C, and the word "causes", joined by ':'. Without levels, or NULL: this
 * machine's. -EINVAL. */
int simulation_levels(const char *spec, struct sim_wanted *wanted, struct error *error);

/*
 * `agent`: path of the allocation agent that the program will load; NULL: none. Sets VALGRIND_LIB.
 * -ENOTSUP: built without it; -ENOENT: valgrind or the command is not there. The remedy is
 * reported.
 */
int simulation_open(struct simulation *simulation, const struct options *options, const char *agent,
                    struct error *error);
void simulation_close(struct simulation *simulation);

/* For `misstop doctor`: whether it is here, and what would enable it. */
void simulation_doctor(FILE *out);

/* One line on how the simulation went wrong; "": it did not. */
void simulation_trouble(const struct simulation *simulation, char *out, size_t size);

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

/* A file of misstop's own: in the folder that it was built in, else where it was installed.
 * -ENOENT. */
int launch_find(char *path, size_t size, const char *built, const char *installed,
                struct error *error);

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
