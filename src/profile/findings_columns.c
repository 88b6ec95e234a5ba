/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about matrices that are walked down their columns. */
#include "profile/findings.h"

#include <math.h>

/* Of the accesses that go: they may have hit in a farther cache. */
static const double saved_at_least = 0.4;
static const double steps_at_least = 0.7; /* of the steps between rows end beside the last column */
static const double crowd_at_most =
    0.25; /* of the samples in a sixteenth of the row: columns move */
enum { CLOSE = 16, PARTS = 16 }; /* parts of a row: two columns are close within one */
enum { ROW_UNIT = 4, ROW_MOST = 1 << 20 };

/* Of the newest steps from row to row, how many end beside the last column, and by how much in all.
 */
struct rows_fit {
    uint32_t row; /* bytes; 0: none fits */
    uint32_t beside;
    double left;
};

/* Counts up to the first few that are too many not to. */
static struct rows_fit fit_rows(const struct spread *spread, uint32_t count, uint32_t row)
{
    struct rows_fit fit = {.row = row};
    uint32_t failed = 0;
    uint32_t few = count / 16;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t left = spread->steps[i] % row;
        left = left < row - left ? left : row - left;
        bool beside = left <= row / CLOSE;
        fit.beside += beside;
        fit.left += beside ? left : row / CLOSE;
        failed += !beside;
        if (failed > few + (i >= count / 4) * (count / 4))
            return (struct rows_fit){.row = 0};
    }
    return fit.beside >= steps_at_least * count ? fit : (struct rows_fit){.row = 0};
}

/* The longest row that explains the steps: its divisors do too, and lengths beside it nearly as
 * well. */
static struct rows_fit find_rows(const struct spread *spread)
{
    uint32_t count = spread->step_count < SPREAD_STEPS ? spread->step_count : SPREAD_STEPS;
    struct rows_fit best = {.row = 0};
    for (uint32_t row = SPREAD_STEP_LEAST; count == SPREAD_STEPS && row <= ROW_MOST;
         row += ROW_UNIT) {
        struct rows_fit fit = fit_rows(spread, count, row);
        if (fit.row && (fit.row > best.row + best.row / CLOSE || fit.left <= best.left))
            best = fit;
    }
    return best;
}

/* Columns move: the samples are all over the row, not at a member of elements that are as long. */
static bool columns_move(const struct findings *findings, size_t index, uint32_t row)
{
    const struct spread *spread = &findings->spreads[index];
    uint32_t object = findings->snapshot->objects[index].id;
    uint32_t parts[PARTS] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; findings->window && i < findings->window->used; i++) {
        const struct window_entry *entry = window_at(findings->window, i);
        if (entry->object == object && entry->address >= spread->lowest)
            parts[(entry->address - spread->lowest) % row * PARTS / row]++;
    }
    for (int i = 0; i < PARTS; i++)
        most = parts[i] > most ? parts[i] : most;
    return most <= crowd_at_most * spread->samples;
}

static void columns(struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    if (!spread || findings_has(findings, (uint32_t)index) || !sets->sets || !spread->widest ||
        spread->widest > sets->line / 2)
        return;
    /* Looking for rows takes milliseconds. */
    if (findings_share(findings, index) < FINDINGS_GAIN_LEAST)
        return;
    enum spread_order order = findings_order(findings, index);
    if (order == SPREAD_FORWARD || order == SPREAD_BACKWARD)
        return;
    struct rows_fit fit = find_rows(spread);
    uint64_t row = fit.row;
    uint64_t way = (uint64_t)sets->sets * sets->line;
    bool power = row && !(row & (row - 1));
    uint64_t in_sets = power && row < way ? way / row : power ? 1 : sets->sets;
    double rows = row ? (double)((spread->highest - spread->lowest) / row + 1) : 0;
    if (rows <= (double)in_sets * sets->ways || !columns_move(findings, index, fit.row))
        return;
    struct snapshot_finding finding = {.kind = FINDING_COLUMNS,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) *
                                               (1 - (double)spread->widest / sets->line)};
    finding.gain_low = saved_at_least * finding.gain;
    finding.evidence = arena_printf(
        findings->arena,
        "It is walked down the columns of %.0f rows of %llu bytes: of the newest %u steps between "
        "rows %u end beside the last column. ",
        rows, (unsigned long long)row, (unsigned)SPREAD_STEPS, fit.beside);
    if (power && finding.evidence)
        finding.evidence = arena_printf(
            findings->arena,
            "%sThe row is a power of two, so the lines of a column share %llu of the %u sets of "
            "%s, which %s %llu.",
            finding.evidence, (unsigned long long)in_sets, sets->sets, sets->level,
            in_sets == 1 ? "holds" : "hold", (unsigned long long)(in_sets * sets->ways));
    else if (finding.evidence)
        finding.evidence =
            arena_printf(findings->arena, "%sA column has more lines than the %u that %s holds.",
                         finding.evidence, sets->sets * sets->ways, sets->level);
    finding.advice = arena_printf(findings->arena,
                                  power ? "Walk along the rows (swap the loops, or work on square "
                                          "blocks); or make each row a line longer: %llu bytes."
                                        : "Walk along the rows: swap the loops, or work on square "
                                          "blocks.",
                                  (unsigned long long)(row + sets->line));
    finding.reckoned =
        arena_printf(findings->arena,
                     "of %u accesses of %u bytes to a line all but the first, two fifths to all of "
                     "their time",
                     sets->line / spread->widest, spread->widest);
    finding.how_sure = "that it is a matrix is taken from the steps; a line more a row helps only "
                       "where a level of cache holds a column";
    findings_add(findings, &finding);
}

void findings_columns(struct findings *findings)
{
    for (size_t i = 0; i < findings->spread_count; i++)
        columns(findings, i);
}
