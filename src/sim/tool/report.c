/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pub_tool_libcfile.h"
#include "sim/model/model.h"
#include "sim/model/tables.h"
#include "sim/tool/tool.h"

enum { PERIODS = 14, LOOK_EVERY = 1024, QUIET_LOOKS = 32, PATIENCE_MS = 3000 };

/* Units that are always reported; after these, at most one per this many accesses. */
enum { REPORTED_FREELY = 1 << 14, REPORTED_FREELY_EXACT = 1 << 16, REPORTED_ONE_IN = 512 };

/* Each about twice the previous one. */
static const UInt primes[PERIODS] = {1,   2,   5,   11,   23,   47,   97,
                                     199, 401, 809, 1613, 3229, 6451, 12899};

/* Misses by level that served them, lines by level that evicted them, uses of watched lines. */
enum { CLASS_LEFT = SIM_LEVELS_MAX + 1, CLASS_REUSED = CLASS_LEFT + SIM_LEVELS_MAX, CLASSES };

struct class
{
    UInt step;     /* index into primes */
    UInt left;     /* remaining units until the next report */
    ULong weight;  /* units it represents, including earlier ones that found no room */
    UInt reported; /* reports since the last look */
};

static struct class classes[CLASSES];
static UInt until_look;
static UInt quiet;
static ULong looks;
static ULong looked_at; /* access count at the last look */
static Bool waits;
static UInt dropped_accesses; /* reported accesses that found no room */
static ULong random_state = 0x9e3779b97f4a7c15;

/* Draws an interval with a given mean. xorshift64: Marsaglia 2003. */
static UInt report_draw_interval(UInt mean)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    UInt span = mean / 2;
    return mean - span / 2 + (span ? (UInt)(random_state >> 33) % (span + 1) : 0);
}

static void report_class_begin(struct class *class)
{
    class->left = report_draw_interval(primes[class->step]);
    class->weight += class->left;
}

void report_start(void)
{
    random_state ^= shared_stamp() | 1;
    for (UInt i = 0; i < CLASSES; i++)
        report_class_begin(&classes[i]);
    until_look = LOOK_EVERY;
    waits = (shared->header.flags & SIM_WAIT) != 0;
    shared->header.miss_period = 1;
}

/* Returns the load of a class: misses are preferred over evicted lines, and these over uses. */
static UInt load_of(UInt index)
{
    return classes[index].reported << (index >= CLASS_LEFT) << (index == CLASS_REUSED);
}

static struct class *busiest_class(void)
{
    UInt most = 0;
    for (UInt i = 1; i < CLASSES; i++)
        if (load_of(i) > load_of(most))
            most = i;
    return &classes[most];
}

/* Returns True if reports are too frequent. Each costs misstop time; a few thousand per second, and
 * all of a short run, give shares to a fraction of a percentage point. */
static Bool reports_too_often(ULong accesses)
{
    UInt freely = shared->header.flags & SIM_EXACT ? REPORTED_FREELY_EXACT : REPORTED_FREELY;
    return looks * LOOK_EVERY > freely && accesses < LOOK_EVERY * REPORTED_ONE_IN;
}

/* Lowers the rates if the ring fills up or reports are many; raises them after a quiet time. */
static void report_adapt_rate(void)
{
    UInt waiting = shared_waiting();
    struct class *most = busiest_class();
    UInt thinnest = 0;
    ULong now = access_number();
    ULong since = now - looked_at;
    looked_at = now;
    looks++;
    quiet = waiting > SIM_RING_UNITS / 32 || reports_too_often(since / 4) ? 0 : quiet + 1;
    if ((waiting > SIM_RING_UNITS / 4 || reports_too_often(since)) && !waits)
        most->step += most->step < PERIODS - 1;
    else if (quiet > QUIET_LOOKS) {
        quiet = 0;
        for (UInt i = 0; i < CLASSES; i++)
            classes[i].step -= classes[i].step > 0;
    }
    for (UInt i = 0; i < CLASSES; i++) {
        if (i < CLASS_LEFT && classes[i].step > thinnest)
            thinnest = classes[i].step;
        classes[i].reported = 0;
    }
    shared->header.miss_period = primes[thinnest];
    until_look = LOOK_EVERY;
}

