/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the places and the meaning of their ids, so that the tables can be rebuilt without the
 * process, its heap or its binaries. Single-threaded.
 *
 * A place allocates nothing unless it has a new id. The meaning of an id is written on its first
 * occurrence, and again at a sync if it has changed. Everything synced is readable, whether or not
 * the writer was closed. A failed write is reported by the next sync; later records are dropped.
 */
#ifndef MISSTOP_STORE_STORE_WRITE_H
#define MISSTOP_STORE_STORE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "place.h"
#include "store/form.h"

struct store_writer;

struct store_writer_options {
    int fd;                   /* of an empty file; always closed by the writer */
    const char *path;         /* its name, for messages */
    uint64_t perfdata_mark;   /* mark of the perf.data of the same run; 0: none */
    struct place_names names; /* answers the meaning of ids */
    /* Formats an instruction as text; returns false if it is not known. */
    bool (*instruction_text)(void *context, uint64_t address, char *out, size_t size);
    void *text_context;
    uint64_t start_ns; /* start of the watch, CLOCK_MONOTONIC */
};

int store_writer_open(struct store_writer **writer, const struct store_writer_options *options,
                      const struct store_facts *facts, struct error *error);

/* Writes the remaining data and closes the file; NULL is valid. Returns 0 or a negative errno. */
int store_writer_close(struct store_writer *writer, struct error *error);

/* Write records in the order in which they go to the tables. */
void store_writer_place(struct store_writer *writer, const struct place *place);
void store_writer_lost(struct store_writer *writer, uint64_t count);
void store_writer_throttled(struct store_writer *writer);

/* Writes a watch result, in the order in which the tables receive it among the places. */
void store_writer_watch(struct store_writer *writer, const struct store_watch *watch);

void store_writer_rename(struct store_writer *writer, const struct object_rename *rename);
void store_writer_ranking(struct store_writer *writer, uint16_t event);

void store_writer_line(struct store_writer *writer, const struct line_place *line);

/*
 * Answers from options.names, and records an answer that a replay could not get again. Threads have
 * the name in the file, recorded with the thread's first place, and by store_writer_begin_refresh()
 * while it is young. Pairs of instructions have the counts recorded there: counting goes on.
 */
bool store_writer_answer(struct store_writer *writer, enum place_question question, uint64_t number,
                         union place_answer *answer);
void store_writer_begin_refresh(struct store_writer *writer);

/* Writes a refresh as of now_ns: changed descriptions, the heap and the facts; then flushes
 * everything to the file. */
int store_writer_sync(struct store_writer *writer, const struct store_facts *facts, uint64_t now_ns,
                      double interval_s, struct error *error);

/* Returns the bytes written and buffered. */
uint64_t store_writer_bytes(const struct store_writer *writer);

/* Reduces line events, millions per second, to a rate that a recording can store: some are dropped
 * at random and represented by the others. A plain value, initialised to zero. */
enum { THINNING_PER_S = 20000 };

struct thinning {
    struct prng prng;
    uint64_t from_ns; /* start of counting `kept` */
    unsigned kept;    /* events kept since then */
    unsigned shift;   /* keeps one in 2^shift */
};

/* Returns true if an event is kept, and multiplies its weight by the number it represents.
 * Decreasing times count as the same moment. */
bool thinning_keeps_event(struct thinning *thinning, uint64_t now_ns, uint64_t *weight);

#endif
