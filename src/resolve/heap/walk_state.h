/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_RESOLVE_HEAP_WALK_STATE_H
#define MISSTOP_RESOLVE_HEAP_WALK_STATE_H

#include "base/hash.h"
#include "resolve/heap/walk.h"

/* Access to the process's memory: single words, windows for chains, mappings. For walk_*.c only. */
enum { WALK_WINDOW_BYTES = 1 << 20, WALK_PAGE_BYTES = 4096, WALK_SEARCH_PAUSE_MAX = 256 };

/* A copy of a piece of the process's memory. Each consecutive fill reads twice as much, so that a
 * lookup reads little and a long chain reads in large pieces. */
struct walk_window {
    uint64_t start; /* 16-aligned */
    size_t bytes;
    size_t ahead_bytes;
    uint64_t *words; /* WALK_WINDOW_BYTES */
};

/* The part of a mapping that was searched for blocks; the mapping may have grown since. */
struct walk_searched {
    uint64_t start;
    uint64_t end;           /* 0: none */
    uint64_t at_find_count; /* number of finds at that time */
};

struct walk_memory {
    struct walk_target target;
    struct maps maps;               /* without names */
    struct walk_searched *searched; /* one per mapping */
    uint64_t reads;
    uint64_t bytes_read;
};

/* Invalidates the window; the next fill reads ahead_bytes. */
void walk_window_reset(struct walk_window *window, size_t ahead_bytes);

/* Out-of-line part of walk_window_at(): refills the window. */
const uint64_t *walk_window_fill(struct walk *walk, struct walk_window *window, uint64_t address,
                                 size_t bytes);

/* Returns `bytes` at a 16-aligned address; NULL: unreadable. Valid until the next call. */
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

/* Backoff after failures: each failure about doubles the number of calls that are skipped. */
struct walk_pause {
    uint32_t length; /* calls skipped after the last failure */
    uint32_t left;   /* calls still to skip */
};

/* Returns true if this call is to be skipped. */
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

/* Copies the table; keeps results about mappings that did not shrink. Returns 0 or -ENOMEM. */
int walk_memory_map(struct walk *walk, const struct maps *maps);

/* Returns true if a mapping may contain an allocator's memory. NULL is no mapping. */
static inline bool walk_is_data(const struct map *map)
{
    return map && map->writable && (map->kind == MAPPING_ANON || map->kind == MAPPING_HEAP);
}

/* Returns true for the zero-initialised data of the file before it; not the first mapping. */
static inline bool walk_is_zeroed(const struct map *map)
{
    return walk_is_data(map) && map[-1].kind == MAPPING_FILE && map[-1].end == map->start;
}

/*
 * glibc's arenas (struct malloc_state) are found by their form, because neither the symbol nor the
 * layout is available from outside:
 *
 *   flags, fast bins | top, last remainder | bins: pairs of fd and bk | bin map | next arena ...
 *
 * An empty bin points at itself (16 bytes before its pair), a filled bin at chunks, top at a chunk
 * that ends on a page boundary, and `next` closes a ring of arenas (glibc malloc/malloc.c).
 */
enum { WALK_ARENAS_MAX = 4096 };
#define WALK_HEAP_MAX ((uint64_t)64 << 20) /* HEAP_MAX_SIZE: twice the largest mmap threshold */

struct walk_arenas {
    uint64_t *starts;     /* [0] is the main arena */
    size_t count;         /* 0: not found */
    uint64_t bins_offset; /* offset of the first bin's pair in an arena */
    uint64_t next_offset;
};

/* The header (struct heap_info) of each 64 MiB heap of a thread arena. */
struct walk_heap {
    uint64_t start;
    uint64_t previous; /* 0: the arena's first heap */
    uint64_t bytes;
    uint64_t first_chunk;
    uint32_t arena;
};

/* Searches for the main arena in [start, end), the initialised data of libc or of the program. */
bool walk_arenas_search(struct walk *walk, uint64_t start, uint64_t end);

