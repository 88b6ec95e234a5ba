/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What trunk.c fills and its other files read: picture.c (snapshots),
 * requests.c (what views ask) and recorded.c (what misstop recorded). Private to
 * engine*.c.
 */
#ifndef MISSTOP_ENGINE_STATE_H
#define MISSTOP_ENGINE_STATE_H

#include "base/clock.h"
#include "base/files.h"
#include "decode/decoder.h"
#include "engine/engine.h"
#include "engine/recorded.h"
#include "engine/recorder.h"
#include "profile/profile.h"
#include "profile/whatif.h"
#include "resolve/resolver.h"
#include "resolve/source.h"
#include "sample/sampler.h"
#include "sample/watch.h"
#include "store/past.h"

enum { ENGINE_PLACES = 32, ENGINE_RENAMES = 1024 };

/* The search of everything ends here: the upper half of the addresses is the kernel's. */
#define SEARCH_BOUND (UINT64_C(1) << 63)

/* Strings of snapshot_recording that stand nowhere else. */
struct recording_text {
    struct snapshot_recording shown;
    struct store_facts facts;
    char kernel[96];
    char date[32];
    char others[256];
    char addresses[192];
};

/* The stretch of the run that is shown. */
struct engine_stretch {
    struct profile *profile; /* its tables; NULL: the run up to now is shown */
    struct stretch *list;    /* its pieces, in the order of time */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX];
    struct snapshot_stretch shown;
    bool fills;      /* the tables are not full yet */
    bool searches;   /* it is read again, for the search alone */
    unsigned rounds; /* of that, so far */
};

/* An answer that stood when the next question was asked. */
struct engine_whatif_past {
    uint32_t object;
    double change; /* of the cycles waited */
    char name[256];
    char words[160];
};

/* A question about another layout of an object; unused where state is WHATIF_NONE. */
struct engine_whatif {
    enum whatif_state state;
    struct whatif_wanted wanted;
    bool wanting;        /* it has not been asked of the simulation yet */
    bool follows;        /* blocks come and go */
    bool listed;         /* those that there are have been told */
    uint32_t object;     /* id; 0: by its name */
    uint32_t type;       /* id of the layout that is meant; 0: the one with most samples */
    uint64_t asked;      /* number of the question; 0: none yet */
    uint64_t taken_ns;   /* when it was seen to be heard */
    uint64_t left_out;   /* blocks that found no room in the list */
    uint32_t paths_told; /* of all below it is said whose blocks they make */
    double change;       /* of the cycles waited, as shown last; NAN */
    char name[256];
    char words[160];
    char layout[192];
    char why[512];
};

struct engine_whatifs {
    struct engine_whatif list[WHATIF_MAX]; /* by number */
    uint64_t tried_ns;                       /* when the program waited for questions */
    uint32_t tries;
    struct engine_whatif_past past[WHATIF_PAST_MAX]; /* newest first */
    uint32_t past_count;
};

struct engine {
    struct engine_options options;
    struct recording_text recording;
    struct sampler *sampler;
    struct resolver *resolver;
    struct decoder *decoder;
    struct profile *profile;
    struct past *past; /* what went into the profile */
    struct engine_stretch stretch;
    struct geometry geometry;  /* of the set map */
    struct recorder *recorder; /* -o; NULL: none */
    struct watch *watch;       /* --watch; NULL: none */
    char watch_trouble[192];   /* of the snapshot being made */
    struct engine_whatifs whatif;
    struct snapshot_whatifs stored_whatif;
    struct store_reader *store; /* what is played; NULL: sampler, resolver and decoder are there */
    struct sampler_info stored; /* what it tells of the sampling */
    struct snapshot_simulation stored_simulation;
    struct snapshot_watch stored_watch;
    uint64_t watch_lines[3]; /* of L1d, L2 and L3 where was watched; 0: not known */
    double stored_interval_s;
    bool refresh_due;             /* the recorder made a snapshot here */
    bool to_the_end;              /* nobody looks on: refreshes are those of the recording */
    struct files_client files;    /* on whose behalf files are opened that others name */
    struct source_texts *sources; /* NULL: out of memory */
    const char *search;           /* object named by --search that was not there yet */
    uint64_t opened_ns;
    uint64_t record_ns; /* time of the newest record: the clock of a replay */
    uint64_t first_ns;  /* when what misstop recorded began */
    uint64_t last_tick_ns;
    uint64_t ranked_before; /* samples of the ranking event at the last refresh */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX]; /* that they stand for */
    double zeroed_s;                  /* elapsed when the counts were set to zero */
    uint32_t iteration;
    uint16_t ranking;
    bool event_chosen;    /* by the user, with a key */
    uint64_t patience_ns; /* of a replay or simulation, with debugging information, each drain */
    bool live;
    bool ended;
    bool paused;      /* by the user: nothing is counted */
    bool objects_all; /* those of small shares are listed too */
    bool heap;        /* its blocks are told or walked */
    bool exec_seen;
    bool behind;             /* the last drain left some */
    uint64_t cpu_ticks;      /* of the target, when it was looked at last */
    uint64_t sampled;        /* the same of the samples of all events */
    uint64_t ran_ns;         /* when it was last seen to have used CPU time */
    uint64_t sampled_ns;     /* and when a sample had come */
    bool slower;             /* it was told that fewer samples are taken than wanted */
    uint64_t slice_until_ns; /* CPU time of ours that this drain may take; 0: all it needs */
    uint64_t followed_ns;    /* the feed of the heap, up to here */
    double phase_start_s;    /* of the phase told last */
    struct place places[ENGINE_PLACES]; /* resolved, not in the tables yet */
    size_t place_count;
    struct line_place lines[ENGINE_PLACES]; /* likewise; behind the places */
    size_t line_count;
    struct object_rename renames[ENGINE_RENAMES]; /* read from a recording, not done yet */
    size_t rename_count;
    long leaves; /* samples of leaf functions' frames since then */
    long told;   /* events of the agent since engine_patience_ms() was asked */
    char status[512];
};

