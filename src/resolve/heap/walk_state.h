/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a walk. Private to the walk. */
#ifndef MISSTOP_RESOLVE_HEAP_WALK_STATE_H
#define MISSTOP_RESOLVE_HEAP_WALK_STATE_H

#include "base/hash.h"
#include "resolve/heap/walk.h"

/* The walk's view of the process's memory: single words, windows for chains, mappings. Private to
 * the walk_*.c files. */
enum { WALK_WINDOW_BYTES = 1 << 20, WALK_PAGE_BYTES = 4096, WALK_SEARCH_PAUSE_MAX = 256 };

/* A copy of a piece of the process's memory. Each fill in a row reads twice as much, so that
 * a lookup reads little and a long chain reads in large pieces. */
struct walk_window {
    uint64_t start; /* 16-aligned */
    size_t bytes;
    size_t ahead_bytes;
    uint64_t *words; /* WALK_WINDOW_BYTES */
};

/* The part of a mapping that was gone through for blocks; the mapping may have grown since. */
struct walk_searched {
    uint64_t start;
    uint64_t end;   /* 0: none was */
    uint64_t finds; /* their number then */
};

struct walk_memory {
    struct walk_target target;
    struct maps maps;               /* without names */
    struct walk_searched *searched; /* of each mapping */
    uint64_t reads;
    uint64_t bytes_read;
};

/* Forgets what was read; the next fill reads ahead_bytes. */
void walk_window_reset(struct walk_window *window, size_t ahead_bytes);

/* Out of line part of walk_window_at(): reads anew. */
const uint64_t *walk_window_fill(struct walk *walk, struct walk_window *window, uint64_t address,
                                 size_t bytes);

/* `bytes` at a 16-aligned address; NULL: cannot be read. Valid until the next call. */
static inline const uint64_t *walk_window_at(struct walk *walk, struct walk_window *window,
                                             uint64_t address, size_t bytes)
{
    uint64_t offset = address - window->start;
    if (offset < window->bytes && window->bytes - offset >= bytes)
        return window->words + offset / 8;
    return walk_window_fill(walk, window, address, bytes);
}

bool walk_memory_read(struct walk *walk, uint64_t address, void *out, size_t bytes);
size_t walk_memory_read_some(struct walk *walk, uint64_t address, void *out, size_t bytes);

/* What failed is left out the next times: after each failure about twice as often. */
struct walk_pause {
    uint32_t length; /* times after the last failure */
    uint32_t left;   /* of them to come */
};

/* Whether it is left out this time. */
static inline bool walk_pause_pass(struct walk_pause *pause)
{
    if (!pause->left)
        return false;
    pause->left--;
    return true;
}

static inline void walk_pause_lengthen(struct walk_pause *pause, uint32_t most)
{
    pause->length = pause->length < most ? pause->length * 2 + 1 : most;
    pause->left = pause->length;
}

/* Copies the table; findings about mappings that did not shrink are kept. 0 or -ENOMEM. */
int walk_memory_map(struct walk *walk, const struct maps *maps);

/* Whether an allocator's memory may be in a mapping; NULL: it is none. */
static inline bool walk_is_data(const struct map *map)
{
    return map && map->writable && (map->kind == MAPPING_ANON || map->kind == MAPPING_HEAP);
}

/* Whether a mapping, not the first one, is the zero-initialised data of the file before it. */
static inline bool walk_is_zeroed(const struct map *map)
{
    return walk_is_data(map) && map[-1].kind == MAPPING_FILE && map[-1].end == map->start;
}

/*
 * glibc's arenas (struct malloc_state) found by their form, because neither the symbol nor the
 * layout is available from outside:
 *
 *   flags, fast bins | top, last remainder | bins: pairs of fd and bk | bin map | next arena ...
 *
 * An empty bin points at itself (16 bytes before its pair), a filled one at chunks, top at a chunk
 * that ends on a page, and `next` closes a ring of arenas (glibc malloc/malloc.c). Private to the
 * walk.
 */
enum { WALK_ARENAS_MAX = 4096 };
#define WALK_HEAP_MAX ((uint64_t)64 << 20) /* HEAP_MAX_SIZE: twice the largest mmap threshold */

