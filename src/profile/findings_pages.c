/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about pages: more than the TLB reaches, and fresh ones all the time. */
#include "profile/findings.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

/* Of the last level, for pages of 4 KiB, where it is not known: no x86 CPU up to Zen 5 has more. */
enum { TLB_ENTRIES_MOST = 4096 };

static const double beyond_reach = 2;   /* times what the TLB reaches: half of the accesses walk */
static const double huge_at_most = 0.5; /* of its memory is on huge pages already */
/* Of the time at pages beyond the TLB, what huge pages save: measured from 1 to 42 %
 * (tests/judged). */
static const double walk_at_least = 0.03;
static const double walk_at_most = 0.4;

/* Most of the time is the kernel's, where nothing is sampled: fewer samples than for other rules.
 */
enum { FRESH_SAMPLES = 50 };
static const double first_share = 0.2;     /* of all samples: the object is what is mainly filled */
static const double stores_at_least = 0.8; /* of the samples on it */
static const double kernel_saved = 0.5;    /* of its time: the rest may be other work */
static const double faults_per_s = 10e3;   /* 40 MB of fresh memory a second */
static const double kernel_at_least = 0.2; /* of the CPU time: what makes it worth a change */

double findings_pages(const struct findings *findings, size_t index)
{
    uint32_t object = findings->snapshot->objects[index].id;
    struct hash pages;
    double once = 0;
    double twice = 0;
    hash_init(&pages);
    for (uint32_t i = 0; findings->window && i < findings->window->used; i++) {
        const struct window_entry *entry = window_at(findings->window, i);
        uint32_t *seen = entry->object == object
                             ? hash_insert(&pages, entry->address / FINDINGS_PAGE_BYTES, NULL)
                             : NULL;
        if (!seen)
            continue;
        once += *seen == 0 ? 1 : *seen == 1 ? -1 : 0;
        twice += *seen == 1 ? 1 : *seen == 2 ? -1 : 0;
        ++*seen;
    }
    double all = (double)pages.count + once * fmax(0, once - 1) / (2 * (twice + 1));
    hash_fini(&pages);
    return all;
}

static bool has_module(const struct findings *findings, const char *part)
{
    const struct snapshot *snapshot = findings->snapshot;
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].module && strstr(snapshot->code[i].module, part))
            return true;
    return false;
}

/* How to have huge pages of whoever gave the program this memory. */
static const char *huge_pages_by(const struct findings *findings, size_t index)
{
    static const struct {
        const char *library;
        const char *way;
    } allocators[] = {
        {"libjemalloc", "run it with MALLOC_CONF=thp:always (jemalloc)"},
        {"libmimalloc", "run it with MIMALLOC_ALLOW_LARGE_OS_PAGES=1 (mimalloc)"},
        {"libtcmalloc", "by the settings of tcmalloc"},
        {"glibc malloc",
         "run it with GLIBC_TUNABLES=glibc.malloc.hugetlb=1 (glibc 2.35 and later), "
         "or madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB"},
    };
    const struct heap_summary *heap = &findings->snapshot->heap.summary;
    if (has_module(findings, "libjvm"))
        return "run it with -XX:+UseTransparentHugePages (Java)";
    if (has_module(findings, "python"))
        return "run it with PYTHONMALLOC=malloc and GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "
               "(Python's own arenas are "
               "not on huge pages)";
    if (findings->snapshot->objects[index].kind != OBJECT_HEAP)
        return "madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB";
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++)
        if ((heap->note && strstr(heap->note, allocators[i].library)) ||
            (heap->source && strstr(heap->source, allocators[i].library)))
            return allocators[i].way;
    return "by the settings of its allocator, or madvise(MADV_HUGEPAGE) on memory aligned to 2 MiB";
}