/* Waits for room in the ring. Gives up if misstop has exited or is stopped. */
static Bool wait_for_room(void)
{
    ULong reads = shared->header.reads;
    for (UInt waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms++) {
        if (shared_room(1, True))
            return True;
        VG_(poll)(NULL, 0, 1);
        ULong now = __atomic_load_n(&shared->header.reads, __ATOMIC_RELAXED);
        waited_ms = now == reads ? waited_ms : 0;
        reads = now;
    }
    waits = False;
    return False;
}

static Bool publish_unit(const union sim_unit *unit)
{
    if (!shared_room(1, True) && !(waits && wait_for_room()))
        return False;
    *shared_unit(0) = *unit;
    shared_publish(1);
    return True;
}

/* Returns the weight of the next unit of a class if it is to be reported, otherwise 0. */
static UInt class_due(struct class *class)
{
    if (--class->left)
        return 0;
    return class->weight > 0xffffffff ? 0xffffffff : (UInt) class->weight;
}

static Bool report_unit(struct class *class, const union sim_unit *unit)
{
    Bool published = publish_unit(unit);
    if (published)
        class->weight = 0;
    class->reported++;
    report_class_begin(class);
    if (!--until_look)
        report_adapt_rate();
    return published;
}

void report_miss(struct sim_miss *miss)
{
    struct class *class = &classes[miss->hit_level];
    miss->weight = class_due(class);
    miss->kind = SIM_MISS;
    if (miss->weight)
        miss->stamp = shared_stamp();
    if (!miss->weight || !report_unit(class, (const union sim_unit *)miss))
        shared->header.misses_dropped++;
}

static struct class *class_of(UInt kind, UInt level)
{
    return &classes[kind == SIM_LEFT ? CLASS_LEFT + level : CLASS_REUSED];
}

/* Returns the weight of a line evicted from level `level` (SIM_LEFT), or of a use (SIM_REUSED;
 * level 0), if it is to be reported; otherwise 0. Must be called for each of them. */
static unsigned report_line_due(unsigned kind, unsigned level)
{
    return class_due(class_of(kind, level));
}

void report_line(struct sim_line *line, unsigned long weight)
{
    line->weight = weight > 0xffffffff ? 0xffffffff : (UInt)weight;
    line->stamp = shared_stamp();
    report_unit(class_of(line->kind, line->level), (const union sim_unit *)line);
}

unsigned report_access_next(void)
{
    UInt period = shared->header.access_period;
    return period > 1 ? report_draw_interval(period) : period;
}

static void report_access(struct sim_miss *access, unsigned weight)
{
    access->kind = SIM_ACCESS;
    access->stamp = shared_stamp();
    access->weight = weight + dropped_accesses;
    dropped_accesses = publish_unit((const union sim_unit *)access) ? 0 : access->weight;
}

static struct sim_miss missed;

static void report_evictor(const struct model_missed *level, UInt reported)
{
    UInt ip = level->evictor.ip;
    missed.evictor_ip = ip < SIM_INSTRUCTIONS_MAX ? shared->instructions[ip].ip : 0;
    missed.evictor_address = missed.evictor_ip ? level->evictor.address : 0;
    missed.evictor_level = (UChar)reported;
    missed.evictor_tid =
        level->evictor_thread < SIM_THREADS_MAX ? shared->threads[level->evictor_thread].tid : 0;
}

void missed_by_model(void *context, const struct model_miss *miss)
{
    UInt reported = __atomic_load_n(&shared->header.evictor_level, __ATOMIC_RELAXED);
    (void)context;
    missed.causes = 0;
    for (UInt i = 0; i < miss->hit_level; i++)
        missed.causes |= (UShort)(miss->level[i].cause << i * SIM_CAUSE_BITS);
    if (reported < miss->hit_level)
        report_evictor(&miss->level[reported], reported);
}

bool missed_asks_causes(void *context, uint32_t served)
{
    (void)context;
    return classes[served].left == 1;
}

static void fill_missed(const struct sim_thread *thread, const struct sim_instruction *place,
                        uint64_t address, uint32_t size_bytes, uint32_t kind)
{
    missed.op = (UChar)(kind & MODEL_MODIFY);
    missed.size = (UShort)size_bytes;
    missed.tid = thread->tid;
    missed.ip = place->ip;
    missed.address = address;
}

