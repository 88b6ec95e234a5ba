/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings in words; see findings.h. The rules are in src/profile/findings. Each rule has a row in
 * `rules` here, and a function for the words that depend on its figures; each kind has a row in
 * `kinds`. */
#include "view/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "view/words.h"

#define SAY(out, ...) snprintf(out, sizeof(out), __VA_ARGS__)
#define MIB(bytes)    ((bytes) / (1 << 20))

#define HIDDEN_MEMBERS                                                                             \
    "members that are always read right after another one of the same line may hide behind it: "   \
    "see that the code does not use them"
#define EXACT "exact: the simulation recorded the cause of each miss; another cache may differ"
#define ONE_BY_ONE                                                                                 \
    "exact of each miss; but simulated threads run one at a time and change seldom: where they "   \
    "really run at once, there are far more"

static const char *level_of(const char *level)
{
    return level ? level : "the simulated cache";
}

/* Formats the evictors, "BlkMultiply on Y 81%, fill on X 12%", between two texts; "" if none are
 * known. */
static void evictors(const struct snapshot_finding *finding, const char *before, char out[700])
{
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < FINDING_EVICTORS && finding->evictors[i].function && used < 700; i++) {
        const struct finding_evictor *evictor = &finding->evictors[i];
        used += (size_t)snprintf(out + used, 700 - used, "%s%s on %s %.0f%%", i ? ", " : before,
                                 evictor->function,
                                 evictor->itself   ? "this itself"
                                 : evictor->object ? evictor->object
                                                   : "something unknown",
                                 evictor->share * 100);
    }
    if (used && used < 700)
        snprintf(out + used, 700 - used, ".");
}

/* ---- layout ---- */

static void split_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_split *split = &finding->of.split;
    SAY(words->evidence,
        "%.0f samples on %s of %" PRIu64 " bytes: %" PRIu64
        " %s in use (%s), and %.0f are fetched for each. The elements are %s.",
        split->samples, finding->type, split->element_bytes, split->used_bytes,
        split->used_bytes == 1 ? "is" : "are",
        finding->field ? finding->field : "offsets in Layout", split->fetched_bytes,
        split->in_order ? "read in order" : "not read in order");
    if (split->pass)
        SAY(words->advice, "Split the struct: an array of the members in use, and another of the "
                           "rest (or an array for each member).");
    SAY(words->reckoned,
        "its share of all samples, times the %.0f of %.0f bytes that would not be fetched",
        split->fetched_bytes - split->needed_bytes, split->fetched_bytes);
}

static void split_off_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_split *split = &finding->of.split;
    SAY(words->evidence,
        "%.0f samples on %s of %" PRIu64 " bytes: %" PRIu64
        " %s in use (%s), and a line of %" PRIu32
        " is fetched for each. %s The lines come to %.1f MiB, what is in use to %.1f MiB.",
        split->samples, finding->type, split->element_bytes, split->used_bytes,
        split->used_bytes == 1 ? "is" : "are",
        finding->field ? finding->field : "offsets in Layout", finding->line_bytes,
        split->scattered ? "The elements are not read in order."
                         : "In which order the elements are read is not seen.",
        MIB(split->fetched_bytes), MIB(split->needed_bytes));
    SAY(words->advice,
        "Split the struct: keep %s in an array of its own. It is %.1f MiB instead of the %.1f MiB "
        "of lines, and caches hold far more of it.",
        finding->field ? finding->field : "what is in use", MIB(split->needed_bytes),
        MIB(split->fetched_bytes));
}

static void straddling_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_straddling *at = &finding->of.straddling;
    uint32_t line = finding->line_bytes;
    SAY(words->evidence,
        "%.0f%% of %" PRIu32 " samples fell on elements whose hot bytes (%" PRIu64 " to %" PRIu64
        " of %" PRIu64 ") cross from one cache line into the next, and one line would hold them. "
        "The elements are not read in order.",
        at->crossing * 100, at->samples, at->hot_first, at->hot_end - 1, at->element_bytes);
    SAY(words->advice,
        "Align the elements: alignas(%" PRIu32
        ") on the struct, and aligned_alloc() for the memory.",
        at->element_bytes <= line / 2 ? line / 2 : line);
    if (at->by_number)
        SAY(words->reckoned,
            "elements that cross are %.0f%% of all, and take %.0f%% of the samples: what they take "
            "more than the others, and how unsure that is",
            at->elements * 100, at->crossing * 100);
    else
        SAY(words->reckoned,
            "of the two lines of an element that crosses, the samples on the one that has fewer: "
            "%.0f%% of those on %s",
            at->part * 100, finding->type);
}

