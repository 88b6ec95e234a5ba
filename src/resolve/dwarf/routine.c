/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/routine.h"

#include "base/array.h"
#include "base/hash.h"
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <stdlib.h>

enum { DEPTH_MAX = 16, UNIT_ENTRIES_MAX = 1 << 22, PARTS_MAX = 64, ROUTINES_MAX = 1 << 22 };

struct routines {
    struct program *program;
    struct routine *routines; /* by start */
    size_t count;
    size_t room;
    struct hash units; /* read ones, by where their entry lies */
};

struct routines *routines_new(struct program *program)
{
    struct routines *routines = calloc(1, sizeof *routines);
    if (routines)
        routines->program = program;
    return routines;
}

void routines_free(struct routines *routines)
{
    if (!routines)
        return;
    free(routines->routines);
    hash_fini(&routines->units);
    free(routines);
}

static void add(struct routines *routines, const struct routine *routine)
{
    struct routine *more = array_more(routines->routines, &routines->room, routines->count,
                                      sizeof *more, ROUTINES_MAX);
    if (!more)
        return;
    routines->routines = more;
    routines->routines[routines->count++] = *routine;
}

/* One entry for each part: gcc moves what is cold elsewhere. */
static void add_parts(struct routines *routines, Dwarf_Die *die, Dwarf_Addr bias)
{
    struct routine routine = {.die = *die, .bias = bias};
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;
    ptrdiff_t at = 0;
    if (!dwarf_entrypc(die, &start))
        routine.entry = start + bias;
    for (unsigned i = 0; i < PARTS_MAX; i++) {
        at = dwarf_ranges(die, at, &base, &start, &end);
        if (at <= 0)
            return;
        routine.start = start + bias;
        routine.end = end + bias;
        if (end > start)
            add(routines, &routine);
    }
}

/* Also in namespaces, in classes (local ones, Rust's) and in functions (nested ones). */
static bool may_hold(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
           tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

static void read_scope(struct routines *routines, Dwarf_Die *scope, Dwarf_Addr bias, unsigned depth,
                       unsigned *left)
{
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(scope, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (!*left || !--*left)
            return;
        if (tag == DW_TAG_subprogram)
            add_parts(routines, &child, bias);
        if (may_hold(tag))
            read_scope(routines, &child, bias, depth + 1, left);
    } while (!dwarf_siblingof(&child, &child));
}

static int compare(const void *a, const void *b)
{
    const struct routine *one = a;
    const struct routine *other = b;
    return (one->start > other->start) - (one->start < other->start);
}

static void read_unit(struct routines *routines, struct program_place *place)
{
    bool created = false;
    unsigned left = UNIT_ENTRIES_MAX;
    if (!hash_insert(&routines->units, (uint64_t)(uintptr_t)place->unit.addr, &created) || !created)
        return;
    read_scope(routines, &place->unit, place->bias, 0, &left);
    if (routines->count)
        qsort(routines->routines, routines->count, sizeof *routines->routines, compare);
}

bool routines_find(struct routines *routines, uint64_t address, struct routine *routine)
{
    struct program_place place;
    size_t low = 0;
    if (!program_place(routines->program, address, &place))
        return false;
    read_unit(routines, &place);
    for (size_t high = routines->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (routines->routines[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address >= routines->routines[low - 1].end)
        return false;
    *routine = routines->routines[low - 1];
    return true;
}
