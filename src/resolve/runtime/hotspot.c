/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the heap of a Java virtual machine; see runtime.h. Sources: vmStructs.hpp, klass.hpp,
 * markWord.hpp and fieldInfo.hpp of OpenJDK. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "resolve/elf/module.h"
#include "resolve/process/process.h"
#include "resolve/runtime/runtime.h"

enum {
    TABLE_ROWS_MAX = 1 << 14,
    TABLE_STRIDE_MAX = 128,
    TABLE_TEXT = 48,                /* bytes of a name that are compared */
    CLASS_TEXT = RUNTIME_NAME - 16, /* bytes of a name that are read; leaves room for "[]" */
    HEADER_BYTES = 24,
    OBJECT_ALIGN = 8,
    SUPERS_MAX = 32,
    FIELD_WORDS = 6, /* flags, name, signature, initial value, offset low, offset high */
    FIELD_STATIC = 8,
    FIELD_PLACE_BITS = 2, /* low bits of the offset: its kind */
    FIELD_PLACED = 1
};

#define PLACE(member) offsetof(struct hotspot_places, member)

/* Features that need an entry of the table. */
enum wanted_for { FOR_OBJECTS, FOR_FIELDS, FOR_CODE };

/* Some names differ in later versions. */
static const struct wanted {
    const char *type;
    const char *field;
    size_t place;
    enum wanted_for wanted_for;
} wanted[] = {
    {"Universe", "_collectedHeap", PLACE(heap), FOR_OBJECTS},
    {"CollectedHeap", "_reserved", PLACE(reserved), FOR_OBJECTS},
    {"MemRegion", "_start", PLACE(region_start), FOR_OBJECTS},
    {"MemRegion", "_word_size", PLACE(region_words), FOR_OBJECTS},
    {"Universe", "_narrow_klass._base", PLACE(class_base), FOR_OBJECTS},
    {"CompressedKlassPointers", "_narrow_klass._base", PLACE(class_base), FOR_OBJECTS},
    {"CompressedKlassPointers", "_base", PLACE(class_base), FOR_OBJECTS},
    {"Universe", "_narrow_klass._shift", PLACE(class_shift), FOR_OBJECTS},
    {"CompressedKlassPointers", "_narrow_klass._shift", PLACE(class_shift), FOR_OBJECTS},
    {"CompressedKlassPointers", "_shift", PLACE(class_shift), FOR_OBJECTS},
    {"oopDesc", "_metadata._compressed_klass", PLACE(object_class), FOR_OBJECTS},
    {"Klass", "_name", PLACE(class_name), FOR_OBJECTS},
    {"Klass", "_layout_helper", PLACE(class_layout), FOR_OBJECTS},
    {"Klass", "_super", PLACE(class_super), FOR_FIELDS},
    {"InstanceKlass", "_fields", PLACE(class_fields), FOR_FIELDS},
    {"InstanceKlass", "_java_fields_count", PLACE(class_field_count), FOR_FIELDS},
    {"InstanceKlass", "_constants", PLACE(class_constants), FOR_FIELDS},
    {"Symbol", "_length", PLACE(text_length), FOR_OBJECTS},
    {"Symbol", "_body", PLACE(text_bytes), FOR_OBJECTS},
    {"CodeCache", "_heaps", PLACE(code_heaps), FOR_CODE},
    {"GenericGrowableArray", "_len", PLACE(array_length), FOR_CODE},
    {"GrowableArrayBase", "_len", PLACE(array_length), FOR_CODE},
    {"GrowableArray<int>", "_data", PLACE(array_list), FOR_CODE},
    {"CodeHeap", "_memory", PLACE(code_memory), FOR_CODE},
    {"CodeHeap", "_segmap", PLACE(code_segments), FOR_CODE},
    {"CodeHeap", "_log2_segment_size", PLACE(code_shift), FOR_CODE},
    {"VirtualSpace", "_low", PLACE(space_low), FOR_CODE},
    {"VirtualSpace", "_high", PLACE(space_high), FOR_CODE},
    {"CodeBlob", "_name", PLACE(blob_name), FOR_CODE},
    {"CodeBlob", "_code_begin", PLACE(blob_start), FOR_CODE},
    {"CodeBlob", "_code_end", PLACE(blob_end), FOR_CODE},
    {"CompiledMethod", "_method", PLACE(blob_method), FOR_CODE},
    {"nmethod", "_method", PLACE(blob_method), FOR_CODE},
    {"Method", "_constMethod", PLACE(method_constant), FOR_CODE},
    {"ConstMethod", "_constants", PLACE(constant_pool), FOR_CODE},
    {"ConstMethod", "_name_index", PLACE(constant_name), FOR_CODE},
    {"ConstantPool", "_pool_holder", PLACE(pool_class), FOR_CODE},
};

