/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads objects of a CPython interpreter; see runtime.h. Sources: Include/object.h and
 * Include/cpython/object.h. The parts used here are the same from 3.0 to 3.13. */
#include <string.h>

#include "resolve/elf/module.h"
#include "resolve/process/process.h"
#include "resolve/runtime/runtime.h"

enum {
    OBJECT_ALIGN = 8,
    ADDRESS_BITS = 47,
    PAGE_BYTES = 4096,
    OBJECT_BYTES_MAX = 1 << 20, /* limit of an instance without its items */
    REFERENCES_MAX_LOG2 = 40,   /* larger counts are pointers: a freed block begins with one */
    MEMBERS_MAX = 128,
    DIGIT_BYTES = 4, /* digit of an int; no other type has items of that size */
    TAG_BITS = 3,
    NAME_BYTES = RUNTIME_NAME - 1
};

/* PyObject, PyVarObject. */
struct object_head {
    uint64_t references;
    uint64_t type;
    int64_t items;
};

/* PyTypeObject: its start, and offsets of other parts. */
struct type_head {
    struct object_head head;
    uint64_t name;
    int64_t bytes;
    int64_t item_bytes;
};

enum {
    STRING_STATE_AT = 32,
    TYPE_MEMBERS_AT = 240,
    TYPE_DICTIONARY_AT = 288,
    TYPE_WEAK_LIST_AT = 208
};

/* PyMemberDef. */
struct member_row {
    uint64_t name;
    int32_t kind;
    int64_t offset;
    int32_t flags;
    uint64_t text;
};

void python_detect(struct python *python, pid_t pid, const struct module *library)
{
    const uint64_t first_tagged = 0x030c0000; /* 3.12; Py_Version exists since 3.11 */
    const struct symbol *symbol = library ? module_named(library, "PyType_Type") : NULL;
    const struct symbol *version = library ? module_named(library, "Py_Version") : NULL;
    uint64_t number = 0;
    python->pid = pid;
    if (symbol)
        python->type_of_types = symbol->start;
    if (version && process_read(pid, version->start, &number, sizeof number))
        python->tagged = number >= first_tagged;
}

static bool read_name(pid_t pid, uint64_t address, char out[NAME_BYTES + 1])
{
    size_t got = address ? process_read_some(pid, address, out, NAME_BYTES) : 0;
    out[got] = '\0';
    for (const char *at = out; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 0x7f)
            return false;
    return *out;
}

/* Returns true for PyType_Type, or for a type of that type (a metaclass). */
static bool is_type(const struct python *python, uint64_t type)
{
    struct object_head head;
    return type == python->type_of_types || (type && type % OBJECT_ALIGN == 0 &&
                                             process_read(python->pid, type, &head, sizeof head) &&
                                             head.type == python->type_of_types);
}

static bool read_python_class(const void *runtime, struct runtime_class *class)
{
    const struct python *python = runtime;
    struct type_head type;
    char name[NAME_BYTES + 1];
    if (!process_read(python->pid, class->at, &type, sizeof type) ||
        !is_type(python, type.head.type))
        return false;
    if (type.name == class->text && type.bytes == class->bytes)
        return true;
    *class = (struct runtime_class){.at = class->at, .text = type.name, .tick = class->tick};
    if (type.bytes < (int64_t)offsetof(struct object_head, items) ||
        type.bytes > OBJECT_BYTES_MAX || type.item_bytes < 0 ||
        type.item_bytes > OBJECT_BYTES_MAX || !read_name(python->pid, type.name, name))
        return false;
    class->bytes = type.bytes;
    class->item_bytes = type.item_bytes;
    memcpy(class->name, name, sizeof name);
    return true;
}

/* Returns the bytes per character of a string, from three bits of its state. They follow two bits
 * for interning, 16 bits from 3.14 on. Returns four if the bits are invalid. */
static unsigned character_bytes(const struct python *python, uint64_t start)
{
    uint32_t state;
    if (!process_read(python->pid, start + STRING_STATE_AT, &state, sizeof state))
        return 4;
    unsigned kind = state >> 2 & 7 ? state >> 2 & 7 : state >> 16 & 7;
    return kind == 1 || kind == 2 ? kind : 4;
}

/* The sign of an int is the sign of its number of digits, or below that number (longintrepr.h); 0
 * also has a digit. A string is longer than its type: its characters follow. */
