/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of a type's members. Rules between cache lines have no values. */
#include "view/columns.h"

#include "view/layout_rows.h"
#include "view/levels_words.h"
#include "view/rates_words.h"
#include "view/use_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW                                                                                        \
    const struct layout_row *shown = pointer;                                                      \
    const struct snapshot_layout_row *row = shown->row;                                            \
    (void)snapshot;                                                                                \
    if (!row)                                                                                      \
        return (struct value)                                                                      \
        {                                                                                          \
            .kind = VALUE_UNKNOWN                                                                  \
        }

/* In bits, so that bit-fields sort into their place. */
static struct value offset(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    bool fits = row->member.offset < UINT64_MAX / 8;
    return fits ? value_integer(row->member.offset * 8 + row->member.bit_offset)
                : value_number(NAN);
}

static void format_bits(char *out, size_t size, struct value value)
{
    if (value.integer % 8)
        snprintf(out, size, "%" PRIu64 ":%" PRIu64, value.integer / 8, value.integer % 8);
    else
        snprintf(out, size, "%" PRIu64, value.integer / 8);
}

static struct value size(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_known(row->member.bit_size ? 0 : row->member.size);
}

static struct value type(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->member.type);
}

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(shown->text);
}

static struct value line(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->line);
}

/* Holes cannot be hit by a program that is in order; then a 0 tells nothing. */
static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    bool gap = row->kind == LAYOUT_HOLE || row->kind == LAYOUT_PADDING;
    return value_number(gap && !(row->samples > 0) ? NAN : row->share);
}

static struct value samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->samples > 0 ? row->samples : NAN);
}

static struct value part(const struct snapshot_layout_row *row, double of)
{
    bool known = row->samples > 0 && row->loads + row->stores > 0;
    return value_number(known ? of / row->samples : NAN);
}

static struct value loads(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return part(row, row->loads);
}

static struct value stores(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return part(row, row->stores);
}

static const struct snapshot_levels *levels_of(const void *pointer)
{
    const struct layout_row *shown = pointer;
    return shown->row ? shown->row->levels : NULL;
}
LEVELS_VALUES(member, levels_of)

static const struct snapshot_rates *rates_of(const void *pointer)
{
    const struct layout_row *shown = pointer;
    return shown->row ? shown->row->rates : NULL;
}
RATES_VALUES(member, rates_of)

static const struct snapshot_use *use_of(const void *pointer)
{
    const struct layout_row *shown = pointer;
    return shown->row ? shown->row->use : NULL;
}
USE_VALUES(member, use_of)

static struct value note(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(shown->note);
}

static enum paint paint_note(struct value value)
{
    /* What costs is said in capitals. */
    bool bad = value.kind == VALUE_TEXT && value.text[0] >= 'A' && value.text[0] <= 'Z';
    return bad ? PAINT_BAD : PAINT_DIM;
}

static enum paint paint_member(struct value value)
{
    /* Names that are ours and not the program's stand in brackets. */
    bool named = value.kind == VALUE_TEXT && value.text[strspn(value.text, " -+")] != '(';
    return named ? PAINT_STRONG : PAINT_DIM;
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    (void)snapshot;
    return ((const struct layout_row *)pointer)->identity;
}

static const char *parting(const void *pointer)
{
    const struct layout_row *row = pointer;
    return row->row ? NULL : row->text;
}

static const struct column list[] = {
    {"OFFSET", "Bytes from the start of the type; 60:1 is bit 1 of byte 60.", 6, 8, 0, COLUMN_RIGHT,
     NULL, offset, format_bits, paint_dim, NULL},
    {"SIZE", "Bytes, all elements of an array.", 5, 0, 2, COLUMN_RIGHT, NULL, size, format_bytes,
     paint_dim, NULL},
    {"LINE", "The cache line it begins in, under the alignment seen most.", 4, 0, 9, COLUMN_RIGHT,
     NULL, line, format_integer, paint_dim, NULL},
    {"TYPE", "The member's type.", 8, 28, 2, COLUMN_NAME, NULL, type, NULL, NULL, NULL},
    {"FIELD", "The member, indented by nesting; - before it: its own members follow, o folds them.",
     12, 40, 0, COLUMN_TEXT, NULL, name, NULL, paint_member, NULL},
    {"", NULL, 8, 24, 3, COLUMN_BAR, NULL, share, NULL, paint_share, NULL},
    {"OF IT", "Part of the object's samples of this type that fell on the member.", 6, 0, 0,
     COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},
    {"SAMPLES", NULL, 7, 0, 8, COLUMN_RIGHT, NULL, samples, format_count, NULL, NULL},
    LEVELS_COLUMN_FOUND(member, 4),
    LEVELS_COLUMN_STALL(member, 4, levels_tell_stall),
    LEVELS_COLUMN_LATENCY(member, 4),
    RATES_COLUMN_STALL(member, 4),
    RATES_COLUMNS(member, 4),
    RATES_COLUMN_CRITICAL(member, 4),
    USE_COLUMNS(member, 3),
    LEVELS_COLUMNS_REST(member, 6),
    {"LD", "Part of its samples that were loads.", 5, 0, 4, COLUMN_RIGHT, NULL, loads,
     format_percent, paint_load, NULL},
    {"ST", "Part of its samples that were stores.", 5, 0, 4, COLUMN_RIGHT, NULL, stores,
     format_percent, paint_store, NULL},
    {"NOTE",
     "What costs, in capitals: STRADDLES two lines, HOT but on another line than the hottest; and "
     "bytes that are fetched along with hot ones.",
     20, 34, 3, COLUMN_TEXT, NULL, note, NULL, paint_note, NULL},
};

const struct columns layout_columns = {
    .title = "Layout",
    .list = list,
    .count = sizeof list / sizeof *list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct layout_row),
    .identity = identity,
    .parting = parting,
};
