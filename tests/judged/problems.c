/* Programs with one memory problem each, in a plain form and a fixed one without the problem. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "judged.h"

/* A hash table with 24 entries per bucket. Fixed: one entry per bucket. */
struct hash_entry {
    struct hash_entry *next;
    uint64_t key, value;
};

#define HASH_ENTRIES (1u << 20)
static struct hash_entry **hash_buckets;
static size_t hash_bucket_count;

static size_t hash_of(uint64_t key)
{
    return (key * 0x9e3779b97f4a7c15u >> 20) % hash_bucket_count;
}

static void chained_set_up(bool fixed)
{
    uint32_t *keys = judged_alloc(HASH_ENTRIES * sizeof(*keys));

    hash_bucket_count = fixed ? HASH_ENTRIES : HASH_ENTRIES / 24;
    hash_buckets = calloc(hash_bucket_count, sizeof(struct hash_entry *));
    for (uint32_t i = 0; i < HASH_ENTRIES; i++)
        keys[i] = i;
    judged_shuffle(keys, HASH_ENTRIES);
    for (uint32_t i = 0; i < HASH_ENTRIES; i++) {
        struct hash_entry *entry = malloc(sizeof(*entry));
        struct hash_entry **bucket = &hash_buckets[hash_of(keys[i])];

        *entry = (struct hash_entry){.next = *bucket, .key = keys[i], .value = i};
        *bucket = entry;
    }
    free(keys);
}

static void chained_work(bool fixed)
{
    static uint64_t state = 12345;
    uint64_t sum = 0;

    (void)fixed;
    for (int n = 0; n < 2000; n++) {
        uint64_t key = judged_next(&state) % HASH_ENTRIES;

        for (struct hash_entry *e = hash_buckets[hash_of(key)]; e; e = e->next)
            if (e->key == key) {
                sum += e->value;
                break;
            }
    }
    judged_sink += sum;
}

/*
 * A binary search tree of two million nodes. Fixed: a layout like a B-tree, with sorted keys, 16
 * per node.
 */
struct tree_node {
    struct tree_node *left, *right;
    uint32_t key, value;
};

#define TREE_NODES (1u << 21)
#define TREE_FAN   17
static struct tree_node *tree_root;
static uint32_t *tree_keys;

static struct tree_node *tree_build(uint32_t first, uint32_t end, struct tree_node **nodes)
{
    if (first >= end)
        return NULL;
    uint32_t middle = first + (end - first) / 2;
    struct tree_node *node = nodes[middle];

    node->key = node->value = middle;
    node->left = tree_build(first, middle, nodes);
    node->right = tree_build(middle + 1, end, nodes);
    return node;
}

static size_t btree_fill(size_t node, uint32_t *next)
{
    size_t count = TREE_NODES / 16;

    if (node >= count)
        return 0;
    for (size_t i = 0; i < 16; i++) {
        btree_fill(node * TREE_FAN + i + 1, next);
        tree_keys[node * 16 + i] = (*next)++;
    }
    btree_fill(node * TREE_FAN + 17, next);
    return count;
}

static void tree_set_up(bool fixed)
{
    if (fixed) {
        uint32_t next = 0;

        tree_keys = aligned_alloc(64, TREE_NODES * sizeof(*tree_keys));
        btree_fill(0, &next);
        return;
    }
    uint32_t *order = judged_alloc(TREE_NODES * sizeof(*order));
    struct tree_node **nodes = judged_alloc(TREE_NODES * sizeof(*nodes));

    for (uint32_t i = 0; i < TREE_NODES; i++)
        order[i] = i;
    judged_shuffle(order, TREE_NODES);
    for (uint32_t i = 0; i < TREE_NODES; i++)
        nodes[order[i]] = malloc(sizeof(**nodes));
    tree_root = tree_build(0, TREE_NODES, nodes);
    free(nodes);
    free(order);
}