static void reach(struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    struct memory_use use;
    if (!spread || !findings->window || findings_order(findings, index) != SPREAD_SCATTERED ||
        findings_has_kind(findings, (uint32_t)index, FINDING_COLUMNS)) /* it has an order */
        return;
    findings_memory(findings, spread->lowest + (spread->highest - spread->lowest) / 2, &use);
    double entries = use.tlb_entries ? use.tlb_entries : TLB_ENTRIES_MOST;
    double most = (double)((spread->highest - spread->lowest) / FINDINGS_PAGE_BYTES + 1);
    if (!(use.huge_share <= huge_at_most) || most < beyond_reach * entries)
        return;
    double pages = fmin(findings_pages(findings, index), most);
    if (pages < beyond_reach * entries)
        return;
    struct snapshot_finding finding = {
        .kind = FINDING_REACH,
        .sure = FINDING_PERHAPS,
        .page = FINDING_ON_DETAIL,
        .object = (uint32_t)index,
        .gain = findings_share(findings, index) * (1 - entries / pages) * walk_at_most,
        .gain_low = findings_share(findings, index) * (1 - entries / pages) * walk_at_least};
    finding.evidence = arena_printf(
        findings->arena,
        "It is used on at least %.0f pages of 4 KiB (%.0f MiB); the TLB holds %s%.0f (%.1f MiB)%s. "
        "%.0f%% of its memory is on huge pages.",
        pages, pages * FINDINGS_PAGE_BYTES / (1 << 20),
        use.tlb_entries ? "about " : "no more than ", entries,
        entries * FINDINGS_PAGE_BYTES / (1 << 20),
        use.tlb_entries ? "" : ", how many is not known here (misstop doctor measures it)",
        use.huge_share * 100);
    finding.advice = arena_printf(findings->arena,
                                  "Put it on huge pages: %s. Or keep what is used together on the "
                                  "same pages.",
                                  huge_pages_by(findings, index));
    finding.reckoned =
        "3 to 40% of its samples on pages beyond the TLB: the page walks go, the wait for the "
        "data stays";
    finding.how_sure = "no hardware told of page walks here, and they may overlap with other waits";
    findings_add(findings, &finding);
}

static void first_touch(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    struct memory_use use;
    bool fresh = object->kind == OBJECT_ANON || object->kind == OBJECT_HEAP ||
                 object->kind == OBJECT_MAP || object->kind == OBJECT_UNKNOWN;
    if (!fresh || object->samples < FRESH_SAMPLES ||
        object->stores < stores_at_least * object->samples ||
        !(findings_share(findings, index) >= first_share))
        return;
    findings_memory(findings, 0, &use);
    if (!(use.faults_per_s >= faults_per_s) || !(use.kernel_share >= kernel_at_least))
        return;
    struct snapshot_finding finding = {
        .kind = FINDING_FIRST_TOUCH,
        .sure = FINDING_PERHAPS,
        .page = FINDING_ON_DETAIL,
        .object = (uint32_t)index,
        .gain = use.kernel_share + (1 - use.kernel_share) * findings_share(findings, index),
        .gain_low = kernel_saved * use.kernel_share};
    finding.evidence = arena_printf(
        findings->arena,
        "%.0f%% of the samples on it are stores, while the process takes %.0f page faults a second "
        "(%.0f MB/s of fresh memory) and the kernel %.0f%% of its CPU time.",
        100 * object->stores / object->samples, use.faults_per_s,
        use.faults_per_s * FINDINGS_PAGE_BYTES / 1e6, use.kernel_share * 100);
    finding.advice =
        "Use the memory again instead of giving it back and taking fresh one (keep the "
        "buffer; for malloc, raise M_MMAP_THRESHOLD and M_TRIM_THRESHOLD); where it is "
        "filled once, huge pages take one fault for 512.";
    finding.reckoned =
        "half of the kernel's part of the CPU time, to all of it and the samples on it";
    finding.how_sure = "that the faults are on this memory is taken from its being written most; "
                       "misstop -e page-faults tells where they are";
    findings_add(findings, &finding);
}

/* Simulated misses are of lines, and its time is none: neither walks nor faults. */
void findings_reach(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count && !findings_simulated(findings); i++)
        reach(findings, i);
}

void findings_first_touch(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count && !findings_simulated(findings); i++)
        first_touch(findings, i);
}