struct walk_arenas {
    uint64_t *starts;     /* [0] is the main arena */
    size_t count;         /* 0: not found */
    uint64_t bins_offset; /* in an arena, of the first bin's pair */
    uint64_t next_offset;
};

/* Start of each 64 MiB heap of a thread arena: struct heap_info. */
struct walk_heap {
    uint64_t start;
    uint64_t previous; /* 0: the arena's first heap */
    uint64_t bytes;
    uint64_t first_chunk;
    uint32_t arena;
};

/* Looks for the main arena in [start, end), initialised data of libc or of the program. */
bool walk_arenas_search(struct walk *walk, uint64_t start, uint64_t end);

/* Follows the ring again: arenas are made while a process runs, and never unmade. */
void walk_arenas_follow(struct walk *walk);

/* The chunk that all new memory is cut from; 0: unreadable. */
uint64_t walk_arenas_top(struct walk *walk, uint32_t arena);

/* False: no heap of a known arena starts there. */
bool walk_heap_read(struct walk *walk, uint64_t start, struct walk_heap *heap);

/*
 * A span is memory that is one chain of chunks: the main arena's heap, a heap of a thread arena, or
 * a mapping the main arena took where brk failed. For each KiB of it a mark remembers the first
 * chunk that starts there, so that a lookup need not chain from the start. Private to the walk.
 */
enum { WALK_SPANS_MAX = 65536, WALK_MARK_BYTES = 1024 };

struct walk_span {
    uint64_t first;      /* chunk */
    uint64_t end;        /* no chunk ends behind it */
    uint64_t top;        /* the arena's top chunk; 0: not in this span */
    uint64_t limit;      /* how far the span could grow */
    uint64_t mapped_end; /* end of its mapping as reported last */
    uint32_t arena;
    uint8_t *marks; /* of each KiB: the first chunk's place in 16 bytes, plus 1; 0: unknown */
    size_t mark_count;
    struct walk_pause pause; /* of finds that chain from the start */
    uint32_t unrest; /* finds to come that want more proof: boundaries were seen to change */
};

/* Evidence for a chain that did not begin at the span's start. */
struct walk_trust {
    bool proved;       /* began there, or passed a free chunk that is in its list */
    uint32_t agreed;   /* marks met */
    uint32_t differed; /* marks that the chain went past */
};

static inline bool walk_trusted(const struct walk_trust *trust)
{
    return trust->proved || (trust->agreed > 2 && !trust->differed);
}

struct walk_spans {
    struct walk_span *spans; /* by ascending `first` */
    size_t count;
    size_t room;
};

/* The span around the address, or NULL. Valid until one is added or removed. */
struct walk_span *walk_spans_find(const struct walk *walk, uint64_t address);

/* The span that starts so, made if need be; NULL: out of memory or too many. */
struct walk_span *walk_spans_add(struct walk *walk, uint64_t first, uint64_t mapped_end,
                                 uint64_t limit, uint32_t arena);

void walk_spans_remove(struct walk *walk, struct walk_span *span);

/* Reads end and top anew. False: it is no span of that arena any more. */
bool walk_span_refresh(struct walk *walk, struct walk_span *span);

/* The last marked chunk at or before the address, or the first one. */
uint64_t walk_span_below(const struct walk_span *span, uint64_t address);

/* Out of line part of walk_span_pass(). */
void walk_span_mark(struct walk_span *span, uint64_t from, uint64_t at, struct walk_trust *trust);

/* The chain went from one chunk to the next. Trusted chains write marks. */
static inline void walk_span_pass(struct walk_span *span, uint64_t from, uint64_t at,
                                  struct walk_trust *trust)
{
    if ((from ^ at) & ~(uint64_t)(WALK_MARK_BYTES - 1))
        walk_span_mark(span, from, at, trust);
}

/*
 * Going from chunk to chunk through a span, by the size in each header, with every step checked:
 * the sizes against the span, a free chunk against the copy of its size in its successor (glibc
 * malloc/malloc.c, "Malloc chunks"). Private to the walk.
 */
enum walk_chunk_flag { WALK_PREV_IN_USE = 1, WALK_MMAPPED = 2, WALK_NON_MAIN = 4 };

enum { WALK_CHUNK_MIN = 32, WALK_CHUNK_HEADER = 16 };

