/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"
#include "view/widget/columns.h"
#include "view/words.h"

/* The share can be unknown for the total only. */
bool levels_report_far(const struct snapshot *snapshot)
{
    bool known = snapshot->levels && !isnan(snapshot->levels->far_share);
    for (size_t i = 0; snapshot->levels && !known && i < snapshot->object_count; i++)
        known = snapshot->objects[i].levels && !isnan(snapshot->objects[i].levels->far_share);
    return known;
}

static bool has_role(const struct snapshot_source *source, enum event_role role)
{
    for (size_t i = 0; i < source->event_count; i++)
        if (source->events[i].role == role)
            return true;
    return false;
}

/* If no event counts stalls, cycles are the closest (rates_plan()). */
static enum event_role stall_role(const struct snapshot_source *source)
{
    return has_role(source, EVENT_STALL) ? EVENT_STALL : EVENT_TIME;
}

void levels_basis(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_source *source = &snapshot->source;
    *out = '\0';
    if (!snapshot->levels)
        return;
    if (snapshot->levels->evidence == LEVELS_COUNTED)
        snprintf(out, size, "%s misses, computed from the counts of several events",
                 has_role(source, EVENT_MISS_L1) ? "L1" : "L2");
    else if (source->weight_unit)
        snprintf(out, size, "%s", source->weight_unit);
}

/* The figures in display order. */
static const struct {
    size_t at;
    const char *words;
} figures[] = {{offsetof(struct snapshot_levels, latency), "cycles"},
               {offsetof(struct snapshot_levels, stall), "of all waiting"},
               {offsetof(struct snapshot_levels, far_share), "beyond this core"},
               {offsetof(struct snapshot_levels, hitm), "modified elsewhere"},
               {offsetof(struct snapshot_levels, remote), "of another node"},
               {offsetof(struct snapshot_levels, tlb_miss), "missed the TLB"}};
enum { FIGURES = sizeof figures / sizeof *figures, TEXT_BYTES = 96 };

/* Formats one figure in words. Returns false if it is not known. Skips the stall share of the
 * total, which is always 100 %. */
static bool format_level(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                         int i, char out[TEXT_BYTES])
{
    const double *value = (const double *)(const void *)((const char *)levels + figures[i].at);
    if (!isfinite(*value) || (value == &levels->stall && levels == snapshot->levels))
        return false;
    if (value == &levels->latency)
        snprintf(out, TEXT_BYTES, "mean %.0f %s", *value, figures[i].words);
    else
        snprintf(out, TEXT_BYTES, "%.1f%% %s", *value * 100, figures[i].words);
    return true;
}

void levels_sentence(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                     char *out, size_t size)
{
    char basis[160];
    char texts[TEXT_BYTES];
    *out = '\0';
    if (!levels)
        return;
    snprintf(out, size, "found in: %s", *levels->summary ? levels->summary : "?");
    for (int i = 0; i < FIGURES; i++)
        if (format_level(snapshot, levels, i, texts))
            text_append(out, size, ", %s", texts);
    levels_basis(snapshot, basis, sizeof basis);
    if (*basis)
        text_append(out, size, "; counted: only %s", basis);
}

double levels_stall_share(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    enum event_role role = stall_role(&snapshot->source);
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].role == role)
            return object->event_share[i];
    return object->levels ? object->levels->stall : NAN;
}

/* Adds two numbers; NAN counts as 0 unless both are NAN. */
static double add_known(double sum, double more)
{
    return isnan(more) ? sum : isnan(sum) ? more : sum + more;
}

static void add_known_each(double *sums, const double *more, int count)
{
    for (int i = 0; i < count; i++)
        sums[i] = add_known(sums[i], more[i]);
}

/* Averages two shares, weighted by their accesses. */
static double weighted_mean(double of_sum, double sum_accesses, double of_more,
                            double more_accesses)
{
    double all = sum_accesses + more_accesses;
    return isnan(of_more) || !(more_accesses > 0)
               ? of_sum
               : (isnan(of_sum) ? of_more
                                : (of_sum * sum_accesses + of_more * more_accesses) / all);
}

