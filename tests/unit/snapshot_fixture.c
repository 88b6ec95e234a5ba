/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "snapshot_fixture.h"

#include "base/array.h"
#include "base/hash.h"
#include "levels_fixture.h"
#include "matrix_fixture.h"
#include "rates_fixture.h"
#include "sharing_fixture.h"
#include "finding_fixture.h"
#include "typed_fixture.h"

#include <math.h>
#include <stdlib.h>

struct held {
    struct snapshot snapshot; /* first */
    struct arena arena;
};

static unsigned alive;

static const struct {
    const char *name;
    const char *module;
    enum object_kind kind;
    double weight;
    uint64_t size;
    uint64_t element;
} usual[] = {
    {"particles", "misstop-demo", OBJECT_GLOBAL, 38, 32 << 20, 64},
    {"grid", "misstop-demo", OBJECT_GLOBAL, 21, 6 << 20, 0},
    {"[heap]", "", OBJECT_HEAP, 14.2, 12900000, 48},
    {"demo arena", "", OBJECT_ANON, 9.1, 64 << 20, 0},
    {"std::unordered_map<std::string, std::vector<order_book::price_level>>::instance_table",
     "libmatching.so.4", OBJECT_GLOBAL, 6.4, 1 << 20, 24},
    {"stack of thread 4242", "", OBJECT_STACK, 3.9, 8 << 20, 0},
    {"/usr/share/dict/words", "", OBJECT_MAP, 2.8, 985084, 0},
    {"errno_table", "libc.so.6", OBJECT_TLS, 1.7, 4096, 0},
    {".rodata", "libcrypto.so.3", OBJECT_CODE, 1.2, 300 << 10, 0},
    {"JIT code cache", "", OBJECT_JIT, 0.9, 2 << 20, 0},
    {"main_arena", "libc.so.6", OBJECT_GLOBAL, 0.5, 2200, 0},
    {"unknown", "", OBJECT_UNKNOWN, 0.3, 0, 0},
};

static const char *const functions[] = {"visit_particles",
                                        "walk_grid_column",
                                        "walk_list",
                                        "visit_arena_page",
                                        "order_book::match(order const&)",
                                        "__memmove_avx_unaligned_erms"};

static const char *const hostile[] = {
    ("a name that is far too long for any terminal a name that is far too long for any terminal "
     "a name that is far too long for any terminal a name that is far too long for any terminal"),
    "データベース索引テーブル漢字かな交じりの長い名前が続くとどうなるかを見る",
    "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85 combining",
    "?[31mred?[0m",
    "\xff\xfe not UTF-8",
    "",
    "%s%n%d",
    "\xf0\x9f\x94\xa5\xf0\x9f\x94\xa5 emoji \xf0\x9f\x94\xa5",
};

static struct snapshot_share share_of(double value, double samples)
{
    double half = samples > 0 ? 1.96 * sqrt(fmax(value * (1 - value), 0.0001) / samples) : NAN;
    return (struct snapshot_share){value, fmax(0, value - half), fmin(1, value + half)};
}

static void add_fields(struct arena *arena, struct snapshot_object *object)
{
    static const double parts[] = {0.61, 0.2, 0.09, 0.05, 0.03, 0.02};
    enum { COUNT = sizeof parts / sizeof *parts };
    object->fields = arena_array(arena, COUNT, sizeof *object->fields);
    object->field_count = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t offset = object->element_size ? (40 + 8 * i) % object->element_size : 4096 * i;
        object->fields[i] = (struct snapshot_field){
            .name = arena_printf(arena, "%s+%llu", object->element_size ? "[*]" : "",
                                 (unsigned long long)offset),
            .offset = offset,
            .size = 8,
            .samples = floor(object->samples * parts[i]),
            .share = parts[i],
            .loads = object->samples * parts[i] * 0.8,
            .stores = object->samples * parts[i] * 0.2};
    }
}

