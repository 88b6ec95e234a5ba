/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interned objects and functions: ids, keys, instances, hostile text, and full tables. */
#include <stdio.h>
#include <string.h>

#include "resolve/objects.h"
#include "unit.h"

static struct names names;

static int begin(void **state)
{
    (void)state;
    return names_init(&names);
}

static int end(void **state)
{
    (void)state;
    names_fini(&names);
    return 0;
}

static uint32_t add(uint64_t key, const char *name)
{
    struct object_desc desc = {.name = name, .module = "m", .kind = OBJECT_TLS, .address = 0x1000};
    return names_add_object(&names, key, &desc);
}

static void object_ids_are_dense_and_stable(void **state)
{
    (void)state;
    char text[8] = "one";
    assert_int_equal(names_find_object(&names, 11), 0);
    assert_int_equal(add(11, text), 1);
    assert_int_equal(add(12, "two"), 2);
    strcpy(text, "gone"); /* the strings were copied */
    assert_int_equal(names_find_object(&names, 11), 1);
    assert_string_equal(names.objects[1].name, "one");
    assert_string_equal(names.objects[0].name, "(unknown)");
}

static void functions_have_separate_keys(void **state)
{
    (void)state;
    struct function_desc desc = {.name = "f", .module = "", .start = 0x100};
    assert_int_equal(add(5, "object"), 1);
    assert_int_equal(names_find_function(&names, 5), 0);
    assert_int_equal(names_add_function(&names, 5, &desc), 1);
    desc.name = "g"; /* at the same address, after the first was unloaded */
    assert_int_equal(names_add_function(&names, 6, &desc), 2);
    assert_string_equal(names.functions[names_find_function(&names, 5)].name, "f");
    assert_string_equal(names.functions[names_find_function(&names, 6)].name, "g");
    assert_null(names.functions[1].file); /* not searched for yet */
}

static void names_are_sanitised_and_bounded(void **state)
{
    (void)state;
    static char endless[100000];
    uint32_t id = add(1, "a\033[2J\a\n\xc2\x9b\xff\xe2\x80\xae z");
    assert_string_equal(names.objects[id].name, "a?[2J????? z");
    memset(endless, 'x', sizeof endless - 1);
    id = add(2, endless);
    assert_true(strlen(names.objects[id].name) < 2000);
}

static void each_instance_counts_once(void **state)
{
    (void)state;
    uint32_t id = add(1, "tls");
    assert_int_equal(names.objects[id].blocks, 1);
    names_instance(&names, id, 0x1000); /* the first one, which made the object */
    names_instance(&names, id, 0x2000);
    names_instance(&names, id, 0x2000);
    names_instance(&names, id, 0x3000);
    assert_int_equal(names.objects[id].blocks, 3);
    names_instance(&names, 0, 0x4000);
    assert_int_equal(names.objects[0].blocks, 0);
}

/* The size of an object is that of its largest mapping or block, whichever was sampled last. */
static void expect_largest(struct located located)
{
    static const uint64_t sizes[] = {0x4000, 0x9000, 0x2000, 0x9000, 0x4000};
    uint32_t object = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        located.base = 0x10000 * (i + 1);
        located.end = located.base + sizes[i];
        object = located_object(&located, &names);
        assert_int_equal(names.objects[object].size_bytes, i ? 0x9000 : 0x4000);
    }
    located.whole_blocks = 3; /* one of equal mappings: their sum */
    located.whole_bytes = 0x6000;
    assert_int_equal(located_object(&located, &names), object);
    assert_int_equal(names.objects[object].size_bytes, 0x6000);
}

static void object_size_is_its_largest_instance(void **state)
{
    (void)state;
    expect_largest((struct located){.key = 77, .kind = OBJECT_ANON, .name = "n", .module = ""});
    expect_largest((struct located){
        .key = 78, .kind = OBJECT_HEAP, .bin = 5, .name = "malloc(160K..192K)", .module = ""});
}

static const char *name_with(uint64_t key, const char *name, const char *module)
{
    struct located located = {.key = key, .kind = OBJECT_GLOBAL, .name = name, .module = module};
    return names.objects[located_object(&located, &names)].name;
}

static const char *name_of(uint64_t key, const char *module)
{
    return name_with(key, "table", module);
}

/* Static variables of two files. */
static void same_named_objects_are_numbered(void **state)
{
    (void)state;
    assert_string_equal(name_of(1, "program"), "table");
    assert_string_equal(name_of(2, "program"), "table #2");
    assert_string_equal(name_of(3, "library"), "table");
    assert_string_equal(name_of(4, "program"), "table #3");
    assert_string_equal(name_of(1, "program"), "table");
    assert_string_equal(name_of(2, "program"), "table #2");
    names_forget(&names);
    assert_string_equal(name_of(5, "program"), "table");
    assert_string_equal(name_with(6, "_ZN3app5tableE", "program"), "app::table");
    assert_string_equal(name_with(7, "_ZN3app5tableE", "program"), "app::table #2");
}

static void objects_beyond_the_limit_are_unknown(void **state)
{
    (void)state;
    uint32_t last = 0;
    for (uint64_t key = 1; key < (1 << 16) + 10; key++) {
        uint32_t id = add(key, "n");
        last = id ? id : last;
    }
    assert_int_equal(last, (1 << 16) - 1);
    assert_int_equal(add(UINT64_MAX, "more"), 0);
    assert_int_equal(names_find_object(&names, UINT64_MAX), 0);
    assert_int_equal(names_find_object(&names, 5), 5);
}

static void object_kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(object_kind_name(OBJECT_TLS), "tls");
    assert_string_equal(object_kind_name(OBJECT_KIND_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(object_ids_are_dense_and_stable, begin, end),
        cmocka_unit_test_setup_teardown(functions_have_separate_keys, begin, end),
        cmocka_unit_test_setup_teardown(names_are_sanitised_and_bounded, begin, end),
        cmocka_unit_test_setup_teardown(each_instance_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(object_size_is_its_largest_instance, begin, end),
        cmocka_unit_test_setup_teardown(same_named_objects_are_numbered, begin, end),
        cmocka_unit_test_setup_teardown(objects_beyond_the_limit_are_unknown, begin, end),
        cmocka_unit_test(object_kinds_have_names),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
