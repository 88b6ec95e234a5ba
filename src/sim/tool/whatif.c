/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "sim/model/whatif.h"
#include "sim/tool/tool.h"

/* Events recorded while misstop lists blocks, and blocks with a path not yet received. */
enum { LOG_MAX = 1 << 19, PENDING_MAX = 4096 };
enum { PATIENCE_MS = 3000 };

/* A question, by its number in the shared memory. */
struct tool_question {
    UInt number;
    struct sim_question question; /* private copy: the shared one may change */
    struct whatif whatif;
    struct pages pages; /* its memory */
    enum sim_answer_state state;
    struct agent_event *log; /* [LOG_MAX], until the blocks are listed */
    UInt log_count;
    struct agent_event pending[PENDING_MAX];
    UInt pending_count;
    ULong unknown; /* blocks that did not fit into `pending` */
};

static struct tool_question all[SIM_QUESTIONS_MAX];
static ULong zeroed;
static Bool follows; /* any question follows blocks */

static void whatif_refuse(struct tool_question *asked, const HChar *why)
{
    struct sim_answer *answer = &shared->answers[asked->number];
    VG_(strncpy)(answer->why, why, SIM_NAME_BYTES - 1);
    answer->why[SIM_NAME_BYTES - 1] = '\0';
    asked->state = SIM_ANSWER_REFUSED;
    __atomic_store_n(&answer->state, SIM_ANSWER_REFUSED, __ATOMIC_RELEASE);
}

static void asked_fail(void *context, const char *text)
{
    whatif_refuse(context, text);
}

static void *asked_allocate(void *context, size_t size_bytes)
{
    struct tool_question *asked = context;
    return pages_take(&asked->pages, size_bytes);
}

/* ---- allocations and frees ---- */

static UInt asked_path_kind(const struct tool_question *asked, UInt path)
{
    return path && path < SIM_PATHS_MAX ? shared->paths[asked->number][path] : SIM_PATH_OTHER;
}

static void forget_pending(struct tool_question *asked, Addr address)
{
    for (UInt i = 0; i < asked->pending_count; i++)
        if (asked->pending[i].address == address)
            asked->pending[i--] = asked->pending[--asked->pending_count];
}

static void apply_event(struct tool_question *asked, const struct agent_event *event)
{
    moved_remove(&asked->whatif.moved, event->address);
    forget_pending(asked, event->address);
    if (!event->bytes)
        return;
    UInt path = asked_path_kind(asked, event->path);
    if (path == SIM_PATH_ASKED)
        moved_add(&asked->whatif.moved, event->address, event->bytes);
    else if (path == SIM_PATH_UNKNOWN && asked->pending_count < PENDING_MAX)
        asked->pending[asked->pending_count++] = *event;
    else
        asked->unknown += path == SIM_PATH_UNKNOWN;
}

static Bool is_following(const struct tool_question *asked)
{
    return asked->question.follows_new_blocks &&
           (asked->state == SIM_ANSWER_TAKEN || asked->state == SIM_ANSWER_COUNTS);
}

/* Applies an event, or records it while misstop lists the blocks. */
static void take_event(const struct agent_event *event)
{
    for (struct tool_question *asked = all; asked < all + SIM_QUESTIONS_MAX; asked++) {
        if (!is_following(asked))
            continue;
        if (asked->state == SIM_ANSWER_COUNTS)
            apply_event(asked, event);
        else if (asked->log_count++ < LOG_MAX)
            asked->log[asked->log_count - 1] = *event;
    }
}

static void whatif_follow_blocks(void)
{
    Bool whole = agent_rings_follow(take_event);
    follows = False;
    for (struct tool_question *asked = all; asked < all + SIM_QUESTIONS_MAX; asked++) {
        if (is_following(asked) && (!whole || asked->log_count > LOG_MAX))
            whatif_refuse(asked, "too many allocations to follow");
        follows |= is_following(asked);
    }
}

