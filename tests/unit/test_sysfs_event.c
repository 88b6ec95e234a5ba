/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "fake_kernel.h"
#include "sample/perf/event.h"

#include <errno.h>
#include <string.h>

#define PMU "sys/bus/event_source/devices/"

static const struct kernel *kernel;

static int set_up(void **state)
{
    (void)state;
    kernel = fake_kernel_begin(NULL);
    fake_kernel_file(PMU "cpu/type", "4");
    fake_kernel_file(PMU "cpu/format/event", "config:0-7");
    fake_kernel_file(PMU "cpu/format/umask", "config:8-15");
    fake_kernel_file(PMU "cpu/format/ldlat", "config1:0-15");
    fake_kernel_file(PMU "cpu/format/wide", "config:0-7,32-35");
    fake_kernel_file(PMU "cpu/format/any", "config:21");
    fake_kernel_file(PMU "cpu/format/odd", "config9:0-7");
    fake_kernel_file(PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3");
    fake_kernel_file(PMU "cpu/events/loop", "loop");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_kernel_end();
    return 0;
}

static int encode(struct event *event, const char *name, struct error *error)
{
    *event = (struct event){0};
    strcpy(event->name, name);
    return sysfs_event_encode(event, kernel, error);
}

static void terms_are_spread_over_their_bits(void **state)
{
    struct event event;
    (void)state;
    assert_int_equal(encode(&event, "cpu/event=0x43,umask=8/", NULL), 0);
    assert_int_equal(event.type, 4);
    assert_int_equal(event.config, 0x0843);
    assert_int_equal(encode(&event, "cpu/wide=0x7c1/", NULL), 0);
    assert_int_equal(event.config, UINT64_C(0x7000000c1));
    assert_int_equal(encode(&event, "cpu/any/", NULL), 0);
    assert_int_equal(event.config, 1 << 21);
    assert_int_equal(encode(&event, "cpu/config=0x1cd,config1=0x1e/", NULL), 0);
    assert_int_equal(event.config, 0x1cd);
    assert_int_equal(event.config1, 0x1e);
}

/* 3 is the event file's own threshold: 30 replaces it, it is not ORed to it. */
static void a_later_term_replaces_that_of_the_event(void **state)
{
    struct event event;
    (void)state;
    assert_int_equal(encode(&event, "cpu/mem-loads,ldlat=30/", NULL), 0);
    assert_int_equal(event.config, 0x1cd);
    assert_int_equal(event.config1, 30);
    assert_int_equal(encode(&event, "cpu/mem-loads/", NULL), 0);
    assert_int_equal(event.config1, 3);
}

static void modifiers_ask_for_precision(void **state)
{
    struct event event;
    struct error error = {0};
    (void)state;
    assert_int_equal(encode(&event, "cpu/mem-loads/pp", NULL), 0);
    assert_int_equal(event.precise_ip, 2);
    assert_int_equal(encode(&event, "cpu/mem-loads/P", NULL), 0);
    assert_int_equal(event.precise_ip, 3);
    assert_int_equal(encode(&event, "cpu/mem-loads/u", NULL), 0);
    assert_int_equal(event.precise_ip, 0);
    assert_int_equal(encode(&event, "cpu/mem-loads/k", &error), -EINVAL);
    assert_non_null(strstr(error.text, "user mode"));
    assert_int_equal(encode(&event, "cpu/mem-loads/pppp", &error), -EINVAL);
}

static void what_is_not_there_is_named(void **state)
{
    static const struct {
        const char *name;
        int code;
        const char *text;
    } cases[] = {
        {"gpu/event=1/", -ENOENT, "no PMU 'gpu'"}, {"/event=1/", -ENOENT, "no PMU"},
        {"../cpu/event=1/", -ENOENT, "no PMU"},    {"cpu/evnt=1/", -EINVAL, "no term 'evnt'"},
        {"cpu/odd=1/", -EINVAL, "config9"},        {"cpu/event=1x/", -EINVAL, "1x"},
        {"cpu/event=/", -EINVAL, "event"},         {"cpu/event=0x100/", -EINVAL, "does not fit"},
        {"cpu/event=1", -EINVAL, "closing"},       {"cpu/loop/", -EINVAL, "no term 'loop'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct event event;
        struct error error = {0};
        assert_int_equal(encode(&event, cases[i].name, &error), cases[i].code);
        if (!strstr(error.text, cases[i].text))
            fail_msg("%s: '%s' lacks '%s'", cases[i].name, error.text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_spread_over_their_bits),
        cmocka_unit_test(a_later_term_replaces_that_of_the_event),
        cmocka_unit_test(modifiers_ask_for_precision),
        cmocka_unit_test(what_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
