/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/objects_words.h"

#include <stdio.h>

void objects_left_out(const struct snapshot *snapshot, char *out, size_t size)
{
    size_t count = snapshot->objects_left_out;
    double together = snapshot->objects_left_share * 100;
    *out = '\0';
    if (!count)
        return;
    int used = snprintf(out, size, "%zu more object%s less than %g%%%s", count,
                        count == 1 ? " has" : "s have", snapshot->objects_least * 100,
                        count == 1 ? "" : " each");
    if (count < 2 || used < 0 || (size_t)used >= size)
        return;
    if (together < 0.05)
        snprintf(out + used, size - (size_t)used, ", less than 0.1%% together");
    else
        snprintf(out + used, size - (size_t)used, ", %.1f%% together", together);
}
