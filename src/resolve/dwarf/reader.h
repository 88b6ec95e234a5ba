/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads debug information in the background. Each file is read by its own forked process, which may
 * crash, hang or exhaust memory on hostile or huge DWARF without harm: it is limited (RLIMIT_AS),
 * supervised and killed, and after repeated deaths its file is given up. Idle processes end and
 * free their memory. Single-threaded.
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
    uint32_t processes;      /* at the same time */
    uint32_t processes_min;  /* ... if they use more than `resident_bytes` together */
    uint64_t resident_bytes; /* 0: no bound */
    uint64_t memory_bytes;   /* address space of each process, besides that of misstop */
    uint32_t idle_ms;        /* without a question, before it ends */
    uint32_t patience_ms;    /* for one answer: CPU time, or clock time if it sleeps */
};

extern const struct readers_limits readers_usual;

/* Receives the answers. Types come before references to them; a process that replaces another
 * starts new references. */
struct readers_take {
    void *context;
    void (*type)(void *context, uint32_t module_serial, const struct dwarf_type *type);
    void (*answer)(void *context, uint32_t module_serial, const struct dwarf_answer *answer);
};

/* Returns NULL if out of memory. */
struct readers *readers_new(const struct readers_limits *limits, const struct readers_take *take);
void readers_free(struct readers *readers);

/* Returns true if a file is known to have no debug information, so that questions are useless. */
bool readers_without(const struct readers *readers, const struct module *module);

/* Announces questions: a process may open the file in advance if a place is free. */
void readers_expect(struct readers *readers, const struct module *module);

/* Asks a question. It gets exactly one answer, also if the reader dies (UNTYPED_GAVE_UP), but never
 * from inside this call. Returns false if too many are pending; ask again later. */
bool readers_ask(struct readers *readers, const struct module *module,
                 const struct dwarf_question *question);

/* Receives answers; starts, supervises and ends processes. Call often. Returns the answer count. */
size_t readers_run(struct readers *readers, uint64_t now_ns);

/* Waits until a process has sent something, for at most a millisecond. */
void readers_wait(const struct readers *readers);

/* Drops all questions without answers: the modules are gone (exec). */
void readers_forget(struct readers *readers);

struct readers_status {
    uint32_t pending_requests;
    uint32_t processes;
    uint32_t given_up;       /* files */
    uint64_t resident_bytes; /* of the processes, measured periodically */
    const char *slow_file;   /* file that has kept misstop waiting for over a second */
};
struct readers_status readers_status(const struct readers *readers);

/* The process that reads one file's debug information: it opens the file, answers questions from a
 * socket one after the other, and exits when the socket closes. */

/* Opening a file may take this multiple of the patience for one answer. */
enum { READERS_OPENING_PATIENCE = 4 };

/* Source of the answers: struct program, or a test's replacement. */
struct serve_source {
    bool (*present)(struct module *module); /* a cheap check, in misstop itself */
    void *(*open)(struct module *module);   /* NULL: no debug information */
    void (*answer)(void *opened, const struct dwarf_question *question,
                   struct dwarf_answer *answer);
    const struct dwarf_type *(*next_type)(void *opened);
};

extern const struct serve_source serve_program;

/* Runs the forked process; `parent` is the process that forked it. */
_Noreturn void worker_serve(int fd, pid_t parent, struct module *module,
                            const struct serve_source *source, const struct readers_limits *limits);

/* Makes readers with another source of answers than debug information, for tests of reader.c. */
struct readers *readers_new_from(const struct readers_limits *limits,
                                 const struct readers_take *take,
                                 const struct serve_source *source);

/* A process that reads debug information, as seen from misstop: started by fork, used over a
 * non-blocking socket, ended by SIGKILL. */

struct worker {
    pid_t pid; /* 0: not running */
    struct channel channel;
};

/* Starts the process. 0 or a negative errno. */
int worker_start(struct worker *worker, struct module *module, const struct serve_source *source,
                 const struct readers_limits *limits);

/* Kills the process and closes its socket. Returns the PID that the caller must wait for, or 0. */
pid_t worker_end(struct worker *worker);

/* Queues a question. Returns false if out of memory. */
bool worker_send(struct worker *worker, uint32_t number, const struct dwarf_question *question);

/* Sends pending bytes, reads available ones. 0, or a negative errno if the process has ended. */
int worker_exchange(struct worker *worker);

/* Returns the next message: WIRE_OPENED, WIRE_TYPE, WIRE_ANSWER; WIRE_NOTHING; WIRE_BROKEN. */
enum wire_kind worker_receive(struct worker *worker, struct wire_message *message,
                              struct arena *strings);

uint64_t worker_cpu_ns(const struct worker *worker);

/* Returns true if the process waits for something other than a CPU or a disk. */
bool worker_sleeps(const struct worker *worker);

uint64_t worker_resident_bytes(const struct worker *worker);

/*
 * Split DWARF names further files, and libdw opens any of them. A hostile file could name a FIFO,
 * which would block, or a device, which may act when opened. A process taken over by a hostile file
 * must not be able to write anything either. Landlock (Linux 5.13) permits only reading files, and
 * none below /dev, /proc and /sys. Without Landlock a reader has the rights of misstop.
 */

/* Permanently confines the process to reading files of its root. Returns false if the kernel does
 * not support it. */
bool landlock_confine(void);

#endif
