/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes FILE.misstop: the places as they go to the tables, and the meaning of their ids, so that
 * the tables can be made again without the process, its heap or its binaries. The form is in
 * store/form.h.  One thread only.
 *
 * A place costs no allocation except for a new id. The meaning of an id is written when it first
 * comes, and again at a sync where it has changed since. Everything synced can be read, whether or
 * not the writer came to its end. A failed write is reported by the next sync; later records are
 * dropped.
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
    int fd;                   /* of an empty file; closed by the writer, whatever happens */
    const char *path;         /* its name, for messages */
    uint64_t belongs;         /* mark of the perf.data it is beside; 0: there is none */
    struct place_names names; /* gives the meaning of an id */
    /* An instruction as text; NULL: not known. */
    bool (*instruction_text)(void *context, uint64_t address, char *out, size_t size);
    void *text_context;
    uint64_t start_ns; /* when watching began, CLOCK_MONOTONIC */
};

int store_writer_open(struct store_writer **writer, const struct store_writer_options *options,
                      const struct store_facts *facts, struct error *error);

/* Writes the rest, then closes the file; NULL is valid. 0 or a negative errno. */
int store_writer_close(struct store_writer *writer, struct error *error);

/* In the order in which they go to the tables. */
void store_writer_place(struct store_writer *writer, const struct place *place);
void store_writer_lost(struct store_writer *writer, uint64_t count);
void store_writer_throttled(struct store_writer *writer);

/* In the order in which the tables receive them, among the places. */
void store_writer_watch(struct store_writer *writer, const struct store_watch *watch);

/* The same: an object has turned out to be another one. */
void store_writer_rename(struct store_writer *writer, const struct object_rename *rename);
/* Index of the event that ranks from here on. */
void store_writer_ranking(struct store_writer *writer, uint16_t event);

/* The same: what a simulation reports a line. */
void store_writer_line(struct store_writer *writer, const struct line_place *line);

/*
 * The answer of options.names, which goes to the file where it cannot be had again: the tables ask
 * here while they are recorded. A thread has the name that is in the file: it is recorded with the
 * thread's first place, and by store_writer_begin_refresh() while the thread is young. So have
 * pairs of instructions the counts in the file, recorded there too: counting goes on meanwhile.
 */
bool store_writer_answer(struct store_writer *writer, enum place_question question, uint64_t number,
                         union place_answer *answer);
void store_writer_begin_refresh(struct store_writer *writer);

/* A refresh as of now_ns: changed descriptions, the heap, the facts; and all of it to the file. */
int store_writer_sync(struct store_writer *writer, const struct store_facts *facts, uint64_t now_ns,
                      double interval_s, struct error *error);

/* In the file and about to be. */
uint64_t store_writer_bytes(const struct store_writer *writer);

/*
 * Reduces line events, which come by the million a second, to a rate that a recording can hold:
 * some are left out by chance, and those that stay represent them, so that sums stay right on
 * average. A plain value, begun with zeros; the clock is passed in.
 */
enum { THINNING_PER_S = 20000 };

struct thinning {
    struct prng prng;
    uint64_t from_ns; /* when it began to count those that stay */
    unsigned kept;    /* since then */
    unsigned shift;   /* one in so many powers of two stays */
};

/* Whether this one stays; then its weight has grown by what it represents. Times that go back count
 * as the same moment. */
bool thinning_keeps(struct thinning *thinning, uint64_t now_ns, uint64_t *weight);

#endif
