/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/resolver.h"

#include "base/clock.h"
#include "base/text.h"
#include "resolve/heap.h"
#include "resolve/jitmap.h"
#include "resolve/maps.h"
#include "resolve/modules.h"
#include "resolve/names.h"
#include "resolve/process.h"
#include "resolve/tcb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESOLVER_CHANGES_MAX = 16,
    RESOLVER_CACHE = 1024,      /* functions by instruction, direct-mapped */
    RESOLVER_REREAD_PER_S = 4,  /* at most so often are maps read for unmapped addresses */
    RESOLVER_SCAN_PER_S = 1
};

struct code_range {
    uint64_t start;
    uint64_t end;
};

struct cached_function {
    uint64_t ip;
    uint32_t function;
};

struct resolver {
    struct resolver_options options;
    struct maps maps;
    struct modules modules;
    struct names names;
    struct jitmap jitmap;
    struct tcbs tcbs;
    struct code_range changes[RESOLVER_CHANGES_MAX];
    size_t change_count;
    struct cached_function cache[RESOLVER_CACHE];
    char comm[64];
    char exe[512];
    uint32_t threads;
    bool alive;
    bool distrusted;
    uint64_t reread_ns; /* no rereading before */
    uint64_t scan_ns;   /* no looking for thread control blocks before */
};

/* What an address belongs to, before it is interned. */
struct finding {
    uint64_t key;
    uint64_t base;
    uint64_t end;
    enum object_kind kind;
    const char *name;
    const char *module;
    char text[160]; /* room for a made-up name */
};

/* ---- life ---- */

int resolver_open(struct resolver **out, const struct resolver_options *options,
                  struct error *error)
{
    struct resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver || names_init(&resolver->names)) {
        free(resolver);
        return error_set(error, -ENOMEM, "out of memory");
    }
    resolver->options = *options;
    resolver->jitmap.file_bytes = -1;
    resolver->alive = true;
    int code = options->live ? maps_read(&resolver->maps, options->pid) : 0;
    if (code) {
        resolver_close(resolver);
        return code == -EACCES || code == -EPERM
                   ? error_set(error, code,
                               "memory map of process %d: permission denied; try sudo",
                               (int)options->pid)
                   : error_set(error, code, "process %d is gone", (int)options->pid);
    }
    resolver_tick(resolver, clock_now_ns());
    *out = resolver;
    return 0;
}

void resolver_close(struct resolver *resolver)
{
    if (!resolver)
        return;
    modules_fini(&resolver->modules);
    maps_fini(&resolver->maps);
    names_fini(&resolver->names);
    jitmap_fini(&resolver->jitmap);
    tcbs_fini(&resolver->tcbs);
    free(resolver);
}

/* ---- keeping current ---- */

static void forget_functions(struct resolver *resolver)
{
    memset(resolver->cache, 0, sizeof resolver->cache);
}

static void code_changed(struct resolver *resolver, uint64_t start, uint64_t end)
{
    forget_functions(resolver);
    if (resolver->change_count == RESOLVER_CHANGES_MAX) {
        resolver->changes[0] = (struct code_range){0, UINT64_MAX};
        resolver->change_count = 1;
        return;
    }
    resolver->changes[resolver->change_count++] = (struct code_range){start, end};
}

bool resolver_code_changed(struct resolver *resolver, uint64_t *start, uint64_t *end)
{
    if (!resolver->change_count)
        return false;
    resolver->change_count--;
    *start = resolver->changes[resolver->change_count].start;
    *end = resolver->changes[resolver->change_count].end;
    return true;
}

/* Maps from /proc, at most a few times a second. Modules keep their indices by range. */
static bool reread(struct resolver *resolver, uint64_t now_ns)
{
    if (!resolver->options.live || now_ns < resolver->reread_ns)
        return false;
    resolver->reread_ns = now_ns + CLOCK_NS_PER_S / RESOLVER_REREAD_PER_S;
    return !maps_read(&resolver->maps, resolver->options.pid);
}

