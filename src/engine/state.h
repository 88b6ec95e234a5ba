/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * struct engine, which all files of this folder share: trunk.c (record to tables), the four kinds
 * of engines, picture.c (snapshots), requests.c (what views ask), time_range.c, watchpoints.c,
 * whatif.c.
 */
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
 * -o FILE: the samples go into FILE, a perf.data for perf, and their places and names into
 * FILE.misstop, from which the tables come back exactly. The two carry one mark, and are rotated
 * together when the file reaches its size. Owned by the engine. Where a file cannot be written any
 * more, sampling goes on: the next sync reports it once.
 */
struct recorder;

struct recorder_options {
    struct store_facts
        facts; /* as they begin; of the sources and the process asked when recorded */
    const char *path;
    uint64_t limit_bytes; /* of FILE; 0: none */
    unsigned files;       /* kept at the limit */
    bool launched;
    uint64_t start_ns;       /* when watching began; 0: with the first record */
    struct sampler *sampler; /* these two are not owned */
    struct resolver *resolver;
    struct place_names names;
    bool (*instruction_text)(void *context, uint64_t address, char *out, size_t size);
    void *text_context;
};

int recorder_open(struct recorder **recorder, const struct recorder_options *options,
                  struct error *error);
int recorder_close(struct recorder *recorder, struct error *error);

/* The same names, for the tables to ask: questions and answers are recorded. */
struct place_names recorder_names(struct recorder *recorder);

/* In the order of time; `place`: what became of a sample, NULL for other records. */
void recorder_add(struct recorder *recorder, const struct record *record,
                  const struct place *place);

/* FILE.misstop, for what goes to the tables beside records; NULL: none is written. */
struct store_writer *recorder_store(const struct recorder *recorder);

/* Index of the event that ranks from here on. */
void recorder_ranking(struct recorder *recorder, uint16_t event);

/* Of the uses of lines that a simulation reports, a recording takes as many as it can hold: whether
 * this line is to be counted, and with which weight. The tables count the same. */
bool recorder_wants_line(struct recorder *recorder, uint64_t time_ns, struct line_event *line);

/*
 * At a refresh, after its snapshot; `head` is the head that the tables were given: the totals shown
 * are the totals recorded. Text for the status line, once per trouble; else NULL.
 */
const char *recorder_sync(struct recorder *recorder, const struct snapshot *head, uint64_t now_ns);

enum { ENGINE_LINES = 32, ENGINE_RENAMES = 1024 };

/* The search of everything ends here: the upper half of the addresses is the kernel's. */
#define SEARCH_BOUND (UINT64_C(1) << 63)

struct lane;
struct place_batch;

/* Strings of struct snapshot_recording that nothing else keeps. */
struct recording_text {
    struct snapshot_recording shown;
    char kernel[96];
    char date[32];
    char others[256];
    char addresses[192];
};

/* The time range that is shown. */
struct engine_time_range {
    struct profile *profile; /* its tables; NULL: the run up to now is shown */
    struct time_range *list; /* its pieces, in the order of time */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX];
    struct snapshot_time_range shown;
    bool fills;      /* the tables are not full yet */
    bool searches;   /* it is read again, for the search alone */
    unsigned rounds; /* of that, so far */
};

/* A question about another layout of an object; unused where its state is WHATIF_NONE. */
struct engine_whatif {
    struct snapshot_whatif shown;
    struct whatif_wanted wanted;
    bool wanting;            /* it has not been asked of the simulation yet */
    bool follows;            /* blocks come and go */
    bool listed;             /* the existing ones have been reported */
    uint32_t type;           /* id of the layout that is meant; 0: the one with most samples */
    uint64_t asked;          /* number of the question; 0: none yet */
    uint64_t taken_ns;       /* when it was seen to be heard */
    uint64_t left_out;       /* blocks that found no room in the list */
    uint32_t paths_reported; /* the blocks of all paths below it have been assigned */
};

struct engine_whatifs {
    struct engine_whatif list[WHATIF_MAX]; /* by number */
    uint64_t tried_ns;                     /* when the program waited for questions */
    uint32_t tries;
    struct snapshot_whatif_past past[WHATIF_PAST_MAX]; /* newest first */
    uint32_t past_count;
};

/*
 * How an engine is opened and driven: one table each in live.c, simulated.c, recorded.c (perf.data)
 * and stored.c (FILE.misstop). A member that is NULL does nothing.
 */
struct engine_kind {
    bool live; /* a running process: the clock is the machine's, its code and rights may change */
    /* The sampler or the store; a kind may hand over to another one. */
    int (*open)(struct engine *engine, struct error *error);
    /* Sets the users that files are opened for. */
    void (*open_files)(struct engine *engine);
    /* The stages that turn records into places; again at each restart of a recording. */
    int (*open_names)(struct engine *engine, struct error *error);
    long (*drain)(struct engine *engine, uint64_t until_ns);
    int (*tick)(struct engine *engine, uint64_t now_ns); /* -ESRCH: the target has ended */
    int (*restart)(struct engine *engine, pid_t pid, struct error *error);
    bool (*geometry)(struct engine *engine); /* of what was recorded; false: not known */
    struct snapshot_whatifs (*whatifs)(struct engine *engine);
    void (*describe_recording)(struct engine *engine); /* into engine->recording */
    /* Requests that this kind answers by itself; NULL: goes on to all others. */
    const char *(*request)(struct engine *engine, const struct request *request);
};