static void scattered_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_blocks *blocks = &finding->of.blocks;
    SAY(words->evidence,
        "%.0f blocks of %.0f bytes each on average are on at least %.0f MiB of cache lines, in no "
        "order, between others; side by side they would take %.0f MiB.",
        blocks->count, blocks->asked_bytes, MIB(blocks->fetched_bytes), MIB(blocks->pooled_bytes));
    SAY(words->reckoned,
        "its share of all samples, times the %.0f of %.0f MiB that would not be fetched",
        MIB(blocks->fetched_bytes - blocks->pooled_bytes), MIB(blocks->fetched_bytes));
}

static void waste_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_blocks *blocks = &finding->of.blocks;
    double wasted = 1 - blocks->asked_bytes / blocks->taken_bytes;
    SAY(words->evidence,
        "%.0f blocks were asked for with %.1f bytes each on average, and take %.1f: %.0f%% of "
        "their %.0f MiB is headers and rounding.",
        blocks->count, blocks->asked_bytes, blocks->taken_bytes, wasted * 100,
        MIB(blocks->count * blocks->taken_bytes));
    SAY(words->reckoned,
        "half of its share of all samples times the %.0f%% of what is fetched that holds nothing, "
        "to all of its share",
        wasted * 100);
}

static void pointed_to_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_pair *pair = &finding->of.pair;
    SAY(words->evidence,
        "%s reads %s.%s and then this, in no order: %.0f and %.0f samples at the same times; there "
        "are as many of the one as of the other (%.0f), and a line would hold what is used of "
        "both.",
        finding->function, finding->other, finding->link, pair->samples[0], pair->samples[1],
        pair->blocks);
    SAY(words->advice,
        "Put %s into %s, as a member instead of the pointer; or allocate both as one block.",
        finding->type, finding->other);
}

static void same_index_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_pair *pair = &finding->of.pair;
    SAY(words->evidence,
        "It and %s are read at the same index, in no order: %" PRIu32
        " times a miss on the one was followed by one on the other, %.0f%% of these at the same "
        "element (of %" PRIu64 " and %" PRIu64 " bytes).",
        finding->other, pair->misses, pair->same * 100, pair->element_bytes[0],
        pair->element_bytes[1]);
    SAY(words->advice, "Make one array of structs of %s and %s: then both come with one line.",
        finding->name, finding->other);
}

static void churn_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_churn *churn = &finding->of.churn;
    SAY(words->evidence,
        "%.0f allocations a second, %.0f%% of all, of blocks that are freed after %.3g ms on "
        "average; %.0f%% of the samples are in malloc, free and their kin.",
        churn->per_s, churn->part * 100, churn->lifetime_s * 1e3, churn->allocator * 100);
}

/* ---- access patterns ---- */

static void chasing_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_chasing *chase = &finding->of.chasing;
    char links[200] = "";
    if (chase->links_read)
        SAY(links,
            " Of %" PRIu32 " links that were read in its memory %" PRIu32
            " lead to another page, and of %" PRIu32 " nodes %" PRIu32 " are followed by %" PRIu32
            " or more.",
            chase->read, chase->far, chase->nodes, chase->deep, chase->deep_least);
    SAY(words->evidence,
        "%s leads from each %s of %" PRIu64
        " bytes to another one; the %.0f samples on them are on at least %.0f MiB%s.%s%s",
        finding->field, finding->type, chase->element_bytes, chase->samples, MIB(chase->bytes),
        chase->scattered ? ", in no order" : "", links,
        finding->sure == FINDING_SURE ? " The misses come where the links lead." : "");
    if (chase->several)
        SAY(words->advice,
            "Put several keys into a node (a B-tree), or the nodes that are visited first side by "
            "side; where it is only read, a sorted array or a hash table.");
    if (finding->sure == FINDING_SURE)
        SAY(words->how_sure, "every miss is recorded, and its node's link was read: they follow "
                             "each other; a simulation has no time");
}

