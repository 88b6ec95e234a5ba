/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (see snapshot.h for its rules): results of watchpoints (--watch) per
 * object. Counts are of the most recent watches, whatever the basis. */
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
    WATCH_CAPACITY,  /* touched again after more data than the cache holds */
    WATCH_CONFLICT,  /* touched again before that, but evicted */
    WATCH_CACHED,    /* touched again before that, and no evidence of eviction */
    WATCH_REUSED     /* touched again; not known whether too late */
};

/* A median with its 95 % interval; value NAN: not known, high NAN: no upper bound. */
struct snapshot_median {
    double value;
    double low;
    double high;
};

/* Code that touched watched lines after the sampled access. */
struct snapshot_watch_code {
    const char *function;
    const char *module;
    const char *file; /* NULL: not known */
    uint32_t line;    /* 0: not known */
    const char *text; /* "sum (a.c:12)" */
    uint32_t id;      /* id of the function */
    double share;     /* fraction of the object's touches */
};

struct snapshot_watch_object {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;
    const char *name;
    uint64_t watched; /* first legs: sampled accesses with a watch on their line */
    uint64_t touched; /* watched lines that were touched again */
    /* fraction of lines touched again within again_within_s */
    struct snapshot_share touched_again_share;
    double again_within_s;                     /* NAN: too few watches */
    struct snapshot_share touched_within_long; /* fraction of lines touched again within long_s */
    /* Time from one touch to the next. Too short to measure: value NAN, low 0, high known. */
    struct snapshot_median reuse_s;
    struct snapshot_median misses; /* misses of the process in that time; NAN: not counted */
    double thread_misses;          /* misses of the first touching thread, median; NAN */
    uint64_t visits;               /* visits with measured use of the line */
    struct snapshot_share used;    /* fraction of the line's 8-byte words used in a visit */
    double by_another_thread;      /* fraction of touches by another thread; NAN: not known */
    enum watch_verdict verdict;
    uint64_t settled; /* watches with a second touch, or that lasted at least long_s */
    /* number of settled watches for a verdict, estimated until there is one */
    uint64_t settled_needed;
    double verdict_in_s; /* time until then at this pace; NAN: not known yet */
    struct snapshot_watch_code codes[SNAPSHOT_WATCH_CODES]; /* most touches first */
    size_t code_count;
};

struct snapshot_watch {
    bool is_on; /* otherwise the other members are undefined */
    unsigned registers;
    size_t threads;
    size_t threads_left_out;
    uint64_t offered;
    uint64_t armed;
    uint64_t over_budget;
    uint64_t touches;
    double trap_ns;
    double arm_ns;
    double budget;             /* fraction of the target's CPU time */
    double overhead;           /* part used so far; NAN */
    bool is_limited_by_budget; /* the budget limits the pace */
    size_t verdicts;           /* objects with a verdict */
    double next_s;             /* time until the next verdict at this pace; NAN: not known */
    const char *failure;       /* why it may detect nothing; NULL */
    bool counts_misses;        /* the ranking event counts cache misses, of the level: */
    unsigned level;            /* 1: L1 */
    uint64_t level_lines;      /* number of lines in that level; 0: not known */
    double long_s;             /* a line not touched for this long counts as streamed */
    struct snapshot_watch_object *objects; /* most watched first */
    size_t count;
};

/* Returns true if the reuse time is only known to be at most .high. */
static inline bool snapshot_reuse_is_bound(const struct snapshot_median *reuse_s)
{
    return isnan(reuse_s->value) && reuse_s->low == 0 && reuse_s->high > 0;
}

const char *watch_verdict_name(enum watch_verdict verdict);

/* sample -> profile: the end of one hardware watchpoint (--watch). A plain value; created by
 * src/sample/perf/watch.c, which explains legs and visits. */
enum watch_kind {
    WATCH_FIRST, /* from a sampled access until its line was touched again */
    WATCH_AGAIN, /* from that touch until the next one */
    WATCH_VISIT  /* whether another word of the line was touched with the sampled one */
};

enum watch_end {
    WATCH_TOUCHED,  /* in a visit: the other word was touched too */
    WATCH_EXPIRED,  /* not touched within the time limit; in a visit: other word not touched */
    WATCH_REPLACED, /* another sample was drawn for the debug register */
    WATCH_DROPPED   /* the memory belongs to another object, or the process exec'd */
};

struct watch_result {
    uint8_t kind; /* enum watch_kind */
    uint8_t end;  /* enum watch_end */
    uint32_t object;
    uint32_t origin_tid;
    uint32_t toucher_tid;
    uint64_t address;   /* address of the watched word: 8 bytes */
    uint64_t base;      /* start of the sampled access's instance */
    uint64_t origin_ns; /* time of the access from which time is counted */
    uint64_t armed_ns;  /* earlier touches were missed */
    uint64_t end_ns;
    /* Part of the time since armed_ns during which the first thread is known not to have run. */
    uint64_t off_cpu_ns;
    uint64_t ip; /* address of the instruction after the touching one; 0: not touched */
};

#endif
