/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches rows across runs: by name, kind and module, never by address or id. Rows of one run that
 * agree in all of these are summed. */
#include "view/export/diff.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "view/export/writers.h"
#include "view/widget/columns.h"

struct match {
    struct diff *diff;
    struct hash index; /* key -> index + 1 into rows[table] */
    enum report_table table;
};

/* A function keeps its identity whatever object it misses on. */
static const char *owner_of(enum report_table table, const struct report_row *row)
{
    return table == REPORT_FIELDS ? row->object : "";
}

/* The program's own module matches under any name, because two builds may be two files. */
static const char *module_of(const struct report_row *row)
{
    return row->own ? "" : row->module;
}

static bool diff_match_same(enum report_table table, const struct report_row *a,
                            const struct report_row *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->kind, b->kind) && a->own == b->own &&
           !strcmp(module_of(a), module_of(b)) && !strcmp(owner_of(table, a), owner_of(table, b));
}

static uint64_t diff_match_key_of(enum report_table table, const struct report_row *row)
{
    const char *parts[] = {row->name, row->kind, module_of(row), owner_of(table, row)};
    uint64_t key = 0;
    for (int i = 0; i < 4; i++)
        key = hash_mix(key ^ hash_bytes(parts[i], strlen(parts[i])));
    return key;
}

static size_t count_runs(const struct diff *diff)
{
    return diff->a.run_count + diff->b.run_count;
}

/* Returns a run by index: the runs of a, then those of b. */
static const struct report *diff_run(const struct diff *diff, size_t run)
{
    return run < diff->a.run_count ? diff->a.runs[run] : diff->b.runs[run - diff->a.run_count];
}

static bool new_row(struct diff *diff, struct diff_row *row, const struct report_row *what)
{
    size_t runs = count_runs(diff);
    *row = (struct diff_row){.row = what,
                             .shares = arena_array(&diff->arena, runs, sizeof(double)),
                             .min_listed_shares = arena_array(&diff->arena, runs, sizeof(double)),
                             .design_effect = 1};
    for (size_t i = 0; i < runs && row->shares && row->min_listed_shares; i++)
        row->shares[i] = row->min_listed_shares[i] = NAN;
    return row->shares && row->min_listed_shares;
}

/* Returns the matching row; creates it if there is none. Returns NULL if out of memory. */
static struct diff_row *diff_match_row_of(struct match *match, const struct report_row *what)
{
    struct diff *diff = match->diff;
    struct diff_row *rows = diff->rows[match->table];
    uint64_t key = diff_match_key_of(match->table, what);
    for (;; key++) {
        bool created;
        uint32_t *index = hash_insert(&match->index, key, &created);
        if (!index)
            return NULL;
        if (!created && !diff_match_same(match->table, rows[*index - 1].row, what))
            continue;
        if (created) {
            *index = (uint32_t)++diff->count[match->table];
            if (!new_row(diff, &rows[*index - 1], what))
                return NULL;
        }
        return &rows[*index - 1];
    }
}

/* Adds the parts of one row to those of earlier rows; NAN + x is x. */
static const double *sum_parts(struct diff *diff, const double *had, const struct report *report,
                               const double *parts)
{
    if (!had || !parts)
        return parts ? parts : had;
    double *sum = arena_array(&diff->arena, report->part_count, sizeof *sum);
    for (size_t i = 0; sum && i < report->part_count; i++)
        sum[i] = isnan(had[i]) ? parts[i] : isnan(parts[i]) ? had[i] : had[i] + parts[i];
    return sum;
}

static int match_run(struct match *match, const struct report *report, size_t run)
{
    struct diff *diff = match->diff;
    int side = run >= diff->a.run_count;
    for (size_t i = 0; i < report->count[match->table]; i++) {
        const struct report_row *what = &report->rows[match->table][i];
        struct diff_row *row = diff_match_row_of(match, what);
        if (!row)
            return -ENOMEM;
        row->shares[run] = fmin(1, what->share + (isnan(row->shares[run]) ? 0 : row->shares[run]));
        row->min_listed_shares[run] =
            fmax(what->min_listed_share,
                 isnan(row->min_listed_shares[run]) ? 0 : row->min_listed_shares[run]);
        row->parts[side] = sum_parts(diff, row->parts[side], report, what->parts);
    }
    return 0;
}

