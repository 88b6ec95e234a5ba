/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_write.h"

#include "base/clock.h"
#include "store/place_row.h"
#include "store/watch_row.h"
#include "store/write_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

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

/* Header and payload lie side by side, so that a kill between two writes cannot part them. */
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

unsigned char *writer_room(struct store_writer *writer, size_t bytes)
{
    if (bytes > STORE_BLOCK_BYTES - (size_t)(writer->at - writer->payload))
        flush_block(writer);
    return writer->at;
}

void writer_row(struct store_writer *writer, enum store_kind kind, uint64_t id, const uint64_t *now)
{
    struct rows *rows = &writer->rows[kind];
    bool created;
    uint64_t *before = rows_take(rows, id, &created);
    if (!before || (!created && !memcmp(before, now, rows->fields * sizeof *now)))
        return;
    unsigned char *at = writer_room(writer, 2 * NUMBER_BYTES_MAX + ROW_BYTES_MAX);
    at = number_put(number_put(at, kind), id);
    writer->at = row_put(at, now, before, rows->fields);
}

/* One field of a row that has only one id. */
static void count_on(struct store_writer *writer, unsigned field, uint64_t count)
{
    bool created;
    uint64_t now[COUNTS_ROW_FIELDS];
    const uint64_t *row = rows_take(&writer->rows[STORE_COUNTS], 0, &created);
    if (!row)
        return;
    memcpy(now, row, sizeof now);
    now[field] += count;
    writer_row(writer, STORE_COUNTS, 0, now);
}

void store_writer_lost(struct store_writer *writer, uint64_t count)
{
    count_on(writer, COUNTS_ROW_LOST, count);
}

void store_writer_throttled(struct store_writer *writer)
{
    count_on(writer, COUNTS_ROW_THROTTLED, 1);
}

static inline void note_ids(struct store_writer *writer, const struct place *place)
{
    writer_object(writer, place->object);
    writer_function(writer, place->function);
    writer_address(writer, place->access.ip);
    if (place->holder)
        writer_object(writer, place->holder);
    if (place->type)
        writer_type(writer, place->type);
    if (place->evictor_object)
        writer_object(writer, place->evictor_object);
    if (place->evictor_function)
        writer_function(writer, place->evictor_function);
}

void store_writer_place(struct store_writer *writer, const struct place *place)
{
    uint64_t now[PLACE_ROW_FIELDS];
    if (writer->failed)
        return;
    place_row_fill(now, place);
    unsigned slot = place_row_slot(now);
    uint64_t *before = writer->slots[slot];
    /* The slot's last place brought the same ids: most do. */
    if (place_row_new_ids(now, before))
        note_ids(writer, place);
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
    uint64_t now[WATCH_ROW_FIELDS];
    bool created;
    uint64_t *before = rows_take(&writer->rows[STORE_WATCH], 0, &created);
    if (!before || writer->failed)
        return;
    watch_row_fill(now, watch);
    writer_object(writer, watch->result.object);
    writer_function(writer, watch->function);
    if (watch->ip)
        writer_address(writer, watch->ip);
    /* Not writer_row(): one like the last one counts, too. */
    unsigned char *at = writer_room(writer, 2 * NUMBER_BYTES_MAX + ROW_BYTES_MAX);
    at = number_put(number_put(at, STORE_WATCH), 0);
    writer->at = row_put(at, now, before, WATCH_ROW_FIELDS);
}

void store_writer_rename(struct store_writer *writer, const struct object_rename *rename)
{
    uint64_t now[RENAME_ROW_FIELDS] = {[RENAME_ROW_FROM] = rename->from,
                                       [RENAME_ROW_TO] = rename->to,
                                       [RENAME_ROW_TYPE] = rename->type,
                                       [RENAME_ROW_FIXED] = rename->fixed,
                                       [RENAME_ROW_OFFSET] = (uint64_t)rename->offset};
    bool created;
    uint64_t *before = rows_take(&writer->rows[STORE_RENAME], 0, &created);
    if (!before || writer->failed)
        return;
    writer_object(writer, rename->to);
    writer_type(writer, rename->type);
    unsigned char *at = writer_room(writer, 2 * NUMBER_BYTES_MAX + ROW_BYTES_MAX);
    at = number_put(number_put(at, STORE_RENAME), 0);
    writer->at = row_put(at, now, before, RENAME_ROW_FIELDS);
}

void store_writer_ranking(struct store_writer *writer, uint16_t event)
{
    uint64_t row[RANKING_ROW_FIELDS] = {[RANKING_ROW_EVENT] = event};
    if (!writer->failed)
        writer_row(writer, STORE_RANKING, 0, row);
}

static int make_rows(struct store_writer *writer)
{
    for (unsigned kind = 0; kind < STORE_KINDS; kind++)
        rows_init(&writer->rows[kind], store_form_fields(kind), store_form_limit(kind));
    writer->slots = calloc(STORE_SLOTS, sizeof *writer->slots);
    return writer->slots ? 0 : -ENOMEM;
}

static int start_file(struct store_writer *writer, struct error *error)
{
    struct store_header header = {.magic = STORE_MAGIC,
                                  .version = STORE_VERSION,
                                  .size_bytes = sizeof header,
                                  .start_ns = writer->options.start_ns,
                                  .belongs = writer->options.belongs};
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

static int tell_failure(const struct store_writer *writer, struct error *error)
{
    char cause[ERROR_CAUSE];
    return writer->failed ? error_set(error, writer->failed, "cannot write %s: %s",
                                      writer->options.path, error_cause(writer->failed, cause))
                          : 0;
}

int store_writer_sync(struct store_writer *writer, const struct store_facts *facts, uint64_t now_ns,
                      double interval_s, struct error *error)
{
    uint64_t mark[MARK_ROW_FIELDS] = {
        [MARK_ROW_NOW_NS] = now_ns, [MARK_ROW_INTERVAL] = number_of_double(interval_s)};
    if (!writer->failed) {
        writer_heap_sync(writer, now_ns);
        writer_names_sync(writer);
        writer_facts(writer, facts);
        writer_row(writer, STORE_MARK, 0, mark);
        writer->end_ns = now_ns;
        flush_block(writer);
    }
    return tell_failure(writer, error);
}

int store_writer_close(struct store_writer *writer, struct error *error)
{
    if (!writer)
        return 0;
    if (!writer->failed)
        flush_block(writer);
    /* Some file systems tell only now that there was no room. */
    if (close(writer->fd) && !writer->failed)
        writer->failed = -errno;
    int code = tell_failure(writer, error);
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
    return writer->file_bytes + (uint64_t)(writer->at - writer->payload);
}
