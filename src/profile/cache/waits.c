/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/waits.h"

#include <math.h>

#include "profile/cache/spread.h"
#include "profile/tables/statistics.h"

enum {
    LINE_SHIFT = 6,
    LINES_OF_PAGE = 64,
    PAGE_START = 4,    /* lines: where a prefetcher that stops at pages is late */
    SAMPLES_LEAST = 64 /* of a group, and of chases: fewer say nothing */
};

/*
 * A line that was evicted is fetched again from the next level. The wait for that, beside the least
 * time that fetching the lines which evicted it takes: 14 cycles in L2 beside 4 a line, 50 in L3
 * beside 6, 300 in memory beside 10.
 */
static const double wait_by_fetch[WAIT_LEVELS] = {14 / 4., 50 / 6., 300 / 10.};

/* The part of L2 and L3 that the lines seen may have: their sets are chosen by physical addresses,
 * and fill unevenly. */
static const double even_part = 0.5;

static const double crowd_most = 2.0; /* times the chases that even chance puts at page starts */
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

/* The core of one thread may have what another's writes take away. */
static bool find_shared(struct waits *waits)
{
    const struct window *window = waits->window;
    for (uint32_t i = 0; waits->threads.count > 1 && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        const struct window_entry *mapped = window_find(window, entry->address);
        if (entry->tid != mapped->tid &&
            !hash_insert(&waits->shared, index_of(waits, mapped), NULL))
            return false;
    }
    return true;
}

static bool is_shared(const struct waits *waits, const struct window_entry *mapped)
{
    return waits->shared.count && hash_find(&waits->shared, index_of(waits, mapped));
}

static void add_line(struct waits_set *set, const struct window_entry *mapped, bool shared)
{
    set->recurring += mapped->count > 1;
    set->samples += mapped->count;
    set->once += mapped->count == 1 || shared ? mapped->count : 0;
}

static struct waits_set *first_set(struct waits *waits, uint64_t address)
{
    return &waits->first[(address >> LINE_SHIFT) % WAITS_SETS];
}

bool waits_init(struct waits *waits, const struct window *window, const uint64_t lines[WAIT_LEVELS],
                double elsewhere)
{
    *waits = (struct waits){.window = window, .elsewhere = elsewhere};
    hash_init(&waits->shared);
    hash_init(&waits->threads);
    for (int i = 0; i < WAIT_LEVELS; i++)
        waits->lines[i] = lines[i];
    if (!find_threads(waits) || !find_shared(waits))
        return false;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!entry->mapped)
            continue;
        bool shared = is_shared(waits, entry);
        add_line(first_set(waits, entry->address), entry, shared);
        add_line(&waits->all, entry, shared);
    }
    return true;
}

void waits_fini(struct waits *waits)
{
    hash_fini(&waits->shared);
    hash_fini(&waits->threads);
}

/*
 * Samples on a line that may have waited because it was evicted in between: that takes as many
 * fetches of other lines as the set has ways. Where the set holds all lines that recur, only those
 * that do not recur evict any.
 */
static double evicted_most(const struct waits *waits, const struct window_entry *mapped,
                           enum wait_level level)
{
    const struct waits_set *set = &waits->all;
    double ways = even_part * (double)waits->lines[level];
    double others = waits->elsewhere;
    if (level == WAIT_BEYOND_L1) {
        set = &waits->first[(mapped->address >> LINE_SHIFT) % WAITS_SETS];
        ways = (double)waits->lines[level] / WAITS_SETS;
        others /= WAITS_SETS;
    }
    others += set->recurring <= ways ? set->once : set->samples - mapped->count;
    return waits->lines[level] ? wait_by_fetch[level] * others / ways : 0;
}

/* The part of the samples on a line that may have waited, by level. */
static void line_most(const struct waits *waits, const struct window_entry *mapped,
                      double most[WAIT_LEVELS])
{
    double beyond = 0;
    bool held = mapped->count > 1 && !is_shared(waits, mapped);
    for (int level = WAIT_LEVELS - 1; level >= 0; level--) {
        beyond += held ? evicted_most(waits, mapped, (enum wait_level)level) : 0;
        most[level] = held ? fmin(1, beyond / mapped->count) : 1;
    }
}

