/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/heap/bins.h"
#include "resolve/objects.h"
#include "resolve/resolver_state.h"

/* Describes a bin. Its name, type and size change while it is watched. */
static void describe_bin_object(struct resolver *resolver, uint32_t object,
                                struct object_desc *desc)
{
    const struct allocations *allocations = resolver->allocations;
    uint32_t bin = resolver->bin_of_object[object];
    uint32_t type = allocations_bin_type(allocations, bin);
    uint64_t blocks;
    desc->name = allocations_bin_name(allocations, bin);
    /* A size class may have blocks that are objects by type, so only the instances seen count. */
    if (allocations_bin_walked(bin))
        return;
    allocations_bin_live(allocations, bin, &blocks, &desc->size_bytes);
    desc->blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
    if (type)
        object_types_assign(&resolver->object_types, object, type);
}

/* Makes the object if it has no sample. 0: the bin is not combined. */
static uint32_t lead_bin_object(struct resolver *resolver, uint32_t object)
{
    uint32_t bin = resolver->bin_of_object[object];
    uint32_t lead = allocations_bin_lead(resolver->allocations, bin);
    struct located located = {.kind = OBJECT_HEAP, .bin = lead, .module = ""};
    if (lead == bin)
        return 0;
    located.key = located_bin_key(&resolver->space, lead);
    located.name = allocations_bin_name(resolver->allocations, lead);
    uint32_t found = located_object(&located, &resolver->names);
    resolver_note_bin(resolver, found, lead);
    return found == object ? 0 : found;
}

static bool describe_object(struct resolver *resolver, uint32_t object, struct object_desc *desc)
{
    object = provisional_current(resolver, object);
    if (object >= resolver->names.object_count)
        return false;
    *desc = resolver->names.objects[object];
    if (resolver->bin_of_object[object])
        describe_bin_object(resolver, object, desc);
    object_types_describe(&resolver->object_types, typing_types(resolver->typing), object, desc);
    const char *block = provisional_name(resolver, object, desc);
    desc->name = block ? block : desc->name;
    desc->part_of = resolver->bin_of_object[object] ? lead_bin_object(resolver, object) : 0;
    if (desc->part_of) {
        desc->name =
            allocations_bin_name(resolver->allocations, resolver->bin_of_object[desc->part_of]);
        desc->blocks = 0; /* counted in the sums of the bin's group */
    } else {
        desc->part_of = provisional_part_of(resolver, object);
        desc->blocks = desc->part_of && !provisional_is_block(resolver, object) ? 0 : desc->blocks;
    }
    return true;
}

static void set_function_line(struct resolver *resolver, uint32_t function)
{
    struct function_desc *desc = &resolver->names.functions[function];
    const struct typed_line *line = resolver_line(resolver, desc->start);
    if (!line)
        return;
    desc->file = line->file ? line->file : "";
    desc->line = line->line;
}

static bool describe_function(struct resolver *resolver, uint32_t function,
                              struct function_desc *desc)
{
    if (function >= resolver->names.function_count)
        return false;
    if (!resolver->names.functions[function].file)
        set_function_line(resolver, function);
    *desc = resolver->names.functions[function];
    desc->file = desc->file ? desc->file : "";
    return true;
}

static bool describe_type(const struct resolver *resolver, uint32_t type, struct type_desc *desc)
{
    const struct type_desc *found = types_at(typing_types(resolver->typing), type);
    if (found)
        *desc = *found;
    return found;
}

static bool describe_instruction(struct resolver *resolver, uint64_t address,
                                 struct instruction_desc *desc)
{
    const struct typed_line *line = resolver_line(resolver, address);
    if (line)
        *desc = (struct instruction_desc){line->file, line->line, line->inlined};
    return line;
}

