/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "resolve/members.h"
#include "resolve/resolver_state.h"

/* Tags of keys, so that keys of different kinds never collide; objects.c has more. */
enum { KEY_BLOCK = 13, KEY_CODE = 14, KEY_SLOT = 15 };

/* Time after which a block without a type joins its size class. It is longer if other blocks of the
 * class have types, because then it may get one. */
static const uint64_t settle_ns = 2000000000;
static const uint64_t settle_typed_ns = 10000000000;

int provisional_init(struct provisional *provisional)
{
    *provisional = (struct provisional){0};
    provisional->of_object = calloc(NAMES_OBJECTS_MAX, sizeof *provisional->of_object);
    provisional->classes = calloc(NAMES_OBJECTS_MAX, sizeof *provisional->classes);
    provisional->known = calloc(PROVISIONAL_BLOCKS, sizeof *provisional->known);
    provisional->sites = calloc(PROVISIONAL_SITES, sizeof *provisional->sites);
    return provisional->of_object && provisional->classes && provisional->known &&
                   provisional->sites
               ? 0
               : -ENOMEM;
}

void provisional_fini(struct provisional *provisional)
{
    free(provisional->list);
    free(provisional->of_object);
    free(provisional->classes);
    free(provisional->known);
    free(provisional->sites);
    free(provisional->renames);
}

static struct provisional_object *object_of(const struct provisional *provisional, uint32_t object)
{
    uint32_t at = object < NAMES_OBJECTS_MAX ? provisional->of_object[object] : 0;
    return at ? &provisional->list[at - 1] : NULL;
}

static uint32_t current_object(const struct provisional *provisional, uint32_t object)
{
    for (const struct provisional_object *found;
         (found = object_of(provisional, object)) && found->renamed_to;)
        object = found->renamed_to;
    return object;
}

static bool has_no_name(const struct provisional *provisional, uint32_t object)
{
    const struct provisional_object *found = object_of(provisional, object);
    return found && !found->renamed_to;
}

uint32_t provisional_part_of(const struct resolver *resolver, uint32_t object)
{
    const struct provisional_object *found = object_of(&resolver->provisional, object);
    return found && !found->renamed_to && !found->own_row
               ? current_object(&resolver->provisional, found->part_of)
               : 0;
}

bool provisional_is_block(const struct resolver *resolver, uint32_t object)
{
    const struct provisional_object *found = object_of(&resolver->provisional, object);
    return found && found->kind == PROVISIONAL_BLOCK;
}

/* Returns true if all accesses to the block are to pointers of one type. */
static bool holds_pointers(const struct object_desc *desc)
{
    enum { VOTES_LEAST = 8, OF_EACH_AGAINST = 20 };
    size_t length = desc->type ? strlen(desc->type) : 0;
    return length && desc->type[length - 1] == '*' && desc->type_votes >= VOTES_LEAST &&
           desc->type_votes_against <= desc->type_votes / OF_EACH_AGAINST;
}

const char *provisional_name(struct resolver *resolver, uint32_t object,
                             const struct object_desc *desc)
{
    struct provisional_object *block = object_of(&resolver->provisional, object);
    struct arena *strings = &resolver->names.strings;
    char bytes[16];
    if (!block || block->renamed_to || !block->own_row)
        return NULL;
    bool pointers = holds_pointers(desc);
    const char **name = &block->names[pointers];
    if (*name && (!pointers || block->target == desc->type_id))
        return *name;
    if (pointers)
        block->target = desc->type_id;
    text_bytes(bytes, block->end - block->start);
    *name = pointers
                ? arena_printf(strings, "%s []", desc->type)
                : arena_printf(strings, "%s(%s)",
                               allocations_bin_maker(resolver->allocations, block->bin), bytes);
    if (*name)
        *name = names_number(&resolver->names, desc, *name);
    return *name;
}

uint32_t provisional_current(const struct resolver *resolver, uint32_t object)
{
    return current_object(&resolver->provisional, object);
}

/* ---- finding the object of a block ---- */

static uint64_t block_key(const struct space *space, uint64_t start, uint64_t size_bytes)
{
    uint64_t key = hash_mix(hash_mix(hash_mix(start) + size_bytes) + space->exec_count);
    return (key & ~UINT64_C(15)) | KEY_BLOCK;
}

