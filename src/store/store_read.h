/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places in order, the meaning of their ids at that point, and the facts. Every byte is untrusted:
 * a truncated or damaged file is read up to the damage. Single-threaded. */
#ifndef MISSTOP_STORE_STORE_READ_H
#define MISSTOP_STORE_STORE_READ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "place.h"
#include "store/form.h"

struct store_reader;

enum store_item_kind {
    STORE_ITEM_PLACE,
    STORE_ITEM_LOST,
    STORE_ITEM_THROTTLED,
    STORE_ITEM_REFRESH,
    STORE_ITEM_WATCH,
    STORE_ITEM_LINE,
    STORE_ITEM_RENAME,
    STORE_ITEM_RANKING /* the ranking event changed, not by the user's choice */
};

struct store_item {
    enum store_item_kind kind;
    uint64_t time_ns; /* never decreases; only places and refreshes have a new time */
    union {
        struct place place;
        uint64_t count;    /* lost, throttled: number of records */
        double interval_s; /* refresh: time since the previous one */
        struct store_watch watch;
        struct object_rename rename;
        uint16_t ranking;
        struct line_place line; /* its place has only the parts used for lines; its own time */
    };
};

typedef void (*store_sink)(void *context, const struct store_item *item);

/* Returns true if a file starts like a store. */
bool store_has_magic(const char *path);

/* Returns 0, or a negative errno with cause and remedy. */
int store_reader_open(struct store_reader **reader, const char *path, struct error *error);
void store_reader_close(struct store_reader *reader);

/* Returns the owner of the file, who can have written anything into it. */
uid_t store_reader_owner(const struct store_reader *reader);

/* Passes the items up to until_ns (CLOCK_MONOTONIC of the recording) to the sink. Returns their
 * number, or -ENODATA at the end. */
long store_reader_read(struct store_reader *reader, uint64_t until_ns, store_sink sink,
                       void *context);

/* Returns true if another item follows; names keep their current meaning. */
bool store_reader_more(const struct store_reader *reader);

/* Returns the mark of the perf.data of the same run; 0: none. */
uint64_t store_reader_perfdata_mark(const struct store_reader *reader);

/* Return the recording's start, the same in ns since 1970, and the time of its last item. */
uint64_t store_reader_start_ns(const struct store_reader *reader);
uint64_t store_reader_start_wall_ns(const struct store_reader *reader);
uint64_t store_reader_end_ns(const struct store_reader *reader);

/* Fills in the facts. Strings are valid as long as the reader. */
void store_reader_facts(const struct store_reader *reader, struct store_facts *facts);
struct place_names store_reader_names(struct store_reader *reader);
bool store_reader_instruction_text(struct store_reader *reader, uint64_t address, char *out,
                                   size_t size);
/* Like resolver_find(). */
bool store_reader_find(struct store_reader *reader, const char *name, struct object_extent *extent);

/* Returns why the recording ends early; "": it does not, or the end is not reached yet. */
const char *store_reader_damage(const struct store_reader *reader);

#endif
