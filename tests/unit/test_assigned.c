/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variables that calls in this very program assign to, by its own debug information. */
#include "unit.h"

#include "assigned_calls.h"
#include "resolve/resolver_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct resolver *resolver;
static unsigned calls;

__attribute__((noinline)) static void *look(const char *expected, size_t size)
{
    char name[256] = "";
    uint64_t address = (uint64_t)(uintptr_t)__builtin_return_address(0);
    bool found = resolver_assigned(resolver, address, name, sizeof name);
    calls++;
    assert_string_equal(name, expected);
    assert_int_equal(found, *expected != 0);
    return malloc(size);
}

static void results_are_followed_to_their_variables(void **state)
{
    (void)state;
    assigned_calls(look);
    assert_int_equal(calls, 9);
}

static void nonsense_gives_nothing(void **state)
{
    char name[256];
    (void)state;
    assert_false(resolver_assigned(resolver, 0, name, sizeof name));
    assert_false(resolver_assigned(resolver, 1, name, sizeof name));
    assert_false(resolver_assigned(resolver, UINT64_MAX, name, sizeof name));
    assert_false(resolver_assigned(resolver, (uint64_t)(uintptr_t)&resolver, name, sizeof name));
    for (uint64_t at = 0; at < 4096; at++) /* inside instructions, at other functions */
        resolver_assigned(resolver, (uint64_t)(uintptr_t)assigned_calls - 1024 + at, name,
                          sizeof name);
}

int main(void)
{
    struct error error;
    const struct resolver_options options = {.pid = getpid(), .live = true};
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_followed_to_their_variables),
                                       cmocka_unit_test(nonsense_gives_nothing)};
    if (resolver_open(&resolver, &options, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    resolver_close(resolver);
    return failed;
}