static struct provisional_known *known_slot(const struct provisional *provisional, uint64_t start,
                                            uint64_t size_bytes)
{
    return &provisional->known[(hash_mix(start) + size_bytes) % PROVISIONAL_BLOCKS];
}

static const struct provisional_known *find_known(const struct resolver *resolver, uint64_t start,
                                                  uint64_t size_bytes)
{
    const struct provisional_known *known = known_slot(&resolver->provisional, start, size_bytes);
    return known->start == start && known->size_bytes == size_bytes ? known : NULL;
}

uint32_t provisional_find(const struct resolver *resolver, uint64_t start, uint64_t size_bytes)
{
    const struct provisional_known *known = find_known(resolver, start, size_bytes);
    uint32_t object =
        known ? known->object
              : names_find_object(&resolver->names, block_key(&resolver->space, start, size_bytes));
    return current_object(&resolver->provisional, object);
}

static void provisional_remember(struct resolver *resolver, uint64_t start, uint64_t size_bytes,
                                 uint32_t object, uint64_t type_at)
{
    resolver->provisional.knows = true;
    *known_slot(&resolver->provisional, start, size_bytes) =
        (struct provisional_known){start, size_bytes, type_at, object, 0};
}

/* ---- ending a provisional object ---- */

static void end_as_object(struct resolver *resolver, struct provisional_object *ending, uint32_t to,
                          const struct object_rename *how)
{
    struct provisional *provisional = &resolver->provisional;
    to = current_object(provisional, to);
    if (!to || to == ending->object)
        return;
    if (!array_reserve_next(&provisional->renames, &provisional->rename_room,
                            provisional->rename_count, sizeof *provisional->renames,
                            PROVISIONAL_MAX * 2))
        return;
    provisional->renames[provisional->rename_count] = *how;
    provisional->renames[provisional->rename_count].from = ending->object;
    provisional->renames[provisional->rename_count++].to = to;
    ending->renamed_to = to;
    ending->has_fixed_offset = how->has_fixed_offset;
    ending->offset_in_object = how->offset;
    ending->is_pending = false;
    if (ending->kind == PROVISIONAL_BLOCK) {
        names_instance(&resolver->names, to, ending->start);
        provisional_remember(resolver, ending->start, ending->end - ending->start, to,
                             (uint64_t)how->offset);
    }
}

/* Returns the object with the only type that contains `type` and fills such blocks; `type` is then
 * a base class, or the value of a node. 0: none. */
static uint32_t find_whole_object(const struct resolver *resolver, uint32_t class, uint32_t type)
{
    const struct types *types = typing_types(resolver->typing);
    uint32_t whole = 0;
    const struct provisional_class *of = &resolver->provisional.classes[class];
    if (!type || of->filled_by_others)
        return 0;
    for (unsigned i = 0; i < PROVISIONAL_KINDS; i++) {
        uint32_t object = of->filled_by[i];
        uint32_t called = object ? object_types_called(&resolver->object_types, object) : 0;
        if (!called || !types_contains(types, called, type))
            continue;
        if (whole)
            return 0;
        whole = object;
    }
    return whole;
}

static void note_class_filled(struct resolver *resolver, uint32_t class, uint32_t object)
{
    const struct types *types = typing_types(resolver->typing);
    if (object == class)
        return;
    struct provisional_class *of = &resolver->provisional.classes[class];
    uint32_t now = object_types_called(&resolver->object_types, object);
    for (unsigned i = 0; i < PROVISIONAL_KINDS; i++) {
        uint32_t before = object_types_called(&resolver->object_types, of->filled_by[i]);
        if (of->filled_by[i] == object || types_contains(types, before, now))
            return;
        if (!of->filled_by[i] || types_contains(types, now, before)) {
            of->filled_by[i] = object;
            return;
        }
    }
    of->filled_by_others = true;
}

static bool end_as_whole(struct resolver *resolver, struct provisional_object *block, uint32_t type)
{
    uint32_t object =
        block->kind == PROVISIONAL_BLOCK ? find_whole_object(resolver, block->class, type) : 0;
    struct object_rename how = {.type = object_types_called(&resolver->object_types, object)};
    if (object)
        end_as_object(resolver, block, object, &how);
    return object;
}

