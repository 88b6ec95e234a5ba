/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "agent_abi.h"
#include "base/clock.h"
#include "base/text.h"
#include "resolve/library_types.h"
#include "resolve/resolver_state.h"

struct module *resolver_code_at(struct resolver *resolver, uint64_t address)
{
    struct map *map = space_map(&resolver->space, address);
    return map ? space_module(&resolver->space, map) : NULL;
}

static const char *frame_part_name(const struct typed_answer *slot)
{
    if (!slot)
        return NULL;
    switch (slot->slot) {
    case DWARF_SLOT_VARIABLE:
        return slot->name;
    case DWARF_SLOT_SPILL:
        return "(spills)";
    case DWARF_SLOT_SAVED:
        return "(saved registers)";
    case DWARF_SLOT_ARGUMENT:
        return "(arguments)";
    case DWARF_SLOT_DYNAMIC:
        return "(alloca)";
    default:
        return slot->untyped == UNTYPED_WAITING ? NULL : "(frame)";
    }
}

const struct typed_answer *resolver_name_slot(struct resolver *resolver, struct located *located,
                                              uint64_t address, uint64_t pc, int64_t at,
                                              bool *waits)
{
    enum { NAME_COLUMNS = 900, RETURN_ADDRESS = -8 /* System V ABI AMD64 1.0, figure 3.3 */ };
    static const struct typed_answer return_address = {.slot = DWARF_SLOT_SAVED,
                                                       .untyped = UNTYPED_SPILL};
    struct module *module = resolver_code_at(resolver, pc);
    const struct typed_answer *slot = !module ? NULL
                                      : at >= RETURN_ADDRESS
                                          ? &return_address
                                          : typing_slot(resolver->typing, module, pc, at);
    const char *part = frame_part_name(slot);
    *waits = module && !part;
    if (!part)
        return NULL;
    bool variable = slot->slot == DWARF_SLOT_VARIABLE;
    uint32_t id = resolver_function(resolver, pc, &module);
    const struct function_desc *function = &resolver->names.functions[id];
    located->key = located_frame_key(&resolver->space, id, part);
    located->name = NULL;
    located->module = function->module;
    if (!names_find_object(&resolver->names, located->key)) {
        snprintf(resolver->slot_name, sizeof resolver->slot_name, "%.*s%s%.*s", NAME_COLUMNS,
                 function->name, variable ? "." : " ", NAME_COLUMNS, part);
        located->name = resolver->slot_name;
    }
    if (variable) {
        located->base = address - (uint64_t)slot->offset;
        located->end = located->base + (slot->size ? slot->size : 1);
    } else {
        located->base = located->end = address - (uint64_t)at;
    }
    return slot;
}

/* Refines a stack to the variable or slot of a function: one object for all frames of the function
 * in all threads. */
static const struct typed_answer *refine_stack(struct resolver *resolver, struct located *located,
                                               const struct access *access, const uint64_t *regs,
                                               struct place *place)
{
    struct unwind_frame frame;
    bool waits;
    if (!regs || !unwind_find(&resolver->unwind, &resolver->space, regs, access->address, &frame))
        return NULL;
    int64_t at = (int64_t)(access->address - frame.cfa);
    const struct typed_answer *slot =
        resolver_name_slot(resolver, located, access->address, frame.pc, at, &waits);
    if (waits)
        provisional_slot(resolver, located, frame.pc, at, access, place);
    return slot;
}

/* Counts the samples of a key, up to a limit. Hash collisions may add samples of other keys. */
static unsigned count_met(struct resolver *resolver, uint64_t key)
{
    uint8_t *count = &resolver->sample_counts[hash_mix(key) % RESOLVER_SAMPLE_COUNTS];
    *count += *count < UINT8_MAX;
    return *count;
}

/* A simulation sees each variable that the program ever uses. Few of them matter, and for a
 * variable that the code does not declare, all units of a library are read. */
enum { DECLARED_FROM = 4 /* samples */ };