static uint64_t object_bytes(const struct python *python, const struct runtime_class *class,
                             uint64_t start, int64_t items)
{
    bool text = !strcmp(class->name, "str");
    uint64_t count = items < 0 ? -(uint64_t)items : (uint64_t)items;
    if (python->tagged && class->item_bytes == DIGIT_BYTES)
        count = (uint64_t)items >> TAG_BITS;
    if (!count && class->item_bytes == DIGIT_BYTES)
        count = 1;
    uint64_t each = text ? character_bytes(python, start) : (uint64_t) class->item_bytes;
    return count < UINT32_MAX ? (uint64_t) class->bytes + count * each : (uint64_t) class->bytes;
}

bool python_object(struct runtimes *runtimes, uint64_t start, uint64_t address,
                   struct runtime_object *object)
{
    const struct python *python = &runtimes->python;
    struct object_head head;
    if (start % OBJECT_ALIGN || !process_read(python->pid, start, &head, sizeof head) ||
        !head.references || head.references >> REFERENCES_MAX_LOG2 || head.type % OBJECT_ALIGN ||
        head.type >> ADDRESS_BITS || head.type < PAGE_BYTES)
        return false;
    struct runtime_class *class =
        runtime_class_at(&runtimes->classes, head.type, read_python_class, python);
    uint64_t bytes = class ? object_bytes(python, class, start, head.items) : 0;
    char last;
    if (address - start >= bytes)
        return false;
    /* Reject numbers that look like an object's head. */
    if (bytes > PAGE_BYTES && !process_read(python->pid, start + bytes - 1, &last, sizeof last))
        return false;
    *object = (struct runtime_object){start, bytes, class};
    return true;
}

/* Returns the size of a member by its kind (structmember.h). */
static uint64_t member_bytes(int32_t kind)
{
    static const uint8_t bytes[] = {
        [0] = 2, [1] = 4,  [2] = 8,  [3] = 4,  [4] = 8,  [5] = 8,  [6] = 8,  [7] = 1,  [8] = 1,
        [9] = 1, [10] = 2, [11] = 4, [12] = 8, [14] = 1, [16] = 8, [17] = 8, [18] = 8, [19] = 8};
    return kind >= 0 && (size_t)kind < sizeof bytes ? bytes[kind] : 0;
}

/* Adds the __slots__ of a class, and the members that types written in C declare. */
static bool add_members(const struct python *python, struct runtime_members *members,
                        const struct runtime_object *object)
{
    uint64_t row_at;
    if (!process_read(python->pid, object->class->at + TYPE_MEMBERS_AT, &row_at, sizeof row_at))
        return false;
    for (int i = 0; row_at && i < MEMBERS_MAX; i++, row_at += sizeof(struct member_row)) {
        struct member_row row;
        char name[NAME_BYTES + 1];
        if (!process_read(python->pid, row_at, &row, sizeof row))
            return false;
        if (!row.name)
            return true;
        uint64_t bytes = member_bytes(row.kind);
        if (bytes && row.offset >= (int64_t)offsetof(struct object_head, items) &&
            (uint64_t)row.offset + bytes <= object->bytes &&
            (!read_name(python->pid, row.name, name) ||
             !runtime_member(members, name, "", (uint64_t)row.offset, bytes)))
            return false;
    }
    return true;
}

static bool add_pointer(const struct python *python, struct runtime_members *members,
                        const struct runtime_object *object, unsigned at, const char *name)
{
    int64_t offset;
    if (!process_read(python->pid, object->class->at + at, &offset, sizeof offset))
        return false;
    return offset <= 0 || (uint64_t)offset + sizeof(uint64_t) > object->bytes ||
           runtime_member(members, name, "", (uint64_t)offset, sizeof(uint64_t));
}

bool python_describe(const struct runtimes *runtimes, const struct runtime_object *object,
                     struct arena *arena, struct type_desc *desc)
{
    const struct python *python = &runtimes->python;
    struct runtime_members members;
    const uint32_t head_members = 2;
    /* Objects with items have different sizes. If the class has no members of its own, the type in
     * the code is more specific. */
    if (object->class->item_bytes || object->bytes != (uint64_t)object->class->bytes ||
        !runtime_members_init(&members, arena) ||
        !runtime_member(&members, "ob_refcnt", "Py_ssize_t", 0, sizeof(uint64_t)) ||
        !runtime_member(&members, "ob_type", "PyTypeObject *", offsetof(struct object_head, type),
                        sizeof(uint64_t)) ||
        !add_members(python, &members, object) ||
        !add_pointer(python, &members, object, TYPE_DICTIONARY_AT, "__dict__") ||
        !add_pointer(python, &members, object, TYPE_WEAK_LIST_AT, "__weakref__") ||
        members.count == head_members)
        return false;
    runtime_members_end(&members, object->class->name, object->bytes, desc);
    return true;
}
