/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/stretch_words.h"

#include "base/text.h"

#include <stdio.h>

static void say_when(const struct snapshot_stretch *stretch, char *out, size_t size)
{
    if (stretch->pieces > 1)
        snprintf(out, size, "phase %s, %zu times from %.1f to %.1f s, %.1f s of them",
                 stretch->phase, stretch->pieces, stretch->start_s, stretch->end_s,
                 stretch->length_s);
    else if (*stretch->phase)
        snprintf(out, size, "phase %s, %.1f to %.1f s", stretch->phase, stretch->start_s,
                 stretch->end_s);
    else
        snprintf(out, size, "%.1f to %.1f s", stretch->start_s, stretch->end_s);
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
