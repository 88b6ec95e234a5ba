/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_read.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "store/form.h"

struct store_reader {
    int fd;
    struct store_header header;
    uint64_t size_bytes; /* size of the file when it was opened */
    uint64_t at;         /* offset of the next block */
    uint64_t blocks;     /* blocks read so far */
    unsigned char *payload;
    struct numbers unread; /* unread bytes of the block */
    uint64_t place_ns;     /* sum of the time differences of places */
    uint64_t newest_ns;    /* newest time of the places so far */
    uint64_t line_ns;      /* sum of the time differences of lines */
    uint64_t time_ns;      /* time of the last item; never decreases */
    uint64_t first_ns;     /* time of the first item */
    uint64_t end_ns;
    struct store_item next;
    bool has_item; /* `next` was not passed on yet */
    bool ended;
    char damage[160];
    struct rows rows[STORE_KINDS];
    uint64_t (*slots)[PLACE_ROW_FIELDS]; /* last places by slot */
    struct arena strings;
    const char **string; /* by id, from 1 */
    size_t string_count;
    size_t string_room;
    /* Types, built from their rows on first use. */
    struct arena types;
    struct type_desc *type; /* [type_room], by index of the row; name NULL: not built */
    size_t type_room;
    size_t members_made;
    /* Extents sorted by base, built on first use. */
    struct object_extent *extent;
    size_t extent_count;
    size_t extents_of;                 /* number of rows they were built from */
    const char *site[SITE_ROW_FIELDS]; /* call path of the last bin */
};

/* Returns the size in the file of an unread block. */
static inline uint64_t reader_block_bytes(const struct numbers *from)
{
    return sizeof(struct store_block) + (uint64_t)(from->end - from->at);
}

/* Strings of a store, made printable when they are read. */

/* Returns a string; NULL for id 0 and for unknown ids. */
static const char *reader_string(const struct store_reader *reader, uint64_t id)
{
    return id && id <= reader->string_count ? reader->string[id - 1] : NULL;
}

/* Fills in the listed members of a value from its row, which is untrusted. */
static void reader_fill(const struct store_reader *reader, enum store_kind kind,
                        const uint64_t *row, void *value)
{
    unsigned count;
    const struct row_field *field = store_form_list(kind, &count);
    for (unsigned i = 0; i < count; i++) {
        void *at = (unsigned char *)value + field[i].at;
        uint64_t number = row[i];
        const char *string;
        switch ((enum row_type)field[i].type) {
        case ROW_BY_HAND:
            break;
        case ROW_FLAG:
            *(bool *)at = number != 0;
            break;
        case ROW_DOUBLE:
            *(double *)at = number_to_double(number);
            break;
        case ROW_STRING:
        case ROW_NAME:
            string = reader_string(reader, number);
            *(const char **)at = string || field[i].type == ROW_STRING ? string : "";
            break;
        case ROW_CHARS:
            string = reader_string(reader, number);
            snprintf(at, field[i].size, "%s", string ? string : "");
            break;
        case ROW_COUNT:
        case ROW_ENUM:
            if (number > field[i].most)
                number = field[i].type == ROW_COUNT ? field[i].most : 0;
            memcpy(at, &number, field[i].size);
            break;
        case ROW_NUMBER:
            memcpy(at, &number, field[i].size);
        }
    }
}

static bool reader_take_value(const struct store_reader *reader, enum store_kind kind, uint64_t id,
                              void *value)
{
    const uint64_t *row = rows_find(&reader->rows[kind], id);
    if (row)
        reader_fill(reader, kind, row, value);
    return row;
}

/* Reads a string; returns false if it is damaged or memory runs out. */
static bool reader_take_string(struct store_reader *reader, uint64_t id)
{
    uint64_t length;
    if (!number_get(&reader->unread, &length) || length > STORE_STRING_BYTES ||
        length > (uint64_t)(reader->unread.end - reader->unread.at) ||
        id != reader->string_count + 1)
        return false;
    if (!array_reserve_next(&reader->string, &reader->string_room, reader->string_count,
                            sizeof *reader->string, ARRAY_UNBOUNDED))
        return false;
    char *copy = arena_alloc(&reader->strings, length + 1);
    if (!copy)
        return false;
    text_sanitise(copy, length + 1, (const char *)reader->unread.at, length);
    reader->unread.at += length;
    reader->string[reader->string_count++] = copy;
    return true;
}

