/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts `walked` and walks its heap like misstop, for tests and the benchmark. */
#ifndef MISSTOP_TESTS_FOLLOW_H
#define MISSTOP_TESTS_FOLLOW_H

#include "resolve/process/maps.h"
#include "resolve/heap/walk.h"
#include "walked.h"

#include <stdbool.h>
#include <sys/types.h>

struct follow {
    pid_t pid;
    struct walked *shared;
    struct maps maps;
    struct walk *walk; /* NULL after follow_start(); created by follow_attach() */
};

/* Gets the path of a program in tests/walk of the build that contains this program. */
void follow_path(char out[4096], const char *name);

/* Starts a program with walked's arguments. Waits until `ready` threads are idle or, if `ready` is
 * 0, until the program is working. preload may be NULL. */
bool follow_start(struct follow *follow, const char *program, const char *mode, unsigned threads,
                  uint64_t operations, unsigned ready, const char *preload);

/* Creates the walk. Returns false if memory runs out or the process is gone. */
bool follow_attach(struct follow *follow);

/* Gives the walk the current mappings. */
bool follow_update(struct follow *follow);

void follow_end(struct follow *follow);

#endif
