/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run of some minutes in bursts, with phases that are shorter than what damps its noise, in all
 * of which the same object leads: the period drawn, the figures of each phase, and what the screen
 * says of them.
 */
#include "unit.h"

#include "base/hash.h"
#include "base/text.h"
#include "profile/profile.h"
#include "view/words.h"
#include "view/screen/browser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRID = 1, TABLE, LIST, INDEX, OBJECTS };
enum { CYCLES = 12, ROWS = 36, COLUMNS = 140 };

static const uint64_t second = 1000000000;
static const uint64_t start_ns = 5000000000;

static struct {
    struct profile *profile;
    const struct snapshot *snapshot;
    struct prng prng;
    uint64_t now_ns;
    char text[65536];
} run;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[OBJECTS] = {"unknown", "grid", "table", "list", "index"};
    (void)context;
    *desc = (struct object_desc){
        .name = names[object % OBJECTS], .module = "m", .kind = OBJECT_GLOBAL, .type = NULL};
    return true;
}

static void miss(uint32_t object, uint64_t at_ns)
{
    struct place place = {.object = object, .base = object * UINT64_C(0x1000000)};
    place.access = (struct access){.time_ns = at_ns,
                                   .ip = 0x400000,
                                   .weight = 10,
                                   .address = place.base + prng_below(&run.prng, 65536) * 8,
                                   .size = 8,
                                   .kind = ACCESS_LOAD};
    profile_add(run.profile, &place);
}

/* Half of the misses on grid, four in ten on one object, the rest on any; each quarter of a second
 * has an amount of its own. */
static void go_on(uint32_t object, unsigned seconds)
{
    for (unsigned i = 0; i < seconds * 4; i++, run.now_ns += second / 4) {
        unsigned count = 40 + (unsigned)prng_below(&run.prng, 600);
        for (unsigned k = 0; k < count; k++) {
            unsigned at = (unsigned)prng_below(&run.prng, 10);
            uint32_t any = 1 + (uint32_t)prng_below(&run.prng, OBJECTS - 1);
            miss(at < 5 ? GRID : at < 9 ? object : any, run.now_ns + k * (second / 4 / count));
        }
    }
}

static int setup(void **state)
{
    (void)state;
    struct profile_options options = {
        .names = {.object = name_object}, .ways = 10, .event_count = 2, .window_entries = 4096};
    run.prng = (struct prng){11};
    run.now_ns = start_ns;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&run.profile, &options, NULL), 0);
    for (unsigned i = 0; i < CYCLES; i++) {
        go_on(TABLE, 6);
        go_on(LIST, 9);
        go_on(INDEX, 5);
    }
    struct snapshot head = {.iteration = 1,
                            .interval_s = 3,
                            .elapsed_s = (double)(run.now_ns - start_ns) / 1e9,
                            .source = {.name = "clock", .event_count = 2, .live = true}};
    run.snapshot = profile_snapshot(run.profile, &head, run.now_ns);
    return run.snapshot ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    snapshot_free(run.snapshot);
    profile_free(run.profile);
    return 0;
}

static void keep(const struct snapshot *snapshot)
{
    (void)snapshot;
}

/* Two periods in the shortest phase, though a longer one damps the noise. */
static void the_period_keeps_the_phases(void **state)
{
    (void)state;
    const struct snapshot_timeline *timeline = &run.snapshot->timeline;
    double shortest_s = INFINITY;
    assert_true(timeline->phase_count > 2 * CYCLES);
    for (size_t i = 0; i + 1 < timeline->phase_count; i++)
        shortest_s = fmin(shortest_s, timeline->phases[i].end_s - timeline->phases[i].start_s);
    assert_true(timeline->damped_s > shortest_s / 2);
    assert_true(timeline->period_s <= shortest_s / 2);
    assert_true(timeline->period_s < timeline->damped_s);
}