static bool read_at(int fd, uint64_t offset, void *out, size_t size)
{
    return pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

bool store_has_magic(const char *path)
{
    uint64_t magic = 0;
    int fd = files_open(path);
    bool is = fd >= 0 && read_at(fd, 0, &magic, sizeof magic) && magic == STORE_MAGIC;
    if (fd >= 0)
        close(fd);
    return is;
}

static int check_header(struct store_reader *reader, const char *path, struct error *error)
{
    struct store_header *header = &reader->header;
    struct stat status;
    if (fstat(reader->fd, &status) || !S_ISREG(status.st_mode))
        return error_set(error, -EINVAL, "%s is no file", path);
    if (!read_at(reader->fd, 0, header, sizeof *header) || header->magic != STORE_MAGIC)
        return error_set(error, -EBADMSG, "%s is not a recording of misstop, or is truncated",
                         path);
    if (header->version != STORE_VERSION)
        return error_set(
            error, -EPROTONOSUPPORT,
            "%s has format %u, this misstop reads format %d: use the misstop that wrote it", path,
            header->version, STORE_VERSION);
    if (header->checksum != store_form_header_sum(header) || header->size_bytes < sizeof *header ||
        header->size_bytes > (uint64_t)status.st_size)
        return error_set(error, -EBADMSG, "%s is damaged: its header is inconsistent", path);
    reader->size_bytes = (uint64_t)status.st_size;
    reader->at = header->size_bytes;
    reader->place_ns = reader->line_ns = reader->time_ns = header->start_ns;
    return 0;
}

/* Reads the header of a block; returns false if it is invalid. */
static bool read_block(const struct store_reader *reader, uint64_t at, uint64_t number,
                       struct store_block *block)
{
    return at + sizeof *block <= reader->size_bytes &&
           read_at(reader->fd, at, block, sizeof *block) && block->magic == STORE_BLOCK_MAGIC &&
           block->number == number && block->payload_bytes <= STORE_BLOCK_BYTES &&
           block->payload_bytes <= reader->size_bytes - at - sizeof *block;
}

/* Finds the end time of the recording from the headers alone. */
static void find_end(struct store_reader *reader)
{
    struct store_block block;
    uint64_t at = reader->at;
    reader->end_ns = reader->header.start_ns;
    for (uint64_t number = 0; read_block(reader, at, number, &block); number++) {
        if (block.last_ns > reader->end_ns)
            reader->end_ns = block.last_ns;
        at += sizeof block + block.payload_bytes;
    }
}

static void end_reading_damaged(struct store_reader *reader, const char *what)
{
    snprintf(reader->damage, sizeof reader->damage,
             "the recording %s after %llu of %llu bytes; shown up to there", what,
             (unsigned long long)reader->at, (unsigned long long)reader->size_bytes);
    reader->ended = true;
}

/* Returns false if the payload is incomplete, damaged or not block `number`. */
static bool reader_payload(const struct store_reader *reader, uint64_t at, uint64_t number,
                           unsigned char *payload, struct numbers *from)
{
    struct store_block block;
    if (!read_block(reader, at, number, &block) ||
        !read_at(reader->fd, at + sizeof block, payload, block.payload_bytes) ||
        block.checksum != store_form_block_sum(&block, payload))
        return false;
    *from = (struct numbers){.at = payload, .end = payload + block.payload_bytes};
    return true;
}

static bool next_block(struct store_reader *reader)
{
    if (reader->at == reader->size_bytes) {
        reader->ended = true;
        return false;
    }
    if (!reader_payload(reader, reader->at, reader->blocks, reader->payload, &reader->unread)) {
        end_reading_damaged(reader, "is truncated or damaged");
        return false;
    }
    reader->at += reader_block_bytes(&reader->unread);
    reader->blocks++;
    return true;
}

static bool make_item(struct store_reader *reader, enum store_item_kind kind, uint64_t time_ns)
{
    if (time_ns > reader->time_ns)
        reader->time_ns = time_ns;
    reader->next.kind = kind;
    reader->next.time_ns = reader->time_ns;
    reader->has_item = true;
    return true;
}

static bool take_place(struct store_reader *reader, uint64_t slot)
{
    uint64_t difference;
    if (slot >= STORE_SLOTS || !number_get(&reader->unread, &difference))
        return false;
    uint64_t *row = reader->slots[slot];
    if (!row_get(&reader->unread, row, PLACE_ROW_FIELDS))
        return false;
    reader->place_ns += number_to_difference(difference);
    struct place *place = &reader->next.place;
    place_row_read(row, place);
    if (place->access.event >= SAMPLE_EVENTS_MAX)
        return false;
    if (reader->place_ns > reader->newest_ns)
        reader->newest_ns = reader->place_ns;
    /* Does not use the time of the item, because a refresh may precede places that arrived late.
     * The tables count these places at their own time, as during the recording. */
    place->access.time_ns = reader->newest_ns;
    return make_item(reader, STORE_ITEM_PLACE, reader->place_ns);
}

/* Reads counts. Two fields are items; only one of them changes at a time. */
static bool take_counts(struct store_reader *reader, uint64_t *row)
{
    uint64_t lost = row[COUNTS_ROW_LOST];
    uint64_t throttled = row[COUNTS_ROW_THROTTLED];
    if (!row_get(&reader->unread, row, reader->rows[STORE_COUNTS].fields))
        return false;
    uint64_t more = row[COUNTS_ROW_LOST] - lost;
    make_item(reader, more ? STORE_ITEM_LOST : STORE_ITEM_THROTTLED, 0);
    reader->next.count = more ? more : row[COUNTS_ROW_THROTTLED] - throttled;
    return true;
}

static bool take_mark(struct store_reader *reader, const uint64_t *row)
{
    make_item(reader, STORE_ITEM_REFRESH, row[MARK_ROW_NOW_NS]);
    reader->next.interval_s = number_to_double(row[MARK_ROW_INTERVAL]);
    return true;
}

/* Reads a watch. The instruction after the touching one is not stored. */
static bool take_watch(struct store_reader *reader, const uint64_t *row)
{
    struct store_watch *watch = &reader->next.watch;
    *watch = (struct store_watch){.result = {.kind = (uint8_t)row[WATCH_ROW_SHAPE],
                                             .end = (uint8_t)(row[WATCH_ROW_SHAPE] >> 8)}};
    reader_fill(reader, STORE_WATCH, row, watch);
    return watch->result.kind <= WATCH_VISIT && watch->result.end <= WATCH_DROPPED &&
           make_item(reader, STORE_ITEM_WATCH, 0);
}

static bool take_line(struct store_reader *reader, const uint64_t *row)
{
    struct line_place *line = &reader->next.line;
    if (!line_row_read(row, line))
        return false;
    reader->line_ns += number_to_difference(row[LINE_ROW_SINCE]);
    line->place.access.time_ns = reader->line_ns;
    return make_item(reader, STORE_ITEM_LINE, reader->line_ns);
}

static bool take_rename(struct store_reader *reader, const uint64_t *row)
{
    reader_fill(reader, STORE_RENAME, row, &reader->next.rename);
    return make_item(reader, STORE_ITEM_RENAME, 0);
}

static bool take_ranking(struct store_reader *reader, const uint64_t *row)
{
    if (row[RANKING_ROW_EVENT] >= SAMPLE_EVENTS_MAX)
        return false;
    reader->next.ranking = (uint16_t)row[RANKING_ROW_EVENT];
    return make_item(reader, STORE_ITEM_RANKING, 0);
}

static bool take_row(struct store_reader *reader, uint64_t kind, uint64_t id)
{
    uint64_t ignored[1];
    bool created;
    uint64_t *row = NULL;
    if (kind < STORE_KINDS && reader->rows[kind].fields)
        row = rows_take(&reader->rows[kind], id, &created);
    if (!row)
        return row_get(&reader->unread, ignored, 0);
    if (kind == STORE_COUNTS)
        return take_counts(reader, row);
    if (!row_get(&reader->unread, row, reader->rows[kind].fields))
        return false;
    switch (kind) {
    case STORE_MARK:
        return take_mark(reader, row);
    case STORE_WATCH:
        return take_watch(reader, row);
    case STORE_RENAME:
        return take_rename(reader, row);
    case STORE_RANKING:
        return take_ranking(reader, row);
    case STORE_LINE:
        return take_line(reader, row);
    default:
        return true;
    }
}

static bool take_record(struct store_reader *reader)
{
    uint64_t kind;
    uint64_t id;
    if (!number_get(&reader->unread, &kind) || !number_get(&reader->unread, &id))
        return false;
    return kind == STORE_STRING  ? reader_take_string(reader, id)
           : kind == STORE_PLACE ? take_place(reader, id)
                                 : take_row(reader, kind, id);
}

static void read_until_item(struct store_reader *reader)
{
    while (!reader->has_item && !reader->ended) {
        if (reader->unread.at == reader->unread.end && !next_block(reader))
            return;
        /* A block with a valid checksum but invalid records: not written by misstop. */
        if (reader->unread.at < reader->unread.end && !take_record(reader))
            end_reading_damaged(reader, "makes no sense");
    }
}

long store_reader_read(struct store_reader *reader, uint64_t until_ns, store_sink sink,
                       void *context)
{
    long count = 0;
    for (;; count++) {
        read_until_item(reader);
        if (!reader->has_item)
            return count ? count : -ENODATA;
        if (reader->next.time_ns > until_ns)
            return count;
        reader->has_item = false;
        sink(context, &reader->next);
    }
}

static int prepare_reader(struct store_reader *reader)
{
    arena_init(&reader->strings);
    arena_init(&reader->types);
    store_form_rows(reader->rows);
    reader->slots = calloc(STORE_SLOTS, sizeof *reader->slots);
    reader->payload = malloc(STORE_BLOCK_BYTES);
    return reader->payload && reader->slots ? 0 : -ENOMEM;
}

/* Reads the facts, which precede the first item. */
static int read_facts(struct store_reader *reader, const char *path, struct error *error)
{
    read_until_item(reader);
    reader->first_ns = reader->time_ns;
    if (reader->rows[STORE_FACTS].count)
        return 0;
    return error_set(error, -EBADMSG, "%s has no records: it is truncated or damaged", path);
}

int store_reader_open(struct store_reader **out, const char *path, struct error *error)
{
    char why[FILES_WHY];
    *out = NULL;
    struct store_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return error_set(error, -ENOMEM, "out of memory for reading %s", path);
    reader->fd = files_open(path);
    int code = reader->fd < 0 ? error_set(error, reader->fd, "cannot open %s: %s", path,
                                          files_why(NULL, reader->fd, why))
                              : check_header(reader, path, error);
    if (!code && prepare_reader(reader))
        code = error_set(error, -ENOMEM, "out of memory for reading %s", path);
    if (!code) {
        find_end(reader);
        code = read_facts(reader, path, error);
    }
    if (code)
        store_reader_close(reader);
    else
        *out = reader;
    return code;
}

uid_t store_reader_owner(const struct store_reader *reader)
{
    struct stat status;
    enum { UNKNOWN_USER = 65534 };
    return fstat(reader->fd, &status) ? UNKNOWN_USER : status.st_uid;
}

void store_reader_close(struct store_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    for (unsigned kind = 0; kind < STORE_KINDS; kind++)
        rows_fini(&reader->rows[kind]);
    arena_fini(&reader->strings);
    arena_fini(&reader->types);
    free(reader->string);
    free(reader->slots);
    free(reader->type);
    free(reader->extent);
    free(reader->payload);
    free(reader);
}

/* Finds the next item without processing the records before it. */

static bool is_item(uint64_t kind)
{
    return kind == STORE_PLACE || kind == STORE_COUNTS || kind == STORE_MARK || kind == STORE_WATCH;
}

static bool skip_string(struct numbers *from)
{
    uint64_t length;
    if (!number_get(from, &length) || length > (uint64_t)(from->end - from->at))
        return false;
    from->at += length;
    return true;
}

/* Returns false if the block has no further item, or is damaged before it. */
static bool find_item(struct numbers *from, bool *damaged)
{
    uint64_t kind;
    uint64_t id;
    uint64_t ignored[1];
    while (from->at < from->end && !*damaged) {
        *damaged = !number_get(from, &kind) || !number_get(from, &id);
        if (!*damaged && is_item(kind))
            return true;
        if (!*damaged)
            *damaged = !(kind == STORE_STRING ? skip_string(from) : row_get(from, ignored, 0));
    }
    return false;
}

bool store_reader_more(const struct store_reader *reader)
{
    struct numbers from = reader->unread;
    uint64_t at = reader->at;
    bool damaged = reader->ended;
    bool found = reader->has_item || find_item(&from, &damaged);
    unsigned char *payload = found || damaged ? NULL : malloc(STORE_BLOCK_BYTES);
    for (uint64_t number = reader->blocks; payload && !found && !damaged; number++) {
        if (!reader_payload(reader, at, number, payload, &from))
            break;
        at += reader_block_bytes(&from);
        found = find_item(&from, &damaged);
    }
    free(payload);
    return found;
}

/* Extents around addresses: the answers that the tables got during the recording; elsewhere the
 * first instance of each object. For splits of a search. Also mappings and nodes. */

static void collect_extents(struct store_reader *reader)
{
    const struct rows *extents = &reader->rows[STORE_EXTENT];
    const struct rows *objects = &reader->rows[STORE_OBJECT];
    for (size_t i = 0; i < extents->count; i++) {
        struct object_extent *extent = &reader->extent[reader->extent_count];
        extent->base = extents->ids[i];
        reader_fill(reader, STORE_EXTENT, rows_at(extents, i), extent);
        reader->extent_count += extent->bound > extent->base;
    }
    for (size_t i = 0; i < objects->count; i++) {
        struct object_desc desc;
        reader_fill(reader, STORE_OBJECT, rows_at(objects, i), &desc);
        uint64_t end = desc.address + desc.size_bytes;
        if (end > desc.address && desc.blocks <= 1)
            reader->extent[reader->extent_count++] =
                (struct object_extent){desc.address, end, (uint32_t)objects->ids[i]};
    }
}

static bool make_extents(struct store_reader *reader)
{
    size_t count = reader->rows[STORE_EXTENT].count + reader->rows[STORE_OBJECT].count;
    if (reader->extent && reader->extents_of == count)
        return true;
    struct object_extent *extent = reallocarray(reader->extent, count + 1, sizeof *extent);
    if (!extent)
        return false;
    reader->extent = extent;
    reader->extent_count = 0;
    reader->extents_of = count;
    collect_extents(reader);
    SORT(reader->extent, reader->extent_count, SMALLEST(struct object_extent, base),
         SMALLEST(struct object_extent, bound));
    return true;
}

/* Returns the number of extents that begin at or below an address. */
static size_t count_extents_up_to(const struct store_reader *reader, uint64_t address)
{
    return SORTED_UP_TO(reader->extent, reader->extent_count, base, address);
}

/* Finds the extent at an address. Extents can be nested, so it checks a few, innermost first. */
static bool read_extent(struct store_reader *reader, uint64_t address, struct object_extent *extent)
{
    enum { NESTED_MAX = 16 };
    if (!make_extents(reader))
        return false;
    size_t next = count_extents_up_to(reader, address);
    uint64_t gap = 0;
    for (size_t i = next; i > 0 && next - i < NESTED_MAX; i--) {
        if (reader->extent[i - 1].bound > address) {
            *extent = reader->extent[i - 1];
            return true;
        }
        if (reader->extent[i - 1].bound > gap)
            gap = reader->extent[i - 1].bound;
    }
    uint64_t end = next < reader->extent_count ? reader->extent[next].base : UINT64_MAX;
    *extent = (struct object_extent){.base = gap, .bound = end};
    return end > gap && end > address;
}

bool store_reader_find(struct store_reader *reader, const char *name, struct object_extent *extent)
{
    const struct rows *rows = &reader->rows[STORE_OBJECT];
    struct object_search search = {.name = name};
    struct object_desc desc;
    for (size_t i = 0; i < rows->count; i++) {
        reader_fill(reader, STORE_OBJECT, rows_at(rows, i), &desc);
        if (rows->ids[i])
            object_search_look(&search, (uint32_t)rows->ids[i], desc.name, desc.module);
    }
    if (search.match_count != 1 || !reader_take_value(reader, STORE_OBJECT, search.found, &desc))
        return false;
    *extent = (struct object_extent){desc.address, desc.address + desc.size_bytes, search.found};
    return true;
}

static bool read_mapping(const struct store_reader *reader, uint64_t address,
                         struct mapping_desc *desc)
{
    const struct rows *rows = &reader->rows[STORE_MAPPING];
    size_t i = 0;
    while (i < rows->count &&
           (address < rows->ids[i] || address >= rows_at(rows, i)[MAPPING_ROW_END]))
        i++;
    if (i == rows->count)
        return false;
    desc->start = rows->ids[i];
    reader_fill(reader, STORE_MAPPING, rows_at(rows, i), desc);
    return true;
}

static int numa_node(const struct rows *rows, uint64_t id)
{
    const uint64_t *row = rows_find(rows, id);
    return row && row[NODE_ROW_NODE] <= INT_MAX ? (int)row[NODE_ROW_NODE] - 1 : -1;
}

/* The meaning of ids at the current position; every row is untrusted. */

static const char *reader_string_or(const struct store_reader *reader, uint64_t id,
                                    const char *otherwise)
{
    const char *string = reader_string(reader, id);
    return string ? string : otherwise;
}

static bool read_object(const struct store_reader *reader, uint32_t object,
                        struct object_desc *desc)
{
    *desc = (struct object_desc){0};
    return reader_take_value(reader, STORE_OBJECT, object, desc);
}

/* A parent must have a lower number than its child, so a damaged tree has no cycles. */
static bool read_caller(const struct store_reader *reader, uint32_t node, struct caller_desc *desc)
{
    return reader_take_value(reader, STORE_CALLER, node, desc) && desc->parent < node;
}

static bool read_instruction(const struct store_reader *reader, uint64_t address,
                             struct instruction_desc *desc)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_INSTRUCTION], address);
    if (!row || !row[INSTRUCTION_ROW_ASKED])
        return false;
    reader_fill(reader, STORE_INSTRUCTION, row, desc);
    return true;
}

