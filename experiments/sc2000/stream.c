/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream.h"

#include "base/hash.h"

#include "unit/profile/planted.h"

/*
 * The search's first interval is 100 ms, or 300 million cycles, which matches the paper's 1.6 to
 * 4.1 interrupts per billion cycles.
 */
static const uint64_t cycles_per_ns = 3;

static struct prng jitter;

static const struct sc_object *object_at(const struct stream *stream, uint32_t index)
{
    return &stream->program->objects[index];
}

/* Returns the index of the object at an address; object_count: none. Tries the last one first. */
static uint32_t find(const struct stream *stream, uint64_t address)
{
    static uint32_t last;
    uint32_t count = stream->program->object_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (last + i) % count;
        const struct sc_object *object = object_at(stream, index);
        if (address - (uint64_t)(uintptr_t)object->base < object->bytes) {
            last = index;
            return index;
        }
    }
    return count;
}

static void plant_objects(const struct sc_program *program)
{
    static struct planted objects[OBJECTS_MAX];
    for (uint32_t i = 0; i < program->object_count; i++)
        objects[i] = (struct planted){.name = program->objects[i].name,
                                      .base = (uint64_t)(uintptr_t)program->objects[i].base,
                                      .size = program->objects[i].bytes,
                                      .kind = OBJECT_GLOBAL};
    plant(objects, program->object_count);
}

static void rearm(struct sampler *sampler)
{
    uint32_t swing = sampler->period / 8;
    sampler->left = sampler->period;
    if (sampler->jittered)
        sampler->left += prng_below(&jitter, 2 * swing + 1) - swing;
}

void stream_init(struct stream *stream, const struct sc_program *program)
{
    static const struct sampler samplers[SAMPLERS] = {
        {.name = "1 in 50,000", .period = 50000},
        {.name = "1 in 50,111", .period = 50111},
        {.name = "jittered", .period = 50111, .jittered = true}};
    static const uint32_t ways[SEARCHES] = {10, 2};
    *stream = (struct stream){.program = program};
    plant_objects(program);
    jitter = (struct prng){.state = 2000};
    for (int i = 0; i < SAMPLERS; i++) {
        stream->samplers[i] = samplers[i];
        rearm(&stream->samplers[i]);
    }
    for (int i = 0; i < SEARCHES; i++) {
        search_init(&stream->searches[i], &planted_names, ways[i], 64);
        search_start(&stream->searches[i], 0, UINT64_MAX, "all", 0);
    }
}

void stream_miss(struct stream *stream, uint64_t address)
{
    uint32_t index = find(stream, address);
    stream->misses++;
    if (index == stream->program->object_count)
        stream->elsewhere++;
    else
        stream->of[index]++;
    for (int i = 0; i < SAMPLERS; i++) {
        struct sampler *sampler = &stream->samplers[i];
        if (--sampler->left)
            continue;
        rearm(sampler);
        sampler->samples++;
        if (index < stream->program->object_count)
            sampler->of[index]++;
    }
    for (int i = 0; i < SEARCHES; i++)
        search_count(&stream->searches[i], address, 1);
}

void stream_tick(struct stream *stream)
{
    for (int i = 0; i < SEARCHES; i++)
        search_tick(&stream->searches[i], stream->cycles / cycles_per_ns);
}

double stream_found(const struct search *search, uint32_t object)
{
    return 100 * planted_found(search, object + 1);
}