static void add_code(struct arena *arena, struct snapshot_object *object, uint32_t index)
{
    object->code_count = 3;
    object->code = arena_array(arena, 3, sizeof *object->code);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t id = (index + i) % 6;
        double part = i ? 0.15 : 0.7;
        object->code[i] = (struct snapshot_code){.id = id + 1,
                                                 .function = functions[id],
                                                 .module = "misstop-demo",
                                                 .file = id == 5 ? NULL : "src/demo.c",
                                                 .line = id == 5 ? 0 : 70 + id,
                                                 .address = 0x401000 + id * 0x100 + i * 4,
                                                 .samples = object->samples * part,
                                                 .share = share_of(part, object->samples),
                                                 .sites = 3 - i,
                                                 .top_object = index,
                                                 .top_object_share = 1};
    }
}

static void add_instances(struct arena *arena, struct snapshot_object *object)
{
    object->instance_count = object->blocks;
    object->instances = arena_array(arena, object->blocks, sizeof *object->instances);
    for (uint32_t i = 0; i < object->blocks; i++)
        object->instances[i] =
            (struct snapshot_instance){.base = object->address + i * 4096,
                                       .size = object->size,
                                       .samples = object->samples / object->blocks,
                                       .share = 1.0 / object->blocks,
                                       .tid = 4242 + i};
}

static struct snapshot_object make_object(struct arena *arena, struct prng *prng, uint32_t index,
                                          const char *name, double share, double all)
{
    struct snapshot_object object = {.id = index + 1,
                                     .name = name,
                                     .module = "",
                                     .kind = OBJECT_HEAP,
                                     .address = 0x7f0000000000 + index * 0x10000000ull,
                                     .size = 1 << 20,
                                     .blocks = 1 + index % 3,
                                     .samples = floor(share * all),
                                     .share = share_of(share, all),
                                     .latency = NAN,
                                     .threads = 1};
    object.loads = floor(object.samples * 0.7);
    object.stores = object.samples - object.loads;
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        object.event_share[i] = NAN;
    object.event_share[1] = share * 0.9;
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        object.history[i] =
            i < 6 ? NAN : (float)(share * (0.6 + (double)prng_below(prng, 80) / 100));
    (void)arena;
    return object;
}

static void fill_objects(struct held *held, struct prng *prng, unsigned tick)
{
    enum { COUNT = sizeof usual / sizeof *usual };
    struct snapshot *snapshot = &held->snapshot;
    double weights[COUNT];
    double all = 0;
    for (size_t i = 0; i < COUNT; i++)
        all += weights[i] = usual[i].weight * (1 + 0.3 * sin(tick * 0.3 + (double)i));
    snapshot->object_count = COUNT;
    snapshot->objects = arena_array(&held->arena, COUNT, sizeof *snapshot->objects);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        *object = make_object(&held->arena, prng, i, usual[i].name, weights[i] / all, 41000);
        object->module = usual[i].module;
        object->kind = usual[i].kind;
        object->size = usual[i].size;
        object->element_size = usual[i].element;
        object->element_confidence = usual[i].element ? 0.97 : 0;
        add_fields(&held->arena, object);
        add_code(&held->arena, object, i);
        add_instances(&held->arena, object);
    }
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_object *a = left;
    const struct snapshot_object *b = right;
    return a->samples > b->samples ? -1 : a->samples < b->samples;
}

static void fill_code(struct held *held)
{
    struct snapshot *snapshot = &held->snapshot;
    snapshot->code_count = 6;
    snapshot->code = arena_array(&held->arena, 6, sizeof *snapshot->code);
    for (uint32_t i = 0; i < 6; i++)
        snapshot->code[i] = (struct snapshot_code){.id = i + 1,
                                                   .function = functions[i],
                                                   .module = i == 5 ? "libc.so.6" : "misstop-demo",
                                                   .file = i == 5 ? NULL : "src/demo.c",
                                                   .line = i == 5 ? 0 : 70 + i,
                                                   .address = 0x401000 + i * 0x100,
                                                   .samples = 15000.0 / (i + 1),
                                                   .share = share_of(0.4 / (i + 1), 41000),
                                                   .sites = 6 - i,
                                                   .top_object = i,
                                                   .top_object_share = 0.7};
}