bool store_reader_instruction_text(struct store_reader *reader, uint64_t address, char *out,
                                   size_t size)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_INSTRUCTION], address);
    const char *text = row ? reader_string(reader, row[INSTRUCTION_ROW_TEXT]) : NULL;
    if (text)
        snprintf(out, size, "%s", text);
    return text;
}

/* Reads a member; returns false if it is not valid at this index in depth-first order (place.h). */
static bool read_member(const struct store_reader *reader, uint64_t id, uint32_t index,
                        const struct type_member *members, struct type_member *member)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_MEMBER], id);
    if (!row)
        return false;
    uint64_t parent = row[MEMBER_ROW_PARENT];
    *member = (struct type_member){.parent = parent ? (uint32_t)parent - 1 : TYPE_NO_MEMBER};
    reader_fill(reader, STORE_MEMBER, row, member);
    if (parent > index || member->kind > MEMBER_WRAPPER || member->depth > TYPE_DEPTH_MAX ||
        member->offset + member->size < member->offset || (member->count && !member->stride))
        return false;
    return parent ? member->depth == members[parent - 1].depth + 1 : !member->depth;
}

/* Reads a type's members. Types never share rows, which limits members to the rows read. */
static uint32_t read_members(struct store_reader *reader, const uint64_t *row,
                             const struct type_member **out)
{
    uint64_t count = row[TYPE_ROW_MEMBERS];
    *out = NULL;
    if (count > TYPE_MEMBERS_MAX || reader->members_made + count > reader->rows[STORE_MEMBER].count)
        return 0;
    struct type_member *members = arena_array(&reader->types, count, sizeof *members);
    uint32_t read = 0;
    while (members && read < count &&
           read_member(reader, row[TYPE_ROW_FIRST_MEMBER] + read, read, members, &members[read]))
        read++;
    reader->members_made += count;
    *out = members;
    return read;
}

