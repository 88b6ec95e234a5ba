/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules are in src/profile/findings. Each rule has a row in `rules`, and a function for the
 * words that depend on its figures; each kind has a row in `kinds`. */
#include "view/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/words.h"

#define SAY(out, ...) snprintf(out, sizeof(out), __VA_ARGS__)
#define MIB(bytes)    ((bytes) / (1 << 20))

#define HIDDEN_MEMBERS                                                                             \
    "accesses to a member right after another member of the same line may not be sampled: "        \
    "check that the code does not use them"
#define EXACT "exact: the simulation recorded the cause of each miss; another cache may differ"
#define ONE_BY_ONE                                                                                 \
    "exact for each miss; but simulated threads run one at a time and switch rarely: when they "   \
    "really run concurrently, there are far more"

static const char *level_of(const char *level)
{
    return level ? level : "the simulated cache";
}

/* Formats "BlkMultiply on Y 81%, fill on X 12%" between two texts; "": no evictor is known. */
static void format_finding_evictors(const struct snapshot_finding *finding, const char *before,
                                    char out[700])
{
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < FINDING_EVICTORS && finding->evictors[i].function && used < 700; i++) {
        const struct finding_evictor *evictor = &finding->evictors[i];
        used += (size_t)snprintf(out + used, 700 - used, "%s%s on %s %.0f%%", i ? ", " : before,
                                 evictor->function,
                                 evictor->is_self_eviction ? "this itself"
                                 : evictor->object         ? evictor->object
                                                           : "something unknown",
                                 evictor->share * 100);
    }
    if (used && used < 700)
        snprintf(out + used, 700 - used, ".");
}

/* ---- layout ---- */

static void split_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_split *split = &finding->figures.split;
    SAY(words->evidence,
        "%.0f samples on %s of %" PRIu64 " bytes: %" PRIu64
        " %s used (%s), and %.0f are fetched for each. The elements are %s.",
        split->samples, finding->type, split->element_bytes, split->used_bytes,
        split->used_bytes == 1 ? "is" : "are",
        finding->field ? finding->field : "offsets in Layout", split->fetched_bytes,
        split->in_order ? "read in order" : "not read in order");
    if (split->pass)
        SAY(words->advice, "Split the struct: one array for the used members and one for the rest "
                           "(or an array for each member).");
    SAY(words->gain_method,
        "its share of all samples, times the %.0f of %.0f bytes that need not be fetched",
        split->fetched_bytes - split->needed_bytes, split->fetched_bytes);
}

static void split_off_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_split *split = &finding->figures.split;
    SAY(words->evidence,
        "%.0f samples on %s of %" PRIu64 " bytes: %" PRIu64 " %s used (%s), and a line of %" PRIu32
        " is fetched for each. %s The lines take %.1f MiB, the used members %.1f MiB.",
        split->samples, finding->type, split->element_bytes, split->used_bytes,
        split->used_bytes == 1 ? "is" : "are",
        finding->field ? finding->field : "offsets in Layout", finding->line_bytes,
        split->scattered ? "The elements are not read in order."
                         : "The order of the accesses is not known.",
        MIB(split->fetched_bytes), MIB(split->needed_bytes));
    SAY(words->advice,
        "Split the struct: keep %s in a separate array. It takes %.1f MiB instead of the %.1f MiB "
        "of lines, so much more of it fits in the caches.",
        finding->field ? finding->field : "the used members", MIB(split->needed_bytes),
        MIB(split->fetched_bytes));
}

static void straddling_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_straddling *at = &finding->figures.straddling;
    uint32_t line = finding->line_bytes;
    SAY(words->evidence,
        "%.0f%% of %" PRIu32 " samples are on elements whose hot bytes (%" PRIu64 " to %" PRIu64
        " of %" PRIu64 ") cross a cache line boundary although they would fit in one line. The "
        "elements are not read in order.",
        at->crossing_share * 100, at->samples, at->hot_first, at->hot_end - 1, at->element_bytes);
    SAY(words->advice,
        "Align the elements: alignas(%" PRIu32
        ") on the struct, and aligned_alloc() for the memory.",
        at->element_bytes <= line / 2 ? line / 2 : line);
    if (at->is_calculated)
        SAY(words->gain_method,
            "%.0f%% of the elements cross a boundary, and have %.0f%% of the samples: the excess, "
            "and its uncertainty",
            at->elements * 100, at->crossing_share * 100);
    else
        SAY(words->gain_method,
            "for an element that crosses a boundary, the samples on the line with fewer samples: "
            "%.0f%% of those on %s",
            at->avoidable_share * 100, finding->type);
}

