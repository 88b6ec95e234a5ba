/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A late name leaves no trace: tables that were filled with provisional objects and then renamed
 * give the same JSON report as tables that knew the objects from the first sample. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/profile.h"
#include "profile/snapshot/builders.h"
#include "unit.h"
#include "unit/resolve/small_types.h"
#include "view/view.h"
#include "unit/names.h"

enum {
    ARRAY = 2,   /* struct particle [], blocks 10 to 13 */
    SLOT = 3,    /* a stack variable, accesses 20 and 21 */
    OTHER = 4,   /* known from the start */
    PART = 9,    /* size class of the blocks */
    BLOCKS = 10, /* provisional ids */
    BLOCK_COUNT = 4,
    SLOTS = 20,
    PARTICLE = 1, /* id of the type */
    BLOCK_BYTES = 64 * 64,
    SLOT_OFFSET = 24,
    STEPS = 6000
};

#define STEP_NS     UINT64_C(1000000)
#define BLOCK_APART UINT64_C(0x100000)
#define STACK       UINT64_C(0x7f0000000000)

/* Offset of the accesses in SLOT: from the start of a variable, or below the end of a frame. */
static int64_t slot_offset;
static bool combined; /* the view combines OTHER with ARRAY */
static bool mapping;  /* OTHER is a mapping */

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "first", "struct particle []", "main.buffer",
                                        "other"};
    (void)context;
    *desc =
        (struct object_desc){.name = object < 5 ? names[object] : "malloc(4096)",
                             .module = "",
                             .kind = object == SLOT || object >= SLOTS ? OBJECT_STACK : OBJECT_HEAP,
                             .address = object * BLOCK_APART,
                             .blocks = 1,
                             .part_of = combined && object == OTHER ? ARRAY : 0};
    if (mapping && object == OTHER) {
        desc->kind = OBJECT_ANON;
        desc->size_bytes = 3 * BLOCK_BYTES;
    }
    return true;
}

static bool fake_type(void *context, uint32_t type, struct type_desc *desc)
{
    (void)context;
    *desc = small_particle;
    return type == PARTICLE;
}

static bool fake_function(void *context, uint32_t function, struct function_desc *desc)
{
    (void)context;
    *desc = (struct function_desc){.name = "function", .module = "m", .file = "", .line = function};
    return true;
}

/* Roots 1 to 3 for the functions, each with two callers. */
static bool fake_caller(void *context, uint32_t node, struct caller_desc *desc)
{
    (void)context;
    *desc = (struct caller_desc){node > 3 ? node - 3 : 0, node > 3 ? 3 + (node - 1) / 3 : node};
    return node && node <= 9;
}

static struct profile *new_profile(void)
{
    struct profile *profile;
    static const struct fake_names answers = {
        .object = fake_object, .type = fake_type, .function = fake_function, .caller = fake_caller};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = 10,
                                      .ways = 10,
                                      .event_count = 2,
                                      .roles = {EVENT_MISS_L1, EVENT_ACCESS},
                                      .watch = true,
                                      .lines = true};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    return profile;
}

