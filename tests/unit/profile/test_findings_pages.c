/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules about the stack, pages and columns: their conditions, and no finding if one condition
 * fails. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "unit/profile/rules_fixture.h"

/* ---- the stack ---- */

static void written_stack_scalar_is_a_stack_finding(void **state)
{
    (void)state;
    objects[0].kind = OBJECT_STACK;
    objects[0].type = "double";
    objects[0].size = 8;
    objects[0].stores = 200;
    assert_int_equal(REPORTED(RULE_STACK), 1);
    assert_true(fabs(list[0].gain - 0.4) < 1e-9);
    objects[0].stores = 0; /* read only: a parameter */
    assert_int_equal(REPORTED(RULE_STACK), 0);
    objects[0].stores = 1; /* the timers of some CPUs hardly sample stores */
    assert_int_equal(REPORTED(RULE_STACK), 1);
    objects[0].stores = 200;
    objects[0].size = 1024;
    assert_int_equal(REPORTED(RULE_STACK), 0);
    objects[0].size = 8;
    for (int i = 0; i < 1000; i++)
        add_sample(7, BASE + chance() % 27 * 80);
    gather_samples();
    assert_int_equal(REPORTED(RULE_STACK), 0); /* a recursive function */
    window_clear(&window);
    gather_samples();
    for (int i = 0; i < 1000; i++) {
        struct window_entry entry = {
            .address = BASE, .object = 7, .tid = 1, .size = 8, .is_spill_slot = true};
        window_add(&window, &entry);
    }
    gather_samples();
    assert_int_equal(REPORTED(RULE_STACK), 0); /* the variable is live across calls */
    window_clear(&window);
    gather_samples();
    assert_int_equal(REPORTED(RULE_STACK), 1);
    objects[0].type = NULL; /* the whole stack */
    assert_int_equal(REPORTED(RULE_STACK), 0);
}

/* ---- pages ---- */

static void object_larger_than_tlb_reach_is_a_finding(void **state)
{
    (void)state;
    scatter(UINT64_C(16) * TLB * PAGE);
    assert_int_equal(REPORTED(RULE_TLB_REACH), 1);
    assert_true(list[0].gain > 0.1 && list[0].gain <= 0.4 * (1 - 1.0 / 16) / 2 + 1e-9);
    assert_true(list[0].gain_low > 0 && list[0].gain_low < list[0].gain);
    assert_non_null(strstr(words()->evidence, "holds about 1536 (6.0 MiB)"));
    memory.tlb_entries = 0; /* not known: assumes the largest */
    assert_int_equal(REPORTED(RULE_TLB_REACH), 1);
    assert_non_null(strstr(words()->evidence, "an assumption"));
    memory.tlb_entries = 10 * TLB;
    assert_int_equal(REPORTED(RULE_TLB_REACH), 0);
}

