/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/thinning.h"

#include "base/clock.h"

enum { WINDOWS_PER_S = 4, WINDOW_KEPT = THINNING_PER_S / WINDOWS_PER_S, SHIFT_MAX = 24 };

/* Faster than wanted: at once. Much slower: when the window is over. */
static void adjust(struct thinning *thinning, uint64_t now_ns)
{
    bool full = thinning->kept >= WINDOW_KEPT;
    bool over = now_ns > thinning->from_ns + CLOCK_NS_PER_S / WINDOWS_PER_S;
    if (!full && !over)
        return;
    if (over)
        thinning->shift -= thinning->shift && thinning->kept < WINDOW_KEPT / 4;
    else
        thinning->shift += thinning->shift < SHIFT_MAX;
    thinning->from_ns = now_ns > thinning->from_ns ? now_ns : thinning->from_ns;
    thinning->kept = 0;
}

bool thinning_keeps(struct thinning *thinning, uint64_t now_ns, uint64_t *weight)
{
    adjust(thinning, now_ns);
    if (prng_next(&thinning->prng) & ((UINT64_C(1) << thinning->shift) - 1))
        return false;
    thinning->kept++;
    *weight <<= thinning->shift;
    return true;
}