/* Follows the ring again: a running process adds arenas but never removes them. */
void walk_arenas_follow(struct walk *walk);

/* Returns the top chunk, from which all new memory is cut; 0: unreadable. */
uint64_t walk_arenas_top(struct walk *walk, uint32_t arena);

/* Reads the heap at `start`. Returns false if no heap of a known arena starts there. */
bool walk_heap_read(struct walk *walk, uint64_t start, struct walk_heap *heap);

/*
 * A span is memory with one chain of chunks: the main arena's heap, a heap of a thread arena, or a
 * mapping that the main arena took when brk failed. One mark per KiB caches the first chunk that
 * starts there, so that a lookup need not chain from the start.
 */
enum { WALK_SPANS_MAX = 65536, WALK_MARK_BYTES = 1024 };

struct walk_span {
    uint64_t first;      /* first chunk */
    uint64_t end;        /* no chunk ends after it */
    uint64_t top;        /* the arena's top chunk; 0: not in this span */
    uint64_t limit;      /* upper bound of the span's growth */
    uint64_t mapped_end; /* end of its mapping as reported last */
    uint32_t arena;
    uint8_t *marks; /* per KiB: 1 + index of the first chunk in 16-byte units; 0: not known */
    size_t mark_count;
    struct walk_pause pause; /* for finds that chain from the start */
    /* coming finds that need more proof; boundaries were seen to change */
    uint32_t distrusted_finds;
};

/* Evidence for a chain that did not begin at the start of the span. */
struct walk_trust {
    bool proved;             /* began at the start, or passed a free chunk that is in its list */
    uint32_t marks_agreed;   /* marks met */
    uint32_t marks_differed; /* marks that the chain missed */
};

static inline bool walk_trusted(const struct walk_trust *trust)
{
    return trust->proved || (trust->marks_agreed > 2 && !trust->marks_differed);
}

struct walk_spans {
    struct walk_span *spans; /* by ascending `first` */
    size_t count;
    size_t room;
};

/* Returns the span around the address, or NULL. Valid until a span is added or removed. */
struct walk_span *walk_spans_find(const struct walk *walk, uint64_t address);

/* Returns the span that starts at `first`, made if necessary; NULL: out of memory or too many. */
struct walk_span *walk_spans_add(struct walk *walk, uint64_t first, uint64_t mapped_end,
                                 uint64_t limit, uint32_t arena);

void walk_spans_remove(struct walk *walk, struct walk_span *span);

/* Rereads end and top. Returns false if it is no longer a span of that arena. */
bool walk_span_refresh(struct walk *walk, struct walk_span *span);

/* Returns the last marked chunk at or before the address, or the first chunk. */
uint64_t walk_span_below(const struct walk_span *span, uint64_t address);

/* Out-of-line part of walk_span_pass(). */
void walk_span_mark(struct walk_span *span, uint64_t from, uint64_t at, struct walk_trust *trust);

/* Notes that the chain moved from one chunk to the next. Trusted chains write marks. */
static inline void walk_span_pass(struct walk_span *span, uint64_t from, uint64_t at,
                                  struct walk_trust *trust)
{
    if ((from ^ at) & ~(uint64_t)(WALK_MARK_BYTES - 1))
        walk_span_mark(span, from, at, trust);
}

/* Follows the chunks of a span by the sizes in their headers, and checks each: against the span, a
 * free one against the copy in its successor (glibc malloc/malloc.c, "Malloc chunks"). */
enum walk_chunk_flag { WALK_PREV_IN_USE = 1, WALK_MMAPPED = 2, WALK_NON_MAIN = 4 };

enum { WALK_CHUNK_MIN = 32, WALK_CHUNK_HEADER = 16 };

struct walk_chunk {
    uint64_t at;             /* address of its header; the block starts 16 bytes later */
    uint64_t previous_bytes; /* size of the previous chunk if that is free */
    uint64_t size_and_flags;
    uint64_t words[2]; /* the block's first words: list pointers of free chunks */
};

