/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses by object, by function and by thread. */
#include "profile/snapshot_causes.h"

#include <inttypes.h>
#include <math.h>

enum { NAME_BYTES = 64 };

/* ---- names ---- */

const char *build_evictor_object(struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct object_desc desc = {0};
    uint32_t index = build_object_index(build, id);
    if (index != UINT32_MAX)
        return build->snapshot->objects[index].name;
    if (id && names->object && names->object(names->context, id, &desc) && desc.name)
        return arena_string(build->arena, desc.name);
    return NULL;
}

const char *build_evictor_function(struct build *build, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct function_desc desc = {0};
    if (!id || !names->function || !names->function(names->context, id, &desc) || !desc.name)
        return "unknown";
    const char *name = arena_string(build->arena, desc.name);
    build->failed |= !name;
    return name;
}

uint32_t build_thread_id(const struct build *build, uint32_t number)
{
    return number < THREADS_MAX ? build->profile->threads.tids[number] : 0;
}

const char *build_thread_name(struct build *build, uint32_t tid)
{
    const struct place_names *names = &build->profile->options.names;
    char name[NAME_BYTES];
    if (!tid)
        return "more threads";
    if (names->thread && names->thread(names->context, tid, name, sizeof name))
        return arena_printf(build->arena, "%s (%" PRIu32 ")", name, tid);
    return arena_printf(build->arena, "thread %" PRIu32, tid);
}

static void name_row(struct build *build, enum causes_of kind, struct snapshot_causes_row *row)
{
    const struct snapshot *snapshot = build->snapshot;
    row->index = UINT32_MAX;
    if (kind == CAUSES_OBJECTS) {
        row->index = build_object_index(build, row->id);
        row->name = build_evictor_object(build, row->id);
    } else if (kind == CAUSES_FUNCTIONS) {
        for (size_t i = 0; i < snapshot->code_count; i++)
            row->index = snapshot->code[i].id == row->id ? (uint32_t)i : row->index;
        row->name = build_evictor_function(build, row->id);
    } else {
        row->id = build_thread_id(build, row->id);
        row->name = build_thread_name(build, row->id);
    }
    if (!row->name)
        row->name = "unknown";
}

/* ---- figures ---- */

void build_sum_causes(const struct build *build, const struct causes_row *row,
                      struct snapshot_causes_figures *sums)
{
    if (!row)
        return;
    sums->samples += build_read(build, &row->samples);
    for (int i = 0; i < CAUSE_COUNT; i++) {
        double weight = build_read(build, &row->weight[i]);
        sums->share[i] += weight;
        sums->misses += weight;
    }
    sums->evicted += build_read(build, &row->evicted);
    sums->by_itself += build_read(build, &row->by_itself);
    sums->early_same += build_read(build, &row->early_same);
    sums->early_other += build_read(build, &row->early_other);
}

bool build_share_causes(struct snapshot_causes_figures *sums)
{
    if (!(sums->misses > 0))
        return false;
    for (int i = 0; i < CAUSE_COUNT; i++)
        sums->share[i] /= sums->misses;
    sums->by_itself = sums->evicted > 0 ? sums->by_itself / sums->evicted : NAN;
    sums->early_same /= sums->misses;
    sums->early_other /= sums->misses;
    return true;
}

struct snapshot_causes_figures *build_figures_of(struct build *build,
                                                 const struct snapshot_causes_figures *sums)
{
    struct snapshot_causes_figures figures = *sums;
    if (!build_share_causes(&figures))
        return NULL;
    struct snapshot_causes_figures *out = arena_alloc(build->arena, sizeof *out);
    build->failed |= !out;
    if (out)
        *out = figures;
    return out;
}

/* ---- lists ---- */

static const struct causes_table *table_of(const struct causes *causes, enum causes_of kind)
{
    return kind == CAUSES_OBJECTS     ? &causes->objects
           : kind == CAUSES_FUNCTIONS ? &causes->functions
                                      : &causes->threads;
}

static void keep(struct snapshot_causes_list *list, const struct snapshot_causes_row *row)
{
    double misses = row->figures.misses;
    size_t at = list->count;
    if (at == SNAPSHOT_CAUSES_ROWS) {
        list->left_out++;
        if (list->rows[--at].figures.misses >= misses)
            return;
    } else {
        list->count++;
    }
    for (; at > 0 && list->rows[at - 1].figures.misses < misses; at--)
        list->rows[at] = list->rows[at - 1];
    list->rows[at] = *row;
}

static void list_kind(struct build *build, enum causes_of kind, struct snapshot_causes_figures *all)
{
    const struct causes_table *table = table_of(&build->profile->causes, kind);
    struct snapshot_causes_list *list = &build->snapshot->causes.of[kind];
    list->rows = arena_array(build->arena, SNAPSHOT_CAUSES_ROWS, sizeof *list->rows);
    build->failed |= !list->rows;
    for (uint32_t id = 0; !build->failed && CAUSES_SLOT(id, 0) < table->slot_count; id++) {
        const struct causes_row *from = causes_table_find(table, CAUSES_SLOT(id, build->event), 0);
        struct snapshot_causes_row row = {.id = id, .unlisted = NAN};
        build_sum_causes(build, from, &row.figures);
        build_sum_causes(build, from, all);
        if (!build_share_causes(&row.figures))
            continue;
        keep(list, &row);
    }
    for (size_t i = 0; i < list->count; i++)
        name_row(build, kind, &list->rows[i]);
}

void build_causes(struct build *build)
{
    struct snapshot_causes *causes = &build->snapshot->causes;
    struct snapshot_causes_figures sums[CAUSES_KINDS] = {{0}};
    *causes = (struct snapshot_causes){0};
    if (!causes_told(&build->profile->causes))
        return;
    for (enum causes_of kind = 0; kind < CAUSES_KINDS && !build->failed; kind++) {
        list_kind(build, kind, &sums[kind]);
        if (!build->failed)
            build_evictors(build, kind, sums[kind].evicted);
    }
    causes->all = sums[CAUSES_OBJECTS];
    causes->told = build_share_causes(&causes->all);
}