/* Ends an object without further evidence: it becomes the object it was shown under. */
static void provisional_settle(struct resolver *resolver, struct provisional_object *ending)
{
    if (end_as_whole(resolver, ending, ending->type))
        return;
    struct object_rename how = {.type = ending->type, .offset = (int64_t)ending->type_at};
    end_as_object(resolver, ending, ending->part_of, &how);
}

/* ---- adding a provisional object ---- */

static struct provisional_object *provisional_add(struct resolver *resolver, uint64_t key,
                                                  const struct located *located, const char *name,
                                                  uint32_t part_of)
{
    struct provisional *provisional = &resolver->provisional;
    struct object_desc desc = {.name = name,
                               .module = located->module,
                               .kind = located->kind,
                               .address = located->base,
                               .size_bytes = located->end - located->base};
    if (!part_of)
        return NULL;
    if (!array_reserve_next(&provisional->list, &provisional->room, provisional->count,
                            sizeof *provisional->list, PROVISIONAL_MAX))
        return NULL;
    uint32_t object = names_add_object(&resolver->names, key, &desc);
    if (!object)
        return NULL;
    struct provisional_object *made = &provisional->list[provisional->count];
    *made = (struct provisional_object){.object = object,
                                        .part_of = part_of,
                                        .bin = located->bin,
                                        .memory_kind = located->kind,
                                        .allocation = located->allocation,
                                        .key = located->key,
                                        .start = located->base,
                                        .end = located->end};
    provisional->of_object[object] = (uint32_t)++provisional->count;
    return made;
}

/* Counts the blocks of a size class that have, or had, their own row. */
static unsigned count_own_rows(const struct provisional *provisional, uint32_t class)
{
    unsigned rows = 0;
    for (size_t i = 0; i < provisional->count; i++)
        rows += provisional->list[i].class == class && provisional->list[i].own_row;
    return rows;
}

/* Combines the large blocks of a size class into one row if there are too many to distinguish at a
 * glance; small blocks always share one. */
static void combine_class(struct resolver *resolver, uint32_t class)
{
    struct provisional *provisional = &resolver->provisional;
    provisional->classes[class].has_many_large = true;
    for (size_t i = 0; i < provisional->count; i++)
        if (provisional->list[i].class == class)
            provisional->list[i].own_row = false;
}

/* Makes an object for a block without a type, at its first sample. */
static uint32_t new_untyped_block(struct resolver *resolver, const struct located *block,
                                  uint32_t class, bool waits, const struct access *access)
{
    struct provisional *provisional = &resolver->provisional;
    bool large = block->end - block->base >= PROVISIONAL_OWN_BYTES;
    if (large && !provisional->classes[class].has_many_large &&
        count_own_rows(provisional, class) >= PROVISIONAL_OWN_ROWS)
        combine_class(resolver, class);
    bool own_row = large && block->in_use && !provisional->classes[class].has_many_large;
    bool room = provisional->count < PROVISIONAL_MAX / 2 || provisional->classes[class].typed;
    if (!waits && !own_row && !room)
        return class;
    struct provisional_object *made = provisional_add(
        resolver, block_key(&resolver->space, block->base, block->end - block->base), block,
        block->name, class);
    if (!made)
        return class;
    made->kind = PROVISIONAL_BLOCK;
    made->own_row = own_row;
    made->class = class;
    made->first_sample_ns = access->time_ns;
    made->is_pending = waits;
    made->by_untyped = !waits;
    made->access = *access;
    return made->object;
}

/* Blocks */

/* Returns an object that starts without blocks: blocks shown under it come and go. */
static uint32_t make_object_without_blocks(struct resolver *resolver, const struct located *located)
{
    size_t before = resolver->names.object_count;
    uint32_t object = located_object(located, &resolver->names);
    if (resolver->names.object_count > before) {
        resolver->names.objects[object].blocks = 0;
        resolver->names.objects[object].address = 0;
    }
    return object;
}

/* Returns the object of the size class, which counts only blocks that belong to no other object. */
uint32_t provisional_class(struct resolver *resolver, const struct located *block)
{
    uint32_t class = make_object_without_blocks(resolver, block);
    resolver_note_bin(resolver, class, block->bin);
    return class;
}

/* The strength of a type seen in a block as evidence for the type of the block. */
enum evidence {
    EVIDENCE_NONE, /* no type is known in it */
    EVIDENCE_PART, /* a part of the larger block has the type */
    EVIDENCE_WEAK, /* begins with the type, possibly part of a larger one; or mostly of it */
    EVIDENCE_BLOCK /* the type, or an array of it, fills the block */
};

