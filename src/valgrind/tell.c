/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/tell.h"

#include "pub_tool_libcfile.h"
#include "sim/model.h"
#include "valgrind/access.h"
#include "valgrind/shared.h"

enum { PERIODS = 14, LOOK_EVERY = 1024, QUIET_LOOKS = 32, PATIENCE_MS = 3000 };

/* Units that are told whatever they cost, and beyond these one in so many accesses or fewer. */
enum { FREELY_TOLD = 1 << 16, TOLD_ONE_IN = 512 };

/* Each about twice the one before. */
static const UInt primes[PERIODS] = {1,   2,   5,   11,   23,   47,   97,
                                     199, 401, 809, 1613, 3229, 6451, 12899};

/* Misses that one level served, lines that one level lost, or uses of watched lines. */
enum { CLASS_LEFT = SIM_LEVELS_MAX + 1, CLASS_REUSED = CLASS_LEFT + SIM_LEVELS_MAX, CLASSES };

struct class
{
    UInt step;    /* index of primes */
    UInt left;    /* until the next one that is told */
    ULong stands; /* for so many, with what found no room before */
    UInt told;    /* since the last look */
};

static struct class classes[CLASSES];
static UInt until_look;
static UInt quiet;
static ULong looks;
static ULong looked_at; /* accesses */
static Bool waits;
static UInt untold_accesses; /* that found no room */
static ULong random_state = 0x9e3779b97f4a7c15;

/* xorshift64: Marsaglia 2003. */
static UInt draw(UInt mean)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    UInt span = mean / 2;
    return mean - span / 2 + (span ? (UInt)(random_state >> 33) % (span + 1) : 0);
}

static void begin(struct class *class)
{
    class->left = draw(primes[class->step]);
    class->stands += class->left;
}

void tell_start(void)
{
    random_state ^= shared_stamp() | 1;
    for (UInt i = 0; i < CLASSES; i++)
        begin(&classes[i]);
    until_look = LOOK_EVERY;
    waits = (shared->header.flags & SIM_WAIT) != 0;
    shared->header.period_now = 1;
}

/* Of misses more is asked than of what left, and least of uses. */
static UInt load_of(UInt index)
{
    return classes[index].told << (index >= CLASS_LEFT) << (index == CLASS_REUSED);
}

static struct class *busiest(void)
{
    UInt most = 0;
    for (UInt i = 1; i < CLASSES; i++)
        if (load_of(i) > load_of(most))
            most = i;
    return &classes[most];
}

static void tell_more(void)
{
    for (UInt i = 0; i < CLASSES; i++)
        classes[i].step -= classes[i].step > 0;
}

/* What is told costs misstop time: a few thousand a second, and all of a short run, tell shares to
 * a fraction of a point. */
static Bool is_costly(ULong accesses)
{
    return looks * LOOK_EVERY > FREELY_TOLD && accesses < LOOK_EVERY * TOLD_ONE_IN;
}

/* Thinner where the ring fills up or much is told; denser again where neither was so for long. */
static void look(void)
{
    UInt waiting = shared_waiting();
    struct class *most = busiest();
    UInt thinnest = 0;
    ULong now = *access_shape()->clock / MODEL_CLOCK_STEP;
    ULong since = now - looked_at;
    looked_at = now;
    looks++;
    quiet = waiting > SIM_RING_UNITS / 32 || is_costly(since / 4) ? 0 : quiet + 1;
    if ((waiting > SIM_RING_UNITS / 4 || is_costly(since)) && !waits)
        most->step += most->step < PERIODS - 1;
    else if (quiet > QUIET_LOOKS) {
        quiet = 0;
        tell_more();
    }
    for (UInt i = 0; i < CLASSES; i++) {
        if (i < CLASS_LEFT && classes[i].step > thinnest)
            thinnest = classes[i].step;
        classes[i].told = 0;
    }
    shared->header.period_now = primes[thinnest];
    until_look = LOOK_EVERY;
}

/* Until there is room again; not for a misstop that is gone, or stopped. */
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

static Bool publish(const union sim_unit *unit)
{
    if (!shared_room(1, True) && !(waits && wait_for_room()))
        return False;
    *shared_unit(0) = *unit;
    shared_publish(1);
    return True;
}

/* How many the next of its class stands for, if it is to be told; else 0. */
static UInt due(struct class *class)
{
    if (--class->left)
        return 0;
    return class->stands > 0xffffffff ? 0xffffffff : (UInt) class->stands;
}

static Bool told(struct class *class, const union sim_unit *unit)
{
    Bool published = publish(unit);
    if (published)
        class->stands = 0;
    class->told++;
    begin(class);
    if (!--until_look)
        look();
    return published;
}

bool tell_miss_is_due(unsigned served)
{
    return classes[served].left == 1;
}

void tell_miss(struct sim_miss *miss)
{
    struct class *class = &classes[miss->served];
    miss->weight = due(class);
    miss->kind = SIM_MISS;
    if (miss->weight)
        miss->stamp = shared_stamp();
    if (!miss->weight || !told(class, (const union sim_unit *)miss))
        shared->header.misses_untold++;
}

static struct class *class_of(UInt kind, UInt level)
{
    return &classes[kind == SIM_LEFT ? CLASS_LEFT + level : CLASS_REUSED];
}

unsigned tell_line_due(unsigned kind, unsigned level)
{
    return due(class_of(kind, level));
}

void tell_line(struct sim_line *line, unsigned long stands)
{
    line->weight = stands > 0xffffffff ? 0xffffffff : (UInt)stands;
    line->stamp = shared_stamp();
    told(class_of(line->kind, line->level), (const union sim_unit *)line);
}

unsigned tell_access_next(void)
{
    UInt period = shared->header.access_period;
    return period > 1 ? draw(period) : period;
}

void tell_access(struct sim_miss *access, unsigned weight)
{
    access->kind = SIM_ACCESS;
    access->stamp = shared_stamp();
    access->weight = weight + untold_accesses;
    untold_accesses = publish((const union sim_unit *)access) ? 0 : access->weight;
}