static void tree_work(bool fixed)
{
    static uint64_t state = 777;
    uint64_t sum = 0;

    for (int n = 0; n < 5000; n++) {
        uint32_t key = (uint32_t)(judged_next(&state) % TREE_NODES);

        if (fixed) {
            for (size_t node = 0; node < TREE_NODES / 16;) {
                const uint32_t *keys = tree_keys + node * 16;
                size_t below = 0;

                for (size_t i = 0; i < 16; i++)
                    below += keys[i] < key;
                if (below < 16 && keys[below] == key) {
                    sum += key;
                    break;
                }
                node = node * TREE_FAN + below + 1;
            }
        } else {
            for (struct tree_node *node = tree_root; node;
                 node = key < node->key ? node->left : node->right)
                if (node->key == key) {
                    sum += node->value;
                    break;
                }
        }
    }
    judged_sink += sum;
}

/* A list of a million nodes linked in random order. Fixed: linked in order of address. */
struct list_node {
    struct list_node *next;
    uint64_t value;
};

#define LIST_NODES (1u << 20)
static struct list_node *list_head;

static void list_set_up(bool fixed)
{
    uint32_t *order = judged_alloc(LIST_NODES * sizeof(*order));
    struct list_node **nodes = judged_alloc(LIST_NODES * sizeof(*nodes));

    for (uint32_t i = 0; i < LIST_NODES; i++) {
        order[i] = i;
        nodes[i] = malloc(sizeof(**nodes));
        nodes[i]->value = i;
    }
    if (!fixed)
        judged_shuffle(order, LIST_NODES);
    for (uint32_t i = 0; i + 1 < LIST_NODES; i++)
        nodes[order[i]]->next = nodes[order[i + 1]];
    nodes[order[LIST_NODES - 1]]->next = NULL;
    list_head = nodes[order[0]];
    free(nodes);
    free(order);
}

static void list_work(bool fixed)
{
    uint64_t sum = 0;

    (void)fixed;
    for (struct list_node *node = list_head; node; node = node->next)
        sum += node->value;
    judged_sink += sum;
}

/*
 * A copy of 24 MiB into a second block that is then read once. Fixed: the first block is read
 * directly.
 */
#define COPY_BYTES (24u << 20)
static char *copy_from, *copy_to;

static void copy_set_up(bool fixed)
{
    (void)fixed;
    copy_from = judged_alloc(COPY_BYTES);
    copy_to = judged_alloc(COPY_BYTES);
}

static void copy_work(bool fixed)
{
    const uint64_t *words = (const uint64_t *)(fixed ? copy_from : copy_to);
    uint64_t sum = 0;

    if (!fixed)
        memcpy(copy_to, copy_from, COPY_BYTES);
    for (size_t i = 0; i < COPY_BYTES / 8; i += 8)
        sum += words[i];
    judged_sink += sum;
}

/*
 * A large array with few marks set, cleared completely before the next round. Fixed: only the
 * marks that were set are cleared.
 */
#define MARKS     (24u << 20)
#define MARKS_SET 1000
static char *marks;
static uint64_t marks_state = 99;

static void marks_set_up(bool fixed)
{
    (void)fixed;
    marks = judged_alloc(MARKS);
}

static void marks_work(bool fixed)
{
    static uint32_t set[MARKS_SET];

    for (int i = 0; i < MARKS_SET; i++) {
        set[i] = judged_next(&marks_state) % MARKS;
        marks[set[i]]++;
    }
    judged_sink += marks[set[7]];
    if (!fixed)
        memset(marks, 0, MARKS);
    for (int i = 0; fixed && i < MARKS_SET; i++)
        marks[set[i]] = 0;
}

/* Counters of two threads in one line. Fixed: each in its own line. */
static struct {
    atomic_ulong a, b;
} counters_near;
static struct {
    _Alignas(128) atomic_ulong a;
    _Alignas(128) atomic_ulong b;
} counters_apart;

static void counters_set_up(bool fixed)
{
    (void)fixed;
}

