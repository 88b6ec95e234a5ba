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
#include "resolve/dwarf/wire.h"

struct module;
struct readers;

struct readers_limits {
    uint32_t processes;       /* at once */
    uint32_t processes_least; /* ... where these take more than `resident_bytes` together */
    uint64_t resident_bytes;  /* 0: no bound */
    uint64_t memory_bytes;    /* address space of each beyond what misstop itself has */
    uint32_t idle_ms;         /* without a question until it ends */
    uint32_t patience_ms;     /* for one answer until it is taken for hung: of a CPU's time, of the
                                 clock's if it sleeps */
};

extern const struct readers_limits readers_usual;

/* Receives the answers. Types come before references to them; a process that takes the place of
 * another begins its references anew. */
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

/* There will be questions: a process may open the file meanwhile, if there is a place for one. */
void readers_expect(struct readers *readers, const struct module *module);

/*
 * Asks. Each question gets one answer in the end, also when the reader died (untyped is then
 * UNTYPED_GAVE_UP); never from inside this call. False: too many wait, ask again later.
 */
bool readers_ask(struct readers *readers, const struct module *module,
                 const struct dwarf_question *question);

/* Takes what has come, starts, watches and ends processes; call often. Number of answers. */
size_t readers_run(struct readers *readers, uint64_t now_ns);

/* Waits until a process has something to say, a millisecond at most. */
void readers_wait(const struct readers *readers);

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

/*
 * One process that reads debugging information, as seen from misstop: started by a fork, asked and
 * heard over a socket that never makes us wait, ended by a kill.
 */

struct worker {
    pid_t pid; /* 0: none runs */
    struct channel channel;
};

/* 0 or a negative errno. */
int worker_start(struct worker *worker, struct module *module, const struct serve_source *source,
                 const struct readers_limits *limits);

/* Kills it and closes its socket. The process is the caller's to wait for: the PID, or 0. */
pid_t worker_end(struct worker *worker);

/* False: out of memory. */
bool worker_ask(struct worker *worker, uint32_t number, const struct dwarf_question *question);

/* Sends what waits, reads what has come. 0, or a negative errno: it has ended. */
int worker_exchange(struct worker *worker);

/* The next message: WIRE_OPENED, WIRE_TYPE, WIRE_ANSWER; WIRE_NOTHING; WIRE_BROKEN. */
enum wire_kind worker_hear(struct worker *worker, struct wire_message *message,
                           struct arena *strings);

/* Time of a CPU that it has used so far. */
uint64_t worker_cpu_ns(const struct worker *worker);

/* It waits for something that is neither a CPU nor a disk. */
bool worker_sleeps(const struct worker *worker);

uint64_t worker_resident_bytes(const struct worker *worker);

/*
 * Split DWARF names files, and libdw opens any of them: from a hostile file a FIFO, which would
 * block us, or a device, which may act when it is opened. And a process that a hostile file has
 * taken over should have nothing to write to. Landlock (Linux 5.13) leaves it files to read, none
 * below /dev, /proc and /sys; without it a reader has the rights of misstop.
 */
/* For good: reads of files of our root are left. False: the kernel cannot. */
bool landlock_confine(void);

#endif
