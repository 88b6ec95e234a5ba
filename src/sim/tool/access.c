/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "sim/model/model.h"
#include "sim/tool/tool.h"

static VgHashTable *sequences;

void sequence_start(void)
{
    sequences = VG_(HT_construct)("misstop.sequences");
}

static Word sequence_compare(const void *left, const void *right)
{
    const struct sequence *one = left, *other = right;
    if (one->count != other->count)
        return 1;
    for (UInt i = 0; i < one->count; i++)
        if (one->accesses[i].place != other->accesses[i].place ||
            one->accesses[i].op != other->accesses[i].op)
            return 1;
    return 0;
}

static struct sequence *sequence_make(const struct sequence_access *accesses, UInt count)
{
    SizeT size_bytes = sizeof(struct sequence) + count * sizeof *accesses;
    struct sequence *made = VG_(calloc)("misstop.sequence", 1, size_bytes);
    made->count = count;
    for (UInt i = 0; i < count; i++) {
        made->accesses[i] = accesses[i];
        made->hash = (made->hash ^ (UWord)accesses[i].place ^ accesses[i].op) * 0x9e3779b97f4a7c15;
    }
    return made;
}

struct sequence *sequence_of(const struct sequence_access *accesses, UInt count)
{
    struct sequence *made = sequence_make(accesses, count);
    struct sequence *known = VG_(HT_gen_lookup)(sequences, made, sequence_compare);
    if (known) {
        VG_(free)(made);
        return known;
    }
    VG_(HT_add_node)(sequences, made);
    return made;
}

static void sequence_report(struct sequence *sequence)
{
    for (UInt i = 0; i < sequence->count; i++) {
        struct sequence_access *access = &sequence->accesses[i];
        /* A block that was left by a signal has not counted its last sequence. */
        uint64_t left_out =
            access->left_out < sequence->passes ? access->left_out : sequence->passes;
        access->place->counts[access->op - 1] += sequence->passes - left_out;
        access->left_out -= left_out;
    }
    sequence->passes = 0;
}

/* Adds to the counts of instructions what was counted since the last time. */
static void sequences_report(void)
{
    struct sequence *sequence;
    VG_(HT_ResetIter)(sequences);
    while ((sequence = VG_(HT_Next)(sequences)))
        if (sequence->passes)
            sequence_report(sequence);
}

/* More threads than this share caches. */
enum { CACHES_MAX = 64, REPORT_EVERY = 1 << 22 /* accesses */ };

struct access_now access_now = {.next = ACCESS_NEVER};
static struct access_shape shape;

/* Handling of an access: nothing; counted; counted, and a question about it is open. */
enum counting { COUNTS_NOT, COUNTS, COUNTS_ASKED };

static struct model_spec spec;
static struct model *model;
static struct model_thread *cache; /* of who runs */
static struct sim_thread *totals;  /* likewise; NULL: none does yet */
static uint64_t reported_at;       /* time of the clock up to which they count */
static struct model_fast *nothing; /* a table */
static const uint64_t *nothing_fetched;
static Bool wanted; /* by the program's functions */
static enum counting counting;
static Bool due;            /* an access is reported soon */
static UInt accesses_drawn; /* from the last one reported to that */
static Addr left_out;
static SizeT left_out_bytes;

static void fail(void *context, const char *text)
{
    (void)context;
    VG_(strncpy)(shared->header.trouble, text, SIM_NAME_BYTES - 1);
    __atomic_store_n(&shared->header.state, SIM_GAVE_UP, __ATOMIC_RELEASE);
}

static void fill_spec(void)
{
    const struct sim_header *header = &shared->header;
    spec.level_count = header->level_count;
    spec.threads = CACHES_MAX;
    spec.whole_access_below = True;
    spec.no_figures = True;
    spec.causes = (header->flags & SIM_WANT_CAUSES) != 0;
    for (UInt i = 0; i < header->level_count; i++)
        spec.level[i] = (struct model_level_spec){
            .size_bytes = header->levels[i].size_bytes,
            .ways = header->levels[i].ways,
            .line_bytes = header->levels[i].line_bytes,
            .policy = MODEL_LRU,
            /* As processors have it: the last of three, or the only one below the first. */
            .shared = i && i + 1 == header->level_count,
        };
    if (header->flags & SIM_WANT_CODE)
        spec.instruction = spec.level[0];
    model_spec_complete(&spec);
}

const struct access_shape *access_shape(void)
{
    return &shape;
}

/* All threads have caches of one shape; Valgrind numbers the first 1. */
static void take_shape(void)
{
    static struct model_unread unread;
    const struct model_thread *first = model_thread(model, 1);
    if (!first)
        return;
    nothing = pages_keep(NULL, (first->fast_mask + 1) * sizeof *nothing);
    nothing_fetched = pages_keep(NULL, (first->fetch_sets + 1) * sizeof *nothing_fetched);
    if (!nothing || !nothing_fetched) {
        fail(NULL, "no memory for the simulated caches");
        return;
    }
    model_fast_clear(nothing, first->fast_mask, first->line_shift, &unread);
    shape = (struct access_shape){.clock = first->clock,
                                  .mask = first->fast_mask,
                                  .line_shift = first->line_shift,
                                  .line_bytes = first->line_bytes,
                                  .timed = first->timed,
                                  .use = first->use && !first->grain_shift,
                                  .unread = &unread,
                                  .fetch_sets = first->fetch_sets};
}

