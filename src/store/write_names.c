/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ids mean, written when they come up and when that has changed. */
#include "store/write_state.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

static bool strings_grow(struct store_writer *writer)
{
    const char **string = array_more(writer->string, &writer->string_room, writer->string_count,
                                     sizeof *string, UINT32_MAX);
    if (string)
        writer->string = string;
    return string;
}

static void put_string(struct store_writer *writer, uint64_t id, const char *text, size_t length)
{
    unsigned char *at = writer_room(writer, 3 * NUMBER_BYTES_MAX + length);
    at = number_put(number_put(number_put(at, STORE_STRING), id), length);
    memcpy(at, text, length);
    writer->at = at + length;
}

/* Two strings of one hash: the later is written each time, for the target names things. */
uint64_t writer_string(struct store_writer *writer, const char *text)
{
    if (!text)
        return 0;
    size_t length = strnlen(text, STORE_STRING_BYTES);
    uint64_t key = hash_bytes(text, length);
    const uint32_t *known = hash_find(&writer->string_ids, key);
    if (known && strlen(writer->string[*known]) == length &&
        !memcmp(writer->string[*known], text, length))
        return *known + 1;
    char *copy = arena_alloc(&writer->strings, length + 1);
    if (!copy || !strings_grow(writer))
        return 0;
    memcpy(copy, text, length);
    writer->string[writer->string_count++] = copy;
    uint32_t *id = hash_insert(&writer->string_ids, key, NULL);
    if (id)
        *id = (uint32_t)writer->string_count - 1;
    put_string(writer, writer->string_count, text, length);
    return writer->string_count;
}

static void put_member(struct store_writer *writer, uint64_t id, const struct type_member *member)
{
    uint64_t row[MEMBER_ROW_FIELDS] = {
        [MEMBER_ROW_NAME] = writer_string(writer, member->name),
        [MEMBER_ROW_TYPE] = writer_string(writer, member->type),
        [MEMBER_ROW_OFFSET] = member->offset,
        [MEMBER_ROW_SIZE] = member->size,
        [MEMBER_ROW_COUNT] = member->count,
        [MEMBER_ROW_STRIDE] = member->stride,
        [MEMBER_ROW_PARENT] = member->parent == TYPE_NO_MEMBER ? 0 : member->parent + 1,
        [MEMBER_ROW_DEPTH] = member->depth,
        [MEMBER_ROW_KIND] = member->kind,
        [MEMBER_ROW_BIT_OFFSET] = member->bit_offset,
        [MEMBER_ROW_BIT_SIZE] = member->bit_size,
    };
    writer_row(writer, STORE_MEMBER, id, row);
}

/* Types do not change once they are known. */
void writer_type(struct store_writer *writer, uint32_t type)
{
    const struct place_names *names = &writer->options.names;
    struct type_desc desc;
    size_t first = writer->rows[STORE_MEMBER].count;
    if (!type || rows_find(&writer->rows[STORE_TYPE], type) || !names->type ||
        !names->type(names->context, type, &desc) ||
        first + desc.member_count > writer->rows[STORE_MEMBER].limit)
        return;
    for (uint32_t i = 0; i < desc.member_count; i++)
        put_member(writer, first + i, &desc.members[i]);
    uint64_t row[TYPE_ROW_FIELDS] = {
        [TYPE_ROW_NAME] = writer_string(writer, desc.name),
        [TYPE_ROW_KIND] = desc.kind,
        [TYPE_ROW_SIZE] = desc.size,
        [TYPE_ROW_FIRST_MEMBER] = first,
        [TYPE_ROW_MEMBERS] = desc.member_count,
        [TYPE_ROW_CUT] = desc.cut,
    };
    writer_row(writer, STORE_TYPE, type, row);
}