struct walk_chunk {
    uint64_t at;             /* of its header; the block starts 16 bytes behind */
    uint64_t previous_bytes; /* of the chunk before, if that one is free */
    uint64_t head;           /* size and flags */
    uint64_t words[2];       /* the block's first words: list pointers of free chunks */
};

enum walk_chain_end {
    WALK_CHAIN_ON,     /* a chunk with a sound successor */
    WALK_CHAIN_TOP,    /* the top chunk */
    WALK_CHAIN_FENCE,  /* fence posts: the arena went on elsewhere */
    WALK_CHAIN_BROKEN, /* no chunk */
    WALK_CHAIN_UNREADABLE
};

struct walk_chain {
    struct walk *walk;
    struct walk_window *window;
    struct walk_span *span;
    struct walk_chunk chunk; /* where the chain is */
    struct walk_chunk next;  /* valid after WALK_CHAIN_ON */
    uint64_t before;         /* the chunk before this one; 0: not known */
    bool in_use;             /* by the successor's flag: cached chunks look in use too */
    struct walk_trust trust;
};

static inline uint64_t walk_chunk_bytes(const struct walk_chunk *chunk)
{
    return chunk->head & ~(uint64_t)7;
}

/* Goes to a chunk. False: unreadable. */
bool walk_chain_start(struct walk_chain *chain, uint64_t at);

/* Kind of the chunk; reads its successor. */
enum walk_chain_end walk_chain_look(struct walk_chain *chain);

/* Goes on after WALK_CHAIN_ON. */
static inline void walk_chain_step(struct walk_chain *chain)
{
    chain->before = chain->chunk.at;
    walk_span_pass(chain->span, chain->chunk.at, chain->next.at, &chain->trust);
    chain->chunk = chain->next;
}

/*
 * The first chunk at or after `from`, at most a MiB on, from where many sound ones follow; 0:
 * none. For memory that others took from brk before malloc did, or between.
 */
uint64_t walk_chain_resume(const struct walk_chain *chain, uint64_t from);

