/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/whatif.h"

#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "valgrind/agent_rings.h"
#include "valgrind/pages.h"
#include "valgrind/shared.h"
#include "sim/whatif.h"

/* Events while misstop lists blocks, and blocks whose path it has not heard of yet. */
enum { LOG_MAX = 1 << 19, PENDING_MAX = 4096 };
enum { PATIENCE_MS = 3000 };

static struct sim_question question; /* ours: what stands in the memory may change */
static struct whatif whatif;
static enum sim_answer_state state;
static ULong zeroed;
static struct agent_event *log; /* [LOG_MAX], until the blocks are listed */
static UInt log_count;
static struct agent_event pending[PENDING_MAX];
static UInt pending_count;
static ULong unknown; /* blocks that found no room there */

static void refuse(const HChar *why)
{
    struct sim_answer *answer = &shared->answer;
    VG_(strncpy)(answer->why, why, SIM_NAME_BYTES - 1);
    answer->why[SIM_NAME_BYTES - 1] = '\0';
    state = SIM_ANSWER_REFUSED;
    __atomic_store_n(&answer->state, SIM_ANSWER_REFUSED, __ATOMIC_RELEASE);
}

static void fail(void *context, const char *text)
{
    (void)context;
    refuse(text);
}

/* ---- blocks that come and go ---- */

static UInt path_of(UInt path)
{
    return path && path < SIM_PATHS_MAX ? shared->paths[path] : SIM_PATH_OTHER;
}

static void forget_pending(Addr address)
{
    for (UInt i = 0; i < pending_count; i++)
        if (pending[i].address == address)
            pending[i--] = pending[--pending_count];
}

static void apply(const struct agent_event *event)
{
    moved_remove(&whatif.moved, event->address);
    forget_pending(event->address);
    if (!event->bytes)
        return;
    UInt path = path_of(event->path);
    if (path == SIM_PATH_ASKED)
        moved_add(&whatif.moved, event->address, event->bytes);
    else if (path == SIM_PATH_UNKNOWN && pending_count < PENDING_MAX)
        pending[pending_count++] = *event;
    else
        unknown += path == SIM_PATH_UNKNOWN;
}

static void keep(const struct agent_event *event)
{
    if (log_count < LOG_MAX)
        log[log_count] = *event;
    log_count++;
}

static void follow(void)
{
    if (!agent_rings_follow(state == SIM_ANSWER_TAKEN ? keep : apply) || log_count > LOG_MAX)
        refuse("more blocks came and went than could be followed");
}

static void settle_pending(void)
{
    UInt count = pending_count;
    pending_count = 0;
    for (UInt i = 0; i < count; i++) {
        UInt path = path_of(pending[i].path);
        if (path == SIM_PATH_ASKED)
            moved_add(&whatif.moved, pending[i].address, pending[i].bytes);
        else if (path == SIM_PATH_UNKNOWN)
            pending[pending_count++] = pending[i];
    }
}

/* ---- a question ---- */

static void end(void)
{
    pages_give_back();
    log = NULL;
    log_count = pending_count = 0;
    unknown = 0;
    state = SIM_ANSWER_NONE;
}

void whatif_start(void)
{
    question.asked = shared->question.asked;
    if (question.asked)
        refuse("the process runs another program now");
    state = SIM_ANSWER_NONE;
}

static void take(const struct model_spec *spec)
{
    static struct model_host host = {.allocate = pages_take, .fail = fail};
    struct sim_answer *answer = &shared->answer;
    end();
    question = shared->question;
    zeroed = question.zeroed;
    VG_(memset)(answer, 0, sizeof *answer);
    if (question.asked) {
        state = SIM_ANSWER_TAKEN;
        log = question.follows ? pages_take(NULL, LOG_MAX * sizeof *log) : NULL;
        if (question.follows && (!log || !agent_rings_begin()))
            refuse(log ? "the program does not load the allocation agent" : "no memory");
        else
            whatif_init(&whatif, &question.layout, spec, &host);
        answer->stamp = shared_stamp();
        answer->state = state;
    }
    __atomic_store_n(&answer->of, question.asked, __ATOMIC_RELEASE);
}

