/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_write.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "store/form.h"

struct store_writer {
    struct store_writer_options options;
    int fd;
    int failed;               /* negative errno of a failed write */
    struct store_block block; /* current block */
    unsigned char *payload;   /* [STORE_BLOCK_BYTES] */
    unsigned char *at;
    uint64_t file_bytes;
    uint64_t last_ns;              /* time of the last place, for differences */
    uint64_t line_ns;              /* time of the last line, for differences */
    uint64_t end_ns;               /* time of the last place, line or refresh */
    struct rows rows[STORE_KINDS]; /* as they are in the file */
    uint64_t (*slots)[PLACE_ROW_FIELDS];
    size_t next_instruction; /* next instruction to describe */
    struct arena strings;
    const char **string; /* [string_count], by id from 1 */
    size_t string_count;
    size_t string_room;
    struct hash string_ids; /* by hash of the bytes; id - 1 */
};

static unsigned char *writer_room(struct store_writer *writer, size_t bytes);
static void writer_row(struct store_writer *writer, enum store_kind kind, uint64_t id,
                       const uint64_t *now);

static bool writer_ask(const struct store_writer *writer, enum place_question question,
                       uint64_t number, union place_answer *answer)
{
    return place_ask(&writer->options.names, question, number, answer);
}

/* The meaning of ids, written when they first occur and when it changes. */

static void put_string(struct store_writer *writer, uint64_t id, const char *text, size_t length)
{
    unsigned char *at = writer_room(writer, 3 * NUMBER_BYTES_MAX + length);
    at = number_put(number_put(number_put(at, STORE_STRING), id), length);
    memcpy(at, text, length);
    writer->at = at + length;
}

/* Returns the id of a string. If two strings have the same hash, which the target can cause, the
 * second is written every time. */
static uint64_t writer_string(struct store_writer *writer, const char *text)
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
    if (!copy || !array_reserve_next(&writer->string, &writer->string_room, writer->string_count,
                                     sizeof *writer->string, UINT32_MAX))
        return 0;
    memcpy(copy, text, length);
    writer->string[writer->string_count++] = copy;
    uint32_t *id = hash_insert(&writer->string_ids, key, NULL);
    if (id)
        *id = (uint32_t)writer->string_count - 1;
    put_string(writer, writer->string_count, text, length);
    return writer->string_count;
}

/* Fills in the listed fields of a row from the members of a value. */
static void writer_fill(struct store_writer *writer, enum store_kind kind, const void *value,
                        uint64_t *row)
{
    unsigned count;
    const struct row_field *field = store_form_list(kind, &count);
    for (unsigned i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)value + field[i].at;
        if (field[i].type == ROW_BY_HAND)
            continue;
        row[i] = 0;
        if (field[i].type == ROW_DOUBLE)
            row[i] = number_of_double(*(const double *)(const void *)at);
        else if (field[i].type == ROW_CHARS)
            row[i] = writer_string(writer, (const char *)at);
        else if (field[i].type == ROW_STRING || field[i].type == ROW_NAME)
            row[i] = writer_string(writer, *(const char *const *)(const void *)at);
        else
            memcpy(&row[i], at, field[i].size);
    }
}

static void writer_put(struct store_writer *writer, enum store_kind kind, uint64_t id,
                       const void *value)
{
    uint64_t row[ROWS_FIELDS_MAX] = {0};
    writer_fill(writer, kind, value, row);
    writer_row(writer, kind, id, row);
}

static void put_member(struct store_writer *writer, uint64_t id, const struct type_member *member)
{
    uint64_t row[ROWS_FIELDS_MAX] = {[MEMBER_ROW_PARENT] = member->parent + 1};
    writer_fill(writer, STORE_MEMBER, member, row);
    writer_row(writer, STORE_MEMBER, id, row);
}

