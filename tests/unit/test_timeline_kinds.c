/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run over time by function, field and group of threads, and the recent volatility. */
#include "unit.h"

#include "base/hash.h"
#include "profile/profile.h"
#include "profile/time/timeline.h"
#include "view/screen/browser.h"
#include "view/widget/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ATOMS = 1, NODES, OBJECTS, MOVE = 1, WALK, FUNCTIONS, ATOM = 5, TENS = 10 };

static const uint64_t second = 1000000000;
static bool typed_yet;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[OBJECTS] = {"unknown", "atoms", "nodes"};
    (void)context;
    *desc = (struct object_desc){.name = names[object % OBJECTS], .module = "m"};
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

struct run {
    struct profile *profile;
    struct prng prng;
    uint64_t now_ns;
};

static void begin(struct run *run)
{
    struct profile_options options = {.names = {.object = name_object,
                                                .function = name_function,
                                                .type = name_type,
                                                .thread = name_thread},
                                      .ways = 10,
                                      .event_count = 1,
                                      .window_entries = 4096};
    *run = (struct run){.prng = {3}, .now_ns = 5 * second};
    typed_yet = true;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&run->profile, &options, NULL), 0);
}

static void add(struct run *run, uint32_t object, uint32_t function, uint32_t tid)
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
    run->now_ns += second / 2000;
}

/* Loaders move atoms, then a server walks nodes. */
static void go_on(struct run *run, double seconds, bool loaders)
{
    for (uint64_t end = run->now_ns + (uint64_t)(seconds * 1e9); run->now_ns < end;) {
        if (loaders)
            add(run, ATOMS, MOVE, 1 + (uint32_t)prng_below(&run->prng, 2));
        else
            add(run, NODES, WALK, prng_below(&run->prng, 5) ? TENS : 100);
    }
}

static const struct snapshot *look(struct run *run)
{
    struct snapshot head = {.iteration = 1,
                            .elapsed_s = (double)(run->now_ns - 5 * second) / 1e9,
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

/* In each period the streams of a kind add up to everything. */
static void expect_whole(const struct snapshot_measured *measured, size_t periods,
                         const struct snapshot_streams *streams)
{
    for (size_t i = 0; i < periods; i++) {
        double parts = 0;
        for (size_t k = 0; k < streams->count; k++)
            parts += streams->list[k].weight[i];
        assert_true(parts == measured->all[i]);
    }
}

static void each_kind_adds_up(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    go_on(&run, 10, true);
    go_on(&run, 10, false);
    const struct snapshot *snapshot = look(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    assert_int_equal(ranking->functions.count, 2);
    assert_int_equal(ranking->threads.count, 3);
    expect_whole(ranking, timeline->periods, &ranking->functions);
    expect_whole(ranking, timeline->periods, &ranking->threads);
    assert_non_null(find(&ranking->threads, "loader-*"));
    assert_non_null(find(&ranking->threads, "unnamed"));
    size_t half = timeline->periods / 2;
    assert_true(sum(find(&ranking->functions, "move"), half + 1, timeline->periods) == 0);
    assert_true(sum(find(&ranking->threads, "server"), 0, half - 1) == 0);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

/* The elements of one member are one field; what was counted before the type was known is there. */
static void fields_wait_for_their_type(void **state)
{
    (void)state;
    struct run run;
    begin(&run);
    typed_yet = false;
    go_on(&run, 5, true);
    const struct snapshot *snapshot = look(&run);
    assert_int_equal(snapshot_timeline_ranking(&snapshot->timeline)->fields.count, 0);
    snapshot_free(snapshot);
    typed_yet = true;
    go_on(&run, 5, true);
    snapshot = look(&run);
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    const struct snapshot_measured *ranking = snapshot_timeline_ranking(timeline);
    assert_int_equal(ranking->fields.count, 2);
    const struct snapshot_stream *x = find(&ranking->fields, "atom.x");
    const struct snapshot_stream *force = find(&ranking->fields, "atom.force[*]");
    assert_true(x && force && x->object == ranking->objects.list[0].object);
    double whole = sum(&ranking->objects.list[0], 0, timeline->periods);
    double of_fields = sum(x, 0, timeline->periods) + sum(force, 0, timeline->periods);
    /* All but the first period, in which nothing leads yet. */
    assert_true(of_fields <= whole && of_fields > 0.9 * whole);
    assert_true(fabs(x->share - 0.25) < 0.03);
    snapshot_free(snapshot);
    profile_free(run.profile);
}

static void names_are_grouped(void **state)
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

/* Steps of 0.25 s: noise that is damped when four are taken together. */
static void the_recent_period_follows(void **state)
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
            assert_true(chosen && recent.by >= 4);
    }
    assert_true(chosen && recent_is_damped(&recent));
    assert_int_equal(recent.by, 1);
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

static void expect_shown(struct browser *browser, const char *const *words)
{
    static char text[65536];
    draw(browser, 40, 120, text, sizeof text);
    for (; *words; words++)
        if (!strstr(text, *words))
            fail_msg("no \"%s\" in\n%s", *words, text);
    for (int rows = 10; rows < 50; rows += 9)
        for (int columns = 40; columns < 200; columns += 37)
            draw(browser, rows, columns, text, sizeof text);
}

/* One key goes round the kinds, one opens and closes the chart of the volatility. */
static void keys_change_the_picture(void **state)
{
    static const char *const objects[] = {"by objects", " atoms", NULL};
    static const char *const functions[] = {"by functions", " move", NULL};
    static const char *const fields[] = {"by fields of atoms", " atom.force", NULL};
    static const char *const threads[] = {"by threads", " loader-*", "server", NULL};
    static const char *const volatility[] = {"How restless", "as drawn", "Drawn in periods", NULL};
    (void)state;
    struct run run;
    struct browser browser;
    begin(&run);
    go_on(&run, 6, false);
    go_on(&run, 20, true);
    browser_init(&browser, NULL);
    browser_show(&browser, look(&run), snapshot_free);
    press(&browser, '0');
    expect_shown(&browser, objects);
    press(&browser, 'b');
    expect_shown(&browser, functions);
    press(&browser, 'b');
    expect_shown(&browser, fields);
    press(&browser, 'b');
    expect_shown(&browser, threads);
    press(&browser, 'b');
    expect_shown(&browser, objects);
    press(&browser, 'V');
    expect_shown(&browser, volatility);
    press(&browser, 'V');
    expect_shown(&browser, objects);
    browser_fini(&browser);
    profile_free(run.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_adds_up),       cmocka_unit_test(fields_wait_for_their_type),
        cmocka_unit_test(names_are_grouped),       cmocka_unit_test(the_recent_period_follows),
        cmocka_unit_test(keys_change_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
