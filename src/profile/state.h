/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables that profile.c owns and fills, and src/profile/snapshot reads. Private to src/profile.
 *
 * Memory with the defaults (window 16384, one event): window 1.1 MiB, offsets 7.5 MiB, code 3.8
 * MiB, instances 1.9 MiB, callers 3.8 MiB, groups 0.2 MiB, search 0.1 MiB (where phases
 * change: 5.9), sets 16 bytes a set, sharing 5 MiB, scratch of snapshots up to 8 MiB, samples
 * without an object 0.5 MiB. Objects: 130 bytes per event + 180 each, functions 230 per event, at
 * most 65,536 of either: 34 MiB at most with one event. With data sources 800 bytes more for each
 * object, function, offset and instruction that has some: 250 MiB at most, if all tables are full
 * of such. With causes of misses 224 bytes for each object, function, thread and event that has
 * some, for each offset and each instruction on an object (at most 22 MiB for these two), and 7 MiB
 * for evictors; with line events 25 MiB at most. With --watch 2 MiB. The timeline: 4 KiB for each
 * stream, 8,192 at most for objects, functions, fields and groups of threads together, and 0.3 MiB.
 * All of it is bounded.
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

/* Kept per object beside its tallies; members that every sample touches come first. */
struct object_extra {
    uint64_t threads[4];         /* bit per dense thread number */
    double refresh_weight;       /* ranking event, this refresh */
    uint32_t typed[TYPED_COUNT]; /* accesses since start or zero */
    uint32_t element;            /* inferred element size; 0: none */
    uint32_t inferred_at;        /* samples there were when it was inferred */
    bool flushed;                /* accesses took lines of it out of the caches */
    float confidence;
    float history[SNAPSHOT_HISTORY];
};

struct profile {
    struct profile_options options;
    enum snapshot_basis basis;
    bool accesses_wanted;
    struct decay decay;
    struct tallies objects;
    struct tallies holders; /* by object id of a heap bin: what counts under types instead */
    struct tallies functions;
    struct object_rename *renames; /* all so far (renames.c) */
    size_t rename_count;
    size_t rename_room;
    uint32_t *renamed; /* [TALLY_IDS_MAX]: index + 1 into renames, by `from`; NULL: none yet */
    struct object_extra *extras; /* [extra_count], as many as objects.ids */
    size_t extra_count;
    struct tally all[SAMPLE_EVENTS_MAX]; /* all attributed samples of each event */
    struct count_rows object_levels;     /* by id and event, as objects.at */
    struct count_rows offset_levels;     /* by index in offsets.at; key: pairs_hash() */
    struct count_rows function_levels;   /* by id and event, as functions.at */
    struct count_rows code_levels;       /* by index in code.at; key: pairs_hash() */
    struct levels all_levels[SAMPLE_EVENTS_MAX];
    double refresh_weight;
    uint64_t refresh_samples; /* of the ranking event, attributed or not */
    uint64_t refreshed_ns;
    struct pairs offsets;   /* key: offset, or folded (see offset_key) */
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
    uint16_t sharing_event; /* of a simulation: the event with misses only */
    struct unplaced unplaced;
    struct findings_held findings_held;
    uint64_t pairs_found_at; /* window.added when comiss last looked */
    struct search search;
    struct search_phases search_phases;
    struct search_before search_before;
    struct timeline timeline;
    struct reuse *reuse; /* results of watchpoints; NULL: there are none */
    struct thread_numbers threads;
    struct snapshot_totals totals;
    struct counted typed[SAMPLE_EVENTS_MAX][TYPED_COUNT]; /* weight, of those attributed */
    struct counted untyped[SAMPLE_EVENTS_MAX][UNTYPED_COUNT];
    struct groups *groups;      /* of the batch that is being counted (profile.c) */
    const struct pair **sorted; /* scratch of snapshots */
    struct hash parts;          /* scratch: (set, object) -> samples */
};

/* Room for extras of all objects there is room for; false: no memory. */
bool profile_grow_extras(struct profile *profile);

/* Whether samples of an event count for shared lines. One miss of a simulation is a sample of each
 * level that missed, but one access. */
static inline bool profile_shares(const struct profile *profile, uint16_t event)
{
    return !profile->options.simulated || event == profile->sharing_event ||
           profile->options.roles[event] == EVENT_ACCESS;
}

/* A place of an object that was renamed, as of the object that it is now. (renames.c) */
void profile_rename_place(const struct profile *profile, struct place *place);

/* Under construction: a snapshot, its arena, and the place of each object id in it. */
struct build {
    struct profile *profile;
    struct arena *arena;
    struct snapshot *snapshot;
    struct hash index; /* object id -> index into snapshot->objects */
    uint32_t
        *part_of; /* [objects.ids]: the object under which one is shown; NULL: each by itself */
    size_t parts_room;
    uint32_t *parts; /* [objects.ids]: the next of those that are one row; 0: the last */
    double scale;
    uint16_t event;
    double waited; /* cycles, of all attributed samples of the event: what parts are shares of */
    size_t code_count;     /* of profile->sorted while it holds profile->code (build_code) */
    size_t unplaced_count; /* of profile->unplaced.sorted */
    double stacks;         /* samples with known callers */
    double unlike;         /* weight of samples without an object that nothing is known of */
    uint64_t now_ns;       /* of the snapshot */
    bool failed;           /* out of memory */
    struct rates_plan rates;
    struct rates_sums rates_all; /* of everything attributed */
    struct findings *findings;   /* between build_findings() and build_weigh_findings() */
};