static void scattered_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_blocks *blocks = &finding->figures.blocks;
    SAY(words->evidence,
        "%.0f blocks of %.0f bytes on average are scattered over at least %.0f MiB of cache lines; "
        "if they were contiguous they would take %.0f MiB.",
        blocks->count, blocks->requested_bytes, MIB(blocks->fetched_bytes),
        MIB(blocks->pooled_bytes));
    SAY(words->gain_method,
        "its share of all samples, times the %.0f of %.0f MiB that need not be fetched",
        MIB(blocks->fetched_bytes - blocks->pooled_bytes), MIB(blocks->fetched_bytes));
}

static void waste_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_blocks *blocks = &finding->figures.blocks;
    double wasted = 1 - blocks->requested_bytes / blocks->occupied_bytes;
    SAY(words->evidence,
        "%.0f blocks of %.1f requested bytes on average take %.1f bytes each: %.0f%% of their %.0f "
        "MiB is headers and rounding.",
        blocks->count, blocks->requested_bytes, blocks->occupied_bytes, wasted * 100,
        MIB(blocks->count * blocks->occupied_bytes));
    SAY(words->gain_method,
        "from half of its share of all samples times the %.0f%% of fetched bytes that are "
        "overhead, to all of its share",
        wasted * 100);
}

static void pointed_to_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_pair *pair = &finding->figures.pair;
    SAY(words->evidence,
        "%s reads %s.%s and then this, in no order: %.0f and %.0f samples at the same times. There "
        "are equally many of both (%.0f), and the used members of both fit in one line.",
        finding->function, finding->other, finding->link, pair->samples[0], pair->samples[1],
        pair->blocks);
    SAY(words->advice,
        "Put %s into %s, as a member instead of the pointer; or allocate both as one block.",
        finding->type, finding->other);
}

static void same_index_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_pair *pair = &finding->figures.pair;
    SAY(words->evidence,
        "It and %s are read at the same index, in no order: %" PRIu32
        " times a miss on one was followed by a miss on the other, in %.0f%% of the cases at the "
        "same element (of %" PRIu64 " and %" PRIu64 " bytes).",
        finding->other, pair->misses, pair->same_index_share * 100, pair->element_bytes[0],
        pair->element_bytes[1]);
    SAY(words->advice, "Merge %s and %s into one array of structs, so that one line contains both.",
        finding->name, finding->other);
}

static void churn_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_churn *churn = &finding->figures.churn;
    SAY(words->evidence,
        "%.0f allocations per second, %.0f%% of all, of blocks that are freed after %.3g ms on "
        "average; %.0f%% of the samples are in malloc, free and similar functions.",
        churn->per_s, churn->allocation_share * 100, churn->lifetime_s * 1e3,
        churn->allocator * 100);
}

/* ---- access patterns ---- */

static void chasing_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_chasing *chase = &finding->figures.chasing;
    char links[200] = "";
    if (chase->links_read)
        SAY(links,
            " Of %" PRIu32 " links read from its memory, %" PRIu32
            " lead to another page, and of %" PRIu32 " nodes, %" PRIu32
            " are followed by at least %" PRIu32 " more.",
            chase->links_in_object, chase->far_links, chase->nodes, chase->deep_nodes,
            chase->deep_min);
    char size[32] = "";
    if (chase->element_bytes > sizeof(void *)) /* otherwise a base class: nodes are larger */
        SAY(size, " of %" PRIu64 " bytes", chase->element_bytes);
    SAY(words->evidence,
        "%s links each %s%s to another one; the %.0f samples on them are spread over at least "
        "%.0f MiB%s.%s%s",
        finding->field, finding->type, size, chase->samples, MIB(chase->bytes),
        chase->scattered ? ", in no order" : "", links,
        finding->confidence == CONFIDENCE_HIGH ? " The misses follow the links." : "");
    if (chase->several)
        SAY(words->advice,
            "Put several keys into a node (a B-tree), or keep the nodes near the root contiguous; "
            "if it is only read, use a sorted array or a hash table.");
    if (finding->confidence == CONFIDENCE_HIGH)
        SAY(words->evidence_limits,
            "every miss is recorded, and the links between their nodes were read; "
            "a simulation measures no time");
}

