/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of PHP, and other blocks of its allocator; see runtime.h. Sources: Zend/zend_alloc.c,
 * Zend/zend_types.h and Zend/zend.h. The parts used here are the same from 7.3 to 8.3. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "resolve/elf/module.h"
#include "resolve/process/process.h"
#include "resolve/runtime/runtime.h"

enum {
    PAGE_BYTES = 4096,
    CHUNK_BYTES = 2 << 20,
    CHUNK_PAGES = CHUNK_BYTES / PAGE_BYTES,
    BIN_BYTES_MAX = 3072,
    FREE_PAGES_AT = 24, /* in a chunk */
    MAP_FIRST = 256,    /* bytes of a chunk's head before its map, and of the bits before that */
    MAP_BITS_BYTES = CHUNK_PAGES / 8,
    TYPE_STRING = 6,
    TYPE_ARRAY = 7,
    TYPE_OBJECT = 8,
    TYPE_MASK = 15,
    STRING_HEAD = 24,
    ARRAY_BYTES = 56,
    OBJECT_HEAD = 40, /* before its properties */
    VALUE_BYTES = 16,
    CLASS_PROPERTIES_AT = 120, /* a table of its properties */
    PROPERTIES_MAX = 512,
    REFERENCES_MAX = 1 << 24,
    PROPERTY_STATIC = 16
};

static const uint32_t is_large = 0x40000000; /* in a word of the map; with the number of pages */
static const uint32_t is_small = 0x80000000; /* with the number of the bin */

/* Sizes of the bins, and the pages of a run. */
static const struct {
    uint16_t bytes, pages;
} bins[] = {{8, 1},    {16, 1},   {24, 1},   {32, 1},   {40, 1},   {48, 1},  {56, 1},  {64, 1},
            {80, 1},   {96, 1},   {112, 1},  {128, 1},  {160, 1},  {192, 1}, {224, 1}, {256, 1},
            {320, 5},  {384, 3},  {448, 1},  {512, 1},  {640, 5},  {768, 3}, {896, 2}, {1024, 2},
            {1280, 5}, {1536, 3}, {1792, 7}, {2048, 4}, {2560, 5}, {3072, 3}};
enum { BINS = sizeof bins / sizeof *bins };

/* The beginning of a counted value, and the words after it. */
struct value_head {
    uint32_t references;
    uint32_t type;
    uint64_t words[4];
};

struct class_head {
    uint64_t type; /* the first byte: 1 of PHP itself, 2 of a program */
    uint64_t name;
    uint64_t parent;
    uint32_t references;
    uint32_t flags;
    int32_t properties;
};

void php_detect(struct php *php, pid_t pid, const struct module *library)
{
    php->pid = pid;
    php->known |= library != NULL;
}

/* Finds the words for the pages of a chunk: the first page is a large run of one page, and the
 * bitmap before them has as many pages in use as the chunk states. NULL: not a chunk. */
static const uint32_t *find_map(const uint32_t *words)
{
    uint32_t used = CHUNK_PAGES - words[FREE_PAGES_AT / 4];
    for (size_t at = MAP_FIRST / 4; at + CHUNK_PAGES <= PAGE_BYTES / 4; at += 2) {
        uint32_t count = 0;
        if (words[at] != (is_large | 1))
            continue;
        for (size_t i = 1; i <= MAP_BITS_BYTES / 4; i++)
            count += (uint32_t)__builtin_popcount(words[at - i]);
        if (count == used)
            return words + at;
    }
    return NULL;
}

/* Finds the block around a page. Runs are followed from the first one, because words inside a large
 * run are out of date. */
static bool find_run(const uint32_t *map, uint64_t page, uint64_t *first, uint64_t *bytes)
{
    for (uint64_t at = 0; at <= page;) {
        uint32_t word = map[at];
        bool used = map[-(MAP_BITS_BYTES / 4) + (int64_t)(at / 32)] >> at % 32 & 1;
        uint32_t bin = word & 31;
        uint64_t pages = !used             ? 1
                         : word & is_small ? (bin < BINS ? bins[bin].pages : 0)
                                           : word & 1023;
        if (!pages)
            return false;
        *first = at;
        *bytes = word & is_small ? bins[bin].bytes : pages * PAGE_BYTES;
        at += pages;
        if (at > page)
            return used;
    }
    return false;
}