static void streaming_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_streaming *stream = &finding->of.streaming;
    SAY(words->evidence,
        "It is %s in order, %.0f MiB from end to end, at about %.1f GB/s: %.0f%% of the samples on "
        "it are %s the one before, and of %" PRIu32 " lines %" PRIu32 " were seen once.",
        stream->written ? "written" : "read", MIB(stream->bytes), stream->bytes_per_s / 1e9,
        stream->part * 100, stream->backward ? "before" : "behind", stream->lines, stream->singles);
    if (stream->written)
        SAY(words->advice, "Work on blocks that fit a cache, all passes on one before the next; or "
                           "write past the caches (non-temporal stores) what is not read soon.");
}

static void copying_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_copying *copy = &finding->of.copying;
    SAY(words->evidence,
        "%.0f%% of the samples are in %s; most are on this, of which at least %.0f MiB are copied: "
        "%.0f samples of loads and %.0f of stores.",
        finding->share * 100, finding->function, MIB(copy->bytes), copy->loads, copy->stores);
}

static void clearing_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    SAY(words->evidence,
        "%.0f%% of the samples are in %s; most are on this, and at least %.0f MiB of it are set.",
        finding->share * 100, finding->function, MIB(finding->of.copying.bytes));
}

static void columns_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_columns *columns = &finding->of.columns;
    int used = SAY(words->evidence,
                   "It is walked down the columns of %.0f rows of %" PRIu64
                   " bytes: of the newest %" PRIu32 " steps between rows %" PRIu32
                   " end beside the last column. ",
                   columns->rows, columns->row_bytes, columns->steps, columns->beside);
    char *rest = words->evidence + used;
    size_t size = sizeof words->evidence - (size_t)used;
    if (columns->power) {
        snprintf(rest, size,
                 "The row is a power of two, so the lines of a column share %" PRIu64
                 " of the %" PRIu32 " sets of %s, which %s %" PRIu64 ".",
                 columns->in_sets, columns->sets, finding->level,
                 columns->in_sets == 1 ? "holds" : "hold", columns->in_sets * columns->ways);
        SAY(words->advice,
            "Walk along the rows (swap the loops, or work on square blocks); or make each row a "
            "line longer: %" PRIu64 " bytes.",
            columns->row_bytes + finding->line_bytes);
    } else {
        snprintf(rest, size, "A column has more lines than the %" PRIu32 " that %s holds.",
                 columns->sets * columns->ways, finding->level);
    }
    SAY(words->reckoned,
        "of %" PRIu32 " accesses of %" PRIu32
        " bytes to a line all but the first, two fifths to all of their time",
        finding->line_bytes / columns->element_bytes, columns->element_bytes);
}

static void stack_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_stack *stack = &finding->of.stack;
    SAY(words->evidence,
        "%s, %" PRIu64
        " bytes on the stack, is read and written in memory: %.0f samples, %.0f%% in %s.",
        finding->type, stack->bytes, stack->samples, stack->part * 100, finding->function);
}

/* ---- causes of misses ---- */

static void apart_words(const struct snapshot_finding *finding, uint64_t stride,
                        struct finding_words *words)
{
    char bytes[40] = "the cache's size over its ways";
    if (stride)
        SAY(bytes, "%" PRIu64 " bytes", stride);
    if (finding->other)
        SAY(words->advice,
            "Addresses a multiple of %s apart share a set: move this and %s against each other "
            "(some unused lines between them), or put what is used together into one array of "
            "structs.",
            bytes, finding->other);
    else
        SAY(words->advice,
            "Addresses a multiple of %s apart share a set: make rows longer by a line (%" PRIu32
            " bytes), or copy the block that is worked on into memory of its own.",
            bytes, finding->line_bytes);
}