/* How to get huge pages depends on the allocator of the memory. */
static void huge_page_advice_depends_on_the_allocator(void **state)
{
    static const struct {
        const char *source;
        const char *note;
        const char *module;
        enum object_kind kind;
        const char *words;
    } cases[] = {
        {"glibc malloc in libc.so.6", NULL, "server", OBJECT_HEAP, "GLIBC_TUNABLES"},
        {NULL, "no glibc heap: libjemalloc.so.2 is loaded and glibc is never used", "server",
         OBJECT_HEAP, "MALLOC_CONF=thp"},
        {NULL, NULL, "libjvm.so", OBJECT_ANON, "UseTransparentHugePages"},
        {"glibc malloc in libc.so.6", NULL, "python3.11", OBJECT_HEAP, "PYTHONMALLOC"},
        {"glibc malloc in libc.so.6", NULL, "liblmdb.so.0", OBJECT_MAP, "its file has to be on"},
        {"glibc malloc in libc.so.6", NULL, "php8.2", OBJECT_HEAP, "USE_ZEND_ALLOC_HUGE_PAGES"},
        {"glibc malloc in libc.so.6", NULL, "server", OBJECT_ANON, "pages: madvise"},
        {"agent", NULL, "server", OBJECT_HEAP, "settings of its allocator"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        window_clear(&window);
        scatter(UINT64_C(16) * TLB * PAGE);
        snapshot.heap.summary =
            (struct heap_summary){.source = cases[i].source, .note = cases[i].note};
        code[0].module = cases[i].module;
        snapshot.code_count = 1;
        objects[0].kind = cases[i].kind;
        assert_int_equal(REPORTED(RULE_TLB_REACH), 1);
        assert_non_null(strstr(words()->advice, cases[i].words));
    }
    /* A runtime's own heap is not malloc's. */
    snapshot.heap.summary = (struct heap_summary){.source = "glibc malloc in libc.so.6"};
    objects[0].kind = OBJECT_HEAP;
    objects[0].name = "[V8 heap]";
    window_clear(&window);
    scatter(UINT64_C(16) * TLB * PAGE);
    assert_int_equal(REPORTED(RULE_TLB_REACH), 1);
    assert_non_null(strstr(words()->advice, "settings of its allocator"));
}

static void huge_pages_suppress_tlb_reach_finding(void **state)
{
    (void)state;
    scatter(UINT64_C(16) * TLB * PAGE);
    memory.huge_share = 0.9;
    assert_int_equal(REPORTED(RULE_TLB_REACH), 0);
    memory.huge_share = NAN;
    assert_int_equal(REPORTED(RULE_TLB_REACH), 0);
    names.memory = NULL;
    assert_int_equal(REPORTED(RULE_TLB_REACH), 0);
}

static void page_faults_while_storing_are_first_touch(void **state)
{
    (void)state;
    scatter(UINT64_C(32) << 20);
    objects[0].stores = objects[0].samples;
    memory.faults_per_s = 1e5;
    memory.kernel_share = 0.5;
    assert_int_equal(REPORTED(RULE_FIRST_TOUCH_FAULTS), 1);
    memory.faults_per_s = 5e3;
    assert_int_equal(REPORTED(RULE_FIRST_TOUCH_FAULTS), 0);
    memory.faults_per_s = NAN;
    assert_int_equal(REPORTED(RULE_FIRST_TOUCH_FAULTS), 0);
    memory.faults_per_s = 1e5;
    objects[0].stores = objects[0].samples / 2;
    assert_int_equal(REPORTED(RULE_FIRST_TOUCH_FAULTS), 0);
}

/* ---- cleared blocks ---- */

enum { CLEARED = 24 << 20 };

/* Three samples per pass, at the starts of pages. */
static void clear_in_passes(uint64_t bytes)
{
    window_clear(&window);
    for (uint64_t i = 0; i < 4000; i++)
        add_sample(7, BASE + (i % 3 * bytes / 3 + chance() % (bytes / 3)) / PAGE * PAGE);
    gather_samples();
}

static void repeated_memset_of_a_block_is_clearing(void **state)
{
    (void)state;
    snapshot.source = (struct snapshot_source){.event_count = 1};
    snapshot.source.events[0].role = EVENT_TIME;
    snapshot.code_count = 1;
    code[0].function = "__memset_avx2_unaligned_erms";
    code[0].all_share = 0.6;
    clear_in_passes(CLEARED);
    assert_int_equal(REPORTED(RULE_CLEARING), 1);
    assert_int_equal(list[0].kind, FINDING_CLEARING);
    assert_true(list[0].is_upper_bound && list[0].gain == 0.6);
    assert_non_null(strstr(words()->evidence, "60% of the samples are in __memset"));
    clear_in_passes(CLEARED / 16);
    assert_int_equal(REPORTED(RULE_CLEARING), 0);
    /* In random order only the bytes of sampled lines count. */
    window_clear(&window);
    for (int i = 0; i < 4000; i++)
        add_sample(7, BASE + chance() % CLEARED / (CLEARED / 100) * (CLEARED / 100));
    gather_samples();
    assert_int_equal(REPORTED(RULE_CLEARING), 0);
}

/* ---- columns ---- */

/* One sample per 7 columns, at a random row. */
static void walk_columns(uint64_t row_bytes)
{
    window_clear(&window);
    for (uint64_t i = 0; i < 4000; i++)
        add_sample(7, BASE + chance() % 4096 * row_bytes + i * 7 * 8 % row_bytes);
    gather_samples();
}

static void power_of_two_row_stride_is_columns(void **state)
{
    (void)state;
    walk_columns(16384);
    assert_int_equal(REPORTED(RULE_COLUMNS), 1);
    assert_true(fabs(list[0].gain - 0.4 * 7 / 8) < 1e-9);
    assert_non_null(strstr(words()->evidence, "rows of 16384 bytes"));
    assert_non_null(strstr(words()->evidence, "map to 1 of the 64 sets"));
    assert_non_null(strstr(words()->advice, "16448 bytes"));
    walk_columns(2048);
    assert_int_equal(REPORTED(RULE_COLUMNS), 1);
    assert_non_null(strstr(words()->evidence, "map to 2 of the 64 sets"));
}

/* Rows of any length: a line is evicted before its next word is used, in any set. */
static void any_row_length_is_columns(void **state)
{
    static const uint64_t rows[] = {16384 + 64, 23984, 4000, 99996};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[32];
        walk_columns(rows[i]);
        assert_int_equal(REPORTED(RULE_COLUMNS), 1);
        snprintf(text, sizeof text, "rows of %llu bytes", (unsigned long long)rows[i]);
        assert_non_null(strstr(words()->evidence, text));
        assert_null(strstr(words()->evidence, "power of two"));
        assert_true(list[0].gain_low > 0 && list[0].gain_low < list[0].gain);
    }
}

