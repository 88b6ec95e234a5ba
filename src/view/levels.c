/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/levels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "view/widget/columns.h"

static double figure_of(const struct snapshot_levels *levels, enum levels_figure figure)
{
    const double figures[FIGURE_COUNT] = {
        [FIGURE_FAR] = levels->far,       [FIGURE_LATENCY] = levels->latency,
        [FIGURE_STALL] = levels->stall,   [FIGURE_HITM] = levels->hitm,
        [FIGURE_REMOTE] = levels->remote, [FIGURE_TLB_MISS] = levels->tlb_miss,
    };
    return figures[figure];
}

/* Shares of 1, the latency in cycles; unknown for levels NULL. */
static struct value levels_value(const struct snapshot_levels *levels, enum levels_figure figure)
{
    return value_number(levels ? figure_of(levels, figure) : NAN);
}

bool levels_tell_found(const struct snapshot *snapshot)
{
    return snapshot->levels && snapshot->levels->found;
}

/* Of everything, or of one object: what is vague for all together may be clear for some. */
static bool tells(const struct snapshot *snapshot, enum levels_figure figure)
{
    if (!snapshot->levels || levels_value(snapshot->levels, figure).kind != VALUE_UNKNOWN)
        return snapshot->levels;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (levels_value(snapshot->objects[i].levels, figure).kind != VALUE_UNKNOWN)
            return true;
    return false;
}

#define LEVELS_TELL(noun, figure)                                                                  \
    bool levels_tell_##noun(const struct snapshot *snapshot)                                       \
    {                                                                                              \
        return tells(snapshot, figure);                                                            \
    }
LEVELS_TELL(far, FIGURE_FAR)
LEVELS_TELL(latency, FIGURE_LATENCY)
LEVELS_TELL(stall, FIGURE_STALL)
LEVELS_TELL(hitm, FIGURE_HITM)
LEVELS_TELL(remote, FIGURE_REMOTE)
LEVELS_TELL(tlb_miss, FIGURE_TLB_MISS)

static bool levels_samples(const struct snapshot_source *source, enum event_role role)
{
    for (size_t i = 0; i < source->event_count; i++)
        if (source->events[i].role == role)
            return true;
    return false;
}

void levels_basis(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_source *source = &snapshot->source;
    *out = '\0';
    if (!snapshot->levels)
        return;
    if (snapshot->levels->from == LEVELS_COUNTED)
        snprintf(out, size, "%s misses, worked out from the counts of several events",
                 levels_samples(source, EVENT_MISS_L1) ? "L1" : "L2");
    else if (source->weighs)
        snprintf(out, size, "%s", source->weighs);
}

/* One figure in words, "" if it is not known or less than `least`. */
static void levels_say(const struct snapshot_levels *levels, enum levels_figure figure,
                       double least, char *out, size_t size)
{
    static const char *const words[FIGURE_COUNT] = {
        [FIGURE_FAR] = "beyond this core",    [FIGURE_STALL] = "of all waiting",
        [FIGURE_HITM] = "modified elsewhere", [FIGURE_REMOTE] = "of another node",
        [FIGURE_TLB_MISS] = "missed the TLB",
    };
    double value = figure_of(levels, figure);
    *out = '\0';
    if (!isfinite(value) || value < least)
        return;
    if (figure == FIGURE_LATENCY)
        snprintf(out, size, "mean %.0f cycles", value);
    else
        snprintf(out, size, "%.1f%% %s", value * 100, words[figure]);
}

/* The figures in the order in which they are told. */
static const enum levels_figure told[] = {FIGURE_LATENCY, FIGURE_STALL,  FIGURE_FAR,
                                          FIGURE_HITM,    FIGURE_REMOTE, FIGURE_TLB_MISS};
enum { TOLD = sizeof told / sizeof *told, SAID = 96 };

/* All waiting is no news of everything. */
static bool worth_telling(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                          enum levels_figure figure)
{
    return levels != snapshot->levels || figure != FIGURE_STALL;
}

void levels_sentence(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                     char *out, size_t size)
{
    char basis[160];
    char said[SAID];
    *out = '\0';
    if (!levels)
        return;
    size_t used = (size_t)snprintf(out, size, "found in: %s", levels->found ? levels->found : "?");
    for (int i = 0; i < TOLD && used < size; i++) {
        levels_say(levels, told[i], 0, said, sizeof said);
        if (*said && worth_telling(snapshot, levels, told[i]))
            used += (size_t)snprintf(out + used, size - used, ", %s", said);
    }
    levels_basis(snapshot, basis, sizeof basis);
    if (*basis && used < size)
        snprintf(out + used, size - used, "; counted: only %s", basis);
}

