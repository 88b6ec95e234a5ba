/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Imitates the heap of Go's runtime and its function table, with nodes in random order and one
 * large array, and a thread that walks them. Prints "CLASS FUNCTION NANOSECONDS" by its own clock.
 * Built by test_go.sh.
 *
 *     go_planted SECONDS SPANS_AT SIZE_WORD [damaged]
 *
 * SPANS_AT: offset of the spans in the data of an arena; SIZE_WORD: the word of a span that has the
 * size of its blocks: 2097152 and 13 for Go 1.19, 1179648 and 14 for Go 1.21, 0 and 13 for Go 1.22.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    PAGE = 8192,
    ARENA_BYTES = 64 << 20,
    NODE_BYTES = 80,
    NODE_SPANS = 4096, /* one page each */
    NODES_A_SPAN = PAGE / NODE_BYTES,
    NODES = NODE_SPANS * NODES_A_SPAN,
    ARRAY_WORDS = 2 << 20,
    SPAN_WORDS = 20,
    IN_USE = 1,
    STACK = 2
};

/* The functions in the table, in order; `last` ends it. */
int64_t chase(uint64_t **at, long steps);
int64_t sum(const int64_t *array, long steps);
void last(void);

/* Go 1.20's header: counts and the offsets of its parts; two functions and an end; names. */
__asm__(".pushsection .gopclntab, \"aw\"\n"
        "table: .long 0xfffffff1\n .byte 0, 0, 1, 8\n .quad 2, 0, chase\n"
        " .quad names - table, 0, 0, 0, entries - table\n"
        "entries: .long 0, first - entries, sum - chase, second - entries, last - chase\n"
        "first: .long 0, 0\n"
        "second: .long sum - chase, 11\n"
        "names: .asciz \"main.chase\", \"main.(*Table).sum\"\n"
        ".popsection");

static char *const heap = (char *)0xc000000000;
/* As in the runtime: in the middle of much zero-initialised data, and without a symbol. */
struct {
    char before[1 << 16];
    uint64_t **arenas;
    char behind[1 << 16];
} data;
static volatile int64_t sink;

static uint64_t chance(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 33;
}

#define IN_GO __attribute__((noinline, section(".text.go")))

IN_GO int64_t chase(uint64_t **at, long steps)
{
    int64_t found = 0;
    uint64_t *node = *at;
    for (; steps > 0; steps--) {
        found += (int64_t)node[2];
        node = *(uint64_t **)node;
    }
    *at = node;
    return found;
}

IN_GO int64_t sum(const int64_t *array, long steps)
{
    int64_t found = 0;
    for (; steps > 0; steps--)
        found += array[chance() % ARRAY_WORDS];
    return found;
}

IN_GO void last(void)
{
}

static void *memory(void *at, size_t bytes)
{
    void *got =
        mmap(at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (got == MAP_FAILED || (at && got != at)) {
        perror("mmap");
        exit(1);
    }
    return got;
}

/* Go 1.19 to 1.22 differ only in the words before the size. */
static uint64_t *make_span(uint64_t *span, char *start, uint64_t pages, uint64_t block_bytes,
                           int size_word, int state)
{
    unsigned char *bytes = (unsigned char *)span;
    uint64_t blocks = pages * PAGE / block_bytes;
    uint16_t used = (uint16_t)blocks;
    span[3] = (uint64_t)start;
    span[4] = pages;
    span[size_word] = state == IN_USE ? block_bytes : 0;
    span[size_word + 1] = (uint64_t)start + blocks * block_bytes;
    memcpy(bytes + size_word * 8 - 8, &used, sizeof used);
    bytes[size_word * 8 - 5] = (unsigned char)state;
    return span;
}

static void make_heap(uint64_t spans_at, int size_word)
{
    char *own = memory(NULL, 4 << 20);
    uint64_t **spans = (uint64_t **)(own + spans_at);
    uint64_t *span = memory(NULL, 4 << 20);
    uint64_t page = 0;
    memory(heap, ARENA_BYTES);
    data.arenas = memory(NULL, (size_t)8 << 22);
    data.arenas[((uint64_t)heap + (1ull << 47)) >> 26] = (uint64_t *)own;
    for (; page < NODE_SPANS; page++, span += SPAN_WORDS)
        spans[page] = make_span(span, heap + page * PAGE, 1, NODE_BYTES, size_word, IN_USE);
    spans[page] = make_span(span, heap + page * PAGE, 1, NODE_BYTES, size_word, STACK);
    page++;
    span += SPAN_WORDS;
    uint64_t pages = ARRAY_WORDS * 8 / PAGE;
    make_span(span, heap + page * PAGE, pages, ARRAY_WORDS * 8, size_word, IN_USE);
    for (uint64_t i = 0; i < pages; i++)
        spans[page + i] = span;
}

static uint64_t *node_at(uint32_t i)
{
    return (uint64_t *)(heap + (uint64_t)(i / NODES_A_SPAN) * PAGE +
                        (uint64_t)(i % NODES_A_SPAN) * NODE_BYTES);
}

static void make_nodes(void)
{
    for (uint32_t i = 0; i < NODES; i++) {
        node_at(i)[0] = (uint64_t)node_at((uint32_t)((i * 99991ull + 7) % NODES)); /* one cycle */
        node_at(i)[2] = i;
    }
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
    double chase_ns = 0;
    double sum_ns = 0;
    if (count < 4)
        return 1;
    make_heap(strtoull(arguments[2], NULL, 10), atoi(arguments[3]));
    make_nodes();
    uint64_t *at = node_at(0);
    int64_t *array = (int64_t *)(heap + (uint64_t)(NODE_SPANS + 1) * PAGE);
    if (count > 4) /* an arena with invalid pointers and impossible sizes */
        for (uint64_t i = 0; i < 1 << 10; i++)
            data.arenas[(((uint64_t)heap + (1ull << 47)) >> 26)][i] =
                i % 2 ? ~i << 3 : (uint64_t)heap;
    while (chase_ns + sum_ns < atof(arguments[1]) * 1e9) {
        double began = now_ns();
        sink += chase(&at, 2000 + (long)chance() % 4000);
        chase_ns += now_ns() - began;
        began = now_ns();
        sink += sum(array, 12000 + (long)chance() % 24000);
        sum_ns += now_ns() - began;
    }
    printf("new(80) main.chase %.0f\nnew(16.0M) main.(*Table).sum %.0f\n", chase_ns, sum_ns);
    return 0;
}