static void make_type(struct store_reader *reader, const uint64_t *row, struct type_desc *desc)
{
    reader_fill(reader, STORE_TYPE, row, desc);
    desc->member_count = read_members(reader, row, &desc->members);
    desc->is_truncated |= desc->member_count < row[TYPE_ROW_MEMBERS];
}

static bool read_type(struct store_reader *reader, uint32_t type, struct type_desc *desc)
{
    enum { FIRST = 256 };
    const struct rows *rows = &reader->rows[STORE_TYPE];
    const uint32_t *number = hash_find(&rows->index, type);
    if (!number || !array_reserve_index(&reader->type, &reader->type_room, *number,
                                        sizeof *reader->type, FIRST))
        return false;
    struct type_desc *made = &reader->type[*number];
    if (!made->name)
        make_type(reader, rows_at(rows, *number), made);
    *desc = *made;
    return true;
}

static bool read_heap(const struct store_reader *reader, struct heap_summary *summary)
{
    *summary =
        (struct heap_summary){.bins = (uint32_t)reader->rows[STORE_BIN].count, .mark_age_s = NAN};
    reader_take_value(reader, STORE_HEAP, 0, summary);
    return true;
}

static double heap_event_age(const struct store_reader *reader, uint64_t moment_ns)
{
    const uint64_t *heap = rows_find(&reader->rows[STORE_HEAP], 0);
    if (!heap || moment_ns == UINT64_MAX)
        return NAN;
    return (double)(heap[HEAP_ROW_NOW_NS] - moment_ns) / CLOCK_NS_PER_S;
}