/* Writes a type. Types do not change once they are known. */
static void writer_type(struct store_writer *writer, uint32_t type)
{
    union place_answer answer;
    const struct type_desc *desc = &answer.type;
    size_t first = writer->rows[STORE_MEMBER].count;
    if (!type || rows_find(&writer->rows[STORE_TYPE], type) ||
        !writer_ask(writer, PLACE_TYPE, type, &answer) ||
        first + desc->member_count > writer->rows[STORE_MEMBER].limit)
        return;
    for (uint32_t i = 0; i < desc->member_count; i++)
        put_member(writer, first + i, &desc->members[i]);
    uint64_t row[ROWS_FIELDS_MAX] = {
        [TYPE_ROW_FIRST_MEMBER] = first, [TYPE_ROW_MEMBERS] = desc->member_count};
    writer_fill(writer, STORE_TYPE, desc, row);
    writer_row(writer, STORE_TYPE, type, row);
}

static void writer_object(struct store_writer *writer, uint32_t object);

static void describe_object(struct store_writer *writer, uint32_t object)
{
    union place_answer answer;
    const struct object_desc *desc = &answer.object;
    if (!writer_ask(writer, PLACE_OBJECT, object, &answer))
        return;
    writer_type(writer, desc->type_id);
    if (desc->part_of && desc->part_of != object)
        writer_object(writer, desc->part_of);
    writer_put(writer, STORE_OBJECT, object, desc);
}

static void describe_function(struct store_writer *writer, uint32_t function)
{
    union place_answer answer;
    if (writer_ask(writer, PLACE_FUNCTION, function, &answer))
        writer_put(writer, STORE_FUNCTION, function, &answer.function);
}

static void writer_object(struct store_writer *writer, uint32_t object)
{
    if (!rows_find(&writer->rows[STORE_OBJECT], object))
        describe_object(writer, object);
}

static void writer_function(struct store_writer *writer, uint32_t function)
{
    if (!rows_find(&writer->rows[STORE_FUNCTION], function))
        describe_function(writer, function);
}

/* Writes a caller node, after its parents. */
static void writer_caller(struct store_writer *writer, uint32_t node)
{
    union place_answer answer;
    if (rows_find(&writer->rows[STORE_CALLER], node) ||
        !writer_ask(writer, PLACE_CALLER, node, &answer))
        return;
    struct caller_desc desc = answer.caller;
    if (desc.parent)
        writer_caller(writer, desc.parent);
    writer_function(writer, desc.function);
    writer_put(writer, STORE_CALLER, node, &desc);
}

static void describe_thread(struct store_writer *writer, uint32_t tid)
{
    union place_answer answer;
    bool known = writer_ask(writer, PLACE_THREAD, tid, &answer);
    uint64_t name = writer_string(writer, known ? answer.thread : NULL);
    writer_row(writer, STORE_THREAD, tid, &name);
}

static void writer_thread(struct store_writer *writer, uint32_t tid)
{
    if (!rows_find(&writer->rows[STORE_THREAD], tid))
        describe_thread(writer, tid);
}

/* Updates new threads, which get their names soon after they start. */
static void name_threads(struct store_writer *writer)
{
    enum { NEW_THREADS = 64 };
    const struct rows *threads = &writer->rows[STORE_THREAD];
    for (size_t i = threads->count > NEW_THREADS ? threads->count - NEW_THREADS : 0;
         i < threads->count; i++)
        describe_thread(writer, (uint32_t)threads->ids[i]);
}

static void put_pairs(struct store_writer *writer, enum line_pairs kind, uint8_t level)
{
    union place_answer answer;
    for (uint64_t number = line_pair_number(kind, level, 0);
         writer_ask(writer, PLACE_PAIR, number, &answer); number++) {
        number = line_pair_number(kind, level, answer.pair.slot);
        writer_put(writer, STORE_PAIR, number, &answer.pair);
    }
}

void store_writer_begin_refresh(struct store_writer *writer)
{
    if (!writer || writer->failed)
        return;
    name_threads(writer);
    for (enum line_pairs kind = 0; kind < LINE_PAIRS; kind++)
        for (uint8_t level = 0; level < SIMULATION_LEVELS_MAX; level++)
            put_pairs(writer, kind, level);
}

