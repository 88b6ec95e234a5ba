/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/runtime/runtime.h"
#include "resolve/objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/text.h"
#include "resolve/elf/symbols.h"
#include "resolve/process/maps.h"
#include "resolve/process/process.h"

/* glibc's malloc: a thread arena begins with a heap_info on a 64 MiB boundary, a large block with a
 * chunk header with its mmapped bit set (glibc malloc/arena.c, malloc/malloc.c; doc/facts.md). */
enum heap_answer { HEAP_UNKNOWN, HEAP_NO, HEAP_ARENA, HEAP_BLOCK };

enum { HEAP_MAX_BYTES = 64 << 20, CHUNK_FLAGS = 7, CHUNK_MMAPPED = 2 };

static bool is_arena(uint64_t start, const uint64_t words[4])
{
    /* struct heap_info: arena, previous heap, size, mprotected size. The first arena follows it. */
    uint64_t arena = words[0];
    bool aligned = !(start & (HEAP_MAX_BYTES - 1));
    bool inside = (arena & ~(uint64_t)(HEAP_MAX_BYTES - 1)) == start || words[1] != 0;
    return aligned && arena && inside && words[2] >= 4096 && words[2] <= HEAP_MAX_BYTES &&
           !(words[2] & 4095) && words[3] >= words[2] && words[3] <= HEAP_MAX_BYTES;
}

static bool is_block(uint64_t room, const uint64_t words[4])
{
    /* Chunk header: previous size (0 for an aligned mmapped chunk), size with flags. Adjacent
     * mappings are one line of maps, so the block may be smaller than the line. If it is less than
     * half, the line is something else. */
    uint64_t size = words[1] & ~(uint64_t)CHUNK_FLAGS;
    return words[1] & CHUNK_MMAPPED && !(words[1] & 5) && words[0] < 4096 && size >= 4096 &&
           !((size + words[0]) & 4095) && size <= room && size >= room / 2;
}

/* Checks a part of a mapping, without caching. */
static enum heap_answer check_heap_range(uint64_t start, uint64_t end, pid_t pid)
{
    uint64_t words[4];
    if (!process_read(pid, start, words, sizeof words))
        return HEAP_NO;
    if (is_arena(start, words))
        return HEAP_ARENA;
    return is_block(end - start, words) ? HEAP_BLOCK : HEAP_NO;
}

/* Checks a mapping once and caches the result. */
static enum heap_answer check_heap_mapping(struct map *map, pid_t pid)
{
    if (map->heap == HEAP_UNKNOWN)
        map->heap = (uint8_t)check_heap_range(map->start, map->end, pid);
    return map->heap;
}

/* Tags of keys, so that keys of different kinds never collide. */
enum { KEY_VARIABLE = 1, KEY_TLS = 2, KEY_ANON = 3, KEY_MAP = 4, KEY_SECTION = 5 };
/* Keys of objects that a process has only once, at any address. */
enum {
    KEY_STACKS = 6,
    KEY_HEAP = 7,
    KEY_BIN = 8,
    KEY_FRAME = 10,
    KEY_UNRECORDED = 11,
    KEY_CLASS = 12
};

enum { STACK_BYTES_MAX = 32 << 20, NUMBERED_DIGITS = 6 };
/* Range around a stack pointer; otherwise size and alignment of glibc's arenas as a last resort. */
enum { LOCATED_RED_ZONE = 128, LOCATED_FRAMES = 1 << 20, LOCATED_UNRECORDED = 64 << 20 };

/* Returns a key. It includes the owner, because another object may later have the same address. */
static uint64_t located_key_of(uint64_t address, uint64_t owner, uint64_t kind)
{
    return hash_mix(hash_mix(address) + owner) ^ kind;
}

/* Sets the object for memory of a section without names: one object per section, with the gap
 * around the address as its extent. */
