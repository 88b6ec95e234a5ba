/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the threads of the process are called: as the records say, and in a live process, where they
 * said nothing yet, as /proc does. Private to src/resolve; a part of the resolver.
 */
#ifndef MISSTOP_RESOLVE_THREAD_NAMES_H
#define MISSTOP_RESOLVE_THREAD_NAMES_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    THREAD_NAMES_MAX = 1 << 14,
    THREAD_NAME_MAX = 32 /* TASK_COMM_LEN is 16; more where bytes had to be written out */
};

struct thread_names {
    struct hash of_tid; /* index into list */
    char (*list)[THREAD_NAME_MAX];
    size_t count;
    size_t room;
};

void thread_names_init(struct thread_names *names);
void thread_names_fini(struct thread_names *names);

/* A thread's name, raw. Where there is no room for more, it stays unknown. */
void thread_names_put(struct thread_names *names, uint32_t tid, const char *name);

/* The number now is another thread's; all of them are. */
void thread_names_forget(struct thread_names *names, uint32_t tid);
void thread_names_forget_all(struct thread_names *names);

/* Sanitised; `live`: the process is there to be asked. false: not known. */
bool thread_names_get(struct thread_names *names, pid_t pid, uint32_t tid, bool live, char *out,
                      size_t out_size);

#endif
