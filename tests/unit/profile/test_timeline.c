/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "profile/profile.h"
#include "profile/time/timeline.h"
#include "unit.h"
#include "view/display/browser.h"
#include "view/widget/chart.h"
#include "view/words.h"
#include "unit/names.h"

enum { TIMELINE_GRID = 1, TIMELINE_TABLE, TIMELINE_LIST, TIMELINE_OBJECTS };

static const uint64_t timeline_second = 1000000000;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[TIMELINE_OBJECTS] = {"unknown", "grid", "table", "list"};
    (void)context;
    *desc = (struct object_desc){.name = names[object % TIMELINE_OBJECTS],
                                 .module = "m",
                                 .kind = OBJECT_GLOBAL,
                                 .type = NULL};
    return true;
}

/* A run that can be continued. */
struct run {
    struct profile *profile;
    struct prng prng;
    uint64_t now_ns;
};

static void begin(struct run *run)
{
    static const struct fake_names answers = {.object = name_object};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .ways = 10, .event_count = 2, .window_entries = 4096};
    *run = (struct run){.prng = {11}, .now_ns = 5 * timeline_second};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&run->profile, &options, NULL), 0);
}

/* Nine in ten misses during `seconds` are on one object, the others on any. */
static void run_for(struct run *run, uint32_t object, double seconds)
{
    uint64_t end = run->now_ns + (uint64_t)(seconds * (double)timeline_second);
    for (; run->now_ns < end; run->now_ns += timeline_second / 2000) {
        uint32_t hit =
            prng_below(&run->prng, 10) ? object : 1 + (uint32_t)prng_below(&run->prng, 3);
        struct place place = {.object = hit, .base = hit * UINT64_C(0x1000000)};
        place.access = (struct access){.time_ns = run->now_ns,
                                       .ip = 0x400000,
                                       .weight = 10,
                                       .address = place.base + prng_below(&run->prng, 65536) * 8,
                                       .size = 8,
                                       .kind = ACCESS_LOAD};
        profile_add(run->profile, &place);
    }
}