enum walk_chain_end {
    WALK_CHAIN_CONTINUES, /* a chunk with a valid successor */
    WALK_CHAIN_TOP,       /* the top chunk */
    WALK_CHAIN_FENCE,     /* fence posts: the arena continues elsewhere */
    WALK_CHAIN_BROKEN,    /* not a chunk */
    WALK_CHAIN_UNREADABLE
};

struct walk_chain {
    struct walk *walk;
    struct walk_window *window;
    struct walk_span *span;
    struct walk_chunk chunk; /* current chunk */
    struct walk_chunk next;  /* valid after WALK_CHAIN_CONTINUES */
    uint64_t previous;       /* the previous chunk; 0: not known */
    bool in_use;             /* by the successor's flag, which is also set for cached chunks */
    struct walk_trust trust;
};

static inline uint64_t walk_chunk_bytes(const struct walk_chunk *chunk)
{
    return chunk->size_and_flags & ~(uint64_t)7;
}

/* Moves to a chunk. Returns false if it is unreadable. */
bool walk_chain_start(struct walk_chain *chain, uint64_t at);

/* Returns the kind of the chunk; reads its successor. */
enum walk_chain_end walk_chain_look(struct walk_chain *chain);

static inline void walk_chain_step(struct walk_chain *chain)
{
    chain->previous = chain->chunk.at;
    walk_span_pass(chain->span, chain->chunk.at, chain->next.at, &chain->trust);
    chain->chunk = chain->next;
}

/* Returns the first chunk at or after `from`, within a MiB, that is followed by many valid chunks;
 * 0: none. Used for memory that other code took from brk, before malloc or between. */
uint64_t walk_chain_resume(const struct walk_chain *chain, uint64_t from);

/* Free chunks that look in use: in thread caches (tcache_perthread_struct) and fast bins. */
struct walk_lists {
    uint64_t *caches; /* start addresses of the thread caches */
    size_t cache_count;
    size_t cache_room;
    struct hash known;         /* addresses of the caches */
    uint64_t key;              /* second word of every cached block since 2.34; 0: not known */
    unsigned key_votes;        /* majority votes for the key */
    bool key_is_cache_address; /* until 2.33 the key is the address of the cache */
    bool mangled;              /* list pointers are mangled (since 2.32) */
    bool plain;                /* list pointers are not mangled; neither flag: no list seen yet */
    uint64_t search_at_find_count; /* number of finds from which on caches may be searched again */
    uint64_t last_find;            /* number of finds when a list was last followed */
    unsigned entries_left;         /* list entries that may still be followed; finds add more */
};

/* Blocks with a mapping of their own, as far as known, by ascending base. */
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

/* Mappings with an allocator's own data, as far as known. */
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
    uint8_t class_place; /* bit position of the size class in an extent */
    struct walk_pause pause;
    char name[64]; /* of the file that the tree belongs to */
};

struct walk_go {
    uint64_t table;   /* one word per arena; 0: not found */
    uint64_t spans;   /* offset in an arena's data: one word per page */
    unsigned size_at; /* index of the word of a span with the block size */
    struct walk_pause pause;
};

struct walk {
    struct walk_memory memory;
    struct walk_window window; /* of the chain that is followed */
    struct walk_window probe;  /* for other reads while a chain is followed */
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
    uint64_t reach_bytes;    /* limit of a find, from the last known boundary */
    struct walk_pause pause; /* for searches for arenas */
    bool search_costly;
    char status[256]; /* "": the heap can be walked */
    char source[128];
    char all_sources[256]; /* including jemalloc and Go */
};

/* Returns a chain through a span, not yet started. */
static inline struct walk_chain walk_chain_of(struct walk *walk, struct walk_span *span,
                                              size_t ahead_bytes)
{
    walk_window_reset(&walk->window, ahead_bytes);
    return (struct walk_chain){.walk = walk, .window = &walk->window, .span = span};
}

