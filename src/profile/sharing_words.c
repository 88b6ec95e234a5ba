/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sharing means and what to do about it, in sentences; declared in snapshot_sharing.h. */
#include "profile/sharing_verdict.h"
#include "profile/snapshot_sharing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RANGE_BYTES = 32, SIDE_BYTES = 400 };

static unsigned last_byte(const struct snapshot_sharing_side *side)
{
    uint64_t bytes = side->read | side->written;
    return bytes ? 63 - (unsigned)__builtin_clzll(bytes) : 0;
}

/* "byte 8", "bytes 8 to 15": of the line. */
static const char *range_of(const struct snapshot_sharing_side *side, char out[RANGE_BYTES])
{
    unsigned first = sharing_first_byte(side);
    unsigned last = last_byte(side);
    if (first == last)
        snprintf(out, RANGE_BYTES, "byte %u", first);
    else
        snprintf(out, RANGE_BYTES, "bytes %u to %u", first, last);
    return out;
}

/* "thread 12 writes bytes 0 to 7 (hits)". */
static const char *side_words(const struct snapshot_sharing_side *side, char out[SIDE_BYTES])
{
    char range[RANGE_BYTES];
    const char *fields = side->fields ? side->fields : "";
    bool more = *fields && strcmp(fields, side->name) != 0;
    snprintf(out, SIDE_BYTES, "thread %u %s %s of %s%s%s%s", side->tid,
             side->written ? "writes" : "reads", range_of(side, range), side->name,
             more ? " (" : "", more ? fields : "", more ? ")" : "");
    return out;
}

/* The two with most samples, in the order of their bytes. */
static void two_sides(const struct snapshot_sharing_line *line,
                      const struct snapshot_sharing_side **low,
                      const struct snapshot_sharing_side **high)
{
    bool turned = sharing_first_byte(&line->sides[1]) < sharing_first_byte(&line->sides[0]);
    *low = &line->sides[turned];
    *high = &line->sides[!turned];
}

/* "[3].hits" and "[3].misses": a line for each element leaves them together. */
static bool one_element(const char *a, const char *b)
{
    size_t length = strcspn(a, "]");
    return !strncmp(a, b, length + 1);
}

static const char *false_remedy(struct build *build, const struct snapshot_sharing_group *group,
                                const struct snapshot_sharing_side *low,
                                const struct snapshot_sharing_side *high)
{
    const char *left = low->fields ? low->fields : "the first";
    const char *right = high->fields ? high->fields : "the second";
    bool elements = *right == '[' && !one_element(left, right);
    if (group->line_count > 1 || elements)
        return arena_string(build->arena,
                            "Give each element a line of its own (alignas(64) on its type), or let "
                            "each thread count in a local variable and store it now and then.");
    if (strcmp(low->name, high->name) != 0)
        return arena_printf(build->arena,
                            "Keep the two apart: align %s to 64 bytes (alignas(64); "
                            "aligned_alloc(64, ...) for a block).",
                            high->name);
    return arena_printf(build->arena,
                        "Move them apart: alignas(64) on %s, or %u bytes of padding before it.",
                        right, SHARING_LINE_BYTES - sharing_first_byte(high));
}

static const char *false_words(struct build *build, struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing_side *low;
    const struct snapshot_sharing_side *high;
    char left[SIDE_BYTES];
    char right[SIDE_BYTES];
    two_sides(&group->lines[0], &low, &high);
    const char *facts = arena_printf(
        build->arena, "False sharing: %s, %s; they want nothing of each other but the line%s.",
        side_words(low, left), side_words(high, right),
        !low->written || !high->written ? ", which every store takes away from the reader" : "");
    group->remedy = false_remedy(build, group, low, high);
    if (!facts || !group->remedy)
        return NULL;
    if (group->line_count == 1)
        return arena_printf(build->arena, "%s %s", facts, group->remedy);
    return arena_printf(build->arena, "%s It is so on %zu lines. %s", facts, group->line_count,
                        group->remedy);
}

static unsigned writers(const struct snapshot_sharing_line *line)
{
    unsigned count = 0;
    for (size_t i = 0; i < line->side_count; i++)
        count += line->sides[i].written != 0;
    return count;
}

/* "lock of guarded"; the object alone where it is its own field. */
static void wanted(const struct snapshot_sharing_line *line, char out[SIDE_BYTES])
{
    const struct snapshot_sharing_side *side = &line->sides[0];
    const char *field = side->code_count ? side->codes[0].field : NULL;
    if (!field || !strcmp(field, side->name))
        snprintf(out, SIDE_BYTES, "%s", side->name);
    else
        snprintf(out, SIDE_BYTES, "%s of %s", field, side->name);
}

