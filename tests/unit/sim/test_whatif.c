/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a program that accesses elements and other memory with a question, and again with
 * the program really changed that way; the misses must be equal. Asked at the start, with both
 * caches cold, and in the middle. Prints both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/model/whatif.h"
#include "unit.h"
#include "unit/sim/model_host.h"

enum { LINE = 64, ELEMENT = 56, ELEMENTS = 20000, OTHERS = 200000, ACCESSES = 600000 };
enum { HOT_AT = 16, HOT_END = 24 };

static const struct model_spec spec = {
    .level = {{.size_bytes = 32 << 10, .ways = 8, .line_bytes = LINE},
              {.size_bytes = 512 << 10, .ways = 16, .line_bytes = LINE, .shared = true}},
    .level_count = 2,
    .threads = 2};

#define OBJECT UINT64_C(0x500010)
#define OTHER  UINT64_C(0x10000000)

/* One step of the program: mostly accesses the hot field, sometimes a whole element, and other
 * memory in between. The same sequence each time. */
struct step {
    uint32_t element; /* ELEMENTS: other memory */
    uint32_t offset;
    uint32_t bytes;
    uint32_t thread;
    uint64_t other;
};

static struct step steps[ACCESSES];

static void draw_steps(void)
{
    struct prng prng = {7};
    for (int i = 0; i < ACCESSES; i++) {
        uint64_t what = prng_below(&prng, 100);
        steps[i] = (struct step){.element = (uint32_t)prng_below(&prng, ELEMENTS),
                                 .offset = HOT_AT,
                                 .bytes = 8,
                                 .thread = (uint32_t)prng_below(&prng, 2)};
        if (what < 15)
            steps[i].offset = 8 * (uint32_t)prng_below(&prng, ELEMENT / 8);
        else if (what < 35)
            steps[i].element = ELEMENTS;
        steps[i].other = OTHER + 8 * prng_below(&prng, OTHERS / 8);
    }
}

typedef uint64_t (*placing)(const struct step *step);

static uint64_t address_unchanged(const struct step *step)
{
    return OBJECT + (uint64_t)step->element * ELEMENT + step->offset;
}

/* struct hot { uint64_t hot; } *, struct cold { the other members; } *, from malloc. */
static uint64_t split(const struct step *step)
{
    const uint64_t hot = 0x40010, cold = 0x800010;
    if (step->offset >= HOT_AT && step->offset < HOT_END)
        return hot + (uint64_t)step->element * 8 + (step->offset - HOT_AT);
    uint32_t at = step->offset < HOT_AT ? step->offset : step->offset - 8;
    return cold + (uint64_t)step->element * (ELEMENT - 8) + at;
}

static const struct relayout asked_split = {
    .element_bytes = ELEMENT,
    .part_count = 3,
    .array_count = 2,
    .part = {{0, HOT_AT, 1, 0}, {HOT_AT, HOT_END, 0, 0}, {HOT_END, ELEMENT, 1, HOT_AT}},
    .array = {{8, 1}, {ELEMENT - 8, 1}}};

static uint64_t padded(const struct step *step)
{
    return 0x900010 + (uint64_t)step->element * 128 + step->offset;
}

static const struct relayout asked_padded = {.element_bytes = ELEMENT,
                                             .phase_bytes = 0x10,
                                             .part_count = 1,
                                             .array_count = 1,
                                             .part = {{0, ELEMENT, 0, 0}},
                                             .array = {{128, 1}}};

static uint64_t aligned(const struct step *step)
{
    return 0x900000 + (uint64_t)step->element * 64 + step->offset;
}

static const struct relayout asked_aligned = {.element_bytes = ELEMENT,
                                              .part_count = 1,
                                              .array_count = 1,
                                              .part = {{0, ELEMENT, 0, 0}},
                                              .array = {{64, 64}}};

/* Runs steps [from, to) with `whatif`; NULL: without. Returns the misses by level. */
static void run(struct model *model, struct whatif *whatif, placing place, int from, int to,
                uint64_t misses[2])
{
    for (int i = from; i < to; i++) {
        const struct step *step = &steps[i];
        uint64_t address = step->element < ELEMENTS ? place(step) : step->other;
        uint32_t served =
            model_access(model_thread(model, step->thread), address, step->bytes, MODEL_LOAD, 0);
        for (uint32_t level = 0; level < served; level++)
            misses[level]++;
        if (whatif) {
            assert_int_equal(whatif_runs(whatif, step->thread), 0);
            whatif_access(whatif, address, step->bytes, MODEL_LOAD, 0, served);
        }
    }
}

/* Returns the misses of the changed program from step `from` on. */
static void run_changed_program(placing place, int from, uint64_t misses[2])
{
    struct model_rooms rooms = {.count = 0};
    struct model_host host = model_host_of(&rooms);
    struct model *model = model_new(&spec, &host);
    uint64_t before[2] = {0};
    run(model, NULL, place, 0, from, before);
    run(model, NULL, place, from, ACCESSES, misses);
    model_rooms_free(&rooms);
}

