/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "What if": a question of the user, planned from a snapshot and sent to the simulation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/state.h"
#include "sample/simulated/sim_memory.h"
#include "view/words.h"

static bool engine_whatif_ask(struct engine *engine, uint32_t object, uint32_t type,
                              const char *text);

/* ---- current and earlier answers ---- */

static void engine_whatif_set_waiting(struct engine_whatif *whatif, const char *why)
{
    whatif->shown.state = WHATIF_PENDING;
    snprintf(whatif->shown.reason, sizeof whatif->shown.reason, "%s", why);
}

static unsigned engine_whatif_number(const struct engine *engine,
                                     const struct engine_whatif *whatif)
{
    return (unsigned)(whatif - engine->whatif.list);
}

static unsigned engine_whatif_count(const struct engine *engine)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        count += engine->whatif.list[i].shown.state != WHATIF_NONE;
    return count;
}

/* A newer answer to the same question replaces the earlier one. */
static void remember_answer(struct engine_whatifs *all, const struct snapshot_whatif *answer)
{
    struct snapshot_whatif_past *past = all->past;
    struct snapshot_whatif_past now = {.object_id = answer->object_id,
                                       .stall_change = snapshot_whatif_change(answer)};
    uint32_t at = 0;
    if (isnan(now.stall_change))
        return;
    memcpy(now.object, answer->object, sizeof now.object);
    memcpy(now.question, answer->question, sizeof now.question);
    while (at < all->past_count &&
           (past[at].object_id != now.object_id || strcmp(past[at].question, now.question) != 0))
        at++;
    at = at < WHATIF_PAST_MAX ? at : WHATIF_PAST_MAX - 1;
    all->past_count += at == all->past_count;
    memmove(past + 1, past, at * sizeof *past);
    past[0] = now;
}

static void engine_whatif_forget(struct engine *engine, struct engine_whatif *whatif)
{
    remember_answer(&engine->whatif, &whatif->shown);
    if (whatif->shown.state != WHATIF_NONE)
        sim_whatif_end(engine->options.sim, engine_whatif_number(engine, whatif));
    *whatif = (struct engine_whatif){.question_number = 0};
}

static void fill_counts(struct engine *engine, const struct engine_whatif *whatif,
                        const struct sim_answer *answer, struct snapshot_whatif *out)
{
    const struct whatif_counts *counts = &answer->counts;
    out->level_count = engine->options.sim->settings.level_count;
    out->settled = answer->settled;
    out->blocks = (double)answer->blocks;
    out->blocks_left_out =
        (double)answer->blocks_refused + (double)answer->blocks_unknown + (double)whatif->left_out;
    out->blocks_small = (double)answer->blocks_small;
    out->accesses = (double)counts->accesses;
    out->object_accesses = (double)counts->object_accesses;
    out->split_accesses = (double)counts->split_accesses;
    for (uint32_t i = 0; i < out->level_count; i++)
        out->level[i] =
            (struct snapshot_whatif_level){.before = (double)counts->before.all[i],
                                           .after = (double)counts->after.all[i],
                                           .object_before = (double)counts->before.object[i],
                                           .object_after = (double)counts->after.object[i],
                                           .cold_share = (double)counts->cold_misses[i]};
    whatif_weigh(out, whatif->request.kind == WHATIF_NEVER);
}

static void update_whatif(struct engine *engine, struct engine_whatif *whatif)
{
    struct snapshot_whatif *shown = &whatif->shown;
    shown->number = engine_whatif_number(engine, whatif);
    if (whatif->question_number && !whatif->unsent) {
        struct sim_answer answer = sim_whatif_answer(engine->options.sim, shown->number);
        if (answer.state == SIM_ANSWER_REFUSED) {
            engine_whatif_set_waiting(whatif, answer.why);
            shown->state = WHATIF_REFUSED;
        } else if (answer.state == SIM_ANSWER_COUNTS) {
            shown->state = WHATIF_COUNTING;
            shown->reason[0] = '\0';
            fill_counts(engine, whatif, &answer, shown);
        }
    }
    if (whatif->unsent && engine->ended)
        engine_whatif_set_waiting(whatif, "the program ended before the question could be asked");
}

/* Returns true if `one` sorts first: by saving, questions without an answer last. */
static bool sorts_first(const struct snapshot_whatif *one, const struct snapshot_whatif *other)
{
    double left = snapshot_whatif_change(one);
    double right = snapshot_whatif_change(other);
    return isnan(right) ? !isnan(left) : left < right;
}

struct snapshot_whatifs engine_whatif_state(struct engine *engine)
{
    struct engine_whatifs *all = &engine->whatif;
    struct snapshot_whatifs out = {.past_count = all->past_count};
    memcpy(out.past, all->past, sizeof out.past);
    for (unsigned i = 0; i < WHATIF_MAX; i++) {
        if (all->list[i].shown.state == WHATIF_NONE)
            continue;
        update_whatif(engine, &all->list[i]);
        uint32_t at = out.count++;
        for (; at > 0 && sorts_first(&all->list[i].shown, &out.list[at - 1]); at--)
            out.list[at] = out.list[at - 1];
        out.list[at] = all->list[i].shown;
    }
    return out;
}