static void read_site(struct store_reader *reader, uint32_t index, struct heap_bin *bin)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_SITE], index);
    for (; row && bin->site_count < SITE_ROW_FIELDS && row[bin->site_count]; bin->site_count++)
        reader->site[bin->site_count] = reader_string_or(reader, row[bin->site_count], "?");
    bin->site = reader->site;
}

static bool read_bin(struct store_reader *reader, uint32_t index, struct heap_bin *bin)
{
    const uint64_t *heap = rows_find(&reader->rows[STORE_HEAP], 0);
    const uint64_t *row = rows_find(&reader->rows[STORE_BIN], index);
    if (!row || !heap || index >= heap[HEAP_ROW_BINS])
        return false;
    *bin = (struct heap_bin){
        .is_size_class = row[BIN_ROW_FLAGS] & 1,
        .renamed = row[BIN_ROW_FLAGS] & 2,
        .age_s = heap_event_age(reader, row[BIN_ROW_FIRST_NS]),
        .quiet_s = heap_event_age(reader, row[BIN_ROW_LAST_NS]),
    };
    reader_fill(reader, STORE_BIN, row, bin);
    bin->name = bin->name ? bin->name : "heap";
    memcpy(bin->sizes, row + BIN_ROW_SIZES, sizeof bin->sizes);
    read_site(reader, index, bin);
    return true;
}

