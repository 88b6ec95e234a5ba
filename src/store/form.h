/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The form of FILE.misstop, as the man page tells it: a header, then blocks; a block is its own
 * header and a payload of records, none of which goes over its end. All numbers of the headers
 * are little endian. Writer and reader share what stands here. For src/store only.
 *
 * A record is its kind, an id, and a row (rows.h), whose fields stand in form_items.h, form_names.h
 * and form_facts.h; but a string is its kind, its id, its length and its bytes, and a place has the
 * difference of time between slot and row. Fields may be added at the end of a row and kinds at
 * the end of the list without another version.
 */
#ifndef MISSTOP_STORE_FORM_H
#define MISSTOP_STORE_FORM_H

#include <stddef.h>
#include <stdint.h>

#define STORE_MAGIC       UINT64_C(0x504f545353494d0a) /* "\nMISSTOP" */
#define STORE_BLOCK_MAGIC UINT32_C(0x4b4c422d)         /* "-BLK" */

enum {
    STORE_VERSION = 1,
    STORE_BLOCK_BYTES = 1 << 16, /* payload, at most */
    STORE_STRING_BYTES = 1 << 13,
    STORE_SESSION_BYTES = 16,
    STORE_SLOT_BITS = 12, /* of the last places that a place is told by its difference from */
    STORE_SLOTS = 1 << STORE_SLOT_BITS,
};

struct store_header {
    uint64_t magic;
    uint32_t version;
    uint32_t size_bytes; /* of this header: the first block follows */
    unsigned char session[STORE_SESSION_BYTES];
    uint64_t start_ns;      /* CLOCK_MONOTONIC */
    uint64_t start_wall_ns; /* the same since 1970 */
    uint64_t belongs;  /* mark of the perf.data beside it (sample/perfdata/perfdata.h); 0: there is none */
    uint64_t checksum; /* of what stands before */
};

struct store_block {
    uint32_t magic;
    uint32_t payload_bytes;
    uint64_t number;   /* from 0 */
    uint64_t last_ns;  /* time of the last place or refresh so far */
    uint64_t checksum; /* of this header before it, and of the payload */
};

enum store_kind {
    STORE_STRING = 1, /* id from 1: 0 is no string */
    STORE_PLACE,
    STORE_OBJECT,
    STORE_FUNCTION,
    STORE_TYPE,
    STORE_MEMBER,      /* id: from 0, those of a type in one run */
    STORE_INSTRUCTION, /* id: address */
    STORE_EXTENT,      /* id: base */
    STORE_BIN,         /* id: index */
    STORE_HEAP,
    STORE_EVENT, /* id: number of the event */
    STORE_FACTS,
    STORE_COUNTS,
    STORE_MARK,    /* a refresh */
    STORE_SITE,    /* call path of a bin, under its index */
    STORE_MAPPING, /* of sampled code; id: start */
    STORE_CPU,     /* id: number of the CPU */
    STORE_PAGE,    /* id: an address in it that was asked for */
    STORE_THREAD,  /* id: tid */
    STORE_MEMORY,  /* id: the address that was asked for */
    STORE_WORD,    /* likewise */
    STORE_SIMULATION,
    STORE_SIM_LEVEL, /* id: number of the level, from 0 */
    STORE_WATCH,     /* how a watchpoint ended */
    STORE_WATCHING,  /* what watchpoints did and cost */
    STORE_LINE,      /* what a simulation told of a line; id: slot, as that of a place */
    STORE_PAIR,      /* who did what to whose lines; id: pair_row_id() */
    STORE_CODE,      /* function of one of these; id: address */
    STORE_WHATIFS,
    STORE_WHATIF,       /* id: its place in the list */
    STORE_WHATIF_LEVEL, /* id: that of the question * SIMULATION_LEVELS_MAX, and the level */
    STORE_WHATIF_PAST,  /* id: its place in the list */
    STORE_RENAME,       /* an object that turned out to be another one */
    STORE_RANKING,      /* another event ranks */
    STORE_KINDS
};

/* Fields of a kind's rows, 0 for strings and kinds not known; and how many rows are kept. */
unsigned store_form_fields(unsigned kind);
size_t store_form_limit(unsigned kind);

/* Checksums of the headers, the latter with its payload. */
uint64_t store_form_header_sum(const struct store_header *header);
uint64_t store_form_block_sum(const struct store_block *block, const void *payload);

#endif
