/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/layout_rows.h"

#include "base/array.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From which part of the samples a member, or a line, is called hot. */
static const double hot_share = 0.1;

enum { INDENT_MOST = TYPE_DEPTH_MAX };

bool layout_folded(const struct layout_folds *folds, uint32_t member)
{
    for (unsigned i = 0; i < folds->count; i++)
        if (folds->members[i] == member)
            return true;
    return false;
}

bool layout_fold(struct layout_folds *folds, uint32_t member)
{
    for (unsigned i = 0; i < folds->count; i++)
        if (folds->members[i] == member) {
            folds->members[i] = folds->members[--folds->count];
            return true;
        }
    if (folds->count == sizeof folds->members / sizeof *folds->members)
        return false;
    folds->members[folds->count++] = member;
    return true;
}

void layout_rows_fini(struct layout_rows *rows)
{
    free(rows->list);
    *rows = (struct layout_rows){0};
}

uint64_t layout_identity(uint32_t member, uint64_t offset)
{
    return member != TYPE_NO_MEMBER ? member : (1ull << 62) | offset;
}

const struct snapshot_layout_row *layout_hottest(const struct snapshot_layout *layout)
{
    const struct snapshot_layout_row *hottest = NULL;
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        if (!row->has_members && row->samples > (hottest ? hottest->samples : 0))
            hottest = row;
    }
    return hottest;
}

static struct layout_row *add(struct layout_rows *rows)
{
    struct layout_row *list =
        array_more(rows->list, &rows->capacity, rows->count, sizeof *list, ARRAY_UNBOUNDED);
    if (!list)
        return NULL;
    rows->list = list;
    struct layout_row *row = &rows->list[rows->count++];
    *row = (struct layout_row){.row = NULL};
    return row;
}

/* Cuts between characters. */
static void set_text(struct layout_row *out, const char *text)
{
    text_sanitise(out->text, sizeof out->text, text, strlen(text));
}

/* A rule for lines [first, next). */
static void add_rule(struct layout_rows *rows, const struct snapshot_layout *layout, size_t first,
                     size_t next)
{
    char text[160];
    double share = 0;
    uint64_t used = 0;
    uint64_t cold = 0;
    struct layout_row *out = add(rows);
    if (!out)
        return;
    for (size_t i = first; i < next; i++) {
        share += layout->lines[i].share;
        used += layout->lines[i].used;
        cold += layout->lines[i].cold;
    }
    int at = snprintf(text, sizeof text, "line%s %zu", next - first > 1 ? "s" : "", first);
    if (next - first > 1)
        at += snprintf(text + at, sizeof text - (size_t)at, "-%zu", next - 1);
    if (isfinite(share))
        at += snprintf(text + at, sizeof text - (size_t)at, "  %.1f%%", share * 100);
    at += snprintf(text + at, sizeof text - (size_t)at, "  %" PRIu64 " of %" PRIu64 " bytes used",
                   used, layout->lines[next - 1].end - layout->lines[first].start);
    if (cold && share >= hot_share)
        snprintf(text + at, sizeof text - (size_t)at, ", %" PRIu64 " cold", cold);
    out->identity = (1ull << 63) | first;
    set_text(out, text);
}

/* Lines that a member touches. */
static size_t lines_of(const struct snapshot_layout *layout, const struct snapshot_layout_row *row)
{
    size_t line = row->line;
    size_t first = line;
    for (; line < layout->line_count; line++) {
        uint64_t start = layout->lines[line].start;
        if (start > row->member.offset && start - row->member.offset >= row->member.size)
            break;
    }
    return line - first;
}

static const char *kind_text(const struct snapshot_layout_row *row)
{
    switch (row->kind) {
    case LAYOUT_HOLE:
        return "(hole)";
    case LAYOUT_PADDING:
        return "(padding)";
    case LAYOUT_UNKNOWN:
        return "";
    default:
        return row->member.kind == MEMBER_BASE     ? "(base class)"
               : row->member.kind == MEMBER_VTABLE ? "(vtable)"
                                                   : "(no name)";
    }
}

static void name_row(struct layout_row *out, const struct snapshot_layout_row *row, bool folded)
{
    char text[512];
    char bits[16] = "";
    const struct type_member *member = &row->member;
    int indent = member->depth < INDENT_MOST ? member->depth : INDENT_MOST;
    const char *name = member->name && *member->name ? member->name : kind_text(row);
    if (member->bit_size)
        snprintf(bits, sizeof bits, " : %u", member->bit_size);
    if (row->kind == LAYOUT_UNKNOWN && !*name)
        snprintf(text, sizeof text, "+%" PRIu64, member->offset);
    else
        snprintf(text, sizeof text, "%*s%s%s%s", indent * 2, "",
                 !row->has_members ? ""
                 : folded          ? "+ "
                                   : "- ",
                 name, bits);
    set_text(out, text);
}

static bool is_union(const struct type_member *member)
{
    return member->type && !strncmp(member->type, "union", 5) &&
           (!member->type[5] || member->type[5] == ' ');
}

/* What the row says beyond its figures; the costly things first. */
static void note_row(struct layout_row *out, const struct snapshot_layout *layout,
                     const struct snapshot_layout_row *row,
                     const struct snapshot_layout_row *hottest)
{
    const struct type_member *member = &row->member;
    size_t lines = lines_of(layout, row);
    bool leaf = !row->has_members;
    bool in_hot_line =
        row->line < layout->line_count && layout->lines[row->line].share >= hot_share;
    if (row->kind != LAYOUT_MEMBER && row->kind != LAYOUT_UNKNOWN) {
        if (in_hot_line)
            snprintf(out->note, sizeof out->note, "empty, fetched along");
    } else if (leaf && lines == 2 && !member->count) {
        snprintf(out->note, sizeof out->note, "STRADDLES 2 lines");
    } else if (row == hottest) {
        snprintf(out->note, sizeof out->note, "hottest");
    } else if (leaf && hottest && row->share >= hot_share && row->line != hottest->line) {
        snprintf(out->note, sizeof out->note, "HOT, on another line");
    } else if (lines > 1) {
        snprintf(out->note, sizeof out->note, "over %zu lines", lines);
    } else if (is_union(member)) {
        snprintf(out->note, sizeof out->note, "its members overlap");
    } else if (leaf && row->kind == LAYOUT_MEMBER && !(row->samples > 0) && in_hot_line) {
        snprintf(out->note, sizeof out->note, "cold, fetched along");
    }
}

void layout_rows_make(struct layout_rows *rows, const struct snapshot_layout *layout,
                      const struct layout_folds *folds)
{
    const struct snapshot_layout_row *hottest = layout_hottest(layout);
    size_t line = 0;
    rows->count = 0;
    for (size_t i = 0; i < layout->row_count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        bool folded = row->has_members && layout_folded(folds, row->index);
        size_t next = line;
        while (next < layout->line_count && layout->lines[next].start <= row->member.offset)
            next++;
        /* Those before the last one lie within the member above. */
        if (next > line + 1)
            add_rule(rows, layout, line, next - 1);
        if (next > line)
            add_rule(rows, layout, next - 1, next);
        line = next;
        struct layout_row *out = add(rows);
        if (!out)
            return;
        out->row = row;
        out->identity = layout_identity(row->index, row->member.offset);
        name_row(out, row, folded);
        note_row(out, layout, row, hottest);
        while (folded && i + 1 < layout->row_count &&
               layout->rows[i + 1].member.depth > row->member.depth)
            i++;
    }
    if (line < layout->line_count)
        add_rule(rows, layout, line, layout->line_count);
}