static void streaming_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_streaming *stream = &finding->figures.streaming;
    SAY(words->evidence,
        "It is %s in order, %.0f MiB from end to end, at about %.1f GB/s: %.0f%% of the samples on "
        "it are %s the previous one, and of %" PRIu32 " lines, %" PRIu32 " were sampled once.",
        stream->written ? "written" : "read", MIB(stream->bytes), stream->bytes_per_s / 1e9,
        stream->in_order_share * 100, stream->backward ? "before" : "behind", stream->lines,
        stream->singles);
    if (stream->written)
        SAY(words->advice,
            "Use blocking: do all passes on a block that fits in the cache before the next block. "
            "Write data that is not read soon with non-temporal stores.");
}

static void copying_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_copying *copy = &finding->figures.copying;
    SAY(words->evidence,
        "%.0f%% of the samples are in %s, most of them on this object, of which at least %.0f MiB "
        "are copied: %.0f samples of loads and %.0f of stores.",
        finding->share * 100, finding->function, MIB(copy->bytes), copy->loads, copy->stores);
}

static void clearing_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    SAY(words->evidence,
        "%.0f%% of the samples are in %s, most of them on this object, of which at least %.0f MiB "
        "are set.",
        finding->share * 100, finding->function, MIB(finding->figures.copying.bytes));
}

static void columns_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_columns *columns = &finding->figures.columns;
    int used = SAY(
        words->evidence,
        "It is walked down the columns of %.0f rows of %" PRIu64 " bytes: of the newest %" PRIu32
        " steps between rows, %" PRIu32 " end near the previous column. ",
        columns->rows, columns->row_bytes, columns->steps, columns->near_previous_column);
    char *rest = words->evidence + used;
    size_t size = sizeof words->evidence - (size_t)used;
    if (columns->is_power_of_two) {
        snprintf(rest, size,
                 "The row length is a power of two, so the lines of a column map to %" PRIu64
                 " of the %" PRIu32 " sets of %s, which %s %" PRIu64 ".",
                 columns->sets_used, columns->sets, finding->level,
                 columns->sets_used == 1 ? "holds" : "hold", columns->sets_used * columns->ways);
        SAY(words->advice,
            "Walk along the rows (swap the loops, or use square blocks); or make each row one line "
            "longer: %" PRIu64 " bytes.",
            columns->row_bytes + finding->line_bytes);
    } else {
        snprintf(rest, size, "A column has more lines than the %" PRIu32 " that fit in %s.",
                 columns->sets * columns->ways, finding->level);
    }
    SAY(words->gain_method,
        "40 to 100%% of the time of all but the first of the %" PRIu32 " accesses of %" PRIu32
        " bytes to each line",
        finding->line_bytes / columns->element_bytes, columns->element_bytes);
}

static void stack_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_stack *stack = &finding->figures.stack;
    SAY(words->evidence,
        "%s, %" PRIu64
        " bytes on the stack, is read and written in memory: %.0f samples, %.0f%% in %s.",
        finding->type, stack->bytes, stack->samples, stack->function_share * 100,
        finding->function);
}

/* ---- causes of misses ---- */

static void apart_words(const struct snapshot_finding *finding, uint64_t stride,
                        struct finding_words *words)
{
    char bytes[40] = "the cache size divided by its ways";
    if (stride)
        SAY(bytes, "%" PRIu64 " bytes", stride);
    if (finding->other)
        SAY(words->advice,
            "Addresses a multiple of %s apart map to the same set: change the distance between "
            "this and %s (with some unused lines), or merge data that is used together into one "
            "array of structs.",
            bytes, finding->other);
    else
        SAY(words->advice,
            "Addresses a multiple of %s apart map to the same set: make rows one line longer "
            "(%" PRIu32 " bytes), or copy the current block into a separate buffer.",
            bytes, finding->line_bytes);
}

static void conflict_cause_words(const struct snapshot_finding *finding,
                                 struct finding_words *words)
{
    const struct finding_cause *cause = &finding->figures.cause;
    char by[700];
    format_finding_evictors(finding, " Evicted by: ", by);
    SAY(words->evidence,
        "%.0f%% of its %.0f misses in %s are conflict misses: a fully associative cache of this "
        "size would hit.%s",
        cause->cause_share * 100, cause->misses, level_of(finding->level), by);
    apart_words(finding, cause->stride, words);
}