static int match_table(struct diff *diff, enum report_table table)
{
    struct match match = {.diff = diff, .table = table};
    size_t room = 0;
    int code = 0;
    for (size_t run = 0; run < count_runs(diff); run++)
        room += diff_run(diff, run)->count[table];
    diff->rows[table] = arena_array(&diff->arena, room + 1, sizeof *diff->rows[table]);
    if (!diff->rows[table])
        return -ENOMEM;
    hash_init(&match.index);
    for (size_t run = 0; run < count_runs(diff) && !code; run++)
        code = match_run(&match, diff_run(diff, run), run);
    hash_fini(&match.index);
    return code;
}

/* Returns the key of an object: for fields, from everything that identifies the object; functions
 * know only its name. */
static uint64_t object_key(enum report_table table, const struct report_row *object)
{
    if (table == REPORT_FUNCTIONS)
        return hash_bytes(object->name, strlen(object->name));
    return diff_match_key_of(REPORT_OBJECTS, object);
}

static int find_objects(struct diff *diff, enum report_table table)
{
    const struct diff_row *objects = diff->rows[REPORT_OBJECTS];
    struct hash index;
    int code = 0;
    hash_init(&index);
    for (size_t i = 0; i < diff->count[REPORT_OBJECTS] && !code; i++) {
        uint32_t *at = hash_insert(&index, object_key(table, objects[i].row), NULL);
        if (at && !*at)
            *at = (uint32_t)i + 1;
        code = at ? 0 : -ENOMEM;
    }
    for (size_t i = 0; i < diff->count[table] && !code; i++) {
        struct report_row object = *diff->rows[table][i].row;
        object.name = object.object;
        const uint32_t *at = hash_find(&index, object_key(table, &object));
        diff->rows[table][i].object = at ? &objects[*at - 1] : NULL;
    }
    hash_fini(&index);
    return code;
}

/* Matches the rows of all runs. Returns 0 or -ENOMEM. */
static int diff_match(struct diff *diff)
{
    int code = 0;
    for (int table = 0; table < REPORT_TABLES && !code; table++)
        code = match_table(diff, (enum report_table)table);
    if (code)
        return code;
    code = find_objects(diff, REPORT_FIELDS);
    return code ? code : find_objects(diff, REPORT_FUNCTIONS);
}

/* ---- totals of the two sides: whether they can be compared, and their amounts ---- */

/* Amounts this close count as equal: two runs of the same program vary by as much. */
static const double same_amount = 0.05;

static const double waiting_min = 0.02;

/* Returns true if no part of the run has decayed. */
static bool is_whole_run(const struct report *run)
{
    return strcmp(run->basis, "decayed") || !(run->half_life_s > 0);
}

/* Returns the amount of all attributed samples of a run; NAN if not known. */
static double diff_amount(const struct diff *diff, const struct report *run)
{
    switch (diff->amounts) {
    case DIFF_AMOUNT_PER_SECOND:
        return run->weight / run->covered_s;
    case DIFF_AMOUNT_PER_1000_INSTRUCTIONS:
        return run->weight / run->instructions * 1000;
    case DIFF_AMOUNT_OF_RUN:
        return run->simulated && is_whole_run(run) ? run->weight : NAN;
    default:
        return NAN;
    }
}

static bool diff_totals_amounts_known(const struct diff *diff, enum diff_amount amounts)
{
    struct diff asked = *diff;
    asked.amounts = amounts;
    for (size_t i = 0; i < count_runs(diff); i++)
        if (!isfinite(diff_amount(&asked, diff_run(diff, i))))
            return false;
    return true;
}

static void sum_side(struct diff *diff, struct diff_side *side)
{
    double amount = 0;
    double weight = 0;
    for (size_t i = 0; i < side->run_count; i++) {
        side->effective_samples += side->runs[i]->effective_samples;
        amount += diff_amount(diff, side->runs[i]);
        weight += is_whole_run(side->runs[i]) ? side->runs[i]->weight : NAN;
    }
    side->amount = amount / (double)side->run_count;
    side->weight = weight / (double)side->run_count;
}