/* Returns the name in the file: a name changed between two refreshes is not in the replay. */
static bool write_thread_answer(struct store_writer *writer, uint32_t tid,
                                union place_answer *answer)
{
    writer_thread(writer, tid);
    const uint64_t *row = rows_find(&writer->rows[STORE_THREAD], tid);
    uint64_t name = row ? row[THREAD_ROW_NAME] : 0;
    snprintf(answer->thread, sizeof answer->thread, "%s", name ? writer->string[name - 1] : "");
    return name;
}

/* Only adds the address: text and line are looked up at a sync, when no sample waits. */
static void writer_address(struct store_writer *writer, uint64_t address)
{
    static const uint64_t nothing[ROWS_FIELDS_MAX];
    if (!rows_find(&writer->rows[STORE_INSTRUCTION], address))
        writer_row(writer, STORE_INSTRUCTION, address, nothing);
}

static void put_instruction(struct store_writer *writer, uint64_t address,
                            const struct instruction_desc *desc)
{
    uint64_t row[ROWS_FIELDS_MAX] = {[INSTRUCTION_ROW_ASKED] = 1};
    const uint64_t *known = rows_find(&writer->rows[STORE_INSTRUCTION], address);
    row[INSTRUCTION_ROW_TEXT] = known ? known[INSTRUCTION_ROW_TEXT] : 0;
    writer_fill(writer, STORE_INSTRUCTION, desc, row);
    writer_row(writer, STORE_INSTRUCTION, address, row);
}

static void put_extent(struct store_writer *writer, const struct object_extent *extent)
{
    if (extent->object)
        writer_object(writer, extent->object);
    writer_put(writer, STORE_EXTENT, extent->base, extent);
}

static void describe_text(struct store_writer *writer, uint64_t address, const uint64_t *known)
{
    char text[256];
    const struct rows *rows = &writer->rows[STORE_INSTRUCTION];
    uint64_t row[ROWS_FIELDS_MAX];
    memcpy(row, known, rows->fields * sizeof *row);
    if (!writer->options.instruction_text ||
        !writer->options.instruction_text(writer->options.text_context, address, text, sizeof text))
        return;
    row[INSTRUCTION_ROW_TEXT] = writer_string(writer, text);
    writer_row(writer, STORE_INSTRUCTION, address, row);
}

/* Names of code in another program's profile are found by the file of the mapping. */
static void describe_mapping(struct store_writer *writer, uint64_t address)
{
    union place_answer answer;
    if (writer_ask(writer, PLACE_MAPPING, address, &answer))
        writer_put(writer, STORE_MAPPING, answer.mapping.start, &answer.mapping);
}

/* Describes some instructions per sync, because a line may require debugging information. */
static void write_some_instructions(struct store_writer *writer)
{
    enum { AT_ONCE = 512 };
    const struct rows *rows = &writer->rows[STORE_INSTRUCTION];
    size_t count = rows->count < AT_ONCE ? rows->count : AT_ONCE;
    for (size_t i = 0; i < count; i++, writer->next_instruction++) {
        union place_answer answer;
        if (writer->next_instruction >= rows->count)
            writer->next_instruction = 0;
        uint64_t address = rows->ids[writer->next_instruction];
        if (!rows_at(rows, writer->next_instruction)[INSTRUCTION_ROW_TEXT])
            describe_mapping(writer, address);
        if (!rows_at(rows, writer->next_instruction)[INSTRUCTION_ROW_TEXT])
            describe_text(writer, address, rows_at(rows, writer->next_instruction));
        if (!rows_at(rows, writer->next_instruction)[INSTRUCTION_ROW_ASKED] &&
            writer_ask(writer, PLACE_INSTRUCTION, address, &answer))
            put_instruction(writer, address, &answer.instruction);
    }
}

static void writer_names_sync(struct store_writer *writer)
{
    const struct rows *objects = &writer->rows[STORE_OBJECT];
    const struct rows *functions = &writer->rows[STORE_FUNCTION];
    for (size_t i = 0; i < objects->count; i++)
        describe_object(writer, (uint32_t)objects->ids[i]);
    for (size_t i = 0; i < functions->count; i++)
        describe_function(writer, (uint32_t)functions->ids[i]);
    write_some_instructions(writer);
}

