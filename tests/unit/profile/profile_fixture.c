/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/profile/profile_fixture.h"

#include "unit.h"
#include "unit/names.h"

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){.name = object ? "thing" : "unknown",
                                 .module = "m",
                                 .kind = OBJECT_GLOBAL,
                                 .address = object * PROFILE_FIXTURE_APART};
    return true;
}

struct profile *profile_fixture_new(double half_life_s, uint32_t window_entries)
{
    struct profile *profile;
    static const struct fake_names answers = {.object = fake_object};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = half_life_s,
                                      .ways = 10,
                                      .event_count = 2,
                                      .roles = {EVENT_MISS_L1, EVENT_ACCESS},
                                      .window_entries = window_entries};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    return profile;
}
