/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compiles and runs programs of tests/types. Compares each program's own statements about its types
 * and variables (tests/types/d_print.h) with its debug information as read by misstop.
 */
#ifndef MISSTOP_UNIT_RESOLVE_DESCRIBED_H
#define MISSTOP_UNIT_RESOLVE_DESCRIBED_H

#include <stdbool.h>
#include <stddef.h>

#include "resolve/dwarf/program.h"

struct described {
    struct module *module;
    struct program *program;
    char label[256]; /* compiler and flags, for messages */
    char path[256];
    unsigned held; /* number of confirmed statements */
    unsigned wrong;
};

/* Compiles tests/types/SOURCE and opens it. Returns false if it cannot be compiled here. */
bool described_open(struct described *described, const char *compiler, const char *flags,
                    const char *source);
void described_close(struct described *described);

/* Returns the run-time address of a symbol, from nm. */
uint64_t described_symbol(const struct described *described, const char *name);

/* Runs the program, checks every line that it prints, and reports differences. */
void described_check(struct described *described);

/* Runs described_open() and described_check() for every compiler and flags, and prints a line with
 * the count for each. Fails the test if anything is wrong, or fewer than `least` statements were
 * made; skips it without a compiler. */
void described_matrix(const char *const compilers[], const char *const flags[], const char *source,
                      unsigned least);

#endif