static void conflict_sets_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_sets *sets = &finding->figures.sets;
    bool one = sets->hot == 1;
    SAY(words->evidence,
        "%" PRIu32 " of the %" PRIu32 " sets of %s %s %.0f%% of the samples in excess of %s even "
        "share, on more lines than %s %" PRIu32 " ways; %.0f%% of the excess is on this object.",
        sets->hot, sets->all, finding->level, one ? "takes" : "take", sets->excess * 100,
        one ? "its" : "their", one ? "its" : "their", sets->ways, sets->excess_share * 100);
    apart_words(finding, (uint64_t)sets->all * finding->line_bytes, words);
    SAY(words->gain_method, "the excess of %s over an even share",
        one ? "this set has" : "these sets have");
}

static void evicted_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_cause *cause = &finding->figures.cause;
    char by[700];
    format_finding_evictors(finding, "", by);
    SAY(words->evidence,
        "Its missed lines take %.0f KiB, and %s holds %.0f KiB; yet %.0f%% of its %.0f misses are "
        "capacity misses. Evicted by: %s",
        cause->bytes / 1024, level_of(finding->level), cause->cache_bytes / 1024,
        cause->cause_share * 100, cause->misses, by);
    SAY(words->advice,
        "Avoid accesses to %s between its uses: separate the two loops, or bypass the caches "
        "(prefetchnta for reads, non-temporal stores for writes).",
        finding->other);
}

static void streaming_cause_words(const struct snapshot_finding *finding,
                                  struct finding_words *words)
{
    const struct finding_cause *cause = &finding->figures.cause;
    char by[700];
    format_finding_evictors(finding, " Known evictors: ", by);
    SAY(words->evidence,
        "It is %s in order, %.1f MiB from end to end, repeatedly: %.0f%% of its %.0f misses in %s "
        "are capacity misses, %.0f%% first references.%s",
        cause->written ? "written" : "read", MIB(cause->bytes), cause->cause_share * 100,
        cause->misses, level_of(finding->level), cause->first * 100, by);
    SAY(words->advice,
        "Use blocking: do all passes on a block that fits in %s (%.0f KiB) before the next block; "
        "or make the elements smaller.",
        level_of(finding->level), cause->cache_bytes / 1024);
}

static void first_touch_cause_words(const struct snapshot_finding *finding,
                                    struct finding_words *words)
{
    const struct finding_cause *cause = &finding->figures.cause;
    SAY(words->evidence,
        "%.0f%% of its %.0f misses are first references, and %.0f%% of its samples are stores: the "
        "memory is filled for the first time.",
        cause->cause_share * 100, cause->misses, cause->stores * 100);
}

/* ---- pages and nodes ---- */

static void tlb_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    SAY(words->evidence,
        "%.0f%% of the %.0f samples on it missed the TLB and waited for a page walk.",
        finding->figures.pages.affected_share * 100, finding->figures.pages.samples);
}

static void remote_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    SAY(words->evidence, "%.0f%% of the %.0f samples on it were served by another NUMA node.",
        finding->figures.pages.affected_share * 100, finding->figures.pages.samples);
}

static void reach_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    static const char *const ways[] = {
        [HUGE_MADVISE] = "madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB",
        [HUGE_FILE] = "its file has to be on tmpfs mounted with huge=always, or on hugetlbfs",
        [HUGE_JAVA] = "run it with -XX:+UseTransparentHugePages (Java)",
        [HUGE_PYTHON] = "run it with PYTHONMALLOC=malloc and GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "
                        "(Python's own arenas are not on huge pages)",
        [HUGE_PHP] = "run it with USE_ZEND_ALLOC_HUGE_PAGES=1 (PHP)",
        [HUGE_JEMALLOC] = "run it with MALLOC_CONF=thp:always (jemalloc)",
        [HUGE_MIMALLOC] = "run it with MIMALLOC_ALLOW_LARGE_OS_PAGES=1 (mimalloc)",
        [HUGE_TCMALLOC] = "with the settings of tcmalloc",
        [HUGE_GLIBC] = "run it with GLIBC_TUNABLES=glibc.malloc.hugetlb=1 (glibc 2.35 and later), "
                       "or madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB",
        [HUGE_ALLOCATOR] = "with the settings of its allocator, or madvise(MADV_HUGEPAGE) on "
                           "memory aligned to 2 MiB",
    };
    const struct finding_pages *pages = &finding->figures.pages;
    SAY(words->evidence,
        "At least %.0f of its pages of 4 KiB are used (%.0f MiB); the TLB holds %s%.0f (%.1f "
        "MiB)%s. %.0f%% of its memory is on huge pages.",
        pages->pages, MIB(pages->pages * pages->page_bytes),
        pages->tlb_known ? "about " : "no more than ", pages->tlb_entries,
        MIB(pages->tlb_entries * pages->page_bytes),
        pages->tlb_known ? "" : ", an assumption (misstop doctor measures it)", pages->huge * 100);
    SAY(words->advice,
        "Put it on huge pages: %s. Or keep data that is used together on the same pages.",
        ways[pages->huge_method]);
}

