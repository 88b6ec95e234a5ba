/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile of two events and a 32 KB cache, in which every object except 0 is named "thing". */
#ifndef MISSTOP_UNIT_PROFILE_PROFILE_FIXTURE_H
#define MISSTOP_UNIT_PROFILE_PROFILE_FIXTURE_H

#ifndef TESTS_UNIT_PROFILE_FIXTURE_H
#define TESTS_UNIT_PROFILE_FIXTURE_H

#include "profile/profile.h"

/* Object i > 0 starts at i times this. */
#define PROFILE_FIXTURE_APART UINT64_C(0x100000)

struct profile *profile_fixture_new(double half_life_s, uint32_t window_entries);

#endif

#endif
