/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Misses, accesses and waiting over time: from their own events, or from latencies and levels of
 * samples. */
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "profile/profile.h"
#include "unit.h"
#include "view/screens/matrix_table.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "unit/names.h"

enum { HOT = 1, COLD, OBJECTS };
enum { MISS, ACCESS, STALL, EVENTS };

static const uint64_t second = 1000000000;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[OBJECTS] = {"unknown", "hot", "cold"};
    (void)context;
    *desc = (struct object_desc){.name = names[object % OBJECTS], .module = "m"};
    return true;
}

static bool name_thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    (void)context;
    snprintf(out, out_size, "thread%u", tid);
    return true;
}

struct run {
    struct profile *profile;
    struct snapshot_source source;
    struct prng prng;
    uint64_t now_ns;
};

static void begin(struct run *run, const enum event_role *roles, uint16_t events)
{
    static const struct fake_names answers = {.object = name_object, .thread = name_thread};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .ways = 10, .event_count = events, .window_entries = 4096};
    *run = (struct run){.prng = {3}, .now_ns = 5 * second};
    run->source = (struct snapshot_source){.name = "counter", .live = true, .event_count = events};
    for (int i = 0; i < events; i++) {
        options.roles[i] = (uint8_t)roles[i];
        run->source.events[i] = (struct snapshot_event){.name = "e", .role = roles[i]};
    }
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&run->profile, &options, NULL), 0);
}

static struct place place_of(struct run *run, uint16_t event, uint32_t object, unsigned weight)
{
    struct place place = {.object = object, .function = 1, .base = object * UINT64_C(0x1000000)};
    place.access = (struct access){.time_ns = run->now_ns,
                                   .ip = 0x400000 + object,
                                   .event = event,
                                   .weight = weight,
                                   .tid = object,
                                   .address = place.base + prng_below(&run->prng, 1000) * 8,
                                   .size = 8,
                                   .kind = ACCESS_LOAD};
    return place;
}

static void add(struct run *run, uint16_t event, uint32_t object, unsigned weight)
{
    struct place place = place_of(run, event, object, weight);
    profile_add(run->profile, &place);
    run->now_ns += second / 3000;
}

static void add_without(struct run *run, enum reason reason, unsigned weight)
{
    struct place place = place_of(run, MISS, 0, weight);
    place.access.reason = reason;
    profile_add(run->profile, &place);
}

