/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a walk consists of. Private to the walk. */
#ifndef MISSTOP_RESOLVE_WALK_STATE_H
#define MISSTOP_RESOLVE_WALK_STATE_H

#include "base/hash.h"
#include "resolve/walk_chain.h"

/* Free chunks that look in use: thread caches (tcache_perthread_struct) and fast bins. */
struct walk_lists {
    uint64_t *caches; /* where each thread cache's structure starts */
    size_t cache_count;
    size_t cache_room;
    struct hash known;   /* their addresses */
    uint64_t key;        /* in the second word of every cached block since 2.34; 0: not known */
    unsigned key_votes;  /* how sure the key is */
    bool own_keys;       /* until 2.33 the key is the address of the cache */
    bool mangled;        /* list pointers are (since 2.32) */
    bool plain;          /* or are not; neither: no list seen so far */
    uint64_t look_again; /* the number of finds from which on caches may be searched again */
};

/* Blocks that are mappings of their own, as found so far, by ascending base. */
struct walk_mapped_block {
    uint64_t base;  /* page */
    uint64_t end;   /* page */
    uint64_t chunk; /* its header */
};

struct walk_mapped {
    struct walk_mapped_block *blocks;
    size_t count;
    size_t room;
};

struct walk {
    struct walk_memory memory;
    struct walk_window window; /* of the chain that is followed */
    struct walk_window probe;  /* of attempts beside it */
    struct walk_arenas arenas;
    struct walk_spans spans;
    struct walk_lists lists;
    struct walk_mapped mapped;
    struct walk_stats stats;
    uint64_t *threads;         /* fs bases */
    size_t thread_count;
    uint64_t refresh_at;     /* where walk_refresh() goes on */
    uint32_t search_backoff; /* updates between two searches for arenas that found none */
    uint32_t search_waiting; /* of them to come */
    bool search_costly;
    char status[256]; /* "": the heap can be walked */
    char source[128];
};

/* A chain through a span, not yet started. */
static inline struct walk_chain walk_chain_of(struct walk *walk, struct walk_span *span,
                                              size_t ahead_bytes)
{
    walk_window_reset(&walk->window, ahead_bytes);
    return (struct walk_chain){
        .memory = &walk->memory, .window = &walk->window, .arenas = &walk->arenas, .span = span};
}

#endif