static enum evidence type_evidence(const struct resolver *resolver, const struct located *named,
                                   const struct located *block, uint32_t type)
{
    enum { ROUNDED = 16 }; /* allocation sizes are rounded up to a multiple */
    const struct type_desc *desc = types_at(typing_types(resolver->typing), type);
    uint64_t size = block->end - block->base;
    /* A type that begins before the block or ends after it is the allocator's view. */
    if (!type || !desc || named->type_base < block->base ||
        (desc->size > size && !type_is_flexible(desc)))
        return EVIDENCE_NONE;
    bool whole = type_instances_is_whole(named, block);
    bool fills = desc->size <= size && size - desc->size < ROUNDED;
    if (whole && (fills || size >= PROVISIONAL_OWN_BYTES))
        return EVIDENCE_BLOCK;
    /* Types in free memory are the allocator's own. */
    return whole || desc->size > size / 2 ? EVIDENCE_WEAK
           : block->in_use                ? EVIDENCE_PART
                                          : EVIDENCE_NONE;
}

/* Returns true if memory of one type can be the same object as memory of the other. */
static bool is_related_type(const struct resolver *resolver, uint32_t object, uint32_t type)
{
    const struct types *types = typing_types(resolver->typing);
    uint32_t before = object_types_called(&resolver->object_types, object);
    return !before || before == type || types_contains(types, before, type) ||
           types_contains(types, type, before);
}

/* Returns true if the block's object has such parts: it is an array of the type or contains it. */
static bool is_part_of_block_type(const struct resolver *resolver, const struct located *block,
                                  uint32_t type)
{
    uint32_t object = provisional_find(resolver, block->base, block->end - block->base);
    uint32_t called = object_types_called(&resolver->object_types, object);
    return called &&
           (called == type || types_contains(typing_types(resolver->typing), called, type));
}

static uint32_t named_object(struct resolver *resolver, const struct located *named, uint32_t type)
{
    uint32_t object = located_intern(named, &resolver->names);
    object_types_call(&resolver->object_types, object, type);
    return object;
}

static void note_site(struct provisional *provisional, uint64_t ip, uint32_t class,
                      uint32_t object);

static void name_block(struct resolver *resolver, struct provisional_object *ending,
                       const struct located *named, uint32_t type)
{
    struct object_rename how = {.type = type,
                                .offset = (int64_t)(named->type_base - ending->start)};
    uint32_t object = named_object(resolver, named, type);
    if (ending->by_untyped)
        note_site(&resolver->provisional, ending->access.ip, ending->class, object);
    end_as_object(resolver, ending, object, &how);
}

/* Sets type and start of a located block from its known object. Returns the type. */
static uint32_t set_located_type(const struct resolver *resolver, const struct located *block,
                                 uint32_t object, struct located *named)
{
    const struct provisional_known *known =
        find_known(resolver, block->base, block->end - block->base);
    uint32_t called = object_types_called(&resolver->object_types, object);
    *named = *block;
    named->bin = object == names_find_object(&resolver->names, block->key) ? block->bin : 0;
    if (called) {
        named->is_named_by_type = true;
        named->type_base = block->base + (known ? known->type_at : 0);
    }
    return called;
}

/* ---- code without debug information ---- */

static struct provisional_site *site_at(const struct provisional *provisional, uint64_t ip,
                                        uint32_t class)
{
    return &provisional->sites[hash_mix(ip + class) % PROVISIONAL_SITES];
}

/* Records that code without a known type accessed a known block. */
static void note_site(struct provisional *provisional, uint64_t ip, uint32_t class, uint32_t object)
{
    struct provisional_site *site = site_at(provisional, ip, class);
    if (site->ip != ip || site->class != class)
        *site = (struct provisional_site){.ip = ip, .class = class, .object = object};
    if (current_object(provisional, site->object) == object)
        site->agreeing_blocks++;
    else
        site->other_blocks++;
}

/* Returns the object of the blocks that such code accesses; 0: too few are known, or they vary. */
static uint32_t object_by_site(const struct provisional *provisional, uint64_t ip, uint32_t class)
{
    enum { AGREED_MIN = 3, OTHERS_IN = 32 };
    const struct provisional_site *site = site_at(provisional, ip, class);
    bool same = site->ip == ip && site->class == class && site->agreeing_blocks >= AGREED_MIN &&
                site->other_blocks <= site->agreeing_blocks / OTHERS_IN;
    return same ? current_object(provisional, site->object) : 0;
}