/* The caches of free blocks of each thread (tcache_perthread_struct), found as blocks of the right
 * size with the contents of a cache. */
enum { WALK_CACHE_BINS_MAX = 76 };

struct walk_cache {
    size_t bin_count;
    uint16_t counts[WALK_CACHE_BINS_MAX]; /* number of entries; since 2.42 of free room */
    uint64_t entries[WALK_CACHE_BINS_MAX];
};

/* Returns true if a chunk of that size can hold a thread's cache. */
bool walk_cache_size(uint64_t chunk_bytes);

/* Returns true if a block is a thread's cache, and remembers it. A cache without entries looks like
 * any zeroed block of that size; it is accepted only if `sure`. */
bool walk_cache_consider(struct walk *walk, uint64_t start, bool sure);

/* Searches for caches: the first chunk of each heap, and the targets of each thread's static
 * storage. Learns the key in cached blocks. */
void walk_cache_search(struct walk *walk);

/* Free chunks with a header that says in use, because they must not be merged with their
 * neighbours: those in a thread's cache and in an arena's fast bins (glibc malloc/malloc.c). */
enum walk_listed { WALK_LISTED_NO, WALK_LISTED_YES, WALK_LISTED_UNSURE };

void walk_lists_init(struct walk_lists *lists);

/* Returns true if a block looks cached, before any list is read. */
bool walk_lists_suspect(const struct walk *walk, const struct walk_chunk *chunk);

/* Checks whether a chunk that looks in use is in a free list. */
enum walk_listed walk_lists_hold(struct walk *walk, const struct walk_chunk *chunk, uint32_t arena);

/* Adds the address of every chunk in a list to the set. Returns 0 or -ENOMEM. */
int walk_lists_collect(struct walk *walk, struct hash *chunks);

/* Like walk_lists_collect(), for one cache that was found late. */
int walk_lists_collect_cache(struct walk *walk, uint64_t cache, struct hash *chunks);

/*
 * Parses anonymous mappings segment by segment, because the kernel joins adjacent mappings: heaps
 * of thread arenas on 64 MiB boundaries, blocks with a mapping of their own, and memory that the
 * main arena could not get from brk.
 */

/* Finds the block with its own mapping that holds the address. */
bool walk_mapped_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* Returns true if a block found before is still there; updates it. */
bool walk_mapped_check(struct walk *walk, const struct walk_mapped_block *found,
                       struct walk_block *block);

/* Returns the span that holds the address, searched for if necessary. NULL: none. */
struct walk_span *walk_mapped_span(struct walk *walk, uint64_t address);

/* Finds every span and block in the anonymous mappings. */
void walk_mapped_search(struct walk *walk);

/* Records an allocator's own data at an address: all of its mapping except blocks. */
void walk_own_add(struct walk *walk, uint64_t address, bool go);

/* Searches for the tree; backs off while none is found. */
void walk_jemalloc_search(struct walk *walk, const struct maps *maps);

/* Finds the block of a slab, or a large block by its first page, with three reads. */
bool walk_jemalloc_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* Finds the large block that holds the address: reads 8 bytes per page back to its start. */
bool walk_jemalloc_find_large(struct walk *walk, uint64_t address, struct walk_block *block);

/* Returns true if jemalloc has memory in the GiB around the address. */
bool walk_jemalloc_covers(struct walk *walk, uint64_t address);

/* Like walk_all(); visits the blocks of a slab at once. */
long walk_jemalloc_all(struct walk *walk, walk_visit visit, void *context);

void walk_go_search(struct walk *walk, const struct maps *maps);
bool walk_go_find(struct walk *walk, uint64_t address, struct walk_block *block);
bool walk_go_covers(struct walk *walk, uint64_t address);
long walk_go_all(struct walk *walk, walk_visit visit, void *context);

#endif