static struct whatif_counts run_question(const struct relayout *relayout, int from)
{
    struct model_rooms rooms = {.count = 0};
    struct model_host host = model_host_of(&rooms);
    struct model *model = model_new(&spec, &host);
    struct whatif whatif;
    uint64_t misses[2] = {0}, since[2] = {0};
    assert_int_equal(whatif_init(&whatif, relayout, &spec, &host), 0);
    assert_true(moved_add(&whatif.moved, OBJECT, (uint64_t)ELEMENT * ELEMENTS));
    run(model, NULL, address_unchanged, 0, from, misses);
    assert_int_equal(whatif_begin(&whatif, model), 0);
    run(model, &whatif, address_unchanged, from, ACCESSES, since);
    if (!relayout->part_count)
        assert_memory_equal(whatif.counts.before.all, since, sizeof since);
    model_rooms_free(&rooms);
    return whatif.counts;
}

static void expect_prediction(const char *what, const struct relayout *relayout, placing place)
{
    for (int from = 0; from < ACCESSES; from += ACCESSES / 2) {
        uint64_t true_misses[2] = {0};
        struct whatif_counts counts = run_question(relayout, from);
        run_changed_program(place, ACCESSES - (int)counts.accesses, true_misses);
        for (int level = 0; level < 2; level++) {
            double most = (double)counts.after.all[level];
            double least = most - (double)counts.cold_misses[level];
            double truly = (double)true_misses[level];
            printf(
                "%s, asked at %d: L%d misses %llu -> %.0f, %.0f without first touches; true %.0f "
                "(%+.2f, %+.2f %%)\n",
                what, from, level + 1, (unsigned long long)counts.before.all[level], most, least,
                truly, 100 * (most / truly - 1), 100 * (least / truly - 1));
            assert_true(most > 0.99 * truly && most < 1.01 * truly && least < most);
        }
    }
}

static void predicted_misses_match_the_changed_program(void **state)
{
    (void)state;
    expect_prediction("split", &asked_split, split);
    expect_prediction("padded to 128", &asked_padded, padded);
    expect_prediction("aligned to 64", &asked_aligned, aligned);
}

/* Asked in the middle: the second model starts with the contents of the first. */
static void unmoved_object_changes_no_misses(void **state)
{
    (void)state;
    struct relayout as_is = {.element_bytes = 4096,
                             .phase_bytes = OBJECT % 4096,
                             .part_count = 1,
                             .array_count = 1,
                             .part = {{0, 4096, 0, 0}},
                             .array = {{4096, 1}}};
    /* Too close to the end to settle. */
    struct whatif_counts counts = run_question(&as_is, ACCESSES - 10000);
    printf("moved as a whole: L1 misses %llu -> %llu, L2 misses %llu -> %llu\n",
           (unsigned long long)counts.before.all[0], (unsigned long long)counts.after.all[0],
           (unsigned long long)counts.before.all[1], (unsigned long long)counts.after.all[1]);
    /* A way of L1 is one page, so the move does not change its sets. */
    assert_true(llabs((long long)(counts.after.all[0] - counts.before.all[0])) <= 8);
    assert_true((double)counts.after.all[1] < 1.005 * (double)counts.before.all[1]);
    assert_true((double)counts.after.all[1] > 0.995 * (double)counts.before.all[1]);
}

static void question_without_move_counts_accesses(void **state)
{
    (void)state;
    struct relayout never = {.part_count = 0};
    struct whatif_counts counts = run_question(&never, ACCESSES / 2);
    assert_int_equal(counts.after.all[0], 0);
    assert_true(counts.object_accesses > ACCESSES / 4);
    assert_true(counts.before.object[0] && counts.before.object[0] < counts.before.all[0]);
}

/* Blocks of one element, freed and allocated: each takes the place of a freed one. */
static void moved_blocks_can_be_freed_and_reallocated(void **state)
{
    (void)state;
    enum { BLOCKS = 3000, ROUNDS = 40000 };
    static uint64_t starts[BLOCKS], seen[BLOCKS];
    struct model_rooms rooms = {.count = 0};
    struct model_host host = model_host_of(&rooms);
    struct memory memory = {.host = host};
    struct moved moved;
    struct prng prng = {3};
    uint64_t fresh = 0x700000;
    assert_int_equal(moved_init(&moved, &asked_split, &memory), 0);
    for (int i = 0; i < BLOCKS; i++)
        assert_true(moved_add(&moved, starts[i] = fresh += 80, ELEMENT));
    for (int round = 0; round < ROUNDS; round++) {
        int i = (int)prng_below(&prng, BLOCKS);
        assert_true(moved_remove(&moved, starts[i]));
        assert_null(moved_find(&moved, starts[i] + 8));
        assert_true(moved_add(&moved, starts[i] = fresh += 80, ELEMENT));
    }
    assert_int_equal(moved.live, BLOCKS);
    assert_int_equal(moved.used, BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        uint32_t bytes = 8;
        const struct moved_block *block = moved_find(&moved, starts[i] + HOT_AT);
        assert_non_null(block);
        uint64_t to = moved_map(&moved, block, starts[i] + HOT_AT, &bytes);
        assert_int_equal(to % 8, 0);
        uint64_t slot = (to - UINT64_C(0x600000000000)) / 8;
        assert_true(slot < BLOCKS && !seen[slot]++);
        bytes = 16;
        moved_map(&moved, block, starts[i] + HOT_AT, &bytes);
        assert_int_equal(bytes, 8);
        assert_null(moved_find(&moved, starts[i] + ELEMENT));
        assert_null(moved_find(&moved, starts[i] - 1));
    }
    model_rooms_free(&rooms);
}