/* Makes the same accesses for any profile. `late`: the objects are not known yet. */
static struct place place_at(struct prng *prng, int step, bool late)
{
    uint64_t which = prng_below(prng, 8);
    uint64_t spot = prng_below(prng, BLOCK_BYTES / 8) * 8;
    struct place place = {.function = 1 + (uint32_t)prng_below(prng, 3)};
    place.access = (struct access){.time_ns = 1000 + (uint64_t)step * STEP_NS,
                                   .ip = 0x1000 + prng_below(prng, 5) * 16,
                                   .tid = 100 + (uint32_t)prng_below(prng, 2),
                                   .cpu = (uint32_t)prng_below(prng, 2),
                                   .weight = 1 + prng_below(prng, 3),
                                   .kind = prng_below(prng, 4) ? ACCESS_LOAD : ACCESS_STORE,
                                   .event = prng_below(prng, 4) == 0,
                                   .latency = (uint32_t)prng_below(prng, 300),
                                   .cause = (uint8_t)(prng_below(prng, 3) + CAUSE_INCLUSION),
                                   .size = 8,
                                   .how = ACCESS_DIRECT};
    place.caller = place.function + 3 + 3 * (step % 2);
    place.evictor_function = 1 + (uint32_t)prng_below(prng, 3);
    if (which < BLOCK_COUNT) {
        place.object = late ? BLOCKS + (uint32_t)which : ARRAY;
        place.bin_object = PART;
        place.base = (BLOCKS + which) * BLOCK_APART;
        place.size_bytes = BLOCK_BYTES;
        place.access.address = place.base + spot % 256; /* lines shared by the threads */
        /* Each instruction accesses one member, and is named after it. */
        place.access.ip = 0x1000 + spot % 64 * 16;
    } else if (which < BLOCK_COUNT + 2) {
        place.object = late ? SLOTS + (uint32_t)which % 2 : SLOT;
        place.bin_object = PART - 1;
        place.base = STACK + which * 4096;
        place.access.address = place.base + SLOT_OFFSET;
        place.access.ip = 0x2000 + which;
    } else {
        place.object = OTHER;
        place.base = OTHER * BLOCK_APART;
        place.access.address = place.base + spot;
    }
    place.evictor_object = prng_below(prng, 2) ? place.object : OTHER;
    bool typed = which < BLOCK_COUNT;
    place.typed = typed && !late ? TYPED_DATA : TYPED_NONE;
    place.untyped = place.typed == TYPED_NONE && typed ? UNTYPED_WAITING : UNTYPED_NO_VARIABLE;
    if (place.typed != TYPED_NONE) {
        place.type = PARTICLE;
        place.by_member = true;
        place.type_offset = (uint32_t)((place.access.address - place.base) % 64);
        place.untyped = UNTYPED_NO_REASON;
    }
    return place;
}

static void add_neighbour(struct profile *profile, const struct place *place, int step)
{
    struct line_place line = {.place = *place};
    line.line = (struct line_event){.ip = place->access.ip,
                                    .address = place->access.address,
                                    .weight = 1,
                                    .distance = (uint64_t)(step % 500),
                                    .event = 0,
                                    .kind = step % 2 ? LINE_REUSED : LINE_LEFT,
                                    .line_bytes = 64,
                                    .used_bytes = (uint16_t)(step % 64),
                                    .touched_bytes = 64};
    struct watch_result watch = {.kind = WATCH_FIRST,
                                 .end = WATCH_TOUCHED,
                                 .object = place->object,
                                 .origin_tid = place->access.tid,
                                 .toucher_tid = place->access.tid,
                                 .address = place->access.address & ~UINT64_C(7),
                                 .base = place->base,
                                 .origin_ns = place->access.time_ns - 500,
                                 .armed_ns = place->access.time_ns - 400,
                                 .end_ns = place->access.time_ns,
                                 .ip = place->access.ip};
    if (step % 3 == 0)
        profile_add_lines(profile, &line, 1);
    if (step % 7 == 0)
        profile_watch(profile, &watch, place->function, place->access.ip);
}

static void rename_all(struct profile *profile)
{
    struct object_rename list[BLOCK_COUNT + 2];
    for (uint32_t i = 0; i < BLOCK_COUNT; i++)
        list[i] = (struct object_rename){.from = BLOCKS + i, .to = ARRAY, .type = PARTICLE};
    for (uint32_t i = 0; i < 2; i++)
        list[BLOCK_COUNT + i] = (struct object_rename){
            .from = SLOTS + i, .to = SLOT, .has_fixed_offset = true, .offset = slot_offset};
    profile_rename(profile, list, BLOCK_COUNT + 2);
}

/* Deletes the members that are not kept without a name: the instances of a stack variable, and the
 * curve of each field, because a field is counted over time only after its type is known. */
static void remove_unnamed_members(json_t *root)
{
    size_t i;
    json_t *object;
    json_t *measure;
    json_object_del(json_object_get(root, "phases"), "fields");
    json_array_foreach(json_object_get(json_object_get(root, "phases"), "measures"), i, measure)
    {
        json_object_del(measure, "fields");
    }
    json_array_foreach(json_object_get(root, "objects"), i, object)
    {
        if (!strcmp(json_string_value(json_object_get(object, "name")), "main.buffer"))
            json_object_del(object, "instances");
    }
}

/* Returns the report after all STEPS. The name arrives at step `named`, and again for places during
 * the next hundred steps. */
