/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of Haskell programs that ghc compiled, by constructor; see runtime.h. Sources:
 * rts/include/rts/storage/InfoTables.h and ClosureTypes.h. */
#include <string.h>

#include "base/text.h"
#include "resolve/process/process.h"
#include "resolve/process/space.h"
#include "resolve/runtime/runtime.h"

enum {
    WORD = 8,
    TAG_MASK = WORD - 1, /* of a pointer: which constructor it is */
    CONSTRUCTOR_FIRST = 1,
    CONSTRUCTOR_LAST = 7,
    WORDS_MAX = 1 << 12
};

/* Address that the runtime requests for its heap, and the size that is searched. */
static const uint64_t heap_start = UINT64_C(0x4200000000);
static const uint64_t heap_bytes = UINT64_C(0x4000000000);

/* The table before the code that the first word of a constructor's value leads to. */
struct constructor {
    int32_t name; /* from the code on: "containers-0.6.4.1:Data.Map.Internal.Bin" */
    uint32_t unused;
    uint32_t pointers; /* words of a value, behind the first one */
    uint32_t others;
    uint32_t type;
    int32_t references;
};

void haskell_detect(struct haskell *haskell, pid_t pid, const struct space *space)
{
    const struct map *map = maps_find(&space->maps, heap_start);
    haskell->pid = pid;
    haskell->known = map && map->start == heap_start && map->kind == MAPPING_ANON;
}

bool haskell_holds(const struct haskell *haskell, uint64_t address)
{
    return haskell->known && address - heap_start < heap_bytes;
}

static bool read_haskell_class(const void *runtime, struct runtime_class *class)
{
    const struct haskell *haskell = runtime;
    struct constructor table;
    char name[RUNTIME_NAME];
    if (!process_read(haskell->pid, class->at - sizeof table, &table, sizeof table) ||
        table.type < CONSTRUCTOR_FIRST || table.type > CONSTRUCTOR_LAST ||
        table.pointers > WORDS_MAX || table.others > WORDS_MAX)
        return false;
    uint64_t text = class->at + (uint64_t)(int64_t)table.name;
    int64_t bytes = WORD + WORD * ((int64_t)table.pointers + table.others);
    if (text == class->text && bytes == class->bytes)
        return true;
    *class =
        (struct runtime_class){.at = class->at, .text = text, .tick = class->tick, .bytes = bytes};
    size_t got = process_read_some(haskell->pid, text, name, sizeof name - 1);
    name[got] = '\0';
    const char *module = strchr(name, ':');
    if (!module || !module[1] || strpbrk(name, " \n"))
        return false;
    text_sanitise(class->name, sizeof class->name, module + 1, strlen(module + 1));
    return true;
}

bool haskell_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                    struct runtime_object *object)
{
    const struct haskell *haskell = &runtimes->haskell;
    uint64_t at = start & ~(uint64_t)TAG_MASK;
    uint64_t code;
    if (!process_read(haskell->pid, at, &code, sizeof code) || !code || code % WORD)
        return false;
    struct runtime_class *class =
        runtime_class_at(&runtimes->classes, code, read_haskell_class, haskell);
    if (!class || address - at >= (uint64_t) class->bytes)
        return false;
    *object = (struct runtime_object){at, (uint64_t) class->bytes, class};
    return true;
}
