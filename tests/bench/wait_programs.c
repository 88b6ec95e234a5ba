/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs with known waiting times for data, for wait-bounds: NAME ROUNDS. The setup is short
 * compared with the rounds. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t drawn(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

struct node {
    struct node *next;
    struct node *right;
    uint64_t key;
    uint64_t value[5];
};

static struct node *nodes;
static uint64_t *numbers;
static unsigned char *text;

/* Called after the setup: the simulation counts from here. */
__attribute__((noinline)) static void begin(void)
{
    __asm__ volatile("");
}

static void make_nodes(size_t count)
{
    uint32_t *order = malloc(count * sizeof *order);
    nodes = aligned_alloc(64, count * sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = drawn() % (i + 1);
        uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (size_t i = 0; i < count; i++)
        nodes[order[i]] =
            (struct node){.next = &nodes[order[(i + 1) % count]], .key = drawn(), .value = {i}};
    free(order);
}

static uint64_t walk(size_t count, long rounds)
{
    uint64_t sum = 0;
    make_nodes(count);
    const struct node *node = nodes;
    begin();
    for (long i = 0; i < rounds * 20000; i++) {
        sum += node->value[0];
        node = node->next;
    }
    return sum;
}

static uint64_t list_large(long rounds)
{
    return walk(1 << 20, rounds);
}

static uint64_t list_middle(long rounds)
{
    return walk(1 << 13, rounds);
}

static uint64_t list_small(long rounds)
{
    return walk(1 << 7, rounds * 8);
}

/* 16 KB. */
static uint64_t sum_small(long rounds)
{
    uint64_t sum = 0;
    numbers = calloc(2048, sizeof *numbers);
    begin();
    for (long round = 0; round < rounds * 100; round++)
        for (int i = 0; i < 2048; i++)
            sum = sum * 3 + numbers[i];
    return sum;
}

__attribute__((noinline)) static uint64_t sum_of(const uint64_t *from, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum = sum * 3 + from[i];
    return sum;
}

/* The same in a function that is called for each pass. */
static uint64_t sum_called(long rounds)
{
    uint64_t sum = 0;
    numbers = calloc(2048, sizeof *numbers);
    begin();
    for (long round = 0; round < rounds * 1600; round++)
        sum += sum_of(numbers + round % 16 * 128, 128);
    return sum;
}

static uint64_t table(size_t bytes, long rounds)
{
    uint64_t sum = 0;
    size_t count = bytes / sizeof *numbers;
    numbers = malloc(bytes);
    for (size_t i = 0; i < count; i++)
        numbers[i] = i;
    begin();
    for (long i = 0; i < rounds * 50000; i++)
        sum += numbers[drawn() & (count - 1)];
    return sum;
}

static uint64_t table_8m(long rounds)
{
    return table(8 << 20, rounds);
}

static uint64_t table_64m(long rounds)
{
    return table(64 << 20, rounds);
}

enum { SIDE = 192, DEEP = 96, WIDE = 32 };
static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];
static double packed[DEEP][WIDE];

static void product_block(int deep, int wide)
{
    double row[WIDE];
    for (int k = 0; k < DEEP; k++)
        memcpy(packed[k], &right[deep + k][wide], sizeof packed[k]);
    for (int i = 0; i < SIDE; i++) {
        memcpy(row, &product[i][wide], sizeof row);
        for (int k = 0; k < DEEP; k++)
            for (int j = 0; j < WIDE; j++)
                row[j] += left[i][deep + k] * packed[k][j];
        memcpy(&product[i][wide], row, sizeof row);
    }
}

static uint64_t blocked_product(long rounds)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            left[i][j] = right[i][j] = i + j;
    begin();
    for (long round = 0; round < rounds; round++)
        for (int deep = 0; deep < SIDE; deep += DEEP)
            for (int wide = 0; wide < SIDE; wide += WIDE)
                product_block(deep, wide);
    return (uint64_t)product[5][7];
}

enum { BUCKETS = 1 << 18 };
static struct node *buckets[BUCKETS];
static uint64_t found, missing;

/* Chains of two, in 32 MB. */
static uint64_t hash_chains(long rounds)
{
    enum { COUNT = 1 << 19 };
    make_nodes(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        struct node **bucket = &buckets[nodes[i].key % BUCKETS];
        nodes[i].right = *bucket;
        *bucket = &nodes[i];
    }
    begin();
    for (long i = 0; i < rounds * 10000; i++) {
        uint64_t key = nodes[drawn() % COUNT].key ^ (i & 1);
        const struct node *node = buckets[key % BUCKETS];
        while (node && node->key != key)
            node = node->right;
        found += node != NULL;
        missing += !node;
    }
    return found + missing;
}

/* 16 MB, with hot upper levels. */
static uint64_t tree(long rounds)
{
    enum { COUNT = 1 << 18 };
    uint64_t sum = 0;
    make_nodes(COUNT);
    struct node *root = NULL;
    for (size_t i = 0; i < COUNT; i++) {
        struct node **place = &root;
        nodes[i].next = nodes[i].right = NULL;
        while (*place)
            place = nodes[i].key < (*place)->key ? &(*place)->next : &(*place)->right;
        *place = &nodes[i];
    }
    begin();
    for (long i = 0; i < rounds * 2000; i++) {
        uint64_t key = drawn();
        for (const struct node *node = root; node; sum++)
            node = key < node->key ? node->next : node->right;
    }
    return sum;
}

static uint64_t bytes_counted(long rounds)
{
    enum { BYTES = 16 << 20 };
    static uint64_t counts[256];
    text = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        text[i] = (unsigned char)(i * i >> 5);
    begin();
    for (long round = 0; round < rounds; round++)
        for (size_t i = 0; i < BYTES / 32; i++)
            counts[text[(size_t)round % 32 * (BYTES / 32) + i]]++;
    return counts[7];
}

static int by_number(const void *a, const void *b)
{
    return *(const uint64_t *)a < *(const uint64_t *)b ? -1 : 1;
}

static uint64_t sorted(long rounds)
{
    enum { COUNT = 1 << 14 };
    numbers = malloc(COUNT * sizeof *numbers);
    begin();
    for (long round = 0; round < rounds; round++) {
        for (size_t i = 0; i < COUNT; i++)
            numbers[i] = drawn();
        qsort(numbers, COUNT, sizeof *numbers, by_number);
    }
    return numbers[7];
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        uint64_t (*run)(long rounds);
    } programs[] = {
        {"list-64M", list_large}, {"list-512K", list_middle},   {"list-8K", list_small},
        {"sum-16K", sum_small},   {"sum-called", sum_called},   {"table-8M", table_8m},
        {"table-64M", table_64m}, {"product", blocked_product}, {"hash-32M", hash_chains},
        {"tree-16M", tree},       {"bytes-16M", bytes_counted}, {"sort-128K", sorted}};
    for (size_t i = 0; count == 3 && i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(words[1], programs[i].name))
            printf("%llu\n", (unsigned long long)programs[i].run(atol(words[2])));
    return 0;
}