static json_t *report(int named, bool early)
{
    struct profile *profile = new_profile();
    struct prng prng = {7};
    json_t *root = NULL;
    for (int step = 0; step < STEPS; step++) {
        struct place place = place_at(&prng, step, !early && step < named + 100);
        if (!early && place.object >= SLOTS)
            place.base = STACK + place.object * 4096;
        /* A known stack variable starts at its own address, an unknown one at the stack's. */
        if (place.object == SLOT)
            place.base = place.access.address - (uint64_t)slot_offset;
        profile_add(profile, &place);
        add_neighbour(profile, &place, step);
        if (step == named && !early)
            rename_all(profile);
        if (step % 1000 != 999)
            continue;
        struct snapshot head = {.iteration = (uint32_t)step / 1000 + 1,
                                .interval_s = 1,
                                .elapsed_s = step / 1000 + 1,
                                .source = {.name = "clock", .event_count = 2}};
        const struct snapshot *snapshot =
            profile_snapshot(profile, &head, 1000 + (uint64_t)(step + 1) * STEP_NS);
        assert_non_null(snapshot);
        if (step + 1 == STEPS) {
            char *text = NULL;
            size_t size;
            FILE *out = open_memstream(&text, &size);
            assert_int_equal(json_print(out, snapshot), 0);
            fclose(out);
            root = json_loads(text, 0, NULL);
            free(text);
        }
        snapshot_free(snapshot);
    }
    profile_free(profile);
    assert_non_null(root);
    return root;
}

/* Sums in another order differ in the last digits. */
static bool json_nearly_equal(json_t *a, json_t *b, char *where, size_t room)
{
    size_t used = strlen(where);
    if (json_is_number(a) && json_is_number(b)) {
        double left = json_number_value(a);
        double right = json_number_value(b);
        double apart = left > right ? left - right : right - left;
        return apart <= 1e-6 * (1 + (left > 0 ? left : -left));
    }
    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_array(a)) {
        if (json_array_size(a) != json_array_size(b))
            return false;
        for (size_t i = 0; i < json_array_size(a); i++) {
            snprintf(where + used, room - used, "[%zu]", i);
            if (!json_nearly_equal(json_array_get(a, i), json_array_get(b, i), where, room))
                return false;
        }
    } else if (json_is_object(a)) {
        const char *key;
        json_t *value;
        json_object_foreach(a, key, value)
        {
            json_t *other = json_object_get(b, key);
            snprintf(where + used, room - used, ".%s", key);
            if (!other || !json_nearly_equal(value, other, where, room))
                return false;
        }
        where[used] = '\0';
        return json_object_size(a) == json_object_size(b);
    } else if (!json_equal(a, b)) {
        return false;
    }
    where[used] = '\0';
    return true;
}

static void expect_same_report(int named)
{
    char where[512] = "";
    json_t *late = report(named, false);
    json_t *early = report(named, true);
    remove_unnamed_members(late);
    remove_unnamed_members(early);
    assert_true(json_array_size(json_object_get(early, "objects")) == 3);
    if (!json_nearly_equal(late, early, where, sizeof where)) {
        if (getenv("SHOW")) {
            json_dump_file(late, "/tmp/renames-late.json", JSON_INDENT(1));
            json_dump_file(early, "/tmp/renames-early.json", JSON_INDENT(1));
        }
        fail_msg("renamed after %d samples: the report differs from an early rename at %s", named,
                 where);
    }
    json_decref(late);
    json_decref(early);
}

static void late_rename_gives_same_report_as_early(void **state)
{
    (void)state;
    expect_same_report(50);   /* before the first snapshot */
    expect_same_report(2500); /* between two snapshots */
    expect_same_report(5800);
    slot_offset = -280;
    expect_same_report(50);
    expect_same_report(2500);
    slot_offset = 0;
}

static void untyped_object_is_renamed_once(void **state)
{
    (void)state;
    struct profile *profile = new_profile();
    struct place place = {
        .object = BLOCKS, .bin_object = PART, .base = 0x10000, .size_bytes = 4096};
    place.access = (struct access){.time_ns = 1, .address = 0x10010, .ip = 0x100, .tid = 1};
    for (int i = 0; i < 10; i++) {
        place.access.time_ns += STEP_NS;
        profile_add(profile, &place);
    }
    profile_rename(profile, &(struct object_rename){.from = BLOCKS, .to = PART}, 1);
    /* A repeated rename has no effect, and a renamed object does not become another one. */
    profile_rename(profile, &(struct object_rename){.from = BLOCKS, .to = OTHER}, 1);
    profile_rename(profile, &(struct object_rename){.from = PART, .to = BLOCKS}, 1);
    assert_int_equal(profile_object(profile, BLOCKS), PART);
    profile_add(profile, &place);
    struct snapshot head = {.source = {.name = "clock", .event_count = 2}};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, place.access.time_ns);
    assert_int_equal(snapshot->object_count, 1);
    assert_int_equal(snapshot->objects[0].id, PART);
    assert_int_equal((int)(snapshot->objects[0].samples + 0.5), 11);
    snapshot_free(snapshot);
    profile_free(profile);
}