/* Location of the table, and offsets in a row. */
struct table {
    uint64_t rows;
    uint64_t stride;
    uint64_t type;
    uint64_t field;
    uint64_t is_variable;
    uint64_t offset;
    uint64_t address;
};

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

static void read_table(struct hotspot *hotspot, const struct table *table)
{
    char type[TABLE_TEXT];
    char field[TABLE_TEXT];
    for (size_t i = 0; i < TABLE_ROWS_MAX; i++) {
        unsigned char row[TABLE_STRIDE_MAX];
        uint64_t at = table->rows + i * table->stride;
        if (!process_read(hotspot->pid, at, row, table->stride) || !word_at(row, table->type))
            return;
        read_text(hotspot->pid, word_at(row, table->type), type);
        read_text(hotspot->pid, word_at(row, table->field), field);
        take_row(&hotspot->places, table, row, type, field);
    }
}

static bool has_all_places(const struct hotspot_places *places, enum wanted_for wanted_for)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i].wanted_for == wanted_for &&
            word_at((const unsigned char *)places, wanted[i].place) == UINT64_MAX)
            return false;
    return true;
}

/* Reads the sizes of the structures, which are in another table. */
static void read_sizes(struct hotspot *hotspot, const struct module *library)
{
    pid_t pid = hotspot->pid;
    uint64_t rows;
    uint64_t stride;
    uint64_t name_at;
    uint64_t size_at;
    char name[TABLE_TEXT];
    if (!read_symbol(pid, library, "gHotSpotVMTypes", &rows) ||
        !read_symbol(pid, library, "gHotSpotVMTypeEntryArrayStride", &stride) ||
        !read_symbol(pid, library, "gHotSpotVMTypeEntryTypeNameOffset", &name_at) ||
        !read_symbol(pid, library, "gHotSpotVMTypeEntrySizeOffset", &size_at))
        return;
    for (size_t i = 0; i < TABLE_ROWS_MAX; i++) {
        uint64_t at;
        if (!read_word(pid, rows + i * stride + name_at, &at) || !at)
            return;
        read_text(pid, at, name);
        if (!strcmp(name, "ConstantPool"))
            read_word(pid, rows + i * stride + size_at, &hotspot->places.constants_bytes);
        else if (!strcmp(name, "HeapBlock"))
            read_word(pid, rows + i * stride + size_at, &hotspot->places.block_bytes);
    }
}

/* Reads the bounds of the heap, if the machine has already created it. */
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

void hotspot_detect(struct hotspot *hotspot, pid_t pid, const struct module *library)
{
    struct table table;
    hotspot->pid = pid;
    if (!hotspot->known && library && find_table(pid, library, &table)) {
        memset(&hotspot->places, 0xff, sizeof hotspot->places);
        read_table(hotspot, &table);
        read_sizes(hotspot, library);
        hotspot->known = has_all_places(&hotspot->places, FOR_OBJECTS);
    }
    if (hotspot->known && !hotspot->heap_end)
        read_heap(hotspot);
}

/* Formats a type name: "[[I" is int[][], "[Ljava/lang/String;" is java.lang.String[]. */
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

