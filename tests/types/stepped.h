/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles, starts and single-steps a program of this folder through its marked code, in tests
 * only. */
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
    char line[512]; /* incomplete line */
    size_t line_length;
    struct known known;
};

/* Starts the program and waits until it is ready. False: it failed, or ptrace is not permitted. */
bool stepped_start(struct stepped *stepped, const char *path);

/* Steps to the next instruction in marked code. Returns false if the program ended. The registers
 * are those before the instruction. */
bool stepped_next(struct stepped *stepped, struct user_regs_struct *regs);

void stepped_end(struct stepped *stepped);

/* Returns the address at which offset 0 of the executable is mapped; 0: not found. */
uint64_t stepped_base(const struct stepped *stepped, const char *path);

#endif
