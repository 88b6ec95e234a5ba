// SPDX-License-Identifier: GPL-3.0-or-later
// A hot field for every kind of access that C++ adds to C; see m_run.h.
#include "m_run.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace zoo
{
enum { COUNT = 1 << 17, STEPS = 10000 };

static std::size_t pick()
{
    carried = next_random(carried);
    return (carried >> 33) & (COUNT - 1);
}

// offsetof of a class is valid if the compiler supports it; gcc and clang do.
#define OFFSET(object, member)                                                                     \
    (std::size_t)((const char *)&(object).member - (const char *)&(object))

class animal
{
  public:
    virtual ~animal() = default;
    virtual long weigh() const = 0;
    long cold[6] = {};
    long age = 1;
};

class bear : public animal
{
  public:
    long fur[7] = {};
    long honey = 2;
    char den[96] = {};
    long weigh() const override
    {
        return 1;
    }
    void eat()
    {
        carried += (std::uint64_t)honey;
    }
};

class wolf : public bear
{
  public:
    long weigh() const override
    {
        return 2;
    }
};

struct cell {
    long cold[9];
    long hot;
    long more[4];
};

template <typename T> struct grid {
    T *first;
    long rows;
    long columns;
    long at(std::size_t i) const
    {
        return first[i].hot;
    }
};

struct link {
    char name[120];
    std::unique_ptr<link> next;
};

static std::vector<bear> bears;
static std::vector<animal *> animals;
static std::vector<cell> cells;
static std::unordered_map<long, cell> cells_by_number;
static std::map<long, cell> sorted;
static grid<cell> a_grid;
static std::unique_ptr<link> chain;

ALONE static void touch_this(int steps)
{
    for (int i = 0; i < steps; i++)
        bears[pick()].eat();
}

ALONE static void touch_base(bear *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (std::uint64_t)from[pick()].age;
}

ALONE static void touch_virtual(animal *const *from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (std::uint64_t)from[pick() & 8191]->weigh();
}

ALONE static void touch_vector(int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (std::uint64_t)cells[pick()].hot;
}

ALONE static void touch_reference(const std::vector<cell> &from, int steps)
{
    for (int i = 0; i < steps; i++) {
        const cell &one = from.at(pick());
        carried += (std::uint64_t)one.hot;
    }
}

ALONE static void touch_template(const grid<cell> &from, int steps)
{
    for (int i = 0; i < steps; i++)
        carried += (std::uint64_t)from.at(pick());
}

ALONE static void touch_hashed(int)
{
    for (const auto &one : cells_by_number)
        carried += (std::uint64_t)one.first;
}

ALONE static void touch_sorted(int)
{
    for (const auto &one : sorted)
        carried += (std::uint64_t)one.second.hot;
}

ALONE static void touch_chain(int)
{
    for (const link *at = chain.get(); at; at = at->next.get())
        carried++;
}

// List nodes in a different order than in memory.
static void fill_chain()
{
    std::vector<std::unique_ptr<link>> links(COUNT);
    for (auto &one : links)
        one.reset(new link());
    for (std::size_t i = 0; i < COUNT; i++)
        std::swap(links[i], links[pick()]);
    for (auto &one : links) {
        one->next = std::move(chain);
        chain = std::move(one);
    }
}

static void fill_animals()
{
    for (int i = 0; i < 8192; i++) {
        animals.push_back(i % 2 ? new wolf : new bear);
        std::memset(static_cast<void *>(new char[1500]), 1, 1500);
    }
}

static void fill_tables()
{
    for (long i = 0; i < COUNT; i++) {
        long number = (long)(next_random((std::uint64_t)i) >> 20);
        cells_by_number[number].hot = i;
        sorted[number].hot = i;
    }
}
} // namespace zoo

using namespace zoo;

static void run_case(const char *name, const char *seconds)
{
#define CASE(case_name, fill, pattern, offset, size, touch)                                        \
    if (!std::strcmp(name, case_name)) {                                                           \
        fill;                                                                                      \
        EXPECT_AT(pattern, offset, size);                                                          \
        run_ready(seconds);                                                                        \
        for (;;)                                                                                   \
            touch;                                                                                 \
    }
    CASE("this", bears.resize(COUNT), "zoo::bear.honey", OFFSET(bears[0], honey), sizeof(long),
         touch_this(STEPS))
    CASE("base", bears.resize(COUNT), "zoo::bear.age", OFFSET(bears[0], age), sizeof(long),
         touch_base(bears.data(), STEPS))
    CASE("virtual", fill_animals(), "zoo::*._vptr*", 0, sizeof(void *),
         touch_virtual(animals.data(), STEPS))
    CASE("vector", cells.resize(COUNT), "zoo::cell.hot", offsetof(cell, hot), sizeof(long),
         touch_vector(STEPS))
    CASE("reference", cells.resize(COUNT), "zoo::cell.hot", offsetof(cell, hot), sizeof(long),
         touch_reference(cells, STEPS))
    CASE("template", (cells.resize(COUNT), a_grid.first = cells.data()), "zoo::cell.hot",
         offsetof(cell, hot), sizeof(long), touch_template(a_grid, STEPS))
    // Named by the pair, or by the whole node.
    CASE("hashed",
         (fill_tables(),
          EXPECT_AT("unordered_map<long,?zoo::cell>?node.first", sizeof(void *), sizeof(long))),
         "pair<*zoo::cell>.first", 0, sizeof(long), touch_hashed(STEPS))
    // Followed inside the library, which may have no debug information.
    CASE("sorted",
         (fill_tables(),
          EXPECT_AT("map<long,?zoo::cell>?node._M_left", 16, sizeof(void *)),
          EXPECT_AT("map<long,?zoo::cell>?node.second.hot", 40 + offsetof(cell, hot),
                    sizeof(long))),
         "map<long,?zoo::cell>?node._M_right", 24, sizeof(void *), touch_sorted(STEPS))
    CASE("chain", fill_chain(), "zoo::link.next*", OFFSET(*chain, next), sizeof(void *),
         touch_chain(STEPS))
}

int main(int argc, char **argv)
{
    if (argc == 3)
        run_case(argv[1], argv[2]);
    return 2;
}
