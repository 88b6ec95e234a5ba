/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of an answer to "what if", a level a row; and of the questions that can be asked. */
#include "view/columns.h"
#include "view/whatif_choices.h"
#include "view/whatif_words.h"

#include <math.h>
#include <stdio.h>

#define ROW                                                                                        \
    const struct whatif_row *row = pointer;                                                        \
    (void)snapshot

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value before(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->before);
}

static struct value after(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->after);
}

static struct value change(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(whatif_change(row->before, row->after));
}

static struct value object_before(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->object_before);
}

static struct value object_after(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->object_after);
}

static struct value object_change(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(whatif_change(row->object_before, row->object_after));
}

static void format_change(char *out, size_t size, struct value value)
{
    snprintf(out, size, "%+.1f%%", 100 * value.number);
}

static enum paint paint_change(struct value value)
{
    const double clear = 0.01;
    return value.number < -clear ? PAINT_GOOD : value.number > clear ? PAINT_BAD : PAINT_DIM;
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)(uintptr_t)row->name;
}

static const struct column answer_list[] = {
    {"OF ALL ACCESSES", NULL, 22, 0, 0, COLUMN_TEXT, NULL, name, NULL, paint_strong, NULL},
    {"NOW", "Misses as the object lies, since the question was asked (or has settled).", 7, 0, 0,
     COLUMN_RIGHT, NULL, before, format_count, NULL, NULL},
    {"THEN", "Misses of the same accesses, if it lay as asked.", 7, 0, 0, COLUMN_RIGHT, NULL, after,
     format_count, NULL, NULL},
    {"CHANGE", "The difference, of now.", 8, 0, 0, COLUMN_RIGHT, NULL, change, format_change,
     paint_change, NULL},
    {"ITS NOW", "Of these, misses of the object itself.", 8, 0, 1, COLUMN_RIGHT, NULL,
     object_before, format_count, NULL, NULL},
    {"ITS THEN", "The same, if it lay as asked.", 8, 0, 1, COLUMN_RIGHT, NULL, object_after,
     format_count, NULL, NULL},
    {"CHANGE", NULL, 8, 0, 2, COLUMN_RIGHT, NULL, object_change, format_change, paint_change, NULL},
};

const struct columns whatif_columns = {
    .title = "What if",
    .list = answer_list,
    .count = sizeof answer_list / sizeof *answer_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct whatif_row),
    .identity = identity,
};

/* ---- what is asked ---- */

#define ASKED                                                                                      \
    const struct snapshot_whatif *asked = pointer;                                                 \
    (void)snapshot

static struct value asked_question(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_text(asked->question);
}

static struct value asked_object(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_text(asked->object);
}

static struct value asked_waited(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_number(snapshot_whatif_change(asked));
}

/* Of the last level: what goes to memory. */
static const struct snapshot_whatif_level *last_of(const struct snapshot_whatif *asked)
{
    return asked->state == WHATIF_COUNTS && asked->level_count
               ? &asked->level[asked->level_count - 1]
               : NULL;
}

static struct value asked_before(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_number(last_of(asked) ? last_of(asked)->before : NAN);
}

static struct value asked_after(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_number(last_of(asked) ? last_of(asked)->after : NAN);
}

static struct value asked_own(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_number(
        last_of(asked) ? whatif_change(last_of(asked)->object_before, last_of(asked)->object_after)
                       : NAN);
}

static struct value asked_state(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return value_text(asked->state == WHATIF_REFUSED  ? "no answer"
                      : asked->state != WHATIF_COUNTS ? "waits"
                      : asked->settled                ? "settled"
                                                      : "counts");
}

static uint64_t asked_identity(const struct snapshot *snapshot, const void *pointer)
{
    ASKED;
    return (uint64_t)asked->number + 1;
}

static const struct column asked_list[] = {
    {"WHAT IF", NULL, 14, 30, 0, COLUMN_TEXT, NULL, asked_question, NULL, paint_strong, NULL},
    {"WAITED", "The change of the time waited for data.", 7, 0, 0, COLUMN_RIGHT, NULL, asked_waited,
     format_change, paint_change, NULL},
    {"MEMORY", "Fetches from memory as the object lies, since this was asked (or has settled).", 7,
     0, 1, COLUMN_RIGHT, NULL, asked_before, format_count, NULL, NULL},
    {"THEN", "The same, if it lay as asked.", 7, 0, 1, COLUMN_RIGHT, NULL, asked_after,
     format_count, NULL, NULL},
    {"ITS OWN", "The change of the fetches of the object itself.", 8, 0, 2, COLUMN_RIGHT, NULL,
     asked_own, format_change, paint_change, NULL},
    {"STATE",
     "Waits for the object; counts; or has settled: the second simulation holds what it would "
     "hold had it always lain so.",
     9, 0, 1, COLUMN_TEXT, NULL, asked_state, NULL, paint_dim, NULL},
    {"OBJECT", NULL, 12, 40, 0, COLUMN_NAME, NULL, asked_object, NULL, NULL, NULL},
};

const struct columns whatif_asked_columns = {
    .title = "Asked",
    .list = asked_list,
    .count = sizeof asked_list / sizeof *asked_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_whatif),
    .identity = asked_identity,
};

/* ---- questions ---- */

static struct value question(const struct snapshot *snapshot, const void *pointer)
{
    const struct whatif_choice *choice = pointer;
    (void)snapshot;
    return value_text(choice->title);
}

static struct value then(const struct snapshot *snapshot, const void *pointer)
{
    const struct whatif_choice *choice = pointer;
    (void)snapshot;
    return value_text(choice->text);
}

static struct value answered(const struct snapshot *snapshot, const void *pointer)
{
    const struct whatif_choice *choice = pointer;
    (void)snapshot;
    return value_number(choice->change);
}

static uint64_t choice_identity(const struct snapshot *snapshot, const void *pointer)
{
    const struct whatif_choice *choice = pointer;
    (void)snapshot;
    return (uint64_t)choice->wanted.kind + 1 + ((uint64_t)choice->wanted.bytes << 8);
}

static const struct column choice_list[] = {
    {"WHAT IF", NULL, 26, 44, 0, COLUMN_TEXT, NULL, question, NULL, paint_strong, NULL},
    {"WAITED", "What it would change of the time waited for data, where it was asked.", 7, 0, 0,
     COLUMN_RIGHT, NULL, answered, format_change, paint_change, NULL},
    {"IT WOULD LIE SO", "How it would lie then, or why that cannot be asked of it.", 20, 120, 1,
     COLUMN_CODE, NULL, then, NULL, NULL, NULL},
};

const struct columns whatif_choice_columns = {
    .title = "Questions",
    .list = choice_list,
    .count = sizeof choice_list / sizeof *choice_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct whatif_choice),
    .identity = choice_identity,
};