void missed_take(struct sim_thread *thread, struct sim_instruction *place, uint64_t address,
                 uint32_t size_bytes, uint32_t kind, uint32_t served)
{
    uint64_t *misses = kind & MODEL_LOAD ? thread->load_misses : thread->store_misses;
    for (UInt i = 0; i < served; i++) {
        misses[i]++;
        place->misses[i]++;
    }
    fill_missed(thread, place, address, size_bytes, kind);
    missed.hit_level = (UChar)served;
    report_miss(&missed);
    missed.causes = 0;
    missed.evictor_ip = missed.evictor_address = missed.evictor_tid = 0;
}

void missed_sample(const struct sim_thread *thread, const struct sim_instruction *place,
                   uint64_t address, uint32_t size_bytes, uint32_t kind, uint32_t served,
                   uint32_t weight)
{
    fill_missed(thread, place, address, size_bytes, kind);
    missed.hit_level = (UChar)served;
    report_access(&missed, weight);
}

/* One in this many lines has its users counted; watched lines do not take the model's fast path. */
enum { USERS_ONE_IN = 256, USERS_ONE_IN_EXACT = 64 };

/* The use is counted for one in this many incoming lines, after the first ones. */
enum { USE_ONE_IN = 16, USE_FIRST = 1 << 11 };

_Static_assert(sizeof(struct tally_pair) == sizeof(struct sim_pair), "the model writes them");
_Static_assert(__builtin_offsetof(struct tally_pair, second) ==
                   __builtin_offsetof(struct sim_pair, second),
               "in the same order");

static UInt running;

static ULong instruction_ip(UInt id)
{
    return id < SIM_INSTRUCTIONS_MAX ? shared->instructions[id].ip : 0;
}

static UInt saturate_count(ULong count)
{
    return count < 0xffffffff ? (UInt)count : 0xffffffff;
}

static void on_eviction(void *context, const struct model_eviction *eviction)
{
    const struct model_use *use = &eviction->use;
    (void)context;
    if (!(shared->header.use_levels >> eviction->level & 1) ||
        access_is_left_out(eviction->fetched.address))
        return;
    ULong weight = (ULong)report_line_due(SIM_LEFT, eviction->level) * eviction->weight;
    if (!weight)
        return;
    struct sim_line line = {
        .kind = SIM_LEFT,
        .level = (UChar)eviction->level,
        .used_bytes = (UShort)eviction->used_bytes,
        .tid = running,
        .touched_bytes = saturate_count(use->touched_bytes),
        .ip = instruction_ip(eviction->fetched.ip),
        .address = eviction->fetched.address,
    };
    for (UInt i = 0; i < SIM_USES; i++)
        line.uses[i] = saturate_count(use->uses[i]);
    report_line(&line, weight);
}

static void on_reuse(void *context, const struct model_reuse *reuse)
{
    (void)context;
    UInt due = access_is_left_out(reuse->who.address) ? 0 : report_line_due(SIM_REUSED, 0);
    if (!due)
        return;
    struct sim_line line = {
        .kind = SIM_REUSED,
        .tid = running,
        .ip = instruction_ip(reuse->who.ip),
        .address = reuse->who.address,
        .distance = reuse->distance,
    };
    report_line(&line, due * ((reuse->weight_256ths + 128) / 256));
}

static void *allocate_pairs(void *context, uint32_t which, uint32_t level, size_t size_bytes)
{
    (void)context;
    if (size_bytes > sizeof shared->pairs[0][0])
        return NULL;
    return shared->pairs[which == MODEL_IP_USED_BY_IP ? SIM_USED_BY : SIM_EVICTED_BY][level];
}

void lines_set_hooks(struct model_spec *spec, struct model_host *host)
{
    if (!(shared->header.flags & SIM_WANT_USE))
        return;
    spec->use = True;
    Bool exact = (shared->header.flags & (SIM_EXACT | SIM_WAIT)) != 0;
    spec->use_one_in = exact ? 1 : USE_ONE_IN;
    spec->use_first = USE_FIRST;
    spec->users_one_in = exact ? USERS_ONE_IN_EXACT : USERS_ONE_IN;
    spec->reuse_lines = SIM_REUSE_LINES;
    spec->reuse_one_in = exact ? SIM_REUSE_ONE_IN / 2 : SIM_REUSE_ONE_IN;
    spec->pairs_max = SIM_PAIRS_MAX;
    host->eviction = on_eviction;
    host->reuse = on_reuse;
    host->allocate_pairs = allocate_pairs;
}

void lines_runs(UInt tid)
{
    running = tid;
}
