/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of mappings: /proc's lines, records over it, and lines that make no sense. */
#include "unit.h"

#include "resolve/process/maps.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct maps maps;

static int end(void **state)
{
    (void)state;
    maps_fini(&maps);
    return 0;
}

static int read_text(const char *text)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    int code = maps_read_file(&maps, in);
    fclose(in);
    return code;
}

static void expect_sound(void)
{
    for (size_t i = 0; i < maps.count; i++) {
        assert_true(maps.maps[i].start < maps.maps[i].end);
        assert_true(!i || maps.maps[i - 1].end <= maps.maps[i].start);
        assert_true(strlen(maps_name(&maps, &maps.maps[i])) < maps.names_used);
    }
}

static void our_own_are_read(void **state)
{
    (void)state;
    static int variable;
    long local = 1;
    assert_int_equal(maps_read(&maps, getpid()), 0);
    expect_sound();
    struct map *map = maps_find(&maps, (uint64_t)(uintptr_t)&variable);
    assert_true(map && map->readable && map->writable && !map->executable);
    map = maps_find(&maps, (uint64_t)(uintptr_t)&local);
    assert_true(map && map->kind == MAPPING_STACK);
    map = maps_find(&maps, (uint64_t)(uintptr_t)&read_text);
    assert_true(map && map->kind == MAPPING_FILE && map->executable && map->inode);
    assert_non_null(strstr(maps_name(&maps, map), "test_maps"));
    assert_int_equal(maps_read(&maps, 1 << 30), -ENOENT);
    expect_sound(); /* what was known stays */
    assert_true(maps.count);
}

static void kinds_are_told_by_name(void **state)
{
    (void)state;
    assert_int_equal(read_text("1000-2000 r--p 00000000 08:01 77 /a file\n"
                               "2000-3000 rw-p 00000000 00:00 0 \n"
                               "3000-4000 rw-p 00000000 00:00 0                  [heap]\n"
                               "4000-5000 rw-p 00000000 00:00 0  [anon:pool]\n"
                               "5000-6000 rw-s 00000000 00:01 9  [anon_shmem:queue]\n"
                               "6000-7000 rw-p 00000000 00:00 0  [stack]\n"
                               "7000-8000 r-xp 00000000 00:00 0  [vdso]\n"
                               "8000-9000 r--p 00000000 00:00 0  [vvar]\n"),
                     0);
    static const uint8_t kinds[] = {MAPPING_FILE, MAPPING_ANON,  MAPPING_HEAP, MAPPING_ANON,
                                    MAPPING_ANON, MAPPING_STACK, MAPPING_VDSO, MAPPING_SPECIAL};
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(maps.maps[i].kind, kinds[i]);
    assert_string_equal(maps_name(&maps, &maps.maps[0]), "/a file");
    assert_string_equal(maps_name(&maps, &maps.maps[1]), "");
    assert_int_equal(maps.maps[0].inode, 77);
    assert_int_equal(maps.maps[0].major, 8);
    assert_null(maps_find(&maps, 0xfff));
    assert_null(maps_find(&maps, 0x9000));
    assert_int_equal(maps_after(&maps, 0x1fff), 0);
    assert_int_equal(maps_after(&maps, 0x2000), 1);
}

static void lines_out_of_order_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(read_text("5000-6000 r--p 0 0:0 0 /a\n"
                               "1000-2000 r--p 0 0:0 0 /before\n"
                               "5800-7000 r--p 0 0:0 0 /overlaps\n"
                               "9000-8000 r--p 0 0:0 0 /backwards\n"
                               "9000-9000 r--p 0 0:0 0 /empty\n"
                               "nonsense\n"
                               "\n"
                               "a000-b000 rwxrwxrwxrwx 0 0:0 0 /rights\n"
                               "b000-c000 r--p 0 0:0 0 /last"),
                     0);
    expect_sound();
    assert_int_equal(maps.count, 2);
    assert_string_equal(maps_name(&maps, &maps.maps[1]), "/last");
    assert_int_equal(read_text("nonsense\n"), -ESRCH);
}

static void findings_outlive_a_new_reading(void **state)
{
    (void)state;
    const char *text = "1000-2000 rw-p 0 0:0 0 \n3000-4000 rw-p 0 0:0 0 \n";
    assert_int_equal(read_text(text), 0);
    maps.maps[1].heap = 2;
    maps.maps[1].module = 3;
    assert_int_equal(read_text(text), 0);
    assert_int_equal(maps.maps[0].heap, 0);
    assert_int_equal(maps.maps[1].heap, 2);
    assert_int_equal(maps.maps[1].module, -2); /* to be looked for again: it may be another file */
}

static int add(uint64_t start, uint64_t length, const char *path)
{
    struct sample_mapping mapping = {.start = start, .length = length, .path = path};
    return maps_add(&maps, &mapping);
}

static void records_cut_what_they_cover(void **state)
{
    (void)state;
    assert_int_equal(add(0x1000, 0x1000, "/a"), 0);
    assert_int_equal(add(0x3000, 0x1000, "/b"), 0);
    assert_int_equal(add(0x5000, 0x1000, "/c"), 0);
    assert_int_equal(add(0x1800, 0x4000, "/over"), 0); /* half of a, all of b, half of c */
    expect_sound();
    assert_int_equal(maps.count, 3);
    assert_int_equal(maps.maps[0].end, 0x1800);
    assert_int_equal(maps.maps[2].start, 0x5800);
    assert_int_equal(maps.maps[2].offset, 0x800);
    assert_int_equal(add(0x2000, 0, "/empty"), -EINVAL);
    assert_int_equal(add(UINT64_MAX - 10, 100, "/wraps"), -EINVAL);
    assert_int_equal(maps.count, 3);
}

/* Many records at random against a table of one owner for each page. */
static void many_records_are_as_by_the_plain_rule(void **state)
{
    (void)state;
    enum { PAGES = 64 };
    char owner[PAGES] = {0};
    unsigned random = 7;
    for (int i = 0; i < 2000; i++) {
        char path[3] = {'/', (char)('a' + i % 26), 0};
        random = random * 1103515245 + 12345;
        unsigned start = (random >> 8) % PAGES;
        unsigned pages = 1 + (random >> 20) % 9;
        pages = start + pages > PAGES ? PAGES - start : pages;
        assert_int_equal(add(4096 * (1 + start), 4096 * pages, path), 0);
        memset(owner + start, path[1], pages);
        for (unsigned page = 0; page < PAGES; page++) {
            struct map *map = maps_find(&maps, 4096 * (1 + page) + 5);
            assert_int_equal(map ? maps_name(&maps, map)[1] : 0, owner[page]);
        }
    }
    expect_sound();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(our_own_are_read, end),
        cmocka_unit_test_teardown(kinds_are_told_by_name, end),
        cmocka_unit_test_teardown(lines_out_of_order_are_passed_over, end),
        cmocka_unit_test_teardown(findings_outlive_a_new_reading, end),
        cmocka_unit_test_teardown(records_cut_what_they_cover, end),
        cmocka_unit_test_teardown(many_records_are_as_by_the_plain_rule, end),
    };
    return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