static bool describe_mapping(struct resolver *resolver, uint64_t address, struct mapping_desc *desc)
{
    struct map *map = space_map(&resolver->space, address);
    if (!map)
        return false;
    struct module *module = space_module(&resolver->space, map);
    struct debuginfo *debuginfo = module ? module_debuginfo(module) : NULL;
    const char *name = maps_name(&resolver->space.maps, map);
    size_t size = 0;
    const unsigned char *id = debuginfo ? debuginfo_build_id(debuginfo, &size) : NULL;
    *desc = (struct mapping_desc){.start = map->start, .end = map->end, .offset = map->offset};
    text_sanitise(desc->path, sizeof desc->path, name, strlen(name));
    for (size_t i = 0; i < size && 2 * i + 2 < sizeof desc->build_id; i++)
        snprintf(desc->build_id + 2 * i, 3, "%02x", id[i]);
    return true;
}

static bool extent_of_gap(const struct maps *maps, uint64_t address, struct object_extent *extent)
{
    size_t next = maps_after(maps, address);
    extent->base = next ? maps->maps[next - 1].end : 0;
    extent->bound = next < maps->count ? maps->maps[next].start : UINT64_MAX;
    extent->object = 0;
    return true;
}

static bool describe_extent(struct resolver *resolver, uint64_t address,
                            struct object_extent *extent)
{
    struct space *space = &resolver->space;
    struct located located;
    struct map *map = maps_find(&space->maps, address);
    if (!map)
        return extent_of_gap(&space->maps, address, extent);
    if (!located_make(&located, space, &resolver->tls, &resolver->names, address, STACK_KNOWN))
        return false;
    bool heap =
        resolver->options.live && (located.kind == OBJECT_HEAP || located.kind == OBJECT_ANON);
    bool block =
        heap && located_refine(&located, resolver->allocations, space, address, clock_now_ns());
    extent->base = located.base;
    extent->bound = located.end;
    extent->object = 0;
    if (heap && !block &&
        allocations_gap(resolver->allocations, address, &extent->base, &extent->bound))
        return extent->bound > extent->base;
    bool walked = located.allocation == ALLOCATION_WALKED;
    if (walked)
        extent->object = provisional_find(resolver, located.base, located.end - located.base);
    if (walked && !extent->object)
        extent->object = provisional_class(resolver, &located);
    else if (!walked)
        extent->object = located_intern(&located, &resolver->names);
    if (!walked && located.bin)
        resolver_note_bin(resolver, extent->object, located.bin);
    /* In the unnamed part of a section: only up to the next variables. */
    struct module *module = space_module_at(space, map, address);
    if (module && !module_object(module, address))
        module_gap(module, address, &extent->base, &extent->bound);
    return extent->bound > extent->base;
}

/* Uses the line of the address: a function has many call sites. Skips inlined library lines. */
bool resolver_name_address(void *context, uint64_t address, const char **function,
                           const char **module, const char **file, uint32_t *line)
{
    struct resolver *resolver = context;
    struct module *code;
    if (address == BINS_MAPPING - 1) {
        *function = BINS_MAPPING_NAME;
        *module = *file = NULL;
        *line = 0;
        return true;
    }
    uint32_t id = resolver_function(resolver, address, &code);
    *function = resolver->names.functions[id].name;
    *module = resolver->names.functions[id].module;
    const struct typed_line *found = resolver_line(resolver, address);
    *file = found ? found->own_file : NULL;
    *line = found ? found->own_line : BINS_LINE_LATER;
    return id != 0;
}

int resolver_assignee(void *context, uint64_t return_address, char *out, size_t out_size,
                      uint32_t *type)
{
    static const struct typed_answer nothing;
    struct resolver *resolver = context;
    struct module *module = resolver_code_at(resolver, return_address);
    const struct typed_answer *call =
        module ? typing_answer(resolver->typing, module, DWARF_CALL, return_address, 0) : &nothing;
    if (!call)
        return -EAGAIN;
    *type = call->type;
    if (!call->name)
        return -ENOENT;
    snprintf(out, out_size, "%s", call->name);
    return 0;
}

