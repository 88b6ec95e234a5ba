/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings about variables on the stack that a loop reads and writes where a register would do. */
#include "profile/findings.h"

static const double hot_at_least = 0.1; /* of all samples */
static const double one_function = 0.8; /* of the samples on it */
static const double kept_most = 0.1;    /* ... in loops that call */
enum { FRAMES_LINES = 4 };
enum { REGISTER_BYTES = 16 }; /* what a general or an SSE register holds */

/* In a loop it is at one place; of a function that calls itself, or is called at many depths, it is
 * saved for the calls, and no register would keep it. */
static bool is_in_many_frames(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && spread->lines > FRAMES_LINES;
}

/* Where the loop calls something a register does not keep it, and what takes the time is the call.
 */
static bool is_kept_for_calls(const struct findings *findings, size_t index)
{
    const struct spread *spread = findings_spread(findings, index);
    return spread && spread->kept > kept_most * spread->samples;
}

/* What is only read is a parameter. A timer samples few stores, on some CPUs one in thousands: one
 * on the variable is enough, for in a loop the store at its beginning is hardly met. */
static bool is_written(const struct snapshot_object *object)
{
    return object->stores > 0;
}

static void kept_in_memory(struct findings *findings, size_t index)
{
    const struct snapshot_object *object = &findings->snapshot->objects[index];
    if (object->kind != OBJECT_STACK || !object->type || !object->size ||
        object->size > REGISTER_BYTES || object->samples < FINDINGS_SAMPLES ||
        !(findings_share(findings, index) >= hot_at_least) || !object->code_count ||
        !(object->code[0].share.value >= one_function) || !is_written(object) ||
        is_in_many_frames(findings, index) || is_kept_for_calls(findings, index))
        return;
    struct snapshot_finding finding = {.kind = FINDING_STACK,
                                       .sure = FINDING_LIKELY,
                                       .page = FINDING_ON_DETAIL,
                                       .object = (uint32_t)index,
                                       .gain = findings_share(findings, index),
                                       .gain_low = 0.3 * findings_share(findings, index)};
    finding.evidence = arena_printf(
        findings->arena,
        "%s, %llu bytes on the stack, is read and written in memory: %.0f samples, %.0f%% in %s.",
        object->type, (unsigned long long)object->size, object->samples,
        object->code[0].share.value * 100, object->code[0].function);
    finding.advice = "Keep it in a register: compile with optimisation (-O2), work on a local copy "
                     "whose address nobody takes, and write it back after the loop; no volatile.";
    finding.reckoned = "a third to all of the samples on it: each use waits for the store before";
    finding.how_sure = "whether a register is free for it the compiler tells; some processors pass "
                       "integers from store to load without waiting";
    findings_add(findings, &finding);
}

void findings_stack(struct findings *findings)
{
    bool waits = !findings_simulated(findings); /* its samples are misses, not waits for stores */
    for (size_t i = 0; waits && i < findings->snapshot->object_count; i++)
        kept_in_memory(findings, i);
}
