/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The format of FILE.misstop, as described in the man page: a header, then blocks. A block is its
 * own header and a payload of records; no record crosses the end of a block. All numbers of the
 * headers are little endian. Contract of writer and reader; private to src/store.
 *
 * A record is its kind, an id, and a row of fields, listed below. Exceptions: a string is its kind,
 * id, length and bytes, and a place has a time difference between slot and row. Fields can be added
 * at the end of a row, and kinds at the end of the list, without a new version.
 */
#ifndef MISSTOP_STORE_FORM_H
#define MISSTOP_STORE_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "place.h"
#include "sample.h"
#include "snapshot_simulation.h"
#include "snapshot_watch.h"

/* Facts beside places and names; of `info` and `target` as far as form.c lists them. Strings are
 * printable, and NULL or "" if not known. */
struct store_facts {
    struct sampler_info info;
    struct resolver_target target;
    const char *cache_level; /* of the set map, as in struct geometry; the next three too */
    uint64_t cache_size_bytes;
    uint32_t cache_ways;
    uint32_t cache_line_bytes;
    const char *host;
    int64_t user; /* owner of the process; negative: not known */
    struct snapshot_simulation simulation;
    struct snapshot_watch watch; /* without objects, which are derived from the results */
    struct snapshot_whatifs whatif;
    uint64_t cache_lines[3]; /* lines of L1d, L2, L3, for the verdicts; 0: not known */
};

/* The end of a watchpoint and the code that touched the line: part of profile_watch(). */
struct store_watch {
    struct watch_result result;
    uint32_t function; /* function that touched; 0: none, or not known */
    uint64_t ip;       /* an address within the instruction that touched */
};

#define STORE_MAGIC       UINT64_C(0x504f545353494d0a) /* "\nMISSTOP" */
#define STORE_BLOCK_MAGIC UINT32_C(0x4b4c422d)         /* "-BLK" */

enum {
    STORE_VERSION = 1,
    STORE_BLOCK_BYTES = 1 << 16, /* maximum payload */
    STORE_STRING_BYTES = 1 << 13,
    STORE_SESSION_BYTES = 16,
    /* Slots hold earlier places; a place is encoded as the difference from one of them. */
    STORE_SLOT_BITS = 12,
    STORE_SLOTS = 1 << STORE_SLOT_BITS,
};

struct store_header {
    uint64_t magic;
    uint32_t version;
    uint32_t size_bytes; /* of this header; the first block follows */
    unsigned char session[STORE_SESSION_BYTES];
    uint64_t start_ns;      /* CLOCK_MONOTONIC */
    uint64_t start_wall_ns; /* the same time since 1970 */
    /* Mark of the perf.data of the same run (sample/perfdata/perfdata.h); 0: none. */
    uint64_t perfdata_mark;
    uint64_t checksum; /* of the bytes before it */
};

struct store_block {
    uint32_t magic;
    uint32_t payload_bytes;
    uint64_t number;   /* from 0 */
    uint64_t last_ns;  /* time of the last place or refresh so far */
    uint64_t checksum; /* checksum of the header before it, and of the payload */
};

enum store_kind {
    STORE_STRING = 1, /* id from 1; 0: no string */
    STORE_PLACE,
    STORE_OBJECT,
    STORE_FUNCTION,
    STORE_TYPE,
    STORE_MEMBER,      /* id: from 0; the members of a type are consecutive */
    STORE_INSTRUCTION, /* id: address */
    STORE_EXTENT,      /* id: base */
    STORE_BIN,         /* id: index */
    STORE_HEAP,
    STORE_EVENT, /* id: number of the event */
    STORE_FACTS,
    STORE_COUNTS,
    STORE_MARK,    /* a refresh */
    STORE_SITE,    /* call path of a bin, by its index */
    STORE_MAPPING, /* of sampled code; id: start */
    STORE_CPU,     /* id: number of the CPU */
    STORE_PAGE,    /* id: a requested address in the page */
    STORE_THREAD,  /* id: tid */
    STORE_MEMORY,  /* id: the requested address */
    STORE_WORD,    /* id: the requested address */
    STORE_SIMULATION,
    STORE_SIM_LEVEL, /* id: number of the level, from 0 */
    STORE_WATCH,     /* end of a watchpoint */
    STORE_WATCHING,  /* result and cost of watchpoints */
    STORE_LINE,      /* line event of a simulation; id: slot, as for a place */
    STORE_PAIR,      /* pair of instructions; id: line_pair_number() */
    STORE_CODE,      /* function of an instruction in a pair; id: address */
    STORE_WHATIFS,
    STORE_WHATIF,       /* id: index in the list */
    STORE_WHATIF_LEVEL, /* id: index of the question * SIMULATION_LEVELS_MAX + level */
    STORE_WHATIF_PAST,  /* id: index in the list */
    STORE_RENAME,       /* an object that was merged into another */
    STORE_RANKING,      /* change of the ranking event */
    STORE_CALLER,       /* caller node; id: node */
    STORE_KINDS
};

