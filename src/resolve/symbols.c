/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/symbols.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void symbols_fini(struct symbols *symbols)
{
    free(symbols->at);
    *symbols = (struct symbols){0};
}

bool symbols_add(struct symbols *symbols, struct symbol symbol)
{
    struct symbol *more =
        array_more(symbols->at, &symbols->room, symbols->count, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return false;
    symbols->at = more;
    symbols->at[symbols->count++] = symbol;
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct symbol *x = a;
    const struct symbol *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    return strcmp(x->name, y->name);
}

/* Aliases, and labels in the middle of something with a size: link-time optimisation leaves some
 * there that have the names of files. */
static void drop_doubles(struct symbols *symbols)
{
    size_t kept = 0;
    uint64_t covered = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol *symbol = &symbols->at[i];
        bool alias = kept && symbols->at[kept - 1].start == symbol->start;
        if (alias || (symbol->is_stub && symbol->start < covered))
            continue;
        if (!symbol->is_stub && symbol->end > covered)
            covered = symbol->end;
        symbols->at[kept++] = *symbol;
    }
    symbols->count = kept;
}

void symbols_settle(struct symbols *symbols)
{
    if (symbols->count)
        qsort(symbols->at, symbols->count, sizeof *symbols->at, compare);
    drop_doubles(symbols);
    /* A symbol without size reaches to the next one; one that overlaps the next is cut. */
    for (size_t i = 0; i + 1 < symbols->count; i++)
        if (symbols->at[i].is_stub || symbols->at[i].end > symbols->at[i + 1].start)
            symbols->at[i].end = symbols->at[i + 1].start;
}

/* How many start at the address or before it. */
static size_t begun(const struct symbols *symbols, uint64_t address)
{
    size_t low = 0;
    size_t high = symbols->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (symbols->at[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
    size_t before = begun(symbols, address);
    const struct symbol *symbol = before ? &symbols->at[before - 1] : NULL;
    return symbol && address < symbol->end ? symbol : NULL;
}

void symbols_gap(const struct symbols *symbols, uint64_t address, uint64_t *start, uint64_t *end)
{
    size_t before = begun(symbols, address);
    if (before && symbols->at[before - 1].end > *start)
        *start = symbols->at[before - 1].end;
    if (before < symbols->count && symbols->at[before].start < *end)
        *end = symbols->at[before].start;
}
