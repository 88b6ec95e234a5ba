/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads FILE.misstop (store/form.h): the places in their order, the meaning of their ids as known
 * at that point of the recording, and the facts. Every byte is untrusted: a file that was cut short
 * or damaged is read up to there.  One thread only.
 */
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
    STORE_ITEM_RANKING /* another event ranks from here on, not by the user's choice */
};

struct store_item {
    enum store_item_kind kind;
    uint64_t time_ns; /* never goes back; that of the one before for all but places, refreshes */
    union {
        struct place place;
        uint64_t count;    /* lost, throttled: records */
        double interval_s; /* refresh: how far they were apart */
        struct store_watch watch;
        struct object_rename rename;
        uint16_t ranking;
        struct line_place line; /* its place as far as lines are counted by it; its own time */
    };
};

typedef void (*store_sink)(void *context, const struct store_item *item);

/* Whether a file begins as a store does. */
bool store_is_one(const char *path);

/* 0, or a negative errno with cause and remedy. */
int store_reader_open(struct store_reader **reader, const char *path, struct error *error);
void store_reader_close(struct store_reader *reader);

/* The user who owns the file that is read: who could have written into it what he liked. */
uid_t store_reader_owner(const struct store_reader *reader);

/* Hands on what was recorded up to until_ns (CLOCK_MONOTONIC of the recording). How many items,
 * or -ENODATA at the end. */
long store_reader_read(struct store_reader *reader, uint64_t until_ns, store_sink sink,
                       void *context);

/* Whether another item follows; names stay as they are at this one. */
bool store_reader_more(const struct store_reader *reader);

/* Mark of the perf.data that it was written beside; 0: there was none. */
uint64_t store_reader_belongs(const struct store_reader *reader);

/* When watching began, the same in ns since 1970, and the time of the last place or refresh. */
uint64_t store_reader_start_ns(const struct store_reader *reader);
uint64_t store_reader_start_wall_ns(const struct store_reader *reader);
uint64_t store_reader_end_ns(const struct store_reader *reader);

/* Strings live as long as the reader. */
void store_reader_facts(const struct store_reader *reader, struct store_facts *facts);
struct place_names store_reader_names(struct store_reader *reader);
bool store_reader_instruction_text(struct store_reader *reader, uint64_t address, char *out,
                                   size_t size);
/* As resolver_find(). */
bool store_reader_find(struct store_reader *reader, const char *name, struct object_extent *extent);

/* Why the end is not that of the recording; "": it is, or was not reached yet. */
const char *store_reader_damage(const struct store_reader *reader);

#endif
