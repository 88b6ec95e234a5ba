/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two units, or a program and a library, with structs of one name and size but other members. */
#include "o_run.h"

enum { COUNT = 1 << 19 };

struct item {
    double weight;
    long cold[5];
    float speed;
    int number;
    long last;
};

static struct item *items;
double other_total(void);
double other_same(void);
void other_fill(int count);

ALONE static double own_total(void)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += items[pick(COUNT)].speed;
    return sum;
}

/* Has the same members in both units. */
struct same {
    long a, b, c, d;
    double hot;
};

static struct same *sames;

ALONE static double own_same(void)
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += sames[pick(COUNT)].hot;
    return sum;
}

int main(int argc, char **argv)
{
    static const struct run_part parts[] = {{own_total, "item.speed"},
                                            {other_total, "item.length"},
                                            {own_same, "same.hot"},
                                            {other_same, "same.hot"}};
    items = calloc(COUNT, sizeof *items);
    sames = calloc(COUNT, sizeof *sames);
    for (int i = 0; items && i < COUNT; i++)
        items[i].number = i;
    for (int i = 0; sames && i < COUNT; i++)
        sames[i].a = i;
    other_fill(COUNT);
    if (argc < 2)
        return 2;
    run_parts(parts, sizeof parts / sizeof *parts, atof(argv[1]), argc > 2 ? argv[2] : NULL);
    return 0;
}
