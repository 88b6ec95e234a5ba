/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process that reads one file's debugging information: opens it, answers what comes over a
 * socket, one after the other, and ends with it. For worker.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_SERVE_H
#define MISSTOP_RESOLVE_DWARF_SERVE_H

#include "resolve/dwarf/question.h"
#include "resolve/dwarf/reader.h"

#include <stdbool.h>
#include <sys/types.h>

/* Opening may take this many times the patience that one answer gets. */
enum { READERS_OPENING_PATIENCE = 4 };

/* Whoever knows the answers: struct program, or a test's own. */
struct serve_source {
    bool (*present)(struct module *module); /* cheap, in misstop itself: is there anything? */
    void *(*open)(struct module *module);   /* NULL: nothing to tell */
    void (*answer)(void *opened, const struct dwarf_question *question,
                   struct dwarf_answer *answer);
    const struct dwarf_type *(*next_type)(void *opened);
};

extern const struct serve_source serve_program;

/* Called in the forked process; `parent` is who forked it. */
_Noreturn void serve(int fd, pid_t parent, struct module *module, const struct serve_source *source,
                     const struct readers_limits *limits);

#endif
