/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same thing in several runs: by name, kind and module, never by address or id. Rows of one
 * run that have all of these in common are summed. */
#include "view/diff.h"

#include "base/hash.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct match {
    struct diff *diff;
    struct hash index; /* key -> index + 1 into rows[table] */
    enum report_table table;
};

/* A function is the same whatever it misses on. */
static const char *owner_of(enum report_table table, const struct report_row *row)
{
    return table == REPORT_FIELDS ? row->object : "";
}

/* Two builds of a program may be two files. */
static const char *module_of(const struct report_row *row)
{
    return row->own ? "" : row->module;
}

static bool same(enum report_table table, const struct report_row *a, const struct report_row *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->kind, b->kind) && a->own == b->own &&
           !strcmp(module_of(a), module_of(b)) && !strcmp(owner_of(table, a), owner_of(table, b));
}

static uint64_t key_of(enum report_table table, const struct report_row *row)
{
    const char *parts[] = {row->name, row->kind, module_of(row), owner_of(table, row)};
    uint64_t key = 0;
    for (int i = 0; i < 4; i++)
        key = hash_mix(key ^ hash_bytes(parts[i], strlen(parts[i])));
    return key;
}

static size_t runs_of(const struct diff *diff)
{
    return diff->a.run_count + diff->b.run_count;
}

static bool new_row(struct diff *diff, struct diff_row *row, const struct report_row *what)
{
    size_t runs = runs_of(diff);
    *row = (struct diff_row){.what = what,
                             .shares = arena_array(&diff->arena, runs, sizeof(double)),
                             .leasts = arena_array(&diff->arena, runs, sizeof(double)),
                             .design = 1};
    for (size_t i = 0; i < runs && row->shares && row->leasts; i++)
        row->shares[i] = row->leasts[i] = NAN;
    return row->shares && row->leasts;
}

/* Its row, made if there is none; NULL: out of memory. */
static struct diff_row *row_of(struct match *match, const struct report_row *what)
{
    struct diff *diff = match->diff;
    struct diff_row *rows = diff->rows[match->table];
    uint64_t key = key_of(match->table, what);
    for (;; key++) {
        bool created;
        uint32_t *index = hash_insert(&match->index, key, &created);
        if (!index)
            return NULL;
        if (!created && !same(match->table, rows[*index - 1].what, what))
            continue;
        if (created) {
            *index = (uint32_t)++diff->count[match->table];
            if (!new_row(diff, &rows[*index - 1], what))
                return NULL;
        }
        return &rows[*index - 1];
    }
}

/* Parts of rows that are summed are summed too. */
static const double *join_parts(struct diff *diff, const double *had, const struct report *report,
                                const double *parts)
{
    if (!had || !parts)
        return parts ? parts : had;
    double *sum = arena_array(&diff->arena, report->part_count, sizeof *sum);
    for (size_t i = 0; sum && i < report->part_count; i++)
        sum[i] = isnan(had[i]) ? parts[i] : isnan(parts[i]) ? had[i] : had[i] + parts[i];
    return sum;
}

static int take_run(struct match *match, const struct report *report, size_t run)
{
    struct diff *diff = match->diff;
    int side = run >= diff->a.run_count;
    for (size_t i = 0; i < report->count[match->table]; i++) {
        const struct report_row *what = &report->rows[match->table][i];
        struct diff_row *row = row_of(match, what);
        if (!row)
            return -ENOMEM;
        row->shares[run] = fmin(1, what->share + (isnan(row->shares[run]) ? 0 : row->shares[run]));
        row->leasts[run] = fmax(what->least, isnan(row->leasts[run]) ? 0 : row->leasts[run]);
        row->parts[side] = join_parts(diff, row->parts[side], report, what->parts);
    }
    return 0;
}

static const struct report *run_at(const struct diff *diff, size_t run)
{
    return run < diff->a.run_count ? diff->a.runs[run] : diff->b.runs[run - diff->a.run_count];
}

static int match_table(struct diff *diff, enum report_table table)
{
    struct match match = {.diff = diff, .table = table};
    size_t room = 0;
    int code = 0;
    for (size_t run = 0; run < runs_of(diff); run++)
        room += run_at(diff, run)->count[table];
    diff->rows[table] = arena_array(&diff->arena, room + 1, sizeof *diff->rows[table]);
    if (!diff->rows[table])
        return -ENOMEM;
    hash_init(&match.index);
    for (size_t run = 0; run < runs_of(diff) && !code; run++)
        code = take_run(&match, run_at(diff, run), run);
    hash_fini(&match.index);
    return code;
}

/* Of a field by all that makes an object the same; a function says no more than its name. */
static uint64_t object_key(enum report_table table, const struct report_row *object)
{
    if (table == REPORT_FUNCTIONS)
        return hash_bytes(object->name, strlen(object->name));
    return key_of(REPORT_OBJECTS, object);
}

static int find_objects(struct diff *diff, enum report_table table)
{
    const struct diff_row *objects = diff->rows[REPORT_OBJECTS];
    struct hash index;
    int code = 0;
    hash_init(&index);
    for (size_t i = 0; i < diff->count[REPORT_OBJECTS] && !code; i++) {
        uint32_t *at = hash_insert(&index, object_key(table, objects[i].what), NULL);
        if (at && !*at)
            *at = (uint32_t)i + 1;
        code = at ? 0 : -ENOMEM;
    }
    for (size_t i = 0; i < diff->count[table] && !code; i++) {
        struct report_row object = *diff->rows[table][i].what;
        object.name = object.object;
        const uint32_t *at = hash_find(&index, object_key(table, &object));
        diff->rows[table][i].object = at ? &objects[*at - 1] : NULL;
    }
    hash_fini(&index);
    return code;
}

int diff_match(struct diff *diff)
{
    int code = 0;
    for (int table = 0; table < REPORT_TABLES && !code; table++)
        code = match_table(diff, (enum report_table)table);
    if (code)
        return code;
    code = find_objects(diff, REPORT_FIELDS);
    return code ? code : find_objects(diff, REPORT_FUNCTIONS);
}
