/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/time/timeline.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/tables/rates.h"
#include "profile/tables/tally.h"
#include "resolve/members.h"
#include "snapshot_time.h"

void field_counts_follow(struct field_counts *counts, uint32_t object)
{
    if (counts->followed_count == FIELD_OBJECTS || field_counts_follows(counts, object))
        return;
    touched_add(&counts->followed, object);
    counts->followed_count++;
}

void field_counts_add(struct field_counts *counts, uint32_t object, uint64_t key,
                      enum snapshot_measure measure, double weight)
{
    if (!(key & (OFFSET_FOLDED | OFFSET_TYPED)))
        return;
    uint64_t hash = hash_mix(key ^ (uint64_t)object << 48);
    for (unsigned i = 0; i < FIELD_PROBES; i++) {
        struct field_row *row = &counts->rows[(hash + i) % FIELD_ROWS];
        if (!row->key)
            *row = (struct field_row){.key = key, .object = object};
        if (row->key != key || row->object != object)
            continue;
        row->weight[measure] += weight;
        row->has_counts = true;
        return;
    }
}

/* Finds the member at the offset of a row. Returns false if the type is not known yet. */
static bool field_counts_find_member(const struct field_row *row, const struct place_names *names,
                                     struct counted_field *field)
{
    union place_answer answer;
    const struct type_desc *type = &answer.type;
    *field = (struct counted_field){row->key, row->object, TYPE_NO_MEMBER};
    if (!(row->key & OFFSET_TYPED))
        return true;
    if (!place_ask(names, PLACE_TYPE, offset_key_type(row->key), &answer))
        return false;
    uint32_t offset = offset_key_offset(row->key);
    field->member = type_member_at(type, offset, 0);
    if (offset_key_unit(row->key) || type_shares_byte(type, field->member, type_fold(type, offset)))
        field->member = TYPE_NO_MEMBER; /* several bit-fields */
    /* All offsets in one member are one field. */
    if (field->member != TYPE_NO_MEMBER)
        field->key &= ~OFFSET_IN_TYPE;
    return true;
}

static uint32_t index_of(struct field_counts *counts, const struct counted_field *wanted)
{
    for (uint32_t i = 0; i < counts->count; i++) {
        const struct counted_field *field = &counts->fields[i];
        if (field->key == wanted->key && field->object == wanted->object &&
            field->member == wanted->member)
            return i + 1;
    }
    if (counts->count == FIELDS_MAX)
        return 0;
    counts->fields[counts->count++] = *wanted;
    return counts->count;
}

const char *field_counts_name(const struct counted_field *field, const struct place_names *names,
                              char *out, size_t out_size)
{
    union place_answer answer;
    bool typed = field->key & OFFSET_TYPED &&
                 place_ask(names, PLACE_TYPE, offset_key_type(field->key), &answer);
    if (typed && field->member != TYPE_NO_MEMBER)
        return type_member_name(&answer.type, field->member, out, out_size);
    if (typed)
        return type_bits_name(&answer.type, offset_key_offset(field->key),
                              offset_key_unit(field->key), out, out_size);
    snprintf(out, out_size, "+%u", offset_key_offset(field->key));
    return out;
}

void thread_groups_name(const char *name, char out[THREAD_NAME_BYTES])
{
    size_t length = strnlen(name, THREAD_NAME_BYTES - 2);
    size_t end = length;
    while (end > 1 && isdigit((unsigned char)name[end - 1]))
        end--;
    memmove(out, name, end);
    if (end < length)
        out[end++] = '*';
    out[end] = '\0';
}

static uint32_t group_of(struct thread_groups *groups, const char *name)
{
    for (uint32_t i = 0; i < groups->count; i++)
        if (!strcmp(groups->names[i], name))
            return i;
    if (groups->count == THREAD_GROUPS_MAX)
        return THREAD_GROUPS_MAX - 1;
    bool last = groups->count == THREAD_GROUPS_MAX - 1;
    snprintf(groups->names[groups->count], THREAD_NAME_BYTES, "%s", last ? "more threads" : name);
    return groups->count++;
}

static enum snapshot_measure role_measure(enum event_role role)
{
    return role == EVENT_ACCESS  ? MEASURE_ACCESSES
           : role == EVENT_STALL ? MEASURE_WAITING
           : role == EVENT_TIME  ? MEASURE_WAITING
           : role == EVENT_OTHER ? SNAPSHOT_MEASURES
                                 : MEASURE_MISSES;
}

