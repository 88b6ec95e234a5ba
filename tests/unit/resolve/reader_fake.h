/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readers over a made-up source of answers, which crashes, hangs and eats memory when a question
 * tells it to (by its ask, VARIABLE, and its pc), and what came of them.
 */
#ifndef MISSTOP_UNIT_RESOLVE_READER_FAKE_H
#define MISSTOP_UNIT_RESOLVE_READER_FAKE_H

#include "resolve/dwarf/reader.h"
#include "resolve/elf/module.h"

enum fake_order {
    FAKE_ECHO,  /* answers with the address as the line */
    FAKE_TYPES, /* ... and a type named after it */
    FAKE_LIE,   /* ... under a reference that cannot be */
    FAKE_CRASH,
    FAKE_OVERRUN, /* writes behind its memory, for a sanitizer to see */
    FAKE_EXIT,    /* by exit(), as a library might */
    FAKE_HANG,
    FAKE_SPIN, /* hangs and takes a CPU for it */
    FAKE_SLOW, /* takes 300 ms, in which another process has the CPU */
    FAKE_EAT,  /* address space until there is none: the line says how many MiB there were */
    FAKE_STATE /* the name says what the process is like */
};

struct fake_seen {
    struct dwarf_answer answer; /* its name is `name` */
    char name[256];
    char type[32]; /* the name of its type, as reported last */
    uint32_t serial;
};

enum { FAKE_MODULES = 6, FAKE_SEEN_MAX = 20000 };

struct fake {
    struct readers *readers;
    struct module *modules[FAKE_MODULES]; /* serials 1 .. */
    struct fake_seen *seen;
    size_t seen_count;
    char types[256][32]; /* names by reference */
};

extern struct fake fake;

/* What the source says of every file, set before a question is asked. */
extern struct fake_says {
    bool absent;   /* there is no debugging information by the headers */
    bool unusable; /* ... by what is in it */
    bool crashes;  /* when it is opened */
} fake_says;

extern const struct readers_limits fake_limits; /* patient */

void fake_start(const struct readers_limits *limits);
int fake_end(void **state); /* a teardown */

/* Asks module 0..; false: the queue is full. */
bool fake_ask(size_t module, enum fake_order order, uint64_t address);

/* Runs the readers until this many answers came in all; fails the test after a minute. */
void fake_await(size_t answers);

/* Runs them until no process is left, or one more is. */
void fake_await_processes(uint32_t count);

/* Fails unless the i-th answer is to this question, and is good. */
void fake_expect(size_t i, uint64_t address);
void fake_expect_untyped(size_t i, uint64_t address, enum untyped untyped);

#endif
