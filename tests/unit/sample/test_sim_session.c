/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The source `sim` on memory that the test itself writes, correctly and maliciously. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

#include "access.h"
#include "base/clock.h"
#include "base/hash.h"
#include "sample/simulated/sim_session.h"
#include "unit.h"

enum { KEPT_MAX = 64, PID = 1234, FUZZ_ROUNDS = 2000 };

static struct sim_memory memory;
static struct sim_session session;
static struct sampler_info info;
static struct sim_shared *tool; /* the same memory as mapped by the tool */
static struct record kept[KEPT_MAX];
static char kept_text[KEPT_MAX][80];
static size_t kept_count;

static const struct sim_settings wanted = {
    .levels = {{32768, 8, 64}, {1 << 20, 16, 64}, {32 << 20, 16, 64}},
    .level_count = 3,
    .use = true};

static int open_session(void **state)
{
    char path[64];
    (void)state;
    if (sim_memory_open(&memory, &wanted, NULL))
        return -1;
    sim_memory_path(&memory, path, sizeof path);
    int fd = open(path, O_RDWR);
    tool = mmap(NULL, sizeof *tool, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    kept_count = 0;
    return tool == MAP_FAILED || sim_session_open(&session, &memory, PID, NULL, &info, NULL);
}

static int close_session(void **state)
{
    (void)state;
    munmap(tool, sizeof *tool);
    sim_memory_close(&memory);
    return 0;
}

static void keep(void *context, const struct record *record)
{
    (void)context;
    const char *text = record->kind == RECORD_MAPPING ? record->mapping.path
                       : record->kind == RECORD_COMM  ? record->comm.exe
                                                      : "";
    size_t at = kept_count++ % KEPT_MAX;
    kept[at] = *record;
    snprintf(kept_text[at], sizeof kept_text[at], "%s", text);
}

static uint64_t stamp(void)
{
    return session.clock.is_tsc ? __rdtsc() : clock_now_ns();
}

static union sim_unit *next_unit(void)
{
    return &tool->units[tool->ring.head++ % SIM_RING_UNITS];
}

static void put_miss(uint8_t kind, uint8_t op, uint8_t served, uint32_t weight)
{
    next_unit()->miss = (struct sim_miss){.stamp = stamp(),
                                          .kind = kind,
                                          .op = op,
                                          .hit_level = served,
                                          .tid = PID,
                                          .weight = weight,
                                          .ip = 0x401000,
                                          .address = 0x7000 + tool->ring.head};
}

static long read_all(void)
{
    long count = 0;
    do
        count += sim_session_read(&session, UINT64_MAX, keep, NULL);
    while (session.has_backlog);
    return count;
}

/* Served by L3: a miss of the first two levels. */
static void simulated_miss_is_a_sample_per_level(void **state)
{
    (void)state;
    put_miss(SIM_MISS, SIM_STORE, 2, 7);
    assert_int_equal(read_all(), 1);
    assert_int_equal(kept_count, 2);
    for (size_t i = 0; i < kept_count; i++) {
        const struct sample *sample = &kept[i].sample;
        struct data_source source = data_source_decode(sample->data_src);
        assert_int_equal(kept[i].kind, RECORD_SAMPLE);
        assert_int_equal(sample->weight, 7);
        assert_int_equal(sample->address, 0x7001);
        assert_int_equal(source.level, DATA_L3);
        assert_int_equal(source.kind, ACCESS_STORE);
        assert_int_equal(source.snoop, SNOOP_UNKNOWN);
        enum event_role role = info.events[sample->event].role;
        assert_int_equal(role, i ? EVENT_MISS_L1 : EVENT_MISS_L2);
    }
}

static void put_line(uint8_t kind, uint8_t level, uint16_t used_bytes, uint32_t touched_bytes)
{
    next_unit()->line = (struct sim_line){.stamp = stamp(),
                                          .kind = kind,
                                          .level = level,
                                          .used_bytes = used_bytes,
                                          .touched_bytes = touched_bytes,
                                          .tid = PID,
                                          .ip = 0x401000,
                                          .address = 0x7008,
                                          .uses = {5, 6, 7, 8}};
}

/* An evicted line belongs to the event of its level; used bytes are limited to the line. */
static void evicted_line_is_reported_with_its_level(void **state)
{
    (void)state;
    put_line(SIM_LEFT, 1, 24, 100);
    put_line(SIM_LEFT, 0, 1000, 3);
    read_all();
    assert_int_equal(kept_count, 2);
    const struct line_event *line = &kept[0].line;
    assert_int_equal(kept[0].kind, RECORD_LINE);
    assert_int_equal(info.events[line->event].role, EVENT_MISS_L2);
    assert_int_equal(line->level, 1);
    assert_int_equal(line->weight, 1);
    assert_int_equal(line->line_bytes, 64);
    assert_int_equal(line->used_bytes, 24);
    assert_int_equal(line->touched_bytes, 100);
    assert_int_equal(line->uses[LINE_STORES_FLOAT], 8);
    assert_int_equal(kept[1].line.used_bytes, 64);
    assert_int_equal(kept[1].line.touched_bytes, 64);
    assert_int_equal(tool->header.use_levels, 7);
}

static void lines_of_invalid_level_are_refused(void **state)
{
    (void)state;
    put_line(SIM_LEFT, 3, 24, 100);
    put_line(SIM_LEFT, 255, 24, 100);
    read_all();
    assert_int_equal(kept_count, 0);
    assert_int_equal(session.malformed_units, 2);
    put_line(SIM_REUSED, 255, 0, 0);
    memory.settings.use = false; /* not requested, but reported */
    read_all();
    assert_int_equal(kept_count, 0);
    assert_int_equal(session.malformed_units, 3);
}

/* Only existing instructions are reported; a table full of garbage ends. */
static void instruction_pairs_are_read_and_checked(void **state)
{
    struct line_pair pair;
    uint64_t number = line_pair_number(LINE_USED_BY, 1, 0);
    (void)state;
    tool->header.instructions_used = 2;
    tool->instructions[0].ip = 0x401000;
    tool->instructions[1].ip = 0x402000;
    struct sim_pair *pairs = tool->pairs[SIM_USED_BY][1];
    pairs[7] = (struct sim_pair){.count = 30, .first = 0, .second = 1};
    pairs[8] = (struct sim_pair){.count = 30, .first = 2, .second = 1};
    pairs[SIM_PAIR_SLOTS - 1] = (struct sim_pair){.count = 5, .first = 1, .second = 1};
    assert_true(sim_memory_pair(&memory, number, &pair));
    assert_int_equal(pair.first, 0x401000);
    assert_int_equal(pair.second, 0x402000);
    assert_int_equal(pair.count, 30);
    assert_int_equal(pair.slot, 7);
    assert_true(sim_memory_pair(&memory, number + 8, &pair));
    assert_int_equal(pair.count, 5);
    assert_false(sim_memory_pair(&memory, number + pair.slot + 1, &pair));
    memset(pairs, 0xff, sizeof tool->pairs[0][0]);
    assert_false(sim_memory_pair(&memory, number, &pair));
    assert_false(sim_memory_pair(&memory, line_pair_number(LINE_PAIRS, 1, 0), &pair));
    assert_false(sim_memory_pair(&memory, line_pair_number(LINE_USED_BY, 4, 0), &pair));
}

static void simulated_access_is_a_sample_of_accesses(void **state)
{
    (void)state;
    put_miss(SIM_ACCESS, SIM_LOAD | SIM_STORE, 0, 10007);
    read_all();
    assert_int_equal(kept_count, 1);
    assert_int_equal(info.events[kept[0].sample.event].role, EVENT_ACCESS);
    assert_int_equal(data_source_decode(kept[0].sample.data_src).level, DATA_L1);
    assert_int_equal(data_source_decode(kept[0].sample.data_src).kind, ACCESS_LOAD);
}

static void memory_fill_and_hitm_are_reported(void **state)
{
    (void)state;
    put_miss(SIM_MISS, SIM_LOAD, 3, 1);
    tool->units[0].miss.causes = SIM_INVALIDATED_FALSE;
    read_all();
    assert_int_equal(kept_count, 3);
    assert_int_equal(data_source_decode(kept[0].sample.data_src).level, DATA_DRAM);
    assert_int_equal(data_source_decode(kept[0].sample.data_src).snoop, SNOOP_HITM);
}

/* Misses of L3, L2 and L1: the unit gives the level of the evictor. 15 is not a valid cause. */
static void miss_causes_and_evictor_are_reported_per_level(void **state)
{
    static const enum miss_cause expected[] = {CAUSE_CAPACITY, CAUSE_UNKNOWN, CAUSE_CONFLICT};
    (void)state;
    memory.settings.causes = true;
    put_miss(SIM_MISS, SIM_LOAD, 3, 1);
    tool->units[0].miss.causes = SIM_CONFLICT | 15 << SIM_CAUSE_BITS | SIM_CAPACITY << 8;
    tool->units[0].miss.evictor_level = 2;
    tool->units[0].miss.evictor_ip = 0x401010;
    tool->units[0].miss.evictor_address = 0x8000;
    tool->units[0].miss.evictor_tid = 77;
    read_all();
    assert_int_equal(kept_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(kept[i].sample.cause, expected[i]);
        assert_int_equal(kept[i].sample.evictor_ip, i ? 0 : 0x401010);
        assert_int_equal(kept[i].sample.evictor_address, i ? 0 : 0x8000);
        assert_int_equal(kept[i].sample.evictor_tid, i ? 0 : 77);
    }
    put_miss(SIM_ACCESS, SIM_LOAD, 3, 1);
    tool->units[1].miss.causes = SIM_CONFLICT;
    read_all();
    assert_int_equal(kept[3].sample.cause, CAUSE_NOT_KNOWN);
}

/* Events: misses of L3, L2 and L1, accesses. A unit already in the ring keeps the level for which
 * it was written. */
static void evictor_level_follows_the_ranking_event(void **state)
{
    (void)state;
    memory.settings.causes = true;
    assert_int_equal(tool->header.evictor_level, 2);
    put_miss(SIM_MISS, SIM_LOAD, 3, 1);
    tool->units[0].miss.evictor_level = 2;
    tool->units[0].miss.evictor_ip = 0x401010;
    sim_session_rank(&session, 1);
    assert_int_equal(tool->header.evictor_level, 1);
    put_miss(SIM_MISS, SIM_LOAD, 3, 1);
    tool->units[1].miss.evictor_level = 1;
    tool->units[1].miss.evictor_ip = 0x401020;
    read_all();
    assert_int_equal(kept[0].sample.evictor_ip, 0x401010);
    assert_int_equal(kept[3].sample.evictor_ip, 0);
    assert_int_equal(kept[4].sample.evictor_ip, 0x401020);
    sim_session_rank(&session, 2);
    assert_int_equal(tool->header.evictor_level, 0);
    sim_session_rank(&session, 99);
    assert_int_equal(tool->header.evictor_level, 0);
}

static void put_mapping(uint8_t kind, const char *path, uint16_t units)
{
    next_unit()->mapping = (struct sim_mapping){.stamp = stamp(),
                                                .kind = kind,
                                                .protection = PROT_READ | PROT_EXEC,
                                                .path_units = units,
                                                .start = 0x400000,
                                                .length = 0x1000};
    for (uint16_t i = 0; i < units && i <= SIM_PATH_UNITS_MAX; i++) {
        union sim_unit *unit = next_unit();
        memset(unit, 'x', sizeof *unit);
        if ((size_t)i * sizeof *unit < strlen(path))
            memcpy(unit, path + i * sizeof *unit,
                   strnlen(path + i * sizeof *unit, sizeof *unit - 1) + 1);
    }
}

static void mapping_and_exec_units_become_records(void **state)
{
    (void)state;
    put_mapping(SIM_EXEC, "/usr/bin/first", 1);
    put_mapping(SIM_MAPPING, "/usr/lib/second.so", 1);
    put_miss(SIM_MISS, SIM_LOAD, 1, 1);
    assert_int_equal(read_all(), 3);
    assert_int_equal(kept_count, 3);
    assert_int_equal(kept[0].kind, RECORD_COMM);
    assert_true(kept[0].comm.exec);
    assert_string_equal(kept_text[0], "/usr/bin/first");
    assert_int_equal(kept[1].kind, RECORD_MAPPING);
    assert_int_equal(kept[1].mapping.start, 0x400000);
    assert_true(kept[1].mapping.executable);
    assert_string_equal(kept_text[1], "/usr/lib/second.so");
    assert_int_equal(kept[2].kind, RECORD_SAMPLE);
}

static void mapping_without_its_path_is_refused(void **state)
{
    (void)state;
    put_mapping(SIM_MAPPING, "", 0);
    tool->units[0].mapping.path_units = 3;
    put_miss(SIM_MISS, SIM_LOAD, 1, 1);
    read_all();
    assert_int_equal(session.malformed_units, 1);
    assert_int_equal(kept_count, 1);
    assert_int_equal(kept[0].kind, RECORD_SAMPLE);
}

static void units_not_yet_due_wait(void **state)
{
    (void)state;
    put_miss(SIM_MISS, SIM_LOAD, 1, 1);
    assert_int_equal(sim_session_read(&session, clock_now_ns() - CLOCK_NS_PER_S, keep, NULL), 0);
    assert_int_equal(read_all(), 1);
    next_unit()->miss = (struct sim_miss){.stamp = UINT64_MAX, .kind = SIM_MISS};
    assert_int_equal(read_all(), 0);
}

/* However much is waiting, one reading takes a part of it, and the next one continues. */
static void full_ring_is_read_in_parts(void **state)
{
    uint64_t head;
    (void)state;
    for (uint64_t i = 0; i < SIM_RING_UNITS; i++)
        put_miss(SIM_MISS, SIM_LOAD, 1, 1);
    head = tool->ring.head;
    for (uint64_t left = SIM_RING_UNITS; left > 0;) {
        uint64_t due = left < SIM_SESSION_AT_ONCE ? left : SIM_SESSION_AT_ONCE;
        assert_int_equal(sim_session_read(&session, UINT64_MAX, keep, NULL), due);
        left -= due;
        assert_int_equal(session.has_backlog, left > 0);
        assert_int_equal(tool->ring.tail, head - left);
        assert_int_equal(kept_count, SIM_RING_UNITS - left);
        assert_int_equal(kept[(kept_count - 1) % KEPT_MAX].sample.address, 0x7000 + head - left);
    }
    /* Units that are not due yet are not skipped. */
    for (uint64_t i = 0; i < SIM_SESSION_AT_ONCE; i++)
        put_miss(SIM_MISS, SIM_LOAD, 1, 1);
    next_unit()->miss = (struct sim_miss){.stamp = UINT64_MAX, .kind = SIM_MISS};
    assert_int_equal(sim_session_read(&session, UINT64_MAX, keep, NULL), SIM_SESSION_AT_ONCE);
    assert_false(session.has_backlog);
}

static void simulation_ring_wraps(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        for (uint64_t k = 0; k < SIM_RING_UNITS / 2 + 11; k++)
            put_miss(SIM_MISS, SIM_LOAD, 1, 1);
        assert_int_equal(read_all(), SIM_RING_UNITS / 2 + 11);
        assert_int_equal(tool->ring.tail, tool->ring.head);
    }
    assert_int_equal(kept[(kept_count - 1) % KEPT_MAX].sample.address, 0x7000 + tool->ring.head);
}