static void settle_pending(struct tool_question *asked)
{
    UInt count = asked->pending_count;
    asked->pending_count = 0;
    for (UInt i = 0; i < count; i++) {
        UInt path = asked_path_kind(asked, asked->pending[i].path);
        if (path == SIM_PATH_ASKED)
            moved_add(&asked->whatif.moved, asked->pending[i].address, asked->pending[i].bytes);
        else if (path == SIM_PATH_UNKNOWN)
            asked->pending[asked->pending_count++] = asked->pending[i];
    }
}

/* ---- questions ---- */

static void end_question(struct tool_question *asked)
{
    pages_give_back(&asked->pages);
    asked->log = NULL;
    asked->log_count = asked->pending_count = 0;
    asked->unknown = 0;
    asked->state = SIM_ANSWER_NONE;
}

void whatif_start(void)
{
    for (UInt i = 0; i < SIM_QUESTIONS_MAX; i++) {
        all[i].number = i;
        all[i].question.number = shared->questions[i].number;
        if (all[i].question.number)
            whatif_refuse(&all[i], "the process runs another program now");
        all[i].state = SIM_ANSWER_NONE;
    }
    zeroed = shared->control.resets;
}

/* Starts following blocks. For a further question, the rings have been read up to here. */
static Bool begin_following(void)
{
    Bool before = follows;
    follows = True;
    return before || agent_rings_begin();
}

static void whatif_take_question(struct tool_question *asked, const struct model_spec *spec)
{
    struct model_host host = {.context = asked, .allocate = asked_allocate, .fail = asked_fail};
    struct sim_answer *answer = &shared->answers[asked->number];
    end_question(asked);
    if (follows)
        whatif_follow_blocks();
    asked->question = shared->questions[asked->number];
    VG_(memset)(answer, 0, sizeof *answer);
    if (asked->question.number) {
        Bool its = asked->question.follows_new_blocks != 0;
        asked->state = SIM_ANSWER_TAKEN;
        asked->log = its ? pages_take(&asked->pages, LOG_MAX * sizeof *asked->log) : NULL;
        if (its && (!asked->log || !begin_following()))
            whatif_refuse(asked, asked->log ? "the program does not load the allocation agent"
                                            : "no memory");
        else
            whatif_init(&asked->whatif, &asked->question.layout, spec, &host);
        answer->stamp = shared_stamp();
        answer->state = asked->state;
    }
    __atomic_store_n(&answer->question, asked->question.number, __ATOMIC_RELEASE);
}

/* Brings the list of blocks up to date by the events since the question was accepted. */
static void whatif_begin_model(struct tool_question *asked, const struct model *first)
{
    UInt count = shared->questions[asked->number].block_count;
    for (UInt i = 0; i < count && i < SIM_BLOCKS_MAX; i++) {
        struct sim_block block = shared->blocks[asked->number][i];
        moved_add(&asked->whatif.moved, block.start, block.bytes);
    }
    for (UInt i = 0; i < asked->log_count; i++)
        apply_event(asked, &asked->log[i]);
    asked->log_count = 0;
    asked->state = SIM_ANSWER_COUNTS;
    whatif_begin(&asked->whatif, first);
}

static void publish_answer(const struct tool_question *asked)
{
    struct sim_answer *answer = &shared->answers[asked->number];
    answer->settled = !asked->whatif.settles_after;
    answer->blocks = asked->whatif.moved.live;
    answer->blocks_refused = asked->whatif.moved.refused;
    answer->blocks_small = asked->whatif.moved.unmoved_blocks;
    answer->blocks_unknown = asked->pending_count + asked->unknown;
    answer->counts = asked->whatif.counts;
    __atomic_store_n(&answer->state, asked->state, __ATOMIC_RELEASE);
}

