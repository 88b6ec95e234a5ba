/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of calls, assigned to variables and fields of all kinds; prints their targets. */
#include "d_say.h"

#include <stdlib.h>
#include <string.h>

struct item {
    int key;
    double value;
};

struct node {
    struct node *next;
    struct item *items;
    int count;
    struct {
        char *text;
        double *weights[3];
    } inner;
};

typedef struct node *node_pointer;
typedef struct {
    struct item first;
} pair;

struct node *global_node;
struct node table[4];
struct node *nodes[8];
static volatile int sink;

/* Prints "call RETURN-ADDRESS NAME" and allocates. "-" as the name: no target. */
SAY_ALONE void *give(const char *name, size_t size)
{
    printf("call %llx %s\n", (unsigned long long)(uintptr_t)__builtin_return_address(0), name);
    return calloc(1, size);
}

__attribute__((always_inline)) static inline void *checked(const char *name, size_t size)
{
    void *given = give(name, size);
    if (!given)
        abort();
    return given;
}

SAY_ALONE void use(const void *pointer)
{
    sink += pointer != NULL;
}

SAY_ALONE struct node *variables(int count)
{
    struct node *fresh = give("node.fresh", sizeof *fresh);
    if (!fresh)
        abort();
    use(fresh);
    global_node = give("node.global_node", sizeof *global_node);
    node_pointer other = (node_pointer)give("node.other", sizeof *other);
    use(other);
    struct item *wrapped = checked("item.wrapped", sizeof *wrapped);
    use(wrapped);
    pair *both = give("pair.both", sizeof *both * (size_t)count);
    use(both);
    const double *numbers = give("double.numbers", 8);
    use(numbers);
    return fresh;
}

SAY_ALONE void fields(struct node *node, int count)
{
    node->next = give("node.next", sizeof *node);
    node->items = give("item.items", (size_t)count * sizeof *node->items);
    node->next->items = checked("item.items", sizeof *node->items);
    node->inner.text = give("char.inner.text", 9);
    node->inner.weights[1] = give("double.inner.weights[*]", 8);
    table[2].items = give("item.table.items", 16);
    nodes[count] = give("node.nodes", sizeof **nodes);
    global_node->next = give("node.next", sizeof *node);
}

SAY_ALONE void nothing(void)
{
    void *plain = give("-", 1);
    use(plain);
    struct node **pointers = give("-", 64);
    use(pointers);
    free(give("-", 1));
    use(give("-", 3));
}

int main(void)
{
    fields(variables(2), 3);
    nothing();
    return 0;
}