static void new_program(struct resolver *resolver, const struct record *record)
{
    modules_fini(&resolver->modules);
    maps_fini(&resolver->maps);
    tcbs_fini(&resolver->tcbs);
    code_changed(resolver, 0, UINT64_MAX);
    text_sanitise(resolver->comm, sizeof resolver->comm, record->comm.name,
                  strlen(record->comm.name));
    resolver->exe[0] = '\0';
    resolver->distrusted = true;
    resolver->reread_ns = 0;
    resolver->scan_ns = 0;
}

static void take_mapping(struct resolver *resolver, const struct sample_mapping *mapping)
{
    const struct map *known = maps_find(&resolver->maps, mapping->start);
    /* What /proc already told is not news, and says more. */
    if (known && known->start <= mapping->start &&
        known->end >= mapping->start + mapping->length && known->inode == mapping->inode &&
        known->executable == mapping->executable && resolver->options.live)
        return;
    maps_add(&resolver->maps, mapping);
    if (mapping->executable)
        code_changed(resolver, mapping->start, mapping->start + mapping->length);
}

void resolver_record(struct resolver *resolver, const struct record *record)
{
    bool ours = record->pid == (uint32_t)resolver->options.pid;
    if (record->kind == RECORD_MAPPING && ours)
        take_mapping(resolver, &record->mapping);
    else if (record->kind == RECORD_COMM && ours && record->comm.exec)
        new_program(resolver, record);
    else if (record->kind == RECORD_COMM && ours && record->tid == record->pid)
        text_sanitise(resolver->comm, sizeof resolver->comm, record->comm.name,
                      strlen(record->comm.name));
}

void resolver_distrust(struct resolver *resolver)
{
    resolver->distrusted = true;
}

void resolver_tick(struct resolver *resolver, uint64_t now_ns)
{
    struct process_stat stat;
    if (!resolver->options.live)
        return;
    resolver->alive = process_stat(resolver->options.pid, &stat) && stat.state != 'Z';
    if (!resolver->alive)
        return;
    resolver->threads = stat.threads;
    memcpy(resolver->comm, stat.comm, sizeof resolver->comm);
    if (!resolver->exe[0])
        process_exe(resolver->options.pid, resolver->exe, sizeof resolver->exe);
    if (resolver->distrusted && reread(resolver, now_ns))
        resolver->distrusted = false;
    if (jitmap_refresh(&resolver->jitmap, resolver->options.pid))
        forget_functions(resolver);
}

struct resolver_target resolver_target(const struct resolver *resolver)
{
    return (struct resolver_target){
        .pid = (uint32_t)resolver->options.pid,
        .threads = resolver->threads,
        .comm = resolver->comm,
        .exe = resolver->exe,
        .alive = resolver->alive,
    };
}

/* ---- where things are ---- */

static struct map *map_at(struct resolver *resolver, uint64_t address)
{
    struct map *map = maps_find(&resolver->maps, address);
    if (!map && resolver->options.live && address < UINT64_C(1) << 47 &&
        reread(resolver, clock_now_ns()))
        map = maps_find(&resolver->maps, address);
    return map;
}

static struct module *module_of(struct resolver *resolver, struct map *map)
{
    if (map->kind != MAPPING_FILE && map->kind != MAPPING_VDSO)
        return NULL;
    return modules_of(&resolver->modules, &resolver->maps, map, resolver->options.pid,
                      resolver->options.live, resolver->options.symfs);
}

/* .bss goes on in an anonymous mapping right behind the file's: that file's module. */
static struct module *module_behind(struct resolver *resolver, const struct map *map,
                                    uint64_t address)
{
    uint64_t start;
    uint64_t end;
    if (map == resolver->maps.maps || map->kind != MAPPING_ANON)
        return NULL;
    struct map *before = (struct map *)map - 1;
    struct module *module = before->end == map->start ? module_of(resolver, before) : NULL;
    if (!module)
        return NULL;
    module_range(module, &start, &end);
    return address < end ? module : NULL;
}

