/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/array.h"

#include <string.h>

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    unsigned char *last = NULL;
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        unsigned char *memory = arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
        assert_ptr_not_equal(memory, last);
        last = memory;
    }
    arena_fini(&arena);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_array(&arena, SIZE_MAX / 2, 3));
    assert_non_null(arena_array(&arena, 0, 8));
    arena_fini(&arena);
}

static void strings_are_copied(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char text[] = "abc";
    char *copy = arena_string(&arena, text);
    text[0] = 'x';
    assert_string_equal(copy, "abc");
    assert_null(arena_string(&arena, NULL));
    assert_string_equal(arena_printf(&arena, "%s+%d", "a", 40), "a+40");
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(strings_are_copied),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
