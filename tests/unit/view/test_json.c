/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the JSON report back. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "unit/view/json_fixture.h"
#include "unit/view/snapshot_fixture.h"
#include "view/view.h"

static void check_member(json_t *from, const char *path, int type, bool null_allowed)
{
    json_t *value = json_fixture_at(from, path);
    bool number = type == JSON_REAL && json_is_number(value);
    bool truth = type == JSON_TRUE && json_is_boolean(value);
    if (value && (number || truth || (int)json_typeof(value) == type))
        return;
    if (value && json_is_null(value) && null_allowed)
        return;
    fail_msg("JSON member %s is missing or has another type", path);
}

static void json_has_every_member_of_the_contract(void **state)
{
    static const struct {
        const char *path;
        int type;
    } members[] = {{"version", JSON_INTEGER},
                   {"iteration", JSON_INTEGER},
                   {"elapsed", JSON_REAL},
                   {"target.pid", JSON_INTEGER},
                   {"target.comm", JSON_STRING},
                   {"target.exe", JSON_STRING},
                   {"target.threads", JSON_INTEGER},
                   {"source.name", JSON_STRING},
                   {"source.event", JSON_STRING},
                   {"source.period", JSON_INTEGER},
                   {"source.precise", JSON_TRUE},
                   {"source.live", JSON_TRUE},
                   {"samples.total", JSON_INTEGER},
                   {"samples.kernel", JSON_INTEGER},
                   {"samples.lost", JSON_INTEGER},
                   {"samples.throttled", JSON_INTEGER},
                   {"samples.attributed", JSON_INTEGER},
                   {"samples.unattributed", JSON_OBJECT},
                   {"objects", JSON_ARRAY},
                   {"code", JSON_ARRAY},
                   {"sets.level", JSON_STRING},
                   {"sets.index", JSON_STRING},
                   {"sets.sets", JSON_INTEGER},
                   {"sets.ways", JSON_INTEGER},
                   {"sets.line", JSON_INTEGER},
                   {"sets.counts", JSON_ARRAY},
                   {"sets.verdict", JSON_STRING},
                   {"search.state", JSON_STRING},
                   {"search.ways", JSON_INTEGER},
                   {"search.iteration", JSON_INTEGER},
                   {"search.interval", JSON_REAL},
                   {"search.regions", JSON_ARRAY},
                   {"window.entries", JSON_INTEGER},
                   {"window.addresses", JSON_INTEGER},
                   {"window.singletons", JSON_INTEGER},
                   {"window.recurring", JSON_INTEGER}};
    static const struct {
        const char *path;
        int type;
    } object_members[] = {
        {"name", JSON_STRING},    {"kind", JSON_STRING},    {"module", JSON_STRING},
        {"type", JSON_STRING},    {"address", JSON_STRING}, {"size", JSON_INTEGER},
        {"blocks", JSON_INTEGER}, {"samples", JSON_REAL},   {"share", JSON_REAL},
        {"loads", JSON_REAL},     {"stores", JSON_REAL},    {"site", JSON_ARRAY},
        {"fields", JSON_ARRAY},   {"share_low", JSON_REAL}, {"share_high", JSON_REAL}};
    static const char *const kinds[] = {"global", "heap", "stack", "tls",    "map",
                                        "anon",   "code", "jit",   "unknown"};
    json_t *root = json_fixture(fixture_new(FIXTURE_USUAL, 0));
    json_t *object;
    json_t *entry;
    size_t i;
    (void)state;
    for (size_t k = 0; k < sizeof members / sizeof *members; k++)
        check_member(root, members[k].path, members[k].type, false);
    assert_int_equal(json_array_size(json_fixture_at(root, "objects")), 12);
    json_array_foreach(json_fixture_at(root, "objects"), i, object)
    {
        for (size_t k = 0; k < sizeof object_members / sizeof *object_members; k++)
            check_member(object, object_members[k].path, object_members[k].type, true);
        bool known = false;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            known |= !strcmp(kinds[k], json_string_value(json_fixture_at(object, "kind")));
        assert_true(known);
        assert_memory_equal(json_string_value(json_fixture_at(object, "address")), "0x", 2);
        entry = json_array_get(json_fixture_at(object, "fields"), 0);
        check_member(entry, "name", JSON_STRING, false);
        check_member(entry, "offset", JSON_INTEGER, false);
        check_member(entry, "size", JSON_INTEGER, false);
        check_member(entry, "samples", JSON_REAL, false);
        check_member(entry, "share", JSON_REAL, false);
    }
    json_array_foreach(json_fixture_at(root, "code"), i, entry)
    {
        check_member(entry, "function", JSON_STRING, false);
        check_member(entry, "module", JSON_STRING, false);
        check_member(entry, "file", JSON_STRING, true);
        check_member(entry, "line", JSON_INTEGER, true);
        check_member(entry, "samples", JSON_REAL, false);
        check_member(entry, "share", JSON_REAL, false);
    }
    json_array_foreach(json_fixture_at(root, "search.regions"), i, entry)
    {
        check_member(entry, "base", JSON_STRING, false);
        check_member(entry, "bound", JSON_STRING, false);
        check_member(entry, "share", JSON_REAL, false);
        check_member(entry, "iterations", JSON_INTEGER, false);
        check_member(entry, "state", JSON_STRING, false);
        check_member(entry, "object", JSON_STRING, false);
    }
    assert_int_equal(json_array_size(json_fixture_at(root, "sets.counts")), 64);
    json_decref(root);
}