/* The clock of the records: time as it is, or in a replay that of the newest record. */
static inline uint64_t engine_now(const struct engine *engine)
{
    return engine->live ? clock_now_ns() : engine->record_ns;
}

static inline const struct sampler_info *engine_info(const struct engine *engine)
{
    return engine->store ? &engine->stored : sampler_info(engine->sampler);
}

/* What each event stands for (enum event_role), for the tables. */
static inline void engine_roles(const struct engine *engine, uint8_t roles[SAMPLE_EVENTS_MAX])
{
    const struct sampler_info *info = engine_info(engine);
    for (unsigned i = 0; i < info->event_count && i < SAMPLE_EVENTS_MAX; i++)
        roles[i] = (uint8_t)info->events[i].role;
}

/* In time_range.c: objects that have turned out to be others, for the tables of the run and
 * for those of the stretch that is shown. */
void engine_rename(struct engine *engine, const struct object_rename *list, size_t count);

/* In requests.c: another event ranks; and that of the costliest level of a simulation,
 * unless the user chose. */
void engine_rank(struct engine *engine, uint16_t event);
void engine_rank_costliest(struct engine *engine);

/* In recorded.c: the end of a replay from FILE.misstop that trunk.c has for others. */
long engine_stored_drain(struct engine *engine, uint64_t until_ns);
/* What the store tells beside places and names, as of the point that was read up to. */
void engine_stored_facts(struct engine *engine);

/* In watchpoints.c, each for `watch` NULL, too: opened; a sample; results up to a time; what the
 * snapshot has of its state. */
int engine_watch_open(struct engine *engine, const char *sysfs, struct error *error);
void engine_watch_offer(struct engine *engine, const struct place *place);
void engine_watch_pump(struct engine *engine, uint64_t until_ns);
struct snapshot_watch engine_watch_state(struct engine *engine);

/*
 * In whatif.c: "OBJECT:QUESTION" asked (object and type by id, or 0; false: so many are
 * asked already); all of --what-if from the start, for which the program waits; on a snapshot where
 * the object is listed a question goes to the simulation; blocks are told as drains go on.
 */
void engine_whatif_await(struct engine *engine);
void engine_whatif_step(struct engine *engine, const struct snapshot *snapshot);
void engine_whatif_follow(struct engine *engine, uint64_t until_ns);
/* --what-if: 0, or -EINVAL. */
int engine_whatif_check(const char *const texts[], struct error *error);
/* engine_whatif_step() on a snapshot that nobody sees; false: debugging information was still
 * being read. (picture.c) */
bool engine_whatif_peek(struct engine *engine);

/* In whatif.c: what the snapshot has of the questions; what views ask; and the end
 * of one, whose answer is kept among those of before. */
struct snapshot_whatifs engine_whatif_state(struct engine *engine);
const char *engine_whatif_request(struct engine *engine, const struct request *request);

/* In simulated.c: a line that a simulation tells of. True: they are to be counted now. */
bool engine_take_line(struct engine *engine, const struct record *record);
void engine_count_lines(struct engine *engine);
/* Who did what to whose lines; none unless it is simulated. */
struct line_pair_source engine_pairs(struct engine *engine);

/* As shown: since the start, or in a recording since the process was first sampled; NAN. */
double engine_elapsed_s(struct engine *engine);

/*
 * In time_range.c: the snapshot of the stretch that is shown, by the head that was made for
 * the run's; what views ask of it (NULL: nothing of this); back to the run up to now.
 */
const struct snapshot *engine_stretch_snapshot(struct engine *engine,
                                                 const struct snapshot *head);
const char *engine_stretch_request(struct engine *engine, const struct request *request);
void engine_stretch_leave(struct engine *engine);
/* Another event ranks: its tables are made anew. */
void engine_stretch_rank(struct engine *engine);

static inline uint64_t engine_stretch_end_ns(const struct engine_stretch *stretch)
{
    return stretch->list[stretch->shown.pieces - 1].end_ns;
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
/* In replay time goes on where nothing was recorded, too. */
void engine_replay_reached(struct engine *engine, uint64_t until_ns);
/* NULL: live. Valid until the next call. */
struct snapshot_recording *engine_recording(struct engine *engine);
/* Of the machine that was sampled, as far as that is known. */
int engine_geometry(struct engine *engine, const char *sysfs, struct error *error);

#endif