static void accept_question(const struct model *first, const struct model_spec *spec)
{
    for (struct tool_question *asked = all; asked < all + SIM_QUESTIONS_MAX; asked++)
        if (__atomic_load_n(&shared->questions[asked->number].number, __ATOMIC_ACQUIRE) !=
            asked->question.number)
            whatif_take_question(asked, spec);
    if (follows)
        whatif_follow_blocks();
    for (struct tool_question *asked = all; asked < all + SIM_QUESTIONS_MAX; asked++)
        if (asked->state == SIM_ANSWER_TAKEN &&
            __atomic_load_n(&shared->questions[asked->number].listed_number, __ATOMIC_ACQUIRE) ==
                asked->question.number)
            whatif_begin_model(asked, first);
}

/* Returns True if all awaited questions count or are refused. */
static Bool all_questions_settled(void)
{
    UInt count = 0;
    for (UInt i = 0; i < SIM_QUESTIONS_MAX; i++)
        count += all[i].state == SIM_ANSWER_COUNTS || all[i].state == SIM_ANSWER_REFUSED;
    return count && count >= shared->control.wait_question_count;
}

static Bool is_awaited(ULong accesses)
{
    ULong from = __atomic_load_n(&shared->control.wait_at_access, __ATOMIC_ACQUIRE);
    return from && accesses > from && !all_questions_settled() && !shared->header.stop;
}

/* Waits for awaited questions. Gives up if misstop has exited or is stopped. */
static void wait_for_questions(const struct model *first, const struct model_spec *spec,
                               ULong accesses)
{
    ULong reads = shared->header.reads;
    UInt waited_ms = 0;
    for (; waited_ms < PATIENCE_MS && is_awaited(accesses); waited_ms++) {
        __atomic_store_n(&shared->control.waiting_at_access, accesses, __ATOMIC_RELEASE);
        VG_(poll)(NULL, 0, 1);
        accept_question(first, spec);
        ULong now = __atomic_load_n(&shared->header.reads, __ATOMIC_RELAXED);
        waited_ms = now == reads ? waited_ms : 0;
        reads = now;
    }
    if (waited_ms == PATIENCE_MS || all_questions_settled())
        shared->control.wait_at_access = 0;
    shared->control.waiting_at_access = 0;
}

static Bool has_no_question(void)
{
    for (UInt i = 0; i < SIM_QUESTIONS_MAX; i++)
        if (shared->questions[i].number != all[i].question.number ||
            all[i].state != SIM_ANSWER_NONE)
            return False;
    return True;
}

Bool whatif_poll(const struct model *first, const struct model_spec *spec, UInt thread,
                 ULong accesses)
{
    Bool any = False;
    if (is_awaited(accesses))
        wait_for_questions(first, spec, accesses);
    if (has_no_question())
        return False;
    accept_question(first, spec);
    Bool restarts = zeroed != shared->control.resets;
    zeroed = shared->control.resets;
    for (struct tool_question *asked = all; asked < all + SIM_QUESTIONS_MAX; asked++) {
        if (asked->state != SIM_ANSWER_COUNTS || whatif_runs(&asked->whatif, thread))
            continue;
        if (restarts)
            asked->whatif.counts = (struct whatif_counts){.accesses = 0};
        settle_pending(asked);
        publish_answer(asked);
        any = True;
    }
    return any;
}

void whatif_take(Addr address, UInt size, UInt kind, UInt ip, UInt served)
{
    if (agent_rings_ran && follows)
        whatif_follow_blocks();
    for (struct tool_question *asked = all; asked < all + SIM_QUESTIONS_MAX; asked++)
        if (asked->state == SIM_ANSWER_COUNTS)
            whatif_access(&asked->whatif, address, size, kind, ip, served);
}

void whatif_finish(void)
{
    for (UInt i = 0; i < SIM_QUESTIONS_MAX; i++)
        if (all[i].state == SIM_ANSWER_COUNTS)
            publish_answer(&all[i]);
}