/*
 * Returns the declaration of a variable. NULL for accesses by the dynamic linker, which relocates
 * every pointer in a variable: the program's own code will show which variables matter, and for one
 * of libc all units are read.
 */
static const struct typed_answer *variable_declaration(struct resolver *resolver,
                                                       const struct located *located, uint64_t pc,
                                                       const struct module *code)
{
    if (!located->variable_of || (code && module_is_linker(code)) ||
        (resolver->options.simulated && count_met(resolver, located->key) < DECLARED_FROM))
        return NULL;
    return typing_answer(resolver->typing, located->variable_of,
                         located->kind == OBJECT_TLS ? DWARF_TLS : DWARF_VARIABLE, pc,
                         located->variable_at);
}

/* The containing object stays the holder, for phases and for the heap's bins. */
static uint32_t rename_by_type(struct resolver *resolver, struct located *located,
                               const struct access *access, const struct typed_answer *operand,
                               struct place *place)
{
    const struct types *types = typing_types(resolver->typing);
    struct located holder = *located;
    uint32_t type =
        type_instances_rename(&resolver->type_instances, types, located, access, operand);
    if (holder.allocation == ALLOCATION_WALKED)
        return provisional_block(resolver, &holder, located, type, access, operand, place);
    if (!type && !operand && type_instances_apply(located))
        provisional_code(resolver, located, access, place);
    if (!type)
        return 0;
    place->bin_object = located_object(&holder, &resolver->names);
    if (holder.bin)
        resolver_note_bin(resolver, place->bin_object, holder.bin);
    /* A mapping with structs belongs to an allocator. The vote keeps it from becoming an array of
     * the numbers that are also accessed there. */
    object_types_vote(&resolver->object_types, types, &holder, place->bin_object, type,
                      type_instances_is_whole(located, &holder));
    return type;
}

/* Returns true for misstop's agent library, in a process started with it. */
static bool is_agent_module(const struct module *code)
{
    return code && module_is_agent(code);
}

/* Returns true for the agent's variables and the memory that it shares with misstop. */
static bool is_agent_data(const struct located *located)
{
    return is_agent_module(located->in_module) ||
           (located->kind == OBJECT_MAP && located->name && strstr(located->name, AGENT_MEMORY));
}

/* Excludes an access of the agent: its code and data are not the program's. */
static void exclude_agent_access(struct place *place)
{
    place->access.reason = REASON_AGENT;
    place->function = 0;
}

/* Returns the type of a class; 0: its fields are not known. */
static uint32_t type_of_class(struct resolver *resolver, const struct runtime_object *object)
{
    struct runtime_class *class = object->class;
    struct arena arena = {0};
    struct type_desc desc;
    if (!class->asked && runtimes_describe(&resolver->runtimes, object, &arena, &desc)) {
        desc.managed = true;
        class->type = typing_declare(resolver->typing, &desc);
    }
    class->asked = true;
    arena_fini(&arena);
    return class->type;
}

/* Sets the heap block that contains a runtime's object as the holder, for the heap's bins. Returns
 * false if there is no block. */
static bool set_heap_holder(struct resolver *resolver, struct located *holder,
                            const struct access *access, struct place *place)
{
    if (!resolver->options.live || !located_refine(holder, resolver->allocations, &resolver->space,
                                                   access->address, access->time_ns))
        return false;
    place->bin_object = located_object(holder, &resolver->names);
    if (holder->bin)
        resolver_note_bin(resolver, place->bin_object, holder->bin);
    return true;
}

/* Cuts an object to its block: its size may be too large (an int's digits, a string's head).
 * Rejects one that begins further inside and does not end there: its head is a coincidence. */
static bool fit_object_to_block(const struct located *block, struct runtime_object *object)
{
    enum { BEFORE_HEAD_BYTES = 64 }; /* head of a garbage collector */
    if (object->start < block->base)
        return false;
    uint64_t room = block->end - object->start;
    if (object->bytes > room && object->start - block->base > BEFORE_HEAD_BYTES)
        return false;
    object->bytes = object->bytes < room ? object->bytes : room;
    return true;
}

