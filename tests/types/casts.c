/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types visible only in casts: heads of larger structs, void pointers for callbacks, tagged words. */
#include "truth.h"

enum { COUNT = 8 };

struct object {
    long references;
    const struct kind *kind;
};

struct kind {
    const char *name;
    double (*value)(struct object *object);
    void (*free)(void *memory);
};

struct integer {
    struct object head;
    long digits;
    int sign;
};

struct list {
    struct object head;
    long size;
    struct object **items;
};

struct context {
    long calls;
    double sum;
    struct integer *best;
};

static struct integer *integers;
static struct list *list;
static struct object **items;
static struct context *context;
volatile double sink;

typedef void visit(void *context, struct object *object);

MARKED static double integer_value(struct object *object)
{
    struct integer *integer = (struct integer *)object;
    return (double)(integer->digits * integer->sign);
}

static const struct kind integer_kind = {"integer", integer_value, free};

MARKED static void note(void *opaque, struct object *object)
{
    struct context *at = opaque;
    at->calls++;
    at->sum += object->kind->value(object);
    if (!at->best || at->best->digits < ((struct integer *)object)->digits)
        at->best = (struct integer *)object;
    object->references++;
}

MARKED static void each(struct object *object, visit *take, void *opaque)
{
    struct list *in = (struct list *)object;
    for (long i = 0; i < in->size; i++)
        take(opaque, in->items[i]);
}

MARKED static long digits(struct object *object)
{
    if (object->kind->name[0] == 'i')
        return ((struct integer *)object)->digits + ((struct integer *)object)->sign;
    return 0;
}

MARKED static long untag(unsigned long word)
{
    struct integer *integer = (struct integer *)(word & ~7ul);
    return integer->digits + (long)(word & 7);
}

MARKED static void copy(void *to, const void *from, size_t bytes)
{
    char *out = to;
    const char *in = from;
    while (bytes--)
        *out++ = *in++;
}

int main(void)
{
    integers = zeroed(COUNT, sizeof *integers);
    list = zeroed(1, sizeof *list);
    items = zeroed(COUNT, sizeof *items);
    context = zeroed(1, sizeof *context);
    for (int i = 0; i < COUNT; i++) {
        integers[i] = (struct integer){{1, &integer_kind}, i, 1};
        items[i] = &integers[i].head;
    }
    *list = (struct list){{1, &integer_kind}, COUNT, items};
    TYPE("struct object", struct object);
    PART("struct object", struct object, references, "long", long);
    PART("struct object", struct object, kind, "struct kind *", struct kind *);
    TYPE("struct kind", struct kind);
    PART("struct kind", struct kind, name, "char *", char *);
    PLACE("struct kind", "function", 8, 8, 2);
    TYPE("struct integer", struct integer);
    PART("struct integer", struct integer, head, "struct object", struct object);
    PART("struct integer", struct integer, digits, "long", long);
    PART("struct integer", struct integer, sign, "int", int);
    TYPE("struct list", struct list);
    PART("struct list", struct list, head, "struct object", struct object);
    PART("struct list", struct list, size, "long", long);
    PART("struct list", struct list, items, "struct object **", struct object **);
    TYPE("struct context", struct context);
    PART("struct context", struct context, calls, "long", long);
    PART("struct context", struct context, sum, "double", double);
    PART("struct context", struct context, best, "struct integer *", struct integer *);
    TYPE("struct object *", struct object *);
    OBJECT("struct integer", integers, COUNT);
    OBJECT("struct kind", &integer_kind, 1);
    OBJECT("struct list", list, 1);
    OBJECT("struct object *", items, COUNT);
    OBJECT("struct context", context, 1);
    ready();
    each(&list->head, note, context);
    sink = (double)digits(items[3]);
    sink = (double)untag((unsigned long)items[2] | 1);
    copy(&integers[1], &integers[2], sizeof *integers);
    return 0;
}