/* One list in form.c for writer and reader. A field that is not a plain copy of a member is encoded
 * by hand, outside the list; its number is defined below. */
enum row_type {
    ROW_BY_HAND,
    ROW_NUMBER,
    ROW_COUNT,  /* number of elements; clamped to `most` */
    ROW_ENUM,   /* 0 if larger than `most` */
    ROW_FLAG,   /* bool */
    ROW_DOUBLE, /* its bits */
    ROW_STRING, /* id of a string; NULL: none */
    ROW_NAME,   /* id of a string; "": none */
    ROW_CHARS   /* id of a string, for an array of char */
};

struct row_field {
    uint16_t type; /* enum row_type */
    uint16_t size; /* size and offset of the member */
    uint16_t at;
    uint32_t most;
};

/* Returns the list of a kind; *count 0: all fields are encoded by hand. */
const struct row_field *store_form_list(unsigned kind, unsigned *count);

/* Return the checksums of the headers; that of a block includes the payload. */
uint64_t store_form_header_sum(const struct store_header *header);
uint64_t store_form_block_sum(const struct store_block *block, const void *payload);

/* Fields of records in order of time: places, watches, counts, refreshes. An id is that of a row of
 * names. Private to src/store. */
enum place_field {
    PLACE_ROW_ADDRESS,
    PLACE_ROW_OFFSET, /* address - base */
    PLACE_ROW_TID,
    PLACE_ROW_CPU,
    PLACE_ROW_OBJECT,
    PLACE_ROW_SIZE,
    PLACE_ROW_LATENCY,
    PLACE_ROW_DATA_SRC,
    PLACE_ROW_PHYSICAL,
    PLACE_ROW_WEIGHT,
    PLACE_ROW_IP,
    PLACE_ROW_FUNCTION,
    PLACE_ROW_HOLDER,
    PLACE_ROW_TYPE,
    PLACE_ROW_TYPE_OFFSET,
    /* event 16 bits; reason, how, size, kind, base, index 8 bits each; lowest bits first */
    PLACE_ROW_SHAPE,
    PLACE_ROW_DISPLACEMENT,
    /* by_member, typed, untyped, 8 bits each; locked, is_spinning, is_spill_slot, is_pointer_chase,
     * line_was_accessed, 1 bit each; per_line_log2, 3 bits; unit, 8 bits; is_stored_in_loop,
     * flushes_line, 1 bit each */
    PLACE_ROW_TYPING,
    PLACE_ROW_PID,
    PLACE_ROW_CAUSE,
    PLACE_ROW_EVICTOR_IP,
    PLACE_ROW_EVICTOR_ADDRESS,
    PLACE_ROW_EVICTOR_OBJECT,
    PLACE_ROW_EVICTOR_FUNCTION,
    PLACE_ROW_EVICTOR_TID,
    PLACE_ROW_CALLER,
    PLACE_ROW_FIELDS
};

/* As in struct line_event, and the parts of its place that the tables use. */
enum line_field {
    LINE_ROW_SINCE, /* ns since the previous line, of any slot */
    LINE_ROW_ADDRESS,
    LINE_ROW_OFFSET, /* address - base */
    LINE_ROW_OBJECT,
    LINE_ROW_DISTANCE, /* plus 1; 0: none */
    LINE_ROW_WEIGHT,
    LINE_ROW_IP,
    LINE_ROW_FUNCTION,
    /* event 16 bits, line_bytes 16, what, level, by_member, unit 8 each, from low to high */
    LINE_ROW_SHAPE,
    LINE_ROW_TYPE,
    LINE_ROW_TYPE_OFFSET,
    LINE_ROW_USED,
    LINE_ROW_TOUCHED,
    LINE_ROW_USES, /* in the order of enum line_use */
    LINE_ROW_FIELDS = LINE_ROW_USES + 4
};

