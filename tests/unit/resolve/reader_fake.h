/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Readers with a fake source of answers, which crashes, hangs or exhausts memory if a question
 * requests it (by its ask, VARIABLE, and its pc). Records the results.
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
    FAKE_OVERRUN, /* writes past the end of its memory, for a sanitizer to detect */
    FAKE_EXIT,    /* by exit(), as a library might */
    FAKE_HANG,
    FAKE_SPIN, /* hangs and uses CPU time */
    FAKE_SLOW, /* takes 300 ms, while another process uses the CPU */
    FAKE_EAT,  /* allocates address space until none is left; the line is the number of MiB */
    FAKE_STATE /* the name describes the state of the process */
};

struct fake_seen {
    struct dwarf_answer answer; /* its name is in `name` */
    char name[256];
    char type[32]; /* the name of its type, as reported last */
    uint32_t serial;
};

enum { FAKE_MODULES = 6, FAKE_SEEN_MAX = 20000 };

struct fake {
    struct readers *readers;
    struct module *modules[FAKE_MODULES]; /* serials from 1 */
    struct fake_seen *seen;
    size_t seen_count;
    char types[256][32]; /* names by reference */
};

extern struct fake fake;

/* Properties that the source reports for every file; set before a question is asked. */
extern struct fake_behaviour {
    bool absent;   /* no debug information, according to the headers */
    bool unusable; /* ... according to the contents */
    bool crashes;  /* crashes when opened */
} fake_behaviour;

extern const struct readers_limits fake_limits; /* patient */

void fake_start(const struct readers_limits *limits);
int fake_end(void **state); /* teardown function */

/* Asks a module, by index. Returns false if the queue is full. */
bool fake_ask(size_t module, enum fake_order order, uint64_t address);

/* Runs the readers until this many answers arrived in total; fails the test after five minutes. */
void fake_await(size_t answers);

/* Runs the readers until exactly `count` processes are left; fails the test after five minutes. */
void fake_await_processes(uint32_t count);

/* Fails unless the i-th answer is for this question and is valid. */
void fake_expect(size_t i, uint64_t address);
void fake_expect_untyped(size_t i, uint64_t address, enum untyped untyped);

#endif
