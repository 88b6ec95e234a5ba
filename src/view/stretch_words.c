/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/stretch_words.h"

#include "base/text.h"

#include <stdio.h>

static void say_when(const struct snapshot_stretch *stretch, char *out, size_t size)
{
    char from[TEXT_TIME_BYTES];
    char to[TEXT_TIME_BYTES];
    char length[TEXT_TIME_BYTES];
    text_time(from, stretch->start_s);
    text_time(to, stretch->end_s);
    if (stretch->pieces > 1)
        snprintf(out, size, "phase %s, %zu times from %s to %s, %s of them", stretch->phase,
                 stretch->pieces, from, to, text_time(length, stretch->length_s));
    else if (*stretch->phase)
        snprintf(out, size, "phase %s, %s to %s", stretch->phase, from, to);
    else
        snprintf(out, size, "%s to %s", from, to);
}

void stretch_words(const struct snapshot_stretch *stretch, char *out, size_t size)
{
    char when[128];
    char kept[16];
    char seen[16];
    say_when(stretch, when, sizeof when);
    text_count(kept, (double)stretch->kept);
    text_count(seen, (double)stretch->seen);
    if (stretch->kept < stretch->seen)
        snprintf(out, size, "%s, %s samples kept of %s%s", when, kept, seen,
                 stretch->reading ? " so far" : "");
    else
        snprintf(out, size, "%s, %s sample%s%s", when, kept, stretch->kept == 1 ? "" : "s",
                 stretch->reading ? " so far" : "");
}