static bool draw_whole(struct canvas *canvas, struct area *line, enum paint paint, const char *text)
{
    int columns = glyph_columns(text, canvas->ascii);
    if (columns > line->columns)
        return false;
    columns = canvas_text(canvas, line->row, line->column, line->columns, paint, text);
    line->column += columns;
    line->columns -= columns;
    return true;
}

bool levels_line(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                 struct canvas *canvas, struct area area)
{
    char text[192];
    char said[SAID];
    if (!levels)
        return false;
    if (levels->found && draw_whole(canvas, &area, PAINT_DIM, " Found in "))
        draw_whole(canvas, &area, PAINT_STRONG, levels->found);
    /* What it is all a count of goes before the lesser figures. */
    levels_basis(snapshot, said, sizeof said);
    snprintf(text, sizeof text, "  of %s", said);
    if (levels == snapshot->levels && *said)
        draw_whole(canvas, &area, PAINT_WARN, text);
    for (int i = 0; i < TOLD; i++) {
        levels_say(levels, told[i], 0.0005, said, sizeof said);
        snprintf(text, sizeof text, "  %s", said);
        if (*said && worth_telling(snapshot, levels, told[i]) &&
            !draw_whole(canvas, &area, PAINT_PLAIN, text))
            break;
    }
    return true;
}

double levels_stall_share(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].role == EVENT_STALL)
            return object->event_share[i];
    return object->levels ? object->levels->stall : NAN;
}

enum { NAMED = 3 };

void levels_sum_begin(struct levels_sum *sum)
{
    memset(sum, 0, sizeof *sum);
}

/* NAN only where no part is known. */
static double plus(double sum, double more)
{
    return isnan(more) ? sum : isnan(sum) ? more : sum + more;
}

static void add_each(double *sums, const double *more, int count)
{
    for (int i = 0; i < count; i++)
        sums[i] = plus(sums[i], more[i]);
}

/* A mean of shares, of as many accesses each. */
static double mean(double of_sum, double sum_accesses, double of_more, double more_accesses)
{
    double all = sum_accesses + more_accesses;
    return isnan(of_more) || !(more_accesses > 0)
               ? of_sum
               : (isnan(of_sum) ? of_more
                                : (of_sum * sum_accesses + of_more * more_accesses) / all);
}

void levels_sum_add(struct levels_sum *sum, const struct snapshot_levels *more)
{
    struct snapshot_levels *levels = &sum->levels;
    if (!sum->parts++) {
        *levels = *more;
        return;
    }
    levels->remote = mean(levels->remote, levels->accesses, more->remote, more->accesses);
    levels->locked = mean(levels->locked, levels->accesses, more->locked, more->accesses);
    levels->blocked = mean(levels->blocked, levels->accesses, more->blocked, more->accesses);
    levels->accesses = plus(levels->accesses, more->accesses);
    levels->stall = plus(levels->stall, more->stall);
    add_each(levels->level, more->level, DATA_LEVEL_COUNT);
    add_each(levels->waited, more->waited, DATA_LEVEL_COUNT);
    add_each(levels->snoop, more->snoop, SNOOP_COUNT);
    add_each(levels->tlb, more->tlb, TLB_COUNT);
    add_each(levels->histogram, more->histogram, SNAPSHOT_LATENCY_CLASSES);
}

static double total(const double *counts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += isnan(counts[i]) ? 0 : counts[i];
    return sum;
}

static double levels_sum_share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* As in profile: where it is only told that some missed the L1, nobody knows how far they are. */
static double far_share(const struct snapshot_levels *levels)
{
    double far = 0;
    double known = total(levels->level + 1, DATA_LEVEL_COUNT - 1);
    for (int i = DATA_UNKNOWN + 1; i < DATA_LEVEL_COUNT; i++)
        if (!isnan(levels->level[i]) && data_level_is_far((enum data_level)i))
            far += levels->level[i];
    return levels->level[DATA_CACHE] > 0 || levels->level[DATA_BEYOND_L1] > 0
               ? NAN
               : levels_sum_share(far, known);
}

