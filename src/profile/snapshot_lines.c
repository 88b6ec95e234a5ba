/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A type as cache lines cut it, by where its instances really begin. */
#include "profile/drawing.h"

#include <math.h>
#include <stdlib.h>

enum {
    PHASE_SAMPLES_MIN = 16,
    UNKNOWN_SIZE = 8 /* bytes of an access whose size is not known */
};

static const double most_of_heat = 0.9;

void drawing_find_phase(struct drawing *drawing, uint32_t object)
{
    struct snapshot_layout *layout = drawing->layout;
    const struct window *window = &drawing->build->profile->window;
    uint32_t *begins = calloc(drawing->line, sizeof *begins);
    uint32_t all = 0;
    uint32_t straddling = 0;
    for (uint32_t i = 0; begins && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (entry->object != object || entry->type != layout->type)
            continue;
        uint64_t into = layout->inferred ? entry->offset % layout->size : entry->type_offset;
        begins[(entry->address - into) % drawing->line]++;
        straddling += entry->address % drawing->line + entry->size > drawing->line;
        all++;
    }
    layout->phase_share = layout->straddling = NAN;
    for (uint32_t i = 0; begins && i < drawing->line; i++) {
        layout->phases += begins[i] > 0;
        if (begins[i] > begins[layout->phase])
            layout->phase = i;
    }
    if (begins && all >= PHASE_SAMPLES_MIN) {
        layout->phase_share = (double)begins[layout->phase] / all;
        layout->straddling = (double)straddling / all;
    }
    free(begins);
}

uint32_t drawing_line(const struct drawing *drawing, uint64_t offset)
{
    return (uint32_t)((offset + drawing->layout->phase) / drawing->line);
}

static void touch(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->field_count; i++) {
        const struct snapshot_field *field = &drawing->fields[i];
        uint64_t end = field->offset + (field->size ? field->size : UNKNOWN_SIZE);
        for (uint64_t at = field->offset; at < end && at < drawing->extent; at++)
            drawing->touched[at] |= field->samples > 0;
    }
}

void drawing_cut_into_lines(struct drawing *drawing)
{
    struct snapshot_layout *layout = drawing->layout;
    uint64_t size = drawing->extent;
    size_t count = drawing_line(drawing, size - 1) + 1;
    layout->lines = arena_array(drawing->build->arena, count, sizeof *layout->lines);
    if (!layout->lines)
        return;
    layout->line_count = count;
    touch(drawing);
    for (size_t i = 0; i < count; i++) {
        struct snapshot_layout_line *line = &layout->lines[i];
        uint64_t end = (i + 1) * drawing->line - layout->phase;
        line->start = i ? i * drawing->line - layout->phase : 0;
        line->end = end < size ? end : size;
        for (uint64_t at = line->start; at < line->end; at++)
            line->used += drawing->touched[at];
        line->cold = (uint32_t)(line->end - line->start) - line->used;
    }
    for (size_t i = 0; i < drawing->field_count; i++) {
        size_t at = drawing_line(drawing, drawing->fields[i].offset);
        if (at < count && layout->samples > 0)
            layout->lines[at].share += drawing->fields[i].samples / layout->samples;
    }
}

static int hottest(const void *left, const void *right)
{
    const struct snapshot_layout_row *a = *(const struct snapshot_layout_row *const *)left;
    const struct snapshot_layout_row *b = *(const struct snapshot_layout_row *const *)right;
    return a->samples > b->samples ? -1 : a->samples < b->samples;
}

void drawing_measure_spread(struct drawing *drawing)
{
    struct snapshot_layout *layout = drawing->layout;
    const struct snapshot_layout_row **rows = calloc(drawing->row_count + 1, sizeof *rows);
    uint8_t *lines = calloc(layout->line_count + 1, 1);
    size_t count = 0;
    uint64_t bytes = 0;
    double heat = 0;
    for (size_t i = 0; rows && i < drawing->row_count; i++)
        if (!drawing->rows[i].has_members && drawing->rows[i].samples > 0)
            rows[count++] = &drawing->rows[i];
    if (rows)
        qsort(rows, count, sizeof *rows, hottest);
    for (size_t i = 0; lines && i < count && heat < most_of_heat * layout->samples; i++) {
        const struct type_member *member = &rows[i]->member;
        uint64_t size = member->stride ? member->stride : member->size;
        size_t last = drawing_line(drawing, member->offset + (size ? size - 1 : 0));
        for (size_t k = drawing_line(drawing, member->offset); k <= last && k < layout->line_count;
             k++)
            lines[k] = 1;
        bytes += size;
        heat += rows[i]->samples;
    }
    for (size_t i = 0; lines && i < layout->line_count; i++)
        layout->hot_span += lines[i];
    layout->hot_lines = (bytes + drawing->line - 1) / drawing->line;
    free(rows);
    free(lines);
}

/* Bytes fetched for one that is used: over the lines, by where the samples fell. */
static double cold_share(const struct snapshot_layout *layout, uint32_t line_bytes)
{
    double cold = 0;
    for (size_t i = 0; i < layout->line_count; i++)
        cold += layout->lines[i].share * layout->lines[i].cold / line_bytes;
    return cold;
}

const char *drawing_reading(const struct drawing *drawing)
{
    enum { COLD_PERCENT = 25, STRADDLING_PERCENT = 5 };
    const struct snapshot_layout *layout = drawing->layout;
    struct arena *arena = drawing->build->arena;
    double cold = cold_share(layout, drawing->line) * 100;
    if (layout->samples < PHASE_SAMPLES_MIN || !layout->line_count)
        return NULL;
    if (layout->size < drawing->line && !drawing->array)
        return arena_printf(arena,
                            "It takes %llu of the %u bytes of a cache line: what lies beside it "
                            "is fetched along, and decides whether that is of use.",
                            (unsigned long long)layout->size, drawing->line);
    if (layout->hot_span > layout->hot_lines)
        return arena_printf(arena,
                            "90%% of it falls on members in %llu cache lines that would fit in "
                            "%llu: put them side by side. Of the bytes fetched %.0f%% are never "
                            "used.",
                            (unsigned long long)layout->hot_span,
                            (unsigned long long)layout->hot_lines, cold);
    if (layout->straddling * 100 > STRADDLING_PERCENT)
        return arena_printf(arena,
                            "%.0f%% of the accesses cross from one cache line into the next: "
                            "align the elements.",
                            layout->straddling * 100);
    if (cold > COLD_PERCENT)
        return arena_printf(arena,
                            "Of the bytes fetched %.0f%% are never used: members that are not "
                            "needed together with the hot ones could live elsewhere.",
                            cold);
    return arena_printf(arena,
                        "The hot members share their cache lines; %.0f%% of the bytes "
                        "fetched are never used.",
                        cold);
}