/* Returns the size of the bin for a request. */
static uint64_t bin_bytes(uint64_t bytes)
{
    size_t bin = 0;
    while (bin < BINS && bins[bin].bytes < bytes)
        bin++;
    return bin < BINS ? bins[bin].bytes : (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static bool read_text(pid_t pid, uint64_t at, char out[RUNTIME_NAME])
{
    struct value_head head;
    uint64_t length;
    if (!at || at % 8 || !process_read(pid, at, &head, sizeof head) ||
        (head.type & TYPE_MASK) != TYPE_STRING)
        return false;
    length = head.words[1] < RUNTIME_NAME - 1 ? head.words[1] : RUNTIME_NAME - 1;
    if (!length || !process_read(pid, at + STRING_HEAD, out, length))
        return false;
    out[length] = '\0';
    text_sanitise(out, RUNTIME_NAME, out, strlen(out));
    return true;
}

static bool read_php_class(const void *runtime, struct runtime_class *class)
{
    const struct php *php = runtime;
    struct class_head head;
    if (!process_read(php->pid, class->at, &head, sizeof head) || head.properties < 0 ||
        ((head.type & 255) != 1 && (head.type & 255) != 2))
        return false;
    int64_t bytes = OBJECT_HEAD + (int64_t)head.properties * VALUE_BYTES;
    if (head.name == class->text && bytes == class->bytes)
        return true;
    *class = (struct runtime_class){
        .at = class->at, .text = head.name, .tick = class->tick, .bytes = bytes};
    return read_text(php->pid, head.name, class->name);
}

/* Names a block without a class (a string, an array, another block of one size) by `at`. */
static bool name_block(const void *runtime, struct runtime_class *class)
{
    char size[16];
    (void)runtime;
    if (class->at < 8)
        snprintf(class->name, sizeof class->name, class->at == TYPE_STRING ? "string" : "array");
    else if (class->at <= BIN_BYTES_MAX)
        snprintf(class->name, sizeof class->name, "emalloc(%u)", (unsigned)class->at);
    else
        snprintf(class->name, sizeof class->name, "emalloc(%s)", text_bytes(size, class->at));
    return true;
}

static bool is_array(const struct value_head *head, uint64_t bytes)
{
    uint32_t mask = (uint32_t)(head->words[0] >> 32);
    uint32_t used = (uint32_t)head->words[2];
    uint32_t elements = (uint32_t)(head->words[2] >> 32);
    uint32_t room = (uint32_t)head->words[3];
    return bytes == ARRAY_BYTES && mask && !(-mask & (-mask - 1)) && elements <= used &&
           used <= room;
}

/* A block holds a value only if it has the size of one. During garbage collection, references of
 * values in use are 0, too; a free block begins with a pointer. */
static struct runtime_class *php_class_of(struct runtimes *runtimes, const struct value_head *head,
                                          uint64_t bytes)
{
    const struct php *php = &runtimes->php;
    uint32_t type = head->references < REFERENCES_MAX ? head->type & TYPE_MASK : 0;
    if (type == TYPE_OBJECT && head->words[1] > CHUNK_BYTES && head->words[1] % 8 == 0) {
        struct runtime_class *class =
            runtime_class_at(&runtimes->classes, head->words[1], read_php_class, php);
        if (class && bin_bytes((uint64_t) class->bytes) == bytes)
            return class;
    }
    bool text = type == TYPE_STRING && head->words[1] < CHUNK_BYTES &&
                bin_bytes((STRING_HEAD + head->words[1] + 1 + 7) & ~(uint64_t)7) == bytes;
    uint64_t at = text                                          ? TYPE_STRING
                  : type == TYPE_ARRAY && is_array(head, bytes) ? TYPE_ARRAY
                                                                : bytes;
    return runtime_class_at(&runtimes->classes, at, name_block, NULL);
}

/* The address alone shows where a block begins. */
bool php_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                struct runtime_object *object)
{
    const struct php *php = &runtimes->php;
    uint64_t chunk = address & ~(uint64_t)(CHUNK_BYTES - 1);
    uint32_t words[PAGE_BYTES / 4];
    uint64_t first, bytes;
    struct value_head head = {0};
    (void)start;
    const uint32_t *map =
        process_read(php->pid, chunk, words, sizeof words) ? find_map(words) : NULL;
    if (!map || address - chunk < PAGE_BYTES ||
        !find_run(map, (address - chunk) / PAGE_BYTES, &first, &bytes))
        return false;
    uint64_t run = chunk + first * PAGE_BYTES;
    uint64_t at = address - (address - run) % bytes;
    if (!process_read(php->pid, at, &head, bytes < sizeof head ? bytes : sizeof head))
        return false;
    *object = (struct runtime_object){at, bytes, php_class_of(runtimes, &head, bytes)};
    return object->class;
}

/* Adds a row of the table: the offset and name of a property. */
static bool add_property(const struct php *php, struct runtime_members *members, uint64_t row_at,
                         uint64_t bytes)
{
    struct {
        uint64_t value, type, hash, name;
    } row;
    struct {
        uint32_t offset, flags;
    } known;
    char name[RUNTIME_NAME];
    if (!process_read(php->pid, row_at, &row, sizeof row) ||
        !process_read(php->pid, row.value, &known, sizeof known))
        return false;
    if (known.flags & PROPERTY_STATIC || !read_text(php->pid, row.name, name))
        return true;
    uint64_t offset = known.offset;
    return offset < OBJECT_HEAD || offset + VALUE_BYTES > bytes ||
           runtime_member(members, name, "zval", offset, VALUE_BYTES);
}

bool php_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                  struct arena *arena, struct type_desc *desc)
{
    const struct php *php = &runtimes->php;
    struct runtime_members members;
    struct value_head table;
    if (object->class->at <= CHUNK_BYTES ||
        !process_read(php->pid, object->class->at + CLASS_PROPERTIES_AT, &table, sizeof table) ||
        (table.type & TYPE_MASK) != TYPE_ARRAY || !runtime_members_init(&members, arena) ||
        !runtime_member(&members, "gc", "zend_refcounted", 0, 8) ||
        !runtime_member(&members, "ce", "zend_class_entry *", 16, 8))
        return false;
    uint32_t rows = (uint32_t)table.words[2];
    for (uint32_t i = 0; i < rows && i < PROPERTIES_MAX; i++)
        if (!add_property(php, &members, table.words[1] + i * 32, (uint64_t)object->class->bytes))
            return false;
    runtime_members_end(&members, object->class->name, object->bytes, desc);
    return true;
}