static const char *withdraw_requested(struct engine *engine, const struct request *request)
{
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        if (request->whatif == WHATIF_MAX || request->whatif == i)
            engine_whatif_forget(engine, &engine->whatif.list[i]);
    return engine_whatif_count(engine) ? "withdrawn; the other questions continue"
                                       : "no open questions";
}

const char *engine_whatif_request(struct engine *engine, const struct request *request)
{
    if (request->kind == REQUEST_WHATIF_END)
        return withdraw_requested(engine, request);
    if (engine->ended)
        return "the program has ended: a question needs a running program";
    return engine_whatif_ask(engine, request->object, request->type, request->name)
               ? "asked; both counts start now"
               : "too many questions; press Right, then x on one to withdraw it";
}

enum { PATHS_AT_ONCE = 1 << 16, TRY_EVERY_MS = 50, TRIES_MAX = 10, AWAITED_FROM = 200000 };

int engine_whatif_check(const char *const texts[], struct error *error)
{
    struct engine_whatif whatif;
    int code = 0;
    for (unsigned i = 0; texts && texts[i] && !code; i++)
        code = whatif_parse(texts[i], &whatif.request, whatif.shown.object,
                            sizeof whatif.shown.object, error);
    return code;
}

/* Returns the slot of the same question, or a free slot; NULL if all slots have other questions. */
static struct engine_whatif *find_question_slot(struct engine *engine, uint32_t object,
                                                const struct whatif_request *wanted,
                                                const char *name)
{
    struct engine_whatif *unused = NULL;
    char words[WHATIF_QUESTION];
    whatif_words(wanted, words, sizeof words);
    for (unsigned i = 0; i < WHATIF_MAX; i++) {
        struct engine_whatif *whatif = &engine->whatif.list[i];
        const struct snapshot_whatif *shown = &whatif->shown;
        bool its = object ? shown->object_id == object : !strcmp(shown->object, name);
        if (shown->state != WHATIF_NONE && its && !strcmp(shown->question, words))
            return whatif;
        if (shown->state == WHATIF_NONE && !unused)
            unused = whatif;
    }
    return unused;
}

static bool engine_whatif_ask(struct engine *engine, uint32_t object, uint32_t type,
                              const char *text)
{
    struct whatif_request wanted;
    char name[WHATIF_OBJECT];
    struct error error;
    if (!engine->options.sim || whatif_parse(text, &wanted, name, sizeof name, &error))
        return true;
    struct engine_whatif *whatif = find_question_slot(engine, object, &wanted, name);
    if (!whatif)
        return false;
    engine_whatif_forget(engine, whatif);
    whatif->type = type;
    whatif->request = wanted;
    whatif->shown.object_id = object;
    memcpy(whatif->shown.object, name, sizeof name);
    whatif_words(&wanted, whatif->shown.question, sizeof whatif->shown.question);
    engine_whatif_set_waiting(whatif, "no object of that name has been seen yet");
    whatif->unsent = true;
    return true;
}

void engine_whatif_await(struct engine *engine)
{
    const char *const *texts = engine->options.what_if;
    for (unsigned i = 0; texts && i < WHATIF_MAX && texts[i]; i++)
        engine_whatif_ask(engine, 0, 0, texts[i]);
    unsigned count = engine_whatif_count(engine);
    if (count)
        sim_whatif_await(engine->options.sim, AWAITED_FROM, count);
}

/* ---- asking ---- */