static void conflict_cause_words(const struct snapshot_finding *finding,
                                 struct finding_words *words)
{
    const struct finding_cause *cause = &finding->of.cause;
    char by[700];
    evictors(finding, " Evicted by: ", by);
    SAY(words->evidence,
        "%.0f%% of its %.0f misses in %s are conflicts: without sets, the cache had room for the "
        "line.%s",
        cause->part * 100, cause->misses, level_of(finding->level), by);
    apart_words(finding, cause->stride, words);
}

static void conflict_sets_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_sets *sets = &finding->of.sets;
    bool one = sets->hot == 1;
    SAY(words->evidence,
        "%" PRIu32 " of the %" PRIu32
        " sets of %s %s %.0f%% of the samples above %s even part, on more lines than %s %" PRIu32
        " ways hold; %.0f%% of that is this object's.",
        sets->hot, sets->all, finding->level, one ? "takes" : "take", sets->excess * 100,
        one ? "its" : "their", one ? "its" : "their", sets->ways, sets->part * 100);
    apart_words(finding, (uint64_t)sets->all * finding->line_bytes, words);
    SAY(words->reckoned, "what %s above an even share", one ? "this set has" : "these sets have");
}

static void evicted_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_cause *cause = &finding->of.cause;
    char by[700];
    evictors(finding, "", by);
    SAY(words->evidence,
        "What misses of it comes to %.0f KiB, and %s holds %.0f; yet %.0f%% of its %.0f misses are "
        "capacity misses. Evicted by: %s",
        cause->bytes / 1024, level_of(finding->level), cause->cache_bytes / 1024, cause->part * 100,
        cause->misses, by);
    SAY(words->advice,
        "Keep %s from passing through between its uses: do first the one and then the other, or "
        "read it past the caches (prefetchnta; non-temporal stores where it is written).",
        finding->other);
}

static void streaming_cause_words(const struct snapshot_finding *finding,
                                  struct finding_words *words)
{
    const struct finding_cause *cause = &finding->of.cause;
    char by[700];
    evictors(finding, " Evicted by, where that is known: ", by);
    SAY(words->evidence,
        "It is %s in order, %.1f MiB from end to end, again and again: %.0f%% of its %.0f misses "
        "in %s are capacity misses, %.0f%% first references.%s",
        cause->written ? "written" : "read", MIB(cause->bytes), cause->part * 100, cause->misses,
        level_of(finding->level), cause->first * 100, by);
    SAY(words->advice,
        "Work on blocks that fit %s (%.0f KiB), all passes on one before the next; or make the "
        "elements smaller.",
        level_of(finding->level), cause->cache_bytes / 1024);
}

static void first_touch_cause_words(const struct snapshot_finding *finding,
                                    struct finding_words *words)
{
    const struct finding_cause *cause = &finding->of.cause;
    SAY(words->evidence,
        "%.0f%% of its %.0f misses are first references, and %.0f%% of the samples on it stores: "
        "it is memory being filled for the first time.",
        cause->part * 100, cause->misses, cause->stores * 100);
}

/* ---- pages and nodes ---- */

static void tlb_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    SAY(words->evidence,
        "%.0f%% of the %.0f samples on it found no translation in the TLB and waited for a page "
        "walk.",
        finding->of.pages.part * 100, finding->of.pages.samples);
}

static void remote_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    SAY(words->evidence, "%.0f%% of the %.0f samples on it came from another node.",
        finding->of.pages.part * 100, finding->of.pages.samples);
}