/* "DRAM 61% L3 22%" */
static void name_leading(struct levels_sum *sum)
{
    const double *level = sum->levels.level;
    bool named[DATA_LEVEL_COUNT] = {false};
    size_t used = 0;
    for (int n = 0; n < NAMED && used < sizeof sum->found; n++) {
        int most = -1;
        for (int i = 0; i < DATA_LEVEL_COUNT; i++)
            if (!named[i] && level[i] > 0 && (most < 0 || level[i] > level[most]))
                most = i;
        double percent = most < 0 ? 0 : level[most] / sum->levels.accesses * 100;
        if (most < 0 || (n && percent < 0.5))
            break;
        named[most] = true;
        used += (size_t)snprintf(sum->found + used, sizeof sum->found - used, "%s%s %.0f%%",
                                 n ? " " : "", data_level_name((enum data_level)most), percent);
    }
    sum->levels.found = *sum->found ? sum->found : NULL;
}

void levels_sum_end(struct levels_sum *sum)
{
    struct snapshot_levels *levels = &sum->levels;
    if (sum->parts < 2)
        return;
    double timed = total(levels->histogram, SNAPSHOT_LATENCY_CLASSES);
    levels->latency = levels_sum_share(total(levels->waited, DATA_LEVEL_COUNT), timed);
    levels->hitm = levels_sum_share(levels->snoop[SNOOP_HITM], levels->accesses);
    levels->tlb_miss = levels_sum_share(levels->tlb[TLB_MISS] + levels->tlb[TLB_FAULT],
                                        total(levels->tlb + 1, TLB_COUNT - 1));
    levels->far = far_share(levels);
    name_leading(sum);
}

/* Parts of the identity of a row, so that it stays when others come and go. */
enum part { PART_LEVEL, PART_LATENCY, PART_SNOOP, PART_TLB, PART_REST, PART_RULE };

static const char *level_meaning(enum data_level level)
{
    static const char *const meanings[DATA_LEVEL_COUNT] = {
        [DATA_UNKNOWN] = "the hardware did not tell",
        [DATA_LFB] = "asked for before, on its way",
        [DATA_L3] = "shared by the cores",
        [DATA_CACHE] = "some cache beyond the L1",
        [DATA_PEER_CACHE] = "another core's, same node",
        [DATA_REMOTE_CACHE] = "another node's or socket's",
        [DATA_DRAM] = "of this node",
        [DATA_REMOTE_DRAM] = "of another node",
        [DATA_MEMORY] = "of whichever node",
        [DATA_PMEM] = "persistent memory",
        [DATA_BEYOND_L1] = "missed the L1; how far it went is not told",
        [DATA_BEYOND_L2] = "missed the L2; how far it went is not told",
        [DATA_BEYOND_L3] = "missed the L3; how far it went is not told",
    };
    return meanings[level];
}

static const char *snoop_meaning(enum data_snoop snoop)
{
    static const char *const meanings[SNOOP_COUNT] = {
        [SNOOP_UNKNOWN] = "the hardware did not tell",
        [SNOOP_NONE] = "no other cache was asked",
        [SNOOP_MISS] = "others had it not",
        [SNOOP_HIT] = "another had it, unmodified",
        [SNOOP_FORWARD] = "handed over, unmodified",
        [SNOOP_PEER] = "handed over by a like cache",
        [SNOOP_HITM] = "modified by another: sharing",
    };
    return meanings[snoop];
}

static const char *tlb_meaning(enum data_tlb tlb)
{
    static const char *const meanings[TLB_COUNT] = {
        [TLB_HIT] = "in its first or second level",
        [TLB_MISS] = "page walk: huge pages help",
        [TLB_FAULT] = "the kernel had to answer",
    };
    return meanings[tlb];
}

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

static double levels_rows_sum(const double *counts, int from, int count)
{
    double total = 0;
    for (int i = from; i < count; i++)
        total += isnan(counts[i]) ? 0 : counts[i];
    return total;
}

static double levels_rows_share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void add_levels(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    double waited = levels_rows_sum(levels->waited, 0, DATA_LEVEL_COUNT);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++) {
        enum data_level level = (enum data_level)i;
        if (!(levels->level[i] > 0))
            continue;
        struct levels_row *row = levels_rows_add(rows, PART_LEVEL, i);
        snprintf(row->name, sizeof row->name, "%s", data_level_name(level));
        row->meaning = level_meaning(level);
        row->accesses = levels->level[i];
        row->share = levels_rows_share(levels->level[i], levels->accesses);
        row->waited = levels_rows_share(levels->waited[i], waited);
    }
}