/* Reads a Symbol. Returns false if it does not look like a name. */
static bool read_name(const struct hotspot *hotspot, uint64_t symbol, char raw[CLASS_TEXT + 1])
{
    uint16_t length;
    if (!symbol || symbol % OBJECT_ALIGN ||
        !process_read(hotspot->pid, symbol + hotspot->places.text_length, &length, sizeof length) ||
        !length)
        return false;
    length = length < CLASS_TEXT ? length : CLASS_TEXT;
    if (!process_read(hotspot->pid, symbol + hotspot->places.text_bytes, raw, length))
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)raw[i] <= ' ' || raw[i] == 0x7f)
            return false;
    raw[length] = '\0';
    return true;
}

static bool read_hotspot_class(const void *runtime, struct runtime_class *class)
{
    const struct hotspot *hotspot = runtime;
    char raw[CLASS_TEXT + 1];
    uint64_t text;
    int32_t layout;
    if (class->at % OBJECT_ALIGN ||
        !read_word(hotspot->pid, class->at + hotspot->places.class_name, &text))
        return false;
    if (text == class->text)
        return true;
    *class = (struct runtime_class){.at = class->at, .text = text, .tick = class->tick};
    if (!read_name(hotspot, text, raw) ||
        !process_read(hotspot->pid, class->at + hotspot->places.class_layout, &layout,
                      sizeof layout) ||
        !layout)
        return false;
    class->bytes = layout;
    write_name(raw, class->name, sizeof class->name);
    return class->name[0];
}

static struct runtime_class *class_at(const struct hotspot *hotspot,
                                      struct runtime_classes *classes, uint32_t pointer)
{
    uint64_t at = hotspot->class_base + ((uint64_t)pointer << hotspot->class_shift);
    return runtime_class_at(classes, at, read_hotspot_class, hotspot);
}

/* Computes the size of an object from Klass::layout_helper(): above 0 the size of an instance;
 * otherwise an array's header size and the log2 of its element size. */
static uint64_t object_bytes(const struct runtime_class *class, int32_t length)
{
    uint32_t layout = (uint32_t) class->bytes;
    if (class->bytes > 0)
        return layout & -(uint32_t)OBJECT_ALIGN;
    uint64_t bytes = (layout >> 16 & 0xff) + ((uint64_t)(uint32_t)length << (layout & 0x3f));
    return length < 0 || (layout & 0xff) > 3 ? 0
                                             : (bytes + OBJECT_ALIGN - 1) & -(uint64_t)OBJECT_ALIGN;
}

/* The first word must be that of an unlocked object: a 31-bit hash, an age, and nothing above
 * (markWord.hpp). */
bool hotspot_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                    struct runtime_object *object)
{
    const struct hotspot *hotspot = &runtimes->hotspot;
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
    struct runtime_class *class =
        (mark & 3) == 1 && !(mark >> 39) ? class_at(hotspot, &runtimes->classes, pointer) : NULL;
    uint64_t bytes = class ? object_bytes(class, length) : 0;
    if (address - start >= bytes)
        return false;
    *object = (struct runtime_object){start, bytes, class};
    return true;
}

/* Fields */

struct fields {
    const struct hotspot *hotspot;
    struct runtime_members members;
    uint64_t constants;
};

/* Returns the size of a field by signature ("J": long). References are compressed below 32 GiB. */
static uint64_t field_bytes(const struct hotspot *hotspot, char signature)
{
    static const uint8_t bytes[] = {
        ['B'] = 1, ['C'] = 2, ['D'] = 8, ['F'] = 4, ['I'] = 4, ['J'] = 8, ['S'] = 2, ['Z'] = 1};
    unsigned char kind = (unsigned char)signature;
    uint64_t of_kind = kind < sizeof bytes ? bytes[kind] : 0;
    bool compressed = hotspot->heap_end - hotspot->heap_start <= (UINT64_C(32) << 30);
    return of_kind ? of_kind : compressed ? 4 : 8;
}