static void reach_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    static const char *const ways[] = {
        [HUGE_MADVISE] = "madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB",
        [HUGE_JAVA] = "run it with -XX:+UseTransparentHugePages (Java)",
        [HUGE_PYTHON] = "run it with PYTHONMALLOC=malloc and GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "
                        "(Python's own arenas are not on huge pages)",
        [HUGE_JEMALLOC] = "run it with MALLOC_CONF=thp:always (jemalloc)",
        [HUGE_MIMALLOC] = "run it with MIMALLOC_ALLOW_LARGE_OS_PAGES=1 (mimalloc)",
        [HUGE_TCMALLOC] = "by the settings of tcmalloc",
        [HUGE_GLIBC] = "run it with GLIBC_TUNABLES=glibc.malloc.hugetlb=1 (glibc 2.35 and later), "
                       "or madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB",
        [HUGE_ALLOCATOR] = "by the settings of its allocator, or madvise(MADV_HUGEPAGE) on memory "
                           "aligned to 2 MiB",
    };
    const struct finding_pages *pages = &finding->of.pages;
    SAY(words->evidence,
        "It is used on at least %.0f pages of 4 KiB (%.0f MiB); the TLB holds %s%.0f (%.1f MiB)%s. "
        "%.0f%% of its memory is on huge pages.",
        pages->pages, MIB(pages->pages * pages->page_bytes),
        pages->tlb_known ? "about " : "no more than ", pages->tlb_entries,
        MIB(pages->tlb_entries * pages->page_bytes),
        pages->tlb_known ? "" : ", how many is not known here (misstop doctor measures it)",
        pages->huge * 100);
    SAY(words->advice, "Put it on huge pages: %s. Or keep what is used together on the same pages.",
        ways[pages->way]);
}

static void faults_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_pages *pages = &finding->of.pages;
    SAY(words->evidence,
        "%.0f%% of the samples on it are stores, while the process takes %.0f page faults a second "
        "(%.0f MB/s of fresh memory) and the kernel %.0f%% of its CPU time.",
        pages->part * 100, pages->faults_per_s, pages->faults_per_s * pages->page_bytes / 1e6,
        pages->kernel * 100);
}

/* ---- threads ---- */

static void sharing_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_sharing *sharing = &finding->of.sharing;
    const char *lines = sharing->lines == 1 ? "line" : "lines";
    if (sharing->misses > 0) {
        SAY(words->evidence,
            "%" PRIu32 " threads on %zu cache %s: %.0f samples are misses because another thread "
            "had written to the line, of %.0f samples of misses in all.",
            sharing->threads, sharing->lines, lines, sharing->hitm, sharing->misses);
        SAY(words->reckoned,
            "how long these misses would take where the threads run at once, is not simulated");
        SAY(words->how_sure, ONE_BY_ONE);
    } else if (sharing->by_hitm) {
        SAY(words->evidence,
            "%" PRIu32 " threads on %zu cache %s: %.0f samples, %.0f of which found the line "
            "modified in another CPU's cache.",
            sharing->threads, sharing->lines, lines, sharing->samples, sharing->hitm);
        SAY(words->how_sure, "the hardware reports it");
    } else {
        SAY(words->evidence,
            "%" PRIu32 " threads on %zu cache %s: %.0f of %.0f samples followed one of another "
            "thread on another CPU, a store among the two. Had the threads used the %s "
            "one after the other, hardly any would.",
            sharing->threads, sharing->lines, lines, sharing->turns, sharing->samples, lines);
    }
    sharing_remedy_words(&finding->remedy, words->advice, sizeof words->advice);
}

static void sharing_cause_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_cause *cause = &finding->of.cause;
    char by[700];
    evictors(finding, " Taken by: ", by);
    SAY(words->evidence,
        "Of its %.0f misses in %s %.0f%% are on lines that another thread had taken by writing: "
        "%.0f%% for bytes that it did not touch, %.0f%% for the same bytes.%s",
        cause->misses, level_of(finding->level), (cause->same + cause->apart) * 100,
        cause->apart * 100, cause->same * 100, by);
}

static void spinning_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct finding_spinning *spin = &finding->of.spinning;
    bool one = spin->threads == 1;
    SAY(words->evidence,
        "%" PRIu32 " thread%s at one load in %s, of %s: of the newest %" PRIu32
        " samples %.0f%% fell on the same %s, and none of them writes there.",
        spin->threads, one ? " is" : "s are", finding->function,
        finding->field ? finding->field : finding->name, spin->samples, spin->part * 100,
        one ? "cache line" : "cache line for each");
}

/* ---- table of the rules ---- */

#define TAKEN_LINES "its misses on lines that another thread had written to"
#define NOT_MEASURED                                                                               \
    "how long these accesses would take on a line of their own, is not measured; try it and "      \
    "compare (misstop diff)"
