/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The heap of a Java machine; see runtime.h. Source: vmStructs.hpp of OpenJDK 8 to 21. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "resolve/elf/module.h"
#include "resolve/process/process.h"
#include "resolve/runtime/runtime.h"

enum {
    TABLE_ROWS_MAX = 1 << 14,
    TABLE_STRIDE_MAX = 128,
    TABLE_TEXT = 48, /* bytes of a name that are compared */
    CLASSES_MAX = 1 << 16,
    CLASS_TEXT = HOTSPOT_NAME - 16, /* bytes that are read of a name; the rest is for "[]" */
    HEADER_BYTES = 24,
    OBJECT_ALIGN = 8
};

#define PLACE(member) offsetof(struct hotspot_places, member)

/* Later versions call some of them otherwise. */
static const struct wanted {
    const char *type;
    const char *field;
    size_t place;
} wanted[] = {
    {"Universe", "_collectedHeap", PLACE(heap)},
    {"CollectedHeap", "_reserved", PLACE(reserved)},
    {"MemRegion", "_start", PLACE(region_start)},
    {"MemRegion", "_word_size", PLACE(region_words)},
    {"Universe", "_narrow_klass._base", PLACE(class_base)},
    {"CompressedKlassPointers", "_narrow_klass._base", PLACE(class_base)},
    {"CompressedKlassPointers", "_base", PLACE(class_base)},
    {"Universe", "_narrow_klass._shift", PLACE(class_shift)},
    {"CompressedKlassPointers", "_narrow_klass._shift", PLACE(class_shift)},
    {"CompressedKlassPointers", "_shift", PLACE(class_shift)},
    {"oopDesc", "_metadata._compressed_klass", PLACE(object_class)},
    {"Klass", "_name", PLACE(class_name)},
    {"Klass", "_layout_helper", PLACE(class_layout)},
    {"Symbol", "_length", PLACE(text_length)},
    {"Symbol", "_body", PLACE(text_bytes)},
};

/* Where a row of the table has what. */
struct table {
    uint64_t rows;
    uint64_t stride;
    uint64_t type;
    uint64_t field;
    uint64_t is_variable;
    uint64_t offset;
    uint64_t address;
};

void hotspot_forget(struct hotspot *hotspot)
{
    hotspot_fini(hotspot);
    *hotspot = (struct hotspot){.pid = hotspot->pid};
}

void hotspot_fini(struct hotspot *hotspot)
{
    hash_fini(&hotspot->class_of);
    free(hotspot->classes);
}

static bool read_word(pid_t pid, uint64_t address, uint64_t *word)
{
    return process_read(pid, address, word, sizeof *word);
}

static bool read_symbol(pid_t pid, const struct module *library, const char *name, uint64_t *word)
{
    const struct symbol *symbol = module_named(library, name);
    return symbol && read_word(pid, symbol->start, word);
}

static bool find_table(pid_t pid, const struct module *library, struct table *table)
{
    return read_symbol(pid, library, "gHotSpotVMStructs", &table->rows) &&
           read_symbol(pid, library, "gHotSpotVMStructEntryArrayStride", &table->stride) &&
           read_symbol(pid, library, "gHotSpotVMStructEntryTypeNameOffset", &table->type) &&
           read_symbol(pid, library, "gHotSpotVMStructEntryFieldNameOffset", &table->field) &&
           read_symbol(pid, library, "gHotSpotVMStructEntryIsStaticOffset", &table->is_variable) &&
           read_symbol(pid, library, "gHotSpotVMStructEntryOffsetOffset", &table->offset) &&
           read_symbol(pid, library, "gHotSpotVMStructEntryAddressOffset", &table->address) &&
           table->rows && table->stride >= sizeof(uint64_t) && table->stride <= TABLE_STRIDE_MAX &&
           table->type <= table->stride - 8 && table->field <= table->stride - 8 &&
           table->is_variable <= table->stride - 4 && table->offset <= table->stride - 8 &&
           table->address <= table->stride - 8;
}

static uint64_t word_at(const unsigned char *row, uint64_t offset)
{
    uint64_t word;
    memcpy(&word, row + offset, sizeof word);
    return word;
}

