/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Complete recordings from hostile bytes. With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_perfdata.c
 * Without it: truncation of small recordings at every byte, then a number of pseudo-random changes
 * to recordings made here and to real ones if available ($SHARED_DATA).
 *
 *   FUZZ_EXECUTIONS=10000000 FUZZ_SEED=7 tests/fuzz/fuzz_perfdata
 */
#include "perfdata_seeds.h"
#include "unit/sample/recording.h"

#include "base/hash.h"
#include "sample/perfdata/perfdata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct touched {
    size_t sum;
    uint64_t last_ns;
};

/* Reads everything that a record refers to, to detect a bad pointer. */
static void touch(void *context, const struct record *record)
{
    struct touched *touched = context;
    if (record->time_ns < touched->last_ns)
        abort(); /* the sampler guarantees time order */
    touched->last_ns = record->time_ns;
    if (record->kind == RECORD_MAPPING) {
        touched->sum += strlen(record->mapping.path);
        if (record->mapping.build_id_size > sizeof record->mapping.build_id)
            abort();
    }
    if (record->kind == RECORD_COMM)
        touched->sum += strlen(record->comm.name);
    if (record->kind == RECORD_SAMPLE && record->sample.event >= SAMPLE_EVENTS_MAX)
        abort();
}

static void read_all(struct perfdata *file)
{
    struct sampler_info info = {0};
    struct touched touched = {0};
    size_t count;
    const struct perfdata_process *list = perfdata_processes(file, &count);
    for (size_t i = 0; i < count; i++)
        touched.sum += strlen(list[i].comm) + list[i].samples;
    perfdata_describe(file, &info);
    perfdata_read(file, 1000, touch, &touched);
    while (perfdata_read(file, UINT64_MAX, touch, &touched) >= 0)
        continue;
    touched.sum += strlen(perfdata_machine(file)->command) + perfdata_counts(file).late;
    perfdata_close(file);
}

/* One file for all executions: creating one costs more than reading it. */
static const char *written(const uint8_t *data, size_t size)
{
    static char path[64];
    static int fd = -1;
    if (fd < 0)
        recording_path("", 0, &fd, path);
    if (ftruncate(fd, (off_t)size) || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct perfdata *file;
    struct error error = {0};
    /* The last byte selects one process or all of them. */
    pid_t pid = size && data[size - 1] & 1 ? 0 : PERFDATA_EVERY_PROCESS;
    if (!perfdata_open(&file, written(data, size), pid, NULL, NULL, &error))
        read_all(file);
    else if (!error.text[0] || strchr(error.text, '\n'))
        abort(); /* every refusal has a reason, in one line */
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum {
    FUZZ_EXECUTIONS = 20000,
    FUZZ_WHOLE_EVERY = 512 /* one execution in this many uses a whole real recording */
};

static size_t mutate(uint8_t *at, size_t size, struct prng *prng)
{
    static const uint8_t telling[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
    for (uint64_t changes = prng_below(prng, 8); changes; changes--) {
        size_t where = prng_below(prng, (uint32_t)size);
        size_t from = prng_below(prng, (uint32_t)size);
        size_t length = prng_below(prng, 64);
        switch (prng_below(prng, 8)) {
        case 0: /* a piece from another position */
            length = length > size - where ? size - where : length;
            length = length > size - from ? size - from : length;
            memmove(at + where, at + from, length);
            break;
        case 1: /* a piece removed */
            length = length > size - where ? size - where : length;
            memmove(at + where, at + where + length, size - where - length);
            size -= length < size ? length : 0;
            break;
        case 2:
            at[where] ^= (uint8_t)(1u << prng_below(prng, 8));
            break;
        case 3:
            at[where & ~(size_t)7] = (uint8_t)prng_next(prng);
            break;
        default:
            at[where] = prng_below(prng, 2) ? telling[prng_below(prng, sizeof telling)]
                                            : (uint8_t)prng_next(prng);
        }
    }
    return prng_below(prng, 8) ? size : prng_below(prng, (uint32_t)size + 1);
}

static unsigned long cut_everywhere(void)
{
    unsigned long executions = 0;
    for (size_t i = 0; i < perfdata_seed_count; i++)
        for (size_t size = 0; !perfdata_seeds[i].whole && size < perfdata_seeds[i].size;
             size++, executions++) {
            /* Exact size on the heap, to detect a read past the end. */
            uint8_t *copy = malloc(size + !size);
            memcpy(copy, perfdata_seeds[i].bytes, size);
            LLVMFuzzerTestOneInput(copy, size);
            free(copy);
        }
    return executions;
}

static void change_one(struct prng *prng, bool whole)
{
    static uint8_t bytes[PERFDATA_SEED_BYTES_MAX];
    const struct perfdata_seed *seed =
        &perfdata_seeds[prng_below(prng, (uint32_t)perfdata_seed_count)];
    while (seed->whole != whole)
        seed = &perfdata_seeds[prng_below(prng, (uint32_t)perfdata_seed_count)];
    memcpy(bytes, seed->bytes, seed->size);
    LLVMFuzzerTestOneInput(bytes, mutate(bytes, seed->size, prng));
}

static unsigned long wanted(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

int main(void)
{
    struct prng prng = {.state = wanted("FUZZ_SEED", 5)};
    unsigned long executions = wanted("FUZZ_EXECUTIONS", FUZZ_EXECUTIONS);
    struct rusage usage;
    bool real = perfdata_seeds_make();
    unsigned long cuts = cut_everywhere();
    for (unsigned long i = 0; i < executions; i++)
        change_one(&prng, real && i % FUZZ_WHOLE_EVERY == 0);
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu seeds, %lu cut short, %lu changed, peak %ld KiB\n", perfdata_seed_count, cuts,
           executions, usage.ru_maxrss);
    return 0;
}
#endif