#define NO_HITM "inferred from alternating accesses; this source reports no HITM"

static const struct rule {
    void (*compose)(const struct snapshot_finding *finding, struct finding_words *words);
    enum screen_id screen; /* screen that shows the finding; 0: Detail */
    const char *advice;
    const char *reckoned;
    const char *how_sure;
} rules[RULE_COUNT] = {
    [RULE_SPLIT] = {.compose = split_words,
                    .screen = SCREEN_LAYOUT,
                    .advice = "Put the members in use side by side at the start of the struct, so "
                              "that they share a line, and align the elements to lines.",
                    .how_sure = HIDDEN_MEMBERS},
    [RULE_SPLIT_OFF] = {.compose = split_off_words,
                        .screen = SCREEN_LAYOUT,
                        .reckoned = "two fifths to all of its samples on them: how many the caches "
                                    "would then hold depends on what else they hold",
                        .how_sure = HIDDEN_MEMBERS},
    [RULE_STRADDLING] = {.compose = straddling_words,
                         .screen = SCREEN_LAYOUT,
                         .how_sure = "the two lines of an element may arrive at the same time, and "
                                     "longer elements fill caches sooner: measure it"},
    [RULE_FALSE_SHARING] = {.compose = sharing_words,
                            .screen = SCREEN_SHARING,
                            .reckoned = NOT_MEASURED,
                            .how_sure = NO_HITM},
    [RULE_TRUE_SHARING] = {.compose = sharing_words,
                           .screen = SCREEN_SHARING,
                           .reckoned = NOT_MEASURED,
                           .how_sure = NO_HITM},
    [RULE_FALSE_SHARING_CAUSE] = {.compose = sharing_cause_words,
                                  .screen = SCREEN_SHARING,
                                  .advice = "Give each thread a line of its own: align what it "
                                            "writes to the cache line, and pad it to whole lines.",
                                  .reckoned = TAKEN_LINES,
                                  .how_sure = ONE_BY_ONE},
    [RULE_TRUE_SHARING_CAUSE] =
        {.compose = sharing_cause_words,
         .screen = SCREEN_SHARING,
         .advice = "Write it less often: count in a variable of the thread's own, and add that up "
                   "now and then; or take the lock for more work at once.",
         .reckoned = TAKEN_LINES,
         .how_sure = ONE_BY_ONE},
    [RULE_CONFLICT_SETS] = {.compose = conflict_sets_words,
                            .screen = SCREEN_CACHE,
                            .how_sure = "sampled lines show the sets, not what evicted a line"},
    [RULE_CONFLICT_CAUSE] =
        {.compose = conflict_cause_words,
         .reckoned = "its misses that a cache of the same size without sets would not have had",
         .how_sure = EXACT},
    [RULE_CHASING] =
        {.compose = chasing_words,
         .advice =
             "Lay the nodes in the order they are walked (an array, a pool that is filled in that "
             "order), or put several keys into a node; in a hash table, use more buckets.",
         .reckoned = "half to all of the samples on it, those without an object in proportion: "
                     "found in order, or several to a line, most would not be waited for",
         .how_sure =
             "that nodes are found by the link, and not by an index, is taken from its being read"},
    [RULE_STREAMING] = {.compose = streaming_words,
                        .advice = "Work on blocks that fit a cache, all passes on one before the "
                                  "next; or make the elements smaller.",
                        .reckoned = "how much prefetching hides already is not measured",
                        .how_sure = "whether several passes can be joined is not measured"},
    [RULE_STREAMING_CAUSE] =
        {.compose = streaming_cause_words,
         .reckoned = "its capacity misses: the lines had been there before",
         .how_sure = "the cause is exact; whether several passes can be joined is not measured"},
    [RULE_TLB] = {.compose = tlb_words,
                  .advice =
                      "Put it on huge pages: madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB, or "
                      "mmap(MAP_HUGETLB); or keep what is used together on the same pages.",
                  .reckoned = "its samples with a page walk: the wait for the data itself stays",
                  .how_sure = "the hardware reported it for each sample"},
    [RULE_REMOTE] = {.compose = remote_words,
                     .advice = "Let the threads that use it fill it first, bind them to its node "
                               "(numactl), or give each node its own copy.",
                     .reckoned =
                         "two fifths of its remote samples, by what local memory takes of the time",
                     .how_sure = "the hardware reported it for each sample"},
    [RULE_SCATTERED] =
        {.compose = scattered_words,
         .advice = "Allocate them as one: an array, or a pool that is filled in the order in which "
                   "they are visited; then lines also come before they are asked for.",
         .how_sure = "the lines are estimated from the pages sampled twice, as if all blocks were "
                     "visited; blocks that are always visited in one order gain more"},
    [RULE_POINTED_TO] = {.compose = pointed_to_words,
                         .reckoned =
                             "a tenth to half of the samples on the two: one of two lines comes",
                         .how_sure = "that each leads to another one is taken from there being as "
                                     "many of the one as of the other"},
    [RULE_SAME_INDEX] = {.compose = same_index_words,
                         .reckoned = "half the misses on the two: one of two lines comes",
                         .how_sure = "every miss is recorded, one after the other; where they are "
                                     "fetched at once, less than half of the time goes with them"},
    [RULE_CHURN] = {.compose = churn_words,
                    .screen = SCREEN_HEAP,
                    .advice = "Keep them: take blocks from a list of those no longer needed, "
                              "allocate many at a time, or let short-lived ones live on the stack.",
                    .reckoned = "most of the samples in malloc and free, times its part of the "
                                "allocations; those of misstop's own agent are left out",
                    .how_sure = "that each allocation costs the same is assumed; first uses of "
                                "fresh blocks are not counted"},
    [RULE_WASTE] = {.compose = waste_words,
                    .screen = SCREEN_HEAP,
                    .advice = "Put them into one array, or allocate many at a time (a pool): no "
                              "header, and no rounding up.",
                    .how_sure = "that neighbours in memory are used soon after each other is taken "
                                "for granted where they are read in order"},
    [RULE_STACK] =
        {.compose = stack_words,
         .advice = "Keep it in a register: compile with optimisation (-O2), work on a local copy "
                   "that no pointer refers to, and write it back after the loop; no volatile.",
         .reckoned = "a third to all of the samples on it: each use waits for the store before",
         .how_sure = "whether a register is free for it, only the compiler knows; some processors "
                     "pass integers from store to load without waiting"},
    [RULE_FIRST_TOUCH_FAULTS] =
        {.compose = faults_words,
         .advice = "Use the memory again instead of giving it back and taking fresh one (keep the "
                   "buffer; for malloc, raise M_MMAP_THRESHOLD and M_TRIM_THRESHOLD); where it is "
                   "filled once, huge pages take one fault for 512.",
         .reckoned =
             "half of the kernel's part of the CPU time, to all of it and the samples on it",
         .how_sure = "that the faults are on this memory is taken from its being written most; "
                     "misstop -e page-faults shows where they are"},
    [RULE_FIRST_TOUCH_CAUSE] =
        {.compose = first_touch_cause_words,
         .advice = "If this is how the program begins, leave it out: --sim-from FUNCTION. Else "
                   "fill memory again that was used before, instead of fresh one.",
         .reckoned = "its first references: no cache holds what was never used",
         .how_sure = EXACT},
    [RULE_REACH] =
        {.compose = reach_words,
         .reckoned = "3 to 40% of its samples on pages beyond the TLB: the page walks go, the wait "
                     "for the data stays",
         .how_sure = "no hardware reported page walks here, and they may overlap with other waits"},
    [RULE_COLUMNS] = {.compose = columns_words,
                      .advice = "Walk along the rows: swap the loops, or work on square blocks.",
                      .how_sure = "that it is a matrix is taken from the steps; a line more a row "
                                  "helps only where a level of cache holds a column"},
    [RULE_EVICTED] = {.compose = evicted_words,
                      .reckoned = "its capacity misses: alone it would fit in the cache",
                      .how_sure = EXACT},
    [RULE_SPINNING] =
        {.compose = spinning_words,
         .screen = SCREEN_CODE,
         .advice = "They wait for another thread to write it. Look at what that one does, for this "
                   "is no slow data; let the others sleep after a few tries (a condition variable, "
                   "a futex), or start fewer of them.",
         .reckoned = "the CPU time of the loop could go to others; the program itself goes no "
                     "faster by that",
         .how_sure =
             "the loop does nothing but read and compare; no store was sampled that ends the wait"},
    [RULE_COPYING] = {.compose = copying_words,
                      .advice = "Use the data where it is (pass the pointer, swap two buffers); or "
                                "copy and use it in parts that fit a cache.",
                      .reckoned = "half of the samples in the copying function, to a tenth more "
                                  "than them: the data is still read once",
                      .how_sure = "whether both copies are needed is not measured"},
    [RULE_CLEARING] = {.compose = clearing_words,
                       .advice = "Clear only what was used since the last time: keep a list of it, "
                                 "or a number of the round beside each value instead of clearing.",
                       .reckoned = "at most all samples in the clearing function",
                       .how_sure =
                           "how much of it is used before it is cleared again is not measured"},
};

