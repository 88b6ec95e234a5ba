/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_read.h"

#include "base/files.h"
#include "store/place_row.h"
#include "store/read_state.h"
#include "store/watch_row.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_at(int fd, uint64_t offset, void *out, size_t size)
{
    return pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

bool store_is_one(const char *path)
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
        return error_set(error, -EBADMSG, "%s is no recording of misstop's, or it was cut short",
                         path);
    if (header->version != STORE_VERSION)
        return error_set(
            error, -EPROTONOSUPPORT,
            "%s has form %u, this misstop reads form %d: use the misstop that wrote it", path,
            header->version, STORE_VERSION);
    if (header->checksum != store_form_header_sum(header) || header->size_bytes < sizeof *header ||
        header->size_bytes > (uint64_t)status.st_size)
        return error_set(error, -EBADMSG, "%s is damaged: its header does not add up", path);
    reader->size_bytes = (uint64_t)status.st_size;
    reader->at = header->size_bytes;
    reader->place_ns = reader->line_ns = reader->time_ns = header->start_ns;
    return 0;
}

/* A block's header, if it can be one. */
static bool read_block(const struct store_reader *reader, uint64_t at, uint64_t number,
                       struct store_block *block)
{
    return at + sizeof *block <= reader->size_bytes &&
           read_at(reader->fd, at, block, sizeof *block) && block->magic == STORE_BLOCK_MAGIC &&
           block->number == number && block->payload_bytes <= STORE_BLOCK_BYTES &&
           block->payload_bytes <= reader->size_bytes - at - sizeof *block;
}

/* How far it goes, from the headers alone. */
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

static void end_damaged(struct store_reader *reader, const char *what)
{
    snprintf(reader->damage, sizeof reader->damage,
             "the recording %s after %llu of %llu bytes; shown up to there", what,
             (unsigned long long)reader->at, (unsigned long long)reader->size_bytes);
    reader->ended = true;
}

bool reader_payload(const struct store_reader *reader, uint64_t at, uint64_t number,
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
    if (!reader_payload(reader, reader->at, reader->blocks, reader->payload, &reader->from)) {
        end_damaged(reader, "is cut or damaged");
        return false;
    }
    reader->at += reader_block_bytes(&reader->from);
    reader->blocks++;
    return true;
}

static bool make_item(struct store_reader *reader, enum store_item_kind kind, uint64_t time_ns)
{
    if (time_ns > reader->time_ns)
        reader->time_ns = time_ns;
    reader->next.kind = kind;
    reader->next.time_ns = reader->time_ns;
    reader->waiting = true;
    return true;
}

static bool take_place(struct store_reader *reader, uint64_t slot)
{
    uint64_t difference;
    if (slot >= STORE_SLOTS || !number_get(&reader->from, &difference))
        return false;
    uint64_t *row = reader->slots[slot];
    if (!row_get(&reader->from, row, PLACE_ROW_FIELDS))
        return false;
    reader->place_ns += number_to_difference(difference);
    struct place *place = &reader->next.place;
    place_row_read(row, place);
    if (place->access.event >= SAMPLE_EVENTS_MAX)
        return false;
    if (reader->place_ns > reader->newest_ns)
        reader->newest_ns = reader->place_ns;
    /* Not that of the item: a refresh may have overtaken places that came late, and the tables
     * count them when they were, as they did then. */
    place->access.time_ns = reader->newest_ns;
    return make_item(reader, STORE_ITEM_PLACE, reader->place_ns);
}

/* Two of its fields are items; both at once do not come. */
static bool take_counts(struct store_reader *reader, uint64_t *row)
{
    uint64_t lost = row[COUNTS_ROW_LOST];
    uint64_t throttled = row[COUNTS_ROW_THROTTLED];
    if (!row_get(&reader->from, row, COUNTS_ROW_FIELDS))
        return false;
    uint64_t more = row[COUNTS_ROW_LOST] - lost;
    make_item(reader, more ? STORE_ITEM_LOST : STORE_ITEM_THROTTLED, 0);
    reader->next.count = more ? more : row[COUNTS_ROW_THROTTLED] - throttled;
    return true;
}

static bool take_mark(struct store_reader *reader, uint64_t *row)
{
    if (!row_get(&reader->from, row, MARK_ROW_FIELDS))
        return false;
    make_item(reader, STORE_ITEM_REFRESH, row[MARK_ROW_NOW_NS]);
    reader->next.interval_s = number_to_double(row[MARK_ROW_INTERVAL]);
    return true;
}

static bool take_watch(struct store_reader *reader, uint64_t *row)
{
    return row_get(&reader->from, row, WATCH_ROW_FIELDS) &&
           watch_row_read(row, &reader->next.watch) && make_item(reader, STORE_ITEM_WATCH, 0);
}

