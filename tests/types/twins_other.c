/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other unit of twins.c, with its structs on the same lines, so that the line of a type's
 * declaration does not distinguish the types either. */
#include "truth.h"

#include "twins.h"

struct item {
    struct right *to;
    long n;
};

struct deep {
    struct deep *next;
    struct item *item;
};

static struct right *rights;
static struct deep *deeps;

struct right *second_make(int count)
{
    rights = zeroed((size_t)count, sizeof *rights);
    deeps = zeroed((size_t)count, sizeof *deeps);
    for (int i = 0; i < count; i++) {
        deeps[i].item = zeroed(1, sizeof *deeps[i].item);
        deeps[i].item->to = &rights[i];
        deeps[i].next = i + 1 < count ? &deeps[i + 1] : NULL;
    }
    return rights;
}

MARKED double second_total(const struct shared *shared)
{
    double sum = 0;
    for (const struct deep *at = deeps; at; at = at->next)
        sum += at->item->to->weight + (double)at->item->n + shared->count;
    return sum;
}
