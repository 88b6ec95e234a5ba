/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Individual threads of the newest samples, in the snapshot and on the screen. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "unit.h"
#include "view/display/browser.h"
#include "unit/names.h"

static const uint64_t apart = 0x100000;
static uint64_t now_ns;

/* Threads that have ended have no name. */
static bool name_thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    (void)context;
    snprintf(out, out_size, "worker");
    return tid < 900;
}

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static char name[16];
    (void)context;
    snprintf(name, sizeof name, "object %u", object);
    *desc = (struct object_desc){.name = name, .module = "m", .kind = OBJECT_GLOBAL};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    static char name[16];
    (void)context;
    snprintf(name, sizeof name, "work%u", function);
    *desc = (struct function_desc){.name = name, .module = "m"};
    return true;
}

static struct profile *begin(void)
{
    struct profile *profile;
    static const struct fake_names answers = {
        .object = name_object, .function = name_function, .thread = name_thread};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .ways = 10, .event_count = 1, .window_entries = 4096};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    return profile;
}

static void add(struct profile *profile, uint32_t tid, uint32_t object, uint32_t function,
                int count)
{
    struct place place = {.object = object, .function = function, .base = object * apart};
    place.access = (struct access){.weight = 1,
                                   .tid = tid,
                                   .address = place.base + tid % 100 * 64,
                                   .kind = ACCESS_LOAD,
                                   .size = 8};
    for (int i = 0; i < count; i++) {
        place.access.time_ns = now_ns += 1000;
        profile_add(profile, &place);
    }
}

static const struct snapshot *take_snapshot(struct profile *profile)
{
    struct snapshot head = {.iteration = 1, .target = {.threads = 3}};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

static struct profile *add_three_same_named_threads(void)
{
    struct profile *profile = begin();
    add(profile, 801, 1, 1, 40);
    add(profile, 801, 2, 2, 60);
    add(profile, 802, 2, 1, 250);
    add(profile, 802, 1, 2, 50);
    add(profile, 901, 3, 2, 100);
    return profile;
}

static void threads_with_same_name_are_separate_rows(void **state)
{
    (void)state;
    struct profile *profile = add_three_same_named_threads();
    const struct snapshot *snapshot = take_snapshot(profile);
    const struct snapshot_threads *threads = &snapshot->threads;
    assert_int_equal(threads->count, 3);
    assert_int_equal(threads->recent, 500);
    assert_int_equal(threads->left_out, 0);
    const struct snapshot_thread *first = &threads->list[0];
    assert_int_equal(first->tid, 802);
    assert_string_equal(first->name, "worker");
    assert_true(first->samples == 300 && fabs(first->share.value - 0.6) < 1e-9);
    assert_true(first->share.low < 0.6 && first->share.high > 0.6);
    assert_string_equal(first->object_name, "object 2");
    assert_true(fabs(first->object_share - 250.0 / 300) < 1e-9);
    assert_string_equal(snapshot->objects[first->object].name, "object 2");
    assert_string_equal(first->function_name, "work1");
    assert_int_equal(threads->list[1].tid, 801);
    assert_string_equal(threads->list[1].object_name, "object 2");
    assert_string_equal(threads->list[1].function_name, "work2");
    assert_true(fabs(threads->list[1].object_share - 0.6) < 1e-9);
    assert_null(threads->list[2].name);
    assert_ptr_equal(snapshot_thread(threads, 901), &threads->list[2]);
    assert_null(snapshot_thread(threads, 7));
    snapshot_free(snapshot);
    profile_free(profile);
}

static void thread_list_is_bounded(void **state)
{
    (void)state;
    struct profile *profile = begin();
    for (uint32_t tid = 1; tid <= 300; tid++)
        add(profile, tid, 1, 1, tid == 300 ? 5 : 2);
    const struct snapshot *snapshot = take_snapshot(profile);
    assert_int_equal(snapshot->threads.count, 256);
    assert_int_equal(snapshot->threads.left_out, 44);
    assert_int_equal(snapshot->threads.list[0].tid, 300);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void thread_screen_lists_threads(void **state)
{
    (void)state;
    struct profile *profile = add_three_same_named_threads();
    struct browser browser;
    struct canvas canvas;
    char text[512];
    bool found = false;
    browser_init(&browser, NULL);
    assert_int_equal(canvas_init(&canvas, 24, 80, false), 0);
    browser_show(&browser, take_snapshot(profile), snapshot_free);
    browser_input(&browser, &(struct input){.kind = INPUT_KEY, .key = '2'});
    browser_input(&browser, &(struct input){.kind = INPUT_KEY, .key = KEYS_RIGHT});
    browser_draw(&browser, &canvas, 0);
    for (int row = 0; row < 24 && !found; row++) {
        canvas_row_text(&canvas, row, text, sizeof text);
        found = strstr(text, "802 worker") && strstr(text, "60.0%") && strstr(text, "object 2");
    }
    assert_true(found);
    browser_input(&browser, &(struct input){.kind = INPUT_KEY, .key = KEYS_ENTER});
    assert_int_equal(browser.screen, SCREEN_DETAIL);
    assert_string_equal(browser.opened.name, "object 2");
    browser_fini(&browser);
    canvas_fini(&canvas);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_with_same_name_are_separate_rows),
                                       cmocka_unit_test(thread_list_is_bounded),
                                       cmocka_unit_test(thread_screen_lists_threads)};
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
