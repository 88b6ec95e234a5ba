/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "sample/event_desc.h"

#include <stdbool.h>
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

static void names_are_found_and_made_printable(void **state)
{
    unsigned char section[512];
    char name[64];
    size_t size = build(section);
    (void)state;
    assert_true(event_desc_name(section, size, 0, name, sizeof name));
    assert_string_equal(name, "cpu/mem-loads/");
    assert_true(event_desc_name(section, size, 1, name, sizeof name));
    assert_string_equal(name, "a?[31mb");
    assert_false(event_desc_name(section, size, 2, name, sizeof name));
}

static void cut_anywhere_it_stays_inside(void **state)
{
    unsigned char section[512];
    char name[64];
    size_t size = build(section);
    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        unsigned char *copy = malloc(cut + !cut);
        memcpy(copy, section, cut);
        for (unsigned index = 0; index < 3; index++)
            event_desc_name(copy, cut, index, name, sizeof name);
        free(copy);
    }
    memset(section, 0xff, sizeof section);
    assert_false(event_desc_name(section, sizeof section, 0, name, sizeof name));
}

static void sections_outside_the_file_are_not_there(void **state)
{
    unsigned char file[64] = {0};
    uint64_t features[EVENT_DESC_FEATURES / 64] = {1 << EVENT_DESC_FEATURE | 1 << 3};
    uint64_t section[] = {48, 16};
    size_t size = 0;
    (void)state;
    memcpy(file + 16, section, sizeof section); /* the second entry of the table at 0 */
    assert_ptr_equal(event_desc_find(file, sizeof file, features, 0, &size), file + 48);
    assert_int_equal(size, 16);
    assert_null(event_desc_find(file, 63, features, 0, &size));
    assert_null(event_desc_find(file, sizeof file, features, 40, &size));
    assert_null(event_desc_find(file, sizeof file, features, UINT64_MAX, &size));
    features[0] = 1 << 3;
    assert_null(event_desc_find(file, sizeof file, features, 0, &size));
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
        cmocka_unit_test(sections_outside_the_file_are_not_there),
        cmocka_unit_test(attributes_tell_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
