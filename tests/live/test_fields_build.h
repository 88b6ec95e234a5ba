/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The builds of tests/live/test_fields: the program, the compiler, the options, later changes of
 * the debugging information, and the cases to run. Built in a temporary folder of the test. */
#ifndef MISSTOP_TESTS_LIVE_TEST_FIELDS_BUILD_H
#define MISSTOP_TESTS_LIVE_TEST_FIELDS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

struct build {
    const char *name;    /* "gcc -O2" */
    const char *source;  /* in tests/types */
    const char *needs;   /* programs that must be installed, separated by blanks */
    const char *command; /* for the shell, in its own folder: $S/$P to ./program */
    const char *cases;   /* separated by blanks */
    const char *brief;   /* ... in the short test; NULL: none */
};

extern const struct build builds[];
extern const size_t build_count;

/*
 * A case that may stay unknown because the compiler left no trace, and the trace that is missing.
 */
struct excuse {
    const char *source;
    const char *builds; /* pattern of fnmatch(3), like the name */
    const char *name;
    const char *why;
};

/* Returns the excuse, or NULL if the case must be right. */
const char *excuse_of(const struct build *build, const char *name);

enum build_state { BUILD_FAILED, BUILD_READY, BUILD_MISSING };

/* Builds it. `missing` gets the name of a program that is not installed. */
enum build_state build_make(const struct build *build, char *missing, size_t missing_size);

/* Returns "…/program" of a finished build, in out. */
const char *build_path(const struct build *build, char *out, size_t out_size);

/*
 * Returns the folder, created on first use and removed at the end. NULL: it could not be created.
 */
const char *builds_folder(void);
void builds_remove(void);

#endif
