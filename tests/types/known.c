/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "known.h"

#include <stdio.h>
#include <string.h>

enum { INSIDE_MAX = 8 };

static const struct known_type *find_type(const struct known *known, const char *name)
{
    for (size_t i = 0; i < known->type_count; i++)
        if (!strcmp(known->types[i].name, name))
            return &known->types[i];
    return NULL;
}

static bool take_part(struct known *known, const char *line)
{
    char name[KNOWN_NAME];
    struct known_part part = {0};
    unsigned long offset;
    unsigned long size;
    unsigned long count;
    int reported = sscanf(line, "part\t%63[^\t]\t%63[^\t]\t%lu\t%lu\t%lu", name, part.name, &offset,
                          &size, &count);
    struct known_type *type = (struct known_type *)find_type(known, name);
    if (reported != 5 || !type || type->part_count == KNOWN_PARTS)
        return false;
    part.offset = offset;
    part.size = size;
    part.count = count;
    type->parts[type->part_count++] = part;
    return true;
}

static bool take_object(struct known *known, const char *line)
{
    struct known_object object = {0};
    void *address;
    unsigned long count;
    if (!strncmp(line, "object\tgone\t", 12)) { /* an earlier object on the stack */
        known_returned(known, UINT64_MAX);
        return true;
    }
    if (sscanf(line, "object\t%63[^\t]\t%p\t%lu", object.type, &address, &count) != 3 ||
        !find_type(known, object.type) || known->object_count == KNOWN_OBJECTS)
        return false;
    object.address = (uint64_t)(uintptr_t)address;
    object.count = count;
    known->objects[known->object_count++] = object;
    return true;
}

static bool take_type(struct known *known, const char *line)
{
    struct known_type type = {0};
    unsigned long size;
    if (sscanf(line, "type\t%63[^\t]\t%lu", type.name, &size) != 2 ||
        known->type_count == KNOWN_TYPES)
        return false;
    type.size = size;
    known->types[known->type_count++] = type;
    return true;
}

static bool take_code(struct known *known, const char *line)
{
    void *start;
    void *end;
    if (sscanf(line, "code\t%p\t%p", &start, &end) != 2)
        return false;
    known->code_start = (uint64_t)(uintptr_t)start;
    known->code_end = (uint64_t)(uintptr_t)end;
    return true;
}

bool known_line(struct known *known, const char *line)
{
    return take_type(known, line) || take_part(known, line) || take_object(known, line) ||
           take_code(known, line) || !strncmp(line, "ready", 5);
}

const struct known_object *known_find(const struct known *known, uint64_t address, uint64_t *offset)
{
    for (size_t i = known->object_count; i-- > 0;) {
        const struct known_object *object = &known->objects[i];
        const struct known_type *type = find_type(known, object->type);
        uint64_t inside = address - object->address;
        uint64_t bound = object->count * type->size;
        /* A flexible array extends past the end of a single instance. */
        for (size_t part = 0; object->count == 1 && part < type->part_count; part++) {
            const struct known_part *at = &type->parts[part];
            uint64_t end = at->offset + at->size * at->count;
            bound = end > bound ? end : bound;
        }
        if (inside < bound) {
            *offset = object->count == 1 ? inside : inside % type->size;
            return object;
        }
    }
    return NULL;
}

void known_returned(struct known *known, uint64_t stack_pointer)
{
    size_t kept = 0;
    for (size_t i = 0; i < known->object_count; i++)
        if (!known->objects[i].on_stack || known->objects[i].address >= stack_pointer)
            known->objects[kept++] = known->objects[i];
    known->object_count = kept;
}

static const struct known_part *part_at(const struct known_type *type, uint64_t offset)
{
    for (size_t i = 0; i < type->part_count; i++)
        if (offset >= type->parts[i].offset &&
            offset - type->parts[i].offset < type->parts[i].size * type->parts[i].count)
            return &type->parts[i];
    return NULL;
}

/* Returns true if two offsets into a type differ only by the indices of inner arrays. */
static bool same_place(const struct known *known, const struct known_type *type, uint64_t one,
                       uint64_t other)
{
    for (unsigned i = 0; type && i < INSIDE_MAX && one != other; i++) {
        const struct known_part *part = part_at(type, one);
        if (!part || part != part_at(type, other))
            return false;
        one = (one - part->offset) % part->size;
        other = (other - part->offset) % part->size;
        type = find_type(known, part->name);
    }
    return one == other;
}

static bool is_floating(const char *name)
{
    return strstr(name, "double") || strstr(name, "float") || strstr(name, "real");
}

/* Returns the length of a word that not all compilers write: DWARF 2 has no namespaces, clang has
 * "4UL". */
static size_t optional_word(const char *name)
{
    static const char *const words[] = {"shapes::", "one::", "two::", "std::", "__detail::", "UL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(name, words[i], strlen(words[i])))
            return strlen(words[i]);
    return 0;
}

static bool same_but_for_words(const char *name, const char *answered)
{
    while (*name || *answered) {
        size_t mine = optional_word(name);
        size_t its = optional_word(answered);
        if (mine && its && strncmp(name, answered, mine))
            return false; /* different namespaces */
        if (mine || its) {
            name += mine;
            answered += its;
        } else if (*name++ != *answered++) {
            return false;
        }
    }
    return true;
}

/* In DWARF 2 names have no namespace, so they do not match a library's. */
static bool same_but_for_namespace(const char *name, const char *answered)
{
    static const char *const pairs[][2] = {{"list node", "_List_node_base"},
                                           {"forward_list node", "_Fwd_list_node_base"},
                                           {"map or set node", "_Rb_tree_node_base"},
                                           {"unordered container node", "_Hash_node_base"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcmp(name, pairs[i][0]) && !strcmp(answered, pairs[i][1]))
            return true;
    return false;
}

/* Compares type names. Compilers spell "long" differently, so numbers match if size and kind do. */
static bool same_name(const char *name, uint64_t size, const struct type_desc *type)
{
    const char *answered = strncmp(type->name, "const ", 6) ? type->name : type->name + 6;
    size_t length = strlen(name);
    bool pointer = length && name[length - 1] == '*';
    if (same_but_for_words(name, answered) || same_but_for_namespace(name, answered))
        return true;
    if (type->kind == TYPE_POINTER)
        return !strcmp(name, "function") || !strcmp(name, "vtable");
    return !pointer && type->kind == TYPE_SCALAR && strncmp(name, "struct ", 7) &&
           !strstr(name, "::") && size == type->size &&
           is_floating(name) == is_floating(type->name);
}

bool known_agrees(const struct known *known, const struct known_object *object, uint64_t offset,
                  const struct type_desc *type, uint64_t type_offset)
{
    const struct known_type *at = find_type(known, object->type);
    const char *name = at->name;
    uint64_t size = at->size;
    for (unsigned i = 0; i < INSIDE_MAX; i++) {
        if (same_name(name, size, type))
            return at ? same_place(known, at, offset, type_offset) || !at->part_count
                      : !type_offset;
        const struct known_part *part = at ? part_at(at, offset) : NULL;
        if (!part)
            return false;
        name = part->name;
        size = part->size;
        offset = (offset - part->offset) % part->size;
        at = find_type(known, name);
    }
    return false;
}
