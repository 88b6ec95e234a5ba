/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/tables/rates.h"

/* An interval whose ends differ by less than a half is a number: one reads a difference of that
 * size out of two numbers. So is one too narrow to print, 0.1 % wide. */
static const double sure_ratio = 1.5;
static const double sure_width = 0.001;
/* One whose ends are farther apart than this says hardly anything, but for a rate that it is small.
 */
static const double said_ratio = 10;
static const double small_rate = 0.2;

static const struct snapshot_share *figure_of(const struct snapshot_rates *rates,
                                              enum rates_figure figure)
{
    const struct snapshot_share *figures[RATES_FIGURES] = {&rates->accessed,
                                                           &rates->miss_rate[RATE_L1],
                                                           &rates->miss_rate[RATE_L2],
                                                           &rates->miss_rate[RATE_MEMORY],
                                                           &rates->stall,
                                                           &rates->critical};
    return figures[figure];
}

static bool is_sure(const struct snapshot_share *share)
{
    return !isnan(share->value) &&
           (share->high <= share->low * sure_ratio || share->high - share->low <= sure_width);
}

static struct value value_of(const struct snapshot_share *share, bool says_something)
{
    if (!share || isnan(share->low) || isnan(share->high))
        return value_number(NAN);
    if (is_sure(share))
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
    return value_of(share, share && share->high <= small_rate);
}

/* Which side of 1 it is on is something. */
struct value rates_ratio(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_share *share = pointer;
    (void)snapshot;
    return value_of(share, share && share->high < 1);
}

static bool rates_known(const struct snapshot_rates *rates, enum rates_figure figure)
{
    return rates && !isnan(figure_of(rates, figure)->value);
}

/* Of everything: what is known of a part is known of that. */
static bool tells(const struct snapshot *snapshot, enum rates_figure figure)
{
    return rates_known(snapshot->rates, figure);
}

static bool has_role(const struct snapshot_source *source, enum event_role role)
{
    for (size_t i = 0; i < source->event_count; i++)
        if (source->events[i].role == role)
            return true;
    return false;
}

static bool ranks(const struct snapshot_source *source, enum event_role role)
{
    return source->ranking < source->event_count && source->events[source->ranking].role == role;
}

bool rates_tell_accessed(const struct snapshot *snapshot)
{
    return tells(snapshot, RATES_ACCESSED) && !ranks(&snapshot->source, EVENT_ACCESS);
}

bool rates_tell_stall_counted(const struct snapshot *snapshot)
{
    return tells(snapshot, RATES_STALL) && has_role(&snapshot->source, EVENT_STALL) &&
           !ranks(&snapshot->source, EVENT_STALL);
}

bool rates_tell_miss_l1(const struct snapshot *snapshot)
{
    return tells(snapshot, RATES_MISS_L1);
}

bool rates_tell_miss_l2(const struct snapshot *snapshot)
{
    return tells(snapshot, RATES_MISS_L2);
}

bool rates_tell_miss_memory(const struct snapshot *snapshot)
{
    return tells(snapshot, RATES_MISS_MEMORY);
}

