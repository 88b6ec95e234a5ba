/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/profile/planted.h"

#include <math.h>

#include "unit/names.h"

const struct planted *planted;
uint32_t planted_count;

void plant(const struct planted *objects, uint32_t count)
{
    planted = objects;
    planted_count = count;
}

static bool describe(void *context, uint32_t id, struct object_desc *desc)
{
    (void)context;
    if (!id || id > planted_count)
        return false;
    const struct planted *object = &planted[id - 1];
    *desc = (struct object_desc){.name = object->name,
                                 .module = "",
                                 .kind = object->kind,
                                 .address = object->base,
                                 .size_bytes = object->size};
    return true;
}

static bool extent(void *context, uint64_t address, struct object_extent *extent)
{
    (void)context;
    *extent = (struct object_extent){0, UINT64_MAX, 0};
    for (uint32_t i = 0; i < planted_count; i++) {
        uint64_t base = planted[i].base;
        uint64_t bound = base + planted[i].size;
        if (address >= base && address < bound) {
            *extent = (struct object_extent){base, bound, i + 1};
            return true;
        }
        if (bound <= address && bound > extent->base)
            extent->base = bound;
        if (base > address && base < extent->bound)
            extent->bound = base;
    }
    return true;
}

static const struct fake_names answers = {.object = describe, .extent = extent};
const struct place_names planted_names = {fake_names_answer, (void *)(uintptr_t)&answers};

double planted_found(const struct search *search, uint32_t id)
{
    for (uint32_t i = 0; i < search->active_count; i++)
        if (search->active[i].final && search->active[i].object == id &&
            search->active[i].iterations)
            return search->active[i].share;
    for (uint32_t i = 0; i < search->queue.count; i++)
        if (search->queue.at[i].final && search->queue.at[i].object == id)
            return search->queue.at[i].share;
    return NAN;
}
