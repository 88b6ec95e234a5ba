/*
 * Programs without a memory problem that a change of their data could fix. Plain and fixed are the
 * same.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "judged.h"

static void no_set_up(bool fixed)
{
    (void)fixed;
}

/* Rounds of arithmetic over 4 KiB. */
static uint32_t mix_state[1024];

static void mix_work(bool fixed)
{
    (void)fixed;
    for (int round = 0; round < 2000; round++)
        for (size_t i = 0; i < 1024; i++) {
            uint32_t x = mix_state[i];

            x = (x << 7 | x >> 25) ^ (x << 11 | x >> 21) ^ 0x5bd1e995u;
            mix_state[i] = x * 0x85ebca6bu + mix_state[(i + 3) & 1023];
        }
}

/* One read of 128 MiB in order. */
static uint64_t *stream_words;

static void stream_set_up(bool fixed)
{
    (void)fixed;
    stream_words = judged_alloc(128u << 20);
}

static void stream_work(bool fixed)
{
    uint64_t sum = 0;

    (void)fixed;
    for (size_t i = 0; i < (128u << 20) / 8; i++)
        sum += stream_words[i] * stream_words[i];
    judged_sink += sum;
}

/* Random look-ups that read the whole of one aligned line of 64 bytes, on large pages. */
struct route {
    uint64_t part[8];
};
#define ROUTES (1u << 20)
static struct route *routes;

static void routes_set_up(bool fixed)
{
    (void)fixed;
    routes = aligned_alloc(2u << 20, ROUTES * sizeof(*routes));
    madvise(routes, ROUTES * sizeof(*routes), MADV_HUGEPAGE);
    memset(routes, 1, ROUTES * sizeof(*routes));
}

static void routes_work(bool fixed)
{
    static uint64_t state = 31;
    uint64_t sum = 0;

    (void)fixed;
    for (int n = 0; n < 20000; n++) {
        const struct route *route = &routes[judged_next(&state) % ROUTES];

        for (size_t i = 0; i < 8; i++)
            sum += route->part[i];
    }
    judged_sink += sum;
}

/* A product of matrices in blocks that fit into the first cache. */
#define PRODUCT_SIZE  384
#define PRODUCT_BLOCK 32
static float product_a[PRODUCT_SIZE][PRODUCT_SIZE], product_b[PRODUCT_SIZE][PRODUCT_SIZE],
    product_c[PRODUCT_SIZE][PRODUCT_SIZE];

static void product_work(bool fixed)
{
    (void)fixed;
    for (size_t ii = 0; ii < PRODUCT_SIZE; ii += PRODUCT_BLOCK)
        for (size_t kk = 0; kk < PRODUCT_SIZE; kk += PRODUCT_BLOCK)
            for (size_t jj = 0; jj < PRODUCT_SIZE; jj += PRODUCT_BLOCK)
                for (size_t i = ii; i < ii + PRODUCT_BLOCK; i++)
                    for (size_t k = kk; k < kk + PRODUCT_BLOCK; k++)
                        for (size_t j = jj; j < jj + PRODUCT_BLOCK; j++)
                            product_c[i][j] += product_a[i][k] * product_b[k][j];
}

/* A hash table with open addressing that fits into the second cache. */
#define SMALL_SLOTS (1u << 15)
static uint64_t small_slots[SMALL_SLOTS];

static void small_set_up(bool fixed)
{
    (void)fixed;
    for (uint64_t i = 0; i < SMALL_SLOTS; i++)
        small_slots[i] = i;
}

static void small_work(bool fixed)
{
    static uint64_t state = 5;
    uint64_t sum = 0;

    (void)fixed;
    for (int n = 0; n < 100000; n++)
        sum += small_slots[judged_next(&state) % SMALL_SLOTS];
    judged_sink += sum;
}

/* Two threads that only read one flag and one table. */
static volatile int read_flag = 6;
static uint32_t read_table[2048];

