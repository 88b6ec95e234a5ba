/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/units.h"

#include "base/array.h"

#include <dwarf.h>
#include <stdlib.h>

enum { RANGES_MAX = 1 << 20 };

void units_fini(struct units *units)
{
    free(units->ranges);
    *units = (struct units){0};
}

static bool add(struct units *units, const struct unit_range *range)
{
    if (units->count == RANGES_MAX)
        return false;
    struct unit_range *more =
        array_more(units->ranges, &units->room, units->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return false;
    units->ranges = more;
    units->ranges[units->count++] = *range;
    return true;
}

static bool add_unit(struct units *units, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct unit_range range = {.die = *die, .bias = bias};
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        range.start = start + bias;
        range.end = end + bias;
        /* What the linker has left out stands at 0. */
        if (start && start < end && !add(units, &range))
            return false;
    }
    return true;
}

static int by_start(const void *left, const void *right)
{
    const struct unit_range *a = left;
    const struct unit_range *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void read_units(struct units *units, Dwfl_Module *module)
{
    Dwarf_Die *die = NULL;
    Dwarf_Addr bias;
    units->read = true;
    while ((die = dwfl_module_nextcu(module, die, &bias)) && add_unit(units, die, bias))
        continue;
    if (units->count)
        qsort(units->ranges, units->count, sizeof *units->ranges, by_start);
}

static struct unit_range *search(const struct units *units, uint64_t address)
{
    size_t low = 0;
    size_t high = units->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (units->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct unit_range *last = low ? &units->ranges[low - 1] : NULL;
    return last && address < last->end ? last : NULL;
}

/* A unit whose entries stand in a file of their own (split DWARF: DWARF 5, 3.1.2) is that one. */
static Dwarf_Die *with_entries(struct units *units, Dwarf_Die *die)
{
    uint8_t kind;
    bool is_split = !dwarf_cu_info(die->cu, NULL, &kind, NULL, &units->split, NULL, NULL, NULL) &&
                    kind == DW_UT_skeleton && units->split.addr;
    return is_split ? &units->split : die;
}

Dwarf_Die *units_find(struct units *units, Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *die = dwfl_module_addrdie(module, address, bias);
    if (die)
        return with_entries(units, die);
    if (!units->read)
        read_units(units, module);
    struct unit_range *range = search(units, address);
    if (!range)
        return NULL;
    *bias = range->bias;
    return with_entries(units, &range->die);
}
