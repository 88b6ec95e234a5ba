/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot: lines that several threads access, at least one of them with a store. */
#ifndef MISSTOP_SNAPSHOT_SHARING_H
#define MISSTOP_SNAPSHOT_SHARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_share.h"

enum { SNAPSHOT_SHARING_CODES = 4 };

enum sharing_verdict {
    SHARING_INCONCLUSIVE, /* too few samples, or too little known about the other thread */
    SHARING_TRUE,         /* threads access the same bytes */
    SHARING_FALSE,        /* threads access different bytes of the line */
    SHARING_BOTH,         /* both on one line: a lock next to the data it guards */
    SHARING_READ_ONLY     /* several threads, no store seen: no contention */
};

enum sharing_evidence {
    SHARING_ALTERNATION, /* sampled accesses alternate between threads */
    SHARING_HITM         /* the hardware found the line modified in another CPU's cache */
};

enum sharing_remedy_kind {
    SHARING_NO_REMEDY,
    SHARING_PER_ELEMENT,         /* false sharing of elements: a line for each element */
    SHARING_ALIGN,               /* ... of two objects: align `name` */
    SHARING_PAD,                 /* ... of two fields: `bytes` of padding before field `name` */
    SHARING_LOCK_LESS,           /* true sharing of a lock or counter: use it less often */
    SHARING_LOCK_LESS_AND_APART, /* the same, with data on the line */
    SHARING_HAND_OVER,           /* one thread writes, others read */
    SHARING_COPIES,              /* several threads write: a copy for each thread */
    SHARING_LOCK_APART,          /* true and false sharing: the lock on a line of its own */
    SHARING_OWN_APART            /* ...: data used by only one thread on lines of its own */
};

struct sharing_remedy {
    enum sharing_remedy_kind kind;
    const char *name; /* NULL: not known */
    unsigned bytes;
};

struct snapshot_sharing_code {
    uint64_t address;
    const char *function;
    const char *file;     /* NULL: not known */
    uint32_t line;        /* 0: not known */
    const char *position; /* "counter.c:12"; NULL: not known */
    uint32_t id;          /* id of the function */
    double share;         /* fraction of its thread's samples on the line */
    uint64_t read;        /* bit i: byte i of the cache line */
    uint64_t written;
    const char *field; /* "counters.hits", "+8": named as in Layout */
    bool locked;       /* an atomic instruction */
};

struct snapshot_sharing_side {
    uint32_t tid;
    uint32_t cpu; /* CPU on which it was last seen; UINT32_MAX: not known */
    int node;     /* NUMA node of that CPU; -1: not known, or there is only one */
    double samples;
    double share; /* fraction of the line's samples */
    double loads;
    double stores;
    double hitm;   /* NAN: not measured */
    uint64_t read; /* bit i: byte i of the line, without rarely used bytes */
    uint64_t written;
    uint32_t object;    /* index into objects; UINT32_MAX: not listed there */
    const char *name;   /* name of the object; "counters" */
    const char *fields; /* "hits, misses": in order of offset; NULL: none */
    bool locked;        /* an atomic instruction is among its accesses */
    struct snapshot_sharing_code codes[SNAPSHOT_SHARING_CODES]; /* most samples first */
    size_t code_count;
};

struct snapshot_sharing_line {
    uint64_t address; /* address of its first byte */
    int64_t offset;   /* offset of that byte into the object: negative if the object starts later */
    enum sharing_verdict verdict;
    double overlap; /* fraction of the contention that is for the same bytes, 0..1; NAN */
    double samples;
    double share;        /* fraction of all attributed samples */
    double object_share; /* fraction of the object's samples */
    double hitm;         /* NAN: not measured */
    /* Accesses shortly after another thread's access, at least one of the two a store. */
    double alternations;
    /* accesses shortly after another access; `alternations` is a subset of them */
    double close_accesses;
    double expected_alternations; /* expected turns if the order were random */
    bool locked;
    int node;              /* NUMA node of its page; -1: not known, or there is only one */
    uint32_t threads;      /* counted individually; without threads that have few accesses */
    double other_accesses; /* accesses by further threads */
    struct snapshot_sharing_side *sides; /* most samples first */
    size_t side_count;
};

/* Lines of one kind: neighbours in one object, or the same line of many blocks. */
struct snapshot_sharing_group {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there */
    uint32_t id;     /* id of the object: the same in the next snapshot */
    const char *name;
    const char *fields; /* fields of both threads: "hits | misses", in order of offset; NULL */
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    double samples;
    struct snapshot_share share; /* fraction of all attributed samples */
    double object_share;
    double hitm;
    double alternations;
    double expected_alternations;
    bool locked;
    bool has_enough_samples; /* enough samples for the verdict */
    uint32_t threads;        /* distinct, capped at 255; without threads that have few accesses */
    struct sharing_remedy remedy;
    struct snapshot_sharing_line *lines; /* most samples first */
    size_t line_count;
};

struct snapshot_sharing {
    enum sharing_evidence evidence; /* best evidence that the source can provide */
    double misses; /* all misses of a simulation, each counted once; NAN: not a simulation */
    struct snapshot_sharing_group *groups; /* contention first, most samples first */
    size_t group_count;
    size_t groups_left_out;
};

/* Return the names as in JSON: "unsure", "true", ...; "turns", "hitm". */
const char *sharing_verdict_name(enum sharing_verdict verdict);
const char *sharing_evidence_name(enum sharing_evidence evidence);

/* Returns the first byte of the line that a side uses; 0: not known. */
static inline unsigned sharing_first_byte(const struct snapshot_sharing_side *side)
{
    uint64_t bytes = side->read | side->written;
    return bytes ? (unsigned)__builtin_ctzll(bytes) : 0;
}

#endif
