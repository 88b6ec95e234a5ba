/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All kinds of structs in C; prints its own offsetof and sizeof. */
#include "d_say.h"

#include <complex.h>
#include <stdbool.h>
#include <string.h>

typedef int (*compare)(const void *, const void *);
enum colour { RED, GREEN = 7 };

typedef struct {
    double x, y;
} point;

struct node {
    struct node *next;
    struct node **back;
    const char *const name;
    compare order;
    void (*handlers[3])(int);
    int (*table)[4];
    enum colour colour;
    bool on;
    volatile long ticks;
};

union number {
    int i;
    double d;
    struct {
        short low, high;
    } halves;
    unsigned char bytes[12];
};

struct body {
    char tag;
    point pos;
    point corners[2][3];
    union number value;
    struct {
        int inside;
        union {
            float f;
            int i;
        };
    };
    struct deep {
        struct deeper {
            struct deepest {
                long bottom;
            } deepest[2];
            char tail;
        } deeper;
    } deep;
    struct node *nodes[5];
    _Complex double z;
    float matrix[3][4][5];
};

struct bits {
    unsigned a : 3;
    unsigned b : 7;
    unsigned : 4;
    unsigned c : 12;
    int d : 20;
    unsigned long e : 40;
    unsigned long f : 30;
    unsigned char g : 5;
    bool h : 1;
    int plain;
};

struct __attribute__((packed)) packed_bits {
    char first;
    unsigned a : 5;
    unsigned b : 30;
    long c : 33;
    short last;
};

struct flexible {
    int count;
    struct {
        short key;
        int value;
    } entries[];
};

struct zero {
    int head;
    int start[0];
    int one, two;
};

struct opaque;
struct knows {
    struct opaque *hidden;
    int (*visit)(struct opaque *, int (*)(void), ...);
    const int *restrict fast;
    const volatile int both;
};

struct node a_node = {.name = ""};
struct body a_body;
struct body bodies[7];
struct bits some_bits;
struct packed_bits packed_bits;
struct knows knows;
union number a_number;
point a_point;
struct flexible flexible = {2, {{1, 2}, {3, 4}}};
struct zero zero;
enum colour a_colour;
int numbers[3][4];
const char *words[10];
compare order;
double scalar;

static void say_node(void)
{
    SAY_VARIABLE("a_node", a_node, 0, "struct node");
    SAY_FIELD(struct node, next, "struct node *");
    SAY_FIELD(struct node, back, "struct node **");
    SAY_FIELD(struct node, name, "const char *const");
    SAY_FIELD(struct node, order, "compare");
    SAY_FIELD(struct node, colour, "enum colour");
    SAY_FIELD(struct node, ticks, "volatile long");
    SAY_AT("handlers[*]", offsetof(struct node, handlers), 24, "void (*[3])(int)");
    SAY_FIELD(struct node, table, "int (*)[4]");
    SAY_FIELD(struct node, on, "_Bool");
}

static void say_body(void)
{
    SAY_VARIABLE("bodies", bodies, 7, "struct body");
    SAY_VARIABLE("a_body", a_body, 0, "struct body");
    SAY_FIELD(struct body, tag, "char");
    SAY_FIELD(struct body, pos, "point");
    SAY_FIELD(struct body, pos.y, "double");
    SAY_AT("corners[*]", offsetof(struct body, corners), sizeof a_body.corners, "point [2][3]");
    SAY_AT("corners[*].y", offsetof(struct body, corners[0][0].y), 8, "double");
    SAY_FIELD(struct body, value, "union number");
    SAY_FIELD(struct body, value.halves.high, "short");
    SAY_AT("value.bytes[*]", offsetof(struct body, value.bytes), 12, "unsigned char [12]");
    SAY_FIELD(struct body, inside, "int");
    SAY_FIELD(struct body, f, "float");
    SAY_AT("deep.deeper.deepest[*].bottom", offsetof(struct body, deep), sizeof(long), "long");
    SAY_FIELD(struct body, deep.deeper.tail, "char");
    SAY_AT("nodes[*]", offsetof(struct body, nodes), 40, "struct node *[5]");
    SAY_FIELD(struct body, z, "*");
    SAY_AT("matrix[*]", offsetof(struct body, matrix), sizeof a_body.matrix, "float [3][4][5]");
}

static void say_fields_of_bits(void)
{
    SAY_VARIABLE("some_bits", some_bits, 0, "struct bits");
    SAY_BITS(struct bits, a);
    SAY_BITS(struct bits, b);
    SAY_BITS(struct bits, c);
    SAY_BITS(struct bits, d);
    SAY_BITS(struct bits, e);
    SAY_BITS(struct bits, f);
    SAY_BITS(struct bits, g);
    SAY_BITS(struct bits, h);
    SAY_FIELD(struct bits, plain, "int");
    SAY_VARIABLE("packed_bits", packed_bits, 0, "struct packed_bits");
    SAY_BITS(struct packed_bits, a);
    SAY_BITS(struct packed_bits, b);
    SAY_BITS(struct packed_bits, c);
    SAY_FIELD(struct packed_bits, last, "short");
}

static void say_rest(void)
{
    SAY_VARIABLE("a_number", a_number, 0, "union number");
    SAY_FIELD(union number, d, "double");
    SAY_VARIABLE("a_point", a_point, 0, "point");
    SAY_FIELD(point, y, "double");
    SAY_VARIABLE("flexible", flexible, 0, "struct flexible");
    SAY_AT("entries[*]", offsetof(struct flexible, entries), 0, "struct {...} []");
    SAY_AT("entries[*].value", offsetof(struct flexible, entries) + 4, 4, "int");
    SAY_VARIABLE("zero", zero, 0, "struct zero");
    SAY_AT("start[*]", offsetof(struct zero, start), 0, "int []");
    SAY_FIELD(struct zero, one, "int");
    SAY_FIELD(struct zero, two, "int");
    SAY_VARIABLE("knows", knows, 0, "struct knows");
    SAY_FIELD(struct knows, hidden, "struct opaque *");
    SAY_FIELD(struct knows, visit, "int (*)(struct opaque *, int (*)(void), ...)");
    SAY_FIELD(struct knows, fast, "const int *restrict");
    SAY_VARIABLE("a_colour", a_colour, 0, "enum colour");
    SAY_VARIABLE("numbers", numbers, 12, "int");
    SAY_VARIABLE("words", words, 10, "const char *");
    SAY_VARIABLE("scalar", scalar, 0, "double");
    SAY_VARIABLE("order", order, 0, "int (*)(const void *, const void *)");
}

int main(void)
{
    say_node();
    say_body();
    say_fields_of_bits();
    say_rest();
    return 0;
}
