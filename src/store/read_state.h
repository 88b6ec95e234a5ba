/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader, shared by store_read.c (file, blocks, records), read_strings.c, read_names.c (what
 * ids mean), read_lines.c, read_facts.c and read_extents.c. Private to them. */
#ifndef MISSTOP_STORE_READ_STATE_H
#define MISSTOP_STORE_READ_STATE_H

#include "base/array.h"
#include "store/form.h"
#include "store/form_items.h"
#include "store/form_names.h"
#include "store/rows.h"
#include "store/store_read.h"

struct store_reader {
    int fd;
    struct store_header header;
    uint64_t size_bytes; /* of the file when it was opened */
    uint64_t at;         /* offset of the next block */
    uint64_t blocks;     /* read so far */
    unsigned char *payload;
    struct numbers from; /* what is left of it */
    uint64_t place_ns;   /* as the differences add up */
    uint64_t newest_ns;  /* of the places so far */
    uint64_t line_ns;    /* of the last line, as the differences add up */
    uint64_t time_ns;    /* of the last item; never goes back */
    uint64_t first_ns;   /* of the first item */
    uint64_t end_ns;
    struct store_item next;
    bool waiting; /* `next` was not handed on yet */
    bool ended;
    char damage[160];
    struct rows rows[STORE_KINDS];
    uint64_t (*slots)[PLACE_ROW_FIELDS]; /* of places */
    struct arena strings;
    const char **string; /* from id 1 on */
    size_t string_count;
    size_t string_room;
    /* Types made from their rows when they are first asked for. */
    struct arena types;
    struct hash type_index; /* id -> number in type */
    struct type_desc *type;
    size_t type_count;
    size_t type_room;
    size_t members_made;
    /* Extents in order of base, made when one is asked for. */
    struct object_extent *extent;
    size_t extent_count;
    size_t extents_of;                 /* rows that they were made from */
    const char *site[SITE_ROW_FIELDS]; /* of the bin asked for last */
};

/* The payload of a block at an offset of the file, if it is whole and has that number. */
bool reader_payload(const struct store_reader *reader, uint64_t at, uint64_t number,
                    unsigned char *payload, struct numbers *from);

/* In the file, of a block of which nothing was taken yet. */
static inline uint64_t reader_block_bytes(const struct numbers *from)
{
    return sizeof(struct store_block) + (uint64_t)(from->end - from->at);
}

/* The string that comes next; false: damaged, or no memory. */
bool reader_take_string(struct store_reader *reader, uint64_t id);

/* NULL for id 0 and for one that never came. */
const char *reader_string(const struct store_reader *reader, uint64_t id);

/* The line that comes next, into a row of its slot; false: damaged. */
bool reader_take_line(struct store_reader *reader, uint64_t *row, struct line_place *line);

void reader_whatif(const struct store_reader *reader, struct snapshot_whatifs *asked);

bool reader_extent(void *context, uint64_t address, struct object_extent *extent);
bool reader_mapping(void *context, uint64_t address, struct mapping_desc *desc);
int reader_cpu_node(void *context, uint32_t cpu);
void reader_page_nodes(void *context, const uint64_t *addresses, size_t count, int *nodes);
void reader_memory(void *context, uint64_t address, struct memory_use *use);
bool reader_word(void *context, uint64_t address, uint64_t *value);

#endif
