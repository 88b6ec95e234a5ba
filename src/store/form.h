/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The form of FILE.misstop, as the man page describes it: a header, then blocks; a block is its own
 * header and a payload of records; no record crosses the end of a block. All numbers of the headers
 * are little endian. Contract of writer and reader; for src/store only.
 *
 * A record is its kind, an id, and a row of fields, listed below; but a string is its kind, its id,
 * its length and its bytes, and a place has the difference of time between slot and row. Fields may
 * be added at the end of a row and kinds at the end of the list without another version.
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

/*
 * Facts of a store beside places and names: the sources, the process watched, the machine; of
 * `info` and `target` as far as form.c lists them. The recorder fills one in to be written, the
 * reader hands one out; strings are printable, and NULL or "" where not known.
 */
struct store_facts {
    struct sampler_info info;
    struct resolver_target target;
    const char *cache_level; /* of the set map, with the next: as struct geometry has it */
    uint64_t cache_size_bytes;
    uint32_t cache_ways;
    uint32_t cache_line_bytes;
    const char *host;
    int64_t user; /* owner of the process; negative: not known */
    struct snapshot_simulation simulation;
    struct snapshot_watch watch; /* without objects, which follow from the results */
    struct snapshot_whatifs whatif;
    uint64_t cache_lines[3]; /* of L1d, L2, L3, by which these are judged; 0: not known */
};

/* How a watchpoint ended and the code that touched, as the tables are reported it
 * (profile_watch()): what a store keeps of it. A plain value; the recorder fills one in, the reader
 * hands one out. */
struct store_watch {
    struct watch_result result;
    uint32_t function; /* that touched; 0: it did not, or is not known */
    uint64_t ip;       /* within the instruction that touched */
};

#define STORE_MAGIC       UINT64_C(0x504f545353494d0a) /* "\nMISSTOP" */
#define STORE_BLOCK_MAGIC UINT32_C(0x4b4c422d)         /* "-BLK" */

enum {
    STORE_VERSION = 1,
    STORE_BLOCK_BYTES = 1 << 16, /* payload, at most */
    STORE_STRING_BYTES = 1 << 13,
    STORE_SESSION_BYTES = 16,
    STORE_SLOT_BITS = 12, /* of the last places that a place is reported by its difference from */
    STORE_SLOTS = 1 << STORE_SLOT_BITS,
};

struct store_header {
    uint64_t magic;
    uint32_t version;
    uint32_t size_bytes; /* of this header: the first block follows */
    unsigned char session[STORE_SESSION_BYTES];
    uint64_t start_ns;      /* CLOCK_MONOTONIC */
    uint64_t start_wall_ns; /* the same since 1970 */
    uint64_t belongs;  /* mark of the perf.data beside it (sample/perfdata/perfdata.h); 0: there is
                          none */
    uint64_t checksum; /* of the bytes before it */
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
    STORE_WATCHING,  /* result and cost of watchpoints */
    STORE_LINE,      /* line event of a simulation; id: slot, as that of a place */
    STORE_PAIR,      /* pair of instructions; id: line_pair_number() */
    STORE_CODE,      /* function of one of these; id: address */
    STORE_WHATIFS,
    STORE_WHATIF,       /* id: its place in the list */
    STORE_WHATIF_LEVEL, /* id: that of the question * SIMULATION_LEVELS_MAX, and the level */
    STORE_WHATIF_PAST,  /* id: its place in the list */
    STORE_RENAME,       /* an object that turned out to be another one */
    STORE_RANKING,      /* another event ranks */
    STORE_CALLER,       /* node of the tree of callers; id: node */
    STORE_KINDS
};

/*
 * Members of a plain value as fields of its rows: one list in form.c for the writer and the reader.
 * A field that is not a plain copy of a member is written and read by hand, beside the list; its
 * number is named below.
 */