/* Appends to the evidence. */
#define ADD(words, ...)                                                                            \
    snprintf((words)->evidence + strlen((words)->evidence),                                        \
             sizeof(words)->evidence - strlen((words)->evidence), __VA_ARGS__)

/* Adds other measurements that support the finding. */
static void support_words(const struct finding_support *support, struct finding_words *words)
{
    if (support->causes)
        ADD(words,
            " Of its %.0f misses in %s %.0f%% are first references, %.0f%% capacity misses, %.0f%% "
            "conflicts.",
            support->misses, level_of(support->level), support->first * 100,
            support->capacity * 100, support->conflict * 100);
    if (support->use) {
        ADD(words,
            " Of the %.0f lines fetched for it that L%u let go, %.0f%% of the bytes had been used.",
            support->lines, support->use_level, support->used * 100);
        SAY(words->how_sure, "the simulated cache saw which bytes of each line were used");
    }
    if (support->watched_use)
        ADD(words,
            " Watchpoints saw %.0f%% (%.0f to %.0f) of a line used in each of %" PRIu64 " visits.",
            support->watch_used * 100, support->watch_low * 100, support->watch_high * 100,
            support->visits);
    else if (support->watch)
        ADD(words,
            " Of %" PRIu64 " of its lines that were watched %" PRIu64
            " were touched again while they were.",
            support->watched, support->touched);
    if (support->watch)
        SAY(words->how_sure, "watchpoints on the running program saw it, besides the samples");
}

