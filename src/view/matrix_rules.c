/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user said about lines of the matrix; declared in matrix_table.h. */
#include "view/matrix_table.h"

#include "base/hash.h"
#include "resolve/heap/bin_rules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *const prefixes[] = {
    [MATRIX_FUNCTIONS] = "function ", [MATRIX_OBJECTS] = "object "};

static int file_path(char path[PATH_MAX])
{
    return rc_path(path, PATH_MAX, "matrix");
}

void matrix_rules_init(struct matrix_rules *rules)
{
    char path[PATH_MAX];
    struct error unread;
    bin_rules_init(&rules->rules);
    rules->kept = !file_path(path) && !bin_rules_load(&rules->rules, path, &unread);
}

void matrix_rules_fini(struct matrix_rules *rules)
{
    bin_rules_fini(&rules->rules);
}

/* What cannot be written holds for this session. */
static void keep(const struct matrix_rules *rules)
{
    char path[PATH_MAX];
    struct error unwritten;
    if (rules->kept && !file_path(path))
        bin_rules_save(&rules->rules, path, &unwritten);
}

uint64_t matrix_full_name(const struct snapshot *snapshot, enum matrix_axis axis, uint32_t index,
                          char out[BIN_RULES_NAME_BYTES])
{
    snprintf(out, BIN_RULES_NAME_BYTES, "%s%s", prefixes[axis],
             axis == MATRIX_FUNCTIONS ? snapshot->code[index].function
                                      : snapshot->objects[index].name);
    return hash_bytes(out, strlen(out));
}

const char *matrix_plain_name(enum matrix_axis axis, const char *full_name)
{
    size_t length = strlen(prefixes[axis]);
    return strncmp(full_name, prefixes[axis], length) ? full_name : full_name + length;
}

/* The full name of a line's strongest member; -EINVAL: it is the others, or there is none. */
static int name_line(const struct matrix_table *table, enum matrix_axis axis, size_t at,
                     char out[BIN_RULES_NAME_BYTES])
{
    const struct matrix_line *lines = axis == MATRIX_FUNCTIONS ? table->rows : table->columns;
    size_t count = axis == MATRIX_FUNCTIONS ? table->row_count : table->column_count;
    if (at >= count || !lines[at].members)
        return -EINVAL;
    matrix_full_name(table->snapshot, axis, lines[at].index, out);
    return 0;
}

int matrix_rules_rename(struct matrix_rules *rules, const struct matrix_table *table,
                        enum matrix_axis axis, size_t line, const char *name)
{
    char full[BIN_RULES_NAME_BYTES];
    uint32_t first;
    int code = name_line(table, axis, line, full);
    if (code)
        return code;
    const char *group =
        bin_rules_group(&rules->rules, full, hash_bytes(full, strlen(full)), &first);
    code = bin_rules_rename(&rules->rules, full, *name ? name : matrix_plain_name(axis, group));
    if (!code)
        keep(rules);
    return code;
}

int matrix_rules_combine(struct matrix_rules *rules, const struct matrix_table *table,
                         enum matrix_axis axis, uint64_t into, uint64_t from)
{
    char into_name[BIN_RULES_NAME_BYTES];
    char from_name[BIN_RULES_NAME_BYTES];
    if (name_line(table, axis, matrix_table_find(table, axis, into), into_name) ||
        name_line(table, axis, matrix_table_find(table, axis, from), from_name))
        return -ENOENT;
    int code = bin_rules_combine(&rules->rules, into_name, from_name);
    if (!code)
        keep(rules);
    return code;
}

bool matrix_rules_undo(struct matrix_rules *rules)
{
    if (!bin_rules_undo(&rules->rules))
        return false;
    keep(rules);
    return true;
}