/* Finds the object of a runtime; *type: its type, 0 if not known. Returns false if the memory
 * belongs to no runtime, or the operand's type is more specific. */
static bool find_class(struct resolver *resolver, struct located *located,
                       const struct access *access, const uint64_t *regs,
                       const struct typed_answer *operand, struct place *place, uint32_t *type)
{
    struct runtime_object object;
    bool memory = located->kind == OBJECT_ANON || located->kind == OBJECT_HEAP ||
                  located->kind == OBJECT_MAP; /* large pages */
    const char *name =
        memory ? runtimes_find(&resolver->runtimes, access, located->base, regs, &object) : NULL;
    if (!name || (!object.class && (!operand || operand->type)))
        return false;
    /* Large tables of a runtime are blocks of malloc, possibly between the runtime's arenas. */
    struct located holder = *located;
    bool block = set_heap_holder(resolver, &holder, access, place);
    if (block && (!object.class || !fit_object_to_block(&holder, &object))) {
        place->bin_object = 0;
        return false;
    }
    located_of_class(located, &resolver->space, name, &object);
    *type = object.class ? type_of_class(resolver, &object) : 0;
    return true;
}

void resolver_note_caller(struct resolver *resolver, const struct sample *sample,
                          const uint64_t *regs, struct access *access)
{
    const struct unwind_copy copy = {sample->stack, sample->stack_bytes};
    struct module *code;
    if (!regs || !copy.bytes || access->reason != REASON_NONE)
        return;
    uint32_t function = resolver_function(resolver, access->ip, &code);
    if (function && library_node_function(resolver->names.functions[function].name) &&
        unwind_callers(&resolver->unwind, &resolver->space, regs, &copy, &access->caller, 1) != 1)
        access->caller = 0;
}

/* In code for nodes of any type, the caller determines the type; links are at the block's start. */
const struct typed_answer *resolver_operand_in(struct resolver *resolver,
                                               const struct access *access,
                                               const struct located *block,
                                               const struct typed_answer *operand,
                                               struct typed_answer *node)
{
    enum { LINKS_BYTES = 32, ROUNDED = 16 };
    uint64_t size = block->end - block->base;
    uint64_t offset = access->address - block->base;
    bool is_block =
        block->allocation == ALLOCATION_WALKED || block->allocation == ALLOCATION_RECORDED;
    struct module *module =
        access->caller && operand && !operand->type && is_block && offset < LINKS_BYTES
            ? resolver_code_at(resolver, access->caller)
            : NULL;
    if (!module)
        return operand;
    const struct typed_answer *found =
        typing_answer(resolver->typing, module, DWARF_NODE, access->caller, 0);
    if (!found)
        return NULL;
    const struct type_desc *desc = types_at(typing_types(resolver->typing), found->type);
    if (!desc || desc->size > size || size - desc->size >= ROUNDED)
        return operand;
    *node = (struct typed_answer){.type = found->type, .offset = (int64_t)offset};
    return node;
}

static struct function_at *function_at(struct resolver *resolver, uint64_t ip)
{
    return &resolver->functions[hash_mix(ip) % FUNCTIONS_AT];
}

/* Returns the binary of an instruction if its function was the last one looked up in its cache
 * slot; 0: file not known, or another instruction replaced it. */
static uint32_t binary_of(struct resolver *resolver, uint64_t ip)
{
    const struct function_at *at = function_at(resolver, ip);
    return at->ip == ip && at->function && at->module ? at->binary : 0;
}

static uint64_t operand_key(const struct access *access)
{
    return (uint64_t)(uint32_t)access->displacement << 32 | (uint64_t)access->base << 24 |
           (uint64_t)access->index << 16 | (uint64_t)access->size << 8;
}

static struct resolved *resolved_at(const struct resolver *resolver, const struct access *access)
{
    return &resolver->resolved[hash_mix(access->ip ^ access->address >> 21) % RESOLVED_RECENT];
}