/* What-if questions and answers at each sync. */

static void put_answer(struct store_writer *writer, uint32_t id,
                       const struct snapshot_whatif *answer)
{
    for (uint32_t i = 0; i < answer->level_count && i < SIMULATION_LEVELS_MAX; i++)
        writer_put(writer, STORE_WHATIF_LEVEL, (uint64_t)id * SIMULATION_LEVELS_MAX + i,
                   &answer->level[i]);
    writer_put(writer, STORE_WHATIF, id, answer);
}

static void writer_whatif(struct store_writer *writer, const struct snapshot_whatifs *asked)
{
    for (uint32_t i = 0; i < asked->count && i < WHATIF_MAX; i++)
        put_answer(writer, i, &asked->list[i]);
    for (uint32_t i = 0; i < asked->past_count && i < WHATIF_PAST_MAX; i++)
        writer_put(writer, STORE_WHATIF_PAST, i, &asked->past[i]);
    writer_put(writer, STORE_WHATIFS, 0, asked);
}

/* The watched process, its state in addition to the samples, and the heap at each sync. */

static void put_simulation(struct store_writer *writer,
                           const struct snapshot_simulation *simulation)
{
    if (!simulation->level_count)
        return;
    for (unsigned i = 0; i < simulation->level_count && i < SIMULATION_LEVELS_MAX; i++)
        writer_put(writer, STORE_SIM_LEVEL, i, &simulation->level[i]);
    writer_put(writer, STORE_SIMULATION, 0, simulation);
}

static void writer_facts(struct store_writer *writer, const struct store_facts *facts)
{
    put_simulation(writer, &facts->simulation);
    if (facts->watch.is_on || facts->cache_lines[0])
        writer_put(writer, STORE_WATCHING, 0, facts);
    writer_whatif(writer, &facts->whatif);
    const struct sampler_info *info = &facts->info;
    for (unsigned i = 0; i < info->event_count && i < SAMPLE_EVENTS_MAX; i++)
        writer_put(writer, STORE_EVENT, i, &info->events[i]);
    uint64_t row[ROWS_FIELDS_MAX] = {
        [FACTS_ROW_GIVES] = info->exact_address | info->exact_ip << 1 | info->has_latency << 2 |
                            info->has_data_source << 3 | info->has_lines << 4,
        [FACTS_ROW_USER] = facts->user < 0 ? 0 : (uint64_t)facts->user + 1,
    };
    writer_fill(writer, STORE_FACTS, facts, row);
    writer_row(writer, STORE_FACTS, 0, row);
}

static void put_node(struct store_writer *writer, enum store_kind kind, uint64_t id, int node)
{
    uint64_t row = node < 0 ? 0 : (uint64_t)node + 1;
    writer_row(writer, kind, id, &row);
}

static void put_code(struct store_writer *writer, uint64_t address, uint32_t function)
{
    uint64_t row = function;
    writer_function(writer, function);
    writer_row(writer, STORE_CODE, address, &row);
}

/* A process that has ended cannot be read; the replay answers with the words read before. */
static bool write_word_answer(struct store_writer *writer, uint64_t address, bool known,
                              uint64_t *value)
{
    const uint64_t *row = known ? value : rows_find(&writer->rows[STORE_WORD], address);
    if (known)
        writer_row(writer, STORE_WORD, address, value);
    else if (row)
        *value = row[WORD_ROW_VALUE];
    return row;
}

bool store_writer_answer(struct store_writer *writer, enum place_question question, uint64_t number,
                         union place_answer *answer)
{
    if (question == PLACE_THREAD)
        return write_thread_answer(writer, (uint32_t)number, answer);
    if (question == PLACE_PAIR)
        return pair_rows_answer(&writer->rows[STORE_PAIR], number, &answer->pair);
    bool known = writer_ask(writer, question, number, answer);
    if (question == PLACE_WORD)
        return write_word_answer(writer, number, known, &answer->word);
    if (known && question == PLACE_INSTRUCTION)
        put_instruction(writer, number, &answer->instruction);
    else if (known && question == PLACE_EXTENT)
        put_extent(writer, &answer->extent);
    else if (known && question == PLACE_CPU_NODE)
        put_node(writer, STORE_CPU, number, answer->node);
    else if (known && question == PLACE_PAGE_NODE)
        put_node(writer, STORE_PAGE, number, answer->node);
    else if (known && question == PLACE_MEMORY)
        writer_put(writer, STORE_MEMORY, number, &answer->memory);
    else if (known && question == PLACE_CODE)
        put_code(writer, number, answer->code);
    return known;
}

