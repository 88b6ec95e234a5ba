/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/levels_words.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

static double figure_of(const struct snapshot_levels *levels, enum levels_figure figure)
{
    const double figures[FIGURE_COUNT] = {
        [FIGURE_FAR] = levels->far,       [FIGURE_LATENCY] = levels->latency,
        [FIGURE_STALL] = levels->stall,   [FIGURE_HITM] = levels->hitm,
        [FIGURE_REMOTE] = levels->remote, [FIGURE_TLB_MISS] = levels->tlb_miss,
    };
    return figures[figure];
}

struct value levels_value(const struct snapshot_levels *levels, enum levels_figure figure)
{
    return value_number(levels ? figure_of(levels, figure) : NAN);
}

struct value levels_found(const struct snapshot_levels *levels)
{
    return value_text(levels ? levels->found : NULL);
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

static bool samples(const struct snapshot_source *source, enum event_role role)
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
                 samples(source, EVENT_MISS_L1) ? "L1" : "L2");
    else if (source->weighs)
        snprintf(out, size, "%s", source->weighs);
}

/* One figure in words, "" if it is not known or less than `least`. */
static void say(const struct snapshot_levels *levels, enum levels_figure figure, double least,
                char *out, size_t size)
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
        say(levels, told[i], 0, said, sizeof said);
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
        say(levels, told[i], 0.0005, said, sizeof said);
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
