/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes linked only in libstdc++'s own binary: their type is known from the caller. */
#include <list>
#include <map>
#include <set>
#include <vector>

struct order {
    long id;
    double price;
};

struct item {
    long id;
    double weight;
};

#define ALONE extern "C" __attribute__((noinline, noipa))
#ifdef __clang__
#undef ALONE
#define ALONE extern "C" __attribute__((noinline))
#endif

ALONE long walk_map(const std::map<long, order> &map)
{
    long count = 0;
    for (auto at = map.begin(); at != map.end(); ++at)
        count++;
    return count;
}

ALONE long walk_set(std::set<int> &set)
{
    long count = 0;
    for (auto at = set.rbegin(); at != set.rend(); ++at)
        count++;
    return count;
}

ALONE void move_orders(std::list<order> &to, std::list<order> &from)
{
    to.splice(to.end(), from, from.begin());
}

ALONE void move_items(std::list<item> &to, std::list<item> &from)
{
    to.splice(to.end(), from, from.begin());
}

ALONE __attribute__((flatten)) void add_equal(std::multimap<long, order> &map, long key)
{
    map.emplace(key, order());
}

ALONE __attribute__((flatten)) void add_unique(std::map<long, order> &map, long key)
{
    map.emplace(key, order());
}

/* A container with an allocator of the program. */
ALONE void *counted(std::size_t bytes)
{
    return operator new(bytes);
}

template <class T> struct counting {
    using value_type = T;
    T *allocate(std::size_t count)
    {
        return static_cast<T *>(counted(count * sizeof(T)));
    }
    void deallocate(T *elements, std::size_t)
    {
        operator delete(elements);
    }
    bool operator==(const counting &) const
    {
        return true;
    }
    bool operator!=(const counting &) const
    {
        return false;
    }
};

ALONE __attribute__((flatten)) void add_counted(std::vector<order, counting<order>> &orders)
{
    orders.push_back(order());
}

/* Loads its return address `times` times. */
extern "C" void load_return(long times);
__asm__(".text\n"
        ".type load_return, @function\n"
        "load_return:\n"
        ".cfi_startproc\n"
        "1:      mov (%rsp), %rax\n"
        "        imul %rax, %rax\n"
        "        dec %rdi\n"
        "        jnz 1b\n"
        "        ret\n"
        ".cfi_endproc\n"
        ".size load_return, . - load_return\n");

/* With an argument: runs on many nodes until it is killed. */
int main(int argc, char **)
{
    std::map<long, order> map;
    std::set<int> set;
    std::multimap<long, order> equals;
    add_equal(equals, 1);
    add_unique(map, 1);
    std::vector<order, counting<order>> counted_orders;
    add_counted(counted_orders);
    int count = argc > 1 ? 100000 : 3;
    std::list<order> orders, other_orders(count);
    std::list<item> items, other_items(count);
    unsigned random = 1;
    for (int i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        map[random >> 8].id = 2;
        set.insert(random >> 8);
    }
    long sum = 0;
    do {
        for (int i = 0; i < count; i++) {
            move_orders(orders, other_orders);
            move_items(items, other_items);
        }
        orders.swap(other_orders);
        items.swap(other_items);
        sum += walk_map(map) + walk_set(set);
        load_return(10 * count);
    } while (argc > 1 && sum);
    return sum <= 0;
}