static void fill_sets(struct held *held, struct prng *prng, uint32_t sets)
{
    struct snapshot_sets *out = &held->snapshot.sets;
    *out = (struct snapshot_sets){
        .level = sets > 64 ? "L2" : "L1d",
        .index = "virtual",
        .sets = sets,
        .ways = 8,
        .line = 64,
        .note = sets > 64 ? "sets beyond a page are guessed from virtual addresses" : NULL,
        .chi2 = 5120.4,
        .p_value = 1e-300,
        .hot_sets = 2,
        .verdict = SETS_CONCENTRATED,
        .reading = "2 of 64 sets take 40 % of the samples"};
    out->counts = arena_array(&held->arena, sets, sizeof *out->counts);
    for (uint32_t i = 0; i < sets; i++)
        out->counts[i] = 500 + prng_below(prng, 60) + (i == 13 || i == 14 ? 2600 : 0);
    out->part_count = sets * 3;
    out->parts = arena_array(&held->arena, out->part_count, sizeof *out->parts);
    for (uint32_t i = 0; i < out->part_count; i++)
        out->parts[i] = (struct snapshot_set_part){i / 3, i % 3 == 2 ? UINT32_MAX : (i + i / 3) % 3,
                                                   90 >> i % 3};
}

static void fill_search(struct held *held)
{
    struct snapshot_search *out = &held->snapshot.search;
    static const double shares[] = {0.38, 0.21, 0.12, 0.09, 0.03, 0.01, 0.004, 0};
    static const enum region_state states[] = {REGION_OBJECT, REGION_OBJECT, REGION_LINE,
                                               REGION_LINE,   REGION_SPLIT,  REGION_QUEUED,
                                               REGION_KEPT,   REGION_KEPT};
    *out = (struct snapshot_search){.state = SEARCH_SETTLED,
                                    .ways = 10,
                                    .iteration = 23,
                                    .restarts = 1,
                                    .interval_s = 0.8,
                                    .explained = 0.892,
                                    .base = 0,
                                    .bound = 0x7fffffffffff,
                                    .what = "all",
                                    .region_count = 8,
                                    .dropped_count = 4};
    out->regions = arena_array(&held->arena, 8, sizeof *out->regions);
    out->dropped = arena_array(&held->arena, 4, sizeof *out->dropped);
    for (uint32_t i = 0; i < 8; i++)
        out->regions[i] = (struct snapshot_region){
            .base = 0x7f0000000000 + (i * 5 % 8) * 0x1000000000ull,
            .bound = 0x7f0000000000 + (i * 5 % 8) * 0x1000000000ull + (i == 2 ? 64 : 0x2000000),
            .share = shares[i],
            .low = fmax(0, shares[i] - 0.02),
            .high = shares[i] + 0.02,
            .iterations = 12 - i,
            .depth = 20 - i,
            .state = states[i],
            .object = i < 4 ? usual[i].name : "",
            .reason = i >= 6 ? REGION_WAS_BEST : REGION_NO_REASON};
    for (uint32_t i = 0; i < 4; i++)
        out->dropped[i] =
            (struct snapshot_region){.base = 0x550000000000 + i * 0x100000000ull,
                                     .bound = 0x550080000000 + i * 0x100000000ull,
                                     .share = 0,
                                     .low = NAN,
                                     .high = NAN,
                                     .state = REGION_DROPPED,
                                     .object = "",
                                     .reason = i % 2 ? REGION_NO_SAMPLES : REGION_EVEN};
}

static void fill_window(struct held *held)
{
    struct snapshot_window *out = &held->snapshot.window;
    *out = (struct snapshot_window){
        .entries = 65536,
        .used = 51234,
        .addresses = 30211,
        .singletons = 24100,
        .recurring = 6111,
        .span_s = 21.4,
        .histogram = {24100, 3000, 1900, 800, 300, 90, 15, 6},
        .reading = "80 % of the lines have one sample, and 6 lines more than 64",
        .top_count = 20,
        .pair_count = 5};
    out->top = arena_array(&held->arena, 20, sizeof *out->top);
    out->pairs = arena_array(&held->arena, 5, sizeof *out->pairs);
    for (uint32_t i = 0; i < 20; i++)
        out->top[i] = (struct snapshot_recurrence){.address = 0x7f0012340000 + i * 4096,
                                                   .count = 120 - i * 5,
                                                   .set = 13 + i % 2,
                                                   .object = i == 19 ? UINT32_MAX : i % 4,
                                                   .offset = i * 4096,
                                                   .functions = 1 + i % 3};
    for (uint32_t i = 0; i < 5; i++)
        out->pairs[i] = (struct snapshot_pair){
            .object_a = i, .object_b = i + 1, .together = 900 - 100 * i, .lift = 14.2 / (i + 1)};
}