static void find_in_module(const struct module *module, const struct map *map, uint64_t address,
                           struct finding *finding)
{
    const struct symbol *symbol = module_object(module, address);
    finding->module = module_name(module);
    finding->kind = map->executable && !map->writable ? OBJECT_CODE : OBJECT_GLOBAL;
    if (symbol) {
        finding->base = symbol->start;
        finding->end = symbol->end;
        finding->name = symbol->name;
    } else {
        const char *section = module_section(module, address, &finding->base, &finding->end);
        uint64_t start = finding->base;
        uint64_t end = finding->end;
        snprintf(finding->text, sizeof finding->text, "%s %s", module_name(module),
                 section ? section : "(no section)");
        finding->name = finding->text;
        /* One object for all that a section has without names. */
        finding->key = hash_mix(start) ^ 5;
        module_gap(module, address, &start, &end);
        return;
    }
    finding->key = hash_mix(finding->base) ^ 1;
}

static bool find_tls(struct resolver *resolver, uint64_t address, struct finding *finding)
{
    struct map *exe = NULL;
    for (size_t i = 0; i < resolver->maps.count && !exe; i++)
        if (resolver->maps.maps[i].kind == MAPPING_FILE)
            exe = &resolver->maps.maps[i];
    struct module *module = exe ? module_of(resolver, exe) : NULL;
    uint64_t bytes = module ? module_tls_bytes(module) : 0;
    const struct tcb *tcb = bytes ? tcbs_around(&resolver->tcbs, address, bytes) : NULL;
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
    finding->key = hash_mix(symbol->start + 1) ^ 2;
    return true;
}

static void find_anonymous(struct resolver *resolver, struct map *map, struct finding *finding)
{
    char size[16];
    const char *name = maps_name(&resolver->maps, map);
    finding->key = hash_mix(map->start) ^ 3;
    /* The name is made once; a sample on a known mapping needs none. */
    uint32_t known = names_find_object(&resolver->names, finding->key);
    finding->kind = known ? resolver->names.objects[known].kind : OBJECT_ANON;
    if (known)
        return;
    enum heap_finding heap = resolver->options.live ? heap_look(map, resolver->options.pid)
                                                    : HEAP_NO;
    text_bytes(size, map->end - map->start);
    if (heap == HEAP_ARENA || heap == HEAP_BLOCK)
        finding->kind = OBJECT_HEAP;
    if (!strncmp(name, "[anon", 5) && strchr(name, ':'))
        snprintf(finding->text, sizeof finding->text, "[%.*s %s]",
                 (int)strcspn(strchr(name, ':') + 1, "]"), strchr(name, ':') + 1, size);
    else
        snprintf(finding->text, sizeof finding->text, "[%s 0x%llx %s]",
                 heap == HEAP_ARENA   ? "heap arena"
                 : heap == HEAP_BLOCK ? "malloc block"
                                      : "anon",
                 (unsigned long long)map->start, size);
    finding->name = finding->text;
}

static void find_in_map(struct resolver *resolver, struct map *map, struct finding *finding)
{
    const char *name = maps_name(&resolver->maps, map);
    finding->base = map->start;
    finding->end = map->end;
    finding->module = "";
    finding->name = name;
    finding->key = hash_mix(map->start) ^ 4;
    if (map->kind == MAPPING_STACK || map->thread_stack) {
        finding->kind = OBJECT_STACK;
        finding->name = "[stack]";
        finding->key = 6;
    } else if (map->kind == MAPPING_HEAP) {
        finding->kind = OBJECT_HEAP;
        finding->key = 7;
    } else if (map->kind == MAPPING_ANON) {
        find_anonymous(resolver, map, finding);
    } else {
        const char *base = strrchr(name, '/');
        finding->kind = OBJECT_MAP;
        finding->name = base && base[1] ? base + 1 : name;
    }
}

/* False: nothing is mapped there. */
static bool find_object(struct resolver *resolver, uint64_t address, bool by_stack,
                        struct finding *finding)
{
    struct map *map = map_at(resolver, address);
    if (!map)
        return false;
    struct module *module = module_of(resolver, map);
    if (!module && map->kind == MAPPING_ANON)
        module = module_behind(resolver, map, address);
    if (module) {
        find_in_module(module, map, address, finding);
        return true;
    }
    /* What is reached through the stack pointer is a stack, whoever made it. */
    if (by_stack && map->kind == MAPPING_ANON)
        map->thread_stack = true;
    if (resolver->tcbs.count && map->kind == MAPPING_ANON && find_tls(resolver, address, finding))
        return true;
    find_in_map(resolver, map, finding);
    return true;
}