/* Blocks, continued */

/* Shows a block under a type that may be only a part of it, and waits for more evidence. */
static void name_by_weak_evidence(struct resolver *resolver, struct provisional_object *block,
                                  const struct located *named, uint32_t type)
{
    const struct types *types = typing_types(resolver->typing);
    if (end_as_whole(resolver, block, type))
        return;
    uint32_t before = object_types_called(&resolver->object_types, block->part_of);
    const struct type_desc *old = types_at(types, before);
    block->own_row = false;
    block->is_pending = false;
    if (old && old->size >= types_at(types, type)->size)
        return;
    block->part_of = make_object_without_blocks(resolver, named);
    object_types_call(&resolver->object_types, block->part_of, type);
    block->type = type;
    block->type_at = named->type_base - block->start;
}

static uint32_t first_object(struct resolver *resolver, const struct located *block,
                             const struct located *named, uint32_t type, enum evidence evidence,
                             uint32_t class, bool waits, const struct access *access)
{
    if (evidence == EVIDENCE_BLOCK)
        return named_object(resolver, named, type);
    uint32_t by_site =
        waits || type ? 0 : object_by_site(&resolver->provisional, access->ip, class);
    if (by_site)
        return by_site;
    uint32_t object =
        new_untyped_block(resolver, block, class, evidence == EVIDENCE_WEAK || waits, access);
    if (evidence == EVIDENCE_WEAK && object == class)
        return named_object(resolver, named, type);
    if (evidence == EVIDENCE_WEAK)
        name_by_weak_evidence(resolver, object_of(&resolver->provisional, object), named, type);
    return object;
}

/* Ends the object of a free block that is now in use. It is a new object; earlier samples stay in
 * the bin of free blocks. */
static uint32_t end_free_block(struct resolver *resolver, uint32_t object)
{
    struct provisional *provisional = &resolver->provisional;
    struct provisional_object *unnamed = object_of(provisional, object);
    if (!unnamed || unnamed->renamed_to || !provisional->classes[unnamed->class].free)
        return object;
    provisional_settle(resolver, unnamed);
    return unnamed->renamed_to ? 0 : object;
}

/* Returns true if an object has another type that contains this one. */
static bool has_containing_type(const struct resolver *resolver, uint32_t object, uint32_t type)
{
    uint32_t called = object_types_called(&resolver->object_types, object);
    return called && called != type && types_contains(typing_types(resolver->typing), called, type);
}

/* Notes that blocks of the class are arrays of the type, so that its parts do not name them. */
static void note_array(struct resolver *resolver, uint32_t class, const struct located *named,
                       uint32_t type)
{
    uint32_t object = make_object_without_blocks(resolver, named);
    object_types_call(&resolver->object_types, object, type);
    note_class_filled(resolver, class, object);
}