/* Every third object is a bin; the last bin is a leak that no sample touched. */
static void fill_heap(struct held *held)
{
    enum { BINS = 5 };
    static const char *const site[] = {"particles_new (demo.c:71)", "load (demo.c:90)",
                                       "main (demo.c:120)"};
    struct snapshot *snapshot = &held->snapshot;
    struct snapshot_heap *out = &snapshot->heap;
    *out = (struct snapshot_heap){.summary = {.feed = HEAP_FEED_AGENT,
                                              .source = "agent",
                                              .live_blocks = 1200300,
                                              .usable_bytes = 310ull << 20,
                                              .requested_bytes = 290ull << 20,
                                              .lost = 7,
                                              .bins = BINS,
                                              .mark_age_s = 12},
                                  .bin_count = BINS,
                                  .bins_left_out = 3};
    out->bins = arena_array(&held->arena, BINS, sizeof *out->bins);
    for (size_t i = 0; i < snapshot->object_count; i++)
        snapshot->objects[i].bin = UINT32_MAX;
    for (uint32_t i = 0; i < BINS; i++) {
        struct snapshot_bin *bin = &out->bins[i];
        uint32_t object = i * 3 < snapshot->object_count && i < BINS - 1 ? i * 3 : UINT32_MAX;
        *bin =
            (struct snapshot_bin){.heap = {.id = i + 1,
                                           .name = i ? "load" : "particles_new",
                                           .path = i == 3 ? NULL : "main < load < particles_new",
                                           .site = i == 3 ? NULL : site,
                                           .site_count = i == 3 ? 0 : 3,
                                           .walked = i == 3,
                                           .live_blocks = 1000 >> i,
                                           .usable_bytes = 64000000u >> i,
                                           .requested_bytes = i == 3 ? 0 : 60000000u >> i,
                                           .allocations = 5000,
                                           .frees = 4000,
                                           .allocations_per_s = i == 3 ? NAN : 120.5,
                                           .frees_per_s = i == 3 ? NAN : 100,
                                           .lifetime_s = i == 3 ? NAN : 0.00025,
                                           .age_s = i == 3 ? NAN : 100,
                                           .growth_blocks = 20,
                                           .growth_bytes = 1 << 20,
                                           .sizes = {[2] = 700, [5] = 4300, [HEAP_SIZES - 1] = 1}},
                                  .object = object,
                                  .samples = object == UINT32_MAX ? 0 : 900,
                                  .share = object == UINT32_MAX ? 0 : 0.2 / (i + 1),
                                  .touched = object != UINT32_MAX,
                                  .suspect = i == BINS - 1};
        if (object != UINT32_MAX)
            snapshot->objects[object].bin = i;
    }
}

static void fill_head(struct snapshot *snapshot, unsigned tick)
{
    snapshot->iteration = tick + 1;
    snapshot->elapsed_s = 1.0 + tick;
    snapshot->interval_s = 1;
    snapshot->half_life_s = 10;
    snapshot->basis = BASIS_DECAYED;
    snapshot->target =
        (struct snapshot_target){4242, 4, "misstop-demo", "/usr/bin/misstop-demo", "running"};
    snapshot->source =
        (struct snapshot_source){.name = "counter",
                                 .weighs = "fills from memory",
                                 .live = true,
                                 .event_count = 2,
                                 .events = {{"mem-fill", EVENT_MEM_FILL, 10007, 41000, 4.1e8, NAN},
                                            {"stall", EVENT_STALL, 1000003, 20000, 2e10, NAN}}};
    snapshot->totals = (struct snapshot_totals){.samples = 45000,
                                                .weight = 4e8,
                                                .effective = 40000,
                                                .attributed = 42300,
                                                .lost = 12,
                                                .throttled = 0,
                                                .rate = 1998.4,
                                                .reasons = {[REASON_KERNEL] = 900,
                                                            [REASON_NO_MEMORY] = 1000,
                                                            [REASON_OVERWRITTEN] = 600,
                                                            [REASON_CALL_BOUNDARY] = 200},
                                                .how = {0, 40000, 1500, 500, 200, 100}};
    snapshot->objects_left_out = 31;
}

