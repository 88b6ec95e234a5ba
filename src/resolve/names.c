/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/names.h"

#include "base/text.h"
#include "resolve/demangle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_FUNCTIONS_MAX = 1 << 16, NAMES_INSTANCES_MAX = 1 << 18,
       NAMES_TEXT_MAX = 1024 };

static const char *clean(struct names *names, const char *text)
{
    char safe[NAMES_TEXT_MAX];
    char plain[NAMES_TEXT_MAX];
    if (!text)
        return NULL;
    const char *demangled = demangle(text, plain, sizeof plain);
    text = demangled ? demangled : text;
    text_sanitise(safe, sizeof safe, text, strlen(text));
    const char *copy = arena_string(&names->strings, safe);
    return copy ? copy : "";
}

int names_init(struct names *names)
{
    *names = (struct names){0};
    arena_init(&names->strings);
    static const struct object_desc unknown = {.name = "(unknown)", .module = ""};
    static const struct function_desc nowhere = {.name = "(unknown)", .module = "", .file = ""};
    names->objects = calloc(NAMES_OBJECTS_MAX, sizeof *names->objects);
    names->functions = calloc(NAMES_FUNCTIONS_MAX, sizeof *names->functions);
    names->line_looked_for = calloc(NAMES_FUNCTIONS_MAX, sizeof *names->line_looked_for);
    if (!names->objects || !names->functions || !names->line_looked_for) {
        names_fini(names);
        return -ENOMEM;
    }
    names->objects[0] = unknown;
    names->functions[0] = nowhere;
    names->object_count = names->function_count = 1;
    return 0;
}

void names_fini(struct names *names)
{
    arena_fini(&names->strings);
    hash_fini(&names->object_of_key);
    hash_fini(&names->instances);
    hash_fini(&names->function_of_key);
    free(names->objects);
    free(names->functions);
    free(names->line_looked_for);
}

uint32_t names_find_object(const struct names *names, uint64_t key)
{
    const uint32_t *id = hash_find(&names->object_of_key, key);
    return id ? *id : 0;
}

uint32_t names_add_object(struct names *names, uint64_t key, const struct object_desc *desc)
{
    uint32_t *slot;
    if (names->object_count >= NAMES_OBJECTS_MAX ||
        !(slot = hash_insert(&names->object_of_key, key, NULL)))
        return 0;
    struct object_desc *kept = &names->objects[names->object_count];
    *kept = *desc;
    kept->name = clean(names, desc->name);
    kept->module = clean(names, desc->module);
    kept->blocks = 1;
    *slot = (uint32_t)names->object_count;
    return (uint32_t)names->object_count++;
}

void names_instance(struct names *names, uint32_t object, uint64_t base)
{
    bool created = false;
    if (!object || names->instances.count >= NAMES_INSTANCES_MAX)
        return;
    if (!hash_insert(&names->instances, hash_mix(base) ^ object, &created) || !created)
        return;
    struct object_desc *desc = &names->objects[object];
    if (!desc->blocks)
        desc->address = base;
    if (!desc->blocks || desc->address != base)
        desc->blocks++;
}

uint32_t names_find_function(const struct names *names, uint64_t key)
{
    const uint32_t *id = hash_find(&names->function_of_key, key);
    return id ? *id : 0;
}

uint32_t names_add_function(struct names *names, uint64_t key, const struct function_desc *desc)
{
    uint32_t *slot;
    if (names->function_count >= NAMES_FUNCTIONS_MAX ||
        !(slot = hash_insert(&names->function_of_key, key, NULL)))
        return 0;
    struct function_desc *kept = &names->functions[names->function_count];
    *kept = *desc;
    kept->name = clean(names, desc->name);
    kept->module = clean(names, desc->module);
    kept->file = "";
    *slot = (uint32_t)names->function_count;
    return (uint32_t)names->function_count++;
}
