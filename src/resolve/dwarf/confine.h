/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process forked from misstop gives up before it reads hostile files: the terminal, every
 * descriptor but those of files, its parent's signal handling, most of its priority, memory
 * without end; and how it ends with its parent. For serve.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_CONFINE_H
#define MISSTOP_RESOLVE_DWARF_CONFINE_H

#include <stdint.h>
#include <sys/types.h>

/* `fd` is the one descriptor that stays beside files; it may get another number, which is
 * returned. Ends the process if it cannot be confined, or `parent` is gone already. */
int confine(int fd, pid_t parent, uint64_t memory_bytes);

/* From here on the process may use this much more time of a CPU, then a signal ends it. */
void confine_cpu(uint64_t more_ms);

#endif