static bool read_thread(const struct store_reader *reader, uint32_t tid, char *out, size_t out_size)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_THREAD], tid);
    const char *name = row ? reader_string(reader, row[THREAD_ROW_NAME]) : NULL;
    snprintf(out, out_size, "%s", name ? name : "");
    return name;
}

static bool reader_answer(void *context, enum place_question question, uint64_t number,
                          union place_answer *answer)
{
    struct store_reader *reader = context;
    uint32_t id = (uint32_t)number;
    const uint64_t *row;
    switch (question) {
    case PLACE_OBJECT:
        return read_object(reader, id, &answer->object);
    case PLACE_FUNCTION:
        return reader_take_value(reader, STORE_FUNCTION, id, &answer->function);
    case PLACE_CALLER:
        return read_caller(reader, id, &answer->caller);
    case PLACE_TYPE:
        return read_type(reader, id, &answer->type);
    case PLACE_INSTRUCTION:
        return read_instruction(reader, number, &answer->instruction);
    case PLACE_MAPPING:
        return read_mapping(reader, number, &answer->mapping);
    case PLACE_EXTENT:
        return read_extent(reader, number, &answer->extent);
    case PLACE_HEAP:
        return read_heap(reader, &answer->heap);
    case PLACE_BIN:
        return read_bin(reader, id, &answer->bin);
    case PLACE_THREAD:
        return read_thread(reader, id, answer->thread, sizeof answer->thread);
    case PLACE_CPU_NODE:
        answer->node = numa_node(&reader->rows[STORE_CPU], number);
        return true;
    case PLACE_PAGE_NODE:
        answer->node = numa_node(&reader->rows[STORE_PAGE], number);
        return true;
    case PLACE_MEMORY:
        return reader_take_value(reader, STORE_MEMORY, number, &answer->memory);
    case PLACE_WORD:
        row = rows_find(&reader->rows[STORE_WORD], number);
        answer->word = row ? row[WORD_ROW_VALUE] : 0;
        return row;
    case PLACE_CODE:
        row = rows_find(&reader->rows[STORE_CODE], number);
        answer->code = row ? (uint32_t)row[CODE_ROW_FUNCTION] : 0;
        return row;
    case PLACE_PAIR:
        return pair_rows_answer(&reader->rows[STORE_PAIR], number, &answer->pair);
    }
    return false;
}