void levels_join(struct snapshot_levels *levels, const struct snapshot_levels *more)
{
    levels->remote = weighted_mean(levels->remote, levels->accesses, more->remote, more->accesses);
    levels->locked = weighted_mean(levels->locked, levels->accesses, more->locked, more->accesses);
    levels->blocked =
        weighted_mean(levels->blocked, levels->accesses, more->blocked, more->accesses);
    levels->accesses = add_known(levels->accesses, more->accesses);
    levels->stall = add_known(levels->stall, more->stall);
    add_known_each(levels->level, more->level, DATA_LEVEL_COUNT);
    add_known_each(levels->waited, more->waited, DATA_LEVEL_COUNT);
    add_known_each(levels->snoop, more->snoop, SNOOP_COUNT);
    add_known_each(levels->tlb, more->tlb, TLB_COUNT);
    add_known_each(levels->histogram, more->histogram, SNAPSHOT_LATENCY_CLASSES);
    snapshot_levels_derive(levels);
}

static double sum_known(const double *counts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += isnan(counts[i]) ? 0 : counts[i];
    return sum;
}

static double levels_share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Parts of a row's identity, which must not change when other rows come and go. */
enum part { PART_LEVEL, PART_LATENCY, PART_SNOOP, PART_TLB, PART_REST, PART_RULE };

static struct levels_row *levels_rows_add(struct levels_rows *rows, enum part part, int index)
{
    struct levels_row *row = &rows->list[rows->count++];
    *row = (struct levels_row){.identity = (uint32_t)part << 8 | (uint32_t)index,
                               .share = NAN,
                               .accesses = NAN,
                               .waited = NAN};
    return row;
}

static void add_rule(struct levels_rows *rows, enum part part, const char *text)
{
    levels_rows_add(rows, PART_RULE, part)->parting = text;
}

/* Adds a row for each count that is not 0; `all` is their total. */
static void add_counts(struct levels_rows *rows, enum part part, const double *counts, int count,
                       double all, const char *(*name)(unsigned), const char *const *meanings)
{
    for (int i = 0; i < count; i++) {
        if (!(counts[i] > 0))
            continue;
        struct levels_row *row = levels_rows_add(rows, part, i);
        snprintf(row->name, sizeof row->name, "%s", name((unsigned)i));
        row->meaning = meanings[i];
        row->accesses = counts[i];
        row->share = levels_share(counts[i], all);
    }
}

static void add_levels(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    static const char *const meanings[DATA_LEVEL_COUNT] = {
        [DATA_UNKNOWN] = "not reported by the hardware",
        [DATA_LFB] = "already requested, in flight",
        [DATA_L3] = "shared by the cores",
        [DATA_CACHE] = "some cache beyond the L1",
        [DATA_PEER_CACHE] = "another core's cache, same node",
        [DATA_REMOTE_CACHE] = "another node or socket",
        [DATA_DRAM] = "of this node",
        [DATA_REMOTE_DRAM] = "of another node",
        [DATA_MEMORY] = "of whichever node",
        [DATA_PMEM] = "persistent memory",
        [DATA_BEYOND_L1] = "missed the L1; the level is not reported",
        [DATA_BEYOND_L2] = "missed the L2; the level is not reported",
        [DATA_BEYOND_L3] = "missed the L3; the level is not reported",
    };
    double waited = sum_known(levels->waited, DATA_LEVEL_COUNT);
    add_counts(rows, PART_LEVEL, levels->level, DATA_LEVEL_COUNT, levels->accesses, data_level_name,
               meanings);
    for (size_t i = 0; i < rows->count; i++)
        rows->list[i].waited =
            levels_share(levels->waited[rows->list[i].identity & UINT8_MAX], waited);
}

