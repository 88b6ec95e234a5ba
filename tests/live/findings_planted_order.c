/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists, sequential arrays, columns. */
#include "findings_planted.h"

#include <stdalign.h>
#include <stdlib.h>

/* 64 MiB or more each, like the elements of findings_planted_layout.c. */
enum { FEW = 128, NODES = 1 << 21, DOUBLES = 1 << 23 };
enum { ROWS = 64, ROW_BYTES = 4096, PASSES = 16 };

struct node {
    struct node *next;
    uint64_t key;
    uint64_t rest[6];
};

static struct node *nodes;
static double *doubles;
alignas(4096) static unsigned char rows[ROWS * (ROW_BYTES + 64)];
static size_t many;   /* elements in use */
static size_t stride; /* distance between rows */

__attribute__((noinline)) static size_t walk_list(void)
{
    uint64_t sum = 0;
    const struct node *node = nodes;
    for (size_t i = 0; i < many; i++) {
        sum += node->key;
        node = node->next;
    }
    planted_sink = (double)sum;
    return many;
}

/* The nodes in random order, but not through their links. */
__attribute__((noinline)) static size_t look_at_nodes(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++)
        sum += nodes[planted_random() % many].key;
    planted_sink = (double)sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t sum_column(void)
{
    uint64_t sum = 0;
    for (int again = 0; again < 1024; again++)
        for (size_t i = 0; i < many; i++)
            sum += *(volatile uint64_t *)(rows + i * stride);
    planted_sink = (double)sum;
    return many * 1024;
}

__attribute__((noinline)) static size_t scale_all(void)
{
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < many; i++)
            doubles[i] = doubles[i] * 1.0001 + 0.5;
    return many * PASSES;
}

/* The same, with all passes on a block before the next block. */
__attribute__((noinline)) static size_t scale_blocks(void)
{
    enum { BLOCK = 1024 };
    for (size_t block = 0; block < many; block += BLOCK)
        for (int pass = 0; pass < PASSES; pass++)
            for (size_t i = block; i < block + BLOCK; i++)
                doubles[i] = doubles[i] * 1.0001 + 0.5;
    return many * PASSES;
}

/* In order, then the links are shuffled to one random ring (Sattolo). */
static void make_list(size_t count, int shuffled)
{
    uint32_t *order = malloc(count * sizeof *order);
    many = count;
    nodes = planted_memory(count * sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count - 1; shuffled && i > 0; i--) {
        size_t k = planted_random() % i;
        uint32_t held = order[i];
        order[i] = order[k];
        order[k] = held;
    }
    for (size_t i = 0; i < count; i++)
        nodes[order[i]].next = &nodes[order[(i + 1) % count]];
    free(order);
}

static void make_shuffled(size_t count)
{
    make_list(count, 1);
}

static void make_ordered(size_t count)
{
    make_list(count, 0);
}

static void make_rows(size_t bytes)
{
    many = ROWS;
    stride = bytes;
}

static void make_rows_few(size_t bytes)
{
    many = 6; /* lines in one set, which has as many ways */
    stride = bytes;
}

static void make_doubles(size_t count)
{
    many = count;
    doubles = planted_memory(count * sizeof *doubles);
}

const struct planted_mode planted_order_modes[] = {
    {"conflict", make_rows, ROW_BYTES, sum_column, 1},
    {"conflict-fixed", make_rows, ROW_BYTES + 64, sum_column, 1},
    {"conflict-clean", make_rows_few, ROW_BYTES, sum_column, 1}, /* the ways hold them */
    {"chasing", make_shuffled, NODES, walk_list, 1},
    {"chasing-fixed", make_ordered, NODES, walk_list, 1},
    {"chasing-clean", make_shuffled, FEW, walk_list, 1}, /* stays in the cache */
    {"chasing-indexed", make_ordered, NODES, look_at_nodes, 1},
    {"streaming", make_doubles, DOUBLES, scale_all, 1},
    {"streaming-fixed", make_doubles, DOUBLES, scale_blocks, 1},
    {"streaming-clean", make_doubles, 2048, scale_all, 1}, /* stays in the cache */
    /* For a simulated cache of 256 KiB. */
    {"again", make_doubles, 1 << 17, scale_all, 1},
    {"again-fixed", make_doubles, 1 << 17, scale_blocks, 1},
    {"list", make_shuffled, 1 << 14, walk_list, 1},
    {"list-fixed", make_ordered, 1 << 14, walk_list, 1},
    {"list-indexed", make_ordered, 1 << 14, look_at_nodes, 1},
    {NULL, NULL, 0, NULL, 0},
};