static void faults_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_pages *pages = &finding->figures.pages;
    SAY(words->evidence,
        "%.0f%% of the samples on it are stores, while the process takes %.0f page faults per "
        "second (%.0f MB/s of fresh memory) and the kernel uses %.0f%% of its CPU time.",
        pages->affected_share * 100, pages->faults_per_s,
        pages->faults_per_s * pages->page_bytes / 1e6, pages->kernel * 100);
}

/* ---- threads ---- */

static void sharing_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_sharing *sharing = &finding->figures.sharing;
    const char *lines = sharing->lines == 1 ? "line" : "lines";
    if (sharing->misses > 0) {
        SAY(words->evidence,
            "%" PRIu32 " threads on %zu cache %s: %.0f of %.0f sampled misses occurred because "
            "another thread had written to the line.",
            sharing->threads, sharing->lines, lines, sharing->hitm, sharing->misses);
        SAY(words->gain_method,
            "the duration of these misses with concurrent threads is not simulated");
        SAY(words->evidence_limits, ONE_BY_ONE);
    } else if (sharing->by_hitm) {
        SAY(words->evidence,
            "%" PRIu32 " threads on %zu cache %s: %.0f samples, of which %.0f found the line "
            "modified in another CPU's cache.",
            sharing->threads, sharing->lines, lines, sharing->samples, sharing->hitm);
        SAY(words->evidence_limits, "the hardware reports it");
    } else {
        SAY(words->evidence,
            "%" PRIu32 " threads on %zu cache %s: %.0f of %.0f samples followed one by another "
            "thread on another CPU, with at least one store. If the threads used the %s "
            "one after the other, hardly any would.",
            sharing->threads, sharing->lines, lines, sharing->alternations, sharing->samples,
            lines);
    }
    sharing_remedy_words(&finding->remedy, words->advice, sizeof words->advice);
}

static void sharing_cause_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_cause *cause = &finding->figures.cause;
    char by[700];
    format_finding_evictors(finding, " Taken by: ", by);
    SAY(words->evidence,
        "Of its %.0f misses in %s, %.0f%% are on lines that another thread invalidated by writing: "
        "%.0f%% by writes to other bytes, %.0f%% by writes to the same bytes.%s",
        cause->misses, level_of(finding->level),
        (cause->same_bytes_share + cause->other_bytes_share) * 100, cause->other_bytes_share * 100,
        cause->same_bytes_share * 100, by);
}

static void spinning_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_spinning *spin = &finding->figures.spinning;
    bool one = spin->threads == 1;
    SAY(words->evidence,
        "%" PRIu32 " thread%s at one load in %s, of %s: of the newest %" PRIu32
        " samples, %.0f%% are on the same %s, and none of them writes there.",
        spin->threads, one ? " is" : "s are", finding->function,
        finding->field ? finding->field : finding->name, spin->samples, spin->waited_share * 100,
        one ? "cache line" : "cache line for each");
}

/* ---- table of the rules ---- */

#define TAKEN_LINES "its misses on lines that another thread had written to"
#define NOT_MEASURED                                                                               \
    "the time of these accesses on separate lines is not measured; try it and "                    \
    "compare (misstop diff)"
#define NO_HITM "inferred from alternating accesses; this source reports no HITM"