/* Free chunks that look in use: thread caches (tcache_perthread_struct) and fast bins. */
struct walk_lists {
    uint64_t *caches; /* where each thread cache's structure starts */
    size_t cache_count;
    size_t cache_room;
    struct hash known;     /* their addresses */
    uint64_t key;          /* in the second word of every cached block since 2.34; 0: not known */
    unsigned key_votes;    /* how sure the key is */
    bool own_keys;         /* until 2.33 the key is the address of the cache */
    bool mangled;          /* list pointers are (since 2.32) */
    bool plain;            /* or are not; neither: no list seen so far */
    uint64_t look_again;   /* the number of finds from which on caches may be searched again */
    uint64_t last_find;    /* the number of finds when a list was followed last */
    unsigned entries_left; /* of lists, that may be followed; finds bring more */
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

/* Mappings with an allocator's own data, as far as met. */
enum { WALK_OWN = 64 };

struct walk_own {
    struct {
        uint64_t start;
        uint64_t end;
        bool go; /* of Go's runtime */
    } at[WALK_OWN];
    uint32_t next;
};

struct walk_jemalloc {
    uint64_t root;       /* of the tree of pages; 0: not found */
    uint64_t large;      /* an address in the large block found last */
    uint8_t class_place; /* of the size class in an extent's bits */
    struct walk_pause pause;
    char name[64]; /* of the file that the tree belongs to */
};

struct walk_go {
    uint64_t table;   /* a word for each arena; 0: not found */
    uint64_t spans;   /* in an arena's data: a word for each page */
    unsigned size_at; /* word of a span with the size of its blocks */
    struct walk_pause pause;
};

struct walk {
    struct walk_memory memory;
    struct walk_window window; /* of the chain that is followed */
    struct walk_window probe;  /* of attempts beside it */
    struct walk_arenas arenas;
    struct walk_spans spans;
    struct walk_lists lists;
    struct walk_mapped mapped;
    struct walk_jemalloc jemalloc;
    struct walk_go go;
    struct walk_own own;
    struct walk_stats stats;
    uint64_t *threads; /* fs bases */
    size_t thread_count;
    uint64_t reach_bytes;    /* of a find, from the last boundary known */
    struct walk_pause pause; /* of searches for arenas */
    bool search_costly;
    char status[256]; /* "": the heap can be walked */
    char source[128];
    char all[256]; /* with jemalloc's and Go's */
};

/* A chain through a span, not yet started. */
static inline struct walk_chain walk_chain_of(struct walk *walk, struct walk_span *span,
                                              size_t ahead_bytes)
{
    walk_window_reset(&walk->window, ahead_bytes);
    return (struct walk_chain){.walk = walk, .window = &walk->window, .span = span};
}

/*
 * The caches of free blocks that each thread has (tcache_perthread_struct), found as blocks of
 * their size with the contents of a cache. Private to the walk.
 */
enum { WALK_CACHE_BINS_MAX = 76 };

struct walk_cache {
    size_t bin_count;
    uint16_t counts[WALK_CACHE_BINS_MAX]; /* of entries; since 2.42 of room left */
    uint64_t entries[WALK_CACHE_BINS_MAX];
};

/* Whether a thread's cache could be in a chunk of that size. */
bool walk_cache_size(uint64_t chunk_bytes);

/*
 * Whether a block is a thread's cache; it is remembered. One without entries looks like any zeroed
 * block of that size and counts only where `sure` confirms it.
 */
bool walk_cache_consider(struct walk *walk, uint64_t start, bool sure);

/* Looks for caches: the first chunk of each heap, and what each thread's static storage points
 * at. Learns the key that cached blocks hold. */
void walk_cache_search(struct walk *walk);

/*
 * Free chunks with a header that says in use, because their neighbours must not be merged with
 * them: those in a thread's cache and those in an arena's fast bins (glibc malloc/malloc.c).
 * Private to the walk.
 */
enum walk_listed { WALK_LISTED_NO, WALK_LISTED_YES, WALK_LISTED_UNSURE };

void walk_lists_init(struct walk_lists *lists);

/* Whether a block looks as if it were in a cache, before any list is read. */
bool walk_lists_suspect(const struct walk *walk, const struct walk_chunk *chunk);

/* Whether a chunk that looks in use is free after all. */
enum walk_listed walk_lists_hold(struct walk *walk, const struct walk_chunk *chunk, uint32_t arena);

/* Puts the address of every chunk in a list into the set. 0 or -ENOMEM. */
int walk_lists_collect(struct walk *walk, struct hash *chunks);

/* The same for one cache, found late. */
int walk_lists_collect_cache(struct walk *walk, uint64_t cache, struct hash *chunks);

/*
 * Parts of the heap in anonymous mappings, segment by segment, because the kernel makes one mapping
 * of several that touch: heaps of thread arenas on 64 MiB boundaries, blocks that are a mapping of
 * their own, and memory of the main arena that brk could not give. Private to the walk.
 */
/* The block of its own mapping that holds the address. */
bool walk_mapped_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* Whether the block, found before, still is there; updates it. */
bool walk_mapped_check(struct walk *walk, const struct walk_mapped_block *found,
                       struct walk_block *block);

/* The span of the heap that holds the address, found if need be. NULL: none. */
struct walk_span *walk_mapped_span(struct walk *walk, uint64_t address);

/* Finds every span and block in the anonymous mappings. */
void walk_mapped_search(struct walk *walk);

/* An address that an allocator keeps its own data at: all of the mapping, as far as it is in no
 * block, is such. */
void walk_own_add(struct walk *walk, uint64_t address, bool go);

/* jemalloc's part of a walk (walk_jemalloc.c). */

/* Looks for its tree; where none was found before, ever more seldom. */
void walk_jemalloc_search(struct walk *walk, const struct maps *maps);

/* The block of a slab or the first page of a large block: three reads. */
bool walk_jemalloc_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* The large block that holds the address: reads 8 bytes a page from its start to there. */
bool walk_jemalloc_find_large(struct walk *walk, uint64_t address, struct walk_block *block);

/* Whether some of its memory is in the GiB around the address. */
bool walk_jemalloc_covers(struct walk *walk, uint64_t address);

/* As walk_all(); the blocks of a slab in one visit. */
long walk_jemalloc_all(struct walk *walk, walk_visit visit, void *context);

/* Go's part of a walk (walk_go.c). */
void walk_go_search(struct walk *walk, const struct maps *maps);
bool walk_go_find(struct walk *walk, uint64_t address, struct walk_block *block);
bool walk_go_covers(struct walk *walk, uint64_t address);
long walk_go_all(struct walk *walk, walk_visit visit, void *context);

#endif