static const struct snapshot *take_snapshot(struct run *run)
{
    struct snapshot head = {.iteration = 1,
                            .elapsed_s = (double)(run->now_ns - 5 * timeline_second) / 1e9,
                            .source = {.name = "clock", .event_count = 2}};
    const struct snapshot *snapshot = profile_snapshot(run->profile, &head, run->now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

static void expect_phase(const struct snapshot_timeline *timeline, size_t index, const char *name,
                         double start_s, const char *leader)
{
    const struct snapshot_phase *phase = &timeline->phases[index];
    assert_string_equal(phase->name, name);
    assert_true(fabs(phase->start_s - start_s) <= 0.25);
    assert_string_equal(phase->leader, leader);
    assert_true(phase->leader_share > 0.8 && phase->leader_share < 1);
    assert_int_equal(phase->leader_changed, index > 0);
}

/* Planted: grid, table, list, table, grid; found within one base period of the truth. */
static void timeline_reports_planted_phases(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    run_for(&run, TIMELINE_GRID, 5);
    run_for(&run, TIMELINE_TABLE, 3);
    run_for(&run, TIMELINE_LIST, 4);
    run_for(&run, TIMELINE_TABLE, 3);
    run_for(&run, TIMELINE_GRID, 5);
    const struct snapshot *snapshot = take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    assert_int_equal(timeline->phase_count, 5);
    expect_phase(timeline, 0, "A", 0, "grid");
    expect_phase(timeline, 1, "B", 5, "table");
    expect_phase(timeline, 2, "C", 8, "list");
    expect_phase(timeline, 3, "B", 12, "table");
    expect_phase(timeline, 4, "A", 15, "grid");
    assert_true(timeline->alternation_count >= 1 && timeline->alternations[0].correlation < -0.6);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* The periods have the exact count of misses, up to the last whole period. */
static void timeline_periods_have_exact_counts(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    run_for(&run, TIMELINE_GRID, 200);
    const struct snapshot *snapshot = take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    double all = 0;
    double parts = 0;
    for (size_t i = 0; i < timeline->periods; i++) {
        all += ranking->all[i];
        for (size_t k = 0; k < ranking->objects.count; k++)
            parts += ranking->objects.list[k].weight[i];
    }
    assert_int_equal(ranking->objects.count, 3);
    assert_true(parts == all);
    double whole = (double)timeline->periods * timeline->period_s;
    assert_true(fabs(all - whole * 2000 * 10) <= 20);
    assert_true(whole > 195 && whole <= 200);
    assert_int_equal(timeline->phase_count, 1);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* After a change of the ranking event, or a zero, older points are of another measure. */
static void profile_zero_restarts_the_timeline(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    run_for(&run, TIMELINE_GRID, 3);
    run_for(&run, TIMELINE_TABLE, 3);
    profile_zero(run.profile, run.now_ns);
    run_for(&run, TIMELINE_LIST, 2);
    const struct snapshot *snapshot = take_snapshot(&run);
    assert_int_equal(snapshot->timeline.phase_count, 1);
    assert_string_equal(snapshot->timeline.phases[0].leader, "list");
    assert_true(fabs(snapshot->timeline.start_s - 6) < 0.1);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

static void timeline_without_samples_is_empty(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    const struct snapshot *snapshot = take_snapshot(&run);
    assert_int_equal(snapshot->timeline.periods, 0);
    assert_int_equal(snapshot->timeline.phase_count, 0);
    assert_true(isnan(snapshot->timeline.start_s));
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

/* The screen: letters for objects without colours, phases, the list; zoomed in and out; at any
 * size. */
static void timeline_screen_shows_phases_at_any_size(void **state)
{
    static char text[65536];
    (void)state;
    struct run run;
    struct browser browser;
    begin(&run);
    run_for(&run, TIMELINE_GRID, 6);
    run_for(&run, TIMELINE_TABLE, 6);
    browser_init(&browser, NULL);
    browser_show(&browser, take_snapshot(&run), snapshot_free);
    press(&browser, '8');
    assert_int_equal(browser.screen, SCREEN_TIMELINE);
    draw(&browser, 30, 100, text, sizeof text);
    assert_non_null(strstr(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbb"));
    assert_non_null(strstr(text, "grid"));
    assert_non_null(strstr(text, "another object leads"));
    press(&browser, KEYS_DOWN);
    press(&browser, 'o');
    draw(&browser, 30, 100, text, sizeof text);
    assert_non_null(strstr(text, "zoomed in"));
    assert_non_null(strstr(text, "\n 4.5s "));
    for (int i = 0; i < 40; i++) { /* the visible part follows the cursor */
        press(&browser, KEYS_LEFT);
        draw(&browser, 30, 100, text, sizeof text);
    }
    assert_non_null(strstr(text, "\n 250^")); /* under the cursor */
    press(&browser, KEYS_ESCAPE);
    draw(&browser, 30, 100, text, sizeof text);
    assert_non_null(strstr(text, "\n 250ms "));
    press(&browser, KEYS_ESCAPE);
    assert_int_equal(browser.screen, SCREEN_TIMELINE);
    draw(&browser, 30, 100, text, sizeof text);
    assert_null(strstr(text, "zoomed in"));
    for (int rows = 10; rows < 50; rows += 7)
        for (int columns = 40; columns < 220; columns += 31)
            draw(&browser, rows, columns, text, sizeof text);
    browser_fini(&browser);
    profile_free(run.profile);
}

static int run_timeline(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline_reports_planted_phases),
        cmocka_unit_test(timeline_periods_have_exact_counts),
        cmocka_unit_test(profile_zero_restarts_the_timeline),
        cmocka_unit_test(timeline_without_samples_is_empty),
        cmocka_unit_test(timeline_screen_shows_phases_at_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * A run of several minutes in bursts, with phases shorter than the period that damps its noise, and
 * one object that leads in all of them: the period of the chart, the figures of each phase, and the
 * texts on the screen.
 */

enum { LONG_GRID = 1, LONG_TABLE, LONG_LIST, INDEX, LONG_OBJECTS };
enum { CYCLES = 12, ROWS = 36, COLUMNS = 140 };

static const uint64_t long_second = 1000000000;
static const uint64_t start_ns = 5000000000;

static struct {
    struct profile *profile;
    const struct snapshot *snapshot;
    struct prng prng;
    uint64_t now_ns;
    char text[65536];
} long_run;

static bool long_name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[LONG_OBJECTS] = {"unknown", "grid", "table", "list", "index"};
    (void)context;
    *desc = (struct object_desc){
        .name = names[object % LONG_OBJECTS], .module = "m", .kind = OBJECT_GLOBAL, .type = NULL};
    return true;
}

static void miss(uint32_t object, uint64_t at_ns)
{
    struct place place = {.object = object, .base = object * UINT64_C(0x1000000)};
    place.access = (struct access){.time_ns = at_ns,
                                   .ip = 0x400000,
                                   .weight = 10,
                                   .address = place.base + prng_below(&long_run.prng, 65536) * 8,
                                   .size = 8,
                                   .kind = ACCESS_LOAD};
    profile_add(long_run.profile, &place);
}

/* Half of the misses on grid, four in ten on one object, the others on any; each quarter of a
 * second has its own amount. */
static void long_run_for(uint32_t object, unsigned seconds)
{
    for (unsigned i = 0; i < seconds * 4; i++, long_run.now_ns += long_second / 4) {
        unsigned count = 40 + (unsigned)prng_below(&long_run.prng, 600);
        for (unsigned k = 0; k < count; k++) {
            unsigned at = (unsigned)prng_below(&long_run.prng, 10);
            uint32_t any = 1 + (uint32_t)prng_below(&long_run.prng, LONG_OBJECTS - 1);
            miss(at < 5   ? LONG_GRID
                 : at < 9 ? object
                          : any,
                 long_run.now_ns + k * (long_second / 4 / count));
        }
    }
}

static int setup(void **state)
{
    (void)state;
    static const struct fake_names answers = {.object = long_name_object};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .ways = 10, .event_count = 2, .window_entries = 4096};
    long_run.prng = (struct prng){11};
    long_run.now_ns = start_ns;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&long_run.profile, &options, NULL), 0);
    for (unsigned i = 0; i < CYCLES; i++) {
        long_run_for(LONG_TABLE, 6);
        long_run_for(LONG_LIST, 9);
        long_run_for(INDEX, 5);
    }
    struct snapshot head = {.iteration = 1,
                            .interval_s = 3,
                            .elapsed_s = (double)(long_run.now_ns - start_ns) / 1e9,
                            .source = {.name = "clock", .event_count = 2, .live = true}};
    long_run.snapshot = profile_snapshot(long_run.profile, &head, long_run.now_ns);
    return long_run.snapshot ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    snapshot_free(long_run.snapshot);
    profile_free(long_run.profile);
    return 0;
}

static void keep_snapshot(const struct snapshot *snapshot)
{
    (void)snapshot;
}

/* There are two periods in the shortest phase, although a longer period would damp the noise. */
static void period_is_at_most_half_the_shortest_phase(void **state)
{
    (void)state;
    const struct snapshot_timeline *timeline = &long_run.snapshot->timeline;
    double shortest_s = INFINITY;
    assert_true(timeline->phase_count > 2 * CYCLES);
    for (size_t i = 0; i + 1 < timeline->phase_count; i++)
        shortest_s = fmin(shortest_s, timeline->phases[i].end_s - timeline->phases[i].start_s);
    assert_true(timeline->damping_period_s > shortest_s / 2);
    assert_true(timeline->period_s <= shortest_s / 2);
    assert_true(timeline->period_s < timeline->damping_period_s);
}

/* For every phase, including the first, although its points in the streams are now coarser. */
static void phases_report_objects_that_rose_and_fell(void **state)
{
    static const char *const names[] = {"table", "list", "index"};
    (void)state;
    const struct snapshot_timeline *timeline = &long_run.snapshot->timeline;
    assert_int_equal(timeline->phase_count, 3 * CYCLES);
    assert_null(timeline->phases[0].gained_object);
    for (size_t i = 0; i < timeline->phase_count; i++) {
        const struct snapshot_phase *phase = &timeline->phases[i];
        assert_string_equal(phase->leader, "grid");
        assert_false(phase->leader_changed);
        assert_true(fabs(phase->leader_share - 0.525) < 0.03);
        assert_true(fabs(phase->shares[0] - phase->leader_share) < 1e-9);
        if (!i)
            continue;
        assert_string_equal(phase->gained_object, names[i % 3]);
        assert_string_equal(phase->lost_object, names[(i + 2) % 3]);
        assert_true(fabs(phase->gained_share - 0.4) < 0.03);
        assert_true(fabs(phase->lost_share - 0.4) < 0.03);
        /* The distance is over the same periods: at least the rise or fall of one object. */
        assert_true(phase->distance >= fmax(phase->gained_share, phase->lost_share) - 1e-9);
        assert_true(phase->distance < 0.45);
        assert_true(phase->detected_s > phase->start_s && phase->detected_s < phase->end_s);
    }
    char text[PHASES_READING_BYTES];
    phases_reading(timeline, text, sizeof text);
    assert_non_null(strstr(text, "grid leads in all"));
    assert_non_null(strstr(text, "index has"));
}

static void long_draw(struct browser *browser)
{
    struct canvas canvas;
    size_t used = 0;
    assert_int_equal(canvas_init(&canvas, ROWS, COLUMNS, true), 0);
    browser_draw(browser, &canvas, 0);
    for (int row = 0; row < ROWS; row++) {
        used +=
            canvas_row_text(&canvas, row, long_run.text + used, sizeof long_run.text - used - 1);
        long_run.text[used++] = '\n';
    }
    long_run.text[used] = '\0';
    canvas_fini(&canvas);
}

static void long_press(struct browser *browser, uint32_t key)
{
    browser_input(browser, &(struct input){.kind = INPUT_KEY, .key = key});
    long_draw(browser);
}

static void long_take_snapshot(struct browser *browser)
{
    browser_init(browser, NULL);
    browser_show(browser, long_run.snapshot, keep_snapshot);
    long_press(browser, '8');
}

static void timeline_rows_show_rising_object_and_times(void **state)
{
    struct browser browser;
    (void)state;
    long_take_snapshot(&browser);
    assert_non_null(strstr(long_run.text, "ROSE"));
    assert_non_null(strstr(long_run.text, "to show the shortest phase"));
    /* The second last phase starts 14 s before the end of 240 s; the axis ends there, too. */
    assert_non_null(strstr(long_run.text, " 3m26.0s     9.0s"));
    assert_non_null(strstr(long_run.text, "3m58.0s"));
    long_press(&browser, KEYS_RIGHT);
    for (int i = 0; i < 10; i++)
        long_press(&browser, KEYS_LEFT);
    assert_non_null(strstr(long_run.text, "^3m"));
    browser_fini(&browser);
}

static void fields_view_shows_start_of_recording(void **state)
{
    struct browser browser;
    (void)state;
    long_take_snapshot(&browser);
    assert_null(strstr(long_run.text, "Fields are recorded"));
    long_press(&browser, 'b');
    long_press(&browser, 'b');
    assert_non_null(strstr(long_run.text, "Fields are recorded"));
    browser_fini(&browser);
}

static void text_time_selects_a_readable_unit(void **state)
{
    char out[TEXT_TIME_BYTES];
    (void)state;
    assert_string_equal(text_time(out, 0), "0.0s");
    assert_string_equal(text_time(out, 0.25), "250ms");
    assert_string_equal(text_time(out, 0.022), "22ms");
    assert_string_equal(text_time(out, 59.94), "59.9s");
    assert_string_equal(text_time(out, 59.96), "1m00.0s");
    assert_string_equal(text_time(out, 225.4), "3m45.4s");
    assert_string_equal(text_time(out, 3599.99), "1h00m00s");
    assert_string_equal(text_time(out, 7384), "2h03m04s");
    assert_string_equal(text_time(out, -1), "0.0s");
    assert_string_equal(text_time(out, NAN), "?");
    text_time(out, INFINITY);
}

static int run_timeline_long(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(period_is_at_most_half_the_shortest_phase),
        cmocka_unit_test(phases_report_objects_that_rose_and_fell),
        cmocka_unit_test(timeline_rows_show_rising_object_and_times),
        cmocka_unit_test(fields_view_shows_start_of_recording),
        cmocka_unit_test(text_time_selects_a_readable_unit),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* The run over time by function, field and group of threads, and the recent volatility. */

enum { ATOMS = 1, NODES, KINDS_OBJECTS, MOVE = 1, WALK, FUNCTIONS, ATOM = 5, TENS = 10 };

static const uint64_t kinds_second = 1000000000;
static bool typed_yet;

static bool kinds_name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[KINDS_OBJECTS] = {"unknown", "atoms", "nodes"};
    (void)context;
    *desc = (struct object_desc){.name = names[object % KINDS_OBJECTS], .module = "m"};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    static const char *const names[FUNCTIONS] = {"unknown", "move", "walk"};
    (void)context;
    *desc = (struct function_desc){.name = names[function % FUNCTIONS], .module = "m", .file = ""};
    return true;
}

/* struct atom { double x; double force[3]; } */
static bool name_type(void *context, uint32_t type, struct type_desc *desc)
{
    static const struct type_member members[] = {
        {.name = "x", .type = "double", .size = 8, .parent = TYPE_NO_MEMBER},
        {.name = "force",
         .type = "double [3]",
         .offset = 8,
         .size = 24,
         .count = 3,
         .stride = 8,
         .parent = TYPE_NO_MEMBER}};
    (void)context;
    *desc = (struct type_desc){.name = "struct atom", .size = 32, .members = members};
    desc->member_count = 2;
    return type == ATOM && typed_yet;
}

static bool name_thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    (void)context;
    if (tid >= 100)
        return false;
    snprintf(out, out_size, tid < TENS ? "loader-%u" : "server", tid);
    return true;
}

struct kinds_run {
    struct profile *profile;
    struct prng prng;
    uint64_t now_ns;
};

static void kinds_begin(struct kinds_run *run)
{
    static const struct fake_names answers = {.object = kinds_name_object,
                                              .function = name_function,
                                              .type = name_type,
                                              .thread = name_thread};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .ways = 10, .event_count = 1, .window_entries = 4096};
    *run = (struct kinds_run){.prng = {3}, .now_ns = 5 * kinds_second};
    typed_yet = true;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&run->profile, &options, NULL), 0);
}

static void add(struct kinds_run *run, uint32_t object, uint32_t function, uint32_t tid)
{
    uint64_t at = prng_below(&run->prng, 1000) * 32 + prng_below(&run->prng, 4) * 8;
    struct place place = {.object = object, .base = object * UINT64_C(0x1000000)};
    place.function = function;
    place.access = (struct access){.time_ns = run->now_ns,
                                   .ip = 0x400000 + function,
                                   .weight = 10,
                                   .tid = tid,
                                   .address = place.base + at,
                                   .size = 8,
                                   .kind = ACCESS_LOAD};
    if (object == ATOMS) {
        place.by_member = true;
        place.type = ATOM;
        place.type_offset = at % 32;
        place.typed = TYPED_CODE;
    }
    profile_add(run->profile, &place);
    run->now_ns += kinds_second / 2000;
}

/* Loaders move atoms, then a server walks nodes. */
static void kinds_run_for(struct kinds_run *run, double seconds, bool loaders)
{
    for (uint64_t end = run->now_ns + (uint64_t)(seconds * 1e9); run->now_ns < end;) {
        if (loaders)
            add(run, ATOMS, MOVE, 1 + (uint32_t)prng_below(&run->prng, 2));
        else
            add(run, NODES, WALK, prng_below(&run->prng, 5) ? TENS : 100);
    }
}

static const struct snapshot *kinds_take_snapshot(struct kinds_run *run)
{
    struct snapshot head = {.iteration = 1,
                            .elapsed_s = (double)(run->now_ns - 5 * kinds_second) / 1e9,
                            .source = {.name = "clock", .event_count = 1}};
    const struct snapshot *snapshot = profile_snapshot(run->profile, &head, run->now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

static const struct snapshot_stream *find(const struct snapshot_streams *streams, const char *name)
{
    for (size_t i = 0; i < streams->count; i++)
        if (!strcmp(streams->list[i].name, name))
            return &streams->list[i];
    return NULL;
}

static double sum(const struct snapshot_stream *stream, size_t first, size_t end)
{
    assert_non_null(stream);
    return timeline_sum(stream->weight, first, end);
}

/* In each period the streams of a kind add up to the total. */
static void expect_streams_add_up(const struct snapshot_measured *measured, size_t periods,
                                  const struct snapshot_streams *streams)
{
    for (size_t i = 0; i < periods; i++) {
        double parts = 0;
        for (size_t k = 0; k < streams->count; k++)
            parts += streams->list[k].weight[i];
        assert_true(parts == measured->all[i]);
    }
}

static void streams_of_each_kind_add_up(void **state)
{
    (void)state;
    struct kinds_run run;
    kinds_begin(&run);
    kinds_run_for(&run, 10, true);
    kinds_run_for(&run, 10, false);
    const struct snapshot *snapshot = kinds_take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    assert_int_equal(ranking->functions.count, 2);
    assert_int_equal(ranking->threads.count, 3);
    expect_streams_add_up(ranking, timeline->periods, &ranking->functions);
    expect_streams_add_up(ranking, timeline->periods, &ranking->threads);
    assert_non_null(find(&ranking->threads, "loader-*"));
    assert_non_null(find(&ranking->threads, "unnamed"));
    size_t half = timeline->periods / 2;
    assert_true(sum(find(&ranking->functions, "move"), half + 1, timeline->periods) == 0);
    assert_true(sum(find(&ranking->threads, "server"), 0, half - 1) == 0);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* The elements of one member are one field, including counts from before the type was known. */
static void untyped_counts_join_fields_of_later_type(void **state)
{
    (void)state;
    struct kinds_run run;
    kinds_begin(&run);
    typed_yet = false;
    kinds_run_for(&run, 5, true);
    const struct snapshot *snapshot = kinds_take_snapshot(&run);
    assert_int_equal(snapshot_timeline_ranking(&snapshot->timeline)->fields.count, 0);
    snapshot_free(snapshot);
    typed_yet = true;
    kinds_run_for(&run, 5, true);
    snapshot = kinds_take_snapshot(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    assert_int_equal(ranking->fields.count, 2);
    const struct snapshot_stream *x = find(&ranking->fields, "atom.x");
    const struct snapshot_stream *force = find(&ranking->fields, "atom.force[*]");
    assert_true(x && force && x->object == ranking->objects.list[0].object);
    double whole = sum(&ranking->objects.list[0], 0, timeline->periods);
    double of_fields = sum(x, 0, timeline->periods) + sum(force, 0, timeline->periods);
    /* All except the first period, in which nothing leads yet. */
    assert_true(of_fields <= whole && of_fields > 0.9 * whole);
    assert_true(fabs(x->share - 0.25) < 0.03);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

static void thread_names_are_grouped_by_number(void **state)
{
    char out[THREAD_NAME_BYTES];
    (void)state;
    thread_groups_name("worker-12", out);
    assert_string_equal(out, "worker-*");
    thread_groups_name("redis-server", out);
    assert_string_equal(out, "redis-server");
    thread_groups_name("7", out);
    assert_string_equal(out, "7");
    thread_groups_name("a name that is longer than any", out);
    assert_true(strlen(out) < sizeof out);
}

/* Steps of 0.25 s: the noise averages out over four of them. */
static void recent_period_follows_the_noise(void **state)
{
    static struct recent recent;
    struct prng prng = {9};
    double counts[PHASES_COLUMNS] = {0};
    bool chosen = false;
    (void)state;
    memset(&recent, 0, sizeof recent);
    for (int i = 0; i < 8 * RECENT_STEPS; i++) {
        bool noisy = i < RECENT_STEPS * 4;
        counts[3] = noisy ? (double)prng_below(&prng, 200) : 100 + (double)prng_below(&prng, 10);
        chosen = recent_add(&recent, counts);
        if (i == RECENT_STEPS * 4 - 1)
            assert_true(chosen && recent.period_steps >= 4);
    }
    assert_true(chosen && recent_is_damped(&recent));
    assert_int_equal(recent.period_steps, 1);
}

static void kinds_draw(struct browser *browser, int rows, int columns, char *out, size_t size)
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

static void kinds_press(struct browser *browser, uint32_t key)
{
    browser_input(browser, &(struct input){.kind = INPUT_KEY, .key = key});
}

static void expect_shown(struct browser *browser, const char *const *words)
{
    static char text[65536];
    kinds_draw(browser, 40, 120, text, sizeof text);
    for (; *words; words++)
        if (!strstr(text, *words))
            fail_msg("the screen lacks '%s':\n%s", *words, text);
    for (int rows = 10; rows < 50; rows += 9)
        for (int columns = 40; columns < 200; columns += 37)
            kinds_draw(browser, rows, columns, text, sizeof text);
}

/* One key cycles through the kinds. */
static void key_cycles_through_timeline_kinds(void **state)
{
    static const char *const objects[] = {"by objects", " atoms", "Volatility ", NULL};
    static const char *const functions[] = {"by functions", " move", NULL};
    static const char *const fields[] = {"by fields of atoms", " atom.force", NULL};
    static const char *const threads[] = {"by threads", " loader-*", "server", NULL};
    (void)state;
    struct kinds_run run;
    struct browser browser;
    kinds_begin(&run);
    kinds_run_for(&run, 6, false);
    kinds_run_for(&run, 20, true);
    browser_init(&browser, NULL);
    browser_show(&browser, kinds_take_snapshot(&run), snapshot_free);
    kinds_press(&browser, '8');
    expect_shown(&browser, objects);
    kinds_press(&browser, 'b');
    expect_shown(&browser, functions);
    kinds_press(&browser, 'b');
    expect_shown(&browser, fields);
    kinds_press(&browser, 'b');
    expect_shown(&browser, threads);
    kinds_press(&browser, 'b');
    expect_shown(&browser, objects);
    browser_fini(&browser);
    profile_free(run.profile);
}

static int run_timeline_kinds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_of_each_kind_add_up),
        cmocka_unit_test(untyped_counts_join_fields_of_later_type),
        cmocka_unit_test(thread_names_are_grouped_by_number),
        cmocka_unit_test(recent_period_follows_the_noise),
        cmocka_unit_test(key_cycles_through_timeline_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_timeline();
    failed += run_timeline_long();
    failed += run_timeline_kinds();
    return failed;
}
