/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the offsets inside objects, and of their instances. */
#include "view/columns.h"

#include "view/levels_words.h"
#include "view/rates_words.h"
#include "view/use_words.h"

#include <math.h>

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static struct value field_name(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_text(row->name);
}

static struct value field_type(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_text(row->type);
}

/* Of any object: fields of one object stand beside those of others in batch text. */
static bool has_field_type(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (size_t k = 0; k < snapshot->objects[i].field_count; k++)
            if (snapshot->objects[i].fields[k].type)
                return true;
    return false;
}

static struct value field_offset(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_integer(row->offset);
}

static struct value field_size(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_known(row->size);
}

static struct value field_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_number(row->samples + row->count_over);
}

static struct value field_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_number(row->share);
}

static struct value field_part(const struct snapshot_field *row, double of)
{
    bool known = row->samples > 0 && row->loads + row->stores > 0;
    return value_number(known ? of / row->samples : NAN);
}

static struct value field_loads(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return field_part(row, row->loads);
}

static struct value field_stores(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return field_part(row, row->stores);
}

static struct value field_line(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    return value_integer(row->offset / (snapshot->sets.line ? snapshot->sets.line : 64));
}

static const struct snapshot_levels *levels_of_field(const void *row)
{
    return ((const struct snapshot_field *)row)->levels;
}
LEVELS_VALUES(field, levels_of_field)

static const struct snapshot_rates *rates_of_field(const void *row)
{
    return ((const struct snapshot_field *)row)->rates;
}
RATES_VALUES(field, rates_of_field)

static const struct snapshot_use *use_of_field(const void *row)
{
    return ((const struct snapshot_field *)row)->use;
}
USE_VALUES(field, use_of_field)

static uint64_t field_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_field);
    /* Members of a union begin together. */
    return row->offset ^ (uint64_t)row->type_id << 32 ^ (uint64_t)row->member << 48 ^
           (uint64_t)row->unit << 58;
}

static const struct column field_list[] = {
    {"OF IT", "Part of the object's samples that fell on this offset.", 6, 0, 0, COLUMN_RIGHT, NULL,
     field_share, format_percent, paint_share, NULL},
    {"", NULL, 8, 16, 2, COLUMN_BAR, NULL, field_share, NULL, paint_share, NULL},
    {"FIELD",
     "Its name, lo..hi for any of several bit-fields; else the offset into the object, or [*]+N "
     "into each array element.",
     10, 40, 0, COLUMN_NAME, NULL, field_name, NULL, paint_strong, NULL},
    {"TYPE", "The field's type.", 8, 24, 3, COLUMN_NAME, has_field_type, field_type, NULL, NULL,
     NULL},
    {"OFFSET", "The offset as a number: sort by it to see the layout.", 8, 0, 4, COLUMN_RIGHT, NULL,
     field_offset, format_integer, paint_dim, NULL},
    {"LINE", "Which cache line from the start of the object or element.", 6, 0, 5, COLUMN_RIGHT,
     NULL, field_line, format_integer, paint_dim, NULL},
    {"BYTES", "Widest access seen.", 5, 0, 4, COLUMN_RIGHT, NULL, field_size, format_integer, NULL,
     NULL},
    {"SAMPLES", NULL, 7, 0, 1, COLUMN_RIGHT, NULL, field_samples, format_count, NULL, NULL},
    LEVELS_COLUMN_FOUND(field, 2),
    LEVELS_COLUMN_STALL(field, 2, levels_tell_stall),
    LEVELS_COLUMN_LATENCY(field, 2),
    {"LD", NULL, 5, 0, 3, COLUMN_RIGHT, NULL, field_loads, format_percent, paint_load, NULL},
    {"ST", NULL, 5, 0, 3, COLUMN_RIGHT, NULL, field_stores, format_percent, paint_store, NULL},
    RATES_COLUMN_STALL(field, 2),
    RATES_COLUMNS(field, 2),
    RATES_COLUMN_CRITICAL(field, 2),
    USE_COLUMNS(field, 1),
    LEVELS_COLUMNS_REST(field, 4),
};

const struct columns field_columns = {
    .title = "Fields",
    .list = field_list,
    .count = sizeof field_list / sizeof *field_list,
    .row_size = sizeof(struct snapshot_field),
    .identity = field_identity,
};

static struct value offset_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(hot_offset);
    return value_text(row->object->name);
}

