/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables on the stack with fixed and variable sizes, and pointers to them. */
#include "truth.h"

struct point {
    int x, y;
    double weight;
};

struct path {
    long length;
    struct point points[6];
    struct point *last;
};

volatile double sink;
volatile int six = 6;

/* Each function calls this first to report its own variables. */
__attribute__((noinline)) static void print_variable(const char *type, const void *object,
                                                     size_t count)
{
    OBJECT(type, object, count);
    fflush(stdout);
}

MARKED static void plot(struct path *path, int x, int y)
{
    struct point *point = &path->points[path->length++];
    point->x = x;
    point->y = y;
    point->weight = x * 0.5;
    path->last = point;
}

MARKED static double local(int count)
{
    struct path path = {0};
    double sum = 0;
    print_variable("struct path", &path, 1);
    for (int i = 0; i < count; i++)
        plot(&path, i, -i);
    for (int i = 0; i < count; i++)
        sum += path.points[i].weight * path.points[i].x;
    return sum + path.last->y + (double)path.length;
}

MARKED static double buffers(int count)
{
    double values[16] = {0};
    int order[16] = {0};
    double sum = 0;
    print_variable("double", values, 16);
    print_variable("int", order, 16);
    for (int i = 0; i < 16; i++) {
        order[i] = i * 5 % 16;
        values[i] = count;
    }
    for (int i = 0; i < count; i++)
        sum += values[order[i] & 15];
    return sum;
}

MARKED static double variable(int count)
{
    struct point points[count];
    double sum = 0;
    memset(points, 0, sizeof points);
    print_variable("struct point", points, (size_t)count);
    for (int i = 0; i < count; i++)
        points[i] = (struct point){i, i * 2, i * 3};
    for (int i = 0; i < count; i++)
        sum += points[count - 1 - i].weight + points[i].y;
    return sum;
}

MARKED static double blocks(int count)
{
    double sum = 0;
    {
        struct point first = {count, 2, 3};
        print_variable("struct point", &first, 1);
        sum += first.weight + first.x;
        print_variable("gone", &first, 1);
    }
    {
        long second[4] = {1, 2, 3, 4};
        print_variable("long", second, 4);
        sum += (double)second[count & 3];
    }
    return sum;
}

int main(void)
{
    TYPE("long", long);
    TYPE("int", int);
    TYPE("double", double);
    TYPE("struct point", struct point);
    PART("struct point", struct point, x, "int", int);
    PART("struct point", struct point, y, "int", int);
    PART("struct point", struct point, weight, "double", double);
    TYPE("struct path", struct path);
    PART("struct path", struct path, length, "long", long);
    PART("struct path", struct path, points, "struct point", struct point);
    PART("struct path", struct path, last, "struct point *", struct point *);
    ready();
    sink = local(six);
    sink = buffers(six);
    sink = variable(six);
    sink = blocks(six);
    return 0;
}