static const struct snapshot_object *find_object(const struct snapshot_whatif *asked,
                                                 const struct snapshot *snapshot)
{
    const struct snapshot_object *part = NULL;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        if (asked->object_id ? object->id == asked->object_id
                             : !strcmp(object->name, asked->object))
            return object;
        if (!asked->object_id && !part && strstr(object->name, asked->object))
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

static uint32_t line_bytes(const struct engine *engine)
{
    const struct sim_settings *wanted = &engine->options.sim->settings;
    return wanted->levels[wanted->level_count - 1].line_bytes;
}

static void whatif_ask_if_known(struct engine *engine, struct engine_whatif *whatif,
                                const struct snapshot *snapshot)
{
    struct error error;
    struct whatif_plan plan;
    bool follows;
    if (!whatif->unsent)
        return;
    struct snapshot_whatif *shown = &whatif->shown;
    const struct snapshot_object *object = find_object(shown, snapshot);
    if (!object)
        return;
    shown->object_id = object->id;
    snprintf(shown->object, sizeof shown->object, "%s", object->name);
    if (whatif_plan(&whatif->request, object, find_layout(object, whatif->type), line_bytes(engine),
                    &plan, &error) ||
        resolver_blocks(engine->resolver, object->id, count_block, NULL, &follows, &error)) {
        engine_whatif_set_waiting(whatif, error.text);
        return;
    }
    whatif_plan_words(&plan, shown->layout, sizeof shown->layout);
    engine_whatif_set_waiting(whatif, "the program has not accepted it yet");
    whatif->unsent = false;
    whatif->paths_reported = 0;
    whatif->question_number = sim_whatif_ask(
        engine->options.sim, engine_whatif_number(engine, whatif), &plan.layout, follows);
    whatif->follows_new_blocks = follows;
}

void engine_whatif_step(struct engine *engine, const struct snapshot *snapshot)
{
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        whatif_ask_if_known(engine, &engine->whatif.list[i], snapshot);
}

static bool has_wanting_question(const struct engine *engine)
{
    bool wanting = false;
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        wanting |= engine->whatif.list[i].unsent;
    return wanting;
}

/* While the program waits for the questions, asks each one as soon as its object and type are
 * known. The type requires accesses after the debug information has been read. */
static void ask_questions_early(struct engine *engine)
{
    struct engine_whatifs *whatif = &engine->whatif;
    uint64_t now = clock_now_ns();
    uint64_t accesses = sim_whatif_waits(engine->options.sim);
    if (!accesses || now < whatif->tried_ns + TRY_EVERY_MS * 1000000ull)
        return;
    whatif->tried_ns = now;
    resolver_tick(engine->resolver, now);
    bool read = engine_whatif_step_unshown(engine);
    if (has_wanting_question(engine) && read)
        sim_whatif_await(engine->options.sim,
                         ++whatif->tries < TRIES_MAX ? accesses + AWAITED_FROM : 0,
                         engine_whatif_count(engine));
}

/* Blocks */

struct listing {
    struct engine *engine;
    struct engine_whatif *whatif;
};

static void list_block_for_whatif(void *context, uint64_t start, uint64_t bytes)
{
    const struct listing *listing = context;
    listing->whatif->left_out +=
        !sim_whatif_block(listing->engine->options.sim,
                          engine_whatif_number(listing->engine, listing->whatif), start, bytes);
}

static void list_blocks(struct engine *engine, struct engine_whatif *whatif)
{
    struct listing listing = {engine, whatif};
    struct error error;
    bool follows;
    if (resolver_blocks(engine->resolver, whatif->shown.object_id, list_block_for_whatif, &listing,
                        &follows, &error))
        engine_whatif_set_waiting(whatif, error.text);
    sim_whatif_listed(engine->options.sim, engine_whatif_number(engine, whatif));
    whatif->listed = true;
}

/* Reports paths in order, because the tool stops at the first path that was not reported. */
static void report_paths(struct engine *engine, struct engine_whatif *whatif)
{
    static const enum sim_path is[] = {
        [ALLOCATION_PATH_OTHER] = SIM_PATH_OTHER, [ALLOCATION_PATH_MATCHES] = SIM_PATH_ASKED};
    if (whatif->paths_reported >= SIM_PATHS_MAX || !whatif->follows_new_blocks)
        return;
    uint32_t end = whatif->paths_reported + PATHS_AT_ONCE;
    bool in_order = true;
    uint32_t unknown = 0;
    for (uint32_t path = whatif->paths_reported; path < end && unknown < 64; path++) {
        enum allocation_path its = resolver_path(engine->resolver, whatif->shown.object_id, path);
        if (its == ALLOCATION_PATH_UNKNOWN) {
            in_order &= !path;
            unknown++;
            continue;
        }
        unknown = 0;
        sim_whatif_path(engine->options.sim, engine_whatif_number(engine, whatif), path, is[its]);
        whatif->paths_reported = in_order ? path + 1 : whatif->paths_reported;
    }
}

/* The tool follows the agent from when it accepted the question, so the listed blocks must not be
 * older: the rings must be read up to the time at which misstop saw the acceptance. */
static void whatif_follow_blocks_of(struct engine *engine, struct engine_whatif *whatif,
                                    uint64_t until_ns)
{
    if (!whatif->question_number || whatif->unsent || whatif->shown.state == WHATIF_REFUSED)
        return;
    report_paths(engine, whatif);
    struct sim_answer answer =
        sim_whatif_answer(engine->options.sim, engine_whatif_number(engine, whatif));
    if (!whatif->accepted_ns && answer.state == SIM_ANSWER_TAKEN)
        whatif->accepted_ns = clock_now_ns();
    if (!whatif->listed && whatif->accepted_ns && until_ns >= whatif->accepted_ns)
        list_blocks(engine, whatif);
}

void engine_whatif_follow(struct engine *engine, uint64_t until_ns)
{
    if (has_wanting_question(engine))
        ask_questions_early(engine);
    for (unsigned i = 0; i < WHATIF_MAX; i++)
        whatif_follow_blocks_of(engine, &engine->whatif.list[i], until_ns);
}
