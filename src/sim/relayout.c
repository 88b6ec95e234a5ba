/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/relayout.h"

#include <stddef.h>

static const char *refuse_arrays(const struct relayout *relayout)
{
    for (uint32_t i = 0; i < relayout->array_count; i++) {
        const struct relayout_array *array = &relayout->array[i];
        if (!array->stride_bytes || array->stride_bytes > RELAYOUT_STRIDE_MAX)
            return "elements of an array have no size, or too large a one";
        if (!array->align_bytes || array->align_bytes & (array->align_bytes - 1) ||
            array->align_bytes > RELAYOUT_STRIDE_MAX)
            return "arrays are aligned to powers of two";
    }
    return NULL;
}

static const char *refuse_part(const struct relayout *relayout, const struct relayout_part *part)
{
    if (part->end_bytes <= part->from_bytes || part->end_bytes > relayout->element_bytes)
        return "a part is empty, or ends behind its element";
    if (part->array >= relayout->array_count)
        return "a part goes into no array";
    if ((uint64_t)part->at_bytes + (part->end_bytes - part->from_bytes) >
        relayout->array[part->array].stride_bytes)
        return "a part does not fit into its stride";
    return NULL;
}

const char *relayout_refuse(const struct relayout *relayout)
{
    uint32_t before_bytes = 0;
    if (relayout->part_count > RELAYOUT_PARTS_MAX || relayout->array_count > RELAYOUT_PARTS_MAX)
        return "more than 32 parts";
    if (relayout->element_bytes > RELAYOUT_ELEMENT_MAX ||
        (relayout->part_count && !relayout->element_bytes))
        return "elements have no size, or too large a one";
    const char *refused = refuse_arrays(relayout);
    for (uint32_t i = 0; i < relayout->part_count && !refused; i++) {
        const struct relayout_part *part = &relayout->part[i];
        refused = part->from_bytes < before_bytes ? "parts overlap, or are out of order"
                                                  : refuse_part(relayout, part);
        before_bytes = part->end_bytes;
    }
    return refused;
}

const struct relayout_part *relayout_find(const struct relayout *relayout, uint32_t offset)
{
    for (uint32_t i = 0; i < relayout->part_count; i++)
        if (offset - relayout->part[i].from_bytes <
            relayout->part[i].end_bytes - relayout->part[i].from_bytes)
            return &relayout->part[i];
    return NULL;
}
