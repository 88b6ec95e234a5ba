/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lets the programs of this folder report the truth to the test: types and their parts from the
 * compiler's offsetof and sizeof, objects by their addresses, and the code to examine. Lines of
 * tab-separated words; then the program stops itself, and continues when it is resumed.
 */
#ifndef MISSTOP_TESTS_TYPES_TRUTH_H
#define MISSTOP_TESTS_TYPES_TRUTH_H

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Code to examine, in one section. */
#define MARKED __attribute__((noinline, section("marked")))

#define TYPE(name, type) printf("type\t%s\t%zu\n", name, sizeof(type))

/* A part of a type: its own type, its offset, and the number of elements. */
#define PART(name, type, member, part_name, part)                                                  \
    printf("part\t%s\t%s\t%zu\t%zu\t%zu\n", name, part_name, offsetof(type, member), sizeof(part), \
           sizeof(((type *)0)->member) / sizeof(part))

/* A part without a member name, such as a base class or a flexible array. */
#define PLACE(name, part_name, offset, size, count)                                                \
    printf("part\t%s\t%s\t%zu\t%zu\t%zu\n", name, part_name, (size_t)(offset), (size_t)(size),     \
           (size_t)(count))

#define OBJECT(name, pointer, count)                                                               \
    printf("object\t%s\t%p\t%zu\n", name, (const void *)(pointer), (size_t)(count))

#ifdef __cplusplus
extern "C" {
#endif
extern char __start_marked[], __stop_marked[];
#ifdef __cplusplus
}
#endif

static inline void ready(void)
{
    printf("code\t%p\t%p\nready\n", (void *)__start_marked, (void *)__stop_marked);
    fflush(stdout);
    raise(SIGSTOP);
}

static inline void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory)
        abort();
    return memory;
}

#endif