static bool read_constant(const struct fields *fields, uint16_t index, char raw[CLASS_TEXT + 1])
{
    uint64_t symbol;
    uint64_t at = fields->constants + fields->hotspot->places.constants_bytes;
    return read_word(fields->hotspot->pid, at + index * sizeof symbol, &symbol) &&
           read_name(fields->hotspot, symbol, raw);
}

static bool add_field(struct fields *fields, const uint16_t words[FIELD_WORDS])
{
    char name[CLASS_TEXT + 1];
    char signature[CLASS_TEXT + 2] = "[";
    char type[RUNTIME_NAME];
    uint32_t place = (uint32_t)words[5] << 16 | words[4];
    if (words[0] & FIELD_STATIC)
        return true;
    if ((place & ((1 << FIELD_PLACE_BITS) - 1)) != FIELD_PLACED ||
        !read_constant(fields, words[1], name) || !read_constant(fields, words[2], signature + 1))
        return false;
    /* Formats the field's type as an array of it, and removes the brackets. */
    write_name(signature, type, sizeof type);
    type[strlen(type) - 2] = '\0';
    return runtime_member(&fields->members, name, type, place >> FIELD_PLACE_BITS,
                          field_bytes(fields->hotspot, signature[1]));
}

static bool add_fields(struct fields *fields, uint64_t class)
{
    const struct hotspot_places *places = &fields->hotspot->places;
    pid_t pid = fields->hotspot->pid;
    uint16_t count;
    uint64_t list;
    if (!read_word(pid, class + places->class_fields, &list) ||
        !read_word(pid, class + places->class_constants, &fields->constants) ||
        !process_read(pid, class + places->class_field_count, &count, sizeof count))
        return false;
    list += sizeof(int32_t); /* skip the length */
    for (size_t i = 0; i < count; i++) {
        uint16_t words[FIELD_WORDS];
        if (!process_read(pid, list + i * sizeof words, words, sizeof words) ||
            !add_field(fields, words))
            return false;
    }
    return true;
}

bool hotspot_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                      struct arena *arena, struct type_desc *desc)
{
    const struct hotspot *hotspot = &runtimes->hotspot;
    const struct hotspot_places *places = &hotspot->places;
    struct fields fields = {.hotspot = hotspot};
    uint64_t class = object->class->at;
    if (!has_all_places(places, FOR_FIELDS) || places->constants_bytes == UINT64_MAX ||
        object->class->bytes < 0 || !runtime_members_init(&fields.members, arena) ||
        !runtime_member(&fields.members, "(mark)", "long", 0, places->object_class) ||
        !runtime_member(&fields.members, "(class)", "int", places->object_class, sizeof(int32_t)))
        return false;
    for (int depth = 0; class; depth++)
        if (depth == SUPERS_MAX || !add_fields(&fields, class) ||
            !read_word(hotspot->pid, class + places->class_super, &class))
            return false;
    const char *package = strrchr(object->class->name, '.');
    runtime_members_end(&fields.members, package ? package + 1 : object->class->name, object->bytes,
                        desc);
    return true;
}

/* Code */

enum {
    CODE_HEAPS_MAX = 16,
    SEGMENT_FREE = 0xff,
    SEGMENT_HOPS_MAX = 1 << 12,
    CODE_BYTES_MAX = 16 << 20
};

static bool read_space(const struct hotspot *hotspot, uint64_t at, uint64_t *low, uint64_t *high)
{
    return read_word(hotspot->pid, at + hotspot->places.space_low, low) &&
           read_word(hotspot->pid, at + hotspot->places.space_high, high);
}

/* Finds the first segment of a block in the segment map: each entry says how far to go back. */
static bool find_first(const struct hotspot *hotspot, uint64_t map, uint64_t segments,
                       uint64_t *segment)
{
    for (int i = 0; i < SEGMENT_HOPS_MAX; i++) {
        uint8_t back;
        if (*segment >= segments ||
            !process_read(hotspot->pid, map + *segment, &back, sizeof back) ||
            back == SEGMENT_FREE || back > *segment)
            return false;
        if (!back)
            return true;
        *segment -= back;
    }
    return false;
}