enum row_type {
    ROW_BY_HAND,
    ROW_NUMBER,
    ROW_COUNT,  /* a number of elements: a larger one than `most` is as many */
    ROW_ENUM,   /* a larger one than `most` is the first */
    ROW_FLAG,   /* bool */
    ROW_DOUBLE, /* its bits */
    ROW_STRING, /* the id of a string; NULL: none */
    ROW_NAME,   /* the same; "": none */
    ROW_CHARS   /* the same, of an array of char */
};

struct row_field {
    uint16_t type; /* enum row_type */
    uint16_t size; /* of the member, as the next */
    uint16_t at;
    uint32_t most;
};

/* *count: 0: all fields are by hand. */
const struct row_field *store_form_list(unsigned kind, unsigned *count);

/* Checksums of the headers, the latter with its payload. */
uint64_t store_form_header_sum(const struct store_header *header);
uint64_t store_form_block_sum(const struct store_block *block, const void *payload);

/* Fields of what comes in the order of time: places, watches, counts, refreshes. An id is that of a
 * row of names. For src/store only. */
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
    PLACE_ROW_SHAPE, /* event 16 bits, reason, how, size, kind, base, index 8 each, from low to high
                      */
    PLACE_ROW_DISPLACEMENT,
    /* by_member, typed, untyped, 8 bits each; locked, waits, kept, chases, again, 1 bit each;
     * per_line, 3 bits; unit, 8 bits; rewritten, flushes, 1 bit each */
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

