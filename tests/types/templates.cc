/* SPDX-License-Identifier: GPL-3.0-or-later */
/* C++: several instances of one template, with nested structs of the same name in each, and the
 * containers of the library (libstdc++'s nodes). */
#include "truth.h"

#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <memory>
#include <set>
#include <unordered_set>
#include <vector>

struct alpha {
    double a;
    int b;
    float c;
};

struct beta {
    int x;
    float y;
    long z;
};

static bool operator<(const alpha &l, const alpha &r)
{
    return l.b < r.b;
}

static bool operator<(const beta &l, const beta &r)
{
    return l.z < r.z;
}

static bool operator==(const beta &l, const beta &r)
{
    return l.z == r.z;
}

static bool operator==(const alpha &l, const alpha &r)
{
    return l.b == r.b;
}

struct hash_of {
    size_t operator()(const alpha &of) const
    {
        return (size_t)of.b;
    }
    size_t operator()(const beta &of) const
    {
        return (size_t)of.z;
    }
};

namespace one
{
struct inner {
    int *p;
    long n;
};
} // namespace one

namespace two
{
struct inner {
    long n;
    double *p;
};
} // namespace two

template <typename T> struct buf {
    struct impl {
        T *p;
        long n;
    } im;
};

template <typename T> struct tree {
    struct node {
        T value;
        node *left, *right;
    };
    node *root;
};

static volatile int COUNT = 6; /* not a constant, so that loops remain loops */
static buf<alpha> buf_alpha;
static buf<beta> buf_beta;
static buf<buf<beta>> buf_bufs;
static tree<alpha> tree_alpha;
static tree<beta> tree_beta;
static one::inner *ones;
static two::inner *twos;
static std::vector<alpha> *vector_alpha;
static std::vector<beta> *vector_beta;
static std::vector<int> *vector_int;
static std::vector<std::vector<beta>> *vectors;
static std::deque<alpha> *deque_alpha;
static std::deque<beta> *deque_beta;
static std::list<alpha> *list_alpha;
static std::list<beta> *list_beta;
static std::forward_list<alpha> *forward_alpha;
static std::forward_list<beta> *forward_beta;
static std::set<alpha> *set_alpha;
static std::set<beta> *set_beta;
static std::unordered_set<alpha, hash_of> *hashed_alpha;
static std::unordered_set<beta, hash_of> *hashed_beta;
static std::array<alpha, 4> array_alpha;
static std::array<beta, 4> array_beta;
static std::unique_ptr<alpha[]> *unique_alpha;
static std::unique_ptr<beta[]> *unique_beta;
volatile double sink;

static inline double key(const alpha &from)
{
    return from.a + from.b + from.c;
}

static inline double key(const beta &from)
{
    return (double)from.z + from.y;
}

#define INLINED static inline __attribute__((always_inline))

template <typename T> INLINED double in_buffer(const buf<T> &in)
{
    double sum = 0;
    for (long i = 0; i < in.im.n; i++)
        sum += key(in.im.p[i]);
    return sum;
}

MARKED static double in_buffers(const buf<buf<beta>> &in)
{
    double sum = 0;
    for (long i = 0; i < in.im.n; i++)
        for (long k = 0; k < in.im.p[i].im.n; k++)
            sum += in.im.p[i].im.p[k].y;
    return sum;
}

template <typename T> INLINED double in_tree(const tree<T> &in)
{
    double sum = 0;
    for (auto *at = in.root; at; at = at->right)
        sum += key(at->value) + (at->left ? 1 : 0);
    return sum;
}

MARKED static long in_namespaces(int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += ones[i].n + *ones[i].p + twos[i].n + (long)*twos[i].p;
    return sum;
}

/* Uses both in one function, so that the type of one is available when the other is accessed. */
MARKED static double side_by_side(size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (*vector_alpha)[i].b;
        sum += (*vector_beta)[i].y;
        sum += (*vector_int)[i];
        sum += (double)(*vectors)[i][0].z;
    }
    return sum;
}

template <typename C> INLINED double in_container(const C &in)
{
    double sum = 0;
    for (const auto &each : in)
        sum += key(each);
    return sum;
}

template <typename C> INLINED double in_array(const C &in, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += key(in[i]);
    return sum;
}

/* g++ puts no template instance into a section, so each has a function around it. */
MARKED static double buffers_total()
{
    return in_buffer(buf_alpha) + in_buffer(buf_beta);
}

MARKED static double trees_total()
{
    return in_tree(tree_alpha) + in_tree(tree_beta);
}

MARKED static double vectors_total()
{
    return in_array(*vector_alpha, COUNT) + in_array(*vector_beta, COUNT);
}