uint32_t provisional_block(struct resolver *resolver, const struct located *block,
                           struct located *named, uint32_t type, const struct access *access,
                           const struct typed_answer *operand, struct place *place)
{
    enum { AGAINST_MIN = 32 };
    struct provisional *provisional = &resolver->provisional;
    const struct types *types = typing_types(resolver->typing);
    uint64_t size_bytes = block->end - block->base;
    uint32_t class = provisional_class(resolver, block);
    enum evidence evidence = type_evidence(resolver, named, block, type);
    if (evidence == EVIDENCE_BLOCK && find_whole_object(resolver, class, type))
        evidence = EVIDENCE_WEAK;
    place->bin_object = class;
    if (evidence == EVIDENCE_NONE) {
        *named = *block;
        type = 0;
    }
    if (!block->in_use)
        provisional->classes[class].free = true;
    if (type && class) {
        object_types_vote(&resolver->class_types, types, block, class, type,
                          type_instances_is_whole(named, block));
        provisional->classes[class].typed = true;
    }
    if (evidence == EVIDENCE_PART && named->may_be_array) {
        *named = *block;
        evidence = EVIDENCE_NONE;
        type = 0;
    }
    if (evidence == EVIDENCE_PART && is_part_of_block_type(resolver, block, type))
        evidence = EVIDENCE_NONE;
    if (evidence == EVIDENCE_PART && find_whole_object(resolver, class, type))
        evidence = EVIDENCE_WEAK;
    if (evidence == EVIDENCE_WEAK && named->array && type_instances_is_whole(named, block))
        note_array(resolver, class, named, type);
    if (evidence == EVIDENCE_PART) {
        named->base = named->type_base;
        named->end = named->type_base + types_at(types, type)->size;
        return type;
    }
    uint32_t object = provisional_find(resolver, block->base, size_bytes);
    struct provisional_known known = find_known(resolver, block->base, size_bytes)
                                         ? *find_known(resolver, block->base, size_bytes)
                                         : (struct provisional_known){0};
    if (block->in_use)
        object = end_free_block(resolver, object);
    struct provisional_object *unnamed =
        has_no_name(provisional, object) ? object_of(provisional, object) : NULL;
    bool unrelated = object && !unnamed && evidence == EVIDENCE_BLOCK &&
                     !is_related_type(resolver, object, type);
    known.disagreeing = unrelated ? known.disagreeing + 1 : type ? 0 : known.disagreeing;
    /* The type shows that the memory was freed and reused. A large block may have elements of
     * several types, so several consecutive samples must agree. */
    bool another =
        unrelated && (size_bytes < PROVISIONAL_OWN_BYTES || known.disagreeing >= AGAINST_MIN);
    if (!object || another) {
        object = first_object(resolver, block, named, type, evidence, class, !operand, access);
        known.disagreeing = 0;
    } else if (unnamed && evidence == EVIDENCE_BLOCK) {
        name_block(resolver, unnamed, named, type);
    } else if (unnamed && evidence == EVIDENCE_WEAK) {
        name_by_weak_evidence(resolver, unnamed, named, type);
    } else if (unnamed && !operand && !unnamed->is_pending) {
        unnamed->is_pending = true;
        unnamed->access = *access;
    } else if (!unnamed && operand && !operand->type && object != class) {
        note_site(provisional, access->ip, class, object);
    }
    bool settles = evidence == EVIDENCE_BLOCK && (!known.object || unnamed || another);
    if (settles || (evidence == EVIDENCE_WEAK && !known.object))
        known.type_at = named->type_base - block->base;
    /* The containing type begins at the start of the block. */
    if (evidence == EVIDENCE_WEAK && (!known.object || unnamed) &&
        has_containing_type(resolver, current_object(provisional, object), type))
        known.type_at = 0;
    known.start = block->base;
    known.size_bytes = size_bytes;
    known.object = object = current_object(provisional, object);
    provisional->knows = true;
    *known_slot(provisional, block->base, size_bytes) = known;
    if (evidence == EVIDENCE_BLOCK && !has_no_name(provisional, object))
        note_class_filled(resolver, class, object);
    if (!has_no_name(provisional, object))
        names_instance(&resolver->names, object, block->base);
    place->object = object;
    /* The block may have been freed since the sample. */
    struct provisional_object *counted = object_of(provisional, object);
    place->bin_object = counted && counted->class         ? counted->class
                        : resolver->bin_of_object[object] ? object
                                                          : class;
    return set_located_type(resolver, block, object, named);
}

/* Code and stack slots */

/* Sets the bounds of an instance from an earlier answer that is no longer cached. */
static void set_instance_bounds(const struct resolver *resolver, uint32_t object,
                                const struct access *access, struct located *located)
{
    const struct provisional *provisional = &resolver->provisional;
    const struct provisional_object *was = object_of(provisional, object);
    if (!was || !was->has_fixed_offset)
        return;
    const struct object_desc *now = &resolver->names.objects[current_object(provisional, object)];
    located->base = access->address - (uint64_t)was->offset_in_object;
    located->end = located->base + now->size_bytes;
}

/* Adds a part of `whole` that waits for its type; until then it has the name of the whole. */
static bool provisional_part(struct resolver *resolver, struct located *whole, uint64_t key,
                             const struct provisional_object *part, struct place *place)
{
    uint32_t part_of = located_object(whole, &resolver->names);
    uint32_t object = names_find_object(&resolver->names, key);
    if (!object) {
        const char *name = resolver->names.objects[part_of].name;
        struct provisional_object *made = provisional_add(resolver, key, whole, name, part_of);
        if (!made)
            return false;
        made->kind = part->kind;
        made->is_pending = true;
        made->access = part->access;
        made->pc = part->pc;
        made->slot = part->slot;
        object = made->object;
    }
    place->object = current_object(&resolver->provisional, object);
    place->bin_object = place->object == part_of ? 0 : part_of;
    set_instance_bounds(resolver, object, &part->access, whole);
    return true;
}

