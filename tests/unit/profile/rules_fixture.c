/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/profile/rules_fixture.h"

#include <math.h>

struct window window;
struct arena arena;
struct snapshot snapshot;
struct snapshot_object objects[2];
struct snapshot_code code[3];
struct snapshot_bin bins[2];
struct snapshot_finding list[FINDINGS_MAX];
static struct spread spreads[2];
struct memory_use memory;
struct fake_names names;
struct findings findings;

static void fake_memory_use(void *context, uint64_t address, struct memory_use *use)
{
    (void)context;
    (void)address;
    *use = memory;
}

struct snapshot_bin bin_of(uint64_t count, uint64_t requested, uint64_t usable)
{
    return (struct snapshot_bin){.heap = {.name = "make",
                                          .live_blocks = count,
                                          .requested_bytes = count * requested,
                                          .usable_bytes = count * usable,
                                          .allocations_per_s = NAN,
                                          .lifetime_s = NAN},
                                 .object = UINT32_MAX};
}

int findings_setup(void **state)
{
    (void)state;
    arena_init(&arena);
    memory = (struct memory_use){.huge_share = 0, .tlb_entries = TLB};
    names = (struct fake_names){.memory = fake_memory_use};
    code[0] = (struct snapshot_code){.id = 1, .function = "work", .share = {.value = 1}};
    for (uint32_t i = 0; i < 2; i++)
        objects[i] = (struct snapshot_object){.id = 7 + i,
                                              .name = i ? "second" : "first",
                                              .kind = OBJECT_HEAP,
                                              .bin = i,
                                              .samples = 1000,
                                              .share = {.value = 0.4},
                                              .code = code,
                                              .code_count = 1};
    bins[0] = bin_of(BLOCKS, 24, 24);
    bins[1] = bin_of(BLOCKS, 40, 40);
    snapshot = (struct snapshot){.objects = objects, .object_count = 2, .code = code};
    snapshot.heap = (struct snapshot_heap){.bins = bins, .bin_count = 2};
    snapshot.sets = (struct snapshot_sets){.line = LINE, .sets = 64, .ways = 8, .level = "L1d"};
    snapshot.totals = (struct snapshot_totals){.samples = 2000, .attributed = 2000};
    findings = (struct findings){.snapshot = &snapshot,
                                 .arena = &arena,
                                 .window = &window,
                                 .names = FAKE_NAMES(&names),
                                 .is_current = true,
                                 .spreads = spreads,
                                 .spread_count = 2,
                                 .attributed = 1,
                                 .rate = 2000,
                                 .span_s = 1,
                                 .list = list};
    return window_init(&window, 8192, 6);
}

int findings_teardown(void **state)
{
    (void)state;
    window_fini(&window);
    arena_fini(&arena);
    return 0;
}

void add_sample(uint32_t object, uint64_t address)
{
    struct window_entry entry = {.address = address, .object = object, .tid = 1, .size = 8};
    window_add(&window, &entry);
}

uint64_t chance(void)
{
    static uint64_t at = 1;
    at = at * 6364136223846793005u + 1442695040888963407u;
    return at >> 33;
}

void gather_samples(void)
{
    struct spread_target of[2] = {{.object = 7}, {.object = 8}};
    struct window_counts counts;
    window_count(&window, &counts);
    spread_gather(spreads, of, 2, &window, LINE);
}

void scatter(uint64_t bytes)
{
    for (int i = 0; i < 4000; i++)
        add_sample(7, BASE + chance() % bytes);
    gather_samples();
}

const struct finding_words *words(void)
{
    static struct finding_words result;
    finding_words(&list[0], &result);
    return &result;
}
