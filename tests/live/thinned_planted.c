/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with misses that test_tables.sh simulates: `fill` writes keys while each miss is
 * recorded, then `lookup` reads so many values that only one miss in some hundred is recorded. By
 * number of records `fill` leads, by misses `lookup` has 50 times as many.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1 << 17, LOOKUPS = 6000000 };

struct item {
    uint64_t key;
    uint64_t value;
    uint64_t rest[6];
};

static struct item *items;

__attribute__((noinline)) static void fill(void)
{
    for (uint64_t i = 0; i < ITEMS; i++)
        items[i].key = i;
}

__attribute__((noinline)) static uint64_t lookup(void)
{
    uint64_t sum = 0;
    uint64_t at = 1;
    for (unsigned i = 0; i < LOOKUPS; i++) {
        at = at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += items[(at >> 33) % ITEMS].value;
    }
    return sum;
}

int main(void)
{
    items = calloc(ITEMS, sizeof *items);
    if (!items)
        return 1;
    fill();
    printf("%llu\n", (unsigned long long)lookup());
    return 0;
}
