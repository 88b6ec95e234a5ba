/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A time range end to end: plays recorded places through the engine, selects a phase with the
 * browser's keys, and compares all figures with those of a run that had only the samples of that
 * time range.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/state.h"
#include "profile/profile.h"
#include "unit.h"
#include "unit/store/store_planned.h"
#include "view/export/json.h"
#include "view/display/browser.h"

enum { PHASES = 5, PHASE_S = 6, RATE = 2000, PLACES = PHASES * PHASE_S * RATE };
enum { FIRST = 3, SECOND = 5 };

static const uint64_t start_ns = 1000000000;
static char path[] = "/tmp/misstop-time-range-XXXXXX";

/* Nine in ten misses of a phase are on its object; the two objects alternate. */
static struct place *make_run(void)
{
    struct place *places = calloc(PLACES, sizeof *places);
    struct prng prng = {3};
    for (unsigned i = 0; places && i < PLACES; i++) {
        uint32_t object = i / (PHASE_S * RATE) % 2 ? SECOND : FIRST;
        places[i] = planned_place(&prng, 0, false);
        places[i].access.time_ns = start_ns + i * (CLOCK_NS_PER_S / RATE);
        places[i].access.weight = 1000 + object;
        if (prng_below(&prng, 10))
            places[i].object = object;
    }
    return places;
}

static void record_places(const struct place *places, size_t count)
{
    static struct planned planned;
    struct store_writer *writer;
    struct store_facts facts;
    struct store_writer_options options = {.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600),
                                           .path = path,
                                           .names = planned_names(&planned),
                                           .start_ns = start_ns};
    planned_facts(&facts, 1);
    assert_int_equal(store_writer_open(&writer, &options, &facts, NULL), 0);
    for (size_t i = 0; i < count; i++)
        store_writer_place(writer, &places[i]);
    uint64_t end_ns = places[count - 1].access.time_ns + 1;
    assert_int_equal(store_writer_sync(writer, &facts, end_ns, 1, NULL), 0);
    assert_int_equal(store_writer_close(writer, NULL), 0);
}

/* Reads everything; nothing decays. */
static struct engine *replay_run(void)
{
    struct engine *engine;
    struct error error = {0};
    struct request basis = {.kind = REQUEST_BASIS};
    struct engine_options options = {
        .input = path, .batch = true, .source = "auto", .ways = 10, .cache = "L1=32K,8,64"};
    if (engine_open(&engine, &options, &error))
        fail_msg("%s", error.text);
    engine_request(engine, &basis);
    while (engine_drain(engine, UINT64_MAX) >= 0)
        continue;
    return engine;
}

static const struct snapshot *take_snapshot(struct engine *engine)
{
    while (engine_is_filling(engine))
        engine_fill(engine);
    const struct snapshot *snapshot = engine_snapshot(engine, 1);
    assert_non_null(snapshot);
    return snapshot;
}

static void remove_members(json_t *from, const char *const *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_del(from, members[i]);
}

/* Returns the tables, without members that a time range does not have. */
static json_t *comparable_report(const struct snapshot *snapshot)
{
    static const char *const tables[] = {"objects", "code",    "matrix",  "sets",   "window",
                                         "sharing", "samples", "counted", "source", "types"};
    static const char *const live[] = {"history",    "site",         "live_blocks",
                                       "live_bytes", "usable_bytes", "requested_bytes"};
    static const char *const counted[] = {"rate", "lost", "throttled"};
    json_t *all = json_snapshot(snapshot);
    json_t *remaining = json_object();
    size_t i;
    json_t *object;
    for (i = 0; i < sizeof tables / sizeof *tables; i++)
        json_object_set(remaining, tables[i], json_object_get(all, tables[i]));
    json_array_foreach(json_object_get(remaining, "objects"), i, object)
    {
        remove_members(object, live, sizeof live / sizeof *live);
    }
    remove_members(json_object_get(remaining, "samples"), counted,
                   sizeof counted / sizeof *counted);
    json_decref(all);
    return remaining;
}

