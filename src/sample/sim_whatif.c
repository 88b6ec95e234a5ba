/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sim_whatif.h"

#include "base/text.h"

#include <string.h>

uint64_t sim_whatif_ask(struct sim_memory *memory, unsigned number, const struct relayout *layout,
                        bool follows)
{
    struct sim_question *question = &memory->shared->questions[number];
    question->layout = *layout;
    question->follows = follows;
    question->block_count = 0;
    if (follows)
        memset(memory->shared->paths[number], SIM_PATH_UNKNOWN, SIM_PATHS_MAX);
    memory->asked[number]++;
    __atomic_store_n(&question->asked, memory->asked[number], __ATOMIC_RELEASE);
    return memory->asked[number];
}

void sim_whatif_end(struct sim_memory *memory, unsigned number)
{
    __atomic_store_n(&memory->shared->questions[number].asked, 0, __ATOMIC_RELEASE);
}

void sim_whatif_await(struct sim_memory *memory, uint64_t accesses, unsigned count)
{
    memory->shared->asked.awaited_count = count;
    __atomic_store_n(&memory->shared->asked.awaited, accesses, __ATOMIC_RELEASE);
}

uint64_t sim_whatif_waits(const struct sim_memory *memory)
{
    return __atomic_load_n(&memory->shared->asked.waits, __ATOMIC_ACQUIRE);
}

bool sim_whatif_block(struct sim_memory *memory, unsigned number, uint64_t start, uint64_t bytes)
{
    struct sim_question *question = &memory->shared->questions[number];
    uint32_t index = question->block_count;
    if (index >= SIM_BLOCKS_MAX)
        return false;
    memory->shared->blocks[number][index] = (struct sim_block){start, bytes};
    question->block_count = index + 1;
    return true;
}

void sim_whatif_listed(struct sim_memory *memory, unsigned number)
{
    __atomic_store_n(&memory->shared->questions[number].listed, memory->asked[number],
                     __ATOMIC_RELEASE);
}

void sim_whatif_path(struct sim_memory *memory, unsigned number, uint32_t path, enum sim_path is)
{
    if (path < SIM_PATHS_MAX)
        __atomic_store_n(&memory->shared->paths[number][path], (uint8_t)is, __ATOMIC_RELEASE);
}

void sim_whatif_zero(struct sim_memory *memory)
{
    __atomic_fetch_add(&memory->shared->asked.zeroed, 1, __ATOMIC_RELEASE);
}

struct sim_answer sim_whatif_answer(const struct sim_memory *memory, unsigned number)
{
    struct sim_answer raw = {.state = SIM_ANSWER_NONE};
    struct sim_answer answer;
    if (__atomic_load_n(&memory->shared->answers[number].of, __ATOMIC_ACQUIRE) !=
        memory->asked[number])
        return raw;
    raw = memory->shared->answers[number];
    answer = raw;
    if (answer.state > SIM_ANSWER_REFUSED)
        answer.state = SIM_ANSWER_NONE;
    text_sanitise(answer.why, sizeof answer.why, raw.why, strnlen(raw.why, sizeof raw.why));
    return answer;
}
