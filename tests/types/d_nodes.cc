/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that only libstdc++'s own binary links: whoever calls it knows of which type they are. */
#include <list>
#include <map>
#include <set>

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

int main()
{
    std::map<long, order> map;
    std::set<int> set;
    std::list<order> orders(3), other_orders(3);
    std::list<item> items(3), other_items(3);
    map[1].id = 2;
    set.insert(1);
    move_orders(orders, other_orders);
    move_items(items, other_items);
    return (int)(walk_map(map) + walk_set(set)) != 2;
}