/* From the shortest to the longest that was seen, those between them too: it is a shape. */
static void add_latency(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    enum { LAST = SNAPSHOT_LATENCY_CLASSES - 1 };
    double all = levels_rows_sum(levels->histogram, 0, SNAPSHOT_LATENCY_CLASSES);
    int first = 0;
    int last = LAST;
    if (!(all > 0)) {
        add_rule(rows, PART_LATENCY, "latency: not told");
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
        row->share = levels_rows_share(levels->histogram[i], all);
    }
}

static void add_snoops(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    double all = levels_rows_sum(levels->snoop, 0, SNOOP_COUNT);
    if (!(all > 0))
        return;
    add_rule(rows, PART_SNOOP, "what other caches answered");
    for (int i = 0; i < SNOOP_COUNT; i++) {
        if (!(levels->snoop[i] > 0))
            continue;
        struct levels_row *row = levels_rows_add(rows, PART_SNOOP, i);
        snprintf(row->name, sizeof row->name, "%s", data_snoop_name((enum data_snoop)i));
        row->meaning = snoop_meaning((enum data_snoop)i);
        row->accesses = levels->snoop[i];
        row->share = levels_rows_share(levels->snoop[i], all);
    }
}

static void add_tlb(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    double known = levels_rows_sum(levels->tlb, TLB_UNKNOWN + 1, TLB_COUNT);
    if (!(known > 0))
        return;
    add_rule(rows, PART_TLB, "TLB, where it is told");
    for (int i = TLB_UNKNOWN + 1; i < TLB_COUNT; i++) {
        if (!(levels->tlb[i] > 0))
            continue;
        struct levels_row *row = levels_rows_add(rows, PART_TLB, i);
        snprintf(row->name, sizeof row->name, "%s", data_tlb_name((enum data_tlb)i));
        row->meaning = tlb_meaning((enum data_tlb)i);
        row->accesses = levels->tlb[i];
        row->share = levels_rows_share(levels->tlb[i], known);
    }
}

static void add_rest(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    static const char *const names[] = {"remote", "locked", "blocked"};
    static const char *const meanings[] = {"found on another node", "atomic instructions",
                                           "held up by an earlier store"};
    const double shares[] = {levels->remote, levels->locked, levels->blocked};
    bool ruled = false;
    for (int i = 0; i < 3; i++) {
        if (isnan(shares[i]))
            continue;
        if (!ruled)
            add_rule(rows, PART_REST, "the rest, of those told");
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
    add_rest(rows, levels);
}

/* Columns of the Levels pane. Rules between its parts have no values. */

#define ROW                                                                                        \
    const struct levels_row *row = pointer;                                                        \
    (void)snapshot

static bool is_timed(const struct snapshot *snapshot)
{
    return snapshot->levels && snapshot->levels->latency > 0;
}

static uint64_t levels_column_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return row->identity;
}

static const char *parting(const void *pointer)
{
    return ((const struct levels_row *)pointer)->parting;
}

static const struct column list[] = {
    COLUMN(.title = "FOUND IN",
           .help = "The level, or another answer of the hardware, named above the part.",
           .from = FIELD(struct levels_row, name), .width = 11, .most = 17, .paint = paint_strong),
    COLUMN(.title = "OF IT",
           .help = "Part of the object's accesses of which the hardware tells it.",
           .from = FIELD(struct levels_row, share), .width = 6, UNIT_SHARE),
    COLUMN(.title = "", .from = FIELD(struct levels_row, share), .width = 6, .most = 24, .rank = 1,
           .look = COLUMN_BAR, .paint = paint_share),
    COLUMN(.title = "WAITED",
           .help = "Part of the cycles the object's accesses took that this level stands for.",
           .from = FIELD(struct levels_row, waited), .width = 6, .rank = 2, .shown = is_timed,
           UNIT_SHARE),
    COLUMN(.title = "ACCESSES", .help = "Accesses estimated: a sample stands for its period.",
           .from = FIELD(struct levels_row, accesses), .width = 8, .rank = 4, UNIT_COUNT,
           .paint = paint_dim),
    COLUMN(.title = "MEANS", .help = "What that is.", .from = FIELD(struct levels_row, meaning),
           .width = 24, .most = 46, .rank = 3, .paint = paint_dim),
};

const struct columns levels_columns = {
    .title = "Levels",
    TABLE(struct levels_row, list),
    .sort = COLUMNS_AS_THEY_COME,
    .identity = levels_column_identity,
    .parting = parting,
};