static uint32_t intern(struct resolver *resolver, const struct finding *finding)
{
    struct object_desc desc = {.name = finding->name, .module = finding->module,
                               .kind = finding->kind, .address = finding->base,
                               .size_bytes = finding->end - finding->base};
    uint32_t object = names_find_object(&resolver->names, finding->key);
    if (!object)
        object = names_add_object(&resolver->names, finding->key, &desc);
    else if (finding->kind == OBJECT_HEAP || finding->kind == OBJECT_ANON)
        resolver->names.objects[object].size_bytes = desc.size_bytes;
    if (finding->kind == OBJECT_STACK || finding->kind == OBJECT_TLS)
        names_instance(&resolver->names, object, finding->base);
    return object;
}

/* ---- code ---- */

static void add_anonymous_function(struct resolver *resolver, struct map *map, uint64_t ip,
                                   struct function_desc *desc, char *text, size_t text_size)
{
    const struct jit_symbol *symbol = jitmap_find(&resolver->jitmap, ip);
    desc->start = symbol ? symbol->start : map ? map->start : 0;
    desc->end = symbol ? symbol->end : desc->start;
    snprintf(text, text_size, "[code 0x%llx]", (unsigned long long)desc->start);
    desc->name = symbol ? jitmap_name(&resolver->jitmap, symbol) : text;
    desc->module = symbol ? "[jit]" : "";
}

static uint32_t find_function(struct resolver *resolver, uint64_t ip)
{
    char text[192];
    struct function_desc desc = {.file = ""};
    struct map *map = map_at(resolver, ip);
    struct module *module = map ? module_of(resolver, map) : NULL;
    const struct symbol *symbol = module ? module_function(module, ip) : NULL;
    if (symbol) {
        desc = (struct function_desc){symbol->name, module_name(module), "", 0, symbol->start,
                                      symbol->end};
    } else if (module) {
        if (!module_frame(module, ip, &desc.start, &desc.end))
            desc.start = desc.end = ip & ~UINT64_C(63);
        snprintf(text, sizeof text, "%s+0x%llx", module_name(module),
                 (unsigned long long)(desc.start - map->start + map->offset));
        desc.name = text;
        desc.module = module_name(module);
    } else {
        add_anonymous_function(resolver, map, ip, &desc, text, sizeof text);
    }
    uint32_t function = names_find_function(&resolver->names, desc.start);
    return function ? function : names_add_function(&resolver->names, &desc);
}

static uint32_t function_at(struct resolver *resolver, uint64_t ip)
{
    struct cached_function *cached = &resolver->cache[hash_mix(ip) % RESOLVER_CACHE];
    if (cached->ip != ip || !cached->function)
        *cached = (struct cached_function){ip, find_function(resolver, ip)};
    return cached->function;
}

void resolver_resolve(struct resolver *resolver, const struct access *access,
                      struct place *place)
{
    struct finding finding = {0};
    *place = (struct place){.access = *access};
    /* Where the time goes is worth telling also when the data is not known. */
    if (access->reason != REASON_KERNEL)
        place->function = function_at(resolver, access->ip);
    if (access->reason != REASON_NONE)
        return;
    bool by_stack = access->base == SREG_SP;
    if (!find_object(resolver, access->address, by_stack, &finding)) {
        place->access.reason = REASON_BAD_ADDRESS;
        return;
    }
    place->object = intern(resolver, &finding);
    place->base = finding.base;
    place->size_bytes = finding.end - finding.base;
}

