/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements with few used bytes, and elements across lines. */
#include "findings_planted.h"

#include <stdlib.h>

/* 64 MiB or more each: larger than the caches, and long enough for a pass to be recognised. */
enum { PARTICLES = 1 << 22, FEW = 128, RECORDS = 1 << 21, MESSAGES = 1 << 20 };
/* The prices alone fit into a core's caches, the orders do not. */
enum { ORDERS = 1 << 18, HISTORY = 3 << 20, HISTORY_BATCH = 12 * PLANTED_BATCH };

struct particle {
    double x, y, z;
    double vx, vy, vz;
    double mass, charge;
};
struct record {
    uint64_t id;
    uint64_t rest[4];
    uint64_t value;
};

/* Its value is read after its first word, the offset of the value, has arrived. */
struct message {
    uint64_t behind;
    double x, y, z;
    double vx, vy, vz;
    uint64_t value;
};

struct order {
    uint64_t id;
    uint64_t client[6];
    uint64_t note[6];
    double price;
    uint32_t flags;
    uint32_t quantity;
    uint64_t stamp;
};

static struct order *orders;
static double *prices;
static double *history;
static struct particle *particles;
static double *positions;
static unsigned char *records;
static struct message *messages;
static size_t many;
static size_t stride; /* distance between records */

__attribute__((noinline)) static size_t sum_x(void)
{
    double sum = 0;
    for (size_t i = 0; i < many; i++)
        sum += particles[i].x;
    planted_sink = sum;
    return many;
}

__attribute__((noinline)) static size_t sum_all(void)
{
    double sum = 0;
    for (size_t i = 0; i < many; i++) {
        const struct particle *p = &particles[i];
        sum += p->x * p->vx + p->y * p->vy + p->z * p->vz + p->mass * p->charge;
    }
    planted_sink = sum;
    return many;
}

__attribute__((noinline)) static size_t sum_positions(void)
{
    double sum = 0;
    for (size_t i = 0; i < many; i++)
        sum += positions[i];
    planted_sink = sum;
    return many;
}

__attribute__((noinline)) static size_t look_up(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++) {
        const struct record *r = (const void *)(records + planted_random() % RECORDS * stride);
        if (r->id != (uint64_t)i) /* the value is read after the id is known */
            sum += r->value;
    }
    planted_sink = (double)sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t take_messages(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++) {
        const struct message *m = &messages[planted_random() % MESSAGES];
        sum += (&m->value)[m->behind];
    }
    planted_sink = (double)sum;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t look_up_ids(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < PLANTED_BATCH; i++) {
        const struct record *r = (const void *)(records + planted_random() % RECORDS * stride);
        sum += r->id;
    }
    planted_sink = (double)sum;
    return PLANTED_BATCH;
}

static void make_particles(size_t count)
{
    many = count;
    particles = planted_memory(count * sizeof *particles);
}

static void make_positions(size_t count)
{
    many = count;
    positions = planted_memory(count * sizeof *positions);
}

static void make_records(size_t bytes)
{
    stride = bytes;
    records = planted_memory(RECORDS * bytes);
}

/* At the start of a line, or 16 bytes after it, like malloc() with large blocks. */
static void make_messages(size_t behind)
{
    messages = (void *)((char *)planted_memory((MESSAGES + 1) * sizeof *messages) + behind);
    for (size_t i = 0; i < MESSAGES; i++)
        messages[i].behind = 0;
}

static void make_records_close(size_t count)
{
    (void)count;
    make_records(sizeof(struct record));
}

/* Reads the price in a random order of 128 bytes; below, the same in an array of prices alone. */
__attribute__((noinline)) static size_t best_price(void)
{
    double best = 0;
    for (int i = 0; i < PLANTED_BATCH; i++) {
        const struct order *o = &orders[(planted_random() + (uint64_t)best) % ORDERS];
        best = o->price > best ? o->price * 0.5 : best;
    }
    planted_sink = best;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t best_of_prices(void)
{
    double best = 0;
    for (int i = 0; i < PLANTED_BATCH; i++) {
        double price = prices[(planted_random() + (uint64_t)best) % ORDERS];
        best = price > best ? price * 0.5 : best;
    }
    planted_sink = best;
    return PLANTED_BATCH;
}

__attribute__((noinline)) static size_t sum_order(void)
{
    double sum = 0;
    for (int i = 0; i < PLANTED_BATCH / 4; i++) {
        const struct order *o = &orders[planted_random() % ORDERS];
        sum += (double)(o->id + o->stamp + o->flags + o->quantity) + o->price;
        for (size_t k = 0; k < sizeof o->client / sizeof *o->client; k++)
            sum += (double)(o->client[k] + o->note[k]);
    }
    planted_sink = sum;
    return PLANTED_BATCH / 4;
}

__attribute__((noinline)) static void note_history(void)
{
    for (int i = 0; i < HISTORY_BATCH; i++)
        history[planted_random() % HISTORY] += 1;
}

static size_t best_price_between(void)
{
    note_history();
    return best_price();
}

static size_t best_of_prices_between(void)
{
    note_history();
    return best_of_prices();
}

static size_t sum_order_between(void)
{
    note_history();
    return sum_order();
}

static void make_orders(size_t count)
{
    orders = calloc(count, sizeof *orders);
    history = calloc(HISTORY, sizeof *history);
    if (!orders || !history)
        abort();
    for (size_t i = 0; i < count; i++)
        orders[i].price = (double)(planted_random() % 1000);
    for (size_t i = 0; i < HISTORY; i++)
        history[i] = 1;
}

static void make_prices(size_t count)
{
    prices = calloc(count, sizeof *prices);
    history = calloc(HISTORY, sizeof *history);
    if (!prices || !history)
        abort();
    for (size_t i = 0; i < count; i++)
        prices[i] = (double)(planted_random() % 1000);
    for (size_t i = 0; i < HISTORY; i++)
        history[i] = 1;
}

const struct planted_mode planted_layout_modes[] = {
    {"split", make_particles, PARTICLES, sum_x, 1},
    {"split-fixed", make_positions, PARTICLES, sum_positions, 1},
    {"split-clean", make_particles, PARTICLES, sum_all, 1}, /* uses everything it fetches */
    {"split-small", make_particles, FEW, sum_x, 1},         /* stays in the cache */
    {"straddling", make_messages, 16, take_messages, 1},
    {"straddling-fixed", make_messages, 0, take_messages, 1},
    {"straddling-overlap", make_records_close, 0, look_up, 1}, /* both lines are fetched at once */
    {"straddling-clean", make_records_close, 0, look_up_ids, 1}, /* never needs two lines */
    {"orders", make_orders, ORDERS, best_price_between, 1},
    {"orders-fixed", make_prices, ORDERS, best_of_prices_between, 1},
    {"orders-clean", make_orders, ORDERS, sum_order_between, 1}, /* uses everything it fetches */
    {"few-used", make_particles, 1 << 14, sum_x, 1}, /* for a simulated cache of 256 KiB */
    {"few-used-fixed", make_positions, 1 << 14, sum_positions, 1},
    {NULL, NULL, 0, NULL, 0},
};