void provisional_code(struct resolver *resolver, struct located *memory,
                      const struct access *access, struct place *place)
{
    uint64_t key = (hash_mix(hash_mix(memory->key) + access->ip) & ~UINT64_C(15)) | KEY_CODE;
    struct provisional_object part = {.kind = PROVISIONAL_CODE, .access = *access};
    provisional_part(resolver, memory, key, &part, place);
}

bool provisional_slot(struct resolver *resolver, struct located *stack, uint64_t pc, int64_t slot,
                      const struct access *access, struct place *place)
{
    uint64_t key = hash_mix(hash_mix(pc) + (uint64_t)slot + resolver->space.exec_count);
    struct provisional_object part = {
        .kind = PROVISIONAL_SLOT, .access = *access, .pc = pc, .slot = slot};
    return provisional_part(resolver, stack, (key & ~UINT64_C(15)) | KEY_SLOT, &part, place);
}

/* Answers */

static struct located located_of(const struct resolver *resolver,
                                 const struct provisional_object *waiting)
{
    const struct object_desc *part_of = &resolver->names.objects[waiting->part_of];
    return (struct located){.key = waiting->key,
                            .base = waiting->start,
                            .end = waiting->end,
                            .kind = waiting->memory_kind,
                            .name = part_of->name,
                            .module = part_of->module,
                            .bin = waiting->bin,
                            .allocation = waiting->allocation,
                            .in_use = true};
}

static void take_operand(struct resolver *resolver, struct provisional_object *waiting)
{
    const struct types *types = typing_types(resolver->typing);
    const struct typed_answer *operand = typing_operand(
        resolver->typing, resolver_code_at(resolver, waiting->access.ip), &waiting->access);
    struct located block = located_of(resolver, waiting);
    struct typed_answer node;
    operand = resolver_operand_in(resolver, &waiting->access, &block, operand, &node);
    if (!operand)
        return;
    struct located named = block;
    waiting->is_pending = false;
    waiting->by_untyped = !operand->type;
    uint32_t type = operand->type ? type_instances_rename(&resolver->type_instances, types, &named,
                                                          &waiting->access, operand)
                                  : 0;
    if (waiting->kind == PROVISIONAL_CODE && type) {
        struct object_rename how = {
            .type = type, .has_fixed_offset = true, .offset = operand->offset};
        end_as_object(resolver, waiting, named_object(resolver, &named, type), &how);
    } else if (waiting->kind == PROVISIONAL_CODE) {
        provisional_settle(resolver, waiting);
    } else if (type) {
        enum evidence evidence = type_evidence(resolver, &named, &block, type);
        resolver->provisional.classes[waiting->class].typed = true;
        object_types_vote(&resolver->class_types, types, &block, waiting->class, type,
                          type_instances_is_whole(&named, &block));
        if (evidence == EVIDENCE_BLOCK)
            name_block(resolver, waiting, &named, type);
        else if (evidence == EVIDENCE_WEAK)
            name_by_weak_evidence(resolver, waiting, &named, type);
    }
}

static void take_slot(struct resolver *resolver, struct provisional_object *waiting)
{
    struct located named = located_of(resolver, waiting);
    bool waits;
    const struct typed_answer *slot = resolver_name_slot(resolver, &named, waiting->access.address,
                                                         waiting->pc, waiting->slot, &waits);
    if (waits)
        return;
    if (!slot) {
        provisional_settle(resolver, waiting);
        return;
    }
    uint32_t object = located_intern(&named, &resolver->names);
    bool variable = slot->slot == DWARF_SLOT_VARIABLE;
    struct object_rename how = {.has_fixed_offset = true,
                                .offset = variable ? slot->offset : waiting->slot};
    if (variable && slot->type) {
        how.type = slot->type;
        object_types_declare(&resolver->object_types, object, slot->type, slot->count);
    }
    end_as_object(resolver, waiting, object, &how);
}