static void reading_body(int thread, bool fixed)
{
    uint64_t sum = 0;

    (void)fixed;
    for (uint32_t i = 0; i < 3000000; i++)
        if (read_flag & 2)
            sum += read_table[(i * 7 + (uint32_t)thread) & 2047];
    judged_sink = sum;
}

static void reading_work(bool fixed)
{
    judged_two(reading_body, fixed);
}

/* Two threads, each with its own counts in its own lines. */
static struct {
    _Alignas(256) uint64_t counts[32];
} own_counts[2];

static void own_body(int thread, bool fixed)
{
    (void)fixed;
    for (uint64_t i = 0; i < 3000000; i++) {
        volatile uint64_t *count = &own_counts[thread].counts[i * 2654435761u >> 7 & 31];

        (*count)++;
    }
}

static void own_work(bool fixed)
{
    judged_two(own_body, fixed);
}

/* A list of 16 KiB. */
struct small_node {
    struct small_node *next;
    uint64_t value;
};
static struct small_node *small_list;

static void small_list_set_up(bool fixed)
{
    (void)fixed;
    for (int i = 0; i < 512; i++) {
        struct small_node *node = malloc(sizeof(*node));

        *node = (struct small_node){small_list, (uint64_t)i};
        small_list = node;
    }
}

static void small_list_work(bool fixed)
{
    uint64_t sum = 0;

    (void)fixed;
    for (int n = 0; n < 1000; n++)
        for (struct small_node *node = small_list; node; node = node->next)
            sum += node->value;
    judged_sink += sum;
}

/* Sorting half a million numbers. */
#define SORTED 500000u
static uint32_t *sort_numbers;

static void sort_set_up(bool fixed)
{
    (void)fixed;
    sort_numbers = judged_alloc(SORTED * sizeof(*sort_numbers));
}

static void sort_range(uint32_t *from, long first, long last)
{
    while (first < last) {
        uint32_t pivot = from[first + (last - first) / 2];
        long i = first, j = last;

        while (i <= j) {
            while (from[i] < pivot)
                i++;
            while (from[j] > pivot)
                j--;
            if (i <= j) {
                uint32_t other = from[i];

                from[i++] = from[j];
                from[j--] = other;
            }
        }
        sort_range(from, first, j);
        first = i;
    }
}

static void sort_work(bool fixed)
{
    static uint64_t state = 17;

    (void)fixed;
    for (size_t i = 0; i < SORTED; i++)
        sort_numbers[i] = (uint32_t)judged_next(&state);
    sort_range(sort_numbers, 0, SORTED - 1);
    judged_sink += sort_numbers[9];
}

/* Copies of 8 KiB between two small blocks. */
static char *hot_from, *hot_to;

static void hot_copy_set_up(bool fixed)
{
    (void)fixed;
    hot_from = judged_alloc(8192 + 64);
    hot_to = judged_alloc(8192 + 64);
}

static void hot_copy_work(bool fixed)
{
    (void)fixed;
    for (int n = 0; n < 5000; n++) {
        memcpy(hot_to, hot_from, 8192);
        __asm__ volatile("" : : : "memory");
    }
}

/* Three adjacent arrays, each used completely and in order. */
#define TRIAD (1u << 20)
static double triad_a[TRIAD], triad_b[TRIAD], triad_c[TRIAD];

/* If the arrays were zero, the compiler would know the sums and clear triad_a. */
static void triad_set_up(bool fixed)
{
    (void)fixed;
    for (size_t i = 0; i < TRIAD; i++)
        triad_b[i] = triad_c[i] = (double)i;
}

static void triad_work(bool fixed)
{
    (void)fixed;
    for (size_t i = 0; i < TRIAD; i++)
        triad_a[i] = triad_b[i] + 3 * triad_c[i] / (1 + triad_b[i] * triad_b[i]);
    __asm__ volatile("" : : "r"(triad_a) : "memory");
}

