/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables and other contents of frames; prints their addresses. */
#include "d_print.h"

#include <alloca.h>
#include <string.h>

typedef struct {
    double x, y;
} point;

struct pair {
    int key;
    point at;
};

static volatile int sink;

NOT_INLINED static int plain(int number, struct pair given, const char *text)
{
    int local = number + 1;
    point points[4] = {{1, 2}};
    int grid[2][3] = {{1}};
    struct pair *next = &given;
    PRINT_SLOT("local", local, 0, "int");
    PRINT_SLOT("points", points, 4, "point");
    PRINT_SLOT("grid", grid, 6, "int");
    PRINT_SLOT("given", given, 0, "struct pair");
    PRINT_SLOT("number", number, 0, "int");
    PRINT_SLOT("text", text, 0, "const char *");
    PRINT_SLOT("next", next, 0, "struct pair *");
    for (int i = 0; i < 2; i++) {
        long inner = i;
        PRINT_SLOT("inner", inner, 0, "long");
        PRINT_SLOT("i", i, 0, "int");
        sink += (int)inner;
    }
    {
        point inner = {1, number};
        PRINT_SLOT("inner", inner, 0, "point");
    }
    PRINT_KIND("saved", (char *)__builtin_dwarf_cfa() - 8);
    return local + (int)points[1].x + grid[1][1] + next->key;
}

__attribute__((always_inline)) static inline int inlined(int value)
{
    point deep = {value, 1};
    PRINT_SLOT("deep", deep, 0, "point");
    return (int)deep.x;
}

NOT_INLINED static int outer(int a, int b)
{
    struct pair mine = {.key = a};
    int sum = inlined(a) + inlined(b);
    PRINT_SLOT("mine", mine, 0, "struct pair");
    return sum + mine.key;
}

NOT_INLINED static int with_alloca(int count)
{
    char *taken = alloca((size_t)count);
    memset(taken, count, (size_t)count);
    PRINT_KIND("dynamic", taken + count / 2);
    PRINT_SLOT("taken", taken, 0, "char *");
    PRINT_KIND("saved", (char *)__builtin_dwarf_cfa() - 8);
    PRINT_KIND("saved", (char *)__builtin_dwarf_cfa() - 16); /* the frame pointer */
    return taken[1];
}

NOT_INLINED static int with_array(int count)
{
    int array[count];
    memset(array, 1, sizeof array);
    PRINT_KIND("dynamic", &array[count / 2]);
    PRINT_SLOT("count", count, 0, "int");
    return array[2];
}

/* The last three of the nine parameters are on the stack, in the caller's frame. */
NOT_INLINED static long many(long a, long b, long c, long d, long e, long f, long g, long h,
                             point p)
{
    PRINT_SLOT("g", g, 0, "long");
    PRINT_SLOT("h", h, 0, "long");
    PRINT_SLOT("p", p, 0, "point");
    if ((char *)&h >= (char *)__builtin_dwarf_cfa())
        printf("kind argument %llx %llx %llx\n",
               (unsigned long long)(uintptr_t)__builtin_return_address(0), (unsigned long long)a,
               (unsigned long long)(uintptr_t)&h);
    return a + b + c + d + e + f + g + h;
}

static int counter(void)
{
    static int calls = 5;
    PRINT_VARIABLE("calls", calls, 0, "int");
    return calls++;
}

static __thread int before;
static __thread point local_point;
static __thread char text[24];

int main(void)
{
    struct pair given = {1, {2, 3}};
    long big = sink;
    point p = {1, 2};
    before = 1;
    text[2] = 2;
    plain(sink, given, "text");
    outer(1, 2);
    with_alloca(300 + sink);
    with_array(100 + sink);
    many((long)__builtin_dwarf_cfa(), 2, 3, 4, 5, 6, big + 7, big + 8, p);
    print_return(__builtin_dwarf_cfa());
    counter();
    PRINT_THREAD("local_point", local_point, 0, "point");
    PRINT_THREAD("text", text, 24, "char");
    PRINT_THREAD("before", before, 0, "int");
    return 0;
}
