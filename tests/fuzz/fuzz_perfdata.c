/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole recordings from hostile bytes. With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_perfdata.c
 * Without it: truncation of small recordings at every byte, then a number of pseudo-random
 * changes to recordings made here and, where they are at hand ($SHARED_DATA), to real ones.
 *
 *   FUZZ_EXECUTIONS=10000000 FUZZ_SEED=7 tests/fuzz/fuzz_perfdata
 */
#include "recording.h"

#include "base/prng.h"
#include "sample/perfdata.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct touched {
    size_t sum;
    uint64_t last_ns;
};

/* Reads all that a record hands out, so that a bad pointer is seen. */
static void touch(void *context, const struct record *record)
{
    struct touched *touched = context;
    if (record->time_ns < touched->last_ns)
        abort(); /* the sampler promises the order of time */
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

/* One file for all executions: making one costs more than reading it. */
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
    /* The last byte says whether one process or all of them are asked for. */
    pid_t pid = size && data[size - 1] & 1 ? 0 : PERFDATA_EVERY_PROCESS;
    if (!perfdata_open(&file, written(data, size), pid, &error))
        read_all(file);
    else if (!error.text[0] || strchr(error.text, '\n'))
        abort(); /* every refusal says why, in a line */
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum {
    FUZZ_EXECUTIONS = 20000,
    FUZZ_SEEDS_MAX = 64,
    FUZZ_HEAD_BYTES = 6144, /* of a real recording: so much that records of each kind are in it */
    FUZZ_WHOLE_EVERY = 512, /* executions, one is of a whole real recording */
    FUZZ_BYTES_MAX = 2 << 20
};

struct seed {
    uint8_t *bytes;
    size_t size;
    bool whole; /* large: seldom used */
};

static struct seed seeds[FUZZ_SEEDS_MAX];
static size_t seed_count;

static void add_seed(const void *bytes, size_t size, bool whole)
{
    if (seed_count == FUZZ_SEEDS_MAX)
        return;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    seeds[seed_count++] = (struct seed){copy, size, whole};
}

static const struct recording_event event = {
    .type = PERF_TYPE_HARDWARE,
    .period = 1000,
    .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                   PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
                   PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
                   PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC,
    .flags = RECORDING_ID_ALL,
    .regs_user = 0xff0fff,
    .id = 77,
};

static void trailer(struct recording *recording, uint64_t time_ns)
{
    recording_u32(recording, 5);
    recording_u32(recording, 6);
    recording_u64(recording, time_ns);
    recording_u64(recording, 1);
    recording_u64(recording, event.id);
}

static void put_sample(struct recording *recording, uint64_t time_ns)
{
    uint64_t before[] = {event.id, 0x401000};
    uint64_t after[] = {time_ns, 0x7f0010, 1, 10007};
    recording_begin(recording, PERF_RECORD_SAMPLE, 2);
    for (size_t i = 0; i < 2; i++)
        recording_u64(recording, before[i]);
    recording_u32(recording, 5);
    recording_u32(recording, 6);
    for (size_t i = 0; i < 4; i++)
        recording_u64(recording, after[i]);
    recording_u64(recording, 2); /* call chain */
    recording_u64(recording, 0x401000);
    recording_u64(recording, 0x402000);
    recording_u32(recording, 4); /* raw */
    recording_u32(recording, 0x01020304);
    recording_u64(recording, 1); /* branches */
    for (size_t i = 0; i < 3; i++)
        recording_u64(recording, i);
    recording_u64(recording, 2); /* abi, 20 registers */
    for (size_t i = 0; i < 20; i++)
        recording_u64(recording, i);
    recording_u64(recording, 16); /* stack */
    for (size_t i = 0; i < 3; i++)
        recording_u64(recording, 16);
    recording_u64(recording, 300);
    recording_u64(recording, 0x5080144);
    recording_end(recording);
}

static void put_mapping(struct recording *recording)
{
    recording_begin(recording, PERF_RECORD_MMAP2, 2);
    recording_u32(recording, 5);
    recording_u32(recording, 5);
    for (size_t i = 0; i < 6; i++)
        recording_u64(recording, i << 12);
    recording_u32(recording, 5);
    recording_u32(recording, 2);
    recording_string(recording, "/bin/xz");
    trailer(recording, 3);
    recording_end(recording);
}

static void put_task(struct recording *recording)
{
    recording_begin(recording, PERF_RECORD_FORK, 0);
    for (uint32_t i = 0; i < 4; i++)
        recording_u32(recording, 5 - (i & 1));
    recording_u64(recording, 4);
    trailer(recording, 4);
    recording_end(recording);
    recording_begin(recording, PERF_RECORD_COMM, 0);
    recording_u32(recording, 5);
    recording_u32(recording, 5);
    recording_string(recording, "xz");
    trailer(recording, 4);
    recording_end(recording);
}

static void put_records(struct recording *recording)
{
    put_mapping(recording);
    put_task(recording);
    put_sample(recording, 30);
    put_sample(recording, 10);
    recording_begin(recording, 68, 0); /* FINISHED_ROUND */
    recording_end(recording);
    put_sample(recording, 50);
    recording_begin(recording, 71, 0); /* AUXTRACE with 16 bytes behind it */
    recording_u64(recording, 16);
    for (size_t i = 0; i < 4; i++)
        recording_u64(recording, 0);
    recording_end(recording);
    recording_u64(recording, 0);
    recording_u64(recording, 0);
    put_sample(recording, 40);
}

static void put_feature(struct recording *recording, uint64_t feature, const char *text)
{
    recording_begin(recording, 80, 0);
    recording_u64(recording, feature);
    recording_u32(recording, 64);
    recording_bytes(recording, text, strlen(text) + 1);
    recording_end(recording);
}

/* The records once more in zstd, in chunks of uneven size. */
static void put_compressed(struct recording *recording, uint32_t type)
{
    static struct recording inner;
    static unsigned char packed[4096];
    memset(&inner, 0, sizeof inner);
    put_records(&inner);
    size_t size = ZSTD_compress(packed, sizeof packed, inner.bytes, inner.size, 1);
    for (size_t at = 0; at < size; at += 100) {
        size_t step = size - at < 100 ? size - at : 100;
        recording_begin(recording, type, 0);
        if (type == 83)
            recording_u64(recording, step);
        recording_bytes(recording, packed + at, step);
        recording_end(recording);
    }
}

static void make_seeds(void)
{
    static struct recording recording;
    for (int swap = 0; swap < 2; swap++) {
        recording_file(&recording, swap, &event, 1, 112);
        put_records(&recording);
        recording_finish(&recording);
        add_seed(recording.bytes, recording.size, false);
        recording_pipe(&recording, swap);
        recording_pipe_event(&recording, &event);
        put_feature(&recording, 3, "host");
        put_feature(&recording, 6, "x86_64");
        put_records(&recording);
        add_seed(recording.bytes, recording.size, false);
    }
    for (uint32_t type = 81; type <= 83; type += 2) {
        recording_pipe(&recording, false);
        recording_pipe_event(&recording, &event);
        put_compressed(&recording, type);
        add_seed(recording.bytes, recording.size, false);
    }
}

/*
 * A real recording as a whole, and its head: as if its recorder had been killed early, with
 * what stands around the first records and around the middle.
 */
static void add_real(const char *path)
{
    static uint8_t bytes[FUZZ_BYTES_MAX];
    static uint8_t head[FUZZ_HEAD_BYTES * 2];
    uint64_t data_at;
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (size < sizeof head)
        return;
    add_seed(bytes, size, true);
    memcpy(head, bytes, sizeof head);
    memcpy(&data_at, bytes + 40, 8);
    if (bytes[8] == 104 && data_at < sizeof head)
        memset(head + 48, 0, 8); /* data.size */
    add_seed(head, sizeof head, false);
}

static void add_real_ones(void)
{
    const char *folder = getenv("SHARED_DATA");
    DIR *list = folder ? opendir(folder) : NULL;
    if (!list) {
        printf("real recordings are not here: seeds are those made by the test\n");
        return;
    }
    for (struct dirent *entry; (entry = readdir(list));) {
        char path[4096];
        size_t length = strlen(entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 5 && !strcmp(entry->d_name + length - 5, ".data"))
            add_real(path);
    }
    closedir(list);
}

static size_t mutate(uint8_t *at, size_t size, struct prng *prng)
{
    static const uint8_t telling[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
    for (uint64_t changes = prng_below(prng, 8); changes; changes--) {
        size_t where = prng_below(prng, (uint32_t)size);
        size_t from = prng_below(prng, (uint32_t)size);
        size_t length = prng_below(prng, 64);
        switch (prng_below(prng, 8)) {
        case 0: /* a piece from elsewhere */
            length = length > size - where ? size - where : length;
            length = length > size - from ? size - from : length;
            memmove(at + where, at + from, length);
            break;
        case 1: /* a piece is missing */
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
    for (size_t i = 0; i < seed_count; i++)
        for (size_t size = 0; !seeds[i].whole && size < seeds[i].size; size++, executions++) {
            /* Of its exact size on the heap, so that a read past the end is seen. */
            uint8_t *copy = malloc(size + !size);
            memcpy(copy, seeds[i].bytes, size);
            LLVMFuzzerTestOneInput(copy, size);
            free(copy);
        }
    return executions;
}

static void change_one(struct prng *prng, unsigned long number)
{
    static uint8_t bytes[FUZZ_BYTES_MAX];
    const struct seed *seed = &seeds[prng_below(prng, (uint32_t)seed_count)];
    while (seed->whole != (number % FUZZ_WHOLE_EVERY == 0)) {
        if (number % FUZZ_WHOLE_EVERY == 0 && seed_count <= 6)
            break;
        seed = &seeds[prng_below(prng, (uint32_t)seed_count)];
    }
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
    make_seeds();
    add_real_ones();
    unsigned long cuts = cut_everywhere();
    for (unsigned long i = 0; i < executions; i++)
        change_one(&prng, i);
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu seeds, %lu cut short, %lu changed, peak %ld KiB\n", seed_count, cuts, executions,
           usage.ru_maxrss);
    return 0;
}
#endif
