/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of functions, and of the instructions in them that miss. */
#include "view/columns.h"

#include "view/rates_words.h"
#include "view/use_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(row->share.value);
}

static struct value half(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(columns_half(&row->share));
}

static struct value samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(row->samples + row->count_over + row->unknown_samples + row->unknown_over);
}

static struct value all_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(row->all_share);
}

static struct value unknown_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(row->unknown_samples > 0 ? row->unknown_share : NAN);
}

bool columns_have_unknown(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].unknown_samples > 0)
            return true;
    return false;
}

const struct snapshot_code *columns_unknown_leader(const struct snapshot *snapshot)
{
    const struct snapshot_code *leader = NULL;
    double all = 0;
    for (size_t i = 0; i < snapshot->code_count; i++) {
        const struct snapshot_code *code = &snapshot->code[i];
        all += code->unknown_samples;
        if (!leader || code->unknown_samples > leader->unknown_samples)
            leader = code;
    }
    return leader && leader->unknown_samples > all / 2 ? leader : NULL;
}

static struct value function(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_text(row->function);
}

static struct value module(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_text(row->module);
}

static struct value file(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    const char *slash = row->file ? strrchr(row->file, '/') : NULL;
    return value_text(slash ? slash + 1 : row->file);
}

static struct value line(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_known(row->line);
}

static bool has_file(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].file)
            return true;
    return false;
}

static struct value sites(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_known(row->sites);
}

static struct value address(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_known(row->address);
}

static bool mostly_unknown(const struct snapshot_code *row)
{
    return row->unknown_note && row->unknown_samples > row->samples;
}

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    const struct snapshot_object *top = columns_object(snapshot, row->top_object);
    return value_text(mostly_unknown(row) ? row->unknown_note : top ? top->name : NULL);
}

static struct value object_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return value_number(mostly_unknown(row) ? NAN : row->top_object_share);
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_code);
    return row->id;
}

static const struct snapshot_rates *rates_of(const void *row)
{
    return ((const struct snapshot_code *)row)->rates;
}
RATES_VALUES(function, rates_of)

static const struct snapshot_use *use_of(const void *row)
{
    return ((const struct snapshot_code *)row)->use;
}
USE_VALUES(function, use_of)

/* What the functions are sorted by at first. */
static struct value widest_share(const struct snapshot *snapshot, const void *pointer)
{
    return columns_have_unknown(snapshot) ? all_share(snapshot, pointer) : share(snapshot, pointer);
}

enum { FUNCTION_SHARE, FUNCTION_HALF, FUNCTION_ALL };

unsigned columns_functions_sort(const struct snapshot *snapshot)
{
    return columns_have_unknown(snapshot) ? FUNCTION_ALL : FUNCTION_SHARE;
}

static const struct column function_list[] = {
    [FUNCTION_SHARE] = {"SHARE", "The function's part of all attributed samples.", 6, 0, 0,
                        COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},
    [FUNCTION_HALF] = {"±", NULL, 4, 0, 1, COLUMN_RIGHT, NULL, half, format_points, paint_dim,
                       NULL},
    [FUNCTION_ALL] = {"ALL",
                      "Its part of all samples of the process, with those whose object is not "
                      "known. perf report's shares are of all processes of a recording.",
                      6, 0, 0, COLUMN_RIGHT, columns_have_unknown, all_share, format_percent,
                      paint_share, NULL},
    {"UNKNOWN", "Part of all samples: the function waited for data of an object not known.", 7, 0,
     2, COLUMN_RIGHT, columns_have_unknown, unknown_share, format_percent, paint_share, NULL},
    {"", NULL, 8, 12, 4, COLUMN_BAR, NULL, widest_share, NULL, paint_share, NULL},
    {"SAMPLES", "With those whose object is not known.", 7, 0, 5, COLUMN_RIGHT, NULL, samples,
     format_count, NULL, NULL},
    {"FUNCTION", "The function that the sampled accesses are in.", 14, 64, 0, COLUMN_NAME, NULL,
     function, NULL, paint_strong, NULL},
    {"MODULE", NULL, 10, 20, 3, COLUMN_NAME, NULL, module, NULL, paint_dim, NULL},
    {"FILE", "Source file, where debug information tells.", 10, 24, 7, COLUMN_NAME, has_file, file,
     NULL, NULL, NULL},
    {"LINE", NULL, 5, 0, 7, COLUMN_RIGHT, has_file, line, format_integer, NULL, NULL},
    {"SITES", "Accessing instructions seen in it.", 5, 0, 6, COLUMN_RIGHT, NULL, sites,
     format_integer, NULL, NULL},
    {"MOSTLY ON", "The object that most of its samples are on.", 12, 40, 1, COLUMN_NAME, NULL,
     object, NULL, NULL, NULL},
    {"OF IT", "Part of the function's samples on that object.", 5, 0, 2, COLUMN_RIGHT, NULL,
     object_share, format_percent, paint_share, NULL},
    RATES_COLUMN_STALL(function, 8),
    RATES_COLUMNS(function, 3),
    RATES_COLUMN_CRITICAL(function, 3),
    USE_COLUMNS(function, 2),
};