static void describe_object(struct store_writer *writer, uint32_t object)
{
    const struct place_names *names = &writer->options.names;
    struct object_desc desc;
    if (!names->object || !names->object(names->context, object, &desc))
        return;
    writer_type(writer, desc.type_id);
    if (desc.part_of && desc.part_of != object)
        writer_object(writer, desc.part_of);
    uint64_t row[OBJECT_ROW_FIELDS] = {
        [OBJECT_ROW_NAME] = writer_string(writer, desc.name),
        [OBJECT_ROW_MODULE] = writer_string(writer, desc.module),
        [OBJECT_ROW_TYPE] = writer_string(writer, desc.type),
        [OBJECT_ROW_TYPE_ID] = desc.type_id,
        [OBJECT_ROW_VOTES] = desc.type_votes,
        [OBJECT_ROW_AGAINST] = desc.type_against,
        [OBJECT_ROW_KIND] = desc.kind,
        [OBJECT_ROW_ADDRESS] = desc.address,
        [OBJECT_ROW_SIZE] = desc.size_bytes,
        [OBJECT_ROW_BLOCKS] = desc.blocks,
        [OBJECT_ROW_PART_OF] = desc.part_of,
    };
    writer_row(writer, STORE_OBJECT, object, row);
}

static void describe_function(struct store_writer *writer, uint32_t function)
{
    const struct place_names *names = &writer->options.names;
    struct function_desc desc;
    if (!names->function || !names->function(names->context, function, &desc))
        return;
    uint64_t row[FUNCTION_ROW_FIELDS] = {
        [FUNCTION_ROW_NAME] = writer_string(writer, desc.name),
        [FUNCTION_ROW_MODULE] = writer_string(writer, desc.module),
        [FUNCTION_ROW_FILE] = writer_string(writer, desc.file),
        [FUNCTION_ROW_LINE] = desc.line,
        [FUNCTION_ROW_START] = desc.start,
        [FUNCTION_ROW_END] = desc.end,
    };
    writer_row(writer, STORE_FUNCTION, function, row);
}

void writer_object(struct store_writer *writer, uint32_t object)
{
    if (!rows_find(&writer->rows[STORE_OBJECT], object))
        describe_object(writer, object);
}

void writer_function(struct store_writer *writer, uint32_t function)
{
    if (!rows_find(&writer->rows[STORE_FUNCTION], function))
        describe_function(writer, function);
}

static void describe_thread(struct store_writer *writer, uint32_t tid)
{
    const struct place_names *names = &writer->options.names;
    char name[64];
    bool known = names->thread && names->thread(names->context, tid, name, sizeof name);
    uint64_t row[THREAD_ROW_FIELDS] = {[THREAD_ROW_NAME] =
                                           writer_string(writer, known ? name : NULL)};
    writer_row(writer, STORE_THREAD, tid, row);
}

void writer_thread(struct store_writer *writer, uint32_t tid)
{
    if (!rows_find(&writer->rows[STORE_THREAD], tid))
        describe_thread(writer, tid);
}

/* Threads name themselves soon after they start, and there may be many that have ended. */
void store_writer_name_threads(struct store_writer *writer)
{
    enum { NEW_THREADS = 64 };
    const struct rows *threads = &writer->rows[STORE_THREAD];
    if (writer->failed)
        return;
    for (size_t i = threads->count > NEW_THREADS ? threads->count - NEW_THREADS : 0;
         i < threads->count; i++)
        describe_thread(writer, (uint32_t)threads->ids[i]);
}

bool store_writer_thread(struct store_writer *writer, uint32_t tid, char *out, size_t out_size)
{
    writer_thread(writer, tid);
    const uint64_t *row = rows_find(&writer->rows[STORE_THREAD], tid);
    uint64_t name = row ? row[THREAD_ROW_NAME] : 0;
    snprintf(out, out_size, "%s", name ? writer->string[name - 1] : "");
    return name;
}

/* Only noted: its text and line are asked for at a sync, where no sample waits. */
void writer_address(struct store_writer *writer, uint64_t address)
{
    static const uint64_t nothing[INSTRUCTION_ROW_FIELDS];
    if (!rows_find(&writer->rows[STORE_INSTRUCTION], address))
        writer_row(writer, STORE_INSTRUCTION, address, nothing);
}

