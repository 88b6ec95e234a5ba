/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/objects_words.h"

#include "view/simulation_words.h"

#include <stdio.h>
#include <string.h>

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

bool object_is_spread(const struct snapshot_object *object)
{
    static const double leads_from = 0.05;
    static const double samples_at_least =
        4; /* one sample of ten is a twentieth, and leads nothing */
    const struct snapshot_field *first = object->fields;
    return object->field_count > 1 && first->member == TYPE_NO_MEMBER &&
           (first->share < leads_from || first->samples < samples_at_least);
}

static bool is_state(const struct snapshot *snapshot, const char *state)
{
    return snapshot->target.state && !strcmp(snapshot->target.state, state);
}

static const char *no_samples(const struct snapshot *snapshot)
{
    if (is_state(snapshot, "idle"))
        return "No samples: the process sleeps or waits, and uses no CPU.";
    if (is_state(snapshot, "stopped"))
        return "No samples: the process is stopped by a signal or a debugger.";
    if (is_state(snapshot, "not sampled"))
        return "No samples, and the process runs: either what is sampled does not happen in it "
               "(try "
               "-s clock), or the kernel does not let it be counted. 'misstop doctor' says what "
               "can "
               "be sampled here.";
    return "No samples yet. A process that sleeps or waits makes none; if it is busy, "
           "'misstop doctor' tells what can be sampled here.";
}

const char *objects_nothing_yet(const struct snapshot *snapshot)
{
    const struct snapshot_simulation *simulation = &snapshot->simulation;
    if (simulation->level_count && !snapshot->totals.samples)
        return simulation_starts(simulation)
                   ? "No samples yet. Valgrind is being started under the program; the first ones "
                     "come in a second or two."
               : simulation->counting ? "No samples yet."
                                      : "No samples yet: nothing is counted now, see above.";
    if (!snapshot->totals.samples)
        return no_samples(snapshot);
    if (!snapshot->totals.attributed)
        return "No sample could be attributed to an object yet; the reasons stand above and are "
               "explained under ? Help.";
    return "Nothing in the recent past; c shows the whole run.";
}
