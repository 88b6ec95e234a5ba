/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/waits.h"

#include <math.h>

#include "profile/cache/spread.h"
#include "profile/tables/statistics.h"

enum {
    LINE_SHIFT = 6,
    LINES_OF_PAGE = 64,
    PAGE_START = 4,  /* first lines of a page, for which a prefetcher that stops at pages is late */
    SAMPLES_MIN = 64 /* minimum for a group, and for chases */
};

/* The wait for an evicted line, relative to the minimum time to fetch one of the lines that evicted
 * it: 14 cycles in L2 to 4 per line, 50 in L3 to 6, 300 in memory to 10. */
static const double wait_by_fetch[WAIT_LEVELS] = {14 / 4., 50 / 6., 300 / 10.};

/* The share of L2 and L3 that fills: sets are selected by physical address, unevenly. */
static const double even_part = 0.5;

static const double periods_next = 2.5; /* samples of a thread further apart are not compared */
static const double bytes_per_ns = 20;  /* upper bound of what a core reads from memory */
static const double order_errors = 3;   /* standard errors */
/* Maximum chases at page starts, relative to an even distribution. */
static const double crowd_most = 2.0;
static const double says_nothing = 0.98;

static uint32_t index_of(const struct waits *waits, const struct window_entry *mapped)
{
    return (uint32_t)(mapped - waits->window->entries);
}

static bool find_threads(struct waits *waits)
{
    const struct window *window = waits->window;
    uint32_t last = 0;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if ((i == 0 || entry->tid != last) && !hash_insert(&waits->threads, entry->tid, NULL))
            return false;
        last = entry->tid;
    }
    return true;
}

/* Marks lines that can disappear: written by another thread or process, or flushed. */
static bool find_invalidated_lines(struct waits *waits, const struct hash *objects)
{
    const struct window *window = waits->window;
    bool any = waits->threads.count > 1 || objects->count;
    for (uint32_t i = 0; any && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        const struct window_entry *mapped = window_find(window, entry->address);
        if ((entry->tid != mapped->tid || hash_find(objects, entry->object)) &&
            !hash_insert(&waits->volatile_lines, index_of(waits, mapped), NULL))
            return false;
    }
    return true;
}

static bool is_line_invalidated(const struct waits *waits, const struct window_entry *mapped)
{
    return waits->volatile_lines.count &&
           hash_find(&waits->volatile_lines, index_of(waits, mapped));
}

/* Returns the class of a sample count: 1, 2, 3, 4 to 5, 6 to 7, 8 to 11, ... */
static unsigned class_of(uint32_t count)
{
    unsigned log = 31 - (unsigned)__builtin_clz(count);
    unsigned class = log ? 2 * log + (count >> (log - 1) & 1) - 1 : 0;
    return class < WAITS_CLASSES ? class : WAITS_CLASSES - 1;
}

static void add_line(struct waits_set *set, const struct window_entry *mapped, bool taken)
{
    unsigned class = taken ? 0 : class_of(mapped->count);
    set->lines[class]++;
    set->samples[class] += mapped->count;
}

/*
 * Chooses which lines of a set count as held. With LRU, each of h held lines misses at most once
 * per ways - h + 1 fetches of other lines. Any minimum sample count is valid if the lines above it
 * fit into the ways; uses the one with the lowest bound. `elsewhere`: samples on lines outside the
 * window.
 */
static void choose_held_lines(struct waits_set *set, double ways, double wait_by_fetch_of,
                              double elsewhere)
{
    double held = 0; /* lines */
    double others = elsewhere;
    double best = INFINITY;
    for (unsigned i = 0; i < WAITS_CLASSES; i++)
        others += set->samples[i];
    set->held_from_class = WAITS_CLASSES;
    for (unsigned from = WAITS_CLASSES; from-- > 1 && (held += set->lines[from]) <= ways;) {
        others -= set->samples[from];
        double evicted = wait_by_fetch_of * others / (ways - held + 1);
        double most = others;
        for (unsigned i = from; i < WAITS_CLASSES; i++)
            most += fmin(set->samples[i], set->lines[i] * evicted);
        if (held > 0 && most < best) {
            best = most;
            set->held_from_class = from;
            set->eviction_samples = evicted;
        }
    }
}

