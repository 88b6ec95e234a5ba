/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): what watchpoints saw (--watch), per
 * object. Counts are of the last watches, whatever the basis. */
#ifndef MISSTOP_SNAPSHOT_WATCH_H
#define MISSTOP_SNAPSHOT_WATCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_share.h"

enum { SNAPSHOT_WATCH_CODES = 4 };

enum watch_verdict {
    WATCH_TOO_FEW,
    WATCH_STREAMING, /* most lines were not touched again */
    WATCH_CAPACITY,  /* touched again after more than the cache holds came in between */
    WATCH_CONFLICT,  /* touched again before that, and yet gone */
    WATCH_CACHED,    /* touched again before that; nothing says that it was gone */
    WATCH_REUSED     /* touched again; whether too late is not known */
};

/* A median with its 95 % interval; value NAN: not known, high NAN: no bound. */
struct snapshot_median {
    double value;
    double low;
    double high;
};

/* Code that touched watched lines next. */
struct snapshot_watch_code {
    const char *function;
    const char *module;
    const char *file; /* NULL: not known */
    uint32_t line;    /* 0: not known */
    const char *text; /* "sum (a.c:12)" */
    uint32_t id;      /* of the function */
    double share;     /* of the object's touches */
};

struct snapshot_watch_object {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;
    const char *name;
    uint64_t watched;              /* first legs: sampled accesses with a watched line */
    uint64_t touched;              /* of these, seen touched again */
    struct snapshot_share again;   /* part of lines touched again within again_s of the watch */
    double again_s;                /* NAN: too few watched */
    struct snapshot_share returns; /* the same within 0.05 s */
    /* From a touch to the next. Too short to measure: value NAN, low 0, high known. */
    struct snapshot_median reuse_s;
    struct snapshot_median misses; /* of the process in between; NAN: not counted */
    double thread_misses;          /* of the thread that touched first, median; NAN */
    uint64_t visits;               /* in which the use of the line was seen */
    struct snapshot_share used;    /* part of the line's 8-byte words used in a visit */
    double elsewhere;              /* part of touches by another thread; NAN */
    enum watch_verdict verdict;
    uint64_t settled; /* of those watched, touched again or waited for long enough */
    uint64_t needed;  /* about so many of them make a verdict; their number where there is one */
    double wait_s;    /* until then, at this pace; NAN: none was measured yet */
    struct snapshot_watch_code codes[SNAPSHOT_WATCH_CODES]; /* most touches first */
    size_t code_count;
};

struct snapshot_watch {
    bool on; /* the rest is valid */
    unsigned registers;
    size_t threads;
    size_t threads_left_out;
    uint64_t offered;
    uint64_t armed;
    uint64_t unpaid;
    uint64_t touches;
    double trap_ns;
    double arm_ns;
    double budget;                         /* part of the target's CPU time */
    double overhead;                       /* spent of it; NAN */
    bool budget_limits;                    /* it is the budget that sets the pace */
    size_t verdicts;                       /* objects that have one */
    double next_s;                         /* until the next has, at this pace; NAN: not known */
    const char *trouble;                   /* why it may see nothing; NULL */
    bool counts_misses;                    /* the ranking event does, of the cache: */
    unsigned level;                        /* 1: L1 */
    uint64_t level_lines;                  /* that it holds; 0: not known */
    double long_s;                         /* not touched again for so long: streaming */
    struct snapshot_watch_object *objects; /* most watched first */
    size_t count;
};

/* Whether all that is known is that it is no longer than .high. */
static inline bool snapshot_reuse_is_bound(const struct snapshot_median *reuse_s)
{
    return isnan(reuse_s->value) && reuse_s->low == 0 && reuse_s->high > 0;
}

/* "too-few", "streaming", ...: as in JSON. */
const char *watch_verdict_name(enum watch_verdict verdict);

/*
 * sample -> profile: how one hardware watchpoint ended (--watch). A plain value; made by
 * src/sample/perf/watch.c, where the legs of a watch and its visits are explained.
 */
enum watch_kind {
    WATCH_FIRST, /* from a sampled access until its line was touched again */
    WATCH_AGAIN, /* from that touch until the next one */
    WATCH_VISIT  /* whether another word of the line was touched about when the sampled one was */
};

enum watch_end {
    WATCH_TOUCHED,  /* of a visit: the other word was, too */
    WATCH_EXPIRED,  /* not touched for as long as a watch may last; of a visit: the word was not */
    WATCH_REPLACED, /* another sample was drawn for the debug register */
    WATCH_DROPPED   /* the memory became something else, or the process another program */
};

struct watch_result {
    uint8_t kind; /* enum watch_kind */
    uint8_t end;  /* enum watch_end */
    uint32_t object;
    uint32_t origin_tid;
    uint32_t toucher_tid;
    uint64_t address;   /* of the word watched: 8 bytes */
    uint64_t base;      /* of the instance that the sampled access fell on */
    uint64_t origin_ns; /* of the access that time counts from */
    uint64_t armed_ns;  /* earlier touches were not seen */
    uint64_t end_ns;
    /* Of the time since armed_ns, known not to have run: the thread it began with. */
    uint64_t off_ns;
    uint64_t ip; /* of the instruction after the one that touched; 0: not touched */
};

#endif
