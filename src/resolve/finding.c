/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/finding.h"

#include "base/text.h"
#include "resolve/heap.h"

#include <stdio.h>
#include <string.h>

/* Keys of unlike kinds must not meet: one of these goes into each. */
enum { KEY_VARIABLE = 1, KEY_TLS = 2, KEY_ANON = 3, KEY_MAP = 4, KEY_SECTION = 5 };
/* What a process has one of is one object whatever its address. */
enum { KEY_STACKS = 6, KEY_HEAP = 7 };

/* Something else may come to stand at the same address: a key also has whose it is. */
static uint64_t key_of(uint64_t address, uint64_t owner, uint64_t kind)
{
    return hash_mix(hash_mix(address) + owner) ^ kind;
}

/* All that a section has without names is one object; its extent is the gap around. */
static void find_nameless(struct finding *finding, const struct module *module, uint64_t address)
{
    const char *section = module_section(module, address, &finding->base, &finding->end);
    uint64_t start = finding->base;
    uint64_t end = finding->end;
    snprintf(finding->text, sizeof finding->text, "%s %s", module_name(module),
             section ? section : "(no section)");
    finding->name = finding->text;
    finding->key = key_of(start, module_serial(module), KEY_SECTION);
    module_gap(module, address, &start, &end);
}

static void find_in_module(struct finding *finding, const struct module *module,
                           const struct map *map, uint64_t address)
{
    const struct symbol *symbol = module_object(module, address);
    finding->module = module_name(module);
    finding->kind = map->executable && !map->writable ? OBJECT_CODE : OBJECT_GLOBAL;
    if (!symbol) {
        find_nameless(finding, module, address);
        return;
    }
    finding->base = symbol->start;
    finding->end = symbol->end;
    finding->name = symbol->name;
    finding->key = key_of(symbol->start, module_serial(module), KEY_VARIABLE);
}

static bool find_tls(struct finding *finding, struct space *space, const struct tcbs *tcbs,
                     uint64_t address)
{
    struct map *exe = NULL;
    for (size_t i = 0; i < space->maps.count && !exe; i++)
        if (space->maps.maps[i].kind == MAPPING_FILE)
            exe = &space->maps.maps[i];
    struct module *module = exe ? space_module(space, exe) : NULL;
    uint64_t bytes = module ? module_tls_bytes(module) : 0;
    const struct tcb *tcb = bytes ? tcbs_around(tcbs, address, bytes) : NULL;
    if (!tcb)
        return false;
    uint64_t offset = address - (tcb->base - bytes);
    const struct symbol *symbol = module_tls(module, offset);
    if (!symbol)
        return false;
    finding->kind = OBJECT_TLS;
    finding->name = symbol->name;
    finding->module = module_name(module);
    finding->base = tcb->base - bytes + symbol->start;
    finding->end = finding->base + (symbol->end - symbol->start);
    finding->key = key_of(symbol->start, module_serial(module), KEY_TLS);
    return true;
}

static const char *heap_name(enum heap_finding heap)
{
    return heap == HEAP_ARENA ? "heap arena" : heap == HEAP_BLOCK ? "malloc block" : "anon";
}

static void find_anonymous(struct finding *finding, struct space *space, const struct names *names,
                           struct map *map)
{
    char size[16];
    const char *name = maps_name(&space->maps, map);
    finding->key = key_of(map->start, space->programs, KEY_ANON);
    /* The name is made once; a sample on a known mapping needs none. */
    uint32_t known = names_find_object(names, finding->key);
    finding->kind = known ? names->objects[known].kind : OBJECT_ANON;
    if (known)
        return;
    enum heap_finding heap = space->from.live ? heap_look(map, space->from.pid) : HEAP_NO;
    text_bytes(size, map->end - map->start);
    if (heap == HEAP_ARENA || heap == HEAP_BLOCK)
        finding->kind = OBJECT_HEAP;
    if (!strncmp(name, "[anon", 5) && strchr(name, ':'))
        snprintf(finding->text, sizeof finding->text, "[%.*s %s]",
                 (int)strcspn(strchr(name, ':') + 1, "]"), strchr(name, ':') + 1, size);
    else
        snprintf(finding->text, sizeof finding->text, "[%s 0x%llx %s]", heap_name(heap),
                 (unsigned long long)map->start, size);
    finding->name = finding->text;
}

static void find_in_map(struct finding *finding, struct space *space, const struct names *names,
                        struct map *map)
{
    const char *name = maps_name(&space->maps, map);
    finding->base = map->start;
    finding->end = map->end;
    finding->module = "";
    finding->name = name;
    finding->key = key_of(map->start, space->programs ^ hash_mix(map->inode), KEY_MAP);
    if (map->kind == MAPPING_STACK || map->thread_stack) {
        finding->kind = OBJECT_STACK;
        finding->name = "[stack]";
        finding->key = KEY_STACKS;
    } else if (map->kind == MAPPING_HEAP) {
        finding->kind = OBJECT_HEAP;
        finding->key = KEY_HEAP;
    } else if (map->kind == MAPPING_ANON) {
        find_anonymous(finding, space, names, map);
    } else {
        const char *base = strrchr(name, '/');
        finding->kind = OBJECT_MAP;
        finding->name = base && base[1] ? base + 1 : name;
    }
}

bool finding_make(struct finding *finding, struct space *space, const struct tcbs *tcbs,
                  const struct names *names, uint64_t address, bool by_stack)
{
    *finding = (struct finding){0};
    struct map *map = space_map(space, address);
    if (!map)
        return false;
    struct module *module = space_module_at(space, map, address);
    if (module) {
        find_in_module(finding, module, map, address);
        return true;
    }
    if (by_stack && map->kind == MAPPING_ANON)
        map->thread_stack = true;
    if (tcbs->count && map->kind == MAPPING_ANON && find_tls(finding, space, tcbs, address))
        return true;
    find_in_map(finding, space, names, map);
    return true;
}

uint32_t finding_intern(const struct finding *finding, struct names *names)
{
    struct object_desc desc = {.name = finding->name,
                               .module = finding->module,
                               .kind = finding->kind,
                               .address = finding->base,
                               .size_bytes = finding->end - finding->base};
    uint32_t object = names_find_object(names, finding->key);
    if (!object)
        object = names_add_object(names, finding->key, &desc);
    else if (finding->kind == OBJECT_HEAP || finding->kind == OBJECT_ANON)
        names->objects[object].size_bytes = desc.size_bytes;
    if (finding->kind == OBJECT_STACK || finding->kind == OBJECT_TLS)
        names_instance(names, object, finding->base);
    return object;
}
