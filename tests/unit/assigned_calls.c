/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls whose results go to places of all kinds; compiled without optimisation, always. */
#include "assigned_calls.h"

#include <stdlib.h>

#ifdef __clang__
#define NOT_OPTIMISED __attribute__((optnone, noinline))
#else
#define NOT_OPTIMISED __attribute__((noinline))
#pragma GCC optimize("O0")
#endif

struct node {
    struct node *next;
    int value;
};

typedef struct node *node_pointer;

struct node *global_node; /* not static: what is only written would be left out */
const double *weights;

NOT_OPTIMISED void assigned_calls(assigned_alloc *alloc)
{
    struct node *fresh = alloc("node.fresh", sizeof *fresh);
    if (!fresh)
        abort();
    global_node = alloc("node.global_node", sizeof *global_node);
    weights = alloc("double.weights", 8);
    node_pointer other = alloc("node.other", sizeof *other);
    void *nothing = alloc("", 1);           /* a type that says nothing */
    struct node **table = alloc("", 1);     /* pointers to pointers say little */
    fresh->next = alloc("node.next", sizeof *fresh); /* a field */
    {
        char *const inner = alloc("char.inner", 1);
        free(inner);
    }
    free(alloc("", 1));
    free(fresh->next);
    free(fresh);
    free(other);
    free(nothing);
    free(table);
    free(global_node);
    free((void *)weights);
}