static void expect_same(const struct snapshot *left, const struct snapshot *right)
{
    json_t *a = comparable_report(left);
    json_t *b = comparable_report(right);
    const char *key;
    json_t *value;
    json_object_foreach(a, key, value) if (!json_equal(value, json_object_get(b, key)))
    {
        char *texts[2] = {json_dumps(value, JSON_ENCODE_ANY),
                          json_dumps(json_object_get(b, key), JSON_ENCODE_ANY)};
        fail_msg("member %s differs: expected\n%.900s\ngot\n%.900s", key, texts[0], texts[1]);
    }
    json_decref(a);
    json_decref(b);
}

/* Copies the places of these time ranges, with their times. */
static size_t copy_time_ranges(const struct place *places, const struct time_range *list,
                               size_t count, struct place *out)
{
    size_t remaining = 0;
    for (size_t i = 0; i < PLACES; i++)
        for (size_t k = 0; k < count; k++)
            if (places[i].access.time_ns >= list[k].start_ns &&
                places[i].access.time_ns < list[k].end_ns)
                out[remaining++] = places[i];
    return remaining;
}

struct fixture {
    struct place *places;
    struct place *some;
    struct engine *engine;
    struct browser browser;
    struct canvas canvas;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.places = make_run(), .some = calloc(PLACES, sizeof(struct place))};
    assert_true(fixture.places && fixture.some);
    record_places(fixture.places, PLACES);
    fixture.engine = replay_run();
    browser_init(&fixture.browser, NULL);
    canvas_init(&fixture.canvas, 36, 120, false);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    browser_fini(&fixture->browser);
    canvas_fini(&fixture->canvas);
    engine_close(fixture->engine);
    free(fixture->places);
    free(fixture->some);
    return unlink(path);
}

static struct request press(struct fixture *fixture, uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    struct request request = browser_input(&fixture->browser, &input);
    browser_draw(&fixture->browser, &fixture->canvas, clock_now_ns());
    return request;
}

static bool screen_contains(struct fixture *fixture, const char *text)
{
    char line[1024];
    bool found = false;
    browser_draw(&fixture->browser, &fixture->canvas, clock_now_ns());
    for (int row = 0; row < fixture->canvas.rows && !found; row++) {
        canvas_row_text(&fixture->canvas, row, line, sizeof line);
        found = strstr(line, text);
    }
    return found;
}

/* Same as the main loop. */
static const struct snapshot *handle_request(struct fixture *fixture, const struct request *request)
{
    engine_request(fixture->engine, request);
    browser_show(&fixture->browser, take_snapshot(fixture->engine), snapshot_free);
    return fixture->browser.snapshot;
}

/* Selects the time range of the first phase in the list. */
static const struct snapshot *select_first_phase(struct fixture *fixture)
{
    browser_show(&fixture->browser, take_snapshot(fixture->engine), snapshot_free);
    press(fixture, '8');
    assert_true(screen_contains(fixture, "Only this phase"));
    struct request request = press(fixture, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_TIME_RANGE);
    assert_string_equal(request.name, "A");
    return handle_request(fixture, &request);
}

/* Another object leads: this is reported, with the time in the format of all screens. */
static void phase_change_is_reported_in_the_status(void **state)
{
    struct fixture *fixture = *state;
    snapshot_free(take_snapshot(fixture->engine)); /* reported by the next refresh */
    const struct snapshot *shown = take_snapshot(fixture->engine);
    assert_non_null(shown->status);
    assert_non_null(strstr(shown->status, "phase A again since 2"));
    assert_non_null(strstr(shown->status, "s: "));
    assert_non_null(strstr(shown->status, " leads with 9"));
    snapshot_free(shown);
}

static void phase_equals_a_run_of_that_phase_alone(void **state)
{
    struct fixture *fixture = *state;
    const struct snapshot *shown = select_first_phase(fixture);
    assert_non_null(shown->time_range);
    assert_int_equal(shown->time_range->pieces, 3);
    assert_int_equal(shown->time_range->kept, shown->time_range->seen);
    assert_true(fabs(shown->time_range->length_s - 3 * PHASE_S) < 1);
    assert_int_equal(shown->objects[0].id, FIRST);
    assert_true(shown->objects[0].share.value > 0.88);
    /* The phases of the run, cut out manually. */
    struct time_range list[3];
    size_t count = 0;
    for (size_t i = 0; i < shown->timeline.phase_count; i++) {
        const struct snapshot_phase *phase = &shown->timeline.phases[i];
        if (!strcmp(phase->name, "A"))
            list[count++] = (struct time_range){start_ns + (uint64_t)llround(phase->start_s * 1e9),
                                                start_ns + (uint64_t)llround(phase->end_s * 1e9)};
    }
    assert_int_equal(count, 3);
    size_t some = copy_time_ranges(fixture->places, list, count, fixture->some);
    assert_int_equal(some, shown->time_range->kept);
    record_places(fixture->some, some);
    struct engine *alone = replay_run();
    const struct snapshot *expected = take_snapshot(alone);
    ((struct snapshot *)(uintptr_t)expected)->counted_s = shown->counted_s;
    expect_same(shown, expected);
    snapshot_free(expected);
    engine_close(alone);
}