/* Adds the latency classes from shortest to longest, empty ones too: the distribution. */
static void add_latency(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    enum { LAST = SNAPSHOT_LATENCY_CLASSES - 1 };
    double all = sum_known(levels->histogram, SNAPSHOT_LATENCY_CLASSES);
    int first = 0;
    int last = LAST;
    if (!(all > 0)) {
        add_rule(rows, PART_LATENCY, "latency: not reported");
        return;
    }
    int used = snprintf(rows->latency, sizeof rows->latency, "latency in core cycles");
    if (isfinite(levels->latency))
        snprintf(rows->latency + used, sizeof rows->latency - (size_t)used, ", mean %.0f",
                 levels->latency);
    add_rule(rows, PART_LATENCY, rows->latency);
    while (!(levels->histogram[first] > 0))
        first++;
    while (!(levels->histogram[last] > 0))
        last--;
    for (int i = first; i <= last; i++) {
        struct levels_row *row = levels_rows_add(rows, PART_LATENCY, i);
        unsigned from = 1u << i;
        if (i == LAST)
            snprintf(row->name, sizeof row->name, "%u or more", from);
        else if (from == 1)
            snprintf(row->name, sizeof row->name, "1");
        else
            snprintf(row->name, sizeof row->name, "%u to %u", from, 2 * from - 1);
        row->accesses = levels->histogram[i];
        row->share = levels_share(levels->histogram[i], all);
    }
}

static void add_snoops(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    static const char *const meanings[SNOOP_COUNT] = {
        [SNOOP_UNKNOWN] = "not reported by the hardware",
        [SNOOP_NONE] = "no other cache was snooped",
        [SNOOP_MISS] = "not in other caches",
        [SNOOP_HIT] = "in another cache, unmodified",
        [SNOOP_FORWARD] = "handed over, unmodified",
        [SNOOP_PEER] = "forwarded by a peer cache",
        [SNOOP_HITM] = "modified in another cache: sharing",
    };
    double all = sum_known(levels->snoop, SNOOP_COUNT);
    if (!(all > 0))
        return;
    add_rule(rows, PART_SNOOP, "snoop results");
    add_counts(rows, PART_SNOOP, levels->snoop, SNOOP_COUNT, all, data_snoop_name, meanings);
}

static void add_tlb(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    static const char *const meanings[TLB_COUNT] = {
        [TLB_HIT] = "in its first or second level",
        [TLB_MISS] = "page walk: huge pages help",
        [TLB_FAULT] = "handled by the kernel",
    };
    double known[TLB_COUNT];
    memcpy(known, levels->tlb, sizeof known);
    known[TLB_UNKNOWN] = 0;
    double all = sum_known(known, TLB_COUNT);
    if (!(all > 0))
        return;
    add_rule(rows, PART_TLB, "TLB, if reported");
    add_counts(rows, PART_TLB, known, TLB_COUNT, all, data_tlb_name, meanings);
}

static void add_flag_shares(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    static const char *const names[] = {"remote", "locked", "blocked"};
    static const char *const meanings[] = {"found on another node", "atomic instructions",
                                           "blocked by an earlier store"};
    const double shares[] = {levels->remote, levels->locked, levels->blocked};
    bool ruled = false;
    for (int i = 0; i < 3; i++) {
        if (isnan(shares[i]))
            continue;
        if (!ruled)
            add_rule(rows, PART_REST, "the rest of those reported");
        ruled = true;
        struct levels_row *row = levels_rows_add(rows, PART_REST, i);
        snprintf(row->name, sizeof row->name, "%s", names[i]);
        row->meaning = meanings[i];
        row->share = shares[i];
    }
}

void levels_rows_make(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    rows->count = 0;
    if (!levels)
        return;
    add_levels(rows, levels);
    add_latency(rows, levels);
    add_snoops(rows, levels);
    add_tlb(rows, levels);
    add_flag_shares(rows, levels);
}

/* Columns of the Levels pane. Separators between its parts have no values. */

static const char *levels_parting(const void *pointer)
{
    return ((const struct levels_row *)pointer)->parting;
}

static const struct column list[] = {
    COLUMN(.title = "FOUND IN",
           .help = "The level, or another response of the hardware, named above its group.",
           .from = FIELD(struct levels_row, name), .width = 11, .width_max = 17,
           .paint = paint_strong),
    COLUMN(.title = "OF IT",
           .help = "Share of the object's accesses for which the hardware reports it.",
           .from = FIELD(struct levels_row, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct levels_row, share), .width = 6, .width_max = 24,
           .rank = 1, .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "WAITED",
           .help = "Share of the cycles of the object's accesses for this level.",
           .from = FIELD(struct levels_row, waited), .width = 6, .rank = 2,
           .shown_if = VIA_KNOWN(struct snapshot, levels, latency), UNIT_SHARE),
    COLUMN(.title = "ACCESSES", .help = "Estimated accesses: a sample represents its period.",
           .from = FIELD(struct levels_row, accesses), .width = 8, .rank = 4, UNIT_COUNT,
           .paint = paint_dim),
    COLUMN(.title = "MEANS", .help = "What that is.", .from = FIELD(struct levels_row, meaning),
           .width = 24, .width_max = 46, .rank = 3, .paint = paint_dim),
};

