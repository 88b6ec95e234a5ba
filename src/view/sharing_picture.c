/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/sharing_picture.h"

#include <math.h>
#include <stdio.h>

enum { BYTES = 64, LABEL = 17, AFTER = 7, RULED = 8 };

struct frame {
    struct canvas *canvas;
    struct area area;
    int start;    /* column of the first byte */
    int per_cell; /* bytes */
};

static uint64_t cell_bits(const struct frame *frame, int cell)
{
    uint64_t bits = (UINT64_C(1) << frame->per_cell) - 1;
    return bits << cell * frame->per_cell;
}

static void draw_ruler(const struct frame *frame)
{
    canvas_text(frame->canvas, frame->area.row, frame->area.column, LABEL - 1, PAINT_DIM,
                " byte of line");
    for (int byte = 0; byte < BYTES; byte += RULED)
        canvas_format(frame->canvas, frame->area.row, frame->start + byte / frame->per_cell,
                      RULED / frame->per_cell, PAINT_DIM, "%d", byte);
}

/* A cell that is both read and written shows the store. */
static void draw_bytes(const struct frame *frame, int row, uint64_t read, uint64_t written)
{
    bool ascii = frame->canvas->ascii;
    for (int cell = 0; cell < BYTES / frame->per_cell; cell++) {
        uint64_t bits = cell_bits(frame, cell);
        bool writes = written & bits;
        bool reads = read & bits;
        const char *text = writes ? "W" : reads ? "r" : ascii ? "." : "·";
        canvas_text(frame->canvas, row, frame->start + cell, 1,
                    writes  ? PAINT_STORE
                    : reads ? PAINT_LOAD
                            : PAINT_DIM,
                    text);
    }
}

static void draw_side(const struct frame *frame, int row, const struct snapshot_sharing_side *side)
{
    int after = frame->start + BYTES / frame->per_cell + 1;
    char hitm[24] = "";
    canvas_format(frame->canvas, row, frame->area.column, LABEL - 1, PAINT_PLAIN, " thread %-8u",
                  side->tid);
    draw_bytes(frame, row, side->read, side->written);
    if (side->hitm >= 0.5)
        snprintf(hitm, sizeof hitm, "  HITM %.0f", side->hitm);
    canvas_format(frame->canvas, row, after, frame->area.column + frame->area.columns - after,
                  PAINT_PLAIN, "%5.1f%%%s", side->share * 100, hitm);
}

uint64_t sharing_contended(const struct snapshot_sharing_line *line)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < line->side_count; i++)
        for (size_t k = 0; k < line->side_count; k++)
            if (i != k)
                bytes |= line->sides[i].written & (line->sides[k].read | line->sides[k].written);
    return bytes;
}

static void draw_contended(const struct frame *frame, int row,
                           const struct snapshot_sharing_line *line)
{
    uint64_t bytes = sharing_contended(line);
    canvas_text(frame->canvas, row, frame->area.column, LABEL - 1, PAINT_DIM, " same bytes");
    for (int cell = 0; cell < BYTES / frame->per_cell; cell++)
        if (bytes & cell_bits(frame, cell))
            canvas_text(frame->canvas, row, frame->start + cell, 1, PAINT_WARN, "^");
    if (!bytes)
        canvas_text(frame->canvas, row, frame->start, BYTES / frame->per_cell, PAINT_DIM,
                    "none: only the line is wanted by all");
}

int sharing_picture(const struct snapshot_sharing_line *line, struct canvas *canvas,
                    struct area area)
{
    bool wide = area.columns >= LABEL + BYTES + AFTER;
    struct frame frame = {canvas, area, area.column + LABEL, wide ? 1 : 2};
    int used = 1;
    if (area.rows < 3 || area.columns < LABEL + BYTES / 2)
        return 0;
    bool written = false;
    for (size_t i = 0; i < line->side_count; i++)
        written |= line->sides[i].written != 0;
    draw_ruler(&frame);
    for (size_t i = 0; i < line->side_count && used < area.rows - written; i++)
        draw_side(&frame, area.row + used++, &line->sides[i]);
    if (written)
        draw_contended(&frame, area.row + used++, line);
    return used;
}