#define OFFSET_VALUE(noun)                                                                         \
    static struct value offset_##noun(const struct snapshot *snapshot, const void *pointer)        \
    {                                                                                              \
        return field_##noun(snapshot, ((const struct hot_offset *)pointer)->field);                \
    }
OFFSET_VALUE(share)
OFFSET_VALUE(name)
OFFSET_VALUE(size)
OFFSET_VALUE(type)
OFFSET_VALUE(samples)
OFFSET_VALUE(loads)
OFFSET_VALUE(stores)

static const struct snapshot_levels *levels_of_offset(const void *row)
{
    return ((const struct hot_offset *)row)->field->levels;
}
LEVELS_VALUES(offset, levels_of_offset)

static const struct snapshot_rates *rates_of_offset(const void *row)
{
    return ((const struct hot_offset *)row)->field->rates;
}
RATES_VALUES(offset, rates_of_offset)

static uint64_t offset_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(hot_offset);
    return (uint64_t)row->object->id << 32 ^ row->field->offset ^ (uint64_t)row->field->unit << 58;
}

static const struct column offset_list[] = {
    {"OF IT", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, offset_share, format_percent, paint_share, NULL},
    {"FIELD", NULL, 12, 40, 0, COLUMN_NAME, NULL, offset_name, NULL, NULL, NULL},
    {"TYPE", NULL, 8, 24, 4, COLUMN_NAME, has_field_type, offset_type, NULL, NULL, NULL},
    {"BYTES", NULL, 5, 0, 2, COLUMN_RIGHT, NULL, offset_size, format_integer, NULL, NULL},
    {"SAMPLES", NULL, 7, 0, 1, COLUMN_RIGHT, NULL, offset_samples, format_count, NULL, NULL},
    {"LD", NULL, 5, 0, 3, COLUMN_RIGHT, NULL, offset_loads, format_percent, paint_load, NULL},
    {"ST", NULL, 5, 0, 3, COLUMN_RIGHT, NULL, offset_stores, format_percent, paint_store, NULL},
    LEVELS_COLUMN_FOUND(offset, 2),
    LEVELS_COLUMN_STALL(offset, 2, levels_tell_stall),
    LEVELS_COLUMN_LATENCY(offset, 2),
    RATES_COLUMN_STALL(offset, 2),
    RATES_COLUMNS(offset, 2),
    RATES_COLUMN_CRITICAL(offset, 2),
    LEVELS_COLUMNS_REST(offset, 4),
    {"IN OBJECT", NULL, 14, 64, 0, COLUMN_NAME, NULL, offset_object, NULL, NULL, NULL},
};

const struct columns offset_columns = {
    .title = "Hot fields",
    .list = offset_list,
    .count = sizeof offset_list / sizeof *offset_list,
    .row_size = sizeof(struct hot_offset),
    .identity = offset_identity,
};

static struct value instance_base(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_instance);
    return value_integer(row->base);
}

static struct value instance_size(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_instance);
    return value_known(row->size);
}

static struct value instance_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_instance);
    return value_number(row->samples + row->count_over);
}

static struct value instance_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_instance);
    return value_number(row->share);
}

static struct value instance_thread(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_instance);
    return value_known(row->tid);
}

static uint64_t instance_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_instance);
    return row->base;
}

static const struct column instance_list[] = {
    {"OF IT", "Part of the object's samples that fell on this instance.", 6, 0, 0, COLUMN_RIGHT,
     NULL, instance_share, format_percent, paint_share, NULL},
    {"", NULL, 6, 12, 4, COLUMN_BAR, NULL, instance_share, NULL, paint_share, NULL},
    {"START", "Where the instance begins.", 14, 18, 0, COLUMN_TEXT, NULL, instance_base,
     format_address, NULL, NULL},
    {"SIZE", NULL, 6, 0, 1, COLUMN_RIGHT, NULL, instance_size, format_bytes, NULL, NULL},
    {"SAMPLES", NULL, 7, 0, 2, COLUMN_RIGHT, NULL, instance_samples, format_count, NULL, NULL},
    {"THREAD", "The thread with most samples on it.", 7, 0, 3, COLUMN_RIGHT, NULL, instance_thread,
     format_integer, paint_dim, NULL},
};

const struct columns instance_columns = {
    .title = "Instances",
    .list = instance_list,
    .count = sizeof instance_list / sizeof *instance_list,
    .row_size = sizeof(struct snapshot_instance),
    .identity = instance_identity,
};
