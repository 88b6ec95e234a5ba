/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes perf_mem_data_src words as kernels build them. */
#include <linux/perf_event.h>

#include "access.h"
#include "unit.h"

#define S(field, value) PERF_MEM_S(field, value)
#define LOAD_HIT        (S(OP, LOAD) | S(LVL, HIT))
#define NUM(number)     ((uint64_t)(number) << PERF_MEM_LVLNUM_SHIFT)
#define REMOTE          S(REMOTE, REMOTE)

struct expected {
    uint64_t word;
    enum data_level level;
    enum data_snoop snoop;
    enum data_answer remote;
};

static void check_decoding(const struct expected *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct data_source got = data_source_decode(wanted[i].word);
        if (got.level != wanted[i].level || got.snoop != wanted[i].snoop ||
            got.remote != wanted[i].remote)
            fail_msg(
                "word %#llx (%zu): expected %s, snoop %s, remote %d, got %s, snoop %s, remote %d",
                (unsigned long long)wanted[i].word, i, data_level_name(wanted[i].level),
                data_snoop_name(wanted[i].snoop), wanted[i].remote, data_level_name(got.level),
                data_snoop_name(got.snoop), got.remote);
    }
}
#define CHECK(wanted) check_decoding(wanted, sizeof(wanted) / sizeof *(wanted))

/* arch/x86/events/intel/ds.c, pebs_data_source[]: Sandy Bridge and later, both fields set. */
static void intel_pebs_data_sources_are_decoded(void **state)
{
    static const struct expected wanted[] = {
        {S(OP, LOAD) | S(LVL, MISS) | S(LVL, L3) | S(SNOOP, NA), DATA_BEYOND_L3, SNOOP_UNKNOWN,
         ANSWER_UNKNOWN},
        {S(OP, LOAD) | S(LVL, MISS) | NUM(3) | S(SNOOP, NA), DATA_BEYOND_L3, SNOOP_UNKNOWN,
         ANSWER_UNKNOWN},
        {LOAD_HIT | S(LVL, L1) | NUM(1) | S(SNOOP, NONE), DATA_L1, SNOOP_NONE, ANSWER_NO},
        {LOAD_HIT | S(LVL, LFB) | NUM(0xc) | S(SNOOP, NONE), DATA_LFB, SNOOP_NONE, ANSWER_NO},
        {LOAD_HIT | S(LVL, L2) | NUM(2) | S(SNOOP, NONE), DATA_L2, SNOOP_NONE, ANSWER_NO},
        {LOAD_HIT | S(LVL, L3) | NUM(3) | S(SNOOP, MISS), DATA_L3, SNOOP_MISS, ANSWER_NO},
        {LOAD_HIT | S(LVL, L3) | NUM(3) | S(SNOOP, HIT), DATA_L3, SNOOP_HIT, ANSWER_NO},
        {LOAD_HIT | S(LVL, L3) | NUM(3) | S(SNOOP, HITM), DATA_L3, SNOOP_HITM, ANSWER_NO},
        {LOAD_HIT | S(LVL, REM_CCE1) | REMOTE | NUM(3) | S(SNOOP, HIT), DATA_REMOTE_CACHE,
         SNOOP_HIT, ANSWER_YES},
        {LOAD_HIT | S(LVL, REM_CCE1) | REMOTE | NUM(3) | S(SNOOP, HITM), DATA_REMOTE_CACHE,
         SNOOP_HITM, ANSWER_YES},
        {LOAD_HIT | S(LVL, LOC_RAM) | NUM(0xd) | S(SNOOP, HIT), DATA_DRAM, SNOOP_HIT, ANSWER_NO},
        /* Here the number means L3, but the bits are right. */
        {LOAD_HIT | S(LVL, REM_RAM1) | REMOTE | NUM(3) | S(SNOOP, HIT), DATA_REMOTE_DRAM, SNOOP_HIT,
         ANSWER_YES},
        {LOAD_HIT | S(LVL, LOC_RAM) | NUM(0xd) | S(SNOOP, NONE) | S(SNOOP, MISS), DATA_DRAM,
         SNOOP_MISS, ANSWER_NO},
        {LOAD_HIT | S(LVL, REM_RAM1) | NUM(0xd) | REMOTE | S(SNOOP, NONE) | S(SNOOP, MISS),
         DATA_REMOTE_DRAM, SNOOP_MISS, ANSWER_YES},
        {LOAD_HIT | S(LVL, IO) | NUM(0xf) | S(SNOOP, NONE), DATA_IO, SNOOP_NONE, ANSWER_UNKNOWN},
        {LOAD_HIT | S(LVL, UNC) | NUM(0xf) | S(SNOOP, NONE), DATA_UNCACHED, SNOOP_NONE,
         ANSWER_UNKNOWN},
    };
    (void)state;
    CHECK(wanted);
}