const struct columns levels_columns = {
    .title = "Levels",
    TABLE(struct levels_row, list),
    .sort = COLUMNS_AS_THEY_COME,
    .key = FIELD(struct levels_row, identity),
    .parting = levels_parting,
};

/* One number is shown if an interval's ends differ by less than half, or by 0.1 %. */
static const double sure_ratio = 1.5;
static const double sure_width = 0.001;
/* Wider intervals are not shown, except if the rate is certainly small. */
static const double said_ratio = 10;
static const double small_rate = 0.2;
static const double cached_wait = 0.1; /* a row that waits less than this counts as cached */

static bool is_narrow_interval(const struct snapshot_share *share)
{
    return !isnan(share->value) &&
           (share->high <= share->low * sure_ratio || share->high - share->low <= sure_width);
}

static struct value rate_value(const struct snapshot_share *share, bool says_something)
{
    if (!share || isnan(share->low) || isnan(share->high))
        return value_number(NAN);
    if (is_narrow_interval(share))
        return value_number(share->value);
    bool near = share->high <= share->low * said_ratio;
    struct value value = value_number(near || says_something ? share->low : NAN);
    value.low = share->low;
    value.high = share->high;
    return value;
}

struct value rates_rate(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_share *share = pointer;
    (void)snapshot;
    return rate_value(share, share && share->high <= small_rate);
}

/* A wide interval is still shown if the ratio is certainly below 1. */
struct value rates_ratio(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_share *share = pointer;
    (void)snapshot;
    return rate_value(share, share && share->high < 1);
}

static bool is_ranked_by(const struct snapshot_source *source, enum event_role role)
{
    const struct snapshot_event *event = ranking_event(source);
    return event && event->role == role;
}

bool rates_report_accessed(const struct snapshot *snapshot)
{
    return !is_ranked_by(&snapshot->source, EVENT_ACCESS);
}

bool rates_report_stall_counted(const struct snapshot *snapshot)
{
    enum event_role role = stall_role(&snapshot->source);
    return snapshot->rates && !isnan(snapshot->rates->stall_share.value) &&
           !(snapshot->levels && !isnan(snapshot->levels->stall)) &&
           has_role(&snapshot->source, role) && !is_ranked_by(&snapshot->source, role);
}

struct value waits_range(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_wait *wait = pointer;
    bool known = wait->evidence != WAIT_UNKNOWN;
    struct value value = value_number(known ? wait->low[WAIT_BEYOND_L1] : NAN);
    (void)snapshot;
    if (value.kind != VALUE_UNKNOWN && wait->high[WAIT_BEYOND_L1] > wait->low[WAIT_BEYOND_L1]) {
        value.low = wait->low[WAIT_BEYOND_L1];
        value.high = wait->high[WAIT_BEYOND_L1];
    }
    return value;
}

struct value waits_cached(const struct snapshot *snapshot, const void *pointer)
{
    static const char *const names[WAIT_LEVELS] = {"L1", "L2", "L3"};
    const struct snapshot_wait *wait = pointer;
    (void)snapshot;
    for (int i = 0; wait->evidence != WAIT_UNKNOWN && i < WAIT_LEVELS; i++)
        if (wait->high[i] < cached_wait)
            return value_text(names[i]);
    return value_text(NULL);
}

double waits_most(const struct snapshot_wait *wait)
{
    bool known = wait->evidence != WAIT_UNKNOWN && !isnan(wait->high[WAIT_BEYOND_L1]);
    return known ? wait->high[WAIT_BEYOND_L1] : 1;
}

/* If time is sampled, the columns are shown from the start, so that none appears later. */
bool waits_known(const struct snapshot *snapshot)
{
    if (measured_of(&snapshot->source) == MEASURED_TIME)
        return true;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].wait.evidence != WAIT_UNKNOWN)
            return true;
    return false;
}