static void lost_units_are_reported_once(void **state)
{
    (void)state;
    tool->header.lost = 5;
    read_all();
    read_all();
    assert_int_equal(kept_count, 1);
    assert_int_equal(kept[0].kind, RECORD_LOST);
    assert_int_equal(kept[0].count, 5);
}

static void totals_are_summed_over_threads(void **state)
{
    (void)state;
    tool->header.threads_used = 2;
    for (int i = 0; i < 2; i++) {
        tool->threads[i].counts[SIM_LOAD] = 10;
        tool->threads[i].counts[SIM_STORE] = 20;
        tool->threads[i].counts[SIM_LOAD | SIM_STORE] = 3;
        tool->threads[i].load_misses[1] = 4;
    }
    struct snapshot_simulation totals = sim_session_totals(&session);
    assert_int_equal(totals.accesses, 66);
    assert_int_equal(totals.loads, 26);
    assert_int_equal(totals.stores, 46);
    assert_int_equal(totals.level[1].load_misses, 8);
    assert_int_equal(totals.level[1].size_bytes, 1 << 20);
}

static void simulated_events_are_selected_by_name(void **state)
{
    (void)state;
    struct error error = {0};
    struct sim_session other;
    struct sampler_info reported;
    assert_int_equal(sim_session_open(&other, &memory, PID, "l1-miss,access", &reported, &error),
                     0);
    assert_int_equal(reported.event_count, 2);
    assert_string_equal(reported.events[0].name, "l1-miss");
    assert_int_equal(sim_session_open(&other, &memory, PID, "l1-miss,l7-miss", &reported, &error),
                     -EINVAL);
    assert_non_null(strstr(error.text, "l7-miss"));
    assert_int_equal(
        sim_session_open(&other, &memory, PID,
                         "access,access,access,access,access,access,access,access,access",
                         &reported, &error),
        -EINVAL);
}

