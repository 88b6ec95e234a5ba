/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of structs: nested structs, arrays, unions, bit-fields, flexible ends. */
#include "truth.h"

enum { COUNT = 24, WORDS = 10 };

struct vector {
    double x, y, z;
};

struct particle {
    struct vector position;
    struct vector speed;
    double mass;
    float charge[4];
    int kind;
    short flags;
    char tag[10];
    struct particle *friends[2];
};

struct packet {
    unsigned long stamp;
    union {
        struct {
            int source, target;
        };
        unsigned char raw[16];
        double weight;
    } head;
    unsigned urgent : 3, hops : 13, color : 16;
    unsigned short length;
    long words[];
};

struct grid {
    long rows;
    struct vector cells[3][4];
    int histogram[16];
};

static struct particle *particles;
static struct packet *packet;
static struct grid *grid;
volatile double sink;

MARKED static void move(struct particle *p, size_t count, double step)
{
    for (size_t i = 0; i < count; i++) {
        p[i].position.x += p[i].speed.x * step;
        p[i].position.y += p[i].speed.y * step;
        p[i].position.z += p[i].speed.z * step;
        p[i].flags++;
    }
}

MARKED static double weigh(const struct particle *p, const struct particle *end)
{
    double sum = 0;
    for (; p != end; p++) {
        if (p->kind & 1)
            sum += p->mass * p->charge[p->kind & 3];
        else
            sum += p->friends[p->kind >> 1 & 1]->mass;
    }
    return sum;
}

MARKED static int tags(struct particle *p, size_t count)
{
    int sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < sizeof p->tag; j++)
            sum += p[i].tag[j] += (char)j;
    return sum;
}

MARKED static long receive(struct packet *in, long count)
{
    long sum = (long)in->stamp;
    in->head.source += in->head.target;
    in->hops++;
    in->urgent = in->color & 7;
    for (long i = 0; i < count; i++)
        sum += in->words[i];
    in->length = (unsigned short)sum;
    return sum + in->head.raw[sum & 15];
}

MARKED static double sum_grid(struct grid *g, int row)
{
    double sum = 0;
    for (int column = 0; column < 4; column++) {
        sum += g->cells[row][column].y;
        g->histogram[(row * 4 + column) & 15]++;
    }
    return sum / (double)g->rows;
}

MARKED static double middle(const struct vector *v)
{
    return (v->x + v->y + v->z) / 3;
}

MARKED static void shake(struct particle *all, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        struct particle *one = &all[i];
        struct particle *other = &all[(i * 7 + 3) % count];
        double mine = middle(&one->position);
        one->speed.x += mine - middle(&other->position);
        other->speed = one->speed;
    }
}

static void print_types(void)
{
    TYPE("struct vector", struct vector);
    PART("struct vector", struct vector, x, "double", double);
    PART("struct vector", struct vector, y, "double", double);
    PART("struct vector", struct vector, z, "double", double);
    TYPE("struct particle", struct particle);
    PART("struct particle", struct particle, position, "struct vector", struct vector);
    PART("struct particle", struct particle, speed, "struct vector", struct vector);
    PART("struct particle", struct particle, mass, "double", double);
    PART("struct particle", struct particle, charge, "float", float);
    PART("struct particle", struct particle, kind, "int", int);
    PART("struct particle", struct particle, flags, "short", short);
    PART("struct particle", struct particle, tag, "char", char);
    PART("struct particle", struct particle, friends, "struct particle *", struct particle *);
    TYPE("struct packet", struct packet);
    PART("struct packet", struct packet, stamp, "unsigned long", unsigned long);
    PART("struct packet", struct packet, head, "union", char[16]);
    PLACE("struct packet", "unsigned int", offsetof(struct packet, head) + 16, 4, 1);
    PART("struct packet", struct packet, length, "unsigned short", unsigned short);
    PLACE("struct packet", "long", offsetof(struct packet, words), sizeof(long), WORDS);
    TYPE("struct grid", struct grid);
    PART("struct grid", struct grid, rows, "long", long);
    PART("struct grid", struct grid, cells, "struct vector", struct vector);
    PART("struct grid", struct grid, histogram, "int", int);
    OBJECT("struct particle", particles, COUNT);
    OBJECT("struct packet", packet, 1);
    OBJECT("struct grid", grid, 1);
}

int main(void)
{
    particles = zeroed(COUNT, sizeof *particles);
    packet = zeroed(1, sizeof *packet + WORDS * sizeof *packet->words);
    grid = zeroed(1, sizeof *grid);
    for (int i = 0; i < COUNT; i++)
        particles[i] = (struct particle){.kind = i, .friends = {particles, &particles[i / 2]}};
    grid->rows = 3;
    print_types();
    ready();
    move(particles, COUNT, 0.1);
    sink = weigh(particles, particles + COUNT);
    sink = tags(particles, 3);
    sink = (double)receive(packet, WORDS);
    sink = sum_grid(grid, (int)grid->rows - 1);
    shake(particles, COUNT);
    return 0;
}
