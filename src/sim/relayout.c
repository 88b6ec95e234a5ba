/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/relayout.h"

#include <stddef.h>

const char *relayout_refuse(const struct relayout *relayout)
{
    if (relayout->start >= relayout->end)
        return "the object has no bytes";
    if (!relayout->element_bytes)
        return "elements have no bytes";
    if (relayout->count > RELAYOUT_PARTS_MAX)
        return "more than 32 parts";
    uint32_t before_bytes = 0;
    for (uint32_t i = 0; i < relayout->count; i++) {
        const struct relayout_part *part = &relayout->part[i];
        if (part->from_bytes < before_bytes || part->end_bytes <= part->from_bytes)
            return "parts overlap, or are out of order";
        if (part->end_bytes > relayout->element_bytes)
            return "a part ends behind its element";
        if (part->stride_bytes < part->end_bytes - part->from_bytes)
            return "a part does not fit into its stride";
        before_bytes = part->end_bytes;
    }
    return NULL;
}

uint64_t relayout_map(const struct relayout *relayout, uint64_t address)
{
    if (address < relayout->start || address >= relayout->end)
        return address;
    uint64_t element = (address - relayout->start) / relayout->element_bytes;
    uint64_t offset = (address - relayout->start) % relayout->element_bytes;
    for (uint32_t i = 0; i < relayout->count; i++) {
        const struct relayout_part *part = &relayout->part[i];
        if (offset >= part->from_bytes && offset < part->end_bytes)
            return part->base + element * part->stride_bytes + (offset - part->from_bytes);
    }
    return address;
}

struct relayout relayout_padded(uint64_t start, uint64_t end, uint32_t element_bytes,
                                uint32_t stride_bytes, uint64_t base)
{
    struct relayout relayout = {
        .start = start, .end = end, .element_bytes = element_bytes, .count = 1};
    relayout.part[0] = (struct relayout_part){
        .end_bytes = element_bytes, .base = base, .stride_bytes = stride_bytes};
    return relayout;
}

struct relayout relayout_split(uint64_t start, uint64_t end, uint32_t element_bytes,
                               uint32_t split_bytes, uint64_t base)
{
    const uint64_t page_bytes = 4096;
    struct relayout relayout = {
        .start = start, .end = end, .element_bytes = element_bytes, .count = 2};
    uint64_t elements = element_bytes ? (end - start + element_bytes - 1) / element_bytes : 0;
    uint64_t rest = base + elements * split_bytes;
    relayout.part[0] =
        (struct relayout_part){.end_bytes = split_bytes, .base = base, .stride_bytes = split_bytes};
    relayout.part[1] = (struct relayout_part){.from_bytes = split_bytes,
                                              .end_bytes = element_bytes,
                                              .base = (rest + page_bytes - 1) & ~(page_bytes - 1),
                                              .stride_bytes = element_bytes - split_bytes};
    return relayout;
}