static uint64_t age_ns_of(double seconds)
{
    return (uint64_t)llround(seconds * (double)CLOCK_NS_PER_S);
}

/* Returns the time of an event of a given age; UINT64_MAX: not known. */
static uint64_t time_of_age(uint64_t now_ns, double age_s)
{
    return isnan(age_s) ? UINT64_MAX : now_ns - age_ns_of(age_s);
}

/* Returns the time of the heap's own clock. Ages are relative to it, but it is not exported: it is
 * derived from a bin with a first time in the file, so that an inactive bin does not change. */
static uint64_t heap_clock(struct store_writer *writer, uint64_t now_ns)
{
    union place_answer answer;
    for (uint32_t i = 0; writer_ask(writer, PLACE_BIN, i, &answer); i++) {
        const uint64_t *row = rows_find(&writer->rows[STORE_BIN], i);
        if (row && row[BIN_ROW_ID] == answer.bin.id && !isnan(answer.bin.age_s) &&
            row[BIN_ROW_FIRST_NS] != UINT64_MAX)
            return row[BIN_ROW_FIRST_NS] + age_ns_of(answer.bin.age_s);
    }
    return now_ns;
}

static void put_site(struct store_writer *writer, uint32_t index, const struct heap_bin *bin)
{
    uint64_t row[SITE_ROW_FIELDS] = {0};
    for (uint32_t i = 0; i < bin->site_count && i < SITE_ROW_FIELDS; i++)
        row[i] = writer_string(writer, bin->site[i]);
    writer_row(writer, STORE_SITE, index, row);
}

static void put_bin(struct store_writer *writer, uint32_t index, const struct heap_bin *bin,
                    uint64_t heap_ns)
{
    writer_type(writer, bin->type_id);
    if (bin->object)
        writer_object(writer, bin->object);
    if (bin->site_count)
        put_site(writer, index, bin);
    uint64_t row[ROWS_FIELDS_MAX] = {
        [BIN_ROW_FLAGS] = bin->is_size_class | bin->renamed << 1,
        [BIN_ROW_FIRST_NS] = time_of_age(heap_ns, bin->age_s),
        [BIN_ROW_LAST_NS] = time_of_age(heap_ns, bin->quiet_s),
    };
    writer_fill(writer, STORE_BIN, bin, row);
    memcpy(row + BIN_ROW_SIZES, bin->sizes, sizeof bin->sizes);
    writer_row(writer, STORE_BIN, index, row);
}

static void writer_heap_sync(struct store_writer *writer, uint64_t now_ns)
{
    union place_answer answer;
    uint32_t count = 0;
    uint64_t heap_ns = heap_clock(writer, now_ns);
    if (!writer_ask(writer, PLACE_HEAP, 0, &answer))
        return;
    uint64_t row[ROWS_FIELDS_MAX] = {[HEAP_ROW_NOW_NS] = heap_ns};
    writer_fill(writer, STORE_HEAP, &answer.heap, row);
    for (; writer_ask(writer, PLACE_BIN, count, &answer); count++)
        put_bin(writer, count, &answer.bin, heap_ns);
    row[HEAP_ROW_BINS] = count;
    writer_row(writer, STORE_HEAP, 0, row);
}

static void write_all(struct store_writer *writer, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size && !writer->failed) {
        ssize_t count = write(writer->fd, at, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            writer->failed = count ? -errno : -EIO;
            return;
        }
        at += count;
        size -= (size_t)count;
        writer->file_bytes += (uint64_t)count;
    }
}