static void find_nameless(struct located *located, const struct module *module, uint64_t address)
{
    const char *section = module_section(module, address, &located->base, &located->end);
    uint64_t start = located->base;
    uint64_t end = located->end;
    snprintf(located->text, sizeof located->text, "%s %s", module_name(module),
             section ? section : "(no section)");
    located->name = located->text;
    located->key = located_key_of(start, module_serial(module), KEY_SECTION);
    module_gap(module, address, &start, &end);
}

static void find_in_module(struct located *located, const struct module *module,
                           const struct map *map, uint64_t address)
{
    const struct symbol *symbol = module_object(module, address);
    located->module = module_name(module);
    located->in_module = module;
    located->kind = map->executable && !map->writable ? OBJECT_CODE : OBJECT_GLOBAL;
    if (!symbol) {
        find_nameless(located, module, address);
        return;
    }
    located->base = symbol->start;
    located->end = symbol->end;
    located->name = symbol->name;
    located->key = located_key_of(symbol->start, module_serial(module), KEY_VARIABLE);
    located->variable_of = module;
    located->variable_at = symbol->start;
}

/* Finds a thread-local object. An image without names is one object. */
static bool find_tls(struct located *located, const struct tls *tls, uint64_t address)
{
    const struct tls_block *block = tls_find(tls, address);
    if (!block)
        return false;
    const struct module *module = block->module;
    if (!module) {
        located->kind = OBJECT_TLS;
        located->base = block->start;
        located->end = block->end;
        located->key = located_key_of(UINT64_MAX, 0, KEY_TLS);
        located->module = "";
        located->name = "thread control block";
        return true;
    }
    const struct symbol *symbol = module_tls(module, address - block->start);
    located->kind = OBJECT_TLS;
    located->module = module_name(module);
    located->in_module = module;
    located->base = block->start + (symbol ? symbol->start : 0);
    located->end = symbol ? block->start + symbol->end : block->end;
    located->key =
        located_key_of(symbol ? symbol->start : UINT64_MAX, module_serial(module), KEY_TLS);
    located->variable_of = symbol ? module : NULL;
    located->variable_at = symbol ? symbol->start : 0;
    snprintf(located->text, sizeof located->text, "%s (thread-local)", module_name(module));
    located->name = symbol ? symbol->name : located->text;
    return true;
}

static const char *heap_name(enum heap_answer heap)
{
    return heap == HEAP_ARENA ? "heap arena" : heap == HEAP_BLOCK ? "malloc block" : "anon";
}

static bool located_is_named(const char *name)
{
    return !strncmp(name, "[anon", 5) && strchr(name, ':');
}

static enum heap_answer check_located_heap(const struct located *located, struct map *map,
                                           pid_t pid)
{
    return located->base == map->start && located->end == map->end
               ? check_heap_mapping(map, pid)
               : check_heap_range(located->base, located->end, pid);
}

/* Locates anonymous memory. The name is formatted only once; later samples do not need it. */
static void find_anonymous(struct located *located, struct space *space, const struct names *names,
                           struct map *map)
{
    char size[16];
    const char *name = maps_name(&space->maps, map);
    struct region_found region = {0};
    located->key = located_key_of(located->base, space->exec_count, KEY_ANON);
    uint32_t known = names_find_object(names, located->key);
    located->kind = known ? names->objects[known].kind : OBJECT_ANON;
    enum heap_answer heap =
        known || !space->from.live ? HEAP_NO : check_located_heap(located, map, space->from.pid);
    if (heap == HEAP_ARENA || heap == HEAP_BLOCK)
        located->kind = OBJECT_HEAP;
    if (located->kind == OBJECT_ANON &&
        regions_find(&space->regions, &space->maps, &space->stacks, map, located->base,
                     located->end, known ? 0 : located->key, &region)) {
        located->key = region.key;
        located->whole_start = region.start;
        located->whole_bytes = region.size_bytes;
        located->whole_blocks = region.blocks;
        uint64_t end = region.start + region.size_bytes;
        if (!region.is_of_bin && !stacks_within(&space->stacks, region.start, end)) {
            located->base = region.start;
            located->end = end;
        }
        known = names_find_object(names, located->key);
    }
    if (known)
        return;
    text_bytes(size, located->end - located->base);
    if (located_is_named(name) && region.is_of_bin)
        snprintf(located->text, sizeof located->text, "[%.*s of %s]",
                 (int)strcspn(strchr(name, ':') + 1, "]"), strchr(name, ':') + 1, size);
    else if (located_is_named(name))
        snprintf(located->text, sizeof located->text, "[%.*s]",
                 (int)strcspn(strchr(name, ':') + 1, "]"), strchr(name, ':') + 1);
    else if (region.is_of_bin)
        snprintf(located->text, sizeof located->text, "[anon of %s]", size);
    else
        snprintf(located->text, sizeof located->text, "[%s 0x%llx]", heap_name(heap),
                 (unsigned long long)(region.start ? region.start : located->base));
    located->name = located->text;
}