/* Resolves another access of the same instruction to the same object from the cache. */
static bool resolve_from_cache(struct resolver *resolver, struct place *place)
{
    const struct access *access = &place->access;
    const struct resolved *known = resolved_at(resolver, access);
    const struct located *located = &known->located;
    if (known->ip != access->ip || access->address < located->base ||
        access->address >= located->end || known->operand_key != operand_key(access) ||
        access->reason != REASON_NONE || known->version != space_version(&resolver->space))
        return false;
    binaries_sample(&resolver->space.binaries, known->binary);
    place->function = known->function;
    place->object = known->object;
    place->base = located->base;
    place->size_bytes = located->end - located->base;
    if (known->variable && known->variable->type)
        object_types_declare(&resolver->object_types, place->object, known->variable->type,
                             known->variable->count);
    object_types_place(&resolver->object_types, typing_types(resolver->typing), located,
                       known->operand, place);
    return true;
}

static void remember_place(struct resolver *resolver, const struct located *located,
                           const struct typed_answer *operand, const struct typed_answer *variable,
                           const struct place *place)
{
    const struct access *access = &place->access;
    uint32_t binary = binary_of(resolver, access->ip);
    if (!binary || !operand || access->caller || access->evictor_ip || access->base == SREG_SP ||
        !(located->variable_of ? variable && located->kind == OBJECT_GLOBAL
                               : located_is_mapping(located, &resolver->space, access->address)))
        return;
    struct resolved *known = resolved_at(resolver, access);
    *known = (struct resolved){.ip = access->ip,
                               .version = space_version(&resolver->space),
                               .operand_key = operand_key(access),
                               .operand = operand,
                               .variable = variable,
                               .binary = binary,
                               .function = place->function,
                               .object = place->object};
    memcpy(&known->located, located, offsetof(struct located, text));
}

/* Returns true for the dynamic linker's start-up code, which is long and runs once. A simulation
 * contains all of it, and tracking its registers would take longer than the simulation. */
static bool is_startup_code(struct resolver *resolver, const struct module *code, uint32_t function)
{
    enum { BYTES_A_SAMPLE = 64 };
    const struct function_desc *desc = &resolver->names.functions[function];
    return resolver->options.simulated && code && module_is_linker(code) && function &&
           desc->end - desc->start >
               BYTES_A_SAMPLE * (uint64_t)count_met(resolver, ~(uint64_t)function);
}

static void resolve_object(struct resolver *resolver, const struct access *access,
                           const struct module *code, const uint64_t *regs, struct located *located,
                           struct place *place)
{
    const struct types *types = typing_types(resolver->typing);
    static const struct typed_answer rare = {.untyped = UNTYPED_RARE};
    const struct typed_answer *operand = is_startup_code(resolver, code, place->function)
                                             ? &rare
                                             : typing_operand(resolver->typing, code, access);
    const struct typed_answer *variable = NULL;
    struct typed_answer node;
    uint32_t type = 0;
    uint32_t class_type = 0;
    bool of_class = find_class(resolver, located, access, regs, operand, place, &class_type);
    if (resolver->options.live && !of_class)
        located_refine(located, resolver->allocations, &resolver->space, access->address,
                       access->time_ns);
    operand = resolver_operand_in(resolver, access, located, operand, &node);
    if (located->kind == OBJECT_STACK)
        variable = refine_stack(resolver, located, access, regs, place);
    else if (located->variable_of)
        variable = variable_declaration(resolver, located, access->ip, code);
    else if (!of_class)
        type = rename_by_type(resolver, located, access, operand, place);
    if (!place->object)
        place->object = located_intern(located, &resolver->names);
    if (located->bin)
        resolver_note_bin(resolver, place->object, located->bin);
    place->base = located->base;
    place->size_bytes = located->end - located->base;
    if (type)
        object_types_call(&resolver->object_types, place->object, type);
    else if (class_type)
        object_types_declare(&resolver->object_types, place->object, class_type, 0);
    else if (variable && variable->type)
        object_types_declare(&resolver->object_types, place->object, variable->type,
                             variable->count);
    object_types_place(&resolver->object_types, types, located, class_type ? NULL : operand, place);
    if (resolver->resolved && !of_class && !type)
        remember_place(resolver, located, operand, variable, place);
    /* Without a memory operand, the access is a call's or return's use of the stack. */
    bool returns = located->kind == OBJECT_STACK && place->untyped == UNTYPED_NO_CODE;
    if (place->typed == TYPED_NONE &&
        (returns || (variable && variable->slot > DWARF_SLOT_VARIABLE)))
        place->untyped = UNTYPED_SPILL;
}