/* Header and payload are written together, so that a kill cannot separate them. */
static void flush_block(struct store_writer *writer)
{
    struct store_block *block = &writer->block;
    block->payload_bytes = (uint32_t)(writer->at - writer->payload);
    if (!block->payload_bytes)
        return;
    block->last_ns = writer->end_ns;
    block->checksum = store_form_block_sum(block, writer->payload);
    memcpy(writer->payload - sizeof *block, block, sizeof *block);
    write_all(writer, writer->payload - sizeof *block, sizeof *block + block->payload_bytes);
    block->number++;
    writer->at = writer->payload;
}

/* Returns room for a record; flushes the block if necessary. */
static unsigned char *writer_room(struct store_writer *writer, size_t bytes)
{
    if (bytes > STORE_BLOCK_BYTES - (size_t)(writer->at - writer->payload))
        flush_block(writer);
    return writer->at;
}

static void put_row(struct store_writer *writer, enum store_kind kind, uint64_t id,
                    const uint64_t *now, uint64_t *before)
{
    unsigned char *at = writer_room(writer, 2 * NUMBER_BYTES_MAX + ROW_BYTES_MAX);
    at = number_put(number_put(at, kind), id);
    writer->at = row_put(at, now, before, writer->rows[kind].fields);
}

static void writer_row(struct store_writer *writer, enum store_kind kind, uint64_t id,
                       const uint64_t *now)
{
    struct rows *rows = &writer->rows[kind];
    bool created;
    uint64_t *before = rows_take(rows, id, &created);
    if (before && (created || memcmp(before, now, rows->fields * sizeof *now)))
        put_row(writer, kind, id, now, before);
}

/* Writes an item, even if it equals the previous one. */
static void writer_item(struct store_writer *writer, enum store_kind kind, const uint64_t *now)
{
    bool created;
    uint64_t *before = rows_take(&writer->rows[kind], 0, &created);
    if (before)
        put_row(writer, kind, 0, now, before);
}

/* Adds to a field of STORE_COUNTS, which has a single row. */
static void add_to_counts(struct store_writer *writer, unsigned field, uint64_t count)
{
    bool created;
    const struct rows *rows = &writer->rows[STORE_COUNTS];
    uint64_t now[ROWS_FIELDS_MAX];
    const uint64_t *row = rows_take(&writer->rows[STORE_COUNTS], 0, &created);
    if (!row)
        return;
    memcpy(now, row, rows->fields * sizeof *now);
    now[field] += count;
    writer_row(writer, STORE_COUNTS, 0, now);
}

void store_writer_lost(struct store_writer *writer, uint64_t count)
{
    if (writer)
        add_to_counts(writer, COUNTS_ROW_LOST, count);
}

void store_writer_throttled(struct store_writer *writer)
{
    if (writer)
        add_to_counts(writer, COUNTS_ROW_THROTTLED, 1);
}

static inline void write_place_ids(struct store_writer *writer, const struct place *place)
{
    writer_object(writer, place->object);
    writer_function(writer, place->function);
    writer_address(writer, place->access.ip);
    if (place->bin_object)
        writer_object(writer, place->bin_object);
    if (place->type)
        writer_type(writer, place->type);
    if (place->evictor_object)
        writer_object(writer, place->evictor_object);
    if (place->evictor_function)
        writer_function(writer, place->evictor_function);
    if (place->caller)
        writer_caller(writer, place->caller);
}

void store_writer_place(struct store_writer *writer, const struct place *place)
{
    uint64_t now[PLACE_ROW_FIELDS];
    if (!writer || writer->failed)
        return;
    place_row_fill(now, place);
    unsigned slot = place_row_slot(now);
    uint64_t *before = writer->slots[slot];
    /* Fast path: the slot's last place usually has the same ids. */
    if (place_row_new_ids(now, before))
        write_place_ids(writer, place);
    if (now[PLACE_ROW_TID] != before[PLACE_ROW_TID])
        writer_thread(writer, place->access.tid);
    if (now[PLACE_ROW_EVICTOR_TID] && now[PLACE_ROW_EVICTOR_TID] != before[PLACE_ROW_EVICTOR_TID])
        writer_thread(writer, place->access.evictor_tid);
    unsigned char *at = writer_room(writer, 3 * NUMBER_BYTES_MAX + ROW_BYTES_MAX);
    *at++ = STORE_PLACE;
    at = number_put(at, slot);
    at = number_put(at, number_of_difference(place->access.time_ns - writer->last_ns));
    writer->at = row_put(at, now, before, PLACE_ROW_FIELDS);
    writer->last_ns = writer->end_ns = place->access.time_ns;
}