/* Of every one, also the first, which the streams now hold in coarser points. */
static void each_says_what_rose_and_fell(void **state)
{
    static const char *const names[] = {"table", "list", "index"};
    (void)state;
    const struct snapshot_timeline *timeline = &run.snapshot->timeline;
    assert_int_equal(timeline->phase_count, 3 * CYCLES);
    assert_null(timeline->phases[0].rose);
    for (size_t i = 0; i < timeline->phase_count; i++) {
        const struct snapshot_phase *phase = &timeline->phases[i];
        assert_string_equal(phase->leader, "grid");
        assert_false(phase->inversion);
        assert_true(fabs(phase->leader_share - 0.525) < 0.03);
        assert_true(fabs(phase->shares[0] - phase->leader_share) < 1e-9);
        if (!i)
            continue;
        assert_string_equal(phase->rose, names[i % 3]);
        assert_string_equal(phase->fell, names[(i + 2) % 3]);
        assert_true(fabs(phase->rose_by - 0.4) < 0.03);
        assert_true(fabs(phase->fell_by - 0.4) < 0.03);
        /* What changed is of the same periods: no less than what one of them rose or fell by. */
        assert_true(phase->distance >= fmax(phase->rose_by, phase->fell_by) - 1e-9);
        assert_true(phase->distance < 0.45);
        assert_true(phase->told_s > phase->start_s && phase->told_s < phase->end_s);
    }
    char text[PHASES_READING_BYTES];
    phases_reading(timeline, text, sizeof text);
    assert_non_null(strstr(text, "grid leads in all"));
    assert_non_null(strstr(text, "index has"));
}

static void draw(struct browser *browser)
{
    struct canvas canvas;
    size_t used = 0;
    assert_int_equal(canvas_init(&canvas, ROWS, COLUMNS, true), 0);
    browser_draw(browser, &canvas, 0);
    for (int row = 0; row < ROWS; row++) {
        used += canvas_row_text(&canvas, row, run.text + used, sizeof run.text - used - 1);
        run.text[used++] = '\n';
    }
    run.text[used] = '\0';
    canvas_fini(&canvas);
}

static void press(struct browser *browser, uint32_t key)
{
    browser_input(browser, &(struct input){.kind = INPUT_KEY, .key = key});
    draw(browser);
}

static unsigned count_of(const char *part)
{
    unsigned count = 0;
    for (const char *at = run.text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void look(struct browser *browser)
{
    browser_init(browser, NULL);
    browser_show(browser, run.snapshot, keep);
    press(browser, '0');
}

static void the_rows_tell_phases_apart(void **state)
{
    struct browser browser;
    (void)state;
    look(&browser);
    assert_non_null(strstr(run.text, "ROSE"));
    assert_non_null(strstr(run.text, "to keep the shortest phase"));
    /* The last but one of all begins 14 s before the end of 240 s; the axis ends in the same way.
     */
    assert_non_null(strstr(run.text, " 3m26.0s     9.0s"));
    assert_non_null(strstr(run.text, "3m58.0s"));
    press(&browser, KEYS_RIGHT);
    for (int i = 0; i < 10; i++)
        press(&browser, KEYS_LEFT);
    assert_non_null(strstr(run.text, "^3m"));
    browser_fini(&browser);
}

/* A third of what is there, and the chart is still there too. */
static void volatility_leaves_the_list_its_room(void **state)
{
    struct browser browser;
    (void)state;
    look(&browser);
    press(&browser, 'V');
    assert_non_null(strstr(run.text, "25% or less is calm"));
    assert_non_null(strstr(run.text, "more than half of the shortest phase"));
    assert_true(count_of("+4") + count_of("+3") >= 7);
    assert_true(count_of("aaaaaaaa") > 0);
    browser_fini(&browser);
}

static void fields_say_since_when(void **state)
{
    struct browser browser;
    (void)state;
    look(&browser);
    assert_null(strstr(run.text, "Fields are known"));
    press(&browser, 'b');
    press(&browser, 'b');
    assert_non_null(strstr(run.text, "Fields are known"));
    browser_fini(&browser);
}

static void times_are_written_one_way(void **state)
{
    char out[TEXT_TIME_BYTES];
    (void)state;
    assert_string_equal(text_time(out, 0), "0.0s");
    assert_string_equal(text_time(out, 0.25), "250ms");
    assert_string_equal(text_time(out, 0.022), "0.0s");
    assert_string_equal(text_time(out, 59.94), "59.9s");
    assert_string_equal(text_time(out, 59.96), "1m00.0s");
    assert_string_equal(text_time(out, 225.4), "3m45.4s");
    assert_string_equal(text_time(out, 3599.99), "1h00m00s");
    assert_string_equal(text_time(out, 7384), "2h03m04s");
    assert_string_equal(text_time(out, -1), "0.0s");
    assert_string_equal(text_time(out, NAN), "?");
    text_time(out, INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_period_keeps_the_phases),
        cmocka_unit_test(each_says_what_rose_and_fell),
        cmocka_unit_test(the_rows_tell_phases_apart),
        cmocka_unit_test(volatility_leaves_the_list_its_room),
        cmocka_unit_test(fields_say_since_when),
        cmocka_unit_test(times_are_written_one_way),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