/* Prefers the deepest of several miss events; roles are in that order. */
static bool is_deeper_event(const uint8_t *roles, int event, int than)
{
    return than < 0 || (role_measure((enum event_role)roles[event]) == MEASURE_MISSES &&
                        roles[event] > roles[than]);
}

void measures_plan(struct measures *measures, const uint8_t *roles, uint16_t events,
                   uint16_t ranking)
{
    enum snapshot_measure ranks = role_measure((enum event_role)roles[ranking]);
    *measures = (struct measures){.event = {-1, -1, -1}, .ranking = ranking};
    measures->ranking_measure = ranks == SNAPSHOT_MEASURES ? MEASURE_MISSES : ranks;
    for (int i = 0; i < events; i++) {
        enum snapshot_measure measure = role_measure((enum event_role)roles[i]);
        if (measure != SNAPSHOT_MEASURES && is_deeper_event(roles, i, measures->event[measure]))
            measures->event[measure] = i;
    }
    measures->event[measures->ranking_measure] = ranking;
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        measures->of_event[i] = SNAPSHOT_MEASURES;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (measures->event[i] >= 0)
            measures->of_event[measures->event[i]] = (uint8_t)i;
}

/* Requires that hits are sampled too; misses are counted at L1. */
static bool counts_misses_by_level(const struct measures *measures)
{
    return measures->event[MEASURE_MISSES] < 0 && measures->ranking_measure == MEASURE_ACCESSES;
}

double measures_missed(const struct measures *measures, const struct access *access)
{
    if (!counts_misses_by_level(measures))
        return 0;
    enum data_level found = (enum data_level)data_source_decode(access->data_src).level;
    return rates_missed(found, RATE_L1) == ANSWER_YES ? tally_weight(access) : 0;
}

static double sum_levels(const struct measures *measures, enum snapshot_measure measure,
                         const struct levels *levels)
{
    double sum = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        if (measure == MEASURE_WAITING)
            sum += levels->at[LEVELS_WAITED(i)].at[BASIS_RUN];
        else if (counts_misses_by_level(measures) &&
                 rates_missed((enum data_level)i, RATE_L1) == ANSWER_YES)
            sum += levels->at[LEVELS_FOUND(i)].at[BASIS_RUN];
    return sum;
}

/* Returns the count of a measure since the start, for one object, one function or everything.
 * `tallies`: [events]; `levels`: of the samples of the ranking event, NULL: not recorded. */
static double measures_total(const struct measures *measures, enum snapshot_measure measure,
                             const struct tally *tallies, const struct levels *levels)
{
    int event = measures->event[measure];
    if (event >= 0)
        return tallies[event].weight.at[BASIS_RUN];
    return levels ? sum_levels(measures, measure, levels) : 0;
}

/* next_ns if memory ran out: there is no timeline, and profiling goes on. */
static const uint64_t never = UINT64_MAX;

/* Minimum share of an object in the run so far for its fields to have streams. */
static const double leading_share = 0.02;

void timeline_fini(struct timeline *timeline)
{
    for (int i = 0; timeline->started && i < SNAPSHOT_MEASURES; i++)
        streams_fini(&timeline->by_measure[i]);
    phases_fini(&timeline->phases);
}

static bool is_leading_object(const struct streams *streams, uint32_t object)
{
    const struct stream *stream = streams_find(streams, STREAM_KEY(STREAM_OBJECT, object));
    const struct stream *all = streams_find(streams, STREAM_KEY(STREAM_ALL, 0));
    return stream && all && stream->total >= leading_share * all->total;
}

/* Starts to count the fields of an object once it leads by any measure. */
static void timeline_follow_fields(struct timeline *timeline, uint32_t object)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (is_leading_object(&timeline->by_measure[i], object))
            field_counts_follow(&timeline->fields, object);
}

typedef void take_total(struct streams *streams, uint64_t key, double total);

static double measured_total(const struct timeline_totals *totals,
                             const struct timeline_counted *counted, uint32_t id,
                             enum snapshot_measure measure)
{
    size_t slot = (size_t)id * counted->tallies->events + totals->measures->ranking;
    return measures_total(totals->measures, measure, tallies_at(counted->tallies, id, 0),
                          count_rows_find(counted->levels, slot, 1));
}

