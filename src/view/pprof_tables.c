/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/pprof_tables.h"

#include <stdlib.h>
#include <string.h>

enum { INLINED_MOST = 32 };

/* Instructions that are too cold to be told apart. */
static const char other_code[] = "[other code]";

void pprof_tables_init(struct pprof_tables *tables)
{
    *tables = (struct pprof_tables){0};
    arena_init(&tables->arena);
    pprof_string(tables, "");
}

void pprof_tables_fini(struct pprof_tables *tables)
{
    struct pprof_list *lists[] = {&tables->strings, &tables->functions, &tables->locations,
                                  &tables->mappings};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        pprof_list_fini(lists[i]);
    arena_fini(&tables->arena);
}

void pprof_list_fini(struct pprof_list *list)
{
    hash_fini(&list->index);
    free(list->at);
}

void pprof_list_add(struct pprof_tables *tables, struct pprof_list *list, void *what)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        void **at = realloc(list->at, room * sizeof *at);
        if (at) {
            list->at = at;
            list->room = room;
        }
    }
    tables->failed |= !what || list->count == list->room;
    if (!tables->failed)
        list->at[list->count++] = what;
}

/* Index + 1 of a thing, or a new entry of 0 for it: what only has the same key is told apart by
 * `same`. NULL: out of memory. */
static uint32_t *find(struct pprof_tables *tables, struct pprof_list *list, uint64_t key,
                      bool (*same)(const struct pprof_tables *, uint32_t, const void *),
                      const void *what)
{
    for (key = hash_mix(key);; key++) {
        uint32_t *at = hash_insert(&list->index, key, NULL);
        tables->failed |= !at;
        if (!at || !*at || same(tables, *at, what))
            return at;
    }
}

static bool same_string(const struct pprof_tables *tables, uint32_t at, const void *text)
{
    return !strcmp(tables->strings.at[at - 1], text);
}

int64_t pprof_string(struct pprof_tables *tables, const char *text)
{
    if (!text)
        return 0;
    uint32_t *at =
        find(tables, &tables->strings, hash_bytes(text, strlen(text)), same_string, text);
    if (!at)
        return 0;
    if (!*at) {
        pprof_list_add(tables, &tables->strings, arena_string(&tables->arena, text));
        *at = (uint32_t)tables->strings.count;
    }
    return *at ? *at - 1 : 0;
}

static bool same_function(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const Pprof__Function *a = what;
    const Pprof__Function *b = tables->functions.at[at - 1];
    return a->name == b->name && a->file == b->file && a->line == b->line;
}

static uint64_t function_of(struct pprof_tables *tables, const char *name, const char *file,
                            uint32_t line)
{
    Pprof__Function wanted = PPROF__FUNCTION__INIT;
    wanted.name = wanted.linkage_name = pprof_string(tables, name);
    wanted.file = pprof_string(tables, file);
    wanted.line = line;
    uint64_t key = hash_mix((uint64_t)wanted.name << 32 ^ (uint64_t)wanted.file) ^ line;
    uint32_t *at = find(tables, &tables->functions, key, same_function, &wanted);
    if (!at)
        return 0;
    if (!*at) {
        Pprof__Function *function = arena_alloc(&tables->arena, sizeof *function);
        if (function)
            *function = wanted;
        pprof_list_add(tables, &tables->functions, function);
        *at = (uint32_t)tables->functions.count;
        if (function)
            function->id = *at;
    }
    return *at;
}

static bool same_mapping(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const struct mapping_desc *a = what;
    const Pprof__Mapping *b = tables->mappings.at[at - 1];
    return a->start == b->start && a->end == b->end;
}

/* A viewer that finds functions and lines has no need to look for the file. */
uint64_t pprof_mapping(struct pprof_tables *tables, const struct mapping_desc *from)
{
    uint32_t *at = from ? find(tables, &tables->mappings, from->start, same_mapping, from) : NULL;
    if (!at)
        return 0;
    if (!*at) {
        Pprof__Mapping *mapping = arena_alloc(&tables->arena, sizeof *mapping);
        if (mapping) {
            pprof__mapping__init(mapping);
            mapping->start = from->start;
            mapping->end = from->end;
            mapping->offset = from->offset;
            mapping->file = pprof_string(tables, from->path);
            mapping->build_id = pprof_string(tables, from->build_id);
            mapping->has_functions = mapping->has_files = true;
            mapping->has_lines = mapping->has_inlined = true;
        }
        pprof_list_add(tables, &tables->mappings, mapping);
        *at = (uint32_t)tables->mappings.count;
        if (mapping)
            mapping->id = *at;
    }
    return *at;
}

static void add_line(struct pprof_tables *tables, Pprof__Location *location, uint64_t function,
                     uint32_t line)
{
    Pprof__Line *added = arena_alloc(&tables->arena, sizeof *added);
    tables->failed |= !added || !location->lines;
    if (tables->failed)
        return;
    pprof__line__init(added);
    added->function = function;
    added->line = line;
    location->lines[location->n_lines++] = added;
}

/* "min < clamp" inlined: the line is where min stands; that of the calls around is not known. */
static void add_lines(struct pprof_tables *tables, Pprof__Location *location,
                      const struct snapshot_access *access)
{
    static const char between[] = " < ";
    char name[1024];
    const char *rest = access->inlined;
    uint32_t line = access->line;
    location->lines = arena_array(&tables->arena, INLINED_MOST + 1, sizeof *location->lines);
    while (rest && *rest && location->n_lines < INLINED_MOST && !tables->failed) {
        const char *end = strstr(rest, between);
        size_t length = end ? (size_t)(end - rest) : strlen(rest);
        length = length < sizeof name ? length : sizeof name - 1;
        memcpy(name, rest, length);
        name[length] = '\0';
        add_line(tables, location,
                 function_of(tables, name, location->n_lines ? NULL : access->file, 0), line);
        line = 0;
        rest = end ? end + sizeof between - 1 : NULL;
    }
    const char *function = access->function ? access->function : other_code;
    const char *file = access->function_file ? access->function_file : access->file;
    add_line(tables, location, function_of(tables, function, file, access->function_line), line);
}

static bool same_location(const struct pprof_tables *tables, uint32_t at, const void *what)
{
    const struct snapshot_access *a = what;
    const Pprof__Location *b = tables->locations.at[at - 1];
    return a->address == b->address;
}

uint64_t pprof_location(struct pprof_tables *tables, const struct snapshot_access *access)
{
    uint32_t *at = find(tables, &tables->locations, access->address, same_location, access);
    if (!at || *at)
        return at ? *at : 0;
    Pprof__Location *location = arena_alloc(&tables->arena, sizeof *location);
    uint32_t id = (uint32_t)tables->locations.count + 1;
    *at = id;
    pprof_list_add(tables, &tables->locations, location);
    if (!location)
        return 0;
    pprof__location__init(location);
    location->id = id;
    location->address = access->address;
    location->mapping = pprof_mapping(tables, access->code);
    add_lines(tables, location, access);
    return id;
}