static void compare_totals(struct diff *diff)
{
    double amounts[2 * DIFF_RUNS_MAX];
    size_t runs_a = diff->a.run_count;
    if (!diff->several) {
        double times = diff->b.amount / diff->a.amount;
        diff->times = diff->amounts == DIFF_AMOUNT_OF_RUN
                          ? (struct compare_times){times, times, times}
                          : compare_amounts(diff->a.amount, diff->a.effective_samples,
                                            diff->b.amount, diff->b.effective_samples);
        return;
    }
    for (size_t i = 0; i < runs_a + diff->b.run_count; i++)
        amounts[i] = diff_amount(diff, diff_run(diff, i));
    struct comparison difference =
        compare_runs(amounts, runs_a, 0, amounts + runs_a, diff->b.run_count, 0);
    diff->times = compare_times_of(diff->a.amount, &difference);
}

static void diff_totals_note(struct diff *diff, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void diff_totals_note(struct diff *diff, const char *format, ...)
{
    char text[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < diff->note_count; i++)
        if (!strcmp(diff->notes[i], text))
            return;
    if (diff->note_count == DIFF_NOTES_MAX)
        return;
    const char *kept = arena_string(&diff->arena, text);
    if (kept)
        diff->notes[diff->note_count++] = kept;
}

/* Returns the length without perf's modifiers for mode and precision: "cycles:uP". */
static size_t event_name_length(const char *event)
{
    const char *colon = strrchr(event, ':');
    bool modifiers = colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhGHIpPSDWe")];
    return modifiers ? (size_t)(colon - event) : strlen(event);
}

static bool is_same_event(const struct report *a, const struct report *b)
{
    size_t length = event_name_length(a->event);
    return length == event_name_length(b->event) && !strncmp(a->event, b->event, length);
}

static int check_run(struct diff *diff, size_t index, struct error *error)
{
    const struct report *first = diff->a.runs[0];
    const struct report *run = diff_run(diff, index);
    if (!(run->effective_samples > 0))
        return error_set(error, -EDOM, "%s has no sample with an address: nothing to compare",
                         run->path);
    if (!is_same_event(first, run))
        return error_set(error, -EDOM,
                         "%s ranks by %s and %s by %s: these cannot be compared; record both with "
                         "the same ranking event (-e)",
                         first->path, *first->event ? first->event : "an unknown event", run->path,
                         *run->event ? run->event : "an unknown event");
    if (strcmp(first->comm, run->comm))
        diff_totals_note(diff, "%s is a run of %s, not of %s",
                         index < diff->a.run_count ? "A" : "B", run->comm, first->comm);
    if (!strcmp(run->basis, "decayed") && run->half_life_s > 0)
        diff_totals_note(diff,
                         "%s shows the recent past (half-life %g s), not the whole run; press c or "
                         "use -H 0 before writing it",
                         run->path, run->half_life_s);
    if (run->loading_share >= waiting_min)
        diff_totals_note(
            diff,
            "%s: %.0f %% of the samples came before debug information was loaded; their fields are "
            "offsets, and objects are not yet named after their types",
            run->path, run->loading_share * 100);
    if (fabs(log(run->period / first->period)) > 0.1)
        diff_totals_note(diff, "%s has one sample per %.6g events, %s one per %.6g", first->path,
                         first->period, run->path, run->period);
    return 0;
}

static int diff_totals_check(struct diff *diff, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < count_runs(diff) && !code; i++)
        code = check_run(diff, i, error);
    if (!diff->several)
        diff_totals_note(diff, "the intervals cover sampling, not differences between runs; "
                               "several runs per side (A1,A2,A3 B1,B2,B3) cover both");
    return code;
}