bool resolver_function_bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    struct resolver *resolver = context;
    struct map *map = map_at(resolver, ip);
    struct module *module = map ? module_of(resolver, map) : NULL;
    if (!module) {
        const struct jit_symbol *jit = jitmap_find(&resolver->jitmap, ip);
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

size_t resolver_code(void *context, uint64_t address, void *out, size_t size)
{
    struct resolver *resolver = context;
    /* Memory is what runs: it has relocations and patches that the file has not. */
    size_t got = resolver->options.live
                     ? process_read_some(resolver->options.pid, address, out, size)
                     : 0;
    if (got)
        return got;
    struct map *map = map_at(resolver, address);
    struct module *module = map ? module_of(resolver, map) : NULL;
    return module ? module_bytes(module, address, out, size) : 0;
}

bool resolver_memory(void *context, uint64_t address, void *out, size_t size)
{
    struct resolver *resolver = context;
    return resolver->options.live && process_read(resolver->options.pid, address, out, size);
}

bool resolver_segment(void *context, uint32_t tid, bool gs, uint64_t *base)
{
    struct resolver *resolver = context;
    if (gs || !resolver->options.live)
        return false;
    const struct tcb *tcb = tcbs_of_thread(&resolver->tcbs, tid);
    uint64_t now = tcb ? 0 : clock_now_ns();
    if (!tcb && now >= resolver->scan_ns) {
        resolver->scan_ns = now + CLOCK_NS_PER_S / RESOLVER_SCAN_PER_S;
        reread(resolver, now);
        tcbs_scan(&resolver->tcbs, resolver->options.pid, &resolver->maps);
        tcb = tcbs_of_thread(&resolver->tcbs, tid);
    }
    *base = tcb ? tcb->base : 0;
    return tcb;
}

bool resolver_mapped(void *context, uint64_t address)
{
    return map_at(context, address);
}

/* ---- names ---- */

static bool describe_object(void *context, uint32_t object, struct object_desc *desc)
{
    struct resolver *resolver = context;
    if (object >= resolver->names.object_count)
        return false;
    *desc = resolver->names.objects[object];
    return true;
}

static void look_for_line(struct resolver *resolver, uint32_t function)
{
    struct function_desc *desc = &resolver->names.functions[function];
    struct map *map = maps_find(&resolver->maps, desc->start);
    struct module *module = map && map->module >= 0 ? module_of(resolver, map) : NULL;
    const char *file;
    char safe[512];
    resolver->names.line_looked_for[function] = true;
    if (!module || !module_line(module, desc->start, &file, &desc->line))
        return;
    text_sanitise(safe, sizeof safe, file, strlen(file));
    const char *copy = arena_string(&resolver->names.strings, safe);
    desc->file = copy ? copy : "";
}

static bool describe_function(void *context, uint32_t function, struct function_desc *desc)
{
    struct resolver *resolver = context;
    if (function >= resolver->names.function_count)
        return false;
    if (function && !resolver->names.line_looked_for[function])
        look_for_line(resolver, function);
    *desc = resolver->names.functions[function];
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

static bool describe_extent(void *context, uint64_t address, struct object_extent *extent)
{
    struct resolver *resolver = context;
    struct finding finding = {0};
    struct map *map = maps_find(&resolver->maps, address);
    if (!map)
        return extent_of_gap(&resolver->maps, address, extent);
    if (!find_object(resolver, address, false, &finding))
        return false;
    extent->base = finding.base;
    extent->bound = finding.end;
    extent->object = intern(resolver, &finding);
    /* The nameless rest of a section: only up to the next variable. */
    struct module *module = module_of(resolver, map);
    if (!module)
        module = module_behind(resolver, map, address);
    if (module && !module_object(module, address))
        module_gap(module, address, &extent->base, &extent->bound);
    return extent->bound > extent->base;
}

struct place_names resolver_names(struct resolver *resolver)
{
    return (struct place_names){.context = resolver, .object = describe_object,
                                .function = describe_function, .extent = describe_extent};
}

static bool named(const struct object_desc *desc, const char *name)
{
    const char *colon = strrchr(name, ':');
    return !strcmp(desc->name, name) ||
           (colon && !strcmp(desc->name, colon + 1) &&
            !strncmp(desc->module, name, (size_t)(colon - name)) &&
            strlen(desc->module) == (size_t)(colon - name));
}

bool resolver_find(struct resolver *resolver, const char *name, struct object_extent *extent)
{
    const struct names *names = &resolver->names;
    uint32_t found = 0;
    uint32_t partly = 0;
    unsigned parts = 0;
    for (uint32_t i = 1; i < names->object_count && !found; i++) {
        if (named(&names->objects[i], name))
            found = i;
        else if (strstr(names->objects[i].name, name)) {
            partly = i;
            parts++;
        }
    }
    if (!found && parts == 1)
        found = partly;
    if (!found)
        return false;
    *extent = (struct object_extent){names->objects[found].address,
                                     names->objects[found].address +
                                         names->objects[found].size_bytes,
                                     found};
    return true;
}
