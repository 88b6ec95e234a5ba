/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads objects of V8 in Node.js; see runtime.h. Sources: tools/gen-postmortem-metadata.py of V8,
 * which generates the constants; include/v8-internal.h for tagged words. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "resolve/elf/module.h"
#include "resolve/process/process.h"
#include "resolve/runtime/runtime.h"

enum {
    WORD = 8,
    SMI_SHIFT = 32, /* small integers without pointer compression */
    TEXT_MAX = 96,
    BACK_POINTERS_MAX = 256,
    SCOPE_SLOTS_MAX = 256,
    SCOPE_LOCALS_MAX = 75, /* if there are more, they are in a separate table */
    FIELDS_MAX = 256,
    NAMES_MAX = 3
};

/* An offset or a number, the shift of a bit-field, or its mask. */
#define CONSTANT(name, member)                                                                     \
    {                                                                                              \
        "v8dbg_" name, offsetof(struct v8_constants, member), UINT16_MAX                           \
    }
#define SHIFT(name, member)                                                                        \
    {                                                                                              \
        "v8dbg_" name, offsetof(struct v8_constants, member), 31                                   \
    }
#define MASK(name, member)                                                                         \
    {                                                                                              \
        "v8dbg_" name, offsetof(struct v8_constants, member), INT32_MAX                            \
    }

static const struct {
    const char *symbol;
    size_t place;
    int32_t most;
} wanted[] = {
    CONSTANT("HeapObjectTag", tag),
    MASK("HeapObjectTagMask", tag_mask),
    CONSTANT("class_HeapObject__map__Map", map),
    CONSTANT("class_Map__instance_type__uint16_t", map_type),
    CONSTANT("class_Map__instance_size_in_words__char", map_words),
    CONSTANT("class_Map__constructor_or_back_pointer__Object", map_maker),
    CONSTANT("class_Map__instance_descriptors__DescriptorArray", map_fields),
    CONSTANT("class_Map__bit_field3__int", map_bits),
    CONSTANT("class_Map__inobject_properties_start_or_constructor_function_index__char", map_first),
    SHIFT("bit_field3_is_dictionary_map_shift", is_dictionary_shift),
    MASK("bit_field3_number_of_own_descriptors_mask", fields_mask),
    SHIFT("bit_field3_number_of_own_descriptors_shift", fields_shift),
    CONSTANT("class_DescriptorArray__header_size__uintptr_t", fields_header),
    CONSTANT("prop_desc_size", field_words),
    CONSTANT("prop_desc_key", field_key),
    CONSTANT("prop_desc_details", field_details),
    MASK("prop_location_mask", location_mask),
    SHIFT("prop_location_shift", location_shift),
    CONSTANT("prop_location_Field", location_field),
    MASK("prop_index_mask", index_mask),
    SHIFT("prop_index_shift", index_shift),
    CONSTANT("class_JSFunction__shared__SharedFunctionInfo", shared),
    CONSTANT("class_SharedFunctionInfo__name_or_scope_info__Object", function_name),
    CONSTANT("class_String__length__int32_t", text_length),
    CONSTANT("class_SeqOneByteString__chars__char", text_bytes),
    CONSTANT("FirstNonstringType", texts_end),
    MASK("StringEncodingMask", encoding_mask),
    CONSTANT("OneByteStringTag", encoding_byte),
    MASK("StringRepresentationMask", form_mask),
    CONSTANT("SeqStringTag", form_plain),
    CONSTANT("class_FixedArrayBase__length__SMI", array_length),
    CONSTANT("scopeinfo_idx_ncontextlocals", scope_locals),
    CONSTANT("scopeinfo_idx_first_vars", scope_first),
    CONSTANT("type_Map__MAP_TYPE", type_map),
    CONSTANT("type_JSObject__JS_OBJECT_TYPE", type_object),
    CONSTANT("type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", type_function),
    CONSTANT("type_ScopeInfo__SCOPE_INFO_TYPE", type_scope),
};

