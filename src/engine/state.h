/* SPDX-License-Identifier: GPL-3.0-or-later */
/* struct engine, shared by all files of this folder. */
#ifndef MISSTOP_ENGINE_STATE_H
#define MISSTOP_ENGINE_STATE_H

#include "base/clock.h"
#include "base/files.h"
#include "base/error.h"
#include "snapshot_watch.h"
#include "snapshot.h"
#include "simulated_line.h"
#include "sample.h"
#include "place.h"
#include "decode/decoder.h"
#include "engine/engine.h"
#include "profile/cache/geometry.h"
#include "profile/profile.h"
#include "profile/whatif.h"
#include "resolve/resolver.h"
#include "resolve/source.h"
#include "sample/sampler.h"
#include "sample/perf/watch.h"
#include "sample/perfdata/perfdata.h"
#include "store/past.h"
#include "store/store_read.h"
#include "store/store_write.h"

/*
 * -o FILE: records the samples to FILE, a perf.data for perf, and their places and names to
 * FILE.misstop, from which the tables can be restored exactly. Both files have the same mark and
 * are rotated together when FILE reaches its size limit. Owned by the engine. If a file can no
 * longer be written, sampling continues and the next sync reports the error once.
 */
struct recorder;

struct recorder_options {
    struct store_facts facts; /* initial facts; those of sources and process are added later */
    const char *path;
    uint64_t limit_bytes; /* limit of FILE; 0: none */
    unsigned files;       /* number of files kept at the limit */
    bool launched;
    uint64_t start_ns;       /* when watching began; 0: at the first record */
    struct sampler *sampler; /* not owned, like `resolver` */
    struct resolver *resolver;
    struct place_names names;
    bool (*instruction_text)(void *context, uint64_t address, char *out, size_t size);
    void *text_context;
};

int recorder_open(struct recorder **recorder, const struct recorder_options *options,
                  struct error *error);
int recorder_close(struct recorder *recorder, struct error *error);

/* Returns the same names for the tables; records the questions and answers. */
struct place_names recorder_names(struct recorder *recorder);

/* Adds a record, in time order. `place` is the place of a sample, NULL for other records. */
void recorder_add(struct recorder *recorder, const struct record *record,
                  const struct place *place);

/* FILE.misstop, for what goes to the tables beside records; NULL: none is written. */
struct store_writer *recorder_store(const struct recorder *recorder);

/* Records the index of the event that ranks from now on. */
void recorder_ranking(struct recorder *recorder, uint16_t event);

/* Returns true if a line use reported by a simulation is to be counted, and adjusts its weight. A
 * recording stores only as many as it can hold, and the tables count the same ones. */
bool recorder_wants_line(struct recorder *recorder, uint64_t time_ns, struct line_event *line);

/* Call at a refresh, after its snapshot. `head`: that of the tables, so that the totals agree.
 * Returns text for the status line, once per error, otherwise NULL. */
const char *recorder_sync(struct recorder *recorder, const struct snapshot *head, uint64_t now_ns);

enum { ENGINE_LINES = 32, ENGINE_RENAMES = 1024 };

/* Upper bound of a search: the upper half of the address space belongs to the kernel. */
#define SEARCH_BOUND (UINT64_C(1) << 63)

struct lane;
struct place_batch;

/* Strings that struct snapshot_recording points to. */
struct recording_text {
    struct snapshot_recording shown;
    char kernel[96];
    char date[32];
    char others[256];
    char addresses[192];
};

struct engine_time_range {
    struct profile *profile; /* its tables; NULL: the run up to now is shown */
    struct time_range *list; /* its pieces, in time order */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX];
    struct snapshot_time_range shown;
    bool fills;      /* the tables are still being filled */
    bool searches;   /* it is read again for the search only */
    unsigned rounds; /* search rounds so far */
};