/* Returns true if the allocator still has a block of that size there. */
static bool block_exists(struct resolver *resolver, const struct provisional_object *block,
                         uint64_t now_ns)
{
    return allocations_holds(resolver->allocations, &resolver->space, now_ns, block->start,
                             block->end);
}

/* Names a block that was first seen before other elements of such blocks were. */
static void name_as_array(struct resolver *resolver, struct provisional_object *block)
{
    struct located named = located_of(resolver, block);
    if (!type_instances_array(&resolver->type_instances, typing_types(resolver->typing), &named,
                              block->type))
        return;
    block->part_of = make_object_without_blocks(resolver, &named);
    object_types_call(&resolver->object_types, block->part_of, block->type);
}

static void update_block(struct resolver *resolver, struct provisional_object *block,
                         uint64_t now_ns)
{
    if (block->type && end_as_whole(resolver, block, block->type))
        return;
    if (block->type && !block->type_at)
        name_as_array(resolver, block);
    const struct provisional *provisional = &resolver->provisional;
    const struct provisional_class *class = &provisional->classes[block->class];
    uint64_t after_ns = class->typed ? settle_typed_ns : settle_ns;
    uint32_t by_site = block->is_pending || block->type
                           ? 0
                           : object_by_site(provisional, block->access.ip, block->class);
    if (by_site) {
        struct object_rename how = {.type = object_types_called(&resolver->object_types, by_site)};
        end_as_object(resolver, block, by_site, &how);
        return;
    }
    bool over = block->own_row ? resolver->alive && !block_exists(resolver, block, now_ns)
                               : class->has_many_large ||
                                     (now_ns > block->first_sample_ns + after_ns && !class->free);
    if (over && !block->is_pending)
        provisional_settle(resolver, block);
}

static void join_object(struct resolver *resolver, uint32_t from, uint32_t to)
{
    struct provisional *provisional = &resolver->provisional;
    if (current_object(provisional, from) != from)
        return;
    if (!array_reserve_next(&provisional->list, &provisional->room, provisional->count,
                            sizeof *provisional->list, PROVISIONAL_MAX))
        return;
    struct provisional_object *ending = &provisional->list[provisional->count];
    *ending = (struct provisional_object){.object = from, .kind = PROVISIONAL_CODE, .part_of = to};
    provisional->of_object[from] = (uint32_t)++provisional->count;
    provisional_settle(resolver, ending);
}

/* Joins mappings that turned out to be one object. */
static void take_region_joins(struct resolver *resolver)
{
    struct regions *regions = &resolver->space.regions;
    for (size_t i = 0; i < regions->join_count; i++) {
        uint32_t from = names_find_object(&resolver->names, regions->joins[i].from);
        uint32_t to = names_find_object(&resolver->names, regions->joins[i].to);
        if (from && to)
            join_object(resolver, from, to);
    }
    regions->join_count = 0;
}

void provisional_tick(struct resolver *resolver, uint64_t now_ns)
{
    struct provisional *provisional = &resolver->provisional;
    bool all = true;
    take_region_joins(resolver);
    for (size_t i = provisional->first_active; i < provisional->count; i++) {
        struct provisional_object *object = &provisional->list[i];
        if (!object->renamed_to && object->is_pending && object->kind == PROVISIONAL_SLOT)
            take_slot(resolver, object);
        else if (!object->renamed_to && object->is_pending)
            take_operand(resolver, object);
        if (!object->renamed_to && object->kind == PROVISIONAL_BLOCK)
            update_block(resolver, object, now_ns);
        all &= object->renamed_to != 0;
        if (all)
            provisional->first_active = i + 1;
    }
}

void provisional_forget(struct resolver *resolver)
{
    struct provisional *provisional = &resolver->provisional;
    for (size_t i = provisional->first_active; i < provisional->count; i++)
        if (!provisional->list[i].renamed_to)
            provisional_settle(resolver, &provisional->list[i]);
    if (provisional->knows)
        memset(provisional->known, 0, PROVISIONAL_BLOCKS * sizeof *provisional->known);
    provisional->knows = false;
}

const struct object_rename *resolver_renames(const struct resolver *resolver, size_t *count)
{
    *count = resolver->provisional.rename_count;
    return resolver->provisional.renames;
}

void resolver_renamed(struct resolver *resolver)
{
    resolver->provisional.rename_count = 0;
}