struct place_names store_reader_names(struct store_reader *reader)
{
    return (struct place_names){reader_answer, reader};
}

/* What-if questions and answers at the current position. */

/* Reads an answer. Without a row the question is still waiting, for an unknown reason. */
static void read_answer(const struct store_reader *reader, uint32_t id,
                        struct snapshot_whatif *answer)
{
    static const uint64_t none[ROWS_FIELDS_MAX] = {[WHATIF_ROW_STATE] = WHATIF_PENDING};
    const uint64_t *row = rows_find(&reader->rows[STORE_WHATIF], id);
    *answer = (struct snapshot_whatif){0};
    reader_fill(reader, STORE_WHATIF, row ? row : none, answer);
    if (answer->state > WHATIF_REFUSED)
        answer->state = WHATIF_PENDING;
    for (uint32_t i = 0; i < answer->level_count; i++)
        reader_take_value(reader, STORE_WHATIF_LEVEL, (uint64_t)id * SIMULATION_LEVELS_MAX + i,
                          &answer->level[i]);
    if (!answer->level_count && answer->state == WHATIF_COUNTING)
        answer->state = WHATIF_PENDING;
}

static void reader_whatif(const struct store_reader *reader, struct snapshot_whatifs *asked)
{
    reader_take_value(reader, STORE_WHATIFS, 0, asked);
    for (uint32_t i = 0; i < asked->count; i++)
        read_answer(reader, i, &asked->list[i]);
    for (uint32_t i = 0; i < asked->past_count; i++)
        reader_take_value(reader, STORE_WHATIF_PAST, i, &asked->past[i]);
}

