/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts `walked`, and walks it as misstop would. For tests and bench. */
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
    struct walk *walk; /* NULL after follow_start(): made by follow_attach() */
};

/* Path of a program in the folder tests/walk of the build that this program is in. */
void follow_path(char out[4096], const char *name);

/* Starts a program with walked's arguments; waits until `ready` threads stand still, or, where
 * that is 0, until it is at work. preload may be NULL. */
bool follow_start(struct follow *follow, const char *program, const char *mode, unsigned threads,
                  uint64_t operations, unsigned ready, const char *preload);

/* A walk of it; false: no memory, or the process is gone. */
bool follow_attach(struct follow *follow);

/* Tells the walk the mappings as they are now. */
bool follow_update(struct follow *follow);

void follow_end(struct follow *follow);

#endif
