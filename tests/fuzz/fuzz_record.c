/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ring records and perf.data files from hostile bytes. With libFuzzer:
 *   clang -DFUZZ_LIBFUZZER -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_record.c
 * Without it, a fixed number of pseudo-random changes to built-in seeds: fuzz_record [COUNT].
 */
#include "sample/perfdata/perfdata.h"
#include "sample/perf/record.h"
#include "sample/kernel.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_RING_BYTES = 4096 };

static const struct record_format *any_format(void *context, uint64_t id, bool has_id)
{
    (void)id;
    (void)has_id;
    return context;
}

/* Reads everything that a parsed record refers to, to detect a bad pointer. */
static void touch(void *context, const struct record *record)
{
    size_t *sum = context;
    if (record->kind == RECORD_MAPPING)
        *sum += strlen(record->mapping.path);
    if (record->kind == RECORD_COMM)
        *sum += strlen(record->comm.name);
    if (record->kind == RECORD_SAMPLE && record->sample.event >= SAMPLE_EVENTS_MAX)
        abort();
}

/* The first bytes select the format, the rest is one record in memory of exactly its size. */
static void try_record(const uint8_t *data, size_t size)
{
    struct record_format format = {0};
    struct record record;
    size_t sum = 0;
    if (size < 32)
        return;
    memcpy(&format.sample_type, data, 8);
    memcpy(&format.regs_user, data + 8, 8);
    format.regs_intr = ~format.regs_user;
    memcpy(&format.read_format, data + 16, 8);
    memcpy(&format.branch_type, data + 24, 8);
    format.sample_id_all = data[31] & 1;
    uint8_t *copy = malloc(size - 32 + 1);
    memcpy(copy, data + 32, size - 32);
    if (record_parse(copy, size - 32, any_format, &format, &record) == 1)
        touch(&sum, &record);
    free(copy);
}

/* The bytes are the kernel's side of a ring, including the head. */
static void try_ring(const uint8_t *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    static unsigned char *memory;
    unsigned char out[512];
    struct ring ring;
    if (size < 16)
        return;
    if (!memory)
        memory = calloc(1, page + FUZZ_RING_BYTES);
    struct perf_event_mmap_page *head = (struct perf_event_mmap_page *)memory;
    ring = (struct ring){.memory = memory, .data_bytes = FUZZ_RING_BYTES};
    memcpy(&ring.tail, data, 8);
    head->data_head = ring.tail + data[8] * 256u + data[9];
    for (size_t i = 0; i < FUZZ_RING_BYTES; i++)
        memory[page + i] = data[i % size];
    for (unsigned i = 0; i <= FUZZ_RING_BYTES / 8; i++)
        if (ring_next(&ring, out, sizeof out) <= 0)
            break;
}

static void try_file(const uint8_t *data, size_t size)
{
    struct perfdata *file;
    struct sampler_info info = {0};
    struct error error = {0};
    char path[64];
    size_t sum = 0;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!perfdata_open(&file, path, 0, NULL, NULL, &error)) {
        perfdata_describe(file, &info);
        while (perfdata_read(file, UINT64_MAX, touch, &sum) >= 0)
            continue;
        perfdata_close(file);
    } else if (!error.text[0]) {
        abort(); /* every refusal has a reason */
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_record(data, size);
    try_ring(data, size);
    try_file(data, size);
    return 0;
}

#ifndef FUZZ_LIBFUZZER
enum { FUZZ_SEED_BYTES = 1024, FUZZ_EXECUTIONS = 20000 };

static size_t put(uint8_t *at, size_t offset, const void *bytes, size_t size)
{
    memcpy(at + offset, bytes, size);
    return offset + size;
}

static size_t put_record(uint8_t *at, size_t offset, uint32_t type, uint16_t misc,
                         const uint64_t *words, size_t count)
{
    struct perf_event_header header = {type, misc, (uint16_t)(8 + count * 8)};
    offset = put(at, offset, &header, sizeof header);
    return put(at, offset, words, count * 8);
}

