/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows changed, by how much, and how sure that is; declared in diff.h. */
#include "view/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that have less in every run are not tested: each more weakens the case of all others. */
static const double share_tested = 0.005;

/* Objects with a smaller share do not speak for the clustering of others. */
static const double share_that_speaks = 0.01;

/* Fields, and what of the heap is called after its type, have another name until debugging
 * information is read: the share of the samples that came before, in a run. */
static double early_share(enum report_table table, const struct diff_row *row,
                          const struct report *report)
{
    bool heap = !strcmp(row->what->kind, "heap") || !strcmp(row->what->kind, "anon");
    return table == REPORT_FIELDS || (table == REPORT_OBJECTS && heap) ? report->waiting : 0;
}

/* What may have been there where a run does not list a row: nothing, or less than it lists. */
static double hidden_share(const struct diff *diff, enum report_table table,
                           const struct diff_row *row, size_t run)
{
    const struct report *report = diff_run(diff, run);
    double early = early_share(table, row, report);
    if (table == REPORT_FUNCTIONS)
        return report->least_code;
    if (table == REPORT_FIELDS && row->object && !isnan(row->object->leasts[run]))
        return fmax(row->object->leasts[run], early);
    return fmax(report->least, early);
}

static double largest_share(const struct diff *diff, const struct diff_row *row)
{
    double largest = 0;
    for (size_t i = 0; i < diff->a.run_count + diff->b.run_count; i++)
        largest = row->shares[i] > largest ? row->shares[i] : largest;
    return largest;
}

/* Shares to calculate with: where a row is not listed, the one that speaks least for a change. */
static void fill_shares(const struct diff *diff, enum report_table table,
                        const struct diff_row *row, double *shares)
{
    double largest = largest_share(diff, row);
    for (size_t i = 0; i < diff->a.run_count + diff->b.run_count; i++)
        shares[i] = isnan(row->shares[i]) ? fmin(hidden_share(diff, table, row, i), largest)
                                          : row->shares[i];
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* Of the runs in which the row is listed, the others counting as 0; NAN: in none. */
static double shown_mean(const double *shares, size_t count)
{
    double sum = 0;
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        sum += isnan(shares[i]) ? 0 : shares[i];
        listed += !isnan(shares[i]);
    }
    return listed ? sum / (double)count : NAN;
}

/* What chance in sampling does to the mean of several runs. */
static double sampling_variance(const struct diff_side *side, const double *shares)
{
    double sum = 0;
    for (size_t i = 0; i < side->run_count; i++)
        sum += shares[i] * (1 - shares[i]) / side->runs[i]->effective;
    return sum / (double)side->run_count / (double)side->run_count;
}

static double amount_variance(const struct diff_side *side, const double *shares,
                              const double *amounts)
{
    double sum = 0;
    for (size_t i = 0; i < side->run_count; i++)
        if (shares[i] > 0)
            sum += amounts[i] * amounts[i] / (shares[i] * side->runs[i]->effective);
    return sum / (double)side->run_count / (double)side->run_count;
}

static void compare_several(const struct diff *diff, struct diff_row *row, const double *shares)
{
    const struct diff_side *a = &diff->a;
    const struct diff_side *b = &diff->b;
    double amounts[2 * DIFF_RUNS_MOST];
    const double *of_b = shares + a->run_count;
    row->share = compare_runs(shares, a->run_count, sampling_variance(a, shares), of_b,
                              b->run_count, sampling_variance(b, of_b));
    for (size_t i = 0; i < a->run_count + b->run_count; i++)
        amounts[i] = shares[i] * diff_amount(diff, diff_run(diff, i));
    double floors[] = {amount_variance(a, shares, amounts),
                       amount_variance(b, of_b, amounts + a->run_count)};
    struct comparison amount = compare_runs(amounts, a->run_count, floors[0],
                                            amounts + a->run_count, b->run_count, floors[1]);
    if (!isnan(row->b))
        row->times = compare_times_of(row->amount_a, &amount);
}

/* Two sides, of which one at least is a single run. */
static void compare_single(const struct diff *diff, enum report_table table, struct diff_row *row,
                           const double *shares)
{
    double n_a = diff->a.effective / row->design;
    double n_b = diff->b.effective / row->design;
    double a = mean_of(shares, diff->a.run_count);
    double b = mean_of(shares + diff->a.run_count, diff->b.run_count);
    double early =
        fmax(early_share(table, row, diff->a.runs[0]), early_share(table, row, diff->b.runs[0]));
    double slack = early * fmax(a, b);
    double nearer = b > a ? fmax(a, b - slack) : fmin(a, b + slack);
    row->share = compare_shares(a, n_a, b, n_b);
    row->share.p = compare_shares(a, n_a, nearer, n_b).p;
    row->times = compare_amounts(row->amount_a, n_a * a, row->amount_b, n_b * b);
}

static double design_of(const struct diff *diff, const struct diff_row *row)
{
    size_t parts = diff->a.runs[0]->part_count;
    if (diff->a.run_count != 1 || diff->b.run_count != 1 || !row->parts[0] || !row->parts[1])
        return NAN;
    return compare_design(row->parts[0], row->parts[1], parts, diff->a.effective,
                          diff->b.effective);
}