void finding_words(const struct snapshot_finding *finding, struct finding_words *words)
{
    const struct rule *rule = &rules[finding->rule];
    words->evidence[0] = '\0';
    SAY(words->advice, "%s", rule->advice ? rule->advice : "");
    SAY(words->reckoned, "%s", rule->reckoned ? rule->reckoned : "");
    SAY(words->how_sure, "%s", rule->how_sure ? rule->how_sure : "");
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
    const char *name; /* in JSON */
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
    [FINDING_TOGETHER] = {"together", "used together", true},
    [FINDING_CHURN] = {"churn", "allocation churn", false},
    [FINDING_WASTE] = {"waste", "wasted memory", false},
    [FINDING_STACK] = {"stack", "stack variable", false},
    [FINDING_FIRST_TOUCH] = {"first-touch", "first touch", false},
    [FINDING_REACH] = {"tlb-reach", "beyond the TLB", true},
    [FINDING_COLUMNS] = {"columns", "down columns", true},
    [FINDING_PUSHED_OUT] = {"pushed-out", "evicted", true},
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

const char *finding_sure_name(enum finding_sure sure)
{
    static const char *const names[] = {"perhaps", "likely", "sure"};
    return (unsigned)sure < 3 ? names[sure] : "perhaps";
}

const char *finding_confidence(enum finding_sure sure)
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
        snprintf(out, size, "%s %.*f%%", finding->bound ? "at most" : "about",
                 finding->gain < 0.0995, finding->gain * 100);
}
