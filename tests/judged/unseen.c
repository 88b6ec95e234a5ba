/* Programs on which no rule was tuned: three with a problem, three without. */
#include <string.h>

#include "judged.h"

/*
 * A graph with edges in list nodes, allocated in the order in which the edges arrived. Fixed: the
 * edges of a node are adjacent.
 */
struct edge {
    struct edge *next;
    uint32_t to;
    uint32_t weight;
};
enum { GRAPH_NODES = 1 << 17, GRAPH_EDGES = 1 << 21 };
static struct edge *graph_first[GRAPH_NODES];
static uint32_t *graph_starts, *graph_ends;

static void graph_set_up(bool fixed)
{
    uint64_t state = 77;

    if (fixed) {
        graph_starts = judged_alloc((GRAPH_NODES + 1) * sizeof(*graph_starts));
        graph_ends = judged_alloc(GRAPH_EDGES * sizeof(*graph_ends));
        for (uint32_t i = 0; i <= GRAPH_NODES; i++)
            graph_starts[i] = i * (GRAPH_EDGES / GRAPH_NODES);
        for (uint32_t i = 0; i < GRAPH_EDGES; i++)
            graph_ends[i] = (uint32_t)(judged_next(&state) % GRAPH_NODES);
        return;
    }
    for (uint32_t i = 0; i < GRAPH_EDGES; i++) {
        uint32_t from = (uint32_t)(judged_next(&state) % GRAPH_NODES);
        struct edge *edge = malloc(sizeof(*edge));

        *edge = (struct edge){.next = graph_first[from],
                              .to = (uint32_t)(judged_next(&state) % GRAPH_NODES)};
        graph_first[from] = edge;
    }
}

static void graph_work(bool fixed)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < GRAPH_NODES; i++) {
        if (fixed)
            for (uint32_t e = graph_starts[i]; e < graph_starts[i + 1]; e++)
                sum += graph_ends[e];
        else
            for (const struct edge *edge = graph_first[i]; edge; edge = edge->next)
                sum += edge->to;
    }
    judged_sink += sum;
}

/* Statistics of two workers in one array. Fixed: each entry in its own lines. */
struct worker_near {
    volatile uint64_t done, bytes;
};
struct worker_apart {
    volatile uint64_t done, bytes;
    char rest[112];
};
static _Alignas(128) struct worker_near workers_near[2];
static _Alignas(128) struct worker_apart workers_apart[2];

static void no_set_up(bool fixed)
{
    (void)fixed;
}

static void workers_body(int thread, bool fixed)
{
    uint64_t state = (uint64_t)thread + 5;

    for (int i = 0; i < 300000; i++) {
        uint64_t length = judged_next(&state) & 1023;

        if (fixed) {
            workers_apart[thread].done++;
            workers_apart[thread].bytes += length;
        } else {
            workers_near[thread].done++;
            workers_near[thread].bytes += length;
        }
    }
}

static void workers_work(bool fixed)
{
    judged_two(workers_body, fixed);
}

/* A transposition of an image that writes the target by columns. Fixed: in tiles. */
enum { IMAGE_SIDE = 4096, IMAGE_TILE = 16 };
static uint32_t *image_from, *image_to;

static void image_set_up(bool fixed)
{
    (void)fixed;
    image_from = judged_alloc(sizeof(uint32_t) * IMAGE_SIDE * IMAGE_SIDE);
    image_to = judged_alloc(sizeof(uint32_t) * IMAGE_SIDE * IMAGE_SIDE);
}

static void image_work(bool fixed)
{
    const size_t side = IMAGE_SIDE;

    if (!fixed) {
        for (size_t y = 0; y < side; y++)
            for (size_t x = 0; x < side; x++)
                image_to[x * side + y] = image_from[y * side + x] ^ 0xff00ffu;
        return;
    }
    for (size_t by = 0; by < side; by += IMAGE_TILE)
        for (size_t bx = 0; bx < side; bx += IMAGE_TILE)
            for (size_t y = by; y < by + IMAGE_TILE; y++)
                for (size_t x = bx; x < bx + IMAGE_TILE; x++)
                    image_to[x * side + y] = image_from[y * side + x] ^ 0xff00ffu;
}

/* Running sums over 48 MiB, in place. */
static uint32_t *sums_values;
enum { SUMS = 12 << 20 };

static void sums_set_up(bool fixed)
{
    (void)fixed;
    sums_values = judged_alloc(SUMS * sizeof(*sums_values));
}

static void sums_work(bool fixed)
{
    uint32_t sum = 0;

    (void)fixed;
    for (size_t i = 0; i < SUMS; i++) {
        sum += sums_values[i];
        sums_values[i] = sum;
    }
    judged_sink += sum;
}

/* Counts a word in a text of 6 MiB, letter by letter. */
static char *book;
enum { BOOK = 6 << 20 };

static void book_set_up(bool fixed)
{
    uint64_t state = 4;

    (void)fixed;
    book = judged_alloc(BOOK + 1);
    for (size_t i = 0; i < BOOK; i++)
        book[i] = "etaoin shrdlu"[judged_next(&state) % 13];
    book[BOOK] = 0;
}

static void book_work(bool fixed)
{
    uint64_t found = 0;

    (void)fixed;
    for (size_t i = 0; i + 4 < BOOK; i++)
        found += book[i] == 't' && book[i + 1] == 'o' && book[i + 2] == 'n' && book[i + 3] == 'e';
    judged_sink += found;
}

/* A queue of 4,096 events ordered by time, in a binary heap. */
struct event {
    uint64_t when;
    uint64_t what;
};
enum { EVENTS = 4096 };
static struct event events[EVENTS];

static void sift_down(size_t at)
{
    struct event moved = events[at];

    for (size_t child; (child = 2 * at + 1) < EVENTS; at = child) {
        if (child + 1 < EVENTS && events[child + 1].when < events[child].when)
            child++;
        if (moved.when <= events[child].when)
            break;
        events[at] = events[child];
    }
    events[at] = moved;
}

static void events_work(bool fixed)
{
    static uint64_t state = 31;

    (void)fixed;
    for (int n = 0; n < 20000; n++) {
        events[0].when += judged_next(&state) & 0xffff;
        events[0].what++;
        sift_down(0);
    }
}

const struct judged_program judged_unseen[] = {
    {"graph-in-lists", "chasing|scattered", "tlb-reach", NULL, graph_set_up, graph_work},
    {"workers-in-a-line", "false-sharing", NULL, "workers_near", no_set_up, workers_work},
    {"transposed-image", "columns", "tlb-reach", NULL, image_set_up, image_work},
    {"running-sums", "none", NULL, NULL, sums_set_up, sums_work},
    {"word-count", "none", NULL, NULL, book_set_up, book_work},
    {"event-queue", "none", NULL, NULL, no_set_up, events_work},
    {0},
};