static const struct snapshot *take_snapshot(struct profile *profile)
{
    struct snapshot head = {.source = {.name = "clock", .event_count = 2}};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 5000 * STEP_NS);
    assert_non_null(snapshot);
    return snapshot;
}

static double samples_of(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == id)
            return snapshot->objects[i].samples;
    return 0;
}

/* Returns the samples on an object by function; each function must occur once. */
static double in_code(const struct snapshot *snapshot, uint32_t object)
{
    double sum = 0;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *row = &snapshot->objects[i];
        for (size_t k = 0; row->id == object && k < row->code_count; k++) {
            sum += row->code[k].samples;
            for (size_t m = 0; m < k; m++)
                assert_int_not_equal(row->code[k].id, row->code[m].id);
        }
    }
    return sum;
}

static double in_fields(const struct snapshot *snapshot, uint32_t id)
{
    double sum = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (size_t k = 0; k < snapshot->objects[i].field_count; k++)
            sum += snapshot->objects[i].id == id ? snapshot->objects[i].fields[k].samples : 0;
    return sum;
}

static void expect_columns_match_objects(const struct snapshot *snapshot)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    for (size_t k = 0; k < matrix->column_count; k++) {
        const struct snapshot_object *object = &snapshot->objects[matrix->columns[k]];
        double cells = 0;
        for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
            cells += snapshot_matrix_at(matrix, i, k)->samples;
        assert_float_equal(matrix->column_totals[k].samples, object->samples, 1e-6);
        assert_float_equal(matrix->column_totals[k].share, object->share.value, 1e-6);
        assert_float_equal(cells, object->samples, 1e-6);
    }
    assert_true(matrix->column_count > 1);
}

/* The counted samples of layouts equal those of fields, whatever their weights. */
static void expect_layouts_match_fields(const struct snapshot *snapshot)
{
    size_t layouts = 0;
    double over = 0;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        for (size_t k = 0; k < object->layout_count; k++, layouts++) {
            const struct snapshot_layout *layout = &object->layouts[k];
            double counted = 0;
            double rows = 0;
            for (size_t f = 0; f < object->field_count; f++)
                if (object->fields[f].type_id == layout->type)
                    counted += object->fields[f].samples + object->fields[f].count_excess;
            for (size_t r = 0; r < layout->row_count; r++)
                rows += layout->rows[r].has_members
                            ? 0
                            : layout->rows[r].samples + layout->rows[r].count_excess;
            assert_float_equal(layout->samples + layout->count_excess, counted, 1e-6);
            assert_float_equal(rows, counted, 1e-6);
            over += fabs(layout->count_excess);
        }
    }
    assert_true(layouts && over > 1);
}

/* Bins combined by a view are one row, and are separate again after an undo. */
static void combined_bins_count_once_and_can_separate(void **state)
{
    (void)state;
    struct profile *profile = new_profile();
    struct prng prng = {11};
    for (int step = 0; step < 3000; step++) {
        struct place place = place_at(&prng, step, false);
        profile_add(profile, &place);
    }
    const struct snapshot *apart = take_snapshot(profile);
    combined = true;
    const struct snapshot *together = take_snapshot(profile);
    combined = false;
    const struct snapshot *again = take_snapshot(profile);
    double array = samples_of(apart, ARRAY);
    double other = samples_of(apart, OTHER);
    assert_true(array > 100 && other > 100);
    assert_float_equal(samples_of(together, ARRAY), array + other, 1e-6);
    assert_float_equal(samples_of(together, OTHER), 0, 0);
    assert_int_equal(together->object_count + 1, apart->object_count);
    assert_true(in_fields(together, ARRAY) > in_fields(apart, ARRAY));
    assert_float_equal(in_code(together, ARRAY), array + other, 1e-6);
    expect_columns_match_objects(together);
    expect_layouts_match_fields(together);
    assert_float_equal(samples_of(again, ARRAY), array, 1e-9);
    assert_float_equal(samples_of(again, OTHER), other, 1e-9);
    snapshot_free(apart);
    snapshot_free(together);
    snapshot_free(again);
    profile_free(profile);
}

