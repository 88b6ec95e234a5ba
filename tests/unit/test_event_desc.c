/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "sample/perfdata/header.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ATTR = 72 };

/* Two events: "cpu/mem-loads/" with 3 ids and a name that steers terminals. */
static size_t build(unsigned char *at)
{
    static const char *const names[] = {"cpu/mem-loads/", "a\033[31mb"};
    uint32_t words[] = {2, ATTR};
    size_t used = sizeof words;
    memset(at, 0, 512);
    memcpy(at, words, sizeof words);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t tail[] = {i ? 1 : 3, 64};
        memcpy(at + used + ATTR, tail, sizeof tail);
        memcpy(at + used + ATTR + sizeof tail, names[i], strlen(names[i]));
        used += ATTR + sizeof tail + 64 + tail[0] * 8;
    }
    return used;
}

static void add_events(struct attributes *attributes)
{
    static const unsigned char attr[ATTR];
    *attributes = (struct attributes){0};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(attributes_add(attributes, attr, sizeof attr, false), 0);
}

static void take(const unsigned char *section, size_t size, struct attributes *attributes)
{
    struct cursor cursor = {section, size, false, false};
    event_desc_take(&cursor, attributes);
}

static void names_are_found_and_made_printable(void **state)
{
    unsigned char section[512];
    struct attributes attributes;
    size_t size = build(section);
    (void)state;
    add_events(&attributes);
    take(section, size, &attributes);
    assert_string_equal(attributes.events[0].name, "cpu/mem-loads/");
    assert_string_equal(attributes.events[1].name, "a?[31mb");
    attributes_fini(&attributes);
}

/* The sections of perf need not stand in the order of the attributes: ids decide. */
static void ids_decide_whose_name_it_is(void **state)
{
    unsigned char section[512];
    struct attributes attributes;
    uint64_t id = 42;
    size_t size = build(section);
    (void)state;
    add_events(&attributes);
    assert_int_equal(attributes_add_id(&attributes, 0, id), 0);
    memcpy(section + size - 8, &id, 8); /* of the second description */
    take(section, size, &attributes);
    assert_string_equal(attributes.events[0].name, "a?[31mb");
    assert_string_equal(attributes.events[1].name, "");
    attributes_fini(&attributes);
}

static void cut_anywhere_it_stays_inside(void **state)
{
    unsigned char section[512];
    struct attributes attributes;
    size_t size = build(section);
    (void)state;
    add_events(&attributes);
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut + !cut);
        memcpy(copy, section, cut);
        take(copy, cut, &attributes);
        free(copy);
    }
    assert_string_equal(attributes.events[0].name, "cpu/mem-loads/");
    assert_string_equal(attributes.events[1].name, ""); /* never whole */
    memset(section, 0xff, sizeof section);
    take(section, sizeof section, &attributes);
    attributes_fini(&attributes);
}

static void piped_recordings_tell_names_by_id(void **state)
{
    struct {
        uint64_t what;
        uint64_t id;
        char name[16];
    } update = {2, 42, "cycles:P"};
    struct attributes attributes;
    (void)state;
    add_events(&attributes);
    assert_int_equal(attributes_add_id(&attributes, 1, 42), 0);
    struct cursor cursor = {(unsigned char *)&update, sizeof update, false, false};
    event_desc_update(&cursor, &attributes);
    assert_string_equal(attributes.events[1].name, "cycles:P");
    update.what = 1; /* its scale */
    update.name[0] = 'X';
    cursor = (struct cursor){(unsigned char *)&update, sizeof update, false, false};
    event_desc_update(&cursor, &attributes);
    assert_string_equal(attributes.events[1].name, "cycles:P");
    attributes_fini(&attributes);
}

static void attributes_tell_a_name(void **state)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_CACHE_MISSES};
    char name[64];
    (void)state;
    event_desc_guess(&attr, name, sizeof name);
    assert_string_equal(name, "cache-misses");
    attr.type = PERF_TYPE_RAW;
    attr.config = 0x1cd;
    event_desc_guess(&attr, name, sizeof name);
    assert_string_equal(name, "r01cd of PMU 4");
    attr.type = PERF_TYPE_SOFTWARE;
    event_desc_guess(&attr, name, sizeof name);
    assert_string_equal(name, "r01cd of PMU 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_made_printable),
        cmocka_unit_test(cut_anywhere_it_stays_inside),
        cmocka_unit_test(ids_decide_whose_name_it_is),
        cmocka_unit_test(piped_recordings_tell_names_by_id),
        cmocka_unit_test(attributes_tell_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