/* All but what is known of types. */
static void fill_common(struct held *held, unsigned tick)
{
    struct prng prng = {7 + tick};
    fill_head(&held->snapshot, tick);
    fill_objects(held, &prng, tick);
    qsort(held->snapshot.objects, held->snapshot.object_count, sizeof *held->snapshot.objects,
          most_samples);
    fill_code(held);
    fill_sets(held, &prng, 64);
    fill_search(held);
    fill_window(held);
    fill_heap(held);
    rates_fixture_stalls(&held->arena, &held->snapshot);
}

static void fill_usual(struct held *held, unsigned tick)
{
    fill_common(held, tick);
    typed_fixture_inferred(&held->arena, &held->snapshot);
}

static void fill_typed(struct held *held, unsigned tick)
{
    fill_common(held, tick);
    typed_fixture_types(&held->arena, &held->snapshot);
    finding_fixture(&held->arena, &held->snapshot);
}

static void fill_levels(struct held *held, unsigned tick)
{
    fill_typed(held, tick);
    levels_fixture_recorded(&held->arena, &held->snapshot);
}

static void fill_rates(struct held *held, unsigned tick)
{
    fill_typed(held, tick);
    rates_fixture_counted(&held->arena, &held->snapshot);
}

/* Names of the target's types and files. */
static void spoil_types(struct snapshot *snapshot, struct snapshot_object *object, size_t count)
{
    for (size_t l = 0; l < object->layout_count; l++) {
        struct snapshot_layout *layout = &object->layouts[l];
        layout->name = layout->reading = hostile[l % count];
        layout->phase = 63 + (uint32_t)l * 100000;
        layout->phase_share = layout->straddling = NAN;
        for (size_t i = 0; i < layout->row_count; i++) {
            struct snapshot_layout_row *row = &layout->rows[i];
            row->member.name = hostile[i % count];
            row->member.type = i % 3 ? hostile[(i + 1) % count] : NULL;
            row->member.depth = (uint16_t)(i * 7919);
            row->line = i % 2 ? UINT32_MAX : 0;
            row->share = i % 5 ? 0.2 : NAN;
            if (i == 3)
                row->member.offset = row->member.size = UINT64_MAX;
        }
        for (size_t i = 0; i < layout->line_count; i++)
            layout->lines[i].end = layout->lines[i].start = i % 2 ? UINT64_MAX : 3;
    }
    for (size_t i = 0; i < snapshot->code[0].instruction_count; i++) {
        struct snapshot_instruction *instruction = &snapshot->code[0].instructions[i];
        instruction->file = hostile[i % count];
        instruction->line = i % 2 ? UINT32_MAX - (uint32_t)i : 1;
        instruction->inlined = hostile[(i + 2) % count];
        instruction->field = hostile[(i + 1) % count];
        instruction->share = NAN;
    }
}

static void fill_hostile(struct held *held, unsigned tick)
{
    enum { COUNT = sizeof hostile / sizeof *hostile };
    struct snapshot *snapshot = &held->snapshot;
    fill_typed(held, tick);
    levels_fixture_hostile(&held->arena, snapshot);
    rates_fixture_hostile(&held->arena, snapshot);
    snapshot->reading.busy_with = hostile[0];
    snapshot->target.comm = hostile[1];
    snapshot->source.weighs = hostile[0];
    snapshot->status = hostile[0];
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        object->name = hostile[i % COUNT];
        object->module = hostile[(i + 1) % COUNT];
        object->type = i % 2 ? hostile[(i + 2) % COUNT] : NULL;
        spoil_types(snapshot, object, COUNT);
        if (i == 1)
            object->share = (struct snapshot_share){NAN, NAN, NAN};
        if (i == 2)
            object->samples = object->loads = object->stores = NAN;
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].name = hostile[k % COUNT];
        for (size_t k = 0; k < object->code_count; k++)
            object->code[k].function = hostile[k % COUNT];
    }
    for (size_t i = 0; i < snapshot->code_count; i++) {
        snapshot->code[i].function = hostile[i % COUNT];
        snapshot->code[i].top_object = UINT32_MAX;
        snapshot->code[i].top_object_share = NAN;
    }
    for (size_t i = 0; i < snapshot->search.region_count; i++)
        snapshot->search.regions[i].share = snapshot->search.regions[i].low = NAN;
    snapshot->search.what = hostile[0];
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        snapshot->heap.bins[i].heap.name = snapshot->heap.bins[i].heap.path = hostile[i % COUNT];
    snapshot->heap.summary.note = hostile[1];
    snapshot->search.explained = NAN;
    snapshot->sets.chi2 = snapshot->sets.p_value = NAN;
    snapshot->sets.verdict = SETS_TOO_FEW;
    snapshot->totals.rate = NAN;
}

