/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/snapshot_twins.h"

#include <stdlib.h>
#include <string.h>

static int by_name_and_path(const void *left, const void *right)
{
    const struct heap_bin *a = &(*(struct snapshot_bin *const *)left)->heap;
    const struct heap_bin *b = &(*(struct snapshot_bin *const *)right)->heap;
    int names = strcmp(a->name, b->name);
    return names ? names : strcmp(a->path, b->path);
}

/* Callers that the paths of two bins have in common, innermost first; 0: they are no twins. */
static unsigned in_common(const struct snapshot_bin *bin, const struct snapshot_bin *other)
{
    const char *one = bin->heap.path;
    unsigned frames = 0;
    if (!other || strcmp(bin->heap.name, other->heap.name) != 0)
        return 0;
    size_t i = 0;
    for (; one[i] && one[i] == other->heap.path[i]; i++)
        frames += one[i] == '<';
    frames += one[i] == ' ' && !other->heap.path[i]; /* it goes on where the other ends */
    return frames ? frames : 1; /* past the function itself, which has its name */
}

/* The caller after so many in a path "a < b < c"; "" past the last. */
static const char *caller(const char *path, unsigned after)
{
    for (; *path && after; path++)
        after -= *path == '<';
    return path + strspn(path, " ");
}

static bool call(struct snapshot_bin *bin, unsigned common, struct arena *arena)
{
    const char *who = caller(bin->heap.path, common);
    const char *end = strstr(who, " < ");
    int length = (int)(end ? (size_t)(end - who) : strlen(who));
    if (!common || !*who)
        return true;
    bin->called = arena_printf(arena, "%s < %.*s", bin->heap.name, length, who);
    return bin->called;
}

bool twins_tell_apart(struct snapshot_heap *heap, struct arena *arena)
{
    struct snapshot_bin **sorted = calloc(heap->bin_count + 1, sizeof *sorted);
    size_t count = 0;
    bool told = sorted;
    for (size_t i = 0; sorted && i < heap->bin_count; i++)
        if (heap->bins[i].heap.name && heap->bins[i].heap.path && !heap->bins[i].heap.renamed)
            sorted[count++] = &heap->bins[i];
    if (count)
        qsort(sorted, count, sizeof *sorted, by_name_and_path);
    /* Sorted by path, no other has more in common than those beside. */
    for (size_t i = 0; told && i < count; i++) {
        unsigned before = in_common(sorted[i], i ? sorted[i - 1] : NULL);
        unsigned behind = in_common(sorted[i], i + 1 < count ? sorted[i + 1] : NULL);
        told = call(sorted[i], before > behind ? before : behind, arena);
    }
    free(sorted);
    return told;
}