/* Two objects in one row, both in the same block. */
static void block_shared_by_objects_is_one_instance(void **state)
{
    (void)state;
    struct profile *profile = new_profile();
    for (int step = 0; step < 100; step++) {
        struct place place = {.object = step % 4 ? ARRAY : OTHER,
                              .bin_object = PART,
                              .base = BLOCKS * BLOCK_APART,
                              .size_bytes = BLOCK_BYTES / (uint64_t)(1 + step / 50),
                              .access = {.time_ns = 1000 + (uint64_t)step,
                                         .address = BLOCKS * BLOCK_APART,
                                         .tid = 100,
                                         .weight = 1,
                                         .how = ACCESS_DIRECT,
                                         .size = 8}};
        profile_add(profile, &place);
    }
    combined = true;
    const struct snapshot *together = take_snapshot(profile);
    combined = false;
    const struct snapshot_object *array = &together->objects[0];
    assert_int_equal(array->id, ARRAY);
    assert_int_equal(array->instance_count, 1);
    assert_float_equal(array->instances[0].samples, array->samples, 1e-6);
    assert_float_equal(array->instances[0].share, 1, 1e-6);
    assert_int_equal(array->instances[0].size, BLOCK_BYTES); /* the largest size seen */
    snapshot_free(together);
    profile_free(profile);
}

