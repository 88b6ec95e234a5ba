/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "perfdata_seeds.h"

#include "unit/sample/recording.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Head of a real recording: long enough for records of each kind. */
enum { HEAD_BYTES = 2 * 6144 };

struct perfdata_seed perfdata_seeds[PERFDATA_SEEDS_MAX];
size_t perfdata_seed_count;

static void add_seed(const void *bytes, size_t size, bool whole)
{
    if (perfdata_seed_count == PERFDATA_SEEDS_MAX)
        return;
    uint8_t *copy = malloc(size);
    memcpy(copy, bytes, size);
    perfdata_seeds[perfdata_seed_count++] = (struct perfdata_seed){copy, size, whole};
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
    recording_begin(recording, 71, 0); /* AUXTRACE followed by 16 bytes */
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

/* Puts the records again, compressed with zstd, in chunks of uneven size. */
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

static void make_all(void)
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

/* Adds a whole real recording, and its head, as if its recorder had been killed early. */
static void add_real(const char *path)
{
    static uint8_t bytes[PERFDATA_SEED_BYTES_MAX];
    static uint8_t head[HEAD_BYTES];
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

static void add_real_recordings(void)
{
    const char *folder = getenv("SHARED_DATA");
    DIR *list = folder ? opendir(folder) : NULL;
    if (!list) {
        printf("no real recordings found: only generated seeds are used\n");
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

bool perfdata_seeds_make(void)
{
    make_all();
    size_t made = perfdata_seed_count;
    add_real_recordings();
    return perfdata_seed_count > made;
}