static void fill_one(struct held *held)
{
    struct snapshot *snapshot = &held->snapshot;
    struct prng prng = {1};
    fill_head(snapshot, 0);
    snapshot->totals = (struct snapshot_totals){
        .samples = 1, .attributed = 1, .weight = 1, .effective = 1, .rate = NAN};
    snapshot->objects_left_out = 0;
    snapshot->object_count = 1;
    snapshot->objects = arena_array(&held->arena, 1, sizeof *snapshot->objects);
    snapshot->objects[0] = make_object(&held->arena, &prng, 0, "lonely", 1, 1);
    snapshot->objects[0].share = (struct snapshot_share){1, 0.21, 1};
    snapshot->sets = (struct snapshot_sets){.level = "L1d",
                                            .index = "virtual",
                                            .sets = 64,
                                            .ways = 8,
                                            .line = 64,
                                            .chi2 = NAN,
                                            .p_value = NAN};
    snapshot->sets.counts = arena_array(&held->arena, 64, sizeof *snapshot->sets.counts);
    snapshot->sets.counts[3] = 1;
    snapshot->search.ways = 10;
    snapshot->window = (struct snapshot_window){.entries = 65536,
                                                .used = 1,
                                                .addresses = 1,
                                                .singletons = 1,
                                                .span_s = NAN,
                                                .histogram = {1}};
}

static void fill_huge(struct held *held, unsigned tick)
{
    enum { COUNT = 3000 };
    struct snapshot *snapshot = &held->snapshot;
    struct prng prng = {3 + tick};
    fill_usual(held, tick);
    fill_sets(held, &prng, 2048);
    snapshot->totals.samples = UINT64_MAX / 2;
    snapshot->totals.attributed = UINT64_MAX / 2 - 1000;
    snapshot->elapsed_s = 8e6;
    snapshot->object_count = COUNT;
    snapshot->objects = arena_array(&held->arena, COUNT, sizeof *snapshot->objects);
    for (uint32_t i = 0; i < COUNT; i++) {
        snapshot->objects[i] =
            make_object(&held->arena, &prng, i, arena_printf(&held->arena, "object_%u", i),
                        i < 900 ? 0.0011 : 0.00001, 9e18);
        snapshot->objects[i].size = UINT64_MAX;
        snapshot->objects[i].address = UINT64_MAX - 10;
        snapshot->objects[i].blocks = UINT32_MAX;
    }
}

const struct snapshot *fixture_new(enum fixture_kind kind, unsigned tick)
{
    struct held *held = calloc(1, sizeof *held);
    if (!held)
        return NULL;
    arena_init(&held->arena);
    alive++;
    switch (kind) {
    case FIXTURE_USUAL:
        fill_usual(held, tick);
        break;
    case FIXTURE_TYPED:
        fill_typed(held, tick);
        break;
    case FIXTURE_LEVELS:
        fill_levels(held, tick);
        break;
    case FIXTURE_RATES:
        fill_rates(held, tick);
        break;
    case FIXTURE_ONE:
        fill_one(held);
        break;
    case FIXTURE_HOSTILE:
        fill_hostile(held, tick);
        break;
    case FIXTURE_HUGE:
        fill_huge(held, tick);
        break;
    default:
        held->snapshot.totals.rate = held->snapshot.elapsed_s = NAN;
        break;
    }
    if (held->snapshot.object_count > 1)
        sharing_fixture_fill(&held->arena, &held->snapshot);
    if (held->snapshot.object_count > 1)
        matrix_fixture_fill(&held->arena, &held->snapshot);
    return &held->snapshot;
}

void fixture_release(const struct snapshot *snapshot)
{
    struct held *held = (struct held *)(uintptr_t)snapshot;
    arena_fini(&held->arena);
    free(held);
    alive--;
}

unsigned fixture_alive(void)
{
    return alive;
}
