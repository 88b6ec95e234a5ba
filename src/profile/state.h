/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables that profile.c owns and fills, and src/profile/snapshot reads. Private to src/profile.
 *
 * Memory with the defaults (window 16384, one event): window 1.1 MiB, offsets 7.5 MiB, code 3.8
 * MiB, instances 1.9 MiB, callers 3.8 MiB, groups 0.2 MiB, search 0.1 MiB (5.9 MiB once phases
 * change), sets 16 bytes per set, sharing 5 MiB, scratch memory of snapshots up to 8 MiB, samples
 * without an object 0.5 MiB. Objects: 130 bytes per event + 180 each, functions 230 per event, at
 * most 65,536 of either: at most 34 MiB with one event. Data sources add 800 bytes for each object,
 * function, offset and instruction that has any: at most 250 MiB, if all tables are full of them.
 * Causes of misses add 224 bytes for each object, function, thread and event that has any, and for
 * each offset and each instruction on an object (at most 22 MiB for these two), and 7 MiB for
 * evictors; line events add at most 25 MiB, --watch 2 MiB. The timeline: 4 KiB per stream, at most
 * 8,192 streams for objects, functions, fields and thread groups together, and 0.3 MiB. All memory
 * is bounded.
 */
#ifndef MISSTOP_PROFILE_STATE_H
#define MISSTOP_PROFILE_STATE_H

#include "base/array.h"
#include "profile/cache/causes.h"
#include "profile/cache/reuse.h"
#include "profile/cache/search.h"
#include "profile/cache/search_phases.h"
#include "profile/cache/sets.h"
#include "profile/cache/sharing.h"
#include "profile/cache/use.h"
#include "profile/cache/window.h"
#include "profile/findings/findings.h"
#include "profile/profile.h"
#include "profile/tables/levels.h"
#include "profile/tables/rates.h"
#include "profile/tables/tally.h"
#include "profile/time/decay.h"
#include "profile/time/timeline.h"

enum {
    OFFSET_PAIRS = 1 << 16,
    CODE_PAIRS = 1 << 15,
    INSTANCE_PAIRS = 1 << 14,
    CALLER_PAIRS = 1 << 15
};

struct groups;

/* Additional data per object; members that every sample touches come first. */
struct object_extra {
    uint64_t threads[4];         /* one bit per dense thread number */
    double refresh_weight;       /* ranking event, this refresh */
    uint32_t typed[TYPED_COUNT]; /* accesses since the start or the last zero */
    uint32_t element_bytes;      /* inferred element size; 0: none */
    uint32_t inferred_at;        /* number of samples when it was inferred */
    bool flushed;                /* accesses flushed lines of it from the caches */
    float confidence;
    float history[SNAPSHOT_HISTORY];
};

struct profile {
    struct profile_options options;
    enum snapshot_basis basis;
    bool accesses_wanted;
    struct decay decay;
    struct tallies objects;
    struct tallies bin_objects; /* by id of a heap bin: samples that count under a type instead */
    struct tallies functions;
    struct object_rename *renames; /* all renames so far (renames.c) */
    size_t rename_count;
    size_t rename_room;
    uint32_t *renamed; /* [TALLY_IDS_MAX]: index + 1 into renames, by `from`; NULL: none yet */
    struct object_extra *extras; /* [extra_count], as large as objects.ids */
    size_t extra_count;
    struct tally all[SAMPLE_EVENTS_MAX]; /* all attributed samples of each event */
    struct count_rows object_levels;     /* by id and event, as objects.at */
    struct count_rows offset_levels;     /* by index in offsets.at; key: pairs_hash() */
    struct count_rows function_levels;   /* by id and event, as functions.at */
    struct count_rows code_levels;       /* by index in code.at; key: pairs_hash() */
    struct levels all_levels[SAMPLE_EVENTS_MAX];
    double refresh_weight;
    uint64_t refresh_samples; /* samples of the ranking event, attributed or not */
    uint64_t refreshed_ns;
    struct pairs offsets;   /* key: offset_key() */
    struct pairs code;      /* key: instruction; extra: function; size: type and offset in it */
    struct pairs instances; /* key: base; extra: thread */
    struct pairs callers;   /* key: node of struct caller_desc; see add_caller() */
    struct measures measures;
    struct sets sets;
    struct window window;
    struct comiss comiss;
    struct causes causes;
    struct use use;
    struct distances distances;
    struct sharing sharing;
    uint16_t sharing_event; /* in a simulation, the only miss event that counts */
    struct unplaced unplaced;
    struct findings_held findings_held;
    uint64_t pairs_found_at; /* window.added at the last run of comiss */
    struct search search;
    struct search_phases search_phases;
    struct search_history search_history;
    struct timeline timeline;
    struct reuse *reuse; /* results of watchpoints; NULL: none */
    struct thread_numbers threads;
    struct snapshot_totals totals;
    struct counted typed[SAMPLE_EVENTS_MAX][TYPED_COUNT]; /* weight of attributed samples */
    struct counted untyped[SAMPLE_EVENTS_MAX][UNTYPED_COUNT];
    struct groups *groups;      /* groups of the current batch (profile.c) */
    const struct pair **sorted; /* scratch memory of snapshots */
    struct hash parts;          /* scratch memory: (set, object) to samples */
};

