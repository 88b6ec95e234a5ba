/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The builds of tests/live/test_fields: which program, by which compiler, with which options and
 * what is done to its debugging information afterwards; and which cases of it run. Built into a
 * folder of the test's own.
 */
#ifndef MISSTOP_TESTS_LIVE_TEST_FIELDS_BUILD_H
#define MISSTOP_TESTS_LIVE_TEST_FIELDS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

struct build {
    const char *name;    /* "gcc -O2" */
    const char *source;  /* in tests/types */
    const char *needs;   /* programs that must be installed, with blanks between */
    const char *command; /* for the shell, in a folder of its own: $S/$P to ./program */
    const char *cases;   /* with blanks between */
    const char *brief;   /* ... in the short test; NULL: none */
};

extern const struct build builds[];
extern const size_t build_count;

/* A case that may stay unknown, because the compiler left no trace; and which. */
struct excuse {
    const char *source;
    const char *builds; /* pattern as of fnmatch(3), as the name is */
    const char *name;
    const char *why;
};

/* NULL: it must be right. */
const char *excuse_of(const struct build *build, const char *name);

enum build_state { BUILD_FAILED, BUILD_READY, BUILD_MISSING };

/* *missing names the program that is not installed. */
enum build_state build_make(const struct build *build, char *missing, size_t missing_size);

/* "…/program" of a build that is ready; returns out. */
const char *build_path(const struct build *build, char *out, size_t out_size);

/* The folder, made when first asked for, and removed. NULL: it could not be made. */
const char *builds_folder(void);
void builds_remove(void);

#endif