static void marked_time_range_is_shown(void **state)
{
    struct fixture *fixture = *state;
    browser_show(&fixture->browser, take_snapshot(fixture->engine), snapshot_free);
    press(fixture, '8');
    for (int i = 0; i < 5; i++)
        press(fixture, KEYS_RIGHT);
    press(fixture, 'v');
    for (int i = 0; i < 4; i++)
        press(fixture, KEYS_RIGHT);
    assert_true(screen_contains(fixture, "Only what is marked"));
    struct request request = press(fixture, KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_TIME_RANGE);
    assert_string_equal(request.name, "");
    assert_true(request.end_s > request.start_s && request.end_s < PHASES * PHASE_S);
    const struct snapshot *shown = handle_request(fixture, &request);
    struct time_range one = {start_ns + (uint64_t)(request.start_s * 1e9),
                             start_ns + (uint64_t)(request.end_s * 1e9)};
    size_t some = copy_time_ranges(fixture->places, &one, 1, fixture->some);
    assert_int_equal(shown->time_range->kept, some);
    assert_int_equal(shown->totals.samples, some);
}

/* Every screen shows its time range at any size, and N returns to the present. */
static void n_key_returns_to_now_from_every_screen(void **state)
{
    static const char keys[] = "1234567890mf?";
    struct fixture *fixture = *state;
    struct canvas small;
    canvas_init(&small, 10, 40, false);
    for (const char *key = keys; *key; key++) {
        const struct snapshot *shown = select_first_phase(fixture);
        assert_non_null(shown->time_range);
        press(fixture, (uint32_t)*key);
        assert_true(screen_contains(fixture, "Only phase A, 3 times"));
        assert_true(screen_contains(fixture, "N: back to now"));
        assert_true(screen_contains(fixture, "PAST"));
        browser_draw(&fixture->browser, &small, clock_now_ns());
        struct request request = press(fixture, 'N');
        assert_int_equal(request.kind, REQUEST_NOW);
        assert_null(handle_request(fixture, &request)->time_range);
        assert_false(screen_contains(fixture, "Only phase A"));
    }
    canvas_fini(&small);
    assert_int_equal(press(fixture, 'N').kind, REQUEST_NONE);
}

/* Esc goes up the levels, and from the tab back to the present. */
static void escape_returns_to_now_from_a_tab(void **state)
{
    struct fixture *fixture = *state;
    select_first_phase(fixture);
    assert_int_equal(fixture->browser.screen, SCREEN_OBJECTS);
    press(fixture, KEYS_ENTER);
    assert_int_equal(fixture->browser.screen, SCREEN_DETAIL);
    assert_int_equal(press(fixture, KEYS_ESCAPE).kind, REQUEST_NONE);
    assert_int_equal(fixture->browser.screen, SCREEN_OBJECTS);
    assert_int_equal(press(fixture, KEYS_ESCAPE).kind, REQUEST_NOW);
}

/* Looking at time ranges does not change the whole run. */
static void showing_a_time_range_leaves_the_run_unchanged(void **state)
{
    struct fixture *fixture = *state;
    const struct snapshot *before = take_snapshot(fixture->engine);
    struct request now = {.kind = REQUEST_NOW};
    select_first_phase(fixture);
    handle_request(fixture, &now);
    expect_same(before, fixture->browser.snapshot);
    snapshot_free(before);
}

