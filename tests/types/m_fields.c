/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hot field for every kind of access in C; see m_run.h. */
#include "m_run.h"

#include <string.h>

/* At least 16 MiB of each: larger than the caches, but quick to fill. */
enum { COUNT = 1 << 18, FEW = 1 << 14, STACK_COUNT = 1 << 16 };

struct inner {
    int kind;
    long cold[3];
    long hot;
};

union number {
    short low;
    char bytes[16];
    double hot;
};

struct record {
    long cold[2];
    struct inner in;
    union number value;
    unsigned flag : 5, level : 9, : 18;
    int between;
    unsigned hot_bits : 20;
    long values[5];
    struct {
        int inside;
        union {
            long hot_inside;
            char text[8];
        };
    };
    long hot;
    struct record *next;
};

struct entry {
    int key;
    int unused[9];
    long hot;
};

struct flexible {
    long count;
    struct entry entries[];
};

struct wide {
    char name[1000];
    long hot;
};

struct small {
    long cold[9];
    long hot;
    long more[2];
};

static struct record records[COUNT];
static __thread struct small thread_records[COUNT];
static struct record *block;
static struct wide **table;
static struct flexible *flexible;
static struct record *head;
static void *opaque;

static size_t pick(uint64_t count)
{
    carried = next_random(carried);
    return (carried >> 33) & (count - 1);
}

/* Loops, each in a function of its own for readability */

ALONE static void touch_pointer(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++) {
        struct record *record = &from[pick(COUNT)];
        carried += (uint64_t)record->hot;
    }
}

ALONE static void touch_global(int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (uint64_t)records[pick(COUNT)].hot;
}

ALONE static void touch_nested(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (uint64_t)from[pick(COUNT)].in.hot;
}

ALONE static void touch_union(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += from[pick(COUNT)].value.hot > 1 ? 3u : 5u;
}

ALONE static void touch_bits(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += from[pick(COUNT)].hot_bits;
}

ALONE static void touch_array(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++) {
        size_t at = pick(COUNT);
        carried += (uint64_t)from[at].values[at % 5];
    }
}

ALONE static void touch_anonymous(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (uint64_t)from[pick(COUNT)].hot_inside;
}

ALONE static void touch_flexible(struct flexible *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (uint64_t)from->entries[pick(COUNT)].hot;
}

ALONE static void touch_table(struct wide **from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (uint64_t)from[pick(FEW)]->hot;
}

ALONE static void touch_list(int steps)
{
    struct record *at = head;
    while (steps--)
        at = at->next;
    head = at;
}

ALONE static void touch_thread(int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (uint64_t)thread_records[pick(COUNT)].hot;
}

static void store(struct record *record, long value)
{
    record->hot = value;
    carried += (uint64_t)record->hot;
}

ALONE static void touch_inlined(struct record *from, int steps)
{
    for (int i = 0; i < steps; i++)
        store(&from[pick(COUNT)], i);
}

/* The copy is made in the C library, with a length unknown to the compiler. */
ALONE static void touch_copied(void *from, int steps, size_t length)
{
    struct record copy;
    for (int i = 0; i < steps; i++) {
        const char *at = (const char *)from + pick(COUNT) * sizeof copy;
        memcpy(&copy.hot, at + offsetof(struct record, hot), length);
        carried += (uint64_t)copy.hot;
    }
}

/* Only the C library accesses the hot field; other accesses show that there are records. */
ALONE static void touch_shared(struct record *from, int steps, size_t length)
{
    for (int i = 0; i < steps / 8; i++)
        carried += (uint64_t)from[pick(COUNT)].cold[1];
    touch_copied(from, steps, length);
}

ALONE static void touch_stack(const char *seconds)
{
    struct small on_stack[STACK_COUNT];
    memset(on_stack, 1, sizeof on_stack);
    EXPECT(struct small, "small", hot);
    run_ready(seconds);
    for (;;) {
        carried += (uint64_t)on_stack[pick(STACK_COUNT)].hot;
        __asm__ volatile("" ::: "memory"); /* otherwise an endless loop is optimised away */
    }
}