/* Counts a sample for its binary. The file is opened here to find out whether it is available. */
static void count_binary(struct resolver *resolver, const struct access *access)
{
    uint32_t known = binary_of(resolver, access->ip);
    if (known && access->reason != REASON_KERNEL) {
        binaries_sample(&resolver->space.binaries, known);
        return;
    }
    struct map *map =
        access->reason == REASON_KERNEL ? NULL : space_map(&resolver->space, access->ip);
    if (!map && access->reason != REASON_KERNEL)
        resolver->space.binaries.outside_mappings++;
    if (!map || !map->binary)
        return;
    space_module(&resolver->space, map);
    binaries_sample(&resolver->space.binaries, map->binary);
    space_complete(&resolver->space, map);
}

/* Resolves the access that evicted the missed line. It is not counted as an access. */
static void resolve_evictor(struct resolver *resolver, const struct access *access,
                            struct place *place)
{
    struct located located;
    struct module *code = NULL;
    struct place other = {.access = *access};
    if (!access->evictor_ip)
        return;
    place->evictor_function = resolver_function(resolver, access->evictor_ip, &code);
    other.access.ip = access->evictor_ip;
    other.function = place->evictor_function;
    other.access.address = access->evictor_address;
    other.access.base = SREG_NONE;
    if (!access->evictor_address ||
        !located_make(&located, &resolver->space, &resolver->tls, &resolver->names,
                      access->evictor_address, STACK_KNOWN))
        return;
    resolve_object(resolver, &other.access, code, NULL, &located, &other);
    place->evictor_object = other.object;
}

/* Adds the stack of a new thread at its first sample instead of at the next tick. */
static void note_thread(struct resolver *resolver, uint32_t tid)
{
    struct stacks *stacks = &resolver->space.stacks;
    uint32_t *seen = &resolver->seen_tids[tid % RESOLVER_SEEN_TIDS];
    pid_t pid = resolver->options.pid;
    if (*seen == tid || tid == (uint32_t)pid)
        return;
    *seen = tid;
    const struct tcb *tcb = tcbs_find_or_ask(&resolver->tcbs, pid, tid);
    const struct stack *known = tcb ? stacks_find(stacks, tcb->base) : NULL;
    if (tcb && (!known || known->tid != tid))
        stacks_of_thread(stacks, tcb, &resolver->space.maps);
}

/* Refreshes thread-local storage if memory without a name may be newer than the last tick: a
 * program just started, or a new thread. Returns true if it was refreshed. */
static bool refresh_tls(struct resolver *resolver, const struct located *located,
                        const struct access *access)
{
    enum { APART_NS = 20000000 };
    uint32_t *looked = &resolver->tls_checked_tids[access->tid % RESOLVER_SEEN_TIDS];
    bool nameless =
        located->kind == OBJECT_ANON || (located->kind == OBJECT_STACK && located->of_thread);
    if (!nameless || *looked == access->tid || access->time_ns < resolver->tls_ns + APART_NS)
        return false;
    *looked = access->tid;
    resolver->tls_ns = access->time_ns;
    tcbs_tick(&resolver->tcbs, resolver->options.pid, clock_now_ns());
    tcbs_find_or_ask(&resolver->tcbs, resolver->options.pid, access->tid);
    tls_refresh(&resolver->tls, &resolver->space, &resolver->tcbs);
    return true;
}

