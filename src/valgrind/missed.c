/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/missed.h"

#include "valgrind/shared.h"
#include "valgrind/tell.h"

static struct sim_miss missed;

static void tell_evictor(const struct model_missed *level, UInt told)
{
    UInt ip = level->evictor.ip;
    missed.evictor_ip = ip < SIM_INSTRUCTIONS_MAX ? shared->instructions[ip].ip : 0;
    missed.evictor_address = missed.evictor_ip ? level->evictor.address : 0;
    missed.evictor_level = (UChar)told;
    missed.evictor_tid =
        level->evictor_thread < SIM_THREADS_MAX ? shared->threads[level->evictor_thread].tid : 0;
}

void missed_by_model(void *context, const struct model_miss *miss)
{
    UInt told = __atomic_load_n(&shared->header.evictor_level, __ATOMIC_RELAXED);
    (void)context;
    missed.causes = 0;
    for (UInt i = 0; i < miss->served; i++)
        missed.causes |= (UShort)(miss->level[i].cause << i * SIM_CAUSE_BITS);
    if (told < miss->served)
        tell_evictor(&miss->level[told], told);
}

bool missed_asks_causes(void *context, uint32_t served)
{
    (void)context;
    return tell_miss_is_due(served);
}

static void describe(const struct sim_thread *thread, const struct sim_instruction *place,
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
    describe(thread, place, address, size_bytes, kind);
    missed.served = (UChar)served;
    tell_miss(&missed);
    missed.causes = 0;
    missed.evictor_ip = missed.evictor_address = missed.evictor_tid = 0;
}

void missed_sample(const struct sim_thread *thread, const struct sim_instruction *place,
                   uint64_t address, uint32_t size_bytes, uint32_t kind, uint32_t served,
                   uint32_t weight)
{
    describe(thread, place, address, size_bytes, kind);
    missed.served = (UChar)served;
    tell_access(&missed, weight);
}
