/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sharing_verdict.h"

#include <math.h>

/* Turns that phases of their own would give are few beside those of accesses that mix: a hundredth.
 * Threads that wait for a CPU mix the less: three busy ones on two CPUs a quarter as much. */
static const double mixed = 0.1;
static const double mostly = 0.8;

const char *sharing_verdict_name(enum sharing_verdict verdict)
{
    static const char *const names[] = {"unsure", "true", "false", "both", "read-only"};
    return (unsigned)verdict < 5 ? names[verdict] : "unsure";
}

const char *sharing_evidence_name(enum sharing_evidence evidence)
{
    return evidence == SHARING_HITM ? "hitm" : "turns";
}

struct reading {
    enum snapshot_basis basis;
    double scale;
};

static double at(const struct reading *how, const struct counted *counted)
{
    return counted_read(counted, how->basis, how->scale);
}

/* Chance that two accesses drawn from all sides are of two threads with a store among them. */
static double chance_of_turn(const struct sharing_line *line, const struct reading *how)
{
    double all = 0;
    double chance = 0;
    for (int i = 0; i < line->side_count; i++)
        all += at(how, &line->sides[i].samples);
    if (!(all > 0))
        return 0;
    for (int i = 0; i < line->side_count; i++)
        for (int k = 0; k < i; k++) {
            double a = at(how, &line->sides[i].samples);
            double b = at(how, &line->sides[k].samples);
            double no_store = a > 0 && b > 0
                                  ? (1 - fmin(1, at(how, &line->sides[i].stores) / a)) *
                                        (1 - fmin(1, at(how, &line->sides[k].stores) / b))
                                  : 1;
            chance += 2 * a / all * b / all * (1 - no_store);
        }
    return chance;
}

/* How much two instructions of different threads are in each other's way, and whether for the
 * same bytes. */
static void weigh_spots(const struct reading *how, const struct sharing_spot *a,
                        const struct sharing_spot *b, double *same, double *apart)
{
    double weight = at(how, &a->samples) * at(how, &b->samples);
    if (!(a->credit > 0) || !(b->credit > 0) || !(a->written | b->written))
        return;
    bool overlap = a->written & (b->read | b->written) || b->written & a->read;
    *(overlap ? same : apart) += weight;
}

static double overlap_of(const struct sharing_line *line, const struct reading *how)
{
    double same = 0;
    double apart = 0;
    for (int i = 0; i < line->side_count; i++)
        for (int k = 0; k < i; k++)
            for (int n = 0; n < SHARING_SPOTS * SHARING_SPOTS; n++)
                weigh_spots(how, &line->sides[i].spots[n / SHARING_SPOTS],
                            &line->sides[k].spots[n % SHARING_SPOTS], &same, &apart);
    return same + apart > 0 ? same / (same + apart) : NAN;
}

static enum sharing_verdict verdict_of(const struct sharing_judged *judged)
{
    if (isnan(judged->overlap) || !judged->sure)
        return SHARING_UNSURE;
    return judged->overlap >= mostly       ? SHARING_TRUE
           : judged->overlap <= 1 - mostly ? SHARING_FALSE
                                           : SHARING_BOTH;
}

struct sharing_judged sharing_judge(const struct sharing_line *line, enum snapshot_basis basis,
                                    double scale)
{
    struct reading how = {basis, scale};
    struct sharing_judged judged = {.samples = at(&how, &line->samples),
                                    .turns = at(&how, &line->turns),
                                    .pairs = at(&how, &line->pairs),
                                    .hitm = NAN};
    double snooped = at(&how, &line->snooped);
    judged.expected = judged.pairs * chance_of_turn(line, &how);
    judged.overlap = overlap_of(line, &how);
    if (snooped > 0)
        judged.hitm = at(&how, &line->hitm);
    bool turns = judged.turns >= SHARING_TURNS_LISTED && judged.turns >= mixed * judged.expected;
    bool hitm = judged.hitm >= 0.5;
    judged.evidence = hitm ? SHARING_HITM : SHARING_TURNS;
    judged.sure = judged.hitm >= SHARING_HITM_SURE || (turns && judged.turns >= SHARING_TURNS_SURE);
    judged.listed = turns || hitm;
    judged.verdict = verdict_of(&judged);
    if (!judged.listed && snooped > 0 && isnan(judged.overlap) && line->side_count > 1) {
        judged.listed = true;
        judged.verdict = SHARING_READ_ONLY;
    }
    return judged;
}