void store_writer_watch(struct store_writer *writer, const struct store_watch *watch)
{
    uint64_t row[ROWS_FIELDS_MAX] = {[WATCH_ROW_SHAPE] =
                                         watch->result.kind | (uint64_t)watch->result.end << 8};
    if (!writer || writer->failed)
        return;
    writer_object(writer, watch->result.object);
    writer_function(writer, watch->function);
    if (watch->ip)
        writer_address(writer, watch->ip);
    writer_fill(writer, STORE_WATCH, watch, row);
    writer_item(writer, STORE_WATCH, row);
}

void store_writer_rename(struct store_writer *writer, const struct object_rename *rename)
{
    uint64_t row[ROWS_FIELDS_MAX];
    if (!writer || writer->failed)
        return;
    writer_object(writer, rename->to);
    writer_type(writer, rename->type);
    writer_fill(writer, STORE_RENAME, rename, row);
    writer_item(writer, STORE_RENAME, row);
}

void store_writer_ranking(struct store_writer *writer, uint16_t event)
{
    uint64_t row = event;
    if (writer && !writer->failed)
        writer_row(writer, STORE_RANKING, 0, &row);
}

static int make_rows(struct store_writer *writer)
{
    store_form_rows(writer->rows);
    writer->slots = calloc(STORE_SLOTS, sizeof *writer->slots);
    return writer->slots ? 0 : -ENOMEM;
}

static int start_file(struct store_writer *writer, struct error *error)
{
    struct store_header header = {.magic = STORE_MAGIC,
                                  .version = STORE_VERSION,
                                  .size_bytes = sizeof header,
                                  .start_ns = writer->options.start_ns,
                                  .perfdata_mark = writer->options.perfdata_mark};
    struct timespec wall;
    const char *path = writer->options.path;
    char cause[ERROR_CAUSE];
    clock_gettime(CLOCK_REALTIME, &wall);
    header.start_wall_ns = (uint64_t)wall.tv_sec * CLOCK_NS_PER_S + (uint64_t)wall.tv_nsec;
    if (header.start_ns)
        header.start_wall_ns -= clock_now_ns() - header.start_ns;
    if (getrandom(header.session, sizeof header.session, 0) != sizeof header.session)
        memcpy(header.session, &wall, sizeof wall);
    header.checksum = store_form_header_sum(&header);
    write_all(writer, &header, sizeof header);
    if (writer->failed)
        return error_set(error, writer->failed, "cannot write %s: %s", path,
                         error_cause(writer->failed, cause));
    return 0;
}

int store_writer_open(struct store_writer **out, const struct store_writer_options *options,
                      const struct store_facts *facts, struct error *error)
{
    *out = NULL;
    struct store_writer *writer = calloc(1, sizeof *writer);
    unsigned char *memory = malloc(sizeof(struct store_block) + STORE_BLOCK_BYTES);
    if (!writer || !memory) {
        free(writer);
        free(memory);
        close(options->fd);
        return error_set(error, -ENOMEM, "no memory for recording");
    }
    *writer = (struct store_writer){.options = *options, .fd = options->fd};
    writer->block.magic = STORE_BLOCK_MAGIC;
    writer->payload = writer->at = memory + sizeof(struct store_block);
    writer->last_ns = writer->line_ns = writer->end_ns = options->start_ns;
    arena_init(&writer->strings);
    hash_init(&writer->string_ids);
    int code = make_rows(writer);
    code = code ? error_set(error, code, "no memory for recording") : start_file(writer, error);
    if (!code) {
        writer_facts(writer, facts);
        flush_block(writer);
        *out = writer;
    } else {
        store_writer_close(writer, NULL);
    }
    return code;
}

