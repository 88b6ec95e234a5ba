/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/field_counts.h"

#include "base/hash.h"
#include "profile/offset_key.h"
#include "resolve/members.h"

#include <stdio.h>
#include <string.h>

void field_counts_follow(struct field_counts *counts, uint32_t object)
{
    if (counts->followed_count == FIELD_OBJECTS || field_counts_follows(counts, object))
        return;
    touched_add(&counts->followed, object);
    counts->followed_count++;
}

void field_counts_add(struct field_counts *counts, uint32_t object, uint64_t key,
                      enum snapshot_measure measure, double weight)
{
    if (!(key & (OFFSET_FOLDED | OFFSET_TYPED)))
        return;
    uint64_t hash = hash_mix(key ^ (uint64_t)object << 48);
    for (unsigned i = 0; i < FIELD_PROBES; i++) {
        struct field_row *row = &counts->rows[(hash + i) % FIELD_ROWS];
        if (!row->key)
            *row = (struct field_row){.key = key, .object = object};
        if (row->key != key || row->object != object)
            continue;
        row->weight[measure] += weight;
        row->counted = true;
        return;
    }
}

/* The member that lies there; false: its type is not known yet. */
static bool find(const struct field_row *row, const struct place_names *names,
                 struct counted_field *field)
{
    struct type_desc type;
    *field = (struct counted_field){row->key, row->object, TYPE_NO_MEMBER};
    if (!(row->key & OFFSET_TYPED))
        return true;
    if (!names->type || !names->type(names->context, offset_key_type(row->key), &type))
        return false;
    uint32_t offset = offset_key_offset(row->key);
    field->member = type_member_at(&type, offset, 0);
    if (offset_key_unit(row->key) ||
        type_shares_byte(&type, field->member, type_fold(&type, offset)))
        field->member = TYPE_NO_MEMBER; /* several bit-fields */
    /* Places in one member are one field. */
    if (field->member != TYPE_NO_MEMBER)
        field->key &= ~OFFSET_IN_TYPE;
    return true;
}

static uint32_t index_of(struct field_counts *counts, const struct counted_field *wanted)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        const struct counted_field *field = &counts->fields[i];
        if (field->key == wanted->key && field->object == wanted->object &&
            field->member == wanted->member)
            return i + 1;
    }
    if (counts->count == FIELDS_MAX)
        return 0;
    counts->fields[counts->count++] = *wanted;
    return counts->count;
}

void field_counts_take(struct field_counts *counts, const struct place_names *names,
                       void (*take)(void *context, uint32_t field,
                                    const double weight[SNAPSHOT_MEASURES]),
                       void *context)
{
    for (uint32_t i = 0; i < FIELD_ROWS; i++) {
        struct field_row *row = &counts->rows[i];
        struct counted_field field;
        if (!row->counted)
            continue;
        if (!row->field && find(row, names, &field))
            row->field = index_of(counts, &field);
        if (!row->field)
            continue;
        take(context, row->field - 1, row->weight);
        memset(row->weight, 0, sizeof row->weight);
        row->counted = false;
    }
}

const char *field_counts_name(const struct counted_field *field, const struct place_names *names,
                              char *out, size_t out_size)
{
    struct type_desc type;
    bool typed = field->key & OFFSET_TYPED && names->type &&
                 names->type(names->context, offset_key_type(field->key), &type);
    if (typed && field->member != TYPE_NO_MEMBER)
        return type_member_name(&type, field->member, out, out_size);
    if (typed)
        return type_bits_name(&type, offset_key_offset(field->key), offset_key_unit(field->key),
                              out, out_size);
    snprintf(out, out_size, "+%u", offset_key_offset(field->key));
    return out;
}