bool rates_tell_critical(const struct snapshot *snapshot)
{
    return tells(snapshot, RATES_CRITICAL);
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

/* Above average is what one looks for. */
enum paint paint_ratio(struct value value)
{
    if (value.kind != VALUE_NUMBER)
        return PAINT_PLAIN;
    return value.number > 1.5 ? PAINT_WARN : value.high > 0 ? PAINT_DIM : PAINT_PLAIN;
}

/* "2.1% (1.5 to 3.0) miss the L1"; nothing for what is not known. */
static bool rates_say(const struct snapshot_rates *rates, enum rates_figure figure,
                      const char *what, char *out, size_t size)
{
    const struct snapshot_share *share = figure_of(rates, figure);
    bool ratio = figure == RATES_CRITICAL;
    double by = ratio ? 1 : 100;
    const char *unit = ratio ? "x" : "%";
    if (isnan(share->low))
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

enum { SAID = 96, PARTS = RATES_FIGURES };

/* The parts of the sentence, in order; returns how many. */
static int say_all(const struct snapshot *snapshot, const struct snapshot_rates *rates,
                   char said[PARTS][SAID])
{
    static const struct {
        enum rates_figure figure;
        const char *what;
    } parts[] = {{RATES_MISS_L1, "miss the L1"},
                 {RATES_MISS_L2, "miss the L2"},
                 {RATES_MISS_MEMORY, "go to memory"},
                 {RATES_STALL, "of all stalls"},
                 {RATES_CRITICAL, "its part of the misses"},
                 {RATES_ACCESSED, "of all accesses"}};
    int count = 0;
    /* A simulator's totals are exact, and stand there already. */
    if (rates == snapshot->rates && snapshot->simulation.level_count)
        return 0;
    /* Of everything the last three are all. */
    int told = rates == snapshot->rates ? 3 : (int)(sizeof parts / sizeof *parts);
    bool tells_stalls = !measured_of(&snapshot->source)->time;
    for (int i = 0; i < told; i++)
        if ((parts[i].figure != RATES_STALL || tells_stalls) &&
            rates_say(rates, parts[i].figure, parts[i].what, said[count], SAID))
            count++;
    return count;
}

void rates_sentence(const struct snapshot *snapshot, const struct snapshot_rates *rates, char *out,
                    size_t size)
{
    char said[PARTS][SAID];
    char text[16];
    int count = rates ? say_all(snapshot, rates, said) : 0;
    size_t used = 0;
    *out = '\0';
    if (count && !isnan(rates->accesses))
        used = (size_t)snprintf(out, size, "%s accesses: ", text_count(text, rates->accesses));
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", said[i]);
}

/* Whether a miss rate is said first. */
static bool says_misses(const struct snapshot_rates *rates)
{
    for (int i = 0; i < RATE_LEVELS; i++)
        if (!isnan(rates->miss_rate[i].low))
            return true;
    return false;
}

bool rates_line(const struct snapshot *snapshot, const struct snapshot_rates *rates,
                struct canvas *canvas, struct area area)
{
    char said[PARTS][SAID];
    int count = rates ? say_all(snapshot, rates, said) : 0;
    int used = 1;
    if (count && says_misses(rates))
        used += canvas_format(canvas, area.row, area.column + used, area.columns - used, PAINT_DIM,
                              "Of %s accesses ", rates == snapshot->rates ? "all" : "its");
    for (int i = 0; i < count; i++) {
        int columns = glyph_columns(said[i], canvas->ascii) + 2;
        if (used + columns > area.columns)
            break;
        canvas_text(canvas, area.row, area.column + used, area.columns - used, PAINT_PLAIN,
                    said[i]);
        used += columns;
    }
    return count > 0;
}

static bool is(const char *text, const char *other)
{
    return text && !strcmp(text, other);
}

void rates_wanting(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_source *source = &snapshot->source;
    const char *text = "";
    if (rates_tell_miss_l1(snapshot) || rates_tell_miss_l2(snapshot) ||
        rates_tell_miss_memory(snapshot))
        text = "";
    else if (!source->live && measured_of(source)->time)
        text = "none: the recording holds time only";
    else if (!source->live)
        text = "none: the recording holds no event that counts accesses beside one that counts "
               "misses, and no samples that are both";
    else if (is(source->name, "clock"))
        text = "none: a timer counts no accesses; misstop doctor says what would";
    else if (is(source->name, "pebs"))
        text = "none: only slow loads are sampled; -e ldlat=3 samples all loads";
    else if (is(source->name, "ibs"))
        text = "none yet, or a filter leaves the hits out: without -e ldlat and l3missonly all "
               "accesses are sampled";
    else if (!has_role(source, EVENT_ACCESS))
        text = "none: accesses are not counted; -e mem-fill,l1-miss,access counts them";
    else
        text = "none yet, or no miss event beside access: -e mem-fill,l1-miss,access has both";
    snprintf(out, size, "%s", text);
}

/* Below this more is fetched in vain than is used. */
static const double half = 0.5;

bool use_told(const struct snapshot *snapshot)
{
    return snapshot->uses.told;
}

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

/* What used them: stores and floating-point accesses as parts of the accesses; of those known. */
static size_t say_uses(const struct snapshot_use *use, char *out, size_t size)
{
    double stores = use->uses[LINE_STORES_INTEGER] + use->uses[LINE_STORES_FLOAT];
    double floats = use->uses[LINE_LOADS_FLOAT] + use->uses[LINE_STORES_FLOAT];
    double all = use->uses[LINE_LOADS_INTEGER] + use->uses[LINE_LOADS_FLOAT] + stores;
    if (!(all > 0))
        return 0;
    int used = snprintf(out, size, "; %.0f%% loads, %.0f%% stores", 100 - 100 * stores / all,
                        100 * stores / all);
    if (floats / all >= 0.005 && used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, ", %.0f%% of floating point",
                         100 * floats / all);
    return (size_t)used;
}

void use_sentence(const struct snapshot *snapshot, const struct snapshot_use *use, char *out,
                  size_t size)
{
    char lines[16];
    char again[24];
    *out = '\0';
    if (!use || !snapshot->uses.told || !(use->fetched_bytes > 0))
        return;
    format_again(again, sizeof again, use_temporal(snapshot, use));
    int used = snprintf(out, size, "%s lines left L%u%s: %.0f%% of their bytes used%s%s",
                        text_count(lines, use->lines), snapshot->uses.level + 1,
                        snapshot->uses.is_nearer ? " (few a deeper cache)" : "",
                        100 * snapshot_use_spatial(use), *again ? ", each again " : "", again);
    if (used > 0 && (size_t)used < size)
        say_uses(use, out + used, size - (size_t)used);
}

bool use_line(const struct snapshot *snapshot, const struct snapshot_use *use,
              struct canvas *canvas, struct area area)
{
    char text[256];
    use_sentence(snapshot, use, text, sizeof text);
    if (*text)
        canvas_format(canvas, area.row, area.column, area.columns, PAINT_PLAIN, " %s", text);
    return *text != '\0';
}