/* Returns true if an address is not in a frame. Around a guessed stack there may be other memory,
 * so only addresses in a frame of the thread count as its stack. */
static bool is_in_no_frame(struct resolver *resolver, const struct located *located,
                           const struct access *access, const uint64_t *regs)
{
    struct unwind_frame frame;
    return located->kind == OBJECT_STACK && located->guessed && access->base != SREG_SP &&
           !(regs &&
             unwind_find(&resolver->unwind, &resolver->space, regs, access->address, &frame));
}

/* Locates an access. Returns false if nothing is mapped there. */
static bool place_find(struct resolver *resolver, const struct access *access, const uint64_t *regs,
                       struct located *located)
{
    struct space *space = &resolver->space;
    enum stack_wanted stack = access->base == SREG_SP ? STACK_REACHED : STACK_KNOWN;
    for (int again = 0;; again++) {
        if (!located_make(located, space, &resolver->tls, &resolver->names, access->address, stack))
            return located_unrecorded(located, space, access->address, regs ? regs[SREG_SP] : 0);
        if (again || !resolver->options.live || !refresh_tls(resolver, located, access))
            break;
    }
    if (is_in_no_frame(resolver, located, access, regs))
        located_make(located, space, &resolver->tls, &resolver->names, access->address,
                     STACK_OF_THREAD);
    return true;
}

void resolver_resolve(struct resolver *resolver, const struct access *access, const uint64_t *regs,
                      struct place *place)
{
    struct located located;
    struct module *code = NULL;
    *place = (struct place){.access = *access};
    if (resolver->resolved && resolve_from_cache(resolver, place))
        return;
    if (!resolver->options.live)
        count_binary(resolver, access);
    /* The code is worth reporting even if the data is not known. */
    if (access->reason != REASON_KERNEL)
        place->function = resolver_function(resolver, access->ip, &code);
    if (is_agent_module(code)) {
        exclude_agent_access(place);
        return;
    }
    if (access->reason != REASON_NONE)
        return;
    resolve_evictor(resolver, access, place);
    if (resolver->options.live)
        note_thread(resolver, access->tid);
    if (!place_find(resolver, access, regs, &located))
        place->access.reason = REASON_BAD_ADDRESS;
    else if (is_agent_data(&located))
        exclude_agent_access(place);
    else
        resolve_object(resolver, access, code, regs, &located, place);
}

const struct typed_line *resolver_line(struct resolver *resolver, uint64_t address)
{
    static const struct typed_line nowhere;
    const struct module *module = resolver_code_at(resolver, address);
    return module ? typing_line(resolver->typing, module, address) : &nowhere;
}

enum { FUNCTIONS_BLOCK_BYTES = 64 }; /* code without known bounds is divided into blocks */

static void describe_anonymous(const struct resolver *resolver, const struct map *map, uint64_t ip,
                               const struct jit_symbol *symbol, struct function_desc *desc,
                               char *text, size_t text_size)
{
    struct hotspot_code java;
    bool is_java = !symbol && hotspot_code(&resolver->runtimes.hotspot, ip, &java);
    desc->start = symbol ? symbol->start : is_java ? java.start : map->start;
    desc->end = symbol ? symbol->end : is_java ? java.end : desc->start;
    if (is_java)
        snprintf(text, text_size, "%.*s", (int)text_size - 1, java.name);
    else
        snprintf(text, text_size, "[code 0x%llx]", (unsigned long long)desc->start);
    desc->name = symbol ? jitmap_name(&resolver->jitmap, symbol) : text;
    desc->module = symbol || is_java ? "[jit]" : "";
}

/* Describes code of a recording without its file: functions cannot be distinguished. */
static void describe_missing(const struct space *space, const struct map *map,
                             struct function_desc *desc, char *text, size_t text_size)
{
    desc->module = text_base_name(space->binaries.list[map->binary - 1].shown);
    desc->start = desc->end = map->start;
    snprintf(text, text_size, "[code of %s]", desc->module);
    desc->name = text;
}

