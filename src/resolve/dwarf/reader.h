/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debugging information, read in the background: for each file that is asked about a process of
 * our own, forked from this one, which may crash, hang or eat memory over hostile or huge DWARF
 * without harm: it is limited (RLIMIT_AS), watched, killed, and its file then given up. Idle ones
 * end and give their memory back. Questions and answers go over socket pairs; nothing here waits.
 * Owned by the resolver. One thread only.
 */
#ifndef MISSTOP_RESOLVE_DWARF_READER_H
#define MISSTOP_RESOLVE_DWARF_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "resolve/dwarf/question.h"

struct module;
struct readers;

struct readers_limits {
    uint32_t processes;    /* at once */
    uint64_t memory_bytes; /* address space of each beyond what misstop itself has */
    uint32_t idle_ms;      /* without a question until it ends */
    uint32_t patience_ms;  /* for one answer until it is taken for hung: of a CPU's time, of the
                              clock's if it sleeps */
};

extern const struct readers_limits readers_usual;

/* Receives the answers. Types come before references to them. */
struct readers_take {
    void *context;
    void (*type)(void *context, uint32_t module_serial, const struct dwarf_type *type);
    void (*answer)(void *context, uint32_t module_serial, const struct dwarf_answer *answer);
};

/* NULL: out of memory. */
struct readers *readers_new(const struct readers_limits *limits, const struct readers_take *take);
void readers_free(struct readers *readers);

/* Whether a file is already known to have no debugging information: why ask? */
bool readers_without(const struct readers *readers, const struct module *module);

/*
 * Asks. Each question gets one answer in the end, also when the reader died (untyped is then
 * UNTYPED_GAVE_UP); never from inside this call. False: too many wait, ask again later.
 */
bool readers_ask(struct readers *readers, const struct module *module,
                 const struct dwarf_question *question);

/* Takes what has come, starts, watches and ends processes; call often. Number of answers. */
size_t readers_run(struct readers *readers, uint64_t now_ns);

/* The modules are gone (exec): questions of theirs are dropped without answers. */
void readers_forget(struct readers *readers);

struct readers_status {
    uint32_t waiting; /* questions without an answer */
    uint32_t processes;
    uint32_t given_up;       /* files */
    uint64_t resident_bytes; /* of the processes, measured at times */
    const char *busy_with;   /* name of a file that keeps us waiting for over a second; NULL */
};
struct readers_status readers_status(const struct readers *readers);

/*
 * The process that reads one file's debug information: opens it, answers questions from a socket,
 * one after the other, and ends with it.
 */
/* Opening may take this many times the patience that one answer gets. */
enum { READERS_OPENING_PATIENCE = 4 };

/* Source of the answers: struct program, or a test's own. */
struct serve_source {
    bool (*present)(struct module *module); /* cheap, in misstop itself: is there anything? */
    void *(*open)(struct module *module);   /* NULL: no debug information */
    void (*answer)(void *opened, const struct dwarf_question *question,
                   struct dwarf_answer *answer);
    const struct dwarf_type *(*next_type)(void *opened);
};

extern const struct serve_source serve_program;

/* Called in the forked process; `parent` is who forked it. */
_Noreturn void serve(int fd, pid_t parent, struct module *module, const struct serve_source *source,
                     const struct readers_limits *limits);

/* Readers with another source of answers than debugging information: for tests of reader.c. */
struct readers *readers_new_from(const struct readers_limits *limits,
                                 const struct readers_take *take,
                                 const struct serve_source *source);

#endif
