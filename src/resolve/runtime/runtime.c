/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/runtime/runtime.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "resolve/elf/module.h"
#include "resolve/process/space.h"

enum { CLASSES_MAX = 1 << 16, LOOKS_PER_S = 10 };

static struct runtime_class *add_class(struct runtime_classes *classes,
                                       const struct runtime_class *class)
{
    bool room = array_reserve_next(&classes->list, &classes->room, classes->count,
                                   sizeof *classes->list, CLASSES_MAX);
    uint32_t *index = room ? hash_insert(&classes->of_address, class->at, NULL) : NULL;
    if (!index)
        return NULL;
    *index = (uint32_t)classes->count++;
    classes->list[*index] = *class;
    return &classes->list[*index];
}

struct runtime_class *runtime_class_at(struct runtime_classes *classes, uint64_t at,
                                       runtime_look *look, const void *runtime)
{
    const uint32_t *known = hash_find(&classes->of_address, at);
    if (!known) {
        struct runtime_class class = {.at = at, .tick = classes->tick};
        return look(runtime, &class) ? add_class(classes, &class) : NULL;
    }
    struct runtime_class *class = &classes->list[*known];
    if (class->tick != classes->tick) {
        class->tick = classes->tick;
        class->gone = !look(runtime, class);
    }
    return class->gone ? NULL : class;
}

bool runtime_members_init(struct runtime_members *members, struct arena *arena)
{
    *members = (struct runtime_members){
        arena, arena_array(arena, RUNTIME_MEMBERS, sizeof *members->list), 0};
    return members->list;
}

bool runtime_member(struct runtime_members *members, const char *name, const char *type,
                    uint64_t offset, uint64_t bytes)
{
    if (members->count == RUNTIME_MEMBERS)
        return false;
    struct type_member *member = &members->list[members->count++];
    *member = (struct type_member){.name = arena_string(members->arena, name),
                                   .type = arena_string(members->arena, type),
                                   .offset = offset,
                                   .size = bytes,
                                   .parent = TYPE_NO_MEMBER};
    return member->name && member->type;
}

void runtime_members_end(struct runtime_members *members, const char *name, uint64_t bytes,
                         struct type_desc *desc)
{
    SORT(members->list, members->count, SMALLEST(struct type_member, offset));
    *desc = (struct type_desc){.name = name,
                               .kind = TYPE_STRUCT,
                               .size = bytes,
                               .members = members->list,
                               .member_count = members->count};
}

void runtimes_fini(struct runtimes *runtimes)
{
    hash_fini(&runtimes->classes.of_address);
    hash_fini(&runtimes->memory);
    free(runtimes->classes.list);
}

void runtimes_forget(struct runtimes *runtimes)
{
    runtimes_fini(runtimes);
    *runtimes = (struct runtimes){0};
}

/* Returns the first file of the process with `part` in its name and with the symbol. */
static struct module *find_file(struct space *space, const char *part, const char *symbol)
{
    for (size_t i = 0; i < space->maps.count; i++) {
        struct map *map = &space->maps.maps[i];
        const char *slash = strrchr(maps_name(&space->maps, map), '/');
        struct module *module =
            slash && strstr(slash, part) && !map->offset ? space_module(space, map) : NULL;
        if (module && module_named(module, symbol))
            return module;
    }
    return NULL;
}

void runtimes_detect(struct runtimes *runtimes, struct space *space, pid_t pid, uint64_t now_ns)
{
    uint64_t changes = space->maps.changes;
    bool look = runtimes->none_at_changes != changes;
    bool java = look && !runtimes->hotspot.known;
    bool python = look && !runtimes->python.type_of_types;
    bool v8 = look && !runtimes->v8.known;
    bool php = look && !runtimes->php.known;
    if (now_ns < runtimes->look_ns)
        return;
    runtimes->look_ns = now_ns + CLOCK_NS_PER_S / LOOKS_PER_S;
    struct module *machine = java ? find_file(space, "/libjvm.so", "gHotSpotVMStructs") : NULL;
    hotspot_detect(&runtimes->hotspot, pid, machine);
    python_detect(&runtimes->python, pid,
                  python ? find_file(space, "python", "PyType_Type") : NULL);
    v8_detect(&runtimes->v8, pid, v8 ? find_file(space, "node", "v8dbg_HeapObjectTag") : NULL);
    php_detect(&runtimes->php, pid, php ? find_file(space, "php", "zend_one_char_string") : NULL);
    haskell_detect(&runtimes->haskell, pid, space);
    runtimes->none_at_changes = machine ? 0 : changes;
}

/* Functions of a runtime: find the object at `start` that holds an address, and describe it. */
struct runtime {
    const char *memory;
    bool (*object)(struct runtimes *runtimes, uint64_t start, uint64_t address,
                   struct runtime_object *object);
    bool (*describe)(const struct runtimes *runtimes, const struct runtime_object *object,
                     struct arena *arena, struct type_desc *desc);
};

static const struct runtime java = {"[Java heap]", hotspot_object, hotspot_describe};
static const struct runtime python = {"[Python memory]", python_object, python_describe};
static const struct runtime v8 = {"[V8 heap]", v8_object, v8_describe};
static const struct runtime php = {"[PHP memory]", php_object, php_describe};
static const struct runtime haskell = {"[Haskell heap]", haskell_object, NULL};

static const struct runtime *runtime_of(const struct runtimes *runtimes, uint64_t address)
{
    return hotspot_holds(&runtimes->hotspot, address)   ? &java
           : haskell_holds(&runtimes->haskell, address) ? &haskell
           : runtimes->v8.known                         ? &v8
           : runtimes->python.type_of_types             ? &python
           : runtimes->php.known                        ? &php
                                                        : NULL;
}

/* An index leads to an item, or is a compressed pointer to the object. */
static bool find_object(struct runtimes *runtimes, const struct runtime *runtime,
                        const struct access *access, const uint64_t *regs,
                        struct runtime_object *object)
{
    bool of_item = access->index < SREG_COUNT && access->base < SREG_COUNT && regs;
    return (of_item && runtime->object(runtimes, regs[access->base], access->address, object)) ||
           runtime->object(runtimes, access->address - (uint64_t)(int64_t)access->displacement,
                           access->address, object);
}

const char *runtimes_find(struct runtimes *runtimes, const struct access *access, uint64_t mapping,
                          const uint64_t *regs, struct runtime_object *object)
{
    const struct runtime *runtime = runtime_of(runtimes, access->address);
    *object = (struct runtime_object){0};
    if (!runtime)
        return NULL;
    if (find_object(runtimes, runtime, access, regs, object)) {
        if (runtime != &java)
            hash_insert(&runtimes->memory, mapping, NULL);
        return object->class->name;
    }
    return runtime == &java || hash_find(&runtimes->memory, mapping) ? runtime->memory : NULL;
}

bool runtimes_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                       struct arena *arena, struct type_desc *desc)
{
    const struct runtime *runtime = runtime_of(runtimes, object->start);
    return runtime && runtime->describe && runtime->describe(runtimes, object, arena, desc);
}