/* Names code by its offset in the file, the same in every run; PLT stubs by their section. */
static void describe_nameless(struct module *module, const struct map *map, uint64_t ip,
                              struct function_desc *desc, char *text, size_t text_size)
{
    uint64_t start;
    uint64_t end;
    const char *section = module_section(module, ip, &start, &end);
    desc->module = module_name(module);
    if (section && !strncmp(section, ".plt", 4)) {
        desc->start = start;
        desc->end = end;
        snprintf(text, text_size, "%s %s", module_name(module), section);
        desc->name = text;
        return;
    }
    if (!module_frame(module, ip, &desc->start, &desc->end))
        desc->start = desc->end = ip & ~(uint64_t)(FUNCTIONS_BLOCK_BYTES - 1);
    snprintf(text, text_size, "%s+0x%llx", module_name(module),
             (unsigned long long)(desc->start - map->start + map->offset));
    desc->name = text;
}

/* Includes the module or name: other code may later be at the same address. */
static uint64_t functions_key_of(const struct function_desc *desc, const struct module *module)
{
    uint64_t owner = module ? module_serial(module) : hash_bytes(desc->name, strlen(desc->name));
    return hash_mix(hash_mix(desc->start) + owner);
}

static uint32_t find_or_add_function(struct resolver *resolver, const struct map *map,
                                     struct module *module, uint64_t ip)
{
    char text[192];
    struct function_desc desc = {.file = ""};
    const struct symbol *symbol = module ? module_function(module, ip) : NULL;
    const struct jit_symbol *jit = module ? NULL : jitmap_find(&resolver->jitmap, ip);
    if (symbol)
        desc = (struct function_desc){symbol->name,  module_name(module), "", 0,
                                      symbol->start, symbol->end};
    else if (module)
        describe_nameless(module, map, ip, &desc, text, sizeof text);
    else if (map && map->binary)
        describe_missing(&resolver->space, map, &desc, text, sizeof text);
    else if (jit || map)
        describe_anonymous(resolver, map, ip, jit, &desc, text, sizeof text);
    else
        return 0; /* code outside all mappings does not form one function */
    uint64_t key = functions_key_of(&desc, module);
    uint32_t function = names_find_function(&resolver->names, key);
    return function ? function : names_add_function(&resolver->names, key, &desc);
}

uint32_t resolver_function(struct resolver *resolver, uint64_t ip, struct module **module)
{
    struct function_at *at = function_at(resolver, ip);
    bool known = at->ip == ip && at->function;
    /* A file that was not available before may be now. */
    if (!known || !at->module) {
        struct map *map = space_map(&resolver->space, ip);
        at->module = map ? space_module(&resolver->space, map) : NULL;
        if (!known)
            at->function = find_or_add_function(resolver, map, at->module, ip);
        at->binary = map && at->module ? map->binary : 0;
        at->ip = ip;
    }
    *module = at->module;
    return at->function;
}

bool resolver_function_bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    struct resolver *resolver = context;
    struct module *module = resolver_code_at(resolver, ip);
    if (!module) {
        const struct jit_symbol *jit = jitmap_find(&resolver->jitmap, ip);
        struct hotspot_code java = {0};
        bool is_java = !jit && hotspot_code(&resolver->runtimes.hotspot, ip, &java);
        *start = jit ? jit->start : java.start;
        *end = jit ? jit->end : java.end;
        return jit || is_java;
    }
    /* Unwind tables also cover hand-written code with unsized symbols. */
    const struct symbol *symbol = module_function(module, ip);
    if (symbol && !symbol->is_stub) {
        *start = symbol->start;
        *end = symbol->end;
        return true;
    }
    if (module_frame(module, ip, start, end))
        return true;
    *start = symbol ? symbol->start : 0;
    *end = symbol ? symbol->end : 0;
    return symbol;
}