/* Counts the words of a text. */
#define TEXT_BYTES (8u << 20)
static char *text_bytes;
static uint32_t text_lengths[64];

static void text_set_up(bool fixed)
{
    uint64_t state = 3;

    (void)fixed;
    text_bytes = judged_alloc(TEXT_BYTES);
    for (size_t i = 0; i < TEXT_BYTES; i++)
        text_bytes[i] = judged_next(&state) % 6 ? (char)('a' + judged_next(&state) % 26) : ' ';
}

static void text_work(bool fixed)
{
    size_t length = 0;

    (void)fixed;
    for (size_t i = 0; i < TEXT_BYTES; i++) {
        if (text_bytes[i] != ' ') {
            length++;
            continue;
        }
        text_lengths[length < 63 ? length : 63]++;
        length = 0;
    }
}

/*
 * A compression function on 64-byte blocks: the state, the schedule and the constants fit into a
 * few lines.
 */
static uint32_t digest_constants[64], digest_state[8];

static void digest_set_up(bool fixed)
{
    (void)fixed;
    for (uint32_t i = 0; i < 64; i++)
        digest_constants[i] = i * 0x9e3779b9u;
}

static void digest_work(bool fixed)
{
    uint32_t schedule[64];

    (void)fixed;
    for (uint32_t block = 0; block < 20000; block++) {
        for (uint32_t i = 0; i < 16; i++)
            schedule[i] = block * i;
        for (uint32_t i = 16; i < 64; i++)
            schedule[i] = schedule[i - 16] + (schedule[i - 15] >> 3) + schedule[i - 7] +
                          (schedule[i - 2] >> 10);
        for (uint32_t i = 0; i < 64; i++)
            digest_state[i & 7] += (digest_state[(i + 1) & 7] ^ digest_state[(i + 3) & 7]) +
                                   digest_constants[i] + schedule[i];
    }
}

/* A recursion that only uses its stack. */
static uint64_t calls_of(uint64_t n)
{
    return n < 2 ? n : calls_of(n - 1) + calls_of(n - 2);
}

static void calls_work(bool fixed)
{
    (void)fixed;
    judged_sink += calls_of(27);
}

/* Records that are read completely and in order. */
struct reading {
    double value, weight, low, high;
};
#define READINGS (1u << 19)
static struct reading *readings;

static void readings_set_up(bool fixed)
{
    (void)fixed;
    readings = judged_alloc(READINGS * sizeof(*readings));
}

static void readings_work(bool fixed)
{
    double sum = 0;

    (void)fixed;
    for (size_t i = 0; i < READINGS; i++) {
        const struct reading *r = &readings[i];

        sum += r->value * r->weight + (r->high - r->low);
    }
    judged_sink += (uint64_t)(sum > 1);
}