/* A question about another layout of an object; unused where its state is WHATIF_NONE. */
struct engine_whatif {
    struct snapshot_whatif shown;
    struct whatif_request request;
    bool unsent;              /* not yet sent to the simulation */
    bool follows_new_blocks;  /* its blocks come and go, and are followed */
    bool listed;              /* the existing blocks have been reported */
    uint32_t type;            /* id of the layout's type; 0: the one with most samples */
    uint64_t question_number; /* number of the question; 0: not asked yet */
    uint64_t accepted_ns;     /* when the simulation was seen to have accepted it */
    uint64_t left_out;        /* blocks without a free slot in the list */
    uint32_t paths_reported;  /* all paths below this have been classified */
};

struct engine_whatifs {
    struct engine_whatif list[WHATIF_MAX]; /* indexed by number */
    uint64_t tried_ns;                     /* last attempt while the program waited for questions */
    uint32_t tries;
    struct snapshot_whatif_past past[WHATIF_PAST_MAX]; /* newest first */
    uint32_t past_count;
};

/* How an engine is opened and driven: one table per kind. NULL members do nothing. */
struct engine_kind {
    bool live; /* a running process: real-time clock; its code and rights may change */
    /* Opens the sampler or the store; can switch to another kind. */
    int (*open)(struct engine *engine, struct error *error);
    void (*open_files)(struct engine *engine);
    /* Opens the stages that turn records into places; called at each restart of a recording. */
    int (*open_names)(struct engine *engine, struct error *error);
    long (*drain)(struct engine *engine, uint64_t until_ns);
    int (*tick)(struct engine *engine, uint64_t now_ns); /* -ESRCH: the target has ended */
    int (*restart)(struct engine *engine, pid_t pid, struct error *error);
    /* Reads the cache geometry of the recorded machine; false: not known. */
    bool (*geometry)(struct engine *engine);
    struct snapshot_whatifs (*whatifs)(struct engine *engine);
    void (*describe_recording)(struct engine *engine); /* fills in engine->recording */
    /* Handles requests specific to this kind; NULL: not handled here. */
    const char *(*request)(struct engine *engine, const struct request *request);
};

extern const struct engine_kind engine_live;
extern const struct engine_kind engine_simulated;
extern const struct engine_kind engine_recorded;
extern const struct engine_kind engine_stored;

/* Data read by stored.c: facts, and renames that are not in the tables yet. */
struct engine_store {
    struct store_reader *reader;
    struct store_facts facts; /* as of the last refresh that was read */
    double interval_s;
    uint64_t first_ns;    /* when the recording began */
    bool in_initial_pass; /* initial pass to the end: refreshes as in the recording */
    bool refresh_due;     /* the recorder made a snapshot at this point */
    struct object_rename renames[ENGINE_RENAMES];
    size_t rename_count;
};