/* Computes the amounts of both sides, and notes for the user. Returns as diff_new(). */
static int diff_totals(struct diff *diff, struct error *error)
{
    diff->several = diff->a.run_count > 1 && diff->b.run_count > 1;
    diff->amounts = diff_totals_amounts_known(diff, DIFF_AMOUNT_OF_RUN) ? DIFF_AMOUNT_OF_RUN
                    : diff_totals_amounts_known(diff, DIFF_AMOUNT_PER_1000_INSTRUCTIONS)
                        ? DIFF_AMOUNT_PER_1000_INSTRUCTIONS
                    : diff_totals_amounts_known(diff, DIFF_AMOUNT_PER_SECOND)
                        ? DIFF_AMOUNT_PER_SECOND
                        : DIFF_AMOUNT_UNKNOWN;
    int code = diff_totals_check(diff, error);
    if (code)
        return code;
    sum_side(diff, &diff->a);
    sum_side(diff, &diff->b);
    compare_totals(diff);
    return 0;
}

bool diff_in_time(const struct diff *diff)
{
    return strstr(diff->a.runs[0]->event, "clock");
}

static int amount_direction(const struct compare_times *times)
{
    bool same = (times->low <= 1 && times->high >= 1) || fabs(times->value - 1) <= same_amount;
    return same ? 0 : times->value > 1 ? 1 : -1;
}

const char *diff_reading(const struct diff_row *row)
{
    static const char *const words[2][3] = {
        {"less", "same amount; others rose", "more, but others rose more"},
        {"less, but others fell more", "same amount; others fell", "more"}};
    if (!row->changed)
        return "";
    if (isnan(row->a) || isnan(row->b))
        return isnan(row->a) ? "new" : "gone";
    if (isnan(row->times.value))
        return row->share.change > 0 ? "larger share" : "smaller share";
    return words[row->share.change > 0][amount_direction(&row->times) + 1];
}

/* ---- which rows changed, by how much, and how certain that is ---- */

/* Rows below this share in every run are not tested: each test reduces the power of all others. */
static const double share_tested = 0.005;

/* Objects with a smaller share are not used to estimate the clustering of others. */
static const double share_that_speaks = 0.01;

/* Returns the share of a run's samples before debug information was loaded. Fields, and heap rows
 * named after a type, had another name then. */
static double unloaded_share(enum report_table table, const struct diff_row *row,
                             const struct report *report)
{
    bool heap = !strcmp(row->row->kind, "heap") || !strcmp(row->row->kind, "anon");
    return table == REPORT_FIELDS || (table == REPORT_OBJECTS && heap) ? report->loading_share : 0;
}

/* Returns the upper bound of a row's share in a run that does not list it. */
static double unlisted_share_bound(const struct diff *diff, enum report_table table,
                                   const struct diff_row *row, size_t run)
{
    const struct report *report = diff_run(diff, run);
    double early = unloaded_share(table, row, report);
    if (table == REPORT_FUNCTIONS)
        return report->min_code;
    if (table == REPORT_FIELDS && row->object && !isnan(row->object->min_listed_shares[run]))
        return fmax(row->object->min_listed_shares[run], early);
    return fmax(report->min_object_share, early);
}

static double largest_share(const struct diff *diff, const struct diff_row *row)
{
    double largest = 0;
    for (size_t i = 0; i < count_runs(diff); i++)
        largest = row->shares[i] > largest ? row->shares[i] : largest;
    return largest;
}

/* Fills in shares for calculation. If a row is not listed, uses the possible share that gives the
 * smallest change. */
static void fill_shares(const struct diff *diff, enum report_table table,
                        const struct diff_row *row, double *shares)
{
    double largest = largest_share(diff, row);
    for (size_t i = 0; i < count_runs(diff); i++)
        shares[i] = isnan(row->shares[i]) ? fmin(unlisted_share_bound(diff, table, row, i), largest)
                                          : row->shares[i];
}

/* A run that does not list the row counts as 0; NAN if no run lists it. */
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

/* Returns the variance of the mean of several runs due to sampling. */
static double sampling_variance(const struct diff_side *side, const double *shares)
{
    double sum = 0;
    for (size_t i = 0; i < side->run_count; i++)
        sum += shares[i] * (1 - shares[i]) / side->runs[i]->effective_samples;
    return sum / (double)side->run_count / (double)side->run_count;
}