/* The same file, intel_pmu_pebs_data_source_skl(): only the bit HIT, and numbers of later CPUs. */
static void level_numbers_are_decoded_without_level_bits(void **state)
{
    static const struct expected wanted[] = {
        {LOAD_HIT | NUM(0xe) | S(SNOOP, HIT), DATA_PMEM, SNOOP_HIT, ANSWER_NO},
        {LOAD_HIT | NUM(0xe) | REMOTE | S(SNOOP, HIT), DATA_PMEM, SNOOP_HIT, ANSWER_YES},
        {LOAD_HIT | NUM(4) | S(SNOOP, HIT), DATA_L4, SNOOP_HIT, ANSWER_NO},
        {LOAD_HIT | NUM(0xd) | REMOTE | S(SNOOP, NONE), DATA_REMOTE_DRAM, SNOOP_NONE, ANSWER_YES},
        {LOAD_HIT | NUM(0xb) | REMOTE | S(SNOOPX, FWD), DATA_REMOTE_CACHE, SNOOP_FORWARD,
         ANSWER_YES},
        {LOAD_HIT | NUM(0xb) | REMOTE | S(SNOOP, HITM), DATA_REMOTE_CACHE, SNOOP_HITM, ANSWER_YES},
        {LOAD_HIT | NUM(0xb), DATA_CACHE, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | NUM(9), DATA_CXL, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | NUM(5), DATA_L2_MHB, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | NUM(6), DATA_MSC, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | NUM(7), DATA_L0, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | NUM(8), DATA_UNCACHED, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
        {LOAD_HIT | NUM(0xa), DATA_IO, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
        {LOAD_HIT | NUM(0xc), DATA_LFB, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | NUM(0xf), DATA_UNKNOWN, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
    };
    (void)state;
    CHECK(wanted);
}

/* arch/x86/events/amd/ibs.c, perf_ibs_get_mem_lvl(): caches of this node and, by hops, of other
 * nodes. */
static void amd_ibs_cache_levels_are_decoded(void **state)
{
    static const struct expected wanted[] = {
        {LOAD_HIT | S(LVL, REM_CCE1) | NUM(0xb) | REMOTE | S(HOPS, 0), DATA_PEER_CACHE,
         SNOOP_UNKNOWN, ANSWER_YES},
        {LOAD_HIT | S(LVL, REM_CCE2) | NUM(0xb) | REMOTE | S(HOPS, 1), DATA_REMOTE_CACHE,
         SNOOP_UNKNOWN, ANSWER_YES},
        {LOAD_HIT | S(LVL, REM_RAM1) | NUM(0xd) | REMOTE | S(HOPS, 1), DATA_REMOTE_DRAM,
         SNOOP_UNKNOWN, ANSWER_YES},
        {S(OP, LOAD) | S(LVL, NA) | S(SNOOP, NA) | S(TLB, NA) | S(LOCK, NA), DATA_UNKNOWN,
         SNOOP_UNKNOWN, ANSWER_UNKNOWN},
        {LOAD_HIT | NUM(3) | S(SNOOPX, PEER) | S(HOPS, 0) | REMOTE, DATA_PEER_CACHE, SNOOP_PEER,
         ANSWER_YES},
    };
    (void)state;
    CHECK(wanted);
    assert_int_equal(data_source_decode(wanted[0].word).hops, 1);
    assert_int_equal(data_source_decode(wanted[1].word).hops, 2);
}

/* Kernels before 4.14 had only the bits. */
static void level_bits_are_decoded_without_level_numbers(void **state)
{
    static const struct expected wanted[] = {
        {LOAD_HIT | S(LVL, L1), DATA_L1, SNOOP_UNKNOWN, ANSWER_NO},
        {LOAD_HIT | S(LVL, REM_CCE2), DATA_REMOTE_CACHE, SNOOP_UNKNOWN, ANSWER_YES},
        {LOAD_HIT | S(LVL, REM_RAM2), DATA_REMOTE_DRAM, SNOOP_UNKNOWN, ANSWER_YES},
        {S(OP, STORE) | S(LVL, L1) | S(LVL, MISS), DATA_BEYOND_L1, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
        {S(OP, STORE) | S(LVL, L2) | S(LVL, MISS), DATA_BEYOND_L2, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
        {S(OP, STORE) | S(LVL, MISS), DATA_UNKNOWN, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
        /* Two levels at once are ambiguous. */
        {LOAD_HIT | S(LVL, L1) | S(LVL, L3), DATA_UNKNOWN, SNOOP_UNKNOWN, ANSWER_UNKNOWN},
    };
    (void)state;
    CHECK(wanted);
}

static void absent_data_source_is_unknown(void **state)
{
    static const struct data_source nothing = {0};
    (void)state;
    struct data_source got = data_source_decode(0);
    assert_memory_equal(&got, &nothing, sizeof got);
    /* PERF_MEM_NA: recorded, with every field "not available". */
    got = data_source_decode(S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA) |
                             S(BLK, NA));
    assert_memory_equal(&got, &nothing, sizeof got);
}

static void tlb_levels_are_decoded(void **state)
{
    static const struct {
        uint64_t word;
        enum data_tlb tlb;
    } wanted[] = {
        {S(TLB, HIT) | S(TLB, L1) | S(TLB, L2), TLB_HIT}, /* Intel: one of the two */
        {S(TLB, MISS) | S(TLB, L2), TLB_MISS},
        {S(TLB, HIT) | S(TLB, L1), TLB_L1}, /* AMD */
        {S(TLB, HIT) | S(TLB, L2), TLB_L2},
        {S(TLB, HIT) | S(TLB, WK), TLB_MISS}, /* found by the page walker */
        {S(TLB, MISS) | S(TLB, OS), TLB_FAULT},
        {S(TLB, NA), TLB_UNKNOWN},
        {0, TLB_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(data_source_decode(wanted[i].word | S(OP, LOAD)).tlb, wanted[i].tlb);
}

static void lock_and_block_bits_are_decoded(void **state)
{
    (void)state;
    assert_int_equal(data_source_decode(LOAD_HIT | S(LOCK, LOCKED)).locked, ANSWER_YES);
    assert_int_equal(data_source_decode(LOAD_HIT | S(LOCK, NA)).locked, ANSWER_UNKNOWN);
    assert_int_equal(data_source_decode(LOAD_HIT).locked, ANSWER_NO);
    struct data_source got = data_source_decode(LOAD_HIT | S(BLK, DATA));
    assert_int_equal(got.blocked_data, ANSWER_YES);
    assert_int_equal(got.blocked_address, ANSWER_NO);
    got = data_source_decode(LOAD_HIT | S(BLK, NA));
    assert_int_equal(got.blocked_data, ANSWER_UNKNOWN);
    assert_int_equal(data_source_decode(LOAD_HIT).blocked_address, ANSWER_UNKNOWN);
}

static void access_kinds_are_decoded(void **state)
{
    (void)state;
    assert_int_equal(data_source_decode(S(OP, LOAD)).kind, ACCESS_LOAD);
    assert_int_equal(data_source_decode(S(OP, STORE)).kind, ACCESS_STORE);
    assert_int_equal(data_source_decode(S(OP, STORE) | S(OP, LOAD)).kind, ACCESS_LOAD_STORE);
    assert_int_equal(data_source_decode(S(OP, PFETCH)).kind, ACCESS_PREFETCH);
    assert_int_equal(data_source_decode(S(OP, NA)).kind, ACCESS_UNKNOWN_KIND);
}

/* Every word decodes to values with names, and all names differ. */
static void every_data_source_decodes_to_names(void **state)
{
    (void)state;
    uint64_t word = 1;
    for (int i = 0; i < 200000; i++) {
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        struct data_source got = data_source_decode(word);
        assert_true(got.level < DATA_LEVEL_COUNT);
        assert_non_null(data_level_name(got.level));
        assert_non_null(data_snoop_name(got.snoop));
        assert_non_null(data_tlb_name(got.tlb));
    }
    for (int a = 0; a < DATA_LEVEL_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(data_level_name(a), data_level_name(b));
    assert_string_equal(data_level_name(DATA_LEVEL_COUNT), "unknown");
    assert_string_equal(data_snoop_name(99), "unknown");
    assert_true(!data_level_is_far(DATA_LFB) && data_level_is_far(DATA_L3) &&
                data_level_is_far(DATA_REMOTE_CACHE) && data_level_is_far(DATA_BEYOND_L2));
    /* Not known whether inside or outside of the core. */
    assert_true(!data_level_is_far(DATA_UNKNOWN) && !data_level_is_far(DATA_CACHE) &&
                !data_level_is_far(DATA_BEYOND_L1) && !data_level_is_far(DATA_LEVEL_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intel_pebs_data_sources_are_decoded),
        cmocka_unit_test(level_numbers_are_decoded_without_level_bits),
        cmocka_unit_test(amd_ibs_cache_levels_are_decoded),
        cmocka_unit_test(level_bits_are_decoded_without_level_numbers),
        cmocka_unit_test(absent_data_source_is_unknown),
        cmocka_unit_test(tlb_levels_are_decoded),
        cmocka_unit_test(lock_and_block_bits_are_decoded),
        cmocka_unit_test(access_kinds_are_decoded),
        cmocka_unit_test(every_data_source_decodes_to_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