/* A few blocks allocated for each long computation. */
static void seldom_work(bool fixed)
{
    (void)fixed;
    for (int n = 0; n < 200; n++) {
        char *block = malloc(100);
        uint64_t x = (uintptr_t)block;

        for (int i = 0; i < 20000; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        block[0] = (char)x;
        judged_sink += (uint64_t)block[0];
        free(block);
    }
}

/* Sparse matrix times vector: the matrix in order, the vector in the second cache. */
#define SPARSE_ROWS (1u << 16)
#define SPARSE_ROW  16
static uint32_t *sparse_columns;
static float *sparse_values, *sparse_in, *sparse_out;

static void sparse_set_up(bool fixed)
{
    uint64_t state = 8;

    (void)fixed;
    sparse_columns = judged_alloc(sizeof(uint32_t) * SPARSE_ROWS * SPARSE_ROW);
    sparse_values = judged_alloc(sizeof(float) * SPARSE_ROWS * SPARSE_ROW);
    sparse_in = judged_alloc(sizeof(float) * SPARSE_ROWS);
    sparse_out = judged_alloc(sizeof(float) * SPARSE_ROWS);
    for (size_t i = 0; i < (size_t)SPARSE_ROWS * SPARSE_ROW; i++)
        sparse_columns[i] = (uint32_t)(judged_next(&state) % SPARSE_ROWS);
}

static void sparse_work(bool fixed)
{
    (void)fixed;
    for (size_t row = 0; row < SPARSE_ROWS; row++) {
        float sum = 0;

        for (size_t k = row * SPARSE_ROW; k < (row + 1) * SPARSE_ROW; k++)
            sum += sparse_values[k] * sparse_in[sparse_columns[k]];
        sparse_out[row] = sum;
    }
}

/* A hash table with one entry per bucket; names are in larger blocks, between the entries.
 */
#define USERS (1u << 18)
struct user_entry {
    struct user_entry *next;
    uint64_t hash;
    char *name;
    struct user_account {
        uint64_t id;
        char text[40];
    } * account;
};
static struct user_entry **user_buckets;

static char *name_room(void)
{
    static char *chunk;
    static size_t used = 1 << 16;

    if (used == 1 << 16) {
        chunk = judged_alloc(1 << 16);
        used = 0;
    }
    used += 32;
    return chunk + used - 32;
}

static void users_set_up(bool mended)
{
    (void)mended;
    user_buckets = calloc(USERS, sizeof *user_buckets);
    for (uint64_t i = 0; i < USERS / 2; i++) {
        struct user_entry *entry = judged_alloc(sizeof *entry);
        entry->hash = i * 0x9e3779b97f4a7c15u;
        entry->name = name_room();
        entry->account = judged_alloc(sizeof *entry->account);
        snprintf(entry->name, 24, "user %u", (unsigned)i);
        *entry->account = (struct user_account){.id = i};
        entry->next = user_buckets[entry->hash % USERS];
        user_buckets[entry->hash % USERS] = entry;
    }
}

static void users_work(bool mended)
{
    static uint64_t state = 9;

    (void)mended;
    for (int i = 0; i < 20000; i++) {
        uint64_t id = judged_next(&state) % (USERS / 2);
        uint64_t hash = id * 0x9e3779b97f4a7c15u;
        char text[24];

        snprintf(text, sizeof text, "user %u", (unsigned)id);
        for (struct user_entry *at = user_buckets[hash % USERS]; at; at = at->next)
            if (at->hash == hash && !strcmp(at->name, text))
                judged_sink += at->account->id;
    }
}

const struct judged_program judged_sound[] = {
    {"arithmetic", "none", NULL, NULL, no_set_up, mix_work},
    {"stream", "none", NULL, NULL, stream_set_up, stream_work},
    {"one-line-look-ups", "none", NULL, NULL, routes_set_up, routes_work},
    {"blocked-product", "none", NULL, NULL, no_set_up, product_work},
    {"small-table", "none", NULL, NULL, small_set_up, small_work},
    {"two-readers", "none", NULL, NULL, no_set_up, reading_work},
    {"own-counts", "none", NULL, NULL, no_set_up, own_work},
    {"small-list", "none", NULL, NULL, small_list_set_up, small_list_work},
    {"sort", "none", NULL, NULL, sort_set_up, sort_work},
    {"hot-copy", "none", NULL, NULL, hot_copy_set_up, hot_copy_work},
    {"triad", "none", NULL, NULL, triad_set_up, triad_work},
    {"text", "none", NULL, NULL, text_set_up, text_work},
    {"digest", "none", NULL, NULL, digest_set_up, digest_work},
    {"calls", "none", NULL, NULL, no_set_up, calls_work},
    {"records-in-order", "none", NULL, NULL, readings_set_up, readings_work},
    {"seldom-allocating", "none", NULL, NULL, no_set_up, seldom_work},
    {"named-entries", "none", NULL, NULL, users_set_up, users_work},
    {"sparse-product", "none", NULL, NULL, sparse_set_up, sparse_work},
    {0},
};