void store_writer_instruction(struct store_writer *writer, uint64_t address,
                              const struct instruction_desc *desc)
{
    uint64_t row[INSTRUCTION_ROW_FIELDS] = {0};
    const uint64_t *known = rows_find(&writer->rows[STORE_INSTRUCTION], address);
    if (known)
        memcpy(row, known, sizeof row);
    row[INSTRUCTION_ROW_FILE] = writer_string(writer, desc->file);
    row[INSTRUCTION_ROW_LINE] = desc->line;
    row[INSTRUCTION_ROW_INLINED] = writer_string(writer, desc->inlined);
    row[INSTRUCTION_ROW_ASKED] = 1;
    writer_row(writer, STORE_INSTRUCTION, address, row);
}

void store_writer_extent(struct store_writer *writer, const struct object_extent *extent)
{
    uint64_t row[EXTENT_ROW_FIELDS] = {
        [EXTENT_ROW_BOUND] = extent->bound, [EXTENT_ROW_OBJECT] = extent->object};
    if (extent->object)
        writer_object(writer, extent->object);
    writer_row(writer, STORE_EXTENT, extent->base, row);
}

static void describe_text(struct store_writer *writer, uint64_t address, const uint64_t *known)
{
    char text[256];
    uint64_t row[INSTRUCTION_ROW_FIELDS];
    memcpy(row, known, sizeof row);
    if (!writer->options.instruction_text ||
        !writer->options.instruction_text(writer->options.text_context, address, text, sizeof text))
        return;
    row[INSTRUCTION_ROW_TEXT] = writer_string(writer, text);
    writer_row(writer, STORE_INSTRUCTION, address, row);
}

/* Names of code in another program's profile are found by the file it lies in. */
static void describe_mapping(struct store_writer *writer, uint64_t address)
{
    const struct place_names *names = &writer->options.names;
    struct mapping_desc desc;
    if (!names->mapping || !names->mapping(names->context, address, &desc))
        return;
    uint64_t row[MAPPING_ROW_FIELDS] = {
        [MAPPING_ROW_END] = desc.end,
        [MAPPING_ROW_OFFSET] = desc.offset,
        [MAPPING_ROW_PATH] = writer_string(writer, desc.path),
        [MAPPING_ROW_BUILD_ID] = writer_string(writer, desc.build_id),
    };
    writer_row(writer, STORE_MAPPING, desc.start, row);
}

/* A part of them at each sync: a line may have to be looked up in debugging information. */
static void sync_instructions(struct store_writer *writer)
{
    enum { AT_ONCE = 512 };
    const struct place_names *names = &writer->options.names;
    const struct rows *rows = &writer->rows[STORE_INSTRUCTION];
    size_t count = rows->count < AT_ONCE ? rows->count : AT_ONCE;
    for (size_t i = 0; i < count; i++, writer->next_instruction++) {
        struct instruction_desc desc;
        if (writer->next_instruction >= rows->count)
            writer->next_instruction = 0;
        uint64_t address = rows->ids[writer->next_instruction];
        if (!rows_at(rows, writer->next_instruction)[INSTRUCTION_ROW_TEXT])
            describe_mapping(writer, address);
        if (!rows_at(rows, writer->next_instruction)[INSTRUCTION_ROW_TEXT])
            describe_text(writer, address, rows_at(rows, writer->next_instruction));
        if (!rows_at(rows, writer->next_instruction)[INSTRUCTION_ROW_ASKED] && names->instruction &&
            names->instruction(names->context, address, &desc))
            store_writer_instruction(writer, address, &desc);
    }
}

void writer_names_sync(struct store_writer *writer)
{
    const struct rows *objects = &writer->rows[STORE_OBJECT];
    const struct rows *functions = &writer->rows[STORE_FUNCTION];
    for (size_t i = 0; i < objects->count; i++)
        describe_object(writer, (uint32_t)objects->ids[i]);
    for (size_t i = 0; i < functions->count; i++)
        describe_function(writer, (uint32_t)functions->ids[i]);
    sync_instructions(writer);
}