/* Passes the totals of one key to `take`, by measure. */
static void record_key_totals(struct timeline *timeline, const struct timeline_totals *totals,
                              const struct timeline_counted *counted, uint64_t key,
                              take_total *take)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        take(&timeline->by_measure[i], key,
             measured_total(totals, counted, STREAM_ID(key), (enum snapshot_measure)i));
}

static void record_all_totals(struct timeline *timeline, const struct timeline_totals *totals,
                              take_total *take)
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        int event = totals->measures->event[i];
        take(&timeline->by_measure[i], STREAM_KEY(STREAM_ALL, 0),
             measures_total(totals->measures, (enum snapshot_measure)i, totals->all,
                            totals->all_levels));
        if (event >= 0)
            take(&timeline->by_measure[i], STREAM_KEY(STREAM_NONE, 0),
                 totals->unplaced[event].weight.at[BASIS_RUN]);
    }
}

static void timeline_record_totals(struct timeline *timeline, const struct timeline_totals *totals,
                                   take_total *take)
{
    uint32_t word = 0;
    record_all_totals(timeline, totals, take);
    for (uint32_t id; (id = touched_take(&timeline->objects, &word)) != TALLY_IDS_MAX;) {
        record_key_totals(timeline, totals, &totals->objects, STREAM_KEY(STREAM_OBJECT, id), take);
        timeline_follow_fields(timeline, id);
    }
    word = 0;
    for (uint32_t id; (id = touched_take(&timeline->functions, &word)) != TALLY_IDS_MAX;)
        record_key_totals(timeline, totals, &totals->functions, STREAM_KEY(STREAM_FUNCTION, id),
                          take);
}

static void add_measures(struct timeline *timeline, uint64_t key,
                         const double weight[SNAPSHOT_MEASURES])
{
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        if (weight[i] > 0)
            streams_add(&timeline->by_measure[i], key, weight[i]);
}

/* Adds the counts of each thread since the last step to its group. */
static void add_threads(struct timeline *timeline, const struct place_names *names)
{
    struct thread_groups *groups = &timeline->threads;
    for (uint32_t i = 0; i < THREAD_NUMBERS; i++) {
        char name[THREAD_NAME_BYTES] = "unnamed";
        union place_answer answer;
        if (!groups->threads[i].has_counts)
            continue;
        if (i == THREAD_NUMBERS - 1)
            snprintf(name, sizeof name, "more threads");
        else if (place_ask(names, PLACE_THREAD, groups->threads[i].tid, &answer))
            thread_groups_name(answer.thread, name);
        add_measures(timeline, STREAM_KEY(STREAM_THREADS, group_of(groups, name)),
                     groups->threads[i].weight);
        memset(groups->threads[i].weight, 0, sizeof groups->threads[i].weight);
        groups->threads[i].has_counts = false;
    }
}

/* Adds the counts of each field since the last step. */
static void add_fields(struct timeline *timeline, const struct place_names *names)
{
    struct field_counts *counts = &timeline->fields;
    for (uint32_t i = 0; i < FIELD_ROWS; i++) {
        struct field_row *row = &counts->rows[i];
        struct counted_field field;
        if (!row->has_counts)
            continue;
        if (!row->field && field_counts_find_member(row, names, &field))
            row->field = index_of(counts, &field);
        if (!row->field)
            continue;
        add_measures(timeline, STREAM_KEY(STREAM_FIELD, row->field - 1), row->weight);
        memset(row->weight, 0, sizeof row->weight);
        row->has_counts = false;
    }
}

/* Marks everything counted before the first step, so that it has streams from now on. */
static void touch_counted(struct touched_ids *touched, const struct timeline_totals *totals,
                          const struct timeline_counted *counted)
{
    for (uint32_t id = 0; id < counted->tallies->ids; id++)
        for (int i = 0; i < SNAPSHOT_MEASURES; i++)
            if (measured_total(totals, counted, id, (enum snapshot_measure)i) > 0)
                touched_add(touched, id);
}

