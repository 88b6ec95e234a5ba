/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The other unit of o_twins.c, with its structs on the same lines. */
#include "o_run.h"

static int filled;

struct item {
    long cold[3];
    int number;
    float length;
    double weight;
    long last[3];
};

static struct item *items;

ALONE double other_total(void)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += items[pick((size_t)filled)].length;
    return sum;
}

struct same {
    long a, b, c, d;
    double hot;
};

static struct same *sames;

ALONE double other_same(void)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += sames[pick((size_t)filled)].hot;
    return sum;
}

void other_fill(int count)
{
    filled = count;
    items = calloc((size_t)count, sizeof *items);
    sames = calloc((size_t)count, sizeof *sames);
    for (int i = 0; items && i < count; i++)
        items[i].number = i;
    for (int i = 0; sames && i < count; i++)
        sames[i].a = i;
}