static double amount_variance(const struct diff_side *side, const double *shares,
                              const double *amounts)
{
    double sum = 0;
    for (size_t i = 0; i < side->run_count; i++)
        if (shares[i] > 0)
            sum += amounts[i] * amounts[i] / (shares[i] * side->runs[i]->effective_samples);
    return sum / (double)side->run_count / (double)side->run_count;
}

static void compare_run_series(const struct diff *diff, struct diff_row *row, const double *shares)
{
    const struct diff_side *a = &diff->a;
    const struct diff_side *b = &diff->b;
    double amounts[2 * DIFF_RUNS_MAX];
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

/* Compares two sides if at least one of them is a single run. */
static void compare_single_runs(const struct diff *diff, enum report_table table,
                                struct diff_row *row, const double *shares)
{
    double n_a = diff->a.effective_samples / row->design_effect;
    double n_b = diff->b.effective_samples / row->design_effect;
    double a = mean_of(shares, diff->a.run_count);
    double b = mean_of(shares + diff->a.run_count, diff->b.run_count);
    double early = fmax(unloaded_share(table, row, diff->a.runs[0]),
                        unloaded_share(table, row, diff->b.runs[0]));
    double slack = early * fmax(a, b);
    double nearer = b > a ? fmax(a, b - slack) : fmin(a, b + slack);
    row->share = compare_shares(a, n_a, b, n_b);
    row->share.p = compare_shares(a, n_a, nearer, n_b).p;
    row->times = compare_amounts(row->amount_a, n_a * a, row->amount_b, n_b * b);
}

static double design_effect(const struct diff *diff, const struct diff_row *row)
{
    size_t parts = diff->a.runs[0]->part_count;
    if (diff->a.run_count != 1 || diff->b.run_count != 1 || !row->parts[0] || !row->parts[1])
        return NAN;
    return compare_design(row->parts[0], row->parts[1], parts, diff->a.effective_samples,
                          diff->b.effective_samples);
}

/* Estimates the clustering of samples in time, per object; its fields and code share the object's
 * value. A row without an estimate gets the largest one. */
static void find_design_effects(struct diff *diff)
{
    double worst = 1;
    for (size_t i = 0; i < diff->count[REPORT_OBJECTS]; i++) {
        struct diff_row *row = &diff->rows[REPORT_OBJECTS][i];
        row->design_effect = design_effect(diff, row);
        if (fmin(row->a, row->b) >= share_that_speaks && row->design_effect > worst)
            worst = row->design_effect;
    }
    for (int table = 0; table < REPORT_TABLES; table++)
        for (size_t i = 0; i < diff->count[table]; i++) {
            struct diff_row *row = &diff->rows[table][i];
            if (table != REPORT_OBJECTS)
                row->design_effect = row->object ? row->object->design_effect : NAN;
            row->design_effect = isnan(row->design_effect) ? worst : row->design_effect;
        }
}

static void compare_row(struct diff *diff, enum report_table table, struct diff_row *row)
{
    double shares[2 * DIFF_RUNS_MAX];
    fill_shares(diff, table, row, shares);
    if (diff->several)
        compare_run_series(diff, row, shares);
    else
        compare_single_runs(diff, table, row, shares);
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

/* Adjusts the p-values for multiple tests over all rows of a table. */
static int adjust_p_values(struct diff *diff, enum report_table table)
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

static int compare_by_change(const void *left, const void *right)
{
    const struct diff_row *a = left;
    const struct diff_row *b = right;
    if (a->changed != b->changed)
        return a->changed ? -1 : 1;
    double difference = fabs(b->share.change) - fabs(a->share.change);
    return difference > 0 ? 1 : difference < 0 ? -1 : strcmp(a->row->name, b->row->name);
}

static int diff_compare_compare(struct diff *diff)
{
    if (diff_match(diff))
        return -ENOMEM;
    for (int table = 0; table < REPORT_TABLES; table++)
        for (size_t i = 0; i < diff->count[table]; i++)
            fill_means(diff, &diff->rows[table][i]);
    find_design_effects(diff);
    for (int table = 0; table < REPORT_TABLES; table++)
        for (size_t i = 0; i < diff->count[table]; i++)
            compare_row(diff, (enum report_table)table, &diff->rows[table][i]);
    int code = 0;
    for (int table = 0; table < REPORT_TABLES && !code; table++)
        code = adjust_p_values(diff, (enum report_table)table);
    return code;
}

/* Formats an amount as the tables do: a count, or time; "" if not known. */
static void diff_amount_text(char out[16], const struct diff *diff, double amount)
{
    *out = '\0';
    if (isnan(amount))
        return;
    if (diff_in_time(diff))
        format_seconds(out, 16, value_number(amount / 1e9));
    else
        text_count(out, amount);
}

static void write_amounts(const struct diff *diff, struct diff_row *row)
{
    char a[16];
    char b[16];
    diff_amount_text(a, diff, isnan(row->a) ? NAN : row->amount_a);
    diff_amount_text(b, diff, isnan(row->b) ? NAN : row->amount_b);
    if (*a || *b)
        snprintf(row->amounts, sizeof row->amounts, "%s > %s", *a ? a : "-", *b ? b : "-");
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
    if (!code && (code = diff_compare_compare(diff)))
        error_set(error, code, "out of memory");
    if (code) {
        diff_free(diff);
        return code;
    }
    for (int table = 0; table < REPORT_TABLES; table++) {
        for (size_t i = 0; i < diff->count[table]; i++)
            write_amounts(diff, &diff->rows[table][i]);
        qsort(diff->rows[table], diff->count[table], sizeof *diff->rows[table], compare_by_change);
    }
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

static void format_share_points(char *out, size_t size, double share)
{
    double value = share * 100;
    snprintf(out, size, "%+.*f", fabs(value) < 9.95 ? 2 : 1, value);
}

static void format_change(char *out, size_t size, struct value value)
{
    format_share_points(out, size, value.number);
}

static void format_interval(char *out, size_t size, struct value value)
{
    char low[12];
    char high[12];
    format_share_points(low, sizeof low, value.low);
    format_share_points(high, sizeof high, value.high);
    snprintf(out, size, "%s..%s", low, high);
}

/* Formats "x0.48", "x12". */
static void format_factor(char *out, size_t size, struct value value)
{
    double times = value.number;
    snprintf(out, size, "x%.*f", times < 9.995 ? 2 : times < 99.95 ? 1 : 0, fmin(times, 1e9));
}

static struct value diff_interval(const struct snapshot *snapshot, const void *pointer)
{
    ROW(diff_row);
    struct value value = value_number(row->share.change);
    value.low = row->share.low;
    value.high = row->share.high;
    return value;
}

static struct value diff_reading_value(const struct snapshot *snapshot, const void *pointer)
{
    ROW(diff_row);
    const char *text = diff_reading(row);
    return value_text(*text ? text : NULL);
}

static enum paint paint_change(struct value value)
{
    return signbit(value.number) ? PAINT_GOOD : PAINT_WARN;
}

#define FIGURES                                                                                    \
    COLUMN(.title = "CHANGE", .key = "change", .from = FIELD(struct diff_row, share.change),       \
           .width = 6, .look = COLUMN_RIGHT, .format = format_change, .paint = paint_change),      \
        COLUMN(.title = "95% INTERVAL", .value = diff_interval, .width = 14, .rank = 1,            \
               .look = COLUMN_RIGHT, .format = format_interval, .paint = paint_dim),               \
        COLUMN(.title = "A", .key = "share_a", .from = FIELD(struct diff_row, a), .width = 6,      \
               UNIT_PERCENT),                                                                      \
        COLUMN(.title = "B", .key = "share_b", .from = FIELD(struct diff_row, b), .width = 6,      \
               UNIT_PERCENT),                                                                      \
        COLUMN(.title = "A > B AMOUNT", .from = FIELD(struct diff_row, amounts), .width = 15,      \
               .rank = 3, .look = COLUMN_RIGHT,                                                    \
               .shown_if = KNOWN(struct snapshot, totals.weight)),                                 \
        COLUMN(.title = "TIMES", .key = "times", .form = JSON_EXACT,                               \
               .from = FIELD(struct diff_row, times.value), .width = 6, .rank = 1,                 \
               .look = COLUMN_RIGHT, .shown_if = KNOWN(struct snapshot, totals.weight),            \
               .format = format_factor)
/* The reading, and members of JSON alone. */
#define READING                                                                                    \
    COLUMN(.title = "READING", .key = "reading", .value = diff_reading_value, .width = 24,         \
           .width_max = 28, .rank = 1),                                                            \
        MEMBER("change_low", struct diff_row, share.low),                                          \
        MEMBER("change_high", struct diff_row, share.high),                                        \
        COLUMN(.key = "amount_a", .form = JSON_EXACT, .known_if = FIELD(struct diff_row, a),       \
               .from = FIELD(struct diff_row, amount_a)),                                          \
        COLUMN(.key = "amount_b", .form = JSON_EXACT, .known_if = FIELD(struct diff_row, b),       \
               .from = FIELD(struct diff_row, amount_b)),                                          \
        MEMBER_EXACT("times_low", struct diff_row, times.low),                                     \
        MEMBER_EXACT("times_high", struct diff_row, times.high),                                   \
        MEMBER_EXACT("p", struct diff_row, share.p),                                               \
        MEMBER_EXACT("p_adjusted", struct diff_row, p_adjusted),                                   \
        MEMBER_EXACT("design", struct diff_row, design_effect),                                    \
        MEMBER("changed", struct diff_row, changed)
/* Column entries from the compared row. */
#define FROM_COMPARED(json_key, path)                                                              \
    .key = json_key, .in = ROW_OF(struct diff_row, row), .from = path

static const struct column object_list[] = {
    FIGURES,
    COLUMN(.title = "OBJECT", FROM_COMPARED("name", FIELD(struct report_row, name)), .width = 10,
           .width_max = 40, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "KIND", FROM_COMPARED("kind", FIELD(struct report_row, kind)), .width = 6,
           .rank = 4),
    COLUMN(.title = "MODULE", FROM_COMPARED("module", KNOWN(struct report_row, module)), .width = 8,
           .width_max = 20, .rank = 5, .look = COLUMN_NAME),
    READING,
};

static const struct column field_list[] = {
    FIGURES,
    COLUMN(.title = "FIELD", FROM_COMPARED("name", FIELD(struct report_row, name)), .width = 10,
           .width_max = 40, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "IN OBJECT", FROM_COMPARED("object", FIELD(struct report_row, object)),
           .width = 10, .width_max = 30, .rank = 1, .look = COLUMN_NAME),
    READING,
    COLUMN(FROM_COMPARED("kind", FIELD(struct report_row, kind))),
    COLUMN(FROM_COMPARED("module", KNOWN(struct report_row, module))),
};

static const struct column function_list[] = {
    FIGURES,
    COLUMN(.title = "FUNCTION", FROM_COMPARED("function", FIELD(struct report_row, name)),
           .width = 10, .width_max = 40, .look = COLUMN_NAME, .paint = paint_strong),
    COLUMN(.title = "MODULE", FROM_COMPARED("module", KNOWN(struct report_row, module)), .width = 8,
           .width_max = 20, .rank = 4, .look = COLUMN_NAME),
    READING,
};

static const struct columns object_table = {
    .title = "Objects", TABLE(struct diff_row, object_list), .sort = COLUMNS_AS_THEY_COME};
static const struct columns field_table = {
    .title = "Fields", TABLE(struct diff_row, field_list), .sort = COLUMNS_AS_THEY_COME};
static const struct columns function_table = {
    .title = "Functions", TABLE(struct diff_row, function_list), .sort = COLUMNS_AS_THEY_COME};

const struct columns *const diff_columns[REPORT_TABLES] = {&object_table, &field_table,
                                                           &function_table};

/* ---- a comparison as text ---- */

static const char *amounts_text(const struct diff *diff)
{
    bool time = diff_in_time(diff);
    switch (diff->amounts) {
    case DIFF_AMOUNT_PER_SECOND:
        return time ? "time at the accesses per second" : "events per second";
    case DIFF_AMOUNT_PER_1000_INSTRUCTIONS:
        return time ? "time at the accesses per 1,000 instructions"
                    : "events per 1,000 instructions";
    case DIFF_AMOUNT_OF_RUN:
        return "misses of the whole run, counted";
    default:
        return NULL;
    }
}

static void print_run(struct text_writer *writer, const char *side, const struct report *run)
{
    char elapsed[32] = "";
    char samples[16];
    if (!isnan(run->elapsed_s))
        snprintf(elapsed, sizeof elapsed, ", %.1f s", run->elapsed_s);
    text_printf(writer, "%s: %s: %s%s, %s samples", side, run->path, *run->comm ? run->comm : "?",
                elapsed,
                text_count(samples, isnan(run->samples) ? run->effective_samples : run->samples));
}

static void print_comparison_totals(struct text_writer *writer, const struct diff *diff)
{
    char a[16];
    char b[16];
    char times[16] = "";
    const char *event = diff->a.runs[0]->event;
    const char *weighs = diff->a.runs[0]->weight_unit;
    const char *amounts = amounts_text(diff);
    bool same = !*weighs || !strcmp(event, weighs);
    text_printf(writer, "shares of %s%s%s%s, in percentage points: B minus A", event,
                same ? "" : " (", same ? "" : weighs, same ? "" : ")");
    if (!amounts) {
        text_printf(writer, "amounts are not known: shares only");
        return;
    }
    diff_amount_text(a, diff, diff->a.amount);
    diff_amount_text(b, diff, diff->b.amount);
    if (!isnan(diff->times.value))
        format_factor(times, sizeof times, value_number(diff->times.value));
    text_printf(writer, "amounts: %s; in all %s -> %s, %s (%.2f..%.2f)", amounts, a, b, times,
                diff->times.low, diff->times.high);
    if (diff->amounts == DIFF_AMOUNT_OF_RUN || isnan(diff->a.weight) || isnan(diff->b.weight))
        return;
    diff_amount_text(a, diff, diff->a.weight);
    diff_amount_text(b, diff, diff->b.weight);
    text_printf(writer, "of a whole run: %s -> %s, x%.2f", a, b, diff->b.weight / diff->a.weight);
}

static void print_comparison_head(struct text_writer *writer, const struct diff *diff)
{
    for (size_t i = 0; i < diff->a.run_count; i++)
        print_run(writer, "A", diff->a.runs[i]);
    for (size_t i = 0; i < diff->b.run_count; i++)
        print_run(writer, "B", diff->b.runs[i]);
    print_comparison_totals(writer, diff);
    for (size_t i = 0; i < diff->note_count; i++)
        text_printf(writer, "note: %s", diff->notes[i]);
}

static void print_diff_table(struct text_writer *writer, const struct diff *diff, int table,
                             bool all)
{
    static const char *const names[] = {"objects", "fields", "functions"};
    if (!diff->changed[table])
        text_printf(writer, "\n%s: no significant change (%zu compared)", names[table],
                    diff->tested[table]);
    else
        text_printf(writer, "\n%s: %zu of %zu changed significantly", names[table],
                    diff->changed[table], diff->tested[table]);
    text_rows(writer, diff_columns[table], diff->rows[table],
              all ? diff->count[table] : diff->changed[table], SIZE_MAX);
}

int diff_print(FILE *out, const struct diff *diff, const struct view_options *options, bool all)
{
    /* Columns check a snapshot to decide whether they are shown; only the weight matters here. */
    const struct snapshot known = {.totals.weight = diff->amounts ? 1 : NAN};
    struct text_writer writer;
    int code = text_writer_init(&writer, out, &known, options);
    if (code)
        return code;
    errno = 0;
    print_comparison_head(&writer, diff);
    for (int table = 0; table < REPORT_TABLES; table++)
        print_diff_table(&writer, diff, table, all);
    if (fflush(out) == EOF || ferror(out))
        code = errno ? -errno : -EIO;
    canvas_fini(&writer.line);
    return code;
}
