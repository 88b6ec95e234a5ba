/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/type_instances.h"

#include "base/hash.h"
#include "resolve/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTANCES = 1 << 13,
    PLACES = 1 << 12,
    COOKIE_BYTES = 16 /* that C++'s new[] keeps before an array, at most */
};

/* What has a block from its start on, or from behind the cookie on. */
struct type_instance {
    uint64_t start;
    uint32_t type; /* 0: empty */
    uint32_t size; /* of the block: another size is another block; 0: it was none */
};

/* Where in blocks of one size a type was seen. One block alone is soon no longer sampled: whether
 * it is an array is known by the others of its size. */
struct type_places {
    uint32_t type; /* 0: empty */
    uint32_t size;
    uint64_t first; /* bytes from a block's start to the type's */
    bool array;     /* seen elsewhere too, whole elements apart */
};

int type_instances_init(struct type_instances *instances)
{
    instances->at = calloc(INSTANCES, sizeof *instances->at);
    instances->places = calloc(PLACES, sizeof *instances->places);
    return instances->at && instances->places ? 0 : -ENOMEM;
}

void type_instances_fini(struct type_instances *instances)
{
    free(instances->at);
    free(instances->places);
}

void type_instances_forget(struct type_instances *instances)
{
    memset(instances->at, 0, INSTANCES * sizeof *instances->at);
    memset(instances->places, 0, PLACES * sizeof *instances->places);
}

bool type_instances_fit(const struct finding *finding, uint64_t start, uint64_t size)
{
    return finding->allocation != ALLOCATION_MAPPING && size &&
           size <= finding->end - finding->base && start >= finding->base &&
           (start - finding->base) % size == 0;
}

static bool is_inside(const struct type_desc *type, int64_t offset)
{
    return type->size && offset >= 0 && ((uint64_t)offset < type->size || type_is_flexible(type));
}

/* On the path of every sample: no printf. */
static const char *name_array(struct finding *finding, const char *name)
{
    static const char brackets[] = " []";
    size_t length = strnlen(name, sizeof finding->text - sizeof brackets);
    memcpy(finding->text, name, length);
    memcpy(finding->text + length, brackets, sizeof brackets);
    return finding->text;
}

/* `start`, `end`: of the type's instance, or of all elements. */
static void name_after(struct finding *finding, const struct type_desc *type, uint32_t id,
                       uint64_t start, uint64_t end, bool array)
{
    enum { KEY_TYPE = 9 /* beside those of finding.c */ };
    /* Of mapped files and shared memory each is its own; private memory is the heap. */
    uint64_t whose = finding->kind == OBJECT_MAP ? finding->key : 0;
    /* One of its kind to a block, or many: two different things to a programmer. */
    id = id * 2 + array;
    finding->key = (hash_mix(hash_mix(id) + whose) & ~UINT64_C(15)) | KEY_TYPE;
    finding->type_base = start;
    /* A block keeps its bounds where the type is in its middle. */
    if (finding->allocation != ALLOCATION_WALKED) {
        finding->base = start;
        finding->end = end;
    }
    finding->bin = 0;
    finding->module = "";
    finding->name = array ? name_array(finding, type->name) : type->name;
    finding->of_type = true;
    if (finding->kind != OBJECT_MAP)
        finding->kind = OBJECT_HEAP;
}

/* The larger of what was seen here before and what is seen now, if one is part of the other. */
static uint32_t join(const struct types *types, uint32_t before, uint32_t now)
{
    const struct type_desc *old = types_at(types, before);
    if (!old || before == now)
        return now;
    return types_contains(types, before, now) ? before : now;
}

static struct type_instance *instance_at(struct type_instances *instances, uint64_t start)
{
    return &instances->at[hash_mix(start) % INSTANCES];
}

bool type_instances_apply(const struct finding *finding)
{
    bool memory =
        finding->kind == OBJECT_HEAP || finding->kind == OBJECT_ANON || finding->kind == OBJECT_MAP;
    return memory && finding->allocation != ALLOCATION_TOLD;
}

/* What was seen at a place, in a block of this size; 0: nothing. */
static uint32_t seen_at(const struct type_instance *known, uint64_t start, uint32_t size)
{
    return known->start == start && known->size == size ? known->type : 0;
}

static uint32_t block_size(const struct finding *finding)
{
    return (uint32_t)(finding->end - finding->base);
}

