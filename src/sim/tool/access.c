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
            one->accesses[i].kind != other->accesses[i].kind ||
            one->accesses[i].size_bytes != other->accesses[i].size_bytes)
            return 1;
    return 0;
}

static struct sequence *sequence_make(const struct sequence_access *accesses, UInt count)
{
    SizeT size_bytes = sizeof(struct sequence) + count * sizeof *accesses;
    struct sequence *made = VG_(calloc)("misstop.sequence", 1, size_bytes);
    made->count = count;
    for (UInt i = 0; i < count; i++) {
        const struct sequence_access *access = &accesses[i];
        made->accesses[i] = *access;
        made->ops[access->kind & MODEL_MODIFY]++;
        made->hash = (made->hash ^ (UWord)access->place ^ access->kind) * 0x9e3779b97f4a7c15;
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
        if (access->kind & MODEL_INSTRUCTION)
            continue;
        access->place->counts[(access->kind & MODEL_MODIFY) - 1] +=
            sequence->passes - access->left_out;
        access->left_out = 0;
    }
    sequence->passes = 0;
}

/* Adds the new passes of sequences to the counts of instructions. */
static void sequences_report(void)
{
    struct sequence *sequence;
    VG_(HT_ResetIter)(sequences);
    while ((sequence = VG_(HT_Next)(sequences)))
        if (sequence->passes)
            sequence_report(sequence);
}

/* Further threads share caches. */
enum { CACHES_MAX = 64, REPORT_EVERY = 1 << 22 /* accesses */ };

#define ACCESS_NEVER UINT64_MAX

Addr access_addresses[SEQUENCE_MAX];

/* Handling of an access: ignored; counted; counted and passed to what-if questions. */
enum counting { COUNTS_NOT, COUNTS, COUNTS_ASKED };

static struct model_spec spec;
static struct model *model;
static struct model_thread *cache; /* of the running thread */
static struct sim_thread *totals;  /* of the running thread; NULL: none yet */
static Bool wanted;                /* by --sim-from and --sim-to */
static enum counting counting;
static uint64_t accesses;   /* of all threads */
static uint64_t sample_at;  /* number of the next access to report, from 1 */
static UInt accesses_drawn; /* distance between the last reported access and sample_at */
static Addr left_out;
static SizeT left_out_bytes;

static void access_fail(void *context, const char *text)
{
    (void)context;
    VG_(strncpy)(shared->header.failure, text, SIM_NAME_BYTES - 1);
    __atomic_store_n(&shared->header.state, SIM_GAVE_UP, __ATOMIC_RELEASE);
}

static void fill_spec(void)
{
    const struct sim_header *header = &shared->header;
    spec.level_count = header->level_count;
    spec.threads = CACHES_MAX;
    spec.causes = (header->flags & SIM_WANT_CAUSES) != 0;
    for (UInt i = 0; i < header->level_count; i++)
        spec.level[i] = (struct model_level_spec){
            .size_bytes = header->levels[i].size_bytes,
            .ways = header->levels[i].ways,
            .line_bytes = header->levels[i].line_bytes,
            /* As in processors: the last of three levels is shared, or the only one after the
             * first. */
            .shared = i && i + 1 == header->level_count,
        };
    if (header->flags & SIM_WANT_CODE)
        spec.instruction = spec.level[0];
    model_spec_complete(&spec);
}

/* Valgrind numbers threads from 1. */
const struct model_thread *access_cache(void)
{
    return model ? model_thread(model, 1) : NULL;
}

ULong access_number(void)
{
    return accesses;
}

static void draw_next_sample(void)
{
    accesses_drawn = report_access_next();
    sample_at = accesses_drawn ? accesses + accesses_drawn : ACCESS_NEVER;
}

void access_start(void)
{
    static struct model_host host = {.allocate = pages_keep,
                                     .fail = access_fail,
                                     .miss = missed_by_model,
                                     .asks_causes = missed_asks_causes};
    fill_spec();
    struct model_spec asked = spec; /* second models, of other layouts, need none of it */
    lines_set_hooks(&asked, &host);
    model = model_new(&asked, &host);
    report_start();
    whatif_start();
    draw_next_sample();
    access_count(!shared->header.count_from[0]);
}

