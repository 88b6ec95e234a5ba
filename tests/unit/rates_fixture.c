/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rates_fixture.h"

#include <math.h>

#define NONE                                                                                       \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }

static const struct snapshot_rates none = {.from = RATES_COUNTED,
                                           .accesses = NAN,
                                           .accessed = NONE,
                                           .miss_rate = {NONE, NONE, NONE},
                                           .stall = NONE,
                                           .missed = NONE,
                                           .critical = NONE,
                                           .level = RATE_MEMORY};

static struct snapshot_rates *make(struct arena *arena)
{
    struct snapshot_rates *rates = arena_array(arena, 1, sizeof *rates);
    *rates = none;
    return rates;
}

void rates_fixture_stalls(struct arena *arena, struct snapshot *snapshot)
{
    snapshot->rates = make(arena);
    snapshot->rates->stall = (struct snapshot_share){1, 1, 1};
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        double share = object->event_share[1];
        object->rates = make(arena);
        object->rates->stall = (struct snapshot_share){share, share * 0.99, share * 1.01};
    }
}

static struct snapshot_rates *kind_of(struct arena *arena, size_t kind)
{
    struct snapshot_rates *rates = make(arena);
    if (kind == 4)
        return NULL;
    rates->accesses = kind == 2 ? 0 : 2e6;
    rates->accessed = (struct snapshot_share){0.2, 0.19, 0.21};
    rates->stall = (struct snapshot_share){0.25, 0.24, 0.26};
    rates->missed = (struct snapshot_share){0.25, 0.23, 0.27};
    if (kind == 0) {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){0.123, 0.118, 0.128};
        rates->miss_rate[RATE_MEMORY] = (struct snapshot_share){0.031, 0.029, 0.034};
        rates->critical = (struct snapshot_share){1, 0.9, 1.1};
    } else if (kind == 1) {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){0.07, 0.02, 0.19};
        rates->miss_rate[RATE_MEMORY] = (struct snapshot_share){0.001, 0, 0.5};
        rates->critical = (struct snapshot_share){0.3, 0.01, 0.9};
    } else if (kind == 2) {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){NAN, 0.4, 1};
    } else {
        rates->miss_rate[RATE_L1] = (struct snapshot_share){0.02, 0.019, 0.0214};
        rates->stall = (struct snapshot_share){0.166, 0.159, 0.173};
        rates->missed = (struct snapshot_share){0.021, 0.018, 0.024};
        rates->critical = (struct snapshot_share){7.9, 6.8, 9.2};
    }
    return rates;
}

void rates_fixture_counted(struct arena *arena, struct snapshot *snapshot)
{
    enum { KINDS = 5 };
    snapshot->source.event_count = 4;
    snapshot->source.events[2] =
        (struct snapshot_event){"l1-miss", EVENT_MISS_L1, 40009, 9000, 4e8, 1};
    snapshot->source.events[3] =
        (struct snapshot_event){"access", EVENT_ACCESS, 200003, 9000, 2e9, 0.5};
    snapshot->rates = kind_of(arena, 0);
    snapshot->rates->stall = snapshot->rates->missed = (struct snapshot_share){1, 1, 1};
    snapshot->rates->critical = (struct snapshot_share){1, 1, 1};
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        object->rates = kind_of(arena, i % KINDS);
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].rates = kind_of(arena, (i + k) % KINDS);
    }
    for (size_t i = 0; i < snapshot->code_count; i++)
        snapshot->code[i].rates = kind_of(arena, i % KINDS);
}

void rates_fixture_hostile(struct arena *arena, struct snapshot *snapshot)
{
    const struct snapshot_share odd[] = {{INFINITY, -INFINITY, INFINITY},
                                         {-1e300, 1e300, -1e300},
                                         {NAN, 0, INFINITY},
                                         {1e308, 1e307, NAN}};
    snapshot->source.events[1].role = EVENT_STALL;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_rates *rates = make(arena);
        rates->accesses = i % 2 ? 1e308 : -1;
        for (int k = 0; k < RATE_LEVELS; k++)
            rates->miss_rate[k] = odd[(i + (size_t)k) % 4];
        rates->accessed = rates->critical = odd[i % 4];
        rates->stall = odd[(i + 1) % 4];
        snapshot->objects[i].rates = snapshot->rates = rates;
    }
}