static struct type_places *places_of(struct type_instances *instances, uint32_t type, uint32_t size)
{
    return &instances->places[hash_mix((uint64_t)type << 32 | size) % PLACES];
}

static bool is_array(struct type_instances *instances, uint32_t type, uint32_t size)
{
    const struct type_places *places = places_of(instances, type, size);
    return places->type == type && places->size == size && places->array;
}

/* One that is at a multiple of its size may have something else before it, as a page has its header
 * behind it, and one at the start something else behind it: an array has them in more places. Returns
 * whether this is the first of them. */
static bool note_place(struct type_instances *instances, uint32_t id, const struct type_desc *type,
                       uint32_t size, uint64_t into)
{
    struct type_places *places = places_of(instances, id, size);
    bool first = places->type != id || places->size != size;
    if (first)
        *places = (struct type_places){.type = id, .size = size, .first = into};
    else if (into != places->first && into % type->size == places->first % type->size)
        places->array = into % type->size <= COOKIE_BYTES && !type_is_flexible(type);
    return first;
}

static uint32_t name_block(struct type_instances *instances, const struct types *types,
                           struct finding *finding, uint32_t id, uint64_t cookie)
{
    bool array = is_array(instances, id, block_size(finding));
    name_after(finding, types_at(types, id), id, finding->base + cookie, finding->end, array);
    return id;
}

/* By what was seen in the walked block before; the code says nothing. */
static uint32_t rename_by_memory(struct type_instances *instances, const struct types *types,
                                 struct finding *finding)
{
    if (finding->allocation != ALLOCATION_WALKED)
        return 0;
    uint32_t size = block_size(finding);
    uint32_t known = seen_at(instance_at(instances, finding->base), finding->base, size);
    const struct type_desc *type = types_at(types, known);
    if (!type)
        return 0;
    bool array = is_array(instances, known, size);
    uint64_t cookie = array ? places_of(instances, known, size)->first % type->size : 0;
    return name_block(instances, types, finding, known, cookie);
}

/* A type of which an instance begins at `start`, in a walked block. */
static uint32_t rename_block(struct type_instances *instances, const struct types *types,
                             struct finding *finding, uint32_t id, uint64_t start)
{
    const struct type_desc *type = types_at(types, id);
    uint64_t into = start - finding->base;
    uint32_t size = block_size(finding);
    struct type_instance *known = instance_at(instances, finding->base);
    uint32_t before = seen_at(known, finding->base, size);
    bool inside = start >= finding->base && into < size && type->size <= size - into;
    bool first = inside && note_place(instances, id, type, size, into);
    bool fits = inside && (!into || is_array(instances, id, size));
    finding->may_be_array = first && !fits && !before;
    /* A part of something larger, whose block it does not begin: that has the name. */
    if (!fits && before && types_contains(types, before, id))
        return rename_by_memory(instances, types, finding);
    if (!fits) {
        name_after(finding, type, id, start, start + type->size, false);
        return id;
    }
    uint32_t now = join(types, before, id);
    *known = (struct type_instance){finding->base, now, size};
    return now == id ? name_block(instances, types, finding, id, into % type->size)
                     : rename_by_memory(instances, types, finding);
}

/* Memory of which no blocks are known. */
static uint32_t rename_place(struct type_instances *instances, const struct types *types,
                             struct finding *finding, uint32_t id, uint64_t start)
{
    struct type_instance *known = instance_at(instances, start);
    uint32_t now = join(types, seen_at(known, start, 0), id);
    *known = (struct type_instance){start, now, 0};
    name_after(finding, types_at(types, now), now, start, start + types_at(types, now)->size,
               false);
    return now;
}

uint32_t type_instances_rename(struct type_instances *instances, const struct types *types,
                               struct finding *finding, const struct access *access,
                               const struct typed_operand *operand)
{
    const struct type_desc *type = operand ? types_at(types, operand->type) : NULL;
    if (!type_instances_apply(finding))
        return 0;
    if (!type || !type->member_count || !is_inside(type, operand->offset))
        return rename_by_memory(instances, types, finding);
    uint64_t start = access->address - (uint64_t)operand->offset;
    bool block = finding->allocation == ALLOCATION_WALKED;
    return block ? rename_block(instances, types, finding, operand->type, start)
                 : rename_place(instances, types, finding, operand->type, start);
}

bool type_instances_is_whole(const struct finding *renamed, const struct finding *block)
{
    return renamed->type_base == block->base;
}
