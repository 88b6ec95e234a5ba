/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of this folder, compiled, started and taken through its marked code one instruction at
 * a time, in tests only. */
#ifndef MISSTOP_TESTS_TYPES_STEPPED_H
#define MISSTOP_TESTS_TYPES_STEPPED_H

#include "known.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct stepped {
    pid_t pid;
    int output;
    char line[512]; /* that is not complete yet */
    size_t line_length;
    struct known known;
};

/* Starts it and waits until it is ready. False: it did not get there, or ptrace is not allowed. */
bool stepped_start(struct stepped *stepped, const char *path);

/* To the next instruction in marked code; false: it ended. The registers are those before it. */
bool stepped_next(struct stepped *stepped, struct user_regs_struct *regs);

void stepped_end(struct stepped *stepped);

/* Where its executable file is mapped from offset 0; 0: not found. */
uint64_t stepped_base(const struct stepped *stepped, const char *path);

#endif
