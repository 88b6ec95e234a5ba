/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/simulated/sim_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

enum { ACCESS_PERIOD = 10007 /* a prime; the tool varies it at random */ };

static uint32_t load_acquire32(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t load_relaxed64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static int sim_memory_make(struct sim_memory *memory, struct error *error)
{
    memory->fd = memfd_create("misstop-sim", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory->fd < 0)
        return error_set(error, -errno, "no memory for the simulated cache: %s", strerror(errno));
    if (fchmod(memory->fd, 0600) || ftruncate(memory->fd, sizeof *memory->shared) ||
        fcntl(memory->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return error_set(error, -errno, "cannot set up memory for the simulated cache: %s",
                         strerror(errno));
    void *mapped = mmap(NULL, sizeof *memory->shared, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, memory->fd, 0);
    if (mapped == MAP_FAILED)
        return error_set(error, -errno, "cannot map %zu MiB for the simulated cache: %s",
                         sizeof *memory->shared >> 20, strerror(errno));
    memory->shared = mapped;
    return 0;
}

static int put_name(char *out, size_t size, const char *name, struct error *error)
{
    int length = snprintf(out, size, "%s", name ? name : "");
    return length < 0 || (size_t)length >= size
               ? error_set(error, -ENAMETOOLONG, "the name is too long: %s", name)
               : 0;
}

static int sim_header_fill(struct sim_header *header, const struct sim_settings *settings,
                           struct error *error)
{
    header->version = SIM_VERSION;
    header->clock = SIM_TSC;
    header->level_count = settings->level_count;
    header->access_period = settings->period ? settings->period : ACCESS_PERIOD;
    header->flags = (settings->causes ? SIM_WANT_CAUSES : 0) | (settings->use ? SIM_WANT_USE : 0) |
                    (settings->code ? SIM_WANT_CODE : 0) | (settings->exact ? SIM_EXACT : 0) |
                    (settings->period ? SIM_WAIT : 0);
    memcpy(header->levels, settings->levels, sizeof header->levels);
    header->magic = SIM_MAGIC;
    int code = put_name(header->count_from, sizeof header->count_from, settings->count_from, error);
    if (!code)
        code = put_name(header->count_to, sizeof header->count_to, settings->count_to, error);
    return code ? code
                : put_name(header->agent_path, sizeof header->agent_path, settings->agent_path,
                           error);
}

int sim_memory_open(struct sim_memory *memory, const struct sim_settings *settings,
                    struct error *error)
{
    *memory = (struct sim_memory){.fd = -1, .settings = *settings};
    memory->settings.count_from = memory->settings.count_to = memory->settings.agent_path = NULL;
    int code = sim_memory_make(memory, error);
    if (!code)
        code = sim_header_fill(&memory->shared->header, settings, error);
    if (code)
        sim_memory_close(memory);
    return code;
}

void sim_memory_close(struct sim_memory *memory)
{
    if (memory->shared) {
        __atomic_store_n(&memory->shared->header.stop, 1, __ATOMIC_RELAXED);
        munmap(memory->shared, sizeof *memory->shared);
    }
    if (memory->fd > 0)
        close(memory->fd);
    *memory = (struct sim_memory){.fd = -1};
}

void sim_memory_path(const struct sim_memory *memory, char *out, size_t size)
{
    snprintf(out, size, "/proc/%d/fd/%d", (int)getpid(), memory->fd);
}

struct sim_totals sim_memory_totals(const struct sim_memory *memory)
{
    struct sim_totals totals = {0};
    uint32_t used = load_acquire32(&memory->shared->header.threads_used);
    for (uint32_t i = 0; i < used && i < SIM_THREADS_MAX; i++) {
        const struct sim_thread *thread = &memory->shared->threads[i];
        uint64_t loads = load_relaxed64(&thread->counts[SIM_LOAD]);
        uint64_t stores = load_relaxed64(&thread->counts[SIM_STORE]);
        uint64_t modifies = load_relaxed64(&thread->counts[SIM_LOAD | SIM_STORE]);
        totals.accesses += loads + stores + modifies;
        totals.loads += loads + modifies;
        totals.stores += stores + modifies;
        for (unsigned level = 0; level < SIM_LEVELS_MAX; level++) {
            totals.load_misses[level] += load_relaxed64(&thread->load_misses[level]);
            totals.store_misses[level] += load_relaxed64(&thread->store_misses[level]);
        }
    }
    return totals;
}

_Static_assert((int)LINE_EVICTED_BY == SIM_EVICTED_BY && (int)LINE_USED_BY == SIM_USED_BY,
               "kinds of pairs are the same on both sides");

bool sim_memory_pair(const struct sim_memory *memory, uint64_t number, struct line_pair *out)
{
    const struct sim_shared *shared = memory->shared;
    uint32_t used = load_acquire32(&shared->header.instructions_used);
    uint32_t kind = line_pair_kind(number);
    uint32_t level = line_pair_level(number);
    used = used < SIM_INSTRUCTIONS_MAX ? used : SIM_INSTRUCTIONS_MAX;
    if (kind >= LINE_PAIRS || level >= memory->settings.level_count)
        return false;
    for (uint32_t place = (uint32_t)number; place < SIM_PAIR_SLOTS; place++) {
        const struct sim_pair *pair = &shared->pairs[kind][level][place];
        uint64_t count = __atomic_load_n(&pair->count, __ATOMIC_ACQUIRE);
        uint32_t first = __atomic_load_n(&pair->first, __ATOMIC_RELAXED);
        uint32_t second = __atomic_load_n(&pair->second, __ATOMIC_RELAXED);
        if (!count || first >= used || second >= used)
            continue;
        *out = (struct line_pair){load_relaxed64(&shared->instructions[first].ip),
                                  load_relaxed64(&shared->instructions[second].ip), count, place};
        return true;
    }
    return false;
}

enum sim_state sim_memory_state(const struct sim_memory *memory)
{
    uint32_t state = load_acquire32(&memory->shared->header.state);
    return state <= SIM_ENDED ? (enum sim_state)state : SIM_GAVE_UP;
}

void sim_memory_trouble(const struct sim_memory *memory, char *out, size_t size)
{
    char raw[SIM_NAME_BYTES];
    memcpy(raw, memory->shared->header.failure, sizeof raw);
    text_sanitise(out, size, raw, strnlen(raw, sizeof raw));
}

uint64_t sim_whatif_ask(struct sim_memory *memory, unsigned number, const struct relayout *layout,
                        bool follows)
{
    struct sim_question *question = &memory->shared->questions[number];
    question->layout = *layout;
    question->follows_new_blocks = follows;
    question->block_count = 0;
    if (follows)
        memset(memory->shared->paths[number], SIM_PATH_UNKNOWN, SIM_PATHS_MAX);
    memory->asked[number]++;
    __atomic_store_n(&question->number, memory->asked[number], __ATOMIC_RELEASE);
    return memory->asked[number];
}

void sim_whatif_end(struct sim_memory *memory, unsigned number)
{
    __atomic_store_n(&memory->shared->questions[number].number, 0, __ATOMIC_RELEASE);
}

void sim_whatif_await(struct sim_memory *memory, uint64_t accesses, unsigned count)
{
    memory->shared->control.wait_question_count = count;
    __atomic_store_n(&memory->shared->control.wait_at_access, accesses, __ATOMIC_RELEASE);
}

uint64_t sim_whatif_waits(const struct sim_memory *memory)
{
    return __atomic_load_n(&memory->shared->control.waiting_at_access, __ATOMIC_ACQUIRE);
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
    __atomic_store_n(&memory->shared->questions[number].listed_number, memory->asked[number],
                     __ATOMIC_RELEASE);
}

void sim_whatif_path(struct sim_memory *memory, unsigned number, uint32_t path, enum sim_path is)
{
    if (path < SIM_PATHS_MAX)
        __atomic_store_n(&memory->shared->paths[number][path], (uint8_t)is, __ATOMIC_RELEASE);
}

void sim_whatif_zero(struct sim_memory *memory)
{
    __atomic_fetch_add(&memory->shared->control.resets, 1, __ATOMIC_RELEASE);
}

struct sim_answer sim_whatif_answer(const struct sim_memory *memory, unsigned number)
{
    struct sim_answer raw = {.state = SIM_ANSWER_NONE};
    struct sim_answer answer;
    if (__atomic_load_n(&memory->shared->answers[number].question, __ATOMIC_ACQUIRE) !=
        memory->asked[number])
        return raw;
    raw = memory->shared->answers[number];
    answer = raw;
    if (answer.state > SIM_ANSWER_REFUSED)
        answer.state = SIM_ANSWER_NONE;
    text_sanitise(answer.why, sizeof answer.why, raw.why, strnlen(raw.why, sizeof raw.why));
    return answer;
}
