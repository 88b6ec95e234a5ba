/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "levels_fixture.h"

#include <math.h>

/* Percent of the accesses, and what each of them took; cycles 0: not told. */
struct part {
    enum data_level level;
    double percent;
    double cycles;
    enum data_snoop snoop;
    enum data_tlb tlb;
};

#define PARTS 5
static const struct part kinds[][PARTS] = {
    {{DATA_DRAM, 61, 340, SNOOP_MISS, TLB_MISS},
     {DATA_L3, 22, 70, SNOOP_NONE, TLB_HIT},
     {DATA_LFB, 10, 120, SNOOP_NONE, TLB_HIT},
     {DATA_L2, 5, 40, SNOOP_NONE, TLB_HIT},
     {DATA_REMOTE_DRAM, 2, 600, SNOOP_MISS, TLB_MISS}},
    {{DATA_L3, 70, 150, SNOOP_HITM, TLB_HIT},
     {DATA_L1, 20, 35, SNOOP_NONE, TLB_HIT},
     {DATA_REMOTE_CACHE, 10, 900, SNOOP_HITM, TLB_HIT}},
    {{DATA_L1, 100, 33, SNOOP_NONE, TLB_HIT}},
    {{DATA_L1, 96, 0, SNOOP_UNKNOWN, TLB_UNKNOWN},
     {DATA_BEYOND_L1, 4, 0, SNOOP_UNKNOWN, TLB_UNKNOWN}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static unsigned class_of(double cycles)
{
    unsigned class = (unsigned)log2(cycles);
    return class < SNAPSHOT_LATENCY_CLASSES ? class : SNAPSHOT_LATENCY_CLASSES - 1;
}

static double total(const double *counts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += counts[i];
    return sum;
}

static void add_part(struct snapshot_levels *levels, const struct part *part, double samples)
{
    double accesses = samples * part->percent / 100;
    levels->level[part->level] += accesses;
    levels->snoop[part->snoop] += accesses;
    levels->tlb[part->tlb] += accesses;
    levels->waited[part->level] += accesses * part->cycles;
    if (part->cycles > 0)
        levels->histogram[class_of(part->cycles)] += accesses;
}

static const char *leading(struct arena *arena, const struct part *parts)
{
    const char *text = "";
    for (int i = 0; i < 3 && parts[i].percent > 0; i++)
        text = arena_printf(arena, "%s%s%s %.0f%%", text, i ? " " : "",
                            data_level_name(parts[i].level), parts[i].percent);
    return text;
}

/* Shares of what was added; all_cycles: of everything. */
static void finish(struct snapshot_levels *levels, double all_cycles)
{
    double cycles = total(levels->waited, DATA_LEVEL_COUNT);
    double far = 0;
    levels->accesses = total(levels->level, DATA_LEVEL_COUNT);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        far += data_level_is_far((enum data_level)i) ? levels->level[i] : 0;
    bool told = levels->snoop[SNOOP_UNKNOWN] < levels->accesses;
    levels->far = levels->level[DATA_BEYOND_L1] > 0 ? NAN : share(far, levels->accesses);
    levels->hitm = told ? share(levels->snoop[SNOOP_HITM], levels->accesses) : NAN;
    for (int i = 0; !told && i < SNOOP_COUNT; i++)
        levels->snoop[i] = NAN;
    for (int i = 0; !told && i < TLB_COUNT; i++)
        levels->tlb[i] = NAN;
    levels->tlb_miss = share(levels->tlb[TLB_MISS], total(levels->tlb + 1, TLB_COUNT - 1));
    levels->remote =
        share(levels->level[DATA_REMOTE_CACHE] + levels->level[DATA_REMOTE_DRAM], levels->accesses);
    levels->locked = 0.01;
    levels->blocked = NAN;
    levels->latency =
        cycles > 0 ? share(cycles, total(levels->histogram, SNAPSHOT_LATENCY_CLASSES)) : NAN;
    levels->stall = cycles > 0 ? share(cycles, all_cycles) : NAN;
    for (int i = 0; !(cycles > 0) && i < DATA_LEVEL_COUNT; i++)
        levels->waited[i] = NAN;
    for (int i = 0; !(cycles > 0) && i < SNAPSHOT_LATENCY_CLASSES; i++)
        levels->histogram[i] = NAN;
}

static struct snapshot_levels *make(struct arena *arena, size_t kind, double samples,
                                    double all_cycles)
{
    struct snapshot_levels *levels = arena_array(arena, 1, sizeof *levels);
    *levels = (struct snapshot_levels){.from = LEVELS_RECORDED};
    for (int i = 0; i < PARTS && kinds[kind][i].percent > 0; i++)
        add_part(levels, &kinds[kind][i], samples);
    levels->found = leading(arena, kinds[kind]);
    finish(levels, all_cycles);
    return levels;
}

static struct snapshot_levels *make_all(struct arena *arena, const struct snapshot *snapshot)
{
    struct snapshot_levels *levels = arena_array(arena, 1, sizeof *levels);
    *levels = (struct snapshot_levels){.from = LEVELS_RECORDED};
    for (size_t i = 0; i < snapshot->object_count; i++)
        for (int k = 0; i % (KINDS + 1) < KINDS && k < PARTS; k++)
            if (kinds[i % (KINDS + 1)][k].percent > 0)
                add_part(levels, &kinds[i % (KINDS + 1)][k], snapshot->objects[i].samples);
    levels->found = "L1 36% DRAM 31% L3 24%";
    finish(levels, total(levels->waited, DATA_LEVEL_COUNT));
    return levels;
}

void levels_fixture_recorded(struct arena *arena, struct snapshot *snapshot)
{
    snapshot->source.name = "pebs";
    snapshot->source.weighs = "loads that took more than 30 cycles";
    snapshot->source.precise = true;
    snapshot->source.event_count = 1;
    snapshot->source.events[0] = (struct snapshot_event){
        .name = "mem-loads", .role = EVENT_OTHER, .period = 1009, .samples = 41000};
    snapshot->levels = make_all(arena, snapshot);
    double cycles = total(snapshot->levels->waited, DATA_LEVEL_COUNT);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        size_t kind = i % (KINDS + 1);
        if (kind == KINDS)
            continue;
        object->levels = make(arena, kind, object->samples, cycles);
        object->latency = object->levels->latency;
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].levels = make(arena, kind, object->fields[k].samples, cycles);
        for (size_t k = 0; k < object->layout_count; k++)
            for (size_t r = 0; r < object->layouts[k].row_count; r++)
                if (object->layouts[k].rows[r].samples > 0)
                    object->layouts[k].rows[r].levels =
                        make(arena, kind, object->layouts[k].rows[r].samples, cycles);
    }
}

void levels_fixture_hostile(struct arena *arena, struct snapshot *snapshot)
{
    static const double odd[] = {NAN, 1e300, INFINITY, -1, 0, 1e-300};
    enum { ODD = sizeof odd / sizeof *odd };
    levels_fixture_recorded(arena, snapshot);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_levels *levels = snapshot->objects[i].levels;
        if (!levels)
            continue;
        levels->from = i % 2 ? LEVELS_COUNTED : LEVELS_RECORDED;
        levels->latency = odd[i % ODD];
        levels->far = odd[(i + 1) % ODD];
        levels->found = i % 3 ? "a text longer than any column has room for, with % signs" : NULL;
        for (int k = 0; k < DATA_LEVEL_COUNT; k++)
            levels->level[k] = odd[(i + (size_t)k) % ODD];
        for (int k = 0; k < SNAPSHOT_LATENCY_CLASSES; k++)
            levels->histogram[k] = odd[(i + (size_t)k + 2) % ODD];
        for (int k = 0; k < SNOOP_COUNT; k++)
            levels->snoop[k] = odd[(i + (size_t)k) % ODD];
    }
}