/* Updates `counting`: both --sim-to and the user can stop it. */
static void access_settle(void)
{
    Bool counts = wanted && cache && shared && !shared->header.paused && !shared->header.stop;
    Bool asked = counts && whatif_poll(model, &spec, cache->number, accesses);
    counting = asked ? COUNTS_ASKED : counts ? COUNTS : COUNTS_NOT;
    if (shared)
        shared->header.counting = counts;
}

void access_count(Bool on)
{
    wanted = on && model;
    access_settle();
}

VG_REGPARM(1) void access_turn(UWord on)
{
    if (shared)
        access_count(on != 0);
}

void access_report(Bool all)
{
    static uint64_t last;
    if (!shared || !model || !totals || (!all && accesses - last < REPORT_EVERY))
        return;
    last = accesses;
    model_settle(model);
    sequences_report();
}

void access_runs(UInt number, struct sim_thread *of)
{
    access_report(False);
    totals = of;
    cache = model ? model_thread(model, number) : NULL;
    lines_runs(of->tid);
    if (!cache)
        wanted = False;
    else
        cache->running_thread = (UInt)(of - shared->threads);
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

static void fetch_instruction(const struct sequence_access *access)
{
    model_access_slow(cache, access->address, access->size_bytes, MODEL_INSTRUCTION, MODEL_NONE);
}

static UInt access_model_slow(const struct sequence_access *access, Addr address)
{
    struct sim_instruction *place = access->place;
    UInt served = model_access_slow(cache, address, access->size_bytes, access->kind,
                                    (UInt)(place - shared->instructions));
    if (served && !access_is_left_out(address))
        missed_take(totals, place, address, access->size_bytes, access->kind, served);
    return served;
}

/* Passes an access to the questions, and reports it if it is sampled. */
static void report_if_sampled(const struct sequence_access *access, Addr address, UInt served)
{
    struct sim_instruction *place = access->place;
    if (counting == COUNTS_ASKED)
        whatif_take(address, access->size_bytes, access->kind, (UInt)(place - shared->instructions),
                    served);
    if (accesses != sample_at)
        return;
    missed_sample(totals, place, address, access->size_bytes, access->kind, served, accesses_drawn);
    draw_next_sample();
}

static void uncount_access(struct sequence_access *access)
{
    access->left_out++;
    totals->counts[access->kind & MODEL_MODIFY]--;
}

static void run_sequence_checked(struct sequence *sequence)
{
    for (UInt i = 0; i < sequence->count; i++) {
        struct sequence_access *access = &sequence->accesses[i];
        Addr address = access_addresses[i];
        if (access->kind & MODEL_INSTRUCTION) {
            fetch_instruction(access);
        } else if (address == ACCESS_NONE) {
            uncount_access(access);
        } else {
            accesses++;
            Bool hit = model_hit(cache, cache->clock, address, access->size_bytes, access->kind);
            report_if_sampled(access, address, hit ? 0 : access_model_slow(access, address));
        }
    }
}

/* Runs a sequence on local copies of values that the model's stores could alias. */
static void run_sequence_fast(struct sequence *sequence)
{
    const struct model_thread here = *cache;
    uint64_t now = *here.clock;
    UInt count = sequence->count;
    for (UInt i = 0; i < count; i++) {
        struct sequence_access *access = &sequence->accesses[i];
        Addr address = access_addresses[i];
        if (__builtin_expect(model_hit(&here, &now, address, access->size_bytes, access->kind), 1))
            continue;
        *here.clock = now;
        if (access->kind & MODEL_INSTRUCTION) {
            fetch_instruction(access);
        } else if (address == ACCESS_NONE) {
            uncount_access(access);
            accesses--;
        } else {
            access_model_slow(access, address);
        }
        now = *here.clock;
    }
    *here.clock = now;
    accesses += count - sequence->ops[0];
}

VG_REGPARM(1) void access_sequence(struct sequence *sequence)
{
    if (counting == COUNTS_NOT)
        return;
    sequence->passes++;
    for (UInt op = SIM_LOAD; op < SIM_OPS; op++)
        totals->counts[op] += sequence->ops[op];
    if (counting == COUNTS && sample_at - accesses > SEQUENCE_MAX)
        run_sequence_fast(sequence);
    else
        run_sequence_checked(sequence);
}