/* Reads the kinds of objects by number, as in v8dbg_type_FixedArray__FIXED_ARRAY_TYPE. */
static void read_types(struct v8 *v8, const struct module *library)
{
    static const char before[] = "v8dbg_type_";
    const struct symbols *symbols = module_objects(library);
    for (size_t i = 0; i < symbols->count && v8->type_count < V8_TYPES; i++) {
        const struct symbol *symbol = &symbols->at[i];
        struct v8_type *type = &v8->types[v8->type_count];
        if (strncmp(symbol->name, before, sizeof before - 1) ||
            !process_read(v8->pid, symbol->start, &type->number, sizeof type->number))
            continue;
        const char *name = symbol->name + sizeof before - 1;
        const char *end = strstr(name, "__");
        snprintf(type->name, sizeof type->name, "%.*s", end ? (int)(end - name) : TEXT_MAX, name);
        v8->type_count++;
    }
}

void v8_detect(struct v8 *v8, pid_t pid, const struct module *library)
{
    v8->pid = pid;
    if (!library)
        return;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct symbol *symbol = module_named(library, wanted[i].symbol);
        int32_t *place = (int32_t *)((char *)&v8->constants + wanted[i].place);
        if (!symbol || !process_read(pid, symbol->start, place, sizeof *place) || *place < 0 ||
            *place > wanted[i].most)
            return;
    }
    v8->type_count = 0;
    read_types(v8, library);
    v8->known = true;
}

/* Reads a word, or a tagged pointer, which read_pointer() returns untagged; 0: no pointer. */
static bool read_word(const struct v8 *v8, uint64_t at, uint64_t *word)
{
    return process_read(v8->pid, at, word, sizeof *word);
}

static uint64_t read_pointer(const struct v8 *v8, uint64_t at)
{
    uint64_t word;
    return read_word(v8, at, &word) &&
                   (word & (uint64_t)v8->constants.tag_mask) == (uint64_t)v8->constants.tag
               ? word - (uint64_t)v8->constants.tag
               : 0;
}

static int type_of_map(const struct v8 *v8, uint64_t map)
{
    uint16_t type;
    return map && process_read(v8->pid, map + (uint64_t)v8->constants.map_type, &type, sizeof type)
               ? type
               : -1;
}

static int type_of(const struct v8 *v8, uint64_t object)
{
    return object ? type_of_map(v8, read_pointer(v8, object + (uint64_t)v8->constants.map)) : -1;
}

/* Returns true if an object is a map: its own map is its own map. */
static bool is_map(const struct v8 *v8, uint64_t map)
{
    uint64_t of_maps = map % WORD ? 0 : read_pointer(v8, map + (uint64_t)v8->constants.map);
    return of_maps && read_pointer(v8, of_maps + (uint64_t)v8->constants.map) == of_maps &&
           type_of_map(v8, of_maps) == v8->constants.type_map;
}

/* Reads a flat one-byte string. */
static bool read_text(const struct v8 *v8, uint64_t text, char out[TEXT_MAX])
{
    int type = type_of(v8, text);
    int32_t length;
    if (type < 0 || type >= v8->constants.texts_end ||
        (type & v8->constants.encoding_mask) != v8->constants.encoding_byte ||
        (type & v8->constants.form_mask) != v8->constants.form_plain ||
        !process_read(v8->pid, text + (uint64_t)v8->constants.text_length, &length,
                      sizeof length) ||
        length <= 0)
        return false;
    length = length < TEXT_MAX ? length : TEXT_MAX - 1;
    if (!process_read(v8->pid, text + (uint64_t)v8->constants.text_bytes, out, (size_t)length))
        return false;
    for (int i = 0; i < length; i++)
        if ((unsigned char)out[i] <= ' ' || out[i] == 0x7f)
            return false;
    out[length] = '\0';
    return true;
}