/* Locates a stack; other memory may share its mapping. */
static bool find_stack(struct located *located, const struct stacks *stacks, const struct map *map,
                       uint64_t address, enum stack_wanted which)
{
    const struct stack *stack = stacks_find(stacks, address);
    if (stack && !stack->tid && which == STACK_OF_THREAD)
        stack = NULL;
    located->of_thread = stack && stack->tid;
    located->guessed = stack && !stack->tid && map->kind != MAPPING_STACK;
    if (map->kind != MAPPING_STACK && !stack) {
        stacks_gap(stacks, address, &located->base, &located->end);
        return false;
    }
    if (stack && stack->start > located->base)
        located->base = stack->start;
    if (stack && stack->end < located->end)
        located->end = stack->end;
    located->kind = OBJECT_STACK;
    located->name = "[stack]";
    located->key = KEY_STACKS;
    return true;
}

/* Locates memory in a file: "/dev/shm/x" by its last component, "/memfd:a/b (deleted)" by the whole
 * name passed to memfd_create(). */
static void find_in_file(struct located *located, const char *name)
{
    static const char deleted[] = " (deleted)";
    const char *base = strncmp(name, "/memfd:", 7) ? strrchr(name, '/') : name;
    size_t length;
    located->kind = OBJECT_MAP;
    if (!strcmp(name, "/dev/zero (deleted)"))
        base = "/shared memory"; /* MAP_SHARED and MAP_ANONYMOUS */
    base = base && base[1] ? base + 1 : name;
    length = strlen(base);
    if (length > sizeof deleted - 1 && !strcmp(base + length - (sizeof deleted - 1), deleted))
        length -= sizeof deleted - 1;
    snprintf(located->text, sizeof located->text, "%.*s", (int)length, base);
    located->name = located->text;
}

/* Programs that create shared memory for each task number it (postgres:
 * /dev/shm/PostgreSQL.2564281842 for each query): "PostgreSQL.*" is one object. */
static bool join_numbered(struct located *located, const char *path)
{
    static const char folder[] = "/dev/shm/";
    if (strncmp(path, folder, sizeof folder - 1))
        return false;
    for (char *at = located->text; *at;) {
        size_t digits = strspn(at, "0123456789");
        if (digits >= NUMBERED_DIGITS) {
            at[0] = '*';
            memmove(at + 1, at + digits, strlen(at + digits) + 1);
            return true;
        }
        at += digits ? digits : 1;
    }
    return false;
}

static void find_in_map(struct located *located, struct space *space, const struct names *names,
                        struct map *map, uint64_t address, enum stack_wanted stack)
{
    const char *name = maps_name(&space->maps, map);
    located->base = map->start;
    located->end = map->end;
    located->module = "";
    located->name = name;
    if (map->kind != MAPPING_FILE && find_stack(located, &space->stacks, map, address, stack))
        return;
    located->key = located_key_of(map->start, space->exec_count ^ hash_mix(map->inode), KEY_MAP);
    if (map->kind == MAPPING_HEAP) {
        located->kind = OBJECT_HEAP;
        located->key = KEY_HEAP;
    } else if (map->kind == MAPPING_ANON) {
        find_anonymous(located, space, names, map);
    } else {
        find_in_file(located, name);
        located->shares_name = join_numbered(located, name);
        if (located->shares_name)
            located->key = located_key_of(hash_bytes(located->text, strlen(located->text)),
                                          space->exec_count, KEY_MAP);
    }
}