static bool summarise_heap(struct resolver *resolver, struct heap_summary *summary)
{
    const char *none = resolver->options.heap_note;
    allocations_summary(resolver->allocations, summary);
    if (none && summary->note && summary->note != none) {
        snprintf(resolver->heap_note, sizeof resolver->heap_note, "%s; %s", none, summary->note);
        summary->note = resolver->heap_note;
    } else if (none) {
        summary->note = none;
    }
    return true;
}

static bool describe_bin(struct resolver *resolver, uint32_t index, struct heap_bin *bin)
{
    if (!allocations_bin(resolver->allocations, index, bin))
        return false;
    struct object_desc desc = {0};
    bin->object = names_find_object(&resolver->names, located_bin_key(&resolver->space, bin->id));
    if (bin->object && bin->is_size_class)
        object_types_describe(&resolver->class_types, typing_types(resolver->typing), bin->object,
                              &desc);
    else if (bin->object)
        describe_object(resolver, bin->object, &desc);
    bin->type = desc.type;
    bin->type_id = desc.type_id ? desc.type_id : bin->type_id;
    return true;
}

static uint32_t function_at(struct resolver *resolver, uint64_t ip)
{
    struct place place;
    struct access access = {.ip = ip, .reason = REASON_NO_MEMORY, .base = SREG_NONE};
    resolver_resolve(resolver, &access, NULL, &place);
    return place.function;
}

static bool resolver_answer(void *context, enum place_question question, uint64_t number,
                            union place_answer *answer)
{
    struct resolver *resolver = context;
    uint32_t id = (uint32_t)number;
    switch (question) {
    case PLACE_OBJECT:
        return describe_object(resolver, id, &answer->object);
    case PLACE_FUNCTION:
        return describe_function(resolver, id, &answer->function);
    case PLACE_CALLER:
        return callers_describe(&resolver->callers, id, &answer->caller);
    case PLACE_TYPE:
        return describe_type(resolver, id, &answer->type);
    case PLACE_INSTRUCTION:
        return describe_instruction(resolver, number, &answer->instruction);
    case PLACE_MAPPING:
        return describe_mapping(resolver, number, &answer->mapping);
    case PLACE_EXTENT:
        return describe_extent(resolver, number, &answer->extent);
    case PLACE_HEAP:
        return summarise_heap(resolver, &answer->heap);
    case PLACE_BIN:
        return describe_bin(resolver, id, &answer->bin);
    case PLACE_THREAD:
        return resolver_thread(resolver, id, answer->thread, sizeof answer->thread);
    case PLACE_CPU_NODE:
        answer->node = nodes_cpu(&resolver->nodes, id);
        return true;
    case PLACE_PAGE_NODE:
        answer->node = nodes_page(&resolver->nodes, number);
        return true;
    case PLACE_MEMORY:
        memory_use_read(&resolver->memory_use, number, resolver->memory_use.ticked_ns,
                        &answer->memory);
        return true;
    case PLACE_WORD:
        return resolver_memory(resolver, number, &answer->word, sizeof answer->word);
    case PLACE_CODE:
        answer->code = function_at(resolver, number);
        return true;
    case PLACE_PAIR: /* only a simulation knows */
        break;
    }
    return false;
}

struct place_names resolver_names(struct resolver *resolver)
{
    return (struct place_names){resolver_answer, resolver};
}

struct loading_state resolver_loading(const struct resolver *resolver)
{
    struct readers_status status = typing_status(resolver->typing);
    return (struct loading_state){status.pending_requests, status.processes, status.resident_bytes,
                                  status.slow_file};
}

bool resolver_find(struct resolver *resolver, const char *name, struct object_extent *extent)
{
    const struct names *names = &resolver->names;
    struct object_search search = {.name = name};
    for (uint32_t i = 1; i < names->object_count; i++)
        if (provisional_current(resolver, i) == i)
            object_search_look(&search, i, names->objects[i].name, names->objects[i].module);
    const struct object_desc *found = &names->objects[search.found];
    *extent =
        (struct object_extent){found->address, found->address + found->size_bytes, search.found};
    return search.match_count == 1;
}