/* As struct line_event has it, and of its place what the tables count by. */
enum line_field {
    LINE_ROW_SINCE, /* ns since the line before it, of any slot */
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

/* As struct line_pair has it, as of a refresh. */
enum pair_field { PAIR_ROW_FIRST, PAIR_ROW_SECOND, PAIR_ROW_COUNT };
enum code_field { CODE_ROW_FUNCTION };

enum watch_field { WATCH_ROW_SHAPE = 1 /* kind and end, 8 bits each from low to high */ };

/* Index of the event that ranks from here on. */
enum ranking_field { RANKING_ROW_EVENT };

enum counts_field { COUNTS_ROW_LOST, COUNTS_ROW_THROTTLED };
enum mark_field { MARK_ROW_NOW_NS, MARK_ROW_INTERVAL };

/* Fields of what ids mean and of what the tables asked. A name, path or text is the id of a string;
 * a double its bits. For src/store only. */
enum type_field { TYPE_ROW_FIRST_MEMBER = 3, TYPE_ROW_MEMBERS };

enum member_field { MEMBER_ROW_PARENT = 6 /* plus 1; 0: the type itself */ };

enum instruction_field {
    INSTRUCTION_ROW_TEXT = 3,
    INSTRUCTION_ROW_ASKED /* whether file, line and inlined are an answer */
};

enum extent_field { EXTENT_ROW_BOUND };

enum bin_field {
    BIN_ROW_ID,
    BIN_ROW_FLAGS = 6,     /* 1: walked, 2: renamed */
    BIN_ROW_FIRST_NS = 16, /* on the clock of HEAP_ROW_NOW_NS; UINT64_MAX: not known */
    BIN_ROW_LAST_NS,
    BIN_ROW_SIZES = 20 /* HEAP_SIZES of them */
};

enum heap_field { HEAP_ROW_BINS = 8, HEAP_ROW_NOW_NS = 10 };

enum mapping_field { MAPPING_ROW_END };

/* NUMA node plus 1, of a CPU or page; 0: not known. */
enum node_field { NODE_ROW_NODE };

enum thread_field { THREAD_ROW_NAME };

enum word_field { WORD_ROW_VALUE };
/* Strings, innermost first; the first 0 ends them. */
enum site_field { SITE_ROW_FIELDS = 64 };

/* Facts beside places and names, of a refresh. A text is the id of a string; a double its bits. */
enum facts_field {
    FACTS_ROW_GIVES = 3, /* 1: exact address, 2: exact ip, 4: latency, 8: data source, 16: lines */
    FACTS_ROW_USER = 15  /* of the process, plus 1; 0: not known */
};

enum whatif_field { WHATIF_ROW_STATE };

/*
 * Numbers as they are in the store: seven bits a byte, the least significant first, the top bit
 * says that more follow; differences with their sign in bit 0. For src/store only.
 */
enum { NUMBER_BYTES_MAX = 10 };

/* Bytes still to be read; `at` never passes `end`. */
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

/* false: the bytes end before the number, or it has more than 64 bits. */
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

/* A double as the number with its bits, the exponent in the low ones: round values are short. */
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
 * Rows of numbers under an id, all of one width: what writer and reader know of one kind of thing
 * (objects, functions, members, bins ...). A row goes into the file as what changed since the
 * row of the same kind and id before: a mask of the fields, then their differences. So both
 * sides keep the rows, and a reader can step over fields and kinds it does not know.
 * For src/store only.
 */
enum {
    ROWS_FIELDS_MAX = 64,
    ROW_BYTES_MAX = (ROWS_FIELDS_MAX + 1) * NUMBER_BYTES_MAX /* mask and fields */
};

struct rows {
    struct hash index; /* id -> number of the row */
    uint64_t *at;      /* [count * fields] */
    uint64_t *ids;
    size_t count;
    size_t room;
    size_t limit; /* no more rows than these: a hostile file must not fill the memory */
    unsigned fields;
};

/* Those of each kind; no fields: strings, places, and kinds not known. */
void store_form_rows(struct rows rows[STORE_KINDS]);
void rows_fini(struct rows *rows);

static inline uint64_t *rows_at(const struct rows *rows, size_t number)
{
    return rows->at + number * rows->fields;
}

/* The row of an id; NULL: there is none. Valid until the next row is made. */
uint64_t *rows_find(const struct rows *rows, uint64_t id);

/* The same, made with all fields 0 if absent (*created); NULL: no memory, or at the limit. */
uint64_t *rows_take(struct rows *rows, uint64_t id, bool *created);

/* Writes what differs and makes `before` equal to `now`. Returns the end of what was written, at
 * most ROW_BYTES_MAX on. */
unsigned char *row_put(unsigned char *out, const uint64_t *now, uint64_t *before, unsigned fields);

/* Brings `row` up to date; fields beyond `fields` are stepped over. false: damaged. */
bool row_get(struct numbers *from, uint64_t *row, unsigned fields);

/* A place as a row of numbers, and back; its time is beside the row. For src/store only. */
void place_row_fill(uint64_t row[PLACE_ROW_FIELDS], const struct place *place);

/* From an untrusted row: enums are made to fit, the base is at or below the address. The caller
 * checks time and event, because it has their bounds. */
void place_row_read(const uint64_t row[PLACE_ROW_FIELDS], struct place *place);

/* Accesses of one instruction are alike: it decides which earlier place one is reported from. */
unsigned place_row_slot(const uint64_t row[PLACE_ROW_FIELDS]);

/* Whether there may be an object, function, type or instruction that `before` did not have. */
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

/* Line events of a simulation as rows of numbers, and back: lines one by one, and pairs of
 * instructions, which writer and reader keep. */
/* `since_ns`: since the line before. Who ran, and on which CPU, is not kept: no table asks. */
void line_row_fill(uint64_t row[LINE_ROW_FIELDS], const struct line_place *line, uint64_t since_ns);

/* false: no simulation reports such a line. Its time is left to the caller. */
bool line_row_read(const uint64_t row[LINE_ROW_FIELDS], struct line_place *line);

/* Lines of one instruction are alike: it selects the earlier line that the difference is taken
 * from. */
unsigned line_row_slot(const uint64_t row[LINE_ROW_FIELDS]);

/* Whether there may be an object, function, type or instruction that `before` did not have. */
bool line_row_new_ids(const uint64_t *now, const uint64_t *before);

/* The answer to PLACE_PAIR; places are in the order of recording. */
bool pair_rows_answer(const struct rows *rows, uint64_t number, struct line_pair *pair);

#endif
