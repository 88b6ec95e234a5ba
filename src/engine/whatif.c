/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "What if": a question of the user's, planned on a snapshot and asked of the simulation; declared
 * in state.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/state.h"
#include "sample/sim_whatif.h"

static bool pipeline_whatif_ask(struct pipeline *pipeline, uint32_t object, uint32_t type,
                                const char *text);

/* What is answered to "What if", and what was; declared in state.h. */

static void pipeline_whatif_because(struct pipeline_whatif *whatif, const char *why)
{
    whatif->state = WHATIF_WAITS;
    snprintf(whatif->why, sizeof whatif->why, "%s", why);
}

static unsigned pipeline_whatif_number(const struct pipeline *pipeline,
                                       const struct pipeline_whatif *whatif)
{
    return (unsigned)(whatif - pipeline->whatif.list);
}

static unsigned pipeline_whatif_count(const struct pipeline *pipeline)
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

static void pipeline_whatif_forget(struct pipeline *pipeline, struct pipeline_whatif *whatif)
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

enum { PATHS_AT_ONCE = 1 << 16, TRY_EVERY_MS = 50, TRIES_MAX = 10, AWAITED_FROM = 200000 };

int pipeline_whatif_check(const char *const texts[], struct error *error)
{
    struct pipeline_whatif whatif;
    int code = 0;
    for (unsigned i = 0; texts && texts[i] && !code; i++)
        code = whatif_parse(texts[i], &whatif.wanted, whatif.name, sizeof whatif.name, error);
    return code;
}

/* The one that asks the same, or that asks nothing; NULL: all ask something else. */
static struct pipeline_whatif *find_place(struct pipeline *pipeline, uint32_t object,
                                          const struct whatif_wanted *wanted, const char *name)
{
    struct pipeline_whatif *unused = NULL;
    char words[sizeof pipeline->whatif.list[0].words];
    whatif_words(wanted, words, sizeof words);
    for (unsigned i = 0; i < WHATIF_MAX; i++) {
        struct pipeline_whatif *whatif = &pipeline->whatif.list[i];
        bool its = object ? whatif->object == object : !strcmp(whatif->name, name);
        if (whatif->state != WHATIF_NONE && its && !strcmp(whatif->words, words))
            return whatif;
        if (whatif->state == WHATIF_NONE && !unused)
            unused = whatif;
    }
    return unused;
}

static bool pipeline_whatif_ask(struct pipeline *pipeline, uint32_t object, uint32_t type,
                                const char *text)
{
    struct whatif_wanted wanted;
    char name[sizeof pipeline->whatif.list[0].name];
    struct error error;
    if (!pipeline->options.sim || whatif_parse(text, &wanted, name, sizeof name, &error))
        return true;
    struct pipeline_whatif *whatif = find_place(pipeline, object, &wanted, name);
    if (!whatif)
        return false;
    pipeline_whatif_forget(pipeline, whatif);
    whatif->object = object;
    whatif->type = type;
    whatif->wanted = wanted;
    memcpy(whatif->name, name, sizeof name);
    whatif_words(&wanted, whatif->words, sizeof whatif->words);
    pipeline_whatif_because(whatif, "no object of that name has been seen yet");
    whatif->wanting = true;
    return true;
}

void pipeline_whatif_await(struct pipeline *pipeline)
{
    const char *const *texts = pipeline->options.what_if;
    for (unsigned i = 0; texts && i < WHATIF_MAX && texts[i]; i++)
        pipeline_whatif_ask(pipeline, 0, 0, texts[i]);
    unsigned count = pipeline_whatif_count(pipeline);
    if (count)
        sim_whatif_await(pipeline->options.sim, AWAITED_FROM, count);
}

/* ---- asked ---- */

static const struct snapshot_object *find_object(const struct pipeline_whatif *whatif,
                                                 const struct snapshot *snapshot)
{
    const struct snapshot_object *part = NULL;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        if (whatif->object ? object->id == whatif->object : !strcmp(object->name, whatif->name))
            return object;
        if (!whatif->object && !part && strstr(object->name, whatif->name))
            part = object;
    }
    return part;
}

static const struct snapshot_layout *find_layout(const struct snapshot_object *object,
                                                 uint32_t type)
{
    for (size_t i = 0; i < object->layout_count; i++)
        if (!type || object->layouts[i].type == type)
            return &object->layouts[i];
    return object->layout_count ? &object->layouts[0] : NULL;
}

static void count_block(void *context, uint64_t start, uint64_t bytes)
{
    (void)context, (void)start, (void)bytes;
}

static uint32_t line_bytes(const struct pipeline *pipeline)
{
    const struct sim_wanted *wanted = &pipeline->options.sim->wanted;
    return wanted->levels[wanted->level_count - 1].line_bytes;
}

