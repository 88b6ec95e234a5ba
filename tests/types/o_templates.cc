// SPDX-License-Identifier: GPL-3.0-or-later
// Instances of templates, each in a function of its own. The CPU time of each is measured with the
// thread's own clock and logged as "time SECONDS PATTERN...". For judge_types.py.
#include "o_run.h"

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct body {
    double x, y, z, vx, vy, vz, mass;
    long id;
};

struct bond {
    body *from, *to;
    float strength;
    int number;
};

template <typename T> struct buffer {
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
    std::vector<node *> nodes;
};

static const size_t COUNT = 1 << 18;
static std::vector<body> bodies;
static std::vector<bond> bonds;
static std::vector<int> numbers;
static std::vector<std::string> names;
static std::deque<bond> queue;
static std::list<body> chain;
static std::map<int, bond> sorted;
static std::unordered_map<int, body> hashed;
static std::unique_ptr<body[]> owned;
static buffer<body> body_buffer;
static buffer<bond> bond_buffer;
static tree<body> body_tree;
static tree<bond> bond_tree;

ALONE static double vector_of_bodies()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += bodies[pick(bodies.size())].vy;
    return sum;
}

ALONE static double vector_of_bonds()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += bonds[pick(bonds.size())].strength;
    return sum;
}

ALONE static double vector_of_numbers()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += numbers[pick(numbers.size())];
    return sum;
}

ALONE static double vector_of_strings()
{
    size_t sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += names[pick(names.size())].size();
    return (double)sum;
}

ALONE static double deque_of_bonds()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += queue[pick(queue.size())].number;
    return sum;
}

ALONE static double list_of_bodies()
{
    static auto at = chain.begin();
    double sum = 0;
    for (int i = 0; i < STEPS / 4; i++) {
        sum += at->mass;
        if (++at == chain.end())
            at = chain.begin();
    }
    return sum;
}

ALONE static double map_of_bonds()
{
    static auto at = sorted.begin();
    double sum = 0;
    for (int i = 0; i < STEPS / 4; i++) {
        sum += at->second.strength;
        if (++at == sorted.end())
            at = sorted.begin();
    }
    return sum;
}

ALONE static double hash_of_bodies()
{
    static auto at = hashed.begin();
    double sum = 0;
    for (int i = 0; i < STEPS / 4; i++) {
        sum += at->second.vz;
        if (++at == hashed.end())
            at = hashed.begin();
    }
    return sum;
}

ALONE static double owned_bodies()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += owned[pick(COUNT)].x;
    return sum;
}

ALONE static double buffer_of_bodies()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += body_buffer.im.p[pick((size_t)body_buffer.im.n)].z;
    return sum;
}

ALONE static double buffer_of_bonds()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += bond_buffer.im.p[pick((size_t)bond_buffer.im.n)].strength;
    return sum;
}

ALONE static double tree_of_bodies()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += body_tree.nodes[pick(COUNT)]->value.mass;
    return sum;
}

ALONE static double tree_of_bonds()
{
    double sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += bond_tree.nodes[pick(COUNT)]->value.number;
    return sum;
}

static void fill()
{
    bodies.resize(COUNT);
    bonds.resize(COUNT * 2);
    numbers.resize(COUNT * 16);
    names.resize(COUNT);
    queue.resize(COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        if (i % 2)
            chain.push_back(body());
        else
            chain.push_front(body());
        sorted[(int)pick(1 << 30)].number = (int)i;
        hashed[(int)pick(1 << 30)].id = (long)i;
    }
    chain.sort([](const body &, const body &) { return pick(2) == 0; });
    owned.reset(new body[COUNT]());
    body_buffer.im = {new body[COUNT](), (long)COUNT};
    bond_buffer.im = {new bond[COUNT](), (long)COUNT};
    for (size_t i = 0; i < COUNT; i++) {
        body_tree.nodes.push_back(new tree<body>::node());
        bond_tree.nodes.push_back(new tree<bond>::node());
    }
}

int main(int argc, char **argv)
{
    static const struct run_part parts[] = {
        {vector_of_bodies, "body.vy"},
        {vector_of_bonds, "bond.strength"},
        {vector_of_numbers, "int|[*]"},
        {vector_of_strings, "string._M_string_length|string.__r_*"},
        {deque_of_bonds, "bond.number"},
        {list_of_bodies, "list<body> node.mass|list<body> node._M_*|list<body> node.__*|"
                         "list node._M_*|body.mass"},
        {map_of_bonds, "map<int, bond> node.second.strength|map<int, bond> node._M_*|"
                       "map<int, bond> node.__*|map or set node.*|pair<*, bond>.second.strength"},
        {hash_of_bodies, "unordered_map<int, body> node.second.vz|unordered_map<int, body> node._M_*|"
                         "unordered_map<int, body> node.__*|unordered container node._M_nxt|"
                         "pair<*, body>.second.vz"},
        {owned_bodies, "body.x"},
        {buffer_of_bodies, "body.z"},
        {buffer_of_bonds, "bond.strength"},
        {tree_of_bodies, "tree<body>::node.value.mass|body.mass|"
                         "tree<body>.nodes*|tree<body>::node \\*"},
        {tree_of_bonds, "tree<bond>::node.value.number|bond.number|tree<bond>::node \\*"}};
    if (argc < 2)
        return 2;
    fill();
    run_parts(parts, sizeof parts / sizeof *parts, atof(argv[1]), argc > 2 ? argv[2] : NULL);
    return 0;
}