static void draw_next(uint64_t now)
{
    accesses_drawn = report_access_next();
    access_now.next =
        accesses_drawn ? now + (uint64_t)accesses_drawn * MODEL_CLOCK_STEP : ACCESS_NEVER;
}

void access_start(void)
{
    static struct model_host host = {.allocate = pages_keep,
                                     .fail = fail,
                                     .miss = missed_by_model,
                                     .asks_causes = missed_asks_causes};
    fill_spec();
    struct model_spec asked = spec; /* a second model, of another layout, needs none of it */
    lines_want(&asked, &host);
    model = model_new(&asked, &host);
    if (model)
        take_shape();
    report_start();
    whatif_start();
    draw_next(0);
    access_count(!shared->header.from[0]);
}

static void settle_table(void)
{
    access_now.fetcher = counting == COUNTS_NOT ? NULL : cache;
    access_now.fetched = access_now.fetcher ? cache->fetched : nothing_fetched;
    Bool heard = counting == COUNTS && !due && (!cache->use || shape.use);
    access_now.table = heard ? cache->fast : nothing;
}

/* Both the program's functions and the user may stop it. */
static void access_settle(void)
{
    Bool counts = wanted && cache && shared && !shared->header.paused && !shared->header.stop;
    Bool asked =
        counts && whatif_look(model, &spec, cache->number, *shape.clock / MODEL_CLOCK_STEP);
    counting = asked ? COUNTS_ASKED : counts ? COUNTS : COUNTS_NOT;
    if (shared)
        shared->header.counting = counts;
    settle_table();
}

void access_count(Bool on)
{
    wanted = on && shape.clock;
    access_settle();
}

VG_REGPARM(1) void access_turn(UWord on)
{
    if (shared)
        access_count(on != 0);
}

/* Each access took one step of the clock. Makes up for a block that a signal left before it counted
 * the accesses taken back. */
static void report_totals(void)
{
    Long loads = (Long)(*shape.clock - reported_at) / MODEL_CLOCK_STEP;
    if (loads < 0 || access_now.counts[SIM_STORE] < 0 || access_now.counts[SIM_OPS - 1] < 0)
        return;
    reported_at = *shape.clock;
    for (UInt op = SIM_STORE; op < SIM_OPS; op++) {
        totals->counts[op] += (uint64_t)access_now.counts[op];
        loads -= access_now.counts[op];
        access_now.counts[op] = 0;
    }
    totals->counts[SIM_LOAD] += (uint64_t)loads;
}

void access_report(Bool all)
{
    static uint64_t last;
    if (!shared || !shape.clock || !totals)
        return;
    report_totals();
    if (!all && *shape.clock - last < (uint64_t)REPORT_EVERY * MODEL_CLOCK_STEP)
        return;
    last = *shape.clock;
    if (model)
        model_settle(model);
    sequences_report();
}

void access_runs(UInt number, struct sim_thread *of)
{
    access_report(False);
    totals = of;
    cache = shape.clock ? model_thread(model, number) : NULL;
    lines_runs(of->tid);
    if (!cache)
        wanted = False;
    else
        cache->runs = (UInt)(of - shared->threads);
    access_settle();
}

void access_leave_out(Addr start, SizeT length)
{
    left_out = start;
    left_out_bytes = length;
}

Bool access_is_left_out(Addr address)
{
    return address - left_out < left_out_bytes;
}

void access_finish(void)
{
    if (model && totals && shared->header.flags & SIM_WANT_USE)
        model_finish(model);
}

void access_due(void)
{
    due = True;
    settle_table();
}

/* Translated code counts it and lets the time go on for it. */
static void take_back(struct sequence_access *access)
{
    access->left_out++;
    access_now.counts[access->op]--;
    *shape.clock -= MODEL_CLOCK_STEP;
}

static void access_run(struct sim_instruction *place, Addr address, UWord what)
{
    UInt kind = what & ((1u << ACCESS_SIZE_SHIFT) - 1);
    UInt size = (UShort)(what >> ACCESS_SIZE_SHIFT);
    UInt id = (UInt)(place - shared->instructions);
    uint64_t start = *shape.clock;
    uint64_t before = start + (what >> ACCESS_BEFORE_SHIFT) * MODEL_CLOCK_STEP;
    *shape.clock = before;
    UInt served = model_access(cache, address, size, kind, id);
    *shape.clock = start;
    if (__builtin_expect(counting == COUNTS_ASKED, 0))
        whatif_take(address, size, kind, id, served);
    if (__builtin_expect(served, 0) && !access_is_left_out(address))
        missed_take(totals, place, address, size, kind, served);
    if (__builtin_expect(before + MODEL_CLOCK_STEP >= access_now.next, 0)) {
        missed_sample(totals, place, address, size, kind, served, accesses_drawn);
        draw_next(before + MODEL_CLOCK_STEP);
        due = False;
        settle_table();
    }
}

VG_REGPARM(3) void access_memory(struct sequence_access *access, Addr address, UWord what)
{
    if (counting != COUNTS_NOT)
        access_run(access->place, address, what);
    else
        take_back(access);
}

VG_REGPARM(3) void access_guarded(struct sim_instruction *place, Addr address, UWord what)
{
    UInt op = what & MODEL_MODIFY;
    if (counting == COUNTS_NOT)
        return;
    access_run(place, address, what);
    place->counts[op - 1]++;
    access_now.counts[op]++;
    *shape.clock += MODEL_CLOCK_STEP;
}