/* Returns the CodeBlob around an instruction; 0: none. */
static uint64_t find_blob(const struct hotspot *hotspot, uint64_t heap, uint64_t ip)
{
    const struct hotspot_places *places = &hotspot->places;
    uint64_t low, high, map, map_end, segment;
    int32_t shift;
    if (!read_space(hotspot, heap + places->code_memory, &low, &high) || ip < low || ip >= high ||
        !read_space(hotspot, heap + places->code_segments, &map, &map_end) || map_end < map ||
        !process_read(hotspot->pid, heap + places->code_shift, &shift, sizeof shift) || shift < 0 ||
        shift > 16)
        return 0;
    segment = (ip - low) >> shift;
    return find_first(hotspot, map, map_end - map, &segment)
               ? low + (segment << shift) + places->block_bytes
               : 0;
}

/* Formats the class and the method, as in "Orders.main". */
static bool name_method(const struct hotspot *hotspot, uint64_t method, char *out, size_t size)
{
    const struct hotspot_places *places = &hotspot->places;
    pid_t pid = hotspot->pid;
    char raw[CLASS_TEXT + 1];
    char class[RUNTIME_NAME];
    uint64_t constant, pool, holder, text;
    uint16_t name;
    if (!read_word(pid, method + places->method_constant, &constant) ||
        !read_word(pid, constant + places->constant_pool, &pool) ||
        !process_read(pid, constant + places->constant_name, &name, sizeof name) ||
        !read_word(pid, pool + places->pool_class, &holder) ||
        !read_word(pid, holder + places->class_name, &text) || !read_name(hotspot, text, raw))
        return false;
    write_name(raw, class, sizeof class);
    if (!read_word(pid, pool + places->constants_bytes + name * sizeof text, &text) ||
        !read_name(hotspot, text, raw))
        return false;
    snprintf(out, size, "%s.%s", class, raw);
    return true;
}

static bool read_blob(const struct hotspot *hotspot, uint64_t blob, uint64_t ip,
                      struct hotspot_code *code)
{
    const struct hotspot_places *places = &hotspot->places;
    char kind[TABLE_TEXT];
    uint64_t name, method;
    if (!read_word(hotspot->pid, blob + places->blob_start, &code->start) ||
        !read_word(hotspot->pid, blob + places->blob_end, &code->end) || ip < code->start ||
        ip >= code->end || code->end - code->start > CODE_BYTES_MAX ||
        !read_word(hotspot->pid, blob + places->blob_name, &name))
        return false;
    read_text(hotspot->pid, name, kind);
    if (strcmp(kind, "nmethod")) {
        snprintf(code->name, sizeof code->name, "%s", kind);
        return *kind;
    }
    return read_word(hotspot->pid, blob + places->blob_method, &method) &&
           name_method(hotspot, method, code->name, sizeof code->name);
}

bool hotspot_code(const struct hotspot *hotspot, uint64_t ip, struct hotspot_code *code)
{
    const struct hotspot_places *places = &hotspot->places;
    pid_t pid = hotspot->pid;
    uint64_t array, list;
    int32_t count;
    if (!hotspot->known || !has_all_places(places, FOR_CODE) || places->block_bytes == UINT64_MAX ||
        places->constants_bytes == UINT64_MAX || !read_word(pid, places->code_heaps, &array) ||
        !process_read(pid, array + places->array_length, &count, sizeof count) ||
        !read_word(pid, array + places->array_list, &list))
        return false;
    for (int i = 0; i < count && i < CODE_HEAPS_MAX; i++) {
        uint64_t heap;
        uint64_t blob = read_word(pid, list + (uint64_t)i * sizeof heap, &heap)
                            ? find_blob(hotspot, heap, ip)
                            : 0;
        if (blob)
            return read_blob(hotspot, blob, ip, code);
    }
    return false;
}