static const struct rule {
    void (*compose)(const struct snapshot_finding *finding, struct finding_words *words);
    enum screen_id screen; /* screen that shows the finding; 0: Detail */
    const char *advice;
    const char *gain_method;
    const char *evidence_limits;
} rules[RULE_COUNT] = {
    [RULE_SPLIT] = {.compose = split_words,
                    .screen = SCREEN_LAYOUT,
                    .advice = "Put the used members next to each other at the start of the struct, "
                              "so that they share a line, and align the elements to lines.",
                    .evidence_limits = HIDDEN_MEMBERS},
    [RULE_SPLIT_OFF] =
        {.compose = split_off_words,
         .screen = SCREEN_LAYOUT,
         .gain_method =
             "40 to 100% of its samples on them, depending on the other data in the caches",
         .evidence_limits = HIDDEN_MEMBERS},
    [RULE_STRADDLING] = {.compose = straddling_words,
                         .screen = SCREEN_LAYOUT,
                         .evidence_limits =
                             "the two lines of an element may arrive at the same time, and "
                             "longer elements take more cache: measure it"},
    [RULE_FALSE_SHARING] = {.compose = sharing_words,
                            .screen = SCREEN_SHARING,
                            .gain_method = NOT_MEASURED,
                            .evidence_limits = NO_HITM},
    [RULE_TRUE_SHARING] = {.compose = sharing_words,
                           .screen = SCREEN_SHARING,
                           .gain_method = NOT_MEASURED,
                           .evidence_limits = NO_HITM},
    [RULE_FALSE_SHARING_CAUSE] = {.compose = sharing_cause_words,
                                  .screen = SCREEN_SHARING,
                                  .advice =
                                      "Give each thread a line of its own: align the data that it "
                                      "writes to cache lines, and pad it to whole lines.",
                                  .gain_method = TAKEN_LINES,
                                  .evidence_limits = ONE_BY_ONE},
    [RULE_TRUE_SHARING_CAUSE] =
        {.compose = sharing_cause_words,
         .screen = SCREEN_SHARING,
         .advice = "Write it less often: count in a per-thread variable and add it up from time to "
                   "time; or do more work per lock acquisition.",
         .gain_method = TAKEN_LINES,
         .evidence_limits = ONE_BY_ONE},
    [RULE_CONFLICT_SETS] = {.compose = conflict_sets_words,
                            .screen = SCREEN_CACHE,
                            .evidence_limits =
                                "the samples show the sets, not what evicted a line"},
    [RULE_CONFLICT_CAUSE] =
        {.compose = conflict_cause_words,
         .gain_method = "its misses that a fully associative cache of the same size would not have",
         .evidence_limits = EXACT},
    [RULE_CHASING] =
        {.compose = chasing_words,
         .advice = "Allocate the nodes in the order they are visited (an array, a pool that is "
                   "filled in that "
                   "order), or put several keys into a node; in a hash table, use more buckets.",
         .gain_method =
             "50 to 100% of the samples on it, and a proportional part of those without an object: "
             "in order, or with several nodes per line, most accesses would not wait",
         .evidence_limits =
             "it is inferred from reads of the link that nodes are reached through it"},
    [RULE_STREAMING] = {.compose = streaming_words,
                        .advice = "Use blocking: do all passes on a block that fits in the cache "
                                  "before the next block; or make the elements smaller.",
                        .gain_method = "how much of it prefetching already hides is not measured",
                        .evidence_limits = "whether several passes can be joined is not measured"},
    [RULE_STREAMING_CAUSE] =
        {.compose = streaming_cause_words,
         .gain_method = "its capacity misses: these lines had been cached before",
         .evidence_limits =
             "the cause is exact; whether several passes can be joined is not measured"},
    [RULE_TLB] = {.compose = tlb_words,
                  .advice =
                      "Put it on huge pages: madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB, or "
                      "mmap(MAP_HUGETLB); or keep data that is used together on the same pages.",
                  .gain_method =
                      "its samples with a page walk; the wait for the data itself remains",
                  .evidence_limits = "the hardware reported it for each sample"},
    [RULE_REMOTE] =
        {.compose = remote_words,
         .advice = "Let the threads that use it initialise it, bind them to its node (numactl), or "
                   "give each node its own copy.",
         .gain_method =
             "40% of its remote samples, the difference between remote and local latency",
         .evidence_limits = "the hardware reported it for each sample"},
    [RULE_SCATTERED] = {.compose = scattered_words,
                        .advice =
                            "Allocate them together: in an array, or in a pool that is filled in "
                            "the order of the accesses, so that they can also be prefetched.",
                        .evidence_limits =
                            "the lines are estimated from pages sampled twice, assuming that all "
                            "blocks are accessed; blocks always accessed in one order gain more"},
    [RULE_POINTED_TO] =
        {.compose = pointed_to_words,
         .gain_method = "10 to 50% of the samples on the two: one line is fetched instead of two",
         .evidence_limits = "a one-to-one relation is inferred from their equal numbers"},
    [RULE_SAME_INDEX] = {.compose = same_index_words,
                         .gain_method =
                             "half of the misses on the two: one line is fetched instead of two",
                         .evidence_limits =
                             "every miss is recorded in sequence; if the two lines are "
                             "fetched concurrently, less than half of the time is saved"},
    [RULE_CHURN] = {.compose = churn_words,
                    .screen = SCREEN_HEAP,
                    .advice = "Reuse blocks through a free list, allocate many at a time, or put "
                              "short-lived ones on the stack.",
                    .gain_method = "most of the samples in malloc and free, times its share of the "
                                   "allocations, without those in misstop's own agent",
                    .evidence_limits =
                        "assumes that every allocation costs the same; does not include "
                        "first accesses to fresh blocks"},
    [RULE_WASTE] = {.compose = waste_words,
                    .screen = SCREEN_HEAP,
                    .advice = "Put them into one array, or allocate many at a time (a pool), which "
                              "avoids headers and rounding.",
                    .evidence_limits =
                        "assumes that blocks read in order are used soon after their neighbours"},
    [RULE_STACK] =
        {.compose = stack_words,
         .advice = "Keep it in a register: compile with optimisation (-O2), use a local copy that "
                   "no pointer refers to, write it back after the loop, and avoid volatile.",
         .gain_method = "33 to 100% of the samples on it: each use waits for the preceding store",
         .evidence_limits =
             "depends on a free register; some processors forward integers from store to "
             "load without delay"},
    [RULE_FIRST_TOUCH_FAULTS] =
        {.compose = faults_words,
         .advice = "Reuse the memory instead of returning it (keep the buffer; for malloc, raise "
                   "M_MMAP_THRESHOLD and M_TRIM_THRESHOLD). If it is filled only once, use huge "
                   "pages: one fault instead of 512.",
         .gain_method =
             "from half of the kernel's share of CPU time, to all of it plus the samples "
             "on the object",
         .evidence_limits =
             "it is inferred from its stores that the page faults are on this memory; "
             "misstop -e page-faults shows where they are"},
    [RULE_FIRST_TOUCH_CAUSE] =
        {.compose = first_touch_cause_words,
         .advice = "If this is initialisation, leave it out with --sim-from FUNCTION. Otherwise "
                   "reuse memory instead of allocating fresh memory.",
         .gain_method = "its first references, which miss in every cache",
         .evidence_limits = EXACT},
    [RULE_TLB_REACH] =
        {.compose = reach_words,
         .gain_method = "3 to 40% of its samples on pages beyond the TLB: huge pages avoid page "
                        "walks, not the wait for the data",
         .evidence_limits =
             "the hardware does not report page walks here, and they may overlap with other waits"},
    [RULE_COLUMNS] = {.compose = columns_words,
                      .advice = "Walk along the rows: swap the loops, or use square blocks.",
                      .evidence_limits =
                          "the matrix is inferred from the steps; a longer row helps only "
                          "if a column fits in some cache"},
    [RULE_EVICTED] = {.compose = evicted_words,
                      .gain_method = "its capacity misses: alone it would fit in the cache",
                      .evidence_limits = EXACT},
    [RULE_SPINNING] =
        {.compose = spinning_words,
         .screen = SCREEN_CODE,
         .advice = "They wait for another thread to write it; the data itself is not slow. Look at "
                   "that thread, let the waiting threads sleep after a few tries (condition "
                   "variable, futex), or use fewer of them.",
         .gain_method =
             "the loop's CPU time becomes available to others; the program itself does not "
             "become faster",
         .evidence_limits =
             "the loop only reads and compares; the store that ends the wait was not sampled"},
    [RULE_COPYING] =
        {.compose = copying_words,
         .advice = "Use the data in place (pass a pointer, swap two buffers), or copy and use it "
                   "in portions that fit in the cache.",
         .gain_method =
             "50 to 110% of the samples in the copying function: the data is still read once",
         .evidence_limits = "whether both copies are needed is not known"},
    [RULE_CLEARING] = {.compose = clearing_words,
                       .advice = "Clear only the parts used since the last time: keep a list of "
                                 "them, or a generation number with each value.",
                       .gain_method = "at most all samples in the clearing function",
                       .evidence_limits =
                           "how much of it is used before it is cleared again is not measured"},
};