/* Blocks of any size at any address, compared with a list. */
static void moved_blocks_of_any_size_are_found(void **state)
{
    (void)state;
    enum { BLOCKS = 64, ROUNDS = 3000 };
    struct {
        uint64_t start, bytes;
    } list[BLOCKS] = {{0}};
    struct model_rooms rooms = {.count = 0};
    struct memory memory = {.host = model_host_of(&rooms)};
    struct moved moved;
    struct prng prng = {11};
    assert_int_equal(moved_init(&moved, &asked_padded, &memory), 0);
    for (int round = 0; round < ROUNDS; round++) {
        int i = (int)prng_below(&prng, BLOCKS);
        if (list[i].bytes)
            assert_true(moved_remove(&moved, list[i].start));
        /* One megabyte for each, so that they do not overlap. */
        list[i].start = ((uint64_t)i << 20) + 0x1000000 + 8 * prng_below(&prng, 1 << 14);
        list[i].bytes = 1 + prng_below(&prng, 1u << prng_below(&prng, 20));
        assert_true(moved_add(&moved, list[i].start, list[i].bytes));
        int j = (int)prng_below(&prng, BLOCKS);
        if (!list[j].bytes)
            continue;
        const uint64_t inside = list[j].start + prng_below(&prng, (uint32_t)list[j].bytes);
        const struct moved_block *found = moved_find(&moved, inside);
        assert_true(found && found->start == list[j].start && found->bytes == list[j].bytes);
        found = moved_find(&moved, list[j].start + list[j].bytes);
        assert_null(found);
        assert_null(moved_find(&moved, list[j].start - 1));
    }
    model_rooms_free(&rooms);
}

static void impossible_layouts_are_refused(void **state)
{
    (void)state;
    struct relayout wrong = asked_split;
    assert_null(relayout_refuse(&asked_split));
    assert_null(relayout_refuse(&asked_padded));
    wrong.part[2].end_bytes = ELEMENT + 1;
    assert_string_equal(relayout_refuse(&wrong), "a part is empty, or extends past its element");
    wrong = asked_split;
    wrong.part[1].from_bytes = 8;
    assert_string_equal(relayout_refuse(&wrong), "parts overlap, or are out of order");
    wrong = asked_split;
    wrong.part[1].array = 2;
    assert_string_equal(relayout_refuse(&wrong), "a part has no array");
    wrong = asked_split;
    wrong.array[0].stride_bytes = 7;
    assert_string_equal(relayout_refuse(&wrong), "a part does not fit into its stride");
    wrong.array[0].align_bytes = 48;
    assert_string_equal(relayout_refuse(&wrong), "arrays are aligned to powers of two");
    wrong = asked_split;
    wrong.element_bytes = 0;
    assert_string_equal(relayout_refuse(&wrong), "elements have no size, or are too large");
    wrong.part_count = RELAYOUT_PARTS_MAX + 1;
    assert_string_equal(relayout_refuse(&wrong), "more than 32 parts");
}

/* A failed allocation is reported, and nothing else happens. */
static void whatif_allocation_failure_is_reported(void **state)
{
    (void)state;
    for (unsigned from = 1; from < 40; from++) {
        struct model_rooms rooms = {.refuse_from = from};
        struct model_host host = model_host_of(&rooms);
        struct whatif whatif;
        int code = whatif_init(&whatif, &asked_split, &spec, &host);
        assert_true(code ? rooms.failed != NULL : !rooms.failed);
        if (!code && !moved_add(&whatif.moved, OBJECT, (uint64_t)ELEMENT * ELEMENTS)) {
            assert_int_equal(whatif.moved.live, 0);
            assert_int_equal(whatif.moved.refused, 1);
            assert_null(moved_find(&whatif.moved, OBJECT));
        }
        model_rooms_free(&rooms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicted_misses_match_the_changed_program),
        cmocka_unit_test(unmoved_object_changes_no_misses),
        cmocka_unit_test(question_without_move_counts_accesses),
        cmocka_unit_test(moved_blocks_can_be_freed_and_reallocated),
        cmocka_unit_test(moved_blocks_of_any_size_are_found),
        cmocka_unit_test(impossible_layouts_are_refused),
        cmocka_unit_test(whatif_allocation_failure_is_reported),
    };
    draw_steps();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
