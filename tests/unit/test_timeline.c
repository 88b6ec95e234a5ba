/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/profile.h"
#include "view/screen/browser.h"
#include "view/widget/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRID = 1, TABLE, LIST, OBJECTS };

static const uint64_t second = 1000000000;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[OBJECTS] = {"unknown", "grid", "table", "list"};
    (void)context;
    *desc = (struct object_desc){
        .name = names[object % OBJECTS], .module = "m", .kind = OBJECT_GLOBAL, .type = NULL};
    return true;
}

/* A run that can be gone on with. */
struct run {
    struct profile *profile;
    struct prng prng;
    uint64_t now_ns;
};

static void begin(struct run *run)
{
    struct profile_options options = {
        .names = {.object = name_object}, .ways = 10, .event_count = 2, .window_entries = 4096};
    *run = (struct run){.prng = {11}, .now_ns = 5 * second};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&run->profile, &options, NULL), 0);
}

/* Nine in ten misses of `seconds` fall on one object, the rest on any. */
static void go_on(struct run *run, uint32_t object, double seconds)
{
    uint64_t end = run->now_ns + (uint64_t)(seconds * (double)second);
    for (; run->now_ns < end; run->now_ns += second / 2000) {
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

static const struct snapshot *look(struct run *run)
{
    struct snapshot head = {.iteration = 1,
                            .elapsed_s = (double)(run->now_ns - 5 * second) / 1e9,
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
    assert_int_equal(phase->inversion, index > 0);
}

/* Planted: grid, table, list, table, grid; told within one base period of where they are. */
static void planted_phases_are_told(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    go_on(&run, GRID, 5);
    go_on(&run, TABLE, 3);
    go_on(&run, LIST, 4);
    go_on(&run, TABLE, 3);
    go_on(&run, GRID, 5);
    const struct snapshot *snapshot = look(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    assert_int_equal(timeline->phase_count, 5);
    expect_phase(timeline, 0, "A", 0, "grid");
    expect_phase(timeline, 1, "B", 5, "table");
    expect_phase(timeline, 2, "C", 8, "list");
    expect_phase(timeline, 3, "B", 12, "table");
    expect_phase(timeline, 4, "A", 15, "grid");
    assert_true(timeline->turn_count >= 1 && timeline->turns[0].correlation < -0.6);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* What the periods hold is what was counted, to the last miss of whole periods. */
static void periods_hold_what_was_counted(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    go_on(&run, GRID, 200);
    const struct snapshot *snapshot = look(&run);
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

/* Another ranking event, or zero: what was before is of something else. */
static void zero_begins_anew(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    go_on(&run, GRID, 3);
    go_on(&run, TABLE, 3);
    profile_zero(run.profile, run.now_ns);
    go_on(&run, LIST, 2);
    const struct snapshot *snapshot = look(&run);
    assert_int_equal(snapshot->timeline.phase_count, 1);
    assert_string_equal(snapshot->timeline.phases[0].leader, "list");
    assert_true(fabs(snapshot->timeline.start_s - 6) < 0.1);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

static void nothing_yet(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    const struct snapshot *snapshot = look(&run);
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

/* The screen: letters for the objects where there are no colours, phases, the list; zoomed and
 * back; at any size. */
static void the_screen_shows_it(void **state)
{
    static char text[65536];
    (void)state;
    struct run run;
    struct browser browser;
    begin(&run);
    go_on(&run, GRID, 6);
    go_on(&run, TABLE, 6);
    browser_init(&browser, NULL);
    browser_show(&browser, look(&run), snapshot_free);
    press(&browser, '0');
    assert_int_equal(browser.page, PAGE_TIMELINE);
    draw(&browser, 30, 100, text, sizeof text);
    assert_non_null(strstr(text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaabbbbbbbbbbb"));
    assert_non_null(strstr(text, "grid"));
    assert_non_null(strstr(text, "another object leads"));
    press(&browser, KEYS_DOWN);
    press(&browser, 'o');
    draw(&browser, 30, 100, text, sizeof text);
    assert_non_null(strstr(text, "zoomed in"));
    assert_non_null(strstr(text, "\n 4.5s "));
    for (int i = 0; i < 40; i++) { /* what is shown goes with the cursor */
        press(&browser, KEYS_LEFT);
        draw(&browser, 30, 100, text, sizeof text);
    }
    assert_non_null(strstr(text, "\n 250^")); /* under the cursor */
    press(&browser, KEYS_ESCAPE);
    draw(&browser, 30, 100, text, sizeof text);
    assert_non_null(strstr(text, "\n 250ms "));
    press(&browser, KEYS_ESCAPE);
    assert_int_equal(browser.page, PAGE_TIMELINE);
    draw(&browser, 30, 100, text, sizeof text);
    assert_null(strstr(text, "zoomed in"));
    for (int rows = 10; rows < 50; rows += 7)
        for (int columns = 40; columns < 220; columns += 31)
            draw(&browser, rows, columns, text, sizeof text);
    browser_fini(&browser);
    profile_free(run.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_phases_are_told), cmocka_unit_test(periods_hold_what_was_counted),
        cmocka_unit_test(zero_begins_anew),        cmocka_unit_test(nothing_yet),
        cmocka_unit_test(the_screen_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
