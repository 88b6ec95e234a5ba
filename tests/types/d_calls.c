/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of calls, assigned to variables and fields of all kinds; prints their targets. */
#include "d_print.h"

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

/* Prints "call RETURN-ADDRESS NAME" and allocates. "-" as the name: no target; "return": the result
 * is returned as plain memory. */
NOT_INLINED void *give(const char *name, size_t size)
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

NOT_INLINED void use(const void *pointer)
{
    sink += pointer != NULL;
}

NOT_INLINED struct node *variables(int count)
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

NOT_INLINED void fields(struct node *node, int count)
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

NOT_INLINED void nothing(void)
{
    void *plain = give("-", 1);
    use(plain);
    struct node **pointers = give("node *.pointers", 64);
    use(pointers);
    free(give("-", 1));
    use(give("-", 3));
}

/* Wrappers of an allocator: void *, bytes, a header in front, two levels. */
NOT_INLINED void *wrapper(size_t size)
{
    void *block = give("return", size);
    if (!block)
        abort();
    sink++;
    return block;
}

NOT_INLINED unsigned char *bytes(size_t size)
{
    unsigned char *block = give("return", size);
    if (!block)
        return NULL;
    memset(block, 1, size);
    return block;
}

NOT_INLINED void *with_header(size_t size)
{
    size_t *block = give("return", size + 16);
    if (!block)
        abort();
    *block = size;
    return block + 2;
}

NOT_INLINED void *zeroed(size_t size)
{
    void *block = give("return", size);
    if (!block)
        abort();
    return memset(block, 0, size);
}

NOT_INLINED void *filled(size_t size)
{
    void *block = give("return", size);
    if (!block) {
        puts("no memory");
        exit(1);
    }
    memset(block, 1, size);
    return block;
}

/* Not wrappers: the variable says more, or the block stays in the function. */
NOT_INLINED void *opaque(void)
{
    struct node *hidden = give("node.hidden", sizeof *hidden);
    hidden->count = 1;
    return hidden;
}

NOT_INLINED void *thread(void *argument)
{
    char *buffer = give("char.buffer", 64);
    use(buffer);
    free(buffer);
    return argument;
}

NOT_INLINED char *keep(struct node *node)
{
    node->inner.text = give("char.inner.text", 9);
    return node->inner.weights[0] ? (char *)node->items : NULL;
}

char *newest;

NOT_INLINED char *arena(size_t size)
{
    char *chunk = give("char.chunk", size);
    newest = chunk;
    return chunk;
}

NOT_INLINED int fill(void **out)
{
    void *block = give("-", 8);
    if (!block)
        return 0;
    *out = block;
    return 1;
}

int main(void)
{
    void *out;
    use(wrapper(8));
    use(bytes(8));
    use(zeroed(8));
    use(filled(8));
    use(with_header(8));
    use(opaque());
    use(thread(&out));
    use(keep(variables(1)));
    use(arena(64));
    fill(&out);
    fields(variables(2), 3);
    nothing();
    return 0;
}
