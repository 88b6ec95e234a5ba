/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runtimes that make code and objects of their own: JIT maps, and the heap of a Java machine. */
#ifndef MISSTOP_RESOLVE_RUNTIME_RUNTIME_H
#define MISSTOP_RESOLVE_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "access.h"
#include "base/array.h"
#include "base/hash.h"
#include "place.h"

struct files_client;
struct module;

/*
 * Names of JIT-compiled code: /tmp/perf-PID.map inside the process's root, lines of "START SIZE
 * NAME" in hexadecimal (tools/perf/Documentation/jit-interface.txt). The file grows as code is
 * compiled; where lines overlap, the later one is valid. Hostile input: anyone may write to /tmp.
 */

enum { JITMAP_BYTES_MAX = 64 << 20 };

struct jit_symbol {
    uint64_t start;
    uint64_t end;
    uint32_t line; /* its place in the file */
    uint32_t name; /* offset into text */
};

struct jitmap {
    char *text; /* of the file so far, a NUL for each line's end */
    size_t text_bytes;
    struct jit_symbol *lines; /* as in the file */
    size_t line_count;
    size_t line_room;
    struct jit_symbol *symbols; /* ascending, no overlaps */
    size_t count;
    size_t whole_bytes; /* of the text, up to the end of the last whole line */
    size_t whole_lines;
    uint64_t inode;
    int64_t file_bytes; /* when last read; -1: never */
    int64_t changed_ns; /* the file's own time stamp then */
};

void jitmap_init(struct jitmap *jitmap);
void jitmap_fini(struct jitmap *jitmap);

/* Reads the process's file if it is new or has changed. True when it did. `files`: the process's
 * own rights; NULL: ours. */
bool jitmap_refresh(struct jitmap *jitmap, pid_t pid, struct files_client *files);

/* The same from a descriptor, with any owner. */
bool jitmap_read(struct jitmap *jitmap, int fd);

/* NULL: none covers the address. */
const struct jit_symbol *jitmap_find(const struct jitmap *jitmap, uint64_t address);
const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol);

/*
 * The heap of a HotSpot Java machine, and the class of an object in it (doc/design/heap.md). The
 * library exports a table of its own structures for debuggers (gHotSpotVMStructs); all else is read
 * from the process with it. Hostile input.
 */
enum { HOTSPOT_NAME = 160 };

struct hotspot_class {
    uint64_t text;  /* of its name, a Symbol: another one is another class in the same place */
    int32_t layout; /* Klass::_layout_helper: size of an instance, or how arrays are laid out */
    uint32_t tick;  /* when it was last looked at */
    uint32_t type;  /* of the caller, who has asked for its fields; 0: none */
    bool asked;
    char name[HOTSPOT_NAME]; /* "java.util.HashMap$Node", "long[]"; "": there is no class */
};

/* Places in the machine's structures, and of its variables; UINT64_MAX: not in the table. */
struct hotspot_places {
    uint64_t heap; /* a variable: pointer to the CollectedHeap */
    uint64_t reserved;
    uint64_t region_start;
    uint64_t region_words;
    uint64_t class_base; /* variables: compressed pointers to classes */
    uint64_t class_shift;
    uint64_t object_class;
    uint64_t class_name;
    uint64_t class_layout;
    uint64_t class_super;
    uint64_t class_fields; /* these three: until version 20 */
    uint64_t class_field_count;
    uint64_t class_constants;
    uint64_t constants_bytes; /* size of a ConstantPool, the constants follow */
    uint64_t text_length;
    uint64_t text_bytes;
    uint64_t code_heaps; /* a variable: array of pointers to a CodeHeap; all below: for code */
    uint64_t array_length;
    uint64_t array_list;
    uint64_t code_memory;
    uint64_t code_segments;
    uint64_t code_shift;
    uint64_t space_low;
    uint64_t space_high;
    uint64_t block_bytes; /* size of a HeapBlock, the code's description follows */
    uint64_t blob_name;
    uint64_t blob_start;
    uint64_t blob_end;
    uint64_t blob_method;
    uint64_t method_constant;
    uint64_t constant_pool;
    uint64_t constant_name;
    uint64_t pool_class;
};

struct hotspot {
    pid_t pid;
    bool known; /* the places */
    struct hotspot_places places;
    uint64_t heap_start;
    uint64_t heap_end; /* 0: not known */
    uint64_t class_base;
    uint32_t class_shift;
    uint32_t tick;
    struct hash class_of; /* compressed pointer -> index */
    struct hotspot_class *classes;
    size_t count;
    size_t room;
};

struct hotspot_object {
    uint64_t start;
    uint64_t bytes;
    uint32_t pointer;            /* to the class, as in the object */
    struct hotspot_class *class; /* until the next call */
};

/* A compiled method ("Orders.main"), or a piece of the machine's own code ("Interpreter"). */
struct hotspot_code {
    uint64_t start;
    uint64_t end;
    char name[2 * HOTSPOT_NAME];
};

void hotspot_fini(struct hotspot *hotspot);
void hotspot_forget(struct hotspot *hotspot);

/* Once per refresh. `library`: libjvm.so; NULL: the process has none. */
void hotspot_tick(struct hotspot *hotspot, pid_t pid, const struct module *library);

static inline bool hotspot_holds(const struct hotspot *hotspot, uint64_t address)
{
    return address - hotspot->heap_start < hotspot->heap_end - hotspot->heap_start;
}

/* The object that an access in the heap is in. `regs`: the sample's registers, or NULL. False: not
 * known. */
bool hotspot_find(struct hotspot *hotspot, const struct access *access, const uint64_t *regs,
                  struct hotspot_object *object);

/* False: the instruction is in no code of the machine. */
bool hotspot_code(const struct hotspot *hotspot, uint64_t ip, struct hotspot_code *code);

/* The fields of a class, of those it inherits too; strings and members in `arena`. False: it is of
 * arrays, or its fields cannot be read. */
bool hotspot_describe(const struct hotspot *hotspot, const struct hotspot_object *object,
                      struct arena *arena, struct type_desc *desc);

#endif