extern const struct engine_kind engine_live;
extern const struct engine_kind engine_simulated;
extern const struct engine_kind engine_recorded;
extern const struct engine_kind engine_stored;

/* Data read by stored.c: facts, and places that are not in the tables yet. */
struct engine_store {
    struct store_reader *reader;
    struct store_facts facts; /* as of the last refresh that was read */
    double interval_s;
    uint64_t first_ns; /* when the recording began */
    bool through;      /* on the way to the end: refreshes are those of the recording */
    bool refresh_due;  /* the recorder made a snapshot here */
    struct object_rename renames[ENGINE_RENAMES];
    size_t rename_count;
};

struct engine {
    const struct engine_kind *kind;
    struct engine_options options;
    struct recording_text recording;
    struct sampler *sampler; /* these two are NULL where a store is played */
    struct resolver *resolver;
    struct decoder *decoder;
    struct profile *profile;
    struct past *past; /* the places that went into the profile; NULL: not kept */
    struct engine_time_range time_range;
    struct geometry geometry;  /* of the set map */
    struct recorder *recorder; /* -o; NULL: none */
    struct watch *watch;       /* --watch; NULL: none */
    char watch_trouble[192];   /* of the snapshot being made */
    struct engine_whatifs whatif;
    struct engine_store stored;   /* of engine_stored */
    uint64_t cache_lines[3];      /* of L1d, L2 and L3; 0: not known */
    struct files_client files;    /* the users that files named by others are opened for */
    struct source_texts *sources; /* NULL: out of memory */
    const char *search;           /* object named by --search that was not there yet */
    uint64_t opened_ns;
    uint64_t record_ns; /* time of the newest record: the clock of a replay */
    uint64_t last_tick_ns;
    uint64_t ranked_before; /* samples of the ranking event at the last refresh */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX]; /* that they represent */
    double zeroed_s;                  /* elapsed when the counts were set to zero */
    uint32_t iteration;
    uint16_t ranking;
    bool event_chosen;    /* by the user, with a key */
    uint64_t patience_ns; /* of a replay or simulation, with debugging information, each drain */
    bool ended;
    bool paused;      /* by the user: nothing is counted */
    bool objects_all; /* those of small shares are listed too */
    bool heap;        /* its blocks are reported or walked */
    bool exec_seen;
    bool behind;                 /* the last drain left some */
    uint64_t cpu_ticks;          /* of the target, when it was looked at last */
    uint64_t sampled;            /* the same of the samples of all events */
    uint64_t measured_ns;        /* the CPU time used was measured up to here, */
    uint64_t measured_ticks;     /* where it was so much, */
    double cpu;                  /* and this much a second before; NAN: not known */
    uint64_t ran_ns;             /* when it was last seen to have used CPU time */
    uint64_t sampled_ns;         /* and when a sample had come */
    bool slower;                 /* it was reported that fewer samples are taken than wanted */
    bool spares;                 /* ... because the process is switched often */
    uint64_t slice_until_ns;     /* up to here this drain goes on in any case; 0: to its end */
    uint64_t slice_own_until_ns; /* CPU time of ours; 0: not looked at so far */
    uint64_t followed_ns;        /* the feed of the heap, up to here */
    double phase_start_s;        /* of the phase reported last */
    struct place_batch *waiting; /* places that are not in the tables yet (trunk.c) */
    struct lane *tables;         /* of a replay: takes them there; NULL: done here */
    struct line_place lines[ENGINE_LINES]; /* likewise; behind the places */
    size_t line_count;
    long leaves;    /* samples of leaf functions' frames since then */
    long followed;  /* events of the agent since engine_patience_ms() was asked */
    unsigned quiet; /* drains without a record */
    char status[512];
};

/* The clock of the records: time as it is, or in a replay that of the newest record. */
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

/* In recorded.c: of the samples of the process. */
struct perfdata_span engine_span(const struct engine *engine);

/* The role of each event (enum event_role), for the tables. */
static inline void engine_roles(const struct engine *engine, uint8_t roles[SAMPLE_EVENTS_MAX])
{
    const struct sampler_info *info = engine_info(engine);
    for (unsigned i = 0; i < info->event_count && i < SAMPLE_EVENTS_MAX; i++)
        roles[i] = (uint8_t)info->events[i].role;
}

/* In time_range.c: objects that have turned out to be others, for the tables of the run and
 * for those of the time range that is shown. */
void engine_rename(struct engine *engine, const struct object_rename *list, size_t count);

/* In requests.c: another event ranks. */
void engine_rank(struct engine *engine, uint16_t event);

