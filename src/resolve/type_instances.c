/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/type_instances.h"

#include "base/hash.h"
#include "resolve/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES = 1 << 13 };

struct type_instance {
    uint64_t start;
    uint32_t type; /* 0: empty */
    uint32_t size; /* of the block: another size is another block; 0: it was none */
    uint64_t only; /* where the only one in the block begins, not at its start: that may be chance;
                      0: it is settled */
};

int type_instances_init(struct type_instances *instances)
{
    instances->at = calloc(INSTANCES, sizeof *instances->at);
    return instances->at ? 0 : -ENOMEM;
}

void type_instances_fini(struct type_instances *instances)
{
    free(instances->at);
}

void type_instances_forget(struct type_instances *instances)
{
    memset(instances->at, 0, INSTANCES * sizeof *instances->at);
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

static void name_after(struct finding *finding, const struct type_desc *type, uint32_t id,
                       uint64_t start, uint64_t end)
{
    enum { KEY_TYPE = 9, /* beside those of finding.c */ SMALLEST = 24 };
    /* Of mapped files and shared memory each is its own; private memory is the heap. */
    uint64_t whose = finding->kind == OBJECT_MAP ? finding->key : 0;
    /* One of its kind to a block, or many: two different things to a programmer. malloc() has no
     * smaller blocks than those of SMALLEST bytes. */
    bool array = end - start >= 2 * type->size && end - start > SMALLEST && !type_is_flexible(type);
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

static bool may_be_named(const struct finding *finding)
{
    bool memory =
        finding->kind == OBJECT_HEAP || finding->kind == OBJECT_ANON || finding->kind == OBJECT_MAP;
    return memory && finding->allocation != ALLOCATION_TOLD;
}

/* What was seen to lie at a place, in a block of this size; 0: nothing. */
static uint32_t seen_at(const struct type_instance *known, uint64_t start, uint32_t size)
{
    return known->start == start && known->size == size && !known->only ? known->type : 0;
}

/* One that lies at a multiple of its size may have something else before it, as a page has its
 * header behind it: an array has them in more than one place. */
static bool seen_elsewhere(struct type_instance *known, const struct type_instance *now)
{
    bool elsewhere = known->start == now->start && known->size == now->size &&
                     known->type == now->type && known->only && known->only != now->only;
    if (!elsewhere)
        *known = *now;
    return elsewhere;
}

/* By what lay at the start of the walked block before; the code says nothing. */
static uint32_t rename_by_memory(struct type_instances *instances, const struct types *types,
                                 struct finding *finding)
{
    if (finding->allocation != ALLOCATION_WALKED)
        return 0;
    uint32_t size = (uint32_t)(finding->end - finding->base);
    uint32_t known = seen_at(instance_at(instances, finding->base), finding->base, size);
    const struct type_desc *type = types_at(types, known);
    if (!type)
        return 0;
    name_after(finding, type, known, finding->base, finding->end);
    return known;
}

uint32_t type_instances_rename(struct type_instances *instances, const struct types *types,
                               struct finding *finding, const struct access *access,
                               const struct typed_operand *operand)
{
    const struct type_desc *type = operand ? types_at(types, operand->type) : NULL;
    if (!may_be_named(finding))
        return 0;
    if (!type || !type->member_count || !is_inside(type, operand->offset))
        return rename_by_memory(instances, types, finding);
    uint64_t start = access->address - (uint64_t)operand->offset;
    bool block = finding->allocation == ALLOCATION_WALKED;
    bool fits = block && type_instances_fit(finding, start, type->size);
    uint64_t at = block ? finding->base : start;
    uint32_t size = block ? (uint32_t)(finding->end - finding->base) : 0;
    struct type_instance *known = instance_at(instances, at);
    uint32_t before = seen_at(known, at, size);
    if (fits && !before && start != at)
        fits = seen_elsewhere(known, &(struct type_instance){at, operand->type, size, start});
    /* A part of something larger, whose block it does not begin: that has the name. */
    if (block && !fits && before && types_contains(types, before, operand->type))
        return rename_by_memory(instances, types, finding);
    uint32_t now = block && !fits ? operand->type : join(types, before, operand->type);
    if (!block || fits)
        *known = (struct type_instance){at, now, size, 0};
    const struct type_desc *whole = types_at(types, now);
    if (fits)
        name_after(finding, whole, now, finding->base, finding->end);
    else
        name_after(finding, whole, now, start, start + whole->size);
    return now;
}

bool type_instances_is_whole(const struct finding *renamed, const struct finding *block)
{
    return renamed->type_base == block->base;
}