static void counters_body(int thread, bool fixed)
{
    atomic_ulong *counter = fixed ? (thread ? &counters_apart.b : &counters_apart.a)
                                  : (thread ? &counters_near.b : &counters_near.a);

    for (int i = 0; i < 2000000; i++)
        atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void counters_work(bool fixed)
{
    judged_two(counters_body, fixed);
}

/*
 * A setting that one thread reads all the time next to a count that the other writes. Fixed: 128
 * bytes apart.
 */
struct session_near {
    volatile long limit;
    volatile long served;
};
struct session_apart {
    volatile long limit;
    char pad[120];
    volatile long served;
};
static struct session_near *session_near;
static struct session_apart *session_apart;

static void session_set_up(bool fixed)
{
    (void)fixed;
    session_near = aligned_alloc(128, 128);
    session_apart = aligned_alloc(128, 256);
    memset(session_near, 0, 128);
    memset(session_apart, 0, 256);
}

static void session_body(int thread, bool fixed)
{
    volatile long *limit = fixed ? &session_apart->limit : &session_near->limit;
    volatile long *served = fixed ? &session_apart->served : &session_near->served;

    if (thread)
        for (int i = 0; i < 6000000; i++)
            (*served)++;
    else {
        long sum = 0;

        for (int i = 0; i < 12000000; i++)
            sum += *limit + i;
        judged_sink += (uint64_t)sum;
    }
}

static void session_work(bool fixed)
{
    judged_two(session_body, fixed);
}

/*
 * One count that two threads add to. Fixed: each counts separately and adds the result at the end.
 */
static _Alignas(128) atomic_ulong requests_total;

static void requests_body(int thread, bool fixed)
{
    unsigned long own = 0;

    (void)thread;
    for (int i = 0; i < 2000000; i++) {
        if (fixed)
            __asm__ volatile("addq $1, %0" : "+m"(own));
        else
            atomic_fetch_add(&requests_total, 1);
    }
    atomic_fetch_add(&requests_total, own);
}

static void requests_work(bool fixed)
{
    judged_two(requests_body, fixed);
}

/* The sum of a matrix by columns. Fixed: by rows. */
#define MATRIX_ROWS    3000
#define MATRIX_COLUMNS 2998
static double *matrix_cells;

static void columns_set_up(bool fixed)
{
    (void)fixed;
    matrix_cells = judged_alloc(sizeof(double) * MATRIX_ROWS * MATRIX_COLUMNS);
    for (size_t i = 0; i < (size_t)MATRIX_ROWS * MATRIX_COLUMNS; i++)
        matrix_cells[i] = (double)i;
}

static void columns_work(bool fixed)
{
    double sum = 0;

    if (fixed) {
        for (size_t i = 0; i < MATRIX_ROWS; i++)
            for (size_t j = 0; j < MATRIX_COLUMNS; j++)
                sum += matrix_cells[i * MATRIX_COLUMNS + j];
    } else {
        for (size_t j = 0; j < MATRIX_COLUMNS; j++)
            for (size_t i = 0; i < MATRIX_ROWS; i++)
                sum += matrix_cells[i * MATRIX_COLUMNS + j];
    }
    judged_sink += (uint64_t)sum;
}

/* One price of four bytes in each record of 128 bytes. Fixed: the prices in a separate array. */
struct stock_item {
    uint32_t price;
    char description[124];
};
#define STOCK_ITEMS (400u << 10)
static struct stock_item *stock_items;
static uint32_t *stock_prices;

static void stock_set_up(bool fixed)
{
    if (fixed)
        stock_prices = judged_alloc(STOCK_ITEMS * sizeof(*stock_prices));
    else
        stock_items = judged_alloc(STOCK_ITEMS * sizeof(*stock_items));
}

static void stock_work(bool fixed)
{
    uint64_t sum = 0;

    if (fixed)
        for (size_t i = 0; i < STOCK_ITEMS; i++)
            sum += stock_prices[i] & 0xff;
    else
        for (size_t i = 0; i < STOCK_ITEMS; i++)
            sum += stock_items[i].price & 0xff;
    judged_sink += sum;
}

/*
 * Repeated reads of a column of 32 rows 4096 bytes apart, all in one set of the first cache.
 * Fixed: rows of 4160 bytes.
 */
#define TILE_ROWS 32
static char *tile_cells;

static void tile_set_up(bool fixed)
{
    (void)fixed;
    tile_cells = aligned_alloc(4096, 4096 * 40);
    memset(tile_cells, 1, 4096 * 40);
}

static void tile_work(bool fixed)
{
    size_t pitch = fixed ? 4096 + 64 : 4096;
    volatile char *cells = tile_cells;
    uint64_t at = 0;

    /* Each load depends on the previous one. */
    for (int n = 0; n < 20000; n++)
        for (size_t row = 0; row < TILE_ROWS; row++)
            at = (uint64_t)(cells[row * pitch + (at & 2)]);
    judged_sink += at;
}

/* Random reads in 512 MiB of small pages. Fixed: large pages. */
#define LOOKUP_BYTES (512u << 20)
static char *lookup_table;

static void lookup_set_up(bool fixed)
{
    lookup_table = mmap(NULL, LOOKUP_BYTES + (2u << 20), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lookup_table == MAP_FAILED)
        exit(1);
    lookup_table =
        (char *)(((uintptr_t)lookup_table + (2u << 20) - 1) & ~(uintptr_t)((2u << 20) - 1));
    madvise(lookup_table, LOOKUP_BYTES, fixed ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(lookup_table, 1, LOOKUP_BYTES);
}

static void lookup_work(bool fixed)
{
    static uint64_t state = 99;
    uint64_t sum = 0;

    (void)fixed;
    for (int n = 0; n < 20000; n++)
        sum += (uint64_t)lookup_table[(judged_next(&state) + sum) % LOOKUP_BYTES];
    judged_sink += sum;
}

/* Eight passes over 64 MiB, one after the other. Fixed: eight passes over each 16 KiB. */
#define FILTER_BYTES  (64u << 20)
#define FILTER_PASSES 8
static uint32_t *filter_samples;

static void filter_set_up(bool fixed)
{
    (void)fixed;
    filter_samples = judged_alloc(FILTER_BYTES);
}

static void filter_pass(uint32_t *from, size_t count, uint32_t pass)
{
    for (size_t i = 0; i < count; i++)
        from[i] = from[i] * 5 + pass;
}

static void filter_work(bool fixed)
{
    size_t count = FILTER_BYTES / sizeof(uint32_t), part = fixed ? 4096 : count;

    for (size_t first = 0; first < count; first += part)
        for (uint32_t pass = 0; pass < FILTER_PASSES; pass++)
            filter_pass(filter_samples + first, part, pass);
    judged_sink += filter_samples[5];
}

/*
 * A scratch block of 1 MiB per request, large enough to come from the kernel each time. Fixed: the
 * block is reused.
 */
#define SCRATCH_BYTES (1u << 20)
static char *scratch_reused;

static void scratch_set_up(bool fixed)
{
    if (fixed)
        scratch_reused = judged_alloc(SCRATCH_BYTES);
}

static void scratch_work(bool fixed)
{
    for (int n = 0; n < 20; n++) {
        char *scratch = fixed ? scratch_reused
                              : mmap(NULL, SCRATCH_BYTES, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        for (size_t i = 0; i < SCRATCH_BYTES; i += 64)
            scratch[i] = (char)n;
        judged_sink += (uint64_t)scratch[64 * 7];
        if (!fixed)
            munmap(scratch, SCRATCH_BYTES);
    }
}

/* Many short-lived blocks for one computation. Fixed: an array on the stack. */
static void strings_set_up(bool fixed)
{
    (void)fixed;
}

static void strings_work(bool fixed)
{
    uint64_t sum = 0;

    for (int n = 0; n < 20000; n++) {
        char buffers[8][48];
        char *blocks[8];

        for (int i = 0; i < 8; i++) {
            blocks[i] = fixed ? buffers[i] : malloc(48);
            blocks[i][0] = (char)(n + i);
            __asm__ volatile("" : : "r"(blocks[i]) : "memory");
        }
        for (int i = 0; i < 8; i++) {
            sum += (uint64_t)blocks[i][0];
            if (!fixed)
                free(blocks[i]);
        }
    }
    judged_sink += sum;
}

/*
 * Records of 192 bytes, with the first and the last line read by each look-up. Fixed: both fields
 * in the first line.
 */
struct account_far {
    uint64_t id;
    char name[160];
    uint64_t balance;
    char rest[16];
};
struct account_near {
    uint64_t id;
    uint64_t balance;
    char name[160];
    char rest[16];
};
#define ACCOUNTS (1u << 19)
static struct account_far *accounts_far;
static struct account_near *accounts_near;

static void accounts_set_up(bool fixed)
{
    if (fixed) {
        accounts_near = aligned_alloc(64, ACCOUNTS * sizeof(*accounts_near));
        memset(accounts_near, 1, ACCOUNTS * sizeof(*accounts_near));
    } else {
        accounts_far = aligned_alloc(64, ACCOUNTS * sizeof(*accounts_far));
        memset(accounts_far, 1, ACCOUNTS * sizeof(*accounts_far));
    }
}

static void accounts_work(bool fixed)
{
    static uint64_t state = 4711;
    uint64_t sum = 0;

    /* The next record depends on this one, so that look-ups do not overlap. */
    for (int n = 0; n < 20000; n++) {
        uint64_t which = (judged_next(&state) + sum) % ACCOUNTS;

        if (fixed)
            sum += accounts_near[which].id + accounts_near[which].balance;
        else
            sum += accounts_far[which].id + accounts_far[which].balance;
    }
    judged_sink += sum;
}

/*
 * Particles in separate blocks, visited in another order than they were allocated. Fixed: in an
 * array in the order of the visits.
 */
struct particle {
    double x, y, z, mass;
};
#define PARTICLES (1u << 19)
static struct particle **particle_list;
static struct particle *particle_array;

static void particles_set_up(bool fixed)
{
    uint32_t *order = judged_alloc(PARTICLES * sizeof(*order));

    if (fixed) {
        particle_array = judged_alloc(PARTICLES * sizeof(*particle_array));
    } else {
        particle_list = judged_alloc(PARTICLES * sizeof(*particle_list));
        for (uint32_t i = 0; i < PARTICLES; i++)
            order[i] = i;
        judged_shuffle(order, PARTICLES);
        for (uint32_t i = 0; i < PARTICLES; i++) {
            particle_list[order[i]] = malloc(sizeof(struct particle));
            *particle_list[order[i]] = (struct particle){i, i, i, 1};
        }
    }
    free(order);
}

static void particles_work(bool fixed)
{
    for (uint32_t i = 0; i < PARTICLES; i++) {
        struct particle *p = fixed ? &particle_array[i] : particle_list[i];

        p->x += p->mass;
        p->y += p->mass;
    }
}

/* Two threads alternate on one lock for each step. Fixed: once per thousand steps. */
static pthread_spinlock_t turn_lock;
static _Alignas(128) long turn_value;

static void turns_set_up(bool fixed)
{
    (void)fixed;
    pthread_spin_init(&turn_lock, 0);
}

static void turns_body(int thread, bool fixed)
{
    (void)thread;
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 1000; k++) {
            if (!fixed || k == 0)
                pthread_spin_lock(&turn_lock);
            *(volatile long *)&turn_value += 1;
            if (!fixed || k == 999)
                pthread_spin_unlock(&turn_lock);
        }
}

static void turns_work(bool fixed)
{
    judged_two(turns_body, fixed);
}

const struct judged_program judged_problems[] = {
    {"chained-hash", "chasing", "scattered", NULL, chained_set_up, chained_work},
    {"search-tree", "chasing", "scattered|tlb-reach|straddling", NULL, tree_set_up, tree_work},
    {"shuffled-list", "chasing|scattered", "tlb-reach", NULL, list_set_up, list_work},
    {"copied-block", "copying", NULL, NULL, copy_set_up, copy_work},
    {"cleared-marks", "clearing", NULL, NULL, marks_set_up, marks_work},
    {"counters-in-a-line", "false-sharing", NULL, "counters_near", counters_set_up, counters_work},
    {"setting-beside-count", "false-sharing", NULL, NULL, session_set_up, session_work},
    {"one-count", "true-sharing", NULL, "requests_total", counters_set_up, requests_work},
    {"down-the-columns", "columns", NULL, NULL, columns_set_up, columns_work},
    {"one-field-of-128", "split", "streaming", NULL, stock_set_up, stock_work},
    {"one-set", "conflict", NULL, NULL, tile_set_up, tile_work},
    {"random-small-pages", "tlb-reach", NULL, NULL, lookup_set_up, lookup_work},
    {"eight-passes", "none", NULL, NULL, filter_set_up, filter_work},
    {"mapped-scratch", "first-touch|churn", NULL, NULL, scratch_set_up, scratch_work},
    {"short-lived-blocks", "churn", NULL, NULL, strings_set_up, strings_work},
    {"far-fields", "split", "tlb-reach", NULL, accounts_set_up, accounts_work},
    {"scattered-particles", "scattered", NULL, NULL, particles_set_up, particles_work},
    {"one-lock", "true-sharing|spinning", NULL, NULL, turns_set_up, turns_work},
    {0},
};
