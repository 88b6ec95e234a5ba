/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of a function's source lines and of their instructions. */
#include "view/source_rows.h"

#include "view/use_words.h"

#include <math.h>
#include <string.h>

#define SOURCE                                                                                     \
    const struct source_row *row = pointer;                                                        \
    (void)snapshot
#define INSTRUCTION                                                                                \
    const struct snapshot_instruction *row =                                                       \
        ((const struct instruction_row *)pointer)->instruction;                                    \
    (void)snapshot

static struct value part(double samples, double loads, double stores, double of)
{
    bool known = samples > 0 && loads + stores > 0;
    return value_number(known ? of / samples : NAN);
}

static struct value object_name(const struct snapshot *snapshot, uint32_t index)
{
    const struct snapshot_object *object = columns_object(snapshot, index);
    return value_text(object ? object->name : NULL);
}

/* What most of its samples fell on: `known`, or nobody knows. */
static struct value missed_on(const struct snapshot_instruction *row, struct value known)
{
    return row->unknown_samples > row->samples ? value_text(row->unknown_note) : known;
}

static struct value source_line(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return value_known(row->line);
}

static struct value source_share(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return value_number(row->share);
}

static struct value source_samples(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return value_number(row->samples + row->unknown_samples);
}

static struct value source_text(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return value_text(row->line || row->sites ? row->text : NULL);
}

static struct value source_loads(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return part(row->samples, row->loads, row->stores, row->loads);
}

static struct value source_stores(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return part(row->samples, row->loads, row->stores, row->stores);
}

/* The field, or where it has no name the object. */
static struct value source_mostly(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    if (!row->hottest)
        return value_text(NULL);
    return missed_on(row->hottest, row->hottest->field
                                       ? value_text(row->hottest->field)
                                       : object_name(snapshot, row->hottest->object));
}

static struct value source_inlined(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return value_text(row->inlined);
}

static const struct snapshot_use *use_of_source(const void *pointer)
{
    const struct source_row *row = pointer;
    return &row->use;
}
USE_VALUES(source, use_of_source)

static enum paint paint_context(struct value value)
{
    (void)value;
    return PAINT_PLAIN;
}

static uint64_t identity_of_source(const struct snapshot *snapshot, const void *pointer)
{
    SOURCE;
    return source_identity(row->file, row->line);
}

static const char *source_parting(const void *pointer)
{
    const struct source_row *row = pointer;
    return !row->line && !row->sites ? row->text : NULL;
}

static const struct column source_list[] = {
    {"LINE", "Line of the file named above it.", 5, 8, 1, COLUMN_RIGHT, NULL, source_line,
     format_integer, paint_dim, NULL},
    {"OF IT", "Part of the function's samples on the line; blank: shown for its neighbours.", 6, 0,
     0, COLUMN_RIGHT, NULL, source_share, format_percent, paint_share, NULL},
    {"", NULL, 6, 10, 4, COLUMN_BAR, NULL, source_share, NULL, paint_share, NULL},
    {"SOURCE", "The text, where the file can be read.", 20, 200, 0, COLUMN_CODE, NULL, source_text,
     NULL, paint_context, NULL},
    {"MOSTLY ON", "The field, or object, that its hottest instruction accesses.", 12, 28, 2,
     COLUMN_NAME, NULL, source_mostly, NULL, paint_strong, NULL},
    {"SAMPLES", NULL, 7, 0, 6, COLUMN_RIGHT, NULL, source_samples, format_count, NULL, NULL},
    {"LD", NULL, 5, 0, 5, COLUMN_RIGHT, NULL, source_loads, format_percent, paint_load, NULL},
    {"ST", NULL, 5, 0, 5, COLUMN_RIGHT, NULL, source_stores, format_percent, paint_store, NULL},
    USE_COLUMNS(source, 1),
    {"INLINED", "Functions that the compiler put there in place of calls, innermost first.", 10, 32,
     3, COLUMN_NAME, NULL, source_inlined, NULL, paint_dim, NULL},
};

const struct columns source_columns = {
    .title = "Source",
    .list = source_list,
    .count = sizeof source_list / sizeof *source_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct source_row),
    .identity = identity_of_source,
    .parting = source_parting,
};

static struct value address(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_known(row->address);
}

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_number(row->share);
}

static struct value samples(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_number(instruction_samples(row));
}

static struct value text(const struct snapshot *snapshot, const void *pointer)
{
    (void)snapshot;
    return value_text(((const struct instruction_row *)pointer)->text);
}

static struct value field(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_text(row->unknown_samples > row->samples ? NULL : row->field);
}

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return missed_on(row, object_name(snapshot, row->object));
}

static struct value object_share(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_number(row->object_share);
}

static struct value objects(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_known(row->objects);
}

static struct value loads(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return part(row->samples, row->loads, row->stores, row->loads);
}

static struct value stores(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return part(row->samples, row->loads, row->stores, row->stores);
}

static struct value inlined(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return value_text(row->inlined);
}

static bool has_inlined(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        for (size_t k = 0; k < snapshot->code[i].instruction_count; k++)
            if (snapshot->code[i].instructions[k].inlined)
                return true;
    return false;
}

static const struct snapshot_use *use_of(const void *pointer)
{
    return ((const struct instruction_row *)pointer)->instruction->use;
}
USE_VALUES(instruction, use_of)

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    INSTRUCTION;
    return row->address;
}

static const struct column instruction_list[] = {
    {"OF IT", "Part of the function's samples.", 6, 0, 0, COLUMN_RIGHT, NULL, share, format_percent,
     paint_share, NULL},
    {"", NULL, 6, 10, 7, COLUMN_BAR, NULL, share, NULL, paint_share, NULL},
    {"ADDRESS", NULL, 14, 18, 4, COLUMN_TEXT, NULL, address, format_address, paint_dim, NULL},
    {"INSTRUCTION", "As read from the process.", 16, 48, 0, COLUMN_CODE, NULL, text, NULL, NULL,
     NULL},
    {"FIELD", "The field that most of its samples are on.", 10, 28, 1, COLUMN_NAME, NULL, field,
     NULL, paint_strong, NULL},
    {"MOSTLY ON", "The object that most of its samples are on.", 10, 40, 1, COLUMN_NAME, NULL,
     object, NULL, NULL, NULL},
    {"OBJECT", "Part of the instruction's samples that fell on that object.", 6, 0, 5, COLUMN_RIGHT,
     NULL, object_share, format_percent, paint_share, NULL},
    {"OBJS", "Different objects that its samples are on.", 4, 0, 8, COLUMN_RIGHT, NULL, objects,
     format_integer, NULL, NULL},
    {"SAMPLES", NULL, 7, 0, 3, COLUMN_RIGHT, NULL, samples, format_count, NULL, NULL},
    {"LD", NULL, 5, 0, 6, COLUMN_RIGHT, NULL, loads, format_percent, paint_load, NULL},
    {"ST", NULL, 5, 0, 6, COLUMN_RIGHT, NULL, stores, format_percent, paint_store, NULL},
    USE_COLUMNS(instruction, 2),
    {"INLINED", NULL, 10, 32, 9, COLUMN_NAME, has_inlined, inlined, NULL, paint_dim, NULL},
};

const struct columns instruction_columns = {
    .title = "Instructions",
    .list = instruction_list,
    .count = sizeof instruction_list / sizeof *instruction_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct instruction_row),
    .identity = identity,
};