/* As in struct line_pair, as of a refresh. */
enum pair_field { PAIR_ROW_FIRST, PAIR_ROW_SECOND, PAIR_ROW_COUNT };
enum code_field { CODE_ROW_FUNCTION };

enum watch_field { WATCH_ROW_SHAPE = 1 /* kind and end, 8 bits each from low to high */ };

/* Index of the new ranking event. */
enum ranking_field { RANKING_ROW_EVENT };

enum counts_field { COUNTS_ROW_LOST, COUNTS_ROW_THROTTLED };
enum mark_field { MARK_ROW_NOW_NS, MARK_ROW_INTERVAL };

/* Fields of the rows that describe ids, and of the answers to the tables. A name, path or text is
 * the id of a string; a double is stored as its bits. Private to src/store. */
enum type_field { TYPE_ROW_FIRST_MEMBER = 3, TYPE_ROW_MEMBERS };

enum member_field { MEMBER_ROW_PARENT = 6 /* plus 1; 0: the type itself */ };

enum instruction_field {
    INSTRUCTION_ROW_TEXT = 3,
    INSTRUCTION_ROW_ASKED /* the other fields are an answer */
};

enum extent_field { EXTENT_ROW_BOUND };

enum bin_field {
    BIN_ROW_ID,
    BIN_ROW_FLAGS = 6,     /* 1: walked, 2: renamed */
    BIN_ROW_FIRST_NS = 16, /* in the clock of HEAP_ROW_NOW_NS; UINT64_MAX: not known */
    BIN_ROW_LAST_NS,
    BIN_ROW_SIZES = 20 /* HEAP_SIZES fields */
};

enum heap_field { HEAP_ROW_BINS = 8, HEAP_ROW_NOW_NS = 10 };

enum mapping_field { MAPPING_ROW_END };

/* NUMA node of a CPU or page, plus 1; 0: not known. */
enum node_field { NODE_ROW_NODE };

enum thread_field { THREAD_ROW_NAME };

enum word_field { WORD_ROW_VALUE };
/* Strings, innermost first; terminated by 0. */
enum site_field { SITE_ROW_FIELDS = 64 };

/* Facts other than places and names, as of a refresh. A text is the id of a string; a double is
 * stored as its bits. */
enum facts_field {
    FACTS_ROW_GIVES = 3, /* 1: exact address, 2: exact ip, 4: latency, 8: data source, 16: lines */
    FACTS_ROW_USER = 15  /* user of the process, plus 1; 0: not known */
};

enum whatif_field { WHATIF_ROW_STATE };

/* Encoding of numbers: seven bits per byte, least significant first; the top bit is set if more
 * bytes follow. Differences have their sign in bit 0. Private to src/store. */
enum { NUMBER_BYTES_MAX = 10 };

/* Unread bytes; `at` never passes `end`. */
struct numbers {
    const unsigned char *at;
    const unsigned char *end;
};

static inline unsigned char *number_put(unsigned char *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *out++ = (unsigned char)(value | 0x80);
    *out++ = (unsigned char)value;
    return out;
}

/* Returns false if the bytes end within the number, or it has more than 64 bits. */
static inline bool number_get(struct numbers *from, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        unsigned char byte = *from->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return shift < 63 || byte <= 1;
    }
    return false;
}