/*
 * Returns true if memory reached through the stack pointer is a stack. It is not if it is part of a
 * larger object, as stacks of coroutines are, because the whole object must not be named a stack.
 */
static bool may_be_stack(struct space *space, struct map *map)
{
    return map->kind == MAPPING_ANON && map->end - map->start <= STACK_BYTES_MAX &&
           !located_is_named(maps_name(&space->maps, map)) &&
           (!space->from.live || check_heap_mapping(map, space->from.pid) == HEAP_NO);
}

bool located_make(struct located *located, struct space *space, const struct tls *tls,
                  const struct names *names, uint64_t address, enum stack_wanted stack)
{
    memset(located, 0, offsetof(struct located, text));
    struct map *map = space_map(space, address);
    if (!map)
        return false;
    struct module *module = space_module_at(space, map, address);
    if (module) {
        find_in_module(located, module, map, address);
        return true;
    }
    if (stack == STACK_REACHED && may_be_stack(space, map))
        stacks_note_access(&space->stacks, map, address);
    /* TLS images of libraries loaded later are on the heap. */
    if ((map->kind == MAPPING_ANON || map->kind == MAPPING_HEAP) && find_tls(located, tls, address))
        return true;
    find_in_map(located, space, names, map, address, stack);
    return true;
}

bool located_is_mapping(const struct located *located, struct space *space, uint64_t address)
{
    struct map *map = space_map(space, address);
    return located->name != located->text && map && located->base <= map->start &&
           located->end >= map->end && (map->kind == MAPPING_HEAP || map->kind == MAPPING_ANON) &&
           !space_continues_file(space, map) &&
           !stacks_within(&space->stacks, map->start, map->end);
}

static void find_gap(struct located *located, const struct space *space, uint64_t address)
{
    char size[16];
    located->kind = OBJECT_ANON;
    located->base = address & -(uint64_t)LOCATED_UNRECORDED;
    located->end = located->base + LOCATED_UNRECORDED;
    located->key = located_key_of(located->base, space->exec_count, KEY_UNRECORDED);
    snprintf(located->text, sizeof located->text, "[unrecorded 0x%llx %s]",
             (unsigned long long)located->base, text_bytes(size, LOCATED_UNRECORDED));
    located->name = located->text;
}

bool located_unrecorded(struct located *located, const struct space *space, uint64_t address,
                        uint64_t sp)
{
    enum space_unrecorded what = space_unrecorded(space, address);
    bool near_sp = sp && address + LOCATED_RED_ZONE >= sp && address < sp + LOCATED_FRAMES;
    *located = (struct located){.module = ""};
    if (what == SPACE_NOTHING)
        return false;
    if (what == SPACE_STACK || near_sp) {
        located->base = address & -(uint64_t)LOCATED_FRAMES;
        located->end = located->base + LOCATED_FRAMES;
        located->kind = OBJECT_STACK;
        located->name = "[stack]";
        located->key = KEY_STACKS;
    } else if (what == SPACE_HEAP) {
        located->base = located->end = space->maps.maps[maps_after(&space->maps, address) - 1].end;
        located->kind = OBJECT_HEAP;
        located->name = "[heap]";
        located->key = KEY_HEAP;
    } else {
        find_gap(located, space, address);
    }
    return true;
}

uint64_t located_frame_key(const struct space *space, uint32_t function, const char *part)
{
    return located_key_of(hash_bytes(part, strlen(part)) + function, space->exec_count, KEY_FRAME);
}

uint64_t located_bin_key(const struct space *space, uint32_t bin)
{
    return located_key_of(bin, space->exec_count, KEY_BIN);
}

