/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cost of recording: ns and bytes per sample, with the registers that misstop requests, and with
 * the data of PEBS. One sync per refresh's worth of samples.
 *
 *   bench_write [FOLDER]    where the file is written, otherwise /var/tmp
 */
#include "base/clock.h"
#include "base/hash.h"
#include "sample/perfdata/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAMPLES = 1000000, REFRESH_SAMPLES = 2000 };

static void make_samples(struct record *records, size_t count, const struct perf_event_attr *attr)
{
    struct prng prng = {1};
    for (size_t i = 0; i < count; i++) {
        struct record *record = &records[i];
        *record = (struct record){.kind = RECORD_SAMPLE, .pid = 1, .tid = 1};
        record->sample = (struct sample){.ip = prng_next(&prng) >> 17,
                                         .weight = 500009,
                                         .pid = 1,
                                         .tid = 1,
                                         .cpu = (uint32_t)i % 8};
        if (attr->sample_type & PERF_SAMPLE_REGS_USER)
            record->sample.has |= SAMPLE_HAS_REGS;
        else
            record->sample.has |= SAMPLE_HAS_ADDRESS | SAMPLE_HAS_LATENCY | SAMPLE_HAS_DATA_SRC;
        for (unsigned k = 0; k < SREG_COUNT; k++)
            record->sample.regs[k] = prng_next(&prng);
    }
}

struct times {
    uint64_t add_ns;
    uint64_t sync_ns;
    uint64_t longest_sync_ns;
};

static struct times write_all(struct perfdata_writer *writer, struct record *records)
{
    struct times times = {0};
    struct perfdata_written reported = {.address = 0x7f0000001000,
                                        .data_src = PERF_MEM_S(OP, LOAD)};
    for (uint64_t i = 0; i < SAMPLES; i += REFRESH_SAMPLES) {
        uint64_t start_ns = clock_now_ns();
        for (uint64_t k = 0; k < REFRESH_SAMPLES; k++) {
            records[k].time_ns = records[k].sample.time_ns = (i + k) * 1000;
            perfdata_writer_add(writer, &records[k], &reported);
        }
        uint64_t middle_ns = clock_now_ns();
        perfdata_writer_sync(writer, NULL);
        uint64_t sync_ns = clock_now_ns() - middle_ns;
        times.add_ns += middle_ns - start_ns;
        times.sync_ns += sync_ns;
        times.longest_sync_ns = sync_ns > times.longest_sync_ns ? sync_ns : times.longest_sync_ns;
    }
    return times;
}

static int measure(const char *path, const struct perf_event_attr *attr, struct times *times,
                   uint64_t *bytes)
{
    static struct record records[REFRESH_SAMPLES];
    struct error error = {0};
    struct perfdata_writer *writer;
    struct stat status;
    struct sampler_info info = {.event_count = 1, .live = true, .pid = getpid()};
    struct perfdata_writer_options options = {.path = path, .info = &info, .attrs = attr};
    strcpy(info.events[0].name, "event");
    make_samples(records, REFRESH_SAMPLES, attr);
    if (perfdata_writer_open(&writer, &options, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    *times = write_all(writer, records);
    int code = perfdata_writer_close(writer, &error);
    *bytes = stat(path, &status) ? 0 : (uint64_t)status.st_size;
    unlink(path);
    return code;
}

/* Best of three: the first run also pays for fresh memory. */
static int bench(const char *name, const char *folder, const struct perf_event_attr *attr)
{
    char path[512];
    struct times best = {0};
    uint64_t bytes = 0;
    snprintf(path, sizeof path, "%s/misstop-bench-%d", folder, (int)getpid());
    for (int run = 0; run < 3; run++) {
        struct times times;
        if (measure(path, attr, &times, &bytes))
            return 1;
        if (!run || times.add_ns + times.sync_ns < best.add_ns + best.sync_ns)
            best = times;
    }
    printf("%-28s %5.0f ns a sample (%.0f to format, %.0f to write), %.0f bytes a sample, "
           "longest sync %.1f ms\n",
           name, (double)(best.add_ns + best.sync_ns) / SAMPLES, (double)best.add_ns / SAMPLES,
           (double)best.sync_ns / SAMPLES, (double)bytes / SAMPLES,
           (double)best.longest_sync_ns / 1e6);
    return 0;
}

int main(int argument_count, char **arguments)
{
    const char *folder = argument_count > 1 ? arguments[1] : "/var/tmp";
    struct perf_event_attr registers = {.type = PERF_TYPE_SOFTWARE,
                                        .sample_type = PERF_SAMPLE_REGS_USER,
                                        .sample_regs_user = 0xff03ff,
                                        .sample_period = 500009};
    struct perf_event_attr precise = {.type = PERF_TYPE_RAW,
                                      .sample_type = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT,
                                      .precise_ip = 2,
                                      .sample_period = 10007};
    int code = bench("with registers (clock)", folder, &registers);
    return code ? code : bench("with latency (pebs)", folder, &precise);
}
