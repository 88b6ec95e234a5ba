/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variables that calls in this very program assign to, by its own debug information. */
#include "unit.h"

#include "assigned_calls.h"
#include "base/clock.h"
#include "resolve/resolver_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct resolver *resolver;
static unsigned calls;

/* The answer comes from another process. */
static int answer_for(uint64_t address, char *name, size_t size)
{
    int code = -EAGAIN;
    for (int i = 0; i < 10000 && code == -EAGAIN; i++) {
        code = resolver_assigned(resolver, address, name, size);
        resolver_settle(resolver, clock_now_ns());
        if (code == -EAGAIN)
            usleep(1000);
    }
    return code;
}

__attribute__((noinline)) static void *look(const char *expected, size_t size)
{
    char name[256] = "";
    uint64_t address = (uint64_t)(uintptr_t)__builtin_return_address(0);
    int code = answer_for(address, name, sizeof name);
    calls++;
    assert_string_equal(name, expected);
    assert_int_equal(code, *expected ? 0 : -ENOENT);
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
    const uint64_t nowhere[] = {0, 1, UINT64_MAX, (uint64_t)(uintptr_t)&resolver};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        assert_int_equal(answer_for(nowhere[i], name, sizeof name), -ENOENT);
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