static unsigned waits_set_index(uint64_t address)
{
    return (address >> LINE_SHIFT) % WAITS_SETS;
}

bool waits_init(struct waits *waits, const struct window *window, const uint64_t lines[WAIT_LEVELS],
                double elsewhere, const struct hash *objects)
{
    *waits = (struct waits){.window = window};
    hash_init(&waits->volatile_lines);
    hash_init(&waits->threads);
    for (int i = 0; i < WAIT_LEVELS; i++)
        waits->lines[i] = lines[i];
    if (!find_threads(waits) || !find_invalidated_lines(waits, objects))
        return false;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!entry->mapped)
            continue;
        bool taken = is_line_invalidated(waits, entry);
        add_line(&waits->first[waits_set_index(entry->address)], entry, taken);
        for (int level = WAIT_BEYOND_L2; level < WAIT_LEVELS; level++)
            add_line(&waits->of_levels[level], entry, taken);
    }
    for (int i = 0; i < WAITS_SETS; i++)
        choose_held_lines(&waits->first[i], (double)lines[WAIT_BEYOND_L1] / WAITS_SETS,
                          wait_by_fetch[WAIT_BEYOND_L1], elsewhere / WAITS_SETS);
    for (int level = WAIT_BEYOND_L2; level < WAIT_LEVELS; level++)
        choose_held_lines(&waits->of_levels[level], even_part * (double)lines[level],
                          wait_by_fetch[level], elsewhere);
    return true;
}

void waits_fini(struct waits *waits)
{
    hash_fini(&waits->volatile_lines);
    hash_fini(&waits->threads);
}

/* Computes the share of a line's samples that may have waited, by level. */
static void line_wait_shares(const struct waits *waits, const struct window_entry *mapped,
                             double most[WAIT_LEVELS])
{
    unsigned class = is_line_invalidated(waits, mapped) ? 0 : class_of(mapped->count);
    double beyond = 0;
    for (int level = WAIT_LEVELS - 1; level >= 0; level--) {
        const struct waits_set *set =
            level ? &waits->of_levels[level] : &waits->first[waits_set_index(mapped->address)];
        if (waits->lines[level])
            beyond += class >= set->held_from_class ? set->eviction_samples : mapped->count;
        most[level] = fmin(1, beyond / mapped->count);
    }
}

static void add_chase(const struct window_entry *entry, uint32_t count, struct waits_sums *sums)
{
    uint64_t address = entry->address;
    bool first = !sums->chases;
    sums->chases++;
    sums->chases_hot += count > 2;
    sums->chases_twice += count == 2;
    sums->page_starts += (address >> LINE_SHIFT) % LINES_OF_PAGE < PAGE_START;
    if (first || address < sums->lowest)
        sums->lowest = address;
    if (first || address > sums->highest)
        sums->highest = address;
    double step_ns = (double)(entry->time_ns - sums->last_ns);
    if (!first && entry->tid == sums->last_tid && step_ns < periods_next * window_weight(entry)) {
        sums->steps_forward += address > sums->last;
        sums->steps_backward += address < sums->last;
        sums->step_ns += step_ns;
    }
    sums->last = address;
    sums->last_ns = entry->time_ns;
    sums->last_tid = entry->tid;
}

/* A line that the same pass accessed before is cached, unless another thread took it. */
static void add_wait_shares(const struct window_entry *entry, const double most[WAIT_LEVELS],
                            bool taken, struct waits_sums *sums)
{
    double later = entry->per_line_log2 ? (1u << entry->per_line_log2) - 1 : 0;
    for (int level = 0; level < WAIT_LEVELS; level++)
        if (!entry->line_was_accessed || (taken && !(later > 0)))
            *(later > 0 ? &sums->pass_starts[level] : &sums->may_have_waited[level]) += most[level];
        else if (later > 0)
            sums->pass_start_hits[level] += most[level] / later;
}

void waits_take(const struct waits *waits, const struct window_entry *entry,
                struct waits_sums *const *sums, size_t count)
{
    const struct window_entry *mapped = window_find(waits->window, entry->address);
    double most[WAIT_LEVELS];
    line_wait_shares(waits, mapped, most);
    bool taken = is_line_invalidated(waits, mapped);
    for (size_t i = 0; i < count; i++) {
        sums[i]->samples++;
        add_wait_shares(entry, most, taken, sums[i]);
        if (entry->is_pointer_chase && !entry->line_was_accessed)
            add_chase(entry, mapped->count, sums[i]);
    }
}

