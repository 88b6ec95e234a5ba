/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of numbers; compilers often transform the loops over them. */
#include "truth.h"

enum { N = 32, SIDE = 6 };

struct table {
    int rows, columns;
    double *cells;
    float *weights;
    const char *text;
};

static double *a, *b, *c;
static float *floats;
static int *order;
static struct table *table;
static double **rows;
static char *text;
volatile double sink;
volatile int step = 1;

MARKED static void add(double *to, const double *from, const double *more, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = from[i] + 2 * more[i];
}

MARKED static double dot(const double *x, const double *y, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i += step)
        sum += x[i] * y[i];
    return sum;
}

MARKED static void smooth(double *to, const double *from, int count)
{
    for (int i = 1; i + 1 < count; i++)
        to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
}

MARKED static void multiply(double *to, const double *x, const double *y, int side)
{
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) {
            double sum = 0;
            for (int k = 0; k < side; k++)
                sum += x[i * side + k] * y[k * side + j];
            to[i * side + j] = sum;
        }
}

MARKED static double gather(const double *from, const int *where, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += from[where[i]];
    return sum;
}

MARKED static double sum_table(const struct table *t)
{
    double sum = 0;
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->columns; j++)
            sum += t->cells[i * t->columns + j] * (double)t->weights[j];
    return sum;
}

MARKED static double by_rows(double **r, int side)
{
    double sum = 0;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            sum += r[i][j];
    return sum;
}

MARKED static int letters(const char *at)
{
    int sum = 0;
    while (*at)
        sum = sum * 31 + *at++;
    return sum;
}

MARKED static void sort(int *numbers, int count)
{
    for (int i = 1; i < count; i++) {
        int key = numbers[i];
        int j = i - 1;
        for (; j >= 0 && numbers[j] > key; j--)
            numbers[j + 1] = numbers[j];
        numbers[j + 1] = key;
    }
}

int main(void)
{
    a = zeroed(N * N, sizeof *a);
    b = zeroed(N * N, sizeof *b);
    c = zeroed(N * N, sizeof *c);
    floats = zeroed(N, sizeof *floats);
    order = zeroed(N, sizeof *order);
    table = zeroed(1, sizeof *table);
    rows = zeroed(SIDE, sizeof *rows);
    text = zeroed(N, 1);
    memset(text, 'x', N - 1);
    for (int i = 0; i < N; i++)
        order[i] = i * 5 % N;
    for (int i = 0; i < SIDE; i++)
        rows[i] = &c[i * SIDE];
    *table = (struct table){4, 5, a, floats, text};
    TYPE("double", double);
    TYPE("float", float);
    TYPE("int", int);
    TYPE("char", char);
    TYPE("double *", double *);
    TYPE("struct table", struct table);
    PART("struct table", struct table, rows, "int", int);
    PART("struct table", struct table, columns, "int", int);
    PART("struct table", struct table, cells, "double *", double *);
    PART("struct table", struct table, weights, "float *", float *);
    PART("struct table", struct table, text, "char *", char *);
    OBJECT("double", a, N * N);
    OBJECT("double", b, N * N);
    OBJECT("double", c, N * N);
    OBJECT("float", floats, N);
    OBJECT("int", order, N);
    OBJECT("struct table", table, 1);
    OBJECT("double *", rows, SIDE);
    OBJECT("char", text, N);
    ready();
    add(a, b, c, N);
    sink = dot(a, b, N);
    smooth(a, b, N);
    multiply(a, b, c, SIDE);
    sink = gather(a, order, N);
    sink = sum_table(table);
    sink = by_rows(rows, SIDE);
    sink = letters(text);
    sort(order, N);
    return 0;
}
