/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resolver on programs linked, stripped, deleted and replaced in every way. */
#include "unit.h"

#include "target.h"

#include <string.h>
#include <unistd.h>

static struct target target;
static struct resolver *resolver;

static bool start(const char *flags)
{
    const char *path = target_path("planted");
    unlink(path);
    return target_build(path, flags, target_program) && target_start(&target, path, NULL);
}

static void watch(const char *flags)
{
    if (!start(flags))
        skip(); /* no compiler, or none for this kind of program */
    resolver = target_watch(&target);
}

/* Constants stand with the code if the linker puts them there. */
static void expect_everything(enum object_kind constants)
{
    uint64_t function = target_address(&target, "function");
    target_expect(resolver, target_address(&target, "global"), "planted_global", OBJECT_GLOBAL, 20);
    target_expect(resolver, target_address(&target, "static"), "planted_static", OBJECT_GLOBAL, 20);
    target_expect(resolver, target_address(&target, "const"), "planted_const", constants, 20);
    target_expect(resolver, target_address(&target, "tls"), "planted_tls", OBJECT_TLS, 8);
    assert_string_equal(target_function(resolver, function + 3), "planted_function");
}

/* Bounds of the planted function start where it does, whatever told them. */
static void expect_bounds(void)
{
    uint64_t start_at;
    uint64_t end;
    uint64_t function = target_address(&target, "function");
    assert_true(resolver_function_bounds(resolver, function + 3, &start_at, &end));
    assert_int_equal(start_at, function);
    assert_true(end > function + 8 && end < function + 512);
}

static int end(void **state)
{
    (void)state;
    if (resolver)
        resolver_close(resolver);
    if (target.pid > 0)
        target_end(&target);
    resolver = NULL;
    target = (struct target){0};
    return 0;
}

static void position_independent(void **state)
{
    (void)state;
    watch("-O1 -g -pie -fPIE -pthread");
    expect_everything(OBJECT_GLOBAL);
    expect_bounds();
}

static void at_a_fixed_place(void **state)
{
    (void)state;
    watch("-O1 -no-pie -fno-pie -pthread");
    expect_everything(OBJECT_GLOBAL);
    assert_true(target_address(&target, "global") < UINT64_C(1) << 32);
}

static void segments_that_share_pages(void **state)
{
    (void)state;
    watch("-O1 -Wl,-z,noseparate-code -pthread");
    expect_everything(OBJECT_CODE);
    expect_bounds();
}

/* Data is asked for before any code: its mapping alone must tell the place of the file. */
static void by_a_data_mapping_first(void **state)
{
    (void)state;
    watch("-O1 -g -pie -fPIE -pthread");
    target_expect(resolver, target_address(&target, "global"), "planted_global", OBJECT_GLOBAL, 20);
}

static void stripped_to_its_dynamic_symbols(void **state)
{
    (void)state;
    watch("-O1 -rdynamic -s -pthread");
    target_expect(resolver, target_address(&target, "global"), "planted_global", OBJECT_GLOBAL, 20);
    assert_string_equal(target_object(resolver, target_address(&target, "static")), "planted .bss");
    assert_string_equal(target_function(resolver, target_address(&target, "function")),
                        "planted_function");
}

static void without_any_symbols(void **state)
{
    (void)state;
    watch("-O1 -static -s -pthread");
    assert_string_equal(target_object(resolver, target_address(&target, "static")), "planted .bss");
    assert_string_equal(target_object(resolver, target_address(&target, "global")),
                        "planted .data");
    assert_string_equal(target_object(resolver, target_address(&target, "const")),
                        "planted .rodata");
    expect_bounds();
    /* The name is the place in the file, so that it is the same in every run. */
    assert_memory_equal(target_function(resolver, target_address(&target, "function")),
                        "planted+0x", 10);
}

static void deleted_while_it_runs(void **state)
{
    (void)state;
    if (!start("-O1 -g -pthread"))
        skip();
    assert_int_equal(unlink(target_path("planted")), 0);
    resolver = target_watch(&target);
    expect_everything(OBJECT_GLOBAL);
    struct place_names names = resolver_names(resolver);
    struct object_desc desc;
    struct access access = {.address = target_address(&target, "global"), .base = SREG_NONE};
    struct place place;
    resolver_resolve(resolver, &access, NULL, &place);
    assert_true(names.object(names.context, place.object, &desc));
    assert_string_equal(desc.module, "planted");
}

/* Another file of that name must not lend its symbols. */
static void replaced_while_it_runs(void **state)
{
    (void)state;
    if (!start("-O1 -g -pthread"))
        skip();
    assert_true(target_build(target_path("other"), "-O1 -g",
                             "int wrong[1 << 20] = {1}; int main(void) { return wrong[1]; }"));
    /* The second is the name that /proc/PID/maps will have for the first. */
    assert_true(
        target_run("cd %s && cp other 'planted (deleted)' && mv other planted", target_folder()));
    resolver = target_watch(&target);
    expect_everything(OBJECT_GLOBAL);
}

static void names_of_one_program_end_with_it(void **state)
{
    (void)state;
    watch("-O1 -no-pie -fno-pie -pthread");
    uint64_t global = target_address(&target, "global");
    assert_string_equal(target_object(resolver, global), "planted_global");
    /* As an exec does: the same address is another program's. */
    struct record exec = {.kind = RECORD_COMM,
                          .pid = (uint32_t)target.pid,
                          .tid = (uint32_t)target.pid,
                          .comm = {.name = "new", .exec = true}};
    struct access access = {.address = global, .base = SREG_NONE};
    struct place before;
    struct place after;
    resolver_resolve(resolver, &access, NULL, &before);
    resolver_record(resolver, &exec);
    resolver_tick(resolver, UINT64_MAX / 2);
    resolver_resolve(resolver, &access, NULL, &after);
    assert_int_not_equal(before.object, after.object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(position_independent, end),
        cmocka_unit_test_teardown(at_a_fixed_place, end),
        cmocka_unit_test_teardown(segments_that_share_pages, end),
        cmocka_unit_test_teardown(by_a_data_mapping_first, end),
        cmocka_unit_test_teardown(stripped_to_its_dynamic_symbols, end),
        cmocka_unit_test_teardown(without_any_symbols, end),
        cmocka_unit_test_teardown(deleted_while_it_runs, end),
        cmocka_unit_test_teardown(replaced_while_it_runs, end),
        cmocka_unit_test_teardown(names_of_one_program_end_with_it, end),
    };
    return cmocka_run_group_tests_name("resolver_programs", tests, NULL, NULL);
}
