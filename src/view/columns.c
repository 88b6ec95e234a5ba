/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/columns.h"

#include "view/bar.h"
#include "view/glyph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { GAP = 1 };

static bool chosen_by_rank(const struct columns *columns, const struct snapshot *snapshot,
                           int width, bool chosen[COLUMNS_MAX])
{
    int used = -GAP;
    bool any = false;
    for (unsigned rank = 0; rank <= UINT8_MAX; rank++)
        for (unsigned i = 0; i < columns->count; i++) {
            const struct column *column = &columns->list[i];
            if (column->rank != rank || (column->shown && !column->shown(snapshot)))
                continue;
            if (any && used + GAP + column->width > width)
                return true;
            used += GAP + column->width;
            chosen[i] = any = true;
        }
    return any;
}

/* Room that is left goes to the columns that want it, in turn. */
static void widen(const struct columns *columns, struct layout *layout, int spare)
{
    bool grown = true;
    while (spare > 0 && grown) {
        grown = false;
        for (unsigned i = 0; i < layout->count && spare > 0; i++) {
            const struct column *column = &columns->list[layout->places[i].index];
            if (layout->places[i].width >= column->most)
                continue;
            layout->places[i].width++;
            spare--;
            grown = true;
        }
    }
}

void columns_layout(const struct columns *columns, const struct snapshot *snapshot, int width,
                    struct layout *layout)
{
    bool chosen[COLUMNS_MAX] = {false};
    int used = -GAP;
    int start = 0;
    *layout = (struct layout){0};
    chosen_by_rank(columns, snapshot, width, chosen);
    for (unsigned i = 0; i < columns->count; i++) {
        if (!chosen[i])
            continue;
        layout->places[layout->count].index = i;
        layout->places[layout->count++].width = columns->list[i].width;
        used += columns->list[i].width + GAP;
    }
    widen(columns, layout, width - used);
    for (unsigned i = 0; i < layout->count; i++) {
        layout->places[i].start = start;
        if (start + layout->places[i].width > width)
            layout->places[i].width = width > start ? width - start : 0;
        start += layout->places[i].width + GAP;
    }
}

void columns_text(const struct column *column, const struct snapshot *snapshot, const void *row,
                  int width, bool ascii, char *out, size_t size)
{
    struct value value = column->value(snapshot, row);
    *out = '\0';
    if (column->look == COLUMN_SPARK) {
        bar_spark(out, size, width, column->series(row), SNAPSHOT_HISTORY, 0, ascii);
    } else if (value.kind == VALUE_UNKNOWN) {
        return;
    } else if (column->look == COLUMN_BAR) {
        bar_fill(out, size, width, value.number, ascii);
    } else if (column->format) {
        column->format(out, size, value);
    } else {
        glyph_fit(out, size, value.text, width,
                  column->look == COLUMN_NAME ? GLYPH_CUT_MIDDLE : GLYPH_CUT_END, ascii);
    }
}

static int compare_known(const struct value *left, const struct value *right)
{
    switch (left->kind) {
    case VALUE_NUMBER:
        return left->number > right->number ? -1 : left->number < right->number;
    case VALUE_INTEGER:
        return left->integer > right->integer ? -1 : left->integer < right->integer;
    case VALUE_TEXT:
        return strcasecmp(left->text, right->text);
    default:
        return 0;
    }
}

int columns_compare(const struct column *column, const struct snapshot *snapshot,
                    const void *left, const void *right, bool invert)
{
    struct value a = column->value(snapshot, left);
    struct value b = column->value(snapshot, right);
    if (a.kind != b.kind)
        return a.kind == VALUE_UNKNOWN ? 1 : b.kind == VALUE_UNKNOWN ? -1 : 0;
    return invert ? -compare_known(&a, &b) : compare_known(&a, &b);
}

bool columns_match(const struct columns *columns, const struct snapshot *snapshot,
                   const void *row, const char *part)
{
    for (unsigned i = 0; i < columns->count; i++) {
        struct value value = columns->list[i].value(snapshot, row);
        if (value.kind == VALUE_TEXT && strcasestr(value.text, part))
            return true;
    }
    return false;
}

double columns_half(const struct snapshot_share *share)
{
    return (share->high - share->low) / 2;
}

const struct snapshot_object *columns_object(const struct snapshot *snapshot, uint32_t index)
{
    return index < snapshot->object_count ? &snapshot->objects[index] : NULL;
}

const char *columns_title(const struct column *column, bool ascii)
{
    return ascii && !strcmp(column->title, "±") ? "+-" : column->title;
}
