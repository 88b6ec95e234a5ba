/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fields say beside their samples: where their accesses found the data, how often they miss,
 * how lines were used. Sums are large, so they are made for the fields that are kept. */
#include "profile/snapshot_causes.h"

#include <stdlib.h>

struct field_sums {
    struct levels_sums levels;
    struct rates_sums rates;
    struct snapshot_use use;
    struct snapshot_causes_figures causes;
};

static void sum_pair(const struct build *build, const struct pair *pair, struct field_sums *sums)
{
    const struct profile *profile = build->profile;
    size_t slot = (size_t)(pair - profile->offsets.at);
    uint64_t key = pairs_hash(pair->owner, pair->key);
    build_sum_offset(build, pair, &sums->levels);
    build_sum_offset_rates(build, pair, &sums->rates);
    build_sum_causes(build, causes_table_find(&profile->causes.offsets, slot, key), &sums->causes);
}

/* Index of the field that a pair's place belongs to; object->field_count: none that is kept. */
static size_t field_of(const struct snapshot_object *object, const struct snapshot_field *place)
{
    size_t field = 0;
    while (field < object->field_count && !build_same_field(&object->fields[field], place))
        field++;
    return field;
}

/* Members of a layout tell the figures of the one field that they are; what is counted as several,
 * or is not listed, tells nothing. */
static void fill_layout(const struct snapshot_object *object, struct snapshot_layout *layout)
{
    for (size_t i = 0; i < layout->row_count; i++) {
        struct snapshot_layout_row *row = &layout->rows[i];
        size_t matches = 0;
        for (size_t k = 0; k < object->field_count && !row->has_members; k++) {
            const struct snapshot_field *field = &object->fields[k];
            if (field->type_id != layout->type || field->member != row->index ||
                (row->index == TYPE_NO_MEMBER && field->offset != row->member.offset))
                continue;
            row->levels = field->levels;
            row->rates = field->rates;
            row->use = field->use;
            matches++;
        }
        if (matches > 1) {
            row->levels = NULL;
            row->rates = NULL;
            row->use = NULL;
        }
    }
}

void build_field_figures(struct build *build, struct snapshot_object *object,
                         const struct snapshot_field *places, const struct pair **pairs,
                         size_t count)
{
    if (!object->levels && !object->rates && !object->use && !causes_told(&build->profile->causes))
        return;
    struct field_sums *sums = calloc(object->field_count + 1, sizeof *sums);
    build->failed |= !sums;
    for (size_t i = 0; sums && i < count; i++) {
        size_t field = field_of(object, &places[i]);
        if (field == object->field_count)
            continue;
        sum_pair(build, pairs[i], &sums[field]);
        build_sum_offset_use(build, pairs[i], &sums[field].use);
    }
    for (size_t i = 0; sums && i < object->field_count; i++) {
        object->fields[i].levels = build_levels(build, &sums[i].levels);
        object->fields[i].rates = build_rates(build, &sums[i].rates);
        object->fields[i].use = build_use_of(build, &sums[i].use);
        object->fields[i].causes = build_figures_of(build, &sums[i].causes);
    }
    for (size_t i = 0; i < object->layout_count; i++)
        fill_layout(object, &object->layouts[i]);
    free(sums);
}