/* What happened since the question was taken happens to the list again: it ends up as it is. */
static void begin(const struct model *first)
{
    UInt count = shared->question.block_count;
    for (UInt i = 0; i < count && i < SIM_BLOCKS_MAX; i++) {
        struct sim_block block = shared->blocks[i];
        moved_add(&whatif.moved, block.start, block.bytes);
    }
    for (UInt i = 0; i < log_count; i++)
        apply(&log[i]);
    log_count = 0;
    state = SIM_ANSWER_COUNTS;
    whatif_begin(&whatif, first);
}

static void publish(void)
{
    struct sim_answer *answer = &shared->answer;
    const struct whatif_counts *counts = &whatif.counts;
    answer->settled = !whatif.settles_after;
    answer->blocks = whatif.moved.live;
    answer->blocks_refused = whatif.moved.refused;
    answer->blocks_small = whatif.moved.small;
    answer->blocks_unknown = pending_count + unknown;
    answer->accesses = counts->accesses;
    answer->object_accesses = counts->object_accesses;
    answer->cut = counts->cut;
    for (UInt i = 0; i < SIM_LEVELS_MAX; i++) {
        answer->before[i] = counts->before.all[i];
        answer->object_before[i] = counts->before.object[i];
        answer->after[i] = counts->after.all[i];
        answer->object_after[i] = counts->after.object[i];
        answer->fresh[i] = counts->fresh[i];
    }
    __atomic_store_n(&answer->state, state, __ATOMIC_RELEASE);
}

/* One step towards an answer. */
static void hear(const struct model *first, const struct model_spec *spec)
{
    if (__atomic_load_n(&shared->question.asked, __ATOMIC_ACQUIRE) != question.asked)
        take(spec);
    if (question.follows && (state == SIM_ANSWER_TAKEN || state == SIM_ANSWER_COUNTS))
        follow();
    if (state == SIM_ANSWER_TAKEN &&
        __atomic_load_n(&shared->question.listed, __ATOMIC_ACQUIRE) == question.asked)
        begin(first);
}

static Bool is_awaited(ULong accesses)
{
    ULong from = __atomic_load_n(&shared->question.awaited, __ATOMIC_ACQUIRE);
    return from && accesses > from && state != SIM_ANSWER_COUNTS && state != SIM_ANSWER_REFUSED &&
           !shared->header.stop;
}

/* Not for a misstop that is gone, or stopped. */
static void wait_for_question(const struct model *first, const struct model_spec *spec,
                              ULong accesses)
{
    ULong reads = shared->header.reads;
    UInt waited_ms = 0;
    for (; waited_ms < PATIENCE_MS && is_awaited(accesses); waited_ms++) {
        __atomic_store_n(&shared->answer.waits, accesses, __ATOMIC_RELEASE);
        VG_(poll)(NULL, 0, 1);
        hear(first, spec);
        ULong now = __atomic_load_n(&shared->header.reads, __ATOMIC_RELAXED);
        waited_ms = now == reads ? waited_ms : 0;
        reads = now;
    }
    if (waited_ms == PATIENCE_MS || state == SIM_ANSWER_COUNTS || state == SIM_ANSWER_REFUSED)
        shared->question.awaited = 0;
    shared->answer.waits = 0;
}

Bool whatif_look(const struct model *first, const struct model_spec *spec, UInt thread,
                 ULong accesses)
{
    if (is_awaited(accesses))
        wait_for_question(first, spec, accesses);
    if (shared->question.asked == question.asked && state == SIM_ANSWER_NONE)
        return False;
    hear(first, spec);
    if (state != SIM_ANSWER_COUNTS || whatif_runs(&whatif, thread))
        return False;
    if (zeroed != shared->question.zeroed)
        whatif.counts = (struct whatif_counts){.accesses = 0};
    zeroed = shared->question.zeroed;
    settle_pending();
    publish();
    return True;
}

void whatif_take(Addr address, UInt size, UInt kind, UInt ip, UInt served)
{
    if (agent_rings_ran && question.follows)
        follow();
    whatif_access(&whatif, address, size, kind, ip, served);
}

void whatif_finish(void)
{
    if (state == SIM_ANSWER_COUNTS)
        publish();
}
