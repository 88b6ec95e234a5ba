/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to try against what leads among the causes; declared in causes_words.h. */
#include "view/causes_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES_LEAST = 20, NAME_BYTES = 160 };
static const double itself_leads = 0.5;

static uint32_t id_of(enum causes_of kind, const struct snapshot_evictor *evictor)
{
    return kind == CAUSES_OBJECTS ? evictor->object_id : evictor->function_id;
}

/* Who threw out most of the lines, if that is somebody else and known: of an object what was
 * accessed, of a function who did it. Another one may have the same name. False: nobody leads. */
static bool rival(enum causes_of kind, const struct snapshot_causes_row *row, char out[NAME_BYTES])
{
    const struct snapshot_evictor *first = NULL;
    double share = 0;
    for (size_t i = 0; i < row->evictor_count; i++) {
        const struct snapshot_evictor *evictor = &row->evictors[i];
        uint32_t id = id_of(kind, evictor);
        if (!first && id && id != row->id)
            first = evictor;
        share += first && id == id_of(kind, first) ? evictor->share : 0;
    }
    if (!first || share <= row->figures.by_itself)
        return false;
    const char *name = kind == CAUSES_OBJECTS ? first->object : first->function;
    bool alike = name && row->name && !strcmp(name, row->name);
    snprintf(out, NAME_BYTES, "%s%s", alike ? "another " : "", name ? name : "");
    return name;
}

static void advise_capacity(const struct snapshot_causes_row *row, char *out, size_t size)
{
    char other[NAME_BYTES];
    if (row->figures.by_itself >= itself_leads)
        snprintf(out, size,
                 "It is larger than the cache, and mostly throws itself out before it is used "
                 "again. Work on it in blocks that fit, or make its elements smaller.");
    else if (rival(CAUSES_OBJECTS, row, other))
        snprintf(out, size,
                 "More passes through the cache than it holds before this is used again, of %s "
                 "most. Use this and that in smaller portions, or one after the other.",
                 other);
    else
        snprintf(out, size,
                 "More passes through the cache than it holds before this is used again. Work in "
                 "blocks that fit, or make the elements smaller.");
}

static void advise_function_capacity(const struct snapshot_causes_row *row, char *out, size_t size)
{
    char other[NAME_BYTES];
    if (!rival(CAUSES_FUNCTIONS, row, other))
        snprintf(out, size,
                 "Before it comes back to the same data, more passes through the cache than that "
                 "holds. Work in blocks that fit, and do all that is to be done with one block "
                 "before the next.");
    else
        snprintf(out, size,
                 "What it uses was in the cache, and %s filled that with other data in between. "
                 "Run the two on small portions by turns, or let that one touch less.",
                 other);
}

static void advise_conflict(enum causes_of kind, const struct snapshot_causes_row *row, char *out,
                            size_t size)
{
    char other[NAME_BYTES];
    if (kind != CAUSES_OBJECTS)
        snprintf(out, size,
                 "The cache has room for what it uses, but that crowds in few sets: a power of two "
                 "between rows, or blocks that begin alike. Pad them: Sets (3) shows which, and by "
                 "object (b) whose they are.");
    else if (!rival(kind, row, other))
        snprintf(out, size,
                 "The cache has room for it, but its lines crowd in few sets. Pad its rows or "
                 "change its stride, so that they spread over all sets: Sets (3) shows which.");
    else
        snprintf(
            out, size,
            "The cache has room for it, but lines of %.*s fall into the same sets. Move one of "
            "the two by some lines, or pad its rows: Sets (3) shows which.",
            NAME_BYTES, other);
}

static void advise_invalidated(const struct snapshot_causes_row *row, char *out, size_t size)
{
    const double *share = row->figures.share;
    bool apart = share[CAUSE_INVALIDATED_FALSE] > share[CAUSE_INVALIDATED_TRUE];
    snprintf(out, size, "%s",
             apart ? "Other threads write to other bytes of the same lines. Give each thread lines "
                     "of its own: Sharing (9) shows which."
                   : "Other threads write what is read here. Let them write less often, or each "
                     "keep a copy and join these later.");
}

static void advise_first(enum causes_of kind, char *out, size_t size)
{
    snprintf(out, size,
             "%s lines are touched for the first time: no larger cache would help. Touch fewer "
             "lines, use memory again instead of fresh, or fetch ahead.",
             kind == CAUSES_OBJECTS ? "Its" : "The");
}

static void advise_other(const struct snapshot_causes_row *row, char *out, size_t size)
{
    const double *share = row->figures.share;
    snprintf(out, size, "%s",
             share[CAUSE_INCLUSION] > share[CAUSE_UNKNOWN]
                 ? "The larger cache below threw its lines out, and this one with it: look at "
                   "the event of that level (e)."
                 : "The tables of the simulation had no room to tell why.");
}

void causes_advice(enum causes_of kind, const struct snapshot_causes_row *row, char *out,
                   size_t size)
{
    const double *share = row->figures.share;
    double first = causes_first(share);
    double taken = causes_invalidated(share);
    double other = causes_other(share);
    double replaced = share[CAUSE_CAPACITY] + share[CAUSE_CONFLICT];
    double most = fmax(fmax(first, taken), fmax(replaced, other));
    if (row->figures.samples < SAMPLES_LEAST)
        snprintf(out, size, "Too few misses so far to say what to try.");
    else if (most == first)
        advise_first(kind, out, size);
    else if (most == taken)
        advise_invalidated(row, out, size);
    else if (most == other)
        advise_other(row, out, size);
    else if (share[CAUSE_CONFLICT] > share[CAUSE_CAPACITY])
        advise_conflict(kind, row, out, size);
    else if (kind == CAUSES_OBJECTS)
        advise_capacity(row, out, size);
    else
        advise_function_capacity(row, out, size);
}