static void write_percent(char *out, size_t size, double value, double beside)
{
    snprintf(out, size, "%.*f", beside < 0.0995 ? 1 : 0, value * 100);
}

void format_rate(char *out, size_t size, struct value value)
{
    char low[32];
    char high[32];
    if (!(value.high > 0)) {
        format_percent(out, size, value);
        return;
    }
    write_percent(low, sizeof low, value.low, value.high);
    write_percent(high, sizeof high, value.high, value.high);
    snprintf(out, size, "%s-%s%%", low, high);
}

void format_ratio(char *out, size_t size, struct value value)
{
    if (value.high > 0)
        snprintf(out, size, "%.*f-%.*fx", value.low < 9.95 ? 1 : 0, value.low,
                 value.high < 9.95 ? 1 : 0, value.high);
    else
        format_times(out, size, value);
}

enum paint paint_rate(struct value value)
{
    return value.high > 0 ? PAINT_DIM : paint_share(value);
}

/* Highlights values above average. */
enum paint paint_ratio(struct value value)
{
    if (value.kind != VALUE_NUMBER)
        return PAINT_PLAIN;
    return value.number > 1.5 ? PAINT_WARN : value.high > 0 ? PAINT_DIM : PAINT_PLAIN;
}

/* Formats a share: "2.1% (1.5 to 3.0) miss the L1". Returns false if it is not known. */
static bool format_rate_bounds(const struct snapshot_share *share, bool ratio, const char *what,
                               char *out, size_t size)
{
    double by = ratio ? 1 : 100;
    const char *unit = ratio ? "x" : "%";
    if (isnan(share->low) || isinf(share->low * by) || isinf(share->value * by) ||
        isinf(share->high * by))
        return false;
    if (isnan(share->value))
        snprintf(out, size, "at least %.1f%s %s", share->low * by, unit, what);
    else if (share->high <= share->low)
        snprintf(out, size, "%.2f%s %s", share->value * by, unit, what);
    else if (isnan(share->high))
        snprintf(out, size, "%.1f%s (%.1f or more) %s", share->value * by, unit, share->low * by,
                 what);
    else
        snprintf(out, size, "%.1f%s (%.1f to %.1f) %s", share->value * by, unit, share->low * by,
                 share->high * by, what);
    return true;
}

enum { RATES_TEXT_BYTES = 96, PARTS = 6 };

/* Formats the parts of the sentence in order; returns their number. */
static int format_rates(const struct snapshot *snapshot, const struct snapshot_rates *rates,
                        char texts[PARTS][RATES_TEXT_BYTES])
{
    const struct {
        const struct snapshot_share *share;
        const char *what;
    } parts[PARTS] = {{&rates->miss_rate[RATE_L1], "miss the L1"},
                      {&rates->miss_rate[RATE_L2], "miss the L2"},
                      {&rates->miss_rate[RATE_MEMORY], "go to memory"},
                      {&rates->stall_share, "of all stalls"},
                      {&rates->stall_ratio, "its share of the misses"},
                      {&rates->access_share, "of all accesses"}};
    int count = 0;
    /* The totals of a simulation are exact, and are shown elsewhere. */
    if (rates == snapshot->rates && snapshot->simulation.level_count)
        return 0;
    /* For the total, the last three are always 100 %. */
    int shown = rates == snapshot->rates ? 3 : PARTS;
    bool tells_stalls = measured_of(&snapshot->source) != MEASURED_TIME;
    for (int i = 0; i < shown; i++)
        if ((parts[i].share != &rates->stall_share || tells_stalls) &&
            format_rate_bounds(parts[i].share, parts[i].share == &rates->stall_ratio, parts[i].what,
                               texts[count], RATES_TEXT_BYTES))
            count++;
    return count;
}

void rates_sentence(const struct snapshot *snapshot, const struct snapshot_rates *rates, char *out,
                    size_t size)
{
    char texts[PARTS][RATES_TEXT_BYTES];
    char text[16];
    int count = rates ? format_rates(snapshot, rates, texts) : 0;
    *out = '\0';
    if (count && !isnan(rates->accesses))
        snprintf(out, size, "%s accesses: ", text_count(text, rates->accesses));
    for (int i = 0; i < count; i++)
        text_append(out, size, "%s%s", i ? ", " : "", texts[i]);
}