/* The sums that make levels and rates, under the basis shown: of an object, a field, a function or
 * a cell. They start as zeros. */
struct build_sums {
    double recorded[LEVELS_COUNTS]; /* of the event that is shown */
    struct rates_sums rates;
};

/* Zeroed memory: of the snapshot, or to be freed. NULL, and build->failed: there is none. */
void *build_array(struct build *build, size_t count, size_t size_bytes);
void *build_scratch(struct build *build, size_t count, size_t size_bytes);
/* ... a copy of a value, which may be NULL. */
void *build_copy(struct build *build, const void *value, size_t size_bytes);
uint32_t build_object_index(const struct build *build, uint32_t object);
/* The objects that are one row: from the row's id on; 0: that was the last. */
uint32_t build_next_part(const struct build *build, uint32_t object);
double build_read(const struct build *build, const struct counted *counted);
/* Weight of the event that is shown, in samples of mean weight, so that division by samples is
 * division by weight. */
double build_samples(const struct build *build, const struct counted *weight);
/* How many were counted, less that: 0 where all weigh the same. */
double build_over(const struct build *build, const struct counted *samples,
                  const struct counted *weight);
/* Samples that a share of the tally is as sure as. */
double build_effective(const struct build *build, const struct tally *tally);
void build_objects(struct build *build);
/* In levels.c: of one object, of a function, of a pair of profile->offsets with those of the other
 * events, of a pair of profile->code. */
void build_sum_object(const struct build *build, uint32_t object, struct build_sums *sums);
void build_sum_function(const struct build *build, uint32_t function, struct build_sums *sums);
void build_sum_offset(const struct build *build, const struct pair *pair, struct build_sums *sums);
void build_sum_code(const struct build *build, const struct pair *pair, struct build_sums *sums);
/* Cycles waited, under the basis shown; `levels` NULL: 0. */
double build_cycles(const struct build *build, const struct levels *levels);
/* The figures of sums, in the arena; NULL: not measured, or no memory. */
struct snapshot_levels *build_levels(struct build *build, const struct build_sums *sums);
struct snapshot_rates *build_rates(struct build *build, const struct rates_sums *sums);
/* Levels and rates of everything: come before those of the parts. */
void build_all_levels(struct build *build);
/* The same for the use of lines, in use.c. build_uses() comes first, and once. */
void build_uses(struct build *build);
struct snapshot_use *build_use(struct build *build, enum use_of of, uint32_t id, uint64_t offset);

void build_sum_offset_use(const struct build *build, const struct pair *pair,
                          struct snapshot_use *sum);
struct snapshot_use *build_use_of(struct build *build, const struct snapshot_use *sum);
/* Levels, rates and use of the fields of objects. */
void build_details(struct build *build);
/* Each listed object with its pairs, sorted by `extra` and key; returns how many pairs there are of
 * all objects: they stay in profile->sorted. */
typedef void build_part(struct build *build, struct snapshot_object *object,
                        const struct pair **pairs, size_t count);
size_t build_from(struct build *build, const struct pairs *pairs, build_part *part);
void build_inferred(struct build *build);
void build_fields(struct build *build, struct snapshot_object *object, const struct pair **pairs,
                  size_t count);
/* The fields by type and offset, offsets as sampled. */
void build_layouts(struct build *build, struct snapshot_object *object,
                   const struct snapshot_field *fields, size_t count);
bool build_type(const struct build *build, uint32_t type, struct type_desc *desc);

/* A place in a type that the whole has exactly once as a part becomes the place in the whole: a
 * base class and the value in a node are no fields beside the object's own. */
void build_in_whole(const struct build *build, const struct type_desc *whole, uint32_t whole_id,
                    uint32_t *type, uint32_t *offset);
/* Leaves profile->code in profile->sorted, by owner, for those that follow. */
void build_code(struct build *build);
void build_waits(struct build *build); /* needs objects, the window and code */
void build_instructions(struct build *build);
void build_callers(struct build *build); /* needs objects and code */

/* In code.c: weight of all samples of the event, attributed or not. */
double build_everything(const struct build *build);
/* Comes before the others, which are of one function of snapshot.code. */
void build_unplaced(struct build *build);
/* The interval of an object's share if the samples without an object may all be its own, or none:
 * those of instructions that fail often; where few fail, the others of the instruction show it. */
struct snapshot_share build_widened(const struct build *build, struct snapshot_share share);
/* Needs objects and code. */
void build_matrix(struct build *build);
void build_window(struct build *build);
void build_search(struct build *build);
void build_timeline(struct build *build);
void build_heap(struct build *build);
void build_sharing(struct build *build);
void build_causes(struct build *build);         /* needs objects and code */
void build_findings(struct build *build);       /* over the other parts, as they are finished */
void build_watch(struct build *build);          /* needs objects and findings */
void build_weigh_findings(struct build *build); /* by causes and watches; with those held */
void build_partners(struct build *build);       /* needs instructions */
void build_reuse(struct build *build);          /* needs objects and code */
void build_accesses(struct build *build);

#endif
