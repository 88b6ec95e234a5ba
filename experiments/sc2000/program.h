/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The seven programs of Buck and Hollingsworth's experiment (from SPEC95, rebuilt with the same
 * data structures, sizes and orders of access, but other code), and the reporting of their
 * accesses.
 *
 * With TRACED, each access to a named object is reported to sc2000.c, which passes it to the
 * simulated cache. Without it, the macros are plain accesses, and alone.c makes a separate program
 * (to run under misstop --sim, cachegrind or perf). Both make the same accesses to the same
 * objects.
 */
#ifndef MISSTOP_TESTS_SC2000_PROGRAM_H
#define MISSTOP_TESTS_SC2000_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OBJECTS_MAX = 24 };

struct sc_object {
    const char *name;
    const void *base;
    size_t bytes;
};

struct sc_program {
    const char *name;
    void (*prepare)(void);      /* initialises the data; the paper measures only the run */
    void (*run)(uint32_t part); /* one time step, sweep or file; called with 0, 1, 2, ... */
    uint32_t parts;             /* of a whole run */
    const struct sc_object *objects;
    uint32_t object_count;
};

extern const struct sc_program tomcatv, swim, su2cor, mgrid, applu, compress, ijpeg;

#ifdef TRACED
void sc_touch(const void *address, uint32_t bytes, bool store);
void sc_work(uint32_t cycles);
#define READ(x) (sc_touch(&(x), sizeof(x), false), (x))
#define WRITE(x, value)                                                                            \
    do {                                                                                           \
        __typeof__(x) written = (value);                                                           \
        sc_touch(&(x), sizeof(x), true);                                                           \
        (x) = written;                                                                             \
    } while (0)
/* Cycles of a simple RISC in addition to the accesses: arithmetic and branches. */
#define WORK(cycles) sc_work(cycles)
#else
#define READ(x)         (x)
#define WRITE(x, value) ((x) = (value))
#define WORK(cycles)    ((void)0)
#endif

#define OBJECT(array)                                                                              \
    {                                                                                              \
#array, array, sizeof(array)                                                               \
    }
#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

#endif
