/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * -o FILE: the samples go into FILE, a perf.data for perf, and their places and names into
 * FILE.misstop, from which the tables come back exactly. The two carry one mark, and are rotated
 * together when the file reaches its size. Owned by the engine. Where a file cannot be written any
 * more, sampling goes on: the next sync reports it once.
 */
#ifndef MISSTOP_ENGINE_RECORDER_H
#define MISSTOP_ENGINE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "place.h"
#include "profile/cache/geometry.h"
#include "resolve/resolver.h"
#include "sample.h"
#include "sample/sampler.h"
#include "simulated_line.h"
#include "snapshot.h"
#include "snapshot_watch.h"

struct recorder;

struct recorder_options {
    int64_t user; /* owner of the process; negative: not known */
    const char *path;
    uint64_t limit_bytes; /* of FILE; 0: none */
    unsigned files;       /* kept at the limit */
    bool launched;
    uint64_t start_ns; /* when watching began; 0: with the first record */
    const struct geometry *geometry;
    struct sampler *sampler; /* these two are not owned */
    struct resolver *resolver;
    struct snapshot_watch watch;   /* as it begins; .on false: no watchpoints */
    uint64_t cache_lines[3];       /* as in struct store_facts */
    struct line_pair_source pairs; /* of a simulation; empty: none */
    bool (*instruction_text)(void *context, uint64_t address, char *out, size_t size);
    void *text_context;
};

int recorder_open(struct recorder **recorder, const struct recorder_options *options,
                  struct error *error);
int recorder_close(struct recorder *recorder, struct error *error);

/* The resolver's names, for the tables to ask: questions and answers are recorded. */
struct place_names recorder_names(struct recorder *recorder);

/* In the order of time; `place`: what became of a sample, NULL for other records. */
void recorder_add(struct recorder *recorder, const struct record *record,
                  const struct place *place);

/* As profile_watch(), when it is reported: samples up to its end were added. */
void recorder_watch(struct recorder *recorder, const struct watch_result *result, uint32_t function,
                    uint64_t ip);

/* As profile_rename(), when it is reported. */
void recorder_rename(struct recorder *recorder, const struct object_rename *list, size_t count);

/* Index of the event that ranks from here on. */
void recorder_ranking(struct recorder *recorder, uint16_t event);

/* Of the uses of lines that a simulation reports, a recording takes as many as it can hold: whether
 * this line is to be counted, and with which weight. The tables count the same. */
bool recorder_wants_line(struct recorder *recorder, uint64_t time_ns, struct line_event *line);

/* A line event of a simulation, as the tables receive it. */
void recorder_line(struct recorder *recorder, const struct line_place *line);

/* Source of pairs, for the tables to ask: the answers are recorded, as of the last refresh. */
struct line_pair_source recorder_pairs(struct recorder *recorder);

/* Before the snapshot of a refresh: it shows threads under the names they have now, and pairs. */
void recorder_begin_refresh(struct recorder *recorder);

/*
 * At a refresh, after its snapshot; `head` is the head that the tables were given: the totals shown
 * are the totals recorded. Text for the status line, once per trouble; else NULL.
 */
const char *recorder_sync(struct recorder *recorder, const struct snapshot *head, uint64_t now_ns);

#endif