/* Filling */

/* Each record points to a distant one, all in one ring. */
static void link_records(void)
{
    head = block;
    for (size_t i = 0; i < COUNT; i++)
        block[i].next = &block[(i + 8 * 7919 + 1) % COUNT];
}

static void fill_block(void)
{
    block = malloc(COUNT * sizeof *block);
    if (!block)
        exit(1);
    memset(block, 1, COUNT * sizeof *block);
    link_records();
}

static void fill_table(void)
{
    table = malloc(FEW * sizeof *table);
    for (size_t i = 0; table && i < FEW; i++) {
        table[i] = malloc(sizeof *table[i]);
        if (table[i])
            memset(table[i], 1, sizeof *table[i]);
    }
}

static void fill_flexible(void)
{
    size_t size = sizeof *flexible + COUNT * sizeof flexible->entries[0];
    flexible = malloc(size);
    if (flexible)
        memset(flexible, 1, size);
}

/* Cases */

enum { STEPS = 10000 };

static void run_pointer(void)
{
    touch_pointer(block, STEPS);
}

static void run_global(void)
{
    touch_global(STEPS);
}

static void run_nested(void)
{
    touch_nested(block, STEPS);
}

static void run_union(void)
{
    touch_union(block, STEPS);
}

static void run_bits(void)
{
    touch_bits(block, STEPS);
}

static void run_array(void)
{
    touch_array(block, STEPS);
}

static void run_anonymous(void)
{
    touch_anonymous(block, STEPS);
}

static void run_flexible(void)
{
    touch_flexible(flexible, STEPS);
}

static void run_table(void)
{
    touch_table(table, STEPS);
}

static void run_list(void)
{
    touch_list(STEPS);
}

static void run_thread(void)
{
    touch_thread(STEPS);
}

static void run_inlined(void)
{
    touch_inlined(block, STEPS);
}

static void run_copied(void)
{
    touch_copied(opaque, STEPS, sizeof block->hot);
}

static void run_shared(void)
{
    touch_shared(opaque, STEPS, sizeof block->hot);
}

static void (*choose(const char *name))(void)
{
#define CASE(case_name, fill, type, tag, path)                                                     \
    if (!strcmp(name, #case_name)) {                                                               \
        fill;                                                                                      \
        EXPECT(type, tag, path);                                                                   \
        return run_##case_name;                                                                    \
    }
    CASE(pointer, fill_block(), struct record, "record", hot)
    CASE(global, memset(records, 1, sizeof records), struct record, "record", hot)
    CASE(nested, fill_block(), struct record, "record", in.hot)
    CASE(union, fill_block(), struct record, "record", value.hot)
    CASE(anonymous, fill_block(), struct record, "record", hot_inside)
    CASE(table, fill_table(), struct wide, "wide", hot)
    CASE(list, fill_block(), struct record, "record", next)
    CASE(thread, memset(thread_records, 1, sizeof thread_records), struct small, "small", hot)
    CASE(inlined, fill_block(), struct record, "record", hot)
    CASE(copied, (fill_block(), opaque = block), struct record, "record", hot)
    CASE(shared, (fill_block(), opaque = block), struct record, "record", hot)
    if (!strcmp(name, "bits")) {
        fill_block();
        EXPECT_AT("record.hot_bits", offsetof(struct record, between) + sizeof(int), 4);
        return run_bits;
    }
    if (!strcmp(name, "array")) {
        fill_block();
        EXPECT_AT("record.values[*]", offsetof(struct record, values), sizeof(long));
        return run_array;
    }
    if (!strcmp(name, "flexible")) {
        fill_flexible();
        EXPECT_AT("flexible.entries[*].hot", offsetof(struct flexible, entries[0].hot),
                  sizeof(long));
        return run_flexible;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    if (!strcmp(argv[1], "stack"))
        touch_stack(argv[2]);
    void (*run)(void) = choose(argv[1]);
    if (!run)
        return 2;
    run_ready(argv[2]);
    for (;;)
        run();
}