static void take_chase(const struct window_entry *entry, uint32_t count, struct waits_sums *sums)
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
    if (!first && entry->tid == sums->last_tid) {
        sums->up += address > sums->last;
        sums->down += address < sums->last;
    }
    sums->last = address;
    sums->last_tid = entry->tid;
}

void waits_take(const struct waits *waits, const struct window_entry *entry,
                struct waits_sums *sums)
{
    const struct window_entry *mapped = window_find(waits->window, entry->address);
    double later = entry->per_line ? (1u << entry->per_line) - 1 : 0;
    double most[WAIT_LEVELS];
    line_most(waits, mapped, most);
    sums->samples++;
    for (int level = 0; level < WAIT_LEVELS; level++)
        if (!entry->again)
            *(later > 0 ? &sums->passes[level] : &sums->most[level]) += most[level];
        else if (later > 0)
            sums->passes_hit[level] += most[level] / later;
    if (entry->chases && !entry->again)
        take_chase(entry, mapped->count, sums);
}

/*
 * The part of the chases that fell on lines which the level may have held. N lines have a part p of
 * the samples only if two samples meet on a line with a probability of p^2 / N or more (Cauchy and
 * Schwarz), whatever the lines; lines seen three times are taken to be held.
 */
static double held_most(const struct waits_sums *sums, double lines)
{
    double rest = sums->chases - sums->chases_hot;
    double met = sums->chases_twice / 2;
    double met_most = met + 2 * sqrt(met + 1) + 2; /* Poisson, 97.5 % */
    double held = rest > 1 ? sqrt(lines * met_most / (rest * (rest - 1) / 2)) : 1;
    return (sums->chases_hot + rest * fmin(1, held)) / sums->chases;
}

double waits_chased(const struct waits *waits, const struct waits_sums *sums,
                    enum wait_level level, double rate)
{
    const struct spread order = {.up = (uint32_t)sums->up,
                                 .down = (uint32_t)sums->down,
                                 .lowest = sums->lowest,
                                 .highest = sums->highest};
    double even = sums->chases * PAGE_START / LINES_OF_PAGE;
    if (sums->chases < SAMPLES_LEAST || !waits->lines[level] ||
        spread_order(&order, spread_pass_samples(&order, rate)) != SPREAD_SCATTERED ||
        sums->page_starts > crowd_most * even + 2 * sqrt(even))
        return 0;
    double lines = (double)waits->lines[level] * (double)waits->threads.count;
    return sums->chases * (1 - held_most(sums, lines));
}

/* Samples of passes that waited: what the first access to a line has above the later ones, which
 * do the same with a line that is there. */
static double passes_waited(const struct waits_sums *sums, enum wait_level level, double errors)
{
    double above = sums->passes[level] - sums->passes_hit[level];
    return fmax(0, above + errors * sqrt(sums->passes[level] + sums->passes_hit[level]));
}

struct snapshot_wait waits_bounds(const struct waits *waits, const struct waits_sums *sums,
                                  const double chased[WAIT_LEVELS])
{
    struct snapshot_wait wait = {.from = WAIT_FROM_RECURRENCE};
    double samples = sums->samples;
    for (int i = 0; i < WAIT_LEVELS; i++) {
        double most = sums->most[i] + fmin(sums->passes[i], passes_waited(sums, i, 2));
        double least = chased[i] + (i == WAIT_BEYOND_L1 ? passes_waited(sums, i, -2) : 0);
        bool known = samples >= SAMPLES_LEAST && waits->lines[i];
        wait.high[i] = known ? interval_share(fmin(most / samples, 1), samples).high : NAN;
        wait.low[i] = known ? interval_share(fmin(least / samples, 1), samples).low : NAN;
        wait.low[i] = least > 0 ? fmin(wait.low[i], wait.high[i]) : known ? 0 : NAN;
    }
    return wait;
}

void waits_blank(struct snapshot_wait *wait)
{
    bool any = false;
    for (int i = 0; i < WAIT_LEVELS; i++) {
        if (!(wait->low[i] > 0) && !(wait->high[i] < says_nothing))
            wait->low[i] = wait->high[i] = NAN;
        any |= !isnan(wait->high[i]);
    }
    if (!any)
        *wait = (struct snapshot_wait){.from = WAIT_UNKNOWN};
}