/* The only block of a row has its own size, even if it is the largest of its size class. */
static void row_with_one_block_has_that_blocks_size(void **state)
{
    (void)state;
    struct profile *profile = new_profile();
    for (int step = 0; step < 100; step++) {
        struct place place = {.object = OTHER,
                              .base = OTHER * BLOCK_APART,
                              .size_bytes = BLOCK_BYTES,
                              .access = {.time_ns = 1000 + (uint64_t)step,
                                         .address = OTHER * BLOCK_APART + 8,
                                         .tid = 100,
                                         .weight = 1,
                                         .how = ACCESS_DIRECT,
                                         .size = 8}};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = take_snapshot(profile);
    assert_int_equal(snapshot->objects[0].size, BLOCK_BYTES);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void grown_mapping_is_one_instance(void **state)
{
    (void)state;
    struct profile *profile = new_profile();
    for (unsigned step = 0; step < 100; step++) {
        struct place place = {.object = OTHER,
                              .base = OTHER * BLOCK_APART + step % 3 * BLOCK_BYTES,
                              .size_bytes = (3 - step % 3) * BLOCK_BYTES,
                              .access = {.time_ns = 1000 + step,
                                         .address = OTHER * BLOCK_APART + 2 * BLOCK_BYTES,
                                         .tid = 100 + step % 2,
                                         .weight = 1,
                                         .how = ACCESS_DIRECT,
                                         .size = 8}};
        profile_add(profile, &place);
    }
    mapping = true;
    const struct snapshot *snapshot = take_snapshot(profile);
    mapping = false;
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->instance_count, 1);
    assert_int_equal(object->instances[0].base, object->address);
    assert_int_equal(object->instances[0].size, 3 * BLOCK_BYTES);
    assert_float_equal(object->instances[0].samples, object->samples, 1e-6);
    snapshot_free(snapshot);
    profile_free(profile);
}

static int run_renames(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(late_rename_gives_same_report_as_early),
                                       cmocka_unit_test(combined_bins_count_once_and_can_separate),
                                       cmocka_unit_test(block_shared_by_objects_is_one_instance),
                                       cmocka_unit_test(row_with_one_block_has_that_blocks_size),
                                       cmocka_unit_test(grown_mapping_is_one_instance),
                                       cmocka_unit_test(untyped_object_is_renamed_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Bins with the same name are distinguished by their callers; other names do not get longer. */

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

static struct snapshot_bin bin(const char *name, const char *path)
{
    return (struct snapshot_bin){.heap = {.name = name, .path = path}};
}

static void same_named_bins_are_distinguished_by_callers(void **state)
{
    (void)state;
    struct snapshot_bin bins[] = {
        bin("newlen", "zmalloc < newlen < dbAdd < set < main"),
        bin("expand", "zcalloc < expand < set < main"),
        bin("newlen", "zmalloc < newlen < dbAdd < get < main"),
        bin("newlen", "zmalloc < newlen < log < main"),
    };
    struct snapshot_heap heap = {.bins = bins, .bin_count = 4};
    assert_true(bins_add_callers(&heap, &arena));
    assert_string_equal(bins[0].display_name, "newlen < set");
    assert_null(bins[1].display_name);
    assert_string_equal(bins[2].display_name, "newlen < get");
    assert_string_equal(bins[3].display_name, "newlen < log");
}

/* A template's bracket is not a caller; if the same functions call, the lines differ. */
static void same_named_bins_are_distinguished_by_lines(void **state)
{
    static const char *const first[] = {"operator new (new:1)", "add<A> (t.cc:3)",
                                        "main (t.cc:10)"};
    static const char *const second[] = {"operator new (new:1)", "add<A> (t.cc:3)",
                                         "main (t.cc:12)"};
    static const char *const third[] = {"malloc (libc.so.6)", "xmalloc (x.c:1)", "add<A> (t.cc:3)",
                                        "load (t.cc:7)"};
    static const char *const fourth[] = {"operator new (new:1)", "add<A> (t.cc:3)",
                                         "load (t.cc:7)"};
    (void)state;
    struct snapshot_bin bins[] = {
        bin("Map<u8, A> node", "operator new < add<A> < main"),
        bin("Map<u8, A> node", "operator new < add<A> < main"),
        bin("Map<u8, A> node", "operator new < add<A> < load"),
        bin("Map<u8, A> node",
            "operator new < add<A> < main"), /* equal to the first in everything visible */
        bin("add<A> t.cc:3", "malloc < xmalloc < add<A> < load"),
        bin("add<A> t.cc:3", "operator new < add<A> < main"),
    };
    struct snapshot_heap heap = {.bins = bins, .bin_count = 6};
    bins[0].heap.site = bins[3].heap.site = first;
    bins[1].heap.site = second;
    bins[4].heap.site = third;
    bins[2].heap.site = fourth;
    bins[0].heap.site_count = bins[1].heap.site_count = bins[2].heap.site_count = 3;
    bins[3].heap.site_count = 3;
    bins[3].heap.id = 3;
    bins[4].heap.site_count = 4;
    bins[5].heap.site = first;
    bins[5].heap.site_count = 3;
    assert_true(bins_add_callers(&heap, &arena));
    assert_string_equal(bins[0].display_name, "Map<u8, A> node < main t.cc:10");
    assert_string_equal(bins[1].display_name, "Map<u8, A> node < main t.cc:12");
    assert_string_equal(bins[2].display_name, "Map<u8, A> node < load");
    assert_string_equal(bins[3].display_name, "Map<u8, A> node < main t.cc:10 #2");
    assert_string_equal(bins[4].display_name, "add<A> t.cc:3 < load");
    assert_string_equal(bins[5].display_name, "add<A> t.cc:3 < main");
}

static void indistinguishable_bins_are_numbered(void **state)
{
    (void)state;
    struct snapshot_bin bins[] = {
        bin("a", "malloc < a"),
        bin("a", "malloc < a"),     /* from another library */
        bin("a", "malloc < a < b"), /* with a longer path */
        bin("b", NULL),             /* a size class */
        bin("b", "malloc < b < main"),
    };
    struct snapshot_heap heap = {.bins = bins, .bin_count = 5};
    bins[1].heap.id = 1;
    assert_true(bins_add_callers(&heap, &arena));
    assert_null(bins[0].display_name);
    assert_string_equal(bins[1].display_name, "a #2");
    assert_null(bins[3].display_name);
    assert_null(bins[4].display_name);
    assert_string_equal(bins[2].display_name, "a < b");
}

static void user_given_bin_names_are_kept(void **state)
{
    (void)state;
    struct snapshot_bin bins[] = {bin("mine", "malloc < a < b"), bin("mine", "malloc < a < c")};
    struct snapshot_heap heap = {.bins = bins, .bin_count = 2};
    bins[0].heap.renamed = true;
    assert_true(bins_add_callers(&heap, &arena));
    assert_null(bins[0].display_name);
    assert_null(bins[1].display_name);
}

static int run_twins(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_named_bins_are_distinguished_by_callers, begin, end),
        cmocka_unit_test_setup_teardown(same_named_bins_are_distinguished_by_lines, begin, end),
        cmocka_unit_test_setup_teardown(indistinguishable_bins_are_numbered, begin, end),
        cmocka_unit_test_setup_teardown(user_given_bin_names_are_kept, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_renames();
    failed += run_twins();
    return failed;
}
