/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of which few bytes are used, and elements across lines. */
#include "findings_planted.h"

/* 64 MiB or more of each: more than the caches, and long enough for a pass to be seen as one. */
enum { PARTICLES = 1 << 20, FEW = 128, RECORDS = 1 << 21 };

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

static struct particle *particles;
static double *positions;
static unsigned char *records;
static size_t many;
static size_t stride; /* bytes from record to record */

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
        if (r->id != (uint64_t)i) /* the value is read when the id is known */
            sum += r->value;
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

static void make_records_close(size_t count)
{
    (void)count;
    make_records(sizeof(struct record));
}

const struct planted_mode planted_layout_modes[] = {
    {"split", make_particles, PARTICLES, sum_x, 1},
    {"split-fixed", make_positions, PARTICLES, sum_positions, 1},
    {"split-clean", make_particles, PARTICLES, sum_all, 1}, /* uses all it fetches */
    {"split-small", make_particles, FEW, sum_x, 1},         /* stays in the cache */
    {"straddling", make_records_close, 0, look_up, 1},
    {"straddling-fixed", make_records, 64, look_up, 1},
    {"straddling-clean", make_records_close, 0, look_up_ids, 1}, /* never needs two lines */
    {NULL, NULL, 0, NULL, 0},
};