/* A tool that writes invalid data everywhere: reading ends, and stays inside the memory. For the
 * sanitizer. */
static void hostile_shared_memory_is_harmless(void **state)
{
    struct prng prng = {7};
    (void)state;
    for (int round = 0; round < FUZZ_ROUNDS; round++) {
        uint64_t at = session.tail + prng_next(&prng) % 64;
        uint64_t *words = tool->units[at % SIM_RING_UNITS].words;
        for (int i = 0; i < 8; i++)
            words[i] = prng_next(&prng);
        if (prng_next(&prng) % 4)
            words[0] = stamp();
        words[1] = (words[1] & ~UINT64_C(0xff)) | prng_next(&prng) % (SIM_REUSED + 2);
        switch (prng_next(&prng) % 8) {
        case 0:
            tool->ring.head = prng_next(&prng);
            break;
        case 1:
            tool->header.threads_used = (uint32_t)prng_next(&prng);
            break;
        case 2:
            tool->header.level_count = (uint32_t)prng_next(&prng);
            break;
        case 3:
            tool->header.lost = prng_next(&prng);
            break;
        default:
            tool->ring.head = session.tail + prng_next(&prng) % 128;
        }
        read_all();
        sim_session_describe(&session, &info);
        struct snapshot_simulation totals = sim_session_totals(&session);
        assert_int_equal(totals.level_count, 3);
    }
    assert_true(session.malformed_units > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(simulated_miss_is_a_sample_per_level, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(simulated_access_is_a_sample_of_accesses, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(evicted_line_is_reported_with_its_level, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(lines_of_invalid_level_are_refused, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(instruction_pairs_are_read_and_checked, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(miss_causes_and_evictor_are_reported_per_level,
                                        open_session, close_session),
        cmocka_unit_test_setup_teardown(evictor_level_follows_the_ranking_event, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(memory_fill_and_hitm_are_reported, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(mapping_and_exec_units_become_records, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(mapping_without_its_path_is_refused, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(units_not_yet_due_wait, open_session, close_session),
        cmocka_unit_test_setup_teardown(simulation_ring_wraps, open_session, close_session),
        cmocka_unit_test_setup_teardown(lost_units_are_reported_once, open_session, close_session),
        cmocka_unit_test_setup_teardown(full_ring_is_read_in_parts, open_session, close_session),
        cmocka_unit_test_setup_teardown(totals_are_summed_over_threads, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(simulated_events_are_selected_by_name, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(hostile_shared_memory_is_harmless, open_session,
                                        close_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
