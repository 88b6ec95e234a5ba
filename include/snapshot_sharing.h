/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): cache lines that several threads
 * touch with a store among them, and what each of them does there. */
#ifndef MISSTOP_SNAPSHOT_SHARING_H
#define MISSTOP_SNAPSHOT_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_share.h"

enum { SNAPSHOT_SHARING_CODES = 4 };

enum sharing_verdict {
    SHARING_UNSURE,   /* too few samples, or too little known of the other side */
    SHARING_TRUE,     /* threads want the same bytes */
    SHARING_FALSE,    /* each has bytes of its own, and they all want the line */
    SHARING_BOTH,     /* both of it on one line: a lock beside the data it guards */
    SHARING_READ_ONLY /* several threads, no store seen: no contention */
};

/* Evidence that threads contend for a line. */
enum sharing_evidence {
    SHARING_TURNS, /* sampled accesses of several threads came by turns */
    SHARING_HITM   /* the hardware found the line modified in another CPU's cache */
};

enum sharing_remedy_kind {
    SHARING_NO_REMEDY,
    SHARING_PER_ELEMENT,         /* false sharing of elements: a line for each */
    SHARING_ALIGN,               /* ... of two objects: align `name` */
    SHARING_PAD,                 /* ... of two fields: `bytes` of padding before field `name` */
    SHARING_LOCK_LESS,           /* true sharing of a lock or counter: use it less often */
    SHARING_LOCK_LESS_AND_APART, /* the same with data beside it */
    SHARING_HAND_OVER,           /* one thread writes, others read */
    SHARING_COPIES,              /* several write: a copy for each thread */
    SHARING_LOCK_APART,          /* both kinds: the lock on a line of its own */
    SHARING_OWN_APART            /* ...: what each thread uses alone on lines of its own */
};

struct sharing_remedy {
    enum sharing_remedy_kind kind;
    const char *name; /* NULL: not known */
    unsigned bytes;
};

/* An instruction of one thread. */
struct snapshot_sharing_code {
    uint64_t address;
    const char *function;
    const char *file;  /* NULL: not known */
    uint32_t line;     /* 0: not known */
    const char *where; /* "counter.c:12"; NULL: not known */
    uint32_t id;       /* of the function */
    double share;      /* of its side's samples */
    uint64_t read;     /* bit i: byte i of the cache line */
    uint64_t written;
    const char *field; /* "counters.hits", "+8": as Layout names it */
    bool locked;       /* an atomic instruction */
};

/* A thread on a line. */
struct snapshot_sharing_side {
    uint32_t tid;
    uint32_t cpu; /* it was last seen on; UINT32_MAX: not known */
    int node;     /* NUMA node of that CPU; -1: not known, or there is one only */
    double samples;
    double share; /* of the line's */
    double loads;
    double stores;
    double hitm;   /* NAN: not measured */
    uint64_t read; /* bytes it used more than now and then */
    uint64_t written;
    uint32_t object;    /* index into objects; UINT32_MAX: not listed there */
    const char *name;   /* of the object; "counters" */
    const char *fields; /* "hits, misses": in order of offset; NULL: none */
    bool locked;        /* an atomic instruction among its accesses */
    struct snapshot_sharing_code codes[SNAPSHOT_SHARING_CODES]; /* most samples first */
    size_t code_count;
};

struct snapshot_sharing_line {
    uint64_t address; /* of its first byte */
    int64_t offset;   /* of that byte into the object: negative where the object begins later */
    enum sharing_verdict verdict;
    double overlap; /* part of the contention that is for the same bytes, 0..1; NAN */
    double samples;
    double share;     /* of all attributed samples */
    double of_object; /* ... of the object's */
    double hitm;      /* NAN: not measured */
    double turns;     /* accesses soon after one of another thread, with a store */
    double pairs;     /* accesses soon after another: what turns are out of */
    double expected;  /* turns there would be if all were shuffled */
    bool locked;
    int node;                            /* of its page; -1: not known, or there is one only */
    uint32_t threads;                    /* counted one by one; without those of few accesses */
    double others;                       /* accesses by further ones */
    struct snapshot_sharing_side *sides; /* most samples first */
    size_t side_count;
};

/* Lines of one kind: neighbours in one object, or the same line of many blocks. */
struct snapshot_sharing_group {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;     /* of the object: the same in the next snapshot */
    const char *name;
    const char *fields; /* of both sides: "hits | misses", in order of offset; NULL */
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    double samples;
    struct snapshot_share share; /* of all attributed samples */
    double of_object;
    double hitm;
    double turns;
    double expected;
    bool locked;
    bool sure;        /* enough samples for the verdict */
    uint32_t threads; /* different ones, capped at 255; not who hardly touches them */
    struct sharing_remedy remedy;
    struct snapshot_sharing_line *lines; /* most samples first */
    size_t line_count;
};

struct snapshot_sharing {
    enum sharing_evidence evidence; /* the best that the source can have */
    double misses; /* samples of all misses of a simulation, each counted once; NAN: none */
    struct snapshot_sharing_group *groups; /* contention first, most samples first */
    size_t group_count;
    size_t groups_left_out;
};

/* "unsure", "true", ...; "turns", "hitm": as in JSON. */
const char *sharing_verdict_name(enum sharing_verdict verdict);
const char *sharing_evidence_name(enum sharing_evidence evidence);

#endif