/* Rows in separate blocks are a matrix; rows across several blocks are not rows. */
static void rows_crossing_heap_blocks_are_not_columns(void **state)
{
    static struct snapshot_instance block = {.base = BASE};
    (void)state;
    walk_columns(23984);
    objects[0].instances = &block;
    objects[0].instance_count = 1;
    objects[0].blocks = 4096;
    block.size = 23968;
    assert_int_equal(REPORTED(RULE_COLUMNS), 1);
    block.size = 4808;
    assert_int_equal(REPORTED(RULE_COLUMNS), 0);
    objects[0].blocks = 1;
    assert_int_equal(REPORTED(RULE_COLUMNS), 1);
}

/* A member of longer elements is sampled: fewer elements of a row share a line. */
static void columns_gain_depends_on_element_size(void **state)
{
    static struct snapshot_layout layout = {.size = 24};
    (void)state;
    objects[0].layouts = &layout;
    objects[0].layout_count = 1;
    walk_columns(23984);
    assert_int_equal(REPORTED(RULE_COLUMNS), 1);
    assert_true(fabs(list[0].gain - 0.4 * (1 - 24. / 64)) < 1e-9);
    layout.size = 48;
    assert_int_equal(REPORTED(RULE_COLUMNS), 0);
    layout.size = 256; /* not the element type: a row of something */
    assert_int_equal(REPORTED(RULE_COLUMNS), 1);
    assert_true(fabs(list[0].gain - 0.4 * 7 / 8) < 1e-9);
}

/* Accesses down the columns are ordered: no finding about the same object may contradict this. */
static void columns_finding_excludes_tlb_reach_finding(void **state)
{
    (void)state;
    findings.rate = 1e6;
    walk_columns(23984);
    findings_apply(&findings, RULE_COLUMNS);
    findings_apply(&findings, RULE_TLB_REACH);
    assert_int_equal(findings.count, 1);
    assert_int_equal(list[0].kind, FINDING_COLUMNS);
}

static void page_starts_and_random_accesses_are_not_columns(void **state)
{
    (void)state;
    for (int i = 0; i < 4000; i++) /* where a prefetcher restarts */
        add_sample(7, BASE + chance() % 4096 * PAGE + chance() % 2 * LINE);
    gather_samples();
    assert_int_equal(REPORTED(RULE_COLUMNS), 0);
    window_clear(&window);
    scatter(UINT64_C(64) << 20);
    assert_int_equal(REPORTED(RULE_COLUMNS), 0);
    window_clear(&window);
    for (uint64_t i = 0; i < 4000; i++) /* sequential */
        add_sample(7, BASE + i * 20000 % (UINT64_C(64) << 20));
    gather_samples();
    assert_int_equal(REPORTED(RULE_COLUMNS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RULE(written_stack_scalar_is_a_stack_finding),
        RULE(object_larger_than_tlb_reach_is_a_finding),
        RULE(huge_page_advice_depends_on_the_allocator),
        RULE(huge_pages_suppress_tlb_reach_finding),
        RULE(page_faults_while_storing_are_first_touch),
        RULE(repeated_memset_of_a_block_is_clearing),
        RULE(power_of_two_row_stride_is_columns),
        RULE(any_row_length_is_columns),
        RULE(rows_crossing_heap_blocks_are_not_columns),
        RULE(columns_gain_depends_on_element_size),
        RULE(columns_finding_excludes_tlb_reach_finding),
        RULE(page_starts_and_random_accesses_are_not_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
