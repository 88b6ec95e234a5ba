/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared code of the programs with a planted hot field. `m_fields CASE SECONDS` fills the data of a
 * case, prints which field will be hot, from the compiler's offsetof and sizeof, and then misses on
 * it until the time is over. Read by tests/live/test_fields.c; C and C++.
 */
#ifndef MISSTOP_TESTS_TYPES_M_RUN_H
#define MISSTOP_TESTS_TYPES_M_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined __clang__ && !defined __cplusplus
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noinline, used))
#endif

/* "expect NAME OFFSET SIZE": a pattern as of fnmatch(3), except that brackets are literal. Printed
 * several times if several names are correct. */
#define EXPECT_AT(name, offset, size)                                                              \
    printf("expect %s %llu %llu\n", name, (unsigned long long)(offset), (unsigned long long)(size))
#define EXPECT(type, tag, path)                                                                    \
    EXPECT_AT(tag "." #path, offsetof(type, path), sizeof(((type *)0)->path))

/* The last loaded value. Each address depends on it, so that the loop waits for every load. */
uint64_t carried = 1;

static inline uint64_t next_random(uint64_t state)
{
    return state * 6364136223846793005u + 1442695040888963407u;
}

/* From here on only the planted field is accessed; the signal ends the program. */
static inline void run_ready(const char *seconds)
{
    printf("ready 1\n");
    fflush(stdout);
    alarm((unsigned)atoi(seconds));
}

#endif