/* Grows `extras` to the number of objects; returns false if memory ran out. */
bool profile_grow_extras(struct profile *profile);

/* Returns true if samples of an event count for shared lines. In a simulation one miss is a sample
 * of each level that missed, but only one access. */
static inline bool profile_shares(const struct profile *profile, uint16_t event)
{
    return !profile->options.simulated || event == profile->sharing_event ||
           profile->options.roles[event] == EVENT_ACCESS;
}

/* Changes a place of a renamed object to the current object. In renames.c. */
void profile_rename_place(const struct profile *profile, struct place *place);

/* A snapshot under construction, its arena, and the index of each object id in it. */
struct build {
    struct profile *profile;
    struct arena *arena;
    struct snapshot *snapshot;
    struct hash index; /* object id to index into snapshot->objects */
    uint32_t *part_of; /* [objects.ids]: object of the row; NULL: each its own */
    size_t parts_room;
    uint32_t *parts; /* [objects.ids]: next object of the same row; 0: the last */
    double scale;
    uint16_t event;
    double waited;     /* cycles of all attributed samples of the event; denominator of shares */
    size_t code_count; /* entries in profile->sorted while it holds profile->code (build_code) */
    size_t unplaced_count;  /* entries in profile->unplaced.sorted */
    double stacks;          /* samples with known callers */
    double unplaced_excess; /* weight without an object that build_widen_share() adds */
    uint64_t now_ns;        /* time of the snapshot */
    bool failed;            /* out of memory */
    struct rates_plan rates;
    struct rates_sums rates_all; /* sums of all attributed samples */
    struct findings *findings;   /* valid from build_findings() to build_weigh_findings() */
};

/* The sums for levels and rates in the shown basis, of an object, a field, a function or a cell.
 * Initialised to zero. */
struct build_sums {
    double recorded[LEVELS_COUNTS]; /* of the shown event */
    struct rates_sums rates;
};

/* Return zeroed memory: the snapshot's arena, or to be freed. NULL: sets build->failed. */
void *build_array(struct build *build, size_t count, size_t size_bytes);
void *build_scratch(struct build *build, size_t count, size_t size_bytes);
/* Copies a value, which may be NULL, into the arena. */
void *build_copy(struct build *build, const void *value, size_t size_bytes);
uint32_t build_object_index(const struct build *build, uint32_t object);
/* Returns the next object of a row, starting with the row's id; 0: no more. */
uint32_t build_next_part(const struct build *build, uint32_t object);
double build_read(const struct build *build, const struct counted *counted);
/* Returns a weight in samples of mean weight, so that dividing by samples divides by weight. */
double build_samples(const struct build *build, const struct counted *weight);
/* Returns the number of counted samples minus build_samples(): 0 if all have the same weight. */
double build_samples_over(const struct build *build, const struct counted *samples,
                          const struct counted *weight);