static void read_text(pid_t pid, uint64_t address, char text[TABLE_TEXT])
{
    size_t got = address ? process_read_some(pid, address, text, TABLE_TEXT - 1) : 0;
    text[got] = '\0';
}

static void take_row(struct hotspot_places *places, const struct table *table,
                     const unsigned char *row, const char *type, const char *field)
{
    int32_t is_variable;
    memcpy(&is_variable, row + table->is_variable, sizeof is_variable);
    uint64_t place = word_at(row, is_variable ? table->address : table->offset);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strcmp(type, wanted[i].type) && !strcmp(field, wanted[i].field))
            memcpy((char *)places + wanted[i].place, &place, sizeof place);
}

static bool names_wanted(const char *type)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strcmp(type, wanted[i].type))
            return true;
    return false;
}

static void read_table(struct hotspot *hotspot, const struct table *table)
{
    char type[TABLE_TEXT] = "";
    char field[TABLE_TEXT];
    uint64_t type_at = 0;
    for (size_t i = 0; i < TABLE_ROWS_MAX; i++) {
        unsigned char row[TABLE_STRIDE_MAX];
        uint64_t at = table->rows + i * table->stride;
        if (!process_read(hotspot->pid, at, row, table->stride) || !word_at(row, table->type))
            return;
        if (word_at(row, table->type) != type_at) {
            type_at = word_at(row, table->type);
            read_text(hotspot->pid, type_at, type);
        }
        if (!names_wanted(type))
            continue;
        read_text(hotspot->pid, word_at(row, table->field), field);
        take_row(&hotspot->places, table, row, type, field);
    }
}

static bool all_known(const struct hotspot_places *places)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (word_at((const unsigned char *)places, wanted[i].place) == UINT64_MAX)
            return false;
    return true;
}

/* Before the machine has made its heap there is none. */
static void read_heap(struct hotspot *hotspot)
{
    const struct hotspot_places *places = &hotspot->places;
    pid_t pid = hotspot->pid;
    uint64_t heap;
    uint64_t start;
    uint64_t words;
    if (!read_word(pid, places->heap, &heap) || !heap ||
        !read_word(pid, heap + places->reserved + places->region_start, &start) ||
        !read_word(pid, heap + places->reserved + places->region_words, &words) || !start ||
        !words || words > (UINT64_MAX - start) / sizeof(uint64_t) ||
        !read_word(pid, places->class_base, &hotspot->class_base) ||
        !process_read(pid, places->class_shift, &hotspot->class_shift,
                      sizeof hotspot->class_shift) ||
        hotspot->class_shift > OBJECT_ALIGN)
        return;
    hotspot->heap_start = start;
    hotspot->heap_end = start + words * sizeof(uint64_t);
}

void hotspot_tick(struct hotspot *hotspot, pid_t pid, const struct module *library)
{
    struct table table;
    hotspot->pid = pid;
    if (!hotspot->known && library && find_table(pid, library, &table)) {
        memset(&hotspot->places, 0xff, sizeof hotspot->places);
        read_table(hotspot, &table);
        hotspot->known = all_known(&hotspot->places);
    }
    if (hotspot->known && !hotspot->heap_end)
        read_heap(hotspot);
    /* Classes are unloaded, and others come in their place. */
    hash_clear(&hotspot->class_of);
    hotspot->count = 0;
}

/* "[[I" is int[][], "[Ljava/lang/String;" java.lang.String[]. */
static void write_name(const char *raw, char *out, size_t size)
{
    static const char *const elements[] = {
        ['B'] = "byte", ['C'] = "char", ['D'] = "double", ['F'] = "float",
        ['I'] = "int",  ['J'] = "long", ['S'] = "short",  ['Z'] = "boolean"};
    size_t depth = strspn(raw, "[");
    unsigned char kind = (unsigned char)raw[depth];
    const char *element =
        depth && kind < sizeof elements / sizeof *elements ? elements[kind] : NULL;
    const char *begin = raw + depth + (depth && kind == 'L');
    int length = (int)strlen(begin) - (depth && kind == 'L');
    snprintf(out, size, "%.*s", element ? (int)strlen(element) : length, element ? element : begin);
    for (char *at = out; *at; at++)
        *at = *at == '/' ? '.' : *at;
    for (size_t i = 0; i < depth; i++)
        text_append(out, size, "[]");
}