static int64_t small_integer(uint64_t word)
{
    return (int64_t)word >> SMI_SHIFT;
}

/* Reads a function's name from its scope, after the names of variables used by closures. */
static bool read_name_of_scope(const struct v8 *v8, uint64_t scope, char out[TEXT_MAX])
{
    uint64_t slots[SCOPE_SLOTS_MAX];
    size_t got = process_read_some(v8->pid, scope + WORD, slots, sizeof slots) / WORD;
    if (got <= (size_t)v8->constants.scope_first ||
        v8->constants.scope_locals >= v8->constants.scope_first)
        return false;
    int64_t locals = small_integer(slots[v8->constants.scope_locals]);
    if (locals < 0 || locals >= SCOPE_LOCALS_MAX)
        return false;
    size_t end = (size_t)v8->constants.scope_first + 2 * (size_t)locals + 2 * NAMES_MAX;
    for (size_t i = (size_t)v8->constants.scope_first; i < got && i < end; i++) {
        uint64_t text = (slots[i] & (uint64_t)v8->constants.tag_mask) == (uint64_t)v8->constants.tag
                            ? slots[i] - (uint64_t)v8->constants.tag
                            : 0;
        int type = type_of(v8, text);
        if (type >= 0 && type < v8->constants.texts_end && !locals--)
            return read_text(v8, text, out);
    }
    return false;
}

/* Reads the name of the function that creates objects of a map. */
static bool read_constructor_name(const struct v8 *v8, uint64_t map, char out[TEXT_MAX])
{
    uint64_t maker = map;
    for (int i = 0; i < BACK_POINTERS_MAX && type_of(v8, maker) == v8->constants.type_map; i++)
        maker = read_pointer(v8, maker + (uint64_t)v8->constants.map_maker);
    uint64_t function = maker ? read_pointer(v8, maker + (uint64_t)v8->constants.shared) : 0;
    if (type_of(v8, function) != v8->constants.type_function)
        return false;
    uint64_t name = read_pointer(v8, function + (uint64_t)v8->constants.function_name);
    return type_of(v8, name) == v8->constants.type_scope ? read_name_of_scope(v8, name, out)
                                                         : read_text(v8, name, out);
}

static const char *type_name(const struct v8 *v8, int type)
{
    if (type >= 0 && type < v8->constants.texts_end)
        return "string";
    for (size_t i = 0; i < v8->type_count; i++)
        if (v8->types[i].number == type)
            return v8->types[i].name;
    return NULL;
}

/* Reads a class, which is a map: objects with the same fields. */
static bool read_v8_class(const void *runtime, struct runtime_class *class)
{
    const struct v8 *v8 = runtime;
    char maker[TEXT_MAX];
    uint8_t words;
    uint64_t fields;
    int type = is_map(v8, class->at) ? type_of_map(v8, class->at) : -1;
    const char *name = type_name(v8, type);
    if (!name ||
        !process_read(v8->pid, class->at + (uint64_t)v8->constants.map_words, &words,
                      sizeof words) ||
        !read_word(v8, class->at + (uint64_t)v8->constants.map_fields, &fields))
        return false;
    if (fields == class->text && words * WORD == class->bytes && class->name[0])
        return true;
    *class = (struct runtime_class){
        .at = class->at, .text = fields, .bytes = words * WORD, .tick = class->tick};
    if (type == v8->constants.type_object && read_constructor_name(v8, class->at, maker))
        name = maker;
    snprintf(class->name, sizeof class->name, "%s", name);
    return true;
}