/* A small complete perf.data: one event, an id, a mapping, a name, two samples. */
static size_t seed_file(uint8_t *at)
{
    struct perf_event_attr attr = {.size = sizeof attr,
                                   .type = PERF_TYPE_SOFTWARE,
                                   .sample_id_all = 1,
                                   .sample_regs_user = 3,
                                   .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
                                                  PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                                                  PERF_SAMPLE_ADDR | PERF_SAMPLE_REGS_USER};
    uint64_t ids = 104 + sizeof attr + 16;
    uint64_t header[13] = {0, 104, sizeof attr + 16, 104, sizeof attr + 16, ids + 8, 0};
    uint64_t section[3] = {ids, 8, 77};
    uint64_t comm[] = {5 | UINT64_C(5) << 32, 0x7a78, 5 | UINT64_C(5) << 32, 1, 77};
    uint64_t map[] = {5 | UINT64_C(5) << 32, 0x1000, 0x1000, 0, 0x782f, 5, 1, 77};
    uint64_t sample[] = {77, 0x1010, 5 | UINT64_C(5) << 32, 9, 0x1234, 2, 1, 2};
    memcpy(header, "PERFILE2", 8);
    size_t used = put(at, 0, header, sizeof header);
    used = put(at, used, &attr, sizeof attr);
    used = put(at, used, section, sizeof section);
    used = put_record(at, used, PERF_RECORD_COMM, 0, comm, 5);
    used = put_record(at, used, PERF_RECORD_MMAP, 2, map, 8);
    used = put_record(at, used, PERF_RECORD_SAMPLE, 2, sample, 8);
    sample[3] = 7;
    return put_record(at, used, PERF_RECORD_SAMPLE, 2, sample, 8);
}

/* A format word, masks, then a record: samples with every field, and mappings. */
static size_t seed_record(uint8_t *at, struct prng *prng)
{
    uint64_t head[4] = {prng_next(prng) & 0x1ffffff, 0xff03ff, prng_next(prng) & 31,
                        prng_next(prng)};
    uint32_t type = prng_below(prng, 2) ? PERF_RECORD_SAMPLE : (uint32_t)prng_below(prng, 22);
    uint64_t words[80];
    size_t count = prng_below(prng, 80);
    for (size_t i = 0; i < count; i++)
        words[i] = prng_below(prng, 3) ? prng_below(prng, 6) : prng_next(prng);
    size_t used = put(at, 0, head, sizeof head);
    return put_record(at, used, type, (uint16_t)prng_next(prng), words, count);
}

static size_t mutate(uint8_t *at, size_t size, struct prng *prng)
{
    static const uint8_t telling[] = {0, 1, 7, 8, 0x7f, 0x80, 0xff};
    for (uint64_t changes = prng_below(prng, 6); changes; changes--) {
        size_t where = prng_below(prng, (uint32_t)size);
        at[where] = prng_below(prng, 2) ? telling[prng_below(prng, sizeof telling)]
                                        : (uint8_t)prng_next(prng);
    }
    return prng_below(prng, 4) ? size : prng_below(prng, (uint32_t)size + 1);
}

int main(int count, char **arguments)
{
    struct prng prng = {.state = 20};
    unsigned long executions = count > 1 ? strtoul(arguments[1], NULL, 10) : FUZZ_EXECUTIONS;
    for (unsigned long i = 0; i < executions; i++) {
        static uint8_t bytes[FUZZ_SEED_BYTES];
        size_t size = i % 2 ? seed_file(bytes) : seed_record(bytes, &prng);
        /* Exact size on the heap, to detect a read past the end. */
        size = i < 2 ? size : mutate(bytes, size, &prng);
        uint8_t *copy = malloc(size + !size);
        memcpy(copy, bytes, size);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
    }
    printf("%lu executions\n", executions);
    return 0;
}
#endif