static void timeline_start(struct timeline *timeline, const struct timeline_totals *totals,
                           uint64_t now_ns)
{
    timeline->budget = (struct streams_budget){.max = STREAMS_MAX};
    timeline->ranking_measure = totals->measures->ranking_measure;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        streams_init(&timeline->by_measure[i], &timeline->budget, now_ns, TIMELINE_BASE_NS);
    timeline->started = true;
    timeline->stepped_ns = now_ns;
    timeline->next_ns = phases_init(&timeline->phases, now_ns) ? never : now_ns + TIMELINE_BASE_NS;
    touch_counted(&timeline->objects, totals, &totals->objects);
    touch_counted(&timeline->functions, totals, &totals->functions);
    timeline_record_totals(timeline, totals, streams_skip);
}

/* Adds the counts to the recent steps. Periods without samples count too. */
static void add_recent_steps(struct timeline *timeline, uint64_t periods)
{
    static const double nothing[PHASES_COLUMNS];
    bool chosen = recent_add(&timeline->recent, timeline->counts);
    for (uint64_t i = 1; i < periods && i < RECENT_STEPS; i++)
        chosen |= recent_add(&timeline->recent, nothing);
    if (chosen)
        phases_rescan(&timeline->phases, timeline->recent.period_steps * TIMELINE_BASE_NS);
}

bool timeline_step(struct timeline *timeline, const struct timeline_totals *totals, uint64_t now_ns)
{
    if (!timeline->started) {
        timeline_start(timeline, totals, now_ns);
        return false;
    }
    uint64_t periods = (now_ns - timeline->next_ns) / TIMELINE_BASE_NS + 1;
    timeline_record_totals(timeline, totals, streams_put);
    add_threads(timeline, totals->names);
    add_fields(timeline, totals->names);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        streams_close(&timeline->by_measure[i], now_ns);
    bool changed =
        phases_add(&timeline->phases, timeline->counts, timeline->stepped_ns, timeline->next_ns);
    add_recent_steps(timeline, periods);
    memset(timeline->counts, 0, sizeof timeline->counts);
    /* Phases always use the first base period, however long the run takes. */
    timeline->stepped_ns = timeline->next_ns;
    timeline->next_ns += periods * TIMELINE_BASE_NS;
    return changed;
}

enum { FIRST = 16, EACH = 64 };

static size_t recent_held(const struct recent *recent)
{
    return recent->steps < RECENT_STEPS ? (size_t)recent->steps : (size_t)RECENT_STEPS;
}

struct column {
    double total;
    unsigned index;
};

static void sort_columns(const struct recent *recent, struct column columns[PHASES_COLUMNS])
{
    for (unsigned k = 0; k < PHASES_COLUMNS; k++)
        columns[k] = (struct column){.index = k};
    for (size_t i = 0; i < recent_held(recent); i++)
        for (unsigned k = 0; k < PHASES_COLUMNS; k++)
            columns[k].total += (double)recent->counts[i][k];
    SORT(columns, PHASES_COLUMNS, LARGEST(struct column, total));
}

static void recent_choose_period(struct recent *recent)
{
    double at[RECENT_CURVES][RECENT_STEPS];
    struct volatility_curve curves[RECENT_CURVES];
    struct column columns[PHASES_COLUMNS];
    size_t points = recent_held(recent);
    size_t count = 0;
    sort_columns(recent, columns);
    for (; count < RECENT_CURVES && columns[count].total > 0; count++) {
        curves[count] = (struct volatility_curve){at[count], columns[count].total};
        for (size_t i = 0; i < points; i++)
            at[count][i] =
                (double)recent
                    ->counts[(recent->steps - points + i) % RECENT_STEPS][columns[count].index];
    }
    recent->profile_count = volatility_profile_of(curves, count, points, recent->profile);
    recent->period_steps =
        volatility_period(recent->profile, recent->profile_count, SNAPSHOT_VOLATILITY_DAMPED);
}

bool recent_add(struct recent *recent, const double counts[PHASES_COLUMNS])
{
    for (unsigned k = 0; k < PHASES_COLUMNS; k++)
        recent->counts[recent->steps % RECENT_STEPS][k] = (float)counts[k];
    uint64_t steps = ++recent->steps;
    bool due = steps % EACH == 0 || (steps < EACH && steps >= FIRST && !(steps & (steps - 1)));
    if (due)
        recent_choose_period(recent);
    return due;
}

bool recent_is_damped(const struct recent *recent)
{
    for (size_t i = 0; i < recent->profile_count; i++)
        if (recent->profile[i].period_steps == recent->period_steps)
            return recent->profile[i].value <= SNAPSHOT_VOLATILITY_DAMPED;
    return false;
}