/* Whether bytes are used that no atomic instruction touches. */
static bool beside(const struct snapshot_sharing_line *line)
{
    uint64_t locked = 0;
    uint64_t used = 0;
    for (size_t i = 0; i < line->side_count; i++) {
        const struct snapshot_sharing_side *side = &line->sides[i];
        used |= side->read | side->written;
        for (size_t k = 0; k < side->code_count; k++)
            locked |= side->codes[k].locked ? side->codes[k].written : 0;
    }
    return used & ~locked;
}

static const char *true_words(struct build *build, struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing_line *line = &group->lines[0];
    char what[SIDE_BYTES];
    wanted(line, what);
    if (group->locked) {
        group->remedy = beside(line) ? "Touch it less often, take it once for several items, or "
                                       "give each thread a part of its own and add up where it is "
                                       "read. What lies beside it on the line is taken away with "
                                       "it: a line of its own for the lock (alignas(64)) leaves "
                                       "the rest to who holds it."
                                     : "Touch it less often, take it once for several items, or "
                                       "give each thread a part of its own and add up where it is "
                                       "read.";
        return arena_printf(build->arena,
                            "True sharing of a lock or atomic: %u threads change %s with atomic "
                            "instructions. Padding does not help. %s",
                            group->threads, what, group->remedy);
    }
    if (writers(line) == 1) {
        group->remedy = "It is data handed over: hand over more at a time, or write it less often.";
        return arena_printf(build->arena,
                            "True sharing: one thread writes %s and others read it. %s", what,
                            group->remedy);
    }
    group->remedy = "Give each thread a copy of its own and bring them together now and then.";
    return arena_printf(build->arena,
                        "True sharing: %u threads write %s. Padding does not help. %s",
                        group->threads, what, group->remedy);
}

static const char *both_words(struct build *build, struct snapshot_sharing_group *group)
{
    group->remedy =
        group->locked
            ? "Put the lock on a line of its own (alignas(64)) if threads wait for it, and hold it "
              "for a shorter time."
            : "Give what each thread uses alone a line of its own (alignas(64)) first; what is "
              "left is true sharing.";
    return arena_printf(
        build->arena,
        "True and false sharing on one line of %s: threads want the same bytes and others beside "
        "them (%s).%s %s",
        group->name, group->fields ? group->fields : "not known",
        group->locked ? " A lock beside the data it guards: who waits for the lock takes the line "
                        "away from who works on the data."
                      : "",
        group->remedy);
}

static const char *unsure_words(struct build *build, const struct snapshot_sharing_group *group)
{
    if (group->evidence == SHARING_HITM && isnan(group->lines[0].overlap))
        return arena_printf(build->arena,
                            "Found modified in another CPU's cache %.0f times; who wrote it has "
                            "not been sampled. Sampling stores too would tell.",
                            group->hitm);
    return arena_printf(build->arena,
                        "Several threads and a store, but too few samples to call it contention: "
                        "%.0f turns of the %d needed.",
                        group->turns, SHARING_TURNS_SURE);
}

static const char *words_of(struct build *build, struct snapshot_sharing_group *group)
{
    bool two = group->lines[0].side_count > 1;
    switch (two ? group->verdict : SHARING_UNSURE) {
    case SHARING_FALSE:
        return false_words(build, group);
    case SHARING_TRUE:
        return true_words(build, group);
    case SHARING_BOTH:
        return both_words(build, group);
    case SHARING_READ_ONLY:
        return arena_printf(build->arena,
                            "%u threads read it, and no store was sampled: nobody has to wait for "
                            "a line that is only read.",
                            group->threads);
    default:
        return unsure_words(build, group);
    }
}

/* Where the two busiest threads run on CPUs of different nodes, each turn is a dear one. */
const char *sharing_words(struct build *build, struct snapshot_sharing_group *group)
{
    const struct snapshot_sharing_line *line = &group->lines[0];
    const char *words = words_of(build, group);
    bool apart = line->side_count > 1 && line->sides[0].node >= 0 && line->sides[1].node >= 0 &&
                 line->sides[0].node != line->sides[1].node;
    if (!words || !apart || group->verdict == SHARING_READ_ONLY)
        return words;
    return arena_printf(build->arena,
                        "%s The threads run on nodes %d and %d: every turn crosses from one to "
                        "the other; on one node it would cost less.",
                        words, line->sides[0].node, line->sides[1].node);
}
