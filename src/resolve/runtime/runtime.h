/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runtimes that create code and objects: JIT maps, and the heaps of Java, Python and V8. */
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
struct runtimes;

/*
 * Names of JIT-compiled code: /tmp/perf-PID.map in the process's root, with lines of "START SIZE
 * NAME" in hexadecimal (tools/perf/Documentation/jit-interface.txt). The file grows as code is
 * compiled; if lines overlap, the later one is valid. Hostile input: anyone may write to /tmp.
 */

enum { JITMAP_BYTES_MAX = 64 << 20 };

struct jit_symbol {
    uint64_t start;
    uint64_t end;
    uint32_t line; /* line number in the file */
    uint32_t name; /* offset into text */
    /* the last line that begins earlier and ends after this start, + 1; 0: none */
    uint32_t earlier_overlap;
};

struct jitmap {
    char *text; /* text of the file so far, with NULs as line ends */
    size_t text_bytes;
    size_t whole_bytes;       /* ... up to the end of the last whole line: those count */
    struct jit_symbol *lines; /* by start, then as in the file */
    size_t count;
    size_t room;
    uint64_t inode;
    int64_t file_bytes; /* size at the last read; -1: never read */
    int64_t changed_ns; /* modification time at the last read */
};

void jitmap_init(struct jitmap *jitmap);
void jitmap_fini(struct jitmap *jitmap);

/* Reads the process's file if it is new or changed. Returns true if it was read. `files`: rights of
 * the process; NULL: our own. */
bool jitmap_refresh(struct jitmap *jitmap, pid_t pid, struct files_client *files);

/* Like jitmap_refresh(), from a descriptor with any owner. */
bool jitmap_read(struct jitmap *jitmap, int fd);

/* Returns the symbol that covers the address; NULL: none. */
const struct jit_symbol *jitmap_find(const struct jitmap *jitmap, uint64_t address);
const char *jitmap_name(const struct jitmap *jitmap, const struct jit_symbol *symbol);

/* Classes of objects that runtimes create, read from the process (doc/design/heap.md). A class is
 * reread once per refresh, because another may have replaced it. Hostile input. */
enum { RUNTIME_NAME = 160 };

struct runtime_class {
    uint64_t at;
    uint64_t text;      /* address of its name; if it changes, it is another class */
    int64_t bytes;      /* size of an instance; Java: Klass::_layout_helper */
    int64_t item_bytes; /* Python: size of each item */
    uint32_t tick;      /* tick of the last read */
    uint32_t type;      /* set by the caller that asked for its fields; 0: none */
    bool asked;
    bool gone;               /* nothing is there any longer */
    char name[RUNTIME_NAME]; /* "java.util.HashMap$Node", "long[]", "Order" */
};

struct runtime_classes {
    struct runtime_class *list;
    size_t count;
    size_t room;
    struct hash of_address; /* index */
    uint32_t tick;
};

/* Returns the class at an address. `look` reads it into `class` if it is new or was not read since
 * the last tick; `at` and `text` are then the previous values. NULL: not a class, or no room. */
typedef bool runtime_look(const void *runtime, struct runtime_class *class);
struct runtime_class *runtime_class_at(struct runtime_classes *classes, uint64_t at,
                                       runtime_look *look, const void *runtime);

/* The members of a class while it is described; strings and members are in the arena. */
enum { RUNTIME_MEMBERS = 512 };

struct runtime_members {
    struct arena *arena;
    struct type_member *list; /* [RUNTIME_MEMBERS] */
    uint32_t count;
};

/* Both functions return false if there is no room. */
bool runtime_members_init(struct runtime_members *members, struct arena *arena);
bool runtime_member(struct runtime_members *members, const char *name, const char *type,
                    uint64_t offset, uint64_t bytes);
/* Describes the type of the object, with its members in order. */
void runtime_members_end(struct runtime_members *members, const char *name, uint64_t bytes,
                         struct type_desc *desc);

struct runtime_object {
    uint64_t start;
    uint64_t bytes;
    struct runtime_class *class; /* valid until the next call; NULL: not known */
};

/* The heap of a HotSpot Java virtual machine. Its library exports a table of its own structures for
 * debuggers (gHotSpotVMStructs); everything else is read from the process with this table. */

/* Offsets in the machine's structures, addresses of its variables; UINT64_MAX: not in the table. */
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
    uint64_t class_fields; /* until version 20, like the next two members */
    uint64_t class_field_count;
    uint64_t class_constants;
    uint64_t constants_bytes; /* size of a ConstantPool; the constants follow */
    uint64_t text_length;
    uint64_t text_bytes;
    uint64_t code_heaps; /* a variable: array of pointers to CodeHeaps; from here on for code */
    uint64_t array_length;
    uint64_t array_list;
    uint64_t code_memory;
    uint64_t code_segments;
    uint64_t code_shift;
    uint64_t space_low;
    uint64_t space_high;
    uint64_t block_bytes; /* size of a HeapBlock; the code's description follows */
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
    bool known; /* the offsets are known */
    struct hotspot_places places;
    uint64_t heap_start;
    uint64_t heap_end; /* 0: not known */
    uint64_t class_base;
    uint32_t class_shift;
};

