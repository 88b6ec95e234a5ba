/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/access.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "valgrind/shared.h"
#include "sim/model.h"
#include "valgrind/tell.h"
#include "valgrind/whatif.h"

/* More threads than this share caches. */
enum { CACHES_MAX = 64 };

/* What is done with an access: nothing; counted; counted, and a question about it is open. */
enum counting { COUNTS_NOT, COUNTS, COUNTS_ASKED };

static struct model_spec spec;
static struct model *model;
static struct model_thread *cache; /* of who runs */
static struct sim_thread *totals;  /* likewise */
static Bool wanted;                /* by the program's functions */
static enum counting counting;
static UInt accesses_left; /* until one is told */
static UInt accesses_drawn;
static Addr left_out;
static SizeT left_out_bytes;
static struct sim_miss missed; /* what the model says of a miss, while an access is under way */

static void *allocate(void *context, size_t size_bytes)
{
    (void)context;
    return VG_(am_shadow_alloc)(size_bytes);
}

static void fail(void *context, const char *text)
{
    (void)context;
    VG_(strncpy)(shared->header.trouble, text, SIM_NAME_BYTES - 1);
    __atomic_store_n(&shared->header.state, SIM_GAVE_UP, __ATOMIC_RELEASE);
}

static void tell_evictor(const struct model_missed *level, UInt told)
{
    UInt ip = level->evictor.ip;
    missed.evictor_ip = ip < SIM_INSTRUCTIONS_MAX ? shared->instructions[ip].ip : 0;
    missed.evictor_address = missed.evictor_ip ? level->evictor.address : 0;
    missed.evictor_level = (UChar)told;
}

static void on_miss(void *context, const struct model_miss *miss)
{
    UInt told = __atomic_load_n(&shared->header.evictor_level, __ATOMIC_RELAXED);
    (void)context;
    for (UInt i = 0; i < miss->served; i++)
        missed.causes |= (UShort)(miss->level[i].cause << i * SIM_CAUSE_BITS);
    if (told < miss->served)
        tell_evictor(&miss->level[told], told);
}

static void fill_spec(void)
{
    const struct sim_header *header = &shared->header;
    spec.level_count = header->level_count;
    spec.threads = CACHES_MAX;
    spec.whole_access_below = True;
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
    model_spec_complete(&spec);
}

void access_start(void)
{
    static struct model_host host = {.allocate = allocate, .fail = fail, .miss = on_miss};
    fill_spec();
    model = model_new(&spec, &host);
    tell_start();
    whatif_start();
    accesses_left = accesses_drawn = tell_access_next();
    access_count(!shared->header.from[0]);
}

/* Both the program's functions and the user may stop it. */
static void settle(void)
{
    Bool counts = wanted && shared && !shared->header.paused && !shared->header.stop;
    ULong accesses = totals ? totals->counts[SIM_LOAD] + totals->counts[SIM_STORE] : 0;
    Bool asked = counts && cache && whatif_look(model, &spec, cache->number, accesses);
    counting = asked ? COUNTS_ASKED : counts ? COUNTS : COUNTS_NOT;
    if (shared)
        shared->header.counting = counts;
}

void access_count(Bool on)
{
    wanted = on && model;
    settle();
}

VG_REGPARM(1) void access_turn(UWord on)
{
    if (shared)
        access_count(on != 0);
}

void access_runs(UInt number, struct sim_thread *of)
{
    struct model_thread *its = model ? model_thread(model, number) : NULL;
    totals = of;
    cache = its;
    if (!its)
        wanted = False;
    settle();
}

void access_leave_out(Addr start, SizeT length)
{
    left_out = start;
    left_out_bytes = length;
}

static void describe(const struct sim_instruction *place, Addr address, UInt size, UInt kind)
{
    missed.op = (UChar)(kind & MODEL_MODIFY);
    missed.size = (UShort)size;
    missed.tid = totals->tid;
    missed.ip = place->ip;
    missed.address = address;
}

static __attribute__((noinline)) void take_miss(struct sim_instruction *place, Addr address,
                                                UInt size, UInt kind, UInt served)
{
    if (address - left_out < left_out_bytes)
        return;
    uint64_t *misses = kind & MODEL_LOAD ? totals->load_misses : totals->store_misses;
    for (UInt i = 0; i < served; i++) {
        misses[i]++;
        place->misses[i]++;
    }
    describe(place, address, size, kind);
    missed.served = (UChar)served;
    tell_miss(&missed);
    missed.causes = 0;
    missed.evictor_ip = missed.evictor_address = 0;
}

static __attribute__((noinline)) void sample_access(struct sim_instruction *place, Addr address,
                                                    UInt size, UInt kind, UInt served)
{
    describe(place, address, size, kind);
    missed.served = (UChar)served;
    tell_access(&missed, accesses_drawn);
    accesses_left = accesses_drawn = tell_access_next();
}

/* Compiled twice: a question costs nothing where there is none. */
static inline __attribute__((always_inline)) void take_access(struct sim_instruction *place,
                                                              Addr address, UWord what, Bool asked)
{
    UInt kind = what & ((1u << ACCESS_KIND_BITS) - 1);
    UInt size = (UInt)(what >> ACCESS_KIND_BITS);
    UInt id = (UInt)(place - shared->instructions);
    UInt served = model_access(cache, address, size, kind, id);
    place->counts[(kind & MODEL_MODIFY) - 1]++;
    totals->counts[kind & MODEL_MODIFY]++;
    if (asked)
        whatif_take(address, size, kind, id, served);
    if (__builtin_expect(served, 0))
        take_miss(place, address, size, kind, served);
    if (__builtin_expect(!--accesses_left, 0))
        sample_access(place, address, size, kind, served);
}

static __attribute__((noinline)) void take_asked(struct sim_instruction *place, Addr address,
                                                 UWord what)
{
    if (counting == COUNTS_ASKED)
        take_access(place, address, what, True);
}

VG_REGPARM(3) void access_memory(struct sim_instruction *place, Addr address, UWord what)
{
    if (__builtin_expect(counting == COUNTS, 1))
        take_access(place, address, what, False);
    else
        take_asked(place, address, what);
}
