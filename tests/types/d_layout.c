/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All kinds of structs in C; prints its own offsetof and sizeof. */
#include "d_print.h"

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

static void print_node(void)
{
    PRINT_VARIABLE("a_node", a_node, 0, "struct node");
    PRINT_FIELD(struct node, next, "struct node *");
    PRINT_FIELD(struct node, back, "struct node **");
    PRINT_FIELD(struct node, name, "const char *const");
    PRINT_FIELD(struct node, order, "compare");
    PRINT_FIELD(struct node, colour, "enum colour");
    PRINT_FIELD(struct node, ticks, "volatile long");
    PRINT_AT("handlers[*]", offsetof(struct node, handlers), 24, "void (*[3])(int)");
    PRINT_FIELD(struct node, table, "int (*)[4]");
    PRINT_FIELD(struct node, on, "_Bool");
}

static void print_body(void)
{
    PRINT_VARIABLE("bodies", bodies, 7, "struct body");
    PRINT_VARIABLE("a_body", a_body, 0, "struct body");
    PRINT_FIELD(struct body, tag, "char");
    PRINT_FIELD(struct body, pos, "point");
    PRINT_FIELD(struct body, pos.y, "double");
    PRINT_AT("corners[*]", offsetof(struct body, corners), sizeof a_body.corners, "point [2][3]");
    PRINT_AT("corners[*].y", offsetof(struct body, corners[0][0].y), 8, "double");
    PRINT_FIELD(struct body, value, "union number");
    PRINT_FIELD(struct body, value.halves.high, "short");
    PRINT_AT("value.bytes[*]", offsetof(struct body, value.bytes), 12, "unsigned char [12]");
    PRINT_FIELD(struct body, inside, "int");
    PRINT_FIELD(struct body, f, "float");
    PRINT_AT("deep.deeper.deepest[*].bottom", offsetof(struct body, deep), sizeof(long), "long");
    PRINT_FIELD(struct body, deep.deeper.tail, "char");
    PRINT_AT("nodes[*]", offsetof(struct body, nodes), 40, "struct node *[5]");
    PRINT_FIELD(struct body, z, "*");
    PRINT_AT("matrix[*]", offsetof(struct body, matrix), sizeof a_body.matrix, "float [3][4][5]");
}

static void print_bit_fields(void)
{
    PRINT_VARIABLE("some_bits", some_bits, 0, "struct bits");
    PRINT_BITS(struct bits, a);
    PRINT_BITS(struct bits, b);
    PRINT_BITS(struct bits, c);
    PRINT_BITS(struct bits, d);
    PRINT_BITS(struct bits, e);
    PRINT_BITS(struct bits, f);
    PRINT_BITS(struct bits, g);
    PRINT_BITS(struct bits, h);
    PRINT_FIELD(struct bits, plain, "int");
    PRINT_VARIABLE("packed_bits", packed_bits, 0, "struct packed_bits");
    PRINT_BITS(struct packed_bits, a);
    PRINT_BITS(struct packed_bits, b);
    PRINT_BITS(struct packed_bits, c);
    PRINT_FIELD(struct packed_bits, last, "short");
}

static void print_rest(void)
{
    PRINT_VARIABLE("a_number", a_number, 0, "union number");
    PRINT_FIELD(union number, d, "double");
    PRINT_VARIABLE("a_point", a_point, 0, "point");
    PRINT_FIELD(point, y, "double");
    PRINT_VARIABLE("flexible", flexible, 0, "struct flexible");
    PRINT_AT("entries[*]", offsetof(struct flexible, entries), 0, "struct {...} []");
    PRINT_AT("entries[*].value", offsetof(struct flexible, entries) + 4, 4, "int");
    PRINT_VARIABLE("zero", zero, 0, "struct zero");
    PRINT_AT("start[*]", offsetof(struct zero, start), 0, "int []");
    PRINT_FIELD(struct zero, one, "int");
    PRINT_FIELD(struct zero, two, "int");
    PRINT_VARIABLE("knows", knows, 0, "struct knows");
    PRINT_FIELD(struct knows, hidden, "struct opaque *");
    PRINT_FIELD(struct knows, visit, "int (*)(struct opaque *, int (*)(void), ...)");
    PRINT_FIELD(struct knows, fast, "const int *restrict");
    PRINT_VARIABLE("a_colour", a_colour, 0, "enum colour");
    PRINT_VARIABLE("numbers", numbers, 12, "int");
    PRINT_VARIABLE("words", words, 10, "const char *");
    PRINT_VARIABLE("scalar", scalar, 0, "double");
    PRINT_VARIABLE("order", order, 0, "int (*)(const void *, const void *)");
}

int main(void)
{
    print_node();
    print_body();
    print_bit_fields();
    print_rest();
    return 0;
}
