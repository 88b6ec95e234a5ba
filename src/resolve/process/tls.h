/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The thread-local images of every thread: one block for each module that has one and each
 * thread that has touched it, static ones below the thread control block, those of libraries
 * loaded later wherever the dynamic linker put them. For the files of the resolver.
 */
#ifndef MISSTOP_RESOLVE_PROCESS_TLS_H
#define MISSTOP_RESOLVE_PROCESS_TLS_H

#include <stddef.h>
#include <stdint.h>

#include "resolve/process/space.h"
#include "resolve/process/threads.h"

struct tls_block {
    uint64_t start;
    uint64_t end;
    const struct module *module;
    uint32_t tid;
};

struct tls {
    struct tls_block *blocks; /* ascending by start */
    size_t count;
    size_t room;
};

void tls_fini(struct tls *tls);

/* Looks again, in the modules opened so far. Some system calls a thread: not per sample. */
void tls_refresh(struct tls *tls, struct space *space, const struct tcbs *tcbs);

/* The block around an address; NULL: none. */
const struct tls_block *tls_find(const struct tls *tls, uint64_t address);

#endif