const struct columns function_columns = {
    .title = "Functions",
    .list = function_list,
    .count = sizeof function_list / sizeof *function_list,
    .row_size = sizeof(struct snapshot_code),
    .identity = identity,
};

static const struct column toucher_list[] = {
    {"OF IT", "Part of the object's samples that this function made.", 6, 0, 0, COLUMN_RIGHT, NULL,
     share, format_percent, paint_share, NULL},
    {"±", NULL, 4, 0, 3, COLUMN_RIGHT, NULL, half, format_points, paint_dim, NULL},
    {"FUNCTION", NULL, 14, 64, 0, COLUMN_NAME, NULL, function, NULL, paint_strong, NULL},
    {"MODULE", NULL, 10, 16, 4, COLUMN_NAME, NULL, module, NULL, paint_dim, NULL},
    {"SAMPLES", NULL, 7, 0, 2, COLUMN_RIGHT, NULL, samples, format_count, NULL, NULL},
    {"SITES", NULL, 5, 0, 1, COLUMN_RIGHT, NULL, sites, format_integer, NULL, NULL},
    {"HOTTEST AT", "The accessing instruction with most samples.", 14, 18, 6, COLUMN_TEXT, NULL,
     address, format_address, paint_dim, NULL},
};

const struct columns toucher_columns = {
    .title = "Code",
    .list = toucher_list,
    .count = sizeof toucher_list / sizeof *toucher_list,
    .row_size = sizeof(struct snapshot_code),
    .identity = identity,
};

static struct value site_address(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return value_known(row->code->address);
}

static struct value site_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return value_number(row->share);
}

static struct value site_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return value_number(row->code->samples + row->code->count_over);
}

static struct value site_sites(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return value_known(row->code->sites);
}

static struct value site_text(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return value_text(row->text);
}

static struct value site_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return value_text(row->object->name);
}

static uint64_t site_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(site);
    return row->object->id;
}

static const struct column site_list[] = {
    {"OF IT", "Part of the function's listed samples.", 6, 0, 0, COLUMN_RIGHT, NULL, site_share,
     format_percent, paint_share, NULL},
    {"", NULL, 6, 10, 5, COLUMN_BAR, NULL, site_share, NULL, paint_share, NULL},
    {"SAMPLES", NULL, 7, 0, 4, COLUMN_RIGHT, NULL, site_samples, format_count, NULL, NULL},
    {"HOTTEST AT", NULL, 14, 18, 3, COLUMN_TEXT, NULL, site_address, format_address, paint_dim,
     NULL},
    {"INSTRUCTION", "The instruction there, read from the process.", 16, 44, 1, COLUMN_TEXT, NULL,
     site_text, NULL, NULL, NULL},
    {"SITES", NULL, 5, 0, 6, COLUMN_RIGHT, NULL, site_sites, format_integer, NULL, NULL},
    {"OBJECT", "The object that these accesses are on.", 14, 56, 0, COLUMN_NAME, NULL, site_object,
     NULL, paint_strong, NULL},
};

const struct columns site_columns = {
    .title = "Objects it accesses",
    .list = site_list,
    .count = sizeof site_list / sizeof *site_list,
    .row_size = sizeof(struct site),
    .identity = site_identity,
};