bool located_refine(struct located *located, struct allocations *allocations,
                    const struct space *space, uint64_t address, uint64_t time_ns)
{
    struct allocation found;
    bool heap = located->kind == OBJECT_HEAP || located->kind == OBJECT_ANON;
    if (!heap || !allocations_find(allocations, space, address, time_ns, &found))
        return false;
    located->kind = OBJECT_HEAP;
    located->key = located_bin_key(space, found.bin);
    located->base = found.start;
    located->end = found.end;
    located->whole_bytes = 0;
    located->whole_blocks = 0;
    located->module = "";
    located->name = allocations_bin_name(allocations, found.bin);
    located->bin = found.bin;
    located->allocation = found.kind;
    located->in_use = found.in_use;
    return true;
}

void located_of_class(struct located *located, const struct space *space, const char *name,
                      const struct runtime_object *object)
{
    located->kind = OBJECT_HEAP;
    located->key = located_key_of(hash_bytes(name, strlen(name)), space->exec_count, KEY_CLASS);
    located->shares_name = true;
    located->whole_bytes = 0;
    located->whole_blocks = 0;
    if (object->class) {
        located->base = object->start;
        located->end = object->start + object->bytes;
    }
    located->module = "";
    snprintf(located->text, sizeof located->text, "%s", name);
    located->name = located->text;
}

/* Keeps the size of the largest mapping or block; that of the last one would keep changing. */
static void grow_object_size(struct object_desc *desc, uint64_t size_bytes)
{
    if (size_bytes > desc->size_bytes)
        desc->size_bytes = size_bytes;
}

enum { NAMES_FUNCTIONS_MAX = 1 << 16, NAMES_INSTANCES_MAX = 1 << 18, NAMES_TEXT_MAX = 1024 };

const char *names_number(struct names *names, const struct object_desc *desc, const char *name)
{
    uint64_t kind = hash_bytes(desc->module, strlen(desc->module)) + desc->kind;
    const char *numbered = text_numbered(&names->name_counts, kind, name, &names->strings);
    return numbered ? numbered : name;
}

uint32_t located_object(const struct located *located, struct names *names)
{
    struct object_desc desc = {.name = located->name,
                               .module = located->module,
                               .kind = located->kind,
                               .address = located->base,
                               .size_bytes = located->end - located->base};
    uint32_t object = names_find_object(names, located->key);
    if (!object) {
        object = names_add_object(names, located->key, &desc);
        struct object_desc *made = &names->objects[object];
        /* Bins are distinguished by their call paths instead. */
        if (object && !located->bin)
            made->name = names_number(names, made, made->name);
    } else if (!located->is_named_by_type &&
               (located->kind == OBJECT_HEAP || located->kind == OBJECT_ANON)) {
        grow_object_size(&names->objects[object], desc.size_bytes);
    }
    if (object && located->whole_blocks && !located->is_named_by_type) {
        names->objects[object].size_bytes = located->whole_bytes;
        names->objects[object].blocks = located->whole_blocks;
    }
    if (object && located->whole_blocks == 1 && !located->is_named_by_type)
        names->objects[object].address = located->whole_start;
    return object;
}

uint32_t located_intern(const struct located *located, struct names *names)
{
    uint32_t object = located_object(located, names);
    if (located->kind == OBJECT_STACK || located->kind == OBJECT_TLS || located->bin ||
        located->is_named_by_type || located->shares_name)
        names_instance(names, object, located->base);
    return object;
}

static const char *clean_name(struct names *names, const char *text)
{
    char safe[NAMES_TEXT_MAX];
    char plain[NAMES_TEXT_MAX];
    if (!text)
        return "";
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
    if (!names->objects || !names->functions) {
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
    hash_fini(&names->name_counts);
    hash_fini(&names->function_of_key);
    free(names->objects);
    free(names->functions);
}

void names_forget(struct names *names)
{
    hash_clear(&names->name_counts);
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
    kept->name = clean_name(names, desc->name);
    kept->module = clean_name(names, desc->module);
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
    kept->name = clean_name(names, desc->name);
    kept->module = clean_name(names, desc->module);
    kept->file = NULL;
    *slot = (uint32_t)names->function_count;
    return (uint32_t)names->function_count++;
}
