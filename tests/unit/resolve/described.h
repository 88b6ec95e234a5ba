/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of tests/types compiled and run while testing: what each prints of its own types and
 * variables (tests/types/d_say.h) is held against what its debug information is read as.
 */
#ifndef MISSTOP_UNIT_RESOLVE_DESCRIBED_H
#define MISSTOP_UNIT_RESOLVE_DESCRIBED_H

#include <stdbool.h>
#include <stddef.h>

#include "resolve/dwarf/program.h"

struct described {
    struct module *module;
    struct program *program;
    char label[256]; /* compiler and flags, for what is printed */
    char path[256];
    unsigned held; /* statements of the program that hold */
    unsigned wrong;
};

/* Compiles tests/types/SOURCE and opens it; false: it cannot be compiled here. */
bool described_open(struct described *described, const char *compiler, const char *flags,
                    const char *source);
void described_close(struct described *described);

/* Run-time address of a symbol of it, from nm. */
uint64_t described_symbol(const struct described *described, const char *name);

/* Runs it and holds every line it prints against the description; tells what does not agree. */
void described_check(struct described *described);

/* The two together, for the count of flags given, each a line of its own. Fails the test where
 * anything is wrong, or fewer than `least` statements were made; skips it without a compiler. */
void described_matrix(const char *const compilers[], const char *const flags[], const char *source,
                      unsigned least);

#endif