struct engine {
    const struct engine_kind *kind;
    struct engine_options options;
    struct recording_text recording;
    struct sampler *sampler; /* NULL when a store is replayed, like `resolver` */
    struct resolver *resolver;
    struct decoder *decoder;
    struct profile *profile;
    struct past *past; /* the places added to the profile; NULL: not kept */
    struct engine_time_range time_range;
    struct geometry geometry;  /* geometry of the set map */
    struct recorder *recorder; /* -o; NULL: none */
    struct watch *watch;       /* --watch; NULL: none */
    char watch_trouble[192];   /* text for the snapshot being made */
    struct engine_whatifs whatif;
    struct engine_store stored;   /* data of engine_stored */
    uint64_t cache_lines[3];      /* lines in L1d, L2 and L3; 0: not known */
    struct files_client files;    /* users on behalf of whom files named by others are opened */
    struct source_texts *sources; /* NULL: out of memory */
    const char *search;           /* object named by --search that has not appeared yet */
    uint64_t opened_ns;
    uint64_t record_ns; /* time of the newest record: the clock of a replay */
    uint64_t last_tick_ns;
    uint64_t ranked_before; /* samples of the ranking event at the last refresh */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX]; /* represented by the samples */
    double reset_s;                   /* elapsed time at the last reset of the counts */
    uint32_t iteration;
    uint16_t ranking;
    bool event_chosen; /* the user chose the event, with a key or -e */
    /* How long each drain of a replay or simulation may wait for debug info. */
    uint64_t patience_ns;
    bool ended;
    bool paused;            /* the user paused counting */
    bool lists_all_objects; /* objects with small shares are listed too */
    bool heap;              /* heap blocks are reported or walked */
    bool exec_seen;
    bool has_backlog;            /* the last drain stopped early */
    uint64_t cpu_ticks;          /* CPU ticks of the target, when last read */
    uint64_t samples_seen;       /* samples of all events, when last read */
    uint64_t measured_ns;        /* time of the last measurement of CPU use */
    uint64_t measured_ticks;     /* CPU ticks at that time */
    double cpu;                  /* CPU time per second before that; NAN: not known */
    uint64_t ran_ns;             /* last time the target used CPU time */
    uint64_t sampled_ns;         /* last time a sample arrived */
    bool reported_low_rate;      /* reported: fewer samples are taken than requested */
    bool reported_switching;     /* reported: ... because the process is switched often */
    uint64_t slice_until_ns;     /* minimum end of this drain's slice; 0: no limit */
    uint64_t slice_own_until_ns; /* CPU time limit of our thread; 0: not read yet */
    uint64_t heap_followed_ns;   /* the heap feed has been followed up to here */
    double phase_start_s;        /* start of the last reported phase */
    struct place_batch *waiting; /* places that are not in the tables yet (trunk.c) */
    struct lane *table_thread;   /* thread that adds `waiting` in a replay; NULL: no thread */
    struct line_place lines[ENGINE_LINES]; /* queued line events; added after the places */
    size_t line_count;
    long leaves; /* samples with is_in_leaf_frame since engine_patience_ms() was last called */
    long agent_events;     /* agent events since engine_patience_ms() was last called */
    unsigned empty_drains; /* consecutive drains without a record */
    char status[512];
};

/* Returns the clock of the records: real time, or in a replay the time of the newest record. */
static inline uint64_t engine_now(const struct engine *engine)
{
    return engine->kind->live ? clock_now_ns() : engine->record_ns;
}

static inline const struct sampler_info *engine_info(const struct engine *engine)
{
    return engine->sampler ? sampler_info(engine->sampler) : &engine->stored.facts.info;
}

/* The perf.data that is replayed; NULL: live, or a store is played. */
static inline struct perfdata *engine_perfdata(const struct engine *engine)
{
    return engine->sampler ? sampler_recording(engine->sampler) : NULL;
}

/* In simulated.c: names, and pairs of a simulation, from the resolver or the store. */
struct place_names engine_names(struct engine *engine);

/* Fills in the role of each event (enum event_role) for the tables. */
static inline void engine_roles(const struct engine *engine, uint8_t roles[SAMPLE_EVENTS_MAX])
{
    const struct sampler_info *info = engine_info(engine);
    for (unsigned i = 0; i < info->event_count && i < SAMPLE_EVENTS_MAX; i++)
        roles[i] = (uint8_t)info->events[i].role;
}

void engine_rename(struct engine *engine, const struct object_rename *list, size_t count);

void engine_rank(struct engine *engine, uint16_t event);

/* Returns as sampler_read() does. Sets engine->has_backlog if records remain. */
long engine_take(struct engine *engine, uint64_t *until_ns);
/* Also called after a restart. Returns 0 or a negative errno. */
int engine_open_trunk(struct engine *engine);
void engine_close_trunk(struct engine *engine);

/* Queues a place for the tables. If it begins a new period of the run over time, the places are
 * added at once, while the current names are valid. */
void engine_add_place(struct engine *engine, const struct place *place);
/* Adds all queued places. Call before the tables are read and when names may change. */
void engine_count_places(struct engine *engine);

int sampled_open(struct engine *engine, struct error *error);
int sampled_open_names(struct engine *engine, struct error *error);
int sampled_tick(struct engine *engine, uint64_t now_ns);
/* Returns true if `host` is another machine: its files do not describe this one. */
bool sampled_on_another_host(const char *host);