static bool read_class(struct hotspot *hotspot, uint64_t at, struct hotspot_class *class)
{
    const struct hotspot_places *places = &hotspot->places;
    char raw[CLASS_TEXT + 1];
    uint64_t text;
    uint16_t length;
    class->at = at;
    if (at % OBJECT_ALIGN || !read_word(hotspot->pid, at + places->class_name, &text) || !text ||
        text % OBJECT_ALIGN ||
        !process_read(hotspot->pid, at + places->class_layout, &class->layout,
                      sizeof class->layout) ||
        !class->layout ||
        !process_read(hotspot->pid, text + places->text_length, &length, sizeof length) || !length)
        return false;
    length = length < CLASS_TEXT ? length : CLASS_TEXT;
    if (!process_read(hotspot->pid, text + places->text_bytes, raw, length))
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)raw[i] <= ' ' || raw[i] == 0x7f)
            return false;
    raw[length] = '\0';
    write_name(raw, class->name, sizeof class->name);
    return class->name[0];
}

static const struct hotspot_class *class_at(struct hotspot *hotspot, uint32_t pointer)
{
    uint64_t at = hotspot->class_base + ((uint64_t)pointer << hotspot->class_shift);
    bool created;
    uint32_t *index = hash_insert(&hotspot->class_of, pointer, &created);
    struct hotspot_class *classes =
        array_more(hotspot->classes, &hotspot->room, hotspot->count, sizeof *classes, CLASSES_MAX);
    hotspot->classes = classes ? classes : hotspot->classes;
    if (index && created && classes && read_class(hotspot, at, &classes[hotspot->count]))
        *index = (uint32_t)++hotspot->count;
    return index && *index ? &hotspot->classes[*index - 1] : NULL;
}

/* Klass::layout_helper(): above 0 the size of an instance; else an array's header and the
 * logarithm of its elements' size. */
static uint64_t object_bytes(const struct hotspot_class *class, int32_t length)
{
    uint32_t layout = (uint32_t) class->layout;
    if (class->layout > 0)
        return layout & -(uint32_t)OBJECT_ALIGN;
    uint64_t bytes = (layout >> 16 & 0xff) + ((uint64_t)(uint32_t)length << (layout & 0x3f));
    return length < 0 || (layout & 0xff) > 3 ? 0
                                             : (bytes + OBJECT_ALIGN - 1) & -(uint64_t)OBJECT_ALIGN;
}

/* Whether an object of a class that is known begins there and holds the address. Its first word is
 * that of an unlocked object: a hash of 31 bits and an age, and nothing above (markWord.hpp). */
static bool object_at(struct hotspot *hotspot, uint64_t start, uint64_t address,
                      struct hotspot_object *object)
{
    unsigned char header[HEADER_BYTES];
    uint64_t pointer_at = hotspot->places.object_class;
    uint32_t pointer;
    int32_t length;
    if (start % OBJECT_ALIGN || !hotspot_holds(hotspot, start) || pointer_at > HEADER_BYTES - 8 ||
        !process_read(hotspot->pid, start, header, sizeof header))
        return false;
    uint64_t mark = word_at(header, 0);
    memcpy(&pointer, header + pointer_at, sizeof pointer);
    memcpy(&length, header + pointer_at + sizeof pointer, sizeof length);
    const struct hotspot_class *class =
        (mark & 3) == 1 && !(mark >> 39) ? class_at(hotspot, pointer) : NULL;
    uint64_t bytes = class ? object_bytes(class, length) : 0;
    if (address - start >= bytes)
        return false;
    *object = (struct hotspot_object){start, bytes, class->name};
    return true;
}

bool hotspot_find(struct hotspot *hotspot, const struct access *access, const uint64_t *regs,
                  struct hotspot_object *object)
{
    /* An index leads to an element, or is the compressed pointer to the object itself. */
    if (access->index < SREG_COUNT && access->base < SREG_COUNT && regs &&
        object_at(hotspot, regs[access->base], access->address, object))
        return true;
    return object_at(hotspot, access->address - (uint64_t)(int64_t)access->displacement,
                     access->address, object);
}