MARKED static double deques_total()
{
    return in_container(*deque_alpha) + in_container(*deque_beta);
}

MARKED static double list_alpha_total(const std::list<alpha> &in)
{
    return in_container(in);
}

MARKED static double list_beta_total(const std::list<beta> &in)
{
    return in_container(in);
}

MARKED static double forward_lists_total()
{
    return in_container(*forward_alpha) + in_container(*forward_beta);
}

MARKED static double set_alpha_total(const std::set<alpha> &in)
{
    return in_container(in);
}

MARKED static double set_beta_total(const std::set<beta> &in)
{
    return in_container(in);
}

MARKED static double hashed_total()
{
    return in_container(*hashed_alpha) + in_container(*hashed_beta);
}

MARKED static double arrays_total()
{
    return in_container(array_alpha) + in_container(array_beta);
}

MARKED static double unique_total()
{
    return in_array(*unique_alpha, COUNT) + in_array(*unique_beta, COUNT);
}

/* A node of the library: a head with pointers, then the value. */
static void tell_node(const char *name, size_t size, const char *head, size_t head_size,
                      const char *value)
{
    printf("type\t%s\t%zu\n", name, size);
    PLACE(name, head, 0, head_size, 1);
    PLACE(name, value, head_size, sizeof(alpha), 1);
    if (size > head_size + sizeof(alpha))
        PLACE(name, "unsigned long", head_size + sizeof(alpha), 8, 1);
}

template <typename C> static void tell_nodes(const char *name, size_t head, const C &in)
{
    for (const auto &each : in)
        OBJECT(name, (const char *)&each - head, 1);
}

static void tell_templates()
{
    TYPE("buf<alpha>::impl", buf<alpha>::impl);
    PLACE("buf<alpha>::impl", "alpha *", 0, 8, 1);
    PLACE("buf<alpha>::impl", "long", 8, 8, 1);
    TYPE("buf<alpha>", buf<alpha>);
    PLACE("buf<alpha>", "buf<alpha>::impl", 0, 16, 1);
    TYPE("buf<beta>::impl", buf<beta>::impl);
    PLACE("buf<beta>::impl", "beta *", 0, 8, 1);
    PLACE("buf<beta>::impl", "long", 8, 8, 1);
    TYPE("buf<beta>", buf<beta>);
    PLACE("buf<beta>", "buf<beta>::impl", 0, 16, 1);
    TYPE("tree<alpha>::node", tree<alpha>::node);
    PLACE("tree<alpha>::node", "alpha", 0, sizeof(alpha), 1);
    PLACE("tree<alpha>::node", "tree<alpha>::node *", sizeof(alpha), 8, 2);
    TYPE("tree<beta>::node", tree<beta>::node);
    PLACE("tree<beta>::node", "beta", 0, sizeof(beta), 1);
    PLACE("tree<beta>::node", "tree<beta>::node *", sizeof(beta), 8, 2);
    TYPE("one::inner", one::inner);
    PART("one::inner", one::inner, p, "int *", int *);
    PART("one::inner", one::inner, n, "long", long);
    TYPE("two::inner", two::inner);
    PART("two::inner", two::inner, n, "long", long);
    PART("two::inner", two::inner, p, "double *", double *);
    OBJECT("buf<alpha>", &buf_alpha, 1);
    OBJECT("buf<beta>", &buf_beta, 1);
    OBJECT("buf<beta>", buf_bufs.im.p, 2);
    OBJECT("alpha", buf_alpha.im.p, COUNT);
    OBJECT("beta", buf_beta.im.p, COUNT);
    OBJECT("tree<alpha>::node", tree_alpha.root, COUNT);
    OBJECT("tree<beta>::node", tree_beta.root, COUNT);
    OBJECT("one::inner", ones, COUNT);
    OBJECT("two::inner", twos, COUNT);
}

