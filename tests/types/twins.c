/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One of two units with structs of the same names and sizes, but other members. Their pointees have
 * different names, which distinguish the structs. */
#include "truth.h"

#include "twins.h"

struct item {
    struct left *to;
    long n;
};

struct deep {
    struct deep *next;
    struct item *item;
};

static struct left *lefts;
static struct deep *deeps;
volatile double sink;

MARKED static double first_total(const struct deep *at, const struct shared *shared)
{
    double sum = 0;
    for (; at; at = at->next)
        sum += at->item->to->weight + (double)at->item->n + shared->count;
    return sum;
}

static void first_make(int count)
{
    lefts = zeroed((size_t)count, sizeof *lefts);
    deeps = zeroed((size_t)count, sizeof *deeps);
    for (int i = 0; i < count; i++) {
        deeps[i].item = zeroed(1, sizeof *deeps[i].item);
        deeps[i].item->to = &lefts[i];
        deeps[i].next = i + 1 < count ? &deeps[i + 1] : NULL;
    }
}

int main(void)
{
    enum { COUNT = 5 };
    struct shared *shared = zeroed(1, sizeof *shared);
    first_make(COUNT);
    struct right *rights = second_make(COUNT);
    TYPE("struct left", struct left);
    PART("struct left", struct left, weight, "double", double);
    PART("struct left", struct left, id, "int", int);
    TYPE("struct right", struct right);
    PART("struct right", struct right, id, "int", int);
    PART("struct right", struct right, weight, "double", double);
    TYPE("struct shared", struct shared);
    PART("struct shared", struct shared, next, "struct shared *", struct shared *);
    PART("struct shared", struct shared, count, "int", int);
    OBJECT("struct left", lefts, COUNT);
    OBJECT("struct right", rights, COUNT);
    OBJECT("struct shared", shared, 1);
    ready();
    sink = first_total(deeps, shared);
    sink = second_total(shared);
    sink = first_total(deeps, shared);
    return 0;
}