static bool take_rename(struct store_reader *reader, uint64_t *row)
{
    if (!row_get(&reader->from, row, RENAME_ROW_FIELDS))
        return false;
    reader->next.rename = (struct object_rename){.from = (uint32_t)row[RENAME_ROW_FROM],
                                                 .to = (uint32_t)row[RENAME_ROW_TO],
                                                 .type = (uint32_t)row[RENAME_ROW_TYPE],
                                                 .fixed = row[RENAME_ROW_FIXED] != 0,
                                                 .offset = (int64_t)row[RENAME_ROW_OFFSET]};
    return make_item(reader, STORE_ITEM_RENAME, 0);
}

static bool take_ranking(struct store_reader *reader, uint64_t *row)
{
    if (!row_get(&reader->from, row, RANKING_ROW_FIELDS) ||
        row[RANKING_ROW_EVENT] >= SAMPLE_EVENTS_MAX)
        return false;
    reader->next.ranking = (uint16_t)row[RANKING_ROW_EVENT];
    return make_item(reader, STORE_ITEM_RANKING, 0);
}

static bool take_row(struct store_reader *reader, uint64_t kind, uint64_t id)
{
    uint64_t ignored[1];
    bool created;
    uint64_t *row = NULL;
    if (store_form_fields((unsigned)(kind < STORE_KINDS ? kind : 0)))
        row = rows_take(&reader->rows[kind], id, &created);
    if (!row)
        return row_get(&reader->from, ignored, 0);
    switch (kind) {
    case STORE_COUNTS:
        return take_counts(reader, row);
    case STORE_MARK:
        return take_mark(reader, row);
    case STORE_WATCH:
        return take_watch(reader, row);
    case STORE_RENAME:
        return take_rename(reader, row);
    case STORE_RANKING:
        return take_ranking(reader, row);
    case STORE_LINE:
        return reader_take_line(reader, row, &reader->next.line) &&
               make_item(reader, STORE_ITEM_LINE, reader->line_ns);
    default:
        return row_get(&reader->from, row, reader->rows[kind].fields);
    }
}

static bool take_record(struct store_reader *reader)
{
    uint64_t kind;
    uint64_t id;
    if (!number_get(&reader->from, &kind) || !number_get(&reader->from, &id))
        return false;
    return kind == STORE_STRING  ? reader_take_string(reader, id)
           : kind == STORE_PLACE ? take_place(reader, id)
                                 : take_row(reader, kind, id);
}

/* Goes on to the next item, if there is one. */
static void look_for_item(struct store_reader *reader)
{
    while (!reader->waiting && !reader->ended) {
        if (reader->from.at == reader->from.end && !next_block(reader))
            return;
        /* A block of the right checksum that makes no sense: no writer of ours made it. */
        if (reader->from.at < reader->from.end && !take_record(reader))
            end_damaged(reader, "makes no sense");
    }
}

long store_reader_read(struct store_reader *reader, uint64_t until_ns, store_sink sink,
                       void *context)
{
    long count = 0;
    for (;; count++) {
        look_for_item(reader);
        if (!reader->waiting)
            return count ? count : -ENODATA;
        if (reader->next.time_ns > until_ns)
            return count;
        reader->waiting = false;
        sink(context, &reader->next);
    }
}

static int prepare(struct store_reader *reader)
{
    arena_init(&reader->strings);
    arena_init(&reader->types);
    hash_init(&reader->type_index);
    for (unsigned kind = 0; kind < STORE_KINDS; kind++)
        rows_init(&reader->rows[kind], store_form_fields(kind), store_form_limit(kind));
    reader->slots = calloc(STORE_SLOTS, sizeof *reader->slots);
    reader->payload = malloc(STORE_BLOCK_BYTES);
    return reader->payload && reader->slots ? 0 : -ENOMEM;
}

/* Facts come before the first item. */
static int read_facts(struct store_reader *reader, const char *path, struct error *error)
{
    look_for_item(reader);
    reader->first_ns = reader->time_ns;
    if (reader->rows[STORE_FACTS].count)
        return 0;
    return error_set(error, -EBADMSG, "%s tells nothing: it was cut at its beginning, or damaged",
                     path);
}

int store_reader_open(struct store_reader **out, const char *path, struct error *error)
{
    char why[FILES_WHY];
    *out = NULL;
    struct store_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return error_set(error, -ENOMEM, "no memory for reading %s", path);
    reader->fd = files_open(path);
    int code = reader->fd < 0 ? error_set(error, reader->fd, "cannot open %s: %s", path,
                                          files_why(NULL, reader->fd, why))
                              : check_header(reader, path, error);
    if (!code && prepare(reader))
        code = error_set(error, -ENOMEM, "no memory for reading %s", path);
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
    enum { NOBODY = 65534 };
    return fstat(reader->fd, &status) ? NOBODY : status.st_uid;
}

void store_reader_close(struct store_reader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    for (unsigned kind = 0; kind < STORE_KINDS; kind++)
        rows_fini(&reader->rows[kind]);
    hash_fini(&reader->type_index);
    arena_fini(&reader->strings);
    arena_fini(&reader->types);
    free(reader->string);
    free(reader->slots);
    free(reader->type);
    free(reader->extent);
    free(reader->payload);
    free(reader);
}