static int report_failure(const struct store_writer *writer, struct error *error)
{
    char cause[ERROR_CAUSE];
    return writer->failed ? error_set(error, writer->failed, "cannot write %s: %s",
                                      writer->options.path, error_cause(writer->failed, cause))
                          : 0;
}

int store_writer_sync(struct store_writer *writer, const struct store_facts *facts, uint64_t now_ns,
                      double interval_s, struct error *error)
{
    uint64_t mark[] = {
        [MARK_ROW_NOW_NS] = now_ns, [MARK_ROW_INTERVAL] = number_of_double(interval_s)};
    if (!writer->failed) {
        writer_heap_sync(writer, now_ns);
        writer_names_sync(writer);
        writer_facts(writer, facts);
        writer_row(writer, STORE_MARK, 0, mark);
        writer->end_ns = now_ns;
        flush_block(writer);
    }
    return report_failure(writer, error);
}

int store_writer_close(struct store_writer *writer, struct error *error)
{
    if (!writer)
        return 0;
    if (!writer->failed)
        flush_block(writer);
    /* Some file systems report a lack of space only here. */
    if (close(writer->fd) && !writer->failed)
        writer->failed = -errno;
    int code = report_failure(writer, error);
    for (unsigned kind = 0; kind < STORE_KINDS; kind++)
        rows_fini(&writer->rows[kind]);
    hash_fini(&writer->string_ids);
    arena_fini(&writer->strings);
    free(writer->string);
    free(writer->slots);
    free(writer->payload - sizeof(struct store_block));
    free(writer);
    return code;
}

uint64_t store_writer_bytes(const struct store_writer *writer)
{
    return writer ? writer->file_bytes + (uint64_t)(writer->at - writer->payload) : 0;
}

/* ---- line events of a simulation ---- */

static void note_line_ids(struct store_writer *writer, const struct line_place *line)
{
    writer_object(writer, line->place.object);
    writer_function(writer, line->place.function);
    writer_address(writer, line->line.ip);
    if (line->place.type)
        writer_type(writer, line->place.type);
}

void store_writer_line(struct store_writer *writer, const struct line_place *line)
{
    uint64_t now[LINE_ROW_FIELDS];
    uint64_t time_ns = line->place.access.time_ns;
    bool created;
    if (!writer || writer->failed)
        return;
    line_row_fill(now, line, number_of_difference(time_ns - writer->line_ns));
    unsigned slot = line_row_slot(now);
    uint64_t *before = rows_take(&writer->rows[STORE_LINE], slot, &created);
    if (!before)
        return;
    if (created || line_row_new_ids(now, before))
        note_line_ids(writer, line);
    put_row(writer, STORE_LINE, slot, now, before);
    writer->line_ns = time_ns;
    if (time_ns > writer->end_ns)
        writer->end_ns = time_ns;
}

enum { WINDOWS_PER_S = 4, WINDOW_KEPT = THINNING_PER_S / WINDOWS_PER_S, SHIFT_MAX = 24 };

/* Adjusts the rate: at once if there are too many, at the window's end if far fewer. */
static void adjust_thinning(struct thinning *thinning, uint64_t now_ns)
{
    bool full = thinning->kept >= WINDOW_KEPT;
    bool over = now_ns > thinning->from_ns + CLOCK_NS_PER_S / WINDOWS_PER_S;
    if (!full && !over)
        return;
    if (over)
        thinning->shift -= thinning->shift && thinning->kept < WINDOW_KEPT / 4;
    else
        thinning->shift += thinning->shift < SHIFT_MAX;
    thinning->from_ns = now_ns > thinning->from_ns ? now_ns : thinning->from_ns;
    thinning->kept = 0;
}

bool thinning_keeps_event(struct thinning *thinning, uint64_t now_ns, uint64_t *weight)
{
    adjust_thinning(thinning, now_ns);
    if (prng_next(&thinning->prng) & ((UINT64_C(1) << thinning->shift) - 1))
        return false;
    thinning->kept++;
    *weight <<= thinning->shift;
    return true;
}
