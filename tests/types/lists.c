/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Following pointers: lists, trees, chained tables, pointers to pointers, containers of members. */
#include "truth.h"

enum { NODES = 20, BUCKETS = 8 };

struct node {
    long key;
    struct node *next;
    struct node *previous;
    double value;
};

struct tree {
    struct tree *child[2];
    struct tree *parent;
    int key;
    int depth;
};

struct chain {
    struct chain *next;
    unsigned hash;
    const char *name;
    long count;
};

struct table {
    unsigned size;
    long entries;
    struct chain **buckets;
    struct node *recent;
};

struct link {
    struct link *next;
    struct link **back;
};

struct task {
    long id;
    int priority;
    struct link link;
    double used;
};

static struct node *nodes;
static struct tree *trees;
static struct chain *chains;
static struct table *table;
static struct chain **buckets;
static struct task *tasks;
volatile double sink;

MARKED static double walk(const struct node *node)
{
    double sum = 0;
    while (node) {
        if (node->key & 1)
            sum += node->value;
        node = node->next;
    }
    return sum;
}

MARKED static void reverse(struct node **head)
{
    struct node *done = NULL;
    while (*head) {
        struct node *node = *head;
        *head = node->next;
        node->next = done;
        if (done)
            done->previous = node;
        done = node;
    }
    *head = done;
}

MARKED static struct tree *find(struct tree *tree, int key)
{
    while (tree && tree->key != key)
        tree = tree->child[key > tree->key];
    return tree;
}

MARKED static struct tree *find_branchless(struct tree *tree, int key)
{
    struct tree *last = tree;
    while (tree) {
        struct tree *left = tree->child[0];
        struct tree *right = tree->child[1];
        last = tree;
        tree = key < tree->key ? left : right;
    }
    return last;
}

MARKED static int depth_of(struct tree *tree)
{
    int depth = 0;
    for (; tree->parent; tree = tree->parent)
        depth++;
    tree->depth = depth;
    return depth;
}

MARKED static void insert(struct tree **root, struct tree *fresh)
{
    struct tree *parent = NULL;
    while (*root) {
        parent = *root;
        root = &parent->child[fresh->key > parent->key];
    }
    fresh->parent = parent;
    *root = fresh;
}

MARKED static struct chain *lookup(struct table *in, unsigned hash)
{
    for (struct chain *at = in->buckets[hash % in->size]; at; at = at->next)
        if (at->hash == hash) {
            at->count++;
            return at;
        }
    in->entries++;
    return NULL;
}

MARKED static long count_all(const struct table *in)
{
    long sum = 0;
    for (unsigned i = 0; i < in->size; i++)
        for (const struct chain *at = in->buckets[i]; at; at = at->next)
            sum += at->count + at->name[0];
    return sum + in->recent->next->next->key;
}

#define task_of(at) ((struct task *)((char *)(at)-offsetof(struct task, link)))

MARKED static double run_tasks(struct link *head)
{
    double sum = 0;
    for (struct link *at = head; at; at = at->next) {
        struct task *task = task_of(at);
        task->used += task->priority;
        sum += task->used + (double)task->id;
    }
    return sum;
}

MARKED static long priorities(struct link *head)
{
    long sum = 0;
    for (struct link *at = head; at; at = at->next)
        sum += task_of(at)->priority;
    return sum;
}

static void print_types(void)
{
    TYPE("struct node", struct node);
    PART("struct node", struct node, key, "long", long);
    PART("struct node", struct node, next, "struct node *", struct node *);
    PART("struct node", struct node, previous, "struct node *", struct node *);
    PART("struct node", struct node, value, "double", double);
    TYPE("struct tree", struct tree);
    PART("struct tree", struct tree, child, "struct tree *", struct tree *);
    PART("struct tree", struct tree, parent, "struct tree *", struct tree *);
    PART("struct tree", struct tree, key, "int", int);
    PART("struct tree", struct tree, depth, "int", int);
    TYPE("struct chain", struct chain);
    PART("struct chain", struct chain, next, "struct chain *", struct chain *);
    PART("struct chain", struct chain, hash, "unsigned int", unsigned);
    PART("struct chain", struct chain, name, "char *", char *);
    PART("struct chain", struct chain, count, "long", long);
    TYPE("struct table", struct table);
    PART("struct table", struct table, size, "unsigned int", unsigned);
    PART("struct table", struct table, entries, "long", long);
    PART("struct table", struct table, buckets, "struct chain **", struct chain **);
    PART("struct table", struct table, recent, "struct node *", struct node *);
    TYPE("struct link", struct link);
    PART("struct link", struct link, next, "struct link *", struct link *);
    PART("struct link", struct link, back, "struct link **", struct link **);
    TYPE("struct task", struct task);
    PART("struct task", struct task, id, "long", long);
    PART("struct task", struct task, priority, "int", int);
    PART("struct task", struct task, link, "struct link", struct link);
    PART("struct task", struct task, used, "double", double);
    TYPE("struct chain *", struct chain *);
    OBJECT("struct node", nodes, NODES);
    OBJECT("struct tree", trees, NODES);
    OBJECT("struct chain", chains, NODES);
    OBJECT("struct table", table, 1);
    OBJECT("struct chain *", buckets, BUCKETS);
    OBJECT("struct task", tasks, NODES);
}

static void fill(void)
{
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (struct node){i, i + 1 < NODES ? &nodes[i + 1] : NULL, NULL, i};
        trees[i].key = i * 7 % NODES;
        chains[i] = (struct chain){buckets[i % BUCKETS], (unsigned)i, "name", i};
        buckets[i % BUCKETS] = &chains[i];
        tasks[i].link.next = i + 1 < NODES ? &tasks[i + 1].link : NULL;
    }
    *table = (struct table){BUCKETS, 0, buckets, nodes};
}

int main(void)
{
    struct tree *root = NULL;
    struct node *head;
    nodes = zeroed(NODES, sizeof *nodes);
    trees = zeroed(NODES, sizeof *trees);
    chains = zeroed(NODES, sizeof *chains);
    table = zeroed(1, sizeof *table);
    buckets = zeroed(BUCKETS, sizeof *buckets);
    tasks = zeroed(NODES, sizeof *tasks);
    fill();
    head = nodes;
    print_types();
    ready();
    sink = walk(nodes);
    reverse(&head);
    for (int i = 0; i < NODES; i++)
        insert(&root, &trees[i]);
    sink = find(root, 13)->key;
    sink = find_branchless(root, 5)->key;
    sink = depth_of(&trees[NODES - 1]);
    sink = lookup(table, 11) != NULL;
    sink = lookup(table, 1011) != NULL;
    table->recent = head;
    sink = (double)count_all(table);
    sink = run_tasks(&tasks[0].link);
    sink = (double)priorities(&tasks[0].link);
    return 0;
}