/* Computes an object's size. Without a fixed size it is an array of words or a string. */
static uint64_t object_bytes(const struct v8 *v8, const struct runtime_class *class, uint64_t start)
{
    uint64_t length;
    int32_t characters;
    if (class->bytes)
        return (uint64_t) class->bytes;
    if (!strcmp(class->name, "string"))
        return process_read(v8->pid, start + (uint64_t)v8->constants.text_length, &characters,
                            sizeof characters) &&
                       characters >= 0
                   ? (uint64_t)v8->constants.text_bytes + 2 * (uint64_t)characters
                   : 0;
    if (!read_word(v8, start + (uint64_t)v8->constants.array_length, &length) || (uint32_t)length ||
        small_integer(length) < 0)
        return 0;
    return (uint64_t)v8->constants.array_length + WORD + WORD * (uint64_t)small_integer(length);
}

bool v8_object(struct runtimes *runtimes, uint64_t pointer, uint64_t address,
               struct runtime_object *object)
{
    const struct v8 *v8 = &runtimes->v8;
    uint64_t start = pointer - (uint64_t)v8->constants.tag;
    uint64_t map = start % WORD ? 0 : read_pointer(v8, start + (uint64_t)v8->constants.map);
    struct runtime_class *class =
        map ? runtime_class_at(&runtimes->classes, map, read_v8_class, v8) : NULL;
    uint64_t bytes = class ? object_bytes(v8, class, start) : 0;
    if (address - start >= bytes)
        return false;
    *object = (struct runtime_object){start, bytes, class};
    return true;
}

static bool add_field(const struct v8 *v8, struct runtime_members *members, uint64_t row,
                      uint64_t first, uint64_t bytes)
{
    char name[TEXT_MAX];
    uint64_t details;
    if (!read_word(v8, row + WORD * (uint64_t)v8->constants.field_details, &details))
        return false;
    int32_t of = (int32_t)small_integer(details);
    uint64_t index =
        ((uint32_t)of & (uint32_t)v8->constants.index_mask) >> v8->constants.index_shift;
    uint64_t offset = (first + index) * WORD;
    if ((of & v8->constants.location_mask) >> v8->constants.location_shift !=
            v8->constants.location_field ||
        offset + WORD > bytes)
        return true; /* it is stored elsewhere */
    if (!read_text(v8, read_pointer(v8, row + WORD * (uint64_t)v8->constants.field_key), name))
        snprintf(name, sizeof name, "(symbol)");
    return runtime_member(members, name, "", offset, WORD);
}

static bool add_fields(const struct v8 *v8, struct runtime_members *members,
                       const struct runtime_object *object)
{
    uint64_t map = object->class->at;
    uint64_t list = read_pointer(v8, map + (uint64_t)v8->constants.map_fields);
    uint32_t bits;
    uint8_t first;
    if (!list ||
        !process_read(v8->pid, map + (uint64_t)v8->constants.map_bits, &bits, sizeof bits) ||
        !process_read(v8->pid, map + (uint64_t)v8->constants.map_first, &first, sizeof first) ||
        bits >> v8->constants.is_dictionary_shift & 1)
        return false;
    uint32_t count = (bits & (uint32_t)v8->constants.fields_mask) >> v8->constants.fields_shift;
    for (uint32_t i = 0; i < count && i < FIELDS_MAX; i++)
        if (!add_field(v8, members,
                       list + (uint64_t)v8->constants.fields_header +
                           (uint64_t)i * WORD * (uint64_t)v8->constants.field_words,
                       first, object->bytes))
            return false;
    return true;
}

bool v8_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                 struct arena *arena, struct type_desc *desc)
{
    const struct v8 *v8 = &runtimes->v8;
    struct runtime_members members;
    if (!object->class->bytes || type_of_map(v8, object->class->at) != v8->constants.type_object ||
        !runtime_members_init(&members, arena) || !runtime_member(&members, "(map)", "", 0, WORD) ||
        !runtime_member(&members, "(properties)", "", WORD, WORD) ||
        !runtime_member(&members, "(elements)", "", 2 * WORD, WORD) ||
        !add_fields(v8, &members, object))
        return false;
    runtime_members_end(&members, object->class->name, object->bytes, desc);
    return true;
}