/* Facts of a store other than places and names. */

uint64_t store_reader_perfdata_mark(const struct store_reader *reader)
{
    return reader->header.perfdata_mark;
}

uint64_t store_reader_start_ns(const struct store_reader *reader)
{
    /* A converted recording has no start time before its first record. */
    return reader->header.start_ns ? reader->header.start_ns : reader->first_ns;
}

uint64_t store_reader_start_wall_ns(const struct store_reader *reader)
{
    return reader->header.start_wall_ns;
}

uint64_t store_reader_end_ns(const struct store_reader *reader)
{
    return reader->end_ns;
}

const char *store_reader_damage(const struct store_reader *reader)
{
    return reader->damage;
}

static void read_event(const struct store_reader *reader, unsigned index,
                       struct sampler_event *event)
{
    event->role = EVENT_OTHER;
    reader_take_value(reader, STORE_EVENT, index, event);
    if (event->role >= EVENT_ROLES)
        event->role = EVENT_OTHER;
    if (event->role == EVENT_STALL && strncmp(event->weight_unit, "stall", 5) != 0)
        event->role = EVENT_TIME; /* as recorded before there was EVENT_TIME */
}

void store_reader_facts(const struct store_reader *reader, struct store_facts *facts)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_FACTS], 0);
    *facts = (struct store_facts){0};
    reader_take_value(reader, STORE_SIMULATION, 0, &facts->simulation);
    for (unsigned i = 0; i < facts->simulation.level_count; i++)
        reader_take_value(reader, STORE_SIM_LEVEL, i, &facts->simulation.level[i]);
    reader_take_value(reader, STORE_WATCHING, 0, facts);
    reader_whatif(reader, &facts->whatif);
    if (!row)
        return;
    reader_fill(reader, STORE_FACTS, row, facts);
    struct sampler_info *info = &facts->info;
    info->exact_address = row[FACTS_ROW_GIVES] & 1;
    info->exact_ip = row[FACTS_ROW_GIVES] & 2;
    info->has_latency = row[FACTS_ROW_GIVES] & 4;
    info->has_data_source = row[FACTS_ROW_GIVES] & 8;
    info->has_lines = row[FACTS_ROW_GIVES] & 16;
    info->pid = (pid_t)facts->target.pid;
    info->source = info->source ? info->source : "recording";
    facts->user = row[FACTS_ROW_USER] <= UINT32_MAX ? (int64_t)row[FACTS_ROW_USER] - 1 : -1;
    for (unsigned i = 0; i < info->event_count; i++)
        read_event(reader, i, &info->events[i]);
}