static void live_only_values_are_null_in_a_time_range(void **state)
{
    struct fixture *fixture = *state;
    const struct snapshot *shown = select_first_phase(fixture);
    json_t *report = json_snapshot(shown);
    json_t *samples = json_object_get(report, "samples");
    assert_true(json_is_null(json_object_get(samples, "lost")));
    assert_true(json_is_null(json_object_get(samples, "rate")));
    json_t *heap = json_object_get(report, "heap");
    assert_true(json_is_null(json_object_get(heap, "live_bytes")));
    json_t *stretch = json_object_get(report, "stretch");
    assert_string_equal(json_string_value(json_object_get(stretch, "phase")), "A");
    assert_int_equal(json_integer_value(json_object_get(stretch, "seen")), shown->time_range->seen);
    assert_true(shown->timeline.phase_count == PHASES);
    json_decref(report);
    press(fixture, '4');
    assert_true(screen_contains(fixture, "not as it was in this time range"));
}

/* The time range is read more than once, because it is soon over. */
static void search_rereads_the_time_range(void **state)
{
    struct fixture *fixture = *state;
    struct request all = {.kind = REQUEST_SEARCH_ALL};
    select_first_phase(fixture);
    const struct snapshot *shown = handle_request(fixture, &all);
    assert_int_not_equal(shown->search.state, SEARCH_OFF);
    double once = shown->time_range->length_s / shown->search.interval_s;
    assert_true(shown->search.iteration > once);
    assert_true(shown->search.region_count > 0);
    struct request now = {.kind = REQUEST_NOW};
    assert_int_equal(handle_request(fixture, &now)->search.state, SEARCH_OFF);
}

static void time_range_option_matches_the_screen(void **state)
{
    struct fixture *fixture = *state;
    struct error error = {0};
    assert_int_equal(engine_check_time_range("12-31.5", &error), 0);
    assert_int_equal(engine_check_time_range("phase=B", &error), 0);
    assert_int_equal(engine_check_time_range("phase=BB", &error), -EINVAL);
    assert_int_equal(engine_check_time_range("31-12", &error), -EINVAL);
    assert_int_equal(engine_check_time_range("B", &error), -EINVAL);
    assert_int_equal(engine_show_time_range(fixture->engine, "phase=Q", &error), -ENOENT);
    assert_int_equal(engine_show_time_range(fixture->engine, "900-901", &error), -ENODATA);
    assert_int_equal(engine_show_time_range(fixture->engine, "1-2", &error), 0);
    const struct snapshot *shown = take_snapshot(fixture->engine);
    assert_int_equal(shown->totals.samples, RATE);
    snapshot_free(shown);
}

static long drain_result;

static long drain_fake(struct engine *engine, uint64_t until_ns)
{
    (void)engine, (void)until_ns;
    return drain_result;
}

/* A walked heap is read soon after a sample; without samples there is no hurry. */
static void idle_target_is_polled_less_often(void **state)
{
    static const struct engine_kind kind = {.drain = drain_fake};
    struct engine *engine = calloc(1, sizeof *engine);
    (void)state;
    *engine = (struct engine){.kind = &kind, .heap = true, .options = {.walk = true}};
    drain_result = 1;
    engine_drain(engine, 0);
    assert_int_equal(engine_patience_ms(engine), 5);
    drain_result = 0;
    for (int i = 0; i < 10; i++)
        engine_drain(engine, 0);
    assert_int_equal(engine_patience_ms(engine), 20);
    engine->agent_events = 1; /* events of the agent precede their samples */
    assert_int_equal(engine_patience_ms(engine), 5);
    drain_result = 1;
    engine_drain(engine, 0);
    assert_int_equal(engine_patience_ms(engine), 5);
    free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(phase_change_is_reported_in_the_status, setup, teardown),
        cmocka_unit_test_setup_teardown(phase_equals_a_run_of_that_phase_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(marked_time_range_is_shown, setup, teardown),
        cmocka_unit_test_setup_teardown(n_key_returns_to_now_from_every_screen, setup, teardown),
        cmocka_unit_test_setup_teardown(escape_returns_to_now_from_a_tab, setup, teardown),
        cmocka_unit_test_setup_teardown(showing_a_time_range_leaves_the_run_unchanged, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(live_only_values_are_null_in_a_time_range, setup, teardown),
        cmocka_unit_test_setup_teardown(search_rereads_the_time_range, setup, teardown),
        cmocka_unit_test_setup_teardown(time_range_option_matches_the_screen, setup, teardown),
        cmocka_unit_test(idle_target_is_polled_less_often),
    };
    setlocale(LC_ALL, "C.UTF-8");
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
