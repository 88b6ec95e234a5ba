/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of a thread as its library knows it. glibc's struct pthread has three words behind each
 * other: where the memory for the stack begins, its size, and how much of that is the guard (glibc
 * nptl/descr.h: stackblock, stackblock_size, guardsize). Where in the struct they are depends on
 * the version, so they are known by what must hold: the struct itself lies at the upper end of that
 * memory. For tcb.c.
 */
#ifndef MISSTOP_RESOLVE_TCB_STACK_H
#define MISSTOP_RESOLVE_TCB_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `bytes` were read at `base`, the thread control block: [*start, *end) without the guard. False:
 * no words there can be them, as in the first thread, whose stack the kernel made. */
bool tcb_stack(const unsigned char *bytes, size_t size, uint64_t base, uint64_t *start,
               uint64_t *end);

#endif