/* In trunk.c: records up to a time, through to the tables; number of them. Remaining records set
 * engine->behind. `pace`: whether another record may be taken; NULL: all. */
long engine_take(struct engine *engine, uint64_t *until_ns);
/* Where places wait, and the threads of a replay; again after a restart. 0 or a negative errno. */
int engine_open_trunk(struct engine *engine);
void engine_close_trunk(struct engine *engine);

/* A place on its way into the tables, with others; a step of the run over time is made at once,
 * while names are what they are. */
void engine_add_place(struct engine *engine, const struct place *place);
/* All of them are in the tables: before every look at these, or when names may change. */
void engine_count_places(struct engine *engine);

/* In sampled.c, members of the three kinds that have a sampler. */
int sampled_open(struct engine *engine, struct error *error);
int sampled_open_names(struct engine *engine, struct error *error);
int sampled_tick(struct engine *engine, uint64_t now_ns);
/* Names of another machine's files are no names of this one's. */
bool sampled_elsewhere(const char *host);

/* In live.c, for a simulation too: how fast samples are taken, and the target's files. */
int live_tick(struct engine *engine, uint64_t now_ns);
void live_open_files(struct engine *engine);
/* The feed of the heap up to a time, by steps; false: more than this slice has time for. */
bool live_follow_heap(struct engine *engine, uint64_t until_ns);

/* In recorded.c, for both kinds of recordings: when it was made; time goes on where nothing was
 * recorded, too. */
void recorded_date(struct recording_text *text, const struct perfdata_machine *machine,
                   uint64_t start_ns);
void recorded_reached(struct engine *engine, uint64_t until_ns);

/* In stored.c: takes the place of engine_recorded where a store belongs to the input. */
int stored_look(struct engine *engine, struct error *error);

/* In watchpoints.c, each for `watch` NULL, too: opened; a sample; results up to a time; what the
 * snapshot has of its state. */
int engine_watch_open(struct engine *engine, struct error *error);
void engine_watch_offer(struct engine *engine, const struct place *place);
void engine_watch_pump(struct engine *engine, uint64_t until_ns);
struct snapshot_watch engine_watch_state(struct engine *engine);

/*
 * In whatif.c: "OBJECT:QUESTION" asked (object and type by id, or 0; false: so many are
 * asked already); all of --what-if from the start, for which the program waits; on a snapshot where
 * the object is listed a question goes to the simulation; blocks are reported as drains go on.
 */
void engine_whatif_await(struct engine *engine);
void engine_whatif_step(struct engine *engine, const struct snapshot *snapshot);
void engine_whatif_follow(struct engine *engine, uint64_t until_ns);
/* --what-if: 0, or -EINVAL. */
int engine_whatif_check(const char *const texts[], struct error *error);
/* engine_whatif_step() on a snapshot that is not shown; false: debug information was still loading.
 * (picture.c) */
bool engine_whatif_peek(struct engine *engine);

/* In whatif.c: the questions in the snapshot; requests of views; and the end of a question, which
 * keeps its answer in the list. */
struct snapshot_whatifs engine_whatif_state(struct engine *engine);
const char *engine_whatif_request(struct engine *engine, const struct request *request);

/* In simulated.c: a line that a simulation reports. True: they are to be counted now. */
bool engine_take_line(struct engine *engine, const struct record *record);
void engine_count_lines(struct engine *engine);

/* As shown: since the start, or in a recording since the process was first sampled; NAN. */
double engine_elapsed_s(struct engine *engine);

/*
 * In time_range.c: the snapshot of the time range that is shown, by the head that was made for
 * the run's; what views ask of it (NULL: nothing of this); back to the run up to now.
 */
const struct snapshot *engine_time_range_snapshot(struct engine *engine,
                                                  const struct snapshot *head);
const char *engine_time_range_request(struct engine *engine, const struct request *request);
void engine_time_range_leave(struct engine *engine);
/* Another event ranks: its tables are made anew. */
void engine_time_range_rank(struct engine *engine);

static inline uint64_t engine_time_range_end_ns(const struct engine_time_range *range)
{
    return range->list[range->shown.pieces - 1].end_ns;
}

/* -e LIST of a recording: the first ranks. -EINVAL: the recording has no such event. */
int engine_rank_recorded(struct engine *engine, const char *events, struct error *error);

/* --search WHAT: 0, or -EINVAL; started now, or kept until an object of that name turns up. */
int engine_search_check(const char *what, struct error *error);
void engine_search_start(struct engine *engine, const char *what);

/*
 * The stages behind the sampler, made and taken down together; where a store is played, without a
 * sampler.
 */
int engine_open_tables(struct engine *engine, struct error *error);
void engine_close_tables(struct engine *engine);

/* Time 0 of a replay, by the clock of its records; 0: it has none. */
uint64_t engine_start_ns(const struct engine *engine);
/* NULL: live. Valid until the next call. */
struct snapshot_recording *engine_recording(struct engine *engine);

#endif
