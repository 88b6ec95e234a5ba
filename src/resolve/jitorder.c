/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/jitorder.h"

#include <stdlib.h>
#include <string.h>

/* Lines begun and not known to have ended, the latest on top: a binary heap. */
struct begun {
    struct jit_symbol *at;
    size_t count;
};

static void swap(struct jit_symbol *a, struct jit_symbol *b)
{
    struct jit_symbol kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct begun *begun, const struct jit_symbol *line)
{
    size_t i = begun->count++;
    begun->at[i] = *line;
    for (; i && begun->at[(i - 1) / 2].line < begun->at[i].line; i = (i - 1) / 2)
        swap(&begun->at[(i - 1) / 2], &begun->at[i]);
}

static void pop(struct begun *begun)
{
    begun->at[0] = begun->at[--begun->count];
    for (size_t i = 0, later = 1; later < begun->count; i = later, later = 2 * i + 1) {
        if (later + 1 < begun->count && begun->at[later + 1].line > begun->at[later].line)
            later++;
        if (begun->at[i].line >= begun->at[later].line)
            break;
        swap(&begun->at[i], &begun->at[later]);
    }
}

static int by_start(const void *a, const void *b)
{
    const struct jit_symbol *x = a;
    const struct jit_symbol *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static size_t add(struct jit_symbol *pieces, size_t count, struct jit_symbol piece)
{
    if (count && pieces[count - 1].line == piece.line && pieces[count - 1].end == piece.start) {
        pieces[count - 1].end = piece.end;
        return count;
    }
    pieces[count] = piece;
    return count + 1;
}

/* From one boundary to the next: each step takes a line in or leaves one behind. */
static size_t sweep(const struct jit_symbol *sorted, size_t count, struct begun *begun,
                    struct jit_symbol *pieces)
{
    size_t made = 0;
    size_t next = 0;
    uint64_t at = 0;
    for (;;) {
        while (begun->count && begun->at[0].end <= at)
            pop(begun);
        if (!begun->count && next == count)
            return made;
        if (!begun->count && sorted[next].start > at)
            at = sorted[next].start;
        while (next < count && sorted[next].start <= at)
            push(begun, &sorted[next++]);
        struct jit_symbol piece = begun->at[0];
        if (piece.end <= at)
            continue;
        piece.start = at;
        if (next < count && sorted[next].start < piece.end)
            piece.end = sorted[next].start;
        made = add(pieces, made, piece);
        at = piece.end;
    }
}

struct jit_symbol *jitorder_pieces(const struct jit_symbol *lines, size_t count, size_t *made)
{
    struct jit_symbol *sorted = calloc(count + !count, sizeof *sorted);
    struct jit_symbol *pieces = calloc(2 * count + 1, sizeof *pieces);
    struct begun begun = {.at = calloc(count + !count, sizeof *begun.at)};
    *made = 0;
    if (sorted && pieces && begun.at && count) {
        memcpy(sorted, lines, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_start);
        *made = sweep(sorted, count, &begun, pieces);
    } else if (!sorted || !begun.at) {
        free(pieces);
        pieces = NULL;
    }
    free(sorted);
    free(begun.at);
    return pieces;
}
