/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/functions.h"

#include <stdio.h>
#include <string.h>

enum { FUNCTIONS_BLOCK_BYTES = 64 }; /* code without any bounds is told apart by blocks */

void functions_init(struct functions *functions)
{
    jitmap_init(&functions->jitmap);
    functions_forget(functions);
}

void functions_fini(struct functions *functions)
{
    jitmap_fini(&functions->jitmap);
}

void functions_forget(struct functions *functions)
{
    memset(functions->cache, 0, sizeof functions->cache);
}

static void describe_anonymous(const struct functions *functions, const struct map *map,
                               const struct jit_symbol *symbol, struct function_desc *desc,
                               char *text, size_t text_size)
{
    desc->start = symbol ? symbol->start : map->start;
    desc->end = symbol ? symbol->end : desc->start;
    snprintf(text, text_size, "[code 0x%llx]", (unsigned long long)desc->start);
    desc->name = symbol ? jitmap_name(&functions->jitmap, symbol) : text;
    desc->module = symbol ? "[jit]" : "";
}

/* Of a recording, whose file is not here: nothing tells its functions apart. */
static void describe_missing(const struct space *space, const struct map *map,
                             struct function_desc *desc, char *text, size_t text_size)
{
    const char *path = space->binaries.list[map->binary - 1].shown;
    const char *slash = strrchr(path, '/');
    desc->module = slash ? slash + 1 : path;
    desc->start = desc->end = map->start;
    snprintf(text, text_size, "[code of %s]", desc->module);
    desc->name = text;
}

/* Named by its place in the file, which is the same in every run. */
static void describe_nameless(struct module *module, const struct map *map, uint64_t ip,
                              struct function_desc *desc, char *text, size_t text_size)
{
    if (!module_frame(module, ip, &desc->start, &desc->end))
        desc->start = desc->end = ip & ~(uint64_t)(FUNCTIONS_BLOCK_BYTES - 1);
    snprintf(text, text_size, "%s+0x%llx", module_name(module),
             (unsigned long long)(desc->start - map->start + map->offset));
    desc->name = text;
    desc->module = module_name(module);
}

/* Other code may come to stand in the same place: from another file, or compiled anew. */
static uint64_t key_of(const struct function_desc *desc, const struct module *module)
{
    uint64_t whose = module ? module_serial(module) : hash_bytes(desc->name, strlen(desc->name));
    return hash_mix(hash_mix(desc->start) + whose);
}

static uint32_t find(const struct functions *functions, const struct space *space,
                     const struct map *map, struct module *module, struct names *names, uint64_t ip)
{
    char text[192];
    struct function_desc desc = {.file = ""};
    const struct symbol *symbol = module ? module_function(module, ip) : NULL;
    const struct jit_symbol *jit = module ? NULL : jitmap_find(&functions->jitmap, ip);
    if (symbol)
        desc = (struct function_desc){symbol->name,  module_name(module), "", 0,
                                      symbol->start, symbol->end};
    else if (module)
        describe_nameless(module, map, ip, &desc, text, sizeof text);
    else if (map && map->binary)
        describe_missing(space, map, &desc, text, sizeof text);
    else if (jit || map)
        describe_anonymous(functions, map, jit, &desc, text, sizeof text);
    else
        return 0; /* what is nowhere is no one function */
    uint64_t key = key_of(&desc, module);
    uint32_t function = names_find_function(names, key);
    return function ? function : names_add_function(names, key, &desc);
}

uint32_t functions_at(struct functions *functions, struct space *space, struct names *names,
                      uint64_t ip, struct module **module)
{
    struct functions_cached *cached = &functions->cache[hash_mix(ip) % FUNCTIONS_CACHE];
    bool known = cached->ip == ip && cached->function;
    /* A file that was not there yet may have come. */
    if (!known || !cached->module) {
        struct map *map = space_map(space, ip);
        cached->module = map ? space_module(space, map) : NULL;
        if (!known)
            cached->function = find(functions, space, map, cached->module, names, ip);
        cached->ip = ip;
    }
    *module = cached->module;
    return cached->function;
}

bool functions_bounds(const struct functions *functions, struct space *space, uint64_t ip,
                      uint64_t *start, uint64_t *end)
{
    struct map *map = space_map(space, ip);
    struct module *module = map ? space_module(space, map) : NULL;
    if (!module) {
        const struct jit_symbol *jit = jitmap_find(&functions->jitmap, ip);
        *start = jit ? jit->start : 0;
        *end = jit ? jit->end : 0;
        return jit;
    }
    /* Unwind tables cover hand-written code whose symbols have no size. */
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