#define ADD(words, ...)                                                                            \
    snprintf((words)->evidence + strlen((words)->evidence),                                        \
             sizeof(words)->evidence - strlen((words)->evidence), __VA_ARGS__)

static void support_words(const struct finding_support *support, struct finding_words *words)
{
    if (support->has_causes)
        ADD(words,
            " Of its %.0f misses in %s, %.0f%% are first references, %.0f%% capacity misses, "
            "%.0f%% conflict misses.",
            support->misses, level_of(support->level), support->first * 100,
            support->capacity * 100, support->conflict * 100);
    if (support->has_use) {
        ADD(words,
            " Of the %.0f lines fetched for it and evicted from L%u, %.0f%% of the bytes had been "
            "used.",
            support->lines, support->use_level, support->used * 100);
        SAY(words->evidence_limits,
            "the simulated cache recorded which bytes of each line were used");
    }
    if (support->watched_use)
        ADD(words,
            " Watchpoints saw %.0f%% (%.0f to %.0f) of a line used in each of %" PRIu64 " visits.",
            support->watch_used * 100, support->watch_low * 100, support->watch_high * 100,
            support->visits);
    else if (support->has_watch)
        ADD(words, " Of %" PRIu64 " watched lines, %" PRIu64 " were accessed again.",
            support->watched, support->touched);
    if (support->has_watch)
        SAY(words->evidence_limits, "confirmed by watchpoints on the running program");
}