/* Returns the effective number of samples behind a share of the tally. */
double build_effective(const struct build *build, const struct tally *tally);
void build_objects(struct build *build);
/* Add the sums of an object, of a function, of a pair of profile->offsets (including its other
 * events), and of a pair of profile->code. In levels.c. */
void build_sum_object(const struct build *build, uint32_t object, struct build_sums *sums);
void build_sum_function(const struct build *build, uint32_t function, struct build_sums *sums);
void build_sum_offset(const struct build *build, const struct pair *pair, struct build_sums *sums);
void build_sum_code(const struct build *build, const struct pair *pair, struct build_sums *sums);
/* Returns the cycles waited in the shown basis; `levels` NULL: 0. */
double build_cycles(const struct build *build, const struct levels *levels);
/* Compute the figures of sums, in the arena; NULL: not measured, or no memory. */
struct snapshot_levels *build_levels(struct build *build, const struct build_sums *sums);
struct snapshot_rates *build_rates(struct build *build, const struct rates_sums *sums);
/* Builds the levels and rates of everything; runs before those of the parts. */
void build_all_levels(struct build *build);
/* Build the use of lines, in use.c. build_uses() runs once, before build_use(). */
void build_uses(struct build *build);
struct snapshot_use *build_use(struct build *build, enum use_of of, uint32_t id, uint64_t offset);

void build_sum_offset_use(const struct build *build, const struct pair *pair,
                          struct snapshot_use *sum);
struct snapshot_use *build_use_of(struct build *build, const struct snapshot_use *sum);
/* Builds the levels, rates and use of the fields of objects. */
void build_details(struct build *build);
/* Calls `part` for each listed object with its pairs, sorted by `extra` and key. Returns the number
 * of pairs of all objects, which stay in profile->sorted. */
typedef void build_part(struct build *build, struct snapshot_object *object,
                        const struct pair **pairs, size_t count);
size_t build_from(struct build *build, const struct pairs *pairs, build_part *part);
void build_inferred(struct build *build);
void build_fields(struct build *build, struct snapshot_object *object, const struct pair **pairs,
                  size_t count);
/* Builds the layouts: fields by type and offset, and offsets as sampled. */
void build_layouts(struct build *build, struct snapshot_object *object,
                   const struct snapshot_field *fields, size_t count);
bool build_type(const struct build *build, uint32_t type, struct type_desc *desc);

/* Changes an offset in a type into an offset in the whole, if the whole has the type exactly once
 * as a part. Otherwise a base class, or the value in a node, would appear as separate fields. */
void build_offset_in_whole(const struct build *build, const struct type_desc *whole,
                           uint32_t whole_id, uint32_t *type, uint32_t *offset);
/* Leaves profile->code in profile->sorted, by owner, for the following functions. */
void build_code(struct build *build);
void build_waits(struct build *build); /* after objects, the window and code */
void build_instructions(struct build *build);
void build_callers(struct build *build); /* after objects and code */

/* In code.c: returns the weight of all samples of the event, attributed or not. */
double build_total_weight(const struct build *build);
/* Sets build->unplaced_excess; runs before build_widen_share() and build_code(). */
void build_unplaced(struct build *build);
/*
 * Widens the interval of an object's share by the samples without an object. They count as far as
 * the attributed samples of their instruction do not show the object (build->unplaced_excess), and
 * may be all its own or none.
 */
struct snapshot_share build_widen_share(const struct build *build, struct snapshot_share share);
/* Runs after objects and code. */
void build_matrix(struct build *build);
void build_window(struct build *build);
void build_search(struct build *build);
void build_timeline(struct build *build);
void build_heap(struct build *build);
void build_sharing(struct build *build);
void build_causes(struct build *build);         /* after objects and code */
void build_findings(struct build *build);       /* after the parts that it reads */
void build_watch(struct build *build);          /* after objects and findings */
void build_weigh_findings(struct build *build); /* by causes and watches; adds held findings */
void build_partners(struct build *build);       /* after instructions */
void build_reuse(struct build *build);          /* after objects and code */
void build_accesses(struct build *build);

#endif
