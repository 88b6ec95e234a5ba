/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer, shared by store_write.c (file, blocks, places), write_names.c (what ids mean),
 * write_facts.c (heap, facts) and write_lines.c. Private to them. */
#ifndef MISSTOP_STORE_WRITE_STATE_H
#define MISSTOP_STORE_WRITE_STATE_H

#include "base/array.h"
#include "store/form.h"
#include "store/form_items.h"
#include "store/form_names.h"
#include "store/rows.h"
#include "store/store_write.h"

struct store_writer {
    struct store_writer_options options;
    int fd;
    int failed;               /* negative errno of the write that failed */
    struct store_block block; /* being filled */
    unsigned char *payload;   /* [STORE_BLOCK_BYTES] */
    unsigned char *at;
    uint64_t file_bytes;
    uint64_t last_ns;              /* of the last place: the next is told by its difference */
    uint64_t line_ns;              /* of the last line, likewise */
    uint64_t end_ns;               /* of the last place, line or refresh */
    struct rows rows[STORE_KINDS]; /* as they stand in the file */
    uint64_t (*slots)[PLACE_ROW_FIELDS];
    size_t next_instruction; /* to be asked about */
    struct arena strings;
    const char **string; /* [string_count], from id 1 on */
    size_t string_count;
    size_t string_room;
    struct hash string_ids; /* by hash of the bytes */
};

/* Room for a record: flushes where there is none. */
unsigned char *writer_room(struct store_writer *writer, size_t bytes);

/* The row of an id as it is now; written if it differs from the file's. `made`: for a row without
 * any field set, too. */
void writer_row(struct store_writer *writer, enum store_kind kind, uint64_t id,
                const uint64_t *now);

/* Id of a string, written if it is new; 0 for NULL or without memory. */
uint64_t writer_string(struct store_writer *writer, const char *text);

/* An id that came up: described if it is new. */
void writer_object(struct store_writer *writer, uint32_t object);
void writer_function(struct store_writer *writer, uint32_t function);
void writer_thread(struct store_writer *writer, uint32_t tid);
void writer_type(struct store_writer *writer, uint32_t type);
void writer_address(struct store_writer *writer, uint64_t address);

/* Everything described before, as it is now. */
void writer_names_sync(struct store_writer *writer);
void writer_heap_sync(struct store_writer *writer, uint64_t now_ns);
void writer_whatif(struct store_writer *writer, const struct snapshot_whatifs *asked);
void writer_facts(struct store_writer *writer, const struct store_facts *facts);

#endif