void finding_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct rule *rule = &rules[finding->rule];
    words->evidence[0] = '\0';
    SAY(words->advice, "%s", rule->advice ? rule->advice : "");
    SAY(words->gain_method, "%s", rule->gain_method ? rule->gain_method : "");
    SAY(words->evidence_limits, "%s", rule->evidence_limits ? rule->evidence_limits : "");
    if (rule->compose)
        rule->compose(finding, words);
    support_words(&finding->support, words);
}

enum screen_id finding_screen(const struct snapshot_finding *finding)
{
    enum screen_id screen = rules[finding->rule].screen;
    return screen ? screen : SCREEN_DETAIL;
}

static const struct finding_kind_row {
    const char *name; /* JSON name */
    const char *words;
    bool saves_waiting; /* the remedy saves nothing but waiting for memory */
} kinds[FINDING_KIND_COUNT] = {
    [FINDING_SPLIT] = {"split", "hot and cold fields", true},
    [FINDING_STRADDLING] = {"straddling", "straddles lines", true},
    [FINDING_FALSE_SHARING] = {"false-sharing", "false sharing", false},
    [FINDING_TRUE_SHARING] = {"true-sharing", "true sharing", false},
    [FINDING_CONFLICT] = {"conflict", "set conflict", true},
    [FINDING_CHASING] = {"chasing", "pointer chasing", true},
    [FINDING_STREAMING] = {"streaming", "streaming", true},
    [FINDING_TLB] = {"tlb", "page walks", false},
    [FINDING_REMOTE] = {"remote", "remote memory", false},
    [FINDING_SCATTERED] = {"scattered", "scattered blocks", true},
    [FINDING_SEPARATED_PAIR] = {"together", "used together", true},
    [FINDING_CHURN] = {"churn", "allocation churn", false},
    [FINDING_WASTE] = {"waste", "wasted memory", false},
    [FINDING_STACK] = {"stack", "stack variable", false},
    [FINDING_FIRST_TOUCH] = {"first-touch", "first touch", false},
    [FINDING_TLB_REACH] = {"tlb-reach", "beyond the TLB", true},
    [FINDING_COLUMNS] = {"columns", "down columns", true},
    [FINDING_EVICTED] = {"pushed-out", "evicted", true},
    [FINDING_SPINNING] = {"spinning", "spinning", false},
    [FINDING_COPYING] = {"copying", "copied", false},
    [FINDING_CLEARING] = {"clearing", "cleared", false},
};

const char *finding_kind_name(enum finding_kind kind)
{
    return kinds[kind].name;
}

const char *finding_kind_words(enum finding_kind kind)
{
    return kinds[kind].words;
}

bool finding_saves_waiting(enum finding_kind kind)
{
    return kinds[kind].saves_waiting;
}

const char *finding_sure_name(enum finding_confidence sure)
{
    static const char *const names[] = {"perhaps", "likely", "sure"};
    return (unsigned)sure < 3 ? names[sure] : "perhaps";
}

const char *finding_confidence(enum finding_confidence sure)
{
    static const char *const names[] = {"low", "medium", "high"};
    return (unsigned)sure < 3 ? names[sure] : "low";
}

void finding_gain(const struct snapshot_finding *finding, char *out, size_t size)
{
    if (isnan(finding->gain))
        snprintf(out, size, "not known (share %.0f%%)", finding->share * 100);
    else if (finding->gain_low > 0)
        snprintf(out, size, "%.0f-%.0f%%", finding->gain_low * 100, finding->gain * 100);
    else
        snprintf(out, size, "%s %.*f%%", finding->is_upper_bound ? "at most" : "about",
                 finding->gain < 0.0995, finding->gain * 100);
}
