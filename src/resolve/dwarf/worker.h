/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One process that reads debugging information, as seen from misstop: started by a fork, asked and
 * heard over a socket that never makes us wait, ended by a kill.
 */
#ifndef MISSTOP_RESOLVE_DWARF_WORKER_H
#define MISSTOP_RESOLVE_DWARF_WORKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "resolve/dwarf/reader.h"
#include "resolve/dwarf/wire.h"

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