/* A compiled method ("Orders.main"), or a piece of the machine's own code ("Interpreter"). */
struct hotspot_code {
    uint64_t start;
    uint64_t end;
    char name[2 * RUNTIME_NAME];
};

/* `library`: libjvm.so; NULL: already known, or the process has none. */
void hotspot_detect(struct hotspot *hotspot, pid_t pid, const struct module *library);

static inline bool hotspot_holds(const struct hotspot *hotspot, uint64_t address)
{
    return address - hotspot->heap_start < hotspot->heap_end - hotspot->heap_start;
}

/* Returns true if an object begins at `start` and holds the address. */
bool hotspot_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                    struct runtime_object *object);

/* Finds the code around an instruction. Returns false if it is not code of the machine. */
bool hotspot_code(const struct hotspot *hotspot, uint64_t ip, struct hotspot_code *code);

/* Describes the fields of a class, including inherited ones; strings and members in `arena`.
 * Returns false for a class of arrays, or if its fields cannot be read. */
bool hotspot_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                      struct arena *arena, struct type_desc *desc);

/* Objects of a CPython interpreter. Each begins with a reference count and its type, which is
 * itself an object. `library`: the file with PyType_Type. */
struct python {
    pid_t pid;
    uint64_t type_of_types; /* 0: not known */
    bool tagged;            /* ints have their sign in three bits below the number of digits */
};

void python_detect(struct python *python, pid_t pid, const struct module *library);
bool python_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                   struct runtime_object *object);
bool python_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                     struct arena *arena, struct type_desc *desc);

/* Each object begins with its map, which has the fields and leads to the function that created it.
 * Node.js exports constants for debuggers (v8dbg_...). `pointer` is tagged. */
enum { V8_TYPES = 512 };

struct v8_constants {
    int32_t tag, tag_mask, map, map_type, map_words, map_maker, map_fields, map_bits, map_first,
        is_dictionary_shift, fields_mask, fields_shift, fields_header, field_words, field_key,
        field_details, location_mask, location_shift, location_field, index_mask, index_shift,
        shared, function_name, text_length, text_bytes, texts_end, encoding_mask, encoding_byte,
        form_mask, form_plain, array_length, scope_locals, scope_first, type_map, type_object,
        type_function, type_scope;
};

struct v8 {
    pid_t pid;
    bool known;
    struct v8_constants constants;
    struct v8_type {
        int32_t number;
        char name[48];
    } types[V8_TYPES];
    size_t type_count;
};

void v8_detect(struct v8 *v8, pid_t pid, const struct module *library);
bool v8_object(struct runtimes *runtimes, uint64_t pointer, uint64_t address,
               struct runtime_object *object);
bool v8_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                 struct arena *arena, struct type_desc *desc);

/* Blocks of PHP's allocator, which has chunks of 2 MiB with a word for each page. The first word of
 * a block shows whether it is an object, a string or an array. `start` is not used. */
struct php {
    pid_t pid;
    bool known;
};

void php_detect(struct php *php, pid_t pid, const struct module *library);
bool php_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                struct runtime_object *object);
bool php_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                  struct arena *arena, struct type_desc *desc);

struct space;

/*
 * Values of Haskell programs: the first word of each leads to code, and a table before that has the
 * name of the constructor and the number of its words. `start` may be tagged.
 */
struct haskell {
    pid_t pid;
    bool known;
};

void haskell_detect(struct haskell *haskell, pid_t pid, const struct space *space);
bool haskell_holds(const struct haskell *haskell, uint64_t address);
bool haskell_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                    struct runtime_object *object);

/* The runtimes of a process. Initialised with zeros. */
struct runtimes {
    struct hotspot hotspot;
    struct python python;
    struct v8 v8;
    struct php php;
    struct haskell haskell;
    struct runtime_classes classes;
    struct hash memory;       /* starts of mappings with objects, except Java's */
    uint64_t look_ns;         /* time of the next search */
    uint64_t none_at_changes; /* maps.changes at the last search without a result */
};

void runtimes_fini(struct runtimes *runtimes);
/* Drops all state: the process has executed another program. */
void runtimes_forget(struct runtimes *runtimes);
/* Searches for runtimes several times a second, because they start later than the program. */
void runtimes_detect(struct runtimes *runtimes, struct space *space, pid_t pid, uint64_t now_ns);

/* `mapping`: the start of the access's mapping, `regs`: the sample's registers or NULL. If the
 * object is not known, returns the name of the runtime's memory; NULL: not memory of a runtime. */
const char *runtimes_find(struct runtimes *runtimes, const struct access *access, uint64_t mapping,
                          const uint64_t *regs, struct runtime_object *object);
bool runtimes_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                       struct arena *arena, struct type_desc *desc);

#endif