/* In live.c, also for a simulation: adapts the sampling rate; opens the target's files. */
int live_tick(struct engine *engine, uint64_t now_ns);
void live_open_files(struct engine *engine);
/* Follows the heap feed up to a time, in steps; false: the slice's time is used up. */
bool live_follow_heap(struct engine *engine, uint64_t until_ns);

/* Fills in the date; advances the clock to a time, even if nothing was recorded. */
void recorded_date(struct recording_text *text, const struct perfdata_machine *machine,
                   uint64_t start_ns);
void recorded_reached(struct engine *engine, uint64_t until_ns);

/* In stored.c: replaces engine_recorded if a store belongs to the input. */
int stored_detect(struct engine *engine, struct error *error);

/* In watchpoints.c, also if `watch` is NULL: opens watchpoints, offers a sample, counts results up
 * to a time, returns the state for the snapshot. */
int engine_watch_open(struct engine *engine, struct error *error);
void engine_watch_offer(struct engine *engine, const struct place *place);
void engine_watch_pump(struct engine *engine, uint64_t until_ns);
struct snapshot_watch engine_watch_state(struct engine *engine);

/*
 * In whatif.c: engine_whatif_await() asks all questions of --what-if at the start, and the program
 * waits for them. engine_whatif_step() sends a question to the simulation if its object is listed
 * in the snapshot. engine_whatif_follow() reports blocks as drains proceed.
 */
void engine_whatif_await(struct engine *engine);
void engine_whatif_step(struct engine *engine, const struct snapshot *snapshot);
void engine_whatif_follow(struct engine *engine, uint64_t until_ns);
/* Checks --what-if. Returns 0 or -EINVAL. */
int engine_whatif_check(const char *const texts[], struct error *error);
/* In picture.c: calls engine_whatif_step() on a snapshot that is not shown. Returns false if debug
 * information was still loading. */
bool engine_whatif_step_unshown(struct engine *engine);

/* In whatif.c: returns the questions for the snapshot; handles requests of views. A question that
 * ends keeps its answer in the list. */
struct snapshot_whatifs engine_whatif_state(struct engine *engine);
const char *engine_whatif_request(struct engine *engine, const struct request *request);

/* In simulated.c: queues a line reported by a simulation; true: count the queued lines now. */
bool engine_take_line(struct engine *engine, const struct record *record);
void engine_count_lines(struct engine *engine);

/* Returns the time since the start, or since a recording's first sample; NAN: not known. */
double engine_elapsed_s(struct engine *engine);

/* In time_range.c: returns the snapshot of the displayed time range, based on the head of the run's
 * snapshot; handles requests of views (NULL: not handled here); returns to the run up to now. */
const struct snapshot *engine_time_range_snapshot(struct engine *engine,
                                                  const struct snapshot *head);
const char *engine_time_range_request(struct engine *engine, const struct request *request);
void engine_time_range_leave(struct engine *engine);
/* Rebuilds the tables for another ranking event. */
void engine_time_range_rank(struct engine *engine);

static inline uint64_t engine_time_range_end_ns(const struct engine_time_range *range)
{
    return range->list[range->shown.pieces - 1].end_ns;
}

/* -e LIST for a recording: ranks by the first event. -EINVAL: the recording has no such event. */
int engine_rank_recorded(struct engine *engine, const char *events, struct error *error);

/* --search WHAT: check returns 0 or -EINVAL; start begins once an object has that name. */
int engine_search_check(const char *what, struct error *error);
void engine_search_start(struct engine *engine, const char *what);

/* Opens and closes the stages after the sampler; in the replay of a store there is no sampler. */
int engine_open_tables(struct engine *engine, struct error *error);
void engine_close_tables(struct engine *engine);

/* Returns the start time of a replay, by the clock of its records; 0: none. */
uint64_t engine_start_ns(const struct engine *engine);
/* Returns NULL if live. Valid until the next call. */
struct snapshot_recording *engine_recording(struct engine *engine);

#endif
