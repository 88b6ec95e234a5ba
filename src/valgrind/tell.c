/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/tell.h"

#include "pub_tool_libcfile.h"
#include "valgrind/shared.h"

enum { PERIODS = 14, LOOK_EVERY = 1024, QUIET_LOOKS = 32, PATIENCE_MS = 3000 };

/* Each about twice the one before. */
static const UInt primes[PERIODS] = {1,   2,   5,   11,   23,   47,   97,
                                     199, 401, 809, 1613, 3229, 6451, 12899};

/* Misses that one level served. */
struct class
{
    UInt step;    /* index of primes */
    UInt left;    /* misses until the next one that is told */
    ULong stands; /* for so many, with what found no room before */
    UInt told;    /* since the last look */
};

static struct class classes[SIM_LEVELS_MAX + 1];
static UInt until_look;
static UInt quiet;
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
    for (UInt i = 0; i <= SIM_LEVELS_MAX; i++)
        begin(&classes[i]);
    until_look = LOOK_EVERY;
    waits = (shared->header.flags & SIM_WAIT) != 0;
    shared->header.period_now = 1;
}

static struct class *busiest(void)
{
    struct class *most = classes;
    for (UInt i = 1; i <= SIM_LEVELS_MAX; i++)
        if (classes[i].told > most->told)
            most = &classes[i];
    return most;
}

static void tell_more(void)
{
    for (UInt i = 0; i <= SIM_LEVELS_MAX; i++)
        classes[i].step -= classes[i].step > 0;
}

/* Thinner where the ring fills up; denser again where it stays nearly empty for long. */
static void look(void)
{
    UInt waiting = shared_waiting();
    struct class *most = busiest();
    UInt thinnest = 0;
    quiet = waiting > SIM_RING_UNITS / 32 ? 0 : quiet + 1;
    if (waiting > SIM_RING_UNITS / 4 && !waits)
        most->step += most->step < PERIODS - 1;
    else if (quiet > QUIET_LOOKS) {
        quiet = 0;
        tell_more();
    }
    for (UInt i = 0; i <= SIM_LEVELS_MAX; i++) {
        thinnest = classes[i].step > thinnest ? classes[i].step : thinnest;
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

static Bool publish(const struct sim_miss *miss)
{
    if (!shared_room(1, True) && !(waits && wait_for_room()))
        return False;
    shared_unit(0)->miss = *miss;
    shared_publish(1);
    return True;
}

void tell_miss(struct sim_miss *miss)
{
    struct class *class = &classes[miss->served];
    if (--class->left) {
        shared->header.misses_untold++;
        return;
    }
    miss->kind = SIM_MISS;
    miss->stamp = shared_stamp();
    miss->weight = class->stands > 0xffffffff ? 0xffffffff : (UInt) class->stands;
    if (publish(miss))
        class->stands = 0;
    else
        shared->header.misses_untold++;
    class->told++;
    begin(class);
    if (!--until_look)
        look();
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
    untold_accesses = publish(access) ? 0 : access->weight;
}