/* Samples of objects cluster in time, and with them those of their fields and of the code that
 * uses them. What stands in one run only is as clustered as the worst of the others. */
static void find_designs(struct diff *diff)
{
    double worst = 1;
    for (size_t i = 0; i < diff->count[REPORT_OBJECTS]; i++) {
        struct diff_row *row = &diff->rows[REPORT_OBJECTS][i];
        row->design = design_of(diff, row);
        if (fmin(row->a, row->b) >= share_that_speaks && row->design > worst)
            worst = row->design;
    }
    for (int table = 0; table < REPORT_TABLES; table++)
        for (size_t i = 0; i < diff->count[table]; i++) {
            struct diff_row *row = &diff->rows[table][i];
            if (table != REPORT_OBJECTS)
                row->design = row->object ? row->object->design : NAN;
            row->design = isnan(row->design) ? worst : row->design;
        }
}

static void compare_row(struct diff *diff, enum report_table table, struct diff_row *row)
{
    double shares[2 * DIFF_RUNS_MOST];
    fill_shares(diff, table, row, shares);
    if (diff->several)
        compare_several(diff, row, shares);
    else
        compare_single(diff, table, row, shares);
    if (largest_share(diff, row) < share_tested)
        row->share.p = NAN;
}

static void fill_means(struct diff *diff, struct diff_row *row)
{
    const double *shares[] = {row->shares, row->shares + diff->a.run_count};
    struct diff_side *sides[] = {&diff->a, &diff->b};
    double *amounts[] = {&row->amount_a, &row->amount_b};
    row->a = shown_mean(shares[0], diff->a.run_count);
    row->b = shown_mean(shares[1], diff->b.run_count);
    for (int side = 0; side < 2; side++) {
        double sum = 0;
        for (size_t i = 0; i < sides[side]->run_count; i++)
            if (!isnan(shares[side][i]))
                sum += shares[side][i] * diff_amount(diff, sides[side]->runs[i]);
        *amounts[side] = sum / (double)sides[side]->run_count;
    }
    row->times = (struct compare_times){NAN, NAN, NAN};
}

/* The rows of a table are one family: the level holds for its answer as a whole. */
static int adjust(struct diff *diff, enum report_table table)
{
    size_t rows = diff->count[table];
    double *p = arena_array(&diff->arena, rows + 1, sizeof *p);
    double *adjusted = arena_array(&diff->arena, rows + 1, sizeof *adjusted);
    if (!p || !adjusted)
        return -ENOMEM;
    for (size_t i = 0; i < rows; i++) {
        p[i] = diff->rows[table][i].share.p;
        diff->tested[table] += !isnan(p[i]);
    }
    int code = compare_holm(p, rows, adjusted);
    for (size_t i = 0; i < rows && !code; i++) {
        struct diff_row *row = &diff->rows[table][i];
        row->p_adjusted = adjusted[i];
        row->changed = adjusted[i] <= COMPARE_LEVEL;
        diff->changed[table] += row->changed;
    }
    return code;
}

static int by_change(const void *left, const void *right)
{
    const struct diff_row *a = left;
    const struct diff_row *b = right;
    if (a->changed != b->changed)
        return a->changed ? -1 : 1;
    double difference = fabs(b->share.change) - fabs(a->share.change);
    return difference > 0 ? 1 : difference < 0 ? -1 : strcmp(a->what->name, b->what->name);
}

static int compare(struct diff *diff)
{
    if (diff_match(diff))
        return -ENOMEM;
    for (int table = 0; table < REPORT_TABLES; table++)
        for (size_t i = 0; i < diff->count[table]; i++)
            fill_means(diff, &diff->rows[table][i]);
    find_designs(diff);
    for (int table = 0; table < REPORT_TABLES; table++)
        for (size_t i = 0; i < diff->count[table]; i++)
            compare_row(diff, (enum report_table)table, &diff->rows[table][i]);
    int code = 0;
    for (int table = 0; table < REPORT_TABLES && !code; table++)
        code = adjust(diff, (enum report_table)table);
    return code;
}

static void sort(struct diff *diff)
{
    for (int table = 0; table < REPORT_TABLES; table++)
        qsort(diff->rows[table], diff->count[table], sizeof *diff->rows[table], by_change);
}

int diff_new(struct diff **out, const struct diff_side *a, const struct diff_side *b,
             struct error *error)
{
    *out = NULL;
    struct diff *diff = calloc(1, sizeof *diff);
    if (!diff)
        return error_set(error, -ENOMEM, "out of memory");
    arena_init(&diff->arena);
    diff->a = (struct diff_side){.runs = a->runs, .run_count = a->run_count};
    diff->b = (struct diff_side){.runs = b->runs, .run_count = b->run_count};
    int code = diff_totals(diff, error);
    if (!code && (code = compare(diff)))
        error_set(error, code, "out of memory");
    if (code) {
        diff_free(diff);
        return code;
    }
    sort(diff);
    *out = diff;
    return 0;
}

void diff_free(struct diff *diff)
{
    if (!diff)
        return;
    arena_fini(&diff->arena);
    free(diff);
}