static bool text_equal(const char *text, const char *other)
{
    return text && !strcmp(text, other);
}

void rates_wanting(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_source *source = &snapshot->source;
    const char *text = "";
    bool known = false;
    for (int i = 0; snapshot->rates && i < RATE_LEVELS; i++)
        known |= !isnan(snapshot->rates->miss_rate[i].value);
    if (known)
        text = "";
    else if (!source->live && measured_of(source) == MEASURED_TIME)
        text = "none: the recording contains only time";
    else if (!source->live)
        text = "none: the recording has no event for accesses in addition to one for misses, and "
               "no samples of both";
    else if (text_equal(source->name, "clock"))
        text = "none: a timer does not count accesses; misstop doctor says what does";
    else if (text_equal(source->name, "pebs"))
        text = "none: only slow loads are sampled; -e ldlat=3 samples all loads";
    else if (text_equal(source->name, "ibs"))
        text = "none yet, or a filter excludes hits: without -e ldlat and l3missonly all accesses "
               "are sampled";
    else if (!has_role(source, EVENT_ACCESS))
        text = "none: accesses are not counted; -e mem-fill,l1-miss,access counts them";
    else
        text =
            "none yet, or no miss event in addition to access: -e mem-fill,l1-miss,access has both";
    snprintf(out, size, "%s", text);
}

/* Below this, more fetched bytes are wasted than used. */
static const double half = 0.5;

struct value use_spatial(const struct snapshot *snapshot, const void *use)
{
    (void)snapshot;
    return value_number(snapshot_use_spatial(use));
}

struct value use_temporal(const struct snapshot *snapshot, const void *use)
{
    (void)snapshot;
    return value_number(snapshot_use_temporal(use));
}

enum paint paint_spatial(struct value value)
{
    if (value.kind != VALUE_NUMBER)
        return PAINT_PLAIN;
    return value.number < half / 2 ? PAINT_BAD : value.number < half ? PAINT_WARN : PAINT_PLAIN;
}

void format_again(char *out, size_t size, struct value value)
{
    char text[16];
    if (value.kind != VALUE_NUMBER)
        *out = '\0';
    else if (value.number < 100)
        snprintf(out, size, "%.1fx", value.number);
    else
        snprintf(out, size, "%sx", text_count(text, value.number));
}

/* Formats stores and floating-point accesses as fractions of the known accesses. */
static void format_uses(const struct snapshot_use *use, char *out, size_t size)
{
    double stores = use->uses[LINE_STORES_INTEGER] + use->uses[LINE_STORES_FLOAT];
    double floats = use->uses[LINE_LOADS_FLOAT] + use->uses[LINE_STORES_FLOAT];
    double all = use->uses[LINE_LOADS_INTEGER] + use->uses[LINE_LOADS_FLOAT] + stores;
    if (!(all > 0))
        return;
    text_append(out, size, "; %.0f%% loads, %.0f%% stores", fmax(100 - 100 * stores / all, 0),
                100 * stores / all);
    if (floats / all >= 0.005)
        text_append(out, size, ", %.0f%% of floating point", 100 * floats / all);
}

void use_sentence(const struct snapshot *snapshot, const struct snapshot_use *use, char *out,
                  size_t size)
{
    char lines[16];
    char again[24];
    char between[24] = "";
    *out = '\0';
    if (!use || !snapshot->uses.known || !(use->fetched_bytes > 0))
        return;
    format_again(again, sizeof again, use_temporal(snapshot, use));
    if (use->spatial_high - use->spatial_low >= 0.01)
        snprintf(between, sizeof between, " (%.0f..%.0f%%)", 100 * use->spatial_low,
                 100 * use->spatial_high);
    snprintf(out, size, "%s lines evicted from L%u%s: %.0f%%%s of their bytes used%s%s",
             text_count(lines, use->lines), snapshot->uses.level + 1,
             snapshot->uses.is_nearer ? " (few a deeper cache)" : "",
             100 * snapshot_use_spatial(use), between, *again ? ", each again " : "", again);
    format_uses(use, out, size);
}