static inline uint64_t number_of_difference(uint64_t difference)
{
    return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t number_to_difference(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

/* Returns the bits of a double as a number, with the exponent in the low ones, so that round values
 * are short. */
static inline uint64_t number_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return __builtin_bswap64(bits);
}

static inline double number_to_double(uint64_t number)
{
    uint64_t bits = __builtin_bswap64(number);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * Rows of numbers by id, all of the same width: the state of one kind (objects, functions, members,
 * bins ...) in writer and reader. A row is written as the changes since the last row of the same
 * kind and id: a mask of the fields, then their differences. Therefore both sides store the rows,
 * and a reader can skip fields and kinds it does not know. Private to src/store.
 */
enum {
    ROWS_FIELDS_MAX = 64,
    ROW_BYTES_MAX = (ROWS_FIELDS_MAX + 1) * NUMBER_BYTES_MAX /* mask and fields */
};

struct rows {
    struct hash index; /* id to index of the row */
    uint64_t *at;      /* [count * fields] */
    uint64_t *ids;
    size_t count;
    size_t room;
    size_t limit; /* limit, so that a hostile file cannot exhaust the memory */
    unsigned fields;
};

/* Initialises the rows of each kind. Strings, places and unknown kinds have no fields. */
void store_form_rows(struct rows rows[STORE_KINDS]);
void rows_fini(struct rows *rows);

static inline uint64_t *rows_at(const struct rows *rows, size_t number)
{
    return rows->at + number * rows->fields;
}

/* Returns the row of an id; NULL: none. Valid until the next row is added. */
uint64_t *rows_find(const struct rows *rows, uint64_t id);

/* Adds an absent row with all fields 0 (*created); NULL: no memory, or at the limit. */
uint64_t *rows_take(struct rows *rows, uint64_t id, bool *created);

/* Makes `before` equal to `now`. Returns the end of the written bytes, at most ROW_BYTES_MAX. */
unsigned char *row_put(unsigned char *out, const uint64_t *now, uint64_t *before, unsigned fields);

/* Updates `row`; skips fields beyond `fields`. Returns false if the data is damaged. */
bool row_get(struct numbers *from, uint64_t *row, unsigned fields);

/* The time of a place is stored outside the row. */
void place_row_fill(uint64_t row[PLACE_ROW_FIELDS], const struct place *place);

/* Reads an untrusted row: clamps enums, and makes the base valid for the address. The caller checks
 * time and event, because it has their bounds. */
void place_row_read(const uint64_t row[PLACE_ROW_FIELDS], struct place *place);

/* Returns the slot with the earlier place that a place is encoded from. Depends on the instruction,
 * because its accesses are similar. */
unsigned place_row_slot(const uint64_t row[PLACE_ROW_FIELDS]);

/* Returns true if a place may have an object, function, type or instruction new to `before`. */
static inline bool place_row_new_ids(const uint64_t *now, const uint64_t *before)
{
    return now[PLACE_ROW_OBJECT] != before[PLACE_ROW_OBJECT] ||
           now[PLACE_ROW_IP] != before[PLACE_ROW_IP] ||
           now[PLACE_ROW_FUNCTION] != before[PLACE_ROW_FUNCTION] ||
           now[PLACE_ROW_HOLDER] != before[PLACE_ROW_HOLDER] ||
           now[PLACE_ROW_TYPE] != before[PLACE_ROW_TYPE] ||
           now[PLACE_ROW_CALLER] != before[PLACE_ROW_CALLER] ||
           now[PLACE_ROW_EVICTOR_OBJECT] != before[PLACE_ROW_EVICTOR_OBJECT] ||
           now[PLACE_ROW_EVICTOR_FUNCTION] != before[PLACE_ROW_EVICTOR_FUNCTION];
}

/* Single lines, and pairs of instructions, which writer and reader store. */

/* Fills in a row. `since_ns`: since the previous line. No table uses thread and CPU. */
void line_row_fill(uint64_t row[LINE_ROW_FIELDS], const struct line_place *line, uint64_t since_ns);

/* Reads a row; returns false if no simulation reports such a line. The caller sets the time. */
bool line_row_read(const uint64_t row[LINE_ROW_FIELDS], struct line_place *line);

/* Returns the slot with the earlier line that a line is encoded from. Depends on the instruction,
 * because its lines are similar. */
unsigned line_row_slot(const uint64_t row[LINE_ROW_FIELDS]);

/* Returns true if a line may have an object, function, type or instruction new to `before`. */
bool line_row_new_ids(const uint64_t *now, const uint64_t *before);

/* Answers PLACE_PAIR; places are in the order of recording. */
bool pair_rows_answer(const struct rows *rows, uint64_t number, struct line_pair *pair);

#endif