/*
 * Returns an upper bound of the share of chases on lines that the level may have held. N lines have
 * a share p of the samples only if two samples are on the same line with a probability of at least
 * p^2 / N (Cauchy and Schwarz), whatever the lines. Lines with three samples count as held.
 */
static double share_held_at_most(const struct waits_sums *sums, double lines)
{
    double rest = sums->chases - sums->chases_hot;
    double met = sums->chases_twice / 2;
    double met_most = met + 2 * sqrt(met + 1) + 2; /* Poisson, 97.5 % */
    double held = rest > 1 ? sqrt(lines * met_most / (rest * (rest - 1) / 2)) : 1;
    return (sums->chases_hot + rest * fmin(1, held)) / sums->chases;
}

/* Returns true if the chases are not passes in order. A pass has at least k samples, from the bytes
 * that a core can read between two samples, so at least 1 - 1/k of its steps have one direction. */
static bool chases_have_no_order(const struct waits_sums *sums)
{
    const struct spread order = {.up = (uint32_t)sums->steps_forward,
                                 .down = (uint32_t)sums->steps_backward,
                                 .lowest = sums->lowest,
                                 .highest = sums->highest};
    double steps = sums->steps_forward + sums->steps_backward;
    double pass = (double)(sums->highest - sums->lowest) / bytes_per_ns / sums->step_ns * steps;
    return spread_order(&order, INFINITY) == SPREAD_SCATTERED &&
           fabs(sums->steps_forward / steps - 0.5) + order_errors * sqrt(0.25 / steps) <
               0.5 - 1 / pass;
}

double waits_chased(const struct waits *waits, const struct waits_sums *sums, enum wait_level level)
{
    double even = sums->chases * PAGE_START / LINES_OF_PAGE;
    if (sums->chases < SAMPLES_MIN || !waits->lines[level] || !chases_have_no_order(sums) ||
        sums->page_starts > crowd_most * even + 2 * sqrt(even))
        return 0;
    double lines = (double)waits->lines[level] * (double)waits->threads.count;
    return sums->chases * (1 - share_held_at_most(sums, lines));
}

/* Estimates the samples of passes that waited: the excess of the first access to a line over the
 * later accesses, which do the same work with a cached line. */
static double passes_waited(const struct waits_sums *sums, enum wait_level level, double errors)
{
    double above = sums->pass_starts[level] - sums->pass_start_hits[level];
    return fmax(0, above + errors * sqrt(sums->pass_starts[level] + sums->pass_start_hits[level]));
}

struct snapshot_wait waits_bounds(const struct waits *waits, const struct waits_sums *sums,
                                  const double chased[WAIT_LEVELS])
{
    struct snapshot_wait wait = {.evidence = WAIT_FROM_RECURRENCE};
    double samples = sums->samples;
    for (int i = 0; i < WAIT_LEVELS; i++) {
        double most =
            sums->may_have_waited[i] + fmin(sums->pass_starts[i], passes_waited(sums, i, 2));
        double least = chased[i] + (i == WAIT_BEYOND_L1 ? passes_waited(sums, i, -3) : 0);
        bool known = samples >= SAMPLES_MIN && waits->lines[i];
        wait.high[i] = known ? interval_share(fmin(most / samples, 1), samples).high : NAN;
        /* The excess over later accesses may be larger on a level further out. */
        if (known && i > 0)
            wait.high[i] = fmin(wait.high[i], wait.high[i - 1]);
        wait.low[i] = known ? interval_share(fmin(least / samples, 1), samples).low : NAN;
        wait.low[i] = least > 0 ? fmin(wait.low[i], wait.high[i]) : known ? 0 : NAN;
    }
    return wait;
}

void waits_drop_uninformative(struct snapshot_wait *wait)
{
    bool any = false;
    for (int i = 0; i < WAIT_LEVELS; i++) {
        if (!(wait->low[i] > 0) && !(wait->high[i] < says_nothing))
            wait->low[i] = wait->high[i] = NAN;
        any |= !isnan(wait->high[i]);
    }
    if (!any)
        *wait = (struct snapshot_wait){.evidence = WAIT_UNKNOWN};
}
