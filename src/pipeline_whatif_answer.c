/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is answered to "What if", and what was; declared in pipeline_state.h. */
#include "pipeline_state.h"

#include "sample/sim_whatif.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void pipeline_whatif_because(struct pipeline_whatif *whatif, const char *why)
{
    whatif->state = WHATIF_WAITS;
    snprintf(whatif->why, sizeof whatif->why, "%s", why);
}

unsigned pipeline_whatif_number(const struct pipeline *pipeline,
                                const struct pipeline_whatif *whatif)
{
    return (unsigned)(whatif - pipeline->whatif.list);
}

unsigned pipeline_whatif_count(const struct pipeline *pipeline)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        count += pipeline->whatif.list[i].state != WHATIF_NONE;
    return count;
}

/* The answer that stands goes to those of before; a newer one to the same question takes its
 * place. */
static void put_by(struct pipeline_whatifs *all, const struct pipeline_whatif *whatif)
{
    struct pipeline_whatif_past *past = all->past;
    uint32_t at = 0;
    if (whatif->state != WHATIF_COUNTS || isnan(whatif->change))
        return;
    while (at < all->past_count &&
           (past[at].object != whatif->object || strcmp(past[at].words, whatif->words)))
        at++;
    at = at < WHATIF_PAST_MAX ? at : WHATIF_PAST_MAX - 1;
    all->past_count += at == all->past_count;
    memmove(past + 1, past, at * sizeof *past);
    past[0] = (struct pipeline_whatif_past){.object = whatif->object, .change = whatif->change};
    memcpy(past[0].name, whatif->name, sizeof past[0].name);
    memcpy(past[0].words, whatif->words, sizeof past[0].words);
}

void pipeline_whatif_forget(struct pipeline *pipeline, struct pipeline_whatif *whatif)
{
    put_by(&pipeline->whatif, whatif);
    if (whatif->state != WHATIF_NONE)
        sim_whatif_end(pipeline->options.sim, pipeline_whatif_number(pipeline, whatif));
    *whatif = (struct pipeline_whatif){.change = NAN};
}

static void fill_past(const struct pipeline_whatifs *all, struct snapshot_whatifs *out)
{
    out->past_count = all->past_count;
    for (uint32_t i = 0; i < all->past_count; i++)
        out->past[i] = (struct snapshot_whatif_past){all->past[i].name, all->past[i].object,
                                                     all->past[i].words, all->past[i].change};
}

static void fill_counts(struct pipeline *pipeline, struct pipeline_whatif *whatif,
                        const struct sim_answer *answer, struct snapshot_whatif *out)
{
    out->level_count = pipeline->options.sim->wanted.level_count;
    out->settled = answer->settled;
    out->blocks = (double)answer->blocks;
    out->blocks_left_out =
        (double)answer->blocks_refused + (double)answer->blocks_unknown + (double)whatif->left_out;
    out->blocks_small = (double)answer->blocks_small;
    out->accesses = (double)answer->accesses;
    out->object_accesses = (double)answer->object_accesses;
    out->cut = (double)answer->cut;
    for (uint32_t i = 0; i < out->level_count; i++)
        out->level[i] =
            (struct snapshot_whatif_level){.before = (double)answer->before[i],
                                           .after = (double)answer->after[i],
                                           .object_before = (double)answer->object_before[i],
                                           .object_after = (double)answer->object_after[i],
                                           .fresh = (double)answer->fresh[i]};
    whatif_weigh(out, whatif->wanted.kind == WHATIF_NEVER);
}

static struct snapshot_whatif state_of(struct pipeline *pipeline, struct pipeline_whatif *whatif)
{
    struct snapshot_whatif out = {.number = pipeline_whatif_number(pipeline, whatif)};
    if (whatif->asked && !whatif->wanting) {
        struct sim_answer answer = sim_whatif_answer(pipeline->options.sim, out.number);
        if (answer.state == SIM_ANSWER_REFUSED) {
            pipeline_whatif_because(whatif, answer.why);
            whatif->state = WHATIF_REFUSED;
        } else if (answer.state == SIM_ANSWER_COUNTS) {
            whatif->state = WHATIF_COUNTS;
            fill_counts(pipeline, whatif, &answer, &out);
        }
    }
    if (whatif->wanting && pipeline->ended)
        pipeline_whatif_because(whatif, "the program ended before the question could be put to it");
    out.state = whatif->state;
    out.object = whatif->name;
    out.object_id = whatif->object;
    out.question = whatif->words;
    out.layout = *whatif->layout ? whatif->layout : NULL;
    out.why = whatif->state == WHATIF_COUNTS ? NULL : whatif->why;
    whatif->change = snapshot_whatif_change(&out);
    return out;
}

/* Those without an answer behind those with one, in the order in which they were asked. */
static bool is_better(const struct snapshot_whatif *one, const struct snapshot_whatif *other)
{
    double left = snapshot_whatif_change(one);
    double right = snapshot_whatif_change(other);
    return isnan(right) ? !isnan(left) : left < right;
}

struct snapshot_whatifs pipeline_whatif_state(struct pipeline *pipeline)
{
    struct pipeline_whatifs *all = &pipeline->whatif;
    struct snapshot_whatifs out = {.count = 0};
    if (pipeline->store)
        return pipeline->stored_whatif;
    fill_past(all, &out);
    for (unsigned i = 0; i < WHATIF_MAX; i++) {
        if (all->list[i].state == WHATIF_NONE)
            continue;
        struct snapshot_whatif one = state_of(pipeline, &all->list[i]);
        uint32_t at = out.count++;
        for (; at > 0 && is_better(&one, &out.list[at - 1]); at--)
            out.list[at] = out.list[at - 1];
        out.list[at] = one;
    }
    return out;
}

static const char *end_requested(struct pipeline *pipeline, const struct request *request)
{
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        if (request->whatif == WHATIF_MAX || request->whatif == i)
            pipeline_whatif_forget(pipeline, &pipeline->whatif.list[i]);
    return pipeline_whatif_count(pipeline) ? "dropped; what else is asked counts on"
                                           : "nothing is asked any more";
}

const char *pipeline_whatif_request(struct pipeline *pipeline, const struct request *request)
{
    if (pipeline->store)
        return "a recording shows what was asked; its program accesses nothing any more";
    if (!pipeline->options.sim)
        return "only a simulation can tell: misstop --sim -- CMD";
    if (request->kind == REQUEST_WHATIF_END)
        return end_requested(pipeline, request);
    if (pipeline->ended)
        return "the program has ended: it accesses nothing any more";
    return pipeline_whatif_ask(pipeline, request->object, request->type, request->name)
               ? "asked; the counts of both begin now"
               : "as many questions are asked as can be; Right, then x on one drops it";
}