static const struct snapshot *take_snapshot(struct run *run)
{
    struct snapshot head = {.iteration = 1,
                            .elapsed_s = (double)(run->now_ns - 5 * second) / 1e9,
                            .source = run->source};
    const struct snapshot *snapshot = profile_snapshot(run->profile, &head, run->now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

static const struct snapshot_stream *find(const struct snapshot_streams *streams, const char *name)
{
    for (size_t i = 0; i < streams->count; i++)
        if (!strcmp(streams->list[i].name, name))
            return &streams->list[i];
    fail_msg("no stream is named %s", name);
    return NULL;
}

static void expect_whole(const struct snapshot_timeline *timeline,
                         const struct snapshot_measured *measured,
                         const struct snapshot_streams *streams)
{
    assert_true(streams->count > 0);
    for (size_t i = 0; i < timeline->periods; i++) {
        double parts = 0;
        for (size_t k = 0; k < streams->count; k++)
            parts += streams->list[k].weight[i];
        assert_true(parts == measured->all[i]);
    }
}

/* "hot" is accessed often and misses rarely, "cold" the opposite; "cold" waits longer. */
static void misses_accesses_and_stalls_use_separate_events(void **state)
{
    static const enum event_role roles[EVENTS] = {EVENT_MEM_FILL, EVENT_ACCESS, EVENT_STALL};
    static const uint16_t events[] = {ACCESS, MISS, STALL};
    (void)state;
    struct run run;
    begin(&run, roles, EVENTS);
    for (int i = 0; i < 30000; i++) {
        uint16_t event = events[i % 3];
        bool hot = prng_below(&run.prng, 10) < (event == ACCESS ? 9 : 2);
        add(&run, event, hot ? HOT : COLD, event == ACCESS ? 1000 : 10);
    }
    add(&run, MISS, COLD, 10); /* completes the last period */
    const struct snapshot *snapshot = take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    assert_int_equal(timeline->ranking_measure, MEASURE_MISSES);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        const struct snapshot_measured *measured = &timeline->by_measure[i];
        assert_non_null(measured->all);
        expect_whole(timeline, measured, &measured->objects);
        expect_whole(timeline, measured, &measured->functions);
        expect_whole(timeline, measured, &measured->threads);
    }
    const struct snapshot_measured *accesses = &timeline->by_measure[MEASURE_ACCESSES];
    const struct snapshot_measured *misses = &timeline->by_measure[MEASURE_MISSES];
    double all = timeline_sum(accesses->all, 0, timeline->periods);
    assert_true(all > 0.97 * 10000 * 1000 && all <= 10000 * 1000);
    assert_string_equal(accesses->objects.list[0].name, "hot");
    assert_string_equal(misses->objects.list[0].name, "cold");
    assert_true(fabs(find(&accesses->objects, "hot")->share - 0.9) < 0.02);
    assert_true(fabs(find(&misses->objects, "hot")->share - 0.2) < 0.02);
    assert_true(isnan(find(&accesses->objects, "hot")->share) ||
                find(&accesses->objects, "hot")->volatilities == NULL);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

static uint64_t found_at(unsigned level)
{
    union perf_mem_data_src source = {
        .mem_op = PERF_MEM_OP_LOAD, .mem_lvl = PERF_MEM_LVL_HIT, .mem_lvl_num = level};
    return source.val;
}

/* One event with latencies and levels in its samples, including hits, as with ibs. */
static void missing_measures_are_derived_from_recorded_latencies(void **state)
{
    static const enum event_role roles[] = {EVENT_ACCESS};
    (void)state;
    struct run run;
    double missed = 0;
    double waited = 0;
    begin(&run, roles, 1);
    for (int i = 0; i < 9001; i++) {
        bool hot = i % 3 > 0;
        struct place place = place_of(&run, 0, hot ? HOT : COLD, 7);
        place.access.latency = hot ? 5 : 300;
        place.access.data_src = found_at(hot ? PERF_MEM_LVLNUM_L1 : PERF_MEM_LVLNUM_RAM);
        missed += hot ? 0 : 7;
        waited += (hot ? 5 : 300) * 7;
        profile_add(run.profile, &place);
        run.now_ns += second / 1000;
    }
    const struct snapshot *snapshot = take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *misses = &timeline->by_measure[MEASURE_MISSES];
    const struct snapshot_measured *waiting = &timeline->by_measure[MEASURE_WAITING];
    assert_int_equal(timeline->ranking_measure, MEASURE_ACCESSES);
    assert_true(misses->all && waiting->all && !waiting->no_object);
    expect_whole(timeline, waiting, &waiting->objects);
    expect_whole(timeline, waiting, &waiting->threads);
    expect_whole(timeline, misses, &misses->functions);
    expect_whole(timeline, misses, &misses->threads);
    assert_int_equal(misses->objects.count, 1);
    double part = timeline_sum(misses->all, 0, timeline->periods) / missed;
    assert_true(part > 0.95 && part <= 1);
    part = timeline_sum(waiting->all, 0, timeline->periods) / waited;
    assert_true(part > 0.95 && part <= 1);
    assert_true(fabs(find(&waiting->objects, "cold")->share - 300.0 / 310) < 0.01);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* A timer: only the ranking event, without latencies or levels. */
static void unsampled_measures_are_null(void **state)
{
    static const enum event_role roles[] = {EVENT_TIME};
    (void)state;
    struct run run;
    begin(&run, roles, 1);
    for (int i = 0; i < 6000; i++)
        add(&run, 0, HOT, 10);
    const struct snapshot *snapshot = take_snapshot(&run);
    assert_int_equal(snapshot->timeline.ranking_measure, MEASURE_WAITING);
    assert_non_null(snapshot->timeline.by_measure[MEASURE_WAITING].all);
    assert_null(snapshot->timeline.by_measure[MEASURE_MISSES].all);
    assert_null(snapshot->timeline.by_measure[MEASURE_ACCESSES].all);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* The share of a phase without an object, for any reason. */
static void phases_report_share_without_an_object(void **state)
{
    static const enum event_role roles[] = {EVENT_MEM_FILL};
    (void)state;
    struct run run;
    begin(&run, roles, 1);
    for (int i = 0; i < 9000; i++) {
        add(&run, MISS, i % 3 ? HOT : COLD, 10);
        if (i % 3 == 0)
            add_without(&run, i % 2 ? REASON_OVERWRITTEN : REASON_NO_MEMORY, 10);
    }
    const struct snapshot *snapshot = take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *misses = &timeline->by_measure[MEASURE_MISSES];
    assert_int_equal(timeline->phase_count, 1);
    assert_true(fabs(timeline->phases[0].no_object - 0.25) < 0.01);
    assert_true(fabs(timeline->phases[0].shares[0] - 2.0 / 3) < 0.01);
    double no_object = timeline_sum(misses->no_object, 0, timeline->periods);
    double all = timeline_sum(misses->all, 0, timeline->periods);
    assert_true(fabs(no_object / (all + no_object) - 0.25) < 0.01);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* Of several miss events the deepest is used, except that the ranking event always counts. */
static void deepest_miss_event_is_used_unless_another_ranks(void **state)
{
    static const enum event_role roles[] = {EVENT_MISS_L1, EVENT_ACCESS, EVENT_MEM_FILL,
                                            EVENT_OTHER};
    static const unsigned weights[] = {10, 100, 1, 1000};
    (void)state;
    struct run run;
    begin(&run, roles, 4);
    for (uint16_t ranking = 0; ranking < 4; ranking++) {
        profile_set_ranking(run.profile, ranking);
        for (int i = 0; i < 6000; i++)
            add(&run, (uint16_t)(i % 4), HOT, weights[i % 4]);
        const struct snapshot *snapshot = take_snapshot(&run);
        const struct snapshot_timeline *timeline = &snapshot->timeline;
        const struct snapshot_measured *misses = &timeline->by_measure[MEASURE_MISSES];
        assert_int_equal(timeline->ranking_measure,
                         ranking == 1 ? MEASURE_ACCESSES : MEASURE_MISSES);
        double each =
            timeline_sum(misses->all, 1, timeline->periods) /
            timeline_sum(timeline->by_measure[MEASURE_ACCESSES].all, 1, timeline->periods);
        assert_true(fabs(each - weights[ranking == 1 ? 2 : ranking] / 100.0) < 0.1 * each);
        assert_null(timeline->by_measure[MEASURE_WAITING].all);
        snapshot_free(snapshot);
    }
    profile_free(run.profile);
}

static const struct matrix_line *line_of(const struct matrix_table *table, const char *name)
{
    const struct matrix_lines *columns = &table->axis[MATRIX_OBJECTS];
    for (size_t i = 0; i < columns->count; i++)
        if (!strcmp(columns->list[i].name, name))
            return &columns->list[i];
    fail_msg("no matrix line is named %s", name);
    return NULL;
}

/* Two objects: 1 in 10 of 1,000 accesses misses, and 2 in 3 of 3,000. */
static void combined_matrix_lines_have_rates(void **state)
{
    static const enum event_role roles[] = {EVENT_MISS_L1, EVENT_ACCESS};
    static struct matrix_table table;
    (void)state;
    struct run run;
    struct bin_rules rules = {.count = 0};
    struct matrix_cell cell;
    begin(&run, roles, 2);
    for (int i = 0; i < 4000; i++) {
        add(&run, ACCESS, i % 4 ? COLD : HOT, 100);
        if (i % 4 == 0 ? i % 40 == 0 : i % 2)
            add(&run, MISS, i % 4 ? COLD : HOT, 100);
    }
    const struct snapshot *snapshot = take_snapshot(&run);
    matrix_table_make(&table, snapshot, &rules, MATRIX_ACCESSES);
    assert_true(fabs(matrix_table_share(&table, &line_of(&table, "cold")->total) - 0.75) < 1e-9);
    assert_int_equal(matrix_rules_combine(&rules, &table, MATRIX_OBJECTS,
                                          line_of(&table, "cold")->identity,
                                          &line_of(&table, "hot")->identity, 1),
                     0);
    matrix_table_make(&table, snapshot, &rules, MATRIX_ACCESSES);
    const struct matrix_line *both = line_of(&table, "cold");
    assert_int_equal(both->members, 2);
    for (size_t row = 0; row < 2; row++) {
        size_t column = (size_t)(both - table.axis[MATRIX_OBJECTS].list) + 1;
        matrix_cell_gather(&table, (struct matrix_place){{row, column}}, &cell);
        assert_non_null(cell.rates);
        assert_true(fabs(cell.rates->accesses - 400000) < 1);
        assert_true(fabs(cell.rates->miss_rate[RATE_L1].value - 2100.0 / 4000) < 1e-9);
    }
    bin_rules_fini(&rules);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* Its own column, with distinct rows; samples that only computed are in no function. */
static void matrix_has_a_column_for_unattributed_samples(void **state)
{
    static const enum event_role roles[] = {EVENT_TIME};
    static struct matrix_table table;
    char text[MATRIX_WORD_BYTES];
    (void)state;
    struct run run;
    struct bin_rules rules = {.count = 0};
    struct matrix_cell cell;
    begin(&run, roles, 1);
    for (int i = 0; i < 1000; i++) {
        add(&run, 0, HOT, 10);
        if (i % 2)
            add_without(&run, i % 4 == 1 ? REASON_OVERWRITTEN : REASON_NO_MEMORY, 10);
    }
    const struct snapshot *snapshot = take_snapshot(&run);
    matrix_table_make(&table, snapshot, &rules, MATRIX_WEIGHT);
    const struct matrix_lines *rows = &table.axis[MATRIX_FUNCTIONS];
    const struct matrix_lines *columns = &table.axis[MATRIX_OBJECTS];
    assert_int_equal(columns->count, 2);
    assert_int_equal(rows->count, 2);
    assert_string_equal(columns->list[1].name, "no object");
    assert_string_equal(rows->list[1].name, "no access");
    assert_true(fabs(columns->list[1].total.share - 1.0 / 3) < 1e-9);
    assert_true(fabs(rows->list[0].total.share - 5.0 / 6) < 1e-9);
    assert_true(fabs(table.cells[0][1].share - 1.0 / 6) < 1e-9);
    assert_true(table.cells[1][0].samples == 0);
    matrix_cell_gather(&table, (struct matrix_place){{1, 2}}, &cell);
    matrix_word(&table, &cell, MATRIX_WORD_REASON, text);
    assert_non_null(strstr(text, "object unknown"));
    matrix_word(&table, &cell, MATRIX_WORD_SHARES, text);
    assert_non_null(strstr(text, "50.0% of samples without an object"));
    snapshot_free(snapshot);
    profile_free(run.profile);
}

static void draw(struct browser *browser, int rows, int columns, char *out, size_t size)
{
    struct canvas canvas;
    assert_int_equal(canvas_init(&canvas, rows, columns, true), 0);
    browser_draw(browser, &canvas, 0);
    size_t used = 0;
    for (int row = 0; row < rows && used < size - 512; row++) {
        used += canvas_row_text(&canvas, row, out + used, size - used - 1);
        out[used++] = '\n';
    }
    out[used] = '\0';
    canvas_fini(&canvas);
}

static void press(struct browser *browser, uint32_t key)
{
    browser_input(browser, &(struct input){.kind = INPUT_KEY, .key = key});
}

/* The chart follows the selected measure; a measure that is not sampled names its source. */
static void key_selects_the_measure_of_the_chart(void **state)
{
    static const enum event_role roles[] = {EVENT_MEM_FILL, EVENT_ACCESS};
    static char text[65536];
    (void)state;
    struct run run;
    struct browser browser;
    begin(&run, roles, 2);
    for (int i = 0; i < 9000; i++)
        add(&run, i % 2 ? ACCESS : MISS, i % 2 ? HOT : COLD, 10);
    browser_init(&browser, NULL);
    browser_show(&browser, take_snapshot(&run), snapshot_free);
    press(&browser, '8');
    draw(&browser, 36, 120, text, sizeof text);
    assert_non_null(strstr(text, "Misses, the whole run"));
    assert_non_null(strstr(text, "100.0% cold"));
    press(&browser, 'a');
    draw(&browser, 36, 120, text, sizeof text);
    assert_non_null(strstr(text, "Accesses, the whole run"));
    assert_non_null(strstr(text, "100.0% hot"));
    press(&browser, 'a');
    draw(&browser, 36, 120, text, sizeof text);
    assert_non_null(strstr(text, "No waiting"));
    assert_non_null(strstr(text, "-e mem-fill,stall"));
    press(&browser, KEYS_LEFT); /* no chart, no cursor */
    for (int rows = 10; rows < 50; rows += 9)
        for (int columns = 40; columns < 200; columns += 37)
            draw(&browser, rows, columns, text, sizeof text);
    press(&browser, 'a');
    draw(&browser, 36, 120, text, sizeof text);
    assert_non_null(strstr(text, "Misses, the whole run"));
    browser_fini(&browser);
    profile_free(run.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misses_accesses_and_stalls_use_separate_events),
        cmocka_unit_test(missing_measures_are_derived_from_recorded_latencies),
        cmocka_unit_test(unsampled_measures_are_null),
        cmocka_unit_test(phases_report_share_without_an_object),
        cmocka_unit_test(deepest_miss_event_is_used_unless_another_ranks),
        cmocka_unit_test(key_selects_the_measure_of_the_chart),
        cmocka_unit_test(combined_matrix_lines_have_rates),
        cmocka_unit_test(matrix_has_a_column_for_unattributed_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