static void json_samples_add_up_to_the_total(void **state)
{
    json_t *root = json_fixture(fixture_new(FIXTURE_USUAL, 0));
    json_t *value;
    const char *name;
    json_int_t sum = json_integer_value(json_fixture_at(root, "samples.attributed"));
    double before = 2;
    size_t i;
    (void)state;
    json_object_foreach(json_fixture_at(root, "samples.unattributed"), name, value) sum +=
        json_integer_value(value);
    assert_int_equal(sum, json_integer_value(json_fixture_at(root, "samples.total")));
    json_array_foreach(json_fixture_at(root, "objects"), i, value)
    {
        double share = json_number_value(json_fixture_at(value, "share"));
        assert_true(share <= before && share <= 1);
        assert_true(json_number_value(json_fixture_at(value, "share_low")) <= share);
        assert_true(json_number_value(json_fixture_at(value, "share_high")) >= share);
        before = share;
    }
    value = json_array_get(json_fixture_at(root, "objects"), 0);
    assert_string_equal(json_string_value(json_fixture_at(value, "name")), "particles");
    assert_true(json_is_integer(json_fixture_at(value, "samples"))); /* no fractions from decay */
    assert_true(json_number_value(json_fixture_at(value, "stall_share")) > 0.3);
    assert_int_equal(json_integer_value(json_fixture_at(value, "element_size")), 64);
    /* a p-value of 1e-300 is not 0 */
    assert_true(json_number_value(json_fixture_at(root, "sets.p_value")) > 0);
    json_decref(root);
}

static bool is_null(json_t *from, const char *path)
{
    json_t *value = json_fixture_at(from, path);
    return !value || json_is_null(value);
}

static void json_unknown_values_are_null(void **state)
{
    json_t *root = json_fixture(fixture_new(FIXTURE_EMPTY, 0));
    json_t *one = json_fixture(fixture_new(FIXTURE_ONE, 0));
    json_t *object = json_array_get(json_fixture_at(one, "objects"), 0);
    (void)state;
    assert_true(is_null(root, "elapsed"));
    assert_true(is_null(root, "target.pid"));
    assert_true(is_null(root, "source.event"));
    assert_true(is_null(root, "source.period"));
    assert_true(is_null(root, "sets.sets"));
    assert_true(is_null(root, "search.explained"));
    assert_int_equal(json_integer_value(json_fixture_at(root, "samples.total")),
                     0); /* counted, and zero */
    assert_true(is_null(object, "latency"));
    assert_true(is_null(object, "element_size"));
    assert_true(is_null(object, "type"));
    assert_true(is_null(one, "samples.rate"));
    assert_true(is_null(one, "sets.p_value"));
    json_t *history = json_fixture_at(object, "history");
    assert_true(json_is_null(json_array_get(history, 0)));
    assert_true(json_is_real(json_array_get(history, 31)));
    json_decref(root);
    json_decref(one);
}

static json_t *object_named(json_t *root, const char *name)
{
    json_t *object;
    size_t i;
    json_array_foreach(json_fixture_at(root, "objects"), i, object)
    {
        if (!strcmp(json_string_value(json_fixture_at(object, "name")), name))
            return object;
    }
    fail_msg("object %s is not in the JSON", name);
    return NULL;
}

