/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A struct with a hot member, as it is and after each change that --what-if supports, with the same
 * work:
 *   array [split|padded|aligned] ROUNDS    an array of structs, one block
 *   global ROUNDS                          the same as a variable
 *   nodes [split] ROUNDS                   a block for each, some of them freed and reallocated
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 20000, NODES = 12000, STEPS = 30000, CHURN = 16 };

struct particle {
    double position[3];
    uint64_t key; /* hot */
    uint32_t kind;
    uint32_t flags;
};

struct padded {
    struct particle particle;
    char padding[64 - sizeof(struct particle)];
};

struct key {
    uint64_t key;
};

struct rest {
    double position[3];
    uint32_t kind;
    uint32_t flags;
};

struct node {
    uint64_t key; /* hot */
    uint64_t value[7];
};

struct node_rest {
    uint64_t value[7];
};

static struct particle of_program[ELEMENTS];
static volatile uint64_t sink;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Reads the key of a random element, and another member of one in 16. */
#define WORK(KEY, REST)                                                                            \
    do {                                                                                           \
        uint64_t random = 88172645463325252u;                                                      \
        for (long step = 0; step < rounds * STEPS; step++) {                                       \
            uint64_t drawn = draw(&random);                                                        \
            uint64_t i = drawn % ELEMENTS;                                                         \
            sink += (KEY);                                                                         \
            if (drawn >> 60 == 0)                                                                  \
                sink += (REST);                                                                    \
        }                                                                                          \
    } while (0)

__attribute__((noinline)) static void as_it_is(struct particle *particles, long rounds)
{
    WORK(particles[i].key, particles[i].kind);
}

__attribute__((noinline)) static void split(struct key *keys, struct rest *rest, long rounds)
{
    WORK(keys[i].key, rest[i].kind);
}

__attribute__((noinline)) static void padded(struct padded *particles, long rounds)
{
    WORK(particles[i].particle.key, particles[i].particle.kind);
}

static void *fresh(size_t size, size_t align)
{
    void *block = align ? aligned_alloc(align, size) : malloc(size);
    if (!block)
        exit(1);
    memset(block, 1, size);
    return block;
}

static void array(const char *form, long rounds)
{
    if (!strcmp(form, "split"))
        split(fresh(ELEMENTS * sizeof(struct key), 0), fresh(ELEMENTS * sizeof(struct rest), 0),
              rounds);
    else if (!strcmp(form, "padded"))
        padded(fresh(ELEMENTS * sizeof(struct padded), 0), rounds);
    else if (!strcmp(form, "aligned"))
        padded(fresh(ELEMENTS * sizeof(struct padded), 64), rounds);
    else {
        struct particle *original = fresh(ELEMENTS * sizeof *original, 0);
        as_it_is(original, rounds);
    }
}

__attribute__((noinline)) static void renew(struct node **node, uint64_t key)
{
    free(*node);
    *node = malloc(sizeof **node);
    if (!*node)
        exit(1);
    (*node)->key = key;
}

/* Reads keys at random; from time to time a node is replaced. All nodes are made first, by the same
 * call: they are one bin. */
__attribute__((noinline)) static void nodes(long rounds)
{
    static struct node *list[NODES];
    uint64_t random = 88172645463325252u;
    for (long step = -NODES; step < rounds * STEPS; step++) {
        uint64_t drawn = draw(&random);
        uint64_t i = step < 0 ? (uint64_t)(step + NODES) : drawn % NODES;
        if (step >= 0)
            sink += list[i]->key;
        if (step >= 0 && drawn >> 60 == 0)
            sink += list[i]->value[2];
        if (step < 0 || step % CHURN == 0)
            renew(&list[i], drawn);
    }
}

/* The same from two pools, which reuse places last in, first out. */
__attribute__((noinline)) static void split_nodes(long rounds)
{
    static uint32_t list[NODES];
    uint64_t *keys = fresh(NODES * sizeof *keys, 0);
    struct node_rest *rest = fresh(NODES * sizeof *rest, 0);
    uint64_t random = 88172645463325252u;
    for (uint32_t i = 0; i < NODES; i++)
        list[i] = i;
    for (long step = 0; step < rounds * STEPS; step++) {
        uint64_t drawn = draw(&random);
        uint64_t i = drawn % NODES;
        sink += keys[list[i]];
        if (drawn >> 60 == 0)
            sink += rest[list[i]].value[1];
        if (step % CHURN == 0)
            keys[list[i]] = drawn;
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *form = argc > 3 ? argv[2] : "";
    long rounds = argc > 2 ? atol(argv[argc - 1]) : 1;
    if (!strcmp(what, "array"))
        array(form, rounds);
    else if (!strcmp(what, "global"))
        as_it_is(of_program, rounds);
    else if (!strcmp(what, "nodes") && *form)
        split_nodes(rounds);
    else if (!strcmp(what, "nodes"))
        nodes(rounds);
    else
        return 2;
    return 0;
}