static void print_types()
{
    TYPE("alpha", alpha);
    PART("alpha", alpha, a, "double", double);
    PART("alpha", alpha, b, "int", int);
    PART("alpha", alpha, c, "float", float);
    TYPE("beta", beta);
    PART("beta", beta, x, "int", int);
    PART("beta", beta, y, "float", float);
    PART("beta", beta, z, "long", long);
    TYPE("int", int);
    tell_node("list<alpha> node", 32, "list node", 16, "alpha");
    tell_node("list<beta> node", 32, "list node", 16, "beta");
    tell_node("forward_list<alpha> node", 24, "forward_list node", 8, "alpha");
    tell_node("forward_list<beta> node", 24, "forward_list node", 8, "beta");
    tell_node("set<alpha> node", 48, "map or set node", 32, "alpha");
    tell_node("set<beta> node", 48, "map or set node", 32, "beta");
    tell_node("unordered_set<alpha> node", 32, "unordered container node", 8, "alpha");
    tell_node("unordered_set<beta> node", 32, "unordered container node", 8, "beta");
    printf("type\tarray<alpha, 4>\t%zu\n", sizeof array_alpha);
    PLACE("array<alpha, 4>", "alpha", 0, sizeof(alpha), 4);
    printf("type\tarray<beta, 4>\t%zu\n", sizeof array_beta);
    PLACE("array<beta, 4>", "beta", 0, sizeof(beta), 4);
    tell_templates();
    OBJECT("alpha", vector_alpha->data(), COUNT);
    OBJECT("beta", vector_beta->data(), COUNT);
    OBJECT("int", vector_int->data(), COUNT);
    for (int i = 0; i < COUNT; i++)
        OBJECT("beta", (*vectors)[(size_t)i].data(), 2);
    OBJECT("alpha", &(*deque_alpha)[0], COUNT);
    OBJECT("beta", &(*deque_beta)[0], COUNT);
    tell_nodes("list<alpha> node", 16, *list_alpha);
    tell_nodes("list<beta> node", 16, *list_beta);
    tell_nodes("forward_list<alpha> node", 8, *forward_alpha);
    tell_nodes("forward_list<beta> node", 8, *forward_beta);
    tell_nodes("set<alpha> node", 32, *set_alpha);
    tell_nodes("set<beta> node", 32, *set_beta);
    tell_nodes("unordered_set<alpha> node", 8, *hashed_alpha);
    tell_nodes("unordered_set<beta> node", 8, *hashed_beta);
    OBJECT("array<alpha, 4>", &array_alpha, 1);
    OBJECT("array<beta, 4>", &array_beta, 1);
    OBJECT("alpha", unique_alpha->get(), COUNT);
    OBJECT("beta", unique_beta->get(), COUNT);
}

template <typename T> static void grow(tree<T> &into)
{
    into.root = new typename tree<T>::node[COUNT]();
    for (int i = 0; i + 1 < COUNT; i++)
        into.root[i].right = &into.root[i + 1];
}

static void make()
{
    static int number;
    static double other;
    buf_alpha.im = {new alpha[COUNT](), COUNT};
    buf_beta.im = {new beta[COUNT](), COUNT};
    buf_bufs.im = {new buf<beta>[2](), 2};
    buf_bufs.im.p[0] = buf_bufs.im.p[1] = buf_beta;
    grow(tree_alpha);
    grow(tree_beta);
    ones = new one::inner[COUNT];
    twos = new two::inner[COUNT];
    vector_alpha = new std::vector<alpha>((size_t)COUNT);
    vector_beta = new std::vector<beta>((size_t)COUNT);
    vector_int = new std::vector<int>((size_t)COUNT);
    vectors = new std::vector<std::vector<beta>>(COUNT, std::vector<beta>(2));
    deque_alpha = new std::deque<alpha>((size_t)COUNT);
    deque_beta = new std::deque<beta>((size_t)COUNT);
    list_alpha = new std::list<alpha>(3);
    list_beta = new std::list<beta>(3);
    forward_alpha = new std::forward_list<alpha>(3);
    forward_beta = new std::forward_list<beta>(3);
    set_alpha = new std::set<alpha>;
    set_beta = new std::set<beta>;
    hashed_alpha = new std::unordered_set<alpha, hash_of>;
    hashed_beta = new std::unordered_set<beta, hash_of>;
    unique_alpha = new std::unique_ptr<alpha[]>(new alpha[COUNT]());
    unique_beta = new std::unique_ptr<beta[]>(new beta[COUNT]());
    for (int i = 0; i < COUNT; i++) {
        ones[i] = {&number, i};
        twos[i] = {i, &other};
        set_alpha->insert({0, i, 0});
        set_beta->insert({i, 0, i});
        hashed_alpha->insert({0, i, 0});
        hashed_beta->insert({i, 0, i});
    }
}

int main()
{
    make();
    print_types();
    ready();
    sink = buffers_total() + in_buffers(buf_bufs);
    sink = trees_total();
    sink = (double)in_namespaces((size_t)COUNT);
    sink = side_by_side((size_t)COUNT);
    sink = vectors_total();
    sink = deques_total();
    sink = list_alpha_total(*list_alpha) + list_beta_total(*list_beta);
    sink = forward_lists_total();
    sink = set_alpha_total(*set_alpha) + set_beta_total(*set_beta);
    sink = hashed_total();
    sink = arrays_total();
    sink = unique_total();
    return 0;
}