static void json_has_types_layouts_and_instructions(void **state)
{
    json_t *root = json_fixture(fixture_new(FIXTURE_TYPED, 0));
    json_t *object = object_named(root, "particles");
    json_t *field = json_array_get(json_fixture_at(object, "fields"), 0);
    json_t *entry;
    size_t i;
    json_int_t unknown = 0;
    const char *name;
    (void)state;
    assert_string_equal(json_string_value(json_fixture_at(object, "type")),
                        "struct particle [524288]");
    assert_string_equal(json_string_value(json_fixture_at(object, "type_raw")), "raw");
    assert_int_equal(json_integer_value(json_fixture_at(object, "type_votes")), 0); /* declared */
    assert_true(json_is_integer(json_fixture_at(object, "type_votes")));
    assert_string_equal(json_string_value(json_fixture_at(field, "name")), "particle.vel.y");
    assert_string_equal(json_string_value(json_fixture_at(field, "type")), "double");
    assert_int_equal(json_integer_value(json_fixture_at(object, "layout.phase")), 16);
    assert_int_equal(json_array_size(json_fixture_at(object, "layout.rows")), 9);
    entry = json_array_get(json_fixture_at(object, "layout.rows"), 3);
    assert_string_equal(json_string_value(json_fixture_at(entry, "name")), "y");
    assert_int_equal(json_integer_value(json_fixture_at(entry, "offset")), 32);
    assert_int_equal(json_integer_value(json_fixture_at(entry, "size")), 8);
    assert_true(json_number_value(json_fixture_at(entry, "share")) > 0.6);
    assert_true(json_is_false(json_fixture_at(entry, "hole")));
    entry = json_array_get(json_fixture_at(object, "layout.lines"), 1);
    assert_int_equal(json_integer_value(json_fixture_at(entry, "start")), 48);
    assert_int_equal(json_integer_value(json_fixture_at(entry, "cold")), 4);
    assert_int_equal(json_array_size(json_fixture_at(object_named(root, "[heap]"), "layouts")), 2);
    assert_true(json_is_null(json_fixture_at(object_named(root, "grid"), "layout")));
    assert_true(json_is_null(json_fixture_at(object_named(root, "grid"), "type_votes")));
    assert_true(json_is_null(json_fixture_at(object_named(root, "grid"), "type_raw")));
    /* counts by kind of type add up to the attributed samples */
    json_int_t sum = 0;
    json_object_foreach(json_fixture_at(root, "types.unknown"), name, entry) unknown +=
        json_integer_value(entry);
    json_object_foreach(json_fixture_at(root, "types"), name, entry) sum +=
        json_integer_value(entry);
    assert_int_equal(sum + unknown,
                     json_integer_value(json_fixture_at(root, "samples.attributed")));
    assert_int_equal(json_integer_value(json_fixture_at(root, "types.by-code")), 21000);
    assert_int_equal(json_integer_value(json_fixture_at(root, "reading.waiting")), 120);
    entry = json_array_get(json_fixture_at(root, "code"), 0);
    assert_int_equal(json_array_size(json_fixture_at(entry, "instructions")), 6);
    json_array_foreach(json_fixture_at(entry, "instructions"), i, field)
    {
        check_member(field, "address", JSON_STRING, false);
        check_member(field, "line", JSON_INTEGER, true);
        check_member(field, "file", JSON_STRING, true);
        check_member(field, "inlined", JSON_STRING, true);
        check_member(field, "field", JSON_STRING, true);
        check_member(field, "samples", JSON_REAL, false);
        check_member(field, "share", JSON_REAL, false);
    }
    field = json_array_get(json_fixture_at(entry, "instructions"), 4);
    assert_string_equal(json_string_value(json_fixture_at(field, "inlined")), "min < clamp");
    json_decref(root);
    root = json_fixture(fixture_new(FIXTURE_USUAL, 0)); /* inferred */
    object = object_named(root, "particles");
    assert_true(json_is_true(json_fixture_at(object, "layout.inferred")));
    assert_true(json_is_null(json_fixture_at(object, "layout.type")));
    assert_true(json_is_null(json_fixture_at(object, "layout.phase")));
    json_decref(root);
}

static void json_with_hostile_names_is_valid(void **state)
{
    (void)state;
    json_t *root =
        json_fixture(fixture_new(FIXTURE_HOSTILE, 0)); /* not UTF-8, quotes, escapes: parses */
    json_t *object;
    size_t i;
    bool replaced = false;
    json_array_foreach(json_fixture_at(root, "objects"), i, object) replaced |=
        !strcmp(json_string_value(json_fixture_at(object, "name")), "?? not UTF-8");
    assert_true(replaced);
    json_decref(root);
    root = json_fixture(fixture_new(FIXTURE_HUGE, 0));
    object = json_array_get(json_fixture_at(root, "objects"), 0);
    assert_string_equal(json_string_value(json_fixture_at(object, "address")),
                        "0xfffffffffffffff5");
    assert_true(json_number_value(json_fixture_at(object, "size")) > 1.8e19);
    json_decref(root);
}

static void json_to_closed_pipe_returns_epipe(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    int ends[2];
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    FILE *out = fdopen(ends[1], "w");
    assert_int_equal(json_print(out, snapshot), -EPIPE);
    fclose(out);
    fixture_release(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_every_member_of_the_contract),
        cmocka_unit_test(json_samples_add_up_to_the_total),
        cmocka_unit_test(json_unknown_values_are_null),
        cmocka_unit_test(json_has_types_layouts_and_instructions),
        cmocka_unit_test(json_with_hostile_names_is_valid),
        cmocka_unit_test(json_to_closed_pipe_returns_epipe),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
