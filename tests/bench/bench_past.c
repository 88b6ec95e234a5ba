/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of keeping a place in memory, before and after older places are thinned, and of reading it
 * back: ns and bytes. */
#include "unit/store/store_planned.h"

#include "base/clock.h"
#include "store/past.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 1000000, ROUNDS = 5, TOGETHER = 32, SLICE = 256 };

static double add_all(struct past *past, const struct place *places)
{
    uint64_t start = clock_now_ns();
    for (unsigned i = 0; i < PLACES; i += TOGETHER)
        past_add_all(past, places + i, TOGETHER);
    return (double)(clock_now_ns() - start) / PLACES;
}

static double read_all(struct past *past)
{
    static const struct time_range always = {0, UINT64_MAX};
    static struct place places[SLICE];
    uint64_t seen = 0;
    size_t kept = 0;
    uint64_t start = clock_now_ns();
    past_read_begin(past, &always, 1);
    for (size_t more; (more = past_read(past, places, SLICE, &seen));)
        kept += more;
    return (double)(clock_now_ns() - start) / (double)kept;
}

static void measure(bool wild)
{
    struct place *places = planned_places(PLACES, wild);
    struct past *whole;
    struct past *thinned;
    double best[3] = {1e9, 1e9, 1e9};
    if (!places || past_new(&whole, (size_t)PLACES * 128) || past_new(&thinned, 1 << 20))
        exit(1);
    for (unsigned round = 0; round < ROUNDS; round++) {
        past_clear(whole);
        double ns[3] = {add_all(whole, places), read_all(whole), add_all(thinned, places)};
        for (unsigned i = 0; i < 3; i++)
            best[i] = ns[i] < best[i] ? ns[i] : best[i];
    }
    printf(
        "past, %s places: stored in %.0f ns, with thinning of older ones %.0f ns; read in %.0f ns "
        "each (best of %d rounds)\n",
        wild ? "wild" : "usual", best[0], best[2], best[1], ROUNDS);
    past_free(whole);
    past_free(thinned);
    free(places);
}

int main(void)
{
    measure(false);
    measure(true);
    return 0;
}