static void whatif_step_one(struct pipeline *pipeline, struct pipeline_whatif *whatif,
                            const struct snapshot *snapshot)
{
    struct error error;
    struct whatif_plan plan;
    bool follows;
    if (!whatif->wanting)
        return;
    const struct snapshot_object *object = find_object(whatif, snapshot);
    if (!object)
        return;
    whatif->object = object->id;
    snprintf(whatif->name, sizeof whatif->name, "%s", object->name);
    if (whatif_plan(&whatif->wanted, object, find_layout(object, whatif->type),
                    line_bytes(pipeline), &plan, &error) ||
        resolver_blocks(pipeline->resolver, object->id, count_block, NULL, &follows, &error)) {
        pipeline_whatif_because(whatif, error.text);
        return;
    }
    snprintf(whatif->layout, sizeof whatif->layout, "%s", plan.text);
    pipeline_whatif_because(whatif, "the program has not come to it yet");
    whatif->wanting = false;
    whatif->paths_told = 0;
    whatif->asked = sim_whatif_ask(pipeline->options.sim, pipeline_whatif_number(pipeline, whatif),
                                   &plan.layout, follows);
    whatif->follows = follows;
}

void pipeline_whatif_step(struct pipeline *pipeline, const struct snapshot *snapshot)
{
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        whatif_step_one(pipeline, &pipeline->whatif.list[i], snapshot);
}

static bool is_wanting(const struct pipeline *pipeline)
{
    bool wanting = false;
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        wanting |= pipeline->whatif.list[i].wanting;
    return wanting;
}

/*
 * The program waits for the questions: each is put as soon as the object is known, and its type,
 * which takes accesses that come after debugging information has been read.
 */
static void try_early(struct pipeline *pipeline)
{
    struct pipeline_whatifs *whatif = &pipeline->whatif;
    uint64_t now = clock_now_ns();
    uint64_t accesses = sim_whatif_waits(pipeline->options.sim);
    if (!accesses || now < whatif->tried_ns + TRY_EVERY_MS * 1000000ull)
        return;
    whatif->tried_ns = now;
    resolver_tick(pipeline->resolver, now);
    bool read = pipeline_whatif_peek(pipeline);
    if (is_wanting(pipeline) && read)
        sim_whatif_await(pipeline->options.sim,
                         ++whatif->tries < TRIES_MAX ? accesses + AWAITED_FROM : 0,
                         pipeline_whatif_count(pipeline));
}

/* ---- blocks ---- */

struct listing {
    struct pipeline *pipeline;
    struct pipeline_whatif *whatif;
};

static void list_block(void *context, uint64_t start, uint64_t bytes)
{
    const struct listing *listing = context;
    listing->whatif->left_out +=
        !sim_whatif_block(listing->pipeline->options.sim,
                          pipeline_whatif_number(listing->pipeline, listing->whatif), start, bytes);
}

static void list_blocks(struct pipeline *pipeline, struct pipeline_whatif *whatif)
{
    struct listing listing = {pipeline, whatif};
    struct error error;
    bool follows;
    if (resolver_blocks(pipeline->resolver, whatif->object, list_block, &listing, &follows, &error))
        pipeline_whatif_because(whatif, error.text);
    sim_whatif_listed(pipeline->options.sim, pipeline_whatif_number(pipeline, whatif));
    whatif->listed = true;
}

/* The tool stops at the first path that it has not heard of, so they are told in order. */
static void tell_paths(struct pipeline *pipeline, struct pipeline_whatif *whatif)
{
    static const enum sim_path is[] = {
        [ALLOCATION_PATH_OTHER] = SIM_PATH_OTHER, [ALLOCATION_PATH_ITS] = SIM_PATH_ASKED};
    if (whatif->paths_told >= SIM_PATHS_MAX || !whatif->follows)
        return;
    uint32_t end = whatif->paths_told + PATHS_AT_ONCE;
    bool in_order = true;
    uint32_t unknown = 0;
    for (uint32_t path = whatif->paths_told; path < end && unknown < 64; path++) {
        enum allocation_path its = resolver_path(pipeline->resolver, whatif->object, path);
        if (its == ALLOCATION_PATH_UNKNOWN) {
            in_order &= !path;
            unknown++;
            continue;
        }
        unknown = 0;
        sim_whatif_path(pipeline->options.sim, pipeline_whatif_number(pipeline, whatif), path,
                        is[its]);
        whatif->paths_told = in_order ? path + 1 : whatif->paths_told;
    }
}

/*
 * The tool follows the agent from the moment that it took the question. What is listed must be as
 * late as that: it is, when the agent's rings have been read up to when misstop saw it taken.
 */
static void whatif_follow_one(struct pipeline *pipeline, struct pipeline_whatif *whatif,
                              uint64_t until_ns)
{
    if (!whatif->asked || whatif->wanting || whatif->state == WHATIF_REFUSED)
        return;
    tell_paths(pipeline, whatif);
    struct sim_answer answer =
        sim_whatif_answer(pipeline->options.sim, pipeline_whatif_number(pipeline, whatif));
    if (!whatif->taken_ns && answer.state == SIM_ANSWER_TAKEN)
        whatif->taken_ns = clock_now_ns();
    if (!whatif->listed && whatif->taken_ns && until_ns >= whatif->taken_ns)
        list_blocks(pipeline, whatif);
}

void pipeline_whatif_follow(struct pipeline *pipeline, uint64_t until_ns)
{
    if (is_wanting(pipeline))
        try_early(pipeline);
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        whatif_follow_one(pipeline, &pipeline->whatif.list[i], until_ns);
}
