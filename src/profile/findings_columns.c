/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about matrices whose rows are a power of two long and which are walked down columns. */
#include "profile/findings.h"

#include <math.h>

static const double steps_at_least = 0.7; /* of the steps between rows end beside the last column */
static const double crowd_at_most =
    0.25; /* of the samples in a sixteenth of the row: columns move */
enum { ROW_STEPS = 64 };

static double beside(const struct spread *spread, uint64_t row)
{
    const struct spread_row *one = &spread->rows[__builtin_ctzll(row) - SPREAD_ROW_SHIFT];
    return (double)one->beside / one->steps;
}

/* The longest row that explains the steps; 0: none. What explains it also explains half of it. */
static uint64_t row_bytes(const struct spread *spread)
{
    for (int k = SPREAD_ROWS - 1; k >= 0; k--) {
        const struct spread_row *row = &spread->rows[k];
        uint32_t most = 0;
        uint32_t all = 0;
        for (int i = 0; i < SPREAD_PARTS; i++) {
            most = row->parts[i] > most ? row->parts[i] : most;
            all += row->parts[i];
        }
        if (row->steps >= ROW_STEPS && row->beside >= steps_at_least * row->steps &&
            row->steps >= steps_at_least * all && most <= crowd_at_most * all)
            return UINT64_C(1) << (SPREAD_ROW_SHIFT + k);
    }
    return 0;
}

static void columns(struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    const struct snapshot_sets *sets = &findings->snapshot->sets;
    if (!spread || findings_has(findings, (uint32_t)index) || !sets->sets || !spread->widest ||
        spread->widest > sets->line / 2)
        return;
    uint64_t row = row_bytes(spread);
    uint64_t way = (uint64_t)sets->sets * sets->line;
    uint64_t in_sets = row && row < way ? way / row : 1;
    double rows = row ? (double)((spread->highest - spread->lowest) / row + 1) : 0;
    if (rows <= (double)in_sets * sets->ways)
        return;
    struct snapshot_finding finding = {.kind = FINDING_COLUMNS,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index) *
                                               (1 - (double)spread->widest / sets->line),
                                       .bound = true};
    finding.evidence = arena_printf(
        findings->arena,
        "It is walked down the columns of %.0f rows of %llu bytes: %.0f%% of the steps lead to "
        "another row and beside the last column. The row is a power of two, so the lines of a "
        "column "
        "share %llu of the %u sets of %s, which %s %llu.",
        rows, (unsigned long long)row, 100.0 * beside(spread, row), (unsigned long long)in_sets,
        sets->sets, sets->level, in_sets == 1 ? "holds" : "hold",
        (unsigned long long)(in_sets * sets->ways));
    finding.advice = arena_printf(findings->arena,
                                  "Walk along the rows (swap the loops, or work on square blocks); "
                                  "or make each row a line longer: %llu bytes.",
                                  (unsigned long long)(row + sets->line));
    finding.reckoned =
        arena_printf(findings->arena, "of %u accesses of %u bytes to a line, all but the first",
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
